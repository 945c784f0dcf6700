/* Lint: reports every fault of a catalog that loads, each with its line. */
#include "catalog/lint/lint.h"
#include "base/error.h"
#include "base/utf8.h"
#include "catalog/search/context.h"
#include "catalog/load/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINT_VERDICT "verdict" /* the rules of the verdict: no catalog, but data like one */

/* Two lines of text. */
#define DESCRIPTION_MAX 240

void lint_report(struct lint *lint, uint32_t line, const char *fmt, ...)
{
	char text[SX_ERROR_TEXT_MAX];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	lint->count++;
	const char *file = lint->cat->files[line >> YAML_LINE_BITS];
	struct sx_lint_finding finding = {file ? file : sx_catalog_info(lint->cat)->origin,
					  line & YAML_LINE_MASK, text};
	if (lint->fn)
		lint->fn(lint->user, &finding);
}

static void check_description(struct lint *lint, uint32_t line, const char *name, const char *text)
{
	size_t count = utf8_count(text, strlen(text));
	if (count == 0)
		lint_report(lint, line, "\"%s\" has no description", name);
	else if (count > DESCRIPTION_MAX)
		lint_report(lint, line,
			    "the description of \"%s\" has %zu characters, more than %d", name,
			    count, DESCRIPTION_MAX);
}

static void check_neutral(struct lint *lint, uint32_t line, const char *name, const char *unit,
			  const char *neutral)
{
	if (!neutral)
		return;
	const struct neutral_name *n = neutral_find(&lint->neutral, neutral);
	if (!n)
		lint_report(lint, line, "\"%s\": \"%s\" is no neutral name", name, neutral);
	else if (!units_agree(&lint->units, unit, n->unit))
		lint_report(lint, line, "\"%s\" is in %s, but %s is in %s", name, unit, neutral,
			    n->unit);
}

static void check_constants(struct lint *lint)
{
	const struct sx_catalog *cat = lint->cat;
	for (uint32_t i = 0; i < cat->constant_count; i++)
		check_description(lint, cat->lines[INDEX_CONSTANT][i], cat->constants[i].name,
				  cat->constants[i].description);
}

static void check_slot(struct lint *lint, uint32_t line, const struct sx_counter_info *c)
{
	if (c->block == SX_NONE)
		return;
	const struct sx_block_info *b = &lint->cat->blocks[c->block];
	if (b->slots && c->slot != SX_NONE && c->slot >= b->slots)
		lint_report(lint, line, "\"%s\" is in slot %u, but block \"%s\" has slots 0 to %u",
			    c->name, c->slot, b->name, b->slots - 1);
	if (c->reduce == SX_REDUCE_EACH && b->instances == 1 && !b->instances_constant)
		lint_report(lint, line, "\"%s\" keeps instances apart, but block \"%s\" has one",
			    c->name, b->name);
}

static void check_counters(struct lint *lint)
{
	const struct sx_catalog *cat = lint->cat;
	for (uint32_t i = 0; i < cat->counter_count; i++) {
		const struct sx_counter_info *c = &cat->counters[i];
		uint32_t line = cat->lines[INDEX_COUNTER][i];
		check_description(lint, line, c->name, c->description);
		check_neutral(lint, line, c->name, c->unit, c->neutral);
		check_slot(lint, line, c);
		if (c->same && sx_catalog_find_counter(cat, c->same, SX_NONE, NULL) == SX_NONE &&
		    sx_catalog_find_metric(cat, c->same, SX_NONE, NULL) == SX_NONE)
			lint_report(lint, line,
				    "\"%s\" says the same as \"%s\", which is not there", c->name,
				    c->same);
	}
}

static void check_identity(struct lint *lint, const struct sx_metric_info *m, uint32_t line)
{
	switch (identity_check(&lint->identities, lint->cat, m)) {
	case IDENTITY_UNBOUND:
	case IDENTITY_SAME:
		break;
	case IDENTITY_NO_MEMORY:
		lint->out_of_memory = true;
		break;
	case IDENTITY_MISSING:
		lint_report(lint, line, "\"%s\" has no line in identity.tsv", m->qualified);
		break;
	case IDENTITY_CHANGED:
		lint_report(
		    lint, line,
		    "the formula or unit of \"%s\" changed, but its line in identity.tsv did not",
		    m->qualified);
		break;
	}
}

