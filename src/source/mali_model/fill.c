/*
 * A dump of the model: front-end, tiler, cores with their shares, and the memory traffic that they
 * cause. The shares of the cores add up to the whole.
 */
#include "source/mali_model/model.h"

#include <math.h>

static void model_set(const struct model_map *map, enum model_name name, double value)
{
	uint32_t slot = map->at[name].slot;
	if (slot != SX_NONE)
		mali_raw_set(map->raw, map->block, slot,
			     value > 0 ? (uint64_t)value / map->at[name].scale : 0);
}

/* Whole numbers on the way from warps to bytes. */
struct core {
	double warps, other_warps, rast, early, exec, active;
	double fma, cvt, sfu, arithmetic, issue, filter, slots, loads, rays;
};

static double core_part(double whole, double share)
{
	return floor(whole * share);
}

/* Quads: rasterized ones are killed early, killed by later ones, or shaded, four to a warp. */
static void fill_quads(const struct model_work *work, const struct model_map *map, struct core *c)
{
	const struct model_scene *s = work->scene;
	double shaded = c->warps * 4;
	c->rast = ceil(shaded / (1 - s->early_kill - s->hidden));
	c->early = core_part(c->rast, s->early_kill);
	double test = c->early + core_part(c->rast - c->early, (1 - s->late) * 0.96);
	model_set(map, MODEL_FRAG_QUADS_RAST, c->rast);
	model_set(map, MODEL_FRAG_QUADS_COARSE, core_part(c->rast, 0.94));
	model_set(map, MODEL_FRAG_PARTIAL_QUADS_RAST, core_part(c->rast, s->partial));
	model_set(map, MODEL_FRAG_QUADS_EZS_TEST, test);
	model_set(map, MODEL_FRAG_QUADS_EZS_KILL, c->early);
	model_set(map, MODEL_FRAG_QUADS_EZS_UPDATE, core_part(test - c->early, 0.9));
	model_set(map, MODEL_FRAG_LZS_TEST, core_part(shaded, s->late));
	model_set(map, MODEL_FRAG_LZS_KILL, core_part(core_part(shaded, s->late), 0.12));
}

/* Primitives as tiles list them; the prepass removes what it proves hidden. */
static void fill_tiles(const struct model_gpu *gpu, const struct model_work *work,
		       const struct model_map *map, double share, const struct core *c)
{
	double tiles = core_part(work->pixels * share, 1.0 / 1024);
	double listed = core_part(work->triangles * share, 0.45 * 2.1);
	double prepass = gpu->dual_issue ? core_part(listed, 0.8) : 0;
	double culled = core_part(prepass, work->scene->hidden);
	model_set(map, MODEL_FRAG_PTILES, tiles);
	model_set(map, MODEL_FRAG_TRANS_ELIM, core_part(tiles * 4, 0.07));
	model_set(map, MODEL_FRAG_PRIMITIVES_OUT, listed - culled + prepass);
	model_set(map, MODEL_FRAG_PRIMITIVES_OUT_PRE_PASS, prepass);
	model_set(map, MODEL_FRAG_PRIMITIVES_HSR_CULLED, culled);
	model_set(map, MODEL_FRAG_PRIMITIVES_HSR_DISABLED, core_part(listed - prepass, 0.5));
	model_set(map, MODEL_FRAG_PRIM_RAST, core_part(listed - culled, 0.97));
	model_set(map, MODEL_FRAG_WARPS_PRE_PASS,
		  gpu->dual_issue ? core_part(c->warps, work->scene->late * 0.2) : 0);
	model_set(map, MODEL_BEATS_WR_TIB, tiles * 1024 * 4 / 16);
}

static void fill_warps(const struct model_work *work, const struct model_map *map,
		       const struct core *c)
{
	double all = c->warps + c->other_warps;
	model_set(map, MODEL_FRAG_WARPS, c->warps);
	model_set(map, MODEL_FRAG_SHADER_THREADS,
		  4 * core_part(c->warps * 4, 1 - work->scene->partial * 0.35));
	model_set(map, MODEL_COMPUTE_WARPS, c->other_warps);
	model_set(map, MODEL_COMPUTE_TASKS, core_part(c->other_warps, 1.0 / 48));
	model_set(map, MODEL_FULL_QUAD_WARPS, core_part(all, 1 - work->scene->partial * 0.6));
	model_set(map, MODEL_WARP_REG_SIZE_64, core_part(all, 0.04 + work->scene->sfu * 0.05));
}

