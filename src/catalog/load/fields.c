/* Tables of keys against mappings, and the checks that all parts of a catalog share. */
#include "catalog/load/load.h"
#include "base/error.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/text_buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES_MAX 128
#define ENTRIES_MAX    32768

bool load_fail(struct loader *l, uint32_t line, const char *fmt, ...)
{
	char text[SX_ERROR_TEXT_MAX];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	const char *origin = l->files[line >> YAML_LINE_BITS];
	l->status = error_set(l->err, SX_ERR_BAD_INPUT, "%s:%u: %s", origin ? origin : l->files[0],
			      line & YAML_LINE_MASK, text);
	return load_because(l, "the catalog does not follow its format",
			    "see docs/catalog-format.md for what is allowed here");
}

bool load_limit(struct loader *l, uint32_t line, const char *what, const char *because)
{
	load_fail(l, line, "%s", what);
	l->status = SX_ERR_LIMIT;
	if (l->err)
		l->err->status = SX_ERR_LIMIT;
	return load_because(l, because, "split the catalog");
}

bool load_because(struct loader *l, const char *because, const char *remedy)
{
	error_because(l->err, "%s", because);
	error_try(l->err, "%s", remedy);
	return false;
}

bool load_no_memory(struct loader *l)
{
	l->status = error_nomem(l->err, "loading a catalog");
	return false;
}

bool load_expect(struct loader *l, const struct yaml_node *node, enum yaml_kind kind,
		 const char *what)
{
	if (node->kind == kind)
		return true;
	return load_fail(l, node->line, "%s must be %s, not %s", what, yaml_kind_name(kind),
			 yaml_kind_name(node->kind));
}

static bool expect_text(struct loader *l, const struct yaml_node *node, const char *what)
{
	if (!load_expect(l, node, YAML_SCALAR, what))
		return false;
	return node->len ? true : load_fail(l, node->line, "%s is empty", what);
}

static bool is_name_byte(char c, const char *marks)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr(marks, c));
}

static bool check_name(struct loader *l, const struct yaml_node *node, const char *what,
		       const char *marks)
{
	if (!expect_text(l, node, what))
		return false;
	bool good = node->len <= NAME_BYTES_MAX;
	for (uint32_t i = 0; good && i < node->len; i++)
		good = is_name_byte(node->text[i], marks);
	if (good)
		return true;
	load_fail(l, node->line, "%s \"%.140s\" is not a name", what, node->text);
	return load_because(l, "a name has 1 to 128 letters, digits and _ . - + : / =",
			    "spell it without blanks, brackets and `$`");
}

bool load_check_name(struct loader *l, const struct yaml_node *node, const char *what)
{
	return check_name(l, node, what, "_.-+:/=");
}

static bool load_check_unit(struct loader *l, const struct yaml_node *node)
{
	if (!expect_text(l, node, "unit"))
		return false;
	if (node->len < 2 * UNITS_TEXT_MAX && units_known(&l->units, node->text))
		return true;
	load_fail(l, node->line, "unknown unit \"%.60s\"", node->text);
	struct suggest near;
	char text[4 * UNITS_TEXT_MAX];
	suggest_begin(&near, node->text, 3);
	for (uint32_t i = 0; i < l->units.count; i++)
		suggest_offer(&near, l->units.items[i].name);
	suggest_text(&near, text, sizeof(text));
	load_because(l, "it is neither a listed unit nor a quotient such as cycles/pixel",
		     "see the units in docs/catalog-format.md");
	if (near.count)
		error_try(l->err, "write %s", text);
	return false;
}

static bool check_item(struct loader *l, const struct yaml_node *n, const char *what,
		       enum field_type type)
{
	if (type == FIELD_STRINGS)
		return expect_text(l, n, what);
	/* Documents write "Cluster[0..N]": an alias may, a name may not. */
	return check_name(l, n, what, type == FIELD_ALIASES ? "_.-+:/=[]" : "_.-+:/=");
}

bool load_strings(struct loader *l, const struct yaml_node *node, enum field_type type,
		  struct sx_strings *out)
{
	const char *what = node->key ? node->key : "entry";
	if (!load_expect(l, node, YAML_LIST, what))
		return false;
	const char **items = arena_alloc(&l->cat->arena, node->count * sizeof(*items));
	if (!items)
		return load_no_memory(l);
	uint32_t count = 0;
	for (const struct yaml_node *n = node->first; n; n = n->next) {
		if (!check_item(l, n, what, type))
			return false;
		items[count++] = n->text;
	}
	*out = (struct sx_strings){.items = count ? items : NULL, .count = count};
	return true;
}

