/* The model as a source: a Mali without hardware. Everything it delivers is simulated. */
#include "source/mali_model/model.h"
#include "source/mali/mali.h"
#include "source/source.h"
#include "base/clock.h"
#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD_NS     UINT64_C(10000000)
#define PERIOD_MIN_NS UINT64_C(100000)
#define PERIOD_MAX_NS UINT64_C(60000000000)

struct model_device {
	const char *id, *name;
	struct model_gpu gpu;
};

static const struct model_device devices[] = {
    {"mali-g310",
     "Mali-G310 (simulated)",
     {.clock_hz = 850e6,
      .target_fps = 60,
      .width = 1280,
      .height = 720,
      .slices = 1,
      .bus_bits = 128,
      .core_mask = 0x7,
      .task_pixels = 1024,
      .geometry_threads = 4,
      .varying_slots = 2}},
    {"mali-g625",
     "Mali-G625 (simulated)",
     {.clock_hz = 1000e6,
      .target_fps = 60,
      .width = 1920,
      .height = 1080,
      .slices = 2,
      .bus_bits = 128,
      .core_mask = 0x3f,
      .dual_issue = true,
      .task_pixels = 4096,
      .geometry_threads = 16,
      .varying_slots = 4}},
};
#define DEVICES (sizeof(devices) / sizeof(devices[0]))

struct mali_model {
	struct source base;
	const struct model_device *device;
	struct source_desc desc;
	struct sx_constant_value constants[MALI_CONSTANTS_MAX];
	struct model_map map;
	struct mali_raw raw;
	uint64_t period_ns, begin_ns, epoch_ns;
	bool started, stopped;
	uint64_t stop_ns; /* what was due until then is still given */
};

static void mali_model_probe(const struct source_host *host, source_found_fn found, void *user)
{
	for (size_t i = 0; i < DEVICES; i++)
		found(user, &(struct sx_device){.id = devices[i].id,
						.source = "mali_model",
						.name = devices[i].name,
						.catalog = devices[i].id,
						.state = SX_DEVICE_SIMULATED,
						.because = "a model, no hardware"});
}

static enum sx_status load_map(struct mali_model *m, struct sx_error *err)
{
	struct sx_catalog *catalog = NULL;
	enum sx_status status = sx_catalog_open(m->base.catalogs, m->device->id, &catalog, err);
	uint32_t blocks;
	if (status == SX_OK && !model_map_init(&m->map, catalog))
		status =
		    error_set(err, SX_ERR_BAD_INPUT,
			      "the catalog %s has no counter that the model knows", m->device->id);
	const struct model_gpu *gpu = &m->device->gpu;
	if (status == SX_OK &&
	    !mali_raw_init(&m->raw, 8, sx_catalog_blocks(catalog, &blocks)[0].slots, gpu->slices,
			   gpu->core_mask))
		status = error_nomem(err, "a simulated Mali");
	sx_catalog_unref(catalog);
	return status;
}

static void describe_device(struct mali_model *m)
{
	const struct model_gpu *gpu = &m->device->gpu;
	const struct mali_id id = {.core_mask = gpu->core_mask,
				   .slices = gpu->slices,
				   .bus_bits = gpu->bus_bits,
				   .freq_khz_max = (uint64_t)(gpu->clock_hz / 1e3)};
	m->desc = (struct source_desc){.catalog = m->device->id,
				       .facts.name = m->device->name,
				       .facts.driver = "model",
				       .facts.simulated = true,
				       .facts.constants = m->constants};
	m->desc.facts.constant_count = mali_id_constants(&id, m->constants);
}

static void mali_model_close(struct source *source)
{
	struct mali_model *m = (struct mali_model *)source;
	mali_raw_finish(&m->raw);
	free(m);
}

