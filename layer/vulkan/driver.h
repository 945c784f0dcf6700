/*
 * Counters that the driver brings itself (VK_KHR_performance_query). What a run of a command buffer
 * can count at once is a set; sets take turns over frames. Around a command buffer, a pass or what
 * is within a label runs one query, of one set and one pool, so that no device is asked for several
 * pools in a command buffer.
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
	uint32_t indices[WIRE_DRIVER_MOST]; /* the driver's numbers of its counters */
	uint32_t wanted[WIRE_DRIVER_MOST];  /* and which of those that are wanted they are */
	VkPerformanceCounterStorageKHR storage[WIRE_DRIVER_MOST];
	struct driver_pool *free; /* under the device's lock */
};

/* The sets of a queue family, and whose turn it is. */
struct driver_family {
	uint32_t first, count;
	struct passes_turn turn;
	uint32_t now;	/* atomic; of the frame that runs, from 0 */
	uint32_t fixed; /* atomic; command buffers that were recorded for good so far */
};

/* One that is wanted. */
struct driver_counter {
	enum wire_why why; /* collected, or why not */
	double factor, offset;
	bool level; /* several values have a mean, not a sum */
};

struct driver {
	bool enabled; /* the extension is, for us */
	bool locked;  /* we hold the profiling lock */
	bool works;   /* something is counted */
	uint32_t count;
	struct driver_counter counters[WIRE_DRIVER_MOST];
	struct driver_set *sets;
	uint32_t set_count;
	struct driver_family families[DRIVER_FAMILIES];
	struct driver_pool *pools; /* all, under the device's lock */
	bool has_children;	   /* atomic; the program has secondary command buffers */
};

/* What executions of a part counted. */
struct driver_sum {
	double value;
	uint32_t count;
};

/* driver.c: before the device is made, after it, and before it goes. */
void driver_prepare(struct device *device, const VkDeviceCreateInfo *info,
		    struct features_copy *out);
void driver_start(struct device *device);
void driver_finish(struct device *device);

/* The next frame that is measured begins. Under the device's lock. */
void driver_next_frame(struct device *device);

/* driver_query.c. While the command buffer is recorded: whether it may count, and its query. */
bool driver_counts(const struct command *command);
/* The pool of its queries in this recording, with a slot more; NULL: none is to be had. */
struct driver_pool *driver_take(struct command *command);
/* Under the device's lock: it does not run any more, and is recorded again or freed. */
void driver_release(struct command *command);
/* On the host, before it is submitted. */
void driver_reset(const struct command *command);
/* Under the device's lock. Whether all results are there, or never will be. */
bool driver_ready(const struct device *device, const struct command *command);
/* Adds one query's values to its part; false: they are lost. */
bool driver_add(const struct device *device, const struct command *command,
		const struct query_use *use, struct part *part);
/* A span of a command buffer of this family, or of one that is not known, belongs to a part. */
void driver_expect(const struct device *device, const struct command *command, struct part *part);
/* What a part counted, device->driver.count of them. */
void driver_values(const struct device *device, const struct part *part, struct wire_value *out);

#endif
