/* Blocks: the hardware units that counters belong to. */
#include "catalog/load/load.h"
#include "base/number.h"

#include <string.h>

struct block {
	struct sx_block_info info;
	const struct yaml_node *instances;
};

#define AT(member) offsetof(struct block, member)

static const struct field block_fields[] = {
    {"name", FIELD_NAME, true, AT(info.name), NULL},
    {"title", FIELD_TEXT, false, AT(info.title), NULL},
    {"instances", FIELD_NODE, false, AT(instances), NULL},
    {"slots", FIELD_U32, false, AT(info.slots), NULL},
    {"slot-bits", FIELD_U32, false, AT(info.slot_bits), NULL},
    {"code", FIELD_U32, false, AT(info.code), NULL},
    {"limit", FIELD_U32, false, AT(info.limit), NULL},
    {"alone", FIELD_BOOL, false, AT(info.alone), NULL},
    {"family", FIELD_NAME, false, AT(info.family), NULL},
    {"stage", FIELD_NAME, false, AT(info.stage), NULL},
    {"windowed", FIELD_NAME, false, AT(info.windowed), NULL},
    {"description", FIELD_TEXT, false, AT(info.description), NULL},
};

#define INSTANCES_MAX 65536

/* A number, or the name of a constant that holds it. */
static bool read_instances(struct loader *l, const struct yaml_node *n, struct sx_block_info *out)
{
	if (!load_expect(l, n, YAML_SCALAR, "instances"))
		return false;
	uint32_t number, constant;
	if (number_u32(n->text, n->len, &number)) {
		out->instances = number;
		if (number >= 1 && number <= INSTANCES_MAX)
			return true;
		return load_fail(l, n->line, "instances must be 1 to %d", INSTANCES_MAX);
	}
	if (!load_reference(l, n, INDEX_CONSTANT, &constant))
		return false;
	out->instances_constant = l->cat->constants[constant].name;
	return true;
}

static bool load_block(struct loader *l, const struct yaml_node *n, uint32_t index)
{
	struct sx_block_info *out = &l->cat->blocks[index];
	struct block b = {.info = {.instances = 1, .description = ""}};
	if (!fields_read(l, n, FIELDS("a block", block_fields), &b))
		return false;
	if (b.instances && !read_instances(l, b.instances, &b.info))
		return false;
	if ((b.info.stage == NULL) != (b.info.family == NULL))
		return load_fail(l, n->line, "stage and family go together");
	if (b.info.slot_bits > 64)
		return load_fail(l, n->line, "slot-bits must be at most 64");
	if (!b.info.title)
		b.info.title = b.info.name;
	*out = b.info;
	return load_bind(l, n->line, (struct index_key){INDEX_BLOCK, INDEX_NO_GROUP, out->name},
			 index);
}

/* A window is that of a family which some block belongs to. */
static bool check_windows(struct loader *l, const struct yaml_node *list)
{
	const struct sx_block_info *blocks = l->cat->blocks;
	const struct yaml_node *n = list->first;
	for (uint32_t i = 0; i < l->cat->block_count; i++, n = n->next) {
		bool found = !blocks[i].windowed;
		for (uint32_t k = 0; k < l->cat->block_count && !found; k++)
			found =
			    blocks[k].family && strcmp(blocks[k].family, blocks[i].windowed) == 0;
		if (!found)
			return load_fail(l, n->line, "no block is of family %s",
					 blocks[i].windowed);
	}
	return true;
}

bool load_blocks(struct loader *l, const struct yaml_node *list)
{
	l->cat->blocks = load_things(l, list, INDEX_BLOCK, sizeof(*l->cat->blocks));
	return l->cat->blocks && load_each(l, list, load_block, &l->cat->block_count) &&
	       check_windows(l, list);
}