static bool read_enum(struct loader *l, const struct yaml_node *node, const struct field *f,
		      void *out)
{
	if (!expect_text(l, node, f->key))
		return false;
	char choices[160] = "";
	for (int i = 0; f->words[i]; i++) {
		if (!f->words[i][0])
			continue;
		if (strcmp(f->words[i], node->text) == 0) {
			memcpy(out, &i, sizeof(i));
			return true;
		}
		text_append_item(choices, sizeof(choices), ", ", "%s", f->words[i]);
	}
	return load_fail(l, node->line, "%s must be one of %s, not \"%.60s\"", f->key, choices,
			 node->text);
}

static bool read_bool(struct loader *l, const struct yaml_node *node, const char *key, bool *out)
{
	if (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0)
		return load_fail(l, node->line, "%s must be true or false, not \"%.60s\"", key,
				 node->text);
	*out = node->text[0] == 't';
	return true;
}

static bool read_i32(const struct yaml_node *node, int32_t *out)
{
	bool negative = node->text[0] == '-';
	uint32_t size;
	if (!number_u32(node->text + negative, node->len - negative, &size) || size > INT32_MAX)
		return false;
	*out = negative ? -(int32_t)size : (int32_t)size;
	return true;
}

static bool read_number(struct loader *l, const struct yaml_node *node, const struct field *f,
			void *out)
{
	if (!expect_text(l, node, f->key))
		return false;
	switch (f->type) {
	case FIELD_U32:
		if (number_u32(node->text, node->len, out))
			return true;
		break;
	case FIELD_I32:
		if (read_i32(node, out))
			return true;
		break;
	case FIELD_U64:
		if (number_u64(node->text, node->len, out))
			return true;
		break;
	default:
		if (number_f64(node->text, node->len, out))
			return true;
		return load_fail(l, node->line, "%s must be a number, not \"%.60s\"", f->key,
				 node->text);
	}
	return load_fail(l, node->line, "%s must be a whole number%s, not \"%.60s\"", f->key,
			 f->type == FIELD_U64 ? "" : " of 32 bits", node->text);
}

static bool read_field(struct loader *l, const struct yaml_node *node, const struct field *f,
		       void *out)
{
	switch (f->type) {
	case FIELD_NODE:
		memcpy(out, &node, sizeof(node));
		return true;
	case FIELD_STRINGS:
	case FIELD_NAMES:
	case FIELD_ALIASES:
		return load_strings(l, node, f->type, out);
	case FIELD_ENUM:
		return read_enum(l, node, f, out);
	case FIELD_BOOL:
		return expect_text(l, node, f->key) && read_bool(l, node, f->key, out);
	case FIELD_U32:
	case FIELD_I32:
	case FIELD_U64:
	case FIELD_F64:
		return read_number(l, node, f, out);
	case FIELD_TEXT:
		if (!expect_text(l, node, f->key))
			return false;
		break;
	case FIELD_NAME:
		if (!load_check_name(l, node, f->key))
			return false;
		break;
	case FIELD_UNIT:
		if (!load_check_unit(l, node))
			return false;
		break;
	}
	memcpy(out, &node->text, sizeof(node->text));
	return true;
}

static bool unknown_key(struct loader *l, const struct yaml_node *node, const char *what,
			const struct field *fields, size_t count)
{
	load_fail(l, node->line, "unknown key \"%s\" of %s", node->key, what);
	struct suggest near;
	char text[160];
	suggest_begin(&near, node->key, 3);
	for (size_t i = 0; i < count; i++)
		suggest_offer(&near, fields[i].key);
	if (near.count)
		error_try(l->err, "write %s", suggest_text(&near, text, sizeof(text)));
	return false;
}

/* Fields mostly come in the table's order: the search begins where the last one ended. */
static size_t find_field(const char *key, const struct field *fields, size_t count, size_t begin)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = begin + i < count ? begin + i : begin + i - count;
		if (strcmp(fields[at].key, key) == 0)
			return at;
	}
	return count;
}

