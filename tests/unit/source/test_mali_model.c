/* The modelled GPU: its counters obey what the guides state, in every scene and on every core. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/metric.h>
#include "decode/decode.h"
#include "source/mali/mali.h"

#define STEP_NS UINT64_C(50000000)
#define SAMPLES 110 /* 5.5 s: all five scenes */

/* A clock that only waiting moves. */
struct clock {
	struct sx_sys sys;
	uint64_t now_ns;
};

static int wait_on(void *user, struct pollfd *fds, nfds_t count, int timeout_ms)
{
	((struct clock *)user)->now_ns += (uint64_t)timeout_ms * 1000000;
	return 0;
}

static int tell_time(void *user, clockid_t clock, struct timespec *out)
{
	uint64_t now = ((struct clock *)user)->now_ns;
	*out = (struct timespec){.tv_sec = (time_t)(now / 1000000000),
				 .tv_nsec = (long)(now % 1000000000)};
	return 0;
}

struct run {
	struct clock clock;
	struct sx_context *context;
	struct sx_catalog *catalog;
	struct source *source;
	struct decoder *decoder;
	struct sx_table *raw, *metrics;
};

static void open_run(struct run *r, const char *id, const char *variant)
{
	*r = (struct run){.clock = {.sys = {.poll = wait_on, .clock_gettime = tell_time},
				    .now_ns = UINT64_C(77000000000)}};
	r->clock.sys.user = &r->clock;
	assert_int_equal(sx_context_create(NULL, &r->context, NULL), SX_OK);
	assert_int_equal(sx_catalog_open(r->context, id, &r->catalog, NULL), SX_OK);
	assert_int_equal(source_mali_model.open(
			     &(struct source_host){.sys = &r->clock.sys, .catalogs = r->context},
			     id, &r->source, NULL),
			 SX_OK);
	const struct source_desc *desc = source_describe(r->source);
	assert_true(desc->facts.simulated);
	assert_non_null(strstr(desc->facts.name, "simulated"));
	struct sx_constant_value constants[8];
	for (uint32_t i = 0; i < desc->facts.constant_count; i++)
		constants[i] = desc->facts.constants[i];
	struct decoder_setup setup = {.catalog = r->catalog,
				      .constants = constants,
				      .constant_count = desc->facts.constant_count,
				      .variant = variant,
				      .instances = true};
	const struct decoder_ops *ops = decode_find(RAW_MALI);
	assert_int_equal(ops->create(&setup, &r->decoder, NULL), SX_OK);
	assert_int_equal(decoder_table(r->decoder, &r->raw, NULL), SX_OK);
}

static void count_line(void *user, const char *line)
{
	++*(uint32_t *)user;
	if (*(uint32_t *)user < 10)
		print_message("%s\n", line);
}

/* The sample in the form that its builder had. */
static void check_sample(const struct run *r, struct mali_relations *relations,
			 const struct raw_sample *sample)
{
	uint32_t counters, lines = 0;
	struct mali_raw raw;
	const struct sx_block_info *blocks = sx_catalog_blocks(r->catalog, &counters);
	bool big = blocks[0].slots == 128;
	assert_true(mali_raw_init(&raw, 8, big ? 128 : 64, big ? 2 : 1, big ? 0x3f : 0x7));
	assert_int_equal(raw.size, sample->size);
	memcpy(raw.bytes, sample->data, raw.size);
	struct mali_outcome out = {0};
	mali_relations_check(relations, &raw, 0, &out);
	mali_relations_report(relations, &(struct note_sink){count_line, &lines});
	assert_int_equal(out.failed, 0);
	mali_raw_finish(&raw);
}

static void read_all(struct run *r)
{
	struct mali_relations *relations = mali_relations_create(r->catalog);
	assert_non_null(relations);
	struct source_request request = {.interval_ns = STEP_NS};
	assert_int_equal(source_mali_model.start(r->source, &request, NULL), SX_OK);
	while (sx_table_row_count(r->raw) < SAMPLES) {
		struct raw_sample sample;
		enum sx_status status = source_mali_model.read(r->source, 60, &sample, NULL);
		if (status == SX_AGAIN)
			continue;
		assert_int_equal(status, SX_OK);
		check_sample(r, relations, &sample);
		assert_int_equal(r->decoder->ops->feed(r->decoder, &sample, r->raw, NULL), SX_OK);
	}
	assert_int_equal(source_mali_model.stop(r->source, NULL), SX_OK);
	mali_relations_destroy(relations);
}

static void evaluate(struct run *r, const char *variant)
{
	const struct source_desc *desc = source_describe(r->source);
	struct sx_constant_value constants[8];
	for (uint32_t i = 0; i < desc->facts.constant_count; i++)
		constants[i] = (struct sx_constant_value){desc->facts.constants[i].name,
							  desc->facts.constants[i].value};
	struct sx_metrics_options options = {.variant = variant,
					     .constants = constants,
					     .constant_count = desc->facts.constant_count,
					     .like = r->raw};
	struct sx_metrics *metrics = NULL;
	assert_int_equal(sx_metrics_create(r->catalog, &options, &metrics, NULL), SX_OK);
	assert_int_equal(sx_metrics_eval(metrics, r->raw, &r->metrics, NULL), SX_OK);
	sx_metrics_destroy(metrics);
}

