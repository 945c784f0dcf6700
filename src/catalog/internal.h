/*
 * The parts of a loaded catalog, for this folder; and functions for other rooms beside the public
 * getters.
 */
#ifndef CATALOG_INTERNAL_H
#define CATALOG_INTERNAL_H

#include <sextant/catalog.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/slots.h"

/* Names to indices: one hash table for everything in a catalog that has a name (index.c). */

enum index_kind {
	INDEX_COUNTER,
	INDEX_METRIC,
	INDEX_CONSTANT,
	INDEX_BLOCK,
	INDEX_SECTION,
	INDEX_GROUP,
	INDEX_ADVICE,
	INDEX_PROGRAM,
	INDEX_KINDS
};

/* Groups a name may be asked in, besides the index of one. */
#define INDEX_ANY_GROUP (UINT32_MAX - 1)
#define INDEX_NO_GROUP	UINT32_MAX

struct index_slot {
	const char *name;
	uint32_t group, value;
	uint32_t count; /* how many of this name; counted for INDEX_ANY_GROUP only */
	uint32_t kind;
};

struct index {
	struct index_slot *items;
	size_t count, cap;
	struct slots slots; /* of items */
	uint64_t seed;
};

/* A name within its group (or INDEX_NO_GROUP). */
struct index_key {
	enum index_kind kind;
	uint32_t group;
	const char *name;
};

enum index_result { INDEX_ADDED, INDEX_TAKEN, INDEX_NO_MEMORY };

/*
 * Binds a name, which must outlive the index, to a value. INDEX_TAKEN when the same kind and group
 * has the name already; *holder is then its value.
 */
enum index_result index_add(struct index *index, struct index_key key, uint32_t value,
			    uint32_t *holder);
/*
 * The slot of a name of `len` bytes in a group (or INDEX_ANY_GROUP, INDEX_NO_GROUP), or NULL. Valid
 * until a name is added.
 */
const struct index_slot *index_find(const struct index *index, enum index_kind kind, uint32_t group,
				    const char *name, size_t len);
void index_finish(struct index *index);

struct sx_catalog {
	atomic_uint refs;
	struct arena arena; /* every string and array below */
	struct index index;
	struct sx_catalog_info info;
	struct sx_constant_info *constants;
	struct sx_block_info *blocks;
	struct sx_section_info *sections;
	struct sx_group_info *groups;
	struct sx_counter_info *counters;
	struct sx_metric_info *metrics;
	struct sx_advice_info *advice;
	/* The line of each thing, as yaml.h says; NULL when there are none. */
	uint32_t *lines[INDEX_KINDS];
	const char *files[3]; /* the files that the upper bits of lines mean */
	uint32_t constant_count, block_count, section_count, group_count;
	uint32_t counter_count, metric_count, advice_count;
};

/* Frees a catalog with any number of references; for code that builds one. */
void catalog_free(struct sx_catalog *catalog);

/* Opens the library's own copy of a catalog, without the cache. As sx_catalog_open(). */
enum sx_status catalog_open_inside(const char *name, struct sx_catalog **out, struct sx_error *err);
/* Opens a catalog from its file, without the cache. As sx_catalog_open(). */
enum sx_status catalog_open_file(const struct sx_context *context, const char *path,
				 struct sx_catalog **out, struct sx_error *err);

enum ref_target { REF_NONE, REF_METRIC, REF_COUNTER, REF_CONSTANT, REF_BUILTIN };

/*
 * Resolves a name (with or without `$`, without an instance part) as formulas of metrics of `group`
 * (or SX_NONE) see it: metrics of the group, counters of the group, other counters, constants,
 * other metrics, built-in inputs. *index is its index there; *matches (may be NULL) is above 1 when
 * several groups share the name and it is ambiguous.
 */
enum ref_target refs_resolve(const struct sx_catalog *cat, const char *name, uint32_t group,
			     uint32_t *index, uint32_t *matches);

/* SX_ERR_NOT_FOUND for a variant that the catalog does not have. */
enum sx_status refs_no_variant(const struct sx_catalog *cat, const char *name,
			       struct sx_error *err);
/* SX_ERR_NOT_FOUND for a set or group that the catalog does not have, with what comes near. */
enum sx_status refs_no_group(const struct sx_catalog *cat, const char *name, struct sx_error *err);

struct constants_list {
	const struct sx_constant_value *items;
	uint32_t count;
};

