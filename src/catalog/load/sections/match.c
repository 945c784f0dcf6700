/* Which devices a catalog describes: rules of recognition, and products with their own constants.
 */
#include "catalog/load/load.h"
#include "base/number.h"

#include <string.h>

#define MATCHES_MAX 4096

/* One entry says one rule for each of its drivers and values. */
struct match {
	const char *key;
	const struct yaml_node *driver, *drivers, *value, *values, *product;
};

#define AT(member) offsetof(struct match, member)

static const struct field match_fields[] = {
    {"driver", FIELD_NODE, false, AT(driver), NULL},
    {"drivers", FIELD_NODE, false, AT(drivers), NULL},
    {"key", FIELD_TEXT, true, AT(key), NULL},
    {"value", FIELD_NODE, false, AT(value), NULL},
    {"values", FIELD_NODE, false, AT(values), NULL},
    {"product", FIELD_NODE, false, AT(product), NULL},
};

/* A single value or a list of them, under one of two keys; the other is absent. */
struct choice {
	const char *what;
	const struct yaml_node *one, *more;
};

static bool one_or_more(struct loader *l, uint32_t line, const struct choice *choice,
			struct sx_strings *out)
{
	const struct yaml_node *one = choice->one, *more = choice->more;
	const char *what = choice->what;
	if ((one != NULL) == (more != NULL))
		return load_fail(l, line, "a match needs either %s or %ss", what, what);
	if (more)
		return load_strings(l, more, FIELD_STRINGS, out) &&
		       (out->count || load_fail(l, more->line, "%ss is empty", what));
	if (!load_expect(l, one, YAML_SCALAR, what))
		return false;
	const char **items = arena_alloc(&l->cat->arena, sizeof(*items));
	if (!items)
		return load_no_memory(l);
	if (!one->len)
		return load_fail(l, one->line, "%s is empty", what);
	items[0] = one->text;
	*out = (struct sx_strings){items, 1};
	return true;
}

static bool find_product(struct loader *l, const struct yaml_node *node, uint32_t *out)
{
	*out = SX_NONE;
	if (!node)
		return true;
	for (uint32_t i = 0; i < l->cat->info.product_count; i++)
		if (node->kind == YAML_SCALAR &&
		    strcmp(l->cat->info.products[i].name, node->text) == 0)
			*out = i;
	return *out != SX_NONE ||
	       load_fail(l, node->line, "product must name one of this catalog's products");
}

/* Adds the rules of one entry; with `out` NULL it only counts them. */
static bool add_matches(struct loader *l, const struct yaml_node *n, struct sx_match_info *out,
			uint32_t *count)
{
	struct match m = {0};
	struct sx_strings drivers, values;
	uint32_t product;
	if (!fields_read(l, n, FIELDS("a match", match_fields), &m) ||
	    !one_or_more(l, n->line, &(struct choice){"driver", m.driver, m.drivers}, &drivers) ||
	    !one_or_more(l, n->line, &(struct choice){"value", m.value, m.values}, &values) ||
	    !find_product(l, m.product, &product))
		return false;
	for (uint32_t d = 0; d < drivers.count; d++)
		for (uint32_t v = 0; v < values.count && *count <= MATCHES_MAX; v++, ++*count)
			if (out)
				out[*count] = (struct sx_match_info){drivers.items[d], m.key,
								     values.items[v], product};
	return true;
}

bool load_matches(struct loader *l, const struct yaml_node *list)
{
	uint32_t count = 0;
	for (const struct yaml_node *n = list->first; n; n = n->next)
		if (!add_matches(l, n, NULL, &count))
			return false;
	if (count > MATCHES_MAX)
		return load_limit(l, list->line, "too many matches", "there may be 4096");
	struct sx_match_info *matches = arena_alloc(&l->cat->arena, count * sizeof(*matches));
	if (!matches)
		return load_no_memory(l);
	l->cat->info.matches = matches;
	for (const struct yaml_node *n = list->first; n; n = n->next)
		if (!add_matches(l, n, matches, &l->cat->info.match_count))
			return false;
	return true;
}

struct product {
	struct sx_product_info info;
	const struct yaml_node *constants;
};

#undef AT
#define AT(member) offsetof(struct product, member)

static const struct field product_fields[] = {
    {"name", FIELD_NAME, true, AT(info.name), NULL},
    {"title", FIELD_TEXT, true, AT(info.title), NULL},
    {"aliases", FIELD_NAMES, false, AT(info.aliases), NULL},
    {"constants", FIELD_NODE, false, AT(constants), NULL},
};

static bool load_values(struct loader *l, const struct yaml_node *map, struct sx_product_info *out)
{
	if (!load_expect(l, map, YAML_MAP, "constants"))
		return false;
	struct sx_constant_value *c = load_array(l, map, sizeof(*c));
	if (!c)
		return false;
	out->constants = c;
	for (const struct yaml_node *n = map->first; n; n = n->next, c++) {
		c->name = arena_strndup(&l->cat->arena, n->key, strlen(n->key));
		if (!c->name)
			return load_no_memory(l);
		if (n->kind != YAML_SCALAR || !number_f64(n->text, n->len, &c->value))
			return load_fail(l, n->line, "%s must be a number", n->key);
		out->constant_count++;
	}
	return true;
}

bool load_products(struct loader *l, const struct yaml_node *list)
{
	struct sx_product_info *array = load_array(l, list, sizeof(*array));
	if (!array)
		return false;
	l->cat->info.products = array;
	for (const struct yaml_node *n = list->first; n; n = n->next) {
		struct product p = {0};
		if (!fields_read(l, n, FIELDS("a product", product_fields), &p) ||
		    (p.constants && !load_values(l, p.constants, &p.info)))
			return false;
		for (uint32_t i = 0; i < l->cat->info.product_count; i++)
			if (strcmp(array[i].name, p.info.name) == 0)
				return load_fail(l, n->line, "the product \"%s\" appears twice",
						 p.info.name);
		array[l->cat->info.product_count++] = p.info;
	}
	return true;
}

bool load_product_constants(struct loader *l, const struct yaml_node *list)
{
	const struct sx_product_info *p = l->cat->info.products;
	for (const struct yaml_node *n = list->first; n; n = n->next, p++) {
		/* A catalog that is opened by its own name is that product's. */
		const char *product = l->product ? l->product : l->cat->info.name;
		bool chosen = strcmp(product, p->name) == 0;
		for (uint32_t i = 0; i < p->constant_count; i++) {
			uint32_t c = sx_catalog_find_constant(l->cat, p->constants[i].name);
			if (c == SX_NONE)
				return load_fail(l, n->line, "\"%s\" is no constant",
						 p->constants[i].name);
			if (!chosen)
				continue;
			l->cat->constants[c].value = p->constants[i].value;
			l->cat->constants[c].has_value = true;
		}
	}
	return true;
}
