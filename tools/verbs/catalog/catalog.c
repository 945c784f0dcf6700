/* sextant catalog: checks catalogs, shows one whole, and what differs between two. */
#include "tools/verbs/catalog/catalog.h"
#include "output/catalog/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text_buf.h"

/* Writes the catalog with all that it includes as one file, after comments on its origin. */
static enum sx_status show_whole(const struct cli *cli, const char *name,
				 const struct catalog_view *v, struct sx_error *err)
{
	FILE *out = cli->view.out.out;
	char *whole = NULL;
	enum sx_status status = sx_catalog_resolve(cli->context, name, &whole, err);
	if (status)
		return status;
	fprintf(out, "# %s from %s, hash %016llx\n", v->info->catalog, v->info->origin,
		(unsigned long long)v->info->hash);
	fprintf(out, "# %s, %s, %s, %s, %s, %s of advice\n", COUNTED(v->counter_count, "counter"),
		COUNTED(v->metric_count, "metric"), COUNTED(v->group_count, "group"),
		COUNTED(v->section_count, "section"), COUNTED(v->constant_count, "constant"),
		COUNTED(v->advice_count, "rule"));
	if (v->info->extends || v->info->shared)
		fprintf(out, "# what comes from %s%s%s%s is put in\n",
			v->info->extends ? v->info->extends : "",
			v->info->extends && v->info->shared ? " and " : "",
			v->info->shared ? v->info->shared : "", v->info->shared ? ".shared" : "");
	fputs(whole, out);
	free(whole);
	return SX_OK;
}

static void show_json(const struct cli *cli, const struct catalog_view *v)
{
	char hash[24];
	struct json json = view_json_begin(&cli->view, "catalog");
	snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)v->info->hash);
	json_kv_string(&json, "name", v->info->name);
	json_kv_string(&json, "title", v->info->title);
	json_kv_string(&json, "vendor", v->info->vendor);
	json_kv_string(&json, "origin", v->info->origin);
	json_kv_string(&json, "hash", hash);
	json_kv_u64(&json, "counters", v->counter_count);
	json_kv_u64(&json, "metrics", v->metric_count);
	json_kv_u64(&json, "groups", v->group_count);
	json_kv_u64(&json, "sections", v->section_count);
	json_kv_u64(&json, "constants", v->constant_count);
	json_kv_u64(&json, "advice", v->advice_count);
	json_kv_array_flat(&json, "variants");
	for (uint32_t i = 0; i < v->info->variant_count; i++)
		json_string(&json, v->info->variants[i].name);
	json_array_end(&json);
	describe_strings_json(&json, "facts", &v->info->facts);
	describe_strings_json(&json, "notes", &v->info->notes);
	view_json_end(&json);
}

static enum sx_status show(const struct cli *cli, const char *name, struct sx_error *err)
{
	struct sx_catalog *catalog;
	enum sx_status status = sx_catalog_open(cli->context, name, &catalog, err);
	if (status)
		return status;
	struct catalog_view view = describe_view(catalog);
	if (cli->view.format == FORMAT_JSON)
		show_json(cli, &view);
	else
		status = show_whole(cli, name, &view, err);
	sx_catalog_unref(catalog);
	return status;
}

/* Where differences go. */
struct differences {
	const struct cli *cli;
	struct json *json; /* NULL: text */
};

static void difference_json(struct json *json, char sign, const char *kind, const char *name,
			    const char *detail)
{
	json_object_begin_flat(json);
	json_kv_string(json, "change", sign == '-' ? "gone" : sign == '+' ? "new" : "other");
	json_kv_string(json, "kind", kind);
	json_kv_string(json, "name", name);
	json_kv_string(json, "detail", detail);
	json_object_end(json);
}

/* One line for a thing that is in one of two catalogs only, or differs. */
static void difference(const struct differences *d, char sign, const char *kind, const char *name,
		       const char *detail)
{
	const struct cli *cli = d->cli;
	if (d->json) {
		difference_json(d->json, sign, kind, name, detail);
		return;
	}
	static const enum text_style styles[] = {TEXT_RED, TEXT_GREEN, TEXT_YELLOW};
	char line[512], why[256] = "";
	snprintf(line, sizeof(line), "%c %-8s %s", sign, kind, name);
	if (detail)
		snprintf(why, sizeof(why), ": %s", detail);
	bool fits = text_width(line) + text_width(why) <= (size_t)cli->view.out.width;
	if (fits)
		text_append(line, sizeof(line), "%s", why);
	text_styled(&cli->view.out, styles[sign == '-' ? 0 : sign == '+' ? 1 : 2], line);
	fputc('\n', cli->view.out.out);
	if (!fits)
		text_wrap(&cli->view.out, 11, detail);
}

