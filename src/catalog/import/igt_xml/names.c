/* What the equations of the file read: slots of a report, its clocks, constants. */
#include "catalog/import/igt_xml/igt.h"

#include <stdlib.h>
#include <string.h>

const struct igt_file igt_files[IGT_FILES] = {{"A", "Aggregating counters", 40},
					      {"B", "Boolean counters", 32},
					      {"C", "NOA counters", 32},
					      {"PEC", "Programmable event counters", 64},
					      {"PERFCNT", "Performance counter registers", 44}};

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
