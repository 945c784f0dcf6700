/* Vulkan: query pools recorded into the program's command buffers. */
#include "gpa/vk_count.h"

#include <stdlib.h>
#include <string.h>

struct vk_backend {
	struct vk_api vk;
	struct gpa_guide guide;
	bool have[RAW_COUNT];
};

struct gpa_request {
	struct vk_count count;
	const uint32_t *raws; /* the pass's list; lives longer */
	uint32_t raw_count;
};

static GPA_Status open(struct gpa_context *context)
{
	const GPA_VulkanContext *native = context->native;
	const char *why;
	struct gpa_list list = {0};
	struct vk_backend *b = calloc(1, sizeof(*b));
	if (!b)
		return GPA_STATUS_ERROR_FAILED;
	context->impl = b;
	if (!vk_api_load(&b->vk, native, &why)) {
		gpa_log(GPA_LOGGING_ERROR, "%s", why);
		return GPA_STATUS_ERROR_HARDWARE_NOT_SUPPORTED;
	}
	vk_count_probe(&b->vk, native, b->have);
	if (!guide_open(&b->guide, "amd-gcn3"))
		return GPA_STATUS_ERROR_FAILED;
	bool ok = query_counters_add(&b->guide, b->have, QUERY_VULKAN, true, &list);
	context->counters = list.items;
	context->counter_count = (uint32_t)list.count;
	context->device_id = b->vk.properties.deviceID;
	context->device_name = b->vk.properties.deviceName;
	if (!ok)
		return GPA_STATUS_ERROR_FAILED;
	return list.count ? GPA_STATUS_OK : GPA_STATUS_ERROR_HARDWARE_NOT_SUPPORTED;
}

static void close(struct gpa_context *context)
{
	struct vk_backend *b = context->impl;
	if (!b)
		return;
	guide_close(&b->guide);
	free(context->counters);
	free(b);
}

static uint32_t class_of(const struct gpa_context *context, uint32_t raw)
{
	(void)context;
	return raw == RAW_TIME ? CLASS_TIME : CLASS_QUERIES;
}

static GPA_Status plan(struct gpa_context *context, struct gpa_schedule *schedule)
{
	return gpa_plan_classes(context, schedule, class_of, CLASS_COUNT);
}

static void release(struct gpa_context *context, struct gpa_request *request)
{
	struct vk_backend *b = context->impl;
	vk_count_finish(&b->vk, &request->count);
	free(request);
}

static struct gpa_request *begin(struct gpa_context *context, const uint32_t *raws, uint32_t count)
{
	struct vk_backend *b = context->impl;
	const GPA_VulkanContext *native = context->native;
	if (!native->commandBuffer) {
		gpa_log(GPA_LOGGING_ERROR, "commandBuffer is not set");
		return NULL;
	}
	struct gpa_request *r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->raws = raws;
	r->raw_count = count;
	r->count.commands = native->commandBuffer;
	if (vk_count_begin(&b->vk, &r->count, raws, count))
		return r;
	release(context, r);
	return NULL;
}

static bool end(struct gpa_context *context, struct gpa_request *request)
{
	struct vk_backend *b = context->impl;
	const GPA_VulkanContext *native = context->native;
	if (native->commandBuffer != request->count.commands) {
		gpa_log(GPA_LOGGING_ERROR, "the sample began in another command buffer");
		return false;
	}
	vk_count_end(&b->vk, &request->count);
	return true;
}

static enum gpa_answer collect(struct gpa_context *context, struct gpa_request *request,
			       uint64_t *values, bool *valid)
{
	struct vk_backend *b = context->impl;
	for (uint32_t i = 0; i < request->raw_count; i++)
		valid[i] = true;
	return vk_count_read(&b->vk, &request->count, request->raws, request->raw_count, values);
}

static bool value(struct gpa_context *context, uint32_t counter, const uint64_t *raws,
		  union gpa_value *out)
{
	return query_counters_value(&context->counters[counter], raws, out);
}

const struct gpa_backend gpa_backend = {
    .open = open,
    .close = close,
    .plan = plan,
    .begin = begin,
    .end = end,
    .collect = collect,
    .release = release,
    .value = value,
};
