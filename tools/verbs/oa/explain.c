/* Explains flexible EU counters that the user defines: see oa.h. */
#include "tools/verbs/oa/oa.h"
#include <sextant/oa.h>

#include "output/catalog/catalog.h"
#include "wire/oa/flex.h"

struct definition {
	const struct cli *cli;
	const struct catalog_view *view;
	const char *text;
	struct oa_flex_counter parsed;
	struct oa_flex_place place;
	const char *warnings[OA_FLEX_WARNINGS_MAX];
	uint32_t warning_count;
	bool supported;
	double value;
	struct formula formula;
};

static const char *const parts[] = {"event", "coarse", "fine"};

static uint32_t encoding(const struct definition *d, int part)
{
	const struct oa_flex *flex = &d->parsed.flex;
	return part == OA_FLEX_EVENT	? flex->event
	       : part == OA_FLEX_COARSE ? flex->coarse
					: flex->fine;
}

/* "event     fpu0-active: …" with what follows below it. */
static void part_text(const struct definition *d, int part)
{
	char line[256];
	const char *name = oa_flex_name((enum oa_flex_part)part, encoding(d, part));
	const char *about = oa_flex_describe((enum oa_flex_part)part, encoding(d, part));
	snprintf(line, sizeof(line), "%s: %s", name, about ? about : "");
	if ((int)text_width(line) + 12 <= d->cli->view.out.width) {
		fprintf(d->cli->view.out.out, "  %-9s %s\n", parts[part], line);
		return;
	}
	fprintf(d->cli->view.out.out, "  %-9s %s\n", parts[part], name);
	text_wrap(&d->cli->view.out, 12, about ? about : "");
}

static void write_text(const struct definition *d)
{
	char value[HUMAN_MAX];
	FILE *out = d->cli->view.out.out;
	uint32_t field = oa_flex_field(&d->parsed.flex);
	text_styled(&d->cli->view.out, TEXT_BOLD, d->text);
	human_value(&d->cli->view.human, value, d->value, "percent");
	if (d->formula.has_values)
		fprintf(out, " = %s", value);
	fputc('\n', out);
	text_wrap(
	    &d->cli->view.out, 2,
	    "A flexible EU counter of your own: the share of EU time in which its event holds, "
	    "of the EUs that its filters let through.");
	fprintf(out, "\n  %-9s A%u, also a column of its own in EU cycles\n", "counter",
		d->parsed.counter);
	for (int part = 0; part < 3; part++)
		part_text(d, part);
	fprintf(out, "  %-9s %s (0x%x): 0x%03x << %u = 0x%06x\n", "register",
		d->place.register_name, d->place.address, field, d->place.shift,
		field << d->place.shift);
	fprintf(out, "  %-9s percent\n", "unit");
	text_heading(&d->cli->view.out, "formula");
	formula_tree_text(&d->formula, "percent");
	text_heading(&d->cli->view.out, "inputs");
	formula_inputs_text(&d->formula);
	if (d->warning_count)
		text_heading(&d->cli->view.out, "warnings");
	for (uint32_t i = 0; i < d->warning_count; i++)
		text_wrap(&d->cli->view.out, 2, d->warnings[i]);
}

static void write_json(const struct definition *d)
{
	char name[8];
	struct json json = view_json_begin(&d->cli->view, "explain");
	snprintf(name, sizeof(name), "A%u", d->parsed.counter);
	json_kv_string(&json, "for", d->view->info->name);
	json_kv_object(&json, "definition");
	json_kv_string(&json, "name", d->text);
	json_kv_string(&json, "counter", name);
	json_kv_string(&json, "unit", "percent");
	json_kv_string(&json, "register", d->place.register_name);
	oa_json_hex(&json, "address", d->place.address, 4);
	oa_json_hex(&json, "field", oa_flex_field(&d->parsed.flex), 3);
	json_kv_u64(&json, "shift", d->place.shift);
	for (int i = 0; i < 3; i++) {
		enum oa_flex_part part = (enum oa_flex_part)i;
		json_kv_string(&json, parts[i], oa_flex_name(part, encoding(d, i)));
	}
	oa_json_check(&json, d->supported, d->warnings, d->warning_count);
	json_object_end(&json);
	if (d->formula.has_values)
		json_kv_f64(&json, "value", d->value);
	formula_json(&json, &d->formula);
	view_json_end(&json);
}

static enum sx_status no_flex(const struct definition *d, struct sx_error *err)
{
	error_set(err, SX_ERR_UNSUPPORTED, "catalog %s has no flexible EU counters",
		  d->view->info->name);
	error_because(err, "only Intel's OA unit can be programmed so");
	error_try(err, "--for intel-bdw");
	return SX_ERR_UNSUPPORTED;
}

enum sx_status explain_flex(const struct cli *cli, const struct catalog_view *view,
			    const char *definition, const struct measured_value *measured,
			    struct sx_error *err)
{
	struct definition d = {
	    .cli = cli, .view = view, .text = definition, .value = measured->value};
	struct formula_input input = {.view = view,
				      .constants = cli->options.constants,
				      .constant_count = (uint32_t)cli->options.constant_count,
				      .totals = measured->totals};
	struct sx_definition program;
	enum sx_status status = oa_flex_parse(definition, &d.parsed, err);
	if (!status && sx_catalog_find_constant(view->catalog, "EuCoresTotalCount") == SX_NONE)
		status = no_flex(&d, err);
	if (!status)
		status =
		    oa_flex_check(&d.parsed.flex, d.warnings, &d.warning_count, &d.supported, err);
	if (!status)
		status = sx_definition_read(view->catalog, definition, &program, err);
	if (status)
		return status;
	oa_flex_place(d.parsed.counter, &d.place);
	status = formula_open_text(&d.formula, &cli->view, &input, &program, err);
	if (!status && cli->view.format == FORMAT_JSON)
		write_json(&d);
	else if (!status)
		write_text(&d);
	formula_close(&d.formula);
	return status;
}
