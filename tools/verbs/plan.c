/* sextant plan: the passes that a selection needs, and why, before anything runs. */
#include "tools/cli/cli.h"
#include "tools/cli/selection.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/plan.h>

#include "base/mem.h"

/* A selection, what of it one API offers, and its plan. */
struct planning {
	struct cli *cli;
	struct sx_catalog *catalog;
	struct sx_metrics *metrics;
	struct sx_plan *plan;
	struct arena arena;
	const struct sx_metric_column *columns;
	uint32_t column_count;
	const char **why; /* for each column: why it is not planned, or NULL */
	bool *hidden;	  /* not of this API, and nobody named it */
	struct sx_plan_item *items;
	const struct sx_counter_info *counters;
	const struct sx_block_info *blocks;
	uint32_t block_count;
	/* Of what the driver counts itself: columns of these, and the passes that it says. */
	uint32_t *driver_columns;
	struct selection_passes driver;
};

static bool offered(const struct sx_metric_info *info, const char *api)
{
	for (uint32_t i = 0; i < info->apis.count; i++)
		if (strcmp(info->apis.items[i], api) == 0)
			return true;
	return !info->apis.count;
}

static bool named(const struct cli *cli, const char *name)
{
	for (size_t i = 0; i < cli->options.metrics.count; i++)
		if (strcmp(cli->options.metrics.items[i], name) == 0)
			return true;
	return false;
}

static void plan_judge(struct planning *p, uint32_t column)
{
	uint32_t count;
	const struct sx_metric_column *c = &p->columns[column];
	const char *api = p->cli->options.api;
	p->why[column] = c->why;
	if (c->metric == SX_NONE)
		return;
	const struct sx_metric_info *info = &sx_catalog_metrics(p->catalog, &count)[c->metric];
	if (!p->why[column])
		p->why[column] = info->unavailable;
	if (api && !offered(info, api)) {
		p->why[column] = "this API does not offer it";
		p->hidden[column] = !named(p->cli, c->name);
	}
}

/* Whether a chosen metric of the group needs the counter. */
static bool needs(const struct planning *p, uint32_t column, uint32_t counter)
{
	uint32_t count, all;
	const struct sx_metric_input *inputs = sx_metrics_inputs(p->metrics, &all);
	const uint32_t *needed = sx_metrics_column_inputs(p->metrics, column, &count);
	for (uint32_t i = 0; i < count; i++)
		if (inputs[needed[i]].counter == counter)
			return true;
	return false;
}

/* A counter that the user defines cannot also count what a chosen set has it count. */
static enum sx_status judge_definition(struct planning *p, uint32_t column, struct sx_error *err)
{
	struct sx_error why = {0};
	uint32_t count, set = SX_NONE;
	const struct sx_metric_column *c = &p->columns[column];
	const struct sx_metric_info *metrics = sx_catalog_metrics(p->catalog, &count);
	if (c->metric != SX_NONE || !sx_definition_is(c->name))
		return SX_OK;
	if (p->cli->options.set)
		set = sx_catalog_find_group(p->catalog, p->cli->options.set);
	enum sx_status fits = sx_definition_fits(p->catalog, set, c->name, &why);
	for (uint32_t i = 0; !fits && i < p->column_count; i++)
		if (p->columns[i].metric != SX_NONE && needs(p, i, c->counter))
			fits = sx_definition_fits(p->catalog, metrics[p->columns[i].metric].group,
						  c->name, &why);
	if (!fits)
		return SX_OK;
	char *text = arena_alloc(&p->arena, sizeof(why.message) + sizeof(why.because) + 2);
	if (!text)
		return error_nomem(err, "planning passes");
	snprintf(text, sizeof(why.message) + sizeof(why.because) + 2, "%s; %s", why.message,
		 why.because);
	p->why[column] = text;
	return SX_OK;
}

