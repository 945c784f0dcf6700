/*
 * Writes a record of each completed command, in the queue's order. While the channel is full,
 * commands remain pending until the reader has made room.
 */
#include "guest/clock.h"
#include "layer/opencl/layer.h"

#define NS_PER_S UINT64_C(1000000000)
/* A reader that reads nothing for so long has ended. */
#define READER_TIMEOUT_NS (2 * NS_PER_S)
/* The exit of the program waits at most so long, */
#define LAST_MOST_NS (5 * NS_PER_S)
/* and so long for commands that have not completed. */
#define LAST_RUN_NS UINT64_C(10000000)
/* Per command; more means that another thread was scheduled meanwhile. */
#define OWN_MOST_NS 20000u
#define DRAIN_EVERY WIRE_COUNTED_MOST
#define DRAIN_NS    UINT64_C(1000000)

enum outcome {
	OUTCOME_PENDING, /* not complete */
	OUTCOME_COMPLETE,
	OUTCOME_FAILED, /* an error: it did not run */
	OUTCOME_UNKNOWN,
};

static enum outcome outcome_of(const struct command *command)
{
	cl_int state = CL_QUEUED;
	if (layer_next.clGetEventInfo(command->event, CL_EVENT_COMMAND_EXECUTION_STATUS,
				      sizeof(state), &state, NULL) != CL_SUCCESS)
		return OUTCOME_UNKNOWN;
	return state == CL_COMPLETE ? OUTCOME_COMPLETE
	       : state < 0	    ? OUTCOME_FAILED
				    : OUTCOME_PENDING;
}

/* Also true if the reader has ended: records are lost then, and do not accumulate. */
static bool may_write(struct queue *q)
{
	struct wire_header *channel = guest_channel();
	if (!channel || channel_has_room(channel, &q->stream)) {
		__atomic_store_n(&q->full_ns, 0, __ATOMIC_RELAXED);
		return true;
	}
	uint64_t now = guest_now_ns();
	if (q->full_ns == 0) /* only the draining thread writes it */
		__atomic_store_n(&q->full_ns, now, __ATOMIC_RELAXED);
	return now - q->full_ns >= READER_TIMEOUT_NS;
}

static void count_lost(struct queue *q, uint32_t count)
{
	while (count-- > 0)
		channel_count_lost(&q->stream, 1);
}

static void set_counted(struct queue *q, uint32_t count)
{
	q->counted.group_count = count;
	__atomic_store_n(&q->counted_count, count, __ATOMIC_RELAXED);
}

/* Writes the sums of counted commands. false: the channel is full. */
static bool write_counted(struct queue *q)
{
	struct wire_header *channel = guest_channel();
	uint32_t count = q->counted.group_count;
	if (count == 0)
		return true;
	if (!may_write(q))
		return false;
	if (channel && channel_has_room(channel, &q->stream))
		channel_write(channel, &q->stream, &q->identity, &q->counted);
	else
		count_lost(q, count);
	set_counted(q, 0);
	return true;
}

static bool add_counted(struct queue *q, const struct command *command)
{
	if (q->counted.group_count == WIRE_COUNTED_MOST && !write_counted(q))
		return false;
	if (q->counted.group_count == 0) {
		q->counted.kind = WIRE_COUNTED;
		q->counted.frame = q->counted.index = q->number;
		q->counted.begin_ns = q->counted.end_ns = guest_now_ns();
	}
	wire_counted_add(&q->counted, &command->counts);
	set_counted(q, q->counted.group_count);
	q->number++;
	return true;
}

static void finish_front(struct queue *q, const struct command *command, enum outcome outcome)
{
	struct wire_header *channel = guest_channel();
	struct wire_record record;
	if (outcome == OUTCOME_COMPLETE && channel && events_record(q, command, &record))
		channel_write(channel, &q->stream, &q->identity, &record);
	else if (outcome != OUTCOME_FAILED)
		channel_count_lost(&q->stream, 1);
	q->number++;
	layer_next.clReleaseEvent(command->event);
}

/* Writes the oldest command; false: it remains. Earlier counted commands are written before it. */
static bool drain_front(struct queue *q, const struct command *command)
{
	if (!command->event)
		return add_counted(q, command);
	if (!write_counted(q))
		return false;
	enum outcome outcome = may_write(q) ? outcome_of(command) : OUTCOME_PENDING;
	if (outcome == OUTCOME_PENDING)
		return false;
	finish_front(q, command, outcome);
	return true;
}

