/* RAW_GUEST: records of the channel to rows of the counters of `opengl` or `vulkan`. */
#include "decode/guest/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/no_data.h"
#include "table/cover.h"
#include "table/fill.h"
#include "wire/channel.h"

extern const struct decoder_ops decode_guest;

/* What the program's side adds behind the queries. */
enum {
	COLUMN_FRAMES = WIRE_COUNTERS,
	COLUMN_FRAME_TIME,
	COLUMN_CPU_TIME,
	COLUMN_WIDTH,
	COLUMN_HEIGHT,
	/* Constants of the catalog that each sample has a value of its own for. */
	COLUMN_PRESENTED,
	COLUMN_SOFTWARE,
	COLUMN_RASTER_TIME,
	COLUMN_THREAD_TIME,
	COLUMN_THREAD_WAIT,
	COLUMN_RASTER_THREAD,
	COLUMN_RASTER_WAIT,
	COLUMN_RASTER_TOTAL,
	COLUMN_ANY_THREAD,
	COLUMN_VULKAN, /* here and on: of Vulkan alone */
	/* In place of Vulkan's counters, of OpenGL alone. */
	COLUMN_DRAW_CALLS = COLUMN_VULKAN,
	COLUMN_DISPATCHES,
	COLUMN_OPENGL_END,
	COLUMN_COUNT = COLUMN_VULKAN + WIRE_VULKAN_COUNTERS - WIRE_COUNTERS
};

static const char *const frames_names[COLUMN_COUNT] = {
#define QUERY(id, name, raw) name,
#include "wire/queries.def"
#undef QUERY
    "Frames",
    "FrameTime",
    "CPUTime",
    "FramebufferWidth",
    "FramebufferHeight",
    "presented",
    "software_rasteriser",
    "rasteriser_ns",
    "ThreadTime",
    "ThreadWait",
    "RasterThreadTime",
    "RasterThreadWait",
    "RasterCPUTime",
    "AnyThreadTime",
#define VULKAN(id, name) name,
#include "wire/vulkan.def"
#undef VULKAN
};

/* Behind these, counters of the driver's own. */
#define COLUMNS_MOST (COLUMN_COUNT + WIRE_DRIVER_MOST)

/* What a context's samples have come to; `cut`: the last one ended within a frame. */
struct guest_past {
	struct wire_past all;
	bool cut;
};

struct guest_decoder {
	struct decoder base;
	bool parts;			     /* samples are parts of frames */
	uint32_t counter_count;		     /* of its API */
	uint32_t driver_first, driver_count; /* of the columns, the driver's own */
	struct sx_column columns[COLUMNS_MOST];
	bool has_data[COLUMNS_MOST];
	uint64_t reasons[COLUMNS_MOST]; /* that the table has, a bit each */
	uint8_t why_set[COLUMNS_MOST];	/* 1 + the reason that the table has, or 0 */
	struct guest_past *pasts;	/* of each context */
	size_t context_count, context_cap;
	struct cover **cpu; /* of each process: what was counted of its CPU clock; or NULL */
	size_t process_count, process_cap;
};

/* A row that is filled. */
struct frames_row {
	struct sx_table *table;
	size_t row;
	bool whole; /* a swap ended it, and all that came before since the last one is in it */
};

/* What the channel's reasons mean; without one, transform feedback alone was not active. */
static const enum no_data frames_reasons[WIRE_WHY_COUNT] = {
    [WIRE_WHY_COLLECTED] = NO_DATA_NO_WORK,
    [WIRE_WHY_DERIVED] = NO_DATA_NO_WORK,
    [WIRE_WHY_THREADS] = NO_DATA_NO_WORK,
    [WIRE_WHY_NO_EXTENSION] = NO_DATA_NO_COUNTER,
    [WIRE_WHY_ZERO_BITS] = NO_DATA_NO_COUNTER,
    [WIRE_WHY_REFUSED] = NO_DATA_REFUSED,
    [WIRE_WHY_DISPLAY_LIST] = NO_DATA_PROGRAMS_OWN,
    [WIRE_WHY_NAME_CONFLICT] = NO_DATA_PROGRAMS_OWN,
    [WIRE_WHY_NO_QUERIES] = NO_DATA_NO_COUNTER,
    [WIRE_WHY_NOT_WANTED] = NO_DATA_NOT_SELECTED,
    [WIRE_WHY_NO_GPU] = NO_DATA_SOFTWARE,
    [WIRE_WHY_NOT_WATCHED] = NO_DATA_FORBIDDEN,
    [WIRE_WHY_DRAWN_LATER] = NO_DATA_SCOPE,
    [WIRE_WHY_NO_FEATURE] = NO_DATA_NO_COUNTER,
    [WIRE_WHY_UNUSED] = NO_DATA_NO_WORK,
    [WIRE_WHY_NO_HEAP] = NO_DATA_NO_COUNTER,
    [WIRE_WHY_OTHER_DRIVER] = NO_DATA_OTHER_DRIVER,
    [WIRE_WHY_LOCKED] = NO_DATA_IN_USE,
    [WIRE_WHY_FORBIDDEN] = NO_DATA_FORBIDDEN,
    [WIRE_WHY_PROGRAMS_OWN] = NO_DATA_PROGRAMS_OWN,
    [WIRE_WHY_PASSES] = NO_DATA_PASSES,
    [WIRE_WHY_SCOPE] = NO_DATA_SCOPE,
    [WIRE_WHY_CHILDREN] = NO_DATA_NO_QUERY,
    [WIRE_WHY_UNDRAWN] = NO_DATA_SOFTWARE,
    [WIRE_WHY_COMPUTED] = NO_DATA_SOFTWARE,
};

