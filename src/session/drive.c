/*
 * A run: start, wait, take what the sources have, end. sx_session_run() drives itself; with the
 * same calls anybody else can. A turn is bounded, so that limits hold whatever a source has.
 */
#include "session/session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

#define NS_PER_MS     UINT64_C(1000000)
#define LOOK_EVERY_NS (5 * NS_PER_MS)	/* sources and children that cannot wake us */
#define TURN_READS    64		/* of one source, before the others and the limits */
#define TURN_VALUES   ((size_t)1 << 18) /* in memory then: records of captures hold as many */
#define DRAIN_READS   1000000		/* a source that never comes to an end is left */
#define DRAIN_NS      UINT64_C(2000000000)
#define PATIENCE_NS   UINT64_C(10000000000) /* with a program that was asked to end */
#define TERMINATE_NS  UINT64_C(2000000000)  /* between SIGTERM and SIGKILL */
#define PROGRESS_MS   50

static void keep_first(struct sx_error *first, const struct sx_error *why)
{
	if (!first->message[0])
		*first = *why;
}

/* A recording's failure was when its samples end. */
static uint64_t failure_time(const struct sx_session *s, const struct sx_session_device *info)
{
	if (!s->options.input)
		return sys_now_ns(s->sys) - s->begin_ns;
	bool known = info->end_ns != SX_TIME_UNKNOWN && s->replay_begin_ns != SX_TIME_UNKNOWN;
	return known && info->end_ns > s->replay_begin_ns ? info->end_ns - s->replay_begin_ns : 0;
}

/* What goes wrong on the way is told once for each device, with its time. */
void session_fail(struct sx_session *s, uint32_t index, const struct sx_error *why)
{
	struct session_device *d = &s->devices[index];
	struct sx_session_device *info = &s->infos[index];
	if (d->failure.message[0])
		return;
	info->failed_after_ns = failure_time(s, info);
	d->failure = *why;
	if (s->writer && s->state == SESSION_RUNNING)
		record_failure(s, index);
}

/* Stops every source; read() then gives what is left. */
static void session_stop_devices(struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++) {
		struct session_device *d = &s->devices[i];
		struct sx_error why = {0};
		if (d->started && d->ops->stop(d->source, &why))
			session_fail(s, i, &why);
		d->started = false;
	}
}

/* Async-signal-safe, and from any thread: flags, and a byte that ends a wait. */
void sx_session_stop(struct sx_session *s, int signal_number)
{
	int number = signal_number & ~SX_FROM_TERMINAL;
	if (number > 0 && number < 64)
		atomic_fetch_or(signal_number & SX_FROM_TERMINAL ? &s->typed : &s->signals,
				1ULL << number);
	int saved = errno;
	bool first = !atomic_exchange(&s->stop, true);
	if (first && s->wake[1] >= 0 && s->sys->write(s->sys->user, s->wake[1], "s", 1) < 0)
		errno = saved; /* then the wait ends a little later */
	errno = saved;
}

static void account_rows(struct sx_session *s, uint32_t index, size_t first)
{
	struct sx_session_device *info = &s->infos[index];
	const struct sx_table *raw = s->devices[index].raw;
	const uint64_t *begin = sx_table_begin_ns(raw), *end = sx_table_end_ns(raw);
	for (size_t i = first; i < sx_table_row_count(raw); i++) {
		if (begin[i] < info->begin_ns)
			info->begin_ns = begin[i];
		if (end[i] != SX_TIME_UNKNOWN &&
		    (info->end_ns == SX_TIME_UNKNOWN || end[i] > info->end_ns))
			info->end_ns = end[i];
	}
	info->samples = s->devices[index].rows;
}

struct sx_table *session_newest(const struct session_device *d)
{
	return d->mixed ? d->mixed : d->raw;
}

/* `count` rows were added to a device's newest table. */
static void settle_rows(struct sx_session *s, uint32_t index, size_t count)
{
	struct session_device *d = &s->devices[index];
	struct sx_error why = {0};
	size_t before = sx_table_row_count(d->raw) - (d->mixed ? 0 : count);
	if (!d->mixed)
		d->rows += count;
	else if (filter_rows(s, index, &why))
		session_fail(s, index, &why);
	account_rows(s, index, before);
}

