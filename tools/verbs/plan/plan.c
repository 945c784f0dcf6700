/* sextant plan: the passes that a selection needs, and why, before anything runs. */
#include "tools/verbs/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/no_data.h"

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
		p->why[column] = info->unavailable ? no_data_text(NO_DATA_NO_FORMULA) : NULL;
	if (api && !offered(info, api)) {
		p->why[column] = no_data_text(NO_DATA_NO_FORMULA);
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

bool plan_is_drivers(const struct planning *p, uint32_t column)
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
			p->why[p->driver_columns[i]] = no_data_text(NO_DATA_PASSES);
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
		if (plan_is_drivers(p, i))
			continue;
		plan_judge(p, i);
		status = judge_definition(p, i, err);
		if (!status && !p->why[i] && !make_item(p, i))
			return error_nomem(err, "planning passes");
	}
	const struct sx_plan_request request = {.items = p->items, .count = p->column_count};
	return status ? status : sx_plan_create(p->catalog, &request, &p->plan, err);
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
