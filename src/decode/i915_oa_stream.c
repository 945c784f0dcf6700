/*
 * The OA decoder: records or bare reports in, intervals out. Continuity, context filter, lost data
 * and damaged input are decided here.
 */
#include "decode/i915_oa_rows.h"
#include "base/error.h"
#include "oa/delta.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_ROWS 4096
#define RESOLVE_ROWS                                                                               \
	65536	     /* rows that wait for the pair behind them; then the last slope serves        \
		      */
#define NOTES_MAX 32 /* lines of one kind */
#define NOTE_LINE 256
#define TOLERANCE 1.05 /* of the frequency limits, for clocks that drift */

enum note { NOTE_DAMAGE, NOTE_LOST, NOTE_TIME, NOTE_CLOCK, NOTE_RECORD, NOTE_KINDS };

struct sx_oa_decoder {
	struct sx_oa_options options;
	struct sx_oa_device device;
	struct sx_oa_stats stats;
	struct oa_clock clock;
	const struct oa_loops *loops;
	struct oa_rows *rows;
	size_t report_size;
	/* The last report. */
	const uint8_t *last; /* in the bytes at hand, or in `kept` between calls */
	uint8_t kept[OA_REPORT_MAX];
	struct sx_oa_report head;
	uint64_t ticks;
	bool has_last;
	bool before_matched; /* the report before the last one was of the wanted context */
	uint8_t pending;     /* quality of the next interval */
	/* Limits in ticks and clocks a tick, from the device. */
	uint64_t wrap32_ticks, wrap40_ticks;
	double clocks_min, clocks_max;
	bool started;  /* the version record was seen */
	bool waiting;  /* inside damage: looking for the next record */
	bool complete; /* rows are to be drained */
	unsigned notes[NOTE_KINDS];
};

static void note(struct sx_oa_decoder *d, enum note kind, const char *fmt, ...) SX_PRINTF(3, 4);

static void note(struct sx_oa_decoder *d, enum note kind, const char *fmt, ...)
{
	char line[NOTE_LINE];
	if (!d->options.note || d->notes[kind]++ >= NOTES_MAX)
		return;
	int at = snprintf(line, sizeof(line), "offset %llu: ", (unsigned long long)d->stats.bytes);
	va_list args;
	va_start(args, fmt);
	vsnprintf(line + at, sizeof(line) - (size_t)at, fmt, args);
	va_end(args);
	d->options.note(d->options.note_user, line);
}

/* What the device implies: format, clock, and how long a counter is sure not to wrap twice. */
static void derive(struct sx_oa_decoder *d)
{
	struct sx_oa_device *device = &d->device;
	uint32_t eus, slices, subslices;
	if (!device->timestamp_hz)
		device->timestamp_hz = OA_TIMESTAMP_HZ;
	if (!device->format)
		device->format = SX_OA_A32U40_A4U32_B8_C8;
	oa_device_count(device, &eus, &slices, &subslices);
	double hz = (double)device->timestamp_hz;
	double highest = device->gt_max_hz ? device->gt_max_hz : OA_HIGHEST_HZ;
	d->clock.hz = device->timestamp_hz;
	d->report_size = sx_oa_format_size(device->format);
	d->clocks_min = device->gt_min_hz / hz / TOLERANCE;
	d->clocks_max = highest / hz * TOLERANCE;
	d->wrap32_ticks = (uint64_t)((double)UINT32_MAX / d->clocks_max);
	d->wrap40_ticks = (uint64_t)(0xffffffffff / (d->clocks_max * (eus ? eus : 48)));
}

static enum sx_status make_rows(struct sx_oa_decoder *d, struct sx_error *err)
{
	if (d->rows)
		return SX_OK;
	derive(d);
	return oa_rows_create(d->options.rows, d->device.format, &d->rows, err);
}

