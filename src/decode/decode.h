/*
 * The one interface of all decoders: raw samples of one kind in, rows of a table out. A decoder is
 * pure: it knows a catalog and bytes, no device. It never trusts a length, count or index in them.
 */
#ifndef DECODE_DECODE_H
#define DECODE_DECODE_H

#include <sextant/catalog.h>
#include <sextant/table.h>
#include "wire/raw.h"

struct decoder; /* each implementation embeds it as its first member */

/* The device and selection of the raw samples. Strings and arrays must outlive the decoder. */
struct decoder_setup {
	struct sx_catalog *catalog;
	const char *set;	     /* metric set or group, or NULL */
	const char *const *counters; /* names wanted; NULL: all that the samples hold */
	uint32_t counter_count;
	const char *const *values; /* RAW_VALUES: what each value is, from the source */
	const char *const *whys;   /* why a value will never be had, or NULL, as source_desc */
	uint32_t value_count;
	const struct sx_column *columns; /* RAW_ROWS: what the rows hold, from the source */
	uint32_t column_count;
	enum sx_sample_kind kind; /* RAW_ROWS, RAW_GUEST: what rows enclose, from the source */
	const struct sx_constant_value
	    *constants; /* of the device; of several values of one name the last one wins */
	uint32_t constant_count;
	const char *variant; /* of the catalog, or NULL: the first */
	bool instances;	     /* also a column for each instance, where samples keep them apart */
};

/* The context in which a definition is read. */
struct decoder_defining {
	const struct sx_catalog *catalog; /* or NULL: any */
	const char *const *earlier;	  /* definitions that were read before */
	uint32_t earlier_count;
};

/*
 * A kind of file that a decoder reads. Commands that cannot use such a file name it in their error.
 */
struct decoder_file {
	const char *what;    /* "a recording of OA reports" */
	const char *because; /* what writes such files, and what reads them */
	const char *as;	     /* the file's kind, as decode's --as has it */
	/* Says from the first bytes, at most DECODER_HEAD of them, whether it is one. */
	bool (*recognise)(const uint8_t *head, size_t size);
};
#define DECODER_HEAD 64

struct decoder_ops {
	const char *name;
	enum raw_kind kind;
	/* *out is released by destroy(). */
	enum sx_status (*create)(const struct decoder_setup *setup, struct decoder **out,
				 struct sx_error *err);
	/*
	 * Appends the rows that this raw sample completes: none, one or many. A part that cannot be
	 * used is left out and reported: SX_INCOMPLETE with the place in err; rows before it stay.
	 * It may set a column's why. Other errors end the decoding.
	 */
	enum sx_status (*feed)(struct decoder *decoder, const struct raw_sample *raw,
			       struct sx_table *table, struct sx_error *err);
	void (*destroy)(struct decoder *decoder);
	/*
	 * Counters that a user defines; all NULL where there are none. defines() returns whether a
	 * pattern looks like one; define() reads it; fits() returns whether a set leaves room for
	 * it. Errors: SX_ERR_USAGE (malformed, or the counter has another definition),
	 * SX_ERR_NOT_FOUND, SX_ERR_UNSUPPORTED (no such event, or not on this catalog's device).
	 */
	bool (*defines)(const char *pattern);
	enum sx_status (*define)(const struct decoder_defining *known, const char *pattern,
				 struct sx_definition *out, struct sx_error *err);
	enum sx_status (*fits)(const struct sx_catalog *catalog, uint32_t group,
			       const char *pattern, struct sx_error *err);
	const struct decoder_file *file; /* or NULL: its samples have no file format of their own */
};

struct decoder {
	const struct decoder_ops *ops;
	/*
	 * The columns of rows and what each row encloses; create() sets them, for the decoder's
	 * life.
	 */
	const struct sx_column *columns;
	uint32_t column_count;
	enum sx_sample_kind kind;
};

/* An empty table for the decoder's rows. Errors: SX_ERR_NO_MEMORY. */
enum sx_status decoder_table(const struct decoder *decoder, struct sx_table **out,
			     struct sx_error *err);

/* The decoder of a kind of raw samples, or NULL. Static storage. */
const struct decoder_ops *decode_find(enum raw_kind kind);
/* The decoder of the counters that a pattern defines, or NULL. Static storage. */
const struct decoder_ops *decode_definer(const char *pattern);
/* Which decoder's file begins so, or NULL. Static storage. */
const struct decoder_file *decode_recognise(const uint8_t *head, size_t size);

#endif
