/*
 * Catalogs: the description of one device family. A loaded catalog is immutable; every descriptor
 * and string that a getter returns is owned by the catalog and lives as long as it. All getters are
 * thread-safe.
 */
#ifndef SEXTANT_CATALOG_H
#define SEXTANT_CATALOG_H

#include <sextant/context.h>
#include <sextant/value.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sx_catalog;

enum sx_catalog_kind { SX_KIND_GPU, SX_KIND_CPU, SX_KIND_UNCORE, SX_KIND_API };
enum sx_dialect { SX_DIALECT_STANDARD, SX_DIALECT_INTEL, SX_DIALECT_AMD };
enum sx_notation { SX_INFIX, SX_POSTFIX };

/* Which direction of change is an improvement, where that is so for every program. */
enum sx_direction { SX_DIRECTION_UNKNOWN, SX_DIRECTION_LOWER, SX_DIRECTION_HIGHER };

enum sx_severity { SX_SEVERITY_HIGH, SX_SEVERITY_MEDIUM, SX_SEVERITY_LOW, SX_SEVERITY_INFO };

/* A rule by which a source recognises the device. */
struct sx_match_info {
	const char *driver, *key, *value;
	uint32_t product; /* index of the product that it identifies, or SX_NONE */
};

/* One of the products that a catalog describes. */
struct sx_product_info {
	const char *name, *title;
	struct sx_strings aliases;
	const struct sx_constant_value *constants; /* of the catalog, fixed by the product */
	uint32_t constant_count;
};

/* An alternative form that expressions of this catalog may have. */
struct sx_variant_info {
	const char *name, *title;
};

/* A device-wide limit on one pass, for example sq_events. */
struct sx_pass_limit_info {
	const char *name;
	uint32_t value;
};

struct sx_constant_info {
	const char *name, *unit, *description;
	struct sx_strings aliases;
	double value; /* the default */
	bool has_value;
};

struct sx_block_info {
	const char *name, *title, *description;
	const char *instances_constant; /* NULL when `instances` is fixed */
	uint32_t instances;		/* at least 1; 1 where a constant gives the number */
	uint32_t slots, slot_bits, code;
	uint32_t limit;		    /* counters at once for one instance; 0: no limit */
	const char *stage, *family; /* NULL unless only one stage of a family may count in a pass */
	const char *windowed;	    /* the event family with the stage that windows it, or NULL */
	bool alone;		    /* shares a pass with nothing else */
};

struct sx_section_info {
	const char *id, *title;
	uint32_t parent; /* index of the section above, or SX_NONE */
};

enum sx_program_kind { SX_PROGRAM_MUX, SX_PROGRAM_BOOLEAN, SX_PROGRAM_FLEX };

/* One run of register writes of a metric set. */
struct sx_program_info {
	enum sx_program_kind kind;
	int32_t priority;
	const char *when;   /* postfix condition over device constants, or NULL: always */
	const char *writes; /* "ADDRESS:VALUE ADDRESS:VALUE …", hexadecimal, checked when loaded */
	uint32_t count;	    /* number of writes */
};

enum sx_group_kind { SX_GROUP_SET, SX_GROUP_UNCORE, SX_GROUP_LIST };

struct sx_group_info {
	const char *name, *title, *uuid, *counter_format, *scope;
	const char *unit; /* the part of the device that counts it: "oag" or "oam"; may be NULL */
	enum sx_group_kind kind;
	bool exclusive; /* only one such group is programmed at a time */
	const struct sx_program_info *programs;
	uint32_t program_count;
	struct sx_strings notes;
};

struct sx_counter_info {
	const char *name, *title, *unit, *description, *neutral; /* title, neutral may be NULL */
	struct sx_strings aliases, notes, tags;
	/* Where known, one for each alias: the releases of the vendor's tools that have it, or "".
	 */
	struct sx_strings alias_releases;
	uint32_t block; /* index, or SX_NONE */
	uint32_t group; /* index, or SX_NONE */
	uint32_t slot;	/* or SX_NONE */
	uint32_t bits;
	uint64_t scale;
	/*
	 * A counter or metric of the same meaning, in any unit; reports show one of them; or NULL.
	 */
	const char *same;
	/*
	 * The most that it can count in a second or be, in its unit, as a formula over constants;
	 * or NULL.
	 */
	const char *peak;
	/* Events of the kernel's PMUs that deliver it ("64 bytes * PMU/EVENT/"), best first. */
	struct sx_strings from;
	const char *unfed; /* why no event equals it, or NULL */
	uint32_t bytes;	   /* of one request, where that is fixed; else 0 */
	enum sx_direction direction;
	enum sx_type type;
	enum sx_reduce reduce, over_time;
};

