/* What rows are is told by columns that frames have, whichever API they are of. */
#include "table/slices.h"

#include <string.h>

#include "table/total.h"

struct slices slices_of(const struct sx_table *like)
{
	/* OpenGL's, which holds dispatches, and Vulkan's. */
	static const char *const calls[SLICES_CALLS] = {"DrawCalls", "Draws", "Dispatches"};
	struct slices out = {
	    .all = total_by_time(sx_table_kind(like)), .frames = SX_NONE, .presented = SX_NONE};
	if (sx_table_kind(like) == SX_SAMPLE_FRAME)
		out.frames = sx_table_find(like, SLICES_FRAMES);
	if (out.frames != SX_NONE)
		out.presented = sx_table_find(like, "presented");
	for (int i = 0; i < SLICES_CALLS; i++)
		out.calls[i] = out.frames == SX_NONE ? SX_NONE : sx_table_find(like, calls[i]);
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
	bool known = false;
	for (int i = 0; i < SLICES_CALLS; i++)
		known |= slices->calls[i] != SX_NONE;
	return known;
}

struct extent slices_extent(const struct slices *slices, const struct sx_table *table, size_t row)
{
	struct extent out = {.rows = 1, .ns = total_length_ns(table, row)};
	for (int i = 0; slices->frames != SX_NONE && i < SLICES_CALLS; i++) {
		double calls =
		    slices->calls[i] == SX_NONE ? 0 : sx_table_get(table, slices->calls[i], row);
		if (calls > 0 && calls < 0x1p40)
			out.calls += (uint64_t)calls;
	}
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

enum extent_by extent_choose(const struct extent *with, const struct extent *more, bool slices,
			     bool time)
{
	if (!time && with->calls)
		return EXTENT_CALLS;
	return slices && with->ns && more->ns ? EXTENT_NS : EXTENT_ROWS;
}

bool extent_is_idle(const struct extent *with, const struct extent *more, bool time)
{
	return !time && with->rows && !with->calls && more->calls;
}

uint64_t extent_get(const struct extent *extent, enum extent_by by)
{
	return by == EXTENT_CALLS ? extent->calls : by == EXTENT_NS ? extent->ns : extent->rows;
}
