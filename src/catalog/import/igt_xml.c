/* IGT's and Mesa's oa-*.xml: metric sets, their equations and register programs. */
#include "catalog/import/import.h"
#include "base/error.h"
#include "catalog/import/oa_slots.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
	const char *kind, *when;
	uint32_t set;
	struct vendor_text writes;
	long priority;
};

struct set {
	const char *symbol, *title, *uuid, *format;
};

struct metric {
	const char *symbol, *title, *category, *unit, *type, *expr, *max, *when, *text;
	uint32_t *sets;
	size_t set_count, set_cap;
};

struct igt {
	struct vendor *in;
	const char *chipset;
	struct set *sets;
	struct metric *metrics;
	struct program *programs;
	const char **lost; /* symbols of metrics that were not translated */
	size_t set_count, set_cap, metric_count, metric_cap, program_count, program_cap;
	size_t lost_count, lost_cap;
	bool in_program;
};

#define SETS_MAX    4096
#define METRICS_MAX 32768

static const char *get(const struct igt *g, const char *name)
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
	struct set s = {get(g, "symbol_name"), get(g, "name"), get(g, "hw_config_guid"),
			get(g, "oa_format")};
	if (!g->chipset)
		g->chipset = get(g, "chipset");
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

/* The words of Mesa's older files have two blanks where a READ was lost between; one is enough. */
static const char *formula(struct igt *g, const char *symbol, const char *what, const char *text)
{
	const char *why, *ours = text ? vendor_postfix(g->in, text, &why) : NULL;
	if (text && !ours)
		vendor_note(g->in, "%s.%s: its %s is not translated: %s",
			    g->sets[g->set_count - 1].symbol, symbol, what, why);
	return ours;
}

/* What an expression reads that is in no report of the set's format: "A 40", or false. */
static bool reads_beyond(const struct set *set, const char *text, char out[32])
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

/* A counter that no report has would be no data for ever, and nobody knew why. */
static bool is_beyond(struct igt *g, const struct metric *m)
{
	const struct set *set = &g->sets[g->set_count - 1];
	char what[32];
	if (!reads_beyond(set, m->expr, what) && !reads_beyond(set, m->max, what) &&
	    !reads_beyond(set, m->when, what))
		return false;
	vendor_note(g->in, "%s.%s: left out, since it reads %s, which %s%s does not have",
		    set->symbol, m->symbol, what, set->format ? "format " : "a report",
		    set->format ? set->format : "");
	return true;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_metric(const struct metric *a, const struct metric *b)
{
	return same_text(a->symbol, b->symbol) && same_text(a->expr, b->expr) &&
	       same_text(a->max, b->max) && same_text(a->when, b->when) &&
	       same_text(a->unit, b->unit) && same_text(a->title, b->title);
}

static bool lose(struct igt *g, const char *symbol)
{
	if (!mem_grow(&g->lost, &g->lost_cap, g->lost_count + 1, sizeof(*g->lost)))
		return vendor_no_memory(g->in);
	g->lost[g->lost_count++] = symbol;
	return true;
}

/* A metric that other sets have in the same form is one entry with their names. */
static struct metric *place_metric(struct igt *g, const struct metric *m)
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
	struct metric m = {.symbol = get(g, "symbol_name"), .title = get(g, "name")};
	if (!g->set_count || !g->sets[g->set_count - 1].symbol)
		return true;
	if (!vendor_is_name(m.symbol) || !get(g, "equation")) {
		vendor_note(g->in, "line %u: a counter has no symbol_name or no equation",
			    xml_line(&g->in->xml));
		return true;
	}
	const char *units = get(g, "units"), *type = get(g, "data_type");
	m.unit = units ? vendor_unit(units) : NULL;
	if (!m.unit) {
		vendor_note(g->in, "%s: the unit \"%s\" is not known; taken as a count", m.symbol,
			    units ? units : "");
		m.unit = "count";
	}
	m.type = type && strcmp(type, "float") == 0 ? "f64" : "u64";
	m.category = get(g, "mdapi_group");
	m.text = get(g, "description");
	m.expr = formula(g, m.symbol, "equation", get(g, "equation"));
	m.max = formula(g, m.symbol, "maximum", get(g, "max_equation"));
	m.when = formula(g, m.symbol, "condition", get(g, "availability"));
	if (g->in->status != SX_OK)
		return false;
	if (!m.expr || is_beyond(g, &m))
		return lose(g, m.symbol);
	struct metric *placed = place_metric(g, &m);
	uint32_t set = (uint32_t)g->set_count - 1;
	if (!placed || !mem_grow(&placed->sets, &placed->set_cap, placed->set_count + 1,
				 sizeof(*placed->sets)))
		return vendor_no_memory(g->in);
	if (!placed->set_count || placed->sets[placed->set_count - 1] != set)
		placed->sets[placed->set_count++] = set;
	return true;
}

