/* sextant capture: what is in a capture, whether it is sound, and copies of it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "tools/cli/request.h"
#include "tools/verbs/capture/capture.h"

static int info(struct cli *cli, const char *path)
{
	struct sx_error err = {0};
	struct contents c = {.path = path, .heads_only = true};
	enum sx_status status = contents_read(cli, &c, &err);
	if (!status)
		status = cli_open_output(cli, &err);
	if (!status && cli->view.format == FORMAT_JSON)
		contents_json(cli, &c);
	else if (!status)
		contents_text(cli, &c);
	bool whole = !status && contents_sound(&c) && !c.losses;
	contents_finish(&c);
	return status ? cli_fail(cli, &err) : whole ? EXIT_OK : EXIT_INCOMPLETE;
}

/* Like info, but the verdict alone, and in the exit status. */
static int check(struct cli *cli, const char *path)
{
	struct sx_error err = {0};
	struct contents c = {.path = path};
	enum sx_status status = contents_read(cli, &c, &err);
	bool sound = !status && contents_sound(&c), lost = c.losses != 0;
	char shown[IMPORTED_TEXT_MAX];
	if (!status)
		status = cli_open_output(cli, &err);
	if (!status && cli->view.format == FORMAT_JSON)
		contents_json(cli, &c);
	else if (!status) {
		text_write(cli->view.out.out, imported_text(cli, path, shown));
		fprintf(cli->view.out.out, ": %s, %s read\n", sound ? "sound" : "not whole",
			COUNTED(c.rows_read, "row"));
		contents_damage_text(cli, &c);
	}
	contents_finish(&c);
	if (status)
		return cli_fail(cli, &err);
	return sound && !lost ? EXIT_OK : EXIT_INCOMPLETE;
}

static void note_alignment(void *user, const char *line)
{
	cli_note(user, "note: %s", line);
}

/* "1.5s", "+20ms" or "-3s". */
static enum sx_status parse_offset(const char *text, int64_t *out, struct sx_error *err)
{
	uint64_t ns = 0;
	char one[32], *unit;
	const char *amount = text + strspn(text, "+-");
	/* Nothing is no duration, but an offset: the unit alone is looked at. */
	bool nothing = strtod(amount, &unit) == 0 && unit != amount;
	snprintf(one, sizeof(one), "1%s", nothing ? unit : "");
	enum sx_status status = options_duration(nothing ? one : amount, &ns, err);
	ns = nothing ? 0 : ns;
	if (!status && (strspn(text, "+-") > 1 || ns > INT64_MAX)) {
		error_set(err, SX_ERR_USAGE, "\"%s\" is no offset", text);
		error_because(err, "a sign and a duration are expected");
		error_try(err, "--offset=-1.5s");
		return SX_ERR_USAGE;
	}
	*out = *text == '-' ? -(int64_t)ns : (int64_t)ns;
	return status;
}

/* A copy that is being made. */
struct job {
	struct capture_copy copy;
	struct capture_copied done;
};

static enum sx_status copy_into(void *user, const char *draft, struct sx_error *err)
{
	struct job *job = user;
	job->copy.output = draft;
	return capture_copy_run(&job->copy, &job->done, err);
}

static void copy_shown(const struct cli *cli, const struct job *job)
{
	const struct capture_copied *done = &job->done;
	cli_note(cli, "%s written to %s", COUNTED(done->rows, "row"), cli->options.output);
	if (!done->rows && (job->copy.from_ns || job->copy.to_ns)) {
		char length[HUMAN_MAX];
		human_duration(length, done->duration_ns);
		cli_note(cli, "note: nothing is between --from and --to: %s is %s long",
			 job->copy.inputs[0], length);
	}
	if (done->cut)
		cli_note(cli, "note: %s did not end cleanly, or goes on: its last part is missing",
			 done->cut);
	if (done->what[0])
		cli_note(cli, "note: damage was left out: %s (%s, %s)", done->what,
			 COUNTED(done->damaged_records, "record"),
			 COUNTED(done->damaged_bytes, "byte"));
}

static enum sx_status check_part(const struct options *o, struct sx_error *err)
{
	char from[HUMAN_MAX], to[HUMAN_MAX];
	if (!o->to_ns || o->from_ns < o->to_ns)
		return SX_OK;
	human_duration(from, o->from_ns);
	human_duration(to, o->to_ns);
	error_set(err, SX_ERR_USAGE, "nothing is between --from %s and --to %s", from, to);
	error_because(err, "both count from the first sample, and the end comes later");
	error_try(err, "--to with a longer time than --from");
	return SX_ERR_USAGE;
}

