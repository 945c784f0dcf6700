/* Problems of a trace: losses, gaps, doubtful values, and counters without data. */
#include "output/perfetto/perfetto.h"
#include "base/no_data.h"
#include "output/rows/rows.h"

static uint64_t quality_track(struct trace *p, struct trace_state *d)
{
	if (!d->quality_track)
		d->quality_track = trace_track(
		    p, &(struct trace_track){.parent = d->track,
					     .name = "Quality",
					     .description = "What was lost, is missing or is "
							    "known less well",
					     .rank = INT32_MAX});
	return d->quality_track;
}

/* Slices of one track must not overlap: what begins within another is a moment with its extent. */
static void quality_event(struct trace *p, struct trace_state *d, const char *name,
			  struct packet_notes *notes, const uint64_t span_ns[2])
{
	uint64_t begin_ns = span_ns[0], end_ns = span_ns[1];
	struct packet_time time = {begin_ns, d->clock};
	struct packet_event event = {.track = quality_track(p, d), .name = name, .notes = notes};
	note_u64(notes, "begin_ns", begin_ns);
	note_u64(notes, "end_ns", end_ns);
	bool free = begin_ns >= d->quality_end_ns;
	packet_slice(&p->stream, &time, free ? end_ns : begin_ns, &event);
	if (free)
		d->quality_end_ns = end_ns;
}

void trace_end_doubt(struct trace *p, struct trace_state *d)
{
	char text[64];
	struct packet_notes notes = {.count = 0};
	const char *name = rows_reservations_text(d->doubt.quality, text);
	if (!d->doubt.rows || !name)
		return;
	/* The track is described before the event's own texts are gathered. */
	quality_track(p, d);
	note_u64(&notes, "samples", d->doubt.rows);
	quality_event(p, d, name, &notes, (const uint64_t[2]){d->doubt.begin_ns, d->doubt.end_ns});
	d->doubt.rows = 0;
}

void trace_doubts(struct trace *p, struct trace_state *d, const struct sx_table *table, size_t row,
		  const struct lane_span *span)
{
	char text[64];
	uint8_t quality = rows_reservations(table, row);
	bool any = rows_reservations_text(quality, text) != NULL;
	struct trace_doubt *doubt = &d->doubt;
	if (doubt->rows && (!any || quality != doubt->quality || span->begin_ns > doubt->end_ns))
		trace_end_doubt(p, d);
	if (!any)
		return;
	if (!doubt->rows)
		*doubt = (struct trace_doubt){quality, span->begin_ns, span->end_ns, 0};
	doubt->rows++;
	if (span->end_ns > doubt->end_ns)
		doubt->end_ns = span->end_ns;
}

static void mark_device(struct trace *p, struct trace_state *d, const struct trace_event *event)
{
	static const char *const names[] = {"lost", "gap", "note"};
	const struct report_device *r = d->in->report;
	struct packet_notes notes = {.count = 0};
	uint64_t begin = event->begin_ns, end = event->end_ns;
	/* Without an end: all that would have followed. Without any time: of the whole run. */
	if (begin == SX_TIME_UNKNOWN)
		begin = end != SX_TIME_UNKNOWN ? end : r->begin_ns;
	if (end == SX_TIME_UNKNOWN || end < begin)
		end = r->end_ns != SX_TIME_UNKNOWN && r->end_ns > begin ? r->end_ns : begin;
	if (begin == SX_TIME_UNKNOWN)
		return; /* the attributes count it */
	quality_track(p, d);
	if (event->lost != UINT64_MAX && event->type == TRACE_LOSS)
		note_u64(&notes, "samples lost", event->lost);
	note_text(&p->stream, &notes, "text", event->text);
	quality_event(p, d, names[event->type], &notes, (const uint64_t[2]){begin, end});
}

void trace_mark(struct trace *p, const struct trace_event *event)
{
	for (uint32_t i = 0; i < p->head.device_count; i++)
		if (event->device == SX_NONE || event->device == i)
			mark_device(p, &p->devices[i], event);
}

/* Metrics without a value in the whole run have no track; the reason is written once. */
void trace_absent(struct trace *p, struct trace_state *d)
{
	const struct report_device *r = d->in->report;
	struct packet_time time = {r->begin_ns, d->clock};
	for (uint32_t i = 0; i < r->row_count && r->begin_ns != SX_TIME_UNKNOWN;) {
		struct packet_notes notes = {.count = 0};
		uint64_t track = quality_track(p, d);
		for (; i < r->row_count && notes.count < PACKET_NOTES; i++)
			if (!r->rows[i].stats.count)
				note_text(&p->stream, &notes, r->rows[i].name,
					  r->rows[i].stats.why ? r->rows[i].stats.why
							       : no_data_text(NO_DATA_NO_VALUE));
		if (notes.count)
			packet_event(&p->stream, &time,
				     &(struct packet_event){.track = track,
							    .type = EVENT_INSTANT,
							    .name = "no data",
							    .notes = &notes});
	}
}
