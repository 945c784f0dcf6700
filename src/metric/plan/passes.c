/*
 * Packs items into passes. Items are placed greedily, the hard ones first, each into the passes
 * that hold most of it already; then whole passes are emptied into the others, and the items that
 * forced a new pass are tried earlier. An item never takes more passes than it needs on its own.
 */
#include "metric/plan/passes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define ROUNDS 10

/* One arrangement under construction. */
struct attempt {
	struct pass *passes;
	uint32_t count;
	uint32_t *where;
};

struct search {
	const struct pass_search *in;
	const struct pass_rules *rules;
	struct attempt now, next, best;
	struct pass *scratch; /* as many as the largest item has counters, and one */
	struct pass *trial;
	uint32_t *rest, *left; /* counters of one item that wait for a pass */
	uint32_t *order, *weight;
	uint32_t capacity; /* passes of an attempt */
};

struct pass *passes_alloc(const struct pass_rules *rules, uint32_t count, struct arena *arena)
{
	size_t bytes = pass_bytes(rules);
	struct pass *passes = arena_alloc(arena, count * sizeof(*passes));
	char *memory = arena_alloc(arena, count * bytes);
	if (!passes || !memory)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		pass_init(&passes[i], rules, memory + i * bytes);
	return passes;
}

uint32_t passes_alone(const struct pass_rules *rules, const uint32_t *counters, uint32_t count,
		      struct pass *scratch)
{
	uint32_t used = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t p = 0;
		while (p < used && !pass_add(&scratch[p], rules, counters[i]))
			p++;
		if (p < used)
			continue;
		pass_clear(&scratch[used], rules);
		if (!pass_add(&scratch[used], rules, counters[i]))
			return 0;
		used++;
	}
	return used;
}

/* Moves what fits of `rest` into the pass; the others go to `left`. Returns how many are left. */
static uint32_t cover(struct pass *pass, const struct pass_rules *rules, const uint32_t *rest,
		      uint32_t count, uint32_t *left)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < count; i++)
		if (!pass_add(pass, rules, rest[i]))
			left[n++] = rest[i];
	return n;
}

static uint32_t shared(const struct pass *pass, const uint32_t *rest, uint32_t count)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < count; i++)
		n += pass_has(pass, rest[i]);
	return n;
}

/* Whether the group that an item needs can be programmed in a pass. */
static bool admits(const struct pass *pass, const struct pass_item *item)
{
	return item->group == SX_NONE || pass->group == SX_NONE || pass->group == item->group;
}

static void claim(struct pass *pass, const struct pass_item *item)
{
	if (item->group != SX_NONE)
		pass->group = item->group;
}

/*
 * The pass that takes most of `rest`, of these the one that has most of it already, such that the
 * others still fit into `more` passes; SX_NONE when there is none.
 */
static uint32_t passes_choose(struct search *s, const struct attempt *a,
			      const struct pass_item *item, uint32_t count, uint32_t more)
{
	uint32_t best = SX_NONE, best_left = count, best_shared = 0;
	for (uint32_t p = 0; p < a->count; p++) {
		if (!admits(&a->passes[p], item))
			continue;
		uint32_t have = shared(&a->passes[p], s->rest, count);
		pass_copy(s->trial, &a->passes[p], s->rules);
		uint32_t left = cover(s->trial, s->rules, s->rest, count, s->left);
		if (left > best_left ||
		    (left == best_left && (left == count || have <= best_shared)) ||
		    (left && !more))
			continue;
		if (left && passes_alone(s->rules, s->left, left, s->scratch) > more)
			continue;
		best = p;
		best_left = left;
		best_shared = have;
	}
	return best;
}

static void record(const struct pass_item *item, struct attempt *a, const uint32_t *rest,
		   uint32_t count, uint32_t pass)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < item->count; k++)
			if (item->counters[k] == rest[i] && pass_has(&a->passes[pass], rest[i]))
				a->where[item->offset + k] = pass;
}

/* Places one item. false: it would need a new pass, and may not open one. */
static bool place(struct search *s, struct attempt *a, const struct pass_item *item, bool may_open,
		  bool *opened)
{
	uint32_t count = item->count, more = item->alone;
	memcpy(s->rest, item->counters, count * sizeof(*s->rest));
	while (count) {
		uint32_t p = passes_choose(s, a, item, count, --more);
		if (p == SX_NONE) {
			if (!may_open || a->count == s->capacity)
				return false;
			p = a->count++;
			pass_clear(&a->passes[p], s->rules);
			*opened = true;
		}
		uint32_t left = cover(&a->passes[p], s->rules, s->rest, count, s->left);
		claim(&a->passes[p], item);
		record(item, a, s->rest, count, p);
		memcpy(s->rest, s->left, left * sizeof(*s->rest));
		count = left;
	}
	return true;
}

static bool passes_run(struct search *s, struct attempt *a)
{
	a->count = 0;
	for (uint32_t i = 0; i < s->in->item_count; i++) {
		bool opened = false;
		uint32_t item = s->order[i];
		if (!place(s, a, &s->in->items[item], true, &opened))
			return false;
		s->weight[item] += opened;
	}
	return true;
}

static bool uses(const struct attempt *a, const struct pass_item *item, uint32_t pass)
{
	for (uint32_t i = 0; i < item->count; i++)
		if (a->where[item->offset + i] == pass)
			return true;
	return false;
}

