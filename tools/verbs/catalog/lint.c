/* Writes what lint finds, one line a fault as compilers do, or as JSON. */
#include "tools/verbs/catalog/catalog.h"

#include <string.h>
#include <sextant/lint.h>
#include <sextant/oa.h>

#include "base/number.h"

struct report {
	const struct cli *cli;
	struct json *json; /* NULL: text */
	const char *name;
};

static void write_finding(void *user, const struct sx_lint_finding *finding)
{
	const struct report *r = user;
	/* A built-in catalog has no path; its name is printed. */
	bool embedded = strcmp(finding->origin, "embedded") == 0;
	const char *origin = embedded ? r->name : finding->origin;
	if (!r->json && finding->line)
		fprintf(r->cli->view.out.out, "%s:%u: %s\n", origin, finding->line,
			finding->message);
	else if (!r->json)
		fprintf(r->cli->view.out.out, "%s: %s\n", origin, finding->message);
	if (!r->json)
		return;
	json_object_begin_flat(r->json);
	json_kv_string(r->json, "catalog", r->name);
	json_kv_string(r->json, "origin", finding->origin);
	if (finding->line)
		json_kv_u64(r->json, "line", finding->line);
	else
		json_kv_null(r->json, "line");
	json_kv_string(r->json, "message", finding->message);
	json_object_end(r->json);
}

/* What the kernel would refuse of a catalog that can be loaded. */
struct programs {
	struct report report;
	const char *origin;
};

static void write_program(void *user, const char *line)
{
	const struct programs *p = user;
	struct report report = p->report;
	write_finding(&report, &(struct sx_lint_finding){.origin = p->origin, .message = line});
}

static uint32_t check_programs(const struct report *report)
{
	struct sx_catalog *catalog;
	if (sx_catalog_open(report->cli->context, report->name, &catalog, NULL))
		return 0; /* which was a finding */
	struct programs programs = {*report, sx_catalog_info(catalog)->origin};
	uint32_t found = sx_oa_check_programs(catalog, write_program, &programs);
	sx_catalog_unref(catalog);
	return found;
}

enum sx_status catalog_lint(const struct cli *cli, const char *const *names, size_t count,
			    size_t *findings, struct sx_error *err)
{
	bool everything = count == 0;
	if (everything)
		names = sx_catalog_names(cli->context, &count);
	if (!names)
		return error_nomem(err, "listing catalogs");
	bool is_json = cli->view.format == FORMAT_JSON;
	struct json json = {0};
	if (is_json) {
		json = view_json_begin(&cli->view, "catalog-lint");
		json_kv_array(&json, "findings");
	}
	enum sx_status status = SX_OK;
	/* The rules of the verdict go along with all catalogs. */
	for (size_t i = 0; status == SX_OK && i < count + everything; i++) {
		const char *name = i < count ? names[i] : "verdict";
		struct report report = {cli, is_json ? &json : NULL, name};
		uint32_t found = 0;
		const struct sx_lint_request request = {name, write_finding, &report};
		status = sx_catalog_lint(cli->context, &request, &found, err);
		*findings += found + (status ? 0 : check_programs(&report));
	}
	if (is_json) {
		json_array_end(&json);
		view_json_end(&json);
	}
	if (status == SX_OK)
		cli_note(cli, "%s in %s", COUNTED(*findings, "finding"), COUNTED(count, "catalog"));
	return status;
}
