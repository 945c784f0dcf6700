/* Recording: writes a session's samples into a capture. */
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text_buf.h"
#include "table/table.h"

#define LOST		"lost between the device and the source"
#define CLOCKS_EVERY_NS UINT64_C(1000000000)
#define CLOCKS_MOVED_NS INT64_C(5000000)
#define ROWS_EVERY_NS	UINT64_C(20000000)
#define NOTES_MAX	64		  /* that wait for their device */
#define TEXT_BYTES	((size_t)1 << 20) /* of labels that wait with their rows */

static uint8_t bits_of(const struct sx_catalog *catalog, const char *name)
{
	uint32_t count;
	uint32_t at = sx_catalog_find_counter(catalog, name, SX_NONE, NULL);
	uint32_t bits = at == SX_NONE ? 64 : sx_catalog_counters(catalog, &count)[at].bits;
	return (uint8_t)(bits >= 1 && bits <= 64 ? bits : 64);
}

/* Columns and their widths, in memory that the session owns. */
static bool describe_columns(struct sx_session *s, const struct sx_session_device *info,
			     const struct sx_table *raw, struct sx_capture_device *out)
{
	uint32_t columns = sx_table_column_count(raw);
	struct sx_column *list = arena_alloc(&s->arena, (columns + 1) * sizeof(*list));
	uint8_t *bits = arena_alloc(&s->arena, columns + 1);
	if (!list || !bits)
		return false;
	for (uint32_t i = 0; i < columns; i++) {
		list[i] = *sx_table_column(raw, i);
		bits[i] = bits_of(info->catalog, list[i].name);
	}
	out->columns = list;
	out->bits = bits;
	out->column_count = columns;
	return true;
}

static void add_property(struct sx_capture_property *list, uint32_t *count, const char *name,
			 const char *value)
{
	if (value)
		list[(*count)++] = (struct sx_capture_property){name, value};
}

/* How the device is programmed: without that its counters could not be read rightly. */
static bool describe_program(struct sx_session *s, uint32_t index, struct sx_capture_device *out)
{
	const struct session_device *d = &s->devices[index];
	const struct source_desc *desc = source_describe(d->source);
	bool is = turns_active(s, index); /* else the source describes another set */
	uint32_t count = 0;
	struct sx_capture_property *list = arena_alloc(
	    &s->arena, (desc->property_count + s->options.metric_count + 1) * sizeof(*list));
	char *interval = arena_alloc(&s->arena, 24);
	if (!list || !interval)
		return false;
	snprintf(interval, 24, "%llu", (unsigned long long)desc->interval_ns);
	add_property(list, &count, "interval", desc->interval_ns ? interval : NULL);
	for (uint32_t i = 0; is && i < desc->property_count; i++)
		add_property(list, &count, desc->properties[i].name, desc->properties[i].value);
	for (uint32_t i = 0; d->set && i < d->request.definition_count; i++)
		add_property(list, &count, "definition", d->request.definitions[i]);
	out->properties = list;
	out->property_count = count;
	return true;
}

/* How far a device's times may be off: measured by its source, or by what reading our clock takes.
 */
static struct source_clock clock_of(struct sx_session *s, uint32_t index)
{
	struct session_device *d = &s->devices[index];
	struct source_clock clock;
	if (d->ops->clock && turns_active(s, index) && d->ops->clock(d->source, &clock))
		return clock;
	uint64_t before = sys_now_ns(s->sys), after = sys_now_ns(s->sys);
	uint64_t known = source_describe(d->source)->clock_error_ns;
	uint64_t bracket = after - before;
	return (struct source_clock){.name = "monotonic",
				     .own_ns = after,
				     .monotonic_ns = after,
				     .error_ns = known > bracket ? known : bracket};
}