static bool begin_program(struct igt *g)
{
	const char *type = get(g, "type"), *when = get(g, "availability"),
		   *priority = get(g, "priority");
	struct program p = {.set = (uint32_t)g->set_count - 1,
			    .priority = priority ? strtol(priority, NULL, 10) : 0};
	p.kind = !type			     ? NULL
		 : strcmp(type, "NOA") == 0  ? "mux"
		 : strcmp(type, "OA") == 0   ? "boolean"
		 : strcmp(type, "FLEX") == 0 ? "flex"
					     : NULL;
	g->in_program = false;
	if (!g->set_count || !g->sets[p.set].symbol)
		return true;
	if (!p.kind) {
		vendor_note(g->in, "%s: registers of type \"%s\" are left out",
			    g->sets[p.set].symbol, type ? type : "");
		return true;
	}
	p.when = formula(g, "registers", "condition", when);
	if (when && !p.when)
		return g->in->status == SX_OK;
	if (!mem_grow(&g->programs, &g->program_cap, g->program_count + 1, sizeof(p)))
		return vendor_no_memory(g->in);
	g->programs[g->program_count++] = p;
	g->in_program = true;
	return true;
}

static bool is_hex(const char *text, unsigned long *out)
{
	char *end = NULL;
	if (!text || strncmp(text, "0x", 2) != 0 || strlen(text) > 10)
		return false;
	*out = strtoul(text + 2, &end, 16);
	return end != text + 2 && !*end;
}

static bool add_write(struct igt *g)
{
	unsigned long address, value;
	if (!g->in_program)
		return true;
	struct program *p = &g->programs[g->program_count - 1];
	if (!is_hex(get(g, "address"), &address) || !is_hex(get(g, "value"), &value)) {
		vendor_note(g->in, "%s: line %u: a register has no address or no value",
			    g->sets[p->set].symbol, xml_line(&g->in->xml));
		return true;
	}
	if (!mem_grow(&p->writes.data, &p->writes.cap, p->writes.size + 24, 1))
		return vendor_no_memory(g->in);
	int used = snprintf(p->writes.data + p->writes.size, p->writes.cap - p->writes.size,
			    "%s%lX:%08lX", p->writes.size ? " " : "", address, value);
	p->writes.size += (size_t)used;
	return true;
}

static bool igt_xml_read_all(struct igt *g)
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
			good = begin_program(g);
		else if (strcmp(name, "register") == 0)
			good = add_write(g);
		if (!good)
			return false;
	}
}

/* Files of counters that equations read, in the order of a report. */
static const struct {
	const char *file, *title;
	uint32_t bits;
} files[] = {{"A", "Aggregating counters", 40},
	     {"B", "Boolean counters", 32},
	     {"C", "NOA counters", 32},
	     {"PEC", "Programmable event counters", 64},
	     {"PERFCNT", "Performance counter registers", 44}};

#define FILES (sizeof(files) / sizeof(files[0]))

struct names {
	uint32_t slots[FILES]; /* one behind the highest number that is read */
	bool time, clock;
	const char **order;
	size_t count, cap;
};

