/* Batches: rows on their way into one ROWS record, column by column, in memory of fixed size. */
#ifndef CAPTURE_FORMAT_BATCH_H
#define CAPTURE_FORMAT_BATCH_H

#include <sextant/sample.h>
#include "base/strings.h"

/* What a batch is made for. */
struct batch_layout {
	uint32_t columns;
	const uint8_t *is_f64; /* one a column */
	size_t rows_max;       /* so that one record stays small */
};

struct batch {
	bool no_memory; /* a label's text could not be kept */
	struct batch *next;
	uint32_t device;
	size_t rows, cap; /* cap: rows_max of the layout */
	uint64_t *begin_ns, *end_ns;
	uint64_t *labels; /* SX_LABEL_COUNT arrays, one after another */
	uint32_t label_mask;
	uint64_t *values;     /* one array a column */
	uint8_t *quality;     /* one array a column, filled only where mixed[] says so */
	uint8_t *mixed;	      /* one a column: some row is not plainly valid */
	struct strings texts; /* of debug groups and reasons */
	size_t text_bytes;    /* memory that texts take */
	size_t bytes;	      /* memory that all else takes */
};

/* Rows that fit into one record of so many columns. */
size_t batch_rows_max(uint32_t columns);
/* Memory that batch_create() takes. */
size_t batch_bytes(const struct batch_layout *layout);
/* NULL when memory is out. */
struct batch *batch_create(const struct batch_layout *layout);
void batch_destroy(struct batch *batch);
/* Ready for new rows. */
void batch_reset(struct batch *batch, const struct batch_layout *layout);
/* Whether another row has no room: rows or texts are at their limit. */
bool batch_is_full(const struct batch *batch);
/* Copies as many rows from `first` on as fit, at least one; the batch is not full. */
size_t batch_add(struct batch *batch, const struct batch_layout *layout, const struct sx_rows *rows,
		 size_t first);

#endif
