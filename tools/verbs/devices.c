/* sextant devices: what this machine has, and every catalog that is known. */
#include "tools/verbs/device_list.h"
#include "base/text_buf.h"
#include "tools/cli/device_words.h"
#include "tools/cli/request.h"

#include <stdlib.h>
#include <string.h>

#include <sextant/capture.h>

#include "output/catalog/catalog.h"
#include "output/write/csv.h"

static const char *const kind_names[] = {"gpu", "cpu", "uncore", "api"};

const char *device_state_name(enum sx_device_state state)
{
	static const char *const names[] = {"ready", "inject", "unusable", "absent", "simulated"};
	return names[state];
}

/* A device that is listed. */
struct device_line {
	struct sx_device device;
	const char *state;
};

static void device_json(struct json *json, const struct device_line *line)
{
	const struct sx_device *d = &line->device;
	json_object_begin(json);
	json_kv_string(json, "id", d->id);
	json_kv_string(json, "source", d->source);
	json_kv_string(json, "name", d->name);
	json_kv_string(json, "catalog", d->catalog);
	json_kv_string(json, "driver", d->driver);
	json_kv_string(json, "state", line->state);
	json_kv_string(json, "because", d->because);
	json_kv_string(json, "remedy", d->remedy);
	json_object_end(json);
}

static void catalogs_json(struct json *json, const struct cli *cli)
{
	size_t count = 0;
	const char *const *names = sx_catalog_names(cli->context, &count);
	json_kv_array(json, "catalogs");
	for (size_t i = 0; names && i < count; i++) {
		struct sx_catalog *catalog;
		if (sx_catalog_open(cli->context, names[i], &catalog, NULL) != SX_OK)
			continue;
		const struct sx_catalog_info *info = sx_catalog_info(catalog);
		uint32_t metrics, counters;
		sx_catalog_metrics(catalog, &metrics);
		sx_catalog_counters(catalog, &counters);
		json_object_begin_flat(json);
		json_kv_string(json, "name", info->name);
		json_kv_string(json, "title", info->title);
		json_kv_string(json, "vendor", info->vendor);
		json_kv_string(json, "kind", kind_names[info->kind]);
		json_kv_u64(json, "counters", counters);
		json_kv_u64(json, "metrics", metrics);
		json_kv_string(json, "origin", info->origin);
		json_kv_array_flat(json, "products");
		for (uint32_t p = 0; p < info->product_count; p++)
			json_string(json, info->products[p].name);
		json_array_end(json);
		json_object_end(json);
		sx_catalog_unref(catalog);
	}
	json_array_end(json);
}

static bool devices_text(const struct cli *cli, const struct device_line *lines, size_t count)
{
	static const struct text_column columns[] = {{"device", TEXT_LEFT, 0, 0, false, false},
						     {"state", TEXT_LEFT, 0, 0, false, false},
						     {"catalog", TEXT_LEFT, 0, 0, false, false},
						     {"name", TEXT_LEFT, 1, 12, false, true}};
	struct text_table *table = text_table_create(columns, 4);
	bool ok = table != NULL;
	for (size_t i = 0; ok && i < count; i++) {
		const struct sx_device *d = &lines[i].device;
		if (d->state == SX_DEVICE_ABSENT && !cli->options.verbose)
			continue;
		const char *cells[] = {d->id, lines[i].state, d->catalog,
				       d->name ? d->name : d->because};
		ok = text_table_row(table, cells,
				    d->state == SX_DEVICE_READY || d->state == SX_DEVICE_INJECT
					? TEXT_PLAIN
					: TEXT_DIM);
	}
	if (ok)
		text_table_write(table, &cli->view.out);
	text_table_destroy(table);
	return ok;
}

#define PRODUCTS_MAX 240

/* The products that a catalog opens as besides its own name, in one line. */
static void products_text(const struct sx_catalog_info *info, char *out, size_t size)
{
	out[0] = '\0';
	for (uint32_t i = 0; i < info->product_count; i++) {
		const struct sx_product_info *p = &info->products[i];
		if (strcmp(p->name, info->name) != 0)
			text_append_item(out, size, ", ", "%s", p->name);
	}
}

