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

/* A value; inside a map it carries its key. */
struct yaml_node {
	enum yaml_kind kind;
	uint32_t line;	  /* from 1; of the key inside a map */
	uint32_t count;	  /* children */
	uint32_t len;	  /* of text */
	const char *text; /* scalars; "" when the value is missing */
	const char *key;  /* NULL outside a map */
	struct yaml_node *first, *next;
};

/* What kind of node it is, with its article, for messages. */
const char *yaml_kind_name(enum yaml_kind kind);

/*
 * Reads one document. Nodes and keys live in `nodes`, scalar texts in `texts`. On failure the error
 * begins with "origin:LINE: ". Errors: SX_ERR_BAD_INPUT, SX_ERR_LIMIT, SX_ERR_NO_MEMORY.
 */
enum sx_status yaml_read(const char *text, size_t size, const char *origin, struct arena *nodes,
			 struct arena *texts, const struct yaml_node **out, struct sx_error *err);

#endif
