/* sextant list: browses a catalog, also of a device that is not here. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/catalog/catalog.h"
#include "tools/cli/request.h"
#include "tools/cli/selection.h"
#include "tools/verbs/device_list.h"

static const char *const kinds[] = {"devices", "sections", "sets",	"groups",
				    "metrics", "counters", "constants", NULL};

#define LIST_WORDS 2 /* what, and a pattern */

/* Also one of them: "metric". */
static const char *kind_of(const char *word)
{
	size_t length = strlen(word);
	for (size_t i = 0; kinds[i]; i++)
		if (strncasecmp(kinds[i], word, length) == 0 && length + 1 >= strlen(kinds[i]))
			return kinds[i];
	return NULL;
}

/* "list FILE" and "list metrics FILE": what was recorded, by whichever tool. */
static enum sx_status take_file(struct cli *cli, size_t at, struct sx_error *err)
{
	struct options *o = &cli->options;
	const char **path = at < o->args.count ? &o->args.items[at] : NULL;
	if (!path || (at == 0 && kind_of(*path)) ||
	    (strcmp(*path, "-") != 0 && access(*path, R_OK) < 0))
		return SX_OK;
	enum sx_status status = imported_replace(cli, path, err);
	if (status || !imported_is_recording(cli, *path))
		return status;
	o->input = *path;
	memmove(path, path + 1, (o->args.count - at - 1) * sizeof(*path));
	o->args.count--;
	return SX_OK;
}

/* "list mali-g625": a catalog where what to list is expected, unless a file is called so. */
static void take_catalog(struct cli *cli)
{
	struct options *o = &cli->options;
	struct sx_catalog *catalog = NULL;
	const char **word = o->args.items;
	if (!o->args.count || kind_of(*word) || access(*word, R_OK) == 0 || o->input ||
	    o->catalog || o->devices.count || sx_catalog_open(cli->context, *word, &catalog, NULL))
		return;
	sx_catalog_unref(catalog);
	o->catalog = *word;
	memmove(word, word + 1, (o->args.count - 1) * sizeof(*word));
	o->args.count--;
}

static enum sx_status find_input(struct cli *cli, struct sx_error *err)
{
	const char *before = cli->options.input;
	bool own = before && options_is_default(&cli->options, "input");
	if (before && !own)
		return imported_replace(cli, &cli->options.input, err);
	enum sx_status status = SX_OK;
	for (size_t at = 0; !status && cli->options.input == before && at < LIST_WORDS + 1; at++)
		status = take_file(cli, at, err);
	if (!status && own && cli->options.input == before)
		status = imported_replace(cli, &cli->options.input, err);
	if (status || cli->options.args.count <= LIST_WORDS)
		return status;
	error_set(err, SX_ERR_USAGE, "\"%s\" is one argument too many",
		  cli->options.args.items[LIST_WORDS]);
	error_because(err, "beside what to list and one pattern only a capture or table is named");
	error_try(err, "sextant list --help");
	return SX_ERR_USAGE;
}

static enum sx_status what_to_list(struct cli *cli, const char **what, struct sx_error *err)
{
	const struct options *o = &cli->options;
	const char *word = o->args.count ? o->args.items[0] : NULL;
	bool something = o->input || o->catalog || o->devices.count;
	*what = word ? kind_of(word) : something ? "metrics" : NULL;
	if (*what)
		return SX_OK;
	if (word)
		error_set(err, SX_ERR_USAGE, "\"%s\" cannot be listed", word);
	else
		error_set(err, SX_ERR_USAGE, "nothing to list was named");
	error_because(err,
		      "it is one of devices, sections, sets, groups, metrics, counters, constants");
	const char *near = word ? options_nearest(word, kinds) : NULL;
	if (near)
		error_try(err, "sextant list %s", near);
	else
		error_try(err, "sextant list metrics");
	return SX_ERR_USAGE;
}

