/* The table of query targets. */
#include "preload/sampler.h"
#include "wire/channel.h"

#define FEATURE(name) offsetof(struct api_features, name)
#define STATISTIC(target, counter, part)                                                           \
	{                                                                                          \
		target, 0, false, counter, -1, FEATURE(statistics), part                           \
	}
#define WRITTEN(k, second)                                                                         \
	{                                                                                          \
		GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, k, false, WIRE_STREAM_FIRST + 3 * (k),   \
		    second, (k) == 0 ? FEATURE(feedback) : FEATURE(indexed), PART_FEEDBACK         \
	}
#define GENERATED(k, second)                                                                       \
	{                                                                                          \
		GL_PRIMITIVES_GENERATED, k, false, WIRE_STREAM_FIRST + 3 * (k) + 1, second,        \
		    (k) == 0 ? FEATURE(generated) : FEATURE(indexed), (k) == 0 ? 0 : PART_GEOMETRY \
	}
#define OVERFLOW(k)                                                                                \
	{                                                                                          \
		GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW, k, true, WIRE_STREAM_FIRST + 3 * (k) + 2,   \
		    -1, FEATURE(overflow), 0                                                       \
	}

const struct target targets[SLOT_COUNT] = {
    {GL_SAMPLES_PASSED, 0, false, WIRE_OCCLUSION, -1, FEATURE(occlusion), 0},
    {GL_ANY_SAMPLES_PASSED, 0, true, WIRE_OCCLUSION_PREDICATE, -1, FEATURE(occlusion_any), 0},
    {GL_ANY_SAMPLES_PASSED_CONSERVATIVE, 0, true, -1, -1, FEATURE(conservative), 0},
    {GL_TIME_ELAPSED, 0, false, WIRE_GPU_TIME, -1, FEATURE(timer), 0},
    STATISTIC(GL_VERTICES_SUBMITTED, WIRE_IA_VERTICES, 0),
    STATISTIC(GL_PRIMITIVES_SUBMITTED, WIRE_IA_PRIMITIVES, 0),
    STATISTIC(GL_VERTEX_SHADER_INVOCATIONS, WIRE_VS_INVOCATIONS, 0),
    STATISTIC(GL_GEOMETRY_SHADER_INVOCATIONS, WIRE_GS_INVOCATIONS, PART_GEOMETRY),
    STATISTIC(GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED, WIRE_GS_PRIMITIVES, PART_GEOMETRY),
    STATISTIC(GL_CLIPPING_INPUT_PRIMITIVES, WIRE_C_INVOCATIONS, 0),
    STATISTIC(GL_CLIPPING_OUTPUT_PRIMITIVES, WIRE_C_PRIMITIVES, 0),
    STATISTIC(GL_FRAGMENT_SHADER_INVOCATIONS, WIRE_PS_INVOCATIONS, 0),
    STATISTIC(GL_TESS_CONTROL_SHADER_PATCHES, WIRE_HS_INVOCATIONS, PART_TESSELLATION),
    STATISTIC(GL_TESS_EVALUATION_SHADER_INVOCATIONS, WIRE_DS_INVOCATIONS, PART_TESSELLATION),
    STATISTIC(GL_COMPUTE_SHADER_INVOCATIONS, WIRE_CS_INVOCATIONS, PART_COMPUTE),
    WRITTEN(0, WIRE_PRIMS_WRITTEN),
    WRITTEN(1, -1),
    WRITTEN(2, -1),
    WRITTEN(3, -1),
    GENERATED(0, WIRE_PRIMS_STORAGE_NEED),
    GENERATED(1, -1),
    GENERATED(2, -1),
    GENERATED(3, -1),
    {GL_TRANSFORM_FEEDBACK_OVERFLOW, 0, true, WIRE_OVERFLOW_PRED, -1, FEATURE(overflow), 0},
    OVERFLOW(0),
    OVERFLOW(1),
    OVERFLOW(2),
    OVERFLOW(3),
};

int target_slot(GLenum target, GLuint index)
{
	for (int slot = 0; slot < SLOT_COUNT; slot++) {
		if (targets[slot].target == target && targets[slot].index == index)
			return slot;
	}
	return -1;
}

static bool is_indexed(int slot)
{
	return targets[slot].index != 0;
}

void target_begin(const struct api *gl, int slot, GLuint name)
{
	if (is_indexed(slot))
		gl->BeginQueryIndexed(targets[slot].target, targets[slot].index, name);
	else
		gl->BeginQuery(targets[slot].target, name);
}

void target_end(const struct api *gl, int slot)
{
	if (is_indexed(slot))
		gl->EndQueryIndexed(targets[slot].target, targets[slot].index);
	else
		gl->EndQuery(targets[slot].target);
}

uint32_t target_slots_of(unsigned parts)
{
	uint32_t slots = 0;
	for (int slot = 0; slot < SLOT_COUNT; slot++) {
		if ((targets[slot].part & parts) != 0)
			slots |= SLOT_BIT(slot);
	}
	return slots;
}

bool target_has_feature(const struct api *gl, int slot)
{
	return *((const bool *)&gl->has + targets[slot].feature);
}
