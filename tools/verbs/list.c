/* sextant list: browses a catalog, also of a device that is not here. */
#include <string.h>

#include "catalog/refs.h"
#include "tools/verbs/device_list.h"
#include "tools/cli/cli.h"
#include "output/catalog/list.h"

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

static enum sx_status prepare(const struct cli *cli, struct listing *l, struct sx_catalog *catalog,
			      struct sx_error *err)
{
	const struct options *o = &cli->options;
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
	struct listing l = {.to = &cli->view};
	const char *what;
	enum sx_status status = what_to_list(cli, &what, &err);
	if (!status && strcmp(what, "devices") == 0)
		return device_list_run(cli, false);
	if (!status)
		status = cli_formats(cli, 1u << FORMAT_TEXT | 1u << FORMAT_JSON | 1u << FORMAT_CSV,
				     &err);
	if (!status)
		status = cli_catalog(cli, &catalog, &err);
	if (!status)
		status = prepare(cli, &l, catalog, &err);
	if (!status && cli->view.format == FORMAT_JSON)
		list_json(&l, what);
	else if (!status && cli->view.format == FORMAT_CSV)
		list_csv(&l, what);
	else if (!status && !list_text(&l, what))
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
