/* Adds rows to their program's own overview, and sums up its work. */
#include "analysis/report/programs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/overview.h"
#include "base/error.h"
#include "catalog/column.h"

/*
 * The column of an amount of time. Some catalogs have the neutral name at a metric: a table may
 * give that, or the counter that is all of its formula.
 */
static uint32_t find_column(const struct sx_catalog *catalog, const struct sx_table *raw,
			    const char *neutral)
{
	const char *names[] = {column_of_neutral(catalog, neutral, false),
			       column_of_neutral(catalog, neutral, true), NULL};
	uint32_t count, found = SX_NONE;
	const struct sx_metric_info *all = sx_catalog_metrics(catalog, &count);
	uint32_t metric =
	    names[1] ? sx_catalog_find_metric(catalog, names[1], SX_NONE, NULL) : SX_NONE;
	names[2] = metric == SX_NONE ? NULL : all[metric].exprs[0];
	for (size_t i = 0; found == SX_NONE && i < 3; i++)
		found = names[i] ? sx_table_find(raw, names[i]) : SX_NONE;
	return found == SX_NONE || strcmp(sx_table_column(raw, found)->unit, "ns") == 0 ? found
											: SX_NONE;
}

double programs_busy_ns(const struct programs *p, const struct program *program)
{
	double gpu = program->gpu_ns;
	if (program->gpu_known_ns)
		gpu *= (double)program->length_ns / (double)program->gpu_known_ns;
	if (p->cpu_time == SX_NONE && p->gpu_time == SX_NONE)
		return (double)program->length_ns;
	return fmax(program->cpu_ns, gpu);
}

static void drop(struct program *program)
{
	free(program->label);
	overview_destroy(program->rows);
	*program = (struct program){.label = NULL};
}

/* Room for one program more. */
static struct program *make_room(struct programs *p)
{
	if (p->count < PROGRAMS_KEPT)
		return &p->kept[p->count++];
	struct program *least = &p->kept[0];
	for (size_t i = 1; i < p->count; i++)
		if (programs_busy_ns(p, &p->kept[i]) < programs_busy_ns(p, least))
			least = &p->kept[i];
	drop(least);
	return least;
}

const struct program *programs_find(const struct programs *p, const char *label)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->kept[i].label && strcmp(p->kept[i].label, label) == 0)
			return &p->kept[i];
	return NULL;
}

static enum sx_status find_program(struct programs *p, const char *label,
				   const struct sx_table *like, struct program **out,
				   struct sx_error *err)
{
	const struct program *known = programs_find(p, label);
	*out = known ? &p->kept[known - p->kept] : make_room(p);
	if (known)
		return SX_OK;
	(*out)->label = strdup(label);
	enum sx_status status = (*out)->label ? SX_OK : error_nomem(err, "a report");
	if (!status && p->several)
		status = overview_create(like, &(*out)->rows, err);
	if (status)
		drop(*out);
	return status;
}

static void add_work(const struct programs *p, struct program *program, const struct sx_table *raw,
		     size_t row)
{
	uint64_t begin = sx_table_begin_ns(raw)[row], end = sx_table_end_ns(raw)[row];
	bool known = begin != SX_TIME_UNKNOWN && end != SX_TIME_UNKNOWN && end > begin;
	uint64_t length = known ? end - begin : 0;
	double cpu = p->cpu_time == SX_NONE ? NAN : sx_table_get(raw, p->cpu_time, row);
	double gpu = p->gpu_time == SX_NONE ? NAN : sx_table_get(raw, p->gpu_time, row);
	program->length_ns += length;
	program->cpu_ns += isnan(cpu) ? 0 : cpu;
	program->gpu_ns += isnan(gpu) ? 0 : gpu;
	program->gpu_known_ns += isnan(gpu) ? 0 : length;
}

/* Adjacent rows of one program. */
static enum sx_status programs_add_run(struct programs *p, const char *label,
				       const struct sx_table *raw, const size_t run[2],
				       struct sx_error *err)
{
	struct program *program = NULL;
	enum sx_status status = find_program(p, label, raw, &program, err);
	if (status)
		return status;
	for (size_t r = run[0]; r < run[1]; r++)
		add_work(p, program, raw, r);
	return p->several ? overview_add_rows(program->rows, raw, run[0], run[1] - run[0], err)
			  : SX_OK;
}

/* Whether all rows are of one program, and those before, too. */
static bool are_of_one(const struct programs *p, const struct sx_table *raw)
{
	uint64_t label = sx_table_label(raw, SX_LABEL_PROCESS, 0);
	if (p->count > 1 || label == SX_LABEL_ABSENT ||
	    (p->count && strcmp(p->kept[0].label, sx_table_string(raw, label)) != 0))
		return false;
	for (size_t row = 1; row < sx_table_row_count(raw); row++)
		if (sx_table_label(raw, SX_LABEL_PROCESS, row) != label)
			return false;
	return true;
}

/* From here on each program has an overview of its own; the first one has had that of all. */
static enum sx_status part_programs(struct programs *p, struct sx_error *err)
{
	enum sx_status status = p->count ? overview_copy(p->all, &p->kept[0].rows, err) : SX_OK;
	p->several = !status;
	return status;
}

struct overview *programs_rows(const struct programs *p, const struct program *program)
{
	return p->several ? program->rows : p->all;
}

enum sx_status programs_add(struct programs *p, const struct sx_catalog *catalog,
			    const struct sx_table *raw, struct overview *all, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	size_t rows = sx_table_row_count(raw);
	bool labelled = sx_table_has_label(raw, SX_LABEL_PROCESS);
	if (!p->begun && !labelled)
		p->several |= rows != 0;
	if (!rows || (!p->begun && !labelled))
		return SX_OK;
	if (!p->begun) {
		p->cpu_time = find_column(catalog, raw, "cpu.time");
		p->gpu_time = find_column(catalog, raw, "gpu.time");
	}
	p->begun = true;
	if (!p->several && ((p->all && p->all != all) || !are_of_one(p, raw)))
		status = part_programs(p, err);
	p->all = all;
	for (size_t first = 0, end; !status && first < rows; first = end) {
		uint64_t label = sx_table_label(raw, SX_LABEL_PROCESS, first);
		for (end = first + 1; end < rows; end++)
			if (sx_table_label(raw, SX_LABEL_PROCESS, end) != label)
				break;
		if (label != SX_LABEL_ABSENT)
			status = programs_add_run(p, sx_table_string(raw, label), raw,
						  (size_t[]){first, end}, err);
	}
	return status;
}

void programs_finish(struct programs *p)
{
	for (size_t i = 0; i < p->count; i++)
		drop(&p->kept[i]);
	*p = (struct programs){.count = 0};
}
