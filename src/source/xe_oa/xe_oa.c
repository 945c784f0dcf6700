/*
 * The Xe OA source: an observation stream of one OA unit, system-wide. Reports are handed on as
 * records, behind a pair of CPU and GPU time.
 */
#include "source/xe_oa/xe_oa.h"
#include "base/error.h"
#include "wire/oa/flex.h"
#include "wire/oa/oa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_INTERVAL_NS UINT64_C(10000000)
#define OPEN_TRIES	    3 /* while somebody removes the metric set in between */

static struct xe_oa *from(struct source *source)
{
	return (struct xe_oa *)source;
}

static struct oa_place place_of(const struct xe_oa *s)
{
	return (struct oa_place){s->base.sys, s->fd, s->card.node.card};
}

static const char *xe_oa_obstacle(const struct sx_sys *sys, const struct drm_node *node,
				  enum sx_status *status, const char **remedy)
{
	struct xe_card card = {.node = *node, .device.device_id = node->device_id};
	xe_card_read_files(sys, &card);
	return xe_card_obstacle(sys, &card, status, remedy);
}

static const struct oa_driver xe_driver = {XE_DRIVER, "xe_oa", xe_oa_obstacle};

static void xe_oa_probe(const struct source_host *host, source_found_fn found, void *user)
{
	oa_probe(&xe_driver, host, found, user);
}

static void add_constant(struct xe_oa *s, const char *name, uint32_t value)
{
	if (value) /* else the number is unknown */
		s->constants[s->desc.constant_count++] = (struct sx_constant_value){name, value};
}

static void describe_constants(struct xe_oa *s)
{
	sx_oa_device_constants(&s->card.device, &s->known);
	memcpy(s->constants, s->known.items, s->known.count * sizeof(s->constants[0]));
	s->desc.constants = s->constants;
	s->desc.constant_count = s->known.count;
	add_constant(s, "L3BankTotalCount", s->card.l3_banks);
	add_constant(s, "ComputeEngineTotalCount", s->card.compute_engines);
	add_constant(s, "CopyEngineTotalCount", s->card.copy_engines);
}

static void xe_oa_close(struct source *source);

static enum sx_status open_card(struct xe_oa *s, struct sx_error *err)
{
	const struct sx_sys *sys = s->base.sys;
	xe_card_read_files(sys, &s->card);
	enum sx_status status = nodes_open(sys, &s->card.node, &s->fd, err);
	return status ? status : xe_card_query(sys, s->fd, &s->card, err);
}

static void describe_device(struct xe_oa *s, bool known)
{
	const char *generation = sx_oa_generation(s->card.device.device_id);
	uint64_t hz = s->card.device.timestamp_hz;
	snprintf(s->name, sizeof(s->name), "Intel %s 0x%04x", generation ? generation : "GPU",
		 s->card.device.device_id);
	snprintf(s->driver, sizeof(s->driver), "xe observation, %u OA unit%s", s->card.unit_count,
		 s->card.unit_count == 1 ? "" : "s");
	s->desc = (struct source_desc){.catalog = known ? s->card.catalog.name : NULL,
				       .name = s->name,
				       .driver = s->driver,
				       .min_interval_ns = oa_period_ns(hz, 0),
				       .max_interval_ns = oa_period_ns(hz, OA_EXPONENT_MAX),
				       .clock_error_ns = 1000,
				       .tells_contexts = true,
				       .programs_sets = true,
				       .set = OA_SET};
	describe_constants(s);
}