static bool is_metric(const struct igt *g, const char *name)
{
	for (size_t i = 0; i < g->metric_count; i++)
		if (strcmp(g->metrics[i].symbol, name) == 0)
			return true;
	return false;
}

/* What reads `word`, which begins with `$`, reads a metric that was lost, in all sets. */
static bool is_lost(const struct igt *g, const char *word, size_t length)
{
	for (size_t i = 0; i < g->lost_count; i++)
		if (strlen(g->lost[i]) == length - 1 &&
		    strncmp(g->lost[i], word + 1, length - 1) == 0)
			return !is_metric(g, g->lost[i]);
	return false;
}

/* A word of the expression that is lost, or NULL; its length. */
static const char *lost_word(const struct igt *g, const char *text, size_t *length)
{
	for (const char *p = text ? text : ""; *p; p += *length, p += strspn(p, " ")) {
		*length = strcspn(p, " ");
		if (*p == '$' && is_lost(g, p, *length))
			return p;
	}
	return NULL;
}

static const char *what_is_lost(const struct igt *g, const struct metric *m, size_t *length)
{
	const char *word = lost_word(g, m->expr, length);
	word = word ? word : lost_word(g, m->max, length);
	return word ? word : lost_word(g, m->when, length);
}

/* What reads a metric that could not be translated cannot be either, and so on. */
static bool drop_dependents(struct igt *g)
{
	bool any = true;
	while (any) {
		any = false;
		for (size_t i = 0; i < g->metric_count; i++) {
			struct metric *m = &g->metrics[i];
			size_t length;
			const char *word = what_is_lost(g, m, &length);
			if (!word)
				continue;
			vendor_note(g->in,
				    "%s: left out, since it reads %.*s, which is not translated",
				    m->symbol, (int)length - 1, word + 1);
			if (!lose(g, m->symbol))
				return false;
			free(m->sets);
			*m = g->metrics[--g->metric_count];
			any = true;
			break;
		}
	}
	return true;
}

/* Beginnings of what drivers tell of a device; anything else nobody can find out. */
static bool is_property(const char *name)
{
	static const char *const known[] = {
	    "Subslice", "DualSubslice", "Slice",      "Gpu",	 "Eu",	     "XeCore",
	    "Vector",	"Sqidi",	"Sku",	      "Query",	 "L3",	     "Gt",
	    "Geometry", "Depth",	"CopyEngine", "Compute", "ColorPipe"};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(name, known[i], strlen(known[i])) == 0)
			return true;
	return false;
}

static bool add_constant(struct igt *g, struct names *n, const char *name)
{
	for (size_t i = 0; i < n->count; i++)
		if (strcmp(n->order[i], name) == 0)
			return true;
	if (!vendor_is_name(name) || is_metric(g, name))
		return true;
	if (!mem_grow(&n->order, &n->cap, n->count + 1, sizeof(*n->order)))
		return vendor_no_memory(g->in);
	n->order[n->count++] = name;
	if (!is_property(name))
		vendor_note(g->in,
			    "%s is neither a metric of the file nor a known property of a device; "
			    "it is taken for a constant, which --const must give",
			    name);
	return true;
}

/* Notes what one expression reads. */
static bool scan(struct igt *g, struct names *n, const char *text)
{
	const char *before = "", *last = "";
	for (const char *p = text ? text : ""; *p;) {
		size_t len = strcspn(p, " ");
		const char *word = arena_strndup(&g->in->arena, p, len);
		if (!word)
			return vendor_no_memory(g->in);
		p += len + strspn(p + len, " ");
		if (word[0] == '$' && !add_constant(g, n, word + 1))
			return false;
		unsigned long number = strtoul(last, NULL, 0);
		for (size_t f = 0; strcmp(word, "READ") == 0 && f < FILES && number < 256; f++)
			if (strcmp(before, files[f].file) == 0 && number >= n->slots[f])
				n->slots[f] = (uint32_t)number + 1;
		n->time = n->time || strcmp(word, "GPU_TIME") == 0;
		n->clock = n->clock || strcmp(word, "GPU_CLOCK") == 0;
		before = last;
		last = word;
	}
	return true;
}

