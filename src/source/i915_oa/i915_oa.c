/*
 * The i915 OA source: a perf stream of Broadwell's OA unit, system-wide. What read() gives is
 * handed on as it is, behind a pair of CPU and GPU time.
 */
#include "source/i915_oa/i915_oa.h"
#include "base/error.h"
#include "wire/oa/flex.h"
#include "wire/oa/oa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_INTERVAL_NS UINT64_C(10000000)
#define OPEN_TRIES	    3 /* while somebody removes the metric set in between */

static struct i915_oa *from(struct source *source)
{
	return (struct i915_oa *)source;
}

static const char *i915_oa_obstacle(const struct sx_sys *sys, const struct drm_node *node,
				    enum sx_status *status, const char **remedy)
{
	struct i915_card card = {.node = *node, .device.device_id = node->device_id};
	i915_card_read_files(sys, &card);
	return i915_card_obstacle(sys, &card, status, remedy);
}

static const struct oa_driver i915_driver = {I915_DRIVER, "i915_oa", i915_oa_obstacle};

static void i915_oa_probe(const struct source_host *host, source_found_fn found, void *user)
{
	oa_probe(&i915_driver, host, found, user);
}

static void describe_constants(struct i915_oa *s)
{
	sx_oa_device_constants(&s->card.device, &s->constants);
	s->desc.constants = s->constants.items;
	s->desc.constant_count = s->constants.count;
}

static void i915_oa_close(struct source *source);

static enum sx_status open_card(struct i915_oa *s, struct sx_error *err)
{
	const struct sx_sys *sys = s->base.sys;
	i915_card_read_files(sys, &s->card);
	enum sx_status status = nodes_open(sys, &s->card.node, &s->fd, err);
	return status ? status : i915_card_query(sys, s->fd, &s->card, err);
}

static enum sx_status i915_oa_open(const struct source_host *host, const char *id,
				   struct source **out, struct sx_error *err)
{
	struct i915_card card = {.device.device_id = 0};
	if (!oa_find(&i915_driver, host->sys, id, &card.node))
		return oa_not_found(&i915_driver, id, err);
	card.device.device_id = card.node.device_id;
	card.device.revision = card.node.revision;
	struct i915_oa *s = calloc(1, sizeof(*s));
	if (!s)
		return error_nomem(err, "the i915 OA source");
	s->base = (struct source){&source_i915_oa, host->sys, host->catalogs, &s->desc};
	s->card = card;
	s->fd = s->stream = -1;
	s->buffer = malloc(I915_OA_RECORDS);
	enum sx_status status = s->buffer ? open_card(s, err) : error_nomem(err, "OA reports");
	if (status) {
		i915_oa_close(&s->base);
		return status;
	}
	const char *generation = sx_oa_generation(s->card.device.device_id);
	bool known = oa_find_catalog(host->catalogs, s->card.device.device_id, &s->card.catalog);
	snprintf(s->name, sizeof(s->name), "Intel %s 0x%04x", generation ? generation : "GPU",
		 s->card.device.device_id);
	snprintf(s->driver, sizeof(s->driver), "i915 perf, revision %u", s->card.perf_revision);
	uint64_t hz = s->card.device.timestamp_hz;
	s->desc =
	    (struct source_desc){.catalog = known ? s->card.catalog.name : NULL,
				 .name = s->name,
				 .driver = s->driver,
				 .min_interval_ns = oa_period_ns(hz, i915_exponent(&s->card, 0)),
				 .max_interval_ns = oa_period_ns(hz, OA_EXPONENT_MAX),
				 .tells_contexts = true,
				 .programs_sets = true,
				 .set = OA_SET};
	describe_constants(s);
	*out = &s->base;
	return SX_OK;
}

/* Back to where open() left the device; nothing is kept. */
static void forget(struct i915_oa *s)
{
	i915_stream_close(s);
	i915_config_close(s->base.sys, s->fd, &s->config, NULL);
}

static enum sx_status i915_oa_stop(struct source *source, struct sx_error *err)
{
	struct i915_oa *s = from(source);
	i915_stream_drain(s);
	return i915_config_close(s->base.sys, s->fd, &s->config, err);
}

/* By the format that the set has: how soon its counters wrap limits the period. */
static void choose_period(struct i915_oa *s, uint64_t interval_ns)
{
	s->exponent = i915_exponent(&s->card, interval_ns);
	s->period_ns = oa_period_ns(s->card.device.timestamp_hz, s->exponent);
	s->stretched = s->period_ns > 2 * interval_ns;
}