static enum sx_status xe_oa_open(const struct source_host *host, const char *id,
				 struct source **out, struct sx_error *err)
{
	struct xe_card card = {.device.device_id = 0};
	if (!oa_find(&xe_driver, host->sys, id, &card.node))
		return oa_not_found(&xe_driver, id, err);
	card.device.device_id = card.node.device_id;
	card.device.revision = card.node.revision;
	struct xe_oa *s = calloc(1, sizeof(*s));
	if (!s)
		return error_nomem(err, "the Xe OA source");
	s->base = (struct source){&source_xe_oa, host->sys, host->catalogs, &s->desc};
	s->card = card;
	s->fd = s->stream = -1;
	s->reports = malloc(XE_READ);
	s->records = malloc(XE_RECORDS);
	enum sx_status status =
	    s->reports && s->records ? open_card(s, err) : error_nomem(err, "OA reports");
	if (status) {
		xe_oa_close(&s->base);
		return status;
	}
	describe_device(
	    s, oa_find_catalog(host->catalogs, s->card.device.device_id, &s->card.catalog));
	*out = &s->base;
	return SX_OK;
}

/* Back to where open() left the device; nothing is kept. */
static void forget(struct xe_oa *s)
{
	const struct oa_place place = place_of(s);
	xe_stream_close(s);
	xe_config_close(&place, &s->config, NULL);
}

static enum sx_status xe_oa_stop(struct source *source, struct sx_error *err)
{
	struct xe_oa *s = from(source);
	const struct oa_place place = place_of(s);
	xe_stream_stop(s);
	return xe_config_close(&place, &s->config, err); /* the stream holds its own reference */
}

static enum sx_status start_stream(struct xe_oa *s, uint64_t interval_ns, struct sx_error *err)
{
	enum sx_status status = xe_unit_choose(s, err);
	if (status)
		return status;
	s->card.device.format = s->config.format;
	s->card.device.timestamp_hz = s->unit->timestamp_hz;
	s->card.device.engine_class = s->unit->engine.engine_class;
	s->card.device.engine_instance = s->unit->engine.engine_instance;
	s->exponent = oa_exponent(&s->card.device, 0, interval_ns);
	s->period_ns = oa_period_ns(s->card.device.timestamp_hz, s->exponent);
	return xe_stream_open(s, err);
}

static enum sx_status open_stream(struct xe_oa *s, const struct oa_programs_request *config,
				  uint64_t interval_ns, struct sx_error *err)
{
	const struct oa_place place = place_of(s);
	enum sx_status status = SX_ERR_NOT_FOUND;
	for (int i = 0; i < OPEN_TRIES && status == SX_ERR_NOT_FOUND; i++) {
		status = xe_config_open(&place, config, &s->config, err);
		if (status)
			break;
		status = start_stream(s, interval_ns, err);
		if (status)
			xe_config_close(&place, &s->config, NULL);
	}
	return status;
}

static struct oa_stream stream_of(const struct xe_oa *s)
{
	return (struct oa_stream){.set = s->config.set,
				  .uuid = s->config.uuid,
				  .format = s->card.device.format,
				  .exponent = s->exponent,
				  .period_ns = s->period_ns};
}

static enum sx_status xe_oa_start(struct source *source, const struct source_request *request,
				  struct sx_error *err)
{
	struct xe_oa *s = from(source);
	struct oa_flex_counter flex[OA_FLEX_COUNTERS];
	uint64_t interval = request->interval_ns ? request->interval_ns : DEFAULT_INTERVAL_NS;
	struct oa_programs_request config = {.device = &s->card.device,
					     .catalog = request->catalog,
					     .catalogs = s->base.catalogs,
					     .name = s->card.catalog.name,
					     .set = request->set,
					     .flex = flex};
	forget(s);
	enum sx_status status = oa_programs_define(request, flex, &config.flex_count, err);
	if (!status)
		status = open_stream(s, &config, interval, err);
	s->told = request->pid == 0;
	s->clock_told = false;
	const struct oa_stream stream = stream_of(s);
	oa_describe_stream(&s->desc, &s->facts, status ? NULL : &stream);
	return status;
}

/* The session knows the render unit's clock; a media unit with another one has to be told. */
static const char *clock_note(struct xe_oa *s)
{
	uint64_t hz = s->unit->timestamp_hz, usual = s->card.units[0].timestamp_hz;
	if (s->clock_told || hz == usual)
		return NULL;
	s->clock_told = true;
	snprintf(s->note, sizeof(s->note),
		 "this unit counts time at %llu Hz, formulas take %llu: --const "
		 "GpuTimestampFrequency=%llu mends them",
		 (unsigned long long)hz, (unsigned long long)usual, (unsigned long long)hz);
	return s->note;
}