static enum sx_status add_device(struct sx_session *s, uint32_t index, struct sx_error *err)
{
	struct session_device *d = &s->devices[index];
	const struct sx_session_device *info = &s->infos[index];
	const struct source_desc *desc = source_describe(d->source);
	const struct sx_catalog_info *catalog = sx_catalog_info(info->catalog);
	struct sx_capture_device device = {
	    .catalog = catalog->name,
	    .catalog_hash = catalog->hash,
	    .facts = desc->facts,
	    .kind = sx_table_kind(d->raw),
	    .encloses_work = desc->encloses_work,
	    .clock_error_ns = clock_of(s, index).error_ns,
	    .interval_ns = desc->encloses_work ? 0 : s->options.interval_ns,
	};
	device.facts.source = d->ops->name;
	device.facts.set = d->set;
	device.facts.constants = info->facts.constants;
	device.facts.constant_count = info->facts.constant_count;
	if (!describe_columns(s, info, d->raw, &device) || !describe_program(s, index, &device))
		return error_nomem(err, "recording a device");
	return sx_capture_add_device(s->writer, &device, &d->recorded, err);
}

void record_begin(struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++) {
		struct session_device *d = &s->devices[i];
		d->recorded = SX_CAPTURE_NO_DEVICE;
		d->record_next = 0;
		d->unrecorded_lost = 0;
		d->unrecorded_more = false;
		d->unrecorded_notes = NULL;
		d->unrecorded_note_count = 0;
	}
	record_clocks(s, true);
}

/* A note of a source from before its device was in the capture. */
struct record_note {
	struct record_note *before;
	uint64_t begin_ns, end_ns;
	const char *text;
};

/* Each note once: one that a source repeats must not take the place of others. */
static void defer_note(struct sx_session *s, uint32_t index, const struct sx_capture_mark *mark)
{
	struct session_device *d = &s->devices[index];
	for (const struct record_note *n = d->unrecorded_notes; n; n = n->before)
		if (strcmp(n->text, mark->text) == 0)
			return;
	if (d->unrecorded_note_count == NOTES_MAX)
		return;
	struct record_note *note = arena_alloc(&s->run_arena, sizeof(*note));
	const char *text = arena_strndup(&s->run_arena, mark->text, strlen(mark->text));
	if (!note || !text)
		return;
	d->unrecorded_note_count++;
	*note = (struct record_note){d->unrecorded_notes, mark->begin_ns, mark->end_ns, text};
	d->unrecorded_notes = note;
}

/* In the order in which they came: the first is the one that views show. */
static void record_notes(struct sx_session *s, uint32_t index)
{
	struct session_device *d = &s->devices[index];
	struct record_note *first = NULL, *note;
	while ((note = d->unrecorded_notes)) {
		d->unrecorded_notes = note->before;
		note->before = first;
		first = note;
	}
	for (; first; first = first->before) {
		const struct sx_capture_mark mark = {
		    .begin_ns = first->begin_ns, .end_ns = first->end_ns, .text = first->text};
		sx_capture_mark(s->writer, d->recorded, SX_CAPTURE_NOTE, &mark, NULL);
	}
}

/*
 * Losses and notes from before a device is in the capture are written right after it: they refer to
 * the device.
 */
static void mark(struct sx_session *s, uint32_t index, enum sx_capture_type type,
		 const struct sx_capture_mark *mark)
{
	struct session_device *d = &s->devices[index];
	bool countless = mark->lost == SX_CAPTURE_COUNT_UNKNOWN;
	if (type == SX_CAPTURE_LOSS && d->recorded == SX_CAPTURE_NO_DEVICE) {
		d->unrecorded_lost += countless ? 0 : mark->lost;
		d->unrecorded_more |= countless;
		return;
	}
	if (type == SX_CAPTURE_NOTE && d->recorded == SX_CAPTURE_NO_DEVICE)
		defer_note(s, index, mark);
	else
		sx_capture_mark(s->writer, d->recorded, type, mark, NULL);
}

/* A mark for the time of a sample. */
static struct sx_capture_mark mark_of(const struct raw_sample *raw, uint64_t lost, const char *text)
{
	return (struct sx_capture_mark){
	    .begin_ns = raw->begin_ns, .end_ns = raw->end_ns, .lost = lost, .text = text};
}

/* A mark for all of a recording. */
static struct sx_capture_mark mark_always(uint64_t lost, const char *text)
{
	return (struct sx_capture_mark){
	    .begin_ns = SX_TIME_UNKNOWN, .end_ns = SX_TIME_UNKNOWN, .lost = lost, .text = text};
}

