/*
 * A model of a tile-based GPU: scenes of frames, passes, geometry, overdraw, textures, compute and
 * rays become counts of each block that satisfy what Arm's guides say of them. Pure and
 * deterministic.
 */
#ifndef MALI_MODEL_MODEL_H
#define MALI_MODEL_MODEL_H

#include <sextant/catalog.h>
#include "source/mali/mali.h"

enum model_name {
#define NAME(kind, name) MODEL_##name,
#include "source/mali_model/names.def"
#undef NAME
	MODEL_NAMES
};

/* What a program draws. Rates are for one frame, one fragment or one thread. */
struct model_scene {
	const char *name;
	double triangles, frustum, facing, scissor, sample; /* shares of what reaches each test */
	double vertex_reuse;				    /* position threads for each triangle */
	double passes, overdraw;   /* full-screen passes; fragments for each pixel */
	double early_kill, hidden; /* shares of quads removed by depth and by later quads */
	double late, partial;	   /* shares of quads tested late, and partly covered */
	double fma, cvt, sfu, narrow, diverged, blend; /* instructions of a warp; shares of them */
	double samples, filter;	       /* texture samples of a fragment; cycles of 8 of them */
	double texture_bytes, missing; /* bytes from L2 for a filtering cycle; share not in L2 */
	double varyings;	       /* 32-bit values of a fragment */
	double memory;		       /* load/store accesses of a warp */
	double threads;		       /* of compute */
	double rays, coherent;	       /* rays; share of full warps in traversal */
};

/* The GPU that is modelled. */
struct model_gpu {
	double clock_hz, target_fps, width, height;
	uint32_t slices, bus_bits;
	uint64_t core_mask;
	bool dual_issue; /* two arithmetic slots, prepass and ray tracing: fifth generation */
	double task_pixels, geometry_threads, varying_slots;
};

/* The work of one interval, all cores together. */
struct model_work {
	const struct model_scene *scene;
	double frames, active; /* frames, and cycles with work */
	double triangles, pixels, fragments, vertices, threads, rays;
	double fragment_cycles, geometry_cycles, compute_cycles; /* of the queues */
	double tilt;						 /* how unevenly cores are loaded */
	uint64_t external_reads, external_writes; /* bytes, as the blocks add them up */
};

/* Where each name lies in a dump; SX_NONE slots are left out. */
struct model_map {
	struct {
		uint32_t slot;
		uint64_t scale;
	} at[MODEL_NAMES];
	struct mali_raw *raw;
	uint32_t block; /* being filled */
};

/* The work from begin_ns to end_ns of a program that goes through all scenes in turn. */
void model_run(const struct model_gpu *gpu, uint64_t begin_ns, uint64_t end_ns,
	       struct model_work *out);
/* Resolves names by a catalog. false when it has none of them. */
bool model_map_init(struct model_map *map, const struct sx_catalog *catalog);
/* Fills a dump with the work; adds up its external traffic on the way. */
void model_fill(const struct model_gpu *gpu, struct model_work *work, struct model_map *map,
		struct mali_raw *raw);
#endif
