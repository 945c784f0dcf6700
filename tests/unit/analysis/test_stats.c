/* What a run's statistics and advice say of hand-made frames, by the catalogs opengl and cpu. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>
#include <sextant/analysis.h>

/* Rows of a table and what is made of them. */
struct world {
	struct sx_context *context;
	struct sx_catalog *catalog;
	struct sx_table *raw;
	struct sx_metrics *metrics;
	struct sx_summary *summary;
	const struct sx_stats *stats;
};

static void make_table(struct world *w, const char *const *names, uint32_t columns,
		       const uint64_t *values, size_t rows, uint64_t row_ns)
{
	struct sx_column described[16];
	size_t first;
	for (uint32_t c = 0; c < columns; c++) {
		uint32_t at = sx_catalog_find_counter(w->catalog, names[c], SX_NONE, NULL), count;
		assert_int_not_equal(at, SX_NONE);
		const struct sx_counter_info *info = &sx_catalog_counters(w->catalog, &count)[at];
		described[c] = (struct sx_column){.name = names[c],
						  .unit = info->unit,
						  .type = SX_U64,
						  .over_time = info->over_time};
	}
	assert_int_equal(sx_table_create(described, columns, SX_SAMPLE_FRAME, &w->raw, NULL),
			 SX_OK);
	assert_int_equal(sx_table_add_rows(w->raw, rows, &first, NULL), SX_OK);
	for (size_t r = 0; r < rows; r++) {
		sx_table_set_time(w->raw, r, r * row_ns, (r + 1) * row_ns);
		for (uint32_t c = 0; c < columns; c++)
			sx_table_set_u64(w->raw, c, r, values[r * columns + c], 0);
	}
}

static void open_world(struct world *w, const char *catalog, const char *const *names,
		       uint32_t columns, const uint64_t *values, size_t rows, uint64_t row_ns)
{
	static const char *const everything[] = {"*"};
	struct sx_metrics_options options = {.patterns = everything, .pattern_count = 1};
	struct sx_error err = {0};
	*w = (struct world){.context = NULL};
	assert_int_equal(
	    sx_context_create(&(struct sx_context_options){.catalog_path = ""}, &w->context, NULL),
	    SX_OK);
	assert_int_equal(sx_catalog_open(w->context, catalog, &w->catalog, NULL), SX_OK);
	make_table(w, names, columns, values, rows, row_ns);
	if (sx_metrics_create(w->catalog, &options, &w->metrics, &err) != SX_OK)
		fail_msg("%s: %s", err.message, err.because);
}

static void summarise(struct world *w)
{
	uint32_t count;
	assert_int_equal(sx_summary_create(w->metrics, w->raw, &w->summary, NULL), SX_OK);
	assert_int_equal(sx_summary_add(w->summary, w->raw, NULL), SX_OK);
	assert_int_equal(sx_summary_stats(w->summary, &w->stats, &count, NULL), SX_OK);
}

static void begin(struct world *w, const char *catalog, const char *const *names, uint32_t columns,
		  const uint64_t *values, size_t rows, uint64_t row_ns)
{
	open_world(w, catalog, names, columns, values, rows, row_ns);
	summarise(w);
}

static void end(struct world *w)
{
	sx_summary_destroy(w->summary);
	sx_metrics_destroy(w->metrics);
	sx_table_destroy(w->raw);
	sx_catalog_unref(w->catalog);
	sx_context_destroy(w->context);
}

static const struct sx_stats *stats_of(const struct world *w, const char *name)
{
	uint32_t count;
	const struct sx_metric_column *columns = sx_metrics_columns(w->metrics, &count);
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(columns[i].name, name) == 0)
			return &w->stats[i];
	fail_msg("%s is not selected", name);
	return NULL;
}

static void expect(const struct world *w, const char *name, double total, double mean)
{
	const struct sx_stats *s = stats_of(w, name);
	bool total_same = isnan(total) ? isnan(s->total) : fabs(s->total - total) <= 1e-9 * total;
	bool mean_same = isnan(mean) ? isnan(s->mean) : fabs(s->mean - mean) <= 1e-9 * fabs(mean);
	if (!total_same || !mean_same)
		fail_msg("%s: total %g, mean %g; not %g and %g", name, s->total, s->mean, total,
			 mean);
}

static const struct sx_finding *finding_of(const struct sx_advice *advice, const char *rule)
{
	size_t count;
	const struct sx_finding *findings = sx_advice_findings(advice, &count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(findings[i].rule->rule, rule) == 0)
			return &findings[i];
	fail_msg("there is no rule %s", rule);
	return NULL;
}

