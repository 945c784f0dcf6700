/* What programs do on devices: intervals with one entry a program. */
#include "analysis/live/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/processes.h"

#define KNOWN_NS     UINT64_C(10000000000) /* so long after its last look-up */
#define LOOK_UP_NS   UINT64_C(1000000000)  /* a process is looked up no more often */
#define OWN_SPAN_NS  UINT64_C(1000000000)  /* of samples that are a program's work */
#define TEXTS_LEAST  8192
#define PROGRAMS_MAX 64 /* that are looked at by their work, of one device */

void live_interval_finish(struct live *live, struct live_interval *interval)
{
	live->program_bytes -= interval->bytes;
	free(interval->uses);
	free(interval->busy);
}

static double value_or_none(const struct sx_table *values, uint32_t column, size_t row)
{
	return column == SX_NONE ? (double)NAN : sx_table_get(values, column, row);
}

/* Which engines any of these programs has used. */
static uint64_t engines_of(const struct live_heading *h, const struct sx_table *values,
			   struct row_span rows)
{
	uint64_t engines = 0;
	for (uint32_t i = 0; i < h->program_engine_count; i++)
		for (size_t k = rows.first; k < rows.first + rows.count; k++)
			if (!isnan(sx_table_get(values, h->program_engines[i].column, k))) {
				engines |= UINT64_C(1) << i;
				break;
			}
	return engines;
}

static uint32_t label_of(struct live *live, const struct sx_table *raw, size_t row)
{
	const char *label = sx_table_string(raw, sx_table_label(raw, SX_LABEL_PROCESS, row));
	return label ? strings_intern(&live->texts, label, strlen(label), NULL) : SX_NONE;
}

/* One interval of evaluated rows. */
static enum sx_status interval_add(struct live *live, struct live_source *d,
				   const struct sx_table *values, struct row_span rows,
				   struct sx_error *err)
{
	const struct live_heading *h = &d->heading;
	uint64_t engines = engines_of(h, values, rows);
	size_t each = (size_t)__builtin_popcountll(engines), at = 0;
	struct live_interval now = {.begin_ns = sx_table_begin_ns(values)[rows.first],
				    .end_ns = live_rows_end_of(values, rows.first),
				    .engines = engines,
				    .uses = calloc(rows.count, sizeof(*now.uses)),
				    .busy = calloc(rows.count * each + 1, sizeof(*now.busy)),
				    .count = (uint32_t)rows.count};
	now.bytes = rows.count * (sizeof(*now.uses) + each * sizeof(*now.busy)) + sizeof(now);
	live->program_bytes += now.bytes;
	if (!now.uses || !now.busy ||
	    !mem_grow(&d->intervals, &d->interval_cap, d->interval_count + 1,
		      sizeof(*d->intervals))) {
		live_interval_finish(live, &now);
		return error_nomem(err, "a live view");
	}
	for (size_t k = 0; k < rows.count; k++) {
		size_t row = rows.first + k;
		now.uses[k] = (struct live_use){label_of(live, values, row),
						value_or_none(values, h->program_busy, row),
						value_or_none(values, h->program_memory, row)};
		for (uint32_t i = 0; i < h->program_engine_count; i++)
			if (engines >> i & 1)
				now.busy[at++] =
				    sx_table_get(values, h->program_engines[i].column, row);
	}
	d->intervals[d->interval_count++] = now;
	return SX_OK;
}

enum sx_status live_programs_keep(struct live *live, struct live_source *d,
				  const struct sx_table *rows, struct sx_error *err)
{
	struct sx_table *values = NULL;
	size_t all = sx_table_row_count(rows), count;
	enum sx_status status =
	    d->headed ? sx_evaluation_run(d->headed, rows, &values, err) : SX_OK;
	for (size_t first = 0; !status && values && first < all; first += count) {
		count = 1;
		while (first + count < all &&
		       live_rows_end_of(values, first + count) == live_rows_end_of(values, first))
			count++;
		status = interval_add(live, d, values, (struct row_span){first, count}, err);
	}
	return status;
}

/* The labels of an interval, in other texts. */
static void move_labels(struct live *live, struct live_interval *interval, struct strings *to)
{
	for (uint32_t i = 0; i < interval->count; i++) {
		const char *label = strings_get(&live->texts, interval->uses[i].label);
		interval->uses[i].label =
		    label ? strings_intern(to, label, strlen(label), NULL) : SX_NONE;
	}
}

