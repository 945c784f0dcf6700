/* Rows of OA intervals. Reports are kept by reference and turned into columns in blocks. */
#include <stdlib.h>
#include <string.h>

#include "decode/oa/decoder.h"
#include "base/error.h"
#include "table/fill.h"
#include "wire/oa/oa.h"
#include "base/mem.h"

/* Adds the intervals [from, end), one at least, all but their counters and qualities. */
static void oa_sum_add(struct oa_sum *sum, const struct oa_burst *burst, size_t from, size_t end)
{
	struct oa_interval *all = &sum->about;
	if (!sum->used) {
		sum->used = true;
		all->begin = burst->begin[from];
		all->owner = burst->owner[from];
	}
	/* Where time went back, the sum still encloses all of its intervals. */
	for (size_t i = from; i < end; i++) {
		all->begin = burst->begin[i] < all->begin ? burst->begin[i] : all->begin;
		all->end = burst->end[i] > all->end ? burst->end[i] : all->end;
		sum->values[SX_OA_TIME] += burst->end[i] - burst->begin[i];
		sum->values[SX_OA_CLOCK] += burst->clock[i];
	}
	all->reason = burst->reason[end - 1];
}

/* Adds an interval's qualities. */
static void oa_sum_mark(struct oa_sum *sum, const struct oa_interval *flaw)
{
	struct oa_interval *all = &sum->about;
	all->quality = (uint8_t)(all->quality | flaw->quality);
	all->quality32 = (uint8_t)(all->quality32 | flaw->quality32);
	all->quality_eu = (uint8_t)(all->quality_eu | flaw->quality_eu);
	all->quality_clock = (uint8_t)(all->quality_clock | flaw->quality_clock);
}

static enum sx_status too_many(struct sx_error *err)
{
	error_set(err, SX_ERR_LIMIT, "recording has more than %d contexts", OA_CONTEXTS_MAX);
	error_try(err, "sum up everything, or one context");
	return SX_ERR_LIMIT;
}

/*
 * The sum of an owner, added when it is new: then pointers to others are no longer valid. Errors:
 * SX_ERR_LIMIT for more than OA_CONTEXTS_MAX, SX_ERR_NO_MEMORY.
 */
static enum sx_status oa_sums_find(struct oa_sums *sums, uint64_t owner, struct oa_sum **out,
				   struct sx_error *err)
{
	uint32_t hash = slots_hash(owner);
	size_t at = hash;
	for (uint32_t i; (i = slots_next(&sums->slots, hash, &at)) != SLOTS_NONE;)
		if (sums->sums[i].about.owner == owner) {
			*out = &sums->sums[i];
			return SX_OK;
		}
	if (sums->count == OA_CONTEXTS_MAX)
		return too_many(err);
	if (!slots_reserve(&sums->slots) ||
	    !mem_grow(&sums->sums, &sums->cap, sums->count + 1, sizeof(*sums->sums)))
		return error_nomem(err, "sums of contexts");
	*out = &sums->sums[sums->count];
	**out = (struct oa_sum){.about.owner = owner};
	slots_add(&sums->slots, hash, (uint32_t)sums->count++);
	return SX_OK;
}

static void oa_sums_finish(struct oa_sums *sums)
{
	free(sums->sums);
	slots_finish(&sums->slots);
	*sums = (struct oa_sums){0};
}

#define AHEAD (OA_BURST * (OA_RECORD_HEADER + OA_REPORT_MAX)) /* the next burst, most likely */

/* Classes of columns by their limits: counters over EUs wrap sooner than others. */
enum column_class {
	CLASS_TIME = 1 << 0,
	CLASS_CLOCK = 1 << 1,
	CLASS_32 = 1 << 2,
	CLASS_EU = 1 << 3,
	CLASS_WIDE = 1 << 4, /* 64 bits: never */
	CLASS_ANY = 0xff,
};

struct oa_rows {
	const struct oa_loops *loops;
	const struct oa_run *runs;
	size_t run_count, report_size;
	enum sx_oa_rows kind;
	struct sx_table *table;
	uint32_t column_count;
	uint8_t picks[TABLE_BLOCK_COLUMNS_MAX];	  /* slot of each column */
	uint8_t classes[TABLE_BLOCK_COLUMNS_MAX]; /* of each column */
	size_t resolved;			  /* rows of the table with times in nanoseconds */
	struct oa_burst burst; /* added intervals that are neither in the table nor in a sum yet */
	struct oa_interval flawed[OA_BURST]; /* qualities, where any is set */
	uint64_t flaws;			     /* bit mask of them */
	uint32_t reasons[128];		     /* interned, plus 1 */
	struct oa_sum one;		     /* the current stay, or the total */
	struct oa_sums sums;		     /* one a context */
};

static enum column_class rows_class_of(enum sx_oa_format format, uint32_t slot)
{
	bool short_ones = oa_slot_bits(format, SX_OA_A0 + 7) != 40;
	if (slot == SX_OA_TIME || slot == SX_OA_CLOCK)
		return slot == SX_OA_TIME ? CLASS_TIME : CLASS_CLOCK;
	if (oa_slot_bits(format, slot) == 64)
		return CLASS_WIDE;
	bool eu =
	    slot >= SX_OA_A0 && slot < SX_OA_B0 && (short_ones || oa_slot_bits(format, slot) == 40);
	return eu ? CLASS_EU : CLASS_32;
}

