/*
 * The driver's counters (VK_KHR_performance_query). A set is what one pass can count; sets are
 * multiplexed over frames. One query covers a command buffer, a render pass or a label. A command
 * buffer uses one set and one pool, because drivers may not support several pools in one.
 */
#ifndef LAYER_VULKAN_DRIVER_H
#define LAYER_VULKAN_DRIVER_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#include "guest/passes.h"
#include "wire/channel.h"

#define DRIVER_FAMILIES 16u

struct command;
struct device;
struct part;
struct query_use;
struct features_copy;

struct driver_pool {
	struct driver_pool *next_of_all, *next_free;
	VkQueryPool pool;
	uint32_t set;
};

struct driver_set {
	uint32_t count;
	uint32_t family;
	uint32_t indices[WIRE_DRIVER_MOST]; /* counter indices of the driver */
	uint32_t wanted[WIRE_DRIVER_MOST];  /* and of device->driver.counters */
	VkPerformanceCounterStorageKHR storage[WIRE_DRIVER_MOST];
	struct driver_pool *free; /* under the device's lock */
};

/* The sets of a queue family, and the current one. */
struct driver_family {
	uint32_t first, count;
	struct passes_turn turn;
	uint32_t now;	/* atomic; index of the current frame's set */
	uint32_t fixed; /* atomic; command buffers so far that are submitted more than once */
};

/* A wanted counter. */
struct driver_counter {
	enum wire_why why; /* collected, or why not */
	double factor, offset;
	bool level; /* values are averaged, not added */
};

struct driver {
	bool enabled; /* we enabled the extension */
	bool locked;  /* we hold the profiling lock */
	bool works;   /* there is a set */
	uint32_t count;
	struct driver_counter counters[WIRE_DRIVER_MOST];
	struct driver_set *sets;
	uint32_t set_count;
	struct driver_family families[DRIVER_FAMILIES];
	struct driver_pool *pools; /* all, under the device's lock */
	bool has_secondaries;	   /* atomic; the program has secondary command buffers */
};

/* Sum over the executions of a part. */
struct driver_sum {
	double value;
	uint32_t count;
};

/* driver.c: before vkCreateDevice(), after it, and before vkDestroyDevice(). */
void driver_prepare(struct device *device, const VkDeviceCreateInfo *info,
		    struct features_copy *out);
void driver_start(struct device *device);
void driver_finish(struct device *device);

/* Chooses the sets of the next measured frame. Under the device's lock. */
void driver_next_frame(struct device *device);

/* queries/driver.c. Whether a recording may have a performance query. */
bool driver_counts(const struct command *command);
/* The query pool of this recording, with one slot more; NULL: there is none. */
struct driver_pool *driver_take(struct command *command);
/* Frees the pool of a command buffer that is not pending. Under the device's lock. */
void driver_release(struct command *command);
/* Resets its queries on the host, before it is submitted. */
void driver_reset(const struct command *command);
/* Whether no result is VK_NOT_READY. Under the device's lock. */
bool driver_ready(const struct device *device, const struct command *command);
/* Adds one query's values to its part; false: they are lost. */
bool driver_add(const struct device *device, const struct command *command,
		const struct query_use *use, struct part *part);
/* Counts an execution that the part's values should include. */
void driver_expect(const struct device *device, const struct command *command, struct part *part);
/* The part's values, device->driver.count of them. */
void driver_values(const struct device *device, const struct part *part, struct wire_value *out);

#endif
