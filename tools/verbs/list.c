/* sextant list: browses a catalog, also of a device that is not here. */
#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/refs.h"
#include "tools/verbs/device_list.h"
#include "tools/list.h"

/* A glob when the pattern has * or ?, else any part, in any case. */
static bool text_matches(const char *pattern, const char *text)
{
	if (!text)
		return false;
	if (strpbrk(pattern, "*?"))
		return fnmatch(pattern, text, FNM_CASEFOLD) == 0;
	return strcasestr(text, pattern) != NULL;
}

bool list_wanted(const struct listing *l, const char *a, const char *b, const char *c)
{
	return !l->pattern || text_matches(l->pattern, a) || text_matches(l->pattern, b) ||
	       text_matches(l->pattern, c);
}

bool list_metric_wanted(const struct listing *l, uint32_t i)
{
	const struct sx_metric_info *m = &l->view.metrics[i];
	if (l->set != SX_NONE && m->group != l->set)
		return false;
	return list_wanted(l, m->name, m->title, m->description) ||
	       (l->pattern &&
		(text_matches(l->pattern, m->qualified) || text_matches(l->pattern, m->neutral)));
}

bool list_counter_wanted(const struct listing *l, uint32_t i)
{
	const struct sx_counter_info *c = &l->view.counters[i];
	if (l->set != SX_NONE && c->group != SX_NONE && c->group != l->set)
		return false;
	if (list_wanted(l, c->name, c->title, c->description) ||
	    text_matches(l->pattern, c->neutral))
		return true;
	for (uint32_t a = 0; a < c->aliases.count; a++)
		if (text_matches(l->pattern, c->aliases.items[a]))
			return true;
	return false;
}

uint32_t list_metrics_in(const struct catalog_view *view, uint32_t group)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < view->metric_count; i++)
		count += view->metrics[i].group == group;
	return count;
}

uint32_t list_registers_of(const struct sx_group_info *g, enum sx_program_kind kind)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < g->program_count; i++)
		if (g->programs[i].kind == kind)
			count += g->programs[i].count;
	return count;
}

bool list_group_wanted(const struct listing *l, uint32_t i, bool sets_only)
{
	const struct sx_group_info *g = &l->view.groups[i];
	if (sets_only && g->kind == SX_GROUP_LIST)
		return false;
	return list_wanted(l, g->name, g->title, g->uuid);
}

static void group_json(struct json *json, const struct listing *l, uint32_t i)
{
	const struct sx_group_info *g = &l->view.groups[i];
	static const char *const kinds[] = {"set", "uncore", "list"};
	json_object_begin(json);
	json_kv_string(json, "name", g->name);
	json_kv_string(json, "title", g->title);
	json_kv_string(json, "kind", kinds[g->kind]);
	json_kv_string(json, "uuid", g->uuid);
	json_kv_u64(json, "metrics", list_metrics_in(&l->view, i));
	json_key(json, "registers");
	json_object_begin_flat(json);
	json_kv_u64(json, "mux", list_registers_of(g, SX_PROGRAM_MUX));
	json_kv_u64(json, "boolean", list_registers_of(g, SX_PROGRAM_BOOLEAN));
	json_kv_u64(json, "flex", list_registers_of(g, SX_PROGRAM_FLEX));
	json_object_end(json);
	if (g->notes.count)
		describe_strings_json(json, "notes", &g->notes);
	json_object_end(json);
}