struct sx_metric_info {
	const char *name;      /* unique within its group */
	const char *qualified; /* "Group.name" when it has a group, else the name */
	const char *title, *unit, *description;
	const char *neutral, *category, *usage, *max; /* may be NULL */
	/* Postfix condition over constants: the device lacks the metric where it is 0. Or NULL. */
	const char *when;
	const char *unavailable; /* why there is no formula, or NULL */
	/*
	 * One expression for each variant of the catalog (one when it has none); NULL: no such
	 * form.
	 */
	const char *const *exprs;
	const uint32_t *sections; /* indices; the first is where it is listed */
	uint32_t section_count;
	uint32_t group; /* index, or SX_NONE */
	struct sx_strings aliases, notes, tags, apis, keep;
	/*
	 * The most that the device can reach, in the metric's unit (amounts: in a second), as an
	 * infix formula over constants; or NULL.
	 */
	const char *peak;
	enum sx_direction direction;
	enum sx_type type;
	enum sx_reduce over_time;
	uint32_t line; /* in the catalog's file */
};

struct sx_advice_info {
	const char *rule, *title, *when, *metric, *advice, *needs; /* when or needs is NULL */
	enum sx_severity severity;
	double limit; /* NaN when there is none */
	double min_share;
	bool threshold_from_guide;
	struct sx_strings sections;
	uint32_t line;
};

/* The head of a catalog; enough for a list of catalogs. */
struct sx_catalog_info {
	/*
	 * The name that it was opened by: the catalog's, or that of one of its products. The title
	 * and constants are then the product's. `catalog` is the catalog's name in either case.
	 */
	const char *name, *title, *vendor;
	const char *catalog;
	const char *extends, *shared; /* names of the files that it builds upon, or NULL */
	uint32_t product;	      /* index of the product that it was opened as, or SX_NONE */
	enum sx_catalog_kind kind;
	enum sx_dialect dialect;
	enum sx_notation notation;
	const char *origin; /* path of the file, or "embedded" */
	/*
	 * xxhash64 of the file's bytes; of a catalog that builds upon others, xxhash64 of the
	 * hashes of the file itself, of the one that it extends and of the shared one, each as 8
	 * bytes little endian and 0 where there is none.
	 */
	uint64_t hash;
	struct sx_strings facts, notes;
	const struct sx_match_info *matches;
	uint32_t match_count;
	const struct sx_product_info *products;
	uint32_t product_count;
	const struct sx_variant_info *variants;
	uint32_t variant_count;
	const struct sx_pass_limit_info *pass_limits;
	uint32_t pass_limit_count;
};

/*
 * Opens a catalog by name through the context's search path, or by path when `name` contains a
 * slash. A name without a file may be that of a product or an alias of one, regardless of case.
 * *out holds a reference for the caller. Errors: SX_ERR_NOT_FOUND (the remedy suggests the nearest
 * names), SX_ERR_BAD_INPUT and SX_ERR_LIMIT (the message starts with file:line), SX_ERR_PERMISSION.
 * Thread-safe; a second open of the same name is cheap.
 */
SX_API enum sx_status sx_catalog_open(struct sx_context *context, const char *name,
				      struct sx_catalog **out, struct sx_error *err);

/*
 * Writes a catalog as one YAML file that builds upon no other: it includes what the catalog takes
 * from the one that it extends and from its vendor's shared file. *out is a string that the caller
 * frees with free(). `name` and errors as sx_catalog_open(). Thread-safe.
 */
SX_API enum sx_status sx_catalog_resolve(struct sx_context *context, const char *name, char **out,
					 struct sx_error *err);

/*
 * Parses a catalog from memory. `origin` is used in messages. *out holds a reference for the
 * caller. Errors as sx_catalog_open(). Thread-safe.
 */
SX_API enum sx_status sx_catalog_parse(const char *text, size_t size, const char *origin,
				       struct sx_catalog **out, struct sx_error *err);

/* Takes a further reference and returns its argument. Thread-safe. */
SX_API struct sx_catalog *sx_catalog_ref(struct sx_catalog *catalog);
/* Drops a reference; the last one frees. NULL is fine. Thread-safe. */
SX_API void sx_catalog_unref(struct sx_catalog *catalog);

/*
 * Names of all catalogs that can be opened, sorted, without duplicates, NULL-terminated. The list
 * is owned by the context and lives as long as it. *count may be NULL. Errors: NULL when memory is
 * out.
 */
