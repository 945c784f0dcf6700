/*
 * A made-up driver of VK_KHR_performance_query: it adds the extension to the driver below it, and
 * says on standard error which of the specification's rules a caller broke ("RULE"
 * and the rule's number in the specification). Its counters count the commands that a query
 * encloses.
 */
#ifndef TESTS_VK_FAKE_H
#define TESTS_VK_FAKE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define COUNTERS     7u
#define QUERIES	     64u
#define POOLS	     256u
#define BUFFERS	     512u
#define BUFFER_QUERY 128u

struct fake_device {
	VkDevice handle; /* null: free */
	bool enabled, multiple, locked;
};

struct fake_pool {
	VkQueryPool handle; /* null: free; what the driver below knows it as */
	struct fake_device *device;
	uint32_t family, count, counters[COUNTERS];
	bool reset[QUERIES], ran[QUERIES];
	uint32_t unread[QUERIES];      /* answers of "not ready" to come */
	uint64_t commands[QUERIES][2]; /* draws, dispatches */
};

/* A query as a command buffer holds it. */
struct fake_use {
	struct fake_pool *pool;
	uint32_t query;
	bool ended, in_pass;
	uint64_t first; /* number of its begin among the commands */
	uint64_t begun[2], counted[2];
};

struct fake_buffer {
	VkCommandBuffer handle;
	VkDevice device;
	uint32_t family;
	bool locked; /* the lock was held as it was begun */
	bool in_pass;
	uint32_t passes;
	uint64_t commands, last_end, work[2];
	uint32_t use_count;
	struct fake_use uses[BUFFER_QUERY];
};

extern pthread_mutex_t fake_lock; /* over all that follows */

struct fake_device *fake_device_of(VkDevice handle);
struct fake_buffer *fake_buffer_of(VkCommandBuffer handle, bool add);
struct fake_pool *fake_pool_of(VkQueryPool handle);
/* Says that a rule was broken. */
void fake_rule(bool kept, const char *rule);
/* Results were asked for: how often is said on standard error as the program ends ("READS"). */
void fake_note_read(void);
/* The function of the driver below. */
PFN_vkVoidFunction fake_next(const char *name);
/* The function of this name that replaces the driver's, or NULL. */
PFN_vkVoidFunction fake_command(const char *name);

/* What the driver counts. */
VkPerformanceCounterScopeKHR fake_scope(uint32_t counter);
VkResult VKAPI_CALL fake_enumerate(VkPhysicalDevice gpu, uint32_t family, uint32_t *count,
				   VkPerformanceCounterKHR *counters,
				   VkPerformanceCounterDescriptionKHR *texts);
void VKAPI_CALL fake_passes(VkPhysicalDevice gpu, const VkQueryPoolPerformanceCreateInfoKHR *info,
			    uint32_t *count);
VkPerformanceCounterResultKHR fake_value(uint32_t counter, const uint64_t *commands);

#endif
