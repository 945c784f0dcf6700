/* Names that no column has: why, and what is near. */
#include "metric/missing.h"

#include <string.h>

#include "base/error.h"
#include "base/suggest.h"

enum sx_status missing_ambiguous(const struct sx_metrics *m, const char *name, uint32_t matches,
				 struct sx_error *err)
{
	uint32_t count, first = sx_catalog_find_metric(m->catalog, name, SX_NONE, NULL);
	error_set(err, SX_ERR_AMBIGUOUS, "%s is ambiguous in catalog %s", name,
		  sx_catalog_info(m->catalog)->name);
	error_because(err, "%u groups have a metric of this name", matches);
	error_try(err, "%s, or choose the group with --set",
		  sx_catalog_metrics(m->catalog, &count)[first].qualified);
	return SX_ERR_AMBIGUOUS;
}

static const struct sx_group_info *group_at(const struct sx_metrics *m, uint32_t i)
{
	uint32_t count;
	return &sx_catalog_groups(m->catalog, &count)[i];
}

/* The names of the set that come near, and of counters, which every set has. */
static void suggest_in_set(const struct sx_metrics *m, const char *name, struct suggest *near)
{
	uint32_t metrics, counters;
	const struct sx_metric_info *metric = sx_catalog_metrics(m->catalog, &metrics);
	const struct sx_counter_info *counter = sx_catalog_counters(m->catalog, &counters);
	const char *dot = strrchr(name, '.');
	suggest_begin(near, dot ? dot + 1 : name, 3);
	for (uint32_t i = 0; i < metrics; i++)
		if (metric[i].group == m->set)
			suggest_offer(near, metric[i].name);
	for (uint32_t i = 0; i < counters; i++)
		if (counter[i].group == SX_NONE || counter[i].group == m->set)
			suggest_offer(near, counter[i].name);
}

/* A name that the set at hand does not have: whose it is, and what the set has instead. */
static enum sx_status not_in_set(const struct sx_metrics *m, const char *name, struct sx_error *err)
{
	char text[256];
	struct suggest near;
	uint32_t matches, count;
	const char *set = group_at(m, m->set)->name;
	uint32_t other = sx_catalog_find_metric(m->catalog, name, SX_NONE, &matches);
	error_set(err, SX_ERR_NOT_FOUND, "set %s has no metric or counter %s", set, name);
	if (other == SX_NONE)
		error_because(err, "no name or alias of catalog %s matches",
			      sx_catalog_info(m->catalog)->name);
	else if (matches > 1)
		error_because(err, "%u other sets of catalog %s have it", matches,
			      sx_catalog_info(m->catalog)->name);
	else
		error_because(
		    err, "it is of set %s, another one",
		    group_at(m, sx_catalog_metrics(m->catalog, &count)[other].group)->name);
	suggest_in_set(m, name, &near);
	if (near.count)
		error_try(err, "%s", suggest_text(&near, text, sizeof(text)));
	else
		error_try(err, "sextant list metrics --for %s --set %s",
			  sx_catalog_info(m->catalog)->name, set);
	return SX_ERR_NOT_FOUND;
}

enum sx_status missing_name(const struct sx_metrics *m, const char *name, struct sx_error *err)
{
	const char *near[3];
	if (!err)
		return SX_ERR_NOT_FOUND; /* without err the name was only a question: nobody reads
					    what is near */
	if (m->set != SX_NONE)
		return not_in_set(m, name, err);
	size_t count = sx_catalog_suggest(m->catalog, name, near, 3);
	const char *catalog = sx_catalog_info(m->catalog)->name;
	error_set(err, SX_ERR_NOT_FOUND, "no metric or counter %s in catalog %s", name, catalog);
	error_because(err, "no name or alias matches");
	if (count == 0)
		error_try(err, "sextant list metrics --for %s", catalog);
	else if (count == 1)
		error_try(err, "%s", near[0]);
	else
		error_try(err, "%s or %s", near[0], near[1]);
	return SX_ERR_NOT_FOUND;
}
