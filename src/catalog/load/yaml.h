/* A catalog's text as a small tree of nodes, read with limits that a hostile file cannot pass. */
#ifndef CATALOG_LOAD_YAML_H
#define CATALOG_LOAD_YAML_H

#include "base/mem.h"

#include <stdint.h>
#include <sextant/status.h>

#define YAML_BYTES_MAX	((size_t)8 * 1024 * 1024)
#define YAML_DEPTH_MAX	12
#define YAML_NODES_MAX	200000
#define YAML_SCALAR_MAX 65536

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

/*
 * A catalog may be put together from several files. The upper bits of a line are the file's number;
 * as a file has at most 8 MiB, its lines fit below.
 */
#define YAML_LINE_BITS 24
#define YAML_LINE_MASK ((UINT32_C(1) << YAML_LINE_BITS) - 1)

/* A value; inside a map it carries its key. */
struct yaml_node {
	enum yaml_kind kind;
	uint32_t line;	  /* from 1, and the file; of the key inside a map */
	uint32_t count;	  /* children */
	uint32_t len;	  /* of text */
	const char *text; /* scalars; "" when the value is missing */
	const char *key;  /* NULL outside a map */
	struct yaml_node *first, *next;
};

/* Whether a key of the outermost mapping belongs to the head of a catalog. */
bool yaml_is_head_key(const char *key);
/* What kind of node it is, with its article, for messages. */
const char *yaml_kind_name(enum yaml_kind kind);

struct yaml_input {
	const char *text;
	size_t size;
	const char *origin; /* for messages */
	bool head_only;	    /* ends where the head of a catalog ends */
};

/*
 * Reads one document. Nodes and keys live in `nodes`, scalar texts in `texts`. On failure the error
 * begins with "origin:LINE: ". Errors: SX_ERR_BAD_INPUT, SX_ERR_LIMIT, SX_ERR_NO_MEMORY.
 */
enum sx_status yaml_read(const struct yaml_input *input, struct arena *nodes, struct arena *texts,
			 struct yaml_node **out, struct sx_error *err);

/* Marks every line of a tree as one of file number `file`. */
void yaml_mark(struct yaml_node *root, uint32_t file);
/* The child of a mapping with this key, or NULL. */
struct yaml_node *yaml_child(const struct yaml_node *map, const char *key);
/* The text of a mapping's child, or NULL where there is none or it is not a single value. */
const char *yaml_child_text(const struct yaml_node *map, const char *key);

#endif
