/*
 * RAW_COUNTERS: samples of an OpenGL driver's own counters to rows. What the values are, the source
 * describes, since it chose them.
 */
#include "decode/guest/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/no_data.h"
#include "table/fill.h"
#include "wire/counters.h"

extern const struct decoder_ops decode_counters;

/* What is known of a column so far. */
enum column_state { COLUMN_SILENT, COLUMN_EXPLAINED, COLUMN_COUNTED };

struct counters_decoder {
	struct decoder base;
	uint8_t *said;	 /* enum column_state of each column */
	uint32_t frames; /* the column that counts them, or SX_NONE */
};

static enum no_data never_reason(uint64_t never)
{
	static const enum no_data reasons[WIRE_NEVER_END] = {
	    [0] = NO_DATA_NOT_COLLECTED,
	    [WIRE_NEVER_OTHER_DRIVER] = NO_DATA_OTHER_DRIVER,
	    [WIRE_NEVER_NO_EXTENSION] = NO_DATA_NO_COUNTER,
	    [WIRE_NEVER_NO_COUNTER] = NO_DATA_NO_COUNTER,
	    [WIRE_NEVER_OTHER_TYPE] = NO_DATA_IMPOSSIBLE,
	    [WIRE_NEVER_REFUSED] = NO_DATA_REFUSED,
	    [WIRE_NEVER_NONSENSE] = NO_DATA_IMPOSSIBLE,
	};
	return reasons[never < WIRE_NEVER_END ? never : 0];
}

static void counters_destroy(struct decoder *decoder)
{
	struct counters_decoder *d = (struct counters_decoder *)decoder;
	free(d->said);
	free(d);
}

static enum sx_status counters_create(const struct decoder_setup *setup, struct decoder **out,
				      struct sx_error *err)
{
	struct counters_decoder *d = calloc(1, sizeof(*d));
	if (!d)
		return error_nomem(err, "creating a decoder");
	d->base = (struct decoder){&decode_counters, setup->columns, setup->column_count,
				   SX_SAMPLE_FRAME};
	d->frames = SX_NONE;
	for (uint32_t i = 0; i < d->base.column_count; i++)
		if (strcmp(d->base.columns[i].name, "Frames") == 0)
			d->frames = i;
	d->said = calloc(d->base.column_count + 1, 1);
	if (!d->said) {
		counters_destroy(&d->base);
		return error_nomem(err, "creating a decoder");
	}
	for (uint32_t i = 0; i < d->base.column_count; i++)
		d->said[i] = d->base.columns[i].why ? COLUMN_EXPLAINED : COLUMN_SILENT;
	*out = &d->base;
	return SX_OK;
}

static const char *what_is_wrong(const struct raw_sample *raw, struct wire_sample *head)
{
	const char *because = records_head(raw, WIRE_VALUES_MOST, head);
	if (because)
		return because;
	if (head->record.kind != WIRE_FRAME && head->record.kind != WIRE_TIME)
		return "it is of an unknown kind";
	return NULL;
}

/* Not contexts that did nothing, and not tidying up after the last frame. */
static bool is_row(const struct wire_record *record)
{
	return wire_ends_frame(record) || record->draws || record->flags & WIRE_WORKED;
}

static uint8_t counters_quality_of(const struct wire_value *value)
{
	switch (value->state) {
	case WIRE_VALID:
		return SX_QUALITY_VALID;
	case WIRE_DISTURBED:
		return SX_QUALITY_DISTURBED;
	case WIRE_LATE:
		return SX_QUALITY_GAP;
	case WIRE_SPARED: /* the measured frames of its pass represent it */
		return SX_QUALITY_SKIPPED;
	default:
		return SX_QUALITY_NOT_COLLECTED;
	}
}