bool fields_read(struct loader *l, const struct yaml_node *map, const struct field_set *set,
		 void *out)
{
	const struct field *fields = set->fields;
	size_t count = set->count;
	if (!load_expect(l, map, YAML_MAP, set->what))
		return false;
	uint64_t seen = 0;
	size_t at = 0;
	for (const struct yaml_node *n = map->first; n; n = n->next) {
		at = find_field(n->key, fields, count, at);
		if (at == count)
			return unknown_key(l, n, set->what, fields, count);
		if (!read_field(l, n, &fields[at], (char *)out + fields[at].offset))
			return false;
		seen |= UINT64_C(1) << at;
	}
	for (size_t i = 0; i < count; i++)
		if (fields[i].required && !(seen >> i & 1))
			return load_fail(l, map->line, "%s needs \"%s\"", set->what, fields[i].key);
	return true;
}

bool load_bind(struct loader *l, uint32_t line, struct index_key key, uint32_t value)
{
	uint32_t holder;
	switch (index_add(&l->cat->index, key, value, &holder)) {
	case INDEX_ADDED:
		return true;
	case INDEX_NO_MEMORY:
		return load_no_memory(l);
	case INDEX_TAKEN:
		break;
	}
	load_fail(l, line, "the name \"%s\" is taken already", key.name);
	return load_because(
	    l, "names and aliases of one kind are unique, within a group where there is one",
	    "rename one of the two or drop the alias");
}

bool load_bind_aliases(struct loader *l, uint32_t line, struct index_key key,
		       const struct sx_strings *aliases, uint32_t value)
{
	for (uint32_t i = 0; i < aliases->count; i++) {
		key.name = aliases->items[i];
		if (!load_bind(l, line, key, value))
			return false;
	}
	return true;
}

static const char *kind_name(enum index_kind kind)
{
	static const char *const names[INDEX_KINDS] = {
	    [INDEX_COUNTER] = "counter", [INDEX_METRIC] = "metric",   [INDEX_CONSTANT] = "constant",
	    [INDEX_BLOCK] = "block",	 [INDEX_SECTION] = "section", [INDEX_GROUP] = "group",
	    [INDEX_ADVICE] = "rule",	 [INDEX_PROGRAM] = "program",
	};
	return names[kind];
}

bool load_reference(struct loader *l, const struct yaml_node *node, enum index_kind kind,
		    uint32_t *out)
{
	if (!expect_text(l, node, kind_name(kind)))
		return false;
	const struct index_slot *slot =
	    index_find(&l->cat->index, kind, INDEX_NO_GROUP, node->text, node->len);
	if (slot) {
		*out = slot->value;
		return true;
	}
	load_fail(l, node->line, "unknown %s \"%.128s\"", kind_name(kind), node->text);
	struct suggest near;
	char text[3 * NAME_BYTES_MAX + 16];
	suggest_begin(&near, node->text, 3);
	for (size_t i = 0; i < l->cat->index.count; i++) {
		const struct index_slot *s = &l->cat->index.items[i];
		if (s->kind == kind && s->group == INDEX_NO_GROUP)
			suggest_offer(&near, s->name);
	}
	if (near.count)
		error_try(l->err, "write %s", suggest_text(&near, text, sizeof(text)));
	return false;
}

void *load_array(struct loader *l, const struct yaml_node *list, size_t size)
{
	if (list->count > ENTRIES_MAX) {
		load_limit(l, list->line, "too many entries", "a list may have 32768 entries");
		return NULL;
	}
	void *array = arena_alloc(&l->cat->arena, list->count * size);
	if (!array)
		load_no_memory(l);
	return array;
}

void *load_things(struct loader *l, const struct yaml_node *list, enum index_kind kind, size_t size)
{
	void *array = load_array(l, list, size);
	uint32_t *lines = array ? load_array(l, list, sizeof(*lines)) : NULL;
	if (!lines)
		return NULL;
	l->cat->lines[kind] = lines;
	for (const struct yaml_node *n = list->first; n; n = n->next)
		*lines++ = n->line;
	return array;
}

bool load_each(struct loader *l, const struct yaml_node *list, load_one_fn one, uint32_t *count)
{
	for (const struct yaml_node *n = list->first; n; n = n->next, ++*count)
		if (!one(l, n, *count))
			return false;
	return true;
}