/* Arithmetic; with two issue slots the second takes what pairs. */
static void fill_arithmetic(const struct model_gpu *gpu, const struct model_work *work,
			    const struct model_map *map, struct core *c)
{
	const struct model_scene *s = work->scene;
	double all = c->warps + c->other_warps;
	c->fma = core_part(all, s->fma);
	c->cvt = core_part(all, s->cvt);
	c->sfu = core_part(all, s->sfu);
	double sum = c->fma + c->cvt + c->sfu;
	double second = gpu->dual_issue ? core_part(sum, 0.28) : 0;
	c->issue = sum - second;
	c->arithmetic = fmax(c->issue, fmax(second, c->sfu * 4));
	model_set(map, MODEL_EXEC_INSTR_FMA, c->fma);
	model_set(map, MODEL_EXEC_INSTR_CVT, c->cvt);
	model_set(map, MODEL_EXEC_INSTR_SFU, c->sfu);
	model_set(map, MODEL_EXEC_INSTR_NARROW, core_part(sum, s->narrow));
	model_set(map, MODEL_EXEC_INSTR_DIVERGED, core_part(sum, s->diverged));
	model_set(map, MODEL_EXEC_INSTR_SLOT_1, second);
	model_set(map, MODEL_EXEC_ISSUE_SLOT_ANY, c->issue);
	model_set(map, MODEL_CALL_BLEND_SHADER, core_part(c->warps, s->blend / 4));
}

/* Texturing: messages of up to two quads, and stages that are all a little less busy than
 * filtering. */
static void fill_texture(const struct model_work *work, const struct model_map *map, struct core *c)
{
	const struct model_scene *s = work->scene;
	double quads = core_part(c->warps * 4, s->samples), single = core_part(quads, 0.1);
	double messages = single + ceil((quads - single) / 2);
	c->filter = core_part(quads, 4.0 / 8 * s->filter);
	model_set(map, MODEL_TEX_MSGO_NUM_MSG, messages);
	model_set(map, MODEL_TEX_MSGO_NUM_SINGLE_QUAD_MSG, single);
	model_set(map, MODEL_TEX_FILT_NUM_OPERATIONS, c->filter);
	model_set(map, MODEL_TEX_FILT_NUM_FXR_OPERATIONS, core_part(c->filter, 0.7));
	model_set(map, MODEL_TEX_FILT_NUM_FST_OPERATIONS, core_part(c->filter, 0.2));
	model_set(map, MODEL_TEX_MSGI_NUM_FLITS, core_part(c->filter, 0.62));
	model_set(map, MODEL_TEX_MSGO_NUM_FLITS, core_part(c->filter, 0.7));
	model_set(map, MODEL_TEX_RSPS_NUM_OPERATIONS, core_part(c->filter, 0.7));
	model_set(map, MODEL_TEX_TIDX_NUM_OPERATIONS, core_part(c->filter, 0.55));
	model_set(map, MODEL_TEX_TFCH_NUM_TCL_OPERATIONS, core_part(c->filter, 0.8));
	model_set(map, MODEL_TEX_CFCH_NUM_L1_CT_OPERATIONS, core_part(c->filter, 0.4));
	model_set(map, MODEL_TEX_CFCH_NUM_L1_CL_OPERATIONS, core_part(c->filter, 0.35));
	model_set(map, MODEL_TEX_CFCH_NUM_DIRECT_PATH_OPERATIONS, core_part(c->filter, 0.2));
	model_set(map, MODEL_TEX_CFCH_NUM_RP_OPERATIONS, core_part(c->filter, 0.1));
}

