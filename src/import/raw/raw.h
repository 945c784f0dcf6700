/* Raw counters as hardware or a driver wrote them: what is known about such a file. */
#ifndef IMPORT_RAW_RAW_H
#define IMPORT_RAW_RAW_H

#include <sextant/catalog.h>
#include <sextant/context.h>
#include <sextant/oa.h>
#include <sextant/table.h>

#include "base/note_sink.h"
#include "decode/decode.h"

#define RAW_CONSTANTS_MAX 64

/* A file of raw counters: what was asked and given, and what it says of itself. */
struct raw_input {
	struct sx_context *context;
	const char *kind; /* --as, in full */
	const uint8_t *data;
	size_t size;
	/* The catalog of --for, or NULL; a format that knows its device opens one. Owned here. */
	struct sx_catalog *catalog;
	/* What was given by --const and what the format adds, for the metrics. */
	struct sx_constant_value constants[RAW_CONSTANTS_MAX];
	uint32_t constant_count;
	const char *set;	     /* --set, or what the file says */
	const char *variant;	     /* --api, or NULL */
	bool instances;		     /* --by instance: also a column for each instance */
	bool counters;		     /* the raw counters are wanted, no metrics of them */
	const char *const *patterns; /* of the metrics that were named */
	size_t pattern_count;
	struct sx_table *table; /* out: raw counters, one row an interval; owned here */
	struct note_sink notes; /* in whole lines: "note: …" */
};

/* What a file is; NULL: no decoder knows it, it cannot be read, or is standard input. */
const struct decoder_file *import_raw_file(const char *path);

/* Fills in->table from in->data. Errors: SX_ERR_USAGE, and those of sx_mali_decode(). */
enum sx_status raw_mali_dump(struct raw_input *in, struct sx_error *err);

/* A file on its way through a decoder: `rows` takes what is complete. */
struct raw_oa_sink {
	struct sx_oa_decoder *decoder;
	enum sx_status (*rows)(void *user, struct sx_error *err);
	void *user;
};

struct raw_oa_units {
	uint32_t eus, slices, subslices;
};

/* What --as says: "oa:A32u40_A4u32_B8_C8", and ":command" behind it for reports of
 * MI_REPORT_PERF_COUNT. */
enum sx_status raw_oa_kind(const char *kind, struct sx_oa_options *options, struct sx_error *err);
/* What is known before the first byte: of bare reports the device, and frequencies. */
enum sx_status raw_oa_prepare(struct raw_input *in, struct sx_oa_options *options,
			      struct sx_error *err);
/*
 * What a recording says of its device: catalog, constants and metric set. *known: the set is one of
 * the catalog's.
 */
enum sx_status raw_oa_use_device(struct raw_input *in, const struct sx_oa_device *device,
				 bool *known, struct sx_error *err);
/* Why a metric's name is of several sets: the recording's is unknown, or it says none. */
void raw_oa_ambiguous(const struct raw_input *in, struct sx_error *err);
/* Counts of a known topology, else 0. */
struct raw_oa_units raw_oa_units(const struct sx_oa_device *device);
/* Reads to the end; *left receives the bytes that were no whole record. */
enum sx_status raw_oa_pump(const struct raw_oa_sink *pump, int fd, size_t *left,
			   struct sx_error *err);

#endif
