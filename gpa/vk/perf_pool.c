/*
 * Pools of performance queries. A command buffer has one for all its samples, because a device may
 * not allow several. A pool is reused when all its queries have run.
 */
#include "gpa/vk/backend.h"

#include <stdlib.h>
#include <string.h>

#define QUERIES 64 /* samples that one command buffer may hold */

enum slot { SLOT_FREE, SLOT_BUSY, SLOT_READ, SLOT_LEFT };

struct vk_perf_pool {
	VkQueryPool pool;
	VkCommandBuffer commands; /* that holds its queries */
	uint32_t *raws, raw_count;
	enum slot slots[QUERIES];
};

const uint32_t *vk_perf_raws(const struct vk_perf_pool *pool, uint32_t *count)
{
	*count = pool->raw_count;
	return pool->raws;
}

VkResult vk_perf_results(const struct vk_api *vk, const struct vk_perf_pool *pool, uint32_t slot,
			 VkPerformanceCounterResultKHR *out)
{
	size_t size = pool->raw_count * sizeof(*out);
	return vk->vkGetQueryPoolResults(vk->device, pool->pool, slot, 1, size, out, size, 0);
}

/* A query of a dropped sample has run if its result is available. */
static bool perf_has_run(const struct vk_api *vk, const struct vk_perf_pool *pool, uint32_t slot)
{
	VkPerformanceCounterResultKHR *results = calloc(pool->raw_count + 1, sizeof(*results));
	bool ran = results && vk_perf_results(vk, pool, slot, results) == VK_SUCCESS;
	free(results);
	return ran;
}

static bool is_done(const struct vk_api *vk, struct vk_perf_pool *pool)
{
	for (uint32_t i = 0; i < QUERIES; i++) {
		if (pool->slots[i] == SLOT_LEFT && perf_has_run(vk, pool, i))
			pool->slots[i] = SLOT_READ;
		if (pool->slots[i] == SLOT_BUSY || pool->slots[i] == SLOT_LEFT)
			return false;
	}
	return true;
}

static bool counts(const struct vk_perf_pool *pool, const uint32_t *raws, uint32_t count)
{
	return pool->raw_count == count && memcmp(pool->raws, raws, count * sizeof(*raws)) == 0;
}

static struct vk_perf_pool *perf_make_pool(struct vk_perf *perf, const struct vk_api *vk,
					   const uint32_t *raws, uint32_t count)
{
	struct vk_perf_pool *pool = calloc(1, sizeof(*pool));
	uint32_t *indices = vk_perf_indices(perf, raws, count);
	bool ok = pool && indices && (pool->raws = calloc(count + 1, sizeof(*raws))) &&
		  mem_grow(&perf->pools, &perf->pool_capacity, perf->pool_count + 1,
			   sizeof(*perf->pools));
	if (ok) {
		const VkQueryPoolPerformanceCreateInfoKHR what =
		    vk_perf_describe(perf, indices, count);
		const VkQueryPoolCreateInfo info = {
		    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		    .pNext = &what,
		    .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
		    .queryCount = QUERIES};
		memcpy(pool->raws, raws, count * sizeof(*raws));
		pool->raw_count = count;
		ok = vk->vkCreateQueryPool(vk->device, &info, NULL, &pool->pool) == VK_SUCCESS;
	}
	free(indices);
	if (!ok) {
		if (pool)
			free(pool->raws);
		free(pool);
		return NULL;
	}
	perf->reset(perf->device, pool->pool, 0, QUERIES);
	perf->pools[perf->pool_count++] = pool;
	return pool;
}

static void use_again(struct vk_perf *perf, struct vk_perf_pool *pool)
{
	memset(pool->slots, 0, sizeof(pool->slots));
	pool->commands = VK_NULL_HANDLE;
	perf->reset(perf->device, pool->pool, 0, QUERIES);
}

/* A pool that the command buffer uses already, and a free one. */
struct found {
	struct vk_perf_pool *same, *idle;
	bool other; /* it holds a pool that cannot be used for this sample */
};

static struct found perf_look(struct vk_perf *perf, const struct vk_api *vk,
			      VkCommandBuffer commands, const uint32_t *raws, uint32_t count)
{
	struct found f = {0};
	for (size_t i = 0; i < perf->pool_count; i++) {
		struct vk_perf_pool *pool = perf->pools[i];
		if (pool->commands && is_done(vk, pool))
			use_again(perf, pool);
		bool fits = counts(pool, raws, count);
		if (!pool->commands)
			f.idle = fits ? pool : f.idle;
		else if (pool->commands == commands && fits && !pool->slots[QUERIES - 1])
			f.same = pool;
		else if (pool->commands == commands)
			f.other = true;
	}
	return f;
}

bool vk_perf_take(struct vk_perf *perf, const struct vk_api *vk,
		  const struct vk_perf_wanted *wanted, struct vk_perf_query *out)
{
	const uint32_t *raws = wanted->raws;
	uint32_t count = wanted->count;
	struct found f = perf_look(perf, vk, wanted->commands, raws, count);
	struct vk_perf_pool *pool = f.same;
	if (!pool && f.other && !perf->several_pools) {
		gpa_log(GPA_LOGGING_ERROR,
			"the device counts for one set of counters and %d samples in a command "
			"buffer",
			QUERIES);
		return false;
	}
	if (!pool)
		pool = f.idle ? f.idle : perf_make_pool(perf, vk, raws, count);
	if (!pool)
		return false;
	uint32_t slot = 0;
	while (pool->slots[slot])
		slot++;
	pool->slots[slot] = SLOT_BUSY;
	pool->commands = wanted->commands;
	*out = (struct vk_perf_query){pool, slot};
	return true;
}

void vk_perf_give(const struct vk_perf_query *query, bool read)
{
	if (query->pool)
		query->pool->slots[query->slot] = read ? SLOT_READ : SLOT_LEFT;
}

void vk_perf_begin(const struct vk_api *vk, const struct vk_perf_query *query)
{
	if (query->pool)
		vk->vkCmdBeginQuery(query->pool->commands, query->pool->pool, query->slot, 0);
}

void vk_perf_end(const struct vk_api *vk, const struct vk_perf_query *query)
{
	if (query->pool)
		vk->vkCmdEndQuery(query->pool->commands, query->pool->pool, query->slot);
}

size_t vk_perf_close(struct vk_perf *perf, const struct vk_api *vk)
{
	size_t left = 0;
	for (size_t i = 0; i < perf->pool_count; i++) {
		struct vk_perf_pool *pool = perf->pools[i];
		if (is_done(vk, pool))
			vk->vkDestroyQueryPool(vk->device, pool->pool, NULL);
		else
			left++;
		free(pool->raws);
		free(pool);
	}
	if (perf->locked)
		perf->release(perf->device);
	free(perf->pools);
	free(perf->counters);
	free(perf->indices);
	*perf = (struct vk_perf){0};
	return left;
}
