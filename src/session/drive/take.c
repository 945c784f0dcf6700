/* Collects samples of sources as rows: one sample at a time, and in turn over all sources. */
#include "session/drive/drive.h"

#include "base/clock.h"
#include "base/error.h"
#include "table/slices.h"

#include <string.h>

#define TURN_READS  64		      /* of one source, before the others and the limits */
#define TURN_VALUES ((size_t)1 << 18) /* in memory then: records of captures hold as many */

/* A recording's failure was when its samples end. */
static uint64_t failure_time(const struct sx_session *s, const struct sx_session_device *info)
{
	if (!s->options.input)
		return sys_now_ns(s->sys) - s->begin_ns;
	bool known = info->end_ns != SX_TIME_UNKNOWN && s->replay_begin_ns != SX_TIME_UNKNOWN;
	return known && info->end_ns > s->replay_begin_ns ? info->end_ns - s->replay_begin_ns : 0;
}

/* Reports an error during the run once for each device, with its time. */
void session_fail(struct sx_session *s, uint32_t index, const struct sx_error *why)
{
	struct session_device *d = &s->devices[index];
	struct sx_session_device *info = &s->infos[index];
	if (d->failure.message[0])
		return;
	info->run.failed_after_ns = failure_time(s, info);
	d->failure = *why;
	if (s->writer && s->state == SESSION_RUNNING)
		record_failure(s, index);
}

static void account_rows(struct sx_session *s, uint32_t index, size_t first)
{
	struct sx_session_device *info = &s->infos[index];
	const struct sx_table *raw = s->devices[index].raw;
	const uint64_t *begin = sx_table_begin_ns(raw), *end = sx_table_end_ns(raw);
	for (size_t i = first; i < sx_table_row_count(raw); i++) {
		if (begin[i] < info->begin_ns)
			info->begin_ns = begin[i];
		if (end[i] != SX_TIME_UNKNOWN &&
		    (info->end_ns == SX_TIME_UNKNOWN || end[i] > info->end_ns))
			info->end_ns = end[i];
	}
	info->samples = s->devices[index].rows;
}

struct sx_table *session_newest(const struct session_device *d)
{
	return d->mixed ? d->mixed : d->raw;
}

/* `count` rows were added to a device's newest table. */
static void resolve_rows(struct sx_session *s, uint32_t index, size_t count)
{
	struct session_device *d = &s->devices[index];
	struct sx_error why = {0};
	size_t before = sx_table_row_count(d->raw) - (d->mixed ? 0 : count);
	if (!d->mixed)
		d->rows += slices_samples_in(d->raw, before, count);
	else if (filter_rows(s, index, &why))
		session_fail(s, index, &why);
	account_rows(s, index, before);
}

/* A sample to rows. What cannot be used is lost by itself: the next one may be fine. */
static void drive_decode(struct sx_session *s, uint32_t index, const struct raw_sample *raw)
{
	struct session_device *d = &s->devices[index];
	struct sx_error why = {0};
	size_t before = sx_table_row_count(session_newest(d));
	enum sx_status status =
	    d->turns ? turns_feed(s, index, raw, &why)
		     : d->decoder->ops->feed(d->decoder, raw, session_newest(d), &why);
	if (sx_failed(status))
		s->infos[index].run.lost++;
	if (status)
		session_fail(s, index, &why);
	size_t count = sx_table_row_count(session_newest(d)) - before;
	for (uint32_t i = 0; d->turns && i < d->turns->count; i++)
		resolve_rows(s, d->turns->first + i, count);
	if (!d->turns)
		resolve_rows(s, index, count);
}

/* A byte of a note as a message has it. */
static char note_byte(uint8_t byte)
{
	return byte < ' ' || byte == 0x7f ? '?' : (char)byte;
}

static bool is_noted(const struct session_device *d, const struct raw_sample *raw)
{
	for (uint32_t i = 0; i < d->note_count; i++) {
		size_t at = 0;
		while (at < raw->size && d->notes[i][at] == note_byte(raw->data[at]))
			at++;
		if (at == raw->size && !d->notes[i][at])
			return true;
	}
	return false;
}

/* Each note once, however often its source repeats it. */
static void keep_note(struct sx_session *s, struct session_device *d, const struct raw_sample *raw)
{
	if (!raw->size || d->note_count == SESSION_NOTES_MAX || is_noted(d, raw))
		return;
	char *text = arena_alloc(&s->run_arena, raw->size + 1);
	for (size_t i = 0; text && i < raw->size; i++)
		text[i] = note_byte(raw->data[i]);
	if (text)
		d->notes[d->note_count++] = text;
}

static void take_note(struct sx_session *s, uint32_t index, const struct raw_sample *raw)
{
	struct sx_error note = {0};
	keep_note(s, &s->devices[index], raw);
	error_set(&note, SX_INCOMPLETE, "%.*s", (int)raw->size, (const char *)raw->data);
	if (raw->flags & RAW_PARTIAL) {
		s->infos[index].run.partial = true;
		s->devices[index].note = note;
	}
	drive_keep_first(&s->devices[index].note, &note);
}

/* Takes what one source has. False when nothing came. */
bool session_take(struct sx_session *s, uint32_t index)
{
	struct session_device *d = &s->devices[index];
	struct raw_sample raw;
	struct sx_error why = {0};
	enum sx_status status = d->ops->read(d->source, 0, &raw, &why);
	if (status == SX_AGAIN)
		return false;
	if (status) {
		d->ended = true;
		if (status == SX_END)
			return false;
		session_fail(s, index, &why);
		return false;
	}
	if (raw.kind == RAW_NOTE && d->turns && d->rows)
		return true; /* said in an earlier turn */
	if (s->writer)
		record_sample(s, index, &raw);
	if (raw.flags & RAW_LOST && (!raw.lost || s->options.input))
		s->infos[index].run.lost_more = true;
	s->infos[index].run.lost += raw.lost;
	if (raw.kind == RAW_NOTE)
		take_note(s, index, &raw);
	else
		drive_decode(s, index, &raw);
	for (uint32_t i = 0; s->writer && i < s->device_count; i++)
		if (i == index || (d->turns && s->devices[i].turns == d->turns))
			record_rows(s, i, false);
	return true;
}

/* Whether many rows are unread already; the first read of a turn happens nevertheless. */
static bool has_plenty(const struct session_device *d, int reads)
{
	return reads && sx_table_row_count(d->raw) * sx_table_column_count(d->raw) >= TURN_VALUES;
}

/* One turn over all sources, each a bounded number of times. */
bool take_turn(struct sx_session *s)
{
	bool any = false, drained = true, first_alone = s->options.input && s->limits.samples;
	turns_update(s);
	for (uint32_t i = 0; i < s->device_count; i++) {
		struct session_device *d = &s->devices[i];
		if (!turns_active(s, i))
			continue;
		int n = 0;
		while (n < TURN_READS && !d->ended && !has_plenty(d, n) && session_take(s, i))
			n++;
		any |= n > 0;
		drained &= d->ended || (n < TURN_READS && !has_plenty(d, n));
		/* Only then is it known where the other devices of a recording end. */
		if (i == 0 && first_alone && end_samples_reached(s))
			d->ended = true;
		if (i == 0 && first_alone && !d->ended) {
			drained = false;
			break;
		}
	}
	s->drained = drained;
	if (s->writer)
		record_clocks(s, false);
	return any;
}
