/*
 * The i915 OA source: a perf stream of Broadwell's OA unit, system-wide. What read() gives is
 * handed on as it is, behind a pair of CPU and GPU time.
 */
#include "source/i915_oa/i915_oa.h"
#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>

static struct i915_oa *from(struct oa_source *source)
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

static enum sx_status i915_oa_attempt(const struct source_host *host, const char *id,
				      struct sx_error *err);

static const struct oa_driver i915_driver = {I915_DRIVER, "i915_oa", i915_oa_obstacle,
					     i915_oa_attempt};

static void i915_oa_probe(const struct source_host *host, source_found_fn found, void *user)
{
	oa_probe(&i915_driver, host, found, user);
}

static enum sx_status i915_step_open(struct oa_source *source, const struct drm_node *node,
				     struct sx_error *err)
{
	struct i915_oa *s = from(source);
	const struct sx_sys *sys = s->oa.base.sys;
	s->card.node = *node;
	oa_source_card(&s->oa, &s->card.node, &s->card.device, &s->card.catalog);
	s->buffer = malloc(I915_OA_RECORDS);
	if (!s->buffer)
		return error_nomem(err, "OA reports");
	i915_card_read_files(sys, &s->card);
	enum sx_status status = nodes_open(sys, &s->card.node, &s->oa.fd, err);
	return status ? status : i915_card_query(sys, s->oa.fd, &s->card, err);
}

static void i915_step_describe(struct oa_source *source)
{
	struct i915_oa *s = from(source);
	snprintf(s->oa.driver, sizeof(s->oa.driver), "i915 perf, revision %u",
		 s->card.perf_revision);
	s->oa.desc.min_interval_ns =
	    oa_period_ns(s->card.device.timestamp_hz, i915_exponent(&s->card, 0));
	sx_oa_device_constants(&s->card.device, &s->constants);
	s->oa.desc.facts.constants = s->constants.items;
	s->oa.desc.facts.constant_count = s->constants.count;
}

static enum sx_status i915_step_configure(struct oa_source *source,
					  const struct oa_programs_request *request,
					  struct sx_error *err)
{
	struct i915_oa *s = from(source);
	const struct oa_place place = {s->oa.base.sys, s->oa.fd, s->card.node.card};
	enum sx_status status = i915_config_open(&place, request, &s->config, err);
	s->oa.set = s->config.set;
	s->oa.uuid = s->config.uuid;
	if (!status)
		s->card.device.format = s->config.format;
	return status;
}

static enum sx_status i915_step_unconfigure(struct oa_source *source, struct sx_error *err)
{
	struct i915_oa *s = from(source);
	return i915_config_close(s->oa.base.sys, s->oa.fd, &s->config, err);
}

/* By the format that the set has: how soon its counters wrap limits the period. */
static enum sx_status i915_step_stream(struct oa_source *source, uint64_t interval_ns,
				       struct sx_error *err)
{
	struct i915_oa *s = from(source);
	s->oa.exponent = i915_exponent(&s->card, interval_ns);
	s->oa.period_ns = oa_period_ns(s->card.device.timestamp_hz, s->oa.exponent);
	s->stretched = s->oa.period_ns > 2 * interval_ns;
	if (s->stretched)
		s->oa.told = false;
	return i915_stream_open(s, err);
}

static const char *i915_step_note(struct oa_source *source)
{
	struct i915_oa *s = from(source);
	if (s->oa.told)
		return NULL;
	s->oa.told = true;
	if (!s->stretched)
		return OA_COUNTS_ALL;
	snprintf(s->oa.note, sizeof(s->oa.note),
		 "samples are %.3g ms apart: dev.i915.oa_max_sample_rate allows no more",
		 (double)s->oa.period_ns / 1e6);
	return s->oa.note;
}

static void i915_step_finish(struct oa_source *source)
{
	free(from(source)->buffer);
}

static const struct oa_steps i915_steps = {.driver = &i915_driver,
					   .ops = &source_i915_oa,
					   .bytes = sizeof(struct i915_oa),
					   .what = "the i915 OA source",
					   .open = i915_step_open,
					   .describe = i915_step_describe,
					   .configure = i915_step_configure,
					   .unconfigure = i915_step_unconfigure,
					   .stream = i915_step_stream,
					   .attempt = i915_stream_attempt,
					   .read = i915_stream_read,
					   .stop = i915_stream_drain,
					   .end = i915_stream_close,
					   .pair = i915_oa_pair,
					   .note = i915_step_note,
					   .finish = i915_step_finish};

static enum sx_status i915_oa_open(const struct source_host *host, const char *id,
				   struct source **out, struct sx_error *err)
{
	return oa_source_open(&i915_steps, host, id, out, err);
}

static enum sx_status i915_oa_attempt(const struct source_host *host, const char *id,
				      struct sx_error *err)
{
	return oa_source_attempt(&i915_steps, host, id, err);
}

static bool i915_oa_clock(struct source *source, struct source_clock *out)
{
	*out = ((struct i915_oa *)source)->clock;
	return out->name != NULL;
}

const struct source_ops source_i915_oa = {.name = "i915_oa",
					  .raw = RAW_I915_OA,
					  .probe = i915_oa_probe,
					  .open = i915_oa_open,
					  .start = oa_source_start,
					  .read = oa_source_read,
					  .wake = oa_source_wake,
					  .stop = oa_source_stop,
					  .close = oa_source_close,
					  .raw_head = oa_source_raw_head,
					  .raw_tail = oa_source_raw_tail,
					  .clock = i915_oa_clock,
					  .selftest = oa_source_selftest};
