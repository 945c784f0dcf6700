/* The public interface of plans: catalog indices in, passes and the place of every counter out. */
#include <sextant/plan.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "metric/metrics.h"
#include "metric/plan/passes.h"

struct plan_item {
	uint32_t *counters; /* indices in the catalog */
	uint32_t *sources;  /* the pass of each */
	uint32_t count;
	uint32_t *passes;
	uint32_t pass_count;
	bool chosen; /* or another way to the same was */
};

struct sx_plan {
	struct arena arena;
	struct sx_plan_pass *passes;
	uint32_t pass_count;
	struct plan_item *items;
	uint32_t item_count;
};

static uint32_t unique(uint32_t *list, uint32_t count)
{
	uint32_t n = 0;
	qsort(list, count, sizeof(*list), number_compare_u32);
	for (uint32_t i = 0; i < count; i++)
		if (!n || list[n - 1] != list[i])
			list[n++] = list[i];
	return n;
}

/* All counters that items need or would keep, sorted. */
static uint32_t *plan_gather(const struct sx_plan_item *items, uint32_t count, struct arena *arena,
			     uint32_t *used)
{
	size_t total = 0;
	for (uint32_t i = 0; i < count; i++)
		total += (size_t)items[i].count + items[i].keep_count;
	uint32_t *list = arena_alloc(arena, (total + 1) * sizeof(*list));
	if (!list || total > UINT32_MAX)
		return NULL;
	uint32_t n = 0;
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < items[i].count; k++)
			list[n++] = items[i].counters[k];
		for (uint32_t k = 0; k < items[i].keep_count; k++)
			list[n++] = items[i].keep[k];
	}
	*used = unique(list, n);
	return list;
}

/* Counters that bind a pass most come first: alone, of a stage, of a group; then by block. */
static int compare_rules(const struct rule_counter *a, const struct rule_counter *b)
{
	if (a->alone != b->alone)
		return a->alone ? -1 : 1;
	if (a->stage != b->stage)
		return a->stage < b->stage ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->block != b->block ? (a->block < b->block ? -1 : 1) : 0;
}

static void sort_counters(const struct pass_rules *rules, uint32_t *list, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		uint32_t x = list[i], k = i;
		for (;
		     k > 0 && compare_rules(&rules->counters[x], &rules->counters[list[k - 1]]) < 0;
		     k--)
			list[k] = list[k - 1];
		list[k] = x;
	}
}

static uint32_t to_local(const struct pass_rules *rules, const uint32_t *used, uint32_t index)
{
	const uint32_t *hit =
	    bsearch(&index, used, rules->counter_count, sizeof(*used), number_compare_u32);
	return (uint32_t)(hit - used);
}

static enum sx_status make_items(const struct plan_input *in, const uint32_t *used,
				 struct pass_search *search, struct arena *arena,
				 struct sx_error *err)
{
	const struct sx_plan_item *items = in->items;
	const struct pass_rules *rules = search->rules;
	struct pass_item *out = arena_alloc(arena, (search->item_count + 1) * sizeof(*out));
	struct pass *scratch = passes_alloc(rules, rules->counter_count + 1, arena);
	if (!out || !scratch)
		return error_nomem(err, "planning passes");
	for (uint32_t i = 0; i < search->item_count; i++) {
		uint32_t *list = arena_alloc(arena, (items[i].count + 1) * sizeof(*list));
		if (!list)
			return error_nomem(err, "planning passes");
		for (uint32_t k = 0; k < items[i].count; k++)
			list[k] = to_local(rules, used, items[i].counters[k]);
		uint32_t count = unique(list, items[i].count);
		sort_counters(rules, list, count);
		out[i] = (struct pass_item){.counters = list,
					    .count = count,
					    .alone = passes_alone(rules, list, count, scratch),
					    .offset = search->counter_count,
					    .group = choice_group(in->catalog, &items[i])};
		if (count && !out[i].alone)
			return error_set(err, SX_ERR_UNSUPPORTED, "a counter fits no pass");
		search->counter_count += count;
	}
	search->items = out;
	return SX_OK;
}

/* Adds what is wanted beside an item where one of its passes has room. */
static void keep_beside(const struct sx_plan_item *item, const struct pass_item *placed,
			const struct pass_search *search, const uint32_t *used)
{
	for (uint32_t i = 0; i < item->keep_count; i++) {
		uint32_t counter = to_local(search->rules, used, item->keep[i]);
		for (uint32_t k = 0; k < placed->count; k++)
			if (pass_add(&search->passes[search->where[placed->offset + k]],
				     search->rules, counter))
				break;
	}
}

/* Numbers passes by the first item that uses them. */
static uint32_t *number_passes(const struct pass_search *search, struct arena *arena)
{
	uint32_t *number = arena_alloc(arena, (search->pass_count + 1) * sizeof(*number));
	uint32_t next = 0;
	if (!number)
		return NULL;
	memset(number, 0xff, search->pass_count * sizeof(*number));
	for (uint32_t i = 0; i < search->counter_count; i++)
		if (number[search->where[i]] == SX_NONE)
			number[search->where[i]] = next++;
	return number;
}

static bool publish_item(struct sx_plan *plan, uint32_t i, const struct pass_search *search,
			 const uint32_t *number)
{
	const struct pass_item *in = &search->items[i];
	struct plan_item *out = &plan->items[i];
	out->counters = arena_alloc(&plan->arena, (3 * (size_t)in->count + 1) * sizeof(uint32_t));
	if (!out->counters)
		return false;
	out->sources = out->counters + in->count;
	out->passes = out->sources + in->count;
	out->count = in->count;
	for (uint32_t k = 0; k < in->count; k++) {
		out->counters[k] = search->rules->counters[in->counters[k]].index;
		out->sources[k] = out->passes[k] = number[search->where[in->offset + k]];
	}
	out->pass_count = unique(out->passes, in->count);
	return true;
}

