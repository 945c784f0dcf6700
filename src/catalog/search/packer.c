/*
 * Writes the pack that the library carries. A program of its own that runs when Sextant is built.
 * usage: catalog-packer OUT FILE...; what does not end in .yaml is packed as it is
 */
#include "catalog/column.h"
#include "catalog/load/yaml.h"
#include "catalog/search/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

/* Measured over all catalogs: 19 is 5 % smaller and takes four times as long. */
#define LEVEL 15

struct buffer {
	uint8_t *data;
	size_t size, cap;
};

static void fail(const char *what, const char *name)
{
	fprintf(stderr, "catalog-packer: %s: %s\n", name, what);
	exit(1);
}

static void put(struct buffer *b, const void *data, size_t size)
{
	if (!mem_grow(&b->data, &b->cap, b->size + size, 1))
		fail("out of memory", "-");
	memcpy(b->data + b->size, data, size);
	b->size += size;
}

static void put32(struct buffer *b, uint32_t value)
{
	uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
			    (uint8_t)(value >> 24)};
	put(b, bytes, sizeof(bytes));
}

/* A tree being written: one array for each property of its nodes, and the texts once each. */
struct writer {
	struct buffer kinds, keys, texts, children, lines, text;
	struct index strings;
	struct arena *names;
	uint32_t count, line;
};

static uint32_t text_of(struct writer *w, const char *text)
{
	const struct index_slot *slot =
	    index_find(&w->strings, INDEX_METRIC, INDEX_NO_GROUP, text, strlen(text));
	uint32_t holder;
	if (slot)
		return slot->value;
	uint32_t at = (uint32_t)w->text.size;
	put(&w->text, text, strlen(text) + 1);
	if (index_add(&w->strings, (struct index_key){INDEX_METRIC, INDEX_NO_GROUP, text}, at,
		      &holder) != INDEX_ADDED)
		fail("out of memory", "-");
	return at;
}

/* The depth is bounded by YAML_DEPTH_MAX. */
static void write_node(struct writer *w, const struct yaml_node *n)
{
	uint8_t kind = (uint8_t)n->kind;
	put(&w->kinds, &kind, 1);
	put32(&w->keys, n->key ? text_of(w, n->key) + 1 : 0);
	put32(&w->texts, text_of(w, n->text));
	put32(&w->children, n->count);
	put32(&w->lines, n->line - w->line);
	w->line = n->line;
	w->count++;
	for (const struct yaml_node *c = n->first; c; c = c->next)
		write_node(w, c);
}

static void finish_writer(struct writer *w)
{
	free(w->kinds.data);
	free(w->keys.data);
	free(w->texts.data);
	free(w->children.data);
	free(w->lines.data);
	free(w->text.data);
	index_finish(&w->strings);
}

/* Appends a frame of some bytes and records its place in *file. */
static void write_frame(struct buffer *frames, const void *data, size_t bytes,
			struct pack_file *file)
{
	size_t bound = ZSTD_compressBound(bytes);
	uint8_t *packed = malloc(bound);
	size_t size = packed ? ZSTD_compress(packed, bound, data, bytes, LEVEL) : 0;
	if (!packed || ZSTD_isError(size) || bytes > PACK_BYTES_MAX)
		fail("cannot be packed", file->name);
	file->offset = (uint32_t)frames->size;
	file->size = (uint32_t)size;
	file->unpacked = (uint32_t)bytes;
	put(frames, packed, size);
	free(packed);
}

static void write_tree(struct buffer *frames, const struct yaml_node *root, struct pack_file *file)
{
	struct writer w = {0};
	struct buffer raw = {0};
	write_node(&w, root);
	put32(&raw, w.count);
	put32(&raw, (uint32_t)w.text.size);
	const struct buffer *parts[] = {&w.kinds,    &w.keys,  &w.texts,
					&w.children, &w.lines, &w.text};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		put(&raw, parts[i]->data, parts[i]->size);
	write_frame(frames, raw.data, raw.size, file);
	free(raw.data);
	finish_writer(&w);
}

static char *read_text(const char *path, size_t *size)
{
	FILE *in = fopen(path, "rb");
	char *text = malloc(YAML_BYTES_MAX + 2);
	if (!in || !text)
		fail("cannot be read", path);
	*size = fread(text, 1, YAML_BYTES_MAX + 1, in);
	if (ferror(in))
		fail("cannot be read", path);
	fclose(in);
	return text;
}

/* A file's base name, without ".yaml"; whether it is one of YAML. */
static bool name_of(const char *path, char *out)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t len = strlen(base);
	bool is_yaml = len > 5 && strcmp(base + len - 5, ".yaml") == 0;
	len -= is_yaml ? 5 : 0;
	if (len == 0 || len >= PACK_NAME_MAX)
		fail("is no name of a file to pack", path);
	memset(out, 0, PACK_NAME_MAX);
	memcpy(out, base, len);
	return is_yaml;
}

