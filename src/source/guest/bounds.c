/* Limits that time sets, with a second more for clocks that differ. */
#include "source/guest/guest.h"

#define SLACK_NS    UINT64_C(1000000000)
#define PER_NS	    UINT64_C(1000000) /* a device's units count less than 1e13 a second together */
#define CPUS_MOST   4096u
#define DRAWS_MORE  1000000u   /* than nanoseconds that a sample has */
#define PIXELS_MOST (1u << 20) /* in a row */

enum opencl_value {
#define OPENCL(id, name) VALUE_##id,
#include "wire/opencl.def"
#undef OPENCL
};

static bool is_time(const struct wire_record *record, unsigned value)
{
	if (record->kind != WIRE_KERNEL)
		return value == WIRE_GPU_TIME;
	return value == VALUE_KERNEL_TIME || value == VALUE_SUBMIT_DELAY ||
	       value == VALUE_QUEUE_DELAY || value == VALUE_READ_TIME ||
	       value == VALUE_WRITE_TIME || value == VALUE_COPY_TIME;
}

/* The device's own clock may say anything; what lies between two of its times may not. */
static bool is_clock(const struct wire_record *record, unsigned value)
{
	return record->kind == WIRE_KERNEL && value <= VALUE_ENDED;
}

static uint64_t times(uint64_t ns, uint64_t factor)
{
	return ns > UINT64_MAX / factor ? UINT64_MAX : ns * factor;
}

static void bound_values(struct wire_record *record, uint64_t most_ns)
{
	for (unsigned i = 0; i < WIRE_COUNTER_ROOM; i++) {
		uint64_t most = is_time(record, i) ? most_ns : times(most_ns, PER_NS);
		if (record->states[i] != WIRE_VALID || is_clock(record, i) ||
		    record->values[i] <= most)
			continue;
		record->states[i] = WIRE_IMPOSSIBLE;
		record->values[i] = 0;
	}
}

/* Of a command: a wait longer than the program's life means that the clock is wrong. */
static void bound_clocks(struct wire_record *record, uint64_t most_ns)
{
	const uint64_t *values = record->values;
	uint64_t waited = values[VALUE_STARTED] - values[VALUE_QUEUED];
	if (record->kind != WIRE_KERNEL || values[VALUE_STARTED] < values[VALUE_QUEUED] ||
	    waited <= most_ns)
		return;
	for (unsigned i = 0; i <= VALUE_ENDED; i++) {
		record->states[i] = WIRE_IMPOSSIBLE;
		record->values[i] = 0;
	}
}

/* All samples together have no more than the program's clock went on by. */
static void bound_cpu(struct bounds *bounds, struct wire_record *record, uint64_t most_ns)
{
	uint64_t cpu_ns = times(most_ns, bounds->cpus ? bounds->cpus : CPUS_MOST);
	if (!(record->flags & WIRE_CPU_KNOWN))
		return;
	if (!bounds->cpu_known)
		bounds->cpu_from_ns = record->cpu_begin_ns;
	bounds->cpu_known = true;
	if (record->cpu_end_ns - record->cpu_begin_ns > cpu_ns ||
	    (record->cpu_end_ns > bounds->cpu_from_ns &&
	     record->cpu_end_ns - bounds->cpu_from_ns > cpu_ns))
		record->flags &= ~(uint32_t)WIRE_CPU_KNOWN;
}

/* A thread that draws needs some time for each call. */
static bool has_time(const struct bounds *bounds, const struct wire_record *record,
		     uint64_t most_ns)
{
	uint64_t length_ns = record->end_ns - record->begin_ns;
	return record->end_ns <= bounds->now_ns + SLACK_NS && length_ns <= most_ns &&
	       record->begin_ns + SLACK_NS >= bounds->came_ns &&
	       record->draws <= length_ns + DRAWS_MORE &&
	       record->dispatches <= length_ns + DRAWS_MORE;
}

bool bounds_hold(struct bounds *bounds, struct wire_sample *sample)
{
	struct wire_record *record = &sample->record;
	uint64_t most_ns = bounds->now_ns - bounds->came_ns + SLACK_NS;
	if (bounds->commands != (record->kind == WIRE_KERNEL))
		return false;
	if (bounds->now_ns < bounds->came_ns) /* the clock could not be read */
		return true;
	if (!has_time(bounds, record, most_ns))
		return false;
	bound_cpu(bounds, record, most_ns);
	if (record->width > PIXELS_MOST || record->height > PIXELS_MOST)
		record->flags &= ~(uint32_t)WIRE_SIZE_KNOWN;
	bound_clocks(record, most_ns);
	bound_values(record, most_ns);
	return true;
}