/* Charges the time since since_ns (0: nothing was read) for `count` commands; returns it. */
static uint64_t spend(uint64_t since_ns, uint32_t count)
{
	uint64_t now_ns = since_ns ? guest_now_ns() : 0, most_ns = count * OWN_MOST_NS;
	uint64_t own_ns = now_ns - since_ns < most_ns ? now_ns - since_ns : most_ns;
	if (since_ns)
		sampling_spend(own_ns, 0);
	return own_ns;
}

/* `all`: writes counted commands now, not only when a record is full. Returns our own time. */
static uint64_t drain(struct queue *q, bool all)
{
	struct command command;
	uint64_t since_ns = 0;
	uint32_t timed = 0;
	if (__atomic_exchange_n(&q->draining, true, __ATOMIC_ACQUIRE))
		return 0; /* another thread drains it */
	count_lost(q, pending_take_missed(&q->pending));
	while (guest_check_active() && pending_front(&q->pending, &command)) {
		if (command.event && !since_ns)
			since_ns = guest_now_ns();
		timed += command.event != NULL;
		if (!drain_front(q, &command))
			break;
		pending_pop(&q->pending);
	}
	if (all)
		write_counted(q);
	uint64_t own_ns = spend(since_ns, timed);
	if (__atomic_load_n(&q->references, __ATOMIC_RELAXED) == 0)
		queue_retire(q); /* if it is empty */
	__atomic_store_n(&q->draining, false, __ATOMIC_RELEASE);
	return own_ns;
}

void queue_drain(struct queue *q)
{
	uint64_t own_ns = drain(q, true);
	if (own_ns)
		sampling_add_own(own_ns);
}

void queue_drain_some(struct queue *q, uint64_t now_ns)
{
	uint64_t drained_ns = __atomic_load_n(&q->drained_ns, __ATOMIC_RELAXED);
	bool long_ago = now_ns && now_ns - drained_ns >= DRAIN_NS;
	if (pending_count(&q->pending) % DRAIN_EVERY != 0 && !long_ago)
		return;
	if (now_ns)
		__atomic_store_n(&q->drained_ns, now_ns, __ATOMIC_RELAXED);
	drain(q, long_ago);
}

void queue_drain_released(void)
{
	struct queue *q = NULL;
	while (guest_check_active() && (q = queue_next(q, true)))
		queue_drain(q);
}

void queue_drain_all(void)
{
	struct queue *q = NULL;
	while (guest_check_active() && (q = queue_next(q, false)))
		queue_drain(q);
}

/* Whether a queue waits for room in the channel. */
static bool any_waits_for_channel(void)
{
	struct queue *q = NULL;
	while ((q = queue_next(q, false)))
		if (__atomic_load_n(&q->full_ns, __ATOMIC_RELAXED) != 0)
			return true;
	return false;
}

/* Whether a command runs. One that waits for a user event of the program never will. */
static bool any_runs(void)
{
	struct command command;
	struct queue *q = NULL;
	cl_int state;
	while ((q = queue_next(q, false)))
		if (pending_front(&q->pending, &command) && command.event &&
		    layer_next.clGetEventInfo(command.event, CL_EVENT_COMMAND_EXECUTION_STATUS,
					      sizeof(state), &state, NULL) == CL_SUCCESS &&
		    (state == CL_RUNNING || state == CL_SUBMITTED))
			return true;
	return false;
}

/* At exit: pending timed commands are lost, counted ones are written. */
static void finish_queue(struct queue *q)
{
	struct wire_header *channel = guest_channel();
	struct command command;
	if (!channel || __atomic_exchange_n(&q->draining, true, __ATOMIC_ACQUIRE))
		return;
	for (uint32_t left = pending_count(&q->pending); left > 0; left--) {
		pending_front(&q->pending, &command);
		if (command.event)
			finish_front(q, &command, OUTCOME_UNKNOWN);
		else if (!add_counted(q, &command))
			channel_count_lost(&q->stream, 1);
		pending_pop(&q->pending);
	}
	if (!write_counted(q))
		count_lost(q, q->counted.group_count);
	set_counted(q, 0);
	channel_note_lost(channel, &q->stream, &q->identity);
	channel_close(&q->stream);
	__atomic_store_n(&q->draining, false, __ATOMIC_RELEASE);
}

void queue_drain_last(void)
{
	uint64_t begin_ns = guest_now_ns(), since_ns = 0;
	struct queue *q = NULL;
	queue_drain_all();
	while (guest_check_active() && since_ns < LAST_MOST_NS &&
	       (any_waits_for_channel() || (since_ns < LAST_RUN_NS && any_runs()))) {
		guest_sleep();
		queue_drain_all();
		since_ns = guest_now_ns() - begin_ns;
	}
	while (guest_check_active() && (q = queue_next(q, false)))
		finish_queue(q);
}
