/* Windows: when there are too many, the shortest is dropped. */
#include "analysis/windows.h"

#include <string.h>

static size_t length_of(const struct sx_window *w)
{
	return w->last - w->first + 1;
}

void windows_extend(struct windows *w, const struct sx_window *row)
{
	if (!w->running) {
		w->running = true;
		w->open = *row;
		return;
	}
	w->open.last = row->last;
	w->open.end_ns = row->end_ns;
}

static void drop_shortest(struct windows *w)
{
	size_t least = 0;
	for (size_t i = 1; i < w->count; i++)
		if (length_of(&w->kept[i]) <= length_of(&w->kept[least]))
			least = i;
	memmove(&w->kept[least], &w->kept[least + 1], (--w->count - least) * sizeof(*w->kept));
}

void windows_close(struct windows *w)
{
	if (!w->running)
		return;
	w->running = false;
	if (!w->count || length_of(&w->open) > length_of(&w->longest))
		w->longest = w->open;
	if (w->count == WINDOWS_MAX) {
		size_t least = length_of(&w->open);
		for (size_t i = 0; i < w->count; i++)
			least = length_of(&w->kept[i]) < least ? length_of(&w->kept[i]) : least;
		if (least == length_of(&w->open))
			return; /* as short as the shortest: the earlier ones stay */
		drop_shortest(w);
	}
	w->kept[w->count++] = w->open;
}

const struct sx_window *windows_keep(const struct windows *w, struct arena *arena, size_t *count)
{
	struct sx_window *kept = w->count ? arena_alloc(arena, w->count * sizeof(*kept)) : NULL;
	*count = kept ? w->count : 0;
	if (kept)
		memcpy(kept, w->kept, w->count * sizeof(*kept));
	return kept;
}
