/* Reads metric sets and their metrics from the elements of the file. */
#include "catalog/import/igt_xml/igt.h"
#include "base/text_buf.h"
#include "catalog/import/import.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SETS_MAX    4096
#define METRICS_MAX 32768

const char *igt_get(const struct igt *g, const char *name)
{
	const char *value = xml_get(&g->in->xml, name);
	return value && *value ? value : NULL;
}

/* 8-4-4-4-12 hexadecimal digits. */
static bool is_uuid(const char *text)
{
	for (size_t i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		if (dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
			return false;
	}
	return !text[36];
}

static bool add_set(struct igt *g)
{
	struct igt_set s = {igt_get(g, "symbol_name"), igt_get(g, "name"),
			    igt_get(g, "hw_config_guid"), igt_get(g, "oa_format")};
	if (!g->chipset)
		g->chipset = igt_get(g, "chipset");
	if (!vendor_is_name(s.symbol)) {
		vendor_note(g->in, "line %u: a set has no symbol_name; its parts are left out",
			    xml_line(&g->in->xml));
		s.symbol = NULL;
	}
	const struct oa_slots *slots = s.format ? oa_slots_find(s.format) : NULL;
	if (s.format && !slots)
		vendor_note(g->in, "line %u: reports have no format \"%.60s\"; it is left out",
			    xml_line(&g->in->xml), s.format);
	s.format = slots ? slots->format : NULL;
	if (s.uuid && !is_uuid(s.uuid)) {
		vendor_note(g->in, "line %u: \"%s\" is no hw_config_guid; it is left out",
			    xml_line(&g->in->xml), s.uuid);
		s.uuid = NULL;
	}
	if (g->set_count >= SETS_MAX ||
	    !mem_grow(&g->sets, &g->set_cap, g->set_count + 1, sizeof(*g->sets)))
		return vendor_no_memory(g->in);
	g->sets[g->set_count++] = s;
	return true;
}

const char *igt_formula(struct igt *g, const char *symbol, const char *what, const char *text)
{
	const char *why, *ours = text ? vendor_postfix(g->in, text, &why) : NULL;
	if (text && !ours)
		vendor_note(g->in, "%s.%s: its %s is not translated: %s",
			    g->sets[g->set_count - 1].symbol, symbol, what, why);
	return ours;
}

/* What an expression reads that is in no report of the set's format: "A 40", or false. */
static bool reads_beyond(const struct igt_set *set, const char *text, char out[32])
{
	const struct oa_slots *slots = set->format ? oa_slots_find(set->format) : oa_slots_any();
	char file[16], word[16];
	unsigned long number;
	for (const char *p = text ? text : ""; *p; p += strcspn(p, " "), p += strspn(p, " "))
		if (sscanf(p, "%15s %lu %15s", file, &number, word) == 3 &&
		    strcmp(word, "READ") == 0 && !oa_slots_has(slots, file, number)) {
			snprintf(out, 32, "%s %lu", file, number);
			return true;
		}
	return false;
}

/* A counter that no report contains would always be no data, without a visible reason. */
static bool is_beyond(struct igt *g, const struct igt_metric *m)
{
	const struct igt_set *set = &g->sets[g->set_count - 1];
	char what[32];
	if (!reads_beyond(set, m->expr, what) && !reads_beyond(set, m->max, what) &&
	    !reads_beyond(set, m->when, what))
		return false;
	vendor_note(g->in, "%s.%s: left out, since it reads %s, which %s%s does not have",
		    set->symbol, m->symbol, what, set->format ? "format " : "a report",
		    set->format ? set->format : "");
	return true;
}

static bool same_metric(const struct igt_metric *a, const struct igt_metric *b)
{
	return text_same(a->symbol, b->symbol) && text_same(a->expr, b->expr) &&
	       text_same(a->max, b->max) && text_same(a->when, b->when) &&
	       text_same(a->unit, b->unit) && text_same(a->title, b->title);
}

/* A metric that other sets have in the same form is one entry with their names. */
static struct igt_metric *place_metric(struct igt *g, const struct igt_metric *m)
{
	for (size_t i = 0; i < g->metric_count; i++)
		if (same_metric(&g->metrics[i], m))
			return &g->metrics[i];
	if (g->metric_count >= METRICS_MAX ||
	    !mem_grow(&g->metrics, &g->metric_cap, g->metric_count + 1, sizeof(*m)))
		return NULL;
	g->metrics[g->metric_count] = *m;
	return &g->metrics[g->metric_count++];
}

static bool add_metric(struct igt *g)
{
	struct igt_metric m = {.symbol = igt_get(g, "symbol_name"), .title = igt_get(g, "name")};
	if (!g->set_count || !g->sets[g->set_count - 1].symbol)
		return true;
	if (!vendor_is_name(m.symbol) || !igt_get(g, "equation")) {
		vendor_note(g->in, "line %u: a counter has no symbol_name or no equation",
			    xml_line(&g->in->xml));
		return true;
	}
	const char *units = igt_get(g, "units"), *type = igt_get(g, "data_type");
	m.unit = units ? vendor_unit(units) : NULL;
	if (!m.unit) {
		vendor_note(g->in, "%s: the unit \"%s\" is not known; taken as a count", m.symbol,
			    units ? units : "");
		m.unit = "count";
	}
	m.type = type && strcmp(type, "float") == 0 ? "f64" : "u64";
	m.category = igt_get(g, "mdapi_group");
	m.text = igt_get(g, "description");
	m.expr = igt_formula(g, m.symbol, "equation", igt_get(g, "equation"));
	m.max = igt_formula(g, m.symbol, "maximum", igt_get(g, "max_equation"));
	m.when = igt_formula(g, m.symbol, "condition", igt_get(g, "availability"));
	if (g->in->status != SX_OK)
		return false;
	if (!m.expr || is_beyond(g, &m))
		return igt_lose(g, m.symbol);
	struct igt_metric *placed = place_metric(g, &m);
	uint32_t set = (uint32_t)g->set_count - 1;
	if (!placed || !mem_grow(&placed->sets, &placed->set_cap, placed->set_count + 1,
				 sizeof(*placed->sets)))
		return vendor_no_memory(g->in);
	if (!placed->set_count || placed->sets[placed->set_count - 1] != set)
		placed->sets[placed->set_count++] = set;
	return true;
}

bool igt_read(struct igt *g)
{
	for (;;) {
		enum xml_event event = xml_next(&g->in->xml);
		const char *name = g->in->xml.name;
		bool good = true;
		if (event == XML_FAILED) {
			g->in->status = g->in->xml.status;
			return false;
		}
		if (event == XML_END)
			return true;
		if (event == XML_CLOSE)
			continue;
		if (strcmp(name, "set") == 0)
			good = add_set(g);
		else if (strcmp(name, "counter") == 0)
			good = add_metric(g);
		else if (strcmp(name, "register_config") == 0)
			good = igt_begin_program(g);
		else if (strcmp(name, "register") == 0)
			good = igt_add_write(g);
		if (!good)
			return false;
	}
}
