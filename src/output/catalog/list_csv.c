/* Listings as CSV. */
#include <math.h>
#include <string.h>

#include "output/catalog/catalog.h"
#include "output/write/csv.h"

static void csv_header(struct csv *csv, const char *const *names)
{
	for (; *names; names++)
		csv_text(csv, *names);
	csv_end_line(csv);
}

static void counters_csv(struct listing *l, struct csv *csv)
{
	csv_header(csv,
		   (const char *const[]){"name", "block", "slot", "unit", "description", NULL});
	for (uint32_t i = 0; i < l->view.counter_count; i++) {
		const struct sx_counter_info *c = &l->view.counters[i];
		if (!list_counter_wanted(l, i))
			continue;
		csv_text(csv, c->name);
		csv_text(csv, c->block == SX_NONE ? NULL : l->view.blocks[c->block].name);
		if (c->slot == SX_NONE)
			csv_text(csv, NULL);
		else
			csv_u64(csv, c->slot);
		csv_text(csv, c->unit);
		csv_text(csv, c->description);
		csv_end_line(csv);
		l->shown++;
	}
}

static void sections_csv(struct listing *l, struct csv *csv)
{
	csv_header(csv, (const char *const[]){"id", "title", "parent", NULL});
	for (uint32_t i = 0; i < l->view.section_count; i++) {
		const struct sx_section_info *s = &l->view.sections[i];
		if (!list_wanted(l, s->id, s->title, NULL))
			continue;
		csv_text(csv, s->id);
		csv_text(csv, s->title);
		csv_text(csv, s->parent == SX_NONE ? NULL : l->view.sections[s->parent].id);
		csv_end_line(csv);
		l->shown++;
	}
}

static void constants_csv(struct listing *l, struct csv *csv)
{
	csv_header(csv, (const char *const[]){"name", "default", "unit", "description", NULL});
	for (uint32_t i = 0; i < l->view.constant_count; i++) {
		const struct sx_constant_info *c = &l->view.constants[i];
		if (!list_wanted(l, c->name, c->description, NULL))
			continue;
		csv_text(csv, c->name);
		csv_f64(csv, c->has_value ? c->value : NAN);
		csv_text(csv, c->unit);
		csv_text(csv, c->description);
		csv_end_line(csv);
		l->shown++;
	}
}

static void groups_csv(struct listing *l, struct csv *csv, bool sets_only)
{
	csv_header(csv, (const char *const[]){"name", "title", "uuid", "metrics", "mux", "boolean",
					      "flex", NULL});
	for (uint32_t i = 0; i < l->view.group_count; i++) {
		const struct sx_group_info *g = &l->view.groups[i];
		if (!list_group_wanted(l, i, sets_only))
			continue;
		csv_text(csv, g->name);
		csv_text(csv, g->title);
		csv_text(csv, g->uuid);
		csv_u64(csv, list_metrics_in(&l->view, i));
		csv_u64(csv, list_registers_of(g, SX_PROGRAM_MUX));
		csv_u64(csv, list_registers_of(g, SX_PROGRAM_BOOLEAN));
		csv_u64(csv, list_registers_of(g, SX_PROGRAM_FLEX));
		csv_end_line(csv);
		l->shown++;
	}
}

void list_csv(struct listing *l, const char *what)
{
	struct csv csv = {.out = l->to->out.out};
	if (strcmp(what, "metrics") == 0) {
		csv_header(&csv, (const char *const[]){"name", "title", "unit", "expression",
						       "description", NULL});
		for (uint32_t i = 0; i < l->view.metric_count; i++) {
			const struct sx_metric_info *m = &l->view.metrics[i];
			if (!list_metric_wanted(l, i))
				continue;
			csv_text(&csv, describe_metric_name(&l->view, i));
			csv_text(&csv, m->title);
			csv_text(&csv, m->unit);
			csv_text(&csv, m->exprs ? m->exprs[l->variant] : NULL);
			csv_text(&csv, m->description);
			csv_end_line(&csv);
			l->shown++;
		}
		return;
	}
	if (strcmp(what, "counters") == 0)
		counters_csv(l, &csv);
	else if (strcmp(what, "sections") == 0)
		sections_csv(l, &csv);
	else if (strcmp(what, "constants") == 0)
		constants_csv(l, &csv);
	else
		groups_csv(l, &csv, strcmp(what, "sets") == 0);
}
