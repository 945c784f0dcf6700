/* Advice: the rules that a table may fulfil. */
#include "catalog/load/load.h"

#include <math.h>

struct advice {
	struct sx_advice_info info;
	const struct yaml_node *sections;
	int threshold;
};

static const char *const severities[] = {"high", "medium", "low", "info", NULL};
static const char *const thresholds[] = {"default", "guide", NULL};

#define AT(member) offsetof(struct advice, member)

static const struct field advice_fields[] = {
    {"rule", FIELD_NAME, true, AT(info.rule), NULL},
    {"title", FIELD_TEXT, true, AT(info.title), NULL},
    {"severity", FIELD_ENUM, true, AT(info.severity), severities},
    {"when", FIELD_TEXT, false, AT(info.when), NULL},
    {"needs", FIELD_TEXT, false, AT(info.needs), NULL},
    {"metric", FIELD_TEXT, false, AT(info.metric), NULL},
    {"limit", FIELD_F64, false, AT(info.limit), NULL},
    {"min-share", FIELD_F64, false, AT(info.min_share), NULL},
    {"sections", FIELD_NODE, false, AT(sections), NULL},
    {"threshold", FIELD_ENUM, false, AT(threshold), thresholds},
    {"advice", FIELD_TEXT, true, AT(info.advice), NULL},
};

static bool check_sections(struct loader *l, const struct yaml_node *list, struct sx_strings *out)
{
	if (!load_strings(l, list, FIELD_NAMES, out))
		return false;
	for (const struct yaml_node *n = list->first; n; n = n->next) {
		uint32_t section;
		if (!load_reference(l, n, INDEX_SECTION, &section))
			return false;
	}
	return true;
}

static bool load_rule(struct loader *l, const struct yaml_node *n, uint32_t index)
{
	struct sx_advice_info *out = &l->cat->advice[index];
	struct advice a = {.info = {.limit = (double)NAN, .min_share = 0.05, .line = n->line}};
	if (!fields_read(l, n, FIELDS("a rule", advice_fields), &a))
		return false;
	if ((a.info.when != NULL) == (a.info.needs != NULL))
		return load_fail(l, n->line, "rule \"%s\" needs either when or needs", a.info.rule);
	if (!(a.info.min_share >= 0 && a.info.min_share <= 1))
		return load_fail(l, n->line, "min-share must be 0 to 1");
	if (a.sections && !check_sections(l, a.sections, &a.info.sections))
		return false;
	a.info.threshold_from_guide = a.threshold == 1;
	*out = a.info;
	out->line = n->line & YAML_LINE_MASK;
	return load_bind(l, n->line, (struct index_key){INDEX_ADVICE, INDEX_NO_GROUP, out->rule},
			 index);
}

bool load_advice(struct loader *l, const struct yaml_node *list)
{
	l->cat->advice = load_things(l, list, INDEX_ADVICE, sizeof(*l->cat->advice));
	return l->cat->advice && load_each(l, list, load_rule, &l->cat->advice_count);
}
