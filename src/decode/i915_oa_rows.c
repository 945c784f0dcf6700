/* Rows of OA intervals. Deltas are staged row by row and go into the table in blocks. */
#include "decode/i915_oa_rows.h"
#include "base/error.h"
#include "base/mem.h"
#include "oa/delta.h"
#include "table/block.h"

#include <stdlib.h>
#include <string.h>

#define STAGE 64 /* rows: 27 KiB of deltas, so that they are still near when they are turned */

/* A sum under way: a stay, a context, or everything. */
struct sum {
	uint64_t owner;
	uint64_t begin, end;
	uint32_t reason;
	uint8_t quality, quality32, quality40, quality_clock;
	bool used;
	uint64_t values[SX_OA_SLOTS];
};

struct oa_rows {
	const struct oa_loops *loops;
	enum sx_oa_format format;
	bool full; /* the format of 256 bytes, which the loops know */
	enum sx_oa_rows kind;
	struct sx_table *table;
	uint32_t column_count;
	uint8_t picks[SX_OA_SLOTS];		     /* slot of each column */
	uint64_t columns32, columns40, column_clock; /* bit masks of columns */
	size_t resolved; /* rows of the table whose times are nanoseconds */
	size_t staged;
	uint64_t stage[STAGE][SX_OA_SLOTS];
	uint64_t begin[STAGE], end[STAGE], context[STAGE], reason[STAGE];
	struct oa_interval flawed[STAGE]; /* qualities by row, where any is set */
	uint64_t flaws;			  /* bit mask of staged rows */
	uint32_t reasons[64];		  /* interned, plus 1 */
	struct sum one;			  /* the current stay, or the total */
	struct sum *sums;		  /* one a context */
	size_t sum_count, sum_cap, sum_last;
	uint32_t *index; /* hash of owners to sums, plus 1 */
	size_t index_size;
};

static void define_columns(struct oa_rows *rows, enum sx_oa_format format,
			   struct sx_column columns[SX_OA_SLOTS])
{
	uint64_t slots = sx_oa_format_slots(format);
	for (uint32_t slot = 0; slot < SX_OA_SLOTS; slot++) {
		if (!(slots >> slot & 1))
			continue;
		uint32_t i = rows->column_count++;
		rows->picks[i] = (uint8_t)slot;
		/* The twelve of the short formats come without their upper bytes. */
		bool wide = sx_oa_slot_bits(slot) == 40 && format == SX_OA_A32U40_A4U32_B8_C8;
		if (slot == SX_OA_CLOCK)
			rows->column_clock |= UINT64_C(1) << i;
		else if (wide)
			rows->columns40 |= UINT64_C(1) << i;
		else if (slot != SX_OA_TIME)
			rows->columns32 |= UINT64_C(1) << i;
		columns[i] = (struct sx_column){.name = sx_oa_slot_name(slot),
						.unit = slot == SX_OA_CLOCK ? "cycles" : "count",
						.type = SX_U64,
						.over_time = SX_REDUCE_SUM};
	}
}

enum sx_status oa_rows_create(enum sx_oa_rows kind, enum sx_oa_format format, struct oa_rows **out,
			      struct sx_error *err)
{
	static const enum sx_sample_kind kinds[] = {
	    [SX_OA_EACH] = SX_SAMPLE_TIME,
	    [SX_OA_RESIDENCY] = SX_SAMPLE_CONTEXT,
	    [SX_OA_CONTEXTS] = SX_SAMPLE_CONTEXT,
	    [SX_OA_TOTAL] = SX_SAMPLE_PROCESS,
	};
	struct sx_column columns[SX_OA_SLOTS];
	struct oa_rows *rows = calloc(1, sizeof(*rows));
	if (!rows)
		return error_nomem(err, "OA rows");
	rows->kind = kind;
	rows->loops = oa_loops();
	rows->format = format;
	rows->full = format == SX_OA_A32U40_A4U32_B8_C8;
	define_columns(rows, format, columns);
	enum sx_status status =
	    sx_table_create(columns, rows->column_count, kinds[kind], &rows->table, err);
	if (status) {
		oa_rows_destroy(rows);
		return status;
	}
	*out = rows;
	return SX_OK;
}

void oa_rows_destroy(struct oa_rows *rows)
{
	if (!rows)
		return;
	sx_table_destroy(rows->table);
	free(rows->sums);
	free(rows->index);
	free(rows);
}

struct sx_table *oa_rows_table(struct oa_rows *rows)
{
	return rows->table;
}

/* What passed in an interval, slot by slot. */
static void take_delta(const struct oa_rows *rows, const struct oa_interval *interval,
		       uint64_t out[SX_OA_SLOTS])
{
	if (rows->full)
		rows->loops->delta(interval->first, interval->second, out);
	else
		sx_oa_report_delta(rows->format, interval->first, interval->second, out);
	out[SX_OA_TIME] = interval->end - interval->begin;
	out[SX_OA_CLOCK] = interval->clock;
}

