/* Listings as JSON. */
#include <string.h>

#include "output/catalog/catalog.h"

static void group_json(struct json *json, const struct listing *l, uint32_t i)
{
	const struct sx_group_info *g = &l->view.groups[i];
	static const char *const kinds[] = {"set", "uncore", "list"};
	json_object_begin(json);
	json_kv_string(json, "for", l->view.info->name);
	json_kv_string(json, "name", g->name);
	json_kv_string(json, "title", g->title);
	json_kv_string(json, "kind", kinds[g->kind]);
	json_kv_string(json, "uuid", g->uuid);
	json_kv_u64(json, "metrics", list_metrics_in(&l->view, i));
	json_kv_object_flat(json, "registers");
	json_kv_u64(json, "mux", list_registers_of(g, SX_PROGRAM_MUX));
	json_kv_u64(json, "boolean", list_registers_of(g, SX_PROGRAM_BOOLEAN));
	json_kv_u64(json, "flex", list_registers_of(g, SX_PROGRAM_FLEX));
	json_object_end(json);
	if (g->notes.count)
		describe_strings_json(json, "notes", &g->notes);
	json_object_end(json);
}

static void constant_json(struct json *json, const struct listing *l,
			  const struct sx_constant_info *c)
{
	json_object_begin(json);
	json_kv_string(json, "for", l->view.info->name);
	json_kv_string(json, "name", c->name);
	describe_strings_json(json, "aliases", &c->aliases);
	json_kv_string(json, "unit", c->unit);
	json_key(json, "default");
	if (c->has_value)
		json_f64(json, c->value);
	else
		json_null(json);
	json_kv_string(json, "description", c->description);
	json_object_end(json);
}

static void section_json(struct json *json, const struct listing *l, uint32_t i)
{
	const struct sx_section_info *sections = l->view.sections;
	uint32_t parent = sections[i].parent;
	json_object_begin_flat(json);
	json_kv_string(json, "for", l->view.info->name);
	json_kv_string(json, "id", sections[i].id);
	json_kv_string(json, "title", sections[i].title);
	json_kv_string(json, "parent", parent == SX_NONE ? NULL : sections[parent].id);
	json_object_end(json);
}

/* Each says its catalog, of one as well as of several. */
void list_json_items(struct listing *l, const char *what, struct json *json)
{
	l->view.names_catalog = true;
	l->view.units = &l->to->human.units;
	if (strcmp(what, "metrics") == 0) {
		for (uint32_t i = 0; i < l->view.metric_count; i++)
			if (list_metric_wanted(l, i) && ++l->shown)
				describe_metric_json(json, &l->view, i, l->variant);
	} else if (strcmp(what, "counters") == 0) {
		for (uint32_t i = 0; i < l->view.counter_count; i++)
			if (list_counter_wanted(l, i) && ++l->shown)
				describe_counter_json(json, &l->view, i);
	} else if (strcmp(what, "sections") == 0) {
		for (uint32_t i = 0; i < l->view.section_count; i++)
			if (list_wanted(l, l->view.sections[i].id, l->view.sections[i].title,
					NULL) &&
			    ++l->shown)
				section_json(json, l, i);
	} else if (strcmp(what, "constants") == 0) {
		for (uint32_t i = 0; i < l->view.constant_count; i++)
			if (list_wanted(l, l->view.constants[i].name, NULL, NULL) && ++l->shown)
				constant_json(json, l, &l->view.constants[i]);
	} else {
		for (uint32_t i = 0; i < l->view.group_count; i++)
			if (list_group_wanted(l, i, strcmp(what, "sets") == 0) && ++l->shown)
				group_json(json, l, i);
	}
}

void list_json(struct listing *l, const char *what)
{
	struct json json = view_json_begin(l->to, "list");
	json_kv_string(&json, "for", l->view.info->name);
	json_kv_array(&json, what);
	list_json_items(l, what, &json);
	json_array_end(&json);
	view_json_end(&json);
}
