/* Columns that frames have, of every API, say what rows are. */
#include "table/slices.h"

#include <math.h>
#include <string.h>

bool slices_by_time(enum sx_sample_kind kind)
{
	return kind == SX_SAMPLE_TIME || kind == SX_SAMPLE_CONTEXT || kind == SX_SAMPLE_DUMP;
}

uint64_t slices_length_ns(const struct sx_table *table, size_t row)
{
	return slices_length_of(sx_table_begin_ns(table)[row], sx_table_end_ns(table)[row]);
}

/* Whether a sample is several draws, and so may represent another by their number. */
static bool is_part_of_frame(enum sx_sample_kind kind)
{
	return kind == SX_SAMPLE_PASS || kind == SX_SAMPLE_GROUP || kind == SX_SAMPLE_SUBMIT ||
	       kind == SX_SAMPLE_COMMANDS;
}

static uint32_t find_if(bool has, const struct sx_table *like, const char *name)
{
	return has ? sx_table_find(like, name) : SX_NONE;
}

struct slices slices_of(const struct sx_table *like)
{
	enum sx_sample_kind kind = sx_table_kind(like);
	uint32_t frames = find_if(kind == SX_SAMPLE_FRAME, like, SLICES_FRAMES);
	bool framed = frames != SX_NONE, calls = framed || is_part_of_frame(kind);
	return (struct slices){
	    .all = slices_by_time(kind),
	    .frames = frames,
	    .presented = find_if(framed, like, "presented"),
	    .calls = find_if(calls, like, "DrawCalls"),
	    .draws = find_if(calls, like, "Draws"),
	    .dispatches = find_if(calls, like, "Dispatches"),
	    .busy = find_if(framed, like, "rasteriser_ns"),
	    .samples = find_if(kind == SX_SAMPLE_DRAW, like, "DrawCalls"),
	};
}

/* Of each row, whether the column has a value and it is zero. */
static void note_zeros(const struct sx_table *table, uint32_t column, struct row_span rows,
		       uint8_t *zero)
{
	struct sx_vector v = sx_table_vector(table, column);
	const uint64_t *u64 = v.data ? (const uint64_t *)v.data + rows.first : NULL;
	const double *f64 = v.data ? (const double *)v.data + rows.first : NULL;
	if (!v.data)
		memset(zero, 0, rows.count);
	else if (v.type == SX_U64)
		for (size_t i = 0; i < rows.count; i++)
			zero[i] = u64[i] == 0;
	else
		for (size_t i = 0; i < rows.count; i++)
			zero[i] = f64[i] == 0;
	for (size_t i = 0; v.data && v.quality && i < rows.count; i++)
		zero[i] &= !(v.quality[rows.first + i] & SX_QUALITY_NO_DATA_MASK);
}

#define ROWS_AT_ONCE 1024

/*
 * Work that no swap ended counts 0 frames. A frame of which such work was cut off before counts,
 * but was not presented as a whole.
 */
static void note_few(const struct slices *slices, const struct sx_table *table,
		     struct row_span rows, uint8_t *kinds)
{
	uint8_t cut[ROWS_AT_ONCE];
	bool whole = slices->presented == SX_NONE || table_is_combined(table);
	note_zeros(table, slices->frames, rows, kinds);
	if (!whole)
		note_zeros(table, slices->presented, rows, cut);
	for (size_t i = 0; i < rows.count; i++)
		kinds[i] = kinds[i] ? KIND_SLICE : KIND_FRAME;
	for (size_t i = 0; !whole && i < rows.count; i++)
		kinds[i] = kinds[i] == KIND_FRAME && cut[i] ? KIND_NEITHER : kinds[i];
}

void slices_note_kinds(const struct slices *slices, const struct sx_table *table,
		       struct row_span rows, uint8_t *kinds)
{
	if (slices->all || slices->frames == SX_NONE) {
		memset(kinds, slices->all ? KIND_SLICE : KIND_FRAME, rows.count);
		return;
	}
	for (size_t at = 0, take; at < rows.count; at += take) {
		take = rows.count - at < ROWS_AT_ONCE ? rows.count - at : ROWS_AT_ONCE;
		note_few(slices, table, (struct row_span){rows.first + at, take}, kinds + at);
	}
}

enum slices_kind slices_kind_of(const struct slices *slices, const struct sx_table *table,
				size_t row)
{
	uint8_t kind;
	slices_note_kinds(slices, table, (struct row_span){row, 1}, &kind);
	return (enum slices_kind)kind;
}

size_t slices_count_frames(const struct slices *slices, const struct sx_table *table)
{
	uint8_t kinds[ROWS_AT_ONCE];
	size_t rows = sx_table_row_count(table), count = 0;
	for (size_t at = 0, take; at < rows; at += take) {
		take = rows - at < ROWS_AT_ONCE ? rows - at : ROWS_AT_ONCE;
		slices_note_kinds(slices, table, (struct row_span){at, take}, kinds);
		for (size_t i = 0; i < take; i++)
			count += kinds[i] == KIND_FRAME;
	}
	return count;
}