static uint64_t reason_label(struct oa_rows *rows, uint32_t reason)
{
	uint32_t *known = &rows->reasons[reason & 0x3f];
	if (!*known) {
		const char *name = sx_oa_reason_name(reason);
		*known = sx_table_intern(rows->table, name, strlen(name)) + 1;
	}
	return *known ? *known - 1 : SX_LABEL_ABSENT;
}

static void mark(struct oa_rows *rows, size_t row, uint64_t columns, uint8_t quality)
{
	for (uint32_t i = 0; quality && i < rows->column_count; i++)
		if (columns >> i & 1) {
			uint8_t *cell = sx_table_quality(rows->table, i) + row;
			*cell = (uint8_t)(*cell | quality);
		}
}

static void mark_row(struct oa_rows *rows, size_t row, const struct oa_interval *flaw)
{
	mark(rows, row, UINT64_MAX, flaw->quality);
	mark(rows, row, rows->columns32, flaw->quality32);
	mark(rows, row, rows->columns40, flaw->quality40);
	mark(rows, row, rows->column_clock, flaw->quality_clock);
}

/* Moves the staged rows into the table. */
static enum sx_status unstage(struct oa_rows *rows, struct sx_error *err)
{
	size_t first = 0;
	struct table_block block = {.rows = rows->staged,
				    .values = rows->stage[0],
				    .stride = SX_OA_SLOTS,
				    .picks = rows->picks,
				    .begin_ns = rows->begin,
				    .end_ns = rows->end,
				    .context = rows->context,
				    .reason = rows->reason};
	enum sx_status status = table_append_block(rows->table, &block, &first, err);
	if (status)
		return status;
	for (size_t i = 0; rows->flaws && i < rows->staged; i++)
		if (rows->flaws >> i & 1)
			mark_row(rows, first + i, &rows->flawed[i]);
	rows->flaws = 0;
	rows->staged = 0;
	return SX_OK;
}

/* The delta in the next slot becomes a row. */
static enum sx_status stage(struct oa_rows *rows, const struct oa_interval *interval,
			    struct sx_error *err)
{
	size_t i = rows->staged++;
	rows->begin[i] = interval->begin;
	rows->end[i] = interval->end;
	rows->context[i] = interval->owner == OA_IDLE ? SX_LABEL_ABSENT : interval->owner;
	rows->reason[i] = reason_label(rows, interval->reason);
	if (interval->quality | interval->quality32 | interval->quality40 |
	    interval->quality_clock) {
		rows->flawed[i] = *interval;
		rows->flaws |= UINT64_C(1) << i;
	}
	return rows->staged == STAGE ? unstage(rows, err) : SX_OK;
}

static void sum_up(const struct oa_rows *rows, struct sum *sum, const struct oa_interval *interval)
{
	if (!sum->used) {
		sum->used = true;
		sum->begin = interval->begin;
		sum->owner = interval->owner;
	}
	/* Where time went back, the sum still encloses all of its intervals. */
	if (interval->begin < sum->begin)
		sum->begin = interval->begin;
	if (interval->end > sum->end)
		sum->end = interval->end;
	sum->reason = interval->reason;
	sum->quality = (uint8_t)(sum->quality | interval->quality);
	sum->quality32 = (uint8_t)(sum->quality32 | interval->quality32);
	sum->quality40 = (uint8_t)(sum->quality40 | interval->quality40);
	sum->quality_clock = (uint8_t)(sum->quality_clock | interval->quality_clock);
	sum->values[SX_OA_TIME] += interval->end - interval->begin;
	sum->values[SX_OA_CLOCK] += interval->clock;
	if (rows->full) {
		rows->loops->sum(interval->first, interval->second, sum->values);
		return;
	}
	uint64_t delta[SX_OA_SLOTS];
	take_delta(rows, interval, delta);
	for (size_t i = SX_OA_A0; i < SX_OA_SLOTS; i++)
		sum->values[i] += delta[i];
}

static enum sx_status emit(struct oa_rows *rows, struct sum *sum, struct sx_error *err)
{
	struct oa_interval interval = {.begin = sum->begin,
				       .end = sum->end,
				       .owner = sum->owner,
				       .reason = sum->reason,
				       .quality = sum->quality,
				       .quality32 = sum->quality32,
				       .quality40 = sum->quality40,
				       .quality_clock = sum->quality_clock};
	memcpy(rows->stage[rows->staged], sum->values, sizeof(sum->values));
	*sum = (struct sum){.used = false};
	return stage(rows, &interval, err);
}

