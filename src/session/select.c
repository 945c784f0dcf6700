/*
 * What of each device is wanted: patterns to selections. Where a device is programmed by sets, what
 * is shown is what is programmed: one set.
 */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Names and globs of metrics; none: everything. */
struct patterns {
	const char *const *items;
	uint32_t count;
};

static enum sx_status create(const struct sx_session *s, uint32_t index, const char *set,
			     const struct patterns *patterns, struct sx_metrics **out,
			     struct sx_error *err)
{
	const struct sx_session_device *info = &s->infos[index];
	struct sx_metrics_options options = {.patterns = patterns->items,
					     .pattern_count = patterns->count,
					     .keep_neutral = s->keep_neutral,
					     .set = set,
					     .variant = s->options.variant,
					     .constants = info->constants,
					     .constant_count = info->constant_count};
	return sx_metrics_create(info->catalog, &options, out, err);
}

static enum sx_status select_all(struct sx_session *s, uint32_t index,
				 const struct patterns *patterns, struct sx_error *err)
{
	/* "*" takes in the raw counters as well; a catalog may have only one of the two. */
	static const char *const everything[] = {"*"};
	static const struct patterns all = {everything, 1};
	struct session_device *d = &s->devices[index];
	enum sx_status status =
	    create(s, index, d->set, patterns->count ? patterns : &all, &d->metrics, err);
	s->infos[index].metrics = d->metrics;
	return status;
}

static bool means_something(const struct sx_session *s, uint32_t index, const char *set,
			    const char *pattern, struct sx_error *err)
{
	struct sx_metrics *metrics = NULL;
	struct patterns one = {&pattern, 1};
	enum sx_status status = create(s, index, set, &one, &metrics, err);
	sx_metrics_destroy(metrics);
	return status == SX_OK;
}

/* The first pattern that a set does not have, or NULL. */
static const char *lacks(const struct sx_session *s, uint32_t index, const char *set,
			 const struct patterns *patterns)
{
	for (uint32_t p = 0; p < patterns->count; p++)
		if (!means_something(s, index, set, patterns->items[p], NULL))
			return patterns->items[p];
	return NULL;
}

/* The first set, from the source's own on, that has a pattern; NULL when none has. */
static const char *set_of(const struct sx_session *s, uint32_t index,
			  const struct patterns *patterns)
{
	uint32_t count;
	const struct session_device *d = &s->devices[index];
	const char *own = d->ops->describe(d->source)->set;
	const struct sx_group_info *groups = sx_catalog_groups(s->infos[index].catalog, &count);
	bool known = own && sx_catalog_find_group(s->infos[index].catalog, own) != SX_NONE;
	if (known && !lacks(s, index, own, patterns))
		return own;
	for (uint32_t g = 0; g < count; g++)
		if (groups[g].kind == SX_GROUP_SET && !lacks(s, index, groups[g].name, patterns))
			return groups[g].name;
	return NULL;
}

/* Which sets have which patterns; in the catalog's order of groups. */
struct offer {
	const struct sx_group_info *groups;
	uint32_t group_count;
	bool *has; /* [group * patterns + pattern] */
	/* The sets that take turns: indices of groups, and which of them a pattern is counted by.
	 */
	uint32_t *chosen, chosen_count;
	uint32_t *of; /* [pattern]: index into chosen */
};

static enum sx_status find_offers(const struct sx_session *s, uint32_t index,
				  const struct patterns *patterns, struct offer *offer,
				  struct sx_error *err)
{
	offer->groups = sx_catalog_groups(s->infos[index].catalog, &offer->group_count);
	offer->has = calloc((size_t)offer->group_count * patterns->count + 1, 1);
	offer->chosen = calloc(offer->group_count + 1, sizeof(*offer->chosen));
	offer->of = calloc(patterns->count + 1, sizeof(*offer->of));
	if (!offer->has || !offer->chosen || !offer->of)
		return error_nomem(err, "choosing metric sets");
	for (uint32_t g = 0; g < offer->group_count; g++)
		for (uint32_t p = 0; offer->groups[g].kind == SX_GROUP_SET && p < patterns->count;
		     p++)
			offer->has[g * patterns->count + p] = means_something(
			    s, index, offer->groups[g].name, patterns->items[p], NULL);
	return SX_OK;
}