void slices_note_classes(const struct slices *slices, const struct sx_table *table,
			 struct row_span rows, uint8_t *classes)
{
	bool labels = slices->frames != SX_NONE && sx_table_has_label(table, SX_LABEL_FRAME);
	slices_note_kinds(slices, table, rows, classes);
	for (size_t i = 0; i < rows.count; i++)
		classes[i] = classes[i] == KIND_FRAME ? CLASS_USUAL : CLASS_SLICE;
	for (size_t i = 0; labels && i < rows.count; i++)
		if (classes[i] == CLASS_USUAL &&
		    sx_table_label(table, SX_LABEL_FRAME, rows.first + i) < SLICES_FIRST)
			classes[i] = CLASS_FIRST;
}

bool slices_know_calls(const struct slices *slices)
{
	return slices->calls != SX_NONE || slices->draws != SX_NONE ||
	       slices->dispatches != SX_NONE || slices->busy != SX_NONE;
}

/* A number of a row, 0 without a column or data. */
static uint64_t slices_number(const struct sx_table *table, uint32_t column, size_t row)
{
	double value = column == SX_NONE ? 0 : sx_table_get(table, column, row);
	return value > 0 && value < 0x1p53 ? (uint64_t)value : 0;
}

uint64_t slices_samples(const struct slices *slices, const struct sx_table *table, size_t first,
			size_t count)
{
	uint64_t samples = 0;
	if (slices->samples == SX_NONE)
		return count;
	for (size_t row = first; row < first + count; row++) {
		uint64_t draws = slices_number(table, slices->samples, row);
		samples += draws ? draws : 1;
	}
	return samples;
}

uint64_t slices_samples_in(const struct sx_table *table, size_t first, size_t count)
{
	if (sx_table_kind(table) != SX_SAMPLE_DRAW)
		return count;
	const struct slices slices = slices_of(table);
	return slices_samples(&slices, table, first, count);
}

/* A number of each row, as slices_number() has it, into one member of its extent. */
static void read_numbers(const struct sx_table *table, uint32_t column, struct row_span rows,
			 uint64_t *out)
{
	const size_t step = sizeof(struct extent) / sizeof(*out);
	struct sx_vector v =
	    column == SX_NONE ? (struct sx_vector){.data = NULL} : sx_table_vector(table, column);
	const uint64_t *u64 = v.data ? (const uint64_t *)v.data + rows.first : NULL;
	const double *f64 = v.data ? (const double *)v.data + rows.first : NULL;
	const uint8_t *quality = v.data && v.quality ? v.quality + rows.first : NULL;
	for (size_t i = 0; u64 && v.type == SX_U64 && i < rows.count; i++)
		out[i * step] = u64[i] < UINT64_C(1) << 53 ? u64[i] : 0;
	for (size_t i = 0; f64 && v.type == SX_F64 && i < rows.count; i++)
		out[i * step] = f64[i] > 0 && f64[i] < 0x1p53 ? (uint64_t)f64[i] : 0;
	for (size_t i = 0; quality && i < rows.count; i++)
		out[i * step] = quality[i] & SX_QUALITY_NO_DATA_MASK ? 0 : out[i * step];
}

/* Finds the rows with an unknown time of the rasteriser. */
static void find_unknown(const struct sx_table *table, uint32_t column, struct row_span rows,
			 struct extent *each)
{
	struct sx_vector v =
	    column == SX_NONE ? (struct sx_vector){.data = NULL} : sx_table_vector(table, column);
	for (size_t i = 0; i < rows.count; i++) {
		size_t row = rows.first + i;
		bool none = !v.data || (v.quality && v.quality[row] & SX_QUALITY_NO_DATA_MASK);
		each[i].unknown =
		    none || (v.type == SX_F64 && isnan(((const double *)v.data)[row]));
	}
}

static void find_calls(const struct slices *slices, const struct sx_table *table,
		       struct row_span rows, struct extent *each)
{
	bool all = slices->calls != SX_NONE;
	bool apart = slices->draws != SX_NONE || slices->dispatches != SX_NONE;
	read_numbers(table, all ? slices->calls : slices->draws, rows, &each->draws);
	read_numbers(table, apart ? slices->dispatches : slices->calls, rows, &each->dispatches);
	for (size_t i = 0; all && apart && i < rows.count; i++)
		each[i].draws -=
		    each[i].draws > each[i].dispatches ? each[i].dispatches : each[i].draws;
}

