/* Raw counters as hardware or a driver wrote them: what is known of such a file. */
#ifndef IMPORT_RAW_INPUT_H
#define IMPORT_RAW_INPUT_H

#include <sextant/catalog.h>
#include <sextant/context.h>
#include <sextant/table.h>

#include "base/teller.h"

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
	struct teller notes;	/* told in whole lines: "note: …" */
};

/* Adds a constant unless it was given; a name of the catalog or an alias. */
void raw_add_constant(struct raw_input *in, const char *name, double value);
/* A constant by name or alias; false when nobody gave it. */
bool raw_constant(const struct raw_input *in, const char *name, double *value);

#endif