static size_t hash(const struct oa_rows *rows, uint64_t owner)
{
	return (size_t)(owner * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (rows->index_size - 1);
}

static void index_sum(struct oa_rows *rows, size_t sum)
{
	size_t at = hash(rows, rows->sums[sum].owner);
	while (rows->index[at])
		at = (at + 1) & (rows->index_size - 1);
	rows->index[at] = (uint32_t)sum + 1;
}

static bool grow_index(struct oa_rows *rows)
{
	size_t size = rows->index_size ? rows->index_size * 2 : 64;
	uint32_t *grown = calloc(size, sizeof(*grown));
	if (!grown)
		return false;
	free(rows->index);
	rows->index = grown;
	rows->index_size = size;
	for (size_t i = 0; i < rows->sum_count; i++)
		index_sum(rows, i);
	return true;
}

/* The sum of an owner, added when new; NULL when there are too many or memory is out. */
static struct sum *find_sum(struct oa_rows *rows, uint64_t owner)
{
	if (rows->sum_count && rows->sums[rows->sum_last].owner == owner)
		return &rows->sums[rows->sum_last];
	for (size_t at = rows->index_size ? hash(rows, owner) : 0;
	     rows->index_size && rows->index[at]; at = (at + 1) & (rows->index_size - 1))
		if (rows->sums[rows->index[at] - 1].owner == owner) {
			rows->sum_last = rows->index[at] - 1;
			return &rows->sums[rows->sum_last];
		}
	if (rows->sum_count == OA_CONTEXTS_MAX ||
	    !mem_grow(&rows->sums, &rows->sum_cap, rows->sum_count + 1, sizeof(*rows->sums)))
		return NULL;
	rows->sums[rows->sum_count] = (struct sum){.owner = owner};
	if (2 * (rows->sum_count + 1) > rows->index_size) {
		if (!grow_index(rows))
			return NULL;
	}
	index_sum(rows, rows->sum_count);
	rows->sum_last = rows->sum_count++;
	return &rows->sums[rows->sum_last];
}

static enum sx_status too_many(const struct oa_rows *rows, struct sx_error *err)
{
	if (rows->sum_count < OA_CONTEXTS_MAX)
		return error_nomem(err, "sums of contexts");
	error_set(err, SX_ERR_LIMIT, "recording has more than %d contexts", OA_CONTEXTS_MAX);
	error_try(err, "sum up everything, or one context");
	return SX_ERR_LIMIT;
}

enum sx_status oa_rows_add(struct oa_rows *rows, const struct oa_interval *interval,
			   struct sx_error *err)
{
	enum sx_status status = SX_OK;
	struct sum *sum = &rows->one;
	if (rows->kind == SX_OA_EACH) {
		take_delta(rows, interval, rows->stage[rows->staged]);
		return stage(rows, interval, err);
	}
	if (rows->kind == SX_OA_RESIDENCY && sum->used && sum->owner != interval->owner)
		status = emit(rows, sum, err);
	else if (rows->kind == SX_OA_CONTEXTS)
		sum = find_sum(rows, interval->owner);
	if (!sum)
		return too_many(rows, err);
	if (!status)
		sum_up(rows, sum, interval);
	return status;
}

enum sx_status oa_rows_break(struct oa_rows *rows, struct sx_error *err)
{
	if (rows->kind == SX_OA_RESIDENCY && rows->one.used)
		return emit(rows, &rows->one, err);
	return SX_OK;
}

enum sx_status oa_rows_flush(struct oa_rows *rows, bool end, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	if (end && rows->one.used) {
		if (rows->kind == SX_OA_TOTAL)
			rows->one.owner = OA_IDLE; /* it is nobody's alone */
		status = emit(rows, &rows->one, err);
	}
	for (size_t i = 0; end && !status && i < rows->sum_count; i++)
		if (rows->sums[i].used)
			status = emit(rows, &rows->sums[i], err);
	return status ? status : unstage(rows, err);
}

void oa_rows_resolve(struct oa_rows *rows, const struct oa_clock *clock)
{
	const uint64_t *begin = sx_table_begin_ns(rows->table);
	const uint64_t *end = sx_table_end_ns(rows->table);
	size_t count = sx_table_row_count(rows->table);
	uint64_t last_ticks = SX_TIME_UNKNOWN, last_ns = 0;
	for (size_t i = rows->resolved; i < count; i++) {
		uint64_t from = begin[i] == last_ticks ? last_ns : oa_clock_ns(clock, begin[i]);
		last_ticks = end[i];
		last_ns = oa_clock_ns(clock, end[i]);
		sx_table_set_time(rows->table, i, from, last_ns);
	}
	rows->resolved = count;
}

size_t oa_rows_count(const struct oa_rows *rows)
{
	return sx_table_row_count(rows->table) + rows->staged;
}

void oa_rows_drain(struct oa_rows *rows)
{
	sx_table_clear(rows->table);
	rows->resolved = 0;
}
