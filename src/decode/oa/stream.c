/* The public interface of the OA decoder: creation, bytes in, what was wrong with them. */
#include "decode/oa/decoder.h"
#include "base/error.h"
#include "base/text_buf.h"
#include "wire/oa/oa.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_ROWS 4096
#define NOTES_MAX  8 /* lines of one kind */
#define NOTE_LINE  256
#define TOLERANCE  1.05 /* of the frequency limits, for clocks that drift */

void oa_note(struct sx_oa_decoder *d, enum oa_note kind, const char *fmt, ...)
{
	char line[NOTE_LINE];
	if (!d->options.note || d->notes[kind]++ > NOTES_MAX)
		return;
	snprintf(line, sizeof(line), "offset %llu: ", (unsigned long long)d->stats.bytes);
	va_list args;
	va_start(args, fmt);
	if (d->notes[kind] > NOTES_MAX)
		text_append(line, sizeof(line), "more of this kind are left out");
	else
		text_vappend(line, sizeof(line), fmt, args);
	va_end(args);
	d->options.note(d->options.note_user, line);
}

/* Limits of counters that a format does not have are none. */
static void lift_limits(struct sx_oa_decoder *d)
{
	enum sx_oa_format format = d->device.format;
	bool narrow = d->shape.head == OA_HEAD_SHORT; /* the clock of the short format */
	bool eu = false;
	for (uint32_t slot = SX_OA_A0; slot < SX_OA_SLOTS; slot++) {
		uint32_t bits = oa_format_has(format, slot) ? oa_slot_bits(format, slot) : 0;
		bool over_eus = bits == 40 || (bits == 32 && slot < SX_OA_B0 && !d->eu40);
		eu |= over_eus;
		narrow |= bits == 32 && !over_eus;
	}
	if (!narrow)
		d->wrap32_ticks = UINT64_MAX;
	if (!eu)
		d->wrap_eu_ticks = UINT64_MAX;
}

void oa_derive(struct sx_oa_decoder *d)
{
	struct sx_oa_device *device = &d->device;
	uint32_t eus, slices, subslices;
	const struct oa_platform *platform = oa_platform(device->device_id);
	bool later = platform && platform->version > 800;
	if (!device->timestamp_hz)
		device->timestamp_hz = platform ? platform->default_hz : OA_TIMESTAMP_HZ;
	if (!device->format)
		device->format = SX_OA_A32U40_A4U32_B8_C8;
	d->shape = oa_shape_of(device, d->options.header);
	oa_device_count(device, &eus, &slices, &subslices);
	double hz = (double)device->timestamp_hz;
	double highest = device->gt_max_hz ? device->gt_max_hz
			 : later	   ? OA_HIGHEST_LATER
					   : OA_HIGHEST_HZ;
	d->clock.hz = device->timestamp_hz;
	d->report_size = oa_format_size(device->format);
	d->clocks_min = device->gt_min_hz / hz / TOLERANCE;
	d->clocks_max = highest / hz * TOLERANCE;
	d->wrap32_ticks = (uint64_t)((double)UINT32_MAX / d->clocks_max);
	d->eu40 = oa_slot_bits(device->format, SX_OA_A0 + 7) == 40;
	d->wrap_eu_ticks =
	    (uint64_t)((d->eu40 ? 0xffffffffff : UINT32_MAX) / (d->clocks_max * (eus	 ? eus
										 : later ? 128
											 : 48)));
	lift_limits(d);
	d->usual_ticks = UINT32_MAX / 2;
	if (d->wrap32_ticks < d->usual_ticks)
		d->usual_ticks = d->wrap32_ticks;
	if (d->wrap_eu_ticks < d->usual_ticks)
		d->usual_ticks = d->wrap_eu_ticks;
}

enum sx_status oa_make_rows(struct sx_oa_decoder *d, struct sx_error *err)
{
	if (d->rows)
		return SX_OK;
	oa_derive(d);
	return oa_rows_create(d->options.rows, d->device.format, &d->rows, err);
}

