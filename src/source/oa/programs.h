/*
 * The register programs of a metric set, as every driver's observation interface is given them:
 * from the catalog, for the device at hand.
 */
#ifndef SOURCE_OA_PROGRAMS_H
#define SOURCE_OA_PROGRAMS_H

#include <sextant/oa.h>
#include "base/error.h"
#include "source/source.h"
#include "wire/oa/flex.h"

#define OA_CATALOG_INSIDE "intel-bdw" /* which serves without a search path */

/* One register write, and those of one kind in their order. */
struct oa_write {
	uint32_t address, value;
};

struct oa_writes {
	struct oa_write *items;
	size_t count, cap;
};

/* The register programs of a metric set for one device. Zero-initialise. */
struct oa_programs {
	struct oa_writes writes[3]; /* by enum sx_program_kind */
	char set[64];		    /* symbol */
	enum sx_oa_format format;   /* of the reports that its formulas read; 0: of no known name */
	char format_name[32];	    /* as the catalog has it, or empty */
	bool media;		    /* counted by a unit of the media engines */
	char uuid[37];		    /* the catalog's, or one made of the writes */
};

struct oa_programs_request {
	const struct sx_oa_device *device;
	struct sx_catalog *catalog;  /* NULL: the one of `name`, or the embedded one */
	struct sx_context *catalogs; /* where `name` is; or NULL */
	const char *name;
	const char *set;		    /* NULL: the catalog's own choice */
	const struct oa_flex_counter *flex; /* fields that replace the set's own */
	uint32_t flex_count;
};

/* Reads the counters that a request defines. Errors: those of oa_flex_parse() and _merge(). */
enum sx_status oa_programs_define(const struct source_request *request,
				  struct oa_flex_counter out[OA_FLEX_COUNTERS], uint32_t *count,
				  struct sx_error *err);
/*
 * Builds the programs: every mux program that applies to the device, in order of priority. Errors:
 * SX_ERR_NOT_FOUND, SX_ERR_USAGE (a counter that the set itself needs), SX_ERR_NO_MEMORY. *out is
 * released by oa_programs_finish() in any case.
 */
enum sx_status oa_programs_build(const struct oa_programs_request *request, struct oa_programs *out,
				 struct sx_error *err);
/* Says that a configuration is removed as soon as it is added. Returns SX_ERR_BUSY. */
enum sx_status oa_programs_restless(const char *set, struct sx_error *err);
/* Gives the programs a name of their own: the same writes always get the same one. */
void oa_programs_rename(struct oa_programs *programs);
void oa_programs_finish(struct oa_programs *programs);
/*
 * Takes what was added under `id` out of the kernel; remove() gives 0 or more, or a negative errno.
 * It is tried three times. SX_ERR_IO and others of the kernel: it stays there.
 */
enum sx_status oa_programs_remove(int (*remove)(const void *place, uint64_t id), const void *place,
				  uint64_t id, struct sx_error *err);

#endif
