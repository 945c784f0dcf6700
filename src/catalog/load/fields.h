/*
 * Reading mappings by table: each part of a catalog lists its keys, with the type and the place of
 * each value, and anything else is refused with its line.
 */
#ifndef CATALOG_LOAD_FIELDS_H
#define CATALOG_LOAD_FIELDS_H

#include "catalog/internal.h"
#include "catalog/units.h"
#include "catalog/load/yaml.h"

/* The files that a catalog is put together from, as the upper bits of lines tell them. */
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
/* As load_array(), for things of a kind, whose lines are noted. */
void *load_things(struct loader *l, const struct yaml_node *list, enum index_kind kind,
		  size_t size);
/* Loads one thing, the index-th of its array. */
typedef bool (*load_one_fn)(struct loader *l, const struct yaml_node *n, uint32_t index);
/* Loads the things of a list one by one; *count is how many there are at each moment. */
bool load_each(struct loader *l, const struct yaml_node *list, load_one_fn one, uint32_t *count);

#endif
