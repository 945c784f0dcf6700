/* What the made-up driver counts, and how much of it at once. */
#include "fake.h"

#include <stdio.h>
#include <string.h>

#define UNIT(name)    VK_PERFORMANCE_COUNTER_UNIT_##name##_KHR
#define SCOPE(name)   VK_PERFORMANCE_COUNTER_SCOPE_##name##_KHR
#define STORAGE(name) VK_PERFORMANCE_COUNTER_STORAGE_##name##_KHR

static const struct {
	const char *name;
	VkPerformanceCounterUnitKHR unit;
	VkPerformanceCounterScopeKHR scope;
	VkPerformanceCounterStorageKHR storage;
} all[COUNTERS] = {
    {"Draws seen", UNIT(GENERIC), SCOPE(COMMAND), STORAGE(UINT64)},
    {"L2 cache hit ratio", UNIT(BYTES), SCOPE(COMMAND), STORAGE(FLOAT64)}, /* as RADV has it */
    {"Busy time", UNIT(NANOSECONDS), SCOPE(RENDER_PASS), STORAGE(UINT32)},
    {"Buffer cycles", UNIT(CYCLES), SCOPE(COMMAND_BUFFER), STORAGE(INT64)},
    {"Dispatches seen", UNIT(GENERIC), SCOPE(COMMAND), STORAGE(FLOAT32)},
    {"Chip temperature", UNIT(KELVIN), SCOPE(COMMAND), STORAGE(INT32)},
    {"Needs two passes", UNIT(GENERIC), SCOPE(COMMAND), STORAGE(UINT64)},
};

VkPerformanceCounterScopeKHR fake_scope(uint32_t counter)
{
	return all[counter].scope;
}

VkResult VKAPI_CALL fake_enumerate(VkPhysicalDevice gpu, uint32_t family, uint32_t *count,
				   VkPerformanceCounterKHR *counters,
				   VkPerformanceCounterDescriptionKHR *texts)
{
	VkResult result = counters && *count < COUNTERS ? VK_INCOMPLETE : VK_SUCCESS;

	(void)gpu;
	(void)family;
	if (!counters || *count > COUNTERS)
		*count = COUNTERS;
	for (uint32_t i = 0; counters && i < *count; i++) {
		fake_rule(counters[i].sType == VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR,
			  "VUID-VkPerformanceCounterKHR-sType-sType");
		counters[i].unit = all[i].unit;
		counters[i].scope = all[i].scope;
		counters[i].storage = all[i].storage;
		memset(counters[i].uuid, 0x5a, sizeof(counters[i].uuid));
		counters[i].uuid[0] = (uint8_t)i;
	}
	for (uint32_t i = 0; texts && i < *count; i++) {
		snprintf(texts[i].name, sizeof(texts[i].name), "%s", all[i].name);
		snprintf(texts[i].category, sizeof(texts[i].category), "Made up");
		snprintf(texts[i].description, sizeof(texts[i].description), "Counted by a test.");
	}
	return result;
}

/* Two a pass, and one that takes two. */
void VKAPI_CALL fake_passes(VkPhysicalDevice gpu, const VkQueryPoolPerformanceCreateInfoKHR *info,
			    uint32_t *count)
{
	(void)gpu;
	*count = (info->counterIndexCount + 1) / 2;
	for (uint32_t i = 0; i < info->counterIndexCount; i++)
		*count += info->pCounterIndices[i] == COUNTERS - 1;
}

VkPerformanceCounterResultKHR fake_value(uint32_t counter, const uint64_t *commands)
{
	VkPerformanceCounterResultKHR out;

	memset(&out, 0xee, sizeof(out));
	switch (counter) {
	case 0:
		out.uint64 = commands[0];
		break;
	case 1:
		out.float64 = 75.5;
		break;
	case 2:
		out.uint32 = (uint32_t)(1000 * commands[0]);
		break;
	case 3:
		out.int64 = (int64_t)(100 + commands[0] + 10 * commands[1]);
		break;
	case 4:
		out.float32 = (float)commands[1];
		break;
	case 5:
		out.int32 = 300;
		break;
	default:
		out.uint64 = 1;
	}
	return out;
}
