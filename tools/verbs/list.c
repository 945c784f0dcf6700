/* sextant list: browses a catalog, also of a device that is not here. */
#include <string.h>

#include "tools/verbs/device_list.h"
#include "tools/cli/input/capture_view.h"
#include "tools/cli/selection.h"
#include "output/catalog/list.h"

static const char *const kinds[] = {"devices", "sections", "sets",	"groups",
				    "metrics", "counters", "constants", NULL};

static const char *kind_of(const char *word)
{
	for (size_t i = 0; kinds[i]; i++)
		if (strcasecmp(kinds[i], word) == 0)
			return kinds[i];
	return NULL;
}

/* "list FILE" and "list metrics FILE": what was recorded. */
static void take_file(struct options *o, size_t at)
{
	if (o->input || o->args.count <= at || !capture_view_is(o->args.items[at]))
		return;
	o->input = o->args.items[at];
	memmove(&o->args.items[at], &o->args.items[at + 1],
		(o->args.count - at - 1) * sizeof(*o->args.items));
	o->args.count--;
}

static enum sx_status what_to_list(struct cli *cli, const char **what, struct sx_error *err)
{
	struct options *o = &cli->options;
	take_file(o, 0);
	take_file(o, 1);
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
				   struct sx_catalog *catalog, struct sx_error *err)
{
	const struct options *o = &cli->options;
	l->view = describe_view(catalog);
	l->pattern = o->args.count > 1 ? o->args.items[1] : NULL;
	l->set = SX_NONE;
	enum sx_status status = describe_group(&l->view, o->set, &l->set, err);
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
	const char *what;
	struct json json;
	size_t shown;
	enum sx_status status;
	struct sx_error *err;
};

static bool list_one(void *user, struct sx_catalog *catalog)
{
	struct many *m = user;
	struct listing *l = &m->listing;
	const struct view *to = l->to;
	m->status = list_prepare(m->cli, l, catalog, m->err);
	if (m->status)
		return false;
	l->shown = 0;
	l->view.tell = true;
	if (to->format == FORMAT_JSON) {
		list_json_items(l, m->what, &m->json);
	} else if (list_any(l, m->what)) {
		fputs(m->shown ? "\n" : "", to->out.out);
		text_styled(&to->out, TEXT_BOLD, l->view.info->name);
		fprintf(to->out.out, "  %s\n", l->view.info->title);
		if (!list_text(l, m->what))
			m->status = error_nomem(m->err, "listing");
	}
	m->shown += l->shown;
	return !m->status;
}

static enum sx_status search_nothing(const struct many *m, const char *pattern,
				     struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "no catalog has %s that match \"%s\"", m->what, pattern);
	error_because(err, "names, titles and descriptions of all were searched");
	error_try(err, "sextant list metrics");
	return SX_ERR_NOT_FOUND;
}

/* Nobody said which device is meant: all that match a pattern, or else those of this machine. */
static enum sx_status list_many(struct cli *cli, const char *what, struct sx_error *err)
{
	struct many m = {.cli = cli, .what = what, .err = err, .listing = {.to = &cli->view}};
	const char *pattern = cli->options.args.count > 1 ? cli->options.args.items[1] : NULL;
	if (cli->view.format == FORMAT_CSV) {
		error_set(err, SX_ERR_USAGE, "a table is of one catalog");
		error_because(err, "no device was named, and several match");
		error_try(err, "--for cpu, or --json");
		return SX_ERR_USAGE;
	}
	if (cli->view.format == FORMAT_JSON) {
		m.json = view_json_begin(&cli->view, "list");
		json_kv_null(&m.json, "for");
		json_kv_array(&m.json, what);
	}
	if (pattern)
		selection_each_catalog(cli, list_one, &m);
	else
		selection_each_here(cli, list_one, &m);
	if (cli->view.format == FORMAT_JSON) {
		json_array_end(&m.json);
		view_json_end(&m.json);
	}
	if (!m.status && !m.shown && pattern)
		return search_nothing(&m, pattern, err);
	return m.status;
}

static int list_run(struct cli *cli)
{
	struct sx_error err = {0};
	struct sx_catalog *catalog = NULL;
	struct listing l = {.to = &cli->view};
	const char *what;
	bool no_memory = false;
	enum sx_status status = what_to_list(cli, &what, &err);
	if (!status && strcmp(what, "devices") == 0)
		return device_list_run(cli, false);
	const struct options *o = &cli->options;
	if (!status && !o->catalog && !o->input && !o->devices.count) {
		status = list_many(cli, what, &err);
		return status ? cli_fail(cli, &err) : EXIT_OK;
	}
	if (!status)
		status = cli_catalog(cli, &catalog, &err);
	if (!status)
		status = list_prepare(cli, &l, catalog, &err);
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
		cli_note(cli, "catalog %s has no %s", l.view.info->name, what);
	sx_catalog_unref(catalog);
	return status ? cli_fail(cli, &err) : EXIT_OK;
}

const struct command cmd_list = {
    .verb = {.name = "list",
	     .synopsis = "WHAT [PATTERN | FILE] [options]",
	     .summary = "browse what a device can measure, also one that is not here",
	     .about =
		 "Lists what a catalog knows: that of --for, of the device of -d, or of a "
		 "capture; without any of them, what the devices of this machine have, or "
		 "whatever in all catalogs matches. PATTERN is searched for in names, titles and "
		 "descriptions; with * or ? it is a glob over each of them. -v gives descriptions "
		 "in full.",
	     .pages = true,
	     .formats = FORMATS_TEXT_JSON | 1u << FORMAT_CSV,
	     .options = "for device set api input format output",
	     .max_args = 2,
	     .examples = "  sextant list metrics --for mali-g310\n"
			 "  sextant list counters overdraw --for opengl\n"
			 "  sextant list sets --for intel-bdw\n"},
    .run = list_run,
};
