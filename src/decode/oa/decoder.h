/* The decoder's state, shared by its framing and its chain of reports. */
#ifndef DECODE_I915_OA_DECODER_H
#define DECODE_I915_OA_DECODER_H

#include <sextant/table.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/decode.h"
#include "base/slots.h"
#include "wire/oa/oa.h"

struct oa_clock_point {
	uint64_t cpu_ns, ticks; /* ticks unwrapped */
};

/* Zero-initialise, set hz. */
struct oa_clock {
	uint64_t hz;	     /* of reports */
	bool pairs_half;     /* pairs count half as fast */
	bool pairs_open;     /* they may or may not: the second pair shows it */
	uint64_t first_raw;  /* the first pair's ticks as they came */
	uint64_t beside;     /* the report before it or, without one, after it */
	uint64_t last_ticks; /* of the newest report */
	bool started;
	struct oa_clock_point *points; /* in order of time */
	size_t count, cap;
	uint64_t last_raw; /* the newest pair's ticks as they came, 36 bits */
	size_t near;	   /* the pair that the last conversion began from */
};

/*
 * Unwraps a report's timestamp: after the last report, near the newest pair. *backwards is set when
 * it lies before the last report; then time goes on from there.
 */
uint64_t oa_clock_report(struct oa_clock *clock, uint32_t timestamp, bool *backwards);
/* Adds a pair. Returns NULL, or why it was not taken (static string). */
const char *oa_clock_correlate(struct oa_clock *clock, uint64_t cpu_ns, uint64_t gpu_ticks);
/* Nanoseconds of a tick: between its pairs, beyond the last ones on their slope, else from zero. */
uint64_t oa_clock_ns(struct oa_clock *clock, uint64_t ticks);
/*
 * The same for columns of ticks, in place, where a tick is a whole number of nanoseconds: without
 * pairs and with a frequency that divides 1 GHz. False, and nothing done, otherwise.
 */
bool oa_clock_scale(const struct oa_clock *clock, uint64_t *begin, uint64_t *end, size_t count);
void oa_clock_finish(struct oa_clock *clock);

#define OA_CONTEXTS_MAX 65536
#define OA_IDLE		UINT64_MAX /* owner of an interval in which no context ran */
#define OA_BURST	64 /* 17 KiB of reports, so that they are still near when read again */

struct oa_rows;

/* One interval between two reports. */
struct oa_interval {
	const uint8_t *first, *second;
	uint64_t begin, end; /* ticks, unwrapped */
	uint64_t clock;	     /* render clocks that passed */
	uint64_t owner;	     /* context id, or OA_IDLE */
	uint32_t reason;     /* of the report that ends it */
	uint8_t quality;     /* of every slot */
	uint8_t quality32;   /* further, of the slots of 32 bits but the clock */
	uint8_t quality_eu;  /* further, of the slots that add up over EUs */
	uint8_t quality_clock;
};

/* Intervals as they come, in columns; of each what struct oa_interval has of it. */
struct oa_burst {
	size_t count;
	const uint8_t *first[OA_BURST], *second[OA_BURST];
	uint64_t begin[OA_BURST], end[OA_BURST], clock[OA_BURST], owner[OA_BURST];
	uint32_t reason[OA_BURST];
};

/* Adds an interval where there is room, all but its qualities. */
static inline void oa_burst_add(struct oa_burst *burst, const struct oa_interval *interval)
{
	size_t i = burst->count++;
	burst->first[i] = interval->first;
	burst->second[i] = interval->second;
	burst->begin[i] = interval->begin;
	burst->end[i] = interval->end;
	burst->clock[i] = interval->clock;
	burst->owner[i] = interval->owner;
	burst->reason[i] = interval->reason;
}

enum sx_status oa_rows_create(enum sx_oa_rows kind, enum sx_oa_format format, struct oa_rows **out,
			      struct sx_error *err);
void oa_rows_destroy(struct oa_rows *rows);
struct sx_table *oa_rows_table(struct oa_rows *rows);
/*
 * Takes an interval; the reports are needed until oa_rows_read(), which this calls when there is
 * no more room. Errors: SX_ERR_LIMIT, SX_ERR_NO_MEMORY.
 */
enum sx_status oa_rows_add(struct oa_rows *rows, const struct oa_interval *interval,
			   struct sx_error *err);
/*
 * The intervals that were added and not read yet. The caller may append intervals without a flaw
 * while there is room, and calls oa_rows_read() when there is none.
 */
struct oa_burst *oa_rows_burst(struct oa_rows *rows);
/* Reads what is still to be read of the intervals' reports. */
enum sx_status oa_rows_read(struct oa_rows *rows, struct sx_error *err);
/* An end of continuity: the current stay is over. */
enum sx_status oa_rows_break(struct oa_rows *rows, struct sx_error *err);
/* Puts pending rows into the table. `end`: also the rows that only the end completes. */
enum sx_status oa_rows_flush(struct oa_rows *rows, bool end, struct sx_error *err);
/* Turns ticks of rows that have none yet into nanoseconds. */
void oa_rows_resolve(struct oa_rows *rows, struct oa_clock *clock);
/* Rows in the table, and pending ones. */
size_t oa_rows_count(const struct oa_rows *rows);
void oa_rows_drain(struct oa_rows *rows);

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
	const uint8_t *last; /* in the current bytes, or in `kept` between calls */
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
	bool foreign;  /* the current samples are of another device or set */
	bool ended;    /* no more bytes come */
	bool complete; /* rows are to be drained */
	unsigned notes[NOTE_KINDS];
};

/* Reports an anomaly to the user, with the place; at most a few of one kind. */
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

/* Derives from the device: format, clock, and how long a counter is sure not to wrap twice. */
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

/* As decoder_ops.defines and .define. */
bool oa_defines(const char *pattern);
enum sx_status oa_define(const struct decoder_defining *known, const char *pattern,
			 struct sx_definition *out, struct sx_error *err);

/* decoder_ops.fits. */
enum sx_status oa_definition_fits(const struct sx_catalog *catalog, uint32_t group,
				  const char *pattern, struct sx_error *err);

/* A sum under way: a stay, a context, or everything. */
struct oa_sum {
	bool used;
	struct oa_interval about; /* from the first to the last; reports are NULL */
	uint64_t values[SX_OA_SLOTS];
};

struct oa_sums {
	struct oa_sum *sums;
	size_t count, cap;
	struct slots slots; /* by owner */
};

#endif