static void fill_varyings(const struct model_work *work, const struct model_map *map,
			  struct core *c)
{
	double wide = core_part(c->warps, work->scene->varyings * 2), narrow = core_part(wide, 0.5);
	c->slots = wide + narrow;
	model_set(map, MODEL_VARY_SLOT_32, wide);
	model_set(map, MODEL_VARY_SLOT_16, narrow);
	model_set(map, MODEL_VARY_INSTR, core_part(c->warps, work->scene->varyings));
}

static void fill_memory(const struct model_work *work, const struct model_map *map, struct core *c)
{
	c->loads = core_part(c->warps + c->other_warps, work->scene->memory);
	model_set(map, MODEL_LS_MEM_READ_FULL, core_part(c->loads, 0.4));
	model_set(map, MODEL_LS_MEM_READ_SHORT, core_part(c->loads, 0.2 + work->scene->diverged));
	model_set(map, MODEL_LS_MEM_WRITE_FULL, core_part(c->loads, 0.2));
	model_set(map, MODEL_LS_MEM_WRITE_SHORT, core_part(c->loads, 0.08));
	model_set(map, MODEL_LS_MEM_ATOMIC, core_part(c->loads, 0.02));
}

/* Traffic of one unit: what it reads from L2, and the part that comes from outside. */
static void fill_reads(struct model_work *work, const struct model_map *map, enum model_name inside,
		       enum model_name outside, double beats)
{
	double external = core_part(beats, work->scene->missing);
	model_set(map, inside, floor(beats));
	model_set(map, outside, external);
	work->external_reads += (uint64_t)external * 16;
}

static void fill_traffic(struct model_work *work, const struct model_map *map, double share,
			 const struct core *c)
{
	double tiles = core_part(work->pixels * share, 1.0 / 1024),
	       written = core_part(c->loads, 0.9);
	fill_reads(work, map, MODEL_BEATS_RD_TEX, MODEL_BEATS_RD_TEX_EXT,
		   c->filter * work->scene->texture_bytes / 16);
	fill_reads(work, map, MODEL_BEATS_RD_LSC, MODEL_BEATS_RD_LSC_EXT, c->loads * 0.7);
	fill_reads(work, map, MODEL_BEATS_RD_FTC, MODEL_BEATS_RD_FTC_EXT,
		   tiles * 8 + work->triangles * share * 2);
	model_set(map, MODEL_BEATS_RD_OTHER, core_part(c->issue, 0.002));
	model_set(map, MODEL_BEATS_WR_LSC_WB, core_part(written, 0.7));
	model_set(map, MODEL_BEATS_WR_LSC_OTHER, core_part(written, 0.3));
	work->external_writes +=
	    (uint64_t)(tiles * 1024 * 4 * 0.93) + (uint64_t)(written * 16 * 0.6);
}

/* Four classes of how many rays of a warp were live; they add up to `all`. */
static void fill_bins(const struct model_map *map, enum model_name lowest, double all, double full)
{
	double rest = floor(all) - core_part(all, full), two = core_part(rest, 0.2),
	       three = core_part(rest, 0.2);
	model_set(map, lowest, rest - two - three);
	model_set(map, (enum model_name)(lowest + 1), two);
	model_set(map, (enum model_name)(lowest + 2), three);
	model_set(map, (enum model_name)(lowest + 3), core_part(all, full));
}

static void fill_rays(const struct model_work *work, const struct model_map *map, double share,
		      struct core *c)
{
	double rays = core_part(work->rays, share), boxes = rays * 3,
	       triangles = core_part(rays, 0.9);
	double hits = core_part(rays, 0.55);
	c->rays = core_part(boxes, 0.6);
	model_set(map, MODEL_RT_RAYS_STARTED, rays);
	model_set(map, MODEL_RT_RAY_BOX, boxes);
	model_set(map, MODEL_RT_RAY_BOX_ISSUED, c->rays);
	fill_bins(map, MODEL_RT_RAY_BOX_BIN_1_4, core_part(boxes, 0.3), work->scene->coherent);
	model_set(map, MODEL_RT_RAY_TRI, triangles);
	model_set(map, MODEL_RT_RAY_TRI_ISSUED, core_part(triangles, 0.8));
	fill_bins(map, MODEL_RT_RAY_TRI_BIN_1_4, triangles, work->scene->coherent);
	model_set(map, MODEL_RT_OPAQUE_HIT, hits - core_part(hits, 0.15));
	model_set(map, MODEL_RT_NON_OPAQUE_HIT, core_part(hits, 0.15));
	model_set(map, MODEL_RT_TERM_FIRST_HIT, core_part(rays, 0.3));
	model_set(map, MODEL_RT_MISS, core_part(rays, 0.35));
}