static void define_columns(struct oa_rows *rows, enum sx_oa_format format,
			   struct sx_column columns[TABLE_BLOCK_COLUMNS_MAX])
{
	for (uint32_t slot = 0; slot < SX_OA_SLOTS; slot++) {
		if (!oa_format_has(format, slot) || rows->column_count == TABLE_BLOCK_COLUMNS_MAX)
			continue;
		uint32_t i = rows->column_count++;
		rows->picks[i] = (uint8_t)slot;
		rows->classes[i] = (uint8_t)rows_class_of(format, slot);
		columns[i] = (struct sx_column){.name = oa_slot_name(slot),
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
	struct sx_column columns[TABLE_BLOCK_COLUMNS_MAX];
	struct oa_rows *rows = calloc(1, sizeof(*rows));
	if (!rows)
		return error_nomem(err, "OA rows");
	rows->kind = kind;
	rows->loops = oa_loops();
	rows->run_count = oa_format_runs(format, &rows->runs);
	rows->report_size = oa_format_size(format);
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
	oa_sums_finish(&rows->sums);
	free(rows);
}

struct sx_table *oa_rows_table(struct oa_rows *rows)
{
	return rows->table;
}

static uint64_t reason_label(struct oa_rows *rows, uint32_t reason)
{
	uint32_t *known = &rows->reasons[reason & 0x7f];
	if (!*known) {
		const char *name = oa_reason_name(reason);
		*known = sx_table_intern(rows->table, name, strlen(name)) + 1;
	}
	return *known ? *known - 1 : SX_LABEL_ABSENT;
}

static uint64_t label_of(uint64_t owner)
{
	return owner == OA_IDLE ? SX_LABEL_ABSENT : owner;
}

static void mark(struct oa_rows *rows, size_t row, uint8_t classes, uint8_t quality)
{
	for (uint32_t i = 0; quality && i < rows->column_count; i++)
		if (classes & rows->classes[i]) {
			uint8_t *cell = table_quality(rows->table, i) + row;
			*cell = (uint8_t)(*cell | quality);
		}
}

static void mark_row(struct oa_rows *rows, size_t row, const struct oa_interval *flaw)
{
	mark(rows, row, CLASS_ANY, flaw->quality);
	mark(rows, row, CLASS_32, flaw->quality32);
	mark(rows, row, CLASS_EU, flaw->quality_eu);
	mark(rows, row, CLASS_CLOCK, flaw->quality_clock);
}

/* Whether every label of the rows so far found memory: a table that lacks one takes no more rows.
 */
static enum sx_status check_labels(struct oa_rows *rows, struct sx_error *err)
{
	return sx_table_add_rows(rows->table, 0, NULL, err);
}

/* What rows of the pending intervals have beside counters; `to` has the columns of slots. */
static void write_heads(struct oa_rows *rows, const struct table_block *block, uint64_t *const *to,
			size_t count)
{
	const struct oa_burst *burst = &rows->burst;
	uint64_t label = reason_label(rows, burst->reason[0]);
	for (size_t i = 0; i < count; i++) {
		if (i && burst->reason[i] != burst->reason[i - 1])
			label = reason_label(rows, burst->reason[i]);
		block->begin_ns[i] = burst->begin[i];
		block->end_ns[i] = burst->end[i];
		block->context[i] = label_of(burst->owner[i]);
		block->reason[i] = label;
		to[SX_OA_TIME][i] = burst->end[i] - burst->begin[i];
		if (to[SX_OA_CLOCK])
			to[SX_OA_CLOCK][i] = burst->clock[i];
	}
}

/* Makes rows of the pending intervals. */
static enum sx_status write_rows(struct oa_rows *rows, size_t count, struct sx_error *err)
{
	const struct oa_burst *burst = &rows->burst;
	const struct oa_pairs pairs = {burst->first, burst->second, count, rows->report_size,
				       AHEAD};
	uint64_t *to[SX_OA_SLOTS] = {NULL};
	struct table_block block;
	enum sx_status status = table_add_block(rows->table, count, &block, err);
	if (status)
		return status;
	for (uint32_t i = 0; i < rows->column_count; i++)
		to[rows->picks[i]] = block.columns[i];
	write_heads(rows, &block, to, count);
	for (size_t i = 0; i < rows->run_count; i++)
		rows->loops->columns(&rows->runs[i], &pairs, to);
	for (size_t i = 0; rows->flaws && i < count; i++)
		if (rows->flaws >> i & 1)
			mark_row(rows, block.first + i, &rows->flawed[i]);
	return check_labels(rows, err);
}

/* A sum that is complete becomes a row. */
static enum sx_status emit(struct oa_rows *rows, struct oa_sum *sum, struct sx_error *err)
{
	const struct oa_interval *about = &sum->about;
	struct table_block block;
	enum sx_status status = table_add_block(rows->table, 1, &block, err);
	if (status)
		return status;
	*block.begin_ns = about->begin;
	*block.end_ns = about->end;
	*block.context = label_of(about->owner);
	*block.reason = reason_label(rows, about->reason);
	for (uint32_t i = 0; i < rows->column_count; i++)
		*block.columns[i] = sum->values[rows->picks[i]];
	mark_row(rows, block.first, about);
	*sum = (struct oa_sum){.used = false};
	return check_labels(rows, err);
}

/* The sum that an owner's intervals go to. */
static enum sx_status choose_sum(struct oa_rows *rows, uint64_t owner, struct oa_sum **out,
				 struct sx_error *err)
{
	*out = &rows->one;
	if (rows->kind == SX_OA_CONTEXTS)
		return oa_sums_find(&rows->sums, owner, out, err);
	if (rows->kind == SX_OA_RESIDENCY && rows->one.used && rows->one.about.owner != owner)
		return emit(rows, &rows->one, err);
	return SX_OK;
}

/* Adds the pending intervals [from, end) to one sum. */
static void sum_up(struct oa_rows *rows, struct oa_sum *sum, size_t from, size_t end)
{
	const struct oa_burst *burst = &rows->burst;
	const struct oa_pairs pairs = {burst->first + from, burst->second + from, end - from,
				       rows->report_size, AHEAD};
	oa_sum_add(sum, burst, from, end);
	for (size_t i = from; rows->flaws && i < end; i++)
		if (rows->flaws >> i & 1)
			oa_sum_mark(sum, &rows->flawed[i]);
	for (size_t i = 0; i < rows->run_count; i++)
		rows->loops->sum(&rows->runs[i], &pairs, sum->values);
}

/* Adds the pending intervals to their sums. */
static enum sx_status add_to_sums(struct oa_rows *rows, size_t count, struct sx_error *err)
{
	const uint64_t *owner = rows->burst.owner;
	enum sx_status status = SX_OK;
	for (size_t from = 0, end; !status && from < count; from = end) {
		struct oa_sum *sum;
		end = rows->kind == SX_OA_TOTAL ? count : from + 1;
		while (end < count && owner[end] == owner[from])
			end++;
		status = choose_sum(rows, owner[from], &sum, err);
		if (!status)
			sum_up(rows, sum, from, end);
	}
	return status;
}

enum sx_status oa_rows_read(struct oa_rows *rows, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	size_t count = rows->burst.count;
	if (count)
		status = rows->kind == SX_OA_EACH ? write_rows(rows, count, err)
						  : add_to_sums(rows, count, err);
	rows->burst.count = 0;
	rows->flaws = 0;
	return status;
}

struct oa_burst *oa_rows_burst(struct oa_rows *rows)
{
	return &rows->burst;
}

enum sx_status oa_rows_add(struct oa_rows *rows, const struct oa_interval *interval,
			   struct sx_error *err)
{
	size_t i = rows->burst.count;
	if (interval->quality | interval->quality32 | interval->quality_eu |
	    interval->quality_clock) {
		rows->flawed[i] = *interval;
		rows->flaws |= UINT64_C(1) << i;
	}
	oa_burst_add(&rows->burst, interval);
	return rows->burst.count == OA_BURST ? oa_rows_read(rows, err) : SX_OK;
}

enum sx_status oa_rows_break(struct oa_rows *rows, struct sx_error *err)
{
	enum sx_status status = oa_rows_read(rows, err);
	if (!status && rows->kind == SX_OA_RESIDENCY && rows->one.used)
		status = emit(rows, &rows->one, err);
	return status;
}

enum sx_status oa_rows_flush(struct oa_rows *rows, bool end, struct sx_error *err)
{
	enum sx_status status = oa_rows_read(rows, err);
	if (end && !status && rows->one.used) {
		if (rows->kind == SX_OA_TOTAL)
			rows->one.about.owner = OA_IDLE; /* the sum is of no one context */
		status = emit(rows, &rows->one, err);
	}
	for (size_t i = 0; end && !status && i < rows->sums.count; i++)
		if (rows->sums.sums[i].used)
			status = emit(rows, &rows->sums.sums[i], err);
	return status;
}

void oa_rows_resolve(struct oa_rows *rows, struct oa_clock *clock)
{
	size_t first = rows->resolved, count = sx_table_row_count(rows->table);
	uint64_t *begin, *end, last_ticks = 0;
	table_times(rows->table, &begin, &end);
	if (first < count && !oa_clock_scale(clock, begin + first, end + first, count - first))
		for (size_t i = first; i < count; i++) {
			bool joins = i > first && begin[i] == last_ticks;
			begin[i] = joins ? end[i - 1] : oa_clock_ns(clock, begin[i]);
			last_ticks = end[i];
			end[i] = oa_clock_ns(clock, end[i]);
		}
	rows->resolved = count;
}

size_t oa_rows_count(const struct oa_rows *rows)
{
	return sx_table_row_count(rows->table) + (rows->kind == SX_OA_EACH ? rows->burst.count : 0);
}

void oa_rows_drain(struct oa_rows *rows)
{
	sx_table_clear(rows->table);
	rows->resolved = 0;
}
