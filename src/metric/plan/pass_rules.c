/* Compiling and applying the rules that say which counters may share a pass. */
#include "metric/plan/passes.h"

#include <string.h>

#include "base/error.h"

#define FAMILIES_MAX 64
#define LIMIT_SUFFIX "_events"
#define STAGE_ALL    "all" /* the stage that narrows nothing */

struct families {
	const char *names[FAMILIES_MAX];
	uint32_t count;
};

static uint32_t family_of(struct families *families, const char *name)
{
	for (uint32_t i = 0; i < families->count; i++)
		if (strcmp(families->names[i], name) == 0)
			return i;
	if (families->count == FAMILIES_MAX)
		return SX_NONE;
	families->names[families->count] = name;
	return families->count++;
}

static void take_pass_limits(const struct sx_catalog_info *info, const struct families *families,
			     uint32_t *limits)
{
	for (uint32_t i = 0; i < info->pass_limit_count; i++) {
		const struct sx_pass_limit_info *limit = &info->pass_limits[i];
		for (uint32_t f = 0; f < families->count; f++) {
			size_t len = strlen(families->names[f]);
			if (strncmp(limit->name, families->names[f], len) == 0 &&
			    strcmp(limit->name + len, LIMIT_SUFFIX) == 0)
				limits[f] = limit->value;
		}
	}
}

/* A stage is identified by the first block that names it. */
static uint32_t stage_of(const struct sx_block_info *blocks, uint32_t block)
{
	const struct sx_block_info *b = &blocks[block];
	for (uint32_t i = 0; i < block; i++)
		if (blocks[i].family && blocks[i].stage &&
		    strcmp(blocks[i].family, b->family) == 0 &&
		    strcmp(blocks[i].stage, b->stage) == 0)
			return i;
	return block;
}

static void pass_rules_describe(const struct sx_catalog *catalog, uint32_t index,
				struct families *families, struct rule_counter *out)
{
	uint32_t counters, blocks_count, groups;
	const struct sx_counter_info *c = &sx_catalog_counters(catalog, &counters)[index];
	const struct sx_block_info *blocks = sx_catalog_blocks(catalog, &blocks_count);
	const struct sx_group_info *group = sx_catalog_groups(catalog, &groups);
	*out = (struct rule_counter){.index = index,
				     .block = c->block,
				     .family = SX_NONE,
				     .stage = SX_NONE,
				     .window = SX_NONE,
				     .group = SX_NONE};
	if (c->group != SX_NONE && group[c->group].exclusive)
		out->group = c->group;
	if (c->block == SX_NONE)
		return;
	out->alone = blocks[c->block].alone;
	if (blocks[c->block].family)
		out->family = family_of(families, blocks[c->block].family);
	if (blocks[c->block].windowed)
		out->window = family_of(families, blocks[c->block].windowed);
	if (out->family != SX_NONE && blocks[c->block].stage) {
		out->stage = stage_of(blocks, c->block);
		out->narrow = strcmp(blocks[c->block].stage, STAGE_ALL) != 0;
	}
}

static uint32_t local_of(const struct pass_rules *rules, uint32_t index)
{
	for (uint32_t i = 0; i < rules->counter_count; i++)
		if (rules->counters[i].index == index)
			return i;
	return SX_NONE;
}

static bool take_exclusions(struct pass_rules *rules, const struct sx_plan_options *options,
			    struct arena *arena)
{
	if (!options->exclusion_count)
		return true;
	rules->conflicts =
	    arena_alloc(arena, (size_t)rules->counter_count * rules->words * sizeof(uint64_t));
	if (!rules->conflicts)
		return false;
	for (uint32_t i = 0; i < options->exclusion_count; i++) {
		uint32_t a = local_of(rules, options->exclusions[i].a);
		uint32_t b = local_of(rules, options->exclusions[i].b);
		if (a == SX_NONE || b == SX_NONE || a == b)
			continue;
		rules->conflicts[(size_t)a * rules->words + b / 64] |= (uint64_t)1 << b % 64;
		rules->conflicts[(size_t)b * rules->words + a / 64] |= (uint64_t)1 << a % 64;
	}
	return true;
}

