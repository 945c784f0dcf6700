/*
 * The OA decoder: records or bare reports in, one behind another; lost data and damaged input are
 * decided here.
 */
#include "decode/i915_oa_decoder.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_ROWS 4096
#define RESOLVE_ROWS                                                                               \
	65536	    /* rows that wait for the pair behind them; then the last slope serves         \
		     */
#define NOTES_MAX 8 /* lines of one kind */
#define NOTE_LINE 256
#define TOLERANCE 1.05 /* of the frequency limits, for clocks that drift */

void oa_note(struct sx_oa_decoder *d, enum oa_note kind, const char *fmt, ...)
{
	char line[NOTE_LINE];
	if (!d->options.note || d->notes[kind]++ > NOTES_MAX)
		return;
	int at = snprintf(line, sizeof(line), "offset %llu: ", (unsigned long long)d->stats.bytes);
	va_list args;
	va_start(args, fmt);
	if (d->notes[kind] > NOTES_MAX)
		snprintf(line + at, sizeof(line) - (size_t)at, "more of this kind is not told");
	else
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

static enum sx_status take_sample(struct sx_oa_decoder *d, const uint8_t *payload, size_t size,
				  struct sx_error *err)
{
	enum sx_status status = make_rows(d, err);
	if (status)
		return status;
	if (size != d->report_size) {
		oa_note(d, NOTE_DAMAGE, "a sample of %zu bytes, but %s has %zu; skipped", size,
			sx_oa_format_name(d->device.format), d->report_size);
		d->stats.skipped_bytes += OA_RECORD_HEADER + size;
		d->pending |= SX_QUALITY_LOST;
		return SX_OK;
	}
	return oa_chain_report(d, payload, err);
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
		oa_note(d, NOTE_RECORD, "a further device record; ignored");
		return SX_OK;
	}
	enum sx_status status = oa_device_read(payload, size, &d->device, err);
	if (status)
		return status;
	if (d->device.timestamp_hz < 1000 || d->device.timestamp_hz > UINT64_C(10000000000)) {
		oa_note(d, NOTE_RECORD, "timestamp frequency %llu Hz is impossible; 12.5 MHz taken",
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
		oa_note(d, NOTE_RECORD, "%s: %s; counts of EUs and slices are unknown", why.message,
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
		oa_note(d, NOTE_TIME, "a pair of CPU and GPU time is left out: %s", why);
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
		oa_note(d, NOTE_LOST, "reports were lost; sums still hold");
		return SX_OK;
	case OA_RECORD_BUFFER_LOST:
		d->stats.lost_buffers++;
		oa_note(d, NOTE_LOST, "the OA buffer overflowed; sums begin anew");
		return oa_chain_break(d, err);
	case OA_RECORD_VERSION:
		return take_version(d, payload, size, err);
	case OA_RECORD_DEVICE:
		return take_device(d, payload, size, err);
	case OA_RECORD_TOPOLOGY:
		return take_topology(d, payload, size);
	case OA_RECORD_CORRELATION:
		return take_correlation(d, payload, size, err);
	default:
		oa_note(d, NOTE_RECORD, "a record of unknown type %u; skipped", type);
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
		oa_note(d, NOTE_DAMAGE,
			"a record of type %u and size %zu is impossible; looking for the next",
			type, size);
	d->waiting = true;
	d->pending |= SX_QUALITY_LOST;
}

/* How many samples of the right size lie one behind another. */
static size_t count_samples(const uint8_t *data, size_t size, size_t record, size_t most)
{
	size_t n = 0;
	while (n < most && size >= record && oa_u32(data) == OA_RECORD_SAMPLE &&
	       (size_t)(data[6] | data[7] << 8) == record) {
		data += record;
		size -= record;
		n++;
	}
	return n;
}

/*
 * The usual case: samples of the right size, one behind another. Takes up to `room` of them in
 * bursts, and those alone that bursts leave. Returns the bytes taken.
 */
static size_t feed_samples(struct sx_oa_decoder *d, const uint8_t *data, size_t size,
			   enum sx_status *status, struct sx_error *err)
{
	size_t record = OA_RECORD_HEADER + d->report_size, at = 0, n = 1;
	size_t room = d->rows ? RESOLVE_ROWS - oa_rows_count(d->rows) : 0;
	while (!*status && !d->waiting && room && n) {
		const uint8_t *report = data + at + OA_RECORD_HEADER;
		n = count_samples(data + at, size - at, record, room < OA_BURST ? room : OA_BURST);
		size_t taken = n ? oa_chain_burst(d, report, record, n) : 0;
		if (n && !taken) {
			*status = oa_chain_report(d, report, err);
			taken = 1;
		} else if (oa_rows_burst(d->rows)->count == OA_BURST) {
			*status = oa_rows_settle(d->rows, err);
		}
		at += taken * record;
		room -= taken;
		d->stats.bytes += taken * record;
	}
	return at;
}

static enum sx_status feed_records(struct sx_oa_decoder *d, const uint8_t *data, size_t size,
				   size_t *used, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	size_t at = feed_samples(d, data, size, &status, err);
	while (!status && !d->complete && size - at >= OA_RECORD_HEADER) {
		uint32_t type = oa_u32(data + at);
		size_t length = (size_t)(data[at + 6] | data[at + 7] << 8);
		if (d->options.input == SX_OA_RECORDING && !d->started &&
		    type != OA_RECORD_VERSION) {
			status = not_a_recording(type, err);
			break;
		}
		if (!plausible(d, type, length)) {
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
		if (!status && !d->complete)
			at += feed_samples(d, data + at, size - at, &status, err);
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
		status = oa_chain_report(d, data + at, err);
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
	enum sx_status settled = d->rows ? oa_rows_settle(d->rows, status ? NULL : err) : SX_OK;
	status = status ? status : settled;
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
	const struct {
		uint64_t count;
		const char *text;
	} flaws[] = {{s->skipped_bytes, "bytes that make no sense were skipped"},
		     {left, "bytes at the end are no whole record"},
		     {s->lost_reports, "times reports were lost"},
		     {s->lost_buffers, "times the OA buffer overflowed"}};
	char why[SX_ERROR_TEXT_MAX] = "";
	size_t at = 0;
	for (size_t i = 0; i < sizeof(flaws) / sizeof(flaws[0]); i++)
		if (flaws[i].count && at < sizeof(why))
			at += (size_t)snprintf(why + at, sizeof(why) - at, "%s%llu %s",
					       at ? "; " : "", (unsigned long long)flaws[i].count,
					       flaws[i].text);
	if (!at)
		return SX_OK;
	error_set(err, SX_INCOMPLETE, "offset %llu: OA data is incomplete",
		  (unsigned long long)s->bytes);
	error_because(err, "%s", why);
	error_try(err, s->lost_reports || s->lost_buffers
			   ? "a longer interval between reports; what was readable was used"
			   : "a recording that was ended in order; what was readable was used");
	return SX_INCOMPLETE;
}

enum sx_status sx_oa_decoder_finish(struct sx_oa_decoder *d, size_t left, struct sx_error *err)
{
	if (d->options.input == SX_OA_RECORDING && !d->started)
		return not_a_recording(0, err);
	if (left && d->options.note)
		oa_note(d, NOTE_DAMAGE, "the last %zu bytes are no whole record", left);
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
