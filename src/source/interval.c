/* The grid of times of polled sources, and their samples. */
#include "source/interval.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/little.h"
#include "base/mem.h"
#include "source/process_tree.h"

#define NS_PER_MS  UINT64_C(1000000)
#define WATCH_MS   10		     /* how often the end of what is measured is looked for */
#define DEFAULT_NS (100 * NS_PER_MS) /* ten ticks of /proc/stat */

static struct interval_source *interval_source(struct source *source)
{
	return (struct interval_source *)source;
}

void *interval_create(size_t bytes, const struct source_ops *source, const struct interval_ops *ops,
		      const struct source_host *host, struct sx_error *err)
{
	struct interval_source *s = calloc(1, bytes);
	if (!s) {
		error_nomem(err, ops->what);
		return NULL;
	}
	s->base = (struct source){source, host->sys, host->catalogs, &s->desc};
	s->desc.catalog = source->name;
	s->desc.facts.name = s->name;
	s->desc.facts.driver = s->driver;
	s->ops = ops;
	return s;
}

static enum sx_status interval_check(const struct interval_source *s,
				     const struct source_request *request, struct sx_error *err)
{
	const struct interval_ops *of = s->ops;
	uint64_t wanted_ns = request->interval_ns;
	if (s->run.started && !s->run.stopped)
		return error_set(err, SX_ERR_USAGE, "%s is started already", of->what);
	if (request->set && of->no_set) {
		error_set(err, SX_ERR_NOT_FOUND, "%s has no set \"%s\"", of->what, request->set);
		error_because(err, "%s", of->no_set);
		error_try(err, "-m with their names");
		return SX_ERR_NOT_FOUND;
	}
	if (!wanted_ns || (wanted_ns >= INTERVAL_MIN_NS && wanted_ns <= INTERVAL_MAX_NS))
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "%s cannot sample every %.6g us", of->what,
		  (double)wanted_ns * 1e-3);
	error_because(err, "%s", of->no_finer);
	error_try(err, "an interval from 1ms to 3600s");
	return SX_ERR_USAGE;
}

static enum sx_status no_clock(struct sx_error *err)
{
	return error_errno(err, errno, "cannot read the monotonic clock");
}

static void row_buffer_finish(struct row_buffer *r)
{
	free(r->values);
	free(r->qualities);
	free(r->begins);
	free(r->ends);
	free(r->labels);
	free(r->names);
	free(r->strings);
	free(r->vectors);
	*r = (struct row_buffer){0};
}

/* Back to where open() left it. */
static void interval_release(struct interval_source *s)
{
	if (s->ops->release)
		s->ops->release(&s->base);
	free(s->values);
	s->values = NULL;
	row_buffer_finish(&s->buffer);
	s->desc.counters = s->desc.whys = NULL;
	s->desc.columns = NULL;
	s->desc.counter_count = s->desc.column_count = 0;
	s->out_of_memory = s->gone = false;
	s->run = (struct interval){0};
}

/* Room for a sample, and the reading to begin from. */
static enum sx_status interval_begin(struct interval_source *s, struct sx_error *err)
{
	struct interval *t = &s->run;
	bool rows = s->base.ops->raw == RAW_ROWS;
	if (!rows)
		s->values = calloc((size_t)s->desc.counter_count + 1, sizeof(uint64_t) + 1);
	if (rows ? interval_make_rows(s, 1, NULL) != SX_OK : !s->values)
		return error_nomem(err, s->ops->what);
	s->ops->take(&s->base, NULL);
	t->last_ns = sys_now_ns(s->base.sys);
	if (!t->last_ns)
		return no_clock(err);
	t->due_ns = t->last_ns + t->interval_ns;
	t->started = true;
	return SX_OK;
}

enum sx_status interval_start(struct source *source, const struct source_request *request,
			      struct sx_error *err)
{
	struct interval_source *s = interval_source(source);
	uint64_t whole_ns = s->ops->machine_ns ? s->ops->machine_ns : DEFAULT_NS;
	enum sx_status status = interval_check(s, request, err);
	if (status)
		return status;
	interval_release(s);
	s->by_process = request->per == SX_SAMPLE_PROCESS;
	s->programs = request->programs && !s->by_process;
	s->run = (struct interval){.pid = request->pid,
				   .child = request->child ? request->pid : 0,
				   .interval_ns = request->interval_ns ? request->interval_ns
						  : request->pid       ? DEFAULT_NS
								       : whole_ns};
	status = s->ops->begin(source, request, err);
	if (!status)
		status = interval_begin(s, err);
	if (status)
		interval_release(s);
	return status;
}

/* Values are read one after another: the last one is later than the time that all are given. */
static void note_reading(struct interval_source *s, uint64_t begin_ns)
{
	uint64_t end_ns = sys_now_ns(s->base.sys);
	if (end_ns > begin_ns && end_ns - begin_ns > s->run.reading_ns)
		s->run.reading_ns = end_ns - begin_ns;
}