static void constant_json(struct json *json, const struct sx_constant_info *c)
{
	json_object_begin(json);
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

static void section_json(struct json *json, const struct sx_section_info *sections, uint32_t i)
{
	uint32_t parent = sections[i].parent;
	json_object_begin_flat(json);
	json_kv_string(json, "id", sections[i].id);
	json_kv_string(json, "title", sections[i].title);
	json_kv_string(json, "parent", parent == SX_NONE ? NULL : sections[parent].id);
	json_object_end(json);
}

static void list_json(struct listing *l, const char *what)
{
	struct json json = cli_json_begin(l->cli, "list");
	json_kv_string(&json, "for", l->view.info->name);
	json_key(&json, what);
	json_array_begin(&json);
	size_t before = l->shown;
	if (strcmp(what, "metrics") == 0) {
		for (uint32_t i = 0; i < l->view.metric_count; i++)
			if (list_metric_wanted(l, i) && ++l->shown)
				describe_metric_json(&json, &l->view, i, l->variant);
	} else if (strcmp(what, "counters") == 0) {
		for (uint32_t i = 0; i < l->view.counter_count; i++)
			if (list_counter_wanted(l, i) && ++l->shown)
				describe_counter_json(&json, &l->view, i);
	} else if (strcmp(what, "sections") == 0) {
		for (uint32_t i = 0; i < l->view.section_count; i++)
			if (list_wanted(l, l->view.sections[i].id, l->view.sections[i].title,
					NULL) &&
			    ++l->shown)
				section_json(&json, l->view.sections, i);
	} else if (strcmp(what, "constants") == 0) {
		for (uint32_t i = 0; i < l->view.constant_count; i++)
			if (list_wanted(l, l->view.constants[i].name, NULL, NULL) && ++l->shown)
				constant_json(&json, &l->view.constants[i]);
	} else {
		for (uint32_t i = 0; i < l->view.group_count; i++)
			if (list_group_wanted(l, i, strcmp(what, "sets") == 0) && ++l->shown)
				group_json(&json, l, i);
	}
	l->shown -= before;
	json_array_end(&json);
	cli_json_end(&json);
}

static void csv_header(struct csv *csv, const char *const *names)
{
	for (; *names; names++)
		csv_text(csv, *names);
	csv_end_line(csv);
}

static void counters_csv(struct listing *l, struct csv *csv)
{
	csv_header(csv,
		   (const char *const[]){"name", "block", "slot", "unit", "description", NULL});
	for (uint32_t i = 0; i < l->view.counter_count; i++) {
		const struct sx_counter_info *c = &l->view.counters[i];
		if (!list_counter_wanted(l, i))
			continue;
		csv_text(csv, c->name);
		csv_text(csv, c->block == SX_NONE ? NULL : l->view.blocks[c->block].name);
		if (c->slot == SX_NONE)
			csv_text(csv, NULL);
		else
			csv_u64(csv, c->slot);
		csv_text(csv, c->unit);
		csv_text(csv, c->description);
		csv_end_line(csv);
		l->shown++;
	}
}

static void sections_csv(struct listing *l, struct csv *csv)
{
	csv_header(csv, (const char *const[]){"id", "title", "parent", NULL});
	for (uint32_t i = 0; i < l->view.section_count; i++) {
		const struct sx_section_info *s = &l->view.sections[i];
		if (!list_wanted(l, s->id, s->title, NULL))
			continue;
		csv_text(csv, s->id);
		csv_text(csv, s->title);
		csv_text(csv, s->parent == SX_NONE ? NULL : l->view.sections[s->parent].id);
		csv_end_line(csv);
		l->shown++;
	}
}

static void constants_csv(struct listing *l, struct csv *csv)
{
	csv_header(csv, (const char *const[]){"name", "default", "unit", "description", NULL});
	for (uint32_t i = 0; i < l->view.constant_count; i++) {
		const struct sx_constant_info *c = &l->view.constants[i];
		if (!list_wanted(l, c->name, c->description, NULL))
			continue;
		csv_text(csv, c->name);
		csv_f64(csv, c->has_value ? c->value : NAN);
		csv_text(csv, c->unit);
		csv_text(csv, c->description);
		csv_end_line(csv);
		l->shown++;
	}
}

static void groups_csv(struct listing *l, struct csv *csv, bool sets_only)
{
	csv_header(csv, (const char *const[]){"name", "title", "uuid", "metrics", "mux", "boolean",
					      "flex", NULL});
	for (uint32_t i = 0; i < l->view.group_count; i++) {
		const struct sx_group_info *g = &l->view.groups[i];
		if (!list_group_wanted(l, i, sets_only))
			continue;
		csv_text(csv, g->name);
		csv_text(csv, g->title);
		csv_text(csv, g->uuid);
		csv_u64(csv, list_metrics_in(&l->view, i));
		csv_u64(csv, list_registers_of(g, SX_PROGRAM_MUX));
		csv_u64(csv, list_registers_of(g, SX_PROGRAM_BOOLEAN));
		csv_u64(csv, list_registers_of(g, SX_PROGRAM_FLEX));
		csv_end_line(csv);
		l->shown++;
	}
}

static void list_csv(struct listing *l, const char *what)
{
	struct csv csv = {.out = l->cli->out.out};
	if (strcmp(what, "metrics") == 0) {
		csv_header(&csv, (const char *const[]){"name", "title", "unit", "expression",
						       "description", NULL});
		for (uint32_t i = 0; i < l->view.metric_count; i++) {
			const struct sx_metric_info *m = &l->view.metrics[i];
			if (!list_metric_wanted(l, i))
				continue;
			csv_text(&csv, describe_metric_name(&l->view, i));
			csv_text(&csv, m->title);
			csv_text(&csv, m->unit);
			csv_text(&csv, m->exprs ? m->exprs[l->variant] : NULL);
			csv_text(&csv, m->description);
			csv_end_line(&csv);
			l->shown++;
		}
		return;
	}
	if (strcmp(what, "counters") == 0)
		counters_csv(l, &csv);
	else if (strcmp(what, "sections") == 0)
		sections_csv(l, &csv);
	else if (strcmp(what, "constants") == 0)
		constants_csv(l, &csv);
	else
		groups_csv(l, &csv, strcmp(what, "sets") == 0);
}

static const char *const kinds[] = {"devices", "sections", "sets",	"groups",
				    "metrics", "counters", "constants", NULL};

static enum sx_status what_to_list(const struct cli *cli, const char **what, struct sx_error *err)
{
	*what = cli->options.args.count ? cli->options.args.items[0] : NULL;
	for (size_t i = 0; *what && kinds[i]; i++)
		if (strcmp(kinds[i], *what) == 0)
			return SX_OK;
	if (*what)
		error_set(err, SX_ERR_USAGE, "\"%s\" cannot be listed", *what);
	else
		error_set(err, SX_ERR_USAGE, "nothing to list was named");
	error_because(err,
		      "it is one of devices, sections, sets, groups, metrics, counters, constants");
	const char *near = *what ? options_nearest(*what, kinds) : NULL;
	error_try(err, "sextant list %s --for mali-g310", near ? near : "metrics");
	return SX_ERR_USAGE;
}

static enum sx_status prepare(struct listing *l, struct sx_catalog *catalog, struct sx_error *err)
{
	const struct options *o = &l->cli->options;
	l->view = describe_view(catalog);
	l->pattern = o->args.count > 1 ? o->args.items[1] : NULL;
	l->set = SX_NONE;
	if (o->set) {
		l->set = sx_catalog_find_group(catalog, o->set);
		if (l->set == SX_NONE)
			return refs_no_group(catalog, o->set, err);
	}
	if (o->api) {
		l->variant = sx_catalog_find_variant(catalog, o->api);
		if (l->variant == SX_NONE) {
			error_set(err, SX_ERR_NOT_FOUND, "catalog %s has no variant or API %s",
				  l->view.info->name, o->api);
			error_because(err, "no variant has this name");
			error_try(err, "sextant catalog show %s", l->view.info->name);
			return SX_ERR_NOT_FOUND;
		}
	}
	return SX_OK;
}

static enum sx_status nothing_matches(const struct listing *l, const char *what,
				      struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "no %s of %s match \"%s\"", what, l->view.info->name,
		  l->pattern ? l->pattern : "");
	error_because(err, "names, titles and descriptions were searched");
	const char *near[1];
	if (l->pattern && sx_catalog_suggest(l->view.catalog, l->pattern, near, 1))
		error_try(err, "%s", near[0]);
	else
		error_try(err, "sextant list %s --for %s", what, l->view.info->name);
	return SX_ERR_NOT_FOUND;
}

