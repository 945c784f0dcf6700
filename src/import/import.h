/*
 * Files of other tools as rows of counters. The kind is recognised from the content; docs/import.md
 * says what is imported and what is lost.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include <sextant/catalog.h>
#include <sextant/context.h>
#include <sextant/device.h>
#include <sextant/table.h>

#define IMPORT_DEVICES_MAX   64
#define IMPORT_CONSTANTS_MAX 16
#define IMPORT_NUMBER_MAX    0xffff /* numbers of devices are below */

struct import_format;

/* One device of a file; strings live as long as the import. */
struct import_device {
	const char *catalog; /* name of the catalog that its columns belong to */
	/*
	 * source: the kind of the file; clock: NULL, the file's own; number: the file's own of the
	 * device, or SX_NONE; constants: those below.
	 */
	struct sx_device_facts facts;
	const char *labels[SX_LABEL_COUNT]; /* what the file calls each, or NULL: as we do */
	bool encloses_work; /* samples are pieces of a program's work: the table goes first */
	uint64_t interval_ns;
	uint64_t lost;	   /* samples that the file says were lost, as far as they are known */
	bool lost_more;	   /* also an unknown number of others */
	uint64_t left_out; /* lines that cannot be read */
	struct sx_table *table;
	struct sx_constant_value constants[IMPORT_CONSTANTS_MAX];
};

struct import;

/* What is asked for. */
struct import_request {
	struct sx_context *context;
	const char *path;    /* a file, or a folder of files; "-": standard input */
	const char *as;	     /* a kind, or NULL: recognise it */
	const char *catalog; /* --for, or NULL: what the file fits */
};

/*
 * Reads a file. *out is owned by the caller. SX_INCOMPLETE: *out holds what could be read, and err
 * says what could not. Errors: SX_ERR_USAGE (no such kind), SX_ERR_BAD_INPUT (also a file of no
 * known kind, or of another than was named), SX_ERR_PERMISSION, SX_ERR_LIMIT, SX_ERR_NO_MEMORY.
 */
enum sx_status import_read(const struct import_request *request, struct import **out,
			   struct sx_error *err);
/* The same of bytes in memory; request->path is used in messages alone. */
enum sx_status import_parse(const struct import_request *request, const char *data, size_t size,
			    struct import **out, struct sx_error *err);
void import_destroy(struct import *import);

/*
 * The text of a file, unpacked (gzip, zstd) and in UTF-8; *data is to be freed. Errors as
 * import_read().
 */
enum sx_status import_plain_text(const char *path, char **data, size_t *size, struct sx_error *err);
#define IMPORT_ALL SIZE_MAX
/*
 * The bytes of a file, unpacked; `limit`: of its beginning, or IMPORT_ALL. *data is to be freed.
 * Errors as import_read().
 */
enum sx_status import_unpacked(const char *path, size_t limit, char **data, size_t *size,
			       struct sx_error *err);
/*
 * How text is written, by its beginning: with a mark or without. What has letters beyond ASCII and
 * none of UTF-8 is of Windows' Western code page, which Latin-1 is a part of.
 */
enum import_coding { IMPORT_UTF8, IMPORT_UTF16_LE, IMPORT_UTF16_BE, IMPORT_LATIN };
enum import_coding import_coding(const char *text, size_t size);
/*
 * Whether a file begins as one of a known kind, or is a folder, which nothing else reads; for files
 * that cannot be read, false. `tables`: plain tables of counters count as well; those with a column
 * of devices always do.
 */
bool import_knows(const char *path, bool tables);

const struct import_device *import_devices(const struct import *import, uint32_t *count);
#define IMPORT_PROPERTY_MAX 32
/* The property of a capture's device with the file's name of a label: "label.group". */
const char *import_label_property(enum sx_label label, char buf[IMPORT_PROPERTY_MAX]);
/* The kind of a file in words: "a log of MangoHud". */
const char *import_about(const struct import *import);
/* A note for the user: what was left out, or guessed. NULL behind the last. */
const char *import_note(const struct import *import, uint32_t i);
/* Kinds as --as names them; NULL behind the last. */
const char *import_kind_at(uint32_t i);

/* Whether any column means something in the catalog, or can be used as it is by its unit. */
bool import_columns_known(const struct sx_table *table, const struct sx_catalog *catalog);
/* Whether metric sets have a metric of that name, each its own: which is meant, the set says. */
bool import_is_of_sets(const struct sx_catalog *catalog, const char *name);
/* The first column from `from` on that means nothing there, nor by itself; SX_NONE: no more. */
uint32_t import_unknown_column(const struct sx_table *table, const struct sx_catalog *catalog,
			       uint32_t from);
/*
 * Finds columns that mean what another one means, which is read instead: its index in instead[i],
 * or SX_NONE. The array has an element for each column. False: there are none.
 */
bool import_repeated_columns(const struct sx_table *table, const struct sx_catalog *catalog,
			     uint32_t *instead);
/*
 * How many columns give a metric that is a ratio of several counters; *first is the name of one,
 * which lives as long as the table.
 */
uint32_t import_given_ratios(const struct sx_table *table, const struct sx_catalog *catalog,
			     const char **first);

#endif
