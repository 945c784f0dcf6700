/* RAW_KERNELS: records of OpenCL commands to rows of the `opencl` catalog's counters. */
#include <stdlib.h>

#include "base/error.h"
#include "base/no_data.h"
#include "decode/guest/records.h"
#include "table/fill.h"
#include "wire/counted.h"

extern const struct decoder_ops decode_kernels;

/* What follows from the times of commands behind each other. */
enum {
#define OPENCL(id, name) COLUMN_##id,
#include "wire/opencl.def"
#undef OPENCL
	VALUES,
	COLUMN_BUSY = VALUES,
	COLUMN_SPAN,
	COLUMN_HOST,
	COLUMN_CPU,
	COLUMNS
};

static const char *const kernels_names[COLUMNS] = {
#define OPENCL(id, name) name,
#include "wire/opencl.def"
#undef OPENCL
    "BusyTime",
    "SpanTime",
    "HostTime",
    "CPUTime",
};

struct kernels_decoder {
	struct decoder base;
	struct sx_column columns[COLUMNS];
	bool known[COLUMNS]; /* has had a value */
	uint64_t *until_ns;  /* of each process: to where its time was counted */
	size_t process_count, process_cap;
};

static enum sx_status kernels_create(const struct decoder_setup *setup, struct decoder **out,
				     struct sx_error *err)
{
	struct kernels_decoder *d = calloc(1, sizeof(*d));
	if (!d)
		return error_nomem(err, "creating a decoder");
	d->base = (struct decoder){&decode_kernels, d->columns, COLUMNS, SX_SAMPLE_KERNEL};
	for (uint32_t i = 0; i < COLUMNS; i++)
		d->columns[i] = records_column(setup, kernels_names[i]);
	d->columns[COLUMN_CPU].why = no_data_text(NO_DATA_SCOPE);
	*out = &d->base;
	return SX_OK;
}

static const char *kernels_what_is_wrong(struct kernels_decoder *d, const struct raw_sample *raw,
					 struct wire_sample *head)
{
	const char *because = records_head(raw, 0, head);
	if (because)
		return because;
	if (head->record.kind != WIRE_KERNEL)
		return "it is none of a command";
	bool room = records_reach(&d->until_ns, &d->process_count, &d->process_cap, head->process,
				  sizeof(*d->until_ns));
	return room ? NULL : "its process has a number that is too high";
}

/* Columns of lengths say why they are empty until a sample has one. */
static enum sx_status explain_lengths(struct kernels_decoder *d, bool together,
				      struct sx_table *table)
{
	static const uint32_t columns[] = {COLUMN_BUSY, COLUMN_SPAN};
	enum sx_status status = SX_OK;
	for (size_t i = 0; !status && i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (!d->known[columns[i]])
			status = table_set_why(table, columns[i],
					       together ? no_data_text(NO_DATA_SCOPE) : NULL);
		d->known[columns[i]] |= !together;
	}
	return status;
}

/*
 * A sample is one command and the time before it since the last one that ended: so the samples of a
 * run add up to its length, and time in which several commands ran is counted once.
 */
static enum sx_status set_lengths(struct kernels_decoder *d, const struct wire_sample *head,
				  uint8_t extra, struct sx_table *table, size_t row)
{
	const struct wire_record *record = &head->record;
	uint64_t *until = &d->until_ns[head->process];
	bool clock = record->states[COLUMN_QUEUED] == WIRE_VALID &&
		     record->values[COLUMN_STARTED] > record->values[COLUMN_QUEUED];
	uint64_t before =
	    clock ? record->values[COLUMN_STARTED] - record->values[COLUMN_QUEUED] : 0;
	bool first = *until == 0, timed = record->states[COLUMN_STARTED] != WIRE_SPARED;
	bool together = record->states[COLUMN_STARTED] == WIRE_BARRED;
	uint8_t ran = together ? SX_QUALITY_GAP : timed ? extra : SX_QUALITY_SKIPPED;
	/* The run begins when its first command was put into the queue. */
	if (first)
		*until = before < record->begin_ns ? record->begin_ns - before : record->begin_ns;
	uint64_t free_from = record->begin_ns > *until ? record->begin_ns : *until;
	uint64_t busy = record->end_ns > free_from ? record->end_ns - free_from : 0;
	uint64_t all = record->end_ns > *until ? record->end_ns - *until : 0;
	/* One that was only counted is there when it was given to its queue, not when it ran. */
	sx_table_set_u64(table, COLUMN_BUSY, row, timed ? busy : 0, ran);
	sx_table_set_u64(table, COLUMN_SPAN, row, first ? busy : all, together ? ran : extra);
	sx_table_set_u64(table, COLUMN_HOST, row, all, extra);
	sx_table_set_u64(table, COLUMN_CPU, row, 0, SX_QUALITY_NOT_COLLECTED);
	if (record->end_ns > *until)
		*until = record->end_ns;
	return explain_lengths(d, together, table);
}