/* Rebuilds `from` without one pass into s->next; its items must find room in the others. */
static bool without(struct search *s, const struct attempt *from, uint32_t pass)
{
	struct attempt *to = &s->next;
	to->count = from->count - 1;
	for (uint32_t i = 0; i < to->count; i++)
		pass_clear(&to->passes[i], s->rules);
	for (uint32_t i = 0; i < s->in->item_count; i++) {
		const struct pass_item *item = &s->in->items[i];
		if (uses(from, item, pass))
			continue;
		for (uint32_t k = 0; k < item->count; k++) {
			uint32_t w = from->where[item->offset + k];
			w -= w > pass;
			to->where[item->offset + k] = w;
			claim(&to->passes[w], item);
			pass_add(&to->passes[w], s->rules, item->counters[k]);
		}
	}
	for (uint32_t i = 0; i < s->in->item_count; i++) {
		const struct pass_item *item = &s->in->items[s->order[i]];
		bool opened = false;
		if (uses(from, item, pass) && !place(s, to, item, false, &opened))
			return false;
	}
	return true;
}

static void swap(struct attempt *a, struct attempt *b)
{
	struct attempt t = *a;
	*a = *b;
	*b = t;
}

static void empty_passes(struct search *s, struct attempt *a, uint32_t bound)
{
	for (uint32_t p = a->count; p-- > 0 && a->count > bound;) {
		if (without(s, a, p)) {
			swap(a, &s->next);
			p = a->count;
		}
	}
}

/* Insertion sort: heavier first, then more passes, then more counters, then the given order. */
static void sort_items(struct search *s)
{
	const struct pass_item *items = s->in->items;
	for (uint32_t i = 1; i < s->in->item_count; i++) {
		uint32_t x = s->order[i], k = i;
		for (; k > 0; k--) {
			uint32_t y = s->order[k - 1];
			bool before =
			    s->weight[x] != s->weight[y]       ? s->weight[x] > s->weight[y]
			    : items[x].alone != items[y].alone ? items[x].alone > items[y].alone
			    : items[x].count != items[y].count ? items[x].count > items[y].count
							       : x < y;
			if (!before)
				break;
			s->order[k] = y;
		}
		s->order[k] = x;
	}
}

static bool is_first_of_group(const struct pass_item *items, uint32_t index)
{
	uint32_t group = items[index].group;
	if (group == SX_NONE || !items[index].count)
		return false;
	for (uint32_t i = 0; i < index; i++)
		if (items[i].group == group && items[i].count)
			return false;
	return true;
}

/* What all counters need together, whatever the items: no arrangement takes fewer. */
static uint32_t lower_bound(struct search *s)
{
	uint32_t bound = 0;
	uint32_t n = s->rules->counter_count;
	for (uint32_t i = 0; i < n; i++)
		s->order[i] = i;
	bound = passes_alone(s->rules, s->order, n, s->scratch);
	uint32_t groups = 0;
	for (uint32_t i = 0; i < s->in->item_count; i++) {
		if (s->in->items[i].alone > bound)
			bound = s->in->items[i].alone;
		groups += is_first_of_group(s->in->items, i);
	}
	return groups > bound ? groups : bound;
}

static bool attempt_init(struct attempt *a, struct search *s, struct arena *arena)
{
	a->passes = passes_alloc(s->rules, s->capacity, arena);
	a->where = arena_alloc(arena, s->in->counter_count * sizeof(uint32_t) + 1);
	return a->passes && a->where;
}

static bool search_init(struct search *s, struct arena *arena)
{
	uint32_t n = s->rules->counter_count;
	uint32_t list = n > s->in->item_count ? n : s->in->item_count;
	s->scratch = passes_alloc(s->rules, n + 1, arena);
	s->trial = passes_alloc(s->rules, 1, arena);
	s->rest = arena_alloc(arena, (n + 1) * sizeof(uint32_t));
	s->left = arena_alloc(arena, (n + 1) * sizeof(uint32_t));
	s->order = arena_alloc(arena, (list + 1) * sizeof(uint32_t));
	s->weight = arena_alloc(arena, (list + 1) * sizeof(uint32_t));
	return s->scratch && s->trial && s->rest && s->left && s->order && s->weight &&
	       attempt_init(&s->now, s, arena) && attempt_init(&s->next, s, arena) &&
	       attempt_init(&s->best, s, arena);
}

enum sx_status passes_search(struct pass_search *search, struct arena *arena, struct sx_error *err)
{
	struct search s = {.in = search, .rules = search->rules};
	for (uint32_t i = 0; i < search->item_count; i++)
		s.capacity += search->items[i].alone;
	if (!search_init(&s, arena))
		return error_nomem(err, "planning passes");
	uint32_t bound = lower_bound(&s);
	for (uint32_t i = 0; i < search->item_count; i++)
		s.order[i] = i;
	s.best.count = SX_NONE;
	for (int round = 0; round < ROUNDS && s.best.count > bound; round++) {
		sort_items(&s);
		if (!passes_run(&s, &s.now))
			continue;
		empty_passes(&s, &s.now, bound);
		if (s.now.count < s.best.count)
			swap(&s.now, &s.best);
	}
	search->passes = s.best.passes;
	search->pass_count = s.best.count;
	search->where = s.best.where;
	return SX_OK;
}
