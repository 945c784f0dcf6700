/* RAW_GL: frame records of the GL channel to rows of the `opengl` catalog's counters. */
#include "decode/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "wire/channel.h"

extern const struct decoder_ops decode_gl;

/* What the program's side adds behind the queries. */
enum {
	COLUMN_FRAMES = GL_WIRE_COUNTERS,
	COLUMN_FRAME_TIME,
	COLUMN_CPU_TIME,
	COLUMN_WIDTH,
	COLUMN_HEIGHT,
	COLUMN_COUNT
};

static const char *const names[COLUMN_COUNT] = {
    "D3DGPUTime",	   "Occlusion",
    "IAVertices",	   "IAPrimitives",
    "VSInvocations",	   "GSInvocations",
    "GSPrimitives",	   "CInvocations",
    "CPrimitives",	   "PSInvocations",
    "HSInvocations",	   "DSInvocations",
    "CSInvocations",	   "OcclusionPredicate",
    "PrimsWritten",	   "PrimsStorageNeed",
    "OverflowPred",	   "PrimsWritten_S0",
    "PrimsStorageNeed_S0", "OverflowPred_S0",
    "PrimsWritten_S1",	   "PrimsStorageNeed_S1",
    "OverflowPred_S1",	   "PrimsWritten_S2",
    "PrimsStorageNeed_S2", "OverflowPred_S2",
    "PrimsWritten_S3",	   "PrimsStorageNeed_S3",
    "OverflowPred_S3",	   "Frames",
    "FrameTime",	   "CPUTime",
    "FramebufferWidth",	   "FramebufferHeight",
};

#define STREAMS_MAX 4096

struct gl_decoder {
	struct decoder base;
	struct sx_column columns[COLUMN_COUNT];
	bool has_data[COLUMN_COUNT];
	uint8_t why_set[COLUMN_COUNT]; /* 1 + the reason that the table holds, or 0 */
	bool has_frames[STREAMS_MAX];  /* streams that have delivered a frame */
};

static const char *why_text(unsigned why)
{
	static const char *const texts[GL_WIRE_WHY_COUNT] = {
	    [GL_WIRE_WHY_NO_EXTENSION] = "neither the context's OpenGL version nor an extension "
					 "of it has this query",
	    [GL_WIRE_WHY_ZERO_BITS] = "the driver counts this with 0 bits: not at all",
	    [GL_WIRE_WHY_REFUSED] = "the driver refuses this query beside the others",
	    [GL_WIRE_WHY_DISPLAY_LIST] = "the program records queries of this target in display "
					 "lists",
	    [GL_WIRE_WHY_NAME_CONFLICT] = "the program uses the names of Sextant's query objects",
	    [GL_WIRE_WHY_NO_QUERIES] = "this kind of context has no query objects",
	};
	if (why < GL_WIRE_WHY_COUNT && texts[why])
		return texts[why];
	return "no transform feedback was active"; /* counted only while it is */
}

static enum sx_status create(const struct decoder_setup *setup, struct decoder **out,
			     struct sx_error *err)
{
	struct gl_decoder *d = calloc(1, sizeof(*d));
	if (!d)
		return error_nomem(err, "creating a decoder");
	d->base.ops = &decode_gl;
	for (uint32_t i = 0; i < COLUMN_COUNT; i++) {
		uint32_t count, at = SX_NONE;
		if (setup->catalog)
			at = sx_catalog_find_counter(setup->catalog, names[i], SX_NONE, NULL);
		const struct sx_counter_info *info =
		    at == SX_NONE ? NULL : &sx_catalog_counters(setup->catalog, &count)[at];
		d->columns[i] =
		    (struct sx_column){.name = names[i],
				       .unit = info ? info->unit : "count",
				       .type = SX_U64,
				       .over_time = info ? info->over_time : SX_REDUCE_SUM};
	}
	*out = &d->base;
	return SX_OK;
}