/* A sample to rows. What cannot be used is lost by itself: the next one may be fine. */
static void drive_decode(struct sx_session *s, uint32_t index, const struct raw_sample *raw)
{
	struct session_device *d = &s->devices[index];
	struct sx_error why = {0};
	size_t before = sx_table_row_count(session_newest(d));
	enum sx_status status =
	    d->turns ? turns_feed(s, index, raw, &why)
		     : d->decoder->ops->feed(d->decoder, raw, session_newest(d), &why);
	if (sx_failed(status))
		s->infos[index].lost++;
	if (status)
		session_fail(s, index, &why);
	size_t count = sx_table_row_count(session_newest(d)) - before;
	for (uint32_t i = 0; d->turns && i < d->turns->count; i++)
		settle_rows(s, d->turns->first + i, count);
	if (!d->turns)
		settle_rows(s, index, count);
}

static void take_note(struct sx_session *s, uint32_t index, const struct raw_sample *raw)
{
	struct sx_error note = {0};
	error_set(&note, SX_INCOMPLETE, "%.*s", (int)raw->size, (const char *)raw->data);
	if (raw->flags & RAW_PARTIAL) {
		s->infos[index].partial = true;
		s->devices[index].note = note;
	}
	keep_first(&s->devices[index].note, &note);
}

/* Takes what one source has. False when nothing came. */
bool session_take(struct sx_session *s, uint32_t index)
{
	struct session_device *d = &s->devices[index];
	struct raw_sample raw;
	struct sx_error why = {0};
	enum sx_status status = d->ops->read(d->source, 0, &raw, &why);
	if (status == SX_AGAIN)
		return false;
	if (status) {
		d->ended = true;
		if (status == SX_END)
			return false;
		session_fail(s, index, &why);
		return false;
	}
	if (raw.kind == RAW_NOTE && d->turns && d->rows)
		return true; /* said in an earlier turn */
	if (s->writer)
		record_sample(s, index, &raw);
	if (raw.flags & RAW_LOST && (!raw.lost || s->options.input))
		s->infos[index].lost_more = true;
	s->infos[index].lost += raw.lost;
	if (raw.kind == RAW_NOTE)
		take_note(s, index, &raw);
	else
		drive_decode(s, index, &raw);
	for (uint32_t i = 0; s->writer && i < s->device_count; i++)
		if (i == index || (d->turns && s->devices[i].turns == d->turns))
			record_rows(s, i, false);
	return true;
}

/* The device whose samples are counted: the first way into the program that gives any. */
static const struct session_device *leader(const struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++)
		if (s->devices[i].ops->spawn_env && s->devices[i].rows)
			return &s->devices[i];
	return &s->devices[0];
}

static bool samples_reached(const struct sx_session *s)
{
	return s->limits.samples && s->device_count && leader(s)->rows >= s->limits.samples;
}

bool session_is_unused(const struct sx_session *s, uint32_t index)
{
	const struct session_device *d = &s->devices[index];
	bool first = true, others = false;
	if (s->options.device_count || s->options.input || !d->ops->spawn_env || d->rows ||
	    d->others || d->failure.message[0])
		return false;
	for (uint32_t i = 0; i < s->device_count; i++) {
		const struct session_device *other = &s->devices[i];
		first &= i >= index || !other->ops->spawn_env;
		others |= i != index && other->ops->spawn_env && (other->rows || other->others);
	}
	return others || !first;
}

/* A recording ends where its rows do; this machine's devices end with its clock. */
static bool limit_reached(const struct sx_session *s)
{
	bool replay = s->options.input != NULL;
	if (samples_reached(s) && !replay)
		return true;
	if (!s->limits.duration_ns || (replay && s->replay_begin_ns != SX_TIME_UNKNOWN))
		return false;
	return sys_now_ns(s->sys) - s->begin_ns >= s->limits.duration_ns;
}

/* Rows that nobody has taken yet are many; the first of a turn is read nevertheless. */
static bool has_plenty(const struct session_device *d, int reads)
{
	return reads && sx_table_row_count(d->raw) * sx_table_column_count(d->raw) >= TURN_VALUES;
}

/* One turn over all sources, each a bounded number of times. */
static bool take_all(struct sx_session *s)
{
	bool any = false, first_alone = s->options.input && s->limits.samples;
	turns_update(s);
	for (uint32_t i = 0; i < s->device_count; i++) {
		struct session_device *d = &s->devices[i];
		if (!turns_active(s, i))
			continue;
		for (int n = 0;
		     n < TURN_READS && !d->ended && !has_plenty(d, n) && session_take(s, i); n++)
			any = true;
		/* In a recording it is known only then where the others end. */
		if (i == 0 && first_alone && samples_reached(s))
			d->ended = true;
		if (i == 0 && first_alone && !d->ended)
			break;
	}
	if (s->writer)
		record_clocks(s, false);
	return any;
}

