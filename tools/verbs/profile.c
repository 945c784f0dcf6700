/* Measures a run into the model of a report and has it written. */
#include "tools/verbs/profile.h"

#include <string.h>

#include "output/views.h"
#include "tools/verbs/run.h"

#define POLL_MS 100

/* Moves the rows that came since the last time from the session to the report. */
static enum sx_status take_rows(struct sx_session *session, struct report_fill *fill,
				struct sx_error *err)
{
	uint32_t count;
	enum sx_status status = SX_OK;
	const struct sx_session_device *devices = sx_session_devices(session, &count);
	for (uint32_t i = 0; !status && i < count; i++)
		if (devices[i].raw && sx_table_row_count(devices[i].raw))
			status = report_add_rows(fill, i, devices[i].raw, err);
	sx_session_drop_rows(session);
	return status;
}

/* The run from start to end; *filled says whether the report took all of its rows. */
static enum sx_status drive(struct sx_session *session, char *const *argv,
			    const struct sx_session_limits *limits, struct report_fill *fill,
			    enum sx_status *filled, struct sx_error *err)
{
	struct sx_error ignored = {0};
	enum sx_status status = sx_session_start(session, argv, limits, err);
	*filled = SX_OK;
	if (status)
		return status;
	do {
		status = sx_session_poll(session, POLL_MS, &ignored);
		*filled = take_rows(session, fill, err);
	} while (!*filled && (!status || status == SX_AGAIN));
	status = sx_session_finish(session, *filled ? &ignored : err);
	if (!*filled)
		*filled = take_rows(session, fill, err);
	return *filled ? *filled : status;
}

static enum sx_status add_devices(const struct cli *cli, const struct sx_session *session,
				  struct report_fill *fill, struct sx_error *err)
{
	uint32_t count;
	enum sx_status status = SX_OK;
	const struct sx_session_device *devices = sx_session_devices(session, &count);
	for (uint32_t i = 0; !status && i < count; i++) {
		const struct sx_session_device *d = &devices[i];
		struct report_source source = {.catalog = d->catalog,
					       .name = d->name,
					       .driver = d->driver,
					       .source = d->source,
					       .simulated = d->simulated,
					       .constants = d->constants,
					       .constant_count = d->constant_count,
					       .set = d->set,
					       .variant = cli->options.api,
					       .metrics = d->metrics};
		status = report_add_device(fill, &source, NULL, err);
	}
	return status;
}

static enum sx_status set_facts(const struct sx_session *session, struct report_fill *fill,
				struct sx_error *err)
{
	uint32_t count;
	enum sx_status status = SX_OK;
	const struct sx_session_device *devices = sx_session_devices(session, &count);
	for (uint32_t i = 0; !status && i < count; i++) {
		struct report_facts facts = {.name = devices[i].name,
					     .driver = devices[i].driver,
					     .note = devices[i].note,
					     .lost = devices[i].lost,
					     .lost_more = devices[i].lost_more,
					     .failure = devices[i].failure,
					     .failed_after_ns = devices[i].failed_after_ns,
					     .silence = devices[i].silence,
					     .simulated = devices[i].simulated};
		status = report_set_facts(fill, i, &facts, err);
	}
	return status;
}

static enum sx_status write(const struct cli *cli, const struct sx_session *session,
			    struct report_fill *fill, const struct report *run, uint64_t *samples,
			    struct sx_error *err)
{
	const struct report *report;
	enum sx_status status = set_facts(session, fill, err);
	if (!status)
		status = report_set_run(fill, run, err);
	if (!status)
		status = report_finish(fill, &report, err);
	if (!status)
		status = views_find(cli->view.format)->write(&cli->view, report, err);
	*samples = 0;
	for (uint32_t i = 0; !status && i < report->device_count; i++)
		*samples += report->devices[i].samples;
	return status;
}

static int conclude(struct cli *cli, struct sx_session *session, struct report_fill *fill,
		    char *const *argv, const struct sx_error *why)
{
	uint32_t count;
	uint64_t samples;
	struct sx_error failed = {0};
	struct sx_child_status child = sx_session_child(session);
	struct report run = {.schema = "stat",
			     .duration_ns =
				 cli->options.input ? 0 : sx_session_duration_ns(session),
			     .ran = argv != NULL,
			     .exit_code = run_exit_code(&child)};
	const struct sx_session_device *devices = sx_session_devices(session, &count);
	if (write(cli, session, fill, &run, &samples, &failed))
		return cli_fail(cli, &failed);
	if (!samples && count) {
		cli_fail(cli, devices[0].silence ? devices[0].silence : why);
		return run.exit_code ? run.exit_code : EXIT_INCOMPLETE;
	}
	run_tell(cli, session, cli->view.format != FORMAT_TEXT);
	return run.exit_code ? run.exit_code : why->status ? EXIT_INCOMPLETE : EXIT_OK;
}

static int measure(struct cli *cli, struct sx_session *session, struct report_fill *fill,
		   char *const *argv)
{
	struct sx_error err = {0};
	struct sx_session_limits limits = {.duration_ns = cli->options.duration_ns,
					   .samples = cli->options.count};
	enum sx_status filled;
	fflush(NULL);
	run_catch_signals(session);
	enum sx_status status = drive(session, argv, &limits, fill, &filled, &err);
	run_catch_signals(NULL);
	if (filled)
		return cli_fail(cli, &err);
	return status && status != SX_INCOMPLETE ? run_cannot(cli, &err, argv)
						 : conclude(cli, session, fill, argv, &err);
}

int profile_run(struct cli *cli, char *const *argv)
{
	struct sx_error err = {0};
	struct report_fill *fill = NULL;
	struct sx_session *session = NULL;
	struct sx_session_options options = run_options(cli, argv);
	enum sx_status status = cli_formats(cli, views_formats(), &err);
	if (!status)
		status = report_begin(&fill, &err);
	if (!status)
		status = sx_session_create(cli->context, &options, &session, &err);
	if (!status)
		status = add_devices(cli, session, fill, &err);
	int code = status ? cli_fail(cli, &err) : measure(cli, session, fill, argv);
	report_destroy(fill);
	sx_session_destroy(session);
	return code;
}
