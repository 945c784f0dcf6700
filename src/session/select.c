/*
 * Turns patterns into a selection for each device. Where a device is programmed by sets, only
 * metrics of the programmed set are shown.
 */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/suggest.h"

/*
 * The columns of a recording, also counters that its catalog does not know, since a source had
 * found them on the device. NULL: of this machine's devices.
 */
static enum sx_status recorded_columns(const struct sx_session *s, uint32_t index,
				       struct sx_table **out, struct sx_error *err)
{
	const struct session_device *d = &s->devices[index];
	const struct source_desc *desc = source_describe(d->source);
	if (!s->options.input || !desc->columns)
		return SX_OK;
	return sx_table_create(desc->columns, desc->column_count, SX_SAMPLE_ROW, out, err);
}

enum sx_status select_create(const struct sx_session *s, uint32_t index,
			     struct session_choice choice, struct sx_metrics **out,
			     struct sx_error *err)
{
	const struct sx_session_device *info = &s->infos[index];
	struct sx_table *like = NULL;
	enum sx_status status = recorded_columns(s, index, &like, err);
	struct sx_metrics_options options = {.patterns = choice.patterns->items,
					     .pattern_count = choice.patterns->count,
					     .keep_neutral = s->keep_neutral,
					     .set = choice.set,
					     .variant = s->options.variant,
					     .constants = info->facts.constants,
					     .constant_count = info->facts.constant_count,
					     .like = like};
	if (!status)
		status = sx_metrics_create(info->catalog, &options, out, err);
	sx_table_destroy(like);
	return status;
}

enum sx_status select_in_set(struct sx_session *s, uint32_t index,
			     const struct session_patterns *patterns, struct sx_error *err)
{
	/* "*" takes in the raw counters as well; a catalog may have only one of the two. */
	static const char *const everything[] = {"*"};
	static const struct session_patterns all = {everything, 1};
	struct session_device *d = &s->devices[index];
	const struct source_desc *desc = source_describe(d->source);
	const struct session_patterns usual = {desc->usual, desc->usual_count};
	const struct session_patterns *otherwise = desc->usual ? &usual : &all;
	const struct session_choice choice = {d->set, patterns->count ? patterns : otherwise};
	enum sx_status status = select_create(s, index, choice, &d->metrics, err);
	s->infos[index].metrics = d->metrics;
	return status;
}

static bool means_something(const struct sx_session *s, uint32_t index, const char *set,
			    const char *pattern, struct sx_error *err)
{
	struct sx_metrics *metrics = NULL;
	struct session_patterns one = {&pattern, 1};
	enum sx_status status =
	    select_create(s, index, (struct session_choice){set, &one}, &metrics, err);
	sx_metrics_destroy(metrics);
	return status == SX_OK;
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

/*
 * Counts of a catalog with sets mean nothing without the set; old captures and tables do not name
 * it.
 */
static enum sx_status ask_for_set(const struct sx_session *s, uint32_t index, struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "%s does not say which metric set was programmed",
		  s->options.input);
	error_because(err, "each set counts other things, under the same names too");
	error_try(err, "--set NAME; sextant list sets --for %s",
		  sx_catalog_info(s->infos[index].catalog)->name);
	return SX_ERR_USAGE;
}

/* The set where it does not depend on what is asked for: recorded, or named by the user. */
static enum sx_status fix_set(struct sx_session *s, uint32_t index, struct sx_error *err)
{
	struct session_device *d = &s->devices[index];
	const struct source_desc *desc = source_describe(d->source);
	const char *asked = s->options.set;
	bool has = asked && sx_catalog_find_group(s->infos[index].catalog, asked) != SX_NONE;
	d->set = has || s->device_count == 1 ? asked : NULL;
	if (!desc->set_is_fixed || !desc->facts.set)
		return SX_OK;
	if (d->set && strcmp(d->set, desc->facts.set) != 0)
		return other_set(s, desc->facts.set, err);
	d->set = desc->facts.set;
	return SX_OK;
}

/* Selects these patterns, in the set that has all of them where it is still open. */
static enum sx_status select_set(struct sx_session *s, uint32_t index,
				 const struct session_patterns *patterns, struct sx_error *err)
{
	struct session_device *d = &s->devices[index];
	if (!d->set && source_describe(d->source)->programs_sets)
		return sets_select(s, index, patterns, err);
	bool open = !d->set && s->options.input && sx_catalog_has_sets(s->infos[index].catalog);
	return open && !patterns->count ? ask_for_set(s, index, err)
					: select_in_set(s, index, patterns, err);
}

/* Whether a pattern is for this device, in whichever set it may be. */
static bool is_for(const struct sx_session *s, uint32_t index, const char *pattern,
		   struct sx_error *why)
{
	const struct session_device *d = &s->devices[index];
	bool open = !d->set && source_describe(d->source)->programs_sets;
	if (open && sets_have(s, index, pattern))
		return true;
	return means_something(s, index, d->set, pattern, why->status ? NULL : why);
}

/* The pattern as this device has it: as it is, or behind its source or catalog and a dot; or NULL.
 */
static const char *name_for(const struct sx_session *s, uint32_t index, const char *pattern,
			    struct sx_error *why)
{
	const struct sx_session_device *info = &s->infos[index];
	const char *from = s->devices[index].recorded_source;
	const char *whose[] = {from ? from : info->facts.source,
			       sx_catalog_info(info->catalog)->name};
	if (is_for(s, index, pattern, why))
		return pattern;
	for (size_t i = 0; i < 2; i++) {
		const char *rest = suggest_behind(pattern, whose[i], info->facts.number);
		if (rest && is_for(s, index, rest, why))
			return rest;
	}
	return NULL;
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
		struct session_patterns own = {.items = mine};
		status = fix_set(s, i, err);
		for (uint32_t p = 0; !status && p < count; p++) {
			const char *pattern = s->options.metrics[p];
			const char *name = name_for(s, i, pattern, &why);
			if (!name && is_left_for(s, i, pattern, used[p]))
				name = pattern;
			if (!name)
				continue;
			used[p] = true;
			mine[own.count++] = name;
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
	static const struct session_patterns none;
	enum sx_status status = SX_OK;
	if (s->options.metric_count)
		status = select_patterns(s, err);
	for (uint32_t i = 0; !status && !s->options.metric_count && i < s->device_count; i++) {
		status = fix_set(s, i, err);
		if (!status)
			status = select_set(s, i, &none, err);
	}
	for (uint32_t i = 0; i < s->device_count; i++) {
		s->infos[i].facts.set = s->devices[i].set;
		s->infos[i].facts.variant = s->options.variant;
		s->infos[i].facts.instance = 0;
		for (uint32_t j = 0; j < i; j++)
			s->infos[i].facts.instance += s->devices[j].ops == s->devices[i].ops;
	}
	return status;
}