static bool all_ended(const struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++)
		if (!s->devices[i].ended)
			return false;
	return true;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t session_gather_wakes(struct sx_session *s, nfds_t *count)
{
	uint64_t now = sys_now_ns(s->sys), due = UINT64_MAX;
	*count = 0;
	if (s->wake[0] >= 0)
		s->fds[(*count)++] = (struct pollfd){.fd = s->wake[0], .events = POLLIN};
	bool child = s->child.pid > 0 && !child_ended(s);
	if (child && s->child.fd >= 0)
		s->fds[(*count)++] = (struct pollfd){.fd = s->child.fd, .events = POLLIN};
	else if (child)
		due = now + LOOK_EVERY_NS;
	for (uint32_t i = 0; i < s->device_count; i++) {
		const struct session_device *d = &s->devices[i];
		struct source_wake wake = {.fd = -1, .due_ns = now + LOOK_EVERY_NS};
		if (d->ended || !turns_active(s, i))
			continue;
		if (d->ops->wake)
			d->ops->wake(d->source, &wake);
		due = earlier(due, wake.due_ns);
		if (wake.fd >= 0)
			s->fds[(*count)++] = (struct pollfd){.fd = wake.fd, .events = POLLIN};
	}
	due = earlier(due, turns_due_ns(s));
	if (s->limits.duration_ns && !s->options.input)
		due = earlier(due, s->begin_ns + s->limits.duration_ns);
	if (s->asked_ns)
		due = earlier(due, s->asked_ns + PATIENCE_NS);
	return due;
}

static int milliseconds_until(uint64_t due_ns, uint64_t now_ns)
{
	if (due_ns <= now_ns)
		return 0;
	if (!now_ns) /* a clock that cannot be read must not make this a wait without end */
		return LOOK_EVERY_NS / NS_PER_MS;
	uint64_t ms = (due_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS;
	return ms < INT32_MAX ? (int)ms : INT32_MAX;
}

/* Waits until something may have come, at most this long (-1: as long as it takes). */
static void wait_for_any(struct sx_session *s, int timeout_ms)
{
	char bytes[64];
	nfds_t count;
	uint64_t due = session_gather_wakes(s, &count);
	int wait_ms = due == UINT64_MAX ? -1 : milliseconds_until(due, sys_now_ns(s->sys));
	if (timeout_ms >= 0 && (wait_ms < 0 || wait_ms > timeout_ms))
		wait_ms = timeout_ms;
	if (atomic_load(&s->stop))
		return;
	/* A failing poll must not make this a busy loop; a signal ends it as it should. */
	int ready = s->sys->poll(s->sys->user, s->fds, count, wait_ms);
	if (ready < 0 && errno != EINTR)
		s->sys->poll(s->sys->user, NULL, 0, wait_ms >= 0 && wait_ms < 5 ? wait_ms : 5);
	if (ready > 0 && s->wake[0] >= 0 && s->fds[0].revents & POLLIN)
		s->sys->read(s->sys->user, s->wake[0], bytes, sizeof(bytes));
}

static void pass_on(struct sx_session *s, uint64_t signals)
{
	for (int n = 1; n < 64; n++)
		if (signals >> n & 1)
			child_signal(s, n);
}

/* A program that is asked to end gets time to do so. True when the session shall end. */
static bool drive_asked_to_end(struct sx_session *s)
{
	if (atomic_exchange(&s->stop, false)) {
		uint64_t signals = atomic_exchange(&s->signals, 0);
		uint64_t typed = atomic_exchange(&s->typed, 0);
		pass_on(s, child_left_group(s) ? signals | typed : signals);
		if (!s->has_program || child_ended(s))
			return true;
		bool only_interrupts = !((signals | typed) & ~(1ULL << SIGINT));
		if (!s->asked_ns && !only_interrupts)
			s->asked_ns = sys_now_ns(s->sys);
	}
	return s->asked_ns && sys_now_ns(s->sys) - s->asked_ns >= PATIENCE_NS;
}

/* What the program started and left behind, launchers' games, is measured to its end. */
static bool is_followed(const struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++) {
		const struct session_device *d = &s->devices[i];
		if (!d->ended && d->ops->running && d->ops->running(d->source))
			return true;
	}
	return false;
}

/* Whether it is only waited for what may yet come of the program. */
static bool is_awaited(const struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++) {
		const struct session_device *d = &s->devices[i];
		if (!d->ended && d->ops->waiting && !d->ops->waiting(d->source))
			return false;
	}
	return true;
}

