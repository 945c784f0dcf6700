/* Packets of a Perfetto trace, one at a time into a stream; for this folder only. */
#ifndef OUTPUT_PERFETTO_PACKET_H
#define OUTPUT_PERFETTO_PACKET_H

#include <stdio.h>

#include "base/mem.h"
#include "output/perfetto/trace.pb-c.h"

/* Sequences: anchors say where the time of the next values begins, everything else is on the first.
 */
enum { SEQUENCE_MAIN = 1, SEQUENCE_ANCHORS = 2 };
/* Numbers of the public protos that have no name in our part. */
enum { CLOCK_OF_REALTIME = 1, CLOCK_OF_MONOTONIC = 3, CLOCK_OF_RAW = 5, CLOCK_OF_BOOTTIME = 6 };
enum { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3, EVENT_COUNTER = 4 };

#define PACKET_TEXT_BYTES 16384
#define PACKET_NOTES	  24

struct packet_stream {
	FILE *out;
	uint8_t *buffer;
	size_t cap;
	unsigned begun; /* bits of the sequences that have a packet */
	bool failed;	/* memory is out */
	char text[PACKET_TEXT_BYTES];
	size_t text_used; /* of this packet */
	char nothing[1];
};

/* A time in one of the builtin clocks; clock 0: the trace's own. */
struct packet_time {
	uint64_t ns;
	uint32_t clock;
};

/* Writes a packet. Texts of packet_text() end with it. */
void packet_write(struct packet_stream *stream, uint32_t sequence, const struct packet_time *time,
		  Pf__Packet *packet);
/* A text as a packet may hold it: UTF-8, and not longer than one needs. Never NULL. */
char *packet_text(struct packet_stream *stream, const char *text);
char *packet_format(struct packet_stream *stream, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void packet_finish(struct packet_stream *stream);

/* What an event says beside its name. */
struct packet_notes {
	Pf__Annotation items[PACKET_NOTES];
	Pf__Annotation *list[PACKET_NOTES];
	size_t count;
};
void note_text(struct packet_stream *stream, struct packet_notes *notes, const char *name,
	       const char *text); /* NULL: nothing */
void note_u64(struct packet_notes *notes, const char *name, uint64_t value);
void note_f64(struct packet_notes *notes, const char *name, double value); /* NaN: nothing */

/* An event of a track: EVENT_BEGIN, EVENT_END, EVENT_INSTANT; `notes` may be NULL. */
struct packet_event {
	uint64_t track;
	int type;
	const char *name;
	struct packet_notes *notes;
};
void packet_event(struct packet_stream *stream, const struct packet_time *time,
		  const struct packet_event *event);
/* A slice, or an instant where it has no extent. */
void packet_slice(struct packet_stream *stream, const struct packet_time *begin, uint64_t end_ns,
		  const struct packet_event *event);
/* Values of counter tracks. */
void packet_whole(struct packet_stream *stream, const struct packet_time *time, uint64_t track,
		  uint64_t value);
void packet_real(struct packet_stream *stream, const struct packet_time *time, uint64_t track,
		 double value);

#endif
