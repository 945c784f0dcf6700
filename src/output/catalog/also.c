/* Metrics of one name in several groups: the same thing, or not. */
#include "output/catalog/also.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text_buf.h"

#define NAME_ROOM 100

static bool is_same(const struct sx_metric_info *a, const struct sx_metric_info *b,
		    uint32_t variant)
{
	const char *x = a->exprs ? a->exprs[variant] : NULL;
	const char *y = b->exprs ? b->exprs[variant] : NULL;
	return x && y && strcmp(x, y) == 0 && strcmp(a->unit, b->unit) == 0;
}

/* The next metric from `at` on that has the name of `index` in another group; SX_NONE: no more. */
static uint32_t next_of_name(const struct catalog_view *view, uint32_t index, uint32_t at)
{
	const struct sx_metric_info *m = view->metrics;
	for (uint32_t i = at; i < view->metric_count; i++)
		if (i != index && m[i].group != SX_NONE && strcmp(m[i].name, m[index].name) == 0)
			return i;
	return SX_NONE;
}

static const char *group_of(const struct catalog_view *view, uint32_t index)
{
	return view->groups[view->metrics[index].group].name;
}

void also_describe(const struct catalog_view *view, uint32_t index, uint32_t variant,
		   struct also *out)
{
	uint32_t same = 0, other = 0;
	*out = (struct also){.other = ""};
	for (uint32_t i = next_of_name(view, index, 0); i != SX_NONE;
	     i = next_of_name(view, index, i + 1)) {
		if (is_same(&view->metrics[index], &view->metrics[i], variant)) {
			same++;
			continue;
		}
		size_t used = strlen(out->other);
		if (used + NAME_ROOM < sizeof(out->other))
			text_append(out->other, sizeof(out->other), "%s%s",
				    other ? ", " : "with another formula in ", group_of(view, i));
		other++;
	}
	if (same)
		snprintf(out->same, sizeof(out->same), "the same in %s",
			 COUNTED(same, other ? "other set" : "further set"));
}

void also_json(struct json *json, const struct catalog_view *view, uint32_t index, uint32_t variant)
{
	static const char *const keys[] = {"other_formula", "same_formula"};
	json_kv_object_flat(json, "also");
	for (int same = 0; same < 2; same++) {
		json_kv_array_flat(json, keys[same]);
		for (uint32_t i = next_of_name(view, index, 0); i != SX_NONE;
		     i = next_of_name(view, index, i + 1))
			if (is_same(&view->metrics[index], &view->metrics[i], variant) == same)
				json_string(json, group_of(view, i));
		json_array_end(json);
	}
	json_object_end(json);
}
