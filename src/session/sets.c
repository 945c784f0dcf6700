/*
 * Chooses the metric sets that a device is programmed with: the plan's passes. Each set that has a
 * metric is an alternative, and the planner chooses. One pass is one set for the whole run; several
 * are multiplexed.
 */
#include "session/session.h"

#include <stdlib.h>

#include <sextant/plan.h>

#include "base/error.h"
#include "metric/metrics.h"

/* A pattern in a set that has it: an item of the plan. */
struct way {
	uint32_t pattern, group;
};

/* The set that is programmed at one time, with the patterns that it counts. */
struct slice {
	uint32_t group;
	const char **patterns;
	uint32_t count;
};

struct sets {
	struct sx_session *session;
	uint32_t index; /* of the device */
	const struct session_patterns *patterns;
	const struct sx_group_info *groups;
	uint32_t group_count;
	struct sx_plan_item *items;
	struct way *ways;
	uint32_t count; /* of items and ways */
	struct sx_plan *plan;
	struct slice *slices;
	uint32_t slice_count;
	struct arena arena;
	struct sx_error *err;
};

static enum sx_status no_memory(const struct sets *sets)
{
	return error_nomem(sets->err, "choosing metric sets");
}

static uint32_t find_own(const struct sx_session *s, uint32_t index)
{
	const struct session_device *d = &s->devices[index];
	const char *own = source_describe(d->source)->facts.set;
	return own ? sx_catalog_find_group(s->infos[index].catalog, own) : SX_NONE;
}

/* The counters that a selection reads. */
static bool list_counters(struct sets *sets, const struct sx_metrics *metrics,
			  struct sx_plan_item *item)
{
	uint32_t count;
	const struct sx_metric_input *inputs = sx_metrics_inputs(metrics, &count);
	uint32_t *list = arena_alloc(&sets->arena, (count + 1) * sizeof(*list));
	item->counters = list;
	for (uint32_t i = 0; list && i < count; i++)
		if (inputs[i].counter != SX_NONE)
			list[item->count++] = inputs[i].counter;
	return list != NULL;
}

/* A set that does not have the pattern is no way to it. */
static enum sx_status add_way(struct sets *sets, uint32_t group, uint32_t pattern)
{
	struct session_patterns one = {&sets->patterns->items[pattern], 1};
	struct sx_plan_item item = {.group = group + 1, .either = pattern + 1};
	struct sx_metrics *metrics = NULL;
	enum sx_status status =
	    select_create(sets->session, sets->index,
			  (struct session_choice){sets->groups[group].name, &one}, &metrics, NULL);
	if (status == SX_ERR_NO_MEMORY)
		return no_memory(sets);
	if (status)
		return SX_OK;
	bool ok = list_counters(sets, metrics, &item);
	sx_metrics_destroy(metrics);
	sets->items[sets->count] = item;
	sets->ways[sets->count++] = (struct way){pattern, group};
	return ok ? SX_OK : no_memory(sets);
}

/* The ways that one set is; true when it has all patterns. */
static enum sx_status add_set(struct sets *sets, uint32_t group, bool *all)
{
	enum sx_status status = SX_OK;
	uint32_t before = sets->count;
	for (uint32_t p = 0; !status && p < sets->patterns->count; p++)
		status = add_way(sets, group, p);
	*all = sets->count - before == sets->patterns->count;
	return status;
}

/*
 * The source's own set is the first way: it serves where others serve as well. Behind a set that
 * has all patterns no other is looked at, since none would be better.
 */
static enum sx_status find_ways(struct sets *sets)
{
	size_t most = (size_t)sets->group_count * sets->patterns->count + 1;
	uint32_t own = find_own(sets->session, sets->index);
	enum sx_status status = SX_OK;
	bool all = false;
	sets->items = arena_alloc(&sets->arena, most * sizeof(*sets->items));
	sets->ways = arena_alloc(&sets->arena, most * sizeof(*sets->ways));
	if (!sets->items || !sets->ways)
		return no_memory(sets);
	if (own != SX_NONE)
		status = add_set(sets, own, &all);
	for (uint32_t g = 0; !status && !all && g < sets->group_count; g++)
		if (g != own && sets->groups[g].kind == SX_GROUP_SET)
			status = add_set(sets, g, &all);
	return status;
}

static bool has_way(const struct sets *sets, uint32_t pattern)
{
	for (uint32_t i = 0; i < sets->count; i++)
		if (sets->ways[i].pattern == pattern)
			return true;
	return false;
}

static enum sx_status do_not_fit(const struct sets *sets, const char *pattern)
{
	error_set(sets->err, SX_ERR_NOT_FOUND, "no metric set has %s", pattern);
	error_because(sets->err, "one set is programmed at a time, and none of them counts it");
	error_try(sets->err, "sextant list metrics --for %s",
		  sx_catalog_info(sets->session->infos[sets->index].catalog)->name);
	return SX_ERR_NOT_FOUND;
}

