/* The state of a table; for the files of this folder only. */
#ifndef TABLE_TABLE_H
#define TABLE_TABLE_H

#include <sextant/table.h>
#include "base/backing.h"
#include "base/strings.h"

struct table_column {
	struct sx_column info; /* strings owned here */
	union {
		uint64_t *u64;
		double *f64;
		void *any;
	} data;		  /* NULL until a value is set */
	uint8_t *quality; /* lives and grows with data */
	size_t invalid;	  /* rows with a quality other than 0 */
	bool exposed;	  /* a caller may have written quality directly */
	bool of_rows;	  /* of totals: see table_is_of_rows() */
	char *reasons[2]; /* see table_add_reason(): not collected, gap */
};

struct sx_table {
	struct table_column *columns;
	uint32_t column_count;
	enum sx_sample_kind kind;
	size_t rows, cap;
	struct backing *backing; /* that the arrays are of; NULL: they are in memory */
	uint64_t *begin_ns, *end_ns;
	uint64_t *labels[SX_LABEL_COUNT]; /* NULL until one is set */
	struct strings names, strings;
	bool has_reasons;	 /* some column has */
	bool combined;		 /* each row is of several: see table_is_combined() */
	struct sx_table *frames; /* or NULL: see frames_of_table() */
	bool out_of_memory; /* a value could not be kept; the next sx_table_add_rows() says so */
};

/* Memory that the texts of its dictionary take. */
size_t table_text_bytes(const struct sx_table *table);

#endif