static void close_run(struct run *r)
{
	sx_table_destroy(r->metrics);
	sx_table_destroy(r->raw);
	r->decoder->ops->destroy(r->decoder);
	source_mali_model.close(r->source);
	sx_catalog_unref(r->catalog);
	sx_context_destroy(r->context);
}

static double value(const struct sx_table *table, const char *name, size_t row)
{
	uint32_t column = sx_table_find(table, name);
	assert_int_not_equal(column, SX_NONE);
	return sx_table_get(table, column, row);
}

static double highest(const struct sx_table *table, const char *name)
{
	double most = -1;
	for (size_t row = 0; row < sx_table_row_count(table); row++)
		most = fmax(most, value(table, name, row));
	return most;
}

static void relations_hold(void **state)
{
	static const char *const ids[] = {"mali-g310", "mali-g625"};
	for (size_t i = 0; i < 2; i++) {
		struct run r;
		uint32_t lines = 0;
		open_run(&r, ids[i], NULL);
		struct sx_error err = {0};
		assert_int_equal(source_mali_model.selftest(
				     r.source, &(struct note_sink){count_line, &lines}, &err),
				 SX_OK);
		assert_int_equal(lines, 1); /* the summary alone */
		close_run(&r);
	}
}

/* The check itself is no decoration: one bent counter is found, in its block. */
static void relations_can_fail(void **state)
{
	struct sx_context *context = NULL;
	struct sx_catalog *catalog = NULL;
	struct mali_raw raw;
	uint32_t lines = 0;
	struct mali_outcome out = {0};
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	assert_int_equal(sx_catalog_open(context, "mali-g625", &catalog, NULL), SX_OK);
	struct mali_relations *relations = mali_relations_create(catalog);
	assert_non_null(relations);
	assert_true(mali_raw_init(&raw, 8, 128, 2, 0x5));
	mali_raw_clear(&raw);
	mali_relations_check(relations, &raw, 0, &out);
	assert_int_equal(out.failed + out.checked, 0); /* nothing is enabled */
	for (uint32_t block = 0; block < raw.blocks; block++)
		mali_raw_set(&raw, block, MALI_SLOT_ENABLE, UINT32_MAX);
	mali_relations_check(relations, &raw, 0, &out);
	assert_true(out.failed == 0 && out.checked > 60);
	assert_int_equal(out.counted, 0); /* nothing but zeros: it proves nothing */
	mali_raw_set(&raw, mali_raw_block(&raw, MALI_CORE, 2), 26,
		     100); /* executes, yet inactive */
	mali_raw_set(&raw, mali_raw_block(&raw, MALI_CORE, 2), 53, 97);
	mali_relations_check(relations, &raw, 0, &out);
	assert_int_equal(out.failed, 1);
	mali_relations_check(relations, &raw, 0.05, &out);
	assert_int_equal(out.failed, 1);
	mali_raw_set(&raw, 1, 11, 5); /* visible, but not counted as input; facing is not counted */
	for (int i = 0; i < 10; i++)
		mali_relations_check(relations, &raw, 0.05, &out);
	assert_int_equal(out.failed, 11);
	/* Each finding once, however often it was made. */
	assert_int_equal(mali_relations_report(relations, &(struct note_sink){count_line, &lines}),
			 2);
	assert_int_equal(lines, 2);
	mali_raw_finish(&raw);
	mali_relations_destroy(relations);
	sx_catalog_unref(catalog);
	sx_context_destroy(context);
}

static void check_instances(const struct run *r, const char *name, uint32_t count)
{
	bool differ = false;
	for (size_t row = 0; row < SAMPLES; row++) {
		double sum = 0, first = 0;
		for (uint32_t i = 0; i < count; i++) {
			char instance[128];
			snprintf(instance, sizeof(instance), "%s[%u]", name, i);
			double one = value(r->raw, instance, row);
			sum += one;
			first = i ? first : one;
			differ |= one != first;
		}
		assert_true(sum == value(r->raw, name, row));
	}
	assert_true(differ);
}

/* Every metric has a value in every sample but where nothing of its kind happened; scenes differ.
 */