_Static_assert(NO_DATA_COUNT <= 64, "guest_decoder.reasons has a bit for each");

static const char *name_of(bool vulkan, uint32_t column)
{
	static const char *const opengl[] = {"DrawCalls", "Dispatches"};
	return column >= COLUMN_DRAW_CALLS && !vulkan ? opengl[column - COLUMN_DRAW_CALLS]
						      : frames_names[column];
}

static bool is_known(const struct decoder_setup *setup, uint32_t column)
{
	return setup->catalog && sx_catalog_find_counter(setup->catalog, frames_names[column],
							 SX_NONE, NULL) != SX_NONE;
}

/* Columns of what the driver counts beside: the source names them. */
static void add_driver_columns(struct guest_decoder *d, const struct decoder_setup *setup)
{
	d->driver_first = d->base.column_count;
	for (uint32_t i = 0; i < setup->value_count && i < WIRE_DRIVER_MOST; i++) {
		d->columns[d->base.column_count] = records_column(setup, setup->values[i]);
		d->columns[d->base.column_count++].type = SX_F64;
		d->driver_count++;
	}
}

static enum sx_status frames_create(const struct decoder_setup *setup, struct decoder **out,
				    struct sx_error *err)
{
	struct guest_decoder *d = calloc(1, sizeof(*d));
	if (!d)
		return error_nomem(err, "creating a decoder");
	d->base.ops = &decode_guest;
	d->base.columns = d->columns;
	bool vulkan = is_known(setup, COLUMN_COUNT - 1);
	d->base.column_count = vulkan ? COLUMN_COUNT : COLUMN_OPENGL_END;
	d->counter_count = vulkan ? (uint32_t)WIRE_VULKAN_COUNTERS : (uint32_t)WIRE_COUNTERS;
	d->base.kind = setup->kind == SX_SAMPLE_TIME ? SX_SAMPLE_FRAME : setup->kind;
	for (uint32_t i = 0; i < d->base.column_count; i++)
		d->columns[i] = records_column(setup, name_of(vulkan, i));
	add_driver_columns(d, setup);
	d->parts = d->base.kind != SX_SAMPLE_FRAME;
	if (d->parts)
		d->columns[COLUMN_FRAME_TIME].why = no_data_text(NO_DATA_NO_FRAME);
	*out = &d->base;
	return SX_OK;
}

static uint8_t frames_quality_of(uint8_t state)
{
	switch (state) {
	case WIRE_VALID:
		return SX_QUALITY_VALID;
	case WIRE_DISTURBED:
		return SX_QUALITY_DISTURBED;
	case WIRE_LATE:
	case WIRE_IMPOSSIBLE:
	case WIRE_DISJOINT:
	case WIRE_LISTED:
	case WIRE_BARRED:
		return SX_QUALITY_GAP;
	case WIRE_SPARED: /* the measured samples represent it */
		return SX_QUALITY_SKIPPED;
	default:
		return SX_QUALITY_NOT_COLLECTED;
	}
}

/* A column says why it is empty until its first value comes, and why samples are without one. */
static enum sx_status frames_explain(struct guest_decoder *d, struct sx_table *table,
				     uint32_t column, uint8_t quality, enum no_data why)
{
	enum sx_status status = SX_OK;
	if (quality == SX_QUALITY_VALID && !d->has_data[column]) {
		d->has_data[column] = true;
		return d->why_set[column] ? table_set_why(table, column, NULL) : SX_OK;
	}
	if (quality != SX_QUALITY_NOT_COLLECTED && quality != SX_QUALITY_GAP)
		return SX_OK;
	if (!(d->reasons[column] >> why & 1))
		status = table_add_reason(table, column, quality, no_data_text(why));
	d->reasons[column] |= UINT64_C(1) << why;
	if (status || d->has_data[column] || d->why_set[column] == why + 1)
		return status;
	d->why_set[column] = (uint8_t)(why + 1);
	return table_set_why(table, column, no_data_text(why));
}