/* Devices are written with their first rows: some know what they are only once a program runs. */
static bool has_device(struct sx_session *s, uint32_t index, struct sx_error *err)
{
	struct session_device *d = &s->devices[index];
	const struct sx_capture_mark lost = mark_always(d->unrecorded_lost, LOST);
	const struct sx_capture_mark more = mark_always(SX_CAPTURE_COUNT_UNKNOWN, LOST);
	const struct sx_capture_mark turns = mark_always(0, d->note.message);
	if (d->recorded != SX_CAPTURE_NO_DEVICE)
		return true;
	if (add_device(s, index, err))
		return false;
	if (d->unrecorded_lost)
		mark(s, index, SX_CAPTURE_LOSS, &lost);
	if (d->unrecorded_more)
		mark(s, index, SX_CAPTURE_LOSS, &more);
	record_notes(s, index);
	if (d->turns) /* which set counts, and that others take turns with it */
		mark(s, index, SX_CAPTURE_NOTE, &turns);
	return true;
}

/* A device that was only tried becomes a note: recorded without rows, it would be in every view. */
static bool only_tried(struct sx_session *s, uint32_t index)
{
	bool others = false;
	char text[2 * SX_ERROR_TEXT_MAX + 32];
	const struct session_device *d = &s->devices[index];
	if (s->options.device_count || !d->ops->spawn_env || d->recorded != SX_CAPTURE_NO_DEVICE ||
	    d->failure.message[0] || d->others || s->infos[index].run.lost ||
	    s->infos[index].run.lost_more)
		return false;
	for (uint32_t i = 0; i < s->device_count; i++)
		others |= s->devices[i].recorded != SX_CAPTURE_NO_DEVICE;
	if (!others)
		return false;
	snprintf(text, sizeof(text), "not measured: %s: %s", d->silence.message,
		 d->silence.because);
	const struct sx_capture_mark whole = mark_always(0, text);
	sx_capture_mark(s->writer, SX_CAPTURE_NO_DEVICE, SX_CAPTURE_NOTE, &whole, NULL);
	record_notes(s, index); /* they are of no device either */
	return true;
}

static void record_ending(struct sx_session *s)
{
	const struct sx_child_status *child = &s->child.status;
	struct sx_capture_ending ending = {.exit_code = child->exit_code,
					   .term_signal = child->term_signal};
	if (child->ended_by == SX_ENDED_BY_DURATION)
		ending.limit = "duration";
	else if (child->ended_by == SX_ENDED_BY_COUNT)
		ending.limit = "count";
	if (s->has_program && child->ran && !child->running_pid)
		sx_capture_write_ending(s->writer, &ending, NULL);
}

void record_end(struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++)
		if (!session_is_unused(s, i) && !only_tried(s, i))
			has_device(s, i, NULL);
	record_ending(s);
	record_clocks(s, true);
}

/* The rows of a device are recorded, or lost. */
static void rows_recorded(const struct sx_session *s, struct session_device *d)
{
	if (s->options.keep_rows)
		d->record_next = sx_table_row_count(d->raw);
	else
		sx_table_clear(d->raw);
}

void record_rows(struct sx_session *s, uint32_t index, bool now)
{
	struct session_device *d = &s->devices[index];
	struct sx_rows rows;
	uint64_t time = sys_now_ns(s->sys);
	bool due = now || time - d->record_last_ns >= ROWS_EVERY_NS ||
		   table_text_bytes(d->raw) > TEXT_BYTES;
	size_t count = sx_table_row_count(d->raw) - d->record_next;
	if (!count || !due)
		return;
	/*
	 * How a set is programmed is known only while it is active, and is written before its rows.
	 */
	if (!now && d->recorded == SX_CAPTURE_NO_DEVICE && !turns_active(s, index))
		return;
	d->record_last_ns = time;
	uint32_t columns = sx_table_column_count(d->raw);
	struct sx_error why = {0};
	struct sx_vector *vectors = calloc(columns + 1, sizeof(*vectors));
	if (!vectors)
		error_nomem(&why, "recording samples");
	if (!vectors || !has_device(s, index, &why)) {
		free(vectors);
		if (!d->failure.message[0])
			d->failure = why;
		s->infos[index].run.lost += count;
		rows_recorded(s, d);
		return;
	}
	sx_table_rows(d->raw, d->record_next, count, vectors, &rows);
	sx_capture_write(s->writer, d->recorded, &rows, NULL);
	free(vectors);
	rows_recorded(s, d);
}