void live_texts_drop(struct live *live)
{
	struct strings kept = {.count = 0};
	uint32_t count = 0;
	if (live->texts.count < live->texts_most)
		return;
	for (size_t i = 0; i < live->device_count; i++) {
		struct live_source *d = live->devices[i];
		for (size_t k = 0; k < d->interval_count; k++)
			move_labels(live, &d->intervals[k], &kept);
		if (d->source.metrics)
			sx_metrics_columns(d->source.metrics, &count);
		for (uint32_t k = 0; d->values && d->source.metrics && k < count; k++)
			d->values[k].why = NULL;
	}
	strings_finish(&live->texts);
	live->texts = kept;
	live->texts_most = kept.count < TEXTS_LEAST / 2 ? TEXTS_LEAST : kept.count * 2;
}

void live_look_up(struct live *live, live_look_up_fn look_up, void *user)
{
	live->look_up = look_up;
	live->look_up_user = user;
}

static struct live_known *find_known(struct live *live, uint32_t pid)
{
	for (size_t i = 0; i < live->known_count; i++)
		if (live->known[i].pid == pid)
			return &live->known[i];
	if (!mem_grow(&live->known, &live->known_cap, live->known_count + 1, sizeof(*live->known)))
		return NULL;
	struct live_known *known = &live->known[live->known_count++];
	*known = (struct live_known){.pid = pid, .cpu = NAN};
	return known;
}

/* CPU time between two look-ups, as a share of the time between them. */
static void look_up(struct live *live, struct live_known *known, uint64_t now_ns)
{
	struct live_process_facts facts = {0};
	if (known->looked_ns && now_ns < known->looked_ns + LOOK_UP_NS)
		return;
	known->here = live->look_up(live->look_up_user, known->pid, &facts);
	bool both = known->here && facts.has_cpu && known->facts.has_cpu &&
		    facts.cpu_ns >= known->facts.cpu_ns && facts.at_ns > known->facts.at_ns;
	known->cpu = both ? (double)(facts.cpu_ns - known->facts.cpu_ns) * 100 /
				(double)(facts.at_ns - known->facts.at_ns)
			  : (double)NAN;
	known->facts = facts;
	known->looked_ns = now_ns;
}

/* Forgets processes that are not shown any more. */
static void drop_known(struct live *live)
{
	uint64_t newest = live_newest_ns(live);
	size_t kept = 0;
	for (size_t i = 0; i < live->known_count; i++)
		if (live->known[i].looked_ns + KNOWN_NS >= newest)
			live->known[kept++] = live->known[i];
	live->known_count = kept;
}

static void add_facts(struct live *live, struct live_process *p)
{
	uint64_t newest = live_newest_ns(live);
	struct live_known *known = live->look_up && p->pid ? find_known(live, p->pid) : NULL;
	p->cpu = NAN;
	if (!known)
		return;
	look_up(live, known, newest);
	if (!known->here)
		return;
	p->parent = known->facts.parent;
	p->cpu = known->cpu;
	if (known->facts.user[0])
		p->user =
		    strings_get(&live->texts, strings_intern(&live->texts, known->facts.user,
							     strlen(known->facts.user), NULL));
}

/* Splits "name (pid)". */
static void add_label(struct live *live, struct live_process *p, const char *label)
{
	size_t length = strlen(label);
	p->pid = process_pid(label, &length);
	p->name = strings_get(&live->texts, strings_intern(&live->texts, label, length, NULL));
}

static struct live_process *add_process(struct live *live, uint32_t count)
{
	if (!mem_grow(&live->processes, &live->process_cap, count + 1, sizeof(*live->processes)))
		return NULL;
	struct live_process *p = &live->processes[count];
	*p = (struct live_process){.busy = NAN, .memory = NAN, .frame_rate = NAN, .cpu = NAN};
	return p;
}

static const struct live_interval *find_interval(const struct live_source *d, uint64_t end_ns)
{
	size_t at = d->interval_count;
	while (at && end_ns && d->intervals[at - 1].end_ns > end_ns)
		at--;
	return at ? &d->intervals[at - 1] : NULL;
}