/* The counters behind the inputs of a column, and those that its vendor keeps beside them. */
static bool make_item(struct planning *p, uint32_t column)
{
	uint32_t count, all, metrics, keep = 0;
	const struct sx_metric_input *inputs = sx_metrics_inputs(p->metrics, &all);
	const uint32_t *needed = sx_metrics_column_inputs(p->metrics, column, &count);
	const struct sx_metric_column *c = &p->columns[column];
	struct sx_strings kept = {0};
	const struct sx_metric_info *info =
	    c->metric == SX_NONE ? NULL : &sx_catalog_metrics(p->catalog, &metrics)[c->metric];
	if (info)
		kept = info->keep;
	uint32_t *list = arena_alloc(&p->arena, (count + kept.count + 1) * sizeof(*list));
	if (!list)
		return false;
	struct sx_plan_item *item = &p->items[column];
	item->counters = list;
	item->group = info && info->group != SX_NONE ? info->group + 1 : 0;
	for (uint32_t i = 0; i < count; i++)
		if (inputs[needed[i]].counter != SX_NONE)
			list[item->count++] = inputs[needed[i]].counter;
	item->keep = list + item->count;
	for (uint32_t i = 0; i < kept.count; i++) {
		uint32_t counter =
		    sx_catalog_find_counter(p->catalog, kept.items[i], SX_NONE, NULL);
		if (counter != SX_NONE)
			list[item->count + keep++] = counter;
	}
	item->keep_count = keep;
	return true;
}

/* An API is a variant where formulas differ; where they do not, some metric must offer it. */
static const char *variant(const struct planning *p, const char *api)
{
	uint32_t count;
	const struct sx_metric_info *metrics = sx_catalog_metrics(p->catalog, &count);
	if (!api || sx_catalog_find_variant(p->catalog, api) != SX_NONE)
		return api;
	for (uint32_t i = 0; i < count; i++)
		if (metrics[i].apis.count && offered(&metrics[i], api))
			return NULL;
	return api;
}

static enum sx_status plan_select_metrics(struct planning *p, struct sx_error *err)
{
	const struct options *o = &p->cli->options;
	struct sx_metrics_options options = options_selection(o, NULL);
	options.variant = variant(p, o->api);
	options.keep_neutral = false;
	return sx_metrics_create(p->catalog, &options, &p->metrics, err);
}

static bool is_drivers(const struct planning *p, uint32_t column)
{
	for (uint32_t i = 0; i < p->driver.name_count; i++)
		if (p->driver_columns[i] == column)
			return true;
	return false;
}

/* What only the driver counts takes turns over frames, as it says; all else is counted in each. */
static enum sx_status ask_driver(struct planning *p, struct sx_error *err)
{
	const char **names = arena_alloc(&p->arena, (p->column_count + 1) * sizeof(*names));
	p->driver_columns = arena_alloc(&p->arena, (p->column_count + 1) * sizeof(uint32_t));
	p->driver.of = arena_alloc(&p->arena, (p->column_count + 1) * sizeof(uint32_t));
	if (!names || !p->driver_columns || !p->driver.of)
		return error_nomem(err, "planning passes");
	for (uint32_t i = 0; i < p->column_count; i++) {
		if (strncmp(p->columns[i].name, "hw.", 3) != 0)
			continue;
		p->driver_columns[p->driver.name_count] = i;
		names[p->driver.name_count++] = p->columns[i].name;
	}
	p->driver.names = names;
	enum sx_status status = selection_passes(p->cli, &p->driver, err);
	if (!p->driver.count)
		p->driver.name_count = 0;
	for (uint32_t i = 0; i < p->driver.name_count; i++)
		if (p->driver.of[i] == SX_NONE)
			p->why[p->driver_columns[i]] =
			    "the driver needs several runs of the same commands to count it, and "
			    "a program runs them once";
	return status;
}

