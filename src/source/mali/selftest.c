/* The self-test: samples, and checks invariants between counters, by the hardware's names. */
#include "source/mali/mali.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define TERMS_MAX 12

/* "A + B <= C + D" or with "=="; a relation with a name that the catalog lacks does not apply. */
static const char *const texts[] = {
    "GPU_ITER_ACTIVE <= GPU_ACTIVE",
    "MCU_ACTIVE <= GPU_ACTIVE",
    "ITER_TILER_ACTIVE <= GPU_ITER_ACTIVE",
    "ITER_FRAG_ACTIVE <= GPU_ITER_ACTIVE",
    "ITER_COMP_ACTIVE <= GPU_ITER_ACTIVE",
    "ITER_TILER_READY_BLOCKED <= ITER_TILER_ACTIVE",
    "ITER_FRAG_READY_BLOCKED <= ITER_FRAG_ACTIVE",
    "ITER_COMP_READY_BLOCKED <= ITER_COMP_ACTIVE",
    "FRONT_FACING + BACK_FACING <= PRIM_VISIBLE",
    "PRIM_VISIBLE + PRIM_CULLED + PRIM_CLIPPED + PRIM_SAT_CULLED == TRIANGLES + LINES + POINTS",
    "PRIM_VISIBLE + PRIM_FACE_CULLED + PRIM_FRUSTUM_CULLED + PRIM_SAMPLE_CULLED + "
    "PRIM_SCISSOR_CULLED == TRIANGLES + LINES + POINTS",
    "L2_EXT_RRESP_0_127 + L2_EXT_RRESP_128_191 + L2_EXT_RRESP_192_255 + L2_EXT_RRESP_256_319 + "
    "L2_EXT_RRESP_320_383 <= L2_EXT_READ_BEATS",
    "L2_EXT_READ <= L2_EXT_READ_BEATS",
    "L2_EXT_WRITE <= L2_EXT_WRITE_BEATS",
    "L2_READ_LOOKUP + L2_WRITE_LOOKUP <= L2_ANY_LOOKUP",
    "EXEC_CORE_ACTIVE <= SHADER_CORE_ACTIVE",
    "FRAG_ACTIVE <= SHADER_CORE_ACTIVE",
    "COMPUTE_ACTIVE <= SHADER_CORE_ACTIVE",
    "FRAG_FPK_ACTIVE <= FRAG_ACTIVE",
    "FRAG_PARTIAL_QUADS_RAST <= FRAG_QUADS_RAST",
    "FRAG_QUADS_EZS_TEST <= FRAG_QUADS_RAST",
    "FRAG_QUADS_EZS_KILL + FRAG_QUADS_EZS_UPDATE <= FRAG_QUADS_EZS_TEST",
    "FRAG_LZS_KILL <= FRAG_LZS_TEST",
    /* A warp holds one quad at least; where there is a pre-pass, a quad may run twice. */
    "FRAG_WARPS <= FRAG_QUADS_RAST + FRAG_QUADS_RAST",
    "FRAG_WARPS_PRE_PASS <= FRAG_WARPS",
    "FRAG_PRIMITIVES_HSR_CULLED <= FRAG_PRIMITIVES_OUT_PRE_PASS",
    "FRAG_PRIMITIVES_OUT_PRE_PASS <= FRAG_PRIMITIVES_OUT + FRAG_PRIMITIVES_HSR_CULLED",
    "FULL_QUAD_WARPS <= FRAG_WARPS + COMPUTE_WARPS",
    "WARP_REG_SIZE_64 <= FRAG_WARPS + COMPUTE_WARPS",
    "EXEC_INSTR_DIVERGED <= EXEC_INSTR_FMA + EXEC_INSTR_CVT + EXEC_INSTR_SFU",
    "EXEC_INSTR_SLOT_1 <= EXEC_CORE_ACTIVE",
    "EXEC_ISSUE_SLOT_ANY <= EXEC_CORE_ACTIVE",
    "EXEC_INSTR_SFU + EXEC_INSTR_SFU + EXEC_INSTR_SFU + EXEC_INSTR_SFU <= EXEC_CORE_ACTIVE",
    "TEX_FILT_NUM_OPERATIONS <= SHADER_CORE_ACTIVE",
    "TEX_FILT_NUM_FXR_OPERATIONS + TEX_FILT_NUM_FST_OPERATIONS <= TEX_FILT_NUM_OPERATIONS",
    "TEX_MSGO_NUM_SINGLE_QUAD_MSG <= TEX_MSGO_NUM_MSG",
    "LS_MEM_READ_FULL + LS_MEM_READ_SHORT + LS_MEM_WRITE_FULL + LS_MEM_WRITE_SHORT + "
    "LS_MEM_ATOMIC <= SHADER_CORE_ACTIVE",
    "BEATS_RD_FTC_EXT <= BEATS_RD_FTC",
    "BEATS_RD_LSC_EXT <= BEATS_RD_LSC",
    "BEATS_RD_TEX_EXT <= BEATS_RD_TEX",
    "RT_RAY_TRI_BIN_1_4 + RT_RAY_TRI_BIN_5_8 + RT_RAY_TRI_BIN_9_12 + RT_RAY_TRI_BIN_13_16 == "
    "RT_RAY_TRI",
    "RT_TERM_FIRST_HIT <= RT_RAYS_STARTED",
    "RT_RAY_BOX_ISSUED <= SHADER_CORE_ACTIVE",
    "RT_RAY_TRI_ISSUED <= SHADER_CORE_ACTIVE",
};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))