/* What the source still had is lost, nobody knows how much. */
static void leave_rest(struct sx_session *s, uint32_t index)
{
	const struct raw_sample rest = {
	    .flags = RAW_LOST, .begin_ns = SX_TIME_UNKNOWN, .end_ns = SX_TIME_UNKNOWN};
	s->infos[index].lost_more = true;
	if (s->writer)
		record_sample(s, index, &rest);
}

/* What was collected before stop() is taken to its end, as far as there is patience for it. */
static void drain_one(struct sx_session *s, uint32_t index, uint64_t until_ns)
{
	struct session_device *d = &s->devices[index];
	bool more = !d->ended;
	for (int reads = 0; more && reads < DRAIN_READS; reads++) {
		if (sys_now_ns(s->sys) >= until_ns)
			break;
		more = session_take(s, index);
	}
	uint64_t end_ns = s->infos[index].end_ns;
	if (more && !d->ended && (end_ns == SX_TIME_UNKNOWN || end_ns < s->cut_ns))
		leave_rest(s, index);
}

/* What measures the machine ends with the program, so that the wait is no part of the run. */
static void stop_machine(struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++) {
		struct session_device *d = &s->devices[i];
		struct sx_error why = {0};
		if (d->ops->spawn_env || !d->started || d->turns)
			continue;
		if (d->ops->stop(d->source, &why))
			session_fail(s, i, &why);
		d->started = false;
		drain_one(s, i, sys_now_ns(s->sys) + DRAIN_NS);
		d->ended = true;
	}
}

static void note_program_end(struct sx_session *s)
{
	if (!s->has_program || !child_ended(s))
		return;
	bool awaited = is_awaited(s);
	if (awaited && !s->program_end_ns) {
		s->program_end_ns = sys_now_ns(s->sys);
		stop_machine(s);
	} else if (!awaited) {
		s->program_end_ns = 0; /* what it started goes on */
	}
}

static bool is_over(struct sx_session *s)
{
	note_program_end(s);
	if (s->has_program ? child_ended(s) && !is_followed(s) : all_ended(s))
		return true;
	return limit_reached(s) || drive_asked_to_end(s);
}

static enum sx_status turn(struct sx_session *s, int timeout_ms)
{
	if (is_over(s))
		return SX_END;
	bool any = take_all(s);
	if (!any && timeout_ms && !is_over(s)) {
		wait_for_any(s, timeout_ms);
		any = take_all(s);
	}
	if (is_over(s))
		return SX_END;
	return any ? SX_OK : SX_AGAIN;
}

enum sx_status sx_session_poll(struct sx_session *s, int timeout_ms, struct sx_error *err)
{
	if (s->state != SESSION_RUNNING)
		return error_set(err, SX_ERR_USAGE, "the session is not running");
	enum sx_status status = turn(s, timeout_ms);
	enum sx_status watch = watch_update(s, status == SX_END, err);
	return status == SX_END ? status : watch ? watch : status;
}

void sx_session_drop_rows(struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++)
		if (s->devices[i].raw)
			sx_table_clear(s->devices[i].raw);
}

static void drain(struct sx_session *s)
{
	uint64_t until = sys_now_ns(s->sys) + DRAIN_NS;
	for (uint32_t i = 0; i < s->device_count; i++)
		if (turns_active(s, i))
			drain_one(s, i, until);
}

/* A limit ends the run of a child that would go on; it gets SIGTERM, as from timeout(1). */
static void end_child(struct sx_session *s)
{
	s->child.status.ended_by = samples_reached(s) ? SX_ENDED_BY_COUNT
				   : limit_reached(s) ? SX_ENDED_BY_DURATION
						      : SX_ENDED_BY_REQUEST;
	uint64_t until = sys_now_ns(s->sys) + TERMINATE_NS;
	child_signal(s, SIGTERM);
	while (!child_ended(s) && sys_now_ns(s->sys) < until) {
		struct pollfd fd = {.fd = s->child.fd, .events = POLLIN};
		take_all(s);
		s->sys->poll(s->sys->user, &fd, fd.fd >= 0, PROGRESS_MS);
	}
	if (!child_ended(s))
		child_signal(s, SIGKILL);
}

