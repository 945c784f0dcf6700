/* A dump of a Mali in 60 lines: memory as the hardware writes it becomes counters by their names.
 */
#include <sextant/sextant.h>

#include <stdio.h>

static int fail(const struct sx_error *err)
{
	fprintf(stderr, "error: %s\nbecause: %s\ntry: %s\n", err->message, err->because,
		err->remedy);
	return 1;
}

/* One L2 slice and one core: blocks of the front-end, tiler, slice and core, of 64 values each. */
enum { BLOCKS = 4, SLOTS = 64, ENABLE = 2 /* the slot that says what was counted */ };

/* Stands for what a driver maps: every counter of a block counted as many as its slot's number. */
static void fill(uint8_t dump[BLOCKS * SLOTS * 4])
{
	for (unsigned i = 0; i < BLOCKS * SLOTS; i++) {
		uint32_t slot = i % SLOTS, value = slot < 4 ? 0 : slot;
		if (slot == ENABLE)
			value = 0xffff; /* a bit for each four slots */
		for (unsigned b = 0; b < 4; b++)
			dump[i * 4 + b] = (uint8_t)(value >> 8 * b);
	}
}

int main(void)
{
	static const char *const wanted[] = {"MaliGPUCyclesGPUActive",
					     "MaliShaderCoreCyclesFragmentActive"};
	const struct sx_mali_options options = {.value_bytes = 4,
						.l2_slices = 1,
						.core_mask = 1,
						.counters = wanted,
						.counter_count = 2};
	static uint8_t dump[BLOCKS * SLOTS * 4];
	struct sx_error err = {0};
	struct sx_context *context = NULL;
	struct sx_catalog *catalog = NULL;
	struct sx_mali_decoder *decoder = NULL;
	struct sx_table *table = NULL;
	fill(dump);
	enum sx_status status = sx_context_create(NULL, &context, &err);
	if (!status)
		status = sx_catalog_open(context, "mali-g310", &catalog, &err);
	if (!status)
		status = sx_mali_decoder_create(catalog, &options, &decoder, &err);
	if (!status)
		status = sx_mali_table_create(decoder, &table, &err);
	if (!status)
		status = sx_mali_decode(decoder, dump, sizeof(dump), table, &err);
	for (uint32_t c = 0; !status && c < sx_table_column_count(table); c++)
		printf("%-32s %12g %s\n", sx_table_column(table, c)->name,
		       sx_table_get(table, c, 0), sx_table_column(table, c)->unit);
	sx_table_destroy(table);
	sx_mali_decoder_destroy(decoder);
	sx_catalog_unref(catalog);
	sx_context_destroy(context);
	return status ? fail(&err) : 0;
}
