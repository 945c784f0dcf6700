/* Rows of a session or a recording on their way into the model. */
#include "tools/verbs/top/feed.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sys.h"
#include "tools/verbs/run.h"

#define POLL_MS	    100
#define AGAIN_NS    UINT64_C(2000000000) /* between two looks for a device that went */
#define INTERVAL_NS UINT64_C(1000000000) /* a second, too */

/* The name of a user, or the number where there is none; names are looked for once. */
static void name_user(struct top_feed *f, unsigned uid, char *out, size_t size)
{
	struct feed_user *user = &f->users[uid % FEED_USERS];
	if (!user->name[0] || user->uid != uid) {
		const struct passwd *known = getpwuid(uid);
		user->uid = uid;
		if (known)
			snprintf(user->name, sizeof(user->name), "%s", known->pw_name);
		else
			snprintf(user->name, sizeof(user->name), "%u", uid);
	}
	snprintf(out, size, "%s", user->name);
}

/* The parent, the user and the CPU time of a process, from /proc. */
static bool feed_look_up(void *user, uint32_t pid, struct live_process_facts *out)
{
	struct top_feed *f = user;
	const struct sx_sys *sys = sys_real();
	char path[48], text[1024];
	unsigned long utime, stime;
	unsigned parent, owner;
	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	*out = (struct live_process_facts){0};
	if (sys->read_file(sys->user, path, text, sizeof(text)) <= 0)
		return false;
	const char *at = strrchr(text, ')');
	if (at && sscanf(at + 1, " %*c %u %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &parent,
			 &utime, &stime) == 3) {
		out->parent = parent;
		out->cpu_ns = (utime + stime) * (INTERVAL_NS / (uint64_t)sysconf(_SC_CLK_TCK));
		out->at_ns = sys_now_ns(sys);
		out->has_cpu = true;
	}
	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	const char *uid =
	    sys->read_file(sys->user, path, text, sizeof(text)) > 0 ? strstr(text, "\nUid:") : NULL;
	if (uid && sscanf(uid + 5, "%u", &owner) == 1)
		name_user(f, owner, out->user, sizeof(out->user));
	return true;
}

static enum sx_status make_model(struct top_feed *f, struct sx_error *err)
{
	enum sx_status status = live_create(NULL, &f->live, err);
	const struct sx_session_device *devices = sx_session_devices(f->session, &f->count);
	for (uint32_t i = 0; !status && i < f->count; i++) {
		const struct report_source source = {.catalog = devices[i].catalog,
						     .facts = devices[i].facts,
						     .metrics = devices[i].metrics,
						     .chosen = f->cli->options.metrics.count > 0};
		status = live_add_device(f->live, &source, NULL, err);
	}
	if (!status && !f->replay)
		live_look_up(f->live, feed_look_up, f);
	return status;
}

static struct sx_session_options feed_options(const struct top_feed *f)
{
	struct sx_session_options options = run_options(f->cli, f->cli->options.child);
	options.beside = true;
	options.programs = true;
	options.keep_rows = true;
	options.own_session = f->stays; /* keys are the view's */
	options.realtime = false;	/* the loop keeps the recording's time itself */
	if (!options.interval_ns && !f->replay)
		options.interval_ns = INTERVAL_NS;
	return options;
}

enum sx_status feed_open(struct top_feed *f, struct cli *cli, struct sx_error *err)
{
	f->cli = cli;
	f->replay = cli->options.input != NULL;
	enum sx_status status = run_prepare(cli, err);
	const struct sx_session_options options = feed_options(f);
	if (!status)
		status = sx_session_create(cli->context, &options, &f->session, err);
	if (!status)
		status = run_check_constants(cli, f->session, err);
	if (!status)
		status = make_model(f, err);
	f->next = status ? NULL : calloc(f->count + 1, sizeof(*f->next));
	f->again = status ? NULL : calloc(f->count + 1, sizeof(*f->again));
	return status || (f->next && f->again) ? status : error_nomem(err, "the live view");
}

static enum sx_status set_facts(struct top_feed *f, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	const struct sx_session_device *devices = sx_session_devices(f->session, &f->count);
	for (uint32_t i = 0; !status && i < f->count; i++)
		if (!f->again[i])
			status =
			    live_set_facts(f->live, i, &devices[i].facts, &devices[i].run, err);
	return status;
}

