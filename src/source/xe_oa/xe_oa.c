/*
 * The Xe OA source: an observation stream of one OA unit, system-wide. Reports are handed on as
 * records, behind a pair of CPU and GPU time.
 */
#include "source/xe_oa/xe_oa.h"
#include "base/error.h"
#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct xe_oa *from(struct oa_source *source)
{
	return (struct xe_oa *)source;
}

static struct oa_place place_of(const struct xe_oa *s)
{
	return (struct oa_place){s->oa.base.sys, s->oa.fd, s->card.node.card};
}

static const char *xe_oa_obstacle(const struct sx_sys *sys, const struct drm_node *node,
				  enum sx_status *status, const char **remedy)
{
	struct xe_card card = {.node = *node, .device.device_id = node->device_id};
	xe_card_read_files(sys, &card);
	return xe_card_obstacle(sys, &card, status, remedy);
}

static enum sx_status xe_oa_attempt(const struct source_host *host, const char *id,
				    struct sx_error *err);

static const struct oa_driver xe_driver = {XE_DRIVER, "xe_oa", xe_oa_obstacle, xe_oa_attempt};

static void xe_oa_probe(const struct source_host *host, source_found_fn found, void *user)
{
	oa_probe(&xe_driver, host, found, user);
}

static void add_constant(struct xe_oa *s, const char *name, uint32_t value)
{
	if (value) /* else the number is unknown */
		s->constants[s->oa.desc.facts.constant_count++] =
		    (struct sx_constant_value){name, value};
}

static void describe_constants(struct xe_oa *s)
{
	sx_oa_device_constants(&s->card.device, &s->known);
	memcpy(s->constants, s->known.items, s->known.count * sizeof(s->constants[0]));
	s->oa.desc.facts.constants = s->constants;
	s->oa.desc.facts.constant_count = s->known.count;
	add_constant(s, "L3BankTotalCount", s->card.l3_banks);
	add_constant(s, "ComputeEngineTotalCount", s->card.compute_engines);
	add_constant(s, "CopyEngineTotalCount", s->card.copy_engines);
}

static enum sx_status xe_step_open(struct oa_source *source, const struct drm_node *node,
				   struct sx_error *err)
{
	struct xe_oa *s = from(source);
	const struct sx_sys *sys = s->oa.base.sys;
	s->card.node = *node;
	oa_source_card(&s->oa, &s->card.node, &s->card.device, &s->card.catalog);
	s->reports = malloc(XE_READ);
	s->records = malloc(XE_RECORDS);
	if (!s->reports || !s->records)
		return error_nomem(err, "OA reports");
	xe_card_read_files(sys, &s->card);
	enum sx_status status = nodes_open(sys, &s->card.node, &s->oa.fd, err);
	return status ? status : xe_card_query(sys, s->oa.fd, &s->card, err);
}

static void xe_step_describe(struct oa_source *source)
{
	struct xe_oa *s = from(source);
	snprintf(s->oa.driver, sizeof(s->oa.driver), "xe observation, %s",
		 COUNTED(s->card.unit_count, "OA unit"));
	s->oa.desc.min_interval_ns = oa_period_ns(s->card.device.timestamp_hz, 0);
	s->oa.desc.clock_error_ns = 1000;
	describe_constants(s);
}

static enum sx_status xe_step_configure(struct oa_source *source,
					const struct oa_programs_request *request,
					struct sx_error *err)
{
	struct xe_oa *s = from(source);
	const struct oa_place place = place_of(s);
	s->oa.set = s->config.set;
	s->oa.uuid = s->config.uuid;
	s->clock_told = false;
	return xe_config_open(&place, request, &s->config, err);
}

/* After the stream, which holds a reference of its own. */
static enum sx_status xe_step_unconfigure(struct oa_source *source, struct sx_error *err)
{
	struct xe_oa *s = from(source);
	const struct oa_place place = place_of(s);
	return xe_config_close(&place, &s->config, err);
}

