/*
 * Finds where the records of an OA stream or recording begin and end, and the next one after
 * damage. A record head is accepted when all its eight bytes are as writers make them; any other
 * only when a record follows it.
 */
#include "decode/oa/decoder.h"
#include "base/error.h"

#define RESOLVE_ROWS                                                                               \
	65536	     /* rows that wait for the pair behind them; then the last slope serves        \
		      */
#define TABLE_MIN 16 /* bytes of a device or topology record */
#define TABLE_MAX 8192

enum verdict {
	RECORD_TAKE,
	RECORD_DOUBT, /* as TAKE, but what follows it is no record: its values are marked */
	RECORD_WAIT,  /* the record's end is not there yet */
	RECORD_DAMAGE,
};

/* Whether a record's head is right in type, padding and size. */
static bool is_head(const struct sx_oa_decoder *d, const uint8_t *data)
{
	size_t size = oa_record_size(data);
	if (data[4] || data[5])
		return false;
	switch (little_u32(data)) {
	case OA_RECORD_SAMPLE:
		return size == OA_RECORD_HEADER + d->report_size;
	case OA_RECORD_REPORT_LOST:
	case OA_RECORD_BUFFER_LOST:
		return size == OA_RECORD_HEADER;
	case OA_RECORD_VERSION:
		return size == OA_RECORD_HEADER + 8;
	case OA_RECORD_CORRELATION:
		return size == OA_RECORD_HEADER + 16;
	case OA_RECORD_DEVICE:
	case OA_RECORD_TOPOLOGY:
		return size >= TABLE_MIN && size <= TABLE_MAX;
	default:
		return false;
	}
}

/* The offset of the first head in bytes [from, end); `end` when there is none. */
static size_t find_head(const struct sx_oa_decoder *d, const uint8_t *data, size_t from, size_t end)
{
	for (; from + OA_RECORD_HEADER <= end; from++)
		if (is_head(d, data + from))
			return from;
	return end;
}

/* Whether a whole record lies somewhere within these bytes. */
static bool holds_record(const struct sx_oa_decoder *d, const uint8_t *data, size_t size)
{
	size_t at = 0;
	while ((at = find_head(d, data, at, size)) < size) {
		if (oa_record_size(data + at) <= size - at)
			return true;
		at++;
	}
	return false;
}

/* Whether a record may begin here, as far as there are bytes to check. */
static bool may_follow(const struct sx_oa_decoder *d, const uint8_t *data, size_t size)
{
	if (size < OA_RECORD_HEADER || is_head(d, data))
		return true;
	size_t length = oa_record_size(data);
	return length >= OA_RECORD_HEADER && length + OA_RECORD_HEADER <= size &&
	       is_head(d, data + length);
}

/* A whole record of unknown type or wrong size: it is one when another one follows. */
static enum verdict judge_odd(const struct sx_oa_decoder *d, const uint8_t *data, size_t length,
			      size_t behind)
{
	const uint8_t *next = data + length;
	if (behind < OA_RECORD_HEADER)
		return behind || !d->ended ? RECORD_WAIT : RECORD_TAKE;
	bool same = little_u32(next) == little_u32(data) && oa_record_size(next) == length;
	return same || is_head(d, next) ? RECORD_TAKE : RECORD_DAMAGE;
}

/* What to do with the `left` bytes, eight at least. */
static enum verdict judge(const struct sx_oa_decoder *d, const uint8_t *data, size_t left)
{
	size_t length = oa_record_size(data);
	bool head = is_head(d, data);
	if (length < OA_RECORD_HEADER || (d->waiting && !head))
		return RECORD_DAMAGE;
	if (length > left)
		return d->ended && holds_record(d, data + 1, left - 1) ? RECORD_DAMAGE
								       : RECORD_WAIT;
	bool followed = may_follow(d, data + length, left - length);
	if (d->waiting)
		return followed ? RECORD_TAKE : RECORD_DAMAGE;
	if (head && followed)
		return RECORD_TAKE;
	if (!head)
		return judge_odd(d, data, length, left - length);
	/* A part of the record is missing where the next one begins inside. */
	return find_head(d, data, 1, length + OA_RECORD_HEADER - 1) < length ? RECORD_DAMAGE
									     : RECORD_DOUBT;
}

