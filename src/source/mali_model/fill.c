/* A dump of the model: front-end, tiler, cores with their shares, and the memory that they load. */
#include "source/mali_model/model.h"

#include <math.h>

bool model_map_init(struct model_map *map, const struct sx_catalog *catalog)
{
	static const struct {
		const char *name;
		enum mali_kind kind;
	} names[] = {
#define FRONT_END	 MALI_FRONT_END
#define TILER		 MALI_TILER
#define MEMORY		 MALI_MEMORY
#define CORE		 MALI_CORE
#define NAME(kind, name) {#name, kind},
#include "source/mali_model/names.def"
#undef NAME
#undef CORE
#undef MEMORY
#undef TILER
#undef FRONT_END
	};
	uint32_t count, found = 0;
	const struct sx_counter_info *counters = sx_catalog_counters(catalog, &count);
	const struct sx_block_info *blocks = sx_catalog_blocks(catalog, &count);
	for (uint32_t i = 0; i < MODEL_NAMES; i++) {
		uint32_t at = sx_catalog_find_counter(catalog, names[i].name, SX_NONE, NULL);
		bool here = at != SX_NONE && counters[at].block != SX_NONE &&
			    blocks[counters[at].block].code == (uint32_t)names[i].kind;
		map->at[i].slot = here ? counters[at].slot : SX_NONE;
		map->at[i].scale = here ? counters[at].scale : 1;
		found += here;
	}
	return found > 0;
}

static double fill_part(double whole, double share)
{
	return floor(whole * share);
}

static void begin_block(struct model_map *map, enum mali_kind kind, uint32_t index)
{
	map->block = mali_raw_block(map->raw, kind, index);
	uint32_t every = map->raw->slots == 64 ? 0xffff : UINT32_MAX;
	mali_raw_set(map->raw, map->block, MALI_SLOT_ENABLE, every);
	mali_raw_set_state(map->raw, map->block,
			   MALI_STATE_ON | MALI_STATE_AVAILABLE | MALI_STATE_NORMAL);
}

static void fill_queue(const struct model_map *map, enum model_name active, double cycles,
		       double jobs, double tasks)
{
	/* Queued, stalled, jobs and tasks stand together in the list of names. */
	model_set(map, active, floor(cycles));
	model_set(map, (enum model_name)(active + 1), fill_part(cycles, 0.04));
	model_set(map, (enum model_name)(active + 2), floor(jobs));
	model_set(map, (enum model_name)(active + 3), floor(tasks));
}

static void fill_front_end(const struct model_gpu *gpu, const struct model_work *work,
			   struct model_map *map)
{
	double active = floor(work->active), commands = work->frames * work->scene->passes;
	begin_block(map, MALI_FRONT_END, 0);
	model_set(map, MODEL_GPU_ACTIVE, active);
	model_set(map, MODEL_GPU_ITER_ACTIVE, fill_part(active, 0.995));
	model_set(map, MODEL_MCU_ACTIVE, fmin(fill_part(active, 0.2), commands * 9000));
	model_set(map, MODEL_CEU_ACTIVE, fmin(fill_part(active, 0.1), commands * 4000));
	model_set(map, MODEL_LSU_ACTIVE, fmin(fill_part(active, 0.05), commands * 900));
	model_set(map, MODEL_CSHWIF0_ENABLED, active);
	model_set(map, MODEL_CSHWIF0_WAIT_BLOCKED, fill_part(active, 0.6));
	model_set(map, MODEL_GPU_IRQ_ACTIVE, fill_part(active, 0.004));
	model_set(map, MODEL_GPU_IRQ_COUNT, floor(commands * 3));
	model_set(map, MODEL_CACHE_FLUSH, floor(commands));
	model_set(map, MODEL_CACHE_FLUSH_CYCLES, fill_part(active, 0.003));
	fill_queue(map, MODEL_ITER_TILER_ACTIVE, fmin(work->geometry_cycles, active * 0.99),
		   commands, work->vertices / 1024);
	fill_queue(map, MODEL_ITER_FRAG_ACTIVE, fmin(work->fragment_cycles, active * 0.99),
		   commands, ceil(work->pixels / gpu->task_pixels));
	fill_queue(map, MODEL_ITER_COMP_ACTIVE, fmin(work->compute_cycles, active * 0.99),
		   work->frames * 2, work->threads / 768);
}

/* Each test sees what the one before let pass; the two generations test in another order. */
static double fill_culling(const struct model_gpu *gpu, const struct model_work *work,
			   const struct model_map *map)
{
	const struct model_scene *s = work->scene;
	double left = floor(work->triangles);
	double frustum = fill_part(left, s->frustum);
	double scissor = gpu->dual_issue ? fill_part(left - frustum, s->scissor) : 0;
	double facing = fill_part(left - frustum - scissor, s->facing);
	double sample = fill_part(left - frustum - scissor - facing, s->sample);
	double near_far = fill_part(frustum, 0.1);
	model_set(map, MODEL_PRIM_FRUSTUM_CULLED, frustum);
	model_set(map, MODEL_PRIM_SCISSOR_CULLED, scissor);
	model_set(map, MODEL_PRIM_FACE_CULLED, facing);
	model_set(map, MODEL_PRIM_SAMPLE_CULLED, sample);
	model_set(map, MODEL_PRIM_CULLED, facing + frustum - near_far);
	model_set(map, MODEL_PRIM_CLIPPED, near_far);
	model_set(map, MODEL_PRIM_SAT_CULLED, sample);
	return left - frustum - scissor - facing - sample;
}