static const struct sx_column *columns(struct decoder *decoder, uint32_t *count,
				       enum sx_sample_kind *kind)
{
	*count = COLUMN_COUNT;
	*kind = SX_SAMPLE_FRAME;
	return ((struct gl_decoder *)decoder)->columns;
}

static uint8_t quality_of(uint8_t state)
{
	switch (state) {
	case GL_WIRE_VALID:
		return SX_QUALITY_VALID;
	case GL_WIRE_DISTURBED:
		return SX_QUALITY_DISTURBED;
	case GL_WIRE_LATE:
		return SX_QUALITY_GAP;
	default:
		return SX_QUALITY_NOT_COLLECTED;
	}
}

/* A column says why it is empty until its first value comes. */
static enum sx_status explain(struct gl_decoder *d, struct sx_table *table, uint32_t column,
			      uint8_t quality, uint8_t why)
{
	if (quality == SX_QUALITY_VALID && !d->has_data[column]) {
		d->has_data[column] = true;
		return d->why_set[column] ? sx_table_set_why(table, column, NULL) : SX_OK;
	}
	if (quality != SX_QUALITY_NOT_COLLECTED || d->has_data[column] ||
	    d->why_set[column] == why + 1)
		return SX_OK;
	d->why_set[column] = (uint8_t)(why + 1);
	return sx_table_set_why(table, column, why_text(why));
}

static enum sx_status set_counters(struct gl_decoder *d, const struct gl_wire_sample *sample,
				   uint8_t extra, struct sx_table *table, size_t row)
{
	const struct gl_wire_record *record = &sample->record;
	for (uint32_t i = 0; i < GL_WIRE_COUNTERS; i++) {
		uint8_t why = sample->why[i] < GL_WIRE_WHY_COUNT ? sample->why[i] : 0;
		uint8_t quality = quality_of(record->states[i]);
		uint64_t value = quality == SX_QUALITY_VALID ? record->values[i] : 0;
		enum sx_status status = explain(d, table, i, quality, why);
		if (status)
			return status;
		sx_table_set_u64(table, i, row, value, quality | extra);
	}
	return SX_OK;
}

static enum sx_status set_size(struct gl_decoder *d, const struct gl_wire_record *record,
			       uint8_t extra, struct sx_table *table, size_t row)
{
	const char *why = "no window or pbuffer, or its size is not known";
	bool known = record->flags & GL_WIRE_SIZE_KNOWN;
	uint8_t quality = known ? extra : SX_QUALITY_NOT_COLLECTED;
	sx_table_set_u64(table, COLUMN_WIDTH, row, known ? record->width : 0, quality);
	sx_table_set_u64(table, COLUMN_HEIGHT, row, known ? record->height : 0, quality);
	if (known == d->has_data[COLUMN_WIDTH] || (!known && d->why_set[COLUMN_WIDTH]))
		return SX_OK;
	d->has_data[COLUMN_WIDTH] = known || d->has_data[COLUMN_WIDTH];
	d->why_set[COLUMN_WIDTH] = 1;
	if (d->has_data[COLUMN_WIDTH])
		why = NULL;
	enum sx_status status = sx_table_set_why(table, COLUMN_WIDTH, why);
	return status ? status : sx_table_set_why(table, COLUMN_HEIGHT, why);
}

static enum sx_status set_labels(const struct gl_wire_sample *sample, struct sx_table *table,
				 size_t row, struct sx_error *err)
{
	const struct gl_wire_record *record = &sample->record;
	enum sx_status status = sx_table_set_label(table, SX_LABEL_FRAME, row, record->frame);
	if (!status)
		status = sx_table_set_label(table, SX_LABEL_CONTEXT, row, sample->stream);
	size_t size = strnlen(record->group, sizeof(record->group));
	if (!status && size) {
		uint32_t text = sx_table_intern(table, record->group, size);
		status = text == SX_NONE ? SX_ERR_NO_MEMORY
					 : sx_table_set_label(table, SX_LABEL_GROUP, row, text);
	}
	if (!status && record->kind == GL_WIRE_REST) {
		uint32_t text = sx_table_intern(table, "no swap", strlen("no swap"));
		status = text == SX_NONE ? SX_ERR_NO_MEMORY
					 : sx_table_set_label(table, SX_LABEL_REASON, row, text);
	}
	return status ? error_nomem(err, "labelling a frame") : SX_OK;
}