static enum sx_status mali_model_open(const struct source_host *host, const char *id,
				      struct source **out, struct sx_error *err)
{
	const struct model_device *device = NULL;
	for (size_t i = 0; i < DEVICES; i++)
		if (!strcmp(devices[i].id, id))
			device = &devices[i];
	if (!device)
		return error_set(err, SX_ERR_NOT_FOUND, "there is no model of \"%s\"", id);
	struct mali_model *m = calloc(1, sizeof(*m));
	if (!m)
		return error_nomem(err, "a simulated Mali");
	m->base = (struct source){&source_mali_model, host->sys, host->catalogs, &m->desc};
	m->device = device;
	enum sx_status status = load_map(m, err);
	if (status != SX_OK) {
		mali_model_close(&m->base);
		return status;
	}
	describe_device(m);
	*out = &m->base;
	return SX_OK;
}

static enum sx_status now(struct mali_model *m, uint64_t *out, struct sx_error *err)
{
	*out = sys_now_ns(m->base.sys);
	return *out ? SX_OK : error_errno(err, errno, "cannot read the clock");
}

static enum sx_status mali_model_start(struct source *source, const struct source_request *request,
				       struct sx_error *err)
{
	struct mali_model *m = (struct mali_model *)source;
	m->period_ns = request->interval_ns ? request->interval_ns : PERIOD_NS;
	if (m->period_ns < PERIOD_MIN_NS || m->period_ns > PERIOD_MAX_NS) {
		error_set(err, SX_ERR_USAGE, "the model does not sample every %g us",
			  (double)m->period_ns * 1e-3);
		error_because(err, "neither does the hardware that it models");
		error_try(err, "choose an interval from 100us to 60s");
		return SX_ERR_USAGE;
	}
	m->started = true;
	m->stopped = false;
	enum sx_status status = now(m, &m->epoch_ns, err);
	m->begin_ns = m->epoch_ns;
	return status;
}

static void make_sample(struct mali_model *m, uint64_t end_ns, struct raw_sample *out)
{
	struct model_work work;
	/* The program's time begins with the first sample, so that every run shows the same scenes.
	 */
	model_run(&m->device->gpu, m->begin_ns - m->epoch_ns, end_ns - m->epoch_ns, &work);
	model_fill(&m->device->gpu, &work, &m->map, &m->raw);
	*out = (struct raw_sample){.kind = RAW_MALI,
				   .begin_ns = m->begin_ns,
				   .end_ns = end_ns,
				   .data = m->raw.bytes,
				   .size = m->raw.size};
	m->begin_ns = end_ns;
}

static enum sx_status mali_model_read(struct source *source, int timeout_ms, struct raw_sample *out,
				      struct sx_error *err)
{
	struct mali_model *m = (struct mali_model *)source;
	uint64_t at, due = m->begin_ns + m->period_ns;
	if (!m->started)
		return error_set(err, SX_ERR_USAGE, "the model was not started");
	enum sx_status status = now(m, &at, err);
	if (m->stopped && m->stop_ns < due)
		return SX_END;
	if (status == SX_OK && at < due && timeout_ms > 0) {
		uint64_t left_ms = (due - at + 999999) / 1000000;
		m->base.sys->poll(m->base.sys->user, NULL, 0,
				  left_ms < (uint64_t)timeout_ms ? (int)left_ms : timeout_ms);
		status = now(m, &at, err);
	}
	if (status != SX_OK || at < due)
		return status != SX_OK ? status : SX_AGAIN;
	make_sample(m, due, out);
	return SX_OK;
}

static enum sx_status mali_model_stop(struct source *source, struct sx_error *err)
{
	struct mali_model *m = (struct mali_model *)source;
	if (!m->stopped)
		m->stop_ns = sys_now_ns(m->base.sys);
	m->stopped = true;
	return SX_OK;
}

static enum sx_status mali_model_selftest(struct source *source, const struct note_sink *to,
					  struct sx_error *err)
{
	struct mali_model *m = (struct mali_model *)source;
	return mali_selftest(source, &m->raw, m->device->id, 0, to, err);
}

const struct source_ops source_mali_model = {
    .name = "mali_model",
    .raw = RAW_MALI,
    .probe = mali_model_probe,
    .open = mali_model_open,
    .start = mali_model_start,
    .read = mali_model_read,
    .stop = mali_model_stop,
    .close = mali_model_close,
    .selftest = mali_model_selftest,
};
