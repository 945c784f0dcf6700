/*
 * Multiplexing over frames: counters that the driver cannot count together are packed into passes,
 * and each measured frame counts one pass. The driver decides which counters fit in a pass, the
 * caller which must be in one (the inputs of a metric). Counters of the other passes are
 * WIRE_SPARED in that frame; the command scales their counts to all frames and reports the share.
 * Arithmetic only: no clock, system call or API.
 */
#ifndef GUEST_PASSES_H
#define GUEST_PASSES_H

#include <stdbool.h>
#include <stdint.h>

#define PASSES_MOST 64u
#define PASSES_NONE UINT32_MAX /* the counter fits in no pass */

/*
 * `fits` returns whether the driver can count these together; if so, it must return true for every
 * subset.
 */
struct passes_rules {
	const uint32_t
	    *items; /* a number for each counter; counters with equal numbers are in one pass */
	bool (*fits)(void *driver, const uint32_t *counters, uint32_t count);
	void *driver;
};

/* The order of passes. One for each context. */
struct passes_turn {
	uint32_t pass_count, at; /* passes done in this round */
	uint32_t random;
	uint8_t order[PASSES_MOST]; /* of this round */
};

/*
 * Packs counters 0 to `count` - 1 into passes, first fit: each item, in order of its first counter,
 * into the first pass that has room for all its counters. Writes each counter's pass to `pass_of`
 * (PASSES_NONE: its item fits no pass, or PASSES_MOST are not enough) and returns the number of
 * passes. `room` is scratch memory of `count` entries.
 */
uint32_t passes_pack(const struct passes_rules *rules, uint32_t count, uint32_t *pass_of,
		     uint32_t *room);

/* Before the first measured frame. */
void passes_start(struct passes_turn *turn, uint32_t pass_count);
/*
 * The pass of the measured frame that begins now. Each pass comes once in `pass_count` frames, in
 * an order that is shuffled every round: otherwise what a program does every second frame would
 * always be counted by the same pass.
 */
uint32_t passes_next(struct passes_turn *turn);

#endif
