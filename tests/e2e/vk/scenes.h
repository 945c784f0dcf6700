/* Cases in files of their own. */
#ifndef TESTS_VK_SCENES_H
#define TESTS_VK_SCENES_H

#include "world.h"

/* One draw of so many triangles, in a pass. */
void draw(struct world *world, VkCommandBuffer commands, uint32_t triangles);
/* Five draws of two triangles, in a pass. */
void record_draws(struct world *world, VkCommandBuffer commands);

/* A dynamic rendering of two triangles, after a barrier. */
void record_dynamic(struct world *world, VkCommandBuffer commands);

/* Records a secondary command buffer that draws so many triangles within a pass. */
void record_secondary(struct world *world, VkCommandBuffer commands,
		      VkCommandBufferUsageFlags flags, uint32_t triangles);

/* scenes_feedback.c: transform feedback. */
void scene_feedback(struct world *world, int rounds);
void scene_streams(struct world *world, int rounds);

/* scenes_labels.c: labels over command buffers. */
void scene_labels_across(struct world *world, int rounds);
/* A label of the world's queue begins, and ends. */
void scene_queue_begin(struct world *world, const char *name);
void scene_queue_end(struct world *world);
/* scenes_machine.c: what only the made-up machine has. */
void scene_fills(struct world *world, int rounds);
void scene_filled(struct world *world, int rounds);
void scene_many(struct world *world, int rounds);
void scene_flood(struct world *world, int rounds);
void scene_vanish(struct world *world, int rounds);
void scene_heaps(struct world *world, int rounds);
void scene_queues(struct world *world, int rounds);
void scene_mesh(struct world *world, int rounds);
/* scenes_mesh.c: mesh shaders, without and with queries of the program. */
void scene_mesh_shaders(struct world *world, int rounds);
void scene_mesh_queries(struct world *world, int rounds);
/* scenes_overlap.c: a command buffer that runs again while it runs. */
void scene_overlap(struct world *world, int rounds);
void scene_overlap_waits(struct world *world, int rounds);
void scene_overlap_gated(struct world *world, int rounds);
void scene_overlap_computes(struct world *world, int rounds);
void scene_overlap_draws(struct world *world, int rounds);
void scene_overlap_once(struct world *world, int rounds);
void scene_overlap_queues(struct world *world, int rounds);
/* scenes_submits.c: many small submissions, and what they took. */
void scene_submits(struct world *world, int rounds);
/* The same, each submission within a label of its queue. */
void scene_submits_labelled(struct world *world, int rounds);
/* Two threads, one of which records anew, or frees, what it has just submitted. */
void scene_submits_anew(struct world *world, int rounds);
void scene_submits_empty(struct world *world, int rounds);
/* vkQueueSubmit() returns late, after the command buffer was recorded again. */
void scene_submits_late(struct world *world, int rounds);

#endif
