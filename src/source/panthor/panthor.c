/*
 * Malis under mainline drivers. panthor (CSF Malis) reports what the GPU is, but no counter
 * interface is merged, and the ioctl numbers of the proposed ones collide with other ioctls: so it
 * is queried, never commanded, and what is missing is reported. panfrost (Job Manager Malis) is
 * reported as such.
 */
#include "source/mali/mali.h"
#include "source/nodes.h"
#include "source/source.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#define PANTHOR_DEV_QUERY    0xc0106440u
#define PANTHOR_GPU_INFO     0u
#define PANTHOR_PERF_INFO    4u		      /* in the postings to dri-devel */
#define PANTHOR_PERF_PRIVATE ((1u << 30) - 2) /* in the driver that Arm ships */

struct panthor_query {
	uint32_t type, size;
	uint64_t pointer;
};

/* The part that is used; newer kernels add behind. */
struct panthor_gpu_info {
	uint32_t gpu_id, gpu_rev, csf_id, l2_features, tiler_features, mem_features;
	uint32_t unused[11];
	uint32_t pad;
	uint64_t shader_present, l2_present, tiler_present;
	uint32_t core_features, pad2;
};
_Static_assert(sizeof(struct panthor_gpu_info) == 104, "as the driver lays it out");

struct panthor_perf_info {
	uint32_t counters_per_block, sample_header, block_header, sample;
	uint32_t flags, clocks, blocks[6]; /* firmware, CSF, tiler, memory, core, neural */
};

static int panthor_ask(const struct sx_sys *sys, int fd, uint32_t type, void *data, uint32_t *size)
{
	struct panthor_query ask = {
	    .type = type, .size = *size, .pointer = (uint64_t)(uintptr_t)data};
	int result = sys->ioctl(sys->user, fd, PANTHOR_DEV_QUERY, &ask);
	*size = ask.size;
	return result;
}

static enum sx_status read_identity(const struct sx_sys *sys, int fd, struct mali_id *id,
				    struct sx_error *err)
{
	struct panthor_gpu_info info = {0};
	uint32_t size = sizeof(info);
	*id = (struct mali_id){0};
	if (panthor_ask(sys, fd, PANTHOR_GPU_INFO, &info, &size) < 0)
		return error_errno(err, errno, "panthor does not identify the GPU");
	mali_id_decode(info.gpu_id, id);
	id->core_mask = info.shader_present;
	id->slices = mali_id_slices(info.mem_features);
	id->bus_bits = mali_id_bus_bits(info.l2_features);
	return SX_OK;
}

enum perf_state { PERF_ABSENT, PERF_ODD, PERF_UNSETTLED };

/* A counter interface must describe its samples consistently, else nothing of it is used. */
static enum perf_state ask_perf(const struct sx_sys *sys, int fd)
{
	static const uint32_t types[] = {PANTHOR_PERF_PRIVATE, PANTHOR_PERF_INFO};
	for (size_t i = 0; i < 2; i++) {
		struct panthor_perf_info info = {0};
		uint32_t size = 0;
		if (panthor_ask(sys, fd, types[i], NULL, &size) < 0)
			continue;
		if (size != 44 && size != 48)
			return PERF_ODD;
		if (panthor_ask(sys, fd, types[i], &info, &size) < 0)
			return PERF_ODD;
		uint64_t blocks = 0;
		for (size_t k = 0; k < 6; k++)
			blocks += info.blocks[k];
		uint64_t block = info.block_header + 8 * (uint64_t)info.counters_per_block;
		return info.sample == info.sample_header + blocks * block ? PERF_UNSETTLED
									  : PERF_ODD;
	}
	return PERF_ABSENT;
}

