/*
 * The Xe OA source: an observation stream of one OA unit, system-wide. Reports are handed on as
 * records, behind a pair of CPU and GPU time.
 */
#include "source/xe_oa/xe_oa.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

static struct xe_oa *from(struct oa_source *source)
{
	return (struct xe_oa *)source;
}

static void add_constant(struct xe_oa *s, const char *name, uint32_t value)
{
	if (value) /* else the number is unknown */
		s->constants[s->oa.desc.facts.constant_count++] =
		    (struct sx_constant_value){name, value};
}

static void describe_constants(struct xe_oa *s)
{
	sx_oa_device_constants(&s->oa.card.device, &s->known);
	memcpy(s->constants, s->known.items, s->known.count * sizeof(s->constants[0]));
	s->oa.desc.facts.constants = s->constants;
	s->oa.desc.facts.constant_count = s->known.count;
	add_constant(s, "L3BankTotalCount", s->l3_banks);
	add_constant(s, "ComputeEngineTotalCount", s->compute_engines);
	add_constant(s, "CopyEngineTotalCount", s->copy_engines);
}

static void xe_describe(struct oa_source *source)
{
	struct xe_oa *s = from(source);
	snprintf(s->oa.driver, sizeof(s->oa.driver), "xe observation, %s",
		 COUNTED(s->unit_count, "OA unit"));
	s->oa.desc.min_interval_ns = oa_period_ns(s->oa.card.device.timestamp_hz, 0);
	s->oa.desc.clock_error_ns = 1000;
	describe_constants(s);
}

/* The session knows the render unit's clock; a media unit with another one has to be told. */
static const char *clock_note(struct xe_oa *s)
{
	uint64_t hz = s->unit->timestamp_hz, usual = s->units[0].timestamp_hz;
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
static const char *xe_note(struct oa_source *source)
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
static uint64_t xe_due_ns(struct oa_source *source)
{
	const struct xe_oa *s = from(source);
	return s->ever & ~s->noted ? 0 : xe_stream_silent_ns(s, 17);
}

static const struct oa_steps xe_steps = {
    .name = "xe",
    .what = "the Xe OA source",
    .kernel = "a kernel of 6.11 or later; virtual functions have none",
    .ops = &source_xe_oa,
    .bytes = sizeof(struct xe_oa),
    .report_bytes = XE_READ,
    .record_bytes = XE_RECORDS,
    .read_files = xe_card_read_files,
    .is_allowed = xe_card_allowed,
    .query_card = xe_card_query,
    .describe = xe_describe,
    .accept_set = xe_config_accept,
    .find_config = xe_config_look,
    .add_config = xe_config_add,
    .remove_config = xe_config_remove,
    .choose_unit = xe_stream_prepare,
    .open_stream = xe_stream_open,
    .stream_refused = xe_stream_refused,
    .begin_stream = xe_stream_begin,
    .read = xe_stream_read,
    .stop = xe_stream_stop,
    .read_pair = xe_read_pair,
    .note = xe_note,
    .due_ns = xe_due_ns};

static void xe_oa_probe(const struct source_host *host, source_found_fn found, void *user)
{
	oa_probe(&xe_steps, host, found, user);
}

static enum sx_status xe_oa_open(const struct source_host *host, const char *id,
				 struct source **out, struct sx_error *err)
{
	return oa_source_open(&xe_steps, host, id, out, err);
}

const struct source_ops source_xe_oa = {
    .name = "xe_oa", .raw = RAW_I915_OA, .probe = xe_oa_probe, .open = xe_oa_open, OA_SOURCE_OPS};
