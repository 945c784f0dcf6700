/* Any bytes as the verdict's rules: an error with its line, or rules that lint and judge a run by.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/context.h>
#include "analysis/verdict/verdict.h"
#include "catalog/lint/lint.h"
#include "fuzz.h"

#define FRAMES	 60
#define FRAME_NS UINT64_C(20000000)

static void check(bool good)
{
	if (!good)
		abort();
}

static void ignore(void *user, const struct sx_lint_finding *finding)
{
	check(finding->message);
}

static void lint(struct sx_context *context, const uint8_t *data, size_t size)
{
	uint32_t count;
	const struct verdict_lint_request request = {
	    .text = (const char *)data, .size = size, .origin = "fuzz", .fn = ignore};
	verdict_lint(context, &request, &count, NULL);
}

static struct sx_table *make_rows(void)
{
	static const struct sx_column columns[] = {
	    {"Frames", "frames", SX_F64, SX_REDUCE_SUM, NULL},
	    {"FrameTime", "ns", SX_F64, SX_REDUCE_SUM, NULL},
	    {"ThreadTime", "ns", SX_F64, SX_REDUCE_SUM, NULL},
	    {"D3DGPUTime", "ns", SX_F64, SX_REDUCE_SUM, NULL},
	};
	struct sx_table *t;
	check(!sx_table_create(columns, 4, SX_SAMPLE_FRAME, &t, NULL));
	check(!sx_table_add_rows(t, FRAMES, NULL, NULL));
	for (size_t r = 0; r < FRAMES; r++) {
		sx_table_set_time(t, r, r * FRAME_NS, (r + 1) * FRAME_NS);
		sx_table_set_f64(t, 0, r, 1, 0);
		sx_table_set_f64(t, 1, r, (double)FRAME_NS, 0);
		sx_table_set_f64(t, 2, r, r % 7 ? 1e6 : 1.9e7, 0);
		sx_table_set_f64(t, 3, r, r < 30 ? 1.9e7 : 3e6, r % 5 ? 0 : SX_QUALITY_GAP);
	}
	return t;
}

static void judge(struct sx_context *context, struct verdict_rules *rules)
{
	struct verdict *verdict = NULL;
	struct sx_metrics_options options = {.pattern_count = 0};
	struct verdict_source source = {.options = &options, .rows = make_rows(), .each = 1};
	double all = 0;
	check(!sx_catalog_open(context, "opengl", &source.catalog, NULL));
	check(!verdict_judge_by(rules, &source, 1, &verdict, NULL));
	check(verdict && verdict->part_count && verdict->stretch_count && verdict->windows);
	for (uint32_t i = 0; i < verdict->part_count; i++)
		all += verdict->parts[i].share;
	check(all > 0.999 && all < 1.001);
	for (uint32_t i = 0; i < verdict->stretch_count; i++)
		check(verdict->stretches[i].part < verdict->part_count);
	verdict_destroy(verdict);
	sx_table_destroy((struct sx_table *)(uintptr_t)source.rows);
	sx_catalog_unref(source.catalog);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sx_context *context;
	struct verdict_rules rules;
	struct sx_error err = {0};
	if (!context)
		check(!sx_context_create(&(struct sx_context_options){.catalog_path = ""}, &context,
					 NULL));
	enum sx_status status = verdict_rules_parse((const char *)data, size, "fuzz", &rules, &err);
	check(!status || strncmp(err.message, "fuzz:", 5) == 0);
	lint(context, data, size);
	if (!status)
		judge(context, &rules);
	return 0;
}
