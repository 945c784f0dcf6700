/* What rows are is told by columns that frames have, whichever API they are of. */
#include "table/slices.h"

#include <math.h>
#include <string.h>

#include "table/total.h"

struct slices slices_of(const struct sx_table *like)
{
	struct slices out = {.all = total_by_time(sx_table_kind(like)),
			     .frames = SX_NONE,
			     .presented = SX_NONE,
			     .calls = SX_NONE,
			     .draws = SX_NONE,
			     .dispatches = SX_NONE,
			     .busy = SX_NONE,
			     .samples = SX_NONE};
	if (sx_table_kind(like) == SX_SAMPLE_DRAW)
		out.samples = sx_table_find(like, "DrawCalls");
	if (sx_table_kind(like) == SX_SAMPLE_FRAME)
		out.frames = sx_table_find(like, SLICES_FRAMES);
	if (out.frames == SX_NONE)
		return out;
	out.presented = sx_table_find(like, "presented");
	out.calls = sx_table_find(like, "DrawCalls");
	out.draws = sx_table_find(like, "Draws");
	out.dispatches = sx_table_find(like, "Dispatches");
	out.busy = sx_table_find(like, "rasteriser_ns");
	return out;
}

/* Work that no swap ended counts 0 frames. */
bool slices_is_one(const struct slices *slices, const struct sx_table *table, size_t row)
{
	return slices->all ||
	       (slices->frames != SX_NONE && sx_table_get(table, slices->frames, row) == 0);
}

/* A frame of which such work was cut off before counts, but was not presented as a whole. */
bool slices_is_frame(const struct slices *slices, const struct sx_table *table, size_t row)
{
	if (slices_is_one(slices, table, row))
		return false;
	return slices->presented == SX_NONE || table_is_combined(table) ||
	       sx_table_get(table, slices->presented, row) != 0;
}

enum slices_class slices_class_of(const struct slices *slices, const struct sx_table *table,
				  size_t row)
{
	if (!slices_is_frame(slices, table, row))
		return CLASS_SLICE;
	bool first =
	    slices->frames != SX_NONE && sx_table_label(table, SX_LABEL_FRAME, row) < SLICES_FIRST;
	return first ? CLASS_FIRST : CLASS_USUAL;
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

struct extent slices_extent(const struct slices *slices, const struct sx_table *table, size_t row)
{
	struct extent out = {.rows = slices_samples(slices, table, row, 1),
			     .ns = total_length_ns(table, row)};
	if (slices->frames == SX_NONE)
		return out;
	uint64_t calls = slices_number(table, slices->calls, row);
	out.draws = out.dispatches = calls;
	if (slices->draws != SX_NONE || slices->dispatches != SX_NONE) {
		out.dispatches = slices_number(table, slices->dispatches, row);
		out.draws = slices->calls == SX_NONE ? slices_number(table, slices->draws, row)
			    : calls > out.dispatches ? calls - out.dispatches
						     : 0;
	}
	/* Several threads at once are a device that is at work, and not for longer than that. */
	out.busy_ns = slices_number(table, slices->busy, row);
	out.busy_ns = out.ns && out.ns < out.busy_ns ? out.ns : out.busy_ns;
	out.untold = slices->busy == SX_NONE || isnan(sx_table_get(table, slices->busy, row));
	return out;
}

enum slices_use slices_use_of(const struct slices *slices, const char *const *names, uint32_t count,
			      bool counter)
{
	bool frames = false, length = slices->frames != SX_NONE && count > 0;
	for (uint32_t i = 0; i < count; i++) {
		frames |= strcmp(names[i], SLICES_FRAMES) == 0;
		length &= strcmp(names[i], SLICES_FRAME_TIME) == 0;
	}
	if (length)
		return USE_FRAME_TIME;
	return frames && !counter && slices->frames != SX_NONE ? USE_FRAMES : USE_ANY;
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
static bool busy_is_told(const struct extent *extent)
{
	return extent->untold * 2 <= extent->rows;
}

static uint64_t busy_of_all(const struct extent *extent)
{
	uint64_t told = extent->rows - extent->untold;
	return told ? (uint64_t)((double)extent->busy_ns * (double)extent->rows / (double)told) : 0;
}

enum extent_by extent_choose(const struct extent *with, const struct extent *more, bool slices,
			     enum basis basis)
{
	enum extent_by by = extent_by_basis[basis];
	bool told = by != EXTENT_BUSY || (busy_is_told(with) && busy_is_told(more));
	if (by != EXTENT_ROWS && told && extent_get(with, by))
		return by;
	return slices && with->ns && more->ns ? EXTENT_NS : EXTENT_ROWS;
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
