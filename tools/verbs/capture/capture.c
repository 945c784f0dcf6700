/* sextant capture: what is in a capture, whether it is sound, and copies of it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/verbs/capture/clocks.h"
#include "tools/verbs/capture/copy.h"
#include "output/report/machine.h"
#include "tools/cli/input/imported.h"
#include "tools/cli/ticker.h"

#define SHOWN 8 /* losses, and notes, one by one */

/* Something that the recording tells: samples that were lost, or a note. */
struct told {
	uint32_t device;
	uint64_t begin_ns, end_ns, lost;
	char text[256];
};

/* What reading a whole capture tells. */
struct contents {
	const char *path;
	struct sx_capture_reader *reader;
	const struct sx_capture_info *info;
	const struct sx_capture_account *account;
	uint64_t *rows;	 /* of each device */
	uint64_t values; /* rows times columns, all devices */
	uint64_t rows_read, gaps, notes, losses;
	struct told first_losses[SHOWN], first_notes[SHOWN];
	struct capture_clocks clocks;
	bool heads_only; /* the contents of rows were not read */
};

/* Keeps the first of them, and counts all. */
static void keep(struct told *first, uint64_t *count, const struct sx_capture_record *record)
{
	const struct sx_capture_mark *mark = &record->mark;
	if ((*count)++ >= SHOWN)
		return;
	struct told *told = &first[*count - 1];
	*told = (struct told){.device = record->device,
			      .begin_ns = mark->begin_ns,
			      .end_ns = mark->end_ns,
			      .lost = mark->lost};
	snprintf(told->text, sizeof(told->text), "%s", mark->text);
}

static enum sx_status read_all(const struct cli *cli, struct contents *c, struct sx_error *err)
{
	struct sx_capture_record record;
	enum sx_status status = sx_capture_open(c->path, &c->reader, err);
	if (status)
		return status;
	c->rows = calloc(sx_capture_info(c->reader)->device_count + 1, sizeof(*c->rows));
	if (!c->rows)
		return error_nomem(err, "reading a capture");
	uint32_t devices = sx_capture_info(c->reader)->device_count;
	sx_capture_set_filter(c->reader, &(struct sx_capture_filter){.heads_only = c->heads_only});
	while ((status = sx_capture_next(c->reader, &record, err)) == SX_OK) {
		ticker_at(cli, c->path, record.offset, sx_capture_info(c->reader)->size_bytes);
		if (record.type == SX_CAPTURE_ROWS && record.device < devices) {
			c->rows[record.device] += record.rows.count;
			c->rows_read += record.rows.count;
			c->values += record.rows.count * record.rows.column_count;
		}
		if (!capture_clocks_add(&c->clocks, &record))
			return error_nomem(err, "reading a capture");
		c->gaps += record.type == SX_CAPTURE_GAP;
		if (record.type == SX_CAPTURE_NOTE)
			keep(c->first_notes, &c->notes, &record);
		if (record.type == SX_CAPTURE_LOSS)
			keep(c->first_losses, &c->losses, &record);
	}
	c->info = sx_capture_info(c->reader);
	c->account = sx_capture_account(c->reader);
	ticker_stop(cli);
	return status == SX_END || status == SX_AGAIN ? SX_OK : status;
}

static void contents_finish(struct contents *c)
{
	sx_capture_close(c->reader);
	capture_clocks_finish(&c->clocks);
	free(c->rows);
}

static uint64_t duration_ns(const struct sx_capture_info *info)
{
	return info->begin_ns == SX_TIME_UNKNOWN || info->end_ns == SX_TIME_UNKNOWN
		   ? 0
		   : info->end_ns - info->begin_ns;
}