static void fill(struct interval_source *s, uint64_t now, struct raw_sample *out)
{
	struct interval *t = &s->run;
	bool stretched = now - t->last_ns > t->interval_ns + t->interval_ns / 2;
	*out = (struct raw_sample){
	    .begin_ns = t->last_ns, .end_ns = now, .flags = stretched ? RAW_STRETCHED : 0};
	s->ops->take(&s->base, out);
	note_reading(s, now);
	t->last_ns = now;
	/* The grid of times is kept; what was missed is skipped. */
	if (now >= t->due_ns)
		t->due_ns += t->interval_ns * ((now - t->due_ns) / t->interval_ns + 1);
}

static bool has_ended(struct interval_source *s)
{
	struct interval *t = &s->run;
	const struct sx_sys *sys = s->base.sys;
	if (t->over || t->pid <= 0)
		return t->over;
	t->over = t->child	  ? sys->ended(sys->user, t->child) != 0
		  : s->ops->ended ? s->ops->ended(&s->base)
				  : process_ended(sys, t->pid);
	return t->over;
}

/* Waits until a sample is due or the time is over: SX_OK, SX_AGAIN or an error. */
static enum sx_status wait_due(struct interval_source *s, int timeout_ms, uint64_t *now,
			       struct sx_error *err)
{
	const struct interval *t = &s->run;
	const struct sx_sys *sys = s->base.sys;
	uint64_t deadline = 0;
	for (bool first = true;; first = false) {
		*now = sys_now_ns(sys);
		if (!*now)
			return no_clock(err);
		if (first)
			deadline = *now + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * NS_PER_MS;
		if (*now >= t->due_ns || has_ended(s))
			return SX_OK;
		if (*now >= deadline)
			return SX_AGAIN;
		uint64_t until = t->due_ns < deadline ? t->due_ns : deadline;
		uint64_t wait_ms = (until - *now + NS_PER_MS - 1) / NS_PER_MS;
		if (t->pid > 0 && wait_ms > WATCH_MS)
			wait_ms = WATCH_MS;
		if (sys->poll(sys->user, NULL, 0, (int)wait_ms) < 0) {
			if (errno == EINTR)
				return SX_AGAIN; /* a signal is the caller's affair */
			return error_errno(err, errno, "cannot wait for the next sample");
		}
	}
}

static bool interval_give_note(struct interval_source *s, struct raw_sample *out)
{
	struct interval *t = &s->run;
	const char *text = s->ops->note ? s->ops->note(&s->base, t->notes_reported) : NULL;
	if (!text)
		return false;
	t->notes_reported++;
	*out = (struct raw_sample){.kind = RAW_NOTE,
				   .begin_ns = t->last_ns,
				   .end_ns = t->last_ns,
				   .data = (const uint8_t *)text,
				   .size = strlen(text)};
	return true;
}

enum sx_status interval_read(struct source *source, int timeout_ms, struct raw_sample *out,
			     struct sx_error *err)
{
	struct interval_source *s = interval_source(source);
	struct interval *t = &s->run;
	uint64_t now = 0;
	if (!t->started)
		return error_set(err, SX_ERR_USAGE, "the source is not started");
	if (s->gone && !t->stopped)
		return s->ops->lost(source, err);
	if (interval_give_note(s, out))
		return SX_OK;
	if (t->has_pending) {
		*out = t->pending;
		t->has_pending = false;
	} else {
		if (t->over || t->stopped)
			return SX_END;
		enum sx_status status = wait_due(s, timeout_ms, &now, err);
		if (status != SX_OK)
			return status;
		if (now <= t->last_ns)
			return SX_END; /* the program ended at the very moment of the last sample */
		fill(s, now, out);
	}
	if (s->out_of_memory)
		return error_nomem(err, s->ops->what);
	return s->gone && !out->data ? s->ops->lost(source, err) : SX_OK;
}

bool interval_clock(struct source *source, struct source_clock *out)
{
	const struct interval *t = &interval_source(source)->run;
	*out = (struct source_clock){.name = "monotonic",
				     .own_ns = t->last_ns,
				     .monotonic_ns = t->last_ns,
				     .error_ns = t->reading_ns};
	return t->reading_ns != 0;
}

void interval_wake(struct source *source, struct source_wake *out)
{
	const struct interval *t = &interval_source(source)->run;
	uint64_t look = UINT64_MAX;
	if (t->pid > 0 && !t->child)
		look = sys_now_ns(source->sys) + WATCH_MS * NS_PER_MS;
	*out = (struct source_wake){.fd = -1, .due_ns = t->due_ns < look ? t->due_ns : look};
}

/* The rest of an interval is a sample of its own, however short: totals are of the whole run. */
static void take_rest(struct interval_source *s)
{
	struct interval *t = &s->run;
	uint64_t now;
	if (t->over || s->gone || !(now = sys_now_ns(s->base.sys)) || now <= t->last_ns)
		return;
	fill(s, now, &t->pending);
	t->has_pending = true;
}

