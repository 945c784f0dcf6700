/* What stat, demo and record share of a run: its program, options, signals and exit status. */
#include "tools/verbs/run.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text_buf.h"
#include "tools/cli/selection.h"

/* The running session, for the signal handlers alone. */
static struct sx_session *volatile running;

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define ENDING (sizeof(ending) / sizeof(ending[0]))

/* A signal of the terminal (si_code of the kernel) has reached the program, too. */
static void on_signal(int number, siginfo_t *info, void *context)
{
	if (running)
		sx_session_stop(running,
				number | (info->si_code == SI_KERNEL ? SX_FROM_TERMINAL : 0));
}

/* Signals that our parent ignores (nohup, background jobs of a shell) stay ignored. */
static void set_handlers(struct sigaction *action)
{
	struct sigaction before;
	sigemptyset(&action->sa_mask);
	for (size_t i = 0; i < ENDING; i++)
		if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(ending[i], action, NULL);
}

void run_catch_signals(struct sx_session *session)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	if (!session)
		action = (struct sigaction){.sa_handler = SIG_DFL};
	running = session;
	set_handlers(&action);
}

static volatile sig_atomic_t noted;

static void on_noted(int number)
{
	noted = number;
}

void run_note_signals(bool on)
{
	struct sigaction action = {.sa_handler = on ? on_noted : SIG_DFL};
	set_handlers(&action);
}

int run_noted_signal(void)
{
	return noted;
}

#define IN_TIME_NS UINT64_C(20000000) /* at shorter intervals the command must run at once */

/* SCHED_BATCH: the same share of the CPU, but no preemption on wake-up (sched(7)). */
void run_give_way(const struct options *o)
{
	struct sched_param none = {0};
	bool must_be_in_time = o->interval_ns && o->interval_ns < IN_TIME_NS;
	if (o->child && !must_be_in_time && sched_getscheduler(0) == SCHED_OTHER)
		sched_setscheduler(0, SCHED_BATCH, &none); /* an error does not matter */
}

enum sx_status run_prepare(struct cli *cli, struct sx_error *err)
{
	struct options *o = &cli->options;
	if (o->pid.given &&
	    (!o->pid.value || (kill((pid_t)o->pid.value, 0) < 0 && errno == ESRCH))) {
		error_set(err, SX_ERR_NOT_FOUND, "no process %u runs", o->pid.value);
		error_because(err, "it has ended, or never began");
		error_try(err, "pidof NAME, for the number of a program that runs");
		return SX_ERR_NOT_FOUND;
	}
	return selection_devices(cli, err);
}

#define OVERHEAD_PERMILLE 50 /* of the program's CPU time, unless the user says otherwise */

enum sx_status run_check_input(const struct cli *cli, struct sx_error *err)
{
	const struct options *o = &cli->options;
	if (!o->input || !o->child)
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "a capture and a command at once");
	error_because(err, "the samples come from one or the other");
	error_try(err, "sextant %s -i %s", cli->verb->name,
		  error_word((char[ERROR_WORD_MAX]){0}, o->input));
	return SX_ERR_USAGE;
}

struct sx_session_options run_options(const struct cli *cli, char *const *argv)
{
	const struct options *o = &cli->options;
	return (struct sx_session_options){
	    .devices = o->devices.items,
	    .device_count = (uint32_t)o->devices.count,
	    .metrics = o->metrics.items,
	    .metric_count = (uint32_t)o->metrics.count,
	    .maps = o->maps.items,
	    .map_count = (uint32_t)o->maps.count,
	    .set = o->set,
	    .variant = o->api,
	    .constants = o->constants,
	    .constant_count = (uint32_t)o->constant_count,
	    .interval_ns = o->interval_ns,
	    .child = argv != NULL,
	    .pid = o->pid.value,
	    .input = o->input,
	    .realtime = o->realtime,
	    .profiling = o->profiling,
	    .overhead_permille = o->overhead.given ? o->overhead.permille : OVERHEAD_PERMILLE,
	    .per = o->per,
	    .catalog = o->catalog,
	    .only_context = o->context.given,
	    .context = o->context.value,
	    .process = o->process};
}

static bool is_constant(const struct sx_session_device *devices, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (devices[i].catalog &&
		    sx_catalog_find_constant(devices[i].catalog, name) != SX_NONE)
			return true;
	return false;
}

enum sx_status run_check_constants(const struct cli *cli, const struct sx_session *session,
				   struct sx_error *err)
{
	const struct options *o = &cli->options;
	uint32_t count;
	const struct sx_session_device *devices = sx_session_devices(session, &count);
	const char *of =
	    count && devices[0].catalog ? sx_catalog_info(devices[0].catalog)->name : NULL;
	if (options_is_default(o, "const")) /* for the devices that have it */
		return SX_OK;
	for (size_t i = 0; of && i < o->constant_count; i++) {
		const char *name = o->constants[i].name;
		if (is_constant(devices, count, name))
			continue;
		error_set(err, SX_ERR_NOT_FOUND, "no constant %s in catalog %s%s", name, of,
			  count > 1 ? ", nor in the others" : "");
		error_because(err, "no device that is measured knows it");
		error_try(err, "sextant list constants --for %s", of);
		return SX_ERR_NOT_FOUND;
	}
	return SX_OK;
}

