/*
 * Counts the bytes of copies and fills. A driver that renders on the CPU does them on other threads
 * than its draws, so a sample with many bytes cannot be measured by the rasteriser's threads alone.
 */
#include "layer/vulkan/layer.h"

#define ALL_BYTES (UINT64_C(1) << 32) /* for VK_WHOLE_SIZE: larger than MOVED_LEAST in any case */
#define TEXEL	  4u		      /* bytes, as an estimate: formats are not tracked */

static void count_bytes(struct command *command, uint64_t bytes)
{
	if (command->untracked)
		return;
	command->tally.moved += bytes;
	command->now->tally.moved += bytes;
}

static uint64_t of_extent(VkExtent3D extent)
{
	return (uint64_t)extent.width * extent.height * extent.depth * TEXEL;
}

/* A function that adds the bytes of all regions. */
#define SUM(name, type, each)                                                                      \
	static uint64_t name(uint32_t count, const type *regions)                                  \
	{                                                                                          \
		uint64_t sum = 0;                                                                  \
                                                                                                   \
		for (uint32_t i = 0; i < count; i++)                                               \
			sum += each;                                                               \
		return sum;                                                                        \
	}
SUM(buffer_bytes, VkBufferCopy, regions[i].size)
SUM(buffer_bytes2, VkBufferCopy2, regions[i].size)
SUM(image_bytes, VkImageCopy, of_extent(regions[i].extent))
SUM(image_bytes2, VkImageCopy2, of_extent(regions[i].extent))
SUM(mixed_bytes, VkBufferImageCopy, of_extent(regions[i].imageExtent))
SUM(mixed_bytes2, VkBufferImageCopy2, of_extent(regions[i].imageExtent))

/* A hook that counts the bytes and calls the next layer. */
#define MOVE(name, bytes, parameters, arguments)                                                   \
	VKAPI_ATTR void VKAPI_CALL hook_##name parameters                                          \
	{                                                                                          \
		struct command *command = command_of(commandBuffer);                               \
                                                                                                   \
		count_bytes(command, bytes);                                                       \
		command->device->next.name arguments;                                              \
	}

MOVE(CmdFillBuffer, size == VK_WHOLE_SIZE ? ALL_BYTES : size,
     (VkCommandBuffer commandBuffer, VkBuffer to, VkDeviceSize offset, VkDeviceSize size,
      uint32_t data),
     (commandBuffer, to, offset, size, data))
MOVE(CmdCopyBuffer, buffer_bytes(count, regions),
     (VkCommandBuffer commandBuffer, VkBuffer from, VkBuffer to, uint32_t count,
      const VkBufferCopy *regions),
     (commandBuffer, from, to, count, regions))
MOVE(CmdCopyImage, image_bytes(count, regions),
     (VkCommandBuffer commandBuffer, VkImage from, VkImageLayout fromLayout, VkImage to,
      VkImageLayout toLayout, uint32_t count, const VkImageCopy *regions),
     (commandBuffer, from, fromLayout, to, toLayout, count, regions))
MOVE(CmdCopyBufferToImage, mixed_bytes(count, regions),
     (VkCommandBuffer commandBuffer, VkBuffer from, VkImage to, VkImageLayout layout,
      uint32_t count, const VkBufferImageCopy *regions),
     (commandBuffer, from, to, layout, count, regions))
MOVE(CmdCopyImageToBuffer, mixed_bytes(count, regions),
     (VkCommandBuffer commandBuffer, VkImage from, VkImageLayout layout, VkBuffer to,
      uint32_t count, const VkBufferImageCopy *regions),
     (commandBuffer, from, layout, to, count, regions))

#define MOVE2(name, info_type, bytes)                                                              \
	MOVE(name, bytes, (VkCommandBuffer commandBuffer, const info_type *info),                  \
	     (commandBuffer, info))
MOVE2(CmdCopyBuffer2, VkCopyBufferInfo2, buffer_bytes2(info->regionCount, info->pRegions))
MOVE2(CmdCopyBuffer2KHR, VkCopyBufferInfo2, buffer_bytes2(info->regionCount, info->pRegions))
MOVE2(CmdCopyImage2, VkCopyImageInfo2, image_bytes2(info->regionCount, info->pRegions))
MOVE2(CmdCopyImage2KHR, VkCopyImageInfo2, image_bytes2(info->regionCount, info->pRegions))
MOVE2(CmdCopyBufferToImage2, VkCopyBufferToImageInfo2,
      mixed_bytes2(info->regionCount, info->pRegions))
MOVE2(CmdCopyBufferToImage2KHR, VkCopyBufferToImageInfo2,
      mixed_bytes2(info->regionCount, info->pRegions))
MOVE2(CmdCopyImageToBuffer2, VkCopyImageToBufferInfo2,
      mixed_bytes2(info->regionCount, info->pRegions))
MOVE2(CmdCopyImageToBuffer2KHR, VkCopyImageToBufferInfo2,
      mixed_bytes2(info->regionCount, info->pRegions))
