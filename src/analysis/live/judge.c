/* What limits the program, and which advice holds, by the last seconds of all devices. */
#include "analysis/live/state.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/report/processes.h"
#include "base/text_buf.h"

#define JUDGE_EVERY_NS UINT64_C(1000000000)
#define JUDGE_SPAN_NS  UINT64_C(10000000000)
#define JUDGE_ROWS     8 /* at least, where samples are long */
#define HOLDS_NS       UINT64_C(2000000000)
#define PROGRAMS_MAX   16

/* The sources of a verdict while they are gathered. */
struct judged {
	struct verdict_source *list;
	struct sx_table **rows; /* owned */
	uint32_t count;
	const char *clock; /* of the first; the time axis is on it */
};

/* A program that samples are of, and how long these are. */
struct judged_program {
	const char *label;
	uint64_t length_ns;
};

static enum sx_status rows_of_last(struct live_source *d, uint64_t now_ns, struct sx_table **out,
				   struct sx_error *err)
{
	uint64_t span = d->each_ns * JUDGE_ROWS;
	struct live_moment at = {now_ns, span > JUDGE_SPAN_NS ? span : JUDGE_SPAN_NS};
	*out = NULL;
	enum sx_status status = live_rows_of_moment(d, &at, err);
	size_t count = status || !d->scratch ? 0 : sx_table_row_count(d->scratch);
	if (!count)
		return status;
	status = table_like(d->scratch, out, err);
	return status ? status
		      : live_rows_append(d, *out, d->scratch, (struct row_span){0, count}, err);
}

static void add_time(struct judged_program *programs, size_t *count, const char *label,
		     uint64_t length_ns)
{
	size_t i = 0;
	while (i < *count && strcmp(programs[i].label, label) != 0)
		i++;
	if (i == PROGRAMS_MAX)
		return;
	if (i == *count)
		programs[(*count)++] = (struct judged_program){label, 0};
	programs[i].length_ns += length_ns;
}

/* Of several programs the one with most time in samples; NULL where there are not several. */
static const char *find_program(const struct judged *j)
{
	struct judged_program programs[PROGRAMS_MAX];
	size_t count = 0, best = 0;
	for (uint32_t i = 0; i < j->count; i++) {
		const struct sx_table *rows = j->list[i].rows;
		const uint64_t *begin = sx_table_begin_ns(rows), *end = sx_table_end_ns(rows);
		for (size_t k = 0; k < sx_table_row_count(rows); k++) {
			const char *label =
			    sx_table_string(rows, sx_table_label(rows, SX_LABEL_PROCESS, k));
			if (label && end[k] != SX_TIME_UNKNOWN && end[k] > begin[k])
				add_time(programs, &count, label, end[k] - begin[k]);
		}
	}
	for (size_t i = 1; i < count; i++)
		if (programs[i].length_ns > programs[best].length_ns)
			best = i;
	return count > 1 ? programs[best].label : NULL;
}

/* Where samples are of programs, those of the program alone. */
static enum sx_status choose_program(struct judged *j, const char *program, struct sx_error *err)
{
	struct sx_row_choice choice = {.process = program, .unlabelled = false};
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && program && i < j->count; i++) {
		struct sx_table *own = NULL;
		uint64_t others = 0;
		if (!sx_table_has_label(j->rows[i], SX_LABEL_PROCESS))
			continue;
		status = table_like(j->rows[i], &own, err);
		if (!status)
			status = sx_table_choose(&choice, j->rows[i], own, &others, err);
		/* The label is of the old table: it stays until the end. */
		j->list[i].rows = own;
		j->list[i].own = true;
		j->rows[j->count + i] = own;
	}
	return status;
}

static enum sx_status add_source(struct judged *j, struct live_source *d, uint64_t now_ns,
				 uint32_t number, struct sx_error *err)
{
	struct sx_table *rows = NULL;
	j->clock = j->count ? j->clock : d->source.facts.clock;
	if (!d->block_count || !report_clocks_are_related(j->clock, d->source.facts.clock))
		return SX_OK;
	enum sx_status status = rows_of_last(d, now_ns, &rows, err);
	if (!rows)
		return status;
	j->list[j->count] = (struct verdict_source){.catalog = d->source.catalog,
						    .options = &d->options,
						    .rows = rows,
						    .each = 1,
						    .device = number,
						    .imported = d->source.imported};
	j->rows[j->count++] = rows;
	return status;
}

static enum sx_status name_program(struct verdict *v, const char *program, struct sx_error *err)
{
	size_t length;
	if (!v || !program)
		return SX_OK;
	v->pid = process_pid(program, &length);
	v->name = arena_strndup(&v->arena, program, length);
	v->program = arena_strndup(&v->arena, program, strlen(program));
	return v->name && v->program ? SX_OK : error_nomem(err, "a live view");
}

static bool is_same(const struct verdict *a, const struct verdict *b)
{
	return a && b && text_same(a->parts[0].name, b->parts[0].name) &&
	       text_same(a->parts[0].which, b->parts[0].which);
}