/* A catalog's head, as a copy without the rest and without what only a reader of all needs. */
static struct yaml_node *head_of(struct arena *nodes, const struct yaml_node *root)
{
	struct yaml_node *head = arena_alloc(nodes, sizeof(*head)), *last = NULL;
	if (!head)
		fail("out of memory", "-");
	*head = (struct yaml_node){.kind = YAML_MAP, .line = root->line, .text = ""};
	for (const struct yaml_node *n = root->first; n && yaml_is_head_key(n->key); n = n->next) {
		if (strcmp(n->key, "facts") == 0 || strcmp(n->key, "notes") == 0)
			continue;
		struct yaml_node *copy = arena_alloc(nodes, sizeof(*copy));
		if (!copy)
			fail("out of memory", "-");
		*copy = *n;
		copy->next = NULL;
		*(last ? &last->next : &head->first) = copy;
		last = copy;
		head->count++;
	}
	return head;
}

struct tree {
	char name[PACK_NAME_MAX];
	const struct yaml_node *root;
};

struct packing {
	struct arena nodes; /* of all files */
	struct tree *trees;
	size_t tree_count;
	struct buffer frames;
	struct pack_file *files;
	size_t count;
	struct yaml_node heads, *last_head;
};

static void pack_one(struct packing *p, const char *path)
{
	struct pack_file *file = &p->files[p->count++];
	struct sx_error err = {0};
	struct yaml_node *root;
	size_t size;
	bool is_yaml = name_of(path, file->name);
	char *text = read_text(path, &size);
	if (!is_yaml) {
		write_frame(&p->frames, text, size, file);
		free(text);
		return;
	}
	struct yaml_input input = {text, size, path, false};
	if (yaml_read(&input, &p->nodes, &p->nodes, &root, &err) != SX_OK)
		fail(err.message, path);
	file->hash = XXH64(text, size, 0);
	file->yaml_bytes = (uint32_t)size;
	free(text);
	write_tree(&p->frames, root, file);
	struct tree *tree = &p->trees[p->tree_count++];
	memcpy(tree->name, file->name, PACK_NAME_MAX);
	tree->root = root;
	if (!pack_is_catalog(file))
		return;
	struct yaml_node *head = head_of(&p->nodes, root);
	*(p->last_head ? &p->last_head->next : &p->heads.first) = head;
	p->last_head = head;
	p->heads.count++;
}

/* A name of a catalog, which is a bit. */
struct hash {
	uint32_t hash, catalog;
};

struct hashes {
	struct hash *items;
	size_t count, cap;
};

static struct hash name_hash(uint32_t catalog, enum pack_name what, const char *text)
{
	char *letters = malloc(strlen(text) + 1);
	if (!letters)
		fail("out of memory", "-");
	size_t len = column_letters(letters, text);
	struct hash name = {pack_hash(what, letters, len), catalog};
	free(letters);
	return name;
}

static int compare_hashes(const void *a, const void *b)
{
	const struct hash *p = a, *q = b;
	if (p->hash != q->hash)
		return p->hash < q->hash ? -1 : 1;
	return p->catalog < q->catalog ? -1 : p->catalog > q->catalog;
}

static void put_name(struct hashes *names, struct hash name)
{
	if (!mem_grow(&names->items, &names->cap, names->count + 1, sizeof(name)))
		fail("out of memory", "-");
	names->items[names->count++] = name;
}

/* Whatever a column may be called that means this entry: all texts that may be names. */
static void add_entry(struct hashes *names, uint32_t catalog, enum pack_name what,
		      const struct yaml_node *entry)
{
	static const char *const keys[] = {"name", "title", "neutral", "uuid", "rule"};
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *text = yaml_child_text(entry, keys[i]);
		if (text)
			put_name(names, name_hash(catalog, what, text));
	}
	const struct yaml_node *aliases = yaml_child(entry, "aliases");
	for (const struct yaml_node *n = aliases ? aliases->first : NULL; n; n = n->next) {
		const char *text = n->kind == YAML_SCALAR ? n->text : yaml_child_text(n, "name");
		if (text)
			put_name(names, name_hash(catalog, what, text));
	}
}

/* All entries of a file, or with `known` those of names that the catalog has. */
static void add_file(struct hashes *names, uint32_t catalog, const struct yaml_node *root,
		     const struct hashes *known)
{
	static const char *const lists[] = {"constants", "counters", "metrics", "advice", "groups"};
	for (size_t i = 0; root && i < sizeof(lists) / sizeof(lists[0]); i++) {
		const struct yaml_node *list = yaml_child(root, lists[i]);
		enum pack_name what =
		    strcmp(lists[i], "groups") == 0 ? PACK_NAME_GROUP : PACK_NAME_THING;
		for (const struct yaml_node *n = list ? list->first : NULL; n; n = n->next) {
			const char *text = yaml_child_text(n, "name");
			struct hash key = name_hash(catalog, what, text ? text : "");
			if (!known ||
			    bsearch(&key, known->items, known->count, sizeof(key), compare_hashes))
				add_entry(names, catalog, what, n);
		}
	}
}