static size_t diff_metrics(const struct differences *d, const struct catalog_view *a,
			   const struct catalog_view *b)
{
	size_t count = 0;
	for (uint32_t i = 0; i < a->metric_count; i++) {
		const struct sx_metric_info *x = &a->metrics[i];
		uint32_t at = sx_catalog_find_metric(b->catalog, x->qualified, SX_NONE, NULL);
		if (at == SX_NONE) {
			difference(d, '-', "metric", x->qualified, NULL);
			count++;
			continue;
		}
		const struct sx_metric_info *y = &b->metrics[at];
		const char *ex = x->exprs ? x->exprs[0] : NULL, *ey = y->exprs ? y->exprs[0] : NULL;
		if (text_same(ex, ey) && text_same(x->unit, y->unit))
			continue;
		difference(d, '~', "metric", x->qualified,
			   text_same(ex, ey) ? "other unit" : "other formula");
		count++;
	}
	for (uint32_t i = 0; i < b->metric_count; i++) {
		const char *name = b->metrics[i].qualified;
		if (sx_catalog_find_metric(a->catalog, name, SX_NONE, NULL) != SX_NONE)
			continue;
		difference(d, '+', "metric", name, NULL);
		count++;
	}
	return count;
}

/* A counter of a group bears the group's name, as several groups may have one of its name. */
static const char *counter_name(const struct catalog_view *v, const struct sx_counter_info *c,
				char buf[256])
{
	uint32_t count;
	if (c->group == SX_NONE)
		return c->name;
	snprintf(buf, 256, "%s.%s", sx_catalog_groups(v->catalog, &count)[c->group].name, c->name);
	return buf;
}

static size_t diff_counters(const struct differences *d, const struct catalog_view *a,
			    const struct catalog_view *b)
{
	char buf[256];
	size_t count = 0;
	for (uint32_t i = 0; i < a->counter_count; i++) {
		const struct sx_counter_info *x = &a->counters[i];
		const char *name = counter_name(a, x, buf);
		uint32_t at = sx_catalog_find_counter(b->catalog, name, SX_NONE, NULL);
		const struct sx_counter_info *y = at == SX_NONE ? NULL : &b->counters[at];
		if (y && y->slot == x->slot && y->scale == x->scale && y->reduce == x->reduce)
			continue;
		difference(d, y ? '~' : '-', "counter", name,
			   y ? "other slot, scale or reduction" : NULL);
		count++;
	}
	for (uint32_t i = 0; i < b->counter_count; i++) {
		const char *name = counter_name(b, &b->counters[i], buf);
		if (sx_catalog_find_counter(a->catalog, name, SX_NONE, NULL) != SX_NONE)
			continue;
		difference(d, '+', "counter", name, NULL);
		count++;
	}
	return count;
}

static enum sx_status diff(const struct cli *cli, const char *from, const char *to,
			   struct sx_error *err)
{
	struct sx_catalog *a = NULL, *b = NULL;
	enum sx_status status = sx_catalog_open(cli->context, from, &a, err);
	if (!status)
		status = sx_catalog_open(cli->context, to, &b, err);
	if (!status) {
		struct catalog_view x = describe_view(a), y = describe_view(b);
		bool is_json = cli->view.format == FORMAT_JSON;
		struct json json = {0};
		struct differences d = {cli, is_json ? &json : NULL};
		if (is_json) {
			json = view_json_begin(&cli->view, "catalog-diff");
			json_kv_string(&json, "a", x.info->name);
			json_kv_string(&json, "b", y.info->name);
			json_kv_array(&json, "differences");
		}
		size_t count = diff_counters(&d, &x, &y) + diff_metrics(&d, &x, &y);
		if (is_json) {
			json_array_end(&json);
			view_json_end(&json);
		}
		cli_note(cli, "%s", COUNTED(count, "difference"));
	}
	sx_catalog_unref(a);
	sx_catalog_unref(b);
	return status;
}

/* What each action takes, and a command that does it. */
static const struct {
	const char *action, *takes, *example;
} usages[] = {{"lint", "any number of names", "lint mali-g310"},
	      {"show", "one name", "show mali-g310"},
	      {"diff", "two names", "diff amd-gcn1 amd-gcn2"},
	      {"import", "a kind and a file or folder", "import igt-xml oa-tglgt2.xml"}};
#define ACTIONS (sizeof(usages) / sizeof(usages[0]))

