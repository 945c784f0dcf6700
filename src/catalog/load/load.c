/* The top level of a catalog: its head, and the order in which its parts are read. */
#include "catalog/load/load.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Heads are small and many. */
#define HEAD_CHUNK_BYTES ((size_t)4 * 1024)

struct head {
	struct sx_catalog_info info;
	uint32_t version;
	const struct yaml_node *match, *products, *programs, *remove, *variants, *pass_limits,
	    *constants, *blocks, *sections, *groups, *counters, *metrics, *advice;
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
    {"extends", FIELD_NAME, false, AT(info.extends), NULL},
    {"shared", FIELD_NAME, false, AT(info.shared), NULL},
    {"remove", FIELD_NODE, false, AT(remove), NULL},
    {"facts", FIELD_STRINGS, false, AT(info.facts), NULL},
    {"notes", FIELD_STRINGS, false, AT(info.notes), NULL},
    {"match", FIELD_NODE, false, AT(match), NULL},
    {"products", FIELD_NODE, false, AT(products), NULL},
    {"variants", FIELD_NODE, false, AT(variants), NULL},
    {"pass-limits", FIELD_NODE, false, AT(pass_limits), NULL},
    {"constants", FIELD_NODE, false, AT(constants), NULL},
    {"blocks", FIELD_NODE, false, AT(blocks), NULL},
    {"sections", FIELD_NODE, false, AT(sections), NULL},
    {"programs", FIELD_NODE, false, AT(programs), NULL},
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

/* The order in which the parts are read: references look backwards only. */
static bool load_parts(struct loader *l, const struct head *head)
{
	return load_part(l, head->variants, YAML_LIST, load_variants) &&
	       load_part(l, head->pass_limits, YAML_MAP, load_pass_limits) &&
	       load_part(l, head->constants, YAML_LIST, load_constants) &&
	       load_part(l, head->products, YAML_LIST, load_product_constants) &&
	       load_part(l, head->blocks, YAML_LIST, load_blocks) &&
	       load_part(l, head->sections, YAML_LIST, load_sections) &&
	       load_part(l, head->programs, YAML_LIST, load_named_programs) &&
	       load_part(l, head->groups, YAML_LIST, load_groups) &&
	       load_part(l, head->counters, YAML_LIST, load_counters) &&
	       load_part(l, head->metrics, YAML_LIST, load_metrics) &&
	       load_part(l, head->advice, YAML_LIST, load_advice) && refs_check_cycles(l);
}

/* Fills l->cat from the root of a document. false after load_fail(). */
static bool load_catalog(struct loader *l, const struct yaml_node *root, bool head_only)
{
	struct head head = {.info = l->cat->info};
	if (!fields_read(l, root, FIELDS("a catalog", head_fields), &head))
		return false;
	if (head.version != 1) {
		load_fail(l, root->line, "version %u of the format is not known", head.version);
		return load_because(l, "this library reads version 1", "update Sextant");
	}
	l->cat->info = head.info;
	l->cat->info.catalog = head.info.name;
	return load_part(l, head.products, YAML_LIST, load_products) &&
	       load_part(l, head.match, YAML_LIST, load_matches) &&
	       (head_only || load_parts(l, &head));
}

/* One file's hash as it is; of several, that of all hashes. */
static uint64_t whole_hash(const struct loader *l)
{
	uint8_t bytes[8 * LOAD_FILES];
	if (!l->files[LOAD_PARENT] && !l->files[LOAD_SHARED])
		return l->hashes[LOAD_OWN];
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(l->hashes[i / 8] >> 8 * (i % 8));
	return XXH64(bytes, sizeof(bytes), 0);
}

/* Opened as a product, a catalog bears the product's name and title. */
static bool choose_product(struct sx_catalog *cat, const char *product)
{
	struct sx_catalog_info *info = &cat->info;
	for (uint32_t i = 0; product && i < info->product_count; i++) {
		if (strcmp(info->products[i].name, product) != 0)
			continue;
		info->product = i;
		info->name = info->products[i].name;
		info->title = info->products[i].title;
	}
	return !product || info->product != SX_NONE;
}

static bool load_files(struct loader *l, const struct load_job *job, struct arena *nodes)
{
	struct load_file own = {0};
	l->status = job->read(job->user, nodes, &l->cat->arena, &own, l->err);
	if (l->status != SX_OK)
		return false;
	l->files[LOAD_OWN] = own.origin;
	l->hashes[LOAD_OWN] = own.hash;
	l->roots[LOAD_OWN] = own.root;
	l->cat->info.origin = own.origin;
	l->product = job->product;
	if (!job->head_only && !inherit_resolve(l, own.root, job->fetch, nodes))
		return false;
	if (job->resolved && !dump_catalog(own.root, job->resolved))
		return load_no_memory(l);
	l->cat->info.hash = whole_hash(l);
	memcpy(l->cat->files, l->files, sizeof(l->cat->files));
	return load_catalog(l, own.root, job->head_only) && choose_product(l->cat, job->product);
}

enum sx_status load_run(const struct load_job *job, struct sx_catalog **out, struct sx_error *err)
{
	struct sx_catalog *cat = calloc(1, sizeof(*cat));
	if (!cat)
		return error_nomem(err, "loading a catalog");
	atomic_init(&cat->refs, 1);
	cat->info.product = SX_NONE;
	cat->arena.chunk_bytes = job->head_only ? HEAD_CHUNK_BYTES : 0;
	struct arena nodes = {0};
	struct loader l = {.cat = cat, .err = err};
	units_init(&l.units);
	bool good = load_files(&l, job, &nodes);
	arena_finish(&nodes);
	if (!good) {
		catalog_free(cat);
		return l.status;
	}
	*out = cat;
	return SX_OK;
}

enum sx_status load_text(const struct yaml_input *input, struct arena *nodes, struct arena *texts,
			 struct load_file *out, struct sx_error *err)
{
	struct yaml_input kept = *input;
	out->origin = arena_strndup(texts, input->origin, strlen(input->origin));
	if (!out->origin)
		return error_nomem(err, "loading a catalog");
	kept.origin = out->origin;
	out->hash = XXH64(input->text, input->size, 0);
	return yaml_read(&kept, nodes, texts, &out->root, err);
}
