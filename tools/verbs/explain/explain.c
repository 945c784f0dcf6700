/* sextant explain: what one metric or counter means, and what it is made of. */
#include "tools/verbs/explain/explain.h"

#include <string.h>

#include "analysis/stats.h"
#include "base/suggest.h"
#include "output/catalog/catalog.h"
#include "tools/cli/request.h"
#include "tools/verbs/oa/oa.h"

/* SX_INCOMPLETE: a vendor-neutral name that this catalog maps nothing to, but others may. */
static enum sx_status find_neutral(const struct explanation *e, const char *name,
				   struct sx_error *err)
{
	const struct sx_metrics_options options = {
	    .patterns = &name, .pattern_count = 1, .keep_neutral = true};
	struct sx_metrics *metrics = NULL;
	struct sx_error why = {0};
	uint32_t count = 0;
	enum sx_status status = sx_metrics_create(e->view.catalog, &options, &metrics, &why);
	if (status == SX_ERR_NO_MEMORY)
		*err = why;
	if (status)
		return status == SX_ERR_NO_MEMORY ? status : SX_ERR_NOT_FOUND;
	const struct sx_metric_column *column = sx_metrics_columns(metrics, &count);
	bool absent =
	    count == 1 && column->metric == SX_NONE && column->counter == SX_NONE && column->why;
	if (absent) {
		error_set(err, SX_INCOMPLETE, "%s: %s", name, column->why);
		error_because(err, "no metric and no counter of it is mapped to that name (%s)",
			      column->unit);
		error_try(err, "sextant explain %s, of a catalog that has it", name);
	}
	sx_metrics_destroy(metrics);
	return absent ? SX_INCOMPLETE : SX_ERR_NOT_FOUND;
}

/* Of several sets' metrics the first one, which says where else it is; else a counter. */
static enum sx_status look_up(struct explanation *e, const char *name, uint32_t *metric,
			      uint32_t *counter, struct sx_error *err)
{
	const char *near[2];
	if (describe_find(&e->view, name, e->set, metric, counter))
		return SX_OK;
	enum sx_status status = find_neutral(e, name, err);
	if (status != SX_ERR_NOT_FOUND)
		return status;
	struct suggest rules;
	suggest_begin(&rules, name, 1);
	rule_offer(&e->view, &rules);
	error_set(err, SX_ERR_NOT_FOUND, "no metric, counter or rule %s in catalog %s", name,
		  e->view.info->name);
	error_because(err, "no name or alias matches");
	if (rules.count && explain_is_rule(name))
		error_try(err, "sextant explain %s --for %s", rules.items[0], e->view.info->name);
	else if (sx_catalog_suggest(e->view.catalog, name, near, 2))
		error_try(err, "sextant explain %s --for %s", near[0], e->view.info->name);
	else
		error_try(err, "sextant list metrics --for %s", e->view.info->name);
	return SX_ERR_NOT_FOUND;
}

static enum sx_status explain_prepare(struct explanation *e, struct sx_catalog *catalog,
				      struct sx_table **totals, struct sx_error *err)
{
	const struct options *o = &e->cli->options;
	struct sx_table *raw = NULL;
	e->view = describe_view(catalog);
	e->set = SX_NONE;
	enum sx_status status = describe_group(&e->view, o->set, &e->set, err);
	if (!status)
		status = describe_variant(&e->view, o->api, &e->variant, err);
	if (status)
		return status;
	if (!o->input)
		return SX_OK;
	const struct input_request request = request_of(e->cli, o->input);
	if (!e->cli->capture)
		status = input_table_open(&request, catalog, &e->cli->capture, err);
	if (!status)
		status = input_device_load(e->cli->capture, &raw, err);
	if (!status)
		status = stats_whole(raw, totals, err);
	sx_table_destroy(raw);
	e->totals = *totals;
	return status;
}

/* A verdict may have the name of a metric. */
static enum sx_status also_verdict_text(const struct explanation *e, const char *name,
					struct sx_error *err)
{
	bool known;
	return rule_write_verdict(&e->cli->view, name, &(struct rule_behind){NULL}, &known, err);
}

