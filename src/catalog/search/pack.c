/* Reads the pack. It is part of the library, but is checked like any file. */
#include "catalog/search/pack.h"
#include "base/error.h"
#include "base/little.h"
#include "catalog/embedded.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

static size_t pack_size(void)
{
	return (size_t)(embedded_pack_end - embedded_pack_begin);
}

bool pack_get(uint32_t at, struct pack_file *out)
{
	const uint8_t *pack = embedded_pack_begin;
	if (pack_size() < 8 || little_u32(pack) != PACK_MAGIC || at >= little_u32(pack + 4))
		return false;
	const uint8_t *p = pack + 8 + (size_t)at * PACK_FILE_SIZE;
	memcpy(out->name, p, PACK_NAME_MAX);
	p += PACK_NAME_MAX;
	out->hash = little_u64(p);
	out->offset = little_u32(p + 8);
	out->size = little_u32(p + 12);
	out->unpacked = little_u32(p + 16);
	out->yaml_bytes = little_u32(p + 20);
	return out->size <= pack_size() && out->offset <= pack_size() - out->size &&
	       out->unpacked <= PACK_BYTES_MAX;
}

bool pack_find(const char *name, struct pack_file *out)
{
	for (uint32_t i = 0; pack_get(i, out); i++)
		if (strcmp(out->name, name) == 0)
			return true;
	return false;
}

/* The arrays of an unpacked frame. */
struct trees {
	uint32_t count, text_bytes;
	const uint8_t *kinds, *keys, *texts, *children, *lines;
	const char *text;
};

static bool open_trees(const uint8_t *bytes, size_t size, struct trees *out)
{
	if (size < 8)
		return false;
	out->count = little_u32(bytes);
	out->text_bytes = little_u32(bytes + 4);
	if (out->count == 0 || out->text_bytes == 0 ||
	    size - 8 != (uint64_t)out->count * PACK_NODE_SIZE + out->text_bytes)
		return false;
	out->kinds = bytes + 8;
	out->keys = out->kinds + out->count;
	out->texts = out->keys + 4 * (size_t)out->count;
	out->children = out->texts + 4 * (size_t)out->count;
	out->lines = out->children + 4 * (size_t)out->count;
	out->text = (const char *)out->lines + 4 * (size_t)out->count;
	return out->text[out->text_bytes - 1] == '\0';
}

/* Hangs the nodes together; each one's children follow it. */
static bool link_nodes(const struct trees *t, struct yaml_node *nodes)
{
	struct yaml_node *open[YAML_DEPTH_MAX], *last[YAML_DEPTH_MAX];
	uint32_t left[YAML_DEPTH_MAX], depth = 0, line = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		struct yaml_node *n = &nodes[i];
		uint32_t key = little_u32(t->keys + 4 * (size_t)i),
			 text = little_u32(t->texts + 4 * (size_t)i);
		if (key > t->text_bytes || text >= t->text_bytes || t->kinds[i] > YAML_MAP)
			return false;
		line += little_u32(t->lines + 4 * (size_t)i);
		n->kind = (enum yaml_kind)t->kinds[i];
		n->line = line;
		n->key = key ? t->text + key - 1 : NULL;
		n->text = t->text + text;
		n->len = n->kind == YAML_SCALAR ? (uint32_t)strlen(n->text) : 0;
		n->count = little_u32(t->children + 4 * (size_t)i);
		while (depth && left[depth - 1] == 0)
			depth--;
		if (depth) {
			*(last[depth - 1] ? &last[depth - 1]->next : &open[depth - 1]->first) = n;
			last[depth - 1] = n;
			left[depth - 1]--;
		} else if (i) {
			return false;
		}
		if (n->count == 0)
			continue;
		if (depth == YAML_DEPTH_MAX || n->kind == YAML_SCALAR)
			return false;
		open[depth] = n;
		last[depth] = NULL;
		left[depth++] = n->count;
	}
	while (depth && left[depth - 1] == 0)
		depth--;
	return depth == 0;
}

static enum sx_status refuse(const struct pack_file *file, struct sx_error *err)
{
	error_set(err, SX_ERR_BAD_INPUT, "%s:1: the built-in catalog cannot be read", file->name);
	error_because(err, "the library's copy is damaged");
	error_try(err, "install Sextant again");
	return SX_ERR_BAD_INPUT;
}

enum sx_status pack_bytes(const struct pack_file *file, struct arena *arena, const char **begin,
			  struct sx_error *err)
{
	char *bytes = arena_alloc(arena, file->unpacked);
	if (!bytes)
		return error_nomem(err, "reading the library's own data");
	size_t size =
	    ZSTD_decompress(bytes, file->unpacked, embedded_pack_begin + file->offset, file->size);
	if (ZSTD_isError(size) && ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation)
		return error_nomem(err, "reading the library's own data");
	if (ZSTD_isError(size) || size != file->unpacked)
		return refuse(file, err);
	*begin = bytes;
	return SX_OK;
}

enum sx_status pack_read(const struct pack_file *file, struct arena *nodes, struct arena *texts,
			 struct load_file *out, struct sx_error *err)
{
	const char *bytes;
	struct trees t;
	enum sx_status status = pack_bytes(file, texts, &bytes, err);
	if (status != SX_OK)
		return status;
	if (!open_trees((const uint8_t *)bytes, file->unpacked, &t))
		return refuse(file, err);
	struct yaml_node *all = arena_alloc(nodes, t.count * sizeof(*all));
	if (!all)
		return error_nomem(err, "loading a catalog");
	if (!link_nodes(&t, all))
		return refuse(file, err);
	*out = (struct load_file){.origin = "embedded", .hash = file->hash, .root = all};
	return SX_OK;
}
