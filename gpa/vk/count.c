/* Recording and reading Vulkan queries. */
#include "gpa/vk/backend.h"

#include <stdlib.h>
#include <string.h>

/* Raws of pipeline statistics in the order of Vulkan's bits. */
static const uint8_t statistics[] = {RAW_VERTICES,	RAW_PRIMITIVES, RAW_VS,	      RAW_GS,
				     RAW_GS_PRIMITIVES, RAW_CLIP_IN,	RAW_CLIP_OUT, RAW_FS,
				     RAW_TCS_PATCHES,	RAW_TES,	RAW_CS};
#define STATISTICS     (sizeof(statistics) / sizeof(statistics[0]))
#define ALL_STATISTICS ((1u << STATISTICS) - 1)

/* Bits of vk_count.kinds; those of the streams follow. */
enum { KIND_TIME = 1, KIND_STATISTICS = 2, KIND_OCCLUSION = 4, KIND_STREAM = 8 };

static bool draws(const struct vk_api *vk)
{
	return vk->queue_flags & VK_QUEUE_GRAPHICS_BIT;
}

static bool runs_commands(const struct vk_api *vk)
{
	return vk->queue_flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);
}

void vk_count_probe(const struct vk_api *vk, const GPA_VulkanContext *context, bool *have)
{
	bool streams = context->transformFeedbackQueries && vk->vkCmdBeginQueryIndexedEXT &&
		       vk->vkCmdEndQueryIndexedEXT && draws(vk);
	have[RAW_TIME] = vk->timestamp_bits != 0;
	have[RAW_OCCLUSION] = context->occlusionQueryPrecise && draws(vk);
	for (size_t i = 0; i < STATISTICS; i++)
		have[statistics[i]] = context->pipelineStatisticsQuery && draws(vk);
	have[RAW_CS] = context->pipelineStatisticsQuery && runs_commands(vk);
	for (uint32_t raw = RAW_WRITTEN; raw < RAW_COUNT; raw++)
		have[raw] = streams;
}

/* The stream of a raw of transform feedback, or VK_STREAMS for any. */
static uint32_t stream_of(uint32_t raw)
{
	if (raw >= RAW_WRITTEN && raw < RAW_OVERFLOW)
		return (raw - RAW_WRITTEN) % VK_STREAMS;
	if (raw >= RAW_STREAM_OVERFLOW && raw < RAW_FEEDBACK)
		return raw - RAW_STREAM_OVERFLOW;
	return VK_STREAMS;
}

static uint32_t kind_of(uint32_t raw)
{
	uint32_t stream = stream_of(raw), all = 0;
	if (raw == RAW_TIME)
		return KIND_TIME;
	if (raw == RAW_OCCLUSION)
		return KIND_OCCLUSION;
	if (raw < RAW_WRITTEN)
		return KIND_STATISTICS;
	if (stream < VK_STREAMS)
		return (uint32_t)KIND_STREAM << stream;
	for (uint32_t i = 0; raw == RAW_OVERFLOW && i < VK_STREAMS; i++)
		all |= (uint32_t)KIND_STREAM << i;
	return all;
}

uint32_t vk_count_kinds(const uint32_t *raws, uint32_t raw_count)
{
	uint32_t kinds = 0;
	for (uint32_t i = 0; i < raw_count; i++)
		kinds |= kind_of(raws[i]);
	return kinds;
}

/* Statistics that a queue family without graphics may ask for. */
static uint32_t statistics_mask(const struct vk_api *vk)
{
	uint32_t mask = ALL_STATISTICS;
	for (uint32_t i = 0; i < STATISTICS; i++)
		if (!draws(vk) && statistics[i] != RAW_CS)
			mask &= ~(1u << i);
	return mask;
}

