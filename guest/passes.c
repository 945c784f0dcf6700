/* Passes over frames, see passes.h. */
#include "guest/passes.h"

/* Appends an item's counters to a list of `have`; returns the new count. */
static uint32_t append_item(const uint32_t *items, uint32_t count, uint32_t first, uint32_t *list,
			    uint32_t have)
{
	for (uint32_t i = first; i < count; i++)
		if (items[i] == items[first])
			list[have++] = i;
	return have;
}

static bool is_first_of_item(const uint32_t *items, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (items[i] == items[at])
			return false;
	return true;
}

static uint32_t gather_pass(const uint32_t *pass_of, uint32_t count, uint32_t pass, uint32_t *list)
{
	uint32_t have = 0;
	for (uint32_t i = 0; i < count; i++)
		if (pass_of[i] == pass)
			list[have++] = i;
	return have;
}

/* State of passes_pack(). */
struct packing {
	const struct passes_rules *rules;
	uint32_t count;
	const uint32_t *pass_of;
	uint32_t *room;
};

/* The first pass with room for an item, else a new one; PASSES_NONE: it fits in none. */
static uint32_t find_pass(const struct packing *packing, uint32_t first, uint32_t used)
{
	const struct passes_rules *rules = packing->rules;
	uint32_t count = packing->count;
	uint32_t *room = packing->room;
	for (uint32_t pass = 0; pass <= used && pass < PASSES_MOST; pass++) {
		uint32_t have = gather_pass(packing->pass_of, count, pass, room);
		have = append_item(rules->items, count, first, room, have);
		if (rules->fits(rules->driver, room, have))
			return pass;
	}
	return PASSES_NONE;
}

uint32_t passes_pack(const struct passes_rules *rules, uint32_t count, uint32_t *pass_of,
		     uint32_t *room)
{
	const struct packing packing = {rules, count, pass_of, room};
	uint32_t used = 0;
	for (uint32_t i = 0; i < count; i++)
		pass_of[i] = PASSES_NONE;
	for (uint32_t i = 0; i < count; i++) {
		if (!is_first_of_item(rules->items, i))
			continue;
		uint32_t pass = find_pass(&packing, i, used);
		for (uint32_t k = i; k < count; k++)
			if (rules->items[k] == rules->items[i])
				pass_of[k] = pass;
		used += pass == used;
	}
	return used;
}

/* Shuffles the order for the next round (Fisher-Yates, with xorshift). */
static void shuffle(struct passes_turn *turn)
{
	for (uint32_t i = turn->pass_count - 1; i > 0; i--) {
		uint8_t kept = turn->order[i];
		turn->random ^= turn->random << 13;
		turn->random ^= turn->random >> 17;
		turn->random ^= turn->random << 5;
		uint32_t other = turn->random % (i + 1);
		turn->order[i] = turn->order[other];
		turn->order[other] = kept;
	}
}

void passes_start(struct passes_turn *turn, uint32_t pass_count)
{
	*turn = (struct passes_turn){.random = 2463534242U};
	turn->pass_count = pass_count < PASSES_MOST ? pass_count : PASSES_MOST;
	for (uint32_t i = 0; i < turn->pass_count; i++)
		turn->order[i] = (uint8_t)i;
}

uint32_t passes_next(struct passes_turn *turn)
{
	if (turn->pass_count < 2)
		return 0;
	if (turn->at == turn->pass_count) {
		shuffle(turn);
		turn->at = 0;
	}
	return turn->order[turn->at++];
}