/* Frames of 10, 10 and 40 ms: 50 a second, and GPU-bound in two of three. */
static void test_frames(void **state)
{
	static const char *const names[] = {"Frames",	    "FrameTime",  "D3DGPUTime",
					    "CPUTime",	    "IAVertices", "IAPrimitives",
					    "CInvocations", "CPrimitives"};
	static const uint64_t values[] = {
	    1, 10000000, 9500000, 2000000, 30000, 10000, 1000, 500,
	    1, 10000000, 9500000, 2000000, 30000, 10000, 1000, 500,
	    1, 40000000, 5000000, 2000000, 0,	  0,	 2000, 6000,
	};
	struct world w;
	struct sx_advice *advice;
	begin(&w, "opengl", names, 8, values, 3, 20000000);
	expect(&w, "frames_per_second", NAN, 50);
	expect(&w, "frame_time", 60, 20);
	expect(&w, "gpu_time", 24, 8);
	expect(&w, "gpu_time_share", NAN, 40);
	expect(&w, "IAVertices", 60000, 20000);
	expect(&w, "vertices_per_primitive", NAN, 3);
	/* Of all primitives together none is surely gone, since 4000 went in and 7000 came out. */
	expect(&w, "primitives_clipped_away", NAN, 0);
	assert_true(isnan(stats_of(&w, "overdraw")->mean));
	assert_non_null(stats_of(&w, "overdraw")->why);
	assert_int_equal(stats_of(&w, "vertices_per_primitive")->count, 2);

	struct sx_metrics_options options = {.pattern_count = 0};
	assert_int_equal(sx_advice_create(w.catalog, &options, w.raw, &advice, NULL), SX_OK);
	assert_int_equal(sx_advice_add(advice, w.raw, NULL), SX_OK);
	assert_int_equal(sx_advice_finish(advice, NULL), SX_OK);
	const struct sx_finding *lengthy = finding_of(advice, "frame.long");
	assert_true(lengthy->fired);
	assert_int_equal(lengthy->samples, 1);
	assert_int_equal(lengthy->last, 2);
	assert_non_null(finding_of(advice, "fragment.overdraw")->why);
	sx_advice_destroy(advice);
	end(&w);
}

/*
 * What could be read in some samples only is divided by the time of these: a GPU busy for half of
 * the one quarter of the time in which that was known was busy for half of it, and of two counters
 * of which one was lost at times the ratio is not that of all of one to a part of the other.
 */
static void test_readable_at_times(void **state)
{
	static const char *const drm[] = {"BusyTime"}, *const cpu[] = {"Instructions", "Cycles"};
	static const uint64_t busy[] = {5000000, 0, 0, 0};
	static const uint64_t counts[] = {300, 100, 320, 0, 280, 0, 300, 100};
	struct world w;
	open_world(&w, "drm", drm, 1, busy, 4, 10000000);
	for (size_t r = 1; r < 4; r++)
		sx_table_set_u64(w.raw, 0, r, 0, SX_QUALITY_GAP);
	summarise(&w);
	expect(&w, "gpu_busy", NAN, 50);
	assert_true(stats_of(&w, "gpu_busy")->running == 0.25);
	end(&w);
	open_world(&w, "cpu", cpu, 2, counts, 4, 10000000);
	sx_table_set_u64(w.raw, 1, 1, 0, SX_QUALITY_LOST | SX_QUALITY_GAP);
	sx_table_set_u64(w.raw, 1, 2, 0, SX_QUALITY_GAP);
	summarise(&w);
	expect(&w, "instructions_per_cycle", NAN, 3);
	expect(&w, "Cycles", NAN, 100); /* half of it was not seen */
	end(&w);
}

/*
 * An amount of which as many samples were missed as counted has no number, and says why; of which
 * fewer were missed it is what was counted. Zero is only what was counted as zero.
 */
static void test_amounts_that_were_missed(void **state)
{
	static const char *const names[] = {"DrawCalls", "PSInvocations"};
	static const uint8_t absent[] = {SX_QUALITY_GAP, SX_QUALITY_DISTURBED,
					 SX_QUALITY_NOT_COLLECTED, SX_QUALITY_UNDEFINED};
	enum { ROWS = 10 };
	for (size_t missed = 0; missed <= ROWS; missed++) {
		uint64_t values[ROWS * 2];
		struct world w;
		for (size_t r = 0; r < ROWS; r++) {
			values[2 * r] = 0;
			values[2 * r + 1] = 7;
		}
		open_world(&w, "opengl", names, 2, values, ROWS, 10000000);
		for (size_t r = 0; r < missed; r++)
			for (uint32_t c = 0; c < 2; c++)
				sx_table_set_u64(w.raw, c, r, 0, absent[r % 4]);
		summarise(&w);
		bool most = missed >= ROWS - missed;
		size_t counted = ROWS - missed;
		expect(&w, "DrawCalls", most ? NAN : 0, counted ? 0 : NAN);
		expect(&w, "PSInvocations", most ? NAN : (double)(7 * counted), counted ? 7 : NAN);
		const struct sx_stats *s = stats_of(&w, "DrawCalls");
		assert_int_equal(s->count, counted);
		assert_int_equal(s->lost, (missed + 3) / 4 + (missed + 2) / 4);
		assert_true(!counted || fabs(s->running - (double)counted / ROWS) < 1e-9);
		assert_int_equal(s->why != NULL, most);
		end(&w);
	}
}

/* A share of time is not added over rows, even if its unit has no fraction bar. */
static void test_intensive(void **state)
{
	static const char *const names[] = {"TaskClock", "CacheMisses", "Instructions"};
	static const uint64_t values[] = {80000000, 10, 1000, 40000000, 2, 1000};
	struct world w;
	begin(&w, "cpu", names, 3, values, 2, 100000000);
	expect(&w, "TaskClock", 120000000, 60000000);
	expect(&w, "cpus_used", NAN, 0.6);
	expect(&w, "cache_misses_per_1000_instructions", NAN, 6);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_frames),
	    cmocka_unit_test(test_intensive),
	    cmocka_unit_test(test_readable_at_times),
	    cmocka_unit_test(test_amounts_that_were_missed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