static enum sx_status list_prepare(const struct cli *cli, struct listing *l,
				   struct sx_catalog *catalog, const char *set,
				   struct sx_error *err)
{
	const struct options *o = &cli->options;
	l->view = describe_view(catalog);
	l->pattern = o->args.count > 1 ? o->args.items[1] : NULL;
	l->set = SX_NONE;
	enum sx_status status = describe_group(&l->view, set, &l->set, err);
	return status ? status : describe_variant(&l->view, o->api, &l->variant, err);
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

/* One listing over several catalogs. */
struct many {
	struct cli *cli;
	struct listing listing;
	const char *what, *set, *pattern;
	char first[64]; /* a catalog that has some */
	struct json json;
	size_t shown;
	struct sx_error *err;
};

static enum sx_status list_one(void *user, struct sx_catalog *catalog)
{
	struct many *m = user;
	struct listing *l = &m->listing;
	const struct view *to = l->to;
	enum sx_status status = list_prepare(m->cli, l, catalog, m->set, m->err);
	bool no_memory = false;
	if (status)
		return status;
	l->shown = 0;
	l->view.no_memory = &no_memory;
	if (to->format == FORMAT_JSON) {
		list_json_items(l, m->what, &m->json);
	} else if (list_any(l, m->what)) {
		fputs(m->shown ? "\n" : "", to->out.out);
		text_styled(&to->out, TEXT_BOLD, l->view.info->name);
		fprintf(to->out.out, "  %s\n", l->view.info->title);
		no_memory |= !list_text(l, m->what);
	}
	l->view.no_memory = NULL;
	m->shown += l->shown;
	return no_memory ? error_nomem(m->err, "listing") : SX_OK;
}

static enum sx_status search_nothing(const struct many *m, const char *pattern,
				     struct sx_error *err)
{
	const char *path = m->cli->options.input;
	if (path) {
		error_set(err, SX_ERR_NOT_FOUND, "no device of %s has %s that match \"%s\"", path,
			  m->what, pattern);
		error_because(err, "names, titles and descriptions were searched");
		error_try(err, "sextant list %s %s", m->what,
			  error_word((char[ERROR_WORD_MAX]){0}, path));
		return SX_ERR_NOT_FOUND;
	}
	error_set(err, SX_ERR_NOT_FOUND, "no catalog has %s that match \"%s\"", m->what, pattern);
	error_because(err, "names, titles and descriptions of all were searched, and no capture or "
			   "table is called so");
	error_try(err, "sextant list %s", m->what);
	return SX_ERR_NOT_FOUND;
}

/* The devices of a capture, each by its own set; a catalog that several have, once. */
static enum sx_status each_recorded(struct many *m, const struct input_places *places,
				    struct sx_error *err)
{
	uint32_t count = places->count;
	const struct input_request request = request_of(m->cli, m->cli->options.input);
	struct input_device **devices = calloc(count, sizeof(struct input_device *));
	enum sx_status status = devices ? SX_OK : error_nomem(err, "reading a capture");
	for (uint32_t i = 0; !status && i < count; i++) {
		bool shown = false;
		status = input_device_open(&request, places->list[i], &devices[i], err);
		for (uint32_t k = 0; !status && k < i; k++)
			shown |=
			    strcmp(devices[k]->info->catalog, devices[i]->info->catalog) == 0 &&
			    strcmp(devices[k]->facts.set ? devices[k]->facts.set : "",
				   devices[i]->facts.set ? devices[i]->facts.set : "") == 0;
		if (status || shown)
			continue;
		m->set = devices[i]->facts.set;
		status = list_one(m, devices[i]->catalog);
	}
	for (uint32_t i = 0; devices && i < count; i++)
		input_device_close(devices[i]);
	free(devices);
	return status;
}

/* The first catalog that has what is to be listed. */
static enum sx_status has_some(void *user, struct sx_catalog *catalog)
{
	struct many *m = user;
	m->listing.view = describe_view(catalog);
	m->listing.pattern = m->pattern;
	if (!list_any(&m->listing, m->what))
		return SX_OK;
	snprintf(m->first, sizeof(m->first), "%s", m->listing.view.info->name);
	return SX_END;
}

static enum sx_status refuse_table(struct many *m, bool recorded, struct sx_error *err)
{
	enum sx_status status =
	    recorded ? SX_OK
		     : selection_each_catalog(m->cli, &(struct selection_search){has_some, m, NULL},
					      err);
	if (status)
		return status;
	if (!recorded && !m->first[0] && m->pattern)
		return search_nothing(m, m->pattern, err);
	error_set(err, SX_ERR_USAGE, "a table is of one catalog");
	error_because(err, "no device was named, and several match");
	if (recorded)
		error_try(err, "-d 0, or --json");
	else
		error_try(err, "--for %s, or --json", m->first);
	return SX_ERR_USAGE;
}

/* What this machine's devices do not have, such as metric sets, others do. */
static enum sx_status list_elsewhere(struct many *m)
{
	cli_note(m->cli, "note: no device of this machine has %s; those of all catalogs:", m->what);
	return selection_each_catalog(m->cli, &(struct selection_search){list_one, m, NULL},
				      m->err);
}

/*
 * Without a chosen device: the devices of a capture, or all catalogs that match a pattern, or this
 * machine's.
 */
static enum sx_status list_many(struct cli *cli, const char *what,
				const struct input_places *recorded, struct sx_error *err)
{
	const char *pattern = cli->options.args.count > 1 ? cli->options.args.items[1] : NULL;
	struct many m = {.cli = cli,
			 .what = what,
			 .pattern = pattern,
			 .err = err,
			 .listing = {.to = &cli->view}};
	enum sx_status status = SX_OK;
	if (cli->view.format == FORMAT_CSV)
		return refuse_table(&m, recorded != NULL, err);
	m.set = recorded ? NULL : cli->options.set;
	if (cli->view.format == FORMAT_JSON) {
		m.json = view_json_begin(&cli->view, "list");
		json_kv_null(&m.json, "for");
		json_kv_array(&m.json, what);
	}
	if (recorded)
		status = each_recorded(&m, recorded, err);
	else if (pattern)
		status = selection_each_catalog(cli, &(struct selection_search){list_one, &m, NULL},
						err);
	else
		status =
		    selection_each_here(cli, &(struct selection_search){list_one, &m, NULL}, err);
	if (!recorded && !pattern && !status && !m.shown)
		status = list_elsewhere(&m);
	if (cli->view.format == FORMAT_JSON) {
		json_array_end(&m.json);
		view_json_end(&m.json);
	}
	if (!status && !m.shown && pattern)
		return search_nothing(&m, pattern, err);
	if (!status && !m.shown)
		cli_note(cli, "no device of %s has %s", cli->options.input, what);
	return status;
}

/* Of one device of a capture its catalog is listed as any; *done: there were several. */
static enum sx_status list_recorded(struct cli *cli, const char *what, bool *done,
				    struct sx_error *err)
{
	struct input_places places;
	const struct input_request request = request_of(cli, cli->options.input);
	enum sx_status status = input_find(&request, &places, err);
	*done = !status && places.count > 1;
	if (*done)
		status = list_many(cli, what, &places, err);
	free(places.list);
	return status;
}

/* Metrics of a catalog without any are its counters. */
static void note_none(struct cli *cli, const struct listing *l, const char *what)
{
	uint32_t counters;
	const char *name = l->view.info->name;
	sx_catalog_counters(l->view.catalog, &counters);
	bool other = counters && strcmp(what, "metrics") == 0;
	cli_note(cli, "catalog %s has no %s%s%s", name, what,
		 other ? "; its counters: sextant list counters --for " : "", other ? name : "");
}

static int list_run(struct cli *cli)
{
	struct sx_error err = {0};
	struct sx_catalog *catalog = NULL;
	struct listing l = {.to = &cli->view};
	const char *what;
	bool no_memory = false, done = false;
	take_catalog(cli);
	enum sx_status status = find_input(cli, &err);
	if (!status)
		status = what_to_list(cli, &what, &err);
	const struct options *o = &cli->options;
	if (!status && strcmp(what, "devices") == 0)
		return device_list_run(cli, o->args.count > 1 ? o->args.items[1] : NULL);
	if (!status && o->input)
		status = list_recorded(cli, what, &done, &err);
	else if (!status && !o->catalog && !o->devices.count) {
		status = list_many(cli, what, NULL, &err);
		done = true;
	}
	if (done)
		return status ? cli_fail(cli, &err) : EXIT_OK;
	if (!status)
		status = cli_catalog(cli, &catalog, &err);
	if (!status)
		status = list_prepare(cli, &l, catalog, o->set, &err);
	l.view.no_memory = &no_memory;
	if (!status && cli->view.format == FORMAT_JSON)
		list_json(&l, what);
	else if (!status && cli->view.format == FORMAT_CSV)
		list_csv(&l, what);
	else if (!status)
		no_memory |= !list_text(&l, what);
	if (!status && no_memory)
		status = error_nomem(&err, "listing");
	if (!status && !l.shown && l.pattern && cli->view.format == FORMAT_TEXT)
		status = nothing_matches(&l, what, &err);
	else if (!status && !l.shown)
		note_none(cli, &l, what);
	sx_catalog_unref(catalog);
	return status ? cli_fail(cli, &err) : EXIT_OK;
}

const struct command cmd_list = {
    .verb = {.name = "list",
	     .synopsis = "WHAT [PATTERN] [FILE] [options]",
	     .summary = "browse what a device can measure, also one that is not here",
	     .about =
		 "Lists what a catalog knows: that of --for, of the device of -d, or of each "
		 "device of a file (a capture, or a table or trace of another tool), of which -d "
		 "chooses one. Without any of them, it lists what the devices of this machine "
		 "have, or what matches in all catalogs. PATTERN is searched for in names, titles "
		 "and descriptions; with * or ? it is a glob over each of them. -v gives "
		 "descriptions in full.",
	     .pages = true,
	     .formats = FORMATS_TEXT_JSON | 1u << FORMAT_CSV,
	     .options = "for device set api input format output",
	     .max_args = LIST_WORDS + 1,
	     .examples = "  sextant list metrics --for mali-g310\n"
			 "  sextant list counters overdraw --for opengl\n"
			 "  sextant list sets --for intel-bdw\n"},
    .run = list_run,
};