static bool count_make_pool(const struct vk_api *vk, VkQueryType type, uint32_t queries,
			    VkQueryPool *pool)
{
	bool counts = type == VK_QUERY_TYPE_PIPELINE_STATISTICS;
	const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
					    .queryType = type,
					    .queryCount = queries,
					    .pipelineStatistics = counts ? statistics_mask(vk) : 0};
	return vk->vkCreateQueryPool(vk->device, &info, NULL, pool) == VK_SUCCESS;
}

static bool make_pools(const struct vk_api *vk, struct vk_count *count)
{
	bool ok = true;
	if (count->kinds & KIND_TIME)
		ok = count_make_pool(vk, VK_QUERY_TYPE_TIMESTAMP, 2, &count->time);
	if (ok && count->kinds & KIND_STATISTICS)
		ok = count_make_pool(vk, VK_QUERY_TYPE_PIPELINE_STATISTICS, 1, &count->statistics);
	if (ok && count->kinds & KIND_OCCLUSION)
		ok = count_make_pool(vk, VK_QUERY_TYPE_OCCLUSION, 1, &count->occlusion);
	for (uint32_t i = 0; ok && i < VK_STREAMS; i++)
		if (count->kinds & (uint32_t)KIND_STREAM << i)
			ok = count_make_pool(vk, VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 1,
					     &count->streams[i]);
	return ok;
}

struct vk_count *vk_count_create(const struct vk_api *vk, uint32_t kinds)
{
	const VkEventCreateInfo event = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
	struct vk_count *count = calloc(1, sizeof(*count));
	if (!count)
		return NULL;
	count->kinds = kinds;
	bool ok = make_pools(vk, count);
	if (ok && runs_commands(vk))
		ok = vk->vkCreateEvent(vk->device, &event, NULL, &count->done) == VK_SUCCESS;
	if (ok)
		return count;
	vk_count_destroy(vk, count);
	return NULL;
}

void vk_count_destroy(const struct vk_api *vk, struct vk_count *count)
{
	vk->vkDestroyQueryPool(vk->device, count->time, NULL);
	vk->vkDestroyQueryPool(vk->device, count->statistics, NULL);
	vk->vkDestroyQueryPool(vk->device, count->occlusion, NULL);
	for (uint32_t i = 0; i < VK_STREAMS; i++)
		vk->vkDestroyQueryPool(vk->device, count->streams[i], NULL);
	vk->vkDestroyEvent(vk->device, count->done, NULL);
	free(count);
}

void vk_count_begin(const struct vk_api *vk, struct vk_count *count)
{
	VkCommandBuffer c = count->commands;
	count->recorded = true;
	if (count->time) {
		vk->vkCmdResetQueryPool(c, count->time, 0, 2);
		vk->vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, count->time, 0);
	}
	if (count->statistics) {
		vk->vkCmdResetQueryPool(c, count->statistics, 0, 1);
		vk->vkCmdBeginQuery(c, count->statistics, 0, 0);
	}
	if (count->occlusion) {
		vk->vkCmdResetQueryPool(c, count->occlusion, 0, 1);
		vk->vkCmdBeginQuery(c, count->occlusion, 0, VK_QUERY_CONTROL_PRECISE_BIT);
	}
	for (uint32_t i = 0; i < VK_STREAMS; i++) {
		if (!count->streams[i])
			continue;
		vk->vkCmdResetQueryPool(c, count->streams[i], 0, 1);
		vk->vkCmdBeginQueryIndexedEXT(c, count->streams[i], 0, 0, i);
	}
}

void vk_count_end(const struct vk_api *vk, struct vk_count *count)
{
	VkCommandBuffer c = count->commands;
	for (uint32_t i = 0; i < VK_STREAMS; i++)
		if (count->streams[i])
			vk->vkCmdEndQueryIndexedEXT(c, count->streams[i], 0, i);
	if (count->occlusion)
		vk->vkCmdEndQuery(c, count->occlusion, 0);
	if (count->statistics)
		vk->vkCmdEndQuery(c, count->statistics, 0);
	if (count->time)
		vk->vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, count->time, 1);
	if (count->done)
		vk->vkCmdSetEvent(c, count->done, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
}

