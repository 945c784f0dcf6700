/* A table of counters and the query behind each. */
#include "gpa/gl_counters.h"

#include <string.h>

struct query_counter {
	const char *name;
	uint32_t raw;
	const char *how;
};

/* Of the guide; the meaning of each is what the query counts. */
static const struct query_counter guided_counters[] = {
    {"GPUTime", GL_RAW_TIME, "Read by two GL_TIMESTAMP queries."},
    {"VSVerticesIn", GL_RAW_VS, "Read by GL_VERTEX_SHADER_INVOCATIONS."},
    {"HSPatches", GL_RAW_TCS_PATCHES, "Read by GL_TESS_CONTROL_SHADER_PATCHES."},
    {"DSVerticesIn", GL_RAW_TES, "Read by GL_TESS_EVALUATION_SHADER_INVOCATIONS."},
    {"GSPrimsIn", GL_RAW_GS,
     "Read by GL_GEOMETRY_SHADER_INVOCATIONS; an instanced geometry shader counts each instance."},
    {"PrimitivesIn", GL_RAW_CLIP_IN, "Read by GL_CLIPPING_INPUT_PRIMITIVES."},
    {"CSThreads", GL_RAW_CS, "Read by GL_COMPUTE_SHADER_INVOCATIONS."},
};

/* The group that D3D11 answers with queries, in the order of AMD's library. */
static const struct query_counter d3d11_counters[] = {
    {"D3DGPUTime", GL_RAW_TIME, NULL},
    {"Occlusion", GL_RAW_OCCLUSION, NULL},
    {"IAVertices", GL_RAW_VERTICES, NULL},
    {"IAPrimitives", GL_RAW_PRIMITIVES, NULL},
    {"VSInvocations", GL_RAW_VS, NULL},
    {"GSInvocations", GL_RAW_GS, NULL},
    {"GSPrimitives", GL_RAW_GS_PRIMITIVES, NULL},
    {"CInvocations", GL_RAW_CLIP_IN, NULL},
    {"CPrimitives", GL_RAW_CLIP_OUT, NULL},
    {"PSInvocations", GL_RAW_FS, NULL},
    {"HSInvocations", GL_RAW_TCS_PATCHES, NULL},
    {"DSInvocations", GL_RAW_TES, NULL},
    {"CSInvocations", GL_RAW_CS, NULL},
    {"OcclusionPredicate", GL_RAW_OCCLUSION, NULL},
    {"PrimsWritten", GL_RAW_WRITTEN, NULL},
    {"PrimsStorageNeed", GL_RAW_NEEDED, NULL},
    {"OverflowPred", GL_RAW_OVERFLOW, NULL},
    {"PrimsWritten_S0", GL_RAW_WRITTEN, NULL},
    {"PrimsStorageNeed_S0", GL_RAW_NEEDED, NULL},
    {"OverflowPred_S0", GL_RAW_STREAM_OVERFLOW, NULL},
    {"PrimsWritten_S1", GL_RAW_WRITTEN + 1, NULL},
    {"PrimsStorageNeed_S1", GL_RAW_NEEDED + 1, NULL},
    {"OverflowPred_S1", GL_RAW_STREAM_OVERFLOW + 1, NULL},
    {"PrimsWritten_S2", GL_RAW_WRITTEN + 2, NULL},
    {"PrimsStorageNeed_S2", GL_RAW_NEEDED + 2, NULL},
    {"OverflowPred_S2", GL_RAW_STREAM_OVERFLOW + 2, NULL},
    {"PrimsWritten_S3", GL_RAW_WRITTEN + 3, NULL},
    {"PrimsStorageNeed_S3", GL_RAW_NEEDED + 3, NULL},
    {"OverflowPred_S3", GL_RAW_STREAM_OVERFLOW + 3, NULL},
};

static bool is_overflow(uint32_t raw)
{
	return raw >= GL_RAW_OVERFLOW && raw < GL_RAW_FEEDBACK;
}

static bool add(struct gpa_guide *guide, const struct gl_raws *raws,
		const struct query_counter *query, struct gpa_list *list)
{
	struct gpa_counter counter;
	uint32_t needed[6] = {query->raw}, count = 1;
	if (!raws->have[query->raw] || !guide_counter(guide, query->name, query->how, &counter))
		return true;
	if (is_overflow(query->raw)) {
		needed[count++] = GL_RAW_FEEDBACK;
		for (uint32_t i = 0; i < 4; i++)
			if (raws->have[GL_RAW_WRITTEN + i])
				needed[count++] = GL_RAW_WRITTEN + i;
	}
	return guide_add(guide, list, counter, needed, count);
}

bool gl_counters_add(struct gpa_guide *guide, const struct gl_raws *raws, bool guided,
		     struct gpa_list *list)
{
	for (size_t i = 0; guided && i < sizeof(guided_counters) / sizeof(guided_counters[0]); i++)
		if (!add(guide, raws, &guided_counters[i], list))
			return false;
	for (size_t i = 0; i < sizeof(d3d11_counters) / sizeof(d3d11_counters[0]); i++)
		if (!add(guide, raws, &d3d11_counters[i], list))
			return false;
	return true;
}

/*
 * Some drivers answer an overflow query with true when no transform feedback ran at all, so it
 * holds only while feedback was on at an end of the sample, or when anything was written.
 */
static uint64_t overflow(const struct gpa_counter *counter, const uint64_t *raws)
{
	uint64_t ran = raws[1];
	for (uint32_t i = 2; i < counter->raw_count; i++)
		ran |= raws[i];
	return raws[0] && ran;
}

bool gl_counters_value(const struct gpa_counter *counter, const uint64_t *raws,
		       union gpa_value *out)
{
	if (counter->usage == GPA_USAGE_TYPE_MILLISECONDS)
		out->f64 = (double)raws[0] / 1e6;
	else if (counter->type == GPA_TYPE_FLOAT64)
		out->f64 = (double)raws[0];
	else if (is_overflow(counter->raws[0]))
		out->u64 = overflow(counter, raws);
	else
		out->u64 =
		    strcmp(counter->name, "OcclusionPredicate") == 0 ? raws[0] != 0 : raws[0];
	return true;
}
