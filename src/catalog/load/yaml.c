/*
 * Builds the node tree from libyaml's events and refuses YAML features that the format does not
 * have.
 */
#include "catalog/load/yaml.h"
#include "base/error.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

struct reader {
	yaml_parser_t parser;
	const char *origin;
	struct arena *nodes, *texts;
	struct sx_error *err;
	enum sx_status status;
	struct yaml_node *open[YAML_DEPTH_MAX]; /* containers around the current event */
	struct yaml_node *last[YAML_DEPTH_MAX]; /* the last child of each */
	uint32_t depth, count;
	const char *key; /* read, and waiting for its value */
	uint32_t key_line;
	struct yaml_node *root;
	bool head_only, at_end; /* whether only the head is wanted, and has been read */
};

/* The keys that a catalog's head consists of; the first other one ends it. */
bool yaml_is_head_key(const char *key)
{
	static const char *const keys[] = {
	    "sextant-catalog", "sextant-shared", "name",   "title", "vendor", "kind",  "dialect",
	    "notation",	       "extends",	 "shared", "facts", "notes",  "match", "products",
	};
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}

const char *yaml_kind_name(enum yaml_kind kind)
{
	switch (kind) {
	case YAML_SCALAR:
		return "a single value";
	case YAML_LIST:
		return "a list";
	case YAML_MAP:
		return "a mapping";
	}
	return "something else";
}

static bool refuse(struct reader *r, enum sx_status status, uint32_t line, const char *what,
		   const char *because)
{
	r->status = error_set(r->err, status, "%s:%u: %s", r->origin, line, what);
	error_because(r->err, "%s", because);
	error_try(r->err, "see docs/catalog-format.md for what a catalog may hold");
	return false;
}

static bool out_of_memory(struct reader *r)
{
	r->status = error_nomem(r->err, "reading a catalog");
	return false;
}

static uint32_t line_of(const yaml_event_t *event)
{
	return (uint32_t)event->start_mark.line + 1;
}

static bool is_duplicate(const struct yaml_node *map, const char *key)
{
	for (const struct yaml_node *n = map->first; n; n = n->next)
		if (strcmp(n->key, key) == 0)
			return true;
	return false;
}

/* A map of many keys would make the duplicate check quadratic; no map of the format needs many. */
#define MAP_KEYS_MAX 256

static bool read_key(struct reader *r, const yaml_event_t *event)
{
	const struct yaml_node *map = r->open[r->depth - 1];
	uint32_t line = line_of(event);
	if (event->type != YAML_SCALAR_EVENT)
		return refuse(r, SX_ERR_BAD_INPUT, line, "a key must be a plain word",
			      "there is a list or a mapping where a key was expected");
	const char *text = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;
	if (len == 0 || len > 128 || memchr(text, '\0', len))
		return refuse(r, SX_ERR_BAD_INPUT, line, "a key must have 1 to 128 bytes",
			      "it is empty, too long or holds a NUL");
	if (map->count >= MAP_KEYS_MAX)
		return refuse(r, SX_ERR_LIMIT, line, "too many keys in one mapping",
			      "a mapping may have 256 keys");
	if (is_duplicate(map, text)) {
		char what[160];
		snprintf(what, sizeof(what), "duplicate key \"%s\"", text);
		return refuse(r, SX_ERR_BAD_INPUT, line, what, "a mapping has each key once");
	}
	if (r->head_only && r->depth == 1 && !yaml_is_head_key(text)) {
		r->at_end = true;
		return true;
	}
	r->key = arena_strndup(r->nodes, text, len);
	r->key_line = line;
	return r->key ? true : out_of_memory(r);
}

/* Hangs a new node below the innermost open container. */
static struct yaml_node *add_node(struct reader *r, enum yaml_kind kind, uint32_t line)
{
	struct yaml_node *node = arena_alloc(r->nodes, sizeof(*node));
	if (!node) {
		out_of_memory(r);
		return NULL;
	}
	*node = (struct yaml_node){.kind = kind, .line = line, .text = ""};
	if (r->depth == 0) {
		r->root = node;
		return node;
	}
	if (r->key) {
		node->key = r->key;
		node->line = r->key_line;
		r->key = NULL;
	}
	struct yaml_node *parent = r->open[r->depth - 1], **last = &r->last[r->depth - 1];
	if (*last)
		(*last)->next = node;
	else
		parent->first = node;
	*last = node;
	parent->count++;
	return node;
}

static bool open_container(struct reader *r, enum yaml_kind kind, uint32_t line)
{
	if (r->depth == YAML_DEPTH_MAX)
		return refuse(r, SX_ERR_LIMIT, line, "nested too deeply",
			      "lists and mappings may nest 12 levels");
	struct yaml_node *node = add_node(r, kind, line);
	if (!node)
		return false;
	r->open[r->depth] = node;
	r->last[r->depth] = NULL;
	r->depth++;
	return true;
}

static bool read_scalar(struct reader *r, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;
	uint32_t line = line_of(event);
	if (len > YAML_SCALAR_MAX)
		return refuse(r, SX_ERR_LIMIT, line, "value is too long",
			      "a value may have 65536 bytes");
	size_t bad;
	if (!utf8_is_text(text, len, &bad) || memchr(text, '\n', len) || memchr(text, '\t', len) ||
	    memchr(text, '\r', len))
		return refuse(r, SX_ERR_BAD_INPUT, line, "text must be a single line",
			      "the value holds a newline or another control character");
	if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	    (strcmp(text, "null") == 0 || strcmp(text, "~") == 0))
		return refuse(r, SX_ERR_BAD_INPUT, line, "null is no value",
			      "what is not known is left out, with its key");
	struct yaml_node *node = add_node(r, YAML_SCALAR, line);
	if (!node)
		return false;
	node->text = arena_strndup(r->texts, text, len);
	node->len = (uint32_t)len;
	return node->text ? true : out_of_memory(r);
}