/* Moves the rows of a device that came to the model. */
static enum sx_status add_device_rows(struct top_feed *f, uint32_t index,
				      const struct sx_session_device *d, bool *any,
				      struct sx_error *err)
{
	bool failed = d->run.failure && live_device(f->live, index).state != LIVE_GONE;
	enum sx_status status = SX_OK;
	*any |= failed || (d->raw && sx_table_row_count(d->raw));
	if (d->programs)
		status = live_add_rows(f->live, index, d->programs, err);
	if (!status && d->raw)
		status = live_add_rows(f->live, index, d->raw, err);
	return status;
}

static enum sx_status add_rows(struct top_feed *f, bool *any, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	const struct sx_session_device *devices = sx_session_devices(f->session, &f->count);
	for (uint32_t i = 0; !status && i < f->count; i++)
		if (!f->again[i])
			status = add_device_rows(f, i, &devices[i], any, err);
	if (!status && *any)
		status = set_facts(f, err);
	sx_session_drop_rows(f->session);
	return status;
}

/* Another device that is called so may not be the one that went. */
static bool is_unique(const struct top_feed *f, uint32_t index)
{
	const char *name = live_device(f->live, index).facts->name;
	for (uint32_t i = 0; name && i < f->count; i++) {
		const char *other = live_device(f->live, i).facts->name;
		if (i != index && other && strcmp(name, other) == 0)
			return false;
	}
	return name != NULL;
}

/* Measures a device again that went, if it is there. */
static void open_again(struct top_feed *f, uint32_t index)
{
	struct sx_session *session = NULL;
	struct sx_error none = {0};
	const char *name = live_device(f->live, index).facts->name;
	struct sx_session_options options = feed_options(f);
	options.devices = &name;
	options.device_count = 1;
	if (!is_unique(f, index) ||
	    sx_session_create(f->cli->context, &options, &session, &none) != SX_OK)
		return;
	if (sx_session_start(session, NULL, &(struct sx_session_limits){0}, &none) == SX_OK)
		f->again[index] = session;
	else
		sx_session_destroy(session);
}

/* A device that went is looked for now and then; what came back is polled. */
static enum sx_status poll_again(struct top_feed *f, bool *any, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	struct sx_error none = {0};
	uint32_t one;
	uint64_t now = sys_now_ns(sys_real());
	bool due = now >= f->tried_ns + AGAIN_NS && !f->cli->options.child;
	for (uint32_t i = 0; !status && i < f->count; i++) {
		if (!f->again[i] && due && live_device(f->live, i).state == LIVE_GONE) {
			f->tried_ns = now;
			open_again(f, i);
		}
		if (!f->again[i])
			continue;
		sx_session_poll(f->again[i], 0, &none);
		const struct sx_session_device *d = sx_session_devices(f->again[i], &one);
		status = add_device_rows(f, i, d, any, err);
		if (!status && d->run.failure)
			status = live_set_facts(f->live, i, &d->facts, &d->run, err);
		bool gone = d->run.failure != NULL;
		sx_session_drop_rows(f->again[i]);
		if (gone || status == SX_ERR_USAGE) { /* gone, or another device than before */
			sx_session_destroy(f->again[i]);
			f->again[i] = NULL;
			status = SX_OK;
		}
	}
	return status;
}

/* What devices are; a recording says at its end alone what became of them. */
static enum sx_status set_names(struct top_feed *f, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	const struct sx_session_device *devices = sx_session_devices(f->session, &f->count);
	for (uint32_t i = 0; !status && i < f->count; i++)
		status = live_set_facts(f->live, i, &devices[i].facts, NULL, err);
	return status;
}

/* A recording is read whole: its devices may follow each other, and one may go back. */
static enum sx_status read_all(struct top_feed *f, struct sx_error *err)
{
	enum sx_status status;
	do
		status = sx_session_poll(f->session, POLL_MS, err);
	while (!status || status == SX_AGAIN);
	if (status != SX_END)
		return status;
	f->failure.status = sx_session_finish(f->session, &f->failure);
	f->started = false;
	if (sx_failed(f->failure.status)) {
		*err = f->failure;
		return err->status;
	}
	return set_names(f, err);
}

enum sx_status feed_start(struct top_feed *f, struct sx_error *err)
{
	const struct sx_session_limits limits = {.duration_ns = f->cli->options.duration_ns};
	fflush(NULL);
	run_catch_signals(f->session);
	enum sx_status status = sx_session_start(f->session, f->cli->options.child, &limits, err);
	f->started = !status;
	if (!status)
		run_give_way(&f->cli->options);
	return status || !f->replay ? status : read_all(f, err);
}

