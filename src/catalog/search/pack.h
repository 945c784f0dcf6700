/*
 * The catalogs that the library carries: parsed when it is built, kept as trees of nodes, each file
 * compressed on its own, and the heads of all of them together. docs/catalog-format.md says why.
 */
#ifndef CATALOG_SEARCH_PACK_H
#define CATALOG_SEARCH_PACK_H

#include "catalog/load/load.h"

#include <string.h>
#include <xxhash.h>

/*
 * A pack, little endian: PACK_MAGIC, u32 number of files, then for each file, sorted by name, what
 * pack_file has, and the frames of zstd. An unpacked frame is: u32 number of nodes, u32 bytes of
 * texts; the kinds (u8), keys, texts, numbers of children and lines (u32 each) of all nodes in the
 * order of the text; the texts, each with its NUL. A key of 0 is none, n the text at n - 1; a line
 * is the difference from the node before. A file that is no YAML is a frame of its bytes.
 */
#define PACK_MAGIC     UINT32_C(0x4b505853)
#define PACK_NAME_MAX  64
#define PACK_FILE_SIZE (PACK_NAME_MAX + 32)
#define PACK_NODE_SIZE 17
#define PACK_HEADS     "" /* the file of all heads: a list of mappings, each with its name */
/*
 * The file of the names of all catalogs: u32 number of names, their hashes in ascending order (u32
 * each), and for each two u64 with a bit for each catalog that has it, in the order of the pack.
 */
#define PACK_NAMES     "names.index"
#define PACK_NAME_BITS CATALOG_NAMES_BITS
#define PACK_BYTES_MAX (32u << 20)

struct pack_file {
	char name[PACK_NAME_MAX];
	uint64_t hash;			 /* of the YAML file's bytes */
	uint32_t offset, size, unpacked; /* of its frame, from the pack's beginning */
	uint32_t yaml_bytes;
};

/* What a name is of; "Group.name" is looked up as a group's and as a thing's. */
enum pack_name { PACK_NAME_THING, PACK_NAME_GROUP };

/* The hash of a name's letters, as column_letters() has them. */
static inline uint32_t pack_hash(enum pack_name what, const char *letters, size_t len)
{
	return (uint32_t)XXH3_64bits_withSeed(letters, len, what);
}

/* File number `at` of the pack; false behind the last one. */
bool pack_get(uint32_t at, struct pack_file *out);
/* The file of a name; false when there is none. */
bool pack_find(const char *name, struct pack_file *out);
/* Shared files and those that are no YAML have a dot in their names, and the heads no name. */
static inline bool pack_is_catalog(const struct pack_file *file)
{
	return file->name[0] && !strchr(file->name, '.');
}
/* A file that is no YAML: its bytes into the arena. Errors: SX_ERR_BAD_INPUT, SX_ERR_NO_MEMORY. */
enum sx_status pack_bytes(const struct pack_file *file, struct arena *arena, const char **begin,
			  struct sx_error *err);
/* Reads a file as load_job.read shall do it. */
enum sx_status pack_read(const struct pack_file *file, struct arena *nodes, struct arena *texts,
			 struct load_file *out, struct sx_error *err);

#endif
