/*
 * The end of a run: a program that would go on is ended, and the sources' last samples are
 * collected.
 */
#include "session/drive/drive.h"

#include <poll.h>
#include <signal.h>

#include "base/clock.h"
#include "source/process_tree.h"

#define DRAIN_READS  1000000		   /* a source that never comes to an end is left */
#define DRAIN_NS     UINT64_C(10000000000) /* many times what it takes on a machine at rest */
#define TERMINATE_NS UINT64_C(2000000000)  /* between SIGTERM and SIGKILL */
#define PROGRESS_MS  50
#define KILL_LOOKS   100 /* a millisecond apart, for programs that cannot be killed */

/* Stops every source; read() then gives what is left. */
void session_stop_devices(struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++) {
		struct session_device *d = &s->devices[i];
		struct sx_error why = {0};
		if (d->started && d->ops->stop(d->source, &why))
			session_fail(s, i, &why);
		d->started = false;
	}
}

/* The device that --samples counts: the first way into the program that gives any. */
static const struct session_device *leader(const struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++)
		if (s->devices[i].ops->spawn_env && s->devices[i].rows)
			return &s->devices[i];
	return &s->devices[0];
}

bool end_samples_reached(const struct sx_session *s)
{
	return s->limits.samples && s->device_count && leader(s)->rows >= s->limits.samples;
}

/* A recording ends where its rows do; this machine's devices end with its clock. */
static bool limit_reached(const struct sx_session *s)
{
	bool replay = s->options.input != NULL;
	if (end_samples_reached(s) && !replay)
		return true;
	if (!s->limits.duration_ns || (replay && s->replay_begin_ns != SX_TIME_UNKNOWN))
		return false;
	return sys_now_ns(s->sys) - s->begin_ns >= s->limits.duration_ns;
}

static bool all_ended(const struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++)
		if (!s->devices[i].ended)
			return false;
	return true;
}

/* Passes signals on to the program; false: it is another user's, and gets none. */
static bool pass_on(struct sx_session *s, uint64_t signals)
{
	bool refused = false;
	for (int n = 1; n < 64; n++)
		if (signals >> n & 1)
			refused |= !child_signal(s, n);
	return !refused;
}

/* A program that is asked to end gets time to do so. True when the session shall end. */
static bool drive_asked_to_end(struct sx_session *s)
{
	if (atomic_exchange(&s->stop, false)) {
		uint64_t signals = atomic_exchange(&s->signals, 0);
		uint64_t typed = atomic_exchange(&s->typed, 0);
		bool passed = pass_on(s, child_left_group(s) ? signals | typed : signals);
		if (!s->has_program || child_ended(s))
			return true;
		s->signalled_ns = sys_now_ns(s->sys);
		bool only_interrupts = !((signals | typed) & ~(1ULL << SIGINT));
		/* A program may go on after an interrupt, but not for never having got it. */
		if (!s->asked_ns && (!only_interrupts || !passed))
			s->asked_ns = sys_now_ns(s->sys);
	}
	uint64_t now_ns = sys_now_ns(s->sys);
	if (s->asked_ns && now_ns - s->asked_ns >= DRIVE_PATIENCE_NS)
		return true;
	/*
	 * A user who ended the program does not want what it started, which may ignore the signal.
	 */
	return s->signalled_ns && child_ended(s) && now_ns - s->signalled_ns < DRIVE_PATIENCE_NS;
}

/*
 * Descendants that outlive the program, such as a launcher's game, are measured to their end. All
 * sources are asked: each gives new processes some time to begin, and these times must run in
 * parallel.
 */
static bool is_followed(const struct sx_session *s)
{
	bool any = false;
	for (uint32_t i = 0; i < s->device_count; i++) {
		const struct session_device *d = &s->devices[i];
		any |= !d->ended && d->ops->running && d->ops->running(d->source);
	}
	return any;
}

/* Whether the run only waits for what may yet come of the program. */
static bool is_awaited(const struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++) {
		const struct session_device *d = &s->devices[i];
		if (!d->ended && d->ops->waiting && !d->ops->waiting(d->source))
			return false;
	}
	return true;
}

/* What the source still had is lost; how much is unknown. */
static void leave_rest(struct sx_session *s, uint32_t index)
{
	const struct raw_sample rest = {
	    .flags = RAW_LOST, .begin_ns = SX_TIME_UNKNOWN, .end_ns = SX_TIME_UNKNOWN};
	s->infos[index].run.lost_more = true;
	if (s->writer)
		record_sample(s, index, &rest);
}

/* Reads what was collected before stop(), until a deadline. */
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

/*
 * Sources that measure the machine end with the program, so that waiting for its descendants is no
 * part of the run.
 */
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
		s->program_end_ns = 0; /* its descendants go on */
	}
}

bool end_is_due(struct sx_session *s)
{
	note_program_end(s);
	if (s->has_program ? child_ended(s) && !is_followed(s) : all_ended(s))
		return true;
	return limit_reached(s) || drive_asked_to_end(s);
}

void end_drain(struct sx_session *s)
{
	uint64_t until = sys_now_ns(s->sys) + DRAIN_NS;
	for (uint32_t i = 0; i < s->device_count; i++)
		if (turns_active(s, i))
			drain_one(s, i, until);
}

/* What the program and its descendants still do until then is measured. */
static void wait_for_tree(struct sx_session *s, struct process_tree *tree)
{
	uint64_t until = sys_now_ns(s->sys) + TERMINATE_NS;
	while ((!child_ended(s) || process_tree_any(tree)) && sys_now_ns(s->sys) < until) {
		struct pollfd fd = {.fd = s->child.fd, .events = POLLIN};
		take_turn(s);
		s->sys->poll(s->sys->user, &fd, fd.fd >= 0 && !child_ended(s), PROGRESS_MS);
		child_look(s);
		process_tree_look(tree);
	}
}

/*
 * A limit ends the run of a child that would go on: it gets SIGTERM, as from timeout(1), and so
 * does what it has started, since a shell's programs would go on without it. A stopped process gets
 * SIGCONT.
 */
void end_child(struct sx_session *s)
{
	struct process_tree tree = {.sys = s->sys, .root = s->child.pid};
	s->child.status.ended_by = end_samples_reached(s) ? SX_ENDED_BY_COUNT
				   : limit_reached(s)	  ? SX_ENDED_BY_DURATION
							  : SX_ENDED_BY_REQUEST;
	process_tree_look(&tree);
	process_tree_signal(&tree, SIGTERM);
	process_tree_signal(&tree, SIGCONT);
	wait_for_tree(s, &tree);
	/* A process that was starting while the others were killed is found by the next look. */
	for (int i = 0; i < KILL_LOOKS && (!child_ended(s) || process_tree_any(&tree)); i++) {
		process_tree_signal(&tree, SIGKILL);
		s->sys->poll(s->sys->user, NULL, 0, 1);
		child_look(s);
		process_tree_look(&tree);
	}
	process_tree_finish(&tree);
}
