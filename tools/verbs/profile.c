/* Measures a run into the model of a report and has it written. */
#include "tools/verbs/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "analysis/report/by.h"
#include "analysis/report/report.h"
#include "base/clock.h"
#include "base/sys.h"
#include "base/text_buf.h"
#include "input/input.h"
#include "output/html/html.h"
#include "output/report/report.h"
#include "output/views.h"

#define ROWS_WAIT_NS UINT64_C(500000000)
#define FIRST_NS     UINT64_C(1000000000)
#define EVERY_NS     UINT64_C(200000000)
#define TOP	     20 /* programs */

/* Only on a terminal. */
struct progress {
	const struct cli *cli;
	struct status_line line;
	uint64_t begin_ns, last_ns;
};

/* Whether a line should be written now: after the first second, five times a second. */
static bool progress_due(struct progress *p)
{
	uint64_t now = sys_now_ns(sys_real());
	if (!p->begin_ns)
		p->begin_ns = now;
	if (p->cli->options.quiet || !p->cli->err.terminal || now - p->begin_ns < FIRST_NS ||
	    now - p->last_ns < EVERY_NS)
		return false;
	p->last_ns = now;
	return true;
}

/* The programs of a run, a line each, put together as `report --by process` does it. */
struct profile_by {
	struct report_by **devices; /* NULL until the device has rows */
	uint32_t count;
};

/* A run on its way into a report. */
struct profiling {
	struct cli *cli;
	struct input_session in;
	struct progress progress;
	char lead[256];	      /* what the newest rows said */
	uint64_t due_ns;      /* since when a line is due, or 0 */
	struct profile_by by; /* of each program, with --per process */
};

/* Whether this run has rows for each program. */
static bool profile_by_wanted(const struct cli *cli)
{
	return cli->options.per == SX_SAMPLE_PROCESS && cli->view.format == FORMAT_TEXT;
}

static bool make_room(struct profile_by *by, uint32_t index)
{
	if (index < by->count)
		return true;
	struct report_by **more =
	    realloc(by->devices, ((size_t)index + 1) * sizeof(struct report_by *));
	if (!more)
		return false;
	by->devices = more;
	while (by->count <= index)
		by->devices[by->count++] = NULL;
	return true;
}

/* The first metric with a value for programs, or NULL. */
static const char *first_shown(const struct sx_session_device *device)
{
	uint32_t count = 0;
	const char *found = NULL;
	struct sx_table *values = NULL;
	const struct sx_metric_column *columns = NULL;
	if (device->metrics &&
	    sx_metrics_eval(device->metrics, device->raw, &values, NULL) == SX_OK)
		columns = sx_metrics_columns(device->metrics, &count);
	for (uint32_t i = 0; i < count && !found; i++)
		for (size_t r = 0; r < sx_table_row_count(values) && !found; r++)
			if (!isnan(sx_table_get(values, i, r)))
				found = columns[i].name;
	sx_table_destroy(values);
	return found;
}

/* Adds rows of a device. Errors: those of report_by_begin() and report_by_add(). */
static enum sx_status profile_by_add(void *user, uint32_t index,
				     const struct sx_session_device *device, struct sx_error *err)
{
	struct profiling *p = user;
	struct profile_by *by = &p->by;
	const struct options *o = &p->cli->options;
	enum sx_status status = SX_OK;
	if (!sx_table_row_count(device->raw) || !sx_table_has_label(device->raw, SX_LABEL_PROCESS))
		return SX_OK;
	if (!make_room(by, index))
		return error_nomem(err, "the programs of a run");
	struct report_by_options options = {
	    .catalog = device->catalog,
	    .metrics = {.patterns = o->metrics.items,
			.pattern_count = (uint32_t)o->metrics.count,
			.set = device->facts.set,
			.variant = o->api,
			.constants = device->facts.constants,
			.constant_count = device->facts.constant_count},
	    .by = REPORT_BY_PROCESS,
	    .sort = by->devices[index] ? NULL : first_shown(device),
	    .top = TOP,
	    .begin_ns = sx_table_begin_ns(device->raw)[0],
	    .end_ns = SX_TIME_UNKNOWN,
	    .like = device->raw};
	if (!by->devices[index] && !options.sort)
		return SX_OK;
	if (!by->devices[index])
		status = report_by_begin(&options, &by->devices[index], err);
	/* What was chosen may be another device's. */
	if (status)
		return status == SX_ERR_NO_MEMORY ? status : SX_OK;
	status = report_by_add(by->devices[index], device->raw, err);
	return status == SX_ERR_NO_MEMORY ? status : SX_OK; /* beyond the limit of programs */
}

/* Writes what the programs of each device did, behind the report. */
static enum sx_status profile_by_write(struct profile_by *by, const struct cli *cli,
				       const struct report *report, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && i < by->count && i < report->device_count; i++) {
		struct groups_out out = {.view = &cli->view,
					 .report = report,
					 .device = &report->devices[i],
					 .number = i,
					 .is_behind = true};
		if (!by->devices[i])
			continue;
		status = report_by_finish(by->devices[i], &out.g, err);
		if (status == SX_ERR_NOT_FOUND) {
			status = SX_OK;
			continue;
		}
		if (!status)
			status = groups_write(&out, 1, err);
	}
	return status;
}

