/* What stat, demo and record share of a run: its program, options, signals and exit status. */
#include "tools/verbs/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The running session, for the signal handlers alone. */
static struct sx_session *volatile running;

static void on_signal(int number)
{
	if (running)
		sx_session_stop(running, number);
}

void run_catch_signals(struct sx_session *session)
{
	struct sigaction action = {.sa_handler = session ? on_signal : SIG_DFL};
	running = session;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

struct sx_session_options run_options(const struct cli *cli, char *const *argv)
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
					   .child = argv != NULL,
					   .input = o->input,
					   .realtime = o->realtime,
					   .catalog = o->catalog,
					   .only_context = o->context.given,
					   .context = o->context.value};
}

int run_exit_code(const struct sx_child_status *child)
{
	return child->term_signal ? 128 + child->term_signal : child->exit_code;
}

int run_cannot(const struct cli *cli, const struct sx_error *err, char *const *argv)
{
	int code = cli_fail(cli, err);
	if (!argv || strncmp(err->message, "cannot run", 10) != 0)
		return code;
	return err->status == SX_ERR_NOT_FOUND ? 127 : 126;
}

int run_missing(const char *program)
{
	char path[4096];
	int why = ENOENT;
	const char *at = getenv("PATH");
	if (strchr(program, '/') || !at)
		return strchr(program, '/') && access(program, X_OK) < 0 ? errno : 0;
	while (at) {
		int length = (int)strcspn(at, ":");
		snprintf(path, sizeof(path), "%.*s%s%s", length, at, length ? "/" : "", program);
		if (access(path, X_OK) == 0)
			return 0;
		why = errno == EACCES ? EACCES : why;
		at = at[length] ? at + length + 1 : NULL;
	}
	return why;
}
