/* The scenes, and the load of an interval of them on the GPU. */
#include "source/mali_model/model.h"

#define SCENE_NS UINT64_C(1000000000)

static const struct model_scene scenes[] = {
    {.name = "forest", /* textured, alpha-tested: fragments and bandwidth */
     .triangles = 180e3,
     .frustum = 0.18,
     .facing = 0.34,
     .scissor = 0.01,
     .sample = 0.03,
     .vertex_reuse = 1.1,
     .passes = 2,
     .overdraw = 2.2,
     .early_kill = 0.22,
     .hidden = 0.12,
     .late = 0.24,
     .partial = 0.21,
     .fma = 16,
     .cvt = 6,
     .sfu = 1,
     .narrow = 0.35,
     .diverged = 0.06,
     .samples = 5,
     .filter = 3,
     .texture_bytes = 6,
     .missing = 0.3,
     .varyings = 6,
     .memory = 1.5,
     .threads = 2e5},
    {.name = "city", /* dense meshes: geometry */
     .triangles = 1.2e6,
     .frustum = 0.3,
     .facing = 0.46,
     .scissor = 0.02,
     .sample = 0.14,
     .vertex_reuse = 1.7,
     .passes = 1.5,
     .overdraw = 1.3,
     .early_kill = 0.35,
     .hidden = 0.08,
     .late = 0.02,
     .partial = 0.44,
     .fma = 18,
     .cvt = 7,
     .sfu = 1,
     .narrow = 0.4,
     .diverged = 0.02,
     .samples = 2,
     .filter = 1,
     .texture_bytes = 4,
     .missing = 0.25,
     .varyings = 5,
     .memory = 2.5,
     .threads = 1e5},
    {.name = "particles", /* blended layers: overdraw */
     .triangles = 90e3,
     .frustum = 0.1,
     .facing = 0.02,
     .scissor = 0.01,
     .sample = 0.02,
     .vertex_reuse = 2.1,
     .passes = 1,
     .overdraw = 6.5,
     .early_kill = 0.06,
     .hidden = 0.01,
     .late = 0.08,
     .partial = 0.12,
     .fma = 8,
     .cvt = 4,
     .sfu = 0.5,
     .narrow = 0.6,
     .diverged = 0.01,
     .blend = 0.06,
     .samples = 1,
     .filter = 1,
     .texture_bytes = 3,
     .missing = 0.1,
     .varyings = 18,
     .memory = 0.5,
     .threads = 3e5},
    {.name = "simulation", /* compute with scattered access */
     .triangles = 30e3,
     .frustum = 0.12,
     .facing = 0.45,
     .scissor = 0.01,
     .sample = 0.02,
     .vertex_reuse = 0.9,
     .passes = 1,
     .overdraw = 1.2,
     .early_kill = 0.3,
     .hidden = 0.05,
     .late = 0.01,
     .partial = 0.1,
     .fma = 12,
     .cvt = 6,
     .sfu = 1,
     .narrow = 0.1,
     .diverged = 0.22,
     .samples = 1,
     .filter = 1,
     .texture_bytes = 3,
     .missing = 0.2,
     .varyings = 3,
     .memory = 22,
     .threads = 4e6},
    {.name = "mirrors", /* reflections: rays, where the hardware has them */
     .triangles = 150e3,
     .frustum = 0.2,
     .facing = 0.44,
     .scissor = 0.01,
     .sample = 0.03,
     .vertex_reuse = 1.2,
     .passes = 1.5,
     .overdraw = 1.5,
     .early_kill = 0.3,
     .hidden = 0.1,
     .late = 0.03,
     .partial = 0.18,
     .fma = 32,
     .cvt = 12,
     .sfu = 3,
     .narrow = 0.3,
     .diverged = 0.17,
     .samples = 2,
     .filter = 1.1,
     .texture_bytes = 5,
     .missing = 0.3,
     .varyings = 6,
     .memory = 3,
     .threads = 5e5,
     .rays = 1.2e6,
     .coherent = 0.35},
};

/* A repeatable number from 0 to 1. */
static double noise(uint64_t seed)
{
	seed += UINT64_C(0x9e3779b97f4a7c15);
	seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)(seed >> 11 & 0x3fffffff) / 0x40000000;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

/* Cycles of one core for one warp: the busiest unit decides, and no core is kept full. */
static double warp_cycles(const struct model_gpu *gpu, const struct model_scene *s, bool fragment)
{
	double all = s->fma + s->cvt + s->sfu;
	double busiest = most(gpu->dual_issue ? all * 0.72 : all, s->sfu * 4);
	if (fragment) {
		busiest = most(busiest, 16 * s->samples / 8 * s->filter);
		busiest = most(busiest, 3 * s->varyings / gpu->varying_slots);
	}
	return most(busiest, s->memory) / 0.8;
}

static double count_cores(const struct model_gpu *gpu)
{
	return __builtin_popcountll(gpu->core_mask);
}

/* The cycles that one frame keeps each queue busy, and the frame as a whole. */
static double frame_cycles(const struct model_gpu *gpu, const struct model_scene *s,
			   struct model_work *frame)
{
	double cores = count_cores(gpu);
	double fragment = frame->fragments / 16 * warp_cycles(gpu, s, true) / cores;
	double geometry = frame->vertices / 16 * warp_cycles(gpu, s, false) / cores;
	double compute = frame->threads / 16 * warp_cycles(gpu, s, false) / cores;
	fragment += frame->rays * 3 / cores;
	double sum = fragment + geometry + compute;
	frame->fragment_cycles = fragment * 1.05;
	frame->geometry_cycles = most(geometry * 1.3, frame->triangles * 1.4);
	frame->compute_cycles = compute * 1.05;
	double longest =
	    most(frame->fragment_cycles, most(frame->geometry_cycles, frame->compute_cycles));
	return most(longest * 1.03, sum * 1.25) + 20000;
}

void model_run(const struct model_gpu *gpu, uint64_t begin_ns, uint64_t end_ns,
	       struct model_work *out)
{
	const struct model_scene *s =
	    &scenes[begin_ns / SCENE_NS % (sizeof(scenes) / sizeof(scenes[0]))];
	double seconds = (double)(end_ns - begin_ns) * 1e-9;
	double wobble = 0.95 + 0.1 * noise(begin_ns / 50000000);
	struct model_work frame = {.triangles = s->triangles * wobble,
				   .pixels = gpu->width * gpu->height * s->passes};
	frame.fragments = frame.pixels * s->overdraw * (0.97 + 0.06 * noise(end_ns));
	frame.vertices = frame.triangles * s->vertex_reuse * 1.6;
	frame.threads = s->threads;
	frame.rays = gpu->dual_issue ? s->rays : 0;
	double cycles = frame_cycles(gpu, s, &frame), fps = gpu->clock_hz / cycles;
	double n = seconds * (fps < gpu->target_fps ? fps : gpu->target_fps);
	*out = (struct model_work){.scene = s,
				   .frames = n,
				   .active = n * cycles,
				   .triangles = frame.triangles * n,
				   .pixels = frame.pixels * n,
				   .fragments = frame.fragments * n,
				   .vertices = frame.vertices * n,
				   .threads = frame.threads * n,
				   .rays = frame.rays * n,
				   .fragment_cycles = frame.fragment_cycles * n,
				   .geometry_cycles = frame.geometry_cycles * n,
				   .compute_cycles = frame.compute_cycles * n,
				   .tilt = 0.02 + 0.03 * noise(begin_ns ^ 77)};
}
