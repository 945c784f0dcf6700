/* Inserts command buffers of ours into the program's submissions. */
#include <stdlib.h>

#include "layer/vulkan/layer.h"

/* A device group has a mask for each command buffer; ours would need one, too. */
static bool has_masks(const struct insertions *in)
{
	const VkBaseInStructure *link = in->all.first ? in->all.first[in->info].pNext : NULL;
	while (link && link->sType != VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO)
		link = link->pNext;
	return link && ((const VkDeviceGroupSubmitInfo *)link)->commandBufferCount != 0;
}

bool insertions_reserve(struct insertions *in)
{
	size_t count = submission_count(in->all);
	if (has_masks(in))
		return false;
	if (in->fronts)
		return true;
	in->fronts = calloc(count, sizeof(VkCommandBuffer));
	in->infos =
	    calloc(in->all.count, in->all.first ? sizeof(VkSubmitInfo) : sizeof(VkSubmitInfo2));
	in->buffers = calloc(2 * count, in->all.first ? sizeof(VkCommandBuffer)
						      : sizeof(VkCommandBufferSubmitInfo));
	if (in->fronts && in->infos && in->buffers)
		return true;
	insertions_release(in);
	return false;
}

void insertions_put(struct insertions *in, VkCommandBuffer front)
{
	in->fronts[in->at] = front;
}

/* Its insertion must follow the command buffer that ends its rendering. */
static bool is_suspended(VkCommandBuffer handle)
{
	const struct command *command = command_of(handle);
	return !command->untracked && command->suspended;
}

const VkSubmitInfo *insertions_first(struct insertions *in)
{
	VkSubmitInfo *infos = in->infos;
	VkCommandBuffer *to = in->buffers;
	uint32_t at = 0, due = 0;
	if (!in->fronts)
		return in->all.first;
	for (uint32_t i = 0; i < in->all.count; i++) {
		const VkSubmitInfo *from = &in->all.first[i];
		infos[i] = *from;
		infos[i].pCommandBuffers = to;
		for (uint32_t k = 0; k < from->commandBufferCount; k++, at++) {
			bool suspended = is_suspended(from->pCommandBuffers[k]);
			if (in->fronts[at] && !suspended)
				*to++ = in->fronts[at];
			*to++ = from->pCommandBuffers[k];
			for (; !suspended && due <= at; due++) {
				if (in->fronts[due] && due != at)
					*to++ = in->fronts[due];
			}
		}
		infos[i].commandBufferCount = (uint32_t)(to - infos[i].pCommandBuffers);
	}
	return infos;
}

static VkCommandBufferSubmitInfo info_of(const VkCommandBufferSubmitInfo *beside,
					 VkCommandBuffer handle)
{
	VkCommandBufferSubmitInfo info = *beside;
	info.commandBuffer = handle;
	info.pNext = NULL;
	return info;
}

const VkSubmitInfo2 *insertions_second(struct insertions *in)
{
	VkSubmitInfo2 *infos = in->infos;
	VkCommandBufferSubmitInfo *to = in->buffers;
	uint32_t at = 0, due = 0;
	if (!in->fronts)
		return in->all.second;
	for (uint32_t i = 0; i < in->all.count; i++) {
		const VkSubmitInfo2 *from = &in->all.second[i];
		infos[i] = *from;
		infos[i].pCommandBufferInfos = to;
		for (uint32_t k = 0; k < from->commandBufferInfoCount; k++, at++) {
			const VkCommandBufferSubmitInfo *info = &from->pCommandBufferInfos[k];
			bool suspended = is_suspended(info->commandBuffer);
			if (in->fronts[at] && !suspended)
				*to++ = info_of(info, in->fronts[at]);
			*to++ = *info;
			for (; !suspended && due <= at; due++) {
				if (in->fronts[due] && due != at)
					*to++ = info_of(info, in->fronts[due]);
			}
		}
		infos[i].commandBufferInfoCount = (uint32_t)(to - infos[i].pCommandBufferInfos);
	}
	return infos;
}

void insertions_release(struct insertions *in)
{
	free(in->fronts);
	free(in->infos);
	free(in->buffers);
	in->fronts = NULL;
	in->infos = in->buffers = NULL;
}