static void fill_tiler(const struct model_gpu *gpu, const struct model_work *work,
		       struct model_map *map)
{
	begin_block(map, MALI_TILER, 0);
	double visible = fill_culling(gpu, work, map), lines = fill_part(work->triangles, 0.002);
	double requests = ceil(work->triangles * work->scene->vertex_reuse / gpu->geometry_threads);
	double varyings = ceil(visible * work->scene->vertex_reuse / gpu->geometry_threads);
	model_set(map, MODEL_TILER_ACTIVE,
		  fmin(fill_part(work->active, 0.98), work->geometry_cycles));
	model_set(map, MODEL_TRIANGLES, floor(work->triangles) - lines);
	model_set(map, MODEL_LINES, lines);
	model_set(map, MODEL_PRIM_VISIBLE, visible);
	model_set(map, MODEL_FRONT_FACING, visible - fill_part(visible, 0.03));
	model_set(map, MODEL_BACK_FACING, fill_part(visible, 0.03));
	model_set(map, MODEL_IDVS_POS_SHAD_REQ, requests);
	model_set(map, MODEL_IDVS_VAR_SHAD_REQ, varyings);
	model_set(map, MODEL_POS_SHADER_WARPS, requests);
	model_set(map, MODEL_VAR_SHADER_WARPS, varyings);
	model_set(map, MODEL_VCACHE_HIT, fill_part(work->triangles, 2));
	model_set(map, MODEL_VCACHE_MISS, fill_part(work->triangles, 0.6));
	model_set(map, MODEL_BUS_READ, fill_part(work->triangles, 1.5));
}

/* Latency grows with load; the classes are cut from the beats, and the slowest is what remains. */
static void fill_latency(const struct model_map *map, double beats, double load)
{
	double slow = fmin(0.6, load * load), left = beats;
	const double shares[] = {0.15 * (1 - slow), 0.5 * (1 - slow), 0.25 * (1 - slow * 0.6),
				 0.05 + slow * 0.35, 0.02 + slow * 0.25};
	for (int i = 0; i < 5; i++) {
		double now = fmin(left, fill_part(beats, shares[i]));
		model_set(map, (enum model_name)((int)MODEL_L2_EXT_RRESP_0_127 + i), now);
		left -= now;
	}
}

static void fill_slice(const struct model_gpu *gpu, const struct model_work *work,
		       struct model_map *map, double share)
{
	double beat_bytes = gpu->bus_bits / 8.0, active = floor(work->active);
	double reads = ceil((double)work->external_reads * share / beat_bytes);
	double writes = ceil((double)work->external_writes * share / beat_bytes);
	double load = (reads + writes) / fmax(active, 1), lookups = ceil(reads * 4 + writes * 2);
	model_set(map, MODEL_L2_EXT_READ_BEATS, reads);
	model_set(map, MODEL_L2_EXT_READ, ceil(reads / 4));
	model_set(map, MODEL_L2_EXT_WRITE_BEATS, writes);
	model_set(map, MODEL_L2_EXT_WRITE, ceil(writes / 4));
	model_set(map, MODEL_L2_EXT_AR_STALL, fill_part(active, fmin(0.9, load * load * 0.8)));
	model_set(map, MODEL_L2_EXT_W_STALL, fill_part(active, fmin(0.9, load * load * 0.3)));
	model_set(map, MODEL_L2_ANY_LOOKUP, lookups);
	model_set(map, MODEL_L2_READ_LOOKUP, fill_part(lookups, 0.7));
	model_set(map, MODEL_L2_WRITE_LOOKUP, fill_part(lookups, 0.25));
	model_set(map, MODEL_L2_RD_MSG_IN, fill_part(lookups, 0.68));
	model_set(map, MODEL_L2_WR_MSG_IN, fill_part(lookups, 0.24));
	fill_latency(map, reads, load);
}

/* Cores get shares around their mean that add up to one; the last ones get the most. */
static void fill_cores(const struct model_gpu *gpu, struct model_work *work, struct model_map *map)
{
	double cores = __builtin_popcountll(gpu->core_mask), n = 0;
	for (uint32_t i = 0; i < 64; i++) {
		if (!(gpu->core_mask >> i & 1))
			continue;
		double lean = cores > 1 ? (2 * n / (cores - 1) - 1) * work->tilt : 0;
		begin_block(map, MALI_CORE, i);
		model_fill_core(gpu, work, map, (1 + lean) / cores);
		n++;
	}
}

void model_fill(const struct model_gpu *gpu, struct model_work *work, struct model_map *map,
		struct mali_raw *raw)
{
	map->raw = raw;
	mali_raw_clear(raw);
	fill_front_end(gpu, work, map);
	fill_tiler(gpu, work, map);
	work->external_reads = (uint64_t)(work->triangles * 24);
	work->external_writes = (uint64_t)(work->triangles * 8);
	fill_cores(gpu, work, map);
	for (uint32_t i = 0; i < gpu->slices; i++) {
		begin_block(map, MALI_MEMORY, i);
		double lean = gpu->slices > 1 ? 0.02 * (i % 2 ? -1 : 1) : 0;
		if (gpu->slices % 2 && i == gpu->slices - 1)
			lean = 0;
		fill_slice(gpu, work, map, (1 + lean) / gpu->slices);
	}
}