enum sx_status sx_oa_decoder_create(const struct sx_oa_options *options, struct sx_oa_decoder **out,
				    struct sx_error *err)
{
	if (options->format && !oa_format_size(options->format)) {
		error_set(err, SX_ERR_USAGE, "unknown OA report format %d", (int)options->format);
		error_try(err, "one that sextant decode --help lists");
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
	oa_derive(d);
	if (options->input != SX_OA_RECORDING) {
		enum sx_status status = oa_make_rows(d, err);
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
				    : oa_feed_records(d, data, size, used, err);
	enum sx_status resolved = d->rows ? oa_rows_read(d->rows, status ? NULL : err) : SX_OK;
	status = status ? status : resolved;
	if (d->has_last && d->last != d->kept) {
		memcpy(d->kept, d->last, d->report_size);
		d->last = d->kept;
	}
	if (!status && d->complete)
		status = oa_decoder_flush(d, err);
	return status ? status : d->complete ? SX_AGAIN : SX_OK;
}

void sx_oa_decoder_end(struct sx_oa_decoder *d)
{
	d->ended = true;
}

enum sx_status oa_decoder_flush(struct sx_oa_decoder *d, struct sx_error *err)
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
		const char *one, *many;
	} flaws[] = {{s->skipped_bytes, "byte that makes no sense", "bytes that make no sense"},
		     {left, "byte at the end that is no record",
		      "bytes at the end that are no whole record"},
		     {s->lost_reports, "loss of reports", "losses of reports"},
		     {s->lost_buffers, "overflow of the OA buffer", "overflows of the OA buffer"},
		     {s->backwards, "timestamp that goes back", "timestamps that go back"},
		     {s->ambiguous, "interval in which counters may have wrapped unseen",
		      "intervals in which counters may have wrapped unseen"},
		     {s->fast_clocks, "interval with more clocks than the device can",
		      "intervals with more clocks than the device can"}};
	char why[SX_ERROR_TEXT_MAX] = "";
	for (size_t i = 0; i < sizeof(flaws) / sizeof(flaws[0]); i++)
		if (flaws[i].count)
			text_append_item(why, sizeof(why), "; ", "%llu %s",
					 (unsigned long long)flaws[i].count,
					 flaws[i].count == 1 ? flaws[i].one : flaws[i].many);
	if (!why[0])
		return SX_OK;
	error_set(err, SX_INCOMPLETE, "offset %llu: OA data is incomplete",
		  (unsigned long long)s->bytes);
	error_because(err, "%s", why);
	if (s->ambiguous)
		error_try(err, "less time between reports: values are marked, and may be too low");
	else if (s->lost_reports || s->lost_buffers)
		error_try(err, "more time between reports; what was readable was used");
	else
		error_try(err, "a recording that was ended in order; what was readable was used");
	return SX_INCOMPLETE;
}

enum sx_status sx_oa_decoder_finish(struct sx_oa_decoder *d, size_t left, struct sx_error *err)
{
	if (d->options.input == SX_OA_RECORDING && !d->started)
		return oa_not_a_recording(0, err);
	if (left && d->options.note)
		oa_note(d, NOTE_DAMAGE, "the last %zu bytes are no whole record", left);
	if (!d->stats.intervals) {
		error_set(err, SX_ERR_BAD_INPUT, "offset %llu: no interval between two reports",
			  (unsigned long long)d->stats.bytes);
		error_because(err, "there %s %llu report%s%s", d->stats.reports == 1 ? "is" : "are",
			      (unsigned long long)d->stats.reports,
			      d->stats.reports == 1 ? "" : "s",
			      d->options.only_context ? ", none of the context asked for" : "");
		error_try(err, "a recording of more than one report");
		return SX_ERR_BAD_INPUT;
	}
	enum sx_status status = oa_rows_flush(d->rows, true, err);
	oa_rows_resolve(d->rows, &d->clock);
	return status ? status : summary(d, left, err);
}