static enum sx_status make_plan(struct planning *p, struct sx_error *err)
{
	enum sx_status status = plan_select_metrics(p, err);
	uint32_t n;
	if (status)
		return status;
	p->columns = sx_metrics_columns(p->metrics, &p->column_count);
	p->counters = sx_catalog_counters(p->catalog, &n);
	p->blocks = sx_catalog_blocks(p->catalog, &p->block_count);
	p->why = arena_alloc(&p->arena, (p->column_count + 1) * sizeof(*p->why));
	p->hidden = arena_alloc(&p->arena, p->column_count + 1);
	p->items = arena_alloc(&p->arena, (p->column_count + 1) * sizeof(*p->items));
	if (!p->why || !p->hidden || !p->items)
		return error_nomem(err, "planning passes");
	status = ask_driver(p, err);
	for (uint32_t i = 0; !status && i < p->column_count; i++) {
		if (is_drivers(p, i))
			continue;
		plan_judge(p, i);
		status = judge_definition(p, i, err);
		if (!status && !p->why[i] && !make_item(p, i))
			return error_nomem(err, "planning passes");
	}
	const struct sx_plan_request request = {.items = p->items, .count = p->column_count};
	return status ? status : sx_plan_create(p->catalog, &request, &p->plan, err);
}

static void write_passes(const struct planning *p, struct json *json)
{
	uint32_t count;
	const struct sx_plan_pass *passes = sx_plan_passes(p->plan, &count);
	json_kv_array(json, "passes");
	for (uint32_t i = 0; i < count; i++) {
		json_object_begin(json);
		json_kv_array_flat(json, "counters");
		for (uint32_t k = 0; k < passes[i].count; k++)
			json_string(json, p->counters[passes[i].counters[k]].name);
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
}

static void write_metrics(const struct planning *p, struct json *json)
{
	json_kv_object(json, "metrics");
	for (uint32_t i = 0; i < p->column_count; i++) {
		uint32_t count;
		const uint32_t *used = sx_plan_item_passes(p->plan, i, &count);
		if (p->why[i] || is_drivers(p, i))
			continue;
		json_kv_array_flat(json, p->columns[i].name);
		for (uint32_t k = 0; k < count; k++)
			json_u64(json, used[k]);
		json_array_end(json);
	}
	json_object_end(json);
	json_kv_object(json, "unavailable");
	for (uint32_t i = 0; i < p->column_count; i++)
		if (p->why[i] && !p->hidden[i])
			json_kv_string(json, p->columns[i].name, p->why[i]);
	json_object_end(json);
}

static void write_driver_json(const struct planning *p, struct json *json)
{
	if (!p->driver.count)
		return;
	json_kv_array(json, "driver_passes");
	for (uint32_t pass = 0; pass < p->driver.count; pass++) {
		json_object_begin(json);
		json_kv_array_flat(json, "counters");
		for (uint32_t i = 0; i < p->driver.name_count; i++)
			if (p->driver.of[i] == pass)
				json_string(json, p->driver.names[i]);
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
}

static void plan_write_json(const struct planning *p)
{
	struct json json = view_json_begin(&p->cli->view, "plan");
	json_kv_string(&json, "for", sx_catalog_info(p->catalog)->name);
	if (p->cli->options.api)
		json_kv_string(&json, "api", p->cli->options.api);
	write_passes(p, &json);
	write_metrics(p, &json);
	write_driver_json(p, &json);
	view_json_end(&json);
}

static uint32_t in_block(const struct planning *p, const struct sx_plan_pass *pass, uint32_t block)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < pass->count; i++)
		n += p->counters[pass->counters[i]].block == block;
	return n;
}

/* Appends to a sentence; cut at the end of buf. */
static void plan_append(char *buf, size_t size, const char *fmt, ...) SX_PRINTF(3, 4);
static void plan_append(char *buf, size_t size, const char *fmt, ...)
{
	size_t used = strlen(buf);
	va_list args;
	va_start(args, fmt);
	vsnprintf(buf + used, size - used, fmt, args);
	va_end(args);
}

/* "CB 3, SPI 6 of 6 (full), SQ_VS 5 of 16": what a pass counts, by block. */
static void say_blocks(const struct planning *p, const struct sx_plan_pass *pass, char *buf,
		       size_t size)
{
	const char *sep = "";
	for (uint32_t b = 0; b < p->block_count; b++) {
		uint32_t n = in_block(p, pass, b);
		if (!n)
			continue;
		plan_append(buf, size, "%s%s %u", sep, p->blocks[b].name, (unsigned)n);
		if (p->blocks[b].limit)
			plan_append(buf, size, " of %u%s", (unsigned)p->blocks[b].limit,
				    n == p->blocks[b].limit ? " (full)" : "");
		sep = ", ";
	}
	uint32_t loose = in_block(p, pass, SX_NONE);
	if (loose)
		plan_append(buf, size, "%s%u of no block", sep, (unsigned)loose);
}

