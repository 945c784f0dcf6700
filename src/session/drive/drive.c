/*
 * A run: start, wait, collect samples, end. sx_session_run() drives it itself; callers can do so
 * with the same functions. A turn is bounded, so that limits hold whatever a source delivers.
 */
#include "session/drive/drive.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"

/* Async-signal-safe, and from any thread: flags, and a byte that ends a wait. */
void sx_session_stop(struct sx_session *s, int signal_number)
{
	int number = signal_number & ~SX_FROM_TERMINAL;
	if (number > 0 && number < 64)
		atomic_fetch_or(signal_number & SX_FROM_TERMINAL ? &s->typed : &s->signals,
				1ULL << number);
	int saved = errno;
	bool first = !atomic_exchange(&s->stop, true);
	if (first && s->sys->write(s->sys->user, s->wake[1], "s", 1) < 0)
		errno = saved; /* then the wait ends a little later */
	errno = saved;
}

static enum sx_status turn(struct sx_session *s, int timeout_ms)
{
	if (!s->child.fresh)
		child_look(s);
	s->child.fresh = false;
	if (end_is_due(s))
		return SX_END;
	/* Sources that were just drained are not read again before the wait. */
	bool any = !(s->drained && timeout_ms) && take_turn(s);
	if (!any && timeout_ms && !end_is_due(s)) {
		wait_for_any(s, timeout_ms);
		child_look(s);
		s->child.fresh = true;
		any = take_turn(s);
	}
	if (end_is_due(s))
		return SX_END;
	return any ? SX_OK : SX_AGAIN;
}

enum sx_status sx_session_poll(struct sx_session *s, int timeout_ms, struct sx_error *err)
{
	if (s->state != SESSION_RUNNING)
		return error_set(err, SX_ERR_USAGE, "the session is not running");
	enum sx_status status = turn(s, timeout_ms);
	conclude_so_far(s);
	enum sx_status watch = watch_update(s, status == SX_END, err);
	return status == SX_END ? status : watch ? watch : status;
}

void sx_session_drop_rows(struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++) {
		if (s->writer && s->options.keep_rows && s->state == SESSION_RUNNING)
			record_rows(s, i, true);
		s->devices[i].record_next = 0;
		if (s->devices[i].raw)
			sx_table_clear(s->devices[i].raw);
		if (s->devices[i].programs)
			sx_table_clear(s->devices[i].programs);
	}
}

enum sx_status sx_session_finish(struct sx_session *s, struct sx_error *err)
{
	struct sx_error first = {0};
	if (s->state != SESSION_RUNNING)
		return SX_OK;
	s->end_ns = s->program_end_ns ? s->program_end_ns : sys_now_ns(s->sys);
	child_look(s);
	if (s->has_program && !child_ended(s))
		end_child(s);
	/* The program is read for the last time before its files in /proc go. */
	session_stop_devices(s);
	end_drain(s);
	if (!child_ended(s))
		child_leave(s);
	while (!child_reap(s))
		s->sys->poll(s->sys->user, NULL, 0, 1);
	for (uint32_t i = 0; i < s->device_count; i++) {
		if (s->writer) /* without memory, the account reports it */
			record_rows(s, i, true);
		conclude_device(s, i, &first);
	}
	if (s->writer)
		record_end(s);
	wait_close(s);
	s->state = SESSION_OVER;
	if (!first.message[0])
		return SX_OK;
	if (err)
		*err = first;
	return SX_INCOMPLETE;
}

/* A stop is for the run that is on, or for the first one: what came after a run is not for the
 * next. */
static void forget_stops(struct sx_session *s)
{
	char bytes[64];
	struct pollfd fd = {.fd = s->wake[0], .events = POLLIN};
	while (s->sys->poll(s->sys->user, &fd, 1, 0) > 0 &&
	       s->sys->read(s->sys->user, s->wake[0], bytes, sizeof(bytes)) > 0)
		;
	atomic_store(&s->stop, false);
	atomic_store(&s->signals, 0);
	atomic_store(&s->typed, 0);
}

static enum sx_status prepare(struct sx_session *s, const struct sx_session_limits *limits,
			      struct sx_error *err)
{
	static const struct sx_session_limits none;
	if (s->state == SESSION_RUNNING)
		return error_set(err, SX_ERR_USAGE, "the session is running already");
	session_forget_run(s);
	s->limits = limits ? *limits : none;
	s->cut_ns = UINT64_MAX;
	s->asked_ns = s->signalled_ns = s->program_end_ns = 0;
	s->drained = false;
	s->fds = calloc(s->device_count + 2, sizeof(*s->fds));
	if (!s->fds)
		return error_nomem(err, "running a session");
	if (s->state == SESSION_OVER)
		forget_stops(s);
	return SX_OK;
}

static void set_cut(struct sx_session *s)
{
	uint64_t from = s->options.input ? s->replay_begin_ns : s->begin_ns;
	if (s->limits.duration_ns && from != SX_TIME_UNKNOWN &&
	    from <= UINT64_MAX - s->limits.duration_ns)
		s->cut_ns = from + s->limits.duration_ns;
}

enum sx_status sx_session_start(struct sx_session *s, char *const *argv,
				const struct sx_session_limits *limits, struct sx_error *err)
{
	enum sx_status status = prepare(s, limits, err);
	if (status)
		return status;
	if (argv)
		status = child_fork(s, argv, err);
	s->has_program = argv != NULL;
	if (!status)
		status = session_start_devices(s, err);
	s->begin_ns = s->end_ns = sys_now_ns(s->sys);
	set_cut(s);
	if (!status && s->writer)
		record_begin(s);
	if (!status && argv)
		status = child_exec(s, argv, err);
	if (status) {
		child_abandon(s);
		session_stop_devices(s);
		wait_close(s);
		return status;
	}
	s->state = SESSION_RUNNING;
	return SX_OK;
}

enum sx_status sx_session_run(struct sx_session *s, char *const *argv,
			      const struct sx_session_limits *limits, struct sx_error *err)
{
	enum sx_status status = sx_session_start(s, argv, limits, err);
	if (status)
		return status;
	while (sx_session_poll(s, -1, NULL) != SX_END)
		;
	return sx_session_finish(s, err);
}