static bool is_catalog(const struct cli *cli, const char *name)
{
	struct sx_catalog *catalog = NULL;
	bool is = !sx_catalog_open(cli->context, name, &catalog, NULL);
	sx_catalog_unref(catalog);
	return is;
}

static enum sx_status no_action(const struct cli *cli, struct sx_error *err)
{
	const struct string_list *args = &cli->options.args;
	const char *names[ACTIONS + 1] = {0}, *action = args->count ? args->items[0] : NULL;
	size_t at = 0;
	for (size_t i = 0; i < ACTIONS; i++)
		names[i] = usages[i].action;
	while (at < ACTIONS && (!action || strcmp(names[at], action) != 0))
		at++;
	if (at < ACTIONS) {
		error_set(err, SX_ERR_USAGE, "catalog %s takes %s", action, usages[at].takes);
		error_because(err, "%s given",
			      args->count == 1	 ? "none was"
			      : args->count == 2 ? "one was"
						 : "another number was");
		error_try(err, "sextant catalog %s", usages[at].example);
		return SX_ERR_USAGE;
	}
	if (action)
		error_set(err, SX_ERR_USAGE, "catalog does not know what to do with \"%s\"",
			  action);
	else
		error_set(err, SX_ERR_USAGE, "catalog does not know what to do");
	error_because(
	    err, "it takes lint [NAME...], show NAME, diff NAME NAME, or import KIND FILE|FOLDER");
	const char *near = action ? options_nearest(action, names) : NULL;
	for (at = 0; at < ACTIONS && (!near || strcmp(names[at], near) != 0); at++)
		;
	if (action && is_catalog(cli, action))
		error_try(err, "sextant catalog show %s", action);
	else if (action && strcmp(action, "list") == 0) /* near "lint", which is something else */
		error_try(err, "sextant devices, which lists every catalog");
	else
		error_try(err, "sextant catalog %s", usages[at < ACTIONS ? at : 1].example);
	return SX_ERR_USAGE;
}

static enum sx_status dispatch(struct cli *cli, size_t *findings, struct sx_error *err)
{
	const struct string_list *args = &cli->options.args;
	const char *action = args->count ? args->items[0] : "";
	if (strcmp(action, "lint") == 0)
		return catalog_lint(cli, args->items + 1, args->count - 1, findings, err);
	if (strcmp(action, "show") == 0 && args->count == 2)
		return show(cli, args->items[1], err);
	if (strcmp(action, "diff") == 0 && args->count == 3)
		return diff(cli, args->items[1], args->items[2], err);
	if (strcmp(action, "import") == 0 && args->count == 3)
		return catalog_import(cli, args->items[1], args->items[2], err);
	return no_action(cli, err);
}

static int catalog_run(struct cli *cli)
{
	struct sx_error err = {0};
	enum sx_status status = SX_OK;
	size_t findings = 0;
	if (!status)
		status = dispatch(cli, &findings, &err);
	if (status)
		return cli_fail(cli, &err);
	return findings ? EXIT_BAD_INPUT : EXIT_OK;
}

const struct command cmd_catalog = {
    .verb = {.name = "catalog",
	     .synopsis = "lint [NAME...] | show NAME | diff NAME NAME | import KIND FILE|FOLDER",
	     .summary =
		 "checks catalogs, shows one whole, compares two, makes one of a vendor's file",
	     .about =
		 "NAME is a catalog's name, or a path when it holds a slash. lint checks them, or "
		 "all, and exits with 5 when it finds a fault. show writes a catalog as one file "
		 "that needs no other, with what it takes from others put in, and with --json its "
		 "head and where its facts come from. diff lists counters and metrics that only "
		 "one of two has, or that differ. import writes a catalog from a vendor's own "
		 "file: igt-xml (IGT's and Mesa's oa-*.xml), gator-xml (gator's events-Mali-*.xml) "
		 "or mali-spec (the folder specification/database of libGPUCounters, of which "
		 "--for chooses a GPU). --for names it, and standard error lists what could not be "
		 "translated.",
	     .formats = FORMATS_TEXT_JSON,
	     .suffixes = "yaml yml",
	     .writes_catalogs = true,
	     .options = "format output for",
	     .max_args = -1,
	     .examples =
		 "  sextant catalog lint ./mali-g999.yaml\n"
		 "  sextant catalog show mali-g625\n"
		 "  sextant catalog diff amd-gcn1 amd-gcn2\n"
		 "  sextant catalog import igt-xml oa-tglgt2.xml -o intel-tglgt2.yaml\n"
		 "  sextant catalog import mali-spec database --for mali-g625 -o mali-g625.yaml\n"},
    .run = catalog_run,
};
