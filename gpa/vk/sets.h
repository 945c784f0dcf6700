/*
 * The query pools of samples. Command buffers that hold a sample use its pools until the program
 * records or frees them, which it does not tell, so pools are used again instead of destroyed.
 */
#ifndef GPA_VK_SETS_H
#define GPA_VK_SETS_H

#include "gpa/vk/count.h"

struct vk_sets {
	struct vk_count **all;
	size_t count, capacity;
};

/* A set that can count the raws and that no command buffer is still to run; NULL: none is to be
 * had. */
struct vk_count *vk_sets_take(struct vk_sets *sets, const struct vk_api *vk, const uint32_t *raws,
			      uint32_t raw_count);
/* Gives a set back; `read`: its results have been read. Otherwise it waits until it has run. */
void vk_sets_give(struct vk_count *set, bool read);
/*
 * Destroys what has run. Returns how many sets stay for ever, because command buffers that use them
 * have not run and may still do.
 */
size_t vk_sets_finish(struct vk_sets *sets, const struct vk_api *vk);

#endif