/* Whether the run ended because all devices went. */
static bool all_went(const struct top_feed *f)
{
	uint32_t count, gone = 0;
	const struct sx_session_device *devices = sx_session_devices(f->session, &count);
	for (uint32_t i = 0; i < count; i++)
		gone += devices[i].run.failure != NULL;
	return count && gone == count;
}

/* The session's run; once that is over, nothing but the time until a device may be back. */
static enum sx_status poll_session(struct top_feed *f, int timeout_ms, struct sx_error *err)
{
	const struct sx_sys *sys = sys_real();
	if (f->waiting) {
		if (timeout_ms)
			sys->poll(sys->user, NULL, 0, timeout_ms);
		return run_noted_signal() ? SX_END : SX_AGAIN;
	}
	enum sx_status status = sx_session_poll(f->session, timeout_ms, err);
	if (status != SX_END || !f->stays || f->cli->options.child || !all_went(f))
		return status;
	bool any = false;
	status = feed_finish(f, err);
	if (!status)
		status = add_rows(f, &any, err);
	f->waiting = true;
	run_note_signals(true);
	return status ? status : SX_OK;
}

enum sx_status feed_poll(struct top_feed *f, int timeout_ms, struct sx_error *err)
{
	bool any = false;
	if (f->over)
		return SX_END;
	enum sx_status status = poll_session(f, timeout_ms, err);
	if (status && status != SX_AGAIN && status != SX_END)
		return status;
	f->over = status == SX_END;
	enum sx_status added = add_rows(f, &any, err);
	if (!added)
		added = poll_again(f, &any, err);
	if (added)
		return added;
	return f->over ? SX_END : any ? SX_OK : SX_AGAIN;
}

static uint64_t row_end(const struct sx_table *raw, size_t row)
{
	uint64_t end = sx_table_end_ns(raw)[row];
	return end == SX_TIME_UNKNOWN ? 0 : end;
}

uint64_t feed_next_ns(const struct top_feed *f)
{
	uint32_t count;
	uint64_t next = UINT64_MAX;
	const struct sx_session_device *devices = sx_session_devices(f->session, &count);
	for (uint32_t i = 0; i < count; i++)
		if (devices[i].raw && f->next[i] < sx_table_row_count(devices[i].raw) &&
		    row_end(devices[i].raw, f->next[i]) < next)
			next = row_end(devices[i].raw, f->next[i]);
	return next;
}

uint64_t feed_begin_ns(const struct top_feed *f)
{
	uint32_t count;
	uint64_t begin = SX_TIME_UNKNOWN;
	const struct sx_session_device *devices = sx_session_devices(f->session, &count);
	for (uint32_t i = 0; i < count; i++)
		if (devices[i].begin_ns < begin)
			begin = devices[i].begin_ns;
	return begin == SX_TIME_UNKNOWN ? 0 : begin;
}

/* The rows of a device that end by then. */
static enum sx_status feed_device(struct top_feed *f, uint32_t index, uint64_t end_ns,
				  struct sx_error *err)
{
	uint32_t count;
	const struct sx_table *raw = sx_session_devices(f->session, &count)[index].raw;
	size_t rows = raw ? sx_table_row_count(raw) : 0, first = f->next[index];
	while (f->next[index] < rows && row_end(raw, f->next[index]) <= end_ns)
		f->next[index]++;
	if (f->next[index] == first)
		return SX_OK;
	return live_add_some_rows(f->live, index, raw, first, f->next[index] - first, err);
}

enum sx_status feed_until(struct top_feed *f, uint64_t end_ns, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && i < f->count; i++)
		status = feed_device(f, i, end_ns, err);
	f->over = feed_next_ns(f) == UINT64_MAX;
	return status || !f->over ? status : set_facts(f, err);
}

enum sx_status feed_rewind(struct top_feed *f, struct sx_error *err)
{
	live_destroy(f->live);
	f->live = NULL;
	f->over = false;
	memset(f->next, 0, f->count * sizeof(*f->next));
	enum sx_status status = make_model(f, err);
	return status ? status : set_names(f, err);
}

enum sx_status feed_finish(struct top_feed *f, struct sx_error *err)
{
	bool any = false;
	if (!f->started)
		return SX_OK;
	f->started = false;
	f->failure.status = sx_session_finish(f->session, &f->failure);
	run_catch_signals(NULL);
	return add_rows(f, &any, err);
}

void feed_close(struct top_feed *f)
{
	live_destroy(f->live);
	for (uint32_t i = 0; f->again && i < f->count; i++)
		sx_session_destroy(f->again[i]);
	sx_session_destroy(f->session);
	free(f->again);
	free(f->next);
	*f = (struct top_feed){.cli = NULL};
}
