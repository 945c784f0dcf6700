/* Limits that time sets, with a second more for clocks that differ. */
#include "source/guest/bounds.h"

#define SLACK_NS    UINT64_C(1000000000)
#define PER_NS	    UINT64_C(1000000) /* a device's units count less than 1e13 a second together */
#define CPUS_MOST   4096u
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

/* Of a command: a clock that goes on by more than the program was here tells nothing. */
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

bool bounds_hold(const struct bounds *bounds, struct wire_sample *sample)
{
	struct wire_record *record = &sample->record;
	uint64_t most_ns = bounds->now_ns - bounds->came_ns + SLACK_NS;
	if (bounds->now_ns < bounds->came_ns) /* the clock could not be read */
		return true;
	if (record->end_ns > bounds->now_ns + SLACK_NS ||
	    record->end_ns - record->begin_ns > most_ns)
		return false;
	if (record->cpu_end_ns - record->cpu_begin_ns > times(most_ns, CPUS_MOST))
		record->flags &= ~(uint32_t)WIRE_CPU_KNOWN;
	if (record->width > PIXELS_MOST || record->height > PIXELS_MOST)
		record->flags &= ~(uint32_t)WIRE_SIZE_KNOWN;
	bound_clocks(record, most_ns);
	bound_values(record, most_ns);
	return true;
}