/* Reads `words` values of each of `queries` queries, followed by its availability. */
static enum gpa_answer read_pool(const struct vk_api *vk, VkQueryPool pool, uint32_t queries,
				 uint32_t words, uint64_t *out)
{
	size_t stride = (words + 1) * sizeof(uint64_t);
	if (!pool)
		return GPA_READY;
	VkResult result = vk->vkGetQueryPoolResults(
	    vk->device, pool, 0, queries, queries * stride, out, stride,
	    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
	if (result != VK_SUCCESS && result != VK_NOT_READY)
		return GPA_LOST;
	for (uint32_t i = 0; i < queries; i++)
		if (!out[i * (words + 1) + words])
			return GPA_NOT_YET;
	return GPA_READY;
}

struct results {
	uint64_t time[4], statistics[STATISTICS + 1], occlusion[2], streams[VK_STREAMS][3];
};

/* How many statistics a pool holds. */
static uint32_t statistics_count(const struct vk_api *vk)
{
	return draws(vk) ? STATISTICS : 1;
}

static enum gpa_answer read_all(const struct vk_api *vk, const struct vk_count *count,
				struct results *r)
{
	enum gpa_answer answers[3 + VK_STREAMS] = {
	    read_pool(vk, count->time, 2, 1, r->time),
	    read_pool(vk, count->statistics, 1, statistics_count(vk), r->statistics),
	    read_pool(vk, count->occlusion, 1, 1, r->occlusion)};
	enum gpa_answer all = GPA_READY;
	for (uint32_t i = 0; i < VK_STREAMS; i++)
		answers[3 + i] = read_pool(vk, count->streams[i], 1, 2, r->streams[i]);
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		if (answers[i] > all)
			all = answers[i];
	return all;
}

static uint64_t time_ns(const struct vk_api *vk, const uint64_t *time)
{
	uint64_t mask = vk->timestamp_bits >= 64 ? UINT64_MAX : (1ull << vk->timestamp_bits) - 1;
	double ticks = (double)((time[2] - time[0]) & mask);
	return (uint64_t)(ticks * (double)vk->properties.limits.timestampPeriod);
}

static uint64_t value_of(const struct vk_api *vk, const struct results *r, uint32_t raw)
{
	uint32_t stream = stream_of(raw);
	if (raw == RAW_TIME)
		return time_ns(vk, r->time);
	if (raw == RAW_OCCLUSION)
		return r->occlusion[0];
	for (size_t i = 0; i < STATISTICS && raw < RAW_WRITTEN; i++)
		if (statistics[i] == raw)
			return r->statistics[draws(vk) ? i : 0];
	/* A stream's query gives what was written, then what was needed. */
	if (raw < RAW_NEEDED)
		return r->streams[stream][0];
	if (raw < RAW_OVERFLOW)
		return r->streams[stream][1];
	if (raw == RAW_FEEDBACK)
		return 1;
	for (uint32_t i = 0; i < VK_STREAMS; i++)
		if ((raw == RAW_OVERFLOW || i == stream) && r->streams[i][1] > r->streams[i][0])
			return 1;
	return 0;
}

enum gpa_answer vk_count_read(const struct vk_api *vk, const struct vk_count *count,
			      const uint32_t *raws, uint32_t raw_count, uint64_t *values)
{
	struct results r = {0};
	/* Reused pools hold older results until the event at the sample's end is set. */
	VkResult end = count->done ? vk->vkGetEventStatus(vk->device, count->done) : VK_EVENT_SET;
	if (end == VK_EVENT_RESET)
		return GPA_NOT_YET;
	enum gpa_answer answer = end == VK_EVENT_SET ? read_all(vk, count, &r) : GPA_LOST;
	for (uint32_t i = 0; answer == GPA_READY && i < raw_count; i++)
		values[i] = value_of(vk, &r, raws[i]);
	return answer;
}