/* Another verdict is shown only once it held for some time. */
static void show(struct live *live, struct verdict *now, uint64_t now_ns)
{
	bool known = now && now->part_count, same = known && is_same(now, live->shown);
	if (!known) {
		verdict_destroy(now);
		return;
	}
	if (live->latest != live->shown && !is_same(now, live->latest))
		live->other_since_ns = 0;
	if (live->latest != live->shown)
		verdict_destroy(live->latest);
	live->latest = now;
	if (!same && live->shown && !live->other_since_ns)
		live->other_since_ns = now_ns;
	bool holds = !live->shown || now_ns - live->other_since_ns >= HOLDS_NS;
	if (!same && !holds)
		return;
	if (!same)
		live->since_ns = live->shown ? live->other_since_ns : now_ns;
	verdict_destroy(live->shown);
	live->shown = now;
	live->other_since_ns = 0;
}

static enum sx_status judge_verdict(struct live *live, struct judged *j, uint64_t now_ns,
				    struct sx_error *err)
{
	struct verdict *now = NULL;
	const char *program = find_program(j);
	enum sx_status status = choose_program(j, program, err);
	if (!status)
		status = verdict_judge(j->list, j->count, &now, err);
	if (!status)
		status = name_program(now, program, err);
	if (status) {
		verdict_destroy(now);
		return status;
	}
	show(live, now, now_ns);
	return SX_OK;
}

static enum sx_status advise(struct live *live, uint32_t device, const struct sx_table *rows,
			     struct sx_error *err)
{
	struct live_source *d = live->devices[device];
	struct sx_advice *advice = NULL;
	size_t count;
	enum sx_status status =
	    sx_advice_create(d->source.catalog, &d->options, rows, &advice, err);
	if (!status)
		status = sx_advice_add(advice, rows, err);
	if (!status)
		status = sx_advice_finish(advice, err);
	sx_advice_destroy(d->advice);
	d->advice = advice;
	const struct sx_finding *findings = status ? NULL : sx_advice_findings(advice, &count);
	for (size_t i = 0; findings && i < count; i++) {
		if (!findings[i].fired)
			continue;
		if (!mem_grow(&live->advice, &live->advice_cap, live->advice_count + 1,
			      sizeof(*live->advice)))
			return error_nomem(err, "a live view");
		live->advice[live->advice_count++] = (struct live_advice){device, &findings[i]};
	}
	return status;
}

static int by_severity(const void *a, const void *b)
{
	const struct live_advice *x = a, *y = b;
	int order = (int)x->finding->rule->severity - (int)y->finding->rule->severity;
	if (order)
		return order;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->finding > y->finding) - (x->finding < y->finding);
}

static enum sx_status judge(struct live *live, struct judged *j, uint64_t now_ns,
			    struct sx_error *err)
{
	enum sx_status status = SX_OK;
	live->advice_count = 0;
	for (uint32_t i = 0; !status && i < live->device_count; i++) {
		uint32_t before = j->count;
		status = add_source(j, live->devices[i], now_ns, i, err);
		if (!status && j->count > before)
			status = advise(live, i, j->rows[before], err);
	}
	if (!status && j->count)
		status = judge_verdict(live, j, now_ns, err);
	if (live->advice_count)
		qsort(live->advice, live->advice_count, sizeof(*live->advice), by_severity);
	live->version++;
	return status;
}

enum sx_status live_judge(struct live *live, bool force, struct sx_error *err)
{
	uint64_t now = live_newest_ns(live);
	size_t room = live->device_count + 1;
	if (!force && (now < live->judged_ns + JUDGE_EVERY_NS))
		return SX_OK;
	live->judged_ns = now;
	struct judged j = {.list = calloc(room, sizeof(*j.list)),
			   .rows = calloc(2 * room, sizeof(*j.rows))};
	enum sx_status status =
	    j.list && j.rows ? judge(live, &j, now, err) : error_nomem(err, "a live view");
	for (size_t i = 0; j.rows && i < 2 * room; i++)
		sx_table_destroy(j.rows[i]);
	free(j.list);
	free(j.rows);
	return status;
}

struct live_verdict live_verdict(const struct live *live)
{
	const struct verdict *v = live->shown;
	if (!v)
		return (struct live_verdict){.name = NULL};
	const struct verdict_part *p = &v->parts[0];
	return (struct live_verdict){.name = p->name,
				     .title = p->title,
				     .which = p->which,
				     .advice = p->advice,
				     .because = p->because,
				     .program = v->program,
				     .confidence = p->confidence,
				     .since_ns = live->since_ns,
				     .evidence = p->evidence,
				     .evidence_count = p->evidence_count,
				     .settling = live->latest != live->shown};
}

const struct live_advice *live_advice(const struct live *live, uint32_t *count)
{
	*count = (uint32_t)live->advice_count;
	return live->advice;
}