static enum sx_status xe_step_stream(struct oa_source *source, uint64_t interval_ns,
				     struct sx_error *err)
{
	struct xe_oa *s = from(source);
	enum sx_status status = xe_unit_choose(s, err);
	if (status)
		return status;
	s->card.device.format = s->config.format;
	s->card.device.timestamp_hz = s->unit->timestamp_hz;
	s->card.device.engine_class = s->unit->engine.engine_class;
	s->card.device.engine_instance = s->unit->engine.engine_instance;
	s->oa.exponent = oa_exponent(&s->card.device, 0, interval_ns);
	s->oa.period_ns = oa_period_ns(s->card.device.timestamp_hz, s->oa.exponent);
	return xe_stream_open(s, err);
}

/* The session knows the render unit's clock; a media unit with another one has to be told. */
static const char *clock_note(struct xe_oa *s)
{
	uint64_t hz = s->unit->timestamp_hz, usual = s->card.units[0].timestamp_hz;
	if (s->clock_told || hz == usual)
		return NULL;
	s->clock_told = true;
	snprintf(s->oa.note, sizeof(s->oa.note),
		 "this unit counts time at %llu Hz, formulas take %llu: --const "
		 "GpuTimestampFrequency=%llu mends them",
		 (unsigned long long)hz, (unsigned long long)usual, (unsigned long long)hz);
	return s->oa.note;
}

/* A note that is due: of the start, or of a kind of loss that rows do not show by themselves. */
static const char *xe_step_note(struct oa_source *source)
{
	struct xe_oa *s = from(source);
	uint32_t fresh = s->ever & ~s->noted;
	const char *clock = clock_note(s);
	if (clock)
		return clock;
	if (!s->oa.told) {
		s->oa.told = true;
		return OA_COUNTS_ALL;
	}
	s->noted |= s->ever;
	if (fresh & XE_STATUS_COUNTER_OVERFLOW)
		return "a counter of the OA unit overflowed: sums begin anew there; a shorter "
		       "--interval avoids it";
	if (fresh & XE_STATUS_TRIGGERS_FULL)
		return "reports that other programs triggered were lost; the periodic ones stand";
	return NULL;
}

/* A device that went is silent: it is asked when reports fail to come. */
static uint64_t xe_step_due_ns(struct oa_source *source)
{
	const struct xe_oa *s = from(source);
	uint64_t silent = s->heard_ns + UINT64_C(1000000000) + 17 * s->oa.period_ns;
	return s->ever & ~s->noted ? 0 : silent;
}

static void xe_step_finish(struct oa_source *source)
{
	struct xe_oa *s = from(source);
	free(s->reports);
	free(s->records);
}

static const struct oa_steps xe_steps = {.driver = &xe_driver,
					 .ops = &source_xe_oa,
					 .bytes = sizeof(struct xe_oa),
					 .what = "the Xe OA source",
					 .open = xe_step_open,
					 .describe = xe_step_describe,
					 .configure = xe_step_configure,
					 .unconfigure = xe_step_unconfigure,
					 .stream = xe_step_stream,
					 .attempt = xe_stream_attempt,
					 .read = xe_stream_read,
					 .stop = xe_stream_stop,
					 .end = xe_stream_close,
					 .pair = xe_oa_pair,
					 .note = xe_step_note,
					 .due_ns = xe_step_due_ns,
					 .finish = xe_step_finish};

static enum sx_status xe_oa_open(const struct source_host *host, const char *id,
				 struct source **out, struct sx_error *err)
{
	return oa_source_open(&xe_steps, host, id, out, err);
}

static enum sx_status xe_oa_attempt(const struct source_host *host, const char *id,
				    struct sx_error *err)
{
	return oa_source_attempt(&xe_steps, host, id, err);
}

const struct source_ops source_xe_oa = {.name = "xe_oa",
					.raw = RAW_I915_OA,
					.probe = xe_oa_probe,
					.open = xe_oa_open,
					.start = oa_source_start,
					.read = oa_source_read,
					.wake = oa_source_wake,
					.stop = oa_source_stop,
					.close = oa_source_close,
					.raw_head = oa_source_raw_head,
					.raw_tail = oa_source_raw_tail,
					.selftest = oa_source_selftest};
