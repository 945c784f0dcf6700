/* Intervals between reports in, rows of a table out: one each, a stay, a context, or all in one. */
#ifndef DECODE_I915_OA_ROWS_H
#define DECODE_I915_OA_ROWS_H

#include "decode/oa/clock.h"
#include "wire/oa/oa.h"

#include <sextant/table.h>

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
 * Takes an interval; the reports are needed until oa_rows_settle(), which this calls when there is
 * no more room. Errors: SX_ERR_LIMIT, SX_ERR_NO_MEMORY.
 */
enum sx_status oa_rows_add(struct oa_rows *rows, const struct oa_interval *interval,
			   struct sx_error *err);
/*
 * What was added and not settled yet. The caller may add intervals without a flaw while there is
 * room, and settles when there is none.
 */
struct oa_burst *oa_rows_burst(struct oa_rows *rows);
/* Reads what is still to be read of the intervals' reports. */
enum sx_status oa_rows_settle(struct oa_rows *rows, struct sx_error *err);
/* An end of continuity: the current stay is over. */
enum sx_status oa_rows_break(struct oa_rows *rows, struct sx_error *err);
/* Puts what is at hand into the table. `end`: also the rows that only the end completes. */
enum sx_status oa_rows_flush(struct oa_rows *rows, bool end, struct sx_error *err);
/* Turns ticks of rows that have none yet into nanoseconds. */
void oa_rows_resolve(struct oa_rows *rows, struct oa_clock *clock);
/* Rows in the table and at hand. */
size_t oa_rows_count(const struct oa_rows *rows);
void oa_rows_drain(struct oa_rows *rows);

#endif
