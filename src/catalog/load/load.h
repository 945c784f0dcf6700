/* The parts of a catalog, one function each; load_catalog() calls them in order of dependence. */
#ifndef CATALOG_LOAD_LOAD_H
#define CATALOG_LOAD_LOAD_H

#include "catalog/internal.h"
#include "catalog/units.h"
#include "catalog/load/yaml.h"

/* Text that grows; NUL-terminated, `data` to be freed. */
struct dump_text {
	char *data;
	size_t size, cap;
};

/*
 * Appends the tree of a catalog, without the keys that say what it builds upon: the entries of its
 * lists a line each. Reading it gives the same tree. false when memory is out.
 */
bool dump_catalog(const struct yaml_node *root, struct dump_text *out);

/* The files that a catalog is put together from, as in the upper bits of lines. */
enum load_file_number { LOAD_OWN, LOAD_PARENT, LOAD_SHARED, LOAD_FILES };

/* What one load works with. */
struct loader {
	struct sx_catalog *cat;
	const char *files[LOAD_FILES]; /* where they come from, for messages; NULL: not there */
	uint64_t hashes[LOAD_FILES];
	struct yaml_node *roots[LOAD_FILES];
	const char *product;		   /* the product that the catalog is opened as, or NULL */
	const struct yaml_node **programs; /* programs that have a name, by INDEX_PROGRAM */
	struct sx_error *err;
	enum sx_status status; /* of the first failure */
	struct units units;
};

enum field_type {
	FIELD_TEXT,    /* const char *: any line that is not empty */
	FIELD_NAME,    /* const char *: a name (see docs/catalog-format.md) */
	FIELD_UNIT,    /* const char *: a known unit */
	FIELD_U32,     /* uint32_t */
	FIELD_I32,     /* int32_t */
	FIELD_U64,     /* uint64_t */
	FIELD_F64,     /* double */
	FIELD_BOOL,    /* bool: true or false */
	FIELD_ENUM,    /* enum: position in `words`, NULL-terminated; "" is no choice */
	FIELD_STRINGS, /* struct sx_strings: a list of texts */
	FIELD_NAMES,   /* struct sx_strings: a list of names */
	FIELD_ALIASES, /* struct sx_strings: a list of names that may hold brackets */
	FIELD_NODE,    /* const struct yaml_node *: left to the caller */
};

struct field {
	const char *key;
	enum field_type type;
	bool required;
	size_t offset;
	const char *const *words;
};

/* What a mapping may hold. */
struct field_set {
	const char *what; /* the thing, for messages ("a counter") */
	const struct field *fields;
	size_t count;
};
#define FIELDS(what, table)                                                                        \
	(&(const struct field_set){what, table, sizeof(table) / sizeof((table)[0])})

/* Fills `out` from a mapping; keys that are absent leave their member as it was. */
bool fields_read(struct loader *l, const struct yaml_node *map, const struct field_set *set,
		 void *out);

/* Records a failure at a line ("origin:LINE: …") and returns false. */
bool load_fail(struct loader *l, uint32_t line, const char *fmt, ...) SX_PRINTF(3, 4);
/* As load_fail(), when it is a limit that the line passes. */
bool load_limit(struct loader *l, uint32_t line, const char *what, const char *because);
/* Adds cause and remedy to it; returns false. */
bool load_because(struct loader *l, const char *because, const char *remedy);
bool load_no_memory(struct loader *l);

/* Checks that the node is a list (or mapping) and returns true. */
bool load_expect(struct loader *l, const struct yaml_node *node, enum yaml_kind kind,
		 const char *what);
/* Checks one scalar as a name or unit, with a message naming `what`. */
bool load_check_name(struct loader *l, const struct yaml_node *node, const char *what);
/* Reads a list as FIELD_STRINGS, FIELD_NAMES or FIELD_ALIASES. */
bool load_strings(struct loader *l, const struct yaml_node *node, enum field_type type,
		  struct sx_strings *out);
/* Binds a name in the index and refuses a second one of the same kind and group. */
bool load_bind(struct loader *l, uint32_t line, struct index_key key, uint32_t value);
/* Binds each alias of the thing that `key` names. */
bool load_bind_aliases(struct loader *l, uint32_t line, struct index_key key,
		       const struct sx_strings *aliases, uint32_t value);
/* The index of what a node names, or a failure that suggests what exists. */
bool load_reference(struct loader *l, const struct yaml_node *node, enum index_kind kind,
		    uint32_t *out);
/* An array in the catalog for the children of a list; NULL and a failure when there are too many.
 */
