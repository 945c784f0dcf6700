/*
 * Commands that have ended become records, from the front of their queue on, as the channel has
 * room: they wait where they are while the command reads what came before.
 */
#include "guest/clock.h"
#include "layer/opencl/layer.h"

#define NS_PER_S     UINT64_C(1000000000)
#define PATIENCE_NS  (2 * NS_PER_S) /* a command that reads nothing for so long is gone */
#define LAST_MOST_NS (5 * NS_PER_S) /* that the program's exit waits */

enum fate {
	FATE_OPEN, /* it waits or runs */
	FATE_DONE,
	FATE_NEVER, /* an error of the program's or the driver's: it did not run */
	FATE_UNKNOWN,
};

static enum fate fate_of(const struct command *command)
{
	cl_int state = CL_QUEUED;

	if (layer_next.clGetEventInfo(command->event, CL_EVENT_COMMAND_EXECUTION_STATUS,
				      sizeof(state), &state, NULL) != CL_SUCCESS)
		return FATE_UNKNOWN;
	return state == CL_COMPLETE ? FATE_DONE : state < 0 ? FATE_NEVER : FATE_OPEN;
}

/* Also when nobody reads any more: then what comes is lost, and nothing piles up. */
static bool may_write(struct queue *q)
{
	struct wire_header *channel = guest_channel();
	uint64_t now;

	if (!channel || channel_has_room(channel, &q->stream)) {
		__atomic_store_n(&q->full_ns, 0, __ATOMIC_RELAXED);
		return true;
	}
	now = guest_now_ns();
	if (q->full_ns == 0) /* ours alone to write */
		__atomic_store_n(&q->full_ns, now, __ATOMIC_RELAXED);
	return now - q->full_ns >= PATIENCE_NS;
}

static void finish_front(struct queue *q, const struct command *command, enum fate fate)
{
	struct wire_header *channel = guest_channel();
	struct wire_record record;

	if (fate == FATE_DONE && channel && events_record(q, command, &record))
		channel_write(channel, &q->stream, &q->identity, &record);
	else if (fate != FATE_NEVER)
		channel_count_lost(&q->stream);
	q->number++;
	layer_next.clReleaseEvent(command->event);
}

void queue_drain(struct queue *q)
{
	struct command command;

	if (__atomic_exchange_n(&q->draining, true, __ATOMIC_ACQUIRE))
		return; /* somebody else does it now */
	for (uint32_t missed = pending_take_missed(&q->pending); missed > 0; missed--)
		channel_count_lost(&q->stream);
	while (guest_still_here() && pending_front(&q->pending, &command)) {
		enum fate fate = may_write(q) ? fate_of(&command) : FATE_OPEN;

		if (fate == FATE_OPEN)
			break;
		finish_front(q, &command, fate);
		pending_pop(&q->pending);
	}
	if (__atomic_load_n(&q->references, __ATOMIC_RELAXED) == 0 && pending_none(&q->pending))
		queue_give_up(q);
	__atomic_store_n(&q->draining, false, __ATOMIC_RELEASE);
}

void queue_drain_released(void)
{
	struct queue *q = NULL;

	while (guest_still_here() && (q = queue_next(q, true)) != NULL)
		queue_drain(q);
}

void queue_drain_all(void)
{
	struct queue *q = NULL;

	while (guest_still_here() && (q = queue_next(q, false)) != NULL)
		queue_drain(q);
}

/* Whether commands have ended that only wait for the channel. */
static bool somebody_waits(void)
{
	struct queue *q = NULL;

	while ((q = queue_next(q, false)) != NULL)
		if (__atomic_load_n(&q->full_ns, __ATOMIC_RELAXED) != 0)
			return true;
	return false;
}

void queue_drain_last(void)
{
	uint64_t until_ns = guest_now_ns() + LAST_MOST_NS;

	queue_drain_all();
	while (guest_still_here() && somebody_waits() && guest_now_ns() < until_ns) {
		guest_nap();
		queue_drain_all();
	}
}