/* Contexts are also made to look at a driver, and released at once: those did nothing. */
static bool did_nothing(const struct gl_wire_record *record)
{
	bool any = false;
	for (int i = GL_WIRE_OCCLUSION; i < GL_WIRE_COUNTERS; i++) {
		if (record->states[i] == GL_WIRE_DISTURBED || record->values[i] != 0)
			return false;
		any |= record->states[i] != GL_WIRE_NOT_COLLECTED;
	}
	return any;
}

/* What a program does after its last frame belongs to no frame. */
static bool wanted(struct gl_decoder *d, const struct gl_wire_sample *sample)
{
	if (sample->record.kind == GL_WIRE_FRAME) {
		if (sample->stream < STREAMS_MAX)
			d->has_frames[sample->stream] = true;
		return true;
	}
	if (sample->stream < STREAMS_MAX && d->has_frames[sample->stream])
		return false;
	return !did_nothing(&sample->record);
}

static enum sx_status check(const struct raw_sample *raw, struct gl_wire_sample *sample,
			    struct sx_error *err)
{
	const char *because = NULL;
	if (raw->size != sizeof(*sample)) {
		because = "its size is not that of a frame record";
	} else {
		memcpy(sample, raw->data, sizeof(*sample));
		if (sample->record.kind != GL_WIRE_FRAME && sample->record.kind != GL_WIRE_REST)
			because = "it is of an unknown kind";
		else if (sample->record.end_ns < sample->record.begin_ns)
			because = "it ends before it begins";
	}
	if (!because)
		return SX_OK;
	error_set(err, SX_INCOMPLETE, "a record of %zu bytes was left out", raw->size);
	error_because(err, "%s", because);
	error_try(err, "use the command and libsextant-gl.so of one release");
	return SX_INCOMPLETE;
}

static enum sx_status feed(struct decoder *decoder, const struct raw_sample *raw,
			   struct sx_table *table, struct sx_error *err)
{
	struct gl_decoder *d = (struct gl_decoder *)decoder;
	struct gl_wire_sample sample;
	enum sx_status status = check(raw, &sample, err);
	if (status || !wanted(d, &sample))
		return status;
	const struct gl_wire_record *record = &sample.record;
	uint8_t extra = raw->flags & RAW_LOST ? SX_QUALITY_LOST : 0;
	size_t row;
	status = sx_table_add_rows(table, 1, &row, err);
	if (status)
		return status;
	sx_table_set_time(table, row, record->begin_ns, record->end_ns);
	sx_table_set_u64(table, COLUMN_FRAMES, row, record->kind == GL_WIRE_FRAME, extra);
	sx_table_set_u64(table, COLUMN_FRAME_TIME, row, record->end_ns - record->begin_ns, extra);
	sx_table_set_u64(table, COLUMN_CPU_TIME, row, record->cpu_ns, extra);
	status = set_counters(d, &sample, extra, table, row);
	if (!status)
		status = set_size(d, record, extra, table, row);
	if (status)
		return error_nomem(err, "decoding a frame");
	return set_labels(&sample, table, row, err);
}

static void destroy(struct decoder *decoder)
{
	free(decoder);
}

const struct decoder_ops decode_gl = {
    .name = "gl",
    .kind = RAW_GL,
    .create = create,
    .columns = columns,
    .feed = feed,
    .destroy = destroy,
};
