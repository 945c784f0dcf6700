/*
 * Samples without counts, several in one record, so that a program that is faster than its reader
 * finds room. Frames, each of which begins where the one before it ends, are in records of kind
 * WIRE_RUN; parts of one frame in those of kind WIRE_PARTS. The reader makes a record of each.
 * docs/guest-channel.md explains it.
 */
#ifndef WIRE_RUN_H
#define WIRE_RUN_H

#include <stdbool.h>

#include "wire/channel.h"

/* In a record; `index` is how many: length in ns (32 bits), then calls (32 bits) of each. */
#define WIRE_RUN_MOST WIRE_COUNTER_ROOM

/* Likewise: label, calls; begin after the record's in ns, length in ns (each 32 bits). */
#define WIRE_PARTS_MOST (WIRE_COUNTER_ROOM / 2)

static inline void wire_run_count(struct wire_record *record)
{
	__atomic_store_n(&record->index, record->index + 1, __ATOMIC_RELEASE);
}

/*
 * Calls are those of a record: draws, and where the flags say that some compute 12 bits of
 * dispatches above 20 of draws. Those that were added up are all of a kind, and use all 32.
 */
#define WIRE_RUN_DRAWS 20u

static inline bool wire_calls_fit(const struct wire_record *sample)
{
	return !(sample->flags & WIRE_COMPUTED) || sample->flags & WIRE_SEVERAL ||
	       (sample->draws >> WIRE_RUN_DRAWS == 0 &&
		sample->dispatches >> (32 - WIRE_RUN_DRAWS) == 0);
}

static inline uint64_t wire_calls_pack(const struct wire_record *record,
				       const struct wire_record *sample)
{
	bool computed = record->flags & WIRE_COMPUTED && !(record->flags & WIRE_SEVERAL);
	return computed ? sample->draws | sample->dispatches << WIRE_RUN_DRAWS : sample->draws;
}

static inline void wire_calls_unpack(struct wire_record *out, uint32_t calls)
{
	bool computed = out->flags & WIRE_COMPUTED, several = out->flags & WIRE_SEVERAL;
	out->draws = computed && !several ? calls & ((1u << WIRE_RUN_DRAWS) - 1) : calls;
	out->dispatches = !computed ? 0 : several ? calls : calls >> WIRE_RUN_DRAWS;
}

/*
 * Adds a frame: a record of the same flags, with times and calls; there must be room, and the calls
 * must fit. A reader that sees the record half-written sees the frames before it.
 */
static inline void wire_run_add(struct wire_record *record, const struct wire_record *frame)
{
	record->values[record->index] =
	    (uint32_t)(frame->end_ns - frame->begin_ns) | wire_calls_pack(record, frame) << 32;
	wire_run_count(record);
}

/* The same for a part, which has a label, too. */
static inline void wire_parts_add(struct wire_record *record, const struct wire_record *part)
{
	uint64_t *words = record->values + (size_t)2 * record->index;

	words[0] = part->label | wire_calls_pack(record, part) << 32;
	words[1] = (uint32_t)(part->begin_ns - record->begin_ns) | (part->end_ns - part->begin_ns)
								       << 32;
	wire_run_count(record);
}

/* Of draws, a part may be several of one label: how many more than one. */
static inline uint32_t wire_parts_more(const struct wire_record *record, uint32_t at)
{
	uint32_t draws = (uint32_t)(record->values[(size_t)2 * at] >> 32);

	return record->flags & WIRE_SEVERAL && draws > 1 ? draws - 1 : 0;
}

/* Of the record's CPU time, what falls on so much of its time: at most all. */
static inline uint64_t wire_cpu_part(const struct wire_record *from, uint64_t ns, uint64_t all_ns)
{
	uint64_t cpu_ns = from->cpu_end_ns - from->cpu_begin_ns;

	return ns >= all_ns ? cpu_ns : (uint64_t)((double)cpu_ns / (double)all_ns * (double)ns);
}

/*
 * The record of a frame. The process is taken to have worked evenly over all. false: it makes
 * no sense.
 */
static inline bool wire_run_record(const struct wire_record *from, uint32_t at,
				   struct wire_record *out)
{
	uint64_t before_ns = 0, all_ns = 0;

	if (from->index > WIRE_RUN_MOST || at >= from->index ||
	    from->cpu_end_ns < from->cpu_begin_ns)
		return false;
	for (uint32_t i = 0; i < from->index; i++) {
		before_ns += i < at ? (uint32_t)from->values[i] : 0;
		all_ns += (uint32_t)from->values[i];
	}
	if (from->begin_ns > UINT64_MAX - all_ns)
		return false;
	*out = *from;
	out->kind = WIRE_FRAME;
	out->frame = from->frame + at;
	out->index = 0;
	wire_calls_unpack(out, (uint32_t)(from->values[at] >> 32));
	out->begin_ns = from->begin_ns + before_ns;
	out->end_ns = out->begin_ns + (uint32_t)from->values[at];
	for (unsigned i = 0; i < WIRE_COUNTER_ROOM; i++) {
		out->values[i] = 0;
		if (out->states[i] != WIRE_SPARED)
			out->states[i] = WIRE_NOT_COLLECTED;
	}
	if (all_ns != 0) {
		out->cpu_begin_ns += wire_cpu_part(from, before_ns, all_ns);
		out->cpu_end_ns =
		    from->cpu_begin_ns +
		    wire_cpu_part(from, before_ns + (uint32_t)from->values[at], all_ns);
	}
	return true;
}

/* The record of a part. false: it makes no sense. */
static inline bool wire_parts_record(const struct wire_record *from, uint32_t at,
				     struct wire_record *out)
{
	const uint64_t *words = from->values + (size_t)2 * at;
	if (from->index > WIRE_PARTS_MOST || at >= from->index ||
	    from->cpu_end_ns < from->cpu_begin_ns || from->begin_ns > UINT64_MAX / 2)
		return false;
	const uint64_t *last = from->values + (size_t)2 * (from->index - 1);
	uint64_t before_ns = (uint32_t)words[1], length_ns = words[1] >> 32;
	uint64_t all_ns = (uint32_t)last[1] + (last[1] >> 32);
	*out = *from;
	out->kind = from->of;
	out->of = 0;
	out->index = from->group_count + at;
	out->group_count = 0;
	out->label = (uint32_t)words[0];
	wire_calls_unpack(out, (uint32_t)(words[0] >> 32));
	out->begin_ns = from->begin_ns + before_ns;
	out->end_ns = out->begin_ns + length_ns;
	for (unsigned i = 0; i < WIRE_COUNTER_ROOM; i++) {
		out->values[i] = 0;
		if (out->states[i] != WIRE_SPARED)
			out->states[i] = WIRE_NOT_COLLECTED;
	}
	if (before_ns + length_ns > all_ns)
		return false;
	if (all_ns != 0) {
		out->cpu_begin_ns += wire_cpu_part(from, before_ns, all_ns);
		out->cpu_end_ns =
		    from->cpu_begin_ns + wire_cpu_part(from, before_ns + length_ns, all_ns);
	}
	return true;
}

/* Nothing more is added: a single sample is a record as any other. */
static inline void wire_run_end(struct wire_record *record)
{
	struct wire_record one;
	bool frames = record->kind == WIRE_RUN;

	if (record->index == 1 &&
	    (frames ? wire_run_record(record, 0, &one) : wire_parts_record(record, 0, &one)))
		*record = one;
}

#endif
