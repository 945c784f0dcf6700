/*
 * Passes over frames: counters that the driver does not count all at once take turns, a measured
 * frame each. Which may share a pass only the driver knows, so it is asked in the program; which
 * must share one (the inputs of one metric) the user of this knows. Values of counters whose pass
 * it is not are spared in that frame (WIRE_SPARED): the command scales what was counted to all
 * frames and tells the share. Plain arithmetic: no clock, no system call, no API.
 */
#ifndef GUEST_PASSES_H
#define GUEST_PASSES_H

#include <stdbool.h>
#include <stdint.h>

#define PASSES_MOST 64u
#define PASSES_NONE UINT32_MAX /* of a counter: the driver counts it in no pass */

/*
 * What decides which counters share a pass. `fits` says whether the driver counts these at once; it
 * must hold for fewer of them, too.
 */
struct passes_rules {
	const uint32_t *items; /* for each counter a number; those of one are in one pass */
	bool (*fits)(void *driver, const uint32_t *counters, uint32_t count);
	void *driver;
};

/* Which pass's turn it is. One for each context. */
struct passes_turn {
	uint32_t pass_count, at; /* passes of this round so far */
	uint32_t random;
	uint8_t order[PASSES_MOST]; /* of this round */
};

/*
 * Packs counters 0 to `count` - 1 into passes, first fit: item by item, in order of their first
 * counters, each into the first pass that has room for all of it. Writes each counter's pass to
 * `pass_of` (PASSES_NONE: its item fits no pass, or PASSES_MOST are not enough) and returns how
 * many passes there are. `room` holds `count` entries while it runs.
 */
uint32_t passes_pack(const struct passes_rules *rules, uint32_t count, uint32_t *pass_of,
		     uint32_t *room);

/* Before the first measured frame. */
void passes_start(struct passes_turn *turn, uint32_t pass_count);
/*
 * The pass of the measured frame that begins now. Each comes once in `pass_count` frames, in an
 * order that differs from round to round: a program that does something every second frame would
 * else do it in the same pass always.
 */
uint32_t passes_next(struct passes_turn *turn);

#endif