enum sx_status sx_oa_decoder_create(const struct sx_oa_options *options, struct sx_oa_decoder **out,
				    struct sx_error *err)
{
	if (options->format && !sx_oa_format_size(options->format)) {
		error_set(err, SX_ERR_USAGE, "unknown OA report format %d", (int)options->format);
		error_try(err, "one of the four Gen8 formats");
		return SX_ERR_USAGE;
	}
	struct sx_oa_decoder *d = calloc(1, sizeof(*d));
	if (!d)
		return error_nomem(err, "an OA decoder");
	d->options = *options;
	d->loops = oa_loops();
	d->device = options->device;
	if (options->format)
		d->device.format = options->format;
	if (!d->options.batch_rows)
		d->options.batch_rows = BATCH_ROWS;
	derive(d);
	if (options->input != SX_OA_RECORDING) {
		enum sx_status status = make_rows(d, err);
		if (status) {
			sx_oa_decoder_destroy(d);
			return status;
		}
	}
	*out = d;
	return SX_OK;
}

void sx_oa_decoder_destroy(struct sx_oa_decoder *d)
{
	if (!d)
		return;
	oa_rows_destroy(d->rows);
	oa_clock_finish(&d->clock);
	free(d);
}

struct sx_table *sx_oa_decoder_rows(struct sx_oa_decoder *d)
{
	return d->rows ? oa_rows_table(d->rows) : NULL;
}

const struct sx_oa_device *sx_oa_decoder_device(const struct sx_oa_decoder *d)
{
	return &d->device;
}

const struct sx_oa_stats *sx_oa_decoder_stats(const struct sx_oa_decoder *d)
{
	return &d->stats;
}

void sx_oa_decoder_drain(struct sx_oa_decoder *d)
{
	if (d->rows)
		oa_rows_drain(d->rows);
	d->complete = false;
}

/* The chain of reports is broken: the next one begins anew. */
static enum sx_status forget(struct sx_oa_decoder *d, struct sx_error *err)
{
	d->has_last = false;
	d->before_matched = false;
	d->pending |= SX_QUALITY_LOST;
	return d->rows ? oa_rows_break(d->rows, err) : SX_OK;
}

static bool matches(const struct sx_oa_decoder *d, const struct sx_oa_report *head)
{
	return head->context_valid && head->context == d->options.context;
}

/*
 * Whether the interval after the last report counts. With a filter: when that report was of the
 * context, or when it was a single one without a valid id between two of the context, as the unit
 * writes them when the same context is submitted again.
 */
static bool wanted(const struct sx_oa_decoder *d, const struct sx_oa_report *now)
{
	if (!d->options.only_context || matches(d, &d->head))
		return true;
	return d->before_matched && !d->head.context_valid && matches(d, now);
}

static uint64_t owner_of(const struct sx_oa_decoder *d)
{
	if (d->options.only_context)
		return d->options.context;
	return d->head.context_valid ? d->head.context : OA_IDLE;
}

/*
 * The clock over a span in which it may have wrapped several times: when only one number of wraps
 * fits the frequency limits, the value is repaired.
 */
static uint8_t repair_clock(const struct sx_oa_decoder *d, uint64_t span, uint64_t *clock)
{
	double low = d->clocks_min * (double)span - (double)*clock;
	double high = d->clocks_max * (double)span - (double)*clock;
	double wrap = 4294967296.0;
	uint64_t least = low > 0 ? (uint64_t)(low / wrap) + (low > 0) : 0;
	uint64_t most = high > 0 ? (uint64_t)(high / wrap) : 0;
	if (!d->device.gt_min_hz || least != most)
		return SX_QUALITY_WRAPPED;
	*clock += least << 32;
	return 0;
}

static void check_clock(struct sx_oa_decoder *d, struct oa_interval *interval, uint64_t *delta)
{
	uint64_t span = interval->end - interval->begin;
	if (__builtin_expect(span > d->wrap32_ticks, 0)) {
		interval->quality32 = SX_QUALITY_WRAPPED;
		interval->quality_clock = repair_clock(d, span, &delta[SX_OA_CLOCK]);
		if (span > d->wrap40_ticks)
			interval->quality40 = SX_QUALITY_WRAPPED;
	} else if (__builtin_expect((double)delta[SX_OA_CLOCK] > d->clocks_max * ((double)span + 2),
				    0)) {
		interval->quality_clock = SX_QUALITY_WRAPPED;
		d->stats.fast_clocks++;
		note(d, NOTE_CLOCK, "%llu clocks within %llu ticks are more than the device can",
		     (unsigned long long)delta[SX_OA_CLOCK], (unsigned long long)span);
	}
}

