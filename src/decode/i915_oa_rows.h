/* Intervals between reports in, rows of a table out: one each, a stay, a context, or all in one. */
#ifndef DECODE_I915_OA_ROWS_H
#define DECODE_I915_OA_ROWS_H

#include "decode/i915_oa_clock.h"
#include "oa/oa.h"

#include <sextant/table.h>

#define OA_CONTEXTS_MAX 65536
#define OA_IDLE		UINT64_MAX /* owner of an interval in which no context ran */

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
	uint8_t quality40;   /* further, of the slots of 40 bits */
	uint8_t quality_clock;
};

enum sx_status oa_rows_create(enum sx_oa_rows kind, enum sx_oa_format format, struct oa_rows **out,
			      struct sx_error *err);
void oa_rows_destroy(struct oa_rows *rows);
struct sx_table *oa_rows_table(struct oa_rows *rows);
/* Takes an interval; the reports are needed during the call only. Errors: SX_ERR_LIMIT,
 * SX_ERR_NO_MEMORY. */
enum sx_status oa_rows_add(struct oa_rows *rows, const struct oa_interval *interval,
			   struct sx_error *err);
/* An end of continuity: the current stay is over. */
enum sx_status oa_rows_break(struct oa_rows *rows, struct sx_error *err);
/* Puts what is staged into the table. `end`: also the rows that only the end completes. */
enum sx_status oa_rows_flush(struct oa_rows *rows, bool end, struct sx_error *err);
/* Turns ticks of rows that have none yet into nanoseconds. */
void oa_rows_resolve(struct oa_rows *rows, const struct oa_clock *clock);
/* Rows in the table and staged. */
size_t oa_rows_count(const struct oa_rows *rows);
void oa_rows_drain(struct oa_rows *rows);

#endif
