/* The grid of times of sources that are asked for their values, and the rows that they make. */
#include "source/interval.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "source/process_tree.h"

#define NS_PER_MS UINT64_C(1000000)
#define WATCH_MS  10 /* how often the end of what is measured is looked for */

void interval_put_u64(uint8_t *to, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

bool interval_process_ended(const struct sx_sys *sys, pid_t pid)
{
	struct process_stat stat;
	if (!process_stat_read(sys, pid, &stat))
		return errno == ENOENT || errno == ESRCH;
	return stat.state == 'Z' || stat.state == 'X';
}

enum sx_status interval_check(const struct interval *t, const struct source_request *request,
			      const struct interval_words *words, struct sx_error *err)
{
	uint64_t wanted_ns = request->interval_ns;
	if (t->started && !t->stopped)
		return error_set(err, SX_ERR_USAGE, "%s is started already", words->what);
	if (request->set && words->no_set) {
		error_set(err, SX_ERR_NOT_FOUND, "%s has no set \"%s\"", words->what, request->set);
		error_because(err, "%s", words->no_set);
		error_try(err, "-m with their names");
		return SX_ERR_NOT_FOUND;
	}
	if (!wanted_ns || (wanted_ns >= INTERVAL_MIN_NS && wanted_ns <= INTERVAL_MAX_NS))
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "%s cannot sample every %.6g us", words->what,
		  (double)wanted_ns * 1e-3);
	error_because(err, "%s", words->no_finer);
	error_try(err, "an interval from 1ms to 3600s");
	return SX_ERR_USAGE;
}

static enum sx_status no_clock(struct sx_error *err)
{
	return error_errno(err, errno, "cannot read the monotonic clock");
}

enum sx_status interval_start(struct interval *t, uint64_t interval_ns, struct sx_error *err)
{
	t->interval_ns = interval_ns;
	t->ops->take(t->user, NULL);
	t->last_ns = sys_now_ns(t->sys);
	if (!t->last_ns)
		return no_clock(err);
	t->due_ns = t->last_ns + interval_ns;
	t->started = true;
	return SX_OK;
}

/* Values are read one after another: the last one is later than the time that all are told with.
 */
static void note_reading(struct interval *t, uint64_t begin_ns)
{
	uint64_t end_ns = sys_now_ns(t->sys);
	if (end_ns > begin_ns && end_ns - begin_ns > t->reading_ns)
		t->reading_ns = end_ns - begin_ns;
}

static void fill(struct interval *t, uint64_t now, struct raw_sample *out)
{
	*out = (struct raw_sample){.begin_ns = t->last_ns, .end_ns = now};
	t->ops->take(t->user, out);
	note_reading(t, now);
	if (now - t->last_ns > t->interval_ns + t->interval_ns / 2)
		out->flags |= RAW_STRETCHED;
	t->last_ns = now;
	/* The grid of times is kept; what was missed is skipped. */
	if (now >= t->due_ns)
		t->due_ns += t->interval_ns * ((now - t->due_ns) / t->interval_ns + 1);
}

static bool has_ended(struct interval *t)
{
	if (t->over || !t->watched)
		return t->over;
	t->over = t->child ? t->sys->ended(t->sys->user, t->child) != 0 : t->ops->ended(t->user);
	return t->over;
}

/* Waits until a sample is due or the time is over: SX_OK, SX_AGAIN or an error. */
static enum sx_status wait_due(struct interval *t, int timeout_ms, uint64_t *now,
			       struct sx_error *err)
{
	const struct sx_sys *sys = t->sys;
	uint64_t deadline = 0;
	for (bool first = true;; first = false) {
		*now = sys_now_ns(sys);
		if (!*now)
			return no_clock(err);
		if (first)
			deadline = *now + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * NS_PER_MS;
		if (*now >= t->due_ns || has_ended(t))
			return SX_OK;
		if (*now >= deadline)
			return SX_AGAIN;
		uint64_t until = t->due_ns < deadline ? t->due_ns : deadline;
		uint64_t wait_ms = (until - *now + NS_PER_MS - 1) / NS_PER_MS;
		if (t->watched && wait_ms > WATCH_MS)
			wait_ms = WATCH_MS;
		if (sys->poll(sys->user, NULL, 0, (int)wait_ms) < 0) {
			if (errno == EINTR)
				return SX_AGAIN; /* a signal is the caller's affair */
			return error_errno(err, errno, "cannot wait for the next sample");
		}
	}
}

static bool interval_give_note(struct interval *t, struct raw_sample *out)
{
	const char *text = t->ops->note ? t->ops->note(t->user, t->notes_told) : NULL;
	if (!text)
		return false;
	t->notes_told++;
	*out = (struct raw_sample){.kind = RAW_NOTE,
				   .begin_ns = t->last_ns,
				   .end_ns = t->last_ns,
				   .data = (const uint8_t *)text,
				   .size = strlen(text)};
	return true;
}