/* A device without a sample says why; that is not a failure of the others. */
static void explain_silence(struct sx_session *s, uint32_t index)
{
	struct session_device *d = &s->devices[index];
	struct sx_error *why = &d->silence;
	if (d->rows)
		return;
	s->infos[index].silence = why;
	if (d->failure.message[0]) {
		*why = d->failure;
		return;
	}
	if (d->others && s->options.process) {
		error_set(why, SX_INCOMPLETE, "no sample is of process %s", s->options.process);
		error_because(why, "all of %llu samples are of other processes or contexts",
			      (unsigned long long)d->others);
		error_try(why, "without --process; report --by process names them");
		return;
	}
	if (d->others) {
		error_set(why, SX_INCOMPLETE, "nothing ran in context %u", s->options.context);
		error_because(why, "all of %llu samples are of other contexts, or idle",
			      (unsigned long long)d->others);
		error_try(why, "without --context, to see what runs");
		return;
	}
	error_set(why, SX_INCOMPLETE, "%s delivered no samples", d->ops->name);
	error_because(why, "it ended before the first interval was over");
	error_try(why, "a longer run, or a shorter --interval");
	if (d->ops->explain)
		d->ops->explain(d->source, why);
}

static void tell_partial(const struct sx_session *s, uint32_t index, struct sx_error *err)
{
	error_set(err, SX_INCOMPLETE, "%s is not whole", s->options.input);
	error_because(err, "%s", s->devices[index].note.message);
	error_try(err, "sextant capture info %s", s->options.input);
}

static void tell_loss(const struct sx_session_device *info, struct sx_error *err)
{
	error_set(err, SX_INCOMPLETE, "%s%llu sample%s of %s lost",
		  info->lost_more ? "more than " : "", (unsigned long long)info->lost,
		  info->lost == 1 ? " was" : "s were", info->name ? info->name : info->source);
	error_because(err, "they came faster than they were fetched, or were not whole");
	error_try(err, "a longer --interval, or fewer other programs");
}

/* The public face of a device after a run; the first failure of all is the run's. */
static void conclude(struct sx_session *s, uint32_t index, struct sx_error *first)
{
	struct session_device *d = &s->devices[index];
	struct sx_session_device *info = &s->infos[index];
	const struct source_desc *desc = d->ops->describe(d->source);
	struct sx_error loss = {0};
	info->raw = d->raw;
	info->name = desc->name;
	info->driver = desc->driver;
	info->simulated = desc->simulated;
	info->note = d->note.message[0] ? d->note.message : NULL;
	info->failure = d->failure.message[0] ? &d->failure : NULL;
	info->unused = session_is_unused(s, index);
	explain_silence(s, index);
	if (info->failure)
		keep_first(first, info->failure);
	if (info->lost || info->lost_more) {
		tell_loss(info, &loss);
		keep_first(first, &loss);
	}
	if (info->partial) {
		tell_partial(s, index, &loss);
		keep_first(first, &loss);
	}
}

static void close_wakes(struct sx_session *s)
{
	watch_close(s);
	for (int i = 0; i < 2; i++) {
		if (s->wake[i] >= 0)
			s->sys->close(s->sys->user, s->wake[i]);
		s->wake[i] = -1;
	}
	free(s->fds);
	s->fds = NULL;
}

enum sx_status sx_session_finish(struct sx_session *s, struct sx_error *err)
{
	struct sx_error first = {0};
	if (s->state != SESSION_RUNNING)
		return SX_OK;
	s->end_ns = s->program_end_ns ? s->program_end_ns : sys_now_ns(s->sys);
	if (s->has_program && !child_ended(s))
		end_child(s);
	/* The program is looked at for the last time before its traces in /proc go. */
	session_stop_devices(s);
	drain(s);
	while (!child_reap(s))
		s->sys->poll(s->sys->user, NULL, 0, 1);
	for (uint32_t i = 0; i < s->device_count; i++) {
		conclude(s, i, &first);
		if (s->writer)
			record_rows(s, i, true);
	}
	if (s->writer)
		record_end(s);
	close_wakes(s);
	atomic_store(&s->stop, false);
	atomic_store(&s->signals, 0);
	atomic_store(&s->typed, 0);
	s->state = SESSION_OVER;
	if (!first.message[0])
		return SX_OK;
	if (err)
		*err = first;
	return SX_INCOMPLETE;
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
	s->asked_ns = s->program_end_ns = 0;
	s->fds = calloc(s->device_count + 2, sizeof(*s->fds));
	if (!s->fds)
		return error_nomem(err, "running a session");
	if (s->sys->pipe(s->sys->user, s->wake) < 0) {
		enum sx_status status = error_errno(err, errno, "cannot run a session");
		s->wake[0] = s->wake[1] = -1;
		free(s->fds);
		s->fds = NULL;
		error_try(err, "fewer open files at once; ulimit -n shows the limit");
		return status;
	}
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
		close_wakes(s);
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