/* The catalogs of one vendor, which is that of the head at `at`. */
static bool vendor_text(const struct cli *cli, const struct sx_catalog_info *const *heads,
			size_t count, size_t at)
{
	static const struct text_column columns[] = {{"", TEXT_LEFT, 0, 0, false, false},
						     {"", TEXT_LEFT, 1, 12, false, false},
						     {"", TEXT_LEFT, 1, 12, false, false}};
	struct text_table *table = text_table_create(columns, 3);
	bool ok = table != NULL;
	for (size_t i = at; ok && i < count; i++) {
		char products[PRODUCTS_MAX];
		if (strcmp(heads[i]->vendor, heads[at]->vendor) != 0)
			continue;
		products_text(heads[i], products, sizeof(products));
		const char *cells[] = {heads[i]->name, heads[i]->title, products};
		ok = text_table_row(table, cells, TEXT_PLAIN);
	}
	fputc('\n', cli->view.out.out);
	text_styled(&cli->view.out, TEXT_BOLD, heads[at]->vendor);
	fputc('\n', cli->view.out.out);
	if (ok)
		text_table_write(table, &cli->view.out);
	text_table_destroy(table);
	return ok;
}

/* By vendor, and what each catalog opens as besides its name; heads alone are read. */
static bool catalogs_text(const struct cli *cli)
{
	size_t count = 0;
	const struct sx_catalog_info *const *heads = sx_catalog_heads(cli->context, &count);
	bool ok = heads != NULL;
	for (size_t i = 0; ok && i < count; i++) {
		bool first = true;
		for (size_t k = 0; k < i; k++)
			first = first && strcmp(heads[k]->vendor, heads[i]->vendor) != 0;
		if (first)
			ok = vendor_text(cli, heads, count, i);
	}
	return ok;
}

static void devices_csv(const struct cli *cli, const struct device_line *lines, size_t count)
{
	static const char *const head[] = {"id",     "source", "name",	  "catalog",
					   "driver", "state",  "because", "remedy"};
	struct csv csv = {.out = cli->view.out.out};
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		csv_text(&csv, head[i]);
	csv_end_line(&csv);
	for (size_t i = 0; i < count; i++) {
		const struct sx_device *d = &lines[i].device;
		const char *const cells[] = {d->id,	d->source,	d->name,    d->catalog,
					     d->driver, lines[i].state, d->because, d->remedy};
		for (size_t c = 0; c < sizeof(cells) / sizeof(cells[0]); c++)
			csv_text(&csv, cells[c]);
		csv_end_line(&csv);
	}
}

static enum sx_status write_devices(const struct cli *cli, const struct device_line *lines,
				    size_t count, bool catalogs, struct sx_error *err)
{
	if (cli->view.format == FORMAT_JSON) {
		struct json json = view_json_begin(&cli->view, catalogs ? "devices" : "list");
		if (!catalogs)
			json_kv_null(&json, "for");
		json_kv_array(&json, "devices");
		for (size_t i = 0; i < count; i++)
			device_json(&json, &lines[i]);
		json_array_end(&json);
		if (catalogs)
			catalogs_json(&json, cli);
		view_json_end(&json);
		return SX_OK;
	}
	if (cli->view.format == FORMAT_CSV) {
		devices_csv(cli, lines, count);
		return SX_OK;
	}
	const struct options *o = &cli->options;
	bool ok = devices_text(cli, lines, count);
	/* Without a selection, catalogs that need no device follow. */
	if (ok && !o->input && !o->devices.count && !o->catalog && o->args.count < 2) {
		fprintf(cli->view.out.out,
			"\ninject: measured within a program that sextant starts\n\n"
			"catalogs, of GPUs and systems that need not be here\n");
		ok = catalogs_text(cli);
	}
	return ok ? SX_OK : error_nomem(err, "listing devices");
}

static enum sx_status nothing_listed(const struct cli *cli, const char *pattern,
				     struct sx_error *err)
{
	const char *what = pattern ? pattern : cli->options.catalog;
	error_set(err, SX_ERR_NOT_FOUND, "no device%s%s is \"%s\"",
		  cli->options.input ? " of " : "", cli->options.input ? cli->options.input : "",
		  what ? what : "");
	error_because(err, "ids, sources, catalogs and names were looked at");
	if (cli->options.input)
		error_try(err, "sextant list devices %s",
			  error_word((char[ERROR_WORD_MAX]){0}, cli->options.input));
	else
		error_try(err, "sextant list devices");
	return SX_ERR_NOT_FOUND;
}

static bool is_wanted(const struct cli *cli, const struct sx_device *d, const char *pattern)
{
	const char *catalog = cli->options.catalog;
	struct listing part = {.pattern = pattern};
	return (!catalog || (d->catalog && strcasecmp(catalog, d->catalog) == 0)) &&
	       list_wanted(&part, d->id, d->name, d->catalog);
}