/* How many patterns that no chosen set has yet a group would bring. */
static uint32_t count_new(const struct offer *offer, uint32_t group, uint32_t patterns)
{
	uint32_t count = 0;
	for (uint32_t p = 0; p < patterns; p++)
		count += offer->of[p] == SX_NONE && offer->has[group * patterns + p];
	return count;
}

/* As few sets as it takes, those with most first; false when a pattern is in none. */
static bool cover_patterns(struct offer *offer, uint32_t patterns)
{
	for (uint32_t p = 0; p < patterns; p++)
		offer->of[p] = SX_NONE;
	for (uint32_t left = patterns; left;) {
		uint32_t best = 0, most = 0;
		for (uint32_t g = 0; g < offer->group_count; g++) {
			uint32_t count = count_new(offer, g, patterns);
			best = count > most ? g : best;
			most = count > most ? count : most;
		}
		if (!most)
			return false;
		for (uint32_t p = 0; p < patterns; p++)
			if (offer->of[p] == SX_NONE && offer->has[best * patterns + p])
				offer->of[p] = offer->chosen_count;
		offer->chosen[offer->chosen_count++] = best;
		left -= most;
	}
	return true;
}

/* A device for each of the sets, with the patterns that it counts. */
static enum sx_status take_turns(struct sx_session *s, uint32_t index,
				 const struct patterns *patterns, const struct offer *offer,
				 struct sx_error *err)
{
	enum sx_status status = turns_split(s, index, offer->chosen_count, err);
	const char **mine = calloc(patterns->count + 1, sizeof(*mine));
	if (!status && !mine)
		status = error_nomem(err, "choosing metric sets");
	for (uint32_t i = 0; !status && i < offer->chosen_count; i++) {
		struct patterns own = {.items = mine};
		for (uint32_t p = 0; p < patterns->count; p++)
			if (offer->of[p] == i)
				mine[own.count++] = patterns->items[p];
		s->devices[index + i].set = offer->groups[offer->chosen[i]].name;
		status = select_all(s, index + i, &own, err);
	}
	free(mine);
	return status;
}

static enum sx_status do_not_fit(const struct sx_session *s, uint32_t index, const char *pattern,
				 struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "no metric set has %s", pattern);
	error_because(err, "one set is programmed at a time, and none of them counts it");
	error_try(err, "sextant list metrics --for %s",
		  sx_catalog_info(s->infos[index].catalog)->name);
	return SX_ERR_NOT_FOUND;
}

/* Several sets count what one cannot: they take turns. */
static enum sx_status divide_sets(struct sx_session *s, uint32_t index,
				  const struct patterns *patterns, struct sx_error *err)
{
	struct offer offer = {.groups = NULL};
	uint32_t p = 0;
	enum sx_status status = find_offers(s, index, patterns, &offer, err);
	bool covered = !status && cover_patterns(&offer, patterns->count);
	while (!status && !covered && offer.of[p] != SX_NONE)
		p++;
	if (!status)
		status = covered ? take_turns(s, index, patterns, &offer, err)
				 : do_not_fit(s, index, patterns->items[p], err);
	free(offer.has);
	free(offer.chosen);
	free(offer.of);
	return status;
}

static enum sx_status other_set(const struct sx_session *s, const char *recorded,
				struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "%s was not recorded with set %s", s->options.input,
		  s->options.set);
	error_because(err, "set %s was programmed; what others count was not counted", recorded);
	error_try(err, "without --set, or another recording");
	return SX_ERR_NOT_FOUND;
}

/* Counts of a catalog with sets say nothing without the set; old captures do not tell it. */
static enum sx_status ask_for_set(const struct sx_session *s, uint32_t index, struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "%s does not tell which metric set was programmed",
		  s->options.input);
	error_because(err, "an older version wrote it, and each set counts other things");
	error_try(err, "--set NAME; sextant list sets --for %s",
		  sx_catalog_info(s->infos[index].catalog)->name);
	return SX_ERR_USAGE;
}