enum sx_status interval_stop(struct source *source, struct sx_error *err)
{
	struct interval_source *s = interval_source(source);
	bool runs = s->run.started && !s->run.stopped;
	s->run.stopped = true;
	if (runs)
		take_rest(s);
	if (s->ops->halt)
		s->ops->halt(source);
	return SX_OK;
}

void interval_close(struct source *source)
{
	struct interval_source *s = interval_source(source);
	interval_release(s);
	if (s->ops->finish)
		s->ops->finish(source);
	free(s);
}

enum sx_status interval_no_process(pid_t pid, struct sx_error *err)
{
	if (errno == EMFILE || errno == ENFILE)
		return error_errno(err, errno, "cannot look at process %d", (int)pid);
	error_set(err, SX_ERR_NOT_FOUND, "there is no process %d", (int)pid);
	error_because(err, "/proc/%d/stat cannot be read", (int)pid);
	error_try(err, "give the id of a running process, or start one with -- command");
	return SX_ERR_NOT_FOUND;
}

void interval_put_value(struct interval_source *s, uint32_t counter, uint64_t value,
			uint8_t quality)
{
	little_put_u64(s->values + counter * sizeof(value), value);
	s->values[s->desc.counter_count * sizeof(value) + counter] = quality;
}

void interval_give_values(struct interval_source *s, struct raw_sample *out)
{
	out->kind = RAW_VALUES;
	out->data = s->values;
	out->size = s->desc.counter_count * (sizeof(uint64_t) + 1);
}

struct sx_column interval_column(const struct sx_catalog *catalog, const char *name,
				 enum sx_type type, const char *why)
{
	uint32_t count;
	uint32_t at = catalog ? sx_catalog_find_counter(catalog, name, SX_NONE, NULL) : SX_NONE;
	const struct sx_counter_info *info =
	    at == SX_NONE ? NULL : &sx_catalog_counters(catalog, &count)[at];
	return (struct sx_column){.name = name,
				  .unit = info ? info->unit : "count",
				  .type = type,
				  .over_time = info ? info->over_time : SX_REDUCE_SUM,
				  .why = why};
}

enum sx_status interval_make_rows(struct interval_source *s, size_t count, struct sx_error *err)
{
	struct row_buffer *r = &s->buffer;
	if (count <= r->cap)
		return SX_OK;
	size_t cap = count < 16 ? 16 : count * 2, none[8] = {0};
	size_t columns = (size_t)s->desc.column_count + 1, cells = cap * columns;
	row_buffer_finish(r);
	bool ok = mem_grow(&r->values, &none[0], cells, sizeof(*r->values)) &&
		  mem_grow(&r->qualities, &none[1], cells, 1) &&
		  mem_grow(&r->begins, &none[2], cap, sizeof(*r->begins)) &&
		  mem_grow(&r->ends, &none[3], cap, sizeof(*r->ends)) &&
		  mem_grow(&r->labels, &none[4], cap, sizeof(*r->labels)) &&
		  mem_grow(&r->names, &none[5], cap, ROW_NAME_SIZE) &&
		  mem_grow(&r->strings, &none[6], cap, sizeof(*r->strings)) &&
		  mem_grow(&r->vectors, &none[7], columns, sizeof(*r->vectors));
	r->cap = ok ? cap : 0;
	return ok ? SX_OK : error_nomem(err, s->ops->what);
}

void interval_put(struct interval_source *s, uint32_t column, size_t row, uint64_t bits,
		  uint8_t quality)
{
	size_t at = (size_t)column * s->buffer.cap + row;
	s->buffer.values[at] = bits;
	s->buffer.qualities[at] = quality;
}

void interval_put_name(struct interval_source *s, size_t row, const char *name, pid_t pid)
{
	snprintf(s->buffer.names[row], ROW_NAME_SIZE, "%s (%d)", name, (int)pid);
}

void interval_give_rows(struct interval_source *s, size_t count, struct raw_sample *out)
{
	struct row_buffer *r = &s->buffer;
	for (size_t row = 0; row < count; row++) {
		r->begins[row] = out->begin_ns;
		r->ends[row] = out->end_ns;
		r->labels[row] = s->programs && !row ? SX_LABEL_ABSENT : row;
		r->strings[row] = r->names[row];
	}
	for (uint32_t i = 0; i < s->desc.column_count; i++)
		r->vectors[i] =
		    (struct sx_vector){s->desc.columns[i].type, r->values + (size_t)i * r->cap,
				       r->qualities + (size_t)i * r->cap};
	r->out = (struct sx_rows){.count = count,
				  .begin_ns = r->begins,
				  .end_ns = r->ends,
				  .columns = r->vectors,
				  .column_count = s->desc.column_count};
	out->kind = RAW_ROWS;
	out->data = (const uint8_t *)&r->out;
	out->size = sizeof(r->out);
	if (!s->by_process && !s->programs)
		return;
	if (s->programs)
		r->strings[0] = "";
	r->out.labels[SX_LABEL_PROCESS] = r->labels;
	r->out.strings = r->strings;
	r->out.string_count = (uint32_t)count;
}
