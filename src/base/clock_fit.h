/*
 * One clock in terms of another, by a straight line through the newest pairs of readings: an offset
 * alone is wrong by the clocks' drift times the age of the reading (100 us a second at 100 parts in
 * a million). Where pairs come from is the caller's; when the next one is due, this says.
 */
#ifndef BASE_CLOCK_FIT_H
#define BASE_CLOCK_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLOCK_FIT_PAIRS 16

struct clock_pair {
	uint64_t from_ns, to_ns; /* the same instant on both clocks */
	uint64_t error_ns;	 /* half of the bracket in which it was read */
};

/* Zero-initialise. */
struct clock_fit {
	struct clock_pair pairs[CLOCK_FIT_PAIRS]; /* a ring, oldest overwritten */
	uint32_t count, next;
	/* The line: to = origin_to + (from - origin_from) * (1 + drift). */
	uint64_t origin_from_ns, origin_to_ns;
	double drift;
	uint64_t pause_ns; /* between pairs; short at first, so that the drift is known soon */
	/* How often one clock was set, or stopped while the other went on (a suspend). */
	uint32_t jumps;
	int64_t jump_ns; /* how far the second clock moved beside the first, the last time */
};

/*
 * Adds a pair and fits anew. A pair that does not lie behind the newest one, or too far from the
 * line for two clocks of one machine, begins a new window, and is counted as a jump: what was
 * before it says nothing of what follows.
 */
void clock_fit_add(struct clock_fit *fit, const struct clock_pair *pair);
/* Whether the next pair is due at this reading of the first clock. */
bool clock_fit_due(const struct clock_fit *fit, uint64_t from_ns);
/* A reading of the first clock as the second one's; the reading itself without any pair. */
uint64_t clock_fit_convert(const struct clock_fit *fit, uint64_t from_ns);
/* The newest pair, or NULL without any. */
const struct clock_pair *clock_fit_newest(const struct clock_fit *fit);
/* How far conversions near the newest pair may be off: the best bracket in the window. */
uint64_t clock_fit_error_ns(const struct clock_fit *fit);

/*
 * Converts times of one clock to another afterwards, when all pairs of readings are known: between
 * two pairs by the line through them; before the first and after the last pair with the slope of
 * the longest stretch there without a jump. Where one clock was set, or stopped (a suspend), the
 * pairs around it show a jump, and no line is drawn across it.
 */
#define CLOCK_MAP_PAIRS 100000u /* of more, every other one is kept */

/* Zero-initialise. */
struct clock_map {
	struct clock_pair *pairs; /* ascending in from_ns */
	size_t count, cap;
	size_t every, skipped; /* measured pairs that one kept pair represents */
	size_t front, back;    /* no jump lies before the one, or behind the other */
};

/* How well the two clocks go together. */
struct clock_match {
	uint64_t error_ns; /* the widest bracket of any pair */
	double drift;	   /* of the second beside the first, jumps left out; NaN: one pair */
	uint32_t jumps;
	int64_t jump_ns; /* all jumps together */
};

/* Adds a pair; one that does not lie behind the newest in from_ns is left out. false: no memory. */
bool clock_map_add(struct clock_map *map, const struct clock_pair *pair);
/* A reading of the first clock as the second one's, or the other way; itself without any pair. */
uint64_t clock_map_to(const struct clock_map *map, uint64_t from_ns);
uint64_t clock_map_from(const struct clock_map *map, uint64_t to_ns);
struct clock_match clock_map_match(const struct clock_map *map);
void clock_map_finish(struct clock_map *map);

#endif
