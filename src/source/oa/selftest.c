/*
 * Checks of the whole path on real hardware: the test set's B counters keep known ratios to the
 * clock, time is monotonic, frequencies and reasons are plausible. The lines are a report to send
 * in.
 */
#include "source/oa/oa.h"
#include "base/error.h"
#include "base/note_sink.h"
#include "wire/oa/oa.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEST_SET	 "TestOa"
#define TEST_NS		 UINT64_C(1000000000)
#define TEST_INTERVAL_NS UINT64_C(10000000)
#define TOLERANCE	 0.01
#define CLOCK_TOLERANCE	 0.002 /* of the GPU's time against the CPU's, over the whole test */
#define TURNS_MAX	 10000 /* reads, whatever they hold */
#define REPORT_BYTES	 OA_REPORT_MAX

struct test {
	struct oa_source *on;
	struct note_sink to;
	unsigned failed;
	uint8_t last[REPORT_BYTES];
	size_t report_bytes;
	bool has_last;
	uint64_t sums[SX_OA_SLOTS];
	uint64_t reports, lost, lost_reports, backwards, no_reason, fast;
	uint64_t cpu_ns[2], gpu_ticks[2]; /* at begin and end; 0: could not be read */
	uint32_t reasons;		  /* reasons that were seen */
};

static void SX_PRINTF(3, 4) verdict(struct test *t, bool ok, const char *fmt, ...)
{
	char what[128];
	va_list args;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	t->failed += !ok;
	note_sink_write(&t->to, "%s: %s", ok ? "ok  " : "FAIL", what);
}

static void take_report(struct test *t, const uint8_t *report)
{
	struct oa_report head;
	uint64_t delta[SX_OA_SLOTS];
	oa_report_read(&t->on->card.device, report, SX_OA_HEADER_BUFFER, &head);
	t->reports++;
	t->no_reason += head.reason == 0;
	t->reasons |= head.reason;
	if (t->has_last) {
		const struct sx_oa_device *d = &t->on->card.device;
		oa_report_delta(d->format, t->last, report, delta);
		t->backwards += delta[SX_OA_TIME] > UINT32_MAX / 2;
		double hz = (double)delta[SX_OA_CLOCK] * (double)d->timestamp_hz /
			    ((double)delta[SX_OA_TIME] + 2);
		t->fast += d->gt_max_hz && hz > d->gt_max_hz * 1.05;
		for (size_t i = 0; i < SX_OA_SLOTS; i++)
			t->sums[i] += delta[i];
	}
	memcpy(t->last, report, oa_format_size(t->on->card.device.format));
	t->has_last = true;
}

static void take_records(struct test *t, const uint8_t *data, size_t size)
{
	while (size >= 8) {
		size_t length = oa_record_size(data);
		bool kernels = !data[1] && !data[2] && !data[3]; /* the others are pairs of time */
		if (length < 8 || length > size)
			return;
		if (kernels && data[0] == 1 && length == 8 + t->report_bytes) {
			take_report(t, data + 8);
		} else if (kernels && (data[0] == 2 || data[0] == 3)) {
			t->lost++;
			t->has_last = t->has_last && data[0] == 2;
		}
		data += length;
		size -= length;
	}
}

static enum sx_status selftest_collect(struct test *t, struct sx_error *err)
{
	const struct source_ops *ops = t->on->base.ops;
	uint64_t wanted = TEST_NS / t->on->period_ns, idle = 0, turns = 0;
	while (t->reports < wanted && idle < 100 && turns++ < TURNS_MAX) {
		struct raw_sample raw;
		enum sx_status status = ops->read(&t->on->base, 100, &raw, err);
		if (status == SX_AGAIN)
			idle++;
		else if (status)
			return status;
		else if (raw.kind == RAW_I915_OA) {
			take_records(t, raw.data, raw.size);
			t->lost_reports += raw.lost;
		}
	}
	return SX_OK;
}

/* One ratio to the clock; where no document says what is expected, it is only shown. */
static void check_ratio(struct test *t, const char *name, double ratio, double expected)
{
	double off = ratio - expected;
	verdict(t, off < TOLERANCE && off > -TOLERANCE, "%s is %.4f of the clock, expected %.4f",
		name, ratio, expected);
}

static double ratio_of(const struct test *t, uint32_t slot)
{
	/* Haswell has no clock in its reports; B1 counts it. */
	bool clock = oa_format_has(t->on->card.device.format, SX_OA_CLOCK);
	double clocks = (double)t->sums[clock ? SX_OA_CLOCK : SX_OA_B0 + 1];
	return clocks > 0 ? (double)t->sums[slot] / clocks : -1;
}

#define SHOWN  (-1) /* undocumented: only shown */
#define ABSENT (-2)

/* B counters against the clock. */
static void check_b(struct test *t)
{
	static const double usual[8] = {0, 1, SHOWN, 1.0 / 2, 1.0 / 3, 1.0 / 3, 1.0 / 6, 2.0 / 3};
	static const double pvc[8] = {0, 1, 1.0 / 2, 1.0 / 3, 1.0 / 3, ABSENT, ABSENT, ABSENT};
	const struct oa_platform *platform = oa_platform(t->on->card.device.device_id);
	const double *factors = platform && platform->version == 1260 ? pvc : usual;
	for (uint32_t i = 0; i < 8; i++) {
		char name[8];
		double ratio = ratio_of(t, SX_OA_B0 + i);
		snprintf(name, sizeof(name), "B%u", i);
		if (factors[i] == SHOWN)
			note_sink_write(&t->to, "note: %s is %.4f of the clock", name, ratio);
		else if (factors[i] != ABSENT)
			check_ratio(t, name, ratio, factors[i]);
	}
}