static bool has_properties(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return event->data.scalar.anchor || event->data.scalar.tag;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.anchor || event->data.sequence_start.tag;
	case YAML_MAPPING_START_EVENT:
		return event->data.mapping_start.anchor || event->data.mapping_start.tag;
	default:
		return false;
	}
}

static bool expects_key(const struct reader *r)
{
	return r->depth > 0 && r->open[r->depth - 1]->kind == YAML_MAP && !r->key;
}

/* Scalars, and the starts of lists and mappings. */
static bool read_node(struct reader *r, const yaml_event_t *event)
{
	uint32_t line = line_of(event);
	if (++r->count > YAML_NODES_MAX)
		return refuse(r, SX_ERR_LIMIT, line, "too many values",
			      "a catalog may have 200000 keys and values");
	if (has_properties(event))
		return refuse(r, SX_ERR_BAD_INPUT, line, "anchors and tags are not allowed",
			      "a catalog writes each value in full");
	if (expects_key(r))
		return read_key(r, event);
	if (event->type == YAML_SCALAR_EVENT)
		return read_scalar(r, event);
	bool is_list = event->type == YAML_SEQUENCE_START_EVENT;
	return open_container(r, is_list ? YAML_LIST : YAML_MAP, line);
}

static bool read_event(struct reader *r, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (r->root)
			return refuse(r, SX_ERR_BAD_INPUT, line_of(event),
				      "a second document begins", "a catalog is one document");
		return true;
	case YAML_SCALAR_EVENT:
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return read_node(r, event);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		r->depth--;
		return true;
	case YAML_ALIAS_EVENT:
		return refuse(r, SX_ERR_BAD_INPUT, line_of(event), "aliases are not allowed",
			      "a catalog writes each value in full");
	default:
		return true;
	}
}

static bool refuse_syntax(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	if (p->error == YAML_MEMORY_ERROR)
		return out_of_memory(r);
	uint32_t line = (uint32_t)p->problem_mark.line + 1;
	char what[256];
	snprintf(what, sizeof(what), "not valid YAML: %s%s%s",
		 p->problem ? p->problem : "unreadable", p->context ? " " : "",
		 p->context ? p->context : "");
	return refuse(r, SX_ERR_BAD_INPUT, line, what,
		      "the text cannot be split into keys and values here");
}

static bool read_document(struct reader *r)
{
	for (bool more = true; more;) {
		yaml_event_t event;
		if (!yaml_parser_parse(&r->parser, &event))
			return refuse_syntax(r);
		bool good = read_event(r, &event);
		more = event.type != YAML_STREAM_END_EVENT && !r->at_end;
		yaml_event_delete(&event);
		if (!good)
			return false;
	}
	if (!r->root)
		return refuse(r, SX_ERR_BAD_INPUT, 1, "the file is empty",
			      "a catalog is a mapping");
	return true;
}

static bool check_text(struct reader *r, const char *text, size_t size)
{
	if (size > YAML_BYTES_MAX)
		return refuse(r, SX_ERR_LIMIT, 1, "file is too large", "a catalog may have 8 MiB");
	size_t bad;
	if (utf8_is_text(text, size, &bad))
		return true;
	uint32_t line = 1;
	for (size_t i = 0; i < bad; i++)
		line += text[i] == '\n';
	return refuse(r, SX_ERR_BAD_INPUT, line, "not plain UTF-8 text",
		      "a byte is no part of a character, or is a control character");
}

enum sx_status yaml_read(const struct yaml_input *input, struct arena *nodes, struct arena *texts,
			 struct yaml_node **out, struct sx_error *err)
{
	const char *text = input->text;
	size_t size = input->size;
	struct reader r = {.origin = input->origin,
			   .nodes = nodes,
			   .texts = texts,
			   .err = err,
			   .head_only = input->head_only};
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		size -= 3;
	}
	if (!check_text(&r, text, size))
		return r.status;
	if (!yaml_parser_initialize(&r.parser))
		return error_nomem(err, "reading a catalog");
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
	bool good = read_document(&r);
	yaml_parser_delete(&r.parser);
	if (!good)
		return r.status;
	*out = r.root;
	return SX_OK;
}

/* The depth is bounded by YAML_DEPTH_MAX. */
void yaml_mark(struct yaml_node *root, uint32_t file)
{
	root->line |= file << YAML_LINE_BITS;
	for (struct yaml_node *n = root->first; n; n = n->next)
		yaml_mark(n, file);
}

struct yaml_node *yaml_child(const struct yaml_node *map, const char *key)
{
	for (struct yaml_node *n = map->kind == YAML_MAP ? map->first : NULL; n; n = n->next)
		if (strcmp(n->key, key) == 0)
			return n;
	return NULL;
}

const char *yaml_child_text(const struct yaml_node *map, const char *key)
{
	const struct yaml_node *n = yaml_child(map, key);
	return n && n->kind == YAML_SCALAR ? n->text : NULL;
}
