/* Metrics that could not be translated, and what reads them. */
#include "catalog/import/igt_xml/igt.h"

#include <stdlib.h>
#include <string.h>

bool igt_lose(struct igt *g, const char *symbol)
{
	if (!mem_grow(&g->lost, &g->lost_cap, g->lost_count + 1, sizeof(*g->lost)))
		return vendor_no_memory(g->in);
	g->lost[g->lost_count++] = symbol;
	return true;
}

bool igt_is_metric(const struct igt *g, const char *name)
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

bool igt_drop_dependents(struct igt *g)
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
