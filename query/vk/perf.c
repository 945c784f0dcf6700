/* Lists counters of VK_KHR_performance_query, and finds sets that fit in one pass. */
#include "query/vk/perf.h"

#include <stdlib.h>
#include <string.h>

#include "guest/passes.h"

#define COUNTERS_MAX 65536u /* of a queue family; more are taken as an error of the driver */

void perf_list_finish(struct perf_list *list)
{
	free(list->counters);
	free(list->texts);
	*list = (struct perf_list){0};
}

static void end_text(char *text)
{
	text[VK_MAX_DESCRIPTION_SIZE - 1] = '\0';
}

VkResult perf_list_read(const struct perf_api *api, uint32_t family, struct perf_list *out)
{
	uint32_t count = 0;
	*out = (struct perf_list){0};
	VkResult result = api->enumerate(api->gpu, family, &count, NULL, NULL);
	if (result < 0 || count > COUNTERS_MAX)
		return result < 0 ? result : VK_ERROR_UNKNOWN;
	out->counters = calloc((size_t)count + 1, sizeof(*out->counters));
	out->texts = calloc((size_t)count + 1, sizeof(*out->texts));
	out->count = count;
	for (uint32_t i = 0; out->counters && out->texts && i < count; i++) {
		out->counters[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR;
		out->texts[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_DESCRIPTION_KHR;
	}
	result = VK_ERROR_OUT_OF_HOST_MEMORY;
	if (out->counters && out->texts)
		result = api->enumerate(api->gpu, family, &count, out->counters, out->texts);
	if (result < 0) {
		perf_list_finish(out);
		return result;
	}
	out->count = count < out->count ? count : out->count;
	for (uint32_t i = 0; i < out->count; i++) {
		end_text(out->texts[i].name);
		end_text(out->texts[i].category);
		end_text(out->texts[i].description);
	}
	return VK_SUCCESS;
}

/* 0 passes: the driver does not know. */
bool perf_fits(const struct perf_api *api, uint32_t family, const uint32_t *indices, uint32_t count)
{
	const VkQueryPoolPerformanceCreateInfoKHR info = {
	    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
	    .queueFamilyIndex = family,
	    .counterIndexCount = count,
	    .pCounterIndices = indices};
	uint32_t passes = 0;
	if (count == 0)
		return true;
	api->passes(api->gpu, &info, &passes);
	return passes == 1;
}

/* State for the callback of passes_pack(). */
struct parting {
	const struct perf_api *api;
	uint32_t family;
	const uint32_t *indices;
	uint32_t *together; /* room */
};

static bool perf_packs(void *user, const uint32_t *counters, uint32_t count)
{
	const struct parting *p = user;
	for (uint32_t i = 0; i < count; i++)
		p->together[i] = p->indices[counters[i]];
	return perf_fits(p->api, p->family, p->together, count);
}

uint32_t perf_part(const struct perf_api *api, uint32_t family, const uint32_t *indices,
		   uint32_t count, uint32_t *sets)
{
	uint32_t *room = calloc((size_t)count + 1, 3 * sizeof(*room)), set_count = 0;
	struct parting parting = {api, family, indices, room};
	struct passes_rules rules = {.fits = perf_packs, .driver = &parting};
	for (uint32_t i = 0; i < count; i++)
		sets[i] = PERF_NO_SET;
	if (room) {
		uint32_t *items = room + count;
		for (uint32_t i = 0; i < count; i++)
			items[i] = i; /* each on its own */
		rules.items = items;
		set_count = passes_pack(&rules, count, sets, items + count);
	}
	free(room);
	return set_count;
}

/* RADV's hit ratios are percentages, which it declares as bytes. */
VkPerformanceCounterUnitKHR perf_declared_unit(const VkPerformanceCounterKHR *counter,
					       const VkPerformanceCounterDescriptionKHR *text)
{
	if (counter->unit == VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR &&
	    strstr(text->name, "hit ratio"))
		return VK_PERFORMANCE_COUNTER_UNIT_PERCENTAGE_KHR;
	return counter->unit;
}

const struct perf_unit *perf_unit_of(const VkPerformanceCounterKHR *counter,
				     const VkPerformanceCounterDescriptionKHR *text)
{
	static const struct perf_unit units[] = {
	    [VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR] = {"count", 1, 0, false},
	    [VK_PERFORMANCE_COUNTER_UNIT_PERCENTAGE_KHR] = {"percent", 1, 0, true},
	    [VK_PERFORMANCE_COUNTER_UNIT_NANOSECONDS_KHR] = {"ns", 1, 0, false},
	    [VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR] = {"bytes", 1, 0, false},
	    [VK_PERFORMANCE_COUNTER_UNIT_BYTES_PER_SECOND_KHR] = {"bytes/s", 1, 0, true},
	    [VK_PERFORMANCE_COUNTER_UNIT_KELVIN_KHR] = {"degC", 1, -273.15, true},
	    [VK_PERFORMANCE_COUNTER_UNIT_WATTS_KHR] = {"mW", 1000, 0, true},
	    [VK_PERFORMANCE_COUNTER_UNIT_VOLTS_KHR] = {"V", 1, 0, true},
	    [VK_PERFORMANCE_COUNTER_UNIT_AMPS_KHR] = {"A", 1, 0, true},
	    [VK_PERFORMANCE_COUNTER_UNIT_HERTZ_KHR] = {"Hz", 1, 0, true},
	    [VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR] = {"cycles", 1, 0, false},
	};
	uint32_t unit = (uint32_t)perf_declared_unit(counter, text);
	return &units[unit < sizeof(units) / sizeof(units[0]) ? unit : 0];
}

double perf_value(VkPerformanceCounterStorageKHR storage,
		  const VkPerformanceCounterResultKHR *result)
{
	switch (storage) {
	case VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR:
		return result->int32;
	case VK_PERFORMANCE_COUNTER_STORAGE_INT64_KHR:
		return (double)result->int64;
	case VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR:
		return result->uint32;
	case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR:
		return (double)result->float32;
	case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR:
		return result->float64;
	default:
		return (double)result->uint64;
	}
}
