/* Measures a run and hands it to the writer. */
#include "tools/profile.h"

#include <signal.h>
#include <string.h>

#include "tools/profile_out.h"

/* The running session, for the signal handlers alone. */
static struct sx_session *volatile running;

static void on_signal(int number)
{
	if (running)
		sx_session_stop(running, number);
}

static void catch_signals(struct sx_session *session)
{
	struct sigaction action = {.sa_handler = session ? on_signal : SIG_DFL};
	running = session;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static struct sx_session_options options_of(const struct cli *cli, char *const *argv)
{
	const struct options *o = &cli->options;
	return (struct sx_session_options){.devices = o->devices.items,
					   .device_count = (uint32_t)o->devices.count,
					   .metrics = o->metrics.items,
					   .metric_count = (uint32_t)o->metrics.count,
					   .set = o->set,
					   .variant = o->api,
					   .constants = o->constants,
					   .constant_count = (uint32_t)o->constant_count,
					   .interval_ns = o->interval_ns,
					   .child = argv != NULL};
}

static int exit_of(const struct sx_child_status *child)
{
	return child->term_signal ? 128 + child->term_signal : child->exit_code;
}

static enum sx_status no_samples(const struct sx_session_device *device, struct sx_error *err)
{
	error_set(err, SX_INCOMPLETE, "%s delivered no samples", device->source);
	if (device->note)
		error_because(err, "%s", device->note);
	else if (strcmp(device->source, "gl") == 0)
		error_because(err, "the program made no OpenGL context current");
	else
		error_because(err, "it ended before the first interval was over");
	error_try(err, "sextant doctor, or another program or device");
	return SX_INCOMPLETE;
}

/* Exit status 127 and 126 for a program that cannot be run, as shells and env(1) return. */
static int cannot_run(const struct cli *cli, const struct sx_error *err, char *const *argv)
{
	int code = cli_fail(cli, err);
	if (!argv || strncmp(err->message, "cannot run", 10) != 0)
		return code;
	return err->status == SX_ERR_NOT_FOUND ? 127 : 126;
}

static int report(struct cli *cli, struct sx_session *session, char *const *argv,
		  enum sx_status status, struct sx_error *err)
{
	uint32_t count;
	size_t samples = 0;
	struct sx_child_status child = sx_session_child(session);
	const struct sx_session_device *devices = sx_session_devices(session, &count);
	struct profile profile = {.session = session,
				  .argv = argv,
				  .exit_code = exit_of(&child),
				  .devices = devices,
				  .device_count = count};
	for (uint32_t i = 0; i < count; i++)
		samples += devices[i].raw ? sx_table_row_count(devices[i].raw) : 0;
	struct sx_error failed = {0};
	if (profile_write(cli, &profile, &failed))
		return cli_fail(cli, &failed);
	if (!samples && count) {
		no_samples(&devices[0], err);
		cli_fail(cli, err);
		return profile.exit_code ? profile.exit_code : EXIT_INCOMPLETE;
	}
	if (status == SX_INCOMPLETE)
		cli_note(cli, "note: %s", err->message);
	return profile.exit_code;
}

int profile_run(struct cli *cli, char *const *argv)
{
	struct sx_error err = {0};
	struct sx_session *session = NULL;
	struct sx_session_options options = options_of(cli, argv);
	struct sx_session_limits limits = {.duration_ns = cli->options.duration_ns,
					   .samples = cli->options.count};
	enum sx_status status =
	    cli_formats(cli, 1u << FORMAT_TEXT | 1u << FORMAT_JSON | 1u << FORMAT_CSV, &err);
	if (!status)
		status = sx_session_create(cli->context, &options, &session, &err);
	if (status)
		return cli_fail(cli, &err);
	fflush(NULL);
	catch_signals(session);
	status = sx_session_run(session, argv, &limits, &err);
	catch_signals(NULL);
	int code = status && status != SX_INCOMPLETE ? cannot_run(cli, &err, argv)
						     : report(cli, session, argv, status, &err);
	sx_session_destroy(session);
	return code;
}