static void profile_by_finish(struct profile_by *by)
{
	for (uint32_t i = 0; i < by->count; i++)
		report_by_destroy(by->devices[i]);
	free(by->devices);
	*by = (struct profile_by){0};
}

static void profile_started(void *user)
{
	const struct profiling *p = user;
	run_give_way(&p->cli->options);
}

/* Takes the leading number of each device that has rows now; false when none has. */
static bool update_leads(struct profiling *p, const struct sx_session_device *d, uint32_t count)
{
	char line[256] = "", value[HUMAN_MAX];
	for (uint32_t i = 0; i < count; i++) {
		struct report_lead lead;
		if (!d[i].metrics || !d[i].raw || !report_lead_of(d[i].metrics, d[i].raw, &lead))
			continue;
		human_value(&p->cli->view.human, value, lead.value, lead.unit);
		text_append(line, sizeof(line), ", %s %s", lead.name, value);
	}
	if (line[0])
		memcpy(p->lead, line, sizeof(p->lead));
	return line[0] != '\0';
}

/*
 * Progress: "12.0 s, 120 samples, cpu_busy 43 %", with the last values. A due line waits a while if
 * no rows have arrived.
 */
static void profile_watch(void *user)
{
	struct profiling *p = user;
	uint32_t count;
	char time[HUMAN_MAX], line[512];
	const struct sx_session_device *d = sx_session_devices(p->in.session, &count);
	uint64_t now = sys_now_ns(sys_real());
	if (!p->due_ns && !progress_due(&p->progress))
		return;
	p->due_ns = p->due_ns ? p->due_ns : now;
	if (!update_leads(p, d, count) && now - p->due_ns < ROWS_WAIT_NS)
		return;
	p->due_ns = 0;
	human_duration(time, sys_now_ns(sys_real()) - p->progress.begin_ns);
	snprintf(line, sizeof(line), "%s, %s%s; Ctrl-C ends", time,
		 COUNTED(count ? d[0].samples : 0, "sample"), p->lead);
	status_line_show(&p->progress.line, line);
}

/* What a run that was over before --delay leaves; false where that is not how it was. */
static bool ended_too_early(const struct profiling *p, char *const *argv, struct sx_error *why)
{
	char ran[HUMAN_MAX], delayed[HUMAN_MAX];
	uint64_t delay = p->cli->options.delay_ns, duration = sx_session_duration_ns(p->in.session);
	if (!argv || !delay || duration > delay)
		return false;
	human_duration(ran, duration);
	human_duration(delayed, delay);
	error_set(why, SX_INCOMPLETE, "the program ended before --delay was over");
	error_because(why, "it ran for %s, and the first %s are left out", ran, delayed);
	error_try(why, "a shorter --delay, or a longer run");
	return true;
}

/* What the report that was written held. */
struct profile_outcome {
	uint64_t samples; /* of all devices */
	bool lacks;	  /* a metric that was named has no value */
};

static enum sx_status profile_write(struct profiling *p, const struct report *run,
				    const struct sx_error *early, struct profile_outcome *out,
				    struct sx_error *err)
{
	const struct report *report;
	const struct view *view = &p->cli->view;
	enum sx_status status = input_session_end(&p->in, early, err);
	if (!status)
		status = report_set_run(p->in.fill, run, err);
	if (!status)
		status = report_finish(p->in.fill, &report, err);
	cli_ask_width(p->cli);
	if (!status)
		status = views_find(view->format)->write(view, report, err);
	if (!status)
		status = profile_by_write(&p->by, p->cli, report, err);
	*out = (struct profile_outcome){.lacks = !status && report_lacks_named(report)};
	for (uint32_t i = 0; !status && i < report->device_count; i++)
		out->samples += report->devices[i].samples;
	return status;
}

/* What was measured, not what went before --delay; a recording has its own times. */
static uint64_t profile_duration_ns(const struct cli *cli, const struct sx_session *session,
				    char *const *argv)
{
	uint64_t all = sx_session_duration_ns(session), before = argv ? cli->options.delay_ns : 0;
	if (cli->options.input)
		return 0;
	return all > before ? all - before : 0;
}

/* Why no device has a sample: the first one's reason, or that all came before --delay. */
static const struct sx_error *why_nothing(const struct cli *cli,
					  const struct sx_session_device *devices,
					  const struct sx_error *why, struct sx_error *buf)
{
	if (devices[0].run.silence)
		return devices[0].run.silence;
	if (why->message[0] || !cli->options.delay_ns)
		return why;
	error_set(buf, SX_INCOMPLETE, "no sample came after --delay");
	error_because(buf, "all ended before, or the run did before the next one");
	error_try(buf, "a shorter --delay, or a shorter --interval");
	return buf;
}