static uint8_t kernels_quality_of(uint8_t state, uint8_t extra)
{
	switch (state) {
	case WIRE_VALID:
		return extra;
	case WIRE_SPARED: /* the timed commands represent it */
		return SX_QUALITY_SKIPPED;
	case WIRE_IMPOSSIBLE:
	case WIRE_LATE:
	case WIRE_BARRED:
		return SX_QUALITY_GAP;
	default:
		return SX_QUALITY_NOT_COLLECTED;
	}
}

/* NULL: there is no reason to give. */
static const char *kernels_why(uint8_t state, uint32_t column)
{
	switch (state) {
	case WIRE_SPARED:
		return NULL;
	case WIRE_IMPOSSIBLE:
		return no_data_text(NO_DATA_IMPOSSIBLE);
	case WIRE_BARRED: /* of a command buffer: its commands have no times of their own */
		return no_data_text(NO_DATA_SCOPE);
	case WIRE_LATE: /* there was no memory to remember how long what was mapped is */
		return no_data_text(NO_DATA_LOST);
	default: /* the driver chose the size of work groups; native kernels have none */
		return column == COLUMN_WORK_GROUPS  ? no_data_text(NO_DATA_NOT_REPORTED)
		       : column == COLUMN_WORK_ITEMS ? no_data_text(NO_DATA_NO_WORK)
						     : NULL;
	}
}

static enum sx_status kernels_set_values(struct kernels_decoder *d,
					 const struct wire_record *record, uint8_t extra,
					 struct sx_table *table, size_t row)
{
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && i < VALUES; i++) {
		uint8_t quality = kernels_quality_of(record->states[i], extra);
		bool valid = record->states[i] == WIRE_VALID;
		sx_table_set_u64(table, i, row, valid ? record->values[i] : 0, quality);
		if (valid && !d->known[i])
			status = table_set_why(table, i, NULL);
		else if (!d->known[i] && kernels_why(record->states[i], i))
			status = table_set_why(table, i, kernels_why(record->states[i], i));
		d->known[i] |= valid;
	}
	return status;
}

static enum sx_status kernels_feed(struct decoder *decoder, const struct raw_sample *raw,
				   struct sx_table *table, struct sx_error *err)
{
	struct kernels_decoder *d = (struct kernels_decoder *)decoder;
	struct wire_sample head;
	const char *because = kernels_what_is_wrong(d, raw, &head);
	if (because)
		return records_refuse(raw, because, "libsextant-opencl.so", err);
	uint8_t extra = raw->flags & RAW_LOST ? SX_QUALITY_LOST : 0;
	size_t row;
	enum sx_status status = sx_table_add_rows(table, 1, &row, err);
	if (status)
		return status;
	sx_table_set_time(table, row, head.record.begin_ns, head.record.end_ns);
	status = set_lengths(d, &head, extra, table, row);
	if (!status)
		status = kernels_set_values(d, &head.record, extra, table, row);
	if (!status)
		status =
		    records_set_labels(&head, (const char *)raw->data + sizeof(head), table, row);
	/* Fails when there was no memory for a value. */
	return status ? error_nomem(err, "decoding a command")
		      : sx_table_add_rows(table, 0, NULL, err);
}

static void kernels_destroy(struct decoder *decoder)
{
	struct kernels_decoder *d = (struct kernels_decoder *)decoder;
	free(d->until_ns);
	free(d);
}

const struct decoder_ops decode_kernels = {
    .name = "kernels",
    .kind = RAW_KERNELS,
    .create = kernels_create,
    .feed = kernels_feed,
    .destroy = kernels_destroy,
};