static int run(struct cli *cli)
{
	struct sx_error err = {0};
	struct sx_catalog *catalog = NULL;
	struct listing l = {.cli = cli};
	const char *what;
	enum sx_status status = what_to_list(cli, &what, &err);
	if (!status && strcmp(what, "devices") == 0)
		return device_list_run(cli);
	if (!status)
		status = cli_formats(cli, 1u << FORMAT_TEXT | 1u << FORMAT_JSON | 1u << FORMAT_CSV,
				     &err);
	if (!status)
		status = cli_catalog(cli, &catalog, &err);
	if (!status)
		status = prepare(&l, catalog, &err);
	if (!status && cli->options.format == FORMAT_JSON)
		list_json(&l, what);
	else if (!status && cli->options.format == FORMAT_CSV)
		list_csv(&l, what);
	else if (!status && !list_text(&l, what))
		status = error_nomem(&err, "listing");
	if (!status && !l.shown && l.pattern && cli->options.format == FORMAT_TEXT)
		status = nothing_matches(&l, what, &err);
	else if (!status && !l.shown)
		cli_note(cli, "catalog %s has no %s", l.view.info->name, what);
	sx_catalog_unref(catalog);
	return status ? cli_fail(cli, &err) : EXIT_OK;
}

const struct command cmd_list = {
    .verb = {.name = "list",
	     .synopsis =
		 "devices|sections|sets|groups|metrics|counters|constants [PATTERN] --for NAME",
	     .summary = "browse what a device can measure, also one that is not here",
	     .about = "Lists what a catalog knows. PATTERN is searched for in names, titles and "
		      "descriptions; with * or ? it is a glob over each of them. With -i the "
		      "catalog is that of a capture. -v gives descriptions in full.",
	     .options = "for device set api input format output",
	     .max_args = 2,
	     .examples = "  sextant list metrics --for mali-g310\n"
			 "  sextant list counters overdraw --for opengl\n"
			 "  sextant list sets --for intel-bdw\n"},
    .run = run,
};