/* Devices that are wanted move to the front; *count becomes how many they are. */
static enum sx_status choose(const struct cli *cli, struct device_line *lines, size_t *count,
			     const char *pattern, struct sx_error *err)
{
	struct sx_device *all = calloc(*count + 1, sizeof(*all));
	bool *marked = calloc(*count + 1, sizeof(*marked));
	enum sx_status status = all && marked ? SX_OK : error_nomem(err, "listing devices");
	const struct device_words among = {all, *count, cli->options.input};
	size_t wanted = 0;
	for (size_t i = 0; !status && i < *count; i++)
		all[i] = lines[i].device;
	if (!status)
		status = device_words_mark(cli, &among, marked, err);
	for (size_t i = 0; !status && i < *count; i++)
		if (marked[i] && is_wanted(cli, &lines[i].device, pattern))
			lines[wanted++] = lines[i];
	if (!status && !wanted && *count)
		status = nothing_listed(cli, pattern, err);
	*count = wanted;
	free(marked);
	free(all);
	return status;
}

/* The devices of this machine; *out is the caller's, what it points to lives as long as *list. */
static enum sx_status of_machine(const struct cli *cli, struct sx_device_list **list,
				 struct device_line **out, size_t *count, struct sx_error *err)
{
	enum sx_status status = sx_devices_probe(cli->context, cli->options.verbose, list, err);
	if (status)
		return status;
	const struct sx_device *devices = sx_devices_get(*list, count);
	*out = calloc(*count + 1, sizeof(**out));
	if (!*out)
		return error_nomem(err, "listing devices");
	for (size_t i = 0; i < *count; i++)
		(*out)[i] = (struct device_line){devices[i], device_state_name(devices[i].state)};
	return SX_OK;
}

/* The devices of a recording; their ids are numbers. */
struct recorded {
	struct sx_capture_reader *reader;
	struct device_words_recorded devices;
};

static enum sx_status of_recording(const struct cli *cli, struct recorded *r,
				   struct device_line **out, size_t *count, struct sx_error *err)
{
	const struct input_request request = request_of(cli, cli->options.input);
	enum sx_status status = input_open(&request, &r->reader, err);
	if (!status)
		status = device_words_recorded(r->reader, &r->devices, err);
	if (status)
		return status;
	*count = r->devices.count;
	*out = calloc(*count + 1, sizeof(**out));
	if (!*out)
		return error_nomem(err, "listing devices");
	for (size_t i = 0; i < *count; i++)
		(*out)[i] = (struct device_line){
		    r->devices.devices[i],
		    sx_capture_device(r->reader, r->devices.places[i])->facts.simulated
			? "simulated"
			: "recorded"};
	return SX_OK;
}

static int list_run_devices(struct cli *cli, bool catalogs, const char *pattern)
{
	struct sx_error err = {0};
	struct sx_device_list *list = NULL;
	struct recorded recorded = {0};
	struct device_line *lines = NULL;
	size_t count = 0;
	enum sx_status status = cli->options.input
				    ? of_recording(cli, &recorded, &lines, &count, &err)
				    : of_machine(cli, &list, &lines, &count, &err);
	if (!status)
		status = choose(cli, lines, &count, pattern, &err);
	if (!status)
		status = write_devices(cli, lines, count, catalogs, &err);
	sx_capture_close(recorded.reader);
	device_words_recorded_finish(&recorded.devices);
	free(lines);
	sx_devices_destroy(list);
	return status ? cli_fail(cli, &err) : EXIT_OK;
}

int device_list_run(struct cli *cli, const char *pattern)
{
	struct sx_error err;
	const char *other = cli->options.set ? "--set" : cli->options.api ? "--api" : NULL;
	if (!other)
		return list_run_devices(cli, false, pattern);
	error_set(&err, SX_ERR_USAGE, "%s does nothing for list devices", other);
	error_because(&err, "it chooses among the metrics of one device");
	error_try(&err, "sextant list devices");
	return cli_fail(cli, &err);
}

static int devices_run(struct cli *cli)
{
	return list_run_devices(cli, true, NULL);
}

const struct command cmd_devices = {
    .verb = {.name = "devices",
	     .synopsis = "[--json]",
	     .summary = "what this machine has, and every catalog that is known",
	     .about =
		 "Lists the devices that a source found on this machine, with the catalog that "
		 "describes each, and all catalogs, which need no device. -v lists also what "
		 "was looked for and is not here.",
	     .pages = true,
	     .formats = FORMATS_TEXT_JSON | 1u << FORMAT_CSV,
	     .options = "format output"},
    .run = devices_run,
};
