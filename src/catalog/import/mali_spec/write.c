/* One key of the specification as a catalog. */
#include "catalog/import/mali_spec/spec.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *theirs, *ours, *more;
	bool sum;
} blocks[] = {
    {"GPU Front-end", "front-end", "code: 0", false},
    {"Tiler", "tiler", "code: 1", false},
    {"Memory System", "memory", "code: 2, instances: l2_slices", true},
    {"Shader Core", "shader-core", "code: 3, instances: shader_cores", true},
};
#define BLOCKS (sizeof(blocks) / sizeof(blocks[0]))

static struct spec_info *find_source(struct spec *s, const char *source)
{
	for (size_t i = 0; i < s->info_count; i++) {
		struct spec_info *info = &s->infos[i];
		if (!info->equation && spec_holds(info->gpus, s->key) &&
		    ((info->source && spec_is(info->source, source)) ||
		     spec_holds(info->aliases, source)))
			return info;
	}
	return NULL;
}

static const char *unit_of(struct spec *s, const struct spec_info *info)
{
	const char *unit = info->units ? vendor_unit(info->units) : NULL;
	if (!unit)
		vendor_note(s->in, "%s: the unit \"%s\" is not known; taken as a count",
			    info->machine, info->units ? info->units : "");
	return unit ? unit : "count";
}

static void put_head(struct spec *s)
{
	char name[SPEC_NAME_MAX], product[SPEC_NAME_MAX];
	struct vendor *in = s->in;
	spec_plain_name(in->request->name ? in->request->name : s->key, name);
	vendor_put(in,
		   "sextant-catalog: 1\nname: %s\ntitle: \"Arm %s\"\nvendor: Arm\nkind: gpu\n"
		   "dialect: standard\nnotation: infix\n"
		   "facts: [\"imported from the specification of libGPUCounters\"]\n"
		   "notes: [\"sections are the groups of the specification, in its files' order; "
		   "which way is better was left out\"]\n",
		   name, s->key);
	vendor_put(in, "match:\n");
	for (size_t i = 0; i < s->product_count; i++) {
		const struct spec_product *p = &s->products[i];
		if (!spec_is(p->key, s->key) || !p->ids)
			continue;
		spec_plain_name(p->name, product);
		vendor_put(in, "  - {drivers: [kbase, panthor], key: product_id, values: [");
		for (const char *id = p->ids + 1; *id; id = strchr(id, '|') + 1)
			vendor_put(in, "%s\"%.*s\"", id == p->ids + 1 ? "" : ", ",
				   (int)strcspn(id, "|"), id);
		vendor_put(in, "], product: %s}\n", product);
	}
	vendor_put(in, "products:\n");
	for (size_t i = 0; i < s->product_count; i++)
		if (spec_is(s->products[i].key, s->key) && s->products[i].ids)
			vendor_put(in, "  - {name: %s, title: \"Arm %s\"}\n",
				   spec_plain_name(s->products[i].name, product),
				   s->products[i].name);
	vendor_put(in, "%s",
		   "constants:\n"
		   "  - {name: MaliConstantsBusWidthBits, unit: bits, aliases: [bus_width_bits], "
		   "description: \"Width of the external bus of one L2 slice.\"}\n"
		   "  - {name: MaliConstantsL2SliceCount, unit: instances, aliases: [l2_slices], "
		   "description: \"L2 cache slices present.\"}\n"
		   "  - {name: MaliConstantsShaderCoreCount, unit: instances, aliases: "
		   "[shader_cores], description: \"Shader cores present.\"}\n"
		   "  - {name: shader_core_mask, unit: count, description: \"Bit n is set when "
		   "shader core n is present.\"}\n"
		   "  - {name: gpu_max_clock_hz, unit: Hz, description: \"The highest clock of the "
		   "GPU's top level.\"}\n");
}

static size_t find_block(const char *theirs)
{
	size_t i = 0;
	while (i < BLOCKS && !spec_is(blocks[i].theirs, theirs))
		i++;
	return i;
}

static void put_blocks(struct spec *s)
{
	bool done[BLOCKS] = {0};
	const char *reported = NULL;
	vendor_put(s->in, "blocks:\n");
	for (size_t i = 0; i < s->slot_count; i++) {
		const struct spec_slot *slot = &s->slots[i];
		size_t b = spec_is(slot->key, s->key) ? find_block(slot->block) : BLOCKS;
		if (b < BLOCKS && !done[b])
			vendor_put(s->in,
				   "  - {name: %s, title: \"%s\", slots: %u, slot-bits: 32, %s}\n",
				   blocks[b].ours, blocks[b].theirs, slot->size, blocks[b].more);
		if (b < BLOCKS)
			done[b] = true;
		else if (spec_is(slot->key, s->key) &&
			 (!reported || !spec_is(reported, slot->block)))
			vendor_note(s->in, "the block \"%s\" is not known; its slots are left out",
				    reported = slot->block);
	}
}

/* The number of a section, which is written when its group is met first. */
static size_t section_of(struct spec *s, const char *group)
{
	size_t i = 0;
	while (i < s->group_count && !spec_is(s->groups[i], group))
		i++;
	if (i < s->group_count)
		return i + 1;
	if (!mem_grow(&s->groups, &s->group_cap, i + 1, sizeof(*s->groups))) {
		vendor_no_memory(s->in);
		return 1;
	}
	s->groups[s->group_count++] = group;
	vendor_put(s->in, "  - {id: \"%zu\", title: ", i + 1);
	vendor_put_quoted(s->in, *group ? group : "Other", 200);
	vendor_put(s->in, "}\n");
	return i + 1;
}

