/* The decoder's state, shared by its framing and its chain of reports. */
#ifndef DECODE_I915_OA_DECODER_H
#define DECODE_I915_OA_DECODER_H

#include "decode/oa/rows.h"

enum oa_note { NOTE_DAMAGE, NOTE_LOST, NOTE_TIME, NOTE_CLOCK, NOTE_RECORD, NOTE_KINDS };

struct sx_oa_decoder {
	struct sx_oa_options options;
	struct sx_oa_device device;
	struct sx_oa_stats stats;
	struct oa_clock clock;
	struct oa_rows *rows;
	size_t report_size;
	struct oa_shape shape; /* of the reports' heads */
	/* The last report. */
	const uint8_t *last; /* in the bytes at hand, or in `kept` between calls */
	uint8_t kept[OA_REPORT_MAX];
	uint64_t owner; /* context of the report, or OA_IDLE */
	uint64_t ticks;
	bool has_last;
	bool before_matched; /* the report before the last one was of the wanted context */
	uint8_t pending;     /* quality of the next interval */
	/* Limits in ticks and clocks a tick, from the device. */
	uint64_t wrap32_ticks, wrap_eu_ticks; /* the latter of counters that add up over EUs */
	uint64_t usual_ticks;		      /* up to here no interval needs a closer look */
	bool eu40;			      /* counters over EUs have 40 bits */
	double clocks_min, clocks_max;
	bool started;  /* the version record was seen */
	bool waiting;  /* inside damage: looking for the next record */
	bool foreign;  /* the samples at hand are of another device or set */
	bool ended;    /* no more bytes come */
	bool complete; /* rows are to be drained */
	unsigned notes[NOTE_KINDS];
};

/* Tells the user of an oddity, with the place; at most a few of one kind. */
void oa_note(struct sx_oa_decoder *d, enum oa_note kind, const char *fmt, ...) SX_PRINTF(3, 4);
/* Takes the next report; its memory must last until the end of the feed. */
enum sx_status oa_chain_report(struct sx_oa_decoder *d, const uint8_t *report,
			       struct sx_error *err);
/*
 * Takes reports that lie `stride` bytes apart for as long as there is nothing unusual about them
 * and oa_rows_burst() has room. Returns how many; the next one is oa_chain_report()'s.
 */
size_t oa_chain_burst(struct sx_oa_decoder *d, const uint8_t *report, size_t stride, size_t count);
/* The chain is broken: the next report begins anew. */
enum sx_status oa_chain_break(struct sx_oa_decoder *d, struct sx_error *err);

/* What the device implies: format, clock, and how long a counter is sure not to wrap twice. */
void oa_derive(struct sx_oa_decoder *d);
/* The rows, once the format is known. */
enum sx_status oa_make_rows(struct sx_oa_decoder *d, struct sx_error *err);
/* Takes whole records, and skips what is none. */
enum sx_status oa_feed_records(struct sx_oa_decoder *d, const uint8_t *data, size_t size,
			       size_t *used, struct sx_error *err);
/* Takes one record, whatever it is. */
enum sx_status oa_take_record(struct sx_oa_decoder *d, uint32_t type, const uint8_t *payload,
			      size_t size, struct sx_error *err);
/* The error of an input that does not begin as a recording does, but with `type`. */
enum sx_status oa_not_a_recording(uint32_t type, struct sx_error *err);

/* Completes the rows of what was fed so far, as a live stream needs; sums go on. */
enum sx_status oa_decoder_flush(struct sx_oa_decoder *decoder, struct sx_error *err);

#endif