enum sx_status oa_not_a_recording(uint32_t type, struct sx_error *err)
{
	error_set(err, SX_ERR_BAD_INPUT, "offset 0: not a recording of i915-perf-recorder");
	if (type == 4)
		error_because(err, "it is one of IGT's recorder for xe, whose metadata differ");
	else
		error_because(err, "it begins with type 0x%x instead of a version record", type);
	error_try(err, type == 4 ? "sextant oa record -d xe:card0 writes one that is read"
				 : "--as oa:A32u40_A4u32_B8_C8 for bare reports");
	return SX_ERR_BAD_INPUT;
}

/* Bytes of damage from here to the next head, or to where one may begin. */
static size_t skip_damage(struct sx_oa_decoder *d, const uint8_t *data, size_t left)
{
	if (!d->waiting)
		oa_note(d, NOTE_DAMAGE,
			"a record of type %u and size %zu is impossible; looking for the next",
			little_u32(data), oa_record_size(data));
	d->waiting = true;
	d->pending |= SX_QUALITY_LOST;
	size_t next = find_head(d, data, 1, left);
	if (next == left)
		next = left - OA_RECORD_HEADER + 1;
	d->stats.skipped_bytes += next;
	return next;
}

/* Handles the current record. */
static enum sx_status framing_take(struct sx_oa_decoder *d, const uint8_t *data, bool doubt,
				   struct sx_error *err)
{
	size_t length = oa_record_size(data);
	d->waiting = false;
	if (doubt)
		d->pending |= SX_QUALITY_LOST;
	enum sx_status status = oa_take_record(d, little_u32(data), data + OA_RECORD_HEADER,
					       length - OA_RECORD_HEADER, err);
	if (d->rows && oa_rows_count(d->rows) >= RESOLVE_ROWS)
		d->complete = true;
	return status;
}

/* How many samples of the right size lie one behind another. */
static size_t count_samples(const struct sx_oa_decoder *d, const uint8_t *data, size_t size,
			    size_t most)
{
	size_t n = 0, record = OA_RECORD_HEADER + d->report_size;
	while (n < most && size >= record && little_u32(data) == OA_RECORD_SAMPLE &&
	       oa_record_size(data) == record) {
		data += record;
		size -= record;
		n++;
	}
	/* Whether the last one is whole shows in what follows it. */
	bool sure = may_follow(d, data, size);
	return n && !sure ? n - 1 : n;
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
	while (!*status && !d->waiting && !d->foreign && room && n) {
		const uint8_t *report = data + at + OA_RECORD_HEADER;
		n = count_samples(d, data + at, size - at, room < OA_BURST ? room : OA_BURST);
		size_t taken = n ? oa_chain_burst(d, report, record, n) : 0;
		if (n && !taken) {
			*status = oa_chain_report(d, report, err);
			taken = 1;
		} else if (oa_rows_burst(d->rows)->count == OA_BURST) {
			*status = oa_rows_read(d->rows, err);
		}
		at += taken * record;
		room -= taken;
		d->stats.bytes += taken * record;
	}
	return at;
}

enum sx_status oa_feed_records(struct sx_oa_decoder *d, const uint8_t *data, size_t size,
			       size_t *used, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	size_t at = feed_samples(d, data, size, &status, err);
	while (!status && !d->complete && size - at >= OA_RECORD_HEADER) {
		if (d->options.input == SX_OA_RECORDING && !d->started &&
		    little_u32(data + at) != OA_RECORD_VERSION) {
			status = oa_not_a_recording(little_u32(data + at), err);
			break;
		}
		enum verdict verdict = judge(d, data + at, size - at);
		if (verdict == RECORD_WAIT)
			break;
		size_t length = oa_record_size(data + at);
		if (verdict == RECORD_DAMAGE)
			length = skip_damage(d, data + at, size - at);
		else
			status = framing_take(d, data + at, verdict == RECORD_DOUBT, err);
		at += length;
		d->stats.bytes += length;
		if (!status && !d->complete)
			at += feed_samples(d, data + at, size - at, &status, err);
	}
	*used = at;
	return status;
}