static int profile_end(struct profiling *p, char *const *argv, const struct sx_error *why)
{
	uint32_t count;
	struct cli *cli = p->cli;
	struct sx_session *session = p->in.session;
	struct profile_outcome written;
	struct sx_error failed = {0}, early = {0};
	bool before = ended_too_early(p, argv, &early);
	struct sx_child_status child = sx_session_child(session);
	struct report run = {.schema = "stat",
			     .duration_ns = profile_duration_ns(cli, session, argv),
			     .ran = argv && !child.running_pid,
			     .running_pid = child.running_pid,
			     .exit_code = run_exit_code(&child),
			     .term_signal = child.term_signal,
			     .ended_by = run_ended_by(&child)};
	const struct sx_session_device *devices = sx_session_devices(session, &count);
	if (profile_write(p, &run, before ? &early : NULL, &written, &failed))
		return cli_fail(cli, &failed);
	bool silent = false;
	for (uint32_t i = 0; i < count; i++)
		silent |= devices[i].run.silence && !devices[i].samples;
	/* What was named must be there; what was only tried need not. */
	bool lacks = written.lacks || (silent && cli->options.devices.count);
	if (!written.samples && count) {
		struct sx_error nothing =
		    *(before ? &early : why_nothing(cli, devices, why, &failed));
		nothing.status =
		    SX_INCOMPLETE; /* the result is written, whatever the program's status */
		cli_fail(cli, &nothing);
		return run.exit_code ? run.exit_code : EXIT_INCOMPLETE;
	}
	run_note(cli, session, cli->view.format != FORMAT_TEXT);
	return run.exit_code ? run.exit_code : why->status || lacks ? EXIT_INCOMPLETE : EXIT_OK;
}

/* Without a program there is nothing to see yet: say what is measured, and how it ends. */
static void note_start(const struct profiling *p)
{
	uint32_t count;
	char names[256] = "";
	const struct sx_session_device *d = sx_session_devices(p->in.session, &count);
	if (p->cli->options.input || p->in.limits.duration_ns || p->in.limits.samples ||
	    !p->cli->err.terminal)
		return;
	for (uint32_t i = 0; i < count; i++)
		text_append_item(names, sizeof(names), ", ", "%s",
				 d[i].facts.name ? d[i].facts.name : d[i].facts.source);
	cli_note(p->cli, "measuring %s until Ctrl-C", names);
}

static void delay(struct profiling *p, char *const *argv)
{
	uint64_t ns = p->cli->options.delay_ns;
	struct timespec rest = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	if (argv) {
		p->in.limits.duration_ns += p->in.limits.duration_ns ? ns : 0;
	} else if (ns) {
		while (nanosleep(&rest, &rest) < 0 && errno == EINTR)
			;
	}
}

static int profile_measure(struct profiling *p, char *const *argv)
{
	struct sx_error err = {0};
	fflush(NULL);
	delay(p, argv);
	if (!argv)
		note_start(p);
	run_catch_signals(p->in.session);
	enum sx_status filled, status = input_session_run(&p->in, argv, &filled, &err);
	run_catch_signals(NULL);
	status_line_erase(&p->progress.line);
	if (filled)
		return cli_fail(p->cli, &err);
	if (!status) /* what was tried on the way and left out is no failure of the run */
		err = (struct sx_error){0};
	return sx_failed(status) ? run_cannot(p->cli, &err, argv) : profile_end(p, argv, &err);
}

int profile_run(struct cli *cli, char *const *argv)
{
	struct sx_error err = {0};
	struct report_fill *fill = NULL;
	struct sx_session *session = NULL;
	enum sx_status status = run_prepare(cli, &err);
	struct sx_session_options options = run_options(cli, argv);
	options.beside = true;
	if (!status)
		status = report_begin(&fill, &err);
	if (!status && cli->options.join)
		status = report_join_begin(fill, &err);
	if (!status && cli->view.format == FORMAT_HTML)
		report_keep_course(fill, COURSE_BYTES);
	if (!status)
		status = sx_session_create(cli->context, &options, &session, &err);
	if (!status)
		status = run_check_constants(cli, session, &err);
	struct profiling p = {.cli = cli,
			      .in = {.session = session,
				     .fill = fill,
				     .limits = {.duration_ns = cli->options.duration_ns,
						.samples = cli->options.count},
				     .chosen = cli->options.metrics.count > 0,
				     .delay_ns = argv ? cli->options.delay_ns : 0,
				     .rows = profile_by_wanted(cli) ? profile_by_add : NULL,
				     .started = profile_started,
				     .polled = argv || cli->options.input ? NULL : profile_watch,
				     .user = &p},
			      .progress = {.cli = cli, .line.out = cli->err.out}};
	if (!status)
		status = input_session_begin(&p.in, &err);
	int code = status ? cli_fail(cli, &err) : profile_measure(&p, argv);
	profile_by_finish(&p.by);
	report_destroy(fill);
	sx_session_destroy(session);
	return code;
}
