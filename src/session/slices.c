/*
 * Multiplexing: metric sets that cannot be programmed at once take turns on their device. Each is a
 * session device of its own, with rows that were counted and, while others are active, rows that
 * were skipped; totals are scaled by the counted share, which reports show.
 */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "table/fill.h"

#define NS_PER_MS      UINT64_C(1000000)
#define TURN_LEAST_NS  (100 * NS_PER_MS) /* programming a set takes the time of a sample */
#define TURN_INTERVALS 10
#define DRAIN_READS    100000 /* of what the source still has when its turn ends */

/* Room for `more` devices behind one; they are copies of it. */
static bool insert_copies(struct sx_session *s, uint32_t index, uint32_t more)
{
	size_t need = (size_t)s->device_count + more;
	if (!mem_grow(&s->devices, &s->device_cap, need, sizeof(*s->devices)) ||
	    !mem_grow(&s->infos, &s->info_cap, need, sizeof(*s->infos)))
		return false;
	uint32_t behind = s->device_count - index - 1;
	memmove(s->devices + index + 1 + more, s->devices + index + 1,
		behind * sizeof(*s->devices));
	memmove(s->infos + index + 1 + more, s->infos + index + 1, behind * sizeof(*s->infos));
	for (uint32_t i = index + 1; i <= index + more; i++) {
		s->devices[i] = s->devices[index];
		s->infos[i] = s->infos[index];
		sx_catalog_ref(s->infos[i].catalog);
		s->infos[i].facts.number += i - index;
	}
	s->device_count += more;
	for (uint32_t i = index + 1 + more; i < s->device_count; i++)
		s->infos[i].facts.number += more;
	return true;
}

enum sx_status turns_split(struct sx_session *s, uint32_t index, uint32_t count,
			   struct sx_error *err)
{
	struct session_turns *turns = arena_alloc(&s->arena, sizeof(*turns));
	if (!turns || !insert_copies(s, index, count - 1))
		return error_nomem(err, "dividing time between metric sets");
	*turns = (struct session_turns){.first = index, .count = count, .active = index};
	for (uint32_t i = index; i < index + count; i++)
		s->devices[i].turns = turns;
	return SX_OK;
}

bool turns_active(const struct sx_session *s, uint32_t index)
{
	const struct session_turns *turns = s->devices[index].turns;
	return !turns || turns->active == index;
}

static bool is_first(const struct sx_session *s, uint32_t index)
{
	const struct session_turns *turns = s->devices[index].turns;
	return turns && turns->first == index;
}

/* What the user should know of a device with multiplexed sets. */
static void slices_note(struct sx_session *s, const struct session_turns *turns)
{
	for (uint32_t i = 0; i < turns->count; i++)
		error_set(&s->devices[turns->first + i].note, SX_INCOMPLETE,
			  "set %s is %u of %u that take turns of %llu ms on one device; its "
			  "amounts are scaled to the whole run",
			  s->devices[turns->first + i].set, (unsigned)i + 1, (unsigned)turns->count,
			  (unsigned long long)(turns->turn_ns / NS_PER_MS));
}

void turns_begin(struct sx_session *s)
{
	uint64_t interval = s->options.interval_ns;
	for (uint32_t i = 0; i < s->device_count; i++) {
		struct session_turns *turns = s->devices[i].turns;
		if (!is_first(s, i))
			continue;
		turns->active = turns->first;
		turns->until_ns = SX_TIME_UNKNOWN;
		turns->fresh = true;
		turns->since_ns = sys_now_ns(s->sys);
		turns->turn_ns = interval > TURN_LEAST_NS / TURN_INTERVALS
				     ? interval * TURN_INTERVALS
				     : TURN_LEAST_NS;
		slices_note(s, turns);
	}
}

uint64_t turns_due_ns(const struct sx_session *s)
{
	uint64_t due = UINT64_MAX;
	for (uint32_t i = 0; i < s->device_count; i++) {
		const struct session_turns *turns = s->devices[i].turns;
		if (is_first(s, i) && turns->since_ns + turns->turn_ns < due)
			due = turns->since_ns + turns->turn_ns;
	}
	return due;
}

/* The set's turn is over: what the source still has belongs to it. */
static void end_turn(struct sx_session *s, uint32_t index)
{
	struct session_device *d = &s->devices[index];
	struct sx_error why = {0};
	if (d->ended)
		return;
	if (d->ops->stop(d->source, &why))
		session_fail(s, index, &why);
	d->started = false;
	bool failed = d->failure.message[0] != '\0';
	for (int reads = 0; reads < DRAIN_READS && !d->ended && session_take(s, index); reads++)
		;
	/* The device's samples end for now, and for good only if something went wrong just now. */
	d->ended = !failed && d->failure.message[0] != '\0';
}

