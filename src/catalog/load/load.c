/* The top level of a catalog: its head, and the order in which its parts are read. */
#include "catalog/load/load.h"
#include "base/error.h"
#include "catalog/load/cycles.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct head {
	struct sx_catalog_info info;
	uint32_t version;
	const struct yaml_node *match, *variants, *pass_limits, *constants, *blocks, *sections,
	    *groups, *counters, *metrics, *advice;
};

static const char *const kinds[] = {"gpu", "cpu", "uncore", "api", NULL};
static const char *const dialects[] = {"standard", "intel", "amd", NULL};
static const char *const notations[] = {"infix", "postfix", NULL};

#define AT(member) offsetof(struct head, member)

static const struct field head_fields[] = {
    {"sextant-catalog", FIELD_U32, true, AT(version), NULL},
    {"name", FIELD_NAME, true, AT(info.name), NULL},
    {"title", FIELD_TEXT, true, AT(info.title), NULL},
    {"vendor", FIELD_TEXT, true, AT(info.vendor), NULL},
    {"kind", FIELD_ENUM, true, AT(info.kind), kinds},
    {"dialect", FIELD_ENUM, true, AT(info.dialect), dialects},
    {"notation", FIELD_ENUM, true, AT(info.notation), notations},
    {"facts", FIELD_STRINGS, false, AT(info.facts), NULL},
    {"notes", FIELD_STRINGS, false, AT(info.notes), NULL},
    {"match", FIELD_NODE, false, AT(match), NULL},
    {"variants", FIELD_NODE, false, AT(variants), NULL},
    {"pass-limits", FIELD_NODE, false, AT(pass_limits), NULL},
    {"constants", FIELD_NODE, false, AT(constants), NULL},
    {"blocks", FIELD_NODE, false, AT(blocks), NULL},
    {"sections", FIELD_NODE, false, AT(sections), NULL},
    {"groups", FIELD_NODE, false, AT(groups), NULL},
    {"counters", FIELD_NODE, false, AT(counters), NULL},
    {"metrics", FIELD_NODE, false, AT(metrics), NULL},
    {"advice", FIELD_NODE, false, AT(advice), NULL},
};

typedef bool (*load_part_fn)(struct loader *l, const struct yaml_node *list);

static bool load_part(struct loader *l, const struct yaml_node *node, enum yaml_kind kind,
		      load_part_fn load)
{
	if (!node)
		return true;
	return load_expect(l, node, kind, node->key) && load(l, node);
}

bool load_catalog(struct loader *l, const struct yaml_node *root)
{
	struct head head = {.info = l->cat->info};
	if (!fields_read(l, root, "a catalog", head_fields, FIELDS_COUNT(head_fields), &head))
		return false;
	if (head.version != 1) {
		load_fail(l, root->line, "version %u of the format is not known", head.version);
		return load_because(l, "this library reads version 1", "update Sextant");
	}
	l->cat->info = head.info;
	/* References look backwards only: groups before counters, counters before metrics. */
	return load_part(l, head.match, YAML_LIST, load_matches) &&
	       load_part(l, head.variants, YAML_LIST, load_variants) &&
	       load_part(l, head.pass_limits, YAML_MAP, load_pass_limits) &&
	       load_part(l, head.constants, YAML_LIST, load_constants) &&
	       load_part(l, head.blocks, YAML_LIST, load_blocks) &&
	       load_part(l, head.sections, YAML_LIST, load_sections) &&
	       load_part(l, head.groups, YAML_LIST, load_groups) &&
	       load_part(l, head.counters, YAML_LIST, load_counters) &&
	       load_part(l, head.metrics, YAML_LIST, load_metrics) &&
	       load_part(l, head.advice, YAML_LIST, load_advice) && refs_check_cycles(l);
}

static enum sx_status parse_into(struct sx_catalog *cat, const char *text, size_t size,
				 const char *origin, struct sx_error *err)
{
	struct arena nodes = {0};
	const struct yaml_node *root;
	enum sx_status status = yaml_read(text, size, origin, &nodes, &cat->arena, &root, err);
	if (status == SX_OK) {
		struct loader l = {.cat = cat, .origin = origin, .err = err};
		units_init(&l.units);
		if (!load_catalog(&l, root))
			status = l.status;
	}
	arena_finish(&nodes);
	return status;
}

enum sx_status sx_catalog_parse(const char *text, size_t size, const char *origin,
				struct sx_catalog **out, struct sx_error *err)
{
	struct sx_catalog *cat = calloc(1, sizeof(*cat));
	if (!cat)
		return error_nomem(err, "loading a catalog");
	atomic_init(&cat->refs, 1);
	cat->info.hash = XXH64(text, size, 0);
	cat->info.origin = arena_strndup(&cat->arena, origin, strlen(origin));
	enum sx_status status = cat->info.origin ? parse_into(cat, text, size, origin, err)
						 : error_nomem(err, "loading a catalog");
	if (status != SX_OK) {
		catalog_free(cat);
		return status;
	}
	*out = cat;
	return SX_OK;
}