static enum sx_status interval(struct sx_oa_decoder *d, const uint8_t *report,
			       const struct sx_oa_report *head, uint64_t ticks,
			       struct sx_error *err)
{
	uint64_t *delta = oa_rows_slot(d->rows);
	struct oa_interval now = {.begin = d->ticks,
				  .end = ticks,
				  .owner = owner_of(d),
				  .reason = head->reason,
				  .quality = d->pending};
	if (d->device.format == SX_OA_A32U40_A4U32_B8_C8)
		d->loops->delta(d->last, report, delta);
	else
		sx_oa_report_delta(d->device.format, d->last, report, delta);
	delta[SX_OA_TIME] = ticks - d->ticks;
	check_clock(d, &now, delta);
	d->stats.intervals++;
	d->pending = 0;
	return oa_rows_add(d->rows, &now, err);
}

static void remember(struct sx_oa_decoder *d, const uint8_t *report,
		     const struct sx_oa_report *head, uint64_t ticks)
{
	if (d->has_last && (d->head.context_valid != head->context_valid ||
			    (head->context_valid && d->head.context != head->context)))
		d->stats.switches++;
	d->before_matched = d->has_last && matches(d, &d->head);
	d->head = *head;
	d->ticks = ticks;
	d->has_last = true;
	d->last = report;
}

static enum sx_status take_report(struct sx_oa_decoder *d, const uint8_t *report,
				  struct sx_error *err)
{
	struct sx_oa_report head;
	enum sx_status status = SX_OK;
	bool backwards;
	sx_oa_report_read(report, d->options.header, &head);
	if (!head.id && !head.timestamp) {
		note(d, NOTE_DAMAGE, "a report that was never written; skipped");
		d->stats.skipped_bytes += d->report_size;
		d->pending |= SX_QUALITY_LOST;
		return SX_OK;
	}
	d->stats.reports++;
	if (d->options.header == SX_OA_HEADER_BUFFER && !head.reason && !d->stats.zero_reasons++)
		note(d, NOTE_RECORD, "a report without a reason");
	uint64_t ticks = oa_clock_report(&d->clock, head.timestamp, &backwards);
	if (backwards) {
		note(d, NOTE_TIME, "the timestamp goes back to 0x%08x; sums begin anew",
		     head.timestamp);
		status = forget(d, err);
	}
	if (!status && d->has_last && wanted(d, &head))
		status = interval(d, report, &head, ticks, err);
	remember(d, report, &head, ticks);
	return status;
}

static enum sx_status take_sample(struct sx_oa_decoder *d, const uint8_t *payload, size_t size,
				  struct sx_error *err)
{
	enum sx_status status = make_rows(d, err);
	if (status)
		return status;
	if (size != d->report_size) {
		note(d, NOTE_DAMAGE, "a sample of %zu bytes, but %s has %zu; skipped", size,
		     sx_oa_format_name(d->device.format), d->report_size);
		d->stats.skipped_bytes += OA_RECORD_HEADER + size;
		d->pending |= SX_QUALITY_LOST;
		return SX_OK;
	}
	return take_report(d, payload, err);
}

static enum sx_status take_version(struct sx_oa_decoder *d, const uint8_t *payload, size_t size,
				   struct sx_error *err)
{
	uint32_t version = size >= 4 ? oa_u32(payload) : 0;
	if (version != 1) {
		error_set(err, SX_ERR_UNSUPPORTED, "offset %llu: recording of version %u",
			  (unsigned long long)d->stats.bytes, version);
		error_because(err, "only version 1 of the i915-perf-recorder format is known");
		error_try(err, "a recording of i915-perf-recorder, or of sextant");
		return SX_ERR_UNSUPPORTED;
	}
	d->started = true;
	return SX_OK;
}

static enum sx_status take_device(struct sx_oa_decoder *d, const uint8_t *payload, size_t size,
				  struct sx_error *err)
{
	if (d->rows) {
		note(d, NOTE_RECORD, "a further device record; ignored");
		return SX_OK;
	}
	enum sx_status status = oa_device_read(payload, size, &d->device, err);
	if (status)
		return status;
	if (d->device.timestamp_hz < 1000 || d->device.timestamp_hz > UINT64_C(10000000000)) {
		note(d, NOTE_RECORD, "timestamp frequency %llu Hz is impossible; 12.5 MHz taken",
		     (unsigned long long)d->device.timestamp_hz);
		d->device.timestamp_hz = OA_TIMESTAMP_HZ;
	}
	derive(d);
	return SX_OK;
}