enum sx_status pass_rules_compile(const struct plan_input *in, const struct plan_used *used,
				  struct arena *arena, struct pass_rules *out, struct sx_error *err)
{
	const struct sx_catalog *catalog = in->catalog;
	const struct sx_plan_options *options = in->options;
	uint32_t count = used->count;
	uint32_t counters, blocks_count;
	sx_catalog_counters(catalog, &counters);
	const struct sx_block_info *blocks = sx_catalog_blocks(catalog, &blocks_count);
	if (count && used->items[count - 1] >= counters)
		return error_set(err, SX_ERR_USAGE, "counter %u is not in the catalog",
				 (unsigned)used->items[count - 1]);
	*out = (struct pass_rules){.counter_count = count,
				   .words = (count + 63) / 64,
				   .block_count = blocks_count,
				   .pass_size = options->pass_size};
	out->counters = arena_alloc(arena, count * sizeof(*out->counters));
	out->block_limit = arena_alloc(arena, blocks_count * sizeof(uint32_t));
	out->family_limit = arena_alloc(arena, FAMILIES_MAX * sizeof(uint32_t));
	if (!out->counters || !out->block_limit || !out->family_limit)
		return error_nomem(err, "planning passes");
	struct families families = {0};
	for (uint32_t i = 0; i < count; i++)
		pass_rules_describe(catalog, used->items[i], &families, &out->counters[i]);
	for (uint32_t i = 0; i < blocks_count; i++)
		out->block_limit[i] =
		    options->block_limits ? options->block_limits[i] : blocks[i].limit;
	out->family_count = families.count;
	take_pass_limits(sx_catalog_info(catalog), &families, out->family_limit);
	if (!take_exclusions(out, options, arena))
		return error_nomem(err, "planning passes");
	return SX_OK;
}

size_t pass_bytes(const struct pass_rules *rules)
{
	size_t words32 = rules->block_count + 4 * (size_t)rules->family_count;
	return rules->words * sizeof(uint64_t) + (words32 + 1) / 2 * sizeof(uint64_t);
}

void pass_init(struct pass *pass, const struct pass_rules *rules, void *memory)
{
	pass->set = memory;
	pass->block_used = (uint32_t *)(pass->set + rules->words);
	pass->family_used = pass->block_used + rules->block_count;
	pass->family_stage = pass->family_used + rules->family_count;
	pass->family_narrow = pass->family_stage + rules->family_count;
	pass->family_windowed = pass->family_narrow + rules->family_count;
	pass_clear(pass, rules);
}

void pass_clear(struct pass *pass, const struct pass_rules *rules)
{
	memset(pass->set, 0, pass_bytes(rules));
	for (uint32_t i = 0; i < rules->family_count; i++)
		pass->family_stage[i] = SX_NONE;
	pass->count = 0;
	pass->group = pass->alone = SX_NONE;
}

void pass_copy(struct pass *to, const struct pass *from, const struct pass_rules *rules)
{
	memcpy(to->set, from->set, pass_bytes(rules));
	to->count = from->count;
	to->group = from->group;
	to->alone = from->alone;
}

bool pass_has(const struct pass *pass, uint32_t counter)
{
	return pass->set[counter / 64] >> counter % 64 & 1;
}

/* What a stage windows counts that stage's work alone, so it never joins a narrowed family. */
static bool window_allows(const struct pass *pass, const struct rule_counter *c)
{
	if (c->window != SX_NONE && pass->family_narrow[c->window])
		return false;
	return !c->narrow || !pass->family_windowed[c->family];
}

static bool block_allows(const struct pass *pass, const struct pass_rules *rules,
			 const struct rule_counter *c)
{
	if (pass->count && (c->alone ? pass->alone != c->block : pass->alone != SX_NONE))
		return false;
	if (!window_allows(pass, c))
		return false;
	if (c->block == SX_NONE)
		return true;
	uint32_t limit = rules->block_limit[c->block];
	if (limit && pass->block_used[c->block] >= limit)
		return false;
	if (c->family == SX_NONE)
		return true;
	limit = rules->family_limit[c->family];
	if (limit && pass->family_used[c->family] >= limit)
		return false;
	return !pass->family_used[c->family] || pass->family_stage[c->family] == c->stage;
}

static bool allows(const struct pass *pass, const struct pass_rules *rules, uint32_t counter)
{
	const struct rule_counter *c = &rules->counters[counter];
	if (rules->pass_size && pass->count >= rules->pass_size)
		return false;
	if (c->group != SX_NONE && pass->group != SX_NONE && pass->group != c->group)
		return false;
	if (!block_allows(pass, rules, c))
		return false;
	const uint64_t *bad =
	    rules->conflicts ? rules->conflicts + (size_t)counter * rules->words : NULL;
	for (uint32_t w = 0; bad && w < rules->words; w++)
		if (bad[w] & pass->set[w])
			return false;
	return true;
}

bool pass_add(struct pass *pass, const struct pass_rules *rules, uint32_t counter)
{
	if (pass_has(pass, counter))
		return true;
	if (!allows(pass, rules, counter))
		return false;
	const struct rule_counter *c = &rules->counters[counter];
	pass->set[counter / 64] |= (uint64_t)1 << counter % 64;
	pass->count++;
	if (c->alone)
		pass->alone = c->block;
	if (c->group != SX_NONE)
		pass->group = c->group;
	if (c->block != SX_NONE)
		pass->block_used[c->block]++;
	if (c->window != SX_NONE)
		pass->family_windowed[c->window]++;
	if (c->family != SX_NONE) {
		pass->family_used[c->family]++;
		pass->family_stage[c->family] = c->stage;
		pass->family_narrow[c->family] += c->narrow;
	}
	return true;
}
