/*
 * Frames of which nothing was counted, several in one record of kind WIRE_RUN: so that a program
 * that is faster than its reader finds room. Each begins where the one before it ends. The reader
 * makes a record of each. docs/guest-channel.md explains it.
 */
#ifndef WIRE_RUN_H
#define WIRE_RUN_H

#include <stdbool.h>

#include "wire/channel.h"

/* In a record, whose `index` says how many: length in ns (32 bits), then draws (32 bits) of each.
 */
#define WIRE_RUN_MOST WIRE_COUNTER_ROOM

/* Adds a frame; there must be room. Whoever finds the record half-written finds those before it. */
static inline void wire_run_add(struct wire_record *record, uint32_t length_ns, uint32_t draws)
{
	record->values[record->index] = length_ns | (uint64_t)draws << 32;
	__atomic_store_n(&record->index, record->index + 1, __ATOMIC_RELEASE);
}

/* Nothing more is added: a single frame is a record as any other. */
static inline void wire_run_end(struct wire_record *record)
{
	if (record->index != 1)
		return;
	record->kind = WIRE_FRAME;
	record->end_ns = record->begin_ns + (uint32_t)record->values[0];
	record->draws = (uint32_t)(record->values[0] >> 32);
	record->values[0] = 0;
	record->index = 0;
}

/*
 * The record of one of them. The process is taken to have worked evenly over all. false: it makes
 * no sense.
 */
static inline bool wire_run_record(const struct wire_record *from, uint32_t at,
				   struct wire_record *out)
{
	uint64_t before_ns = 0, all_ns = 0, cpu_ns = from->cpu_end_ns - from->cpu_begin_ns;

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
	out->draws = (uint32_t)(from->values[at] >> 32);
	out->begin_ns = from->begin_ns + before_ns;
	out->end_ns = out->begin_ns + (uint32_t)from->values[at];
	for (unsigned i = 0; i < WIRE_COUNTER_ROOM; i++) {
		out->values[i] = 0;
		if (out->states[i] != WIRE_SPARED)
			out->states[i] = WIRE_NOT_COLLECTED;
	}
	if (all_ns != 0) {
		double each = (double)cpu_ns / (double)all_ns;

		out->cpu_begin_ns = from->cpu_begin_ns + (uint64_t)(each * (double)before_ns);
		out->cpu_end_ns =
		    from->cpu_begin_ns +
		    (uint64_t)(each * (double)(before_ns + (uint32_t)from->values[at]));
	}
	return true;
}

#endif
