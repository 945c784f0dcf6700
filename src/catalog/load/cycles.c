/* A depth-first walk from metric to metric that finds cycles. */
#include "catalog/load/load.h"
#include "base/error.h"
#include "base/text_buf.h"
#include "catalog/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES	   128
#define FORMULAS_BYTES_MAX ((size_t)4 * 1024 * 1024)

/* A metric with a formula that is being walked, and how far. */
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
 * a word that names no metric leads nowhere, so words need no other distinction. Instance parts
 * belong to counters and end the word.
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
	char text[SX_ERROR_TEXT_MAX] = "";
	for (size_t i = first ? first - 1 : 0; i < w->depth && strlen(text) < sizeof(text) / 2; i++)
		text_append(text, sizeof(text), "%s -> ", metrics[w->stack[i].metric].qualified);
	load_fail(w->l, w->l->cat->lines[INDEX_METRIC][metric], "metric \"%s\" needs itself",
		  metrics[metric].qualified);
	error_because(w->l->err, "%.400s%s", text, metrics[metric].qualified);
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