/*
 * The slice that counts an item: its pass's. What reads no counter joins its set's, and so does
 * what shares a pass because its set is not marked exclusive: sources program one at a time.
 */
static struct slice *slice_of(struct sets *sets, uint32_t item)
{
	uint32_t count, group = sets->ways[item].group;
	const uint32_t *passes = sx_plan_item_passes(sets->plan, item, &count);
	struct slice *slice = count ? &sets->slices[passes[0]] : NULL;
	if (slice && (!slice->count || slice->group == group))
		return slice;
	for (uint32_t i = 0; i < sets->slice_count; i++)
		if (sets->slices[i].count && sets->slices[i].group == group)
			return &sets->slices[i];
	return &sets->slices[sets->slice_count++];
}

static enum sx_status make_slices(struct sets *sets)
{
	sx_plan_passes(sets->plan, &sets->slice_count);
	size_t most = (size_t)sets->slice_count + sets->patterns->count;
	sets->slices = arena_alloc(&sets->arena, most * sizeof(*sets->slices));
	if (!sets->slices)
		return no_memory(sets);
	for (uint32_t i = 0; i < sets->count; i++) {
		if (!plan_is_chosen(sets->plan, i))
			continue;
		struct slice *slice = slice_of(sets, i);
		if (!slice->patterns)
			slice->patterns = arena_alloc(&sets->arena, sets->patterns->count *
									sizeof(*slice->patterns));
		if (!slice->patterns)
			return no_memory(sets);
		slice->group = sets->ways[i].group;
		slice->patterns[slice->count++] = sets->patterns->items[sets->ways[i].pattern];
	}
	return SX_OK;
}

/* A device for each slice, if there are several. */
static enum sx_status apply(struct sets *sets)
{
	struct sx_session *s = sets->session;
	enum sx_status status = SX_OK;
	if (sets->slice_count > 1)
		status = turns_split(s, sets->index, sets->slice_count, sets->err);
	for (uint32_t i = 0; !status && i < sets->slice_count; i++) {
		struct session_patterns own = {sets->slices[i].patterns, sets->slices[i].count};
		s->devices[sets->index + i].set = sets->groups[sets->slices[i].group].name;
		status = select_in_set(s, sets->index + i, &own, sets->err);
	}
	return status;
}

static enum sx_status plan_sets(struct sets *sets)
{
	struct sx_catalog *catalog = sets->session->infos[sets->index].catalog;
	enum sx_status status = find_ways(sets);
	for (uint32_t p = 0; !status && p < sets->patterns->count; p++)
		if (!has_way(sets, p))
			return do_not_fit(sets, sets->patterns->items[p]);
	const struct sx_plan_request request = {.items = sets->items, .count = sets->count};
	if (!status)
		status = sx_plan_create(catalog, &request, &sets->plan, sets->err);
	if (!status)
		status = make_slices(sets);
	return status ? status : apply(sets);
}

/* Nothing is asked for: the source's own set, or the catalog's first. */
static const char *usual_set(const struct sets *sets)
{
	uint32_t own = find_own(sets->session, sets->index);
	if (own != SX_NONE)
		return sets->groups[own].name;
	for (uint32_t g = 0; g < sets->group_count; g++)
		if (sets->groups[g].kind == SX_GROUP_SET)
			return sets->groups[g].name;
	return NULL;
}

enum sx_status sets_select(struct sx_session *s, uint32_t index,
			   const struct session_patterns *patterns, struct sx_error *err)
{
	struct sets sets = {.session = s, .index = index, .patterns = patterns, .err = err};
	sets.groups = sx_catalog_groups(s->infos[index].catalog, &sets.group_count);
	if (!patterns->count) {
		s->devices[index].set = usual_set(&sets);
		return select_in_set(s, index, patterns, err);
	}
	enum sx_status status = plan_sets(&sets);
	sx_plan_destroy(sets.plan);
	arena_finish(&sets.arena);
	return status;
}

bool sets_have(const struct sx_session *s, uint32_t index, const char *pattern)
{
	uint32_t count;
	const struct sx_group_info *groups = sx_catalog_groups(s->infos[index].catalog, &count);
	struct session_patterns one = {&pattern, 1};
	for (uint32_t g = 0; g < count; g++) {
		struct sx_metrics *metrics = NULL;
		if (groups[g].kind != SX_GROUP_SET ||
		    select_create(s, index, (struct session_choice){groups[g].name, &one}, &metrics,
				  NULL))
			continue;
		sx_metrics_destroy(metrics);
		return true;
	}
	return false;
}
