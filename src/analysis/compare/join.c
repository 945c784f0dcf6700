/* Joining two sets by the names of their metrics. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/steps.h"

static const struct compare_metric *
partner(const struct compare_set *b, const struct compare_set *a, const struct compare_metric *m)
{
	const struct compare_device *mine = &a->devices[m->device];
	for (size_t i = 0; i < b->metric_count; i++) {
		const struct compare_metric *o = &b->metrics[i];
		if (strcmp(o->name, m->name) == 0 &&
		    strcmp(b->devices[o->device].catalog, mine->catalog) == 0)
			return o;
	}
	for (size_t i = 0; m->neutral && i < b->metric_count; i++)
		if (b->metrics[i].neutral && strcmp(b->metrics[i].neutral, m->neutral) == 0)
			return &b->metrics[i];
	return NULL;
}

enum sx_status join_rows(struct comparison *c, struct sx_error *err)
{
	size_t most = c->a->metric_count + c->b->metric_count;
	c->rows = calloc(most + 1, sizeof(*c->rows));
	bool *used = calloc(c->b->metric_count + 1, sizeof(*used));
	for (size_t i = 0; c->rows && used && i < c->a->metric_count; i++) {
		const struct compare_metric *a = &c->a->metrics[i], *b = partner(c->b, c->a, a);
		bool named = b && strcmp(a->name, b->name) == 0;
		if (b && used[b - c->b->metrics])
			b = NULL;
		if (b)
			used[b - c->b->metrics] = true;
		c->rows[c->row_count++] = (struct compare_row){
		    .a = a, .b = b, .name = !b || named ? a->name : a->neutral};
	}
	for (size_t i = 0; c->rows && used && i < c->b->metric_count; i++)
		if (!used[i])
			c->rows[c->row_count++] = (struct compare_row){
			    .b = &c->b->metrics[i], .name = c->b->metrics[i].name};
	bool ok = c->rows && used;
	for (size_t i = 0; ok && i < c->row_count; i++)
		c->rows[i].change = c->rows[i].noise = c->rows[i].chance = (double)NAN;
	free(used);
	return ok ? SX_OK : error_nomem(err, "a comparison");
}

static bool has_advice(const struct compare_set *set, const char *title, bool every)
{
	for (size_t d = 0; d < set->device_count; d++)
		for (size_t i = 0; i < set->devices[d].advice_count; i++)
			if (strcmp(set->devices[d].advice[i], title) == 0 &&
			    (!every || set->devices[d].fired[i] == set->runs))
				return true;
	return false;
}

enum sx_status join_advice(struct comparison *c, struct sx_error *err)
{
	const struct compare_set *sides[2] = {c->a, c->b};
	size_t capacity = 0;
	if (c->a->no_advice || c->b->no_advice)
		return SX_OK;
	for (int s = 0; s < 2; s++)
		for (size_t d = 0; d < sides[s]->device_count; d++)
			for (size_t i = 0; i < sides[s]->devices[d].advice_count; i++) {
				const char *title = sides[s]->devices[d].advice[i];
				if (!has_advice(sides[s], title, true) ||
				    has_advice(sides[1 - s], title, false))
					continue;
				if (!mem_grow(&c->advice, &capacity, c->advice_count + 1,
					      sizeof(*c->advice)))
					return error_nomem(err, "a comparison");
				c->advice[c->advice_count++] =
				    (struct compare_advice){title, s == 1};
			}
	return SX_OK;
}
