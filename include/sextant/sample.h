/* Samples: what a row of counters is, in a source, a capture or a table. */
#ifndef SEXTANT_SAMPLE_H
#define SEXTANT_SAMPLE_H

#include <sextant/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Labels that a row may carry beside its values. */
enum sx_label {
	SX_LABEL_FRAME,	   /* frame number, from 0 */
	SX_LABEL_GROUP,	   /* debug group: index of a string, see sx_rows and sx_table_string() */
	SX_LABEL_CONTEXT,  /* hardware context id */
	SX_LABEL_INSTANCE, /* core, slice or cluster that the row belongs to */
	SX_LABEL_REASON,   /* why the sample was taken: index of a string */
	SX_LABEL_PROCESS,  /* "name (pid)" of the program: index of a string */
	SX_LABEL_GROUP2,   /* further texts of a table's rows: indices of strings */
	SX_LABEL_GROUP3,
	SX_LABEL_GROUP4,
	SX_LABEL_COUNT
};
#define SX_LABEL_ABSENT UINT64_MAX /* this row has no such label */
/* Bits of the labels that are indices of strings. */
#define SX_LABELS_OF_TEXT                                                                          \
	(1u << SX_LABEL_GROUP | 1u << SX_LABEL_REASON | 1u << SX_LABEL_PROCESS |                   \
	 1u << SX_LABEL_GROUP2 | 1u << SX_LABEL_GROUP3 | 1u << SX_LABEL_GROUP4)

/* What a sample encloses. */
enum sx_sample_kind {
	SX_SAMPLE_TIME,	    /* a time slice */
	SX_SAMPLE_FRAME,    /* swap to swap */
	SX_SAMPLE_GROUP,    /* a debug group */
	SX_SAMPLE_CONTEXT,  /* residency of a context */
	SX_SAMPLE_DUMP,	    /* one dump of all counters */
	SX_SAMPLE_PROCESS,  /* the whole run of a program */
	SX_SAMPLE_ROW,	    /* a row of a file */
	SX_SAMPLE_PASS,	    /* a render pass */
	SX_SAMPLE_DRAW,	    /* one draw or dispatch */
	SX_SAMPLE_KERNEL,   /* one kernel, copy or map */
	SX_SAMPLE_COMMANDS, /* one command buffer */
	SX_SAMPLE_SUBMIT,   /* one submission to a queue */
	SX_SAMPLE_QUEUE,    /* what one queue was given, in a frame or 100 ms */
	SX_SAMPLE_KINDS
};

/* "time", "frame", "command-buffer", …; static storage. Any thread. */
SX_API const char *sx_sample_kind_name(enum sx_sample_kind kind);
/* The kind of that name, or SX_SAMPLE_KINDS. Any thread. */
SX_API enum sx_sample_kind sx_sample_kind_find(const char *name);

/* Times are nanoseconds of CLOCK_MONOTONIC, or of the file's own clock. */
#define SX_TIME_UNKNOWN UINT64_MAX

/*
 * A span of rows, passed from one module to the next: borrowed memory, one array a column. Missing
 * arrays mean: unknown times, absent label, column not collected.
 */
struct sx_rows {
	size_t count;
	const uint64_t *begin_ns, *end_ns;
	const struct sx_vector *columns;
	uint32_t column_count;
	const uint64_t *labels[SX_LABEL_COUNT];
	const char *const *strings; /* what labels of texts index */
	uint32_t string_count;
};

#ifdef __cplusplus
}
#endif

#endif
