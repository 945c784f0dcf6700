/*
 * OpenCL commands that were counted but not timed, several in one record of kind WIRE_COUNTED, so
 * that counting one is cheap. The reader makes a record of each. docs/guest-channel.md explains it.
 */
#ifndef WIRE_COUNTED_H
#define WIRE_COUNTED_H

#include <stdbool.h>

#include "wire/channel.h"

/* Values of records of OpenCL commands are indexed by these. */
enum wire_opencl {
#define OPENCL(id, name) WIRE_CL_##id,
#include "wire/opencl.def"
#undef OPENCL
	WIRE_CL_VALUES
};

enum wire_command {
	WIRE_COMMAND_KERNEL,
	WIRE_COMMAND_READ,
	WIRE_COMMAND_WRITE,
	WIRE_COMMAND_COPY,
	WIRE_COMMAND_OTHER,
	WIRE_COMMAND_KINDS
};

struct wire_counted {
	enum wire_command kind;
	bool items_known, groups_known;
	bool bytes_lost; /* their number is unknown */
	bool together;	 /* it runs within a command buffer: only the whole is timed */
	uint32_t label;
	uint64_t items, groups, bytes;
};

/* In a record: label, kind and what is known; items or bytes; groups. */
#define WIRE_COUNTED_WORDS 3u
#define WIRE_COUNTED_MOST  (WIRE_COUNTER_ROOM / WIRE_COUNTED_WORDS)

/* Adds one; there must be room. */
static inline void wire_counted_add(struct wire_record *record, const struct wire_counted *one)
{
	uint64_t *words = record->values + WIRE_COUNTED_WORDS * record->group_count++;

	words[0] = one->label | (uint64_t)one->kind << 32 | (uint64_t)one->items_known << 40 |
		   (uint64_t)one->groups_known << 41 | (uint64_t)one->bytes_lost << 42 |
		   (uint64_t)one->together << 43;
	words[1] = one->kind == WIRE_COMMAND_KERNEL ? one->items : one->bytes;
	words[2] = one->groups;
}

static inline struct wire_counted wire_counted_get(const struct wire_record *record, uint32_t at)
{
	const uint64_t *words = record->values + WIRE_COUNTED_WORDS * at;
	struct wire_counted one = {.kind = (enum wire_command)(words[0] >> 32 & 0xff),
				   .items_known = words[0] >> 40 & 1,
				   .groups_known = words[0] >> 41 & 1,
				   .bytes_lost = words[0] >> 42 & 1,
				   .together = words[0] >> 43 & 1,
				   .label = (uint32_t)words[0],
				   .groups = words[2]};

	if (one.kind == WIRE_COMMAND_KERNEL)
		one.items = words[1];
	else
		one.bytes = words[1];
	return one;
}

static inline void wire_command_set(struct wire_record *record, enum wire_opencl at, uint64_t value)
{
	record->values[at] = value;
	record->states[at] = WIRE_VALID;
}

/* What a command is known to do before it has run. Bytes that are not known stay without data. */
static inline void wire_command_count(struct wire_record *record, const struct wire_counted *one)
{
	static const uint8_t bytes[WIRE_COMMAND_KINDS] = {[WIRE_COMMAND_READ] = WIRE_CL_READ_BYTES,
							  [WIRE_COMMAND_WRITE] =
							      WIRE_CL_WRITE_BYTES,
							  [WIRE_COMMAND_COPY] = WIRE_CL_COPY_BYTES};
	bool kernel = one->kind == WIRE_COMMAND_KERNEL;

	wire_command_set(record, WIRE_CL_LAUNCHES, kernel);
	if (!kernel || one->items_known)
		wire_command_set(record, WIRE_CL_WORK_ITEMS, one->items);
	if (!kernel || one->groups_known)
		wire_command_set(record, WIRE_CL_WORK_GROUPS, one->groups);
	wire_command_set(record, WIRE_CL_READS, one->kind == WIRE_COMMAND_READ);
	wire_command_set(record, WIRE_CL_WRITES, one->kind == WIRE_COMMAND_WRITE);
	wire_command_set(record, WIRE_CL_COPIES, one->kind == WIRE_COMMAND_COPY);
	for (int at = WIRE_CL_READ_BYTES; at <= WIRE_CL_COPY_BYTES; at++)
		wire_command_set(record, (enum wire_opencl)at,
				 bytes[one->kind] == at ? one->bytes : 0);
	if (bytes[one->kind] != 0 && one->bytes_lost) {
		record->values[bytes[one->kind]] = 0;
		record->states[bytes[one->kind]] = WIRE_LATE;
	}
}

/*
 * The record of one of them, of when it was given to its queue: those between the first and the
 * last lie evenly. false: it makes no sense.
 */
static inline bool wire_counted_record(const struct wire_record *from, uint32_t at,
				       struct wire_record *out)
{
	static const uint8_t times[] = {
	    WIRE_CL_QUEUED,	 WIRE_CL_SUBMITTED,    WIRE_CL_STARTED,	    WIRE_CL_ENDED,
	    WIRE_CL_KERNEL_TIME, WIRE_CL_SUBMIT_DELAY, WIRE_CL_QUEUE_DELAY, WIRE_CL_READ_TIME,
	    WIRE_CL_WRITE_TIME,	 WIRE_CL_COPY_TIME};
	struct wire_counted one = wire_counted_get(from, at);
	uint64_t length = from->end_ns - from->begin_ns;

	if (from->group_count > WIRE_COUNTED_MOST || at >= from->group_count ||
	    one.kind >= WIRE_COMMAND_KINDS || from->end_ns < from->begin_ns)
		return false;
	*out = (struct wire_record){.kind = WIRE_KERNEL,
				    .frame = from->frame + at,
				    .index = from->index + at,
				    .label = one.label};
	out->begin_ns = out->end_ns = from->begin_ns + length / from->group_count * at;
	wire_command_count(out, &one);
	for (unsigned i = 0; i < sizeof(times); i++)
		out->states[times[i]] = one.together ? WIRE_BARRED : WIRE_SPARED;
	return true;
}

#endif