SX_API const char *const *sx_catalog_names(struct sx_context *context, size_t *count);

/*
 * The heads of all catalogs that can be opened, in the order of their names: name, title, vendor,
 * products and matches, without facts and notes. Only the heads are read; a catalog that cannot be
 * read is left out, with a line in the log. The list is owned by the context and lives as long as
 * it; *count may be NULL. Errors: NULL when memory is out, and from then on. Thread-safe.
 */
SX_API const struct sx_catalog_info *const *sx_catalog_heads(struct sx_context *context,
							     size_t *count);

/* The catalog's head, which lives as long as the catalog. Never NULL. Thread-safe. */
SX_API const struct sx_catalog_info *sx_catalog_info(const struct sx_catalog *catalog);

/*
 * Arrays of descriptors in the file's order; *count receives their number. NULL when there are
 * none. They and their strings live as long as the catalog. Thread-safe.
 */
SX_API const struct sx_constant_info *sx_catalog_constants(const struct sx_catalog *catalog,
							   uint32_t *count);
/* See sx_catalog_constants(). */
SX_API const struct sx_block_info *sx_catalog_blocks(const struct sx_catalog *catalog,
						     uint32_t *count);
/* See sx_catalog_constants(). */
SX_API const struct sx_section_info *sx_catalog_sections(const struct sx_catalog *catalog,
							 uint32_t *count);
/* See sx_catalog_constants(). */
SX_API const struct sx_group_info *sx_catalog_groups(const struct sx_catalog *catalog,
						     uint32_t *count);
/* See sx_catalog_constants(). */
SX_API const struct sx_counter_info *sx_catalog_counters(const struct sx_catalog *catalog,
							 uint32_t *count);
/* See sx_catalog_constants(). */
SX_API const struct sx_metric_info *sx_catalog_metrics(const struct sx_catalog *catalog,
						       uint32_t *count);
/* See sx_catalog_constants(). */
SX_API const struct sx_advice_info *sx_catalog_advice(const struct sx_catalog *catalog,
						      uint32_t *count);

/*
 * Finds a counter, constant, block, section (by id) or group by exact name or alias; a leading `$`
 * is ignored. Returns its index, or SX_NONE. `group` restricts counters and metrics to one group
 * (an index) or is SX_NONE. A qualified name ("Group.name") finds a grouped one as well, also
 * where `group` is that group. For a bare name that several groups share, *matches (may be NULL)
 * receives their number and the first is returned.
 */
SX_API uint32_t sx_catalog_find_counter(const struct sx_catalog *catalog, const char *name,
					uint32_t group, uint32_t *matches);
/* See sx_catalog_find_counter(). */
SX_API uint32_t sx_catalog_find_metric(const struct sx_catalog *catalog, const char *name,
				       uint32_t group, uint32_t *matches);
/* Index of a constant by name or alias, or SX_NONE. */
SX_API uint32_t sx_catalog_find_constant(const struct sx_catalog *catalog, const char *name);
/* Index of a group by name or uuid, or SX_NONE. */
SX_API uint32_t sx_catalog_find_group(const struct sx_catalog *catalog, const char *name);
/*
 * Whether the meaning of a counter depends on the metric set that was programmed. Only one set is
 * programmed at a time, and counts of an unknown set cannot be interpreted.
 */
SX_API bool sx_catalog_has_sets(const struct sx_catalog *catalog);
/* Index of a variant by name, or SX_NONE. */
SX_API uint32_t sx_catalog_find_variant(const struct sx_catalog *catalog, const char *name);

#define SX_DEFINITION_WARNINGS 4
/*
 * A counter that a user defines by what the hardware shall count. Strings but `counter` and
 * `formula` are static.
 */
struct sx_definition {
	char counter[16];  /* the catalog's counter that it programs */
	const char *title; /* what it counts */
	const char *unit;
	char formula[160]; /* formula of its value, over names of the catalog */
	enum sx_notation notation;
	const char *warnings[SX_DEFINITION_WARNINGS]; /* the vendor's warnings about it */
	uint32_t warning_count;
};

/*
 * The names nearest to `name` among metrics and counters, best first, at most `max` of them, into
 * `out` (strings owned by the catalog). Returns how many; 0 when nothing is near.
 */
SX_API size_t sx_catalog_suggest(const struct sx_catalog *catalog, const char *name,
				 const char **out, size_t max);

#ifdef __cplusplus
}
#endif

#endif
