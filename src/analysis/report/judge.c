/* The verdict of a report: which program it is of, and by which rows. */
#include <stdlib.h>
#include <string.h>

#include "analysis/overview.h"
#include "analysis/report/fill.h"
#include "analysis/verdict/verdict.h"

/* The sources of a verdict while they are gathered. */
struct judged_sources {
	struct verdict_source *list;
	struct sx_metrics_options *options; /* one a source */
	uint32_t count;
	const char *clock; /* of the first; the time axis is on it */
};

bool report_clocks_are_related(const char *a, const char *b)
{
	static const char own[] = "file ";
	if (!a || !b || strcmp(a, b) == 0)
		return true;
	return strncmp(a, own, sizeof(own) - 1) != 0 && strncmp(b, own, sizeof(own) - 1) != 0;
}

/* Where the user named no set, the verdict uses the set that advice found. */
static struct sx_metrics_options options_of(const struct filling *f)
{
	struct sx_metrics_options options = f->options;
	if (!options.set && f->advice && f->advised)
		options.set = sx_advice_set(f->advice);
	return options;
}

static bool is_counted(struct filling *const *devices, size_t before, const char *label)
{
	for (size_t i = 0; i < before; i++)
		for (size_t k = 0; k < devices[i]->processes.count; k++)
			if (strcmp(devices[i]->processes.items[k].label, label) == 0)
				return true;
	return false;
}

/* Programs that samples are of; a program may use several devices. */
static uint32_t count_programs(struct filling *const *devices, size_t count)
{
	uint32_t all = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < devices[i]->processes.count; k++)
			all += !is_counted(devices, i, devices[i]->processes.items[k].label);
	return all;
}

/* Work that several devices count is one work. */
static const char *find_busiest(struct filling *const *devices, size_t count)
{
	const char *best = NULL;
	double most = -1;
	for (size_t i = 0; i < count; i++) {
		const struct programs *p = &devices[i]->programs;
		for (size_t k = 0; !devices[i]->run.unused && k < p->count; k++) {
			double busy = programs_busy_ns(p, &p->kept[k]);
			if (busy <= most)
				continue;
			most = busy;
			best = p->kept[k].label;
		}
	}
	return best;
}

/* The rows of a device; where each row is of a program, those of the program that is asked for. */
static struct overview *rows_of(const struct filling *f, const char *program)
{
	const struct program *own = program ? programs_find(&f->programs, program) : NULL;
	if (program && f->programs.begun)
		return own ? programs_rows(&f->programs, own) : NULL;
	return f->own ? f->own : f->overview;
}

/* Adds a device. */
static enum sx_status add_source(struct judged_sources *s, const struct filling *f,
				 const char *program, struct sx_error *err)
{
	struct overview *rows = rows_of(f, program);
	if (f->run.unused || !rows)
		return SX_OK;
	s->clock = s->count ? s->clock : f->source.facts.clock;
	if (!report_clocks_are_related(s->clock, f->source.facts.clock))
		return SX_OK;
	struct verdict_source *source = &s->list[s->count];
	s->options[s->count] = options_of(f);
	*source = (struct verdict_source){.catalog = f->source.catalog,
					  .options = &s->options[s->count],
					  .device = f->hidden ? VERDICT_NO_DEVICE
							      : f->source.facts.number,
					  .imported = f->source.imported,
					  .own = program && f->programs.begun};
	source->rows = overview_table(rows, &source->each);
	if (!source->rows)
		return error_nomem(err, "a report");
	s->count += sx_table_row_count(source->rows) != 0;
	return SX_OK;
}

static enum sx_status name_program(struct verdict *v, const char *program, uint32_t programs,
				   struct sx_error *err)
{
	if (!v || !program)
		return SX_OK;
	size_t length;
	v->programs = programs;
	v->pid = process_pid(program, &length);
	v->name = arena_strndup(&v->arena, program, length);
	v->program = arena_strndup(&v->arena, program, strlen(program));
	return v->name && v->program ? SX_OK : error_nomem(err, "a report");
}

enum sx_status report_judge(struct filling *const *devices, size_t count, struct verdict **out,
			    struct sx_error *err)
{
	struct judged_sources s = {.list = calloc(count + 1, sizeof(*s.list)),
				   .options = calloc(count + 1, sizeof(*s.options))};
	uint32_t programs = count_programs(devices, count);
	const char *program = programs > 1 ? find_busiest(devices, count) : NULL;
	enum sx_status status = s.list && s.options ? SX_OK : error_nomem(err, "a report");
	*out = NULL;
	for (size_t i = 0; !status && i < count; i++)
		status = add_source(&s, devices[i], program, err);
	if (!status)
		status = verdict_judge(s.list, s.count, out, err);
	if (!status)
		status = name_program(*out, program, programs, err);
	free(s.list);
	free(s.options);
	return status;
}