/* The set where it does not depend on what is asked for: recorded, or named by the user. */
static enum sx_status fix_set(struct sx_session *s, uint32_t index, struct sx_error *err)
{
	struct session_device *d = &s->devices[index];
	const struct source_desc *desc = d->ops->describe(d->source);
	const char *asked = s->options.set;
	bool has = asked && sx_catalog_find_group(s->infos[index].catalog, asked) != SX_NONE;
	d->set = has || s->device_count == 1 ? asked : NULL;
	if (!desc->set_is_fixed || !desc->set)
		return SX_OK;
	if (d->set && strcmp(d->set, desc->set) != 0)
		return other_set(s, desc->set, err);
	d->set = desc->set;
	return SX_OK;
}

/* Selects these patterns, in the set that has all of them where it is still open. */
static enum sx_status select_set(struct sx_session *s, uint32_t index,
				 const struct patterns *patterns, struct sx_error *err)
{
	struct session_device *d = &s->devices[index];
	if (!d->set && d->ops->describe(d->source)->programs_sets) {
		d->set = set_of(s, index, patterns);
		if (!d->set)
			return divide_sets(s, index, patterns, err);
	}
	bool open = !d->set && s->options.input && sx_catalog_has_sets(s->infos[index].catalog);
	return open && !patterns->count ? ask_for_set(s, index, err)
					: select_all(s, index, patterns, err);
}

/* Whether a pattern is for this device, in whichever set it may be. */
static bool is_for(const struct sx_session *s, uint32_t index, const char *pattern,
		   struct sx_error *why)
{
	const struct session_device *d = &s->devices[index];
	struct patterns one = {&pattern, 1};
	bool open = !d->set && d->ops->describe(d->source)->programs_sets;
	if (open && set_of(s, index, &one))
		return true;
	return means_something(s, index, d->set, pattern, why->status ? NULL : why);
}

/* The last device takes neutral names that none before it had, as no data with a reason. */
static bool is_left_for(struct sx_session *s, uint32_t index, const char *pattern, bool used)
{
	struct sx_error ignored = {.status = SX_ERR_NOT_FOUND};
	if (used || index + 1 < s->device_count)
		return false;
	s->keep_neutral = true;
	return is_for(s, index, pattern, &ignored);
}

/* The last of the devices that one became. */
static uint32_t last_turn(const struct sx_session *s, uint32_t index)
{
	const struct session_turns *turns = s->devices[index].turns;
	return turns ? turns->first + turns->count - 1 : index;
}

/* Each pattern must mean something on at least one device; others pass it over. */
static enum sx_status select_patterns(struct sx_session *s, struct sx_error *err)
{
	uint32_t count = s->options.metric_count;
	const char **mine = calloc(count + 1, sizeof(*mine));
	bool *used = calloc(count + 1, sizeof(*used));
	enum sx_status status = mine && used ? SX_OK : error_nomem(err, "selecting metrics");
	struct sx_error why = {0};
	s->keep_neutral = false;
	for (uint32_t i = 0; !status && i < s->device_count; i++) {
		struct patterns own = {.items = mine};
		status = fix_set(s, i, err);
		for (uint32_t p = 0; !status && p < count; p++) {
			if (!is_for(s, i, s->options.metrics[p], &why) &&
			    !is_left_for(s, i, s->options.metrics[p], used[p]))
				continue;
			used[p] = true;
			mine[own.count++] = s->options.metrics[p];
		}
		if (!own.count)
			continue;
		status = select_set(s, i, &own, err);
		i = last_turn(s, i);
	}
	for (uint32_t p = 0; !status && p < count; p++) {
		if (used[p])
			continue;
		if (err)
			*err = why;
		status = why.status;
	}
	free(mine);
	free(used);
	return status;
}

enum sx_status session_select(struct sx_session *s, struct sx_error *err)
{
	static const struct patterns none;
	enum sx_status status = SX_OK;
	if (s->options.metric_count)
		status = select_patterns(s, err);
	for (uint32_t i = 0; !status && !s->options.metric_count && i < s->device_count; i++) {
		status = fix_set(s, i, err);
		if (!status)
			status = select_set(s, i, &none, err);
	}
	for (uint32_t i = 0; i < s->device_count; i++)
		s->infos[i].set = s->devices[i].set;
	return status;
}
