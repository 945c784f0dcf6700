/* Vulkan: query pools recorded into the program's command buffers. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpa/vk/backend.h"
#include "base/mem.h"

#define LAST_WAIT_MS 100 /* for pending command buffers when the context is closed */

static bool sets_has_run(const struct vk_count *set, const struct vk_api *vk)
{
	return set->done && vk->vkGetEventStatus(vk->device, set->done) == VK_EVENT_SET;
}

static bool is_idle(struct vk_count *set, const struct vk_api *vk)
{
	if (set->state == VK_SET_LEFT && sets_has_run(set, vk))
		set->state = VK_SET_IDLE;
	/* Without an event a new result cannot be distinguished from the last one. */
	return set->state == VK_SET_IDLE && set->done;
}

/* A set for the raws that no pending command buffer uses; NULL: out of memory. */
static struct vk_count *vk_sets_take(struct vk_sets *sets, const struct vk_api *vk,
				     const uint32_t *raws, uint32_t raw_count)
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

/* Returns a set; `read`: its results were read. Otherwise it is not used until it has run. */
static void vk_sets_give(struct vk_count *set, bool read)
{
	set->state = read ? VK_SET_IDLE : VK_SET_LEFT;
}

/*
 * Destroys sets that have run. Returns how many are leaked, because command buffers that use them
 * may still be submitted.
 */
static size_t vk_sets_finish(struct vk_sets *sets, const struct vk_api *vk)
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

struct vk_backend {
	struct vk_api vk;
	struct gpa_guide guide;
	bool have[RAW_COUNT];
	struct vk_perf perf;
	struct vk_sets sets;
	const GPA_VulkanContext *native; /* the program's, or `own` */
	GPA_VulkanContext own;		 /* of version 3; its structure has fewer members */
};

struct gpa_request {
	struct vk_count *count;
	const uint32_t *raws;		  /* the pass's list; lives longer */
	uint32_t query_count, perf_count; /* queries of the API first, then hardware counters */
	VkCommandBuffer commands;
	struct vk_perf_query perf;
	bool read; /* all results */
};

static GPA_Status vk_open(struct gpa_context *context)
{
	const char *why;
	struct gpa_list list = {0};
	struct vk_backend *b = calloc(1, sizeof(*b));
	if (!b)
		return GPA_STATUS_ERROR_FAILED;
	context->impl = b;
	b->native = context->native;
	if (context->version == 3)
		b->native = vk_api_complete(context->native, &b->own);
	const GPA_VulkanContext *native = b->native;
	if (!vk_api_load(&b->vk, native, &why)) {
		gpa_log(GPA_LOGGING_ERROR, "%s", why);
		return GPA_STATUS_ERROR_HARDWARE_NOT_SUPPORTED;
	}
	vk_count_probe(&b->vk, native, b->have);
	if (!guide_open(&b->guide, "amd-gcn3"))
		return GPA_STATUS_ERROR_FAILED;
	bool ok = query_counters_add(&b->guide, b->have, QUERY_VULKAN, &list) &&
		  vk_perf_open(&b->perf, native, &b->guide, &list);
	context->counters = list.items;
	context->counter_count = (uint32_t)list.count;
	context->device_id = b->vk.properties.deviceID;
	context->device_name = b->vk.properties.deviceName;
	if (!ok)
		return GPA_STATUS_ERROR_FAILED;
	return list.count ? GPA_STATUS_OK : GPA_STATUS_ERROR_HARDWARE_NOT_SUPPORTED;
}

static void vk_close(struct gpa_context *context)
{
	struct vk_backend *b = context->impl;
	if (!b)
		return;
	size_t left = vk_sets_finish(&b->sets, &b->vk) + vk_perf_close(&b->perf, &b->vk);
	if (left)
		gpa_log(GPA_LOGGING_MESSAGE,
			"%zu query pools stay: command buffers with samples have not run", left);
	guide_close(&b->guide);
	free(context->counters);
	free(b);
}

/* The pass of a hardware counter: the first with room, after those of time and queries. */
static uint32_t perf_pass(const struct vk_backend *b, struct gpa_schedule *s, uint32_t raw)
{
	for (uint32_t p = CLASS_MORE; p < s->pass_count; p++) {
		struct gpa_pass_plan *pass = &s->passes[p];
		uint32_t before = pass->count;
		gpa_pass_plan_add(pass, raw);
		if (pass->count == before || pass->count == 1 ||
		    vk_perf_fits(&b->perf, pass->raws, pass->count))
			return p;
		gpa_pass_plan_remove(pass, raw);
	}
	return CLASS_MORE; /* there is a pass for every counter: not reached */
}

