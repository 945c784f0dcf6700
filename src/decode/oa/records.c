/* Contents of the records of an OA stream or recording, once their place is known. */
#include "decode/oa/decoder.h"
#include "base/error.h"
#include "wire/oa/oa.h"

#include <string.h>

static enum sx_status take_sample(struct sx_oa_decoder *d, const uint8_t *payload, size_t size,
				  struct sx_error *err)
{
	enum sx_status status = oa_make_rows(d, err);
	if (status)
		return status;
	if (size != d->report_size || d->foreign) {
		if (!d->foreign)
			oa_note(d, NOTE_DAMAGE, "a sample of %zu bytes, but %s has %zu; skipped",
				size, sx_oa_format_name(d->device.format), d->report_size);
		d->stats.skipped_bytes += OA_RECORD_HEADER + size;
		d->pending |= SX_QUALITY_LOST;
		return SX_OK;
	}
	return oa_chain_report(d, payload, err);
}

static enum sx_status take_version(struct sx_oa_decoder *d, const uint8_t *payload, size_t size,
				   struct sx_error *err)
{
	uint32_t version = size >= 4 ? little_u32(payload) : 0;
	if (d->started) {
		oa_note(d, NOTE_RECORD, "a further recording begins; sums begin anew");
		d->clock.started = false;
		return oa_chain_break(d, err);
	}
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

/*
 * A device record behind the first sample: of the same device, as in recordings one behind another,
 * or what follows cannot be decoded with it.
 */
static enum sx_status compare_device(struct sx_oa_decoder *d, const uint8_t *payload, size_t size)
{
	struct sx_oa_device other = d->device;
	if (!d->device.device_id && !d->device.set[0]) {
		oa_note(d, NOTE_RECORD, "the device record follows samples: too late; ignored");
		return SX_OK;
	}
	enum sx_status status = oa_device_read(payload, size, &other, NULL);
	if (status == SX_OK || status == SX_ERR_UNSUPPORTED) {
		d->foreign = status || other.device_id != d->device.device_id ||
			     other.format != d->device.format ||
			     strcmp(other.set, d->device.set) != 0;
		if (d->foreign)
			oa_note(d, NOTE_RECORD,
				"a device or metric set that differs from the first; its samples "
				"are skipped");
	}
	return SX_OK;
}

/* Frequencies from the caller win over those of the recording. */
static void keep_given(struct sx_oa_decoder *d)
{
	const struct sx_oa_device *given = &d->options.device;
	if (given->timestamp_hz)
		d->device.timestamp_hz = given->timestamp_hz;
	if (given->gt_min_hz)
		d->device.gt_min_hz = given->gt_min_hz;
	if (given->gt_max_hz)
		d->device.gt_max_hz = given->gt_max_hz;
}

/*
 * Recorders of 2022 and before, and later ones on older kernels, store the command streamer's
 * frequency, and all of them pair its timestamp with CPU time; our own pair the OA unit's.
 */
static void correct_clock(struct sx_oa_decoder *d)
{
	const struct oa_platform *platform = oa_platform(d->device.device_id);
	if (!oa_counts_twice(platform))
		return;
	d->clock.pairs_half = d->device.timestamp_hz <= platform->default_hz / 2;
	d->clock.pairs_open = !d->clock.pairs_half;
	if (d->clock.pairs_half)
		d->device.timestamp_hz *= 2;
}

static enum sx_status take_device(struct sx_oa_decoder *d, const uint8_t *payload, size_t size,
				  struct sx_error *err)
{
	if (d->rows)
		return compare_device(d, payload, size);
	enum sx_status status = oa_device_read(payload, size, &d->device, err);
	if (status)
		return status;
	correct_clock(d);
	keep_given(d);
	if (d->device.timestamp_hz < 1000 || d->device.timestamp_hz > UINT64_C(10000000000)) {
		oa_note(d, NOTE_RECORD, "timestamp frequency %llu Hz is impossible; 12.5 MHz taken",
			(unsigned long long)d->device.timestamp_hz);
		d->device.timestamp_hz = OA_TIMESTAMP_HZ;
	}
	oa_derive(d);
	return SX_OK;
}

static enum sx_status take_topology(struct sx_oa_decoder *d, const uint8_t *payload, size_t size)
{
	struct sx_error why = {0};
	struct sx_oa_device before = d->device;
	if (oa_topology_read(payload, size, &d->device, &why)) {
		d->device = before;
		oa_note(d, NOTE_RECORD, "%s: %s; counts of EUs and slices are unknown", why.message,
			why.because);
		return SX_OK;
	}
	oa_derive(d);
	return SX_OK;
}

/* A pair also completes the rows before it. */
static enum sx_status take_correlation(struct sx_oa_decoder *d, const uint8_t *payload, size_t size,
				       struct sx_error *err)
{
	const char *why =
	    size < 16 ? "it is too short"
		      : oa_clock_correlate(&d->clock, little_u64(payload), little_u64(payload + 8));
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

enum sx_status oa_take_record(struct sx_oa_decoder *d, uint32_t type, const uint8_t *payload,
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
