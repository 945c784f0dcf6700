/*
 * The catalog of a driver's counters: that of the chip where there is one, with each counter also
 * by its group and name.
 */
#include "source/gl/gl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "catalog/internal.h"

#define BASE	   "gl-counters"
#define LABEL_MOST 127u /* bytes of a name in catalogs */
#define CHIPS_MOST 8u

/* A driver's name as one of a catalog: letters, digits and a few signs. */
static void spell(char *to, size_t size, const char *from)
{
	size_t n = 0;
	bool gap = false;
	for (; *from && n + 1 < size; from++) {
		bool good = isalnum((unsigned char)*from) || strchr("_.-+:/", *from);
		if (good)
			to[n++] = *from;
		else if (!gap && n)
			to[n++] = '_';
		gap = !good;
	}
	while (n && to[n - 1] == '_' && gap)
		n--;
	to[n] = '\0';
}

/* The words between the renderer's parentheses: "(radeonsi, hawaii, LLVM …)", "(SKL GT2)". */
static size_t chips_of(const char *renderer, char out[CHIPS_MOST][64])
{
	size_t count = 0;
	const char *at = strchr(renderer, '(');
	while (at && *at && count < CHIPS_MOST) {
		at += strspn(at, "(, ");
		size_t length = strcspn(at, ",)");
		if (length && length < 64) {
			memcpy(out[count], at, length);
			out[count++][length] = '\0';
		}
		at += length;
		if (*at == ')')
			at = strchr(at, '(');
	}
	return count;
}

/* radeonsi is matched by the chip's name, Intel's drivers by that of the product. */
static bool find_chip(struct sx_context *context, const struct gl_list *list,
		      struct match_found *out)
{
	char chips[CHIPS_MOST][64];
	size_t count = chips_of(list->renderer, chips);
	for (size_t i = 0; i < count && list->api == WIRE_AMD_MONITOR; i++) {
		const struct match_query query = {"radeonsi", "chip", chips[i]};
		if (match_device(context, &query, 1, out))
			return true;
	}
	for (size_t i = 0; i < count && list->api == WIRE_INTEL_QUERY; i++) {
		char name[80] = "intel-";
		size_t n = strlen(name);
		for (const char *c = chips[i]; *c && n + 1 < sizeof(name); c++)
			if (*c != ' ')
				name[n++] = (char)tolower((unsigned char)*c);
		name[n] = '\0';
		if (match_name(context, name, out))
			return true;
		/* "TGL GT2" may be the one catalog of its generation. */
		n = strlen("intel-") + strcspn(chips[i], " ");
		name[n < sizeof(name) ? n : sizeof(name) - 1] = '\0';
		if (match_name(context, name, out))
			return true;
	}
	return false;
}

/* What the chip's catalog says of a counter that the driver has worked out itself. */
static const struct sx_metric_info *meaning_of(const struct sx_catalog *catalog, const char *group,
					       const char *name)
{
	uint32_t count, groups;
	if (!catalog)
		return NULL;
	const struct sx_group_info *all = sx_catalog_groups(catalog, &groups);
	const struct sx_metric_info *metrics = sx_catalog_metrics(catalog, &count);
	for (uint32_t g = 0; g < groups; g++) {
		if (strcasecmp(all[g].name, group) != 0 && strcasecmp(all[g].title, group) != 0)
			continue;
		for (uint32_t i = 0; i < count; i++)
			if (metrics[i].group == g && (strcasecmp(metrics[i].name, name) == 0 ||
						      strcasecmp(metrics[i].title, name) == 0))
				return &metrics[i];
	}
	return NULL;
}

static bool is_taken(const struct gl_counters *s, size_t before, const char *label, uint32_t group)
{
	for (size_t i = s->list.groups[group].first; i < before; i++)
		if (s->list.counters[i].label && strcmp(s->list.counters[i].label, label) == 0)
			return true;
	return false;
}

/*
 * GROUP.counter; a second one of a name gets a number. NULL: it has none, or the catalog has given
 * it to one of its own.
 */
static const char *make_label(struct gl_counters *s, const struct sx_catalog *base, size_t index,
			      const struct sx_metric_info *known)
{
	char name[LABEL_MOST + 1], label[2 * LABEL_MOST + 8];
	const struct gl_counter *c = &s->list.counters[index];
	const struct gl_group *group = &s->list.groups[c->group];
	uint32_t groups;
	spell(name, sizeof(name), known ? known->name : c->name);
	const char *first =
	    known ? sx_catalog_groups(s->units, &groups)[known->group].name : group->label;
	int length = snprintf(label, sizeof(label), "%s.%s", first, name);
	if (!name[0] || length < 0 || (size_t)length > LABEL_MOST)
		return NULL;
	for (unsigned n = 2; n < 100 && is_taken(s, index, label, c->group); n++)
		snprintf(label, sizeof(label), "%s.%s_%u", first, name, n);
	if (strlen(label) > LABEL_MOST || is_taken(s, index, label, c->group) ||
	    sx_catalog_find_counter(base, label, SX_NONE, NULL) != SX_NONE)
		return NULL;
	return arena_strndup(&s->texts, label, strlen(label));
}

