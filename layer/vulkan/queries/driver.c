/* Performance queries (VK_KHR_performance_query): pools and results. */
#include "layer/vulkan/driver.h"

#include <stdlib.h>
#include <string.h>

#include "layer/vulkan/layer.h"
#include "query/vk/perf.h"

#define QUERIES_PARTS 64u /* samples that one recording may hold */

static uint32_t queries_of(const struct device *device)
{
	return device->per == WIRE_PASS || device->per == WIRE_GROUP ? QUERIES_PARTS : 1;
}

static bool is_of_family(const struct device *device, const struct command *command)
{
	return device->driver.families[command->pool->family].count != 0;
}

/*
 * No performance query may be active in vkCmdExecuteCommands(), and one of scope COMMAND_BUFFER
 * must cover the whole command buffer. So one that executes secondary ones, or may do so, has no
 * query.
 */
static bool may_have_secondaries(const struct command *command)
{
	bool any = __atomic_load_n(&command->device->driver.has_secondaries, __ATOMIC_RELAXED);
	return any && (!command->recorded || command->had_secondaries);
}

bool driver_counts(const struct command *command)
{
	const struct device *device = command->device;
	return device->driver.works && command->measured && !command->secondary &&
	       command->host_resets && is_of_family(device, command) &&
	       !may_have_secondaries(command);
}

/*
 * Command buffers of one frame count the same set, those of the next frame the next. Command
 * buffers that are recorded once and submitted often get the sets in turn.
 */
static uint32_t choose_set(struct command *command)
{
	struct driver_family *family = &command->device->driver.families[command->pool->family];
	if (command->one_time || command->recorded)
		return family->first + __atomic_load_n(&family->now, __ATOMIC_RELAXED);
	return family->first +
	       __atomic_fetch_add(&family->fixed, 1, __ATOMIC_RELAXED) % family->count;
}

static struct driver_pool *make_pool(struct device *device, uint32_t number)
{
	const struct driver_set *set = &device->driver.sets[number];
	const VkQueryPoolPerformanceCreateInfoKHR what = {
	    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
	    .queueFamilyIndex = set->family,
	    .counterIndexCount = set->count,
	    .pCounterIndices = set->indices};
	const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
					    .pNext = &what,
					    .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
					    .queryCount = queries_of(device)};
	struct driver_pool *pool = calloc(1, sizeof(*pool));
	if (!pool)
		return NULL;
	if (device->next.CreateQueryPool(device->handle, &info, NULL, &pool->pool) != VK_SUCCESS) {
		free(pool);
		return NULL;
	}
	pool->set = number;
	pool->next_of_all = device->driver.pools;
	device->driver.pools = pool;
	return pool;
}

static struct driver_pool *find_pool(struct command *command)
{
	struct device *device = command->device;
	uint32_t set = choose_set(command);
	struct driver_pool *pool;
	device_lock(device);
	if (!command->driver_pool || command->driver_pool->set != set) {
		driver_release(command);
		pool = device->driver.sets[set].free;
		if (pool)
			device->driver.sets[set].free = pool->next_free;
		else
			pool = make_pool(device, set);
		command->driver_pool = pool;
	}
	device_unlock(device);
	return command->driver_pool;
}

struct driver_pool *driver_take(struct command *command)
{
	if (command->driver_slots == queries_of(command->device))
		return NULL;
	struct driver_pool *pool =
	    command->driver_slots != 0 ? command->driver_pool : find_pool(command);
	command->driver_slots += pool != NULL;
	return pool;
}

void driver_release(struct command *command)
{
	struct driver_pool *pool = command->driver_pool;
	command->driver_pool = NULL;
	if (!pool || !command->device->driver.sets)
		return;
	pool->next_free = command->device->driver.sets[pool->set].free;
	command->device->driver.sets[pool->set].free = pool;
}

void driver_reset(const struct command *command)
{
	const struct device *device = command->device;
	if (command->driver_slots != 0)
		device->next.ResetQueryPool(device->handle, command->driver_pool->pool, 0,
					    command->driver_slots);
}

static VkResult read_query(const struct device *device, const struct command *command,
			   const struct query_use *use, VkPerformanceCounterResultKHR *out)
{
	size_t size = device->driver.sets[command->driver_pool->set].count * sizeof(*out);
	return device->next.GetQueryPoolResults(device->handle, command->driver_pool->pool,
						use->slot, 1, size, out, size, 0);
}

bool driver_ready(const struct device *device, const struct command *command)
{
	VkPerformanceCounterResultKHR results[WIRE_DRIVER_MOST];
	for (uint32_t i = 0; command->driver_slots != 0 && i < command->use_count; i++) {
		const struct query_use *use = &command->uses[i];
		if (use->type == QUERY_DRIVER && use->ended &&
		    read_query(device, command, use, results) == VK_NOT_READY)
			return false;
	}
	return true;
}

bool driver_add(const struct device *device, const struct command *command,
		const struct query_use *use, struct part *part)
{
	const struct driver_set *set = &device->driver.sets[command->driver_pool->set];
	VkPerformanceCounterResultKHR results[WIRE_DRIVER_MOST];
	if (!part->driver)
		part->driver = calloc(device->driver.count, sizeof(*part->driver));
	if (!part->driver || read_query(device, command, use, results) != VK_SUCCESS)
		return false;
	for (uint32_t i = 0; i < set->count; i++) {
		const struct driver_counter *counter = &device->driver.counters[set->wanted[i]];
		struct driver_sum *sum = &part->driver[set->wanted[i]];
		sum->value +=
		    perf_value(set->storage[i], &results[i]) * counter->factor + counter->offset;
		sum->count++;
	}
	return true;
}

void driver_expect(const struct device *device, const struct command *command, struct part *part)
{
	if (!device->driver.works)
		return;
	part->driver_due += command->untracked || is_of_family(device, command);
	part->driver_secondaries |= command->had_secondaries;
}

static struct wire_value value_of(const struct device *device, const struct part *part,
				  uint32_t number)
{
	const struct driver_counter *counter = &device->driver.counters[number];
	const struct driver_sum *sum = part->driver ? &part->driver[number] : NULL;
	struct wire_value out = {.state = WIRE_NOT_COLLECTED, .bits = counter->why};
	double value;
	if (counter->why != WIRE_WHY_COLLECTED)
		return out;
	out.bits = 0;
	if (sum && sum->count != 0 && sum->count == part->driver_due) {
		value = counter->level ? sum->value / sum->count : sum->value;
		memcpy(&out.bits, &value, sizeof(value));
		out.state = WIRE_VALID;
	} else if (part->driver_secondaries) {
		out.bits = WIRE_WHY_CHILDREN;
	} else {
		uint32_t lost = part->lost | part->disallowed;
		out.state = (lost & QUERY_BIT(QUERY_DRIVER)) != 0 ? WIRE_LATE : WIRE_SPARED;
	}
	return out;
}

void driver_values(const struct device *device, const struct part *part, struct wire_value *out)
{
	for (uint32_t i = 0; i < device->driver.count; i++)
		out[i] = value_of(device, part, i);
}
