/* Counters: the raw quantities. */
#include "catalog/load/load.h"

struct counter {
	struct sx_counter_info info;
	const struct yaml_node *block, *group, *aliases;
};

static const char *const counters_types[] = {"u64", "f64", NULL};
/* In the order of enum sx_reduce; "" is no choice here. */
static const char *const over_instances[] = {"single", "sum", "mean", "max", "", "each", NULL};
static const char *const counters_over_time[] = {"", "sum", "mean", "max", "last", NULL};

/* In the order of enum sx_direction; "" is no choice here. */
static const char *const counters_directions[] = {"", "lower", "higher", NULL};

#define AT(member) offsetof(struct counter, member)

static const struct field counter_fields[] = {
    {"name", FIELD_NAME, true, AT(info.name), NULL},
    {"aliases", FIELD_NODE, false, AT(aliases), NULL},
    {"title", FIELD_TEXT, false, AT(info.title), NULL},
    {"group", FIELD_NODE, false, AT(group), NULL},
    {"block", FIELD_NODE, false, AT(block), NULL},
    {"slot", FIELD_U32, false, AT(info.slot), NULL},
    {"bits", FIELD_U32, false, AT(info.bits), NULL},
    {"scale", FIELD_U64, false, AT(info.scale), NULL},
    {"type", FIELD_ENUM, false, AT(info.type), counters_types},
    {"reduce", FIELD_ENUM, false, AT(info.reduce), over_instances},
    {"over-time", FIELD_ENUM, false, AT(info.over_time), counters_over_time},
    {"unit", FIELD_UNIT, true, AT(info.unit), NULL},
    {"direction", FIELD_ENUM, false, AT(info.direction), counters_directions},
    {"peak", FIELD_TEXT, false, AT(info.peak), NULL},
    {"from", FIELD_STRINGS, false, AT(info.from), NULL},
    {"unfed", FIELD_TEXT, false, AT(info.unfed), NULL},
    {"bytes", FIELD_U32, false, AT(info.bytes), NULL},
    {"neutral", FIELD_NAME, false, AT(info.neutral), NULL},
    {"same", FIELD_NAME, false, AT(info.same), NULL},
    {"description", FIELD_TEXT, false, AT(info.description), NULL},
    {"notes", FIELD_STRINGS, false, AT(info.notes), NULL},
    {"tags", FIELD_NAMES, false, AT(info.tags), NULL},
};

#define REDUCE_UNSET ((enum sx_reduce)99)

struct counter_alias {
	const char *name, *releases;
};

static const struct field alias_fields[] = {
    {"name", FIELD_NAME, true, offsetof(struct counter_alias, name), NULL},
    {"releases", FIELD_TEXT, true, offsetof(struct counter_alias, releases), NULL},
};

static bool has_releases(const struct yaml_node *list)
{
	for (const struct yaml_node *n = list->first; n; n = n->next)
		if (n->kind == YAML_MAP)
			return true;
	return false;
}

/* Names, or mappings of a name and the releases of the vendor's tools that use it. */
static bool read_aliases(struct loader *l, const struct yaml_node *list,
			 struct sx_counter_info *out)
{
	if (list->kind != YAML_LIST || !has_releases(list))
		return load_strings(l, list, FIELD_ALIASES, &out->aliases);
	const char **names = load_array(l, list, sizeof(*names));
	const char **releases = load_array(l, list, sizeof(*releases));
	uint32_t count = 0;
	if (!names || !releases)
		return false;
	for (const struct yaml_node *n = list->first; n; n = n->next, count++) {
		struct counter_alias a = {.name = n->text, .releases = ""};
		if (n->kind == YAML_SCALAR
			? !load_check_name(l, n, "an alias")
			: !fields_read(l, n, FIELDS("an alias", alias_fields), &a))
			return false;
		names[count] = a.name;
		releases[count] = a.releases;
	}
	out->aliases = (struct sx_strings){names, count};
	out->alias_releases = (struct sx_strings){releases, count};
	return true;
}

static bool check_counter(struct loader *l, const struct yaml_node *n,
			  const struct sx_counter_info *c)
{
	if (c->bits < 1 || c->bits > 64)
		return load_fail(l, n->line, "bits must be 1 to 64");
	if (c->scale == 0)
		return load_fail(l, n->line, "scale must not be 0");
	return true;
}

/* Without `reduce`, what has several instances is summed. */
static enum sx_reduce default_reduce(const struct sx_catalog *cat, uint32_t block)
{
	if (block == SX_NONE)
		return SX_REDUCE_SINGLE;
	const struct sx_block_info *b = &cat->blocks[block];
	return b->instances_constant || b->instances > 1 ? SX_REDUCE_SUM : SX_REDUCE_SINGLE;
}

static bool load_counter(struct loader *l, const struct yaml_node *n, uint32_t index)
{
	struct sx_counter_info *out = &l->cat->counters[index];
	struct counter c = {.info = {.bits = 64,
				     .scale = 1,
				     .slot = SX_NONE,
				     .block = SX_NONE,
				     .group = SX_NONE,
				     .reduce = REDUCE_UNSET,
				     .over_time = SX_REDUCE_SUM,
				     .description = ""}};
	if (!fields_read(l, n, FIELDS("a counter", counter_fields), &c) ||
	    !check_counter(l, n, &c.info))
		return false;
	if (c.aliases && !read_aliases(l, c.aliases, &c.info))
		return false;
	if (c.block && !load_reference(l, c.block, INDEX_BLOCK, &c.info.block))
		return false;
	if (c.group && !load_reference(l, c.group, INDEX_GROUP, &c.info.group))
		return false;
	if (c.info.reduce == REDUCE_UNSET)
		c.info.reduce = default_reduce(l->cat, c.info.block);
	*out = c.info;
	uint32_t group = out->group == SX_NONE ? INDEX_NO_GROUP : out->group;
	struct index_key key = {INDEX_COUNTER, group, out->name};
	return load_bind(l, n->line, key, index) &&
	       load_bind_aliases(l, n->line, key, &out->aliases, index);
}

bool load_counters(struct loader *l, const struct yaml_node *list)
{
	l->cat->counters = load_things(l, list, INDEX_COUNTER, sizeof(*l->cat->counters));
	return l->cat->counters && load_each(l, list, load_counter, &l->cat->counter_count);
}