static enum sx_status take_topology(struct sx_oa_decoder *d, const uint8_t *payload, size_t size)
{
	struct sx_error why = {0};
	struct sx_oa_device before = d->device;
	if (sx_oa_read_topology(payload, size, &d->device, &why)) {
		d->device = before;
		note(d, NOTE_RECORD, "%s: %s; counts of EUs and slices are unknown", why.message,
		     why.because);
		return SX_OK;
	}
	derive(d);
	return SX_OK;
}

/* A pair also completes the rows before it. */
static enum sx_status take_correlation(struct sx_oa_decoder *d, const uint8_t *payload, size_t size,
				       struct sx_error *err)
{
	const char *why = size < 16
			      ? "it is too short"
			      : oa_clock_correlate(&d->clock, oa_u64(payload), oa_u64(payload + 8));
	if (why) {
		note(d, NOTE_TIME, "a pair of CPU and GPU time is left out: %s", why);
		return SX_OK;
	}
	d->stats.correlations++;
	if (!d->rows || d->stats.correlations < 2)
		return SX_OK;
	enum sx_status status = oa_rows_flush(d->rows, false, err);
	oa_rows_resolve(d->rows, &d->clock);
	d->complete = oa_rows_count(d->rows) >= d->options.batch_rows;
	return status;
}

static enum sx_status take_record(struct sx_oa_decoder *d, uint32_t type, const uint8_t *payload,
				  size_t size, struct sx_error *err)
{
	switch (type) {
	case OA_RECORD_SAMPLE:
		return take_sample(d, payload, size, err);
	case OA_RECORD_REPORT_LOST:
		d->stats.lost_reports++;
		d->pending |= SX_QUALITY_LOST;
		note(d, NOTE_LOST, "reports were lost; sums still hold");
		return SX_OK;
	case OA_RECORD_BUFFER_LOST:
		d->stats.lost_buffers++;
		note(d, NOTE_LOST, "the OA buffer overflowed; sums begin anew");
		return forget(d, err);
	case OA_RECORD_VERSION:
		return take_version(d, payload, size, err);
	case OA_RECORD_DEVICE:
		return take_device(d, payload, size, err);
	case OA_RECORD_TOPOLOGY:
		return take_topology(d, payload, size);
	case OA_RECORD_CORRELATION:
		return take_correlation(d, payload, size, err);
	default:
		note(d, NOTE_RECORD, "a record of unknown type %u; skipped", type);
		return SX_OK;
	}
}

static bool known_type(uint32_t type)
{
	return (type >= OA_RECORD_SAMPLE && type <= OA_RECORD_BUFFER_LOST) ||
	       (type >= OA_RECORD_VERSION && type <= OA_RECORD_CORRELATION);
}

static enum sx_status not_a_recording(uint32_t type, struct sx_error *err)
{
	error_set(err, SX_ERR_BAD_INPUT, "offset 0: not a recording of i915-perf-recorder");
	if (type == 4)
		error_because(err, "it is one of the Xe driver, which Broadwell does not have");
	else
		error_because(err, "it begins with type 0x%x instead of a version record", type);
	error_try(err, "--as oa:A32u40_A4u32_B8_C8 for bare reports");
	return SX_ERR_BAD_INPUT;
}

/* Whether a record may begin here; after damage the standard is higher. */
static bool plausible(const struct sx_oa_decoder *d, uint32_t type, size_t size)
{
	if (size < OA_RECORD_HEADER)
		return false;
	if (!d->waiting)
		return true;
	return known_type(type) &&
	       (type != OA_RECORD_SAMPLE || size == OA_RECORD_HEADER + d->report_size);
}

static void damage(struct sx_oa_decoder *d, uint32_t type, size_t size)
{
	if (!d->waiting)
		note(d, NOTE_DAMAGE,
		     "a record of type %u and size %zu is impossible; looking for the next", type,
		     size);
	d->waiting = true;
	d->pending |= SX_QUALITY_LOST;
}