void record_sample(struct sx_session *s, uint32_t index, const struct raw_sample *raw)
{
	char text[1024] = "";
	if (raw->kind == RAW_NOTE) {
		text_append(text, sizeof(text), "%.*s", (int)raw->size, (const char *)raw->data);
		const struct sx_capture_mark note = mark_of(raw, 0, text);
		mark(s, index, SX_CAPTURE_NOTE, &note);
	}
	const struct sx_capture_mark loss =
	    mark_of(raw, raw->lost ? raw->lost : SX_CAPTURE_COUNT_UNKNOWN, LOST);
	const struct sx_capture_mark gap = mark_of(raw, 0, "not continuous with the sample before");
	if (raw->lost || raw->flags & RAW_LOST)
		mark(s, index, SX_CAPTURE_LOSS, &loss);
	if (raw->flags & RAW_BROKEN)
		mark(s, index, SX_CAPTURE_GAP, &gap);
}

void record_failure(struct sx_session *s, uint32_t index)
{
	char text[2 * SX_ERROR_TEXT_MAX + 8];
	const struct sx_error *why = &s->devices[index].failure;
	struct raw_sample now = {.begin_ns = sys_now_ns(s->sys), .end_ns = SX_TIME_UNKNOWN};
	snprintf(text, sizeof(text), "%s: %s", why->message, why->because);
	has_device(s, index, NULL);
	const struct sx_capture_mark failed = mark_of(&now, SX_CAPTURE_COUNT_UNKNOWN, text);
	mark(s, index, SX_CAPTURE_LOSS, &failed);
}

/* Each device's own clock beside ours, by the pair that its source read last. */
static void record_own_clocks(struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++) {
		const struct session_device *d = &s->devices[i];
		if (d->recorded == SX_CAPTURE_NO_DEVICE)
			continue;
		struct source_clock clock = clock_of(s, i);
		const struct sx_capture_clock clocks[] = {
		    {"monotonic", clock.monotonic_ns, clock.error_ns},
		    {clock.name, clock.own_ns, clock.error_ns},
		};
		bool ours = strcmp(clock.name, "monotonic") == 0;
		sx_capture_clocks(s->writer, d->recorded, clocks, ours ? 1 : 2, NULL);
	}
}

/* Whether the wall clock was set, or the machine slept, since the last pair: then a new one is due
 * at once, so that little time lies between the two. */
static bool clocks_moved(struct sx_session *s, uint64_t now_ns)
{
	uint64_t real_ns;
	if (!sys_clock_ns(s->sys, CLOCK_REALTIME, &real_ns))
		return false;
	int64_t ahead = (int64_t)(real_ns - now_ns);
	int64_t moved = ahead - s->wall_ahead_ns;
	s->wall_ahead_ns = ahead;
	return moved > CLOCKS_MOVED_NS || moved < -CLOCKS_MOVED_NS;
}

void record_clocks(struct sx_session *s, bool now)
{
	uint64_t real_ns = 0, boot_ns = 0;
	uint64_t before = sys_now_ns(s->sys);
	bool moved = clocks_moved(s, before);
	if (!now && !moved && before - s->clocks_last_ns < CLOCKS_EVERY_NS)
		return;
	s->clocks_last_ns = before;
	sys_clock_ns(s->sys, CLOCK_REALTIME, &real_ns);
	bool booted = sys_clock_ns(s->sys, CLOCK_BOOTTIME, &boot_ns);
	uint64_t after = sys_now_ns(s->sys);
	const struct sx_capture_clock clocks[] = {
	    {"monotonic", before + (after - before) / 2, (after - before + 1) / 2},
	    {"realtime", real_ns, 0},
	    {"boottime", boot_ns, 0},
	};
	sx_capture_clocks(s->writer, SX_CAPTURE_NO_DEVICE, clocks, booted ? 3 : 2, NULL);
	record_own_clocks(s);
}