/* "TA3", "TA0_3" and "SPI1" are instances of TA and SPI. */
static uint32_t block_of(const struct sx_catalog *catalog, const char *group)
{
	char stem[LABEL_MOST + 1];
	uint32_t count;
	const struct sx_block_info *blocks = sx_catalog_blocks(catalog, &count);
	snprintf(stem, sizeof(stem), "%s", group);
	for (int cut = 0; cut < 3; cut++) {
		for (uint32_t i = 0; i < count; i++)
			if (strcmp(blocks[i].name, stem) == 0)
				return i;
		size_t n = strlen(stem);
		while (n && isdigit((unsigned char)stem[n - 1]))
			n--;
		if (n && stem[n - 1] == '_')
			n--;
		stem[n] = '\0';
	}
	return SX_NONE;
}

/* Blocks of radeonsi that count inside waves of one stage; what its own names say. */
static void describe_radeonsi(struct catalog_block *block, bool has_stages)
{
	static const char *const windowed[] = {"TA", "TD", "TCP"};
	const char *name = block->name;
	if (strcmp(name, "SQ") == 0 || strncmp(name, "SQ_", 3) == 0) {
		block->family = "sq";
		block->stage = name[2] ? name + 3 : "all";
	}
	for (size_t i = 0; has_stages && i < sizeof(windowed) / sizeof(windowed[0]); i++) {
		size_t n = strlen(windowed[i]);
		if (strncmp(name, windowed[i], n) == 0 &&
		    (!name[n] || isdigit((unsigned char)name[n])))
			block->windowed = "sq";
	}
}

static bool has_group(const struct gl_list *list, const char *prefix)
{
	for (size_t i = 0; i < list->group_count; i++)
		if (strncmp(list->groups[i].name, prefix, strlen(prefix)) == 0)
			return true;
	return false;
}

static struct catalog_block *find_block(struct catalog_block *blocks, size_t count,
					const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(blocks[i].name, name) == 0)
			return &blocks[i];
	return NULL;
}

/*
 * Groups that the catalog has no block for; of INTEL one is active at a time. For the others the
 * driver's limits win over the catalog's; of several instances the least.
 */
static size_t make_blocks(struct gl_counters *s, const struct sx_catalog *base,
			  struct catalog_block *out)
{
	size_t count = 0;
	uint32_t blocks;
	bool radeonsi = strstr(s->list.renderer, "radeonsi") != NULL;
	for (size_t i = 0; i < s->list.group_count; i++) {
		const struct gl_group *g = &s->list.groups[i];
		uint32_t known = g->label ? block_of(base, g->label) : SX_NONE;
		if (!g->label || (known != SX_NONE && !g->limit))
			continue;
		const char *name =
		    known == SX_NONE ? g->label : sx_catalog_blocks(base, &blocks)[known].name;
		struct catalog_block *there = find_block(out, count, name);
		if (there) {
			there->limit = g->limit < there->limit ? g->limit : there->limit;
			continue;
		}
		struct catalog_block block = {.name = name, .limit = g->limit};
		if (known == SX_NONE && s->list.api == WIRE_INTEL_QUERY) {
			block.family = "query";
			block.stage = g->label;
		} else if (known == SX_NONE && radeonsi) {
			describe_radeonsi(&block, has_group(&s->list, "SQ"));
		}
		out[count++] = block;
	}
	return count;
}

static enum sx_status label_groups(struct gl_counters *s, struct sx_error *err)
{
	for (size_t i = 0; i < s->list.group_count; i++) {
		char name[LABEL_MOST + 1];
		spell(name, sizeof(name), s->list.groups[i].name);
		for (size_t k = 0; k < i; k++)
			if (s->list.groups[k].label && strcmp(s->list.groups[k].label, name) == 0)
				name[0] = '\0'; /* the two labels would be equal */
		if (!name[0])
			continue;
		s->list.groups[i].label = arena_strndup(&s->texts, name, strlen(name));
		if (!s->list.groups[i].label)
			return error_nomem(err, "the driver's counters");
	}
	return SX_OK;
}

static bool is_level_unit(const char *unit)
{
	return strcmp(unit, "percent") == 0 || strcmp(unit, "Hz") == 0 ||
	       strcmp(unit, "MHz") == 0 || strcmp(unit, "ratio") == 0;
}

