/* The library in 50 lines: a catalog, a selection, a table of raw counters, the metrics of each
 * row. */
#include <sextant/sextant.h>

#include <stdio.h>

static int fail(const struct sx_error *err)
{
	fprintf(stderr, "error: %s\nbecause: %s\ntry: %s\n", err->message, err->because,
		err->remedy);
	return 1;
}

int main(void)
{
	static const char *const wanted[] = {"output_external_read_bytes", "gpu_active_cycles"};
	static const struct sx_constant_value bus = {"MaliConstantsBusWidthBits", 128};
	static const struct sx_column columns[] = {
	    {.name = "MaliGPUCyclesGPUActive", .unit = "cycles", .type = SX_U64},
	    {.name = "MaliExternalBusBeatsReadBeat", .unit = "beats", .type = SX_U64},
	};
	struct sx_error err;
	struct sx_context *context = NULL;
	struct sx_catalog *catalog = NULL;
	struct sx_metrics *metrics = NULL;
	struct sx_table *raw = NULL, *out = NULL;
	struct sx_metrics_options options = {
	    .patterns = wanted, .pattern_count = 2, .constants = &bus, .constant_count = 1};
	if (sx_context_create(NULL, &context, &err) ||
	    sx_catalog_open(context, "mali-g310", &catalog, &err) ||
	    sx_metrics_create(catalog, &options, &metrics, &err) ||
	    sx_table_create(columns, 2, SX_SAMPLE_ROW, &raw, &err) ||
	    sx_table_add_rows(raw, 2, NULL, &err))
		return fail(&err);
	sx_table_set_u64(raw, 0, 0, 1000000, SX_QUALITY_VALID);
	sx_table_set_u64(raw, 1, 0, 5000, SX_QUALITY_VALID);
	sx_table_set_u64(raw, 0, 1, 2000000, SX_QUALITY_VALID); /* no beats: no data, not zero */
	if (sx_metrics_eval(metrics, raw, &out, &err))
		return fail(&err);
	for (uint32_t c = 0; c < sx_table_column_count(out); c++)
		printf("%-28s %12g %12g %s\n", sx_table_column(out, c)->name,
		       sx_table_get(out, c, 0), sx_table_get(out, c, 1),
		       sx_table_column(out, c)->unit);
	sx_table_destroy(out);
	sx_table_destroy(raw);
	sx_metrics_destroy(metrics);
	sx_catalog_unref(catalog);
	sx_context_destroy(context);
	return 0;
}