static bool scan_all(struct igt *g, struct names *n)
{
	bool good = true;
	for (size_t i = 0; good && i < g->metric_count; i++)
		good = scan(g, n, g->metrics[i].expr) && scan(g, n, g->metrics[i].max) &&
		       scan(g, n, g->metrics[i].when);
	for (size_t i = 0; good && i < g->program_count; i++)
		good = scan(g, n, g->programs[i].when);
	return good;
}

static void igt_xml_put_head(struct igt *g)
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

static void put_constants(struct igt *g, const struct names *n)
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

static void put_counters(struct igt *g, const struct names *n)
{
	vendor_put(g->in, "blocks:\n  - {name: header, title: Report header, slots: 8, "
			  "description: \"Time and clock.\"}\n");
	for (size_t f = 0; f < FILES; f++)
		if (n->slots[f])
			vendor_put(g->in,
				   "  - {name: %s, title: %s, slots: %u, slot-bits: %u, "
				   "description: \"%s of a report, by number.\"}\n",
				   files[f].file, files[f].title, n->slots[f], files[f].bits,
				   files[f].title);
}

static void put_raw(struct igt *g, const struct names *n)
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
	for (size_t f = 0; f < FILES; f++)
		for (uint32_t i = 0; i < n->slots[f]; i++) {
			uint32_t bits = f == 0 && i >= 32 ? 32 : files[f].bits;
			vendor_put(g->in,
				   "  - {name: %s%u, block: %s, slot: %u, bits: %u, reduce: "
				   "single, unit: count, description: \"Counter %u of %s; the "
				   "metrics that read it tell what it counts.\"}\n",
				   files[f].file, i, files[f].file, i, bits, i, files[f].file);
		}
}

static void put_programs(struct igt *g, uint32_t set)
{
	bool any = false;
	for (size_t i = 0; i < g->program_count; i++) {
		const struct program *p = &g->programs[i];
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
		const struct set *s = &g->sets[i];
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
		const struct metric *m = &g->metrics[i];
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
static void tell_unchecked(struct igt *g)
{
	if (g->program_count)
		vendor_note(
		    g->in,
		    "%zu register program%s not held against what the kernel takes: the "
		    "file does not say which devices it is of; catalog lint does so once "
		    "the catalog has a match, as {driver: i915, key: device_id, value: 0x9a49}",
		    g->program_count, g->program_count == 1 ? " is" : "s are");
}

static bool write_all(struct igt *g)
{
	struct names n = {0};
	bool good = scan_all(g, &n);
	if (good) {
		igt_xml_put_head(g);
		put_constants(g, &n);
		put_counters(g, &n);
		put_sets(g);
		put_raw(g, &n);
		put_metrics(g);
		tell_unchecked(g);
	}
	free(n.order);
	return good;
}

static bool has_sets(struct igt *g)
{
	for (size_t i = 0; i < g->set_count; i++)
		if (g->sets[i].symbol)
			return true;
	g->in->status = error_set(g->in->err, SX_ERR_BAD_INPUT, "%s:1: no metric sets here",
				  g->in->request->origin);
	error_because(g->in->err, g->set_count ? "no set of the file has a symbol_name"
					       : "the file has no element called set");
	error_try(g->in->err, "give one of IGT's or Mesa's oa-*.xml");
	return false;
}

bool vendor_igt_xml(struct vendor *in)
{
	struct igt g = {.in = in};
	bool good = igt_xml_read_all(&g) && has_sets(&g) && drop_dependents(&g) && write_all(&g);
	for (size_t i = 0; i < g.program_count; i++)
		free(g.programs[i].writes.data);
	for (size_t i = 0; i < g.metric_count; i++)
		free(g.metrics[i].sets);
	free(g.lost);
	free(g.programs);
	free(g.metrics);
	free(g.sets);
	return good;
}