static GPA_Status vk_plan(struct gpa_context *context, struct gpa_schedule *schedule)
{
	struct vk_backend *b = context->impl;
	if (!gpa_schedule_alloc(context, schedule, CLASS_MORE + schedule->enabled_count))
		return GPA_STATUS_ERROR_FAILED;
	for (uint32_t i = 0; i < schedule->enabled_count; i++) {
		const struct gpa_counter *c = &context->counters[schedule->enabled[i]];
		for (uint32_t k = 0; k < c->raw_count; k++) {
			uint32_t raw = c->raws[k];
			uint32_t pass = raw >= RAW_COUNT  ? perf_pass(b, schedule, raw)
					: raw == RAW_TIME ? CLASS_TIME
							  : CLASS_QUERIES;
			gpa_pass_plan_add(&schedule->passes[pass], raw);
			schedule->places[i][k] = pass;
		}
	}
	gpa_schedule_trim(context, schedule);
	return GPA_STATUS_OK;
}

static void vk_release(struct gpa_context *context, struct gpa_request *request)
{
	(void)context;
	if (request->count)
		vk_sets_give(request->count, request->read);
	vk_perf_give(&request->perf, request->read);
	free(request);
}

/* Finds pools for what the request counts. */
static bool take_pools(struct vk_backend *b, struct gpa_request *r)
{
	if (r->query_count) {
		r->count = vk_sets_take(&b->sets, &b->vk, r->raws, r->query_count);
		if (!r->count)
			return false;
		r->count->commands = r->commands;
	}
	const struct vk_perf_wanted wanted = {r->commands, r->raws + r->query_count, r->perf_count};
	return !r->perf_count || vk_perf_take(&b->perf, &b->vk, &wanted, &r->perf);
}

static bool same_device(const struct gpa_context *context, const void *native)
{
	const struct vk_backend *b = context->impl;
	const GpaVkContextOpenInfo *info = native;
	return b->native->device == info->device;
}

static void *commands_of(const struct gpa_context *context)
{
	const struct vk_backend *b = context->impl;
	return b->native->commandBuffer;
}

static struct gpa_request *vk_begin(struct gpa_context *context, void *commands,
				    const uint32_t *raws, uint32_t count)
{
	struct vk_backend *b = context->impl;
	if (!commands) {
		gpa_log(GPA_LOGGING_ERROR, "commandBuffer is not set");
		return NULL;
	}
	struct gpa_request *r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->raws = raws;
	r->commands = commands;
	while (r->query_count < count && raws[r->query_count] < RAW_COUNT)
		r->query_count++;
	r->perf_count = count - r->query_count;
	if (!take_pools(b, r)) {
		r->read = true; /* nothing is recorded */
		vk_release(context, r);
		return NULL;
	}
	vk_perf_begin(&b->vk, &r->perf);
	if (r->count)
		vk_count_begin(&b->vk, r->count);
	return r;
}

static bool vk_end(struct gpa_context *context, void *commands, struct gpa_request *request)
{
	struct vk_backend *b = context->impl;
	if (commands != request->commands) {
		gpa_log(GPA_LOGGING_ERROR, "the sample began in another command buffer");
		return false;
	}
	if (request->count)
		vk_count_end(&b->vk, request->count);
	vk_perf_end(&b->vk, &request->perf);
	return true;
}

static enum gpa_answer vk_collect(struct gpa_context *context, struct gpa_request *request,
				  uint64_t *values, bool *valid)
{
	struct vk_backend *b = context->impl;
	uint32_t count = request->query_count;
	enum gpa_answer answer = GPA_READY;
	for (uint32_t i = 0; i < count + request->perf_count; i++)
		valid[i] = true;
	if (request->count)
		answer = vk_count_read(&b->vk, request->count, request->raws, count, values);
	if (answer == GPA_READY && request->perf.pool)
		answer = vk_perf_read(&b->perf, &b->vk, &request->perf, values + count);
	request->read = answer == GPA_READY;
	return answer;
}

static bool vk_value(struct gpa_context *context, uint32_t counter, const uint64_t *raws,
		     union gpa_value *out)
{
	struct vk_backend *b = context->impl;
	if (counter < b->perf.first_counter || !b->perf.count)
		return query_counters_value(&context->counters[counter], raws, out);
	vk_perf_value(&b->perf, counter - b->perf.first_counter, raws[0], out);
	return true;
}

const struct gpa_backend gpa_backend = {
    .open = vk_open,
    .close = vk_close,
    .plan = vk_plan,
    .begin = vk_begin,
    .end = vk_end,
    .collect = vk_collect,
    .release = vk_release,
    .value = vk_value,
    .commands = commands_of,
    .same = same_device,
};