struct term {
	uint32_t slot;
	bool right; /* of the comparison */
};

struct relation {
	enum mali_kind kind;
	bool equal, applies;
	struct term terms[TERMS_MAX];
	uint32_t count;
	/* What was found: how often it failed, and the first time with its numbers. */
	uint32_t failures, block;
	double sums[2];
};

struct mali_relations {
	struct relation list[TEXTS];
};

static bool add_term(struct relation *r, const struct sx_catalog *catalog, const char *name,
		     size_t length, bool right)
{
	char plain[64];
	uint32_t count;
	snprintf(plain, sizeof(plain), "%.*s", (int)length, name);
	uint32_t at = sx_catalog_find_counter(catalog, plain, SX_NONE, NULL);
	if (at == SX_NONE || r->count >= TERMS_MAX)
		return false;
	const struct sx_counter_info *counter = &sx_catalog_counters(catalog, &count)[at];
	uint32_t code = sx_catalog_blocks(catalog, &count)[counter->block].code;
	if (code >= MALI_KINDS || counter->scale != 1 || (r->count && r->kind != code))
		return false;
	r->kind = (enum mali_kind)code;
	r->terms[r->count++] = (struct term){counter->slot, right};
	return true;
}

static void parse(struct relation *r, const struct sx_catalog *catalog, const char *text)
{
	bool right = false;
	r->applies = true;
	while (*text && r->applies) {
		size_t length = strcspn(text, " ");
		if (*text == '<' || *text == '=') {
			right = true;
			r->equal = *text == '=';
		} else if (*text != '+') {
			r->applies = add_term(r, catalog, text, length, right);
		}
		text += length;
		text += strspn(text, " ");
	}
}

struct mali_relations *mali_relations_create(const struct sx_catalog *catalog)
{
	struct mali_relations *relations = calloc(1, sizeof(*relations));
	for (size_t i = 0; relations && i < TEXTS; i++)
		parse(&relations->list[i], catalog, texts[i]);
	return relations;
}

void mali_relations_destroy(struct mali_relations *relations)
{
	free(relations);
}

/* Adds up both sides in one block. false when a counter of it was not enabled. */
static bool sides(const struct relation *r, const struct mali_raw *raw, uint32_t block,
		  double sum[2])
{
	uint64_t enabled = mali_raw_get(raw, block, MALI_SLOT_ENABLE);
	sum[0] = sum[1] = 0;
	for (uint32_t i = 0; i < r->count; i++) {
		uint32_t slot = r->terms[i].slot;
		if (!(enabled >> slot / 4 & 1))
			return false;
		sum[r->terms[i].right] += (double)mali_raw_get(raw, block, slot);
	}
	return true;
}

static bool holds(const struct relation *r, const double sum[2], double slack)
{
	double room = slack * (sum[0] > sum[1] ? sum[0] : sum[1]);
	return sum[0] <= sum[1] + room && (!r->equal || sum[1] <= sum[0] + room);
}

