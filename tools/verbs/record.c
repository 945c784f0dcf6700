/* sextant record: raw counters of a run into a capture. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/text_buf.h"
#include "tools/verbs/run.h"

#define DEFAULT_FILE "sextant.sxc"
#define TICK_MS	     100
#define PROGRESS_S   0.5

/* A recording while it runs. */
struct recording {
	struct cli *cli;
	struct sx_capture_writer *writer;
	const char *path;
	uint64_t keep_ns, sync_ns;
	bool failure_shown;
	unsigned dumps;
	bool progress; /* on a terminal */
	struct status_line line;
	struct sx_capture_progress before;
	double shown_s;
};

static atomic_bool dump_wanted; /* set by the handler */

static void on_dump(int number)
{
	atomic_store(&dump_wanted, true);
}

/* FILE for the first dump, then FILE-2.sxc and so on, so that none is overwritten. */
static void dump_path(const struct recording *r, char *buf, size_t size)
{
	const char *slash = strrchr(r->path, '/'), *dot = strrchr(r->path, '.');
	if (!dot || (slash && dot < slash))
		dot = r->path + strlen(r->path);
	if (r->dumps == 0)
		snprintf(buf, size, "%s", r->path);
	else
		snprintf(buf, size, "%.*s-%u%s", (int)(dot - r->path), r->path, r->dumps + 1, dot);
}

static enum sx_status dump(struct recording *r)
{
	char path[4096];
	struct sx_error err = {0};
	dump_path(r, path, sizeof(path));
	enum sx_status status = sx_capture_dump(r->writer, path, &err);
	if (status) {
		cli_fail(r->cli, &err);
		return status;
	}
	r->dumps++;
	cli_note(r->cli, "wrote %s", path);
	return SX_OK;
}

/* `seconds`: since the line before; 0: there was none. */
static void show_progress(struct recording *r, const struct sx_capture_progress *before,
			  const struct sx_capture_progress *now, double seconds)
{
	char rate[HUMAN_MAX], size[HUMAN_MAX], rows[HUMAN_MAX], line[256] = "";
	human_value(&r->cli->view.human, rows, (double)now->rows, "count");
	human_value(&r->cli->view.human, size, (double)now->bytes, "bytes");
	text_append(line, sizeof(line), "%s samples, ", rows);
	if (seconds > 0) {
		human_value(&r->cli->view.human, rate, (double)(now->rows - before->rows) / seconds,
			    "count");
		text_append(line, sizeof(line), "%s/s, ", rate);
	}
	text_append(line, sizeof(line), "%s", size);
	if (now->lost_rows)
		text_append(line, sizeof(line), ", %llu lost", (unsigned long long)now->lost_rows);
	status_line_show(&r->line, line);
}

/* Between samples: writes requested dumps, and shows progress. */
static void record_poll(struct recording *r)
{
	struct sx_capture_progress now;
	if (atomic_exchange(&dump_wanted, false))
		dump(r);
	double seconds = (double)sys_now_ns(sys_real()) * 1e-9;
	sx_capture_progress(r->writer, &now);
	if (now.sys_errno && !r->failure_shown) {
		cli_warn(r->cli,
			 "cannot write %s: %s. Samples are lost from now on, or until that ends; "
			 "what was written stays readable.",
			 r->path, strerror(now.sys_errno));
		r->failure_shown = true;
	}
	if (!r->progress || seconds - r->shown_s < PROGRESS_S)
		return;
	show_progress(r, &r->before, &now, r->shown_s > 0 ? seconds - r->shown_s : 0);
	r->before = now;
	r->shown_s = seconds;
}

static enum sx_status create_writer(struct recording *r, struct sx_capture_claim *claim,
				    struct sx_error *err)
{
	const struct sx_capture_options options = {
	    .flush_ns = 200000000, /* and what the session gathers first makes 250 ms */
	    .keep_ns = r->keep_ns,
	    .sync_ns = r->sync_ns,
	    .claim = claim,
	};
	enum sx_status status = run_create_writer(r->cli, r->path, &options, &r->writer, err);
	return status == SX_ERR_IO ? error_as(err, SX_ERR_PERMISSION) : status; /* no part of it */
}

static void summarise(const struct recording *r, const struct sx_session *session,
		      const struct sx_capture_progress *p)
{
	char duration[HUMAN_MAX], size[HUMAN_MAX];
	uint32_t count, devices = 0;
	const struct sx_session_device *all = sx_session_devices(session, &count);
	for (uint32_t i = 0; i < count; i++)
		devices += !all[i].run.unused && (all[i].samples || !p->rows);
	human_duration(duration, sx_session_duration_ns(session));
	human_value(&r->cli->view.human, size, (double)p->bytes, "bytes");
	if (r->keep_ns)
		cli_note(r->cli, "%s in %s, %s written", COUNTED(p->rows, "sample"), duration,
			 COUNTED(r->dumps, "dump"));
	else
		cli_note(r->cli, "recorded %s of %s in %s: %s, %s", COUNTED(p->rows, "sample"),
			 COUNTED(devices, "device"), duration, r->path, size);
	if (p->lost_rows)
		cli_note(r->cli, "lost: %s: the disk was too slow or full",
			 COUNTED(p->lost_rows, "sample"));
	if (!p->rows && !p->lost_rows)
		cli_note(r->cli, "no samples came; sextant doctor says what each source needs");
}