static enum sx_status open_stream(struct i915_oa *s, const struct oa_programs_request *config,
				  uint64_t interval_ns, struct sx_error *err)
{
	const struct oa_place place = {s->base.sys, s->fd, s->card.node.card};
	enum sx_status status = SX_ERR_NOT_FOUND;
	for (int i = 0; i < OPEN_TRIES && status == SX_ERR_NOT_FOUND; i++) {
		status = i915_config_open(&place, config, &s->config, err);
		if (status)
			break;
		s->card.device.format = s->config.format;
		choose_period(s, interval_ns);
		status = i915_stream_open(s, err);
		if (status)
			i915_config_close(s->base.sys, s->fd, &s->config, NULL);
	}
	return status;
}

static struct oa_stream stream_of(const struct i915_oa *s)
{
	return (struct oa_stream){.set = s->config.set,
				  .uuid = s->config.uuid,
				  .format = s->card.device.format,
				  .exponent = s->exponent,
				  .period_ns = s->period_ns};
}

static enum sx_status i915_oa_start(struct source *source, const struct source_request *request,
				    struct sx_error *err)
{
	struct i915_oa *s = from(source);
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
	s->told = request->pid == 0 && !s->stretched;
	const struct oa_stream stream = stream_of(s);
	oa_describe_stream(&s->desc, &s->facts, status ? NULL : &stream);
	return status;
}

/* What the user should know of this stream, once. */
static bool i915_oa_tell(struct i915_oa *s, struct raw_sample *out)
{
	if (s->told)
		return false;
	s->told = true;
	if (s->stretched)
		snprintf(s->note, sizeof(s->note),
			 "samples are %.3g ms apart: dev.i915.oa_max_sample_rate allows no more",
			 (double)s->period_ns / 1e6);
	else
		snprintf(s->note, sizeof(s->note),
			 "OA counts everything on the GPU, not this program alone");
	*out = (struct raw_sample){
	    .kind = RAW_NOTE, .data = (const uint8_t *)s->note, .size = strlen(s->note)};
	return true;
}

static enum sx_status i915_oa_read(struct source *source, int timeout_ms, struct raw_sample *out,
				   struct sx_error *err)
{
	struct i915_oa *s = from(source);
	if (s->state == OA_IDLE)
		return error_set(err, SX_ERR_USAGE, "the OA source was not started");
	return i915_oa_tell(s, out) ? SX_OK : i915_stream_read(s, timeout_ms, out, err);
}

static void i915_oa_wake(struct source *source, struct source_wake *out)
{
	struct i915_oa *s = from(source);
	bool now = s->state != OA_RUNNING || !s->told;
	*out = (struct source_wake){.fd = s->stream, .due_ns = now ? 0 : UINT64_MAX};
}

/* Version, device, topology, and the pair before the first sample. */
static size_t i915_oa_raw_head(struct source *source, uint8_t *out, size_t cap)
{
	struct i915_oa *s = from(source);
	const struct oa_stream stream = stream_of(s);
	size_t size = oa_raw_head(&s->card.device, &stream, out, cap);
	return size + i915_oa_pair(s, out + size, cap - size);
}

static bool i915_oa_clock(struct source *source, struct source_clock *out)
{
	*out = from(source)->clock;
	return out->name != NULL;
}

/* A pair behind the last sample, so that every time lies between two. */
static size_t i915_oa_pair_of(struct source *source, uint8_t *out, size_t cap)
{
	return i915_oa_pair(from(source), out, cap);
}

static enum sx_status i915_oa_selftest(struct source *source,
				       void (*say)(void *user, const char *line), void *user,
				       struct sx_error *err)
{
	struct i915_oa *s = from(source);
	const struct oa_selftest on = {.source = source,
				       .device = &s->card.device,
				       .driver = s->driver,
				       .period_ns = &s->period_ns,
				       .pair = i915_oa_pair_of};
	return oa_selftest(&on, say, user, err);
}

static void i915_oa_close(struct source *source)
{
	struct i915_oa *s = from(source);
	if (!s)
		return;
	const struct sx_sys *sys = s->base.sys;
	forget(s);
	if (s->fd >= 0)
		sys->close(sys->user, s->fd);
	free(s->buffer);
	free(s);
}

const struct source_ops source_i915_oa = {.name = "i915_oa",
					  .raw = RAW_I915_OA,
					  .probe = i915_oa_probe,
					  .open = i915_oa_open,
					  .start = i915_oa_start,
					  .read = i915_oa_read,
					  .wake = i915_oa_wake,
					  .stop = i915_oa_stop,
					  .close = i915_oa_close,
					  .raw_head = i915_oa_raw_head,
					  .raw_tail = i915_oa_pair_of,
					  .clock = i915_oa_clock,
					  .selftest = i915_oa_selftest};