static void panthor_explain(enum perf_state state, struct sx_error *err)
{
	error_set(err, SX_ERR_UNSUPPORTED, "panthor cannot be sampled");
	if (state == PERF_ABSENT)
		error_because(err, "this kernel's panthor has no interface for counters; mainline "
				   "Linux has none");
	else if (state == PERF_ODD)
		error_because(err,
			      "the sizes of samples that panthor reports contradict each other");
	else
		error_because(err, "this kernel has a counter interface from before its numbers "
				   "were final; sending it commands could hit others");
	error_try(err,
		  "use Arm's kbase driver, or decode dumps made elsewhere: sextant decode --as "
		  "mali-dump:u32");
}

static enum sx_status panthor_look(const struct sx_sys *sys, const struct drm_node *node,
				   struct mali_id *id, struct sx_error *err)
{
	char path[32];
	snprintf(path, sizeof(path), "/dev/dri/renderD%u", node->render);
	int fd = sys->open(sys->user, path, O_RDWR);
	if (fd < 0) {
		enum sx_status status = error_errno(err, errno, "cannot open %s", path);
		error_try(err, "add yourself to the group of %s", path);
		return status;
	}
	enum sx_status status = read_identity(sys, fd, id, err);
	if (status == SX_OK) {
		panthor_explain(ask_perf(sys, fd), err);
		status = SX_ERR_UNSUPPORTED;
	}
	sys->close(sys->user, fd);
	return status;
}

static void found_panthor(const struct source_host *host, const struct drm_node *node,
			  source_found_fn found, void *user)
{
	char id[24];
	struct mali_id gpu = {0};
	struct sx_error err = {0};
	struct mali_model_info model = {0};
	err.status = panthor_look(host->sys, node, &gpu, &err);
	bool known = gpu.gpu_id && mali_id_find(host->catalogs, &gpu, "panthor", &model);
	snprintf(id, sizeof(id), "renderD%u", node->render);
	struct sx_device device = {.id = id,
				   .source = "panthor",
				   .name = known ? model.name : "Mali",
				   .catalog = known ? model.catalog : NULL,
				   .driver = "panthor"};
	source_unusable(&device, &err);
	found(user, &device);
}

static void found_panfrost(const struct drm_node *node, source_found_fn found, void *user)
{
	char id[24];
	snprintf(id, sizeof(id), "renderD%u", node->render);
	found(user, &(struct sx_device){
			.id = id,
			.source = "panthor",
			.name = "Mali with a Job Manager",
			.driver = "panfrost",
			.state = SX_DEVICE_UNUSABLE,
			.obstacle = SX_ERR_NOT_FOUND,
			.because = "panfrost drives Malis before the G310's generation, which no "
				   "catalog describes",
			.remedy = "a catalog of this Mali; its dumps need the module parameter "
				  "unstable_ioctls=1"});
}

static void panthor_probe(const struct source_host *host, source_found_fn found, void *user)
{
	struct nodes panthor = nodes_list(host->sys, "panthor");
	struct nodes panfrost = nodes_list(host->sys, "panfrost");
	struct drm_node node;
	bool any = false;
	for (; nodes_next(&panthor, &node); any = true)
		found_panthor(host, &node, found, user);
	for (; nodes_next(&panfrost, &node); any = true)
		found_panfrost(&node, found, user);
	if (!any)
		found(user,
		      &(struct sx_device){.id = "renderD128",
					  .source = "panthor",
					  .name = "Mali",
					  .state = SX_DEVICE_ABSENT,
					  .because = "no render node is of panthor or panfrost"});
}

static enum sx_status panthor_open(const struct source_host *host, const char *id,
				   struct source **out, struct sx_error *err)
{
	struct drm_node node;
	struct mali_id gpu;
	if (!nodes_find(host->sys, "panthor", "panthor", id, &node))
		return error_set(err, SX_ERR_NOT_FOUND, "panthor has no device \"%s\"", id);
	return panthor_look(host->sys, &node, &gpu,
			    err); /* never SX_OK: nothing of it can be sampled yet */
}

const struct source_ops source_panthor = {
    .name = "panthor",
    .raw = RAW_MALI,
    .probe = panthor_probe,
    .open = panthor_open,
};