/* A column says why it is empty until its first value comes, and why samples are without one. */
static enum sx_status counters_say(struct counters_decoder *d, struct sx_table *table,
				   uint32_t column, uint8_t quality, uint64_t never)
{
	uint8_t *said = &d->said[column];
	if (quality == SX_QUALITY_VALID && *said != COLUMN_COUNTED) {
		bool explained = *said == COLUMN_EXPLAINED;
		*said = COLUMN_COUNTED;
		return explained ? table_set_why(table, column, NULL) : SX_OK;
	}
	bool late = quality == SX_QUALITY_GAP;
	if ((quality != SX_QUALITY_NOT_COLLECTED && !late) || *said == COLUMN_EXPLAINED)
		return SX_OK;
	const char *why = no_data_text(late ? NO_DATA_LATE : never_reason(never));
	enum sx_status status = table_add_reason(table, column, quality, why);
	if (status || *said == COLUMN_COUNTED)
		return status;
	*said = COLUMN_EXPLAINED;
	return table_set_why(table, column, why);
}

/* A row that is filled. */
struct counters_row {
	struct sx_table *table;
	size_t row;
};

static void set_value(struct counters_decoder *d, struct counters_row to, uint32_t column,
		      const struct wire_value *value, uint8_t quality)
{
	struct sx_table *table = to.table;
	size_t row = to.row;
	double real = 0;
	uint64_t bits = quality & SX_QUALITY_NO_DATA_MASK ? 0 : value->bits;
	if (d->base.columns[column].type != SX_F64) {
		sx_table_set_u64(table, column, row, bits, quality);
		return;
	}
	memcpy(&real, &bits, sizeof(real));
	if (!records_is_number(real)) {
		real = 0;
		quality = SX_QUALITY_GAP;
	}
	sx_table_set_f64(table, column, row, real, quality);
}

static enum sx_status counters_set_values(struct counters_decoder *d,
					  const struct wire_sample *head, const uint8_t *from,
					  uint8_t extra, struct counters_row to)
{
	for (uint32_t i = 0; i < d->base.column_count; i++) {
		struct wire_value value = {0};
		if (i < head->driver_count)
			memcpy(&value, from + i * sizeof(value), sizeof(value));
		if (i == d->frames)
			value = (struct wire_value){
			    .bits = (uint64_t)wire_ends_frame(&head->record), .state = WIRE_VALID};
		uint8_t quality = counters_quality_of(&value);
		enum sx_status status = counters_say(d, to.table, i, quality, value.bits);
		if (status)
			return status;
		set_value(d, to, i, &value, quality | extra);
	}
	return SX_OK;
}

static enum sx_status counters_feed(struct decoder *decoder, const struct raw_sample *raw,
				    struct sx_table *table, struct sx_error *err)
{
	struct counters_decoder *d = (struct counters_decoder *)decoder;
	struct wire_sample head;
	const char *because = what_is_wrong(raw, &head);
	if (because)
		return records_refuse(raw, because, "libsextant-gl.so", err);
	uint8_t extra = raw->flags & RAW_LOST ? SX_QUALITY_LOST : 0;
	size_t row;
	if (!is_row(&head.record))
		return SX_OK;
	enum sx_status status = sx_table_add_rows(table, 1, &row, err);
	if (status)
		return status;
	sx_table_set_time(table, row, head.record.begin_ns, head.record.end_ns);
	status = counters_set_values(d, &head, raw->data + sizeof(head) + head.label_length, extra,
				     (struct counters_row){table, row});
	if (!status)
		status = sx_table_set_label(table, SX_LABEL_FRAME, row, head.record.frame);
	if (!status)
		status =
		    records_set_labels(&head, (const char *)raw->data + sizeof(head), table, row);
	/* Fails when there was no memory for a value. */
	return status ? error_nomem(err, "decoding a frame")
		      : sx_table_add_rows(table, 0, NULL, err);
}

const struct decoder_ops decode_counters = {
    .name = "counters",
    .kind = RAW_COUNTERS,
    .create = counters_create,
    .feed = counters_feed,
    .destroy = counters_destroy,
};