/* Which counters and metrics the key has; sections first, as references look backwards. */
static void put_sections(struct spec *s)
{
	for (size_t i = 0; i < s->slot_count; i++) {
		const struct spec_slot *slot = &s->slots[i];
		struct spec_info *info =
		    spec_is(slot->key, s->key) && find_block(slot->block) < BLOCKS
			? find_source(s, slot->source)
			: NULL;
		if (info)
			info->slotted = true;
	}
	vendor_put(s->in, "sections:\n");
	for (size_t i = 0; i < s->info_count; i++)
		if (spec_holds(s->infos[i].gpus, s->key) &&
		    (s->infos[i].equation || s->infos[i].slotted))
			section_of(s, s->infos[i].group);
}

static void put_text(struct spec *s, const struct spec_info *info)
{
	vendor_put(s->in, ", description: ");
	vendor_put_quoted(s->in, info->text && *info->text ? info->text : info->human, 230);
	vendor_put(s->in, "}\n");
}

/* Names of a counter besides Streamline's: the database's, the machine's and its older ones. */
static void put_aliases(struct spec *s, const struct spec_info *info, const char *source,
			const char *name)
{
	bool any = !spec_is(info->machine, name);
	vendor_put(s->in, ", aliases: [%s", any ? info->machine : "");
	if (!spec_is(source, name) && !spec_is(source, info->machine)) {
		vendor_put(s->in, "%s%s", any ? ", " : "", source);
		any = true;
	}
	for (const char *p = info->aliases ? info->aliases + 1 : ""; *p; p = strchr(p, '|') + 1) {
		size_t size = strcspn(p, "|");
		if (strlen(source) == size && memcmp(source, p, size) == 0)
			continue;
		vendor_put(s->in, "%s%.*s", any ? ", " : "", (int)size, p);
		any = true;
	}
	vendor_put(s->in, "]");
}

static void put_counter(struct spec *s, const struct spec_slot *slot, const struct spec_info *info)
{
	char buf[SPEC_NAME_MAX];
	const char *name = info ? spec_counter_name(info, buf) : slot->source;
	size_t b = find_block(slot->block);
	vendor_put(s->in, "  - {name: %s, block: %s, slot: %u, bits: 32, reduce: %s", name,
		   blocks[b].ours, slot->index, blocks[b].sum ? "sum" : "single");
	if (slot->shift)
		vendor_put(s->in, ", scale: %u", 1u << slot->shift);
	if (!info) {
		vendor_put(s->in, ", unit: count, description: \"%s\"}\n", slot->source);
		return;
	}
	vendor_put(s->in, ", unit: %s, title: ", unit_of(s, info));
	vendor_put_quoted(s->in, info->title, 200);
	put_aliases(s, info, slot->source, name);
	put_text(s, info);
}

/* Whether an earlier one bears the name. The lists are short. */
static bool comes_again(const struct spec *s, const struct spec_info *info)
{
	char mine[SPEC_NAME_MAX], theirs[SPEC_NAME_MAX];
	spec_metric_name(info->human, mine);
	for (const struct spec_info *i = s->infos; i < info; i++)
		if (spec_holds(i->gpus, s->key) && (i->equation || i->slotted) &&
		    spec_is(spec_metric_name(i->human, theirs), mine))
			return true;
	return false;
}

static void put_metric(struct spec *s, const struct spec_info *info)
{
	char name[SPEC_NAME_MAX], counter[SPEC_NAME_MAX];
	if (comes_again(s, info)) {
		vendor_note(s->in, "%s: another metric is called \"%s\" as well; left out",
			    info->machine, info->human);
		return;
	}
	char *expr = info->equation ? spec_equation(s, info) : NULL;
	if (info->equation && !expr)
		return;
	vendor_put(s->in, "  - {name: %s, title: ", spec_metric_name(info->human, name));
	vendor_put_quoted(s->in, info->human, 200);
	const char *unit = unit_of(s, info);
	/* The database leaves it to Arm's tools to cut percentages. */
	bool cut = strcmp(unit, "percent") == 0;
	vendor_put(s->in, ", aliases: [%s], section: \"%zu\", unit: %s, expr: \"%s%s%s%s\"",
		   info->machine, section_of(s, info->group), unit, cut ? "max(min(" : "",
		   expr ? "" : "$", expr ? expr : spec_counter_name(info, counter),
		   cut ? ", 100), 0)" : "");
	put_text(s, info);
	free(expr);
}

void spec_write(struct spec *s)
{
	put_head(s);
	put_blocks(s);
	put_sections(s);
	vendor_put(s->in, "counters:\n");
	for (size_t i = 0; i < s->slot_count; i++) {
		const struct spec_slot *slot = &s->slots[i];
		if (!spec_is(slot->key, s->key) || find_block(slot->block) == BLOCKS)
			continue;
		const struct spec_info *info = find_source(s, slot->source);
		if (!info)
			vendor_note(s->in, "%s: no counter is described for this slot",
				    slot->source);
		put_counter(s, slot, info);
	}
	vendor_put(s->in, "metrics:\n");
	for (size_t i = 0; i < s->info_count; i++)
		if (spec_holds(s->infos[i].gpus, s->key) &&
		    (s->infos[i].equation || s->infos[i].slotted))
			put_metric(s, &s->infos[i]);
}