static int copy(struct cli *cli, const char *verb, const char *const *inputs, size_t count)
{
	struct sx_error err = {0};
	struct job job = {.copy = {.cli = cli,
				   .inputs = inputs,
				   .input_count = count,
				   .from_ns = cli->options.from_ns,
				   .to_ns = cli->options.to_ns,
				   .aligned = note_alignment,
				   .aligned_user = cli,
				   .anonymise = strcmp(verb, "anonymise") == 0}};
	int64_t offset_ns = 0;
	if (!cli->options.output) {
		error_set(&err, SX_ERR_USAGE, "capture %s needs a file to write", verb);
		error_because(&err, "captures do not go to a terminal");
		error_try(&err, "-o FILE");
		return cli_fail(cli, &err);
	}
	if (check_part(&cli->options, &err))
		return cli_fail(cli, &err);
	if (cli->options.offset && parse_offset(cli->options.offset, &offset_ns, &err))
		return cli_fail(cli, &err);
	if (cli->options.offset)
		job.copy.offset_ns = &offset_ns;
	if (draft_capture(cli->options.output, copy_into, &job, &err))
		return cli_fail(cli, &err);
	copy_shown(cli, &job);
	bool empty = !job.done.rows && (job.copy.from_ns || job.copy.to_ns);
	return job.done.cut || job.done.what[0] || empty ? EXIT_INCOMPLETE : EXIT_OK;
}

static const char *const actions[] = {"info", "check", "cut", "merge", "anonymise", NULL};

/* What was typed is an action with another number of files, a file alone, or nothing known. */
static int usage(const struct cli *cli, const struct string_list *args)
{
	struct sx_error err;
	char quoted[ERROR_WORD_MAX];
	const char *word = args->count ? args->items[0] : NULL;
	const char *near = word ? options_nearest(word, actions) : NULL;
	bool known = near && strcmp(near, word) == 0;
	const char *what = !word   ? "what is to be done with it?"
			   : known ? "it takes another number of files"
				   : "no such action";
	error_set(&err, SX_ERR_USAGE, "capture: %s", what);
	if (known)
		error_because(&err,
			      strcmp(word, "merge") == 0 ? "merge makes one of two or more"
							 : "%s reads one capture",
			      word);
	else
		error_because(&err, "it is one of info, check, cut, merge and anonymise");
	if (word && !known && access(word, R_OK) == 0)
		error_try(&err, "sextant capture info %s", error_word(quoted, word));
	else if (word && strcmp(word, "join") == 0)
		error_try(&err, "sextant capture merge A B -o FILE");
	else if (!near || strcmp(near, "merge") == 0)
		error_try(&err, "sextant capture %s", near ? "merge A B -o FILE" : "info FILE");
	else
		error_try(&err, "sextant capture %s FILE%s", near,
			  options_word("info check", near) ? "" : " -o OUT");
	return cli_fail(cli, &err);
}

static int capture_run(struct cli *cli)
{
	const struct string_list *args = &cli->options.args;
	if (args->count < 1)
		return usage(cli, args);
	const char *verb = args->items[0];
	const char *const *inputs = args->items + 1;
	size_t count = args->count - 1;
	if (!count && cli->options.input) {
		inputs = &cli->options.input;
		count = 1;
	}
	if (strcmp(verb, "merge") == 0 && count >= 2)
		return copy(cli, verb, inputs, count);
	if (count == 1 && strcmp(verb, "info") == 0)
		return info(cli, inputs[0]);
	if (count == 1 && strcmp(verb, "check") == 0)
		return check(cli, inputs[0]);
	if (count == 1 && (strcmp(verb, "cut") == 0 || strcmp(verb, "anonymise") == 0))
		return copy(cli, verb, inputs, count);
	return usage(cli, args);
}

const struct command cmd_capture = {
    .verb = {.name = "capture",
	     .synopsis = "info|check|cut|merge|anonymise FILE... [-o FILE]",
	     .summary = "what a capture holds, whether it is sound, and copies of it",
	     .about =
		 "info says what a capture holds, from the heads of its records, and exits with 1 "
		 "when samples were lost while it was recorded. check reads all of it and exits "
		 "with 1 when something is damaged, cut, missing or was lost while it was "
		 "recorded. cut copies the part between --from and --to (since the first sample). "
		 "merge copies several files into one, on the first one's axis of time: those of "
		 "other machines by both wall clocks, or by --offset, and says how well. anonymise "
		 "copies without host, command, notes, wall-clock times and the names of debug "
		 "groups.",
	     .formats = FORMATS_TEXT_JSON,
	     .reads = true,
	     .options = "input output from to offset format",
	     .max_args = -1,
	     .files_from = 2,
	     .own_output = true,
	     .captures = "cut merge anonymise",
	     .examples = "  sextant capture info game.sxc\n"
			 "  sextant capture cut game.sxc --from 2s --to 5s -o part.sxc\n"
			 "  sextant capture merge a.sxc b.sxc -o both.sxc\n"},
    .run = capture_run,
};