/* Ends the recording in every case; the exit status is the child's unless Sextant failed. */
static int record_finish(struct recording *r, struct sx_session *session, enum sx_status status,
			 struct sx_error *err)
{
	struct sx_capture_progress progress;
	struct sx_error closing = {0};
	struct sx_child_status child = sx_session_child(session);
	bool broken = sx_failed(status);
	if (!r->writer)
		return run_cannot(r->cli, err, r->cli->options.child);
	if (r->keep_ns && child.term_signal) /* what led to a crash is why rings are kept */
		dump(r);
	enum sx_status closed = sx_capture_finish(r->writer, &progress, &closing);
	if (broken)
		return run_cannot(r->cli, err, r->cli->options.child);
	run_note(r->cli, session, true);
	summarise(r, session, &progress);
	int code = run_exit_code(&child);
	if (closed)
		return cli_fail(r->cli, &closing);
	bool whole = !status && progress.rows && !progress.lost_rows;
	return code ? code : whole ? EXIT_OK : EXIT_INCOMPLETE;
}

/* Before the program runs: of two recorders on one file the second must not start one. */
static enum sx_status claim_output(const struct recording *r, struct sx_capture_claim **claim,
				   struct sx_error *err)
{
	enum sx_status status = r->keep_ns ? SX_OK : sx_capture_claim(r->path, claim, err);
	if (!status || status == SX_ERR_BUSY || err->sys_errno == ENOSPC)
		return status;
	error_try(err, "-o FILE in a folder that you may write to");
	return error_as(err, SX_ERR_PERMISSION); /* whatever keeps it from being written */
}

/* The devices have started and the program runs: now there is something to replace a file with. */
static enum sx_status record_measure(struct recording *r, struct sx_session *session,
				     struct sx_error *err)
{
	const struct options *o = &r->cli->options;
	struct sx_session_limits limits = {.duration_ns = o->duration_ns, .samples = o->count};
	struct sx_capture_claim *claim = NULL;
	enum sx_status status = claim_output(r, &claim, err);
	if (status)
		return status;
	status = sx_session_start(session, o->child, &limits, err);
	if (status)
		sx_capture_unclaim(claim);
	else
		status = create_writer(r, claim, err);
	if (status)
		return status;
	run_give_way(o);
	sx_session_record(session, r->writer);
	while (sx_session_poll(session, TICK_MS, NULL) != SX_END)
		record_poll(r);
	status = sx_session_finish(session, err);
	r->shown_s = 0;
	record_poll(r); /* a dump may have been asked for at the last moment */
	status_line_erase(&r->line);
	return status;
}

static int record_capture(struct recording *r, struct sx_session *session)
{
	struct sx_error err = {0};
	fflush(NULL);
	run_catch_signals(session);
	if (r->keep_ns)
		sigaction(SIGUSR2, &(struct sigaction){.sa_handler = on_dump}, NULL);
	enum sx_status status = record_measure(r, session, &err);
	int code = record_finish(r, session, status, &err);
	run_catch_signals(NULL);
	return code;
}

static int record_run(struct cli *cli)
{
	struct sx_error err = {0};
	struct sx_session *session = NULL;
	struct recording r = {.cli = cli,
			      .path = cli->options.output ? cli->options.output : DEFAULT_FILE,
			      .line.out = stderr,
			      .progress = isatty(STDERR_FILENO) && !cli->options.quiet};
	enum sx_status status = run_prepare(cli, &err);
	struct sx_session_options options = run_options(cli, cli->options.child);
	options.keep_instances = true;
	options.beside = true;
	if (!status && cli->options.keep)
		status = options_duration(cli->options.keep, &r.keep_ns, &err);
	if (!status && cli->options.sync)
		status = options_duration(cli->options.sync, &r.sync_ns, &err);
	if (!status && r.keep_ns && r.sync_ns) {
		error_set(&err, SX_ERR_USAGE, "--keep and --sync exclude each other");
		error_because(&err, "what is kept in memory is not on a disk");
		error_try(&err, "--sync alone, or --keep alone");
		status = SX_ERR_USAGE;
	}
	if (!status)
		status = sx_session_create(cli->context, &options, &session, &err);
	if (!status)
		status = run_check_constants(cli, session, &err);
	int code = status ? cli_fail(cli, &err) : record_capture(&r, session);
	sx_session_destroy(session);
	return code;
}

const struct command cmd_record = {
    .verb = {.name = "record",
	     .synopsis = "[options] [-- COMMAND ARGS...]",
	     .summary = "raw counters of a command, or of a duration, into a capture",
	     .about =
		 "Measures as stat does, the machine's CPUs beside the program. Writes the raw "
		 "counters of every sample into a capture (sextant.sxc, or --output). report, "
		 "export and the other verbs derive metrics from it later and elsewhere. Ctrl-C, a "
		 "hangup and a full disk end cleanly; a recording that is killed is readable up to "
		 "its last quarter of a second. After a power cut it is readable up to what the "
		 "kernel had put on the disk: --sync bounds that. With --keep only the last "
		 "seconds are held in memory: SIGUSR2 writes them, and so does a crash of COMMAND.",
	     .options =
		 "for device metric map set interval duration count output const api context "
		 "process pid profiling keep sync overhead per",
	     .child = true,
	     .own_output = true,
	     .examples = "  sextant record -o game.sxc -- ./game\n"
			 "  sextant record -d cpu -I 1ms -t 10s\n"
			 "  sextant record --keep 30s -- ./game    (then: kill -USR2 PID)\n"},
    .run = record_run,
};