static void g625_metrics(void **state)
{
	struct run r;
	open_run(&r, "mali-g625", NULL);
	read_all(&r);
	evaluate(&r, NULL);
	for (uint32_t column = 0; column < sx_table_column_count(r.metrics); column++) {
		const struct sx_column *info = sx_table_column(r.metrics, column);
		double least = INFINITY, most = -INFINITY;
		for (size_t row = 0; row < SAMPLES; row++) {
			double v = sx_table_get(r.metrics, column, row);
			least = fmin(least, isnan(v) ? least : v);
			most = fmax(most, isnan(v) ? most : v);
		}
		if (!strncmp(info->name, "cpu_", 4))
			continue;
		if (!(least >= 0 && most > 0))
			print_message("%s: %g to %g\n", info->name, least, most);
		assert_true(least >= 0 && most > 0);
		assert_true(strcmp(info->unit, "percent") || most <= 100);
	}
	assert_true(highest(r.metrics, "texture_unit_utilization") > 75);
	assert_true(highest(r.metrics, "load_store_unit_utilization") > 75);
	assert_true(highest(r.metrics, "varying_unit_utilization") > 75);
	assert_true(highest(r.metrics, "arithmetic_unit_utilization") > 75);
	assert_true(highest(r.metrics, "position_threads_per_input_primitive") > 1.5);
	assert_true(highest(r.metrics, "fragments_per_pixel") > 4);
	check_instances(&r, "MaliShaderCoreCyclesExecutionCoreActive", 6);
	check_instances(&r, "MaliShaderWarpsFragmentWarps", 6);
	check_instances(&r, "MaliExternalBusBeatsReadBeats", 2);
	assert_true(highest(r.raw, "shader_core_imbalance") > 1.005);
	assert_true(highest(r.raw, "shader_core_imbalance") < 1.2);
	close_run(&r);
}

/* Summed and averaged forms describe the same work. */
static void g310_variants(void **state)
{
	struct run mean, sum;
	open_run(&mean, "mali-g310", NULL);
	open_run(&sum, "mali-g310", "summed");
	read_all(&mean);
	read_all(&sum);
	evaluate(&mean, NULL);
	evaluate(&sum, "summed");
	for (size_t row = 0; row < SAMPLES; row += 11) {
		double a = value(mean.metrics, "fragments_per_pixel", row);
		double b = value(sum.metrics, "fragments_per_pixel", row);
		assert_true(fabs(a - b) < 1e-9 * b);
		a = value(mean.metrics, "shader_core_usage", row);
		b = value(sum.metrics, "shader_core_usage", row);
		assert_true(fabs(a - b) < 1e-9 * b);
		a = value(mean.metrics, "fragment_warps", row);
		b = value(sum.metrics, "fragment_warps", row);
		assert_true(fabs(a * 3 - b) < 1e-9 * b);
	}
	close_run(&mean);
	close_run(&sum);
}

/*
 * What real hardware counts and the first relations called a lie: lines and points have no face,
 * and a warp with one quad in it is a whole warp.
 */
static void valid_counters_pass(void **state)
{
	static const char *const ids[] = {"mali-g310", "mali-g625"};
	for (size_t i = 0; i < 2; i++) {
		struct sx_context *context = NULL;
		struct sx_catalog *catalog = NULL;
		struct mali_raw raw;
		struct mali_outcome out = {0};
		uint32_t lines = 0;
		assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
		assert_int_equal(sx_catalog_open(context, ids[i], &catalog, NULL), SX_OK);
		struct mali_relations *relations = mali_relations_create(catalog);
		assert_true(mali_raw_init(&raw, 8, i ? 128 : 64, 1, 1));
		mali_raw_clear(&raw);
		for (uint32_t block = 0; block < raw.blocks; block++)
			mali_raw_set(&raw, block, MALI_SLOT_ENABLE, UINT32_MAX);
		/* By the hardware's names: 10 visible of 10 lines, none of them facing anywhere. */
		static const struct {
			const char *name;
			enum mali_kind kind;
			uint64_t value;
		} counts[] = {
		    {"LINES", MALI_TILER, 10},	       {"PRIM_VISIBLE", MALI_TILER, 10},
		    {"FRAG_QUADS_RAST", MALI_CORE, 4}, {"FRAG_WARPS", MALI_CORE, 4},
		    {"FRAG_ACTIVE", MALI_CORE, 100},   {"SHADER_CORE_ACTIVE", MALI_CORE, 100}};
		for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
			uint32_t n,
			    at = sx_catalog_find_counter(catalog, counts[c].name, SX_NONE, NULL);
			assert_int_not_equal(at, SX_NONE);
			mali_raw_set(&raw, mali_raw_block(&raw, counts[c].kind, 0),
				     sx_catalog_counters(catalog, &n)[at].slot, counts[c].value);
		}
		mali_relations_check(relations, &raw, 0, &out);
		mali_relations_report(relations, &(struct note_sink){count_line, &lines});
		assert_int_equal(out.failed, 0);
		assert_true(out.counted > 3);
		mali_raw_finish(&raw);
		mali_relations_destroy(relations);
		sx_catalog_unref(catalog);
		sx_context_destroy(context);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(relations_hold),	   cmocka_unit_test(relations_can_fail),
	    cmocka_unit_test(valid_counters_pass), cmocka_unit_test(g625_metrics),
	    cmocka_unit_test(g310_variants),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