static bool reads(const struct planning *p, uint32_t column, uint32_t pass)
{
	uint32_t count;
	const uint32_t *used = sx_plan_item_passes(p->plan, column, &count);
	for (uint32_t i = 0; i < count; i++)
		if (used[i] == pass)
			return true;
	return false;
}

/* The exclusive set that is programmed in a pass, or NULL. */
static const char *set_of(const struct planning *p, uint32_t pass)
{
	uint32_t count;
	const struct sx_group_info *groups = sx_catalog_groups(p->catalog, &count);
	const struct sx_metric_info *metrics = sx_catalog_metrics(p->catalog, &count);
	for (uint32_t i = 0; i < p->column_count; i++) {
		const struct sx_metric_column *c = &p->columns[i];
		uint32_t group =
		    c->metric != SX_NONE ? metrics[c->metric].group : p->counters[c->counter].group;
		if (group != SX_NONE && groups[group].exclusive && reads(p, i, pass))
			return groups[group].name;
	}
	return NULL;
}

/* What keeps others out of a pass: timestamps, a stage, a set. */
static void say_rules(const struct planning *p, uint32_t number, const struct sx_plan_pass *pass,
		      char *buf, size_t size)
{
	uint32_t stage = SX_NONE, windowed = SX_NONE;
	const char *set = set_of(p, number);
	for (uint32_t i = 0; i < pass->count; i++) {
		uint32_t block = p->counters[pass->counters[i]].block;
		if (block == SX_NONE)
			continue;
		if (p->blocks[block].alone) {
			plan_append(buf, size, "; %s shares a pass with nothing else",
				    p->blocks[block].name);
			return;
		}
		if (p->blocks[block].stage)
			stage = block;
		if (p->blocks[block].windowed)
			windowed = block;
	}
	if (stage != SX_NONE)
		plan_append(buf, size, "; of %s only stage %s in this pass",
			    p->blocks[stage].family, p->blocks[stage].stage);
	if (windowed != SX_NONE)
		plan_append(buf, size, "; no single stage of %s, which would window %s",
			    p->blocks[windowed].windowed, p->blocks[windowed].name);
	if (set)
		plan_append(buf, size, "; only set %s in this pass", set);
}

static void say_readers(const struct planning *p, uint32_t pass)
{
	char line[4096] = "for ";
	const char *sep = "";
	for (uint32_t i = 0; i < p->column_count; i++) {
		if (!reads(p, i, pass))
			continue;
		plan_append(line, sizeof(line), "%s%s", sep, p->columns[i].name);
		sep = ", ";
	}
	text_wrap(&p->cli->view.out, 4, line);
}

static void write_pass(const struct planning *p, uint32_t number, const struct sx_plan_pass *pass)
{
	char head[64], line[2048] = "";
	snprintf(head, sizeof(head), "pass %u: %u counter%s", (unsigned)number + 1,
		 (unsigned)pass->count, pass->count == 1 ? "" : "s");
	text_styled(&p->cli->view.out, TEXT_BOLD, head);
	fputc('\n', p->cli->view.out.out);
	say_blocks(p, pass, line, sizeof(line));
	say_rules(p, number, pass, line, sizeof(line));
	text_wrap(&p->cli->view.out, 2, line);
	say_readers(p, number);
	if (p->cli->options.verbose) {
		char names[16384] = "";
		for (uint32_t i = 0; i < pass->count; i++)
			plan_append(names, sizeof(names), "%s%s", i ? ", " : "",
				    p->counters[pass->counters[i]].name);
		text_wrap(&p->cli->view.out, 4, names);
	}
}

