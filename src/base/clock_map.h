/*
 * Converts times of one clock to another afterwards, when all pairs of readings are known: between
 * two pairs by the line through them; before the first and after the last pair with the slope of
 * the longest stretch there without a jump. Where one clock was set, or stopped (a suspend), the
 * pairs around it show a jump, and no line is drawn across it.
 */
#ifndef BASE_CLOCK_MAP_H
#define BASE_CLOCK_MAP_H

#include <stddef.h>

#include "base/clock_fit.h"

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
