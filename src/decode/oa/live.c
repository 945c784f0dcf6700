/* OA records of a live stream as the session feeds them: the decoder behind the common interface.
 */
#include "decode/decode.h"
#include "decode/oa/decoder.h"
#include "wire/oa/oa.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

struct live {
	struct decoder base;
	struct sx_oa_decoder *oa;
	struct sx_column columns[SX_OA_SLOTS];
};

extern const struct decoder_ops decode_i915_oa;

static double constant(const struct decoder_setup *setup, const char *name)
{
	for (uint32_t i = setup->constant_count; i-- > 0;) /* without a catalog, too */
		if (strcmp(setup->constants[i].name, name) == 0)
			return setup->constants[i].value;
	return 0;
}

static enum sx_status oa_create(const struct decoder_setup *setup, struct decoder **out,
				struct sx_error *err)
{
	struct sx_oa_options options = {.input = SX_OA_RECORDS};
	struct live *live = calloc(1, sizeof(*live));
	if (!live)
		return error_nomem(err, "the OA decoder");
	const struct sx_group_info *group =
	    setup->catalog ? oa_group(setup->catalog, setup->set) : NULL;
	if (group && group->counter_format)
		options.format = sx_oa_format_find(group->counter_format);
	if (setup->catalog)
		options.device.device_id = oa_device_of(setup->catalog);
	double hz = constant(setup, "GpuTimestampFrequency");
	double min_hz = constant(setup, "GpuMinFrequency");
	double max_hz = constant(setup, "GpuMaxFrequency");
	if (hz >= 1000 && hz < 1e10)
		options.device.timestamp_hz = (uint64_t)hz;
	if (min_hz > 0 && min_hz < 4e9)
		options.device.gt_min_hz = (uint32_t)min_hz;
	if (max_hz > 0 && max_hz < 4e9)
		options.device.gt_max_hz = (uint32_t)max_hz;
	enum sx_status status = sx_oa_decoder_create(&options, &live->oa, err);
	if (status) {
		free(live);
		return status;
	}
	const struct sx_table *rows = sx_oa_decoder_rows(live->oa);
	live->base = (struct decoder){&decode_i915_oa, live->columns, sx_table_column_count(rows),
				      SX_SAMPLE_TIME};
	for (uint32_t i = 0; i < live->base.column_count; i++)
		live->columns[i] = *sx_table_column(rows, i);
	*out = &live->base;
	return SX_OK;
}

/* Rows that are complete go over to the session's table. */
static enum sx_status hand_over(struct live *live, struct sx_table *table, struct sx_error *err)
{
	struct sx_table *from = sx_oa_decoder_rows(live->oa);
	struct sx_vector vectors[SX_OA_SLOTS];
	struct sx_rows rows;
	enum sx_status status = SX_OK;
	size_t count = sx_table_row_count(from);
	if (count) {
		sx_table_rows(from, 0, count, vectors, &rows);
		status = sx_table_append(table, &rows, err);
	}
	sx_oa_decoder_drain(live->oa);
	return status;
}

static enum sx_status feed_bytes(struct live *live, const uint8_t *data, size_t size,
				 struct sx_table *table, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	size_t used;
	while (!status && size) {
		status = sx_oa_decoder_feed(live->oa, data, size, &used, err);
		data += used;
		size -= used;
		if (status == SX_AGAIN)
			status = hand_over(live, table, err);
		else if (!used)
			break;
	}
	if (!status)
		status = oa_decoder_flush(live->oa, err);
	if (!status)
		status = hand_over(live, table, err);
	if (!status && size)
		return error_set(err, SX_INCOMPLETE, "the last %zu bytes are no whole OA record",
				 size);
	return status;
}

static enum sx_status oa_feed(struct decoder *decoder, const struct raw_sample *raw,
			      struct sx_table *table, struct sx_error *err)
{
	struct live *live = (struct live *)decoder;
	uint8_t gap[OA_RECORD_HEADER] = {0};
	enum sx_status status = SX_OK;
	gap[6] = OA_RECORD_HEADER;
	if (raw->flags & (RAW_LOST | RAW_BROKEN)) {
		gap[0] = raw->flags & RAW_BROKEN ? OA_RECORD_BUFFER_LOST : OA_RECORD_REPORT_LOST;
		status = feed_bytes(live, gap, sizeof(gap), table, err);
	}
	return status ? status : feed_bytes(live, raw->data, raw->size, table, err);
}

static void oa_destroy(struct decoder *decoder)
{
	struct live *live = (struct live *)decoder;
	if (!live)
		return;
	sx_oa_decoder_destroy(live->oa);
	free(live);
}

static bool oa_recognise(const uint8_t *head, size_t size)
{
	static const uint8_t version[] = {0, 0, 1, 0, 0, 0, 16, 0}; /* the first record's head */
	return size >= sizeof(version) && memcmp(head, version, sizeof(version)) == 0;
}

static const struct decoder_file oa_file = {
    .what = "a recording of OA reports",
    .because = "i915-perf-recorder wrote it, or sextant oa record; decode reads it",
    .as = "i915-record",
    .recognise = oa_recognise};

const struct decoder_ops decode_i915_oa = {.name = "i915_oa",
					   .kind = RAW_I915_OA,
					   .create = oa_create,
					   .feed = oa_feed,
					   .destroy = oa_destroy,
					   .defines = oa_defines,
					   .define = oa_define,
					   .fits = oa_definition_fits,
					   .file = &oa_file};