/* The next set that can still be programmed; when none can, all have ended. */
static void next_turn(struct sx_session *s, struct session_turns *turns)
{
	uint32_t from = turns->active - turns->first;
	end_turn(s, turns->active);
	watch_forget(s);
	turns->since_ns = sys_now_ns(s->sys);
	turns->fresh = true;
	for (uint32_t k = 1; k <= turns->count; k++) {
		uint32_t index = turns->first + (from + k) % turns->count;
		struct sx_error why = {0};
		if (s->devices[index].ended)
			continue;
		turns->active = index;
		if (session_start_again(s, index, &why) == SX_OK)
			return;
		session_fail(s, index, &why);
		s->devices[index].ended = true;
	}
}

/* Another set would not be counted any more. */
static bool has_no_time(const struct sx_session *s, uint64_t now)
{
	return s->limits.duration_ns && now - s->begin_ns >= s->limits.duration_ns;
}

void turns_update(struct sx_session *s)
{
	uint64_t now = 0;
	for (uint32_t i = 0; i < s->device_count; i++) {
		struct session_turns *turns = s->devices[i].turns;
		if (!is_first(s, i))
			continue;
		now = now ? now : sys_now_ns(s->sys);
		if (now >= turns->since_ns + turns->turn_ns && !has_no_time(s, now))
			next_turn(s, turns);
	}
}

static enum sx_status set_skipped(struct sx_table *table, size_t first, size_t count,
				  struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (uint32_t c = 0; !status && count && c < sx_table_column_count(table); c++)
		status = table_fill_quality(table, c, (struct row_span){first, count},
					    SX_QUALITY_SKIPPED, err);
	return status;
}

/* Rows with the times and contexts of others, in which nothing was measured. */
static enum sx_status add_skipped(struct sx_table *to, const struct sx_table *from, size_t first,
				  struct sx_error *err)
{
	size_t count = sx_table_row_count(from) - first, at = 0;
	enum sx_status status = sx_table_add_rows(to, count, &at, err);
	for (size_t i = 0; !status && i < count; i++) {
		uint64_t context = sx_table_label(from, SX_LABEL_CONTEXT, first + i);
		sx_table_set_time(to, at + i, sx_table_begin_ns(from)[first + i],
				  sx_table_end_ns(from)[first + i]);
		if (context != SX_LABEL_ABSENT)
			status = sx_table_set_label(to, SX_LABEL_CONTEXT, at + i, context);
	}
	return status ? status : set_skipped(to, at, count, err);
}

/* The time since the last row of the set before, in which no set was counted. */
static enum sx_status add_change(const struct session_turns *turns, struct sx_table *to,
				 uint64_t begin_ns, struct sx_error *err)
{
	size_t at;
	if (turns->until_ns == SX_TIME_UNKNOWN || begin_ns == SX_TIME_UNKNOWN ||
	    begin_ns <= turns->until_ns)
		return SX_OK;
	enum sx_status status = sx_table_add_rows(to, 1, &at, err);
	if (status)
		return status;
	sx_table_set_time(to, at, turns->until_ns, begin_ns);
	return set_skipped(to, at, 1, err);
}

static enum sx_status append_all(struct sx_table *to, const struct sx_table *from,
				 struct sx_error *err)
{
	struct sx_rows rows;
	struct sx_vector *vectors = calloc(sx_table_column_count(from) + 1, sizeof(*vectors));
	if (!vectors)
		return error_nomem(err, "the first samples of a turn");
	sx_table_rows(from, 0, sx_table_row_count(from), vectors, &rows);
	enum sx_status status = sx_table_append(to, &rows, err);
	free(vectors);
	return status;
}

/* The first rows of a turn: only they show where the time of the change ends. */
static enum sx_status feed_first(struct session_device *d, const struct raw_sample *raw,
				 struct sx_table *to, struct sx_error *err)
{
	struct sx_table *rows = NULL;
	enum sx_status status = decoder_table(d->decoder, &rows, err);
	if (status)
		return status;
	status = d->decoder->ops->feed(d->decoder, raw, rows, err);
	if (sx_table_row_count(rows)) {
		enum sx_status added = add_change(d->turns, to, sx_table_begin_ns(rows)[0], err);
		if (!added)
			added = append_all(to, rows, err);
		status = added ? added : status;
		d->turns->fresh = false;
	}
	sx_table_destroy(rows);
	return status;
}

enum sx_status turns_feed(struct sx_session *s, uint32_t index, const struct raw_sample *raw,
			  struct sx_error *err)
{
	struct session_device *d = &s->devices[index];
	struct session_turns *turns = d->turns;
	struct sx_table *to = session_newest(d);
	size_t first = sx_table_row_count(to);
	enum sx_status status = turns->fresh ? feed_first(d, raw, to, err)
					     : d->decoder->ops->feed(d->decoder, raw, to, err);
	for (size_t i = first; i < sx_table_row_count(to); i++)
		turns->until_ns = sx_table_end_ns(to)[i];
	for (uint32_t i = 0; i < turns->count; i++) {
		struct session_device *other = &s->devices[turns->first + i];
		struct sx_error why = {0};
		if (other != d && add_skipped(session_newest(other), to, first, &why))
			session_fail(s, turns->first + i, &why);
	}
	return status;
}