/* `why` is of the channel, which may come from a newer one. */
static enum no_data frames_reason(uint8_t state, uint64_t why)
{
	switch (state) {
	case WIRE_IMPOSSIBLE:
		return NO_DATA_IMPOSSIBLE;
	case WIRE_DISJOINT:
		return NO_DATA_DISJOINT;
	case WIRE_LISTED:
	case WIRE_BARRED:
		return NO_DATA_NO_QUERY;
	case WIRE_LATE: /* threads that drew before they were watched, or changed too often */
		return why == WIRE_WHY_THREADS ? NO_DATA_SOFTWARE : NO_DATA_LATE;
	default:
		return frames_reasons[why < WIRE_WHY_COUNT ? why : WIRE_WHY_COLLECTED];
	}
}

static enum sx_status set_counters(struct guest_decoder *d, const struct wire_sample *sample,
				   uint8_t extra, struct sx_table *table, size_t row)
{
	const struct wire_record *record = &sample->record;
	for (uint32_t i = 0; i < d->counter_count; i++) {
		uint32_t column =
		    i < WIRE_COUNTERS ? i : COLUMN_VULKAN + i - (uint32_t)WIRE_COUNTERS;
		enum no_data why = frames_reason(record->states[i], sample->why[i]);
		uint8_t quality = frames_quality_of(record->states[i]);
		uint64_t value = quality == SX_QUALITY_VALID ? record->values[i] : 0;
		enum sx_status status = frames_explain(d, table, column, quality, why);
		if (status)
			return status;
		sx_table_set_u64(table, column, row, value, quality | extra);
	}
	return SX_OK;
}

/* `from`: head->driver_count values as the source wrote them; others were not measured at all. */
static enum sx_status set_driver(struct guest_decoder *d, const struct wire_sample *head,
				 const uint8_t *from, uint8_t extra, struct frames_row to)
{
	struct sx_table *table = to.table;
	size_t row = to.row;
	for (uint32_t i = 0; i < d->driver_count; i++) {
		struct wire_value value = {.bits = WIRE_WHY_OTHER_DRIVER,
					   .state = WIRE_NOT_COLLECTED};
		double number = 0;
		if (i < head->driver_count)
			memcpy(&value, from + i * sizeof(value), sizeof(value));
		uint8_t quality = frames_quality_of(value.state);
		enum no_data why = frames_reason(value.state, value.bits);
		if (quality == SX_QUALITY_VALID)
			memcpy(&number, &value.bits, sizeof(number));
		if (!records_is_number(number)) {
			number = 0;
			quality = SX_QUALITY_GAP;
			why = NO_DATA_IMPOSSIBLE;
		}
		enum sx_status status = frames_explain(d, table, d->driver_first + i, quality, why);
		if (status)
			return status;
		sx_table_set_f64(table, d->driver_first + i, row, number, quality | extra);
	}
	return SX_OK;
}

static enum sx_status set_size(struct guest_decoder *d, const struct wire_record *record,
			       uint8_t extra, struct frames_row to)
{
	struct sx_table *table = to.table;
	size_t row = to.row;
	/* What was drawn for a while is another amount than one picture of that size. */
	bool slice = record->kind == WIRE_TIME || (record->kind == WIRE_FRAME && !to.whole);
	const char *why = no_data_text(slice ? NO_DATA_NO_FRAME : NO_DATA_NOT_REPORTED);
	bool known = record->flags & WIRE_SIZE_KNOWN && !slice;
	uint8_t quality = known ? extra : SX_QUALITY_NOT_COLLECTED;
	sx_table_set_u64(table, COLUMN_WIDTH, row, known ? record->width : 0, quality);
	sx_table_set_u64(table, COLUMN_HEIGHT, row, known ? record->height : 0, quality);
	if (known == d->has_data[COLUMN_WIDTH] || (!known && d->why_set[COLUMN_WIDTH]))
		return SX_OK;
	d->has_data[COLUMN_WIDTH] = known || d->has_data[COLUMN_WIDTH];
	d->why_set[COLUMN_WIDTH] = 1;
	if (d->has_data[COLUMN_WIDTH])
		why = NULL;
	enum sx_status status = table_set_why(table, COLUMN_WIDTH, why);
	return status ? status : table_set_why(table, COLUMN_HEIGHT, why);
}