static bool is_api(const struct sx_catalog *catalog)
{
	return catalog && sx_catalog_info(catalog)->kind == SX_KIND_API;
}

/* If only CPU time is known of a program, its injected library may be missing. */
static void note_missing(struct cli *cli, const struct sx_session_device *devices, uint32_t count)
{
	bool drew = false;
	for (uint32_t i = 0; i < count; i++)
		drew |= is_api(devices[i].catalog) && devices[i].samples > 0;
	if (cli->options.child && !cli->options.devices.count && !drew)
		selection_note_missing(cli);
}

void run_note(struct cli *cli, const struct sx_session *session, bool notes)
{
	uint32_t count;
	const struct sx_session_device *devices = sx_session_devices(session, &count);
	struct sx_child_status child = sx_session_child(session);
	const char *limit = run_ended_by(&child);
	if (child.running_pid) /* also with -q, which stat -r and compare record with */
		cli_note_always(cli,
				"warning: the program still runs, as process %u: no signal of this "
				"user ended it; try: sudo kill %u",
				child.running_pid, child.running_pid);
	else if (notes && limit && child.term_signal)
		cli_note(cli, "note: --%s ended the program, with signal %d", limit,
			 child.term_signal);
	else if (notes && limit)
		cli_note(cli, "note: --%s ended the program, which exited with %d", limit,
			 child.exit_code);
	note_missing(cli, devices, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct sx_session_device *d = &devices[i];
		const char *name = d->facts.name ? d->facts.name : d->facts.source;
		if (d->run.silence && !d->samples && !d->run.unused)
			cli_note(cli, "note: not measured: %s: %s%s%s", name,
				 d->run.silence->message, d->run.silence->because[0] ? ": " : "",
				 d->run.silence->because);
		for (uint32_t n = 0; notes && n < d->run.notes.count; n++)
			cli_note(cli, "note: %s", d->run.notes.items[n]);
		if (d->run.failure)
			cli_note(cli, "warning: %s, after %.3g s: %s%s%s", name,
				 (double)d->run.failed_after_ns * 1e-9, d->run.failure->message,
				 d->run.failure->because[0] ? "; " : "", d->run.failure->because);
		if (d->run.lost || d->run.lost_more)
			cli_note(cli, "warning: %s: lost: %s%s", name,
				 d->run.lost_more ? "more than " : "",
				 COUNTED(d->run.lost, "sample"));
	}
}

int run_exit_code(const struct sx_child_status *child)
{
	if (child->running_pid)
		return EXIT_INCOMPLETE; /* how it ends is not known */
	return child->term_signal ? 128 + child->term_signal : child->exit_code;
}

const char *run_ended_by(const struct sx_child_status *child)
{
	return child->ended_by == SX_ENDED_BY_DURATION ? "duration"
	       : child->ended_by == SX_ENDED_BY_COUNT  ? "count"
						       : NULL;
}

int run_cannot(const struct cli *cli, const struct sx_error *err, char *const *argv)
{
	int code = cli_fail(cli, err);
	if (!argv || strncmp(err->message, "cannot run", 10) != 0)
		return code;
	return err->status == SX_ERR_NOT_FOUND ? 127 : 126;
}

void run_words(char *const *argv, char *buf, size_t size)
{
	buf[0] = '\0';
	for (; argv && *argv; argv++)
		text_append_item(buf, size, " ", "%s", *argv);
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

/* The commit that a CI job builds, so that comparisons can name it; "" elsewhere. */
static const char *commit_of_job(void)
{
	static const char *const names[] = {"SEXTANT_COMMIT", "GITHUB_SHA", "CI_COMMIT_SHA"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);
		if (value && *value && strlen(value) < 100)
			return value;
	}
	return "";
}

/* What the kernel calls the time since it started: captures of one boot have one clock. */
static bool read_boot(char *out, size_t size)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	bool read = file && fgets(out, (int)size, file);
	if (file)
		fclose(file);
	if (read)
		out[strcspn(out, "\n")] = '\0';
	return read;
}

enum sx_status run_create_writer(const struct cli *cli, const char *path,
				 const struct sx_capture_options *more,
				 struct sx_capture_writer **out, struct sx_error *err)
{
	const struct options *o = &cli->options;
	char command[1024], host[256] = "", interval[32], boot[64];
	struct utsname kernel = {0};
	gethostname(host, sizeof(host) - 1);
	uname(&kernel);
	run_words(o->child, command, sizeof(command));
	snprintf(interval, sizeof(interval), "%llu ns", (unsigned long long)o->interval_ns);
	struct sx_capture_property properties[8] = {
	    {"writer", "sextant " SX_VERSION}, {"host", host},
	    {"kernel", kernel.release},	       {"command", command},
	    {"commit", commit_of_job()},
	};
	uint32_t count = 5;
	/* The recording's length then says nothing of the program. */
	if (o->duration_ns || o->count)
		properties[count++] = (struct sx_capture_property){"ends", "limit"};
	if (read_boot(boot, sizeof(boot)))
		properties[count++] = (struct sx_capture_property){"boot", boot};
	if (o->interval_ns)
		properties[count++] = (struct sx_capture_property){"interval", interval};
	struct sx_capture_options options = *more;
	options.properties = properties;
	options.property_count = count;
	return sx_capture_create(path, &options, out, err);
}
