/*
 * Compares flexible EU counters with a metric set: which ones its formulas read, and what it counts
 * with them.
 */
#include "wire/oa/oa.h"
#include "base/error.h"
#include "base/text_buf.h"
#include "wire/oa/flex.h"

#include <sextant/catalog.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST 7
#define LAST  20
#define SETS  3 /* sets that a remedy names */

void oa_next_write(const char **at, uint32_t *address, uint32_t *value)
{
	char *end;
	*address = (uint32_t)strtoul(*at, &end, 16);
	*value = (uint32_t)strtoul(*end == ':' ? end + 1 : end, &end, 16);
	*at = end;
}

/* Whether a formula of the set reads the counter ("A 12 READ"). */
static bool set_reads(const struct sx_catalog *catalog, uint32_t group, uint32_t counter)
{
	char token[24];
	uint32_t count;
	const struct sx_metric_info *metrics = sx_catalog_metrics(catalog, &count);
	snprintf(token, sizeof(token), "A %u READ", counter);
	for (uint32_t i = 0; i < count; i++)
		if (metrics[i].group == group && metrics[i].exprs && metrics[i].exprs[0] &&
		    strstr(metrics[i].exprs[0], token))
			return true;
	return false;
}

bool oa_flex_programmed(const struct sx_catalog *catalog, uint32_t index, uint32_t counter,
			struct oa_flex *out)
{
	struct oa_flex_place place;
	uint32_t count;
	const struct sx_group_info *groups = sx_catalog_groups(catalog, &count);
	if (index >= count || !oa_flex_place(counter, &place))
		return false;
	const struct sx_group_info *group = &groups[index];
	for (uint32_t p = 0; p < group->program_count; p++) {
		const char *at = group->programs[p].writes;
		if (group->programs[p].kind != SX_PROGRAM_FLEX || group->programs[p].when)
			continue;
		for (uint32_t i = 0; i < group->programs[p].count; i++) {
			uint32_t address, value;
			oa_next_write(&at, &address, &value);
			*out = oa_flex_decode(counter, value);
			if (address == place.address)
				return true;
		}
	}
	return false;
}

const char *oa_flex_text(const struct oa_flex *flex, char out[OA_FLEX_TEXT_MAX])
{
	const uint8_t parts[] = {flex->event, flex->coarse, flex->fine};
	static const char keys[][12] = {"eu(", ", coarse=", ", fine="};
	out[0] = '\0';
	for (int i = 0; i < 3; i++) {
		const char *name = oa_flex_name((enum oa_flex_part)i, parts[i]);
		if (i == 0 || parts[i])
			text_append(out, OA_FLEX_TEXT_MAX, "%s%s", keys[i],
				    name ? name : "undefined");
	}
	text_append(out, OA_FLEX_TEXT_MAX, ")");
	return out;
}

static bool flex_set_same(const struct oa_flex *a, const struct oa_flex *b)
{
	return oa_flex_field(a) == oa_flex_field(b);
}

/* Counters that the set leaves free; where there are none, sets that leave this one free. */
static void find_remedy(const struct sx_catalog *catalog, uint32_t group, uint32_t counter,
			struct sx_error *err)
{
	char text[160] = "";
	uint32_t count, named = 0;
	const struct sx_group_info *groups = sx_catalog_groups(catalog, &count);
	for (uint32_t n = FIRST; n <= LAST; n++)
		if (!set_reads(catalog, group, n))
			text_append_item(text, sizeof(text), ", ", "A%u", n);
	if (text[0]) {
		error_try(err, "%s, which the set leaves free", text);
		return;
	}
	for (uint32_t i = 0; i < count && named < SETS; i++)
		if (!set_reads(catalog, i, counter)) {
			text_append_item(text, sizeof(text), ", ", "%s", groups[i].name);
			named++;
		}
	error_try(err, "--set with one that leaves A%u free: %s", counter, text);
}

enum sx_status oa_flex_fits(const struct sx_catalog *catalog, uint32_t group,
			    const struct oa_flex_counter *counter, struct sx_error *err)
{
	uint32_t count;
	struct oa_flex event;
	const struct sx_group_info *groups = sx_catalog_groups(catalog, &count);
	if (group >= count || !set_reads(catalog, group, counter->counter))
		return SX_OK;
	bool known = oa_flex_programmed(catalog, group, counter->counter, &event);
	if (known && flex_set_same(&event, &counter->flex))
		return SX_OK;
	char text[OA_FLEX_TEXT_MAX];
	error_set(err, SX_ERR_USAGE, "metric set %s needs A%u", groups[group].name,
		  counter->counter);
	if (known)
		error_because(err, "its formulas read that counter as %s",
			      oa_flex_text(&event, text));
	else
		error_because(err, "its formulas read that flexible counter");
	find_remedy(catalog, group, counter->counter, err);
	return SX_ERR_USAGE;
}

enum sx_status oa_flex_merge(struct oa_flex_counter *all, uint32_t *count,
			     const struct oa_flex_counter *added, struct sx_error *err)
{
	for (uint32_t i = 0; i < *count; i++) {
		if (all[i].counter != added->counter)
			continue;
		if (flex_set_same(&all[i].flex, &added->flex))
			return SX_OK;
		error_set(err, SX_ERR_USAGE, "A%u is defined twice", added->counter);
		char first[OA_FLEX_TEXT_MAX], second[OA_FLEX_TEXT_MAX];
		error_because(err, "it counts %s or %s", oa_flex_text(&all[i].flex, first),
			      oa_flex_text(&added->flex, second));
		error_try(err, "another of A7 to A20 for one of them");
		return SX_ERR_USAGE;
	}
	all[(*count)++] = *added;
	return SX_OK;
}