void slices_extents(const struct slices *slices, const struct sx_table *table, struct row_span rows,
		    struct extent *each)
{
	const uint64_t *begin = sx_table_begin_ns(table), *end = sx_table_end_ns(table);
	for (size_t i = 0, row = rows.first; i < rows.count; i++, row++)
		each[i] = (struct extent){.rows = slices_samples(slices, table, row, 1),
					  .ns = slices_length_of(begin[row], end[row])};
	if (!rows.count)
		return;
	if (slices_know_calls(slices))
		find_calls(slices, table, rows, each);
	if (slices->frames == SX_NONE)
		return;
	find_unknown(table, slices->busy, rows, each);
	read_numbers(table, slices->busy, rows, &each->busy_ns);
	/* Several threads at once are a device that is at work, and not for longer than that. */
	for (size_t i = 0; i < rows.count; i++)
		if (each[i].ns && each[i].ns < each[i].busy_ns)
			each[i].busy_ns = each[i].ns;
}

struct extent slices_extent_of_rows(const struct slices *slices, const struct sx_table *table,
				    struct row_span rows)
{
	struct extent out = {.rows = slices_samples(slices, table, rows.first, rows.count)};
	const uint64_t *begin = sx_table_begin_ns(table), *end = sx_table_end_ns(table);
	for (size_t i = rows.first; i < rows.first + rows.count; i++)
		out.ns += slices_length_of(begin[i], end[i]);
	if (slices->frames != SX_NONE)
		out.unknown = rows.count;
	return out;
}

bool slices_unit_is_time(const char *unit)
{
	static const char *const times[] = {"ns", "us", "ms", "s"};
	for (size_t i = 0; unit && i < sizeof(times) / sizeof(times[0]); i++)
		if (strcmp(unit, times[i]) == 0)
			return true;
	return false;
}

enum basis slices_basis_of(const struct sx_column *column)
{
	static const char *const drawn[] = {"IAVertices",    "IAPrimitives",  "VSInvocations",
					    "GSInvocations", "GSPrimitives",  "CInvocations",
					    "CPrimitives",   "PSInvocations", "HSInvocations",
					    "DSInvocations", "Occlusion"};
	if (strcmp(column->name, "D3DGPUTime") == 0)
		return BASIS_DEVICE;
	if (slices_unit_is_time(column->unit) || column->over_time != SX_REDUCE_SUM)
		return BASIS_NONE;
	for (size_t i = 0; i < sizeof(drawn) / sizeof(drawn[0]); i++)
		if (strcmp(column->name, drawn[i]) == 0)
			return BASIS_DRAWS;
	return strcmp(column->name, "CSInvocations") == 0 ? BASIS_DISPATCHES : BASIS_CALLS;
}

static const enum extent_by extent_by_basis[] = {[BASIS_CALLS] = EXTENT_CALLS,
						 [BASIS_DRAWS] = EXTENT_DRAWS,
						 [BASIS_DISPATCHES] = EXTENT_DISPATCHES,
						 [BASIS_DEVICE] = EXTENT_BUSY,
						 [BASIS_NONE] = EXTENT_ROWS};

/* Of most rows: the others are as these. */
static bool busy_is_known(const struct extent *extent)
{
	return extent->unknown * 2 <= extent->rows;
}

static uint64_t busy_of_all(const struct extent *extent)
{
	uint64_t known = extent->rows - extent->unknown;
	return known ? (uint64_t)((double)extent->busy_ns * (double)extent->rows / (double)known)
		     : 0;
}

enum extent_by extent_choose(const struct extent *with, const struct extent *more, bool slices,
			     enum basis basis)
{
	enum extent_by by = extent_by_basis[basis];
	bool known = by != EXTENT_BUSY || (busy_is_known(with) && busy_is_known(more));
	if (by != EXTENT_ROWS && known && extent_get(with, by))
		return by;
	return slices && with->ns && more->ns ? EXTENT_NS : EXTENT_ROWS;
}

enum extent_by extent_choose_unknown(const struct extent *known, const struct extent *unknown,
				     bool by_time, enum basis basis)
{
	enum extent_by work = extent_choose(known, unknown, false, basis);
	if (work != EXTENT_ROWS && extent_get(unknown, work))
		return work;
	return by_time ? EXTENT_NS : EXTENT_ROWS;
}

uint64_t extent_work(const struct extent *extent, enum basis basis)
{
	bool calls = basis != BASIS_DEVICE && basis != BASIS_NONE;
	return calls ? extent_get(extent, extent_by_basis[basis]) : 0;
}

bool extent_is_idle(const struct extent *with, const struct extent *more, enum basis basis)
{
	return with->rows && !extent_work(with, basis) && extent_work(more, basis);
}

uint64_t extent_get(const struct extent *extent, enum extent_by by)
{
	switch (by) {
	case EXTENT_NS:
		return extent->ns;
	case EXTENT_CALLS:
		return extent->draws + extent->dispatches;
	case EXTENT_DRAWS:
		return extent->draws;
	case EXTENT_DISPATCHES:
		return extent->dispatches;
	case EXTENT_BUSY:
		return busy_of_all(extent);
	default:
		return extent->rows;
	}
}