/* A note that is due: of the start, or of a kind of loss that rows do not show by themselves. */
static const char *due_note(struct xe_oa *s)
{
	uint32_t fresh = s->ever & ~s->noted;
	const char *clock = clock_note(s);
	if (clock)
		return clock;
	if (!s->told) {
		s->told = true;
		return "OA counts everything on the GPU, not this program alone";
	}
	s->noted |= s->ever;
	if (fresh & XE_STATUS_COUNTER_OVERFLOW)
		return "a counter of the OA unit overflowed: sums begin anew there; a shorter "
		       "--interval avoids it";
	if (fresh & XE_STATUS_TRIGGERS_FULL)
		return "reports that other programs triggered were lost; the periodic ones stand";
	return NULL;
}

static bool xe_oa_tell(struct xe_oa *s, struct raw_sample *out)
{
	const char *note = due_note(s);
	if (!note)
		return false;
	*out = (struct raw_sample){
	    .kind = RAW_NOTE, .data = (const uint8_t *)note, .size = strlen(note)};
	return true;
}

static enum sx_status xe_oa_read(struct source *source, int timeout_ms, struct raw_sample *out,
				 struct sx_error *err)
{
	struct xe_oa *s = from(source);
	if (s->state == OA_IDLE)
		return error_set(err, SX_ERR_USAGE, "the OA source was not started");
	return xe_oa_tell(s, out) ? SX_OK : xe_stream_read(s, timeout_ms, out, err);
}

static void xe_oa_wake(struct source *source, struct source_wake *out)
{
	struct xe_oa *s = from(source);
	bool now = s->state != OA_RUNNING || !s->told || s->ever & ~s->noted;
	/* A device that went is silent: it is asked when reports fail to come. */
	uint64_t due = s->heard_ns + UINT64_C(1000000000) + 17 * s->period_ns;
	*out = (struct source_wake){.fd = s->stream, .due_ns = now ? 0 : due};
}

/* Version, device, topology, and the pair before the first sample. */
static size_t xe_oa_raw_head(struct source *source, uint8_t *out, size_t cap)
{
	struct xe_oa *s = from(source);
	const struct oa_stream stream = stream_of(s);
	size_t size = oa_raw_head(&s->card.device, &stream, out, cap);
	return size + xe_oa_pair(s, out + size, cap - size);
}

/* A pair behind the last sample, so that every time lies between two. */
static size_t xe_oa_pair_of(struct source *source, uint8_t *out, size_t cap)
{
	return xe_oa_pair(from(source), out, cap);
}

static enum sx_status xe_oa_selftest(struct source *source,
				     void (*say)(void *user, const char *line), void *user,
				     struct sx_error *err)
{
	struct xe_oa *s = from(source);
	const struct oa_selftest on = {.source = source,
				       .device = &s->card.device,
				       .driver = s->driver,
				       .period_ns = &s->period_ns,
				       .pair = xe_oa_pair_of};
	return oa_selftest(&on, say, user, err);
}

static void xe_oa_close(struct source *source)
{
	struct xe_oa *s = from(source);
	if (!s)
		return;
	const struct sx_sys *sys = s->base.sys;
	forget(s);
	if (s->fd >= 0)
		sys->close(sys->user, s->fd);
	free(s->reports);
	free(s->records);
	free(s);
}

const struct source_ops source_xe_oa = {.name = "xe_oa",
					.raw = RAW_I915_OA,
					.probe = xe_oa_probe,
					.open = xe_oa_open,
					.start = xe_oa_start,
					.read = xe_oa_read,
					.wake = xe_oa_wake,
					.stop = xe_oa_stop,
					.close = xe_oa_close,
					.raw_head = xe_oa_raw_head,
					.raw_tail = xe_oa_pair_of,
					.selftest = xe_oa_selftest};