/* What a catalog knows by this name. */
static enum sx_status explain_name(struct explanation *e, const char *name, struct sx_error *err)
{
	struct formula f = {0};
	const struct options *o = &e->cli->options;
	struct formula_input input = {.view = &e->view,
				      .variant = e->variant,
				      .constants = o->constants,
				      .constant_count = (uint32_t)o->constant_count,
				      .totals = e->totals};
	uint32_t metric = SX_NONE, counter = SX_NONE, rule;
	if (!describe_find(&e->view, name, e->set, &metric, &counter) &&
	    (rule = rule_find(&e->view, name)) != SX_NONE)
		return rule_write(&e->cli->view, &e->view, rule, err);
	enum sx_status status = look_up(e, name, &metric, &counter, err);
	if (!status && metric != SX_NONE)
		status = formula_open(&f, &e->cli->view, &input, metric, err);
	ticker_stop(e->cli);
	bool json = e->cli->view.format == FORMAT_JSON;
	if (!status && json)
		status = explain_json(e, metric, counter, &f, err);
	else if (!status && metric != SX_NONE)
		explain_metric_text(e, metric, &f);
	else if (!status)
		explain_counter_text(e, counter);
	formula_close(&f);
	return status || json ? status : also_verdict_text(e, name, err);
}

/* SX_ERR_NOT_FOUND, and the error as it is, when the verdict has no such rule. */
static enum sx_status explain_verdict(struct cli *cli, const char *name, bool *known,
				      struct sx_error *err)
{
	struct sx_error why = {0};
	enum sx_status status = rule_write_verdict(&cli->view, name, NULL, known, &why);
	if (status)
		*err = why;
	return status || *known ? status : SX_ERR_NOT_FOUND;
}

enum sx_status explain_write(struct cli *cli, struct sx_catalog *catalog, const char *name,
			     struct sx_error *err)
{
	struct sx_table *totals = NULL;
	struct explanation e = {.cli = cli};
	bool no_memory = false;
	enum sx_status status = explain_prepare(&e, catalog, &totals, err);
	e.view.no_memory = &no_memory;
	if (!status && sx_definition_is(name))
		status =
		    explain_flex(cli, &e.view, name,
				 &(struct measured_value){totals, explain_value(&e, name)}, err);
	else if (!status)
		status = explain_name(&e, name, err);
	if (!status && no_memory)
		status = error_nomem(err, "explaining");
	sx_table_destroy(totals);
	return status;
}

static int explain_run(struct cli *cli)
{
	struct sx_error err = {0};
	struct sx_catalog *catalog = NULL;
	const char *name = cli->options.args.count ? cli->options.args.items[0] : NULL;
	enum sx_status status = SX_OK;
	if (!status && !name) {
		status = error_set(&err, SX_ERR_USAGE, "nothing to explain was named");
		error_because(&err, "explain takes the name of a metric, counter or rule");
		error_try(&err, "sextant explain gpu.busy --for amd-gcn2");
	}
	bool verdict = false;
	if (!status)
		status = explain_open_catalog(cli, name, &catalog, &err);
	/* Rules of the verdict are in no catalog, and their names are unique. */
	if (status == SX_ERR_NOT_FOUND && name && !catalog)
		status = explain_verdict(cli, name, &verdict, &err);
	if (verdict)
		return status ? cli_fail(cli, &err) : EXIT_OK;
	if (!status)
		status = explain_write(cli, catalog, name, &err);
	sx_catalog_unref(catalog);
	return status ? cli_fail(cli, &err) : EXIT_OK;
}

const struct command cmd_explain = {
    .verb = {.name = "explain",
	     .synopsis = "NAME [--for CATALOG] [-i FILE]",
	     .summary = "what a metric or rule means: unit, formula as a tree, inputs, advice",
	     .about =
		 "Shows title, unit, meaning, the formula as a tree with each input's block and "
		 "slot, and the advice that uses it. With -i the numbers of a file are put in. "
		 "Without --for, -d and -i every catalog is searched, those of this machine's "
		 "devices first. NAME may also be a rule of the catalog's advice or of the "
		 "verdict, as advise and stat name them: its condition, limit and inputs; or "
		 "define a flexible EU counter of Intel's OA unit.",
	     .pages = true,
	     .formats = FORMATS_TEXT_JSON,
	     .reads = true,
	     .options = "for device set api input output const format",
	     .max_args = 1,
	     .examples = "  sextant explain VSInvocations --for opengl\n"
			 "  sextant explain RenderBasic.EuActive --for intel-bdw\n"
			 "  sextant explain 'A12=eu(fpu0-active, coarse=ps)'\n"},
    .run = explain_run,
};
