/* RAW_VALUES: plain u64 values in the order that the source described, then one quality byte each.
 */
#include "decode/decode.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/little.h"
#include "catalog/column.h"
#include "wire/share.h"

extern const struct decoder_ops decode_values;

struct values_decoder {
	struct decoder base;
	struct sx_column columns[];
};

static struct sx_column column_of(const struct sx_catalog *catalog, const char *name)
{
	uint32_t count;
	uint32_t at = column_identify(catalog, name).counter;
	const struct sx_counter_info *info =
	    at == SX_NONE ? NULL : &sx_catalog_counters(catalog, &count)[at];
	return (struct sx_column){.name = name,
				  .unit = info		       ? info->unit
					  : share_length(name) ? "ns"
							       : "count",
				  .type = SX_U64,
				  .over_time = info ? info->over_time : SX_REDUCE_SUM};
}

static enum sx_status wire_values_create(const struct decoder_setup *setup, struct decoder **out,
					 struct sx_error *err)
{
	uint32_t count = setup->value_count;
	struct values_decoder *d = calloc(1, sizeof(*d) + count * sizeof(d->columns[0]));
	if (!d)
		return error_nomem(err, "creating a decoder");
	d->base = (struct decoder){&decode_values, d->columns, count, SX_SAMPLE_TIME};
	for (uint32_t i = 0; i < count; i++)
		d->columns[i] = column_of(setup->catalog, setup->values[i]);
	for (uint32_t i = 0; setup->whys && i < count; i++)
		d->columns[i].why = setup->whys[i];
	*out = &d->base;
	return SX_OK;
}

static enum sx_status wire_values_feed(struct decoder *decoder, const struct raw_sample *raw,
				       struct sx_table *table, struct sx_error *err)
{
	struct values_decoder *d = (struct values_decoder *)decoder;
	size_t row;
	if (raw->size != (size_t)d->base.column_count * 9) {
		error_set(err, SX_INCOMPLETE, "a sample has %zu bytes instead of %zu", raw->size,
			  (size_t)d->base.column_count * 9);
		error_because(err, "it does not hold the values that the source described");
		error_try(err, "report this with the output of sextant doctor");
		return SX_INCOMPLETE;
	}
	enum sx_status status = sx_table_add_rows(table, 1, &row, err);
	if (status)
		return status;
	unsigned flags = raw->flags & RAW_LOST ? SX_QUALITY_LOST : 0;
	if (raw->flags & RAW_STRETCHED)
		flags |= SX_QUALITY_STRETCHED;
	sx_table_set_time(table, row, raw->begin_ns, raw->end_ns);
	for (uint32_t i = 0; i < d->base.column_count; i++)
		sx_table_set_u64(
		    table, i, row, little_u64(raw->data + 8 * (size_t)i),
		    (uint8_t)(raw->data[8 * (size_t)d->base.column_count + i] | flags));
	return sx_table_add_rows(table, 0, NULL, err); /* fails when a value got no memory */
}

static void wire_values_destroy(struct decoder *decoder)
{
	free(decoder);
}

const struct decoder_ops decode_values = {
    .name = "values",
    .kind = RAW_VALUES,
    .create = wire_values_create,
    .feed = wire_values_feed,
    .destroy = wire_values_destroy,
};