static enum sx_status feed_records(struct sx_oa_decoder *d, const uint8_t *data, size_t size,
				   size_t *used, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	size_t at = 0;
	while (!status && !d->complete && size - at >= OA_RECORD_HEADER) {
		uint32_t type = oa_u32(data + at);
		size_t length = (size_t)(data[at + 6] | data[at + 7] << 8);
		if (d->options.input == SX_OA_RECORDING && !d->started && type != OA_RECORD_VERSION)
			status = not_a_recording(type, err);
		else if (!plausible(d, type, length)) {
			damage(d, type, length);
			length = OA_RECORD_HEADER;
			d->stats.skipped_bytes += length;
		} else if (length > size - at) {
			break;
		} else {
			d->waiting = false;
			status = take_record(d, type, data + at + OA_RECORD_HEADER,
					     length - OA_RECORD_HEADER, err);
		}
		at += length;
		d->stats.bytes += length;
		if (d->rows && oa_rows_count(d->rows) >= RESOLVE_ROWS)
			d->complete = true;
	}
	*used = at;
	return status;
}

static enum sx_status feed_reports(struct sx_oa_decoder *d, const uint8_t *data, size_t size,
				   size_t *used, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	size_t at = 0;
	while (!status && !d->complete && size - at >= d->report_size) {
		status = take_report(d, data + at, err);
		at += d->report_size;
		d->stats.bytes += d->report_size;
		d->complete = oa_rows_count(d->rows) >= d->options.batch_rows;
	}
	*used = at;
	return status;
}

enum sx_status sx_oa_decoder_feed(struct sx_oa_decoder *d, const uint8_t *data, size_t size,
				  size_t *used, struct sx_error *err)
{
	*used = 0;
	if (d->complete)
		return SX_AGAIN;
	enum sx_status status = d->options.input == SX_OA_REPORTS
				    ? feed_reports(d, data, size, used, err)
				    : feed_records(d, data, size, used, err);
	if (d->has_last && d->last != d->kept) {
		memcpy(d->kept, d->last, d->report_size);
		d->last = d->kept;
	}
	if (!status && d->complete)
		status = sx_oa_decoder_flush(d, err);
	return status ? status : d->complete ? SX_AGAIN : SX_OK;
}

enum sx_status sx_oa_decoder_flush(struct sx_oa_decoder *d, struct sx_error *err)
{
	if (!d->rows)
		return SX_OK;
	enum sx_status status = oa_rows_flush(d->rows, false, err);
	oa_rows_resolve(d->rows, &d->clock);
	return status;
}

/* Says what was wrong with an input that was usable all the same. */
static enum sx_status summary(const struct sx_oa_decoder *d, size_t left, struct sx_error *err)
{
	const struct sx_oa_stats *s = &d->stats;
	if (!left && !s->skipped_bytes && !s->lost_reports && !s->lost_buffers)
		return SX_OK;
	error_set(err, SX_INCOMPLETE, "offset %llu: OA data is incomplete",
		  (unsigned long long)s->bytes);
	error_because(err,
		      "%llu bytes skipped, %zu cut off at the end, reports lost %llu times, "
		      "the buffer %llu times",
		      (unsigned long long)s->skipped_bytes, left,
		      (unsigned long long)s->lost_reports, (unsigned long long)s->lost_buffers);
	error_try(err, "a longer interval when data was lost; the rest was used");
	return SX_INCOMPLETE;
}

enum sx_status sx_oa_decoder_finish(struct sx_oa_decoder *d, size_t left, struct sx_error *err)
{
	if (d->options.input == SX_OA_RECORDING && !d->started)
		return not_a_recording(0, err);
	if (left && d->options.note)
		note(d, NOTE_DAMAGE, "the last %zu bytes are no whole record", left);
	if (!d->stats.intervals) {
		error_set(err, SX_ERR_BAD_INPUT, "offset %llu: no interval between two reports",
			  (unsigned long long)d->stats.bytes);
		error_because(err, "there are %llu reports%s", (unsigned long long)d->stats.reports,
			      d->options.only_context ? ", none of the context asked for" : "");
		error_try(err, "a recording of more than one report");
		return SX_ERR_BAD_INPUT;
	}
	enum sx_status status = oa_rows_flush(d->rows, true, err);
	oa_rows_resolve(d->rows, &d->clock);
	return status ? status : summary(d, left, err);
}