static bool publish_pass(struct sx_plan *plan, uint32_t number, const struct pass *pass,
			 const struct pass_rules *rules)
{
	uint32_t *list = arena_alloc(&plan->arena, (pass->count + 1) * sizeof(*list));
	uint32_t n = 0;
	if (!list)
		return false;
	for (uint32_t c = 0; c < rules->counter_count; c++)
		if (pass_has(pass, c))
			list[n++] = rules->counters[c].index;
	plan->passes[number] = (struct sx_plan_pass){
	    .counters = list, .count = n, .group = pass->group == SX_NONE ? 0 : pass->group + 1};
	return true;
}

static bool publish(struct sx_plan *plan, const struct pass_search *search)
{
	uint32_t *number = number_passes(search, &plan->arena);
	plan->items = arena_alloc(&plan->arena, (search->item_count + 1) * sizeof(*plan->items));
	plan->passes = arena_alloc(&plan->arena, (search->pass_count + 1) * sizeof(*plan->passes));
	if (!number || !plan->items || !plan->passes)
		return false;
	plan->item_count = search->item_count;
	plan->pass_count = search->pass_count;
	for (uint32_t i = 0; i < search->item_count; i++)
		if (!publish_item(plan, i, search, number))
			return false;
	for (uint32_t p = 0; p < search->pass_count; p++)
		if (!publish_pass(plan, number[p], &search->passes[p], search->rules))
			return false;
	return true;
}

/* Copies of the items; those that are not chosen need nothing. */
static struct sx_plan_item *leave_out(const struct sx_plan_item *items, uint32_t count,
				      const bool *chosen, struct arena *arena)
{
	struct sx_plan_item *kept = arena_alloc(arena, (count + 1) * sizeof(*kept));
	for (uint32_t i = 0; kept && i < count; i++)
		if (chosen[i])
			kept[i] = items[i];
	return kept;
}

static enum sx_status arrange(struct sx_plan *plan, const struct plan_input *in,
			      struct arena *scratch, struct sx_error *err)
{
	struct plan_used used;
	used.items = plan_gather(in->items, in->count, scratch, &used.count);
	if (!used.items)
		return error_nomem(err, "planning passes");
	struct pass_rules rules;
	enum sx_status status = pass_rules_compile(in, &used, scratch, &rules, err);
	struct pass_search search = {.rules = &rules, .item_count = in->count};
	if (!status)
		status = make_items(in, used.items, &search, scratch, err);
	if (!status)
		status = passes_search(&search, scratch, err);
	if (status)
		return status;
	for (uint32_t i = 0; i < in->count; i++)
		keep_beside(&in->items[i], &search.items[i], &search, used.items);
	return publish(plan, &search) ? SX_OK : error_nomem(err, "planning passes");
}

static enum sx_status plan_fill(struct sx_plan *plan, const struct plan_input *in,
				struct arena *scratch, struct sx_error *err)
{
	uint32_t count = in->count;
	struct plan_input some = *in;
	bool *chosen = arena_alloc(scratch, (size_t)count + 1);
	if (!chosen)
		return error_nomem(err, "planning passes");
	enum sx_status status = choice_make(in, chosen, scratch, err);
	some.items = status ? NULL : leave_out(in->items, count, chosen, scratch);
	if (!status && !some.items)
		status = error_nomem(err, "planning passes");
	if (!status)
		status = arrange(plan, &some, scratch, err);
	for (uint32_t i = 0; !status && i < count; i++)
		plan->items[i].chosen = chosen[i];
	return status;
}

enum sx_status sx_plan_create(const struct sx_catalog *catalog,
			      const struct sx_plan_request *request, struct sx_plan **out,
			      struct sx_error *err)
{
	static const struct sx_plan_options none = {0};
	struct sx_plan *plan = calloc(1, sizeof(*plan));
	if (!plan)
		return error_nomem(err, "planning passes");
	struct arena scratch = {0};
	const struct plan_input in = {catalog, request->items, request->count,
				      request->options ? request->options : &none};
	enum sx_status status = plan_fill(plan, &in, &scratch, err);
	arena_finish(&scratch);
	if (status) {
		sx_plan_destroy(plan);
		return status;
	}
	*out = plan;
	return SX_OK;
}

void sx_plan_destroy(struct sx_plan *plan)
{
	if (!plan)
		return;
	arena_finish(&plan->arena);
	free(plan);
}

const struct sx_plan_pass *sx_plan_passes(const struct sx_plan *plan, uint32_t *count)
{
	*count = plan->pass_count;
	return plan->passes;
}

const uint32_t *sx_plan_item_passes(const struct sx_plan *plan, uint32_t item, uint32_t *count)
{
	*count = plan->items[item].pass_count;
	return plan->items[item].passes;
}

bool plan_is_chosen(const struct sx_plan *plan, uint32_t item)
{
	return plan->items[item].chosen;
}

uint32_t sx_plan_source(const struct sx_plan *plan, uint32_t item, uint32_t counter)
{
	const struct plan_item *p = &plan->items[item];
	for (uint32_t i = 0; i < p->count; i++)
		if (p->counters[i] == counter)
			return p->sources[i];
	return SX_NONE;
}
