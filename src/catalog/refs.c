/* Resolution of names, and a depth-first walk from metric to metric that finds circles. */
#include "catalog/refs.h"
#include "base/error.h"
#include "base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES	   128
#define FORMULAS_BYTES_MAX ((size_t)4 * 1024 * 1024)

enum ref_target refs_resolve(const struct sx_catalog *cat, const char *name, uint32_t group,
			     uint32_t *index, uint32_t *matches)
{
	uint32_t ignored;
	matches = matches ? matches : &ignored;
	*matches = 1;
	if (group != SX_NONE) {
		*index = sx_catalog_find_metric(cat, name, group, NULL);
		if (*index != SX_NONE)
			return REF_METRIC;
		*index = sx_catalog_find_counter(cat, name, group, NULL);
		if (*index != SX_NONE)
			return REF_COUNTER;
	}
	*index = sx_catalog_find_counter(cat, name, SX_NONE, matches);
	if (*index != SX_NONE)
		return REF_COUNTER;
	*matches = 1;
	*index = sx_catalog_find_constant(cat, name);
	if (*index != SX_NONE)
		return REF_CONSTANT;
	*index = sx_catalog_find_metric(cat, name, SX_NONE, matches);
	if (*index != SX_NONE)
		return REF_METRIC;
	*matches = 1;
	name += *name == '$';
	if (strcmp(name, "duration_ns") == 0 || strcmp(name, "seconds") == 0)
		return REF_BUILTIN;
	return REF_NONE;
}

enum sx_status refs_no_group(const struct sx_catalog *cat, const char *name, struct sx_error *err)
{
	char text[256];
	uint32_t count;
	struct suggest near;
	const char *catalog = sx_catalog_info(cat)->name;
	const struct sx_group_info *groups = sx_catalog_groups(cat, &count);
	suggest_begin(&near, name, 3);
	for (uint32_t i = 0; i < count; i++)
		suggest_offer(&near, groups[i].name);
	error_set(err, SX_ERR_NOT_FOUND, "no set or group %.128s in catalog %s", name, catalog);
	error_because(err, count ? "no name or uuid matches" : "it has no sets or groups");
	if (near.count)
		error_try(err, "%s", suggest_text(&near, text, sizeof(text)));
	else if (count)
		error_try(err, "sextant list groups --for %s", catalog);
	else
		error_try(err, "leave out --set");
	return SX_ERR_NOT_FOUND;
}

/* A metric whose formula is being walked, and how far. */
struct frame {
	uint32_t metric;
	const char *at;
};

struct walk {
	struct loader *l;
	uint32_t variant;
	bool is_postfix;
	uint8_t *colours; /* one a metric */
	struct frame *stack;
	size_t depth, cap;
};

enum { WHITE, GREY, BLACK };

static bool starts_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool continues_name(char c)
{
	return starts_name(c) || (c >= '0' && c <= '9') || c == '.';
}

/*
 * Copies the next name of a formula; false at its end. This walks words without knowing operators:
 * a word that names no metric leads nowhere, so nothing else needs to be told apart. Instance
 * parts belong to counters and end the word.
 */
static bool next_name(struct frame *f, bool is_postfix, char *out)
{
	for (const char *p = f->at; *p;) {
		if (!continues_name(*p)) {
			p++;
			continue;
		}
		const char *end = p;
		while (continues_name(*end))
			end++;
		size_t len = (size_t)(end - p);
		/* In postfix a metric bears its `$`; bare words are operators and counters. */
		if (starts_name(*p) && len <= NAME_MAX_BYTES && (!is_postfix || *p == '$')) {
			memcpy(out, p, len);
			out[len] = '\0';
			f->at = end;
			return true;
		}
		p = end;
	}
	return false;
}

static const char *formula(const struct walk *w, uint32_t metric)
{
	const char *expr = w->l->cat->metrics[metric].exprs[w->variant];
	return expr ? expr : "";
}

static bool push(struct walk *w, uint32_t metric)
{
	if (!mem_grow(&w->stack, &w->cap, w->depth + 1, sizeof(*w->stack)))
		return load_no_memory(w->l);
	w->colours[metric] = GREY;
	w->stack[w->depth++] = (struct frame){metric, formula(w, metric)};
	return true;
}

static bool refuse_circle(struct walk *w, uint32_t metric)
{
	const struct sx_metric_info *metrics = w->l->cat->metrics;
	size_t first = w->depth;
	while (first > 0 && w->stack[first - 1].metric != metric)
		first--;
	char text[SX_ERROR_TEXT_MAX];
	size_t used = 0;
	for (size_t i = first ? first - 1 : 0; i < w->depth && used < sizeof(text) / 2; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s -> ",
					 metrics[w->stack[i].metric].qualified);
	load_fail(w->l, metrics[metric].line, "metric \"%s\" needs itself",
		  metrics[metric].qualified);
	error_because(w->l->err, "%.400s%s", used ? text : "", metrics[metric].qualified);
	error_try(w->l->err, "express one of them in counters");
	return false;
}

static bool walk_from(struct walk *w, uint32_t metric)
{
	if (!push(w, metric))
		return false;
	while (w->depth) {
		struct frame *f = &w->stack[w->depth - 1];
		char name[NAME_MAX_BYTES + 1];
		uint32_t next, group = w->l->cat->metrics[f->metric].group;
		if (!next_name(f, w->is_postfix, name)) {
			w->colours[f->metric] = BLACK;
			w->depth--;
			continue;
		}
		if (refs_resolve(w->l->cat, name, group, &next, NULL) != REF_METRIC)
			continue;
		if (w->colours[next] == GREY)
			return refuse_circle(w, next);
		if (w->colours[next] == WHITE && !push(w, next))
			return false;
	}
	return true;
}

/* The walk reads each metric's text once for each of its groups: that sum is bounded. */
static bool check_length(struct walk *w)
{
	size_t sum = 0;
	for (uint32_t i = 0; i < w->l->cat->metric_count && sum <= FORMULAS_BYTES_MAX; i++)
		sum += strlen(formula(w, i));
	return sum <= FORMULAS_BYTES_MAX ||
	       load_limit(w->l, 1, "formulas are too long together",
			  "they may have 4 MiB, counted once for each group of a metric");
}

bool refs_check_cycles(struct loader *l)
{
	const struct sx_catalog *cat = l->cat;
	uint32_t variants = cat->info.variant_count ? cat->info.variant_count : 1;
	struct walk w = {.l = l, .is_postfix = cat->info.notation == SX_POSTFIX};
	bool good = true;
	for (; good && cat->metric_count && w.variant < variants; w.variant++) {
		free(w.colours);
		w.colours = calloc(cat->metric_count, 1);
		good = w.colours ? check_length(&w) : load_no_memory(l);
		for (uint32_t i = 0; good && i < cat->metric_count; i++)
			if (w.colours[i] == WHITE)
				good = walk_from(&w, i);
	}
	free(w.colours);
	free(w.stack);
	return good;
}