/* Times: the busiest unit decides how long warps stay, and the core is never less than that. */
static void fill_cycles(const struct model_gpu *gpu, const struct model_work *work,
			const struct model_map *map, struct core *c)
{
	double busiest = fmax(fmax(c->arithmetic, c->filter),
			      fmax(c->slots / gpu->varying_slots, fmax(c->loads, c->rays)));
	double fragments = c->warps / fmax(c->warps + c->other_warps, 1);
	c->active = core_part(work->active, 0.98);
	c->exec = fmin(ceil(busiest / 0.82), core_part(c->active, 0.98));
	model_set(map, MODEL_SHADER_CORE_ACTIVE, c->active);
	model_set(map, MODEL_EXEC_CORE_ACTIVE, c->exec);
	model_set(map, MODEL_EXEC_STARVE_ARITH, core_part(c->exec - fmin(c->issue, c->exec), 0.6));
	model_set(map, MODEL_FRAG_ACTIVE, core_part(c->active, 0.1 + 0.88 * fragments));
	model_set(map, MODEL_FRAG_FPK_ACTIVE,
		  core_part(core_part(c->active, 0.1 + 0.88 * fragments), 0.93));
	model_set(map, MODEL_FRAG_MAIN_PASS_STALLED_BY_PRE_PASS, core_part(c->active, 0.01));
	model_set(map, MODEL_COMPUTE_ACTIVE, core_part(c->active, 0.98 - 0.85 * fragments));
	model_set(map, MODEL_EXEC_MSG_STALLED_TEX,
		  core_part(c->exec, 0.3 * pow(c->filter / fmax(c->exec, 1), 2)));
	model_set(map, MODEL_EXEC_MSG_STALLED_VARY, core_part(c->exec, 0.01));
	model_set(map, MODEL_EXEC_MSG_STALLED_LSC,
		  core_part(c->exec, 0.3 * pow(c->loads / fmax(c->exec, 1), 2)));
	model_set(map, MODEL_EXEC_MSG_STALLED_ATTR, core_part(c->exec, 0.004));
	model_set(map, MODEL_EXEC_MSG_STALLED_ZS, core_part(c->exec, work->scene->late * 0.1));
	model_set(map, MODEL_EXEC_MSG_STALLED_BLEND, core_part(c->exec, work->scene->blend * 0.5));
}

/* The block of one core that does `share` of the work. */
static void model_fill_core(const struct model_gpu *gpu, struct model_work *work,
			    struct model_map *map, double share)
{
	struct core c = {.warps = floor(work->fragments * share / 16),
			 .other_warps = floor((work->threads + work->vertices) * share / 16)};
	fill_quads(work, map, &c);
	fill_tiles(gpu, work, map, share, &c);
	fill_warps(work, map, &c);
	fill_arithmetic(gpu, work, map, &c);
	fill_texture(work, map, &c);
	fill_varyings(work, map, &c);
	fill_memory(work, map, &c);
	fill_rays(work, map, share, &c);
	fill_cycles(gpu, work, map, &c);
	fill_traffic(work, map, share, &c);
}

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
	/* Queued, stalled, jobs and tasks are adjacent in the list of names. */
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
		double use = cores > 1 ? (2 * n / (cores - 1) - 1) * work->tilt : 0;
		begin_block(map, MALI_CORE, i);
		model_fill_core(gpu, work, map, (1 + use) / cores);
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
		double use = gpu->slices > 1 ? 0.02 * (i % 2 ? -1 : 1) : 0;
		if (gpu->slices % 2 && i == gpu->slices - 1)
			use = 0;
		fill_slice(gpu, work, map, (1 + use) / gpu->slices);
	}
}
