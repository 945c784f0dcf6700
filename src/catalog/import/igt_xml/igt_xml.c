/* IGT's and Mesa's oa-*.xml: metric sets, their equations and register programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "catalog/import/igt_xml/igt.h"

bool igt_lose(struct igt *g, const char *symbol)
{
	if (!mem_grow(&g->lost, &g->lost_cap, g->lost_count + 1, sizeof(*g->lost)))
		return vendor_no_memory(g->in);
	g->lost[g->lost_count++] = symbol;
	return true;
}

static bool igt_is_metric(const struct igt *g, const char *name)
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
			return !igt_is_metric(g, g->lost[i]);
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

static const char *what_is_lost(const struct igt *g, const struct igt_metric *m, size_t *length)
{
	const char *word = lost_word(g, m->expr, length);
	word = word ? word : lost_word(g, m->max, length);
	return word ? word : lost_word(g, m->when, length);
}

/* What reads a metric that could not be translated cannot be either, and so on. */
static bool igt_drop_dependents(struct igt *g)
{
	bool any = true;
	while (any) {
		any = false;
		for (size_t i = 0; i < g->metric_count; i++) {
			struct igt_metric *m = &g->metrics[i];
			size_t length;
			const char *word = what_is_lost(g, m, &length);
			if (!word)
				continue;
			vendor_note(g->in,
				    "%s: left out, since it reads %.*s, which is not translated",
				    m->symbol, (int)length - 1, word + 1);
			if (!igt_lose(g, m->symbol))
				return false;
			free(m->sets);
			*m = g->metrics[--g->metric_count];
			any = true;
			break;
		}
	}
	return true;
}

const struct igt_file igt_files[IGT_FILES] = {{"A", "Aggregating counters", 40},
					      {"B", "Boolean counters", 32},
					      {"C", "NOA counters", 32},
					      {"PEC", "Programmable event counters", 64},
					      {"PERFCNT", "Performance counter registers", 44}};

/* Prefixes of the properties that drivers report; a constant with another prefix has no source. */
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

static bool add_constant(struct igt *g, struct igt_names *n, const char *name)
{
	for (size_t i = 0; i < n->count; i++)
		if (strcmp(n->order[i], name) == 0)
			return true;
	if (!vendor_is_name(name) || igt_is_metric(g, name))
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
static bool scan(struct igt *g, struct igt_names *n, const char *text)
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
		for (size_t f = 0; strcmp(word, "READ") == 0 && f < IGT_FILES && number < 256; f++)
			if (strcmp(before, igt_files[f].file) == 0 && number >= n->slots[f])
				n->slots[f] = (uint32_t)number + 1;
		n->time = n->time || strcmp(word, "GPU_TIME") == 0;
		n->clock = n->clock || strcmp(word, "GPU_CLOCK") == 0;
		before = last;
		last = word;
	}
	return true;
}

bool igt_scan_names(struct igt *g, struct igt_names *n)
{
	bool good = true;
	for (size_t i = 0; good && i < g->metric_count; i++)
		good = scan(g, n, g->metrics[i].expr) && scan(g, n, g->metrics[i].max) &&
		       scan(g, n, g->metrics[i].when);
	for (size_t i = 0; good && i < g->program_count; i++)
		good = scan(g, n, g->programs[i].when);
	return good;
}

bool igt_begin_program(struct igt *g)
{
	const char *type = igt_get(g, "type"), *when = igt_get(g, "availability"),
		   *priority = igt_get(g, "priority");
	struct igt_program p = {.set = (uint32_t)g->set_count - 1,
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
	p.when = igt_formula(g, "registers", "condition", when);
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

bool igt_add_write(struct igt *g)
{
	unsigned long address, value;
	if (!g->in_program)
		return true;
	struct igt_program *p = &g->programs[g->program_count - 1];
	if (!is_hex(igt_get(g, "address"), &address) || !is_hex(igt_get(g, "value"), &value)) {
		vendor_note(g->in, "%s: line %u: a register has no address or no value",
			    g->sets[p->set].symbol, xml_line(&g->in->xml));
		return true;
	}
	vendor_text_put(&p->writes, "%s%lX:%08lX", p->writes.size ? " " : "", address, value);
	return p->writes.failed ? vendor_no_memory(g->in) : true;
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
	bool good = igt_read(&g) && has_sets(&g) && igt_drop_dependents(&g) && igt_write(&g);
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