/* Metrics that no single pass can hold. */
static void write_conflicts(const struct planning *p)
{
	bool any = false;
	for (uint32_t i = 0; i < p->column_count; i++) {
		uint32_t count;
		char line[256];
		sx_plan_item_passes(p->plan, i, &count);
		if (p->why[i] || count < 2)
			continue;
		if (!any)
			text_wrap(&p->cli->view.out, 0,
				  "Over several passes, because their counters do not fit one:");
		any = true;
		snprintf(line, sizeof(line), "%s: %u passes on its own", p->columns[i].name,
			 (unsigned)count);
		text_wrap(&p->cli->view.out, 2, line);
	}
}

static void write_driver(const struct planning *p)
{
	FILE *out = p->cli->view.out.out;
	if (!p->driver.count)
		return;
	fprintf(out, "%u pass%s of the driver's own counters%s\n", (unsigned)p->driver.count,
		p->driver.count == 1 ? "" : "es",
		p->driver.count == 1 ? "" : ", which take turns over frames");
	for (uint32_t pass = 0; pass < p->driver.count; pass++) {
		char line[4096] = "";
		snprintf(line, sizeof(line), "pass %u: ", (unsigned)pass + 1);
		const char *sep = "";
		for (uint32_t i = 0; i < p->driver.name_count; i++) {
			if (p->driver.of[i] != pass)
				continue;
			plan_append(line, sizeof(line), "%s%s", sep, p->driver.names[i]);
			sep = ", ";
		}
		text_wrap(&p->cli->view.out, 2, line);
	}
}

static void plan_write_text(const struct planning *p)
{
	uint32_t count, planned = 0, without = 0;
	const struct sx_plan_pass *passes = sx_plan_passes(p->plan, &count);
	for (uint32_t i = 0; i < p->column_count; i++) {
		planned += !p->why[i] && !is_drivers(p, i);
		without += p->why[i] && !p->hidden[i];
	}
	if (planned || !p->driver.count)
		fprintf(p->cli->view.out.out, "%u metric%s in %u pass%s\n", (unsigned)planned,
			planned == 1 ? "" : "s", (unsigned)count, count == 1 ? "" : "es");
	for (uint32_t i = 0; i < count; i++)
		write_pass(p, i, &passes[i]);
	write_conflicts(p);
	write_driver(p);
	if (!without)
		return;
	fprintf(p->cli->view.out.out, "%u not available here:\n", (unsigned)without);
	for (uint32_t i = 0; i < p->column_count; i++) {
		char line[512];
		if (!p->why[i] || p->hidden[i])
			continue;
		snprintf(line, sizeof(line), "%s: %s", p->columns[i].name, p->why[i]);
		text_wrap(&p->cli->view.out, 2, line);
	}
}

static int plan_run(struct cli *cli)
{
	struct sx_error err = {0};
	struct planning p = {.cli = cli};
	enum sx_status status = cli_catalog(cli, &p.catalog, &err);
	if (!status)
		status = make_plan(&p, &err);
	if (!status && cli->view.format == FORMAT_JSON)
		plan_write_json(&p);
	else if (!status)
		plan_write_text(&p);
	sx_plan_destroy(p.plan);
	sx_metrics_destroy(p.metrics);
	sx_catalog_unref(p.catalog);
	arena_finish(&p.arena);
	return status ? cli_fail(cli, &err) : EXIT_OK;
}

const struct command cmd_plan = {
    .verb = {.name = "plan",
	     .synopsis = "--for NAME | -d DEVICE [--api API] [-m LIST] [--const NAME=VALUE]",
	     .summary = "passes that a selection needs, before anything runs",
	     .about = "Distributes what metrics need over as few runs of the same work as the "
		      "hardware's limits allow, and says what fills each pass. A metric comes from "
		      "no more passes than it needs on its own. With -v the counters are listed. "
		      "Counters that only a driver knows (hw.*, of -d vulkan) take turns over "
		      "frames, as that driver says.",
	     .formats = FORMATS_TEXT_JSON,
	     .options = "for device api metric set const output format",
	     .max_args = 0,
	     .examples = "  sextant plan --for amd-gcn2 --api opengl -m VSBusy,TexUnitBusy\n"
			 "  sextant plan --for amd-gcn3 -m all --json\n"},
    .run = plan_run,
};
