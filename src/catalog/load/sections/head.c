/* The short lists of a catalog: variants, pass-limits, constants, sections. */
#include "catalog/load/load.h"
#include "base/number.h"

#include <string.h>

static const struct field variant_fields[] = {
    {"name", FIELD_NAME, true, offsetof(struct sx_variant_info, name), NULL},
    {"title", FIELD_TEXT, true, offsetof(struct sx_variant_info, title), NULL},
};

#define VARIANTS_MAX 8

bool load_variants(struct loader *l, const struct yaml_node *list)
{
	struct sx_variant_info *v = load_array(l, list, sizeof(*v));
	if (!v)
		return false;
	if (list->count > VARIANTS_MAX)
		return load_fail(l, list->line, "more than %d variants", VARIANTS_MAX);
	l->cat->info.variants = v;
	for (const struct yaml_node *n = list->first; n; n = n->next, v++) {
		if (!fields_read(l, n, FIELDS("a variant", variant_fields), v))
			return false;
		if (sx_catalog_find_variant(l->cat, v->name) != SX_NONE)
			return load_fail(l, n->line, "the variant \"%s\" appears twice", v->name);
		l->cat->info.variant_count++;
	}
	return true;
}

bool load_pass_limits(struct loader *l, const struct yaml_node *map)
{
	struct sx_pass_limit_info *limit = load_array(l, map, sizeof(*limit));
	if (!limit)
		return false;
	l->cat->info.pass_limits = limit;
	l->cat->info.pass_limit_count = map->count;
	for (const struct yaml_node *n = map->first; n; n = n->next, limit++) {
		if (n->kind != YAML_SCALAR || !number_u32(n->text, n->len, &limit->value))
			return load_fail(l, n->line, "%s must be a whole number of 32 bits",
					 n->key);
		limit->name = arena_strndup(&l->cat->arena, n->key, strlen(n->key));
		if (!limit->name)
			return load_no_memory(l);
	}
	return true;
}

struct constant {
	struct sx_constant_info info;
	const struct yaml_node *value;
};

static const struct field constant_fields[] = {
    {"name", FIELD_NAME, true, offsetof(struct constant, info.name), NULL},
    {"unit", FIELD_UNIT, true, offsetof(struct constant, info.unit), NULL},
    {"aliases", FIELD_ALIASES, false, offsetof(struct constant, info.aliases), NULL},
    {"default", FIELD_NODE, false, offsetof(struct constant, value), NULL},
    {"description", FIELD_TEXT, false, offsetof(struct constant, info.description), NULL},
};

static bool load_constant(struct loader *l, const struct yaml_node *n, uint32_t index)
{
	struct sx_constant_info *out = &l->cat->constants[index];
	struct constant c = {.info.description = ""};
	if (!fields_read(l, n, FIELDS("a constant", constant_fields), &c))
		return false;
	if (c.value) {
		c.info.has_value = true;
		if (c.value->kind != YAML_SCALAR ||
		    !number_f64(c.value->text, c.value->len, &c.info.value))
			return load_fail(l, c.value->line, "default must be a number");
	}
	*out = c.info;
	struct index_key key = {INDEX_CONSTANT, INDEX_NO_GROUP, out->name};
	return load_bind(l, n->line, key, index) &&
	       load_bind_aliases(l, n->line, key, &out->aliases, index);
}

bool load_constants(struct loader *l, const struct yaml_node *list)
{
	l->cat->constants = load_things(l, list, INDEX_CONSTANT, sizeof(*l->cat->constants));
	return l->cat->constants && load_each(l, list, load_constant, &l->cat->constant_count);
}

static const struct field section_fields[] = {
    {"id", FIELD_NAME, true, offsetof(struct sx_section_info, id), NULL},
    {"title", FIELD_TEXT, true, offsetof(struct sx_section_info, title), NULL},
};

/* The section with the longest id that this one's begins with, up to a dot. */
static uint32_t find_parent(const struct sx_catalog *cat, const char *id)
{
	for (size_t len = strlen(id); len-- > 0;) {
		if (id[len] != '.')
			continue;
		const struct index_slot *slot =
		    index_find(&cat->index, INDEX_SECTION, INDEX_NO_GROUP, id, len);
		if (slot)
			return slot->value;
	}
	return SX_NONE;
}

bool load_sections(struct loader *l, const struct yaml_node *list)
{
	struct sx_section_info *array = load_array(l, list, sizeof(*array));
	if (!array)
		return false;
	l->cat->sections = array;
	uint32_t i = 0;
	for (const struct yaml_node *n = list->first; n; n = n->next, i++)
		if (!fields_read(l, n, FIELDS("a section", section_fields), &array[i]) ||
		    !load_bind(l, n->line,
			       (struct index_key){INDEX_SECTION, INDEX_NO_GROUP, array[i].id}, i))
			return false;
	l->cat->section_count = i;
	for (i = 0; i < l->cat->section_count; i++)
		array[i].parent = find_parent(l->cat, array[i].id);
	return true;
}