/* `path` is the label path, sample->label_length bytes. */
static enum sx_status frames_set_labels(const struct wire_sample *sample, const char *path,
					struct frames_row to, struct sx_error *err)
{
	struct sx_table *table = to.table;
	size_t row = to.row;
	const struct wire_record *record = &sample->record;
	const char *reason = record->kind == WIRE_TIME		       ? "no swap"
			     : record->kind == WIRE_FRAME && !to.whole ? "rest of a frame"
								       : NULL;
	enum sx_status status = record->flags & WIRE_SEVERAL
				    ? SX_OK
				    : sx_table_set_label(table, SX_LABEL_FRAME, row, record->frame);
	if (!status)
		status = records_set_labels(sample, path, table, row);
	if (!status && reason)
		status = records_set_text(table, SX_LABEL_REASON, row, reason, strlen(reason));
	/* Fails when a value got no memory. */
	return status ? error_nomem(err, "labelling a frame")
		      : sx_table_add_rows(table, 0, NULL, err);
}

/* What a swap ends after work that none did is the rest of a frame. */
static bool is_whole(const struct guest_decoder *d, const struct wire_sample *sample)
{
	return sample->record.kind == WIRE_FRAME && !d->pasts[sample->context].cut;
}

static bool wanted(struct guest_decoder *d, const struct wire_sample *sample)
{
	struct wire_past *past = &d->pasts[sample->context].all;
	bool row = wire_is_row(&sample->record, past);
	wire_add_past(past, &sample->record);
	return row;
}

/*
 * Samples of a process's contexts overlap in time and come in any order, and each holds the CPU
 * clock of the whole process at its ends: what another sample has counted is not counted again.
 */
static uint64_t own_cpu_ns(struct cover *counted, const struct wire_record *record)
{
	uint64_t before_ns = cover_ns(counted);
	cover_add(counted, record->cpu_begin_ns, record->cpu_end_ns);
	return cover_ns(counted) - before_ns;
}

/* Room for what is counted of a sample's process. */
static bool reach_process(struct guest_decoder *d, uint32_t process)
{
	if (!records_reach(&d->cpu, &d->process_count, &d->process_cap, process,
			   sizeof(struct cover *)))
		return false;
	if (!d->cpu[process])
		d->cpu[process] = calloc(1, sizeof(struct cover));
	return d->cpu[process] != NULL;
}

static enum sx_status check(struct guest_decoder *d, const struct raw_sample *raw,
			    struct wire_sample *head, struct sx_error *err)
{
	const char *because = records_head(raw, WIRE_DRIVER_MOST, head);
	if (!because && (head->record.kind < WIRE_FRAME || head->record.kind >= WIRE_KINDS ||
			 head->record.kind == WIRE_KERNEL))
		because = "it is of an unknown kind";
	if (!because && (!records_reach(&d->pasts, &d->context_count, &d->context_cap,
					head->context, sizeof(*d->pasts)) ||
			 !reach_process(d, head->process)))
		because = "its context or process has a number that is too high";
	if (!because)
		return SX_OK;
	return records_refuse(raw, because, "libsextant-gl.so", err);
}

static void set_times(struct guest_decoder *d, const struct wire_sample *sample, uint8_t extra,
		      struct sx_table *table, size_t row)
{
	const struct wire_record *record = &sample->record;
	bool cpu = record->flags & WIRE_CPU_KNOWN;
	sx_table_set_time(table, row, record->begin_ns, record->end_ns);
	sx_table_set_u64(table, COLUMN_FRAMES, row, (uint64_t)wire_ends_frame(record), extra);
	if (d->counter_count == WIRE_COUNTERS) {
		sx_table_set_u64(table, COLUMN_DRAW_CALLS, row, record->draws, extra);
		sx_table_set_u64(table, COLUMN_DISPATCHES, row, record->dispatches, extra);
	}
	sx_table_set_u64(table, COLUMN_FRAME_TIME, row,
			 d->parts ? 0 : record->end_ns - record->begin_ns,
			 d->parts ? SX_QUALITY_NOT_COLLECTED : extra);
	sx_table_set_u64(table, COLUMN_CPU_TIME, row,
			 cpu ? own_cpu_ns(d->cpu[sample->process], record) : 0,
			 cpu ? extra : SX_QUALITY_NOT_COLLECTED);
}