/* What is given for a constant of the catalog, by its index; NULL when nothing is. */
const struct sx_constant_value *constants_given(const struct sx_catalog *catalog, uint32_t index,
						const struct constants_list *list);
/* The same, or else the catalog's own value; NaN where there is none, or for SX_NONE. */
double constants_value(const struct sx_catalog *catalog, uint32_t index,
		       const struct constants_list *list);

#define ALIAS_TEXT_MAX 1024

struct alias {
	uint32_t counter; /* SX_NONE: the metric is another thing */
	bool of_time;	  /* the sample's length is in the formula: not what adds up */
	/*
	 * The formula solved for the counter, in infix: "($gpu_time) / (1000)"; empty where no name
	 * means the metric, as a counter has it, too.
	 */
	char back[ALIAS_TEXT_MAX];
};

/*
 * Finds the counter that a metric's formula in `variant` equals, up to factors and divisors that
 * are numbers, constants of the device or the sample's length. Follows formulas of other metrics.
 * Where a formula cannot be parsed, or memory is out, there is none. Thread-safe.
 */
void alias_find(const struct sx_catalog *catalog, uint32_t metric, uint32_t variant,
		struct alias *out);
/*
 * How samples combine where the values of a metric are given, not derived: as those of its counter,
 * or as the catalog says; sums and differences of amounts add up, ratios have their mean.
 * Thread-safe.
 */
enum sx_reduce alias_over_time(const struct sx_catalog *catalog, uint32_t metric);

struct catalog_addition {
	const char *name; /* as docs/catalog-format.md says of names */
	const char *unit; /* a known one */
	const char *description;
	const char *block; /* of the catalog or added with it, or NULL */
	bool is_real;	   /* f64 instead of u64 */
	bool is_mean;	   /* over time, instead of a sum */
};

/* A block, as docs/catalog-format.md has it; NULL and 0: without. */
struct catalog_block {
	const char *name;
	uint32_t limit;
	const char *family, *stage, *windowed;
};

/* Counters, and blocks that they live in. */
struct catalog_more {
	const struct catalog_addition *counters;
	size_t counter_count;
	const struct catalog_block *blocks;
	size_t block_count;
};

/*
 * Opens a catalog by name and adds to it. It keeps its name and hash, since what it explains is
 * unchanged, and is not in the context's cache. *out holds a reference. Errors: as
 * catalog_open_name(), SX_ERR_BAD_INPUT for names and units that are none.
 */
enum sx_status catalog_extend(struct sx_context *context, const char *name,
			      const struct catalog_more *more, struct sx_catalog **out,
			      struct sx_error *err);

/*
 * As sx_catalog_open(), for a name that comes from a file or a peer: one with a slash is refused
 * (SX_ERR_BAD_INPUT), so that it cannot make us read any file. Thread-safe.
 */
enum sx_status catalog_open_name(struct sx_context *context, const char *name,
				 struct sx_catalog **out, struct sx_error *err);

#define CATALOG_NAMES_BITS 128

/* How many of some columns each of the library's catalogs knows at most. */
struct catalog_names {
	bool is_known;
	uint32_t most[CATALOG_NAMES_BITS];
};

/*
 * Looks columns up in the index of names, as column_meaning() and the names of rules have them:
 * no catalog is opened. Thread-safe.
 */
void catalog_names_begin(struct sx_context *context, const char *const *columns, size_t count,
			 struct catalog_names *out);
/* How many of them a catalog knows at most; SIZE_MAX: only opening it says that. */
size_t catalog_names_most(const struct catalog_names *names, const char *catalog);

/* What a device says of itself, as rules under `match` have it. */
struct match_query {
	const char *driver, *key, *value;
};

#define MATCH_TEXT_MAX 160

struct match_found {
	char name[MATCH_TEXT_MAX];    /* what to open: the product's name, else the catalog's */
	char catalog[MATCH_TEXT_MAX]; /* the catalog's own name */
	char title[MATCH_TEXT_MAX];   /* of the product, else of the catalog */
};

/*
 * Finds the catalog that one of the queries meets; the first query that any catalog meets decides.
 * false when none does, or memory is out. Thread-safe.
 */
bool match_device(struct sx_context *context, const struct match_query *queries, size_t count,
		  struct match_found *out);

/*
 * Finds what a name means, regardless of case: a catalog, a product or an alias of one. Returns how
 * many different ones it names; *out is the first.
 */
size_t match_name(struct sx_context *context, const char *name, struct match_found *out);

#endif
