/* Reads neutral.yaml with the same tables and limits as catalogs. */
#include "catalog/lint/lint.h"
#include "catalog/column.h"
#include "catalog/embedded.h"
#include "catalog/load/load.h"

#include <string.h>

struct vocabulary {
	const struct yaml_node *names;
};

static const struct field vocabulary_fields[] = {
    {"names", FIELD_NODE, true, offsetof(struct vocabulary, names), NULL},
};

static const struct field name_fields[] = {
    {"name", FIELD_NAME, true, offsetof(struct neutral_name, name), NULL},
    {"unit", FIELD_UNIT, true, offsetof(struct neutral_name, unit), NULL},
    {"aliases", FIELD_NAMES, false, offsetof(struct neutral_name, aliases), NULL},
    {"description", FIELD_TEXT, true, offsetof(struct neutral_name, description), NULL},
};

static bool read_names(struct loader *l, const struct yaml_node *root, struct neutral *out)
{
	struct vocabulary v = {0};
	if (!fields_read(l, root, FIELDS("the vocabulary", vocabulary_fields), &v) ||
	    !load_expect(l, v.names, YAML_LIST, "names"))
		return false;
	out->names = arena_alloc(&l->cat->arena, v.names->count * sizeof(*out->names));
	if (!out->names)
		return load_no_memory(l);
	for (const struct yaml_node *n = v.names->first; n; n = n->next) {
		struct neutral_name *name = &out->names[out->count];
		if (!fields_read(l, n, FIELDS("a neutral name", name_fields), name))
			return false;
		if (neutral_find(out, name->name))
			return load_fail(l, n->line, "\"%s\" appears twice", name->name);
		out->count++;
	}
	return true;
}

enum sx_status neutral_init(struct neutral *neutral, struct sx_error *err)
{
	*neutral = (struct neutral){0};
	const struct embedded_file *file = embedded_data;
	while (strcmp(file->name, "neutral.yaml") != 0)
		file++;
	struct arena nodes = {0};
	struct sx_catalog memory = {.arena = {0}}; /* of texts and lists */
	struct yaml_node *root;
	struct loader l = {.cat = &memory, .files = {"neutral.yaml"}, .err = err};
	units_init(&l.units);
	struct yaml_input input = {file->begin, (size_t)(file->end - file->begin), l.files[0],
				   false};
	enum sx_status status = yaml_read(&input, &nodes, &memory.arena, &root, err);
	if (status == SX_OK && !read_names(&l, root, neutral))
		status = l.status;
	neutral->arena = memory.arena;
	arena_finish(&nodes);
	if (status != SX_OK)
		neutral_finish(neutral);
	return status;
}

const struct neutral_name *neutral_find(const struct neutral *neutral, const char *name)
{
	for (uint32_t i = 0; i < neutral->count; i++)
		if (strcmp(neutral->names[i].name, name) == 0)
			return &neutral->names[i];
	return NULL;
}

static bool is_spelled(const struct neutral_name *known, const char *name)
{
	bool is = column_alike(known->name, name);
	for (uint32_t i = 0; !is && i < known->aliases.count; i++)
		is = column_alike(known->aliases.items[i], name);
	return is;
}

const struct neutral_name *neutral_find_spelled(const struct neutral *neutral, const char *name)
{
	for (uint32_t i = 0; i < neutral->count; i++)
		if (is_spelled(&neutral->names[i], name))
			return &neutral->names[i];
	return NULL;
}

void neutral_finish(struct neutral *neutral)
{
	arena_finish(&neutral->arena);
	*neutral = (struct neutral){0};
}