void *load_array(struct loader *l, const struct yaml_node *list, size_t size);
/* As load_array(), for things with line numbers that messages use. */
void *load_things(struct loader *l, const struct yaml_node *list, enum index_kind kind,
		  size_t size);
/* Loads one thing, the index-th of its array. */
typedef bool (*load_one_fn)(struct loader *l, const struct yaml_node *n, uint32_t index);
/* Loads the things of a list one by one; *count is how many there are at each moment. */
bool load_each(struct loader *l, const struct yaml_node *list, load_one_fn one, uint32_t *count);

/* A file that a catalog builds upon. */
struct load_file {
	const char *origin;	/* for messages; lives as long as the load */
	uint64_t hash;		/* xxhash64 of its bytes */
	struct yaml_node *root; /* NULL: there is none */
};

/* A file by the name that `extends` or `shared` gives, and the arenas that it is read into. */
struct load_wanted {
	const char *name;
	bool is_shared;
	struct arena *nodes, *texts;
};

/* Finds such a file and reads it. Errors as sx_catalog_open(); SX_ERR_NOT_FOUND: there is none. */
struct load_fetch {
	enum sx_status (*read)(void *user, const struct load_wanted *wanted, struct load_file *out,
			       struct sx_error *err);
	void *user;
};

/*
 * Puts the parts of the catalog's parent and shared file into `root`, and what it learns of these
 * files into l->files. `nodes` holds what is new. false after load_fail().
 */
bool inherit_resolve(struct loader *l, struct yaml_node *root, const struct load_fetch *fetch,
		     struct arena *nodes);

/* How a catalog is loaded. */
struct load_job {
	/* Reads the catalog's own file into the two arenas. Errors as sx_catalog_open(). */
	enum sx_status (*read)(void *user, struct arena *nodes, struct arena *texts,
			       struct load_file *out, struct sx_error *err);
	void *user;
	const struct load_fetch *fetch; /* for the files that it builds upon; NULL: none */
	const char *product;		/* the product that it is opened as, or NULL */
	bool head_only;			/* name, title, products and matches alone */
	struct dump_text *resolved;	/* receives the whole as one file; NULL: not wanted */
};

/* Loads a catalog; *out holds a reference for the caller. Errors as sx_catalog_open(). */
enum sx_status load_run(const struct load_job *job, struct sx_catalog **out, struct sx_error *err);
/* Reads a file's text as load_job.read shall do it. */
enum sx_status load_text(const struct yaml_input *input, struct arena *nodes, struct arena *texts,
			 struct load_file *out, struct sx_error *err);

bool load_products(struct loader *l, const struct yaml_node *list);
/*
 * Checks the constants of products, and gives the catalog's constants the values of the current
 * one.
 */
bool load_product_constants(struct loader *l, const struct yaml_node *list);
bool load_matches(struct loader *l, const struct yaml_node *list);
bool load_variants(struct loader *l, const struct yaml_node *list);
bool load_pass_limits(struct loader *l, const struct yaml_node *map);
bool load_constants(struct loader *l, const struct yaml_node *list);
bool load_blocks(struct loader *l, const struct yaml_node *list);
bool load_sections(struct loader *l, const struct yaml_node *list);
bool load_named_programs(struct loader *l, const struct yaml_node *list);
bool load_groups(struct loader *l, const struct yaml_node *list);
bool load_counters(struct loader *l, const struct yaml_node *list);
bool load_metrics(struct loader *l, const struct yaml_node *list);
bool load_advice(struct loader *l, const struct yaml_node *list);

/* Refuses a catalog with metrics that need each other, and names the cycle. */
bool refs_check_cycles(struct loader *l);

/* What one inheritance works with. */
struct merge {
	struct loader *loader;
	struct arena *nodes;  /* new nodes and names */
	struct index removed; /* list and name to the position in `removals` */
	struct removal *removals;
	size_t removal_count, removal_cap;
};

/* Notes what the child removes (`remove` may be NULL). */
bool merge_begin(struct merge *m, struct yaml_node *root, const struct yaml_node *remove);
/* Hangs an empty list, or a copy of what is no list of named entries, into a mapping. */
struct yaml_node *merge_add_empty(struct merge *m, struct yaml_node *root,
				  const struct yaml_node *like);
/* Takes the parent's entries into the child's list: overridden, removed, or as they are. */
bool merge_lists(struct merge *m, struct yaml_node *mine, const struct yaml_node *theirs);
/* Every name under `remove` has to have removed something. */
bool merge_check_removed(struct merge *m);
/* Fills entries of the catalog with what the shared file says under their names. */
bool merge_shared(struct merge *m, struct yaml_node *root, const struct yaml_node *shared);
void merge_finish(struct merge *m);

#endif