static void check_metrics(struct lint *lint)
{
	const struct sx_catalog *cat = lint->cat;
	for (uint32_t i = 0; i < cat->metric_count; i++) {
		const struct sx_metric_info *m = &cat->metrics[i];
		uint32_t line = cat->lines[INDEX_METRIC][i];
		check_identity(lint, m, line);
		/* Entries that differ in their group alone have these in common. */
		if (i > 0 && cat->lines[INDEX_METRIC][i - 1] == line)
			continue;
		check_description(lint, line, m->name, m->description);
		check_neutral(lint, line, m->name, m->unit, m->neutral);
	}
}

static void check_advice(struct lint *lint)
{
	const struct sx_catalog *cat = lint->cat;
	for (uint32_t i = 0; i < cat->advice_count; i++) {
		const struct sx_advice_info *a = &cat->advice[i];
		check_description(lint, cat->lines[INDEX_ADVICE][i], a->rule, a->advice);
	}
}

/* A catalog that is opened by its path may have a file name by which it is not found. */
static void check_file_name(struct lint *lint)
{
	const struct sx_catalog_info *info = sx_catalog_info(lint->cat);
	const char *slash = strrchr(info->origin, '/');
	if (!slash)
		return;
	size_t len = strlen(info->name);
	if (strncmp(slash + 1, info->name, len) != 0 || strcmp(slash + 1 + len, ".yaml") != 0)
		lint_report(lint, 2, "the catalog is \"%s\", but its file is called \"%s\"",
			    info->name, slash + 1);
}

static enum sx_status lint_loaded(struct lint *lint, struct sx_error *err)
{
	enum sx_status status = neutral_init(&lint->neutral, err);
	if (status != SX_OK)
		return status;
	status = identities_open(&lint->identities, err);
	if (status != SX_OK) {
		neutral_finish(&lint->neutral);
		return status;
	}
	units_init(&lint->units);
	check_file_name(lint);
	check_constants(lint);
	check_counters(lint);
	check_metrics(lint);
	check_advice(lint);
	lint_expressions(lint);
	neutral_finish(&lint->neutral);
	identities_finish(&lint->identities);
	return lint->out_of_memory ? error_nomem(err, "checking a catalog") : SX_OK;
}

/* A catalog that does not load is a finding, with the line that its error begins with. */
static void report_failure(sx_lint_fn fn, void *user, const struct sx_error *err)
{
	char origin[SX_ERROR_TEXT_MAX];
	snprintf(origin, sizeof(origin), "%s", err->message);
	struct sx_lint_finding finding = {origin, 1, err->message};
	/* "origin:LINE: message", and the origin may hold colons itself. */
	for (char *colon = strchr(origin, ':'); colon; colon = strchr(colon + 1, ':')) {
		char *end;
		unsigned long line = strtoul(colon + 1, &end, 10);
		if (end > colon + 1 && strncmp(end, ": ", 2) == 0) {
			*colon = '\0';
			finding.line = (uint32_t)line;
			finding.message = end + 2;
			break;
		}
	}
	if (fn)
		fn(user, &finding);
}

enum sx_status sx_catalog_lint(struct sx_context *context, const struct sx_lint_request *request,
			       uint32_t *count, struct sx_error *err)
{
	struct sx_catalog *catalog = NULL;
	struct sx_error failure = {0};
	enum sx_status status = sx_catalog_open(context, request->name, &catalog, &failure);
	if (count)
		*count = 0;
	if (status == SX_ERR_NOT_FOUND && strcmp(request->name, LINT_VERDICT) == 0) {
		const struct verdict_lint_request rules = {.fn = request->fn,
							   .user = request->user};
		uint32_t found = 0;
		status = verdict_lint(context, &rules, &found, err);
		if (count)
			*count = found;
		return status;
	}
	if (status == SX_ERR_BAD_INPUT || status == SX_ERR_LIMIT) {
		report_failure(request->fn, request->user, &failure);
		if (count)
			*count = 1;
		return SX_OK;
	}
	if (status != SX_OK) {
		if (err)
			*err = failure;
		return status;
	}
	struct lint lint = {.cat = catalog, .fn = request->fn, .user = request->user};
	status = lint_loaded(&lint, err);
	if (count)
		*count = lint.count;
	sx_catalog_unref(catalog);
	return status;
}