static void check_block(struct relation *r, const struct mali_raw *raw, uint32_t index,
			double slack, struct mali_outcome *out)
{
	uint32_t block = mali_raw_block(raw, r->kind, index);
	double sum[2];
	if (block == UINT32_MAX || !sides(r, raw, block, sum))
		return;
	out->checked++;
	out->counted += sum[0] > 0 || sum[1] > 0;
	if (holds(r, sum, slack))
		return;
	out->failed++;
	if (r->failures++)
		return;
	r->block = index;
	r->sums[0] = sum[0];
	r->sums[1] = sum[1];
}

void mali_relations_check(struct mali_relations *relations, const struct mali_raw *raw,
			  double slack, struct mali_outcome *out)
{
	out->samples++;
	for (size_t i = 0; i < TEXTS; i++)
		for (uint32_t n = 0; relations->list[i].applies && n < 64; n++)
			check_block(&relations->list[i], raw, n, slack, out);
}

uint32_t mali_relations_report(const struct mali_relations *relations, const struct note_sink *to)
{
	static const char *const kinds[] = {"front-end", "tiler", "memory slice", "shader core"};
	uint32_t findings = 0;
	for (size_t i = 0; i < TEXTS; i++) {
		const struct relation *r = &relations->list[i];
		if (!r->failures)
			continue;
		note_sink_write(
		    to, "FAIL: %s does not hold: %.0f against %.0f in %s %u, and %u times more",
		    texts[i], r->sums[0], r->sums[1], kinds[r->kind], r->block, r->failures - 1);
		findings++;
	}
	return findings;
}

#define SAMPLES	    20
#define INTERVAL_NS UINT64_C(50000000)
#define WAIT_MS	    200
#define WAITS_MAX   50

static enum sx_status sample_and_check(struct source *source, const struct mali_raw *raw,
				       double slack, struct mali_relations *relations,
				       struct mali_outcome *out, struct sx_error *err)
{
	struct source_request request = {.interval_ns = INTERVAL_NS};
	enum sx_status status = source->ops->start(source, &request, err);
	for (int waits = 0; status == SX_OK && out->samples < SAMPLES && waits < WAITS_MAX;
	     waits++) {
		struct raw_sample sample;
		status = source->ops->read(source, WAIT_MS, &sample, err);
		if (status == SX_OK && sample.kind == RAW_MALI)
			mali_relations_check(relations, raw, slack, out);
		status = status == SX_AGAIN ? SX_OK : status;
	}
	enum sx_status stopped = source->ops->stop(source, status == SX_OK ? err : NULL);
	return status == SX_OK ? stopped : status;
}

static enum sx_status conclude(const struct mali_outcome *got, const char *catalog,
			       uint32_t findings, struct sx_error *err)
{
	if (got->failed) {
		error_set(err, SX_INCOMPLETE,
			  "the self-test of %s found counters that contradict each other", catalog);
		error_because(err, "%u relations do not hold, %u times in %u samples", findings,
			      got->failed, got->samples);
		error_try(err, "report this with the output of sextant doctor --selftest -v");
		return SX_INCOMPLETE;
	}
	if (got->counted)
		return SX_OK;
	error_set(err, SX_INCOMPLETE, "the self-test of %s had nothing to check", catalog);
	error_because(err,
		      got->samples ? "the GPU counted nothing in %u samples: it was idle"
				   : "there were %u samples",
		      got->samples);
	error_try(err, "again while a program draws, for example glmark2-es2");
	return SX_INCOMPLETE;
}

enum sx_status mali_selftest(struct source *source, const struct mali_raw *raw, const char *catalog,
			     double slack, const struct note_sink *to, struct sx_error *err)
{
	struct sx_catalog *opened = NULL;
	struct mali_relations *relations = NULL;
	struct mali_outcome got = {0};
	enum sx_status status = sx_catalog_open(source->catalogs, catalog, &opened, err);
	if (status == SX_OK && !(relations = mali_relations_create(opened)))
		status = error_nomem(err, "the self-test");
	if (status == SX_OK)
		status = sample_and_check(source, raw, slack, relations, &got, err);
	if (status == SX_OK) {
		uint32_t findings = mali_relations_report(relations, to);
		note_sink_write(
		    to, "%s: %u samples, %u relations checked, %u of them with counts, %u failed",
		    catalog, got.samples, got.checked, got.counted, got.failed);
		status = conclude(&got, catalog, findings, err);
	}
	mali_relations_destroy(relations);
	sx_catalog_unref(opened);
	return status;
}
