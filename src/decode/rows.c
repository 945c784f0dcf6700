/* RAW_ROWS: rows that were decoded when they were recorded. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "decode/decode.h"

extern const struct decoder_ops decode_rows;

static enum sx_status rows_create(const struct decoder_setup *setup, struct decoder **out,
				  struct sx_error *err)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return error_nomem(err, "creating a decoder");
	**out = (struct decoder){&decode_rows, setup->columns, setup->column_count, setup->kind};
	return SX_OK;
}

static enum sx_status rows_feed(struct decoder *decoder, const struct raw_sample *raw,
				struct sx_table *table, struct sx_error *err)
{
	struct sx_rows rows;
	if (raw->size != sizeof(rows))
		return error_set(err, SX_ERR_BAD_INPUT, "a sample that holds no rows");
	memcpy(&rows, raw->data, sizeof(rows));
	return sx_table_append(table, &rows, err);
}

static void rows_destroy(struct decoder *decoder)
{
	free(decoder);
}

const struct decoder_ops decode_rows = {
    .name = "rows",
    .kind = RAW_ROWS,
    .create = rows_create,
    .feed = rows_feed,
    .destroy = rows_destroy,
};
