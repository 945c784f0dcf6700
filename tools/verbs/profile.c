/* Measures a run and hands it to the writer. */
#include "tools/verbs/profile.h"

#include <string.h>

#include "tools/profile_out.h"
#include "tools/verbs/run.h"

static int report(struct cli *cli, struct sx_session *session, char *const *argv,
		  enum sx_status status, struct sx_error *err)
{
	uint32_t count;
	size_t samples = 0;
	struct sx_child_status child = sx_session_child(session);
	const struct sx_session_device *devices = sx_session_devices(session, &count);
	struct profile profile = {.session = session,
				  .argv = argv,
				  .exit_code = run_exit_code(&child),
				  .devices = devices,
				  .device_count = count};
	for (uint32_t i = 0; i < count; i++)
		samples += devices[i].raw ? sx_table_row_count(devices[i].raw) : 0;
	struct sx_error failed = {0};
	if (profile_write(cli, &profile, &failed))
		return cli_fail(cli, &failed);
	if (!samples && count) {
		cli_fail(cli, devices[0].silence ? devices[0].silence : err);
		return profile.exit_code ? profile.exit_code : EXIT_INCOMPLETE;
	}
	run_tell(cli, session);
	return profile.exit_code ? profile.exit_code : status ? EXIT_INCOMPLETE : EXIT_OK;
}

int profile_run(struct cli *cli, char *const *argv)
{
	struct sx_error err = {0};
	struct sx_session *session = NULL;
	struct sx_session_options options = run_options(cli, argv);
	struct sx_session_limits limits = {.duration_ns = cli->options.duration_ns,
					   .samples = cli->options.count};
	enum sx_status status =
	    cli_formats(cli, 1u << FORMAT_TEXT | 1u << FORMAT_JSON | 1u << FORMAT_CSV, &err);
	if (!status)
		status = sx_session_create(cli->context, &options, &session, &err);
	if (status)
		return cli_fail(cli, &err);
	fflush(NULL);
	run_catch_signals(session);
	status = sx_session_run(session, argv, &limits, &err);
	run_catch_signals(NULL);
	int code = status && status != SX_INCOMPLETE ? run_cannot(cli, &err, argv)
						     : report(cli, session, argv, status, &err);
	sx_session_destroy(session);
	return code;
}