/* Who draws, and what CPU time that took. */
static void set_raster(const struct wire_sample *sample, uint8_t extra, struct frames_row to)
{
	struct sx_table *table = to.table;
	size_t row = to.row;
	uint8_t why = sample->why[WIRE_GPU_TIME];
	bool software = why == WIRE_WHY_THREADS || why == WIRE_WHY_NO_GPU ||
			why == WIRE_WHY_NOT_WATCHED || why == WIRE_WHY_DRAWN_LATER ||
			why == WIRE_WHY_UNDRAWN || why == WIRE_WHY_COMPUTED;
	uint8_t state = sample->record.states[WIRE_GPU_TIME];
	/* Of samples that were not watched it is worked out; not by versions that left it 0. */
	bool spared = state == WIRE_SPARED && sample->thread_known && sample->rasterises &&
		      sample->raster_ns >= sample->raster_run_ns;
	bool known = !software || state == WIRE_VALID || spared;
	sx_table_set_u64(table, COLUMN_PRESENTED, row, to.whole, extra);
	sx_table_set_u64(table, COLUMN_SOFTWARE, row, software, extra);
	uint8_t quality = known			 ? extra
			  : state == WIRE_SPARED ? SX_QUALITY_SKIPPED
						 : SX_QUALITY_GAP;
	uint64_t raster_ns = software ? sample->raster_ns : 0;
	sx_table_set_u64(table, COLUMN_RASTER_TIME, row, raster_ns, quality);
	sx_table_set_u64(table, COLUMN_RASTER_TOTAL, row, raster_ns,
			 software ? quality : SX_QUALITY_NOT_COLLECTED);
}

/* What the busiest threads did. */
static void set_threads(const struct wire_sample *sample, uint8_t extra, struct sx_table *table,
			size_t row)
{
	uint8_t quality = sample->thread_known ? extra : SX_QUALITY_GAP;
	sx_table_set_u64(table, COLUMN_THREAD_TIME, row, sample->thread_run_ns, quality);
	sx_table_set_u64(table, COLUMN_THREAD_WAIT, row, sample->thread_wait_ns, quality);
	/* Threads that only draw say nothing of work that draws nothing. */
	bool shows = sample->rasterises && sample->why[WIRE_GPU_TIME] != WIRE_WHY_UNDRAWN;
	uint8_t raster = shows ? quality : SX_QUALITY_NOT_COLLECTED;
	sx_table_set_u64(table, COLUMN_RASTER_THREAD, row, sample->raster_run_ns, raster);
	sx_table_set_u64(table, COLUMN_RASTER_WAIT, row, sample->raster_wait_ns, raster);
	uint8_t any = frames_quality_of(sample->any_state);
	sx_table_set_u64(table, COLUMN_ANY_THREAD, row, sample->any_ns,
			 any == SX_QUALITY_VALID ? extra : any);
}

static enum sx_status frames_feed(struct decoder *decoder, const struct raw_sample *raw,
				  struct sx_table *table, struct sx_error *err)
{
	struct guest_decoder *d = (struct guest_decoder *)decoder;
	struct wire_sample head;
	enum sx_status status = check(d, raw, &head, err);
	if (status)
		return status;
	struct frames_row to = {.table = table, .whole = is_whole(d, &head)};
	bool is_row = wanted(d, &head);
	d->pasts[head.context].cut = head.record.kind == WIRE_TIME;
	if (!is_row)
		return SX_OK;
	uint8_t extra = raw->flags & RAW_LOST ? SX_QUALITY_LOST : 0;
	size_t row;
	status = sx_table_add_rows(table, 1, &row, err);
	if (status)
		return status;
	to.row = row;
	set_times(d, &head, extra, table, row);
	set_raster(&head, extra, to);
	set_threads(&head, extra, table, row);
	status = set_counters(d, &head, extra, table, row);
	if (!status)
		status =
		    set_driver(d, &head, raw->data + sizeof(head) + head.label_length, extra, to);
	if (!status)
		status = set_size(d, &head.record, extra, to);
	if (status)
		return error_nomem(err, "decoding a frame");
	return frames_set_labels(&head, (const char *)raw->data + sizeof(head), to, err);
}

static void frames_destroy(struct decoder *decoder)
{
	struct guest_decoder *d = (struct guest_decoder *)decoder;
	free(d->pasts);
	for (size_t i = 0; i < d->process_count; i++)
		free(d->cpu[i]);
	free(d->cpu);
	free(d);
}

const struct decoder_ops decode_guest = {
    .name = "guest",
    .kind = RAW_GUEST,
    .create = frames_create,
    .feed = frames_feed,
    .destroy = frames_destroy,
};
