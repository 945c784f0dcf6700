/* Packets of a Perfetto trace: encoded one by one, so that nothing is kept. */
#include "output/perfetto/perfetto.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define TEXT_MAX 2000 /* bytes of one text */

void packet_write(struct packet_stream *stream, uint32_t sequence, const struct packet_time *time,
		  Pf__Packet *packet)
{
	Pf__Trace trace = PF__TRACE__INIT;
	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = sequence;
	if (time) {
		packet->has_timestamp = true;
		packet->timestamp = time->ns;
		packet->has_timestamp_clock_id = time->clock != 0;
		packet->timestamp_clock_id = time->clock;
	}
	if (!(stream->begun >> sequence & 1)) {
		/* A reader drops events of a sequence that never said where its state begins. */
		packet->has_first_packet_on_sequence = packet->first_packet_on_sequence = true;
		packet->has_sequence_flags = true;
		packet->sequence_flags = 1;
		stream->begun |= 1u << sequence;
	}
	trace.n_packet = 1;
	trace.packet = &packet;
	size_t size = pf__trace__get_packed_size(&trace);
	stream->text_used = 0;
	if (!mem_grow(&stream->buffer, &stream->cap, size, 1)) {
		stream->failed = true;
		return;
	}
	pf__trace__pack(&trace, stream->buffer);
	fwrite(stream->buffer, 1, size, stream->out);
}

void packet_finish(struct packet_stream *stream)
{
	free(stream->buffer);
	stream->buffer = NULL;
}

/* Copies up to `size` bytes of whole characters; what is none becomes a question mark. */
static size_t copy_text(char *to, size_t size, const char *text)
{
	size_t used = 0;
	while (*text) {
		size_t n = utf8_length(text), need = n ? n : 1;
		if (used + need >= size)
			break;
		if (n)
			memcpy(to + used, text, n);
		else
			to[used] = '?';
		used += need;
		text += need;
	}
	to[used] = '\0';
	return used;
}

char *packet_text(struct packet_stream *stream, const char *text)
{
	size_t room = PACKET_TEXT_BYTES - stream->text_used;
	char *to = stream->text + stream->text_used;
	if (!text || room < 2)
		return stream->nothing;
	stream->text_used += copy_text(to, room < TEXT_MAX ? room : TEXT_MAX, text) + 1;
	return to;
}

char *packet_format(struct packet_stream *stream, const char *fmt, ...)
{
	char buf[TEXT_MAX];
	va_list args;
	va_start(args, fmt);
	vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	return packet_text(stream, buf);
}

static Pf__Annotation *next_note(struct packet_notes *notes, const char *name)
{
	if (notes->count == PACKET_NOTES)
		return NULL;
	Pf__Annotation *note = &notes->items[notes->count];
	pf__annotation__init(note);
	note->name = (char *)(uintptr_t)name; /* never written to */
	notes->list[notes->count++] = note;
	return note;
}

void note_text(struct packet_stream *stream, struct packet_notes *notes, const char *name,
	       const char *text)
{
	Pf__Annotation *note = text && *text ? next_note(notes, name) : NULL;
	if (note)
		note->string_value = packet_text(stream, text);
}

void note_u64(struct packet_notes *notes, const char *name, uint64_t value)
{
	Pf__Annotation *note = next_note(notes, name);
	if (!note)
		return;
	note->has_uint_value = true;
	note->uint_value = value;
}

void note_f64(struct packet_notes *notes, const char *name, double value)
{
	Pf__Annotation *note = isfinite(value) ? next_note(notes, name) : NULL;
	if (!note)
		return;
	note->has_double_value = true;
	note->double_value = value;
}

static void send_event(struct packet_stream *stream, const struct packet_time *time,
		       Pf__TrackEvent *event)
{
	Pf__Packet packet = PF__PACKET__INIT;
	packet.track_event = event;
	packet_write(stream, SEQUENCE_MAIN, time, &packet);
}

static void name_event(Pf__TrackEvent *event, int type, uint64_t track)
{
	event->has_type = event->has_track_uuid = true;
	event->type = type;
	event->track_uuid = track;
}

void packet_event(struct packet_stream *stream, const struct packet_time *time,
		  const struct packet_event *in)
{
	Pf__TrackEvent event = PF__TRACK_EVENT__INIT;
	name_event(&event, in->type, in->track);
	if (in->type != EVENT_END)
		event.name = packet_text(stream, in->name);
	if (in->notes && in->type != EVENT_END) {
		event.n_debug_annotations = in->notes->count;
		event.debug_annotations = in->notes->list;
	}
	send_event(stream, time, &event);
}

void packet_slice(struct packet_stream *stream, const struct packet_time *begin, uint64_t end_ns,
		  const struct packet_event *event)
{
	struct packet_event part = *event;
	struct packet_time end = {end_ns, begin->clock};
	part.type = end_ns > begin->ns ? EVENT_BEGIN : EVENT_INSTANT;
	packet_event(stream, begin, &part);
	if (part.type == EVENT_INSTANT)
		return;
	part.type = EVENT_END;
	packet_event(stream, &end, &part);
}

void packet_whole(struct packet_stream *stream, const struct packet_time *time, uint64_t track,
		  uint64_t value)
{
	Pf__TrackEvent event = PF__TRACK_EVENT__INIT;
	name_event(&event, EVENT_COUNTER, track);
	event.has_counter_value = value <= INT64_MAX;
	event.counter_value = (int64_t)value;
	event.has_double_counter_value = value > INT64_MAX;
	event.double_counter_value = (double)value;
	send_event(stream, time, &event);
}

void packet_real(struct packet_stream *stream, const struct packet_time *time, uint64_t track,
		 double value)
{
	Pf__TrackEvent event = PF__TRACK_EVENT__INIT;
	name_event(&event, EVENT_COUNTER, track);
	event.has_double_counter_value = true;
	event.double_counter_value = value;
	send_event(stream, time, &event);
}
