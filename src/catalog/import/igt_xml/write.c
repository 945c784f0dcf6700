/* The metric sets as a catalog. */
#include "catalog/import/igt_xml/igt.h"
#include "base/number.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_head(struct igt *g)
{
	char name[140] = "intel-imported";
	const char *chosen = g->in->request->name;
	if (chosen)
		snprintf(name, sizeof(name), "%s", chosen);
	else if (vendor_is_name(g->chipset) && strlen(g->chipset) < 100)
		snprintf(name, sizeof(name), "intel-%s", g->chipset);
	for (char *p = name; !chosen && *p; p++)
		*p = (char)tolower((unsigned char)*p);
	vendor_put(g->in,
		   "sextant-catalog: 1\nname: %s\ntitle: Intel %s OA\nvendor: Intel\nkind: gpu\n"
		   "dialect: intel\nnotation: postfix\n"
		   "facts: [\"imported from the vendor's description of its metric sets\"]\n",
		   name, vendor_is_name(g->chipset) ? g->chipset : "imported");
}

static void put_constants(struct igt *g, const struct igt_names *n)
{
	vendor_put(g->in, n->count ? "constants:\n" : "");
	for (size_t i = 0; i < n->count; i++) {
		const char *name = n->order[i];
		vendor_put(g->in,
			   "  - {name: %s, unit: %s, description: \"A property of the device "
			   "that equations ask for.\"}\n",
			   name, strstr(name, "Frequency") ? "Hz" : "count");
	}
}

static void put_counters(struct igt *g, const struct igt_names *n)
{
	vendor_put(g->in, "blocks:\n  - {name: header, title: Report header, slots: 8, "
			  "description: \"Time and clock.\"}\n");
	for (size_t f = 0; f < IGT_FILES; f++)
		if (n->slots[f])
			vendor_put(g->in,
				   "  - {name: %s, title: %s, slots: %u, slot-bits: %u, "
				   "description: \"%s of a report, by number.\"}\n",
				   igt_files[f].file, igt_files[f].title, n->slots[f],
				   igt_files[f].bits, igt_files[f].title);
}

static void put_raw(struct igt *g, const struct igt_names *n)
{
	vendor_put(g->in, "counters:\n");
	if (n->time)
		vendor_put(g->in, "  - {name: GPU_TIME, block: header, slot: 1, bits: 32, reduce: "
				  "single, unit: count, tags: [clock], description: \"Ticks of the "
				  "OA timestamp.\"}\n");
	if (n->clock)
		vendor_put(g->in, "  - {name: GPU_CLOCK, block: header, slot: 3, bits: 32, reduce: "
				  "single, unit: cycles, tags: [clock], description: \"Ticks of "
				  "the render clock.\"}\n");
	for (size_t f = 0; f < IGT_FILES; f++)
		for (uint32_t i = 0; i < n->slots[f]; i++) {
			uint32_t bits = f == 0 && i >= 32 ? 32 : igt_files[f].bits;
			vendor_put(g->in,
				   "  - {name: %s%u, block: %s, slot: %u, bits: %u, reduce: "
				   "single, unit: count, description: \"Counter %u of %s; the "
				   "metrics that read it define what it counts.\"}\n",
				   igt_files[f].file, i, igt_files[f].file, i, bits, i,
				   igt_files[f].file);
		}
}

static void put_programs(struct igt *g, uint32_t set)
{
	bool any = false;
	for (size_t i = 0; i < g->program_count; i++) {
		const struct igt_program *p = &g->programs[i];
		if (p->set != set || !p->writes.size)
			continue;
		vendor_put(g->in, any ? "" : "    programs:\n");
		any = true;
		vendor_put(g->in, "      - {kind: %s", p->kind);
		if (p->priority)
			vendor_put(g->in, ", priority: %ld", p->priority);
		if (p->when)
			vendor_put(g->in, ", when: \"%s\"", p->when);
		vendor_put(g->in, ", writes: \"%s\"}\n", p->writes.data);
	}
}

static void put_sets(struct igt *g)
{
	vendor_put(g->in, "groups:\n");
	for (uint32_t i = 0; i < g->set_count; i++) {
		const struct igt_set *s = &g->sets[i];
		if (!s->symbol)
			continue;
		vendor_put(g->in, "  - name: %s\n    title: ", s->symbol);
		vendor_put_quoted(g->in, s->title ? s->title : s->symbol, 200);
		vendor_put(g->in, "\n    kind: set\n");
		if (s->uuid)
			vendor_put(g->in, "    uuid: %s\n", s->uuid);
		if (s->format)
			vendor_put(g->in, "    counter-format: %s\n    unit: %s\n", s->format,
				   strncmp(s->format, "MPEC", 4) == 0 ? "oam" : "oag");
		put_programs(g, i);
	}
}

static void put_optional(struct igt *g, const char *key, const char *text)
{
	if (!text)
		return;
	vendor_put(g->in, "    %s: ", key);
	vendor_put_quoted(g->in, text, 60000);
	vendor_put(g->in, "\n");
}

static void put_metrics(struct igt *g)
{
	vendor_put(g->in, g->metric_count ? "metrics:\n" : "");
	for (size_t i = 0; i < g->metric_count; i++) {
		const struct igt_metric *m = &g->metrics[i];
		vendor_put(g->in, "  - name: %s\n    groups: [", m->symbol);
		for (size_t k = 0; k < m->set_count; k++)
			vendor_put(g->in, "%s%s", k ? ", " : "", g->sets[m->sets[k]].symbol);
		vendor_put(g->in, "]\n    unit: %s\n    type: %s\n    title: ", m->unit, m->type);
		vendor_put_quoted(g->in, m->title ? m->title : m->symbol, 200);
		vendor_put(g->in, "\n");
		put_optional(g, "category", m->category);
		put_optional(g, "expr", m->expr);
		put_optional(g, "max", m->max);
		put_optional(g, "when", m->when);
		vendor_put(g->in, "    description: ");
		vendor_put_quoted(g->in, m->text ? m->text : m->title ? m->title : m->symbol, 230);
		vendor_put(g->in, "\n");
	}
}

/* The kernel takes few registers, and which depends on the device. */
static void note_unchecked(struct igt *g)
{
	if (g->program_count)
		vendor_note(
		    g->in,
		    "%s not held against what the kernel takes: the "
		    "file does not say which devices it is of; catalog lint does so once "
		    "the catalog has a match, as {driver: i915, key: device_id, value: 0x9a49}",
		    COUNTED(g->program_count, "register program is"));
}

bool igt_write(struct igt *g)
{
	struct igt_names n = {0};
	bool good = igt_scan_names(g, &n);
	if (good) {
		put_head(g);
		put_constants(g, &n);
		put_counters(g, &n);
		put_sets(g);
		put_raw(g, &n);
		put_metrics(g);
		note_unchecked(g);
	}
	free(n.order);
	return good;
}