enum sx_status interval_read(struct interval *t, int timeout_ms, struct raw_sample *out,
			     struct sx_error *err)
{
	uint64_t now = 0;
	if (!t->started)
		return error_set(err, SX_ERR_USAGE, "the source is not started");
	if (interval_give_note(t, out))
		return SX_OK;
	if (t->has_pending) {
		*out = t->pending;
		t->has_pending = false;
		return SX_OK;
	}
	if (t->over || t->stopped)
		return SX_END;
	enum sx_status status = wait_due(t, timeout_ms, &now, err);
	if (status != SX_OK)
		return status;
	if (now <= t->last_ns)
		return SX_END; /* the program ended at the very moment of the last sample */
	fill(t, now, out);
	return SX_OK;
}

bool interval_clock(const struct interval *t, struct source_clock *out)
{
	*out = (struct source_clock){.name = "monotonic",
				     .own_ns = t->last_ns,
				     .monotonic_ns = t->last_ns,
				     .error_ns = t->reading_ns};
	return t->reading_ns != 0;
}

void interval_wake(const struct interval *t, struct source_wake *out)
{
	uint64_t look =
	    t->watched && !t->child ? sys_now_ns(t->sys) + WATCH_MS * NS_PER_MS : UINT64_MAX;
	*out = (struct source_wake){.fd = -1, .due_ns = t->due_ns < look ? t->due_ns : look};
}

/* The rest of an interval is a sample of its own, however short: totals are of the whole run. */
void interval_stop(struct interval *t)
{
	uint64_t now;
	if (!t->started || t->stopped)
		return;
	t->stopped = true;
	if (t->over || !(now = sys_now_ns(t->sys)) || now <= t->last_ns)
		return;
	fill(t, now, &t->pending);
	t->has_pending = true;
}

void sheet_finish(struct sheet *r)
{
	uint32_t columns = r->column_count;
	free(r->values);
	free(r->qualities);
	free(r->begins);
	free(r->ends);
	free(r->labels);
	free(r->names);
	free(r->strings);
	free(r->vectors);
	*r = (struct sheet){.column_count = columns};
}

bool sheet_grow(struct sheet *r, size_t count)
{
	if (count <= r->cap)
		return true;
	size_t cap = count < 16 ? 16 : count * 2, none[8] = {0};
	size_t cells = cap * ((size_t)r->column_count + 1);
	sheet_finish(r);
	bool ok = mem_grow(&r->values, &none[0], cells, sizeof(*r->values)) &&
		  mem_grow(&r->qualities, &none[1], cells, 1) &&
		  mem_grow(&r->begins, &none[2], cap, sizeof(*r->begins)) &&
		  mem_grow(&r->ends, &none[3], cap, sizeof(*r->ends)) &&
		  mem_grow(&r->labels, &none[4], cap, sizeof(*r->labels)) &&
		  mem_grow(&r->names, &none[5], cap, SHEET_NAME_SIZE) &&
		  mem_grow(&r->strings, &none[6], cap, sizeof(*r->strings)) &&
		  mem_grow(&r->vectors, &none[7], (size_t)r->column_count + 1, sizeof(*r->vectors));
	r->cap = ok ? cap : 0;
	return ok;
}

void sheet_put(struct sheet *r, uint32_t column, size_t row, uint64_t bits, uint8_t quality)
{
	size_t at = (size_t)column * r->cap + row;
	r->values[at] = bits;
	r->qualities[at] = quality;
}

void sheet_name(struct sheet *r, size_t row, const char *name, pid_t pid)
{
	snprintf(r->names[row], SHEET_NAME_SIZE, "%s (%d)", name, (int)pid);
}

void sheet_give(struct sheet *r, size_t count, const struct sheet_head *head)
{
	for (size_t row = 0; row < count; row++) {
		r->begins[row] = head->begin_ns;
		r->ends[row] = head->end_ns;
		r->labels[row] = row;
		r->strings[row] = r->names[row];
	}
	for (uint32_t i = 0; i < r->column_count; i++)
		r->vectors[i] =
		    (struct sx_vector){head->columns[i].type, r->values + (size_t)i * r->cap,
				       r->qualities + (size_t)i * r->cap};
	r->out = (struct sx_rows){.count = count,
				  .begin_ns = r->begins,
				  .end_ns = r->ends,
				  .columns = r->vectors,
				  .column_count = r->column_count};
	if (!head->named)
		return;
	r->out.labels[SX_LABEL_PROCESS] = r->labels;
	r->out.strings = r->strings;
	r->out.string_count = (uint32_t)count;
}