static size_t make_counters(struct gl_counters *s, const struct sx_catalog *base,
			    struct catalog_addition *out)
{
	size_t count = 0;
	for (size_t i = 0; i < s->list.counter_count; i++) {
		struct gl_counter *c = &s->list.counters[i];
		const struct gl_group *g = &s->list.groups[c->group];
		const struct sx_metric_info *known = meaning_of(s->units, g->name, c->name);
		uint32_t blocks;
		if (!g->label)
			continue;
		c->label = make_label(s, base, i, known);
		if (!c->label)
			continue;
		uint32_t block = block_of(base, g->label);
		const char *unit = known ? known->unit : c->is_share ? "percent" : "unknown";
		c->is_level |= known && is_level_unit(known->unit);
		out[count++] = (struct catalog_addition){
		    .name = c->label,
		    .unit = unit,
		    .description = known	 ? known->description
				   : c->about[0] ? c->about
						 : NULL,
		    .block =
			block == SX_NONE ? g->label : sx_catalog_blocks(base, &blocks)[block].name,
		    .is_real = wire_type_is_real(c->type),
		    .is_mean = c->is_level,
		};
	}
	return count;
}

static enum sx_status make_catalog(struct gl_counters *s, const char *name, struct sx_error *err)
{
	struct sx_catalog *base = NULL;
	struct catalog_block *blocks = calloc(s->list.group_count + 1, sizeof(*blocks));
	struct catalog_addition *counters = calloc(s->list.counter_count + 1, sizeof(*counters));
	enum sx_status status = blocks && counters
				    ? catalog_open_name(s->in.base.catalogs, name, &base, err)
				    : error_nomem(err, "the driver's counters");
	if (!status)
		status = label_groups(s, err);
	if (!status) {
		struct catalog_more more = {.blocks = blocks, .counters = counters};
		more.block_count = make_blocks(s, base, blocks);
		more.counter_count = make_counters(s, base, counters);
		status = catalog_extend(s->in.base.catalogs, name, &more, &s->catalog, err);
	}
	sx_catalog_unref(base);
	free(blocks);
	free(counters);
	return status;
}

static bool is_for_opengl(const struct sx_metric_info *info)
{
	for (uint32_t i = 0; i < info->apis.count; i++)
		if (strcmp(info->apis.items[i], "opengl") == 0)
			return !info->unavailable;
	return false;
}

/* Metrics of the chip for this API; without a catalog, the first group with known units. */
static enum sx_status choose_usual(struct gl_counters *s, struct sx_error *err)
{
	uint32_t count, counters;
	const struct sx_metric_info *metrics = sx_catalog_metrics(s->catalog, &count);
	sx_catalog_counters(s->catalog, &counters);
	s->usual = arena_alloc(&s->texts, (count + counters + 1) * sizeof(*s->usual));
	if (!s->usual)
		return error_nomem(err, "the driver's counters");
	for (uint32_t i = 0; i < count; i++)
		if (is_for_opengl(&metrics[i]))
			s->usual[s->usual_count++] = metrics[i].qualified;
	uint32_t group = SX_NONE;
	for (size_t i = 0; !count && s->units && i < s->list.counter_count; i++) {
		const struct gl_counter *c = &s->list.counters[i];
		if (!c->label || !meaning_of(s->units, s->list.groups[c->group].name, c->name) ||
		    (group != SX_NONE && group != c->group))
			continue;
		group = c->group;
		s->usual[s->usual_count++] = c->label;
	}
	if (!s->usual_count)
		s->usual[s->usual_count++] = "Frames";
	return SX_OK;
}

static void set_constant(struct gl_counters *s, const char *name, double value)
{
	s->constants[s->in.desc.facts.constant_count++] = (struct sx_constant_value){name, value};
}

/* Constants that the driver reports; the last two hold for known parts of GCN. */
static void take_shape(struct gl_counters *s)
{
	s->in.desc.facts.constants = s->constants;
	if (!s->list.units || !s->list.engines)
		return;
	set_constant(s, "NUM_SHADER_ENGINES", s->list.engines);
	set_constant(s, "NUM_CUS", s->list.units);
	set_constant(s, "NUM_SIMDS", 4.0 * s->list.units);
	set_constant(s, "NUM_PRIM_PIPES", s->list.engines);
	set_constant(s, "SU_CLOCKS_PRIM", 1);
}

enum sx_status gl_counters_describe(struct gl_counters *s, struct sx_error *err)
{
	struct match_found chip = {.name = ""};
	bool known = find_chip(s->in.base.catalogs, &s->list, &chip);
	bool counts = known && s->list.api == WIRE_AMD_MONITOR;
	enum sx_status status = SX_OK;
	if (known && !counts)
		status = sx_catalog_open(s->in.base.catalogs, chip.name, &s->units, err);
	if (!status)
		status = make_catalog(s, counts ? chip.name : BASE, err);
	if (!status)
		status = choose_usual(s, err);
	if (status)
		return status;
	take_shape(s);
	s->in.desc.catalog = sx_catalog_info(s->catalog)->name;
	s->in.desc.own = s->catalog;
	s->in.desc.facts.name = s->list.renderer;
	s->in.desc.facts.driver = s->list.version;
	s->in.desc.takes_passes = true;
	s->in.desc.usual = s->usual;
	s->in.desc.usual_count = s->usual_count;
	return SX_OK;
}