/*
 * Xe2's test set counts one event in all XeCores together and in each: the parts add up to the
 * whole, whatever the event is.
 */
static void check_cores(struct test *t)
{
	static const uint8_t cores[] = {3,  4, 5, 6, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
					31, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
	const struct sx_oa_device *d = &t->on->card.device;
	uint32_t present = d->subslice_mask[0];
	double whole = (double)t->sums[SX_OA_PEC0 + 2], parts = 0;
	for (uint32_t n = 0; n < sizeof(cores); n++)
		if (present >> n & 1)
			parts += (double)t->sums[SX_OA_PEC0 + cores[n]];
	double ratio = whole > 0 ? parts / whole : 0;
	note_sink_write(&t->to, "note: PEC2 is %.4f of the clock, PEC32 %.4f, PEC35 %.4f",
			ratio_of(t, SX_OA_PEC0 + 2), ratio_of(t, SX_OA_PEC0 + 32),
			ratio_of(t, SX_OA_PEC0 + 35));
	verdict(t, ratio > 1 - TOLERANCE && ratio < 1 + TOLERANCE,
		"the XeCores 0x%x have %.4f of the event that PEC2 counts", present, ratio);
}

static void check_ratios(struct test *t)
{
	if (oa_format_has(t->on->card.device.format, SX_OA_PEC0))
		check_cores(t);
	else
		check_b(t);
}

static void check_time(struct test *t)
{
	const struct sx_oa_device *d = &t->on->card.device;
	double seconds = (double)t->sums[SX_OA_TIME] / (double)d->timestamp_hz;
	double hz = seconds > 0 ? (double)t->sums[SX_OA_CLOCK] / seconds : 0;
	double period = t->reports > 1 ? seconds / (double)(t->reports - 1) : 0;
	verdict(t, t->reports > 10, "%" PRIu64 " reports, mean period %.6f s", t->reports, period);
	verdict(t, t->lost == 0, "%" PRIu64 " losses, of %" PRIu64 " reports", t->lost,
		t->lost_reports);
	verdict(t, t->backwards == 0, "timestamps went back %" PRIu64 " times", t->backwards);
	bool clocked = oa_format_has(d->format, SX_OA_CLOCK);
	verdict(t,
		!clocked || (hz > 0 && hz >= d->gt_min_hz * 0.9 &&
			     (!d->gt_max_hz || hz <= d->gt_max_hz * 1.05)),
		"mean clock %.1f MHz, allowed %.0f to %.0f", hz / 1e6, d->gt_min_hz / 1e6,
		d->gt_max_hz / 1e6);
	verdict(t, t->fast == 0, "%" PRIu64 " intervals faster than the clock's limit", t->fast);
	verdict(t, !clocked || (t->no_reason == 0 && (t->reasons & OA_REASON_TIMER)),
		"%" PRIu64 " reports without a reason, reasons seen 0x%02x", t->no_reason,
		t->reasons);
}

/* A pair of CPU and GPU time; zeros when the register cannot be read. */
static void take_time(struct test *t, int which)
{
	uint8_t pair[OA_PAIR_RECORD];
	if (oa_source_pair(t->on, pair, sizeof(pair)) != sizeof(pair))
		return;
	t->cpu_ns[which] = little_u64(pair + OA_RECORD_HEADER);
	t->gpu_ticks[which] = little_u64(pair + OA_RECORD_HEADER + 8);
}

/* The frequency that the driver reports, against the CPU's clock. */
static void check_clocks(struct test *t)
{
	uint64_t ns = t->cpu_ns[1] - t->cpu_ns[0];
	uint64_t ticks = (t->gpu_ticks[1] - t->gpu_ticks[0]) & 0xfffffffff;
	if (!t->cpu_ns[0] || !t->cpu_ns[1] || !ns) {
		verdict(t, false, "the GPU's timestamp register cannot be read");
		return;
	}
	double hz = (double)t->on->card.device.timestamp_hz;
	double ratio = (double)ticks / hz / ((double)ns / 1e9);
	verdict(t, ratio > 1 - CLOCK_TOLERANCE && ratio < 1 + CLOCK_TOLERANCE,
		"GPU time is %.6f of CPU time over %.3f s", ratio, (double)ns / 1e9);
}

enum sx_status oa_source_selftest(struct source *source, const struct note_sink *to,
				  struct sx_error *err)
{
	struct oa_source *s = (struct oa_source *)source;
	struct test t = {.on = s, .to = *to};
	const struct sx_oa_device *d = &s->card.device;
	struct source_request request = {.set = TEST_SET, .interval_ns = TEST_INTERVAL_NS};
	note_sink_write(&t.to, "device 0x%04x revision %u, %s", d->device_id, d->revision,
			s->driver);
	note_sink_write(&t.to, "timestamp %" PRIu64 " Hz, slices 0x%x, subslices 0x%x 0x%x",
			d->timestamp_hz, d->slice_mask, d->subslice_mask[0], d->subslice_mask[1]);
	enum sx_status status = source->ops->start(source, &request, err);
	t.report_bytes = oa_format_size(d->format);
	take_time(&t, 0);
	if (!status)
		status = selftest_collect(&t, err);
	take_time(&t, 1);
	source->ops->stop(source, NULL);
	if (status)
		return status;
	check_time(&t);
	check_clocks(&t);
	check_ratios(&t);
	if (!t.failed)
		return SX_OK;
	error_set(err, SX_INCOMPLETE, "%u checks of the OA unit failed", t.failed);
	error_because(err, "the lines marked FAIL say which");
	error_try(err, "send the whole report in");
	return SX_INCOMPLETE;
}
