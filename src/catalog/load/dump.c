/* Writes trees as YAML: two levels in block style, what is below in flow style. */
#include "catalog/load/load.h"

#include <stdio.h>
#include <string.h>

static bool put(struct dump_text *out, const char *text, size_t size)
{
	if (!mem_grow(&out->data, &out->cap, out->size + size + 1, 1))
		return false;
	memcpy(out->data + out->size, text, size);
	out->size += size;
	out->data[out->size] = '\0';
	return true;
}

static bool put_word(struct dump_text *out, const char *word)
{
	return put(out, word, strlen(word));
}

/* Whether a text reads the same without quotes, in any place. */
static bool is_plain(const char *text, size_t size)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_/";
	static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_/.+-";
	return size && strchr(first, text[0]) && strspn(text, more) == size &&
	       strcmp(text, "null") != 0;
}

static bool put_quoted(struct dump_text *out, const char *text, size_t size)
{
	char escaped[8];
	bool good = put_word(out, "\"");
	for (size_t i = 0; good && i < size; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c == '"' || c == '\\')
			snprintf(escaped, sizeof(escaped), "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			snprintf(escaped, sizeof(escaped), "\\x%02x", c);
		else
			snprintf(escaped, sizeof(escaped), "%c", c);
		good = put_word(out, escaped);
	}
	return good && put_word(out, "\"");
}

static bool put_scalar(struct dump_text *out, const struct yaml_node *node)
{
	return is_plain(node->text, node->len) ? put(out, node->text, node->len)
					       : put_quoted(out, node->text, node->len);
}

static bool put_key(struct dump_text *out, const struct yaml_node *node)
{
	size_t size = strlen(node->key);
	return (is_plain(node->key, size) ? put(out, node->key, size)
					  : put_quoted(out, node->key, size)) &&
	       put_word(out, ":");
}

/* A value in one line. The reader's limit of nesting bounds the depth. */
static bool put_flow(struct dump_text *out, const struct yaml_node *node)
{
	bool is_map = node->kind == YAML_MAP;
	if (node->kind == YAML_SCALAR)
		return put_scalar(out, node);
	bool good = put_word(out, is_map ? "{" : "[");
	for (const struct yaml_node *n = node->first; good && n; n = n->next)
		good = (n == node->first || put_word(out, ", ")) &&
		       (!is_map || (put_key(out, n) && put_word(out, " "))) && put_flow(out, n);
	return good && put_word(out, is_map ? "}" : "]");
}

/* A list of the outermost mapping, an entry a line; a mapping, a key a line. */
static bool put_part(struct dump_text *out, const struct yaml_node *node)
{
	if (node->kind == YAML_SCALAR || !node->first)
		return put_word(out, " ") && put_flow(out, node) && put_word(out, "\n");
	bool good = put_word(out, "\n");
	for (const struct yaml_node *n = node->first; good && n; n = n->next) {
		good = put_word(out, node->kind == YAML_LIST ? "  - " : "  ");
		if (good && node->kind == YAML_MAP)
			good = put_key(out, n) && put_word(out, " ");
		good = good && put_flow(out, n) && put_word(out, "\n");
	}
	return good;
}

static bool is_about_others(const char *key)
{
	return strcmp(key, "extends") == 0 || strcmp(key, "shared") == 0 ||
	       strcmp(key, "remove") == 0;
}

/* The head first, as in files: merged parts come after the file's own. */
static bool put_parts(struct dump_text *out, const struct yaml_node *root, bool head)
{
	bool good = true;
	for (const struct yaml_node *n = root->first; good && n; n = n->next)
		if (!is_about_others(n->key) && yaml_is_head_key(n->key) == head)
			good = put_key(out, n) && put_part(out, n);
	return good;
}

bool dump_catalog(const struct yaml_node *root, struct dump_text *out)
{
	return root->kind == YAML_MAP && put_parts(out, root, true) && put_parts(out, root, false);
}