/* The programs of the device's sample at a moment. */
static bool add_interval(struct live *live, uint32_t device, const struct live_moment *at,
			 uint32_t *count)
{
	const struct live_source *d = live->devices[device];
	const struct live_heading *h = &d->heading;
	const struct live_interval *now = find_interval(d, at->end_ns);
	uint32_t columns;
	bool gone = d->state == LIVE_GONE && !at->end_ns;
	if (!now || gone || now->end_ns < live_rows_newest(d, at->end_ns))
		return true; /* none had the device open then */
	const struct sx_metric_column *names = sx_metrics_columns(h->metrics, &columns);
	const double *busy = now->busy;
	for (uint32_t i = 0; i < now->count; i++) {
		struct live_process *p = add_process(live, *count);
		const char *label = strings_get(&live->texts, now->uses[i].label);
		if (!p)
			return false;
		p->device = device;
		p->busy = now->uses[i].busy;
		p->memory = now->uses[i].memory;
		add_label(live, p, label ? label : "");
		for (uint32_t e = 0; e < h->program_engine_count; e++) {
			if (!(now->engines >> e & 1))
				continue;
			double value = *busy++;
			if (isnan(value) || p->engine_count == LIVE_ENGINES_MAX)
				continue;
			p->engines[p->engine_count++] =
			    (struct live_engine){h->program_engines[e].name,
						 names[h->program_engines[e].column].name,
						 {.value = value}};
		}
		++*count;
	}
	return true;
}

/* Labels of programs in the rows of a moment, each once. */
static uint32_t labels_of(struct live *live, const struct sx_table *rows, uint32_t *labels)
{
	uint32_t count = 0;
	for (size_t k = 0; k < sx_table_row_count(rows) && count < PROGRAMS_MAX; k++) {
		uint32_t label = label_of(live, rows, k), i = 0;
		while (i < count && labels[i] != label)
			i++;
		if (i == count && label != SX_NONE)
			labels[count++] = label;
	}
	return count;
}

static double gauge_of(const struct live_heading *h, const struct live_value *values,
		       enum live_gauge gauge)
{
	return h->gauges[gauge] == SX_NONE ? (double)NAN : values[h->gauges[gauge]].value;
}

/* A program by the samples of its work. */
static enum sx_status add_worker(struct live *live, uint32_t device, const char *label,
				 uint32_t *count, struct sx_error *err)
{
	struct live_source *d = live->devices[device];
	struct sx_row_choice choice = {.process = label};
	struct live_value values[LIVE_HEADING_MAX];
	struct sx_table *own = NULL;
	uint64_t others = 0;
	enum sx_status status = table_like(d->scratch, &own, err);
	if (!status)
		status = sx_table_choose(&choice, d->scratch, own, &others, err);
	if (!status && d->heading.metrics)
		status = live_summarise(live, d->heading.metrics, own, values, err);
	sx_table_destroy(own);
	struct live_process *p = status ? NULL : add_process(live, *count);
	if (!p)
		return status ? status : error_nomem(err, "a live view");
	p->device = device;
	add_label(live, p, label);
	if (d->heading.metrics) {
		p->busy = gauge_of(&d->heading, values, LIVE_BUSY);
		p->frame_rate = gauge_of(&d->heading, values, LIVE_FRAME_RATE);
	}
	++*count;
	return SX_OK;
}

static enum sx_status add_workers(struct live *live, uint32_t device, const struct live_moment *at,
				  uint32_t *count, struct sx_error *err)
{
	struct live_source *d = live->devices[device];
	struct live_moment span = *at;
	uint32_t labels[PROGRAMS_MAX];
	span.span_ns = span.span_ns > OWN_SPAN_NS ? span.span_ns : OWN_SPAN_NS;
	enum sx_status status = live_rows_of_moment(d, &span, err);
	uint32_t used = status || !d->scratch ? 0 : labels_of(live, d->scratch, labels);
	for (uint32_t i = 0; !status && i < used; i++)
		status = add_worker(live, device, strings_get(&live->texts, labels[i]), count, err);
	return status;
}

static double order_of(double value)
{
	return isnan(value) ? -1 : value;
}

static int by_use(const void *a, const void *b)
{
	const struct live_process *x = a, *y = b;
	double busy = order_of(y->busy) - order_of(x->busy);
	double memory = order_of(y->memory) - order_of(x->memory);
	double first = busy != 0 ? busy : memory;
	if (first != 0)
		return first > 0 ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

enum sx_status live_processes(struct live *live, const struct live_moment *at,
			      const struct live_process **out, uint32_t *count,
			      struct sx_error *err)
{
	enum sx_status status = SX_OK;
	*out = NULL;
	*count = 0;
	for (uint32_t i = 0; !status && i < live->device_count; i++) {
		const struct live_source *d = live->devices[i];
		if (d->interval_count && !add_interval(live, i, at, count))
			status = error_nomem(err, "a live view");
		else if (!d->interval_count && d->kind != SX_SAMPLE_TIME)
			status = add_workers(live, i, at, count, err);
	}
	drop_known(live);
	for (uint32_t i = 0; !status && i < *count; i++)
		add_facts(live, &live->processes[i]);
	if (*count)
		qsort(live->processes, *count, sizeof(*live->processes), by_use);
	*out = live->processes;
	return status;
}
