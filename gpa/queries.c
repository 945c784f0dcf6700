/* A table of counters and the query behind each. */
#include "gpa/queries.h"

#include <string.h>

struct query_counter {
	const char *name;
	uint32_t raw;
	const char *how;
};

/* Of the guide; the meaning of each is what the query counts. */
static const struct query_counter guided_counters[] = {
    {"GPUTime", RAW_TIME, "Read by two GL_TIMESTAMP queries."},
    {"VSVerticesIn", RAW_VS, "Read by GL_VERTEX_SHADER_INVOCATIONS."},
    {"HSPatches", RAW_TCS_PATCHES, "Read by GL_TESS_CONTROL_SHADER_PATCHES."},
    {"DSVerticesIn", RAW_TES, "Read by GL_TESS_EVALUATION_SHADER_INVOCATIONS."},
    {"GSPrimsIn", RAW_GS,
     "Read by GL_GEOMETRY_SHADER_INVOCATIONS; an instanced geometry shader counts each instance."},
    {"PrimitivesIn", RAW_CLIP_IN, "Read by GL_CLIPPING_INPUT_PRIMITIVES."},
    {"CSThreads", RAW_CS, "Read by GL_COMPUTE_SHADER_INVOCATIONS."},
};

/* The group that D3D11 answers with queries, in the order of AMD's library. */
static const struct query_counter d3d11_counters[] = {
#define QUERY(id, name, raw) {name, raw, NULL},
#include "wire/queries.def"
#undef QUERY
};

static bool is_overflow(uint32_t raw)
{
	return raw >= RAW_OVERFLOW && raw < RAW_FEEDBACK;
}

/* A driver's own counter of the name is there already and wins. */
static bool is_listed(const struct gpa_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, name) == 0)
			return true;
	return false;
}

static bool add(struct gpa_guide *guide, const bool *have, enum query_words words,
		const struct query_counter *query, struct gpa_list *list)
{
	struct gpa_counter counter;
	const char *how =
	    words == QUERY_VULKAN && query->how ? "Read by a query of Vulkan." : query->how;
	uint32_t needed[6] = {query->raw}, count = 1;
	if (!have[query->raw] || is_listed(list, query->name) ||
	    !guide_counter(guide, query->name, how, &counter))
		return true;
	if (is_overflow(query->raw)) {
		needed[count++] = RAW_FEEDBACK;
		for (uint32_t i = 0; i < 4; i++)
			if (have[RAW_WRITTEN + i])
				needed[count++] = RAW_WRITTEN + i;
	}
	return guide_add(guide, list, counter, needed, count);
}

bool query_counters_add(struct gpa_guide *guide, const bool *have, enum query_words words,
			struct gpa_list *list)
{
	for (size_t i = 0; i < sizeof(guided_counters) / sizeof(guided_counters[0]); i++)
		if (!add(guide, have, words, &guided_counters[i], list))
			return false;
	for (size_t i = 0; i < sizeof(d3d11_counters) / sizeof(d3d11_counters[0]); i++)
		if (!add(guide, have, words, &d3d11_counters[i], list))
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

bool query_counters_value(const struct gpa_counter *counter, const uint64_t *raws,
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