/* The tree of the file that a key of a catalog names; NULL: it names none. */
static const struct yaml_node *find_tree(const struct packing *p, const char *name,
					 const char *suffix)
{
	char file[PACK_NAME_MAX];
	snprintf(file, sizeof(file), "%s%s", name ? name : "", suffix);
	for (size_t i = 0; name && i < p->tree_count; i++)
		if (strcmp(p->trees[i].name, file) == 0)
			return p->trees[i].root;
	return NULL;
}

/*
 * The names of all catalogs as they are once put together; those that a child removes from its
 * parent are there as well.
 */
static struct hashes list_names(const struct packing *p)
{
	struct hashes own = {0}, all = {0};
	uint32_t catalog = 0;
	for (size_t i = 0; i < p->tree_count; i++) {
		const struct yaml_node *root = p->trees[i].root;
		if (strchr(p->trees[i].name, '.'))
			continue;
		const struct yaml_node *parent = find_tree(p, yaml_child_text(root, "extends"), "");
		const char *shared = yaml_child_text(root, "shared");
		if (!shared && parent)
			shared = yaml_child_text(parent, "shared");
		own.count = 0;
		add_file(&own, catalog, root, NULL);
		add_file(&own, catalog, parent, NULL);
		qsort(own.items, own.count, sizeof(*own.items), compare_hashes);
		add_file(&all, catalog, find_tree(p, shared, ".shared"), &own);
		for (size_t k = 0; k < own.count; k++)
			put_name(&all, own.items[k]);
		catalog++;
	}
	if (catalog > PACK_NAME_BITS)
		fail("more catalogs than bits", "-");
	free(own.items);
	qsort(all.items, all.count, sizeof(*all.items), compare_hashes);
	return all;
}

static void write_names(struct packing *p, struct pack_file *file)
{
	struct hashes names = list_names(p);
	struct buffer raw = {0}, hashes = {0}, bits = {0};
	for (size_t i = 0, next; i < names.count; i = next) {
		uint32_t words[PACK_NAME_BITS / 32] = {0};
		for (next = i; next < names.count && names.items[next].hash == names.items[i].hash;
		     next++)
			words[names.items[next].catalog / 32] |= UINT32_C(1)
								 << names.items[next].catalog % 32;
		put32(&hashes, names.items[i].hash);
		for (size_t w = 0; w < PACK_NAME_BITS / 32; w++)
			put32(&bits, words[w]);
	}
	put32(&raw, (uint32_t)(hashes.size / 4));
	put(&raw, hashes.data, hashes.size);
	put(&raw, bits.data, bits.size);
	memcpy(file->name, PACK_NAMES, sizeof(PACK_NAMES));
	write_frame(&p->frames, raw.data, raw.size, file);
	free(raw.data);
	free(hashes.data);
	free(bits.data);
	free(names.items);
}

static int compare_trees(const void *a, const void *b)
{
	return strcmp(((const struct tree *)a)->name, ((const struct tree *)b)->name);
}

static int compare_files(const void *a, const void *b)
{
	return strcmp(((const struct pack_file *)a)->name, ((const struct pack_file *)b)->name);
}

static void write_pack(struct packing *p, const char *path)
{
	struct buffer out = {0};
	uint32_t begin = (uint32_t)(8 + p->count * PACK_FILE_SIZE);
	qsort(p->files, p->count, sizeof(*p->files), compare_files);
	put32(&out, PACK_MAGIC);
	put32(&out, (uint32_t)p->count);
	for (size_t i = 0; i < p->count; i++) {
		const struct pack_file *f = &p->files[i];
		if (i && strcmp(f->name, f[-1].name) == 0)
			fail("two files bear this name", f->name);
		put(&out, f->name, PACK_NAME_MAX);
		put32(&out, (uint32_t)f->hash);
		put32(&out, (uint32_t)(f->hash >> 32));
		put32(&out, f->offset + begin);
		put32(&out, f->size);
		put32(&out, f->unpacked);
		put32(&out, f->yaml_bytes);
		put32(&out, 0);
		put32(&out, 0);
	}
	put(&out, p->frames.data, p->frames.size);
	FILE *to = fopen(path, "wb");
	if (!to || fwrite(out.data, 1, out.size, to) != out.size || fclose(to) != 0)
		fail("cannot be written", path);
	free(out.data);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		fail("usage: catalog-packer OUT FILE...", "arguments");
	struct packing p = {.heads = {.kind = YAML_LIST, .line = 1, .text = ""}};
	p.files =
	    calloc((size_t)argc, sizeof(*p.files)); /* with those of the heads and the names */
	p.trees = calloc((size_t)argc, sizeof(*p.trees));
	if (!p.files || !p.trees)
		fail("out of memory", "-");
	for (int i = 2; i < argc; i++)
		pack_one(&p, argv[i]);
	struct pack_file *heads = &p.files[p.count++];
	write_tree(&p.frames, &p.heads, heads);
	qsort(p.trees, p.tree_count, sizeof(*p.trees), compare_trees);
	write_names(&p, &p.files[p.count++]);
	write_pack(&p, argv[1]);
	free(p.files);
	free(p.trees);
	free(p.frames.data);
	arena_finish(&p.nodes);
	return 0;
}
