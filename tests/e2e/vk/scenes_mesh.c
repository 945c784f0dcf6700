/*
 * Task and mesh shaders on a driver that has them, and what its own queries say of them: 25 groups
 * of two task invocations, each of which begets three groups of three mesh invocations that make a
 * triangle.
 */
#include <stdio.h>

#include "scenes.h"
#include "shaders_mesh.h"

#define VALUES 2u /* of the statistics, by their bits: task, mesh */

struct mesh {
	VkPipeline pipeline;
	PFN_vkCmdDrawMeshTasksEXT draw_tasks;
	VkQueryPool statistics, triangles; /* of the program, or VK_NULL_HANDLE */
};

static VkQueryPool make_pool(struct world *world, VkQueryType type,
			     VkQueryPipelineStatisticFlags bits)
{
	VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
				      .queryType = type,
				      .queryCount = 1,
				      .pipelineStatistics = bits};
	VkQueryPool pool;

	MUST(vkCreateQueryPool(world->device, &info, NULL, &pool));
	return pool;
}

static struct mesh make_mesh(struct world *world, bool queries)
{
	const struct stage stages[] = {STAGE(TASK_BIT_EXT, task_words),
				       STAGE(MESH_BIT_EXT, mesh_words), world_fragment};
	struct mesh mesh = {.pipeline = world_pipeline(world, world->pass, stages, 3),
			    .draw_tasks = (PFN_vkCmdDrawMeshTasksEXT)world_function(
				world, "vkCmdDrawMeshTasksEXT")};

	if (queries) {
		mesh.statistics =
		    make_pool(world, VK_QUERY_TYPE_PIPELINE_STATISTICS,
			      VK_QUERY_PIPELINE_STATISTIC_TASK_SHADER_INVOCATIONS_BIT_EXT |
				  VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT);
		mesh.triangles = make_pool(world, VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT, 0);
	}
	return mesh;
}

static void record_mesh(struct world *world, const struct mesh *mesh, VkCommandBuffer commands)
{
	world_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
	if (mesh->statistics) {
		vkCmdResetQueryPool(commands, mesh->statistics, 0, 1);
		vkCmdResetQueryPool(commands, mesh->triangles, 0, 1);
	}
	world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_INLINE);
	draw(world, commands, 2);
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, mesh->pipeline);
	if (mesh->statistics) {
		vkCmdBeginQuery(commands, mesh->statistics, 0, 0);
		vkCmdBeginQuery(commands, mesh->triangles, 0, 0);
	}
	mesh->draw_tasks(commands, 4, 3, 2);
	mesh->draw_tasks(commands, 1, 1, 1);
	if (mesh->statistics) {
		vkCmdEndQuery(commands, mesh->triangles, 0);
		vkCmdEndQuery(commands, mesh->statistics, 0);
	}
	vkCmdEndRenderPass(commands);
	MUST(vkEndCommandBuffer(commands));
}

static void say_results(struct world *world, const struct mesh *mesh)
{
	uint64_t values[VALUES] = {0}, triangles = 0;
	VkQueryResultFlags flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT;

	MUST(vkGetQueryPoolResults(world->device, mesh->statistics, 0, 1, sizeof(values), values,
				   sizeof(values), flags));
	MUST(vkGetQueryPoolResults(world->device, mesh->triangles, 0, 1, sizeof(triangles),
				   &triangles, sizeof(triangles), flags));
	printf("task %llu mesh %llu triangles %llu\n", (unsigned long long)values[0],
	       (unsigned long long)values[1], (unsigned long long)triangles);
}

static void run_mesh(struct world *world, int rounds, bool queries)
{
	struct mesh mesh = make_mesh(world, queries);
	VkCommandBuffer commands = world_commands(world, world->pool, false);

	for (int i = 0; i < rounds; i++) {
		record_mesh(world, &mesh, commands);
		world_run(world, commands);
		if (queries)
			say_results(world, &mesh);
	}
	vkDestroyQueryPool(world->device, mesh.statistics, NULL);
	vkDestroyQueryPool(world->device, mesh.triangles, NULL);
	vkDestroyPipeline(world->device, mesh.pipeline, NULL);
}

void scene_mesh_shaders(struct world *world, int rounds)
{
	run_mesh(world, rounds, false);
}

void scene_mesh_queries(struct world *world, int rounds)
{
	run_mesh(world, rounds, true);
}
