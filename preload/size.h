/* The size of what a context draws to. */
#ifndef PRELOAD_SIZE_H
#define PRELOAD_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/api.h"

struct size {
	uint32_t known[2];    /* 0 when it is not */
	uint32_t viewport[2]; /* at the last frame's end, where it begins in the corner; else 0 */
	uint32_t asked[2];    /* the viewport for which the window system was asked last */
	uint64_t due_ns, pause_ns; /* when it may be asked for the same one again */
};

/* Who knows the size of a drawable: EGL or the X server. */
struct size_drawable {
	bool egl;
	void *display;
	uint64_t drawable;
};

/* When a context is first current to a drawable its viewport is the drawable's size. */
void size_start(struct size *size, const struct api *gl);
/* The drawable is another one, whose size nobody has told. */
void size_forget(struct size *size);
/* At the end of a frame: the size, or NULL where it is not known. */
const uint32_t *size_at_end(struct size *size, const struct api *gl);
/*
 * After a swap: where the program's viewport says another size than was known, asks whether the
 * drawable has it by now. That waits for the window system, so the same is asked for at intervals
 * that grow.
 */
void size_after_swap(struct size *size, const struct size_drawable *drawable);

#endif