static void device_json(struct json *json, const struct contents *c, uint32_t number)
{
	const struct sx_capture_device *d = sx_capture_device(c->reader, number);
	json_object_begin(json);
	json_kv_string(json, "catalog", d->catalog);
	json_kv_string(json, "name", d->name);
	json_kv_string(json, "source", d->source);
	json_kv_string(json, "driver", *d->driver ? d->driver : NULL);
	json_kv_bool(json, "simulated", d->simulated);
	json_kv_string(json, "kind", sx_sample_kind_name(d->kind));
	json_kv_u64(json, "rows", c->rows[number]);
	json_kv_string(json, "clock", d->clock);
	json_kv_u64(json, "clock_error_ns", d->clock_error_ns);
	capture_clocks_json(json, &c->clocks, number);
	json_kv_u64(json, "interval_ns", d->interval_ns);
	json_kv_object_flat(json, "properties");
	for (uint32_t i = 0; i < d->property_count; i++)
		json_kv_string(json, d->properties[i].name, d->properties[i].value);
	json_object_end(json);
	json_kv_object_flat(json, "constants");
	for (uint32_t i = 0; i < d->constant_count; i++)
		json_kv_f64(json, d->constants[i].name, d->constants[i].value);
	json_object_end(json);
	json_kv_array(json, "columns");
	for (uint32_t i = 0; i < d->column_count; i++) {
		json_object_begin_flat(json);
		json_kv_string(json, "name", d->columns[i].name);
		json_kv_string(json, "unit", d->columns[i].unit);
		json_kv_string(json, "type", d->columns[i].type == SX_U64 ? "u64" : "f64");
		json_kv_string(json, "why", d->columns[i].why);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

/* Unknown times and counts have the same number. */
static void json_time(struct json *json, uint64_t value)
{
	if (value == SX_TIME_UNKNOWN)
		json_null(json);
	else
		json_u64(json, value);
}

static void json_device(struct json *json, uint32_t device)
{
	json_key(json, "device");
	if (device == SX_CAPTURE_NO_DEVICE)
		json_null(json);
	else
		json_u64(json, device);
}

static void notes_json(struct json *json, const struct contents *c)
{
	json_kv_array(json, "notes");
	for (uint64_t i = 0; i < c->notes && i < SHOWN; i++) {
		json_object_begin_flat(json);
		json_device(json, c->first_notes[i].device);
		json_kv_string(json, "text", c->first_notes[i].text);
		json_object_end(json);
	}
	json_array_end(json);
}

static void losses_json(struct json *json, const struct contents *c)
{
	json_kv_array(json, "losses");
	for (uint64_t i = 0; i < c->losses && i < SHOWN; i++) {
		const struct told *l = &c->first_losses[i];
		json_object_begin_flat(json);
		json_device(json, l->device);
		json_key(json, "begin_ns");
		json_time(json, l->begin_ns);
		json_key(json, "end_ns");
		json_time(json, l->end_ns);
		json_key(json, "samples");
		json_time(json, l->lost);
		json_kv_string(json, "why", l->text);
		json_object_end(json);
	}
	json_array_end(json);
}

static void account_json(struct json *json, const struct contents *c)
{
	json_kv_u64(json, "loss_records", c->losses);
	losses_json(json, c);
	json_kv_object_flat(json, "damage");
	json_kv_u64(json, "records", c->account->damaged_records);
	json_kv_u64(json, "missing_records", c->account->missing_records);
	json_kv_u64(json, "bytes", c->account->damaged_bytes);
	json_kv_u64(json, "cut_bytes", c->account->cut_bytes);
	json_kv_string(json, "first", c->account->what[0] ? c->account->what : NULL);
	json_object_end(json);
}

static void write_json(const struct cli *cli, const struct contents *c)
{
	char version[16], shown[IMPORTED_TEXT_MAX];
	struct json json = view_json_begin(&cli->view, "capture");
	snprintf(version, sizeof(version), "%u.%u", c->info->major, c->info->minor);
	json_kv_string(&json, "file", imported_text(cli, c->path, shown));
	json_kv_string(&json, "version", version);
	json_kv_u64(&json, "bytes", c->info->size_bytes);
	json_kv_bool(&json, "clean", c->info->clean);
	json_kv_u64(&json, "created_ns", c->info->created_ns);
	json_kv_u64(&json, "duration_ns", duration_ns(c->info));
	json_kv_u64(&json, "chunks", c->info->chunks);
	json_kv_u64(&json, "rows", c->rows_read);
	json_kv_u64(&json, "lost_rows", c->account->lost_rows);
	json_kv_u64(&json, "gaps", c->gaps);
	json_kv_object_flat(&json, "properties");
	for (uint32_t i = 0; i < c->info->property_count; i++)
		json_kv_string(&json, c->info->properties[i].name, c->info->properties[i].value);
	json_object_end(&json);
	json_kv_array(&json, "devices");
	for (uint32_t i = 0; i < c->info->device_count; i++)
		if (sx_capture_device(c->reader, i))
			device_json(&json, c, i);
	json_array_end(&json);
	json_kv_u64(&json, "note_records", c->notes);
	notes_json(&json, c);
	capture_clocks_json(&json, &c->clocks, SX_CAPTURE_NO_DEVICE);
	account_json(&json, c);
	view_json_end(&json);
}

static void write_device(const struct cli *cli, const struct contents *c, uint32_t number)
{
	const struct sx_capture_device *d = sx_capture_device(c->reader, number);
	FILE *out = cli->view.out.out;
	const char *kind = sx_sample_kind_name(d->kind);
	fputc('\n', out);
	text_styled(&cli->view.out, TEXT_BOLD, *d->name ? d->name : d->catalog);
	if (d->simulated)
		text_styled(&cli->view.out, TEXT_YELLOW, "  SIMULATED, not a real device");
	fprintf(out, "\n  catalog  %s (%016" PRIx64 ")\n  source   %s\n", d->catalog,
		d->catalog_hash, d->source);
	if (*d->driver)
		fprintf(out, "  driver   %s\n", d->driver);
	fprintf(out, "  rows     %" PRIu64 ", each a %s%s\n", c->rows[number], kind,
		strcmp(kind, "time") == 0 ? " slice" : "");
	fprintf(out, "  columns  %u\n", (unsigned)d->column_count);
	capture_clocks_text(&cli->view, &c->clocks, number, 2);
	for (uint32_t i = 0; i < d->property_count; i++)
		fprintf(out, "  %-8s %s\n", d->properties[i].name, d->properties[i].value);
	for (uint32_t i = 0; i < d->constant_count; i++)
		fprintf(out, "  %s = %.17g\n", d->constants[i].name, d->constants[i].value);
}

/* "+1.2 s to +1.3 s", since the first sample. */
static void loss_span(char *buf, size_t size, const struct told *l, uint64_t zero)
{
	char from[HUMAN_MAX] = "?", to[HUMAN_MAX] = "the end";
	if (l->begin_ns != SX_TIME_UNKNOWN)
		human_duration(from, l->begin_ns > zero ? l->begin_ns - zero : 0);
	if (l->end_ns != SX_TIME_UNKNOWN)
		human_duration(to, l->end_ns > zero ? l->end_ns - zero : 0);
	snprintf(buf, size, "%s to %s", from, to);
}

static void write_losses(const struct cli *cli, const struct contents *c)
{
	char span[96], count[32], line[512];
	for (uint64_t i = 0; i < c->losses && i < SHOWN; i++) {
		const struct told *l = &c->first_losses[i];
		const struct sx_capture_device *d = sx_capture_device(c->reader, l->device);
		loss_span(span, sizeof(span), l, c->info->begin_ns);
		snprintf(count, sizeof(count), "%" PRIu64, l->lost);
		snprintf(line, sizeof(line), "lost: %s samples of %s, %s: %s",
			 l->lost == SX_CAPTURE_COUNT_UNKNOWN ? "an unknown number of" : count,
			 d ? d->name : "the recording", span, l->text);
		text_wrap(&cli->view.out, 2, line);
	}
	if (c->losses > SHOWN)
		fprintf(cli->view.out.out, "lost: %" PRIu64 " times more\n", c->losses - SHOWN);
}

static void write_notes(const struct cli *cli, const struct contents *c)
{
	char line[512];
	for (uint64_t i = 0; i < c->notes && i < SHOWN; i++) {
		const struct told *note = &c->first_notes[i];
		const struct sx_capture_device *d = sx_capture_device(c->reader, note->device);
		snprintf(line, sizeof(line), "note%s%s: %s", d ? " of " : "", d ? d->name : "",
			 note->text);
		text_wrap(&cli->view.out, 2, line);
	}
	if (c->notes > SHOWN)
		fprintf(cli->view.out.out, "note: %" PRIu64 " more\n", c->notes - SHOWN);
}

static void write_damage(const struct cli *cli, const struct contents *c)
{
	FILE *out = cli->view.out.out;
	const struct sx_capture_account *a = c->account;
	if (a->what[0])
		fprintf(out,
			"damaged: %s; %" PRIu64 " records and %" PRIu64
			" bytes are gone in all, %" PRIu64 " records are missing\n",
			a->what, a->damaged_records, a->damaged_bytes, a->missing_records);
	if (a->cut_bytes)
		fprintf(out, "cut: the last %" PRIu64 " bytes are an unfinished record\n",
			a->cut_bytes);
	if (!c->info->clean)
		fputs("it did not end cleanly, or is still written\n", out);
	if (a->lost_rows)
		fprintf(out, "%" PRIu64 " sample%s lost while it was recorded\n", a->lost_rows,
			a->lost_rows == 1 ? " was" : "s were");
	write_notes(cli, c);
	write_losses(cli, c);
}

static void write_text(const struct cli *cli, const struct contents *c)
{
	char size[HUMAN_MAX], length[HUMAN_MAX], when[64] = "";
	FILE *out = cli->view.out.out;
	time_t created = (time_t)(c->info->created_ns / 1000000000);
	struct tm utc;
	human_value(&cli->view.human, size, (double)c->info->size_bytes, "bytes");
	human_duration(length, duration_ns(c->info));
	if (c->info->created_ns > 1 && gmtime_r(&created, &utc))
		strftime(when, sizeof(when), ", %Y-%m-%d %H:%M:%S UTC", &utc);
	char shown[IMPORTED_TEXT_MAX];
	char line[IMPORTED_TEXT_MAX];
	snprintf(line, sizeof(line), "%s: capture %u.%u, %s, %s%s",
		 imported_text(cli, c->path, shown), c->info->major, c->info->minor, size, length,
		 when);
	text_hang(&cli->view.out, 0, line);
	fprintf(out, "%" PRIu64 " row%s in %" PRIu64 " chunk%s", c->rows_read,
		c->rows_read == 1 ? "" : "s", c->info->chunks, c->info->chunks == 1 ? "" : "s");
	if (c->values)
		fprintf(out, ", %.2f bytes a value",
			(double)c->info->size_bytes / (double)c->values);
	fputc('\n', out);
	for (uint32_t i = 0; i < c->info->property_count; i++)
		if (c->info->properties[i].value[0])
			text_field(&cli->view.out, 11, c->info->properties[i].name,
				   c->info->properties[i].value);
	capture_clocks_text(&cli->view, &c->clocks, SX_CAPTURE_NO_DEVICE, 2);
	for (uint32_t i = 0; i < c->info->device_count; i++)
		if (sx_capture_device(c->reader, i))
			write_device(cli, c, i);
	if (c->account->what[0] || !c->info->clean || c->losses)
		fputc('\n', out);
	write_damage(cli, c);
}

static bool is_sound(const struct contents *c)
{
	return !c->account->what[0] && !c->account->cut_bytes && c->info->clean;
}

static int info(struct cli *cli, const char *path)
{
	struct sx_error err = {0};
	struct contents c = {.path = path, .heads_only = true};
	enum sx_status status = read_all(cli, &c, &err);
	if (!status)
		status = cli_open_output(cli, &err);
	if (!status && cli->view.format == FORMAT_JSON)
		write_json(cli, &c);
	else if (!status)
		write_text(cli, &c);
	bool whole = !status && is_sound(&c) && !c.losses;
	contents_finish(&c);
	return status ? cli_fail(cli, &err) : whole ? EXIT_OK : EXIT_INCOMPLETE;
}

/* Like info, but the verdict alone, and in the exit status. */
static int check(struct cli *cli, const char *path)
{
	struct sx_error err = {0};
	struct contents c = {.path = path};
	enum sx_status status = read_all(cli, &c, &err);
	bool sound = !status && is_sound(&c), lost = c.losses != 0;
	char shown[IMPORTED_TEXT_MAX];
	if (!status)
		status = cli_open_output(cli, &err);
	if (!status && cli->view.format == FORMAT_JSON)
		write_json(cli, &c);
	else if (!status) {
		fprintf(cli->view.out.out, "%s: %s, %" PRIu64 " rows read\n",
			imported_text(cli, path, shown), sound ? "sound" : "not whole",
			c.rows_read);
		write_damage(cli, &c);
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

static int copy(struct cli *cli, const char *verb, const char *const *inputs, size_t count)
{
	struct sx_error err = {0};
	struct capture_copied done;
	struct capture_copy job = {.cli = cli,
				   .inputs = inputs,
				   .input_count = count,
				   .output = cli->options.output,
				   .from_ns = cli->options.from_ns,
				   .to_ns = cli->options.to_ns,
				   .aligned = note_alignment,
				   .aligned_user = cli,
				   .anonymise = strcmp(verb, "anonymise") == 0};
	int64_t offset_ns = 0;
	if (!job.output) {
		error_set(&err, SX_ERR_USAGE, "capture %s needs a file to write", verb);
		error_because(&err, "captures do not go to a terminal");
		error_try(&err, "-o FILE");
		return cli_fail(cli, &err);
	}
	if (cli->options.offset && parse_offset(cli->options.offset, &offset_ns, &err))
		return cli_fail(cli, &err);
	if (cli->options.offset)
		job.offset_ns = &offset_ns;
	if (capture_copy_run(&job, &done, &err))
		return cli_fail(cli, &err);
	cli_note(cli, "%" PRIu64 " rows written to %s", done.rows, job.output);
	if (!done.rows && (job.from_ns || job.to_ns)) {
		char length[HUMAN_MAX];
		human_duration(length, done.duration_ns);
		cli_note(cli, "note: nothing lies between --from and --to: %s is %s long",
			 inputs[0], length);
	}
	if (done.cut)
		cli_note(cli, "note: %s did not end cleanly, or goes on: its last part is missing",
			 done.cut);
	if (!done.what[0] && done.cut)
		return EXIT_INCOMPLETE;
	if (!done.what[0])
		return done.rows || !(job.from_ns || job.to_ns) ? EXIT_OK : EXIT_INCOMPLETE;
	cli_note(cli, "note: damage was left out: %s (%" PRIu64 " records, %" PRIu64 " bytes)",
		 done.what, done.damaged_records, done.damaged_bytes);
	return EXIT_INCOMPLETE;
}

static int usage(const struct cli *cli, const char *what)
{
	struct sx_error err;
	error_set(&err, SX_ERR_USAGE, "capture: %s", what);
	error_because(&err, "usage is: sextant capture %s", cli->verb->synopsis);
	error_try(&err, "sextant capture info FILE");
	return cli_fail(cli, &err);
}

static int capture_run(struct cli *cli)
{
	const struct string_list *args = &cli->options.args;
	if (args->count < 1)
		return usage(cli, "what is to be done with it?");
	const char *verb = args->items[0];
	const char *const *inputs = args->items + 1;
	size_t count = args->count - 1;
	if (!count && cli->options.input) {
		inputs = &cli->options.input;
		count = 1;
	}
	bool known = true;
	if (strcmp(verb, "merge") == 0 && count >= 2)
		return copy(cli, verb, inputs, count);
	if (count == 1 && strcmp(verb, "info") == 0)
		return info(cli, inputs[0]);
	if (count == 1 && strcmp(verb, "check") == 0)
		return check(cli, inputs[0]);
	if (count == 1 && (strcmp(verb, "cut") == 0 || strcmp(verb, "anonymise") == 0))
		return copy(cli, verb, inputs, count);
	static const char *const verbs[] = {"info", "check", "cut", "merge", "anonymise", NULL};
	for (size_t i = 0; (known = verbs[i] != NULL) && strcmp(verbs[i], verb) != 0; i++)
		;
	return usage(cli, known ? "it takes another number of files" : "no such action");
}

const struct command cmd_capture = {
    .verb =
	{.name = "capture",
	 .synopsis = "info|check|cut|merge|anonymise FILE... [-o FILE]",
	 .summary = "what a capture holds, whether it is sound, and copies of it",
	 .about =
	     "info tells what a capture holds, from the heads of its records, and exits with 1 "
	     "when samples were lost while it was recorded; check reads all of it and exits with 1 "
	     "when something is damaged, cut, missing or was lost while it was recorded. cut "
	     "copies the part between "
	     "--from and --to (since the first sample), merge copies several files into "
	     "one, on the first one's axis of time: those of other machines by both wall clocks, "
	     "or by --offset, and says how well; anonymise copies without host, command, notes, "
	     "wall-clock times and "
	     "the names of debug groups.",
	 .formats = FORMATS_TEXT_JSON,
	 .reads = true,
	 .options = "input output from to offset format",
	 .max_args = -1,
	 .own_output = true,
	 .examples = "  sextant capture info game.sxc\n"
		     "  sextant capture cut game.sxc --from 2s --to 5s -o part.sxc\n"
		     "  sextant capture merge a.sxc b.sxc -o both.sxc\n"},
    .run = capture_run,
};
