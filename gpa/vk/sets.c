/* Query pools that are used again, never destroyed under a command buffer. */
#include "gpa/vk/sets.h"

#include <stdlib.h>
#include <time.h>

#include "base/mem.h"

#define LAST_WAIT_MS 100 /* for what is still running when the context is closed */

static bool sets_has_run(const struct vk_count *set, const struct vk_api *vk)
{
	return set->done && vk->vkGetEventStatus(vk->device, set->done) == VK_EVENT_SET;
}

static bool is_idle(struct vk_count *set, const struct vk_api *vk)
{
	if (set->state == VK_SET_LEFT && sets_has_run(set, vk))
		set->state = VK_SET_IDLE;
	/* Without an event nothing tells a new result from the last one. */
	return set->state == VK_SET_IDLE && set->done;
}

struct vk_count *vk_sets_take(struct vk_sets *sets, const struct vk_api *vk, const uint32_t *raws,
			      uint32_t raw_count)
{
	uint32_t kinds = vk_count_kinds(raws, raw_count);
	for (size_t i = 0; i < sets->count; i++) {
		struct vk_count *set = sets->all[i];
		if (set->kinds != kinds || !is_idle(set, vk))
			continue;
		if (vk->vkResetEvent(vk->device, set->done) != VK_SUCCESS)
			continue;
		set->state = VK_SET_BUSY;
		return set;
	}
	if (!mem_grow(&sets->all, &sets->capacity, sets->count + 1, sizeof(*sets->all)))
		return NULL;
	struct vk_count *set = vk_count_create(vk, kinds);
	if (set)
		sets->all[sets->count++] = set;
	return set;
}

void vk_sets_give(struct vk_count *set, bool read)
{
	set->state = read ? VK_SET_IDLE : VK_SET_LEFT;
}

size_t vk_sets_finish(struct vk_sets *sets, const struct vk_api *vk)
{
	size_t left = 0;
	int waits = LAST_WAIT_MS;
	for (size_t i = 0; i < sets->count; i++) {
		struct vk_count *set = sets->all[i];
		bool idle = set->state == VK_SET_IDLE || !set->recorded || sets_has_run(set, vk);
		while (!idle && set->done && waits-- > 0) {
			const struct timespec t = {.tv_nsec = 1000000};
			nanosleep(&t, NULL);
			idle = sets_has_run(set, vk);
		}
		left += !idle;
		if (idle)
			vk_count_destroy(vk, set);
		else
			free(set);
	}
	free(sets->all);
	*sets = (struct vk_sets){0};
	return left;
}
