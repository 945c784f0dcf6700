/* The model of a report: the same from rows in pieces as from all at once, and what it adds to
 * them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/report/by.h"
#include "analysis/report/report.h"
#include "unit/analysis/naive_stats.h"

#define ROWS 2000
#define MS   UINT64_C(1000000)

struct world {
	struct sx_context *context;
	struct sx_catalog *catalog;
	struct sx_metrics *metrics;
	struct report_fill *fill;
	const struct report *report;
};

/* Frames of 10 ms, every 100th of 35 ms; GPU-bound from row 500 to 999 and in no other. */
static uint64_t begin_of(size_t row)
{
	return (row * 10 + row / 100 * 25) * MS;
}

static struct sx_table *frames(size_t first, size_t count)
{
	static const struct sx_column columns[] = {
	    {"Frames", "frames", SX_U64, SX_REDUCE_SUM, NULL},
	    {"FrameTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	    {"D3DGPUTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	    {"CPUTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	};
	struct sx_table *table;
	assert_int_equal(sx_table_create(columns, 4, SX_SAMPLE_FRAME, &table, NULL), SX_OK);
	assert_int_equal(sx_table_add_rows(table, count, NULL, NULL), SX_OK);
	for (size_t i = 0; i < count; i++) {
		size_t row = first + i;
		uint64_t begin = begin_of(row), length = begin_of(row + 1) - begin;
		bool bound = row >= 500 && row < 1000;
		sx_table_set_time(table, i, begin, begin + length);
		sx_table_set_u64(table, 0, i, 1, 0);
		sx_table_set_u64(table, 1, i, length, 0);
		sx_table_set_u64(table, 2, i, length / 100 * (bound ? 96 : 30), 0);
		sx_table_set_u64(table, 3, i, length / 100 * 20, row % 9 ? 0 : SX_QUALITY_GAP);
	}
	return table;
}

static void open_world(struct world *w, const char *catalog)
{
	*w = (struct world){.context = NULL};
	assert_int_equal(
	    sx_context_create(&(struct sx_context_options){.catalog_path = ""}, &w->context, NULL),
	    SX_OK);
	assert_int_equal(sx_catalog_open(w->context, catalog, &w->catalog, NULL), SX_OK);
}

static void close_world(struct world *w)
{
	report_destroy(w->fill);
	sx_metrics_destroy(w->metrics);
	sx_catalog_unref(w->catalog);
	sx_context_destroy(w->context);
}

static const struct report_device *fill(struct world *w, size_t part)
{
	struct sx_table *like = frames(0, 0);
	struct sx_metrics_options options = {.like = like};
	open_world(w, "opengl");
	assert_int_equal(sx_metrics_create(w->catalog, &options, &w->metrics, NULL), SX_OK);
	assert_int_equal(report_begin(&w->fill, NULL), SX_OK);
	/* The columns are not given: the first rows have them. */
	assert_int_equal(
	    report_add_device(w->fill,
			      &(struct report_source){.catalog = w->catalog, .metrics = w->metrics},
			      NULL, NULL),
	    SX_OK);
	for (size_t at = 0; at < ROWS; at += part) {
		struct sx_table *rows = frames(at, ROWS - at < part ? ROWS - at : part);
		assert_int_equal(report_add_rows(w->fill, 0, rows, NULL), SX_OK);
		sx_table_destroy(rows);
	}
	assert_int_equal(report_finish(w->fill, &w->report, NULL), SX_OK);
	sx_table_destroy(like);
	return &w->report->devices[0];
}

static bool alike(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fabs(b);
}

static void test_pieces(void **state)
{
	static const size_t parts[] = {1, 7, 613, ROWS};
	for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
		struct world w;
		uint32_t count;
		const struct report_device *d = fill(&w, parts[p]);
		struct sx_table *whole = frames(0, ROWS);
		struct sx_stats *due = naive_stats(w.metrics, whole, &count);
		assert_int_equal(d->row_count, count);
		assert_int_equal(d->samples, ROWS);
		for (uint32_t i = 0; i < count; i++) {
			const struct sx_stats *s = &d->rows[i].stats;
			const double have[] = {s->total, s->mean, s->min, s->p50,
					       s->p95,	 s->p99,  s->max};
			const double want[] = {due[i].total, due[i].mean, due[i].min, due[i].p50,
					       due[i].p95,   due[i].p99,  due[i].max};
			for (int v = 0; v < 7; v++)
				if (!alike(have[v], want[v]))
					fail_msg("%s, parts of %zu: %.17g is not %.17g",
						 d->rows[i].name, parts[p], have[v], want[v]);
			assert_int_equal(s->count, due[i].count);
			assert_true(alike(d->rows[i].running, (double)due[i].count / ROWS));
		}
		free(due);
		sx_table_destroy(whole);
		close_world(&w);
	}
}

static const struct sx_finding *finding(const struct report_device *d, const char *rule)
{
	for (size_t i = 0; i < d->finding_count; i++)
		if (strcmp(d->findings[i].rule->rule, rule) == 0)
			return &d->findings[i];
	fail_msg("no rule %s", rule);
	return NULL;
}

/* Evidence names samples and times of the run, whatever the pieces. */
static void test_windows(void **state)
{
	struct world w;
	const struct report_device *d = fill(&w, 77);
	const struct verdict *v = w.report->verdict;
	assert_int_equal(v->stretch_count, 3);
	const struct verdict_stretch *bound = &v->stretches[1];
	assert_string_equal(v->parts[bound->part].name, "gpu");
	assert_true(bound->begin_ns + v->window_ns > begin_of(500) &&
		    bound->begin_ns < begin_of(500) + v->window_ns);
	assert_true(bound->end_ns + v->window_ns > begin_of(1000) &&
		    bound->end_ns < begin_of(1000) + v->window_ns);
	/* Every 100th frame is long: of twenty runs of one the first eight are kept. */
	const struct sx_finding *lengthy = finding(d, "frame.long");
	assert_int_equal(lengthy->samples, 20);
	assert_int_equal(lengthy->window_count, 8);
	assert_int_equal(lengthy->windows[7].first, 799);
	close_world(&w);
}

static void test_frames(void **state)
{
	struct world w;
	const struct report_device *d = fill(&w, 100);
	double seconds = (ROWS * 10 + ROWS / 100 * 25) * 1e-3;
	assert_int_equal(d->frames.count, ROWS);
	assert_true(alike(d->frames.fps, ROWS / seconds));
	assert_true(alike(d->frames.median_s, 0.010));
	assert_true(alike(d->frames.low_1, 1 / 0.035)); /* the slowest 20 are those of 35 ms */
	assert_true(alike(d->frames.low_01, 1 / 0.035));
	assert_int_equal(d->frames.stutters, 20);
	assert_int_equal(d->duration_ns, begin_of(ROWS));
	close_world(&w);
}

/*
 * A slow context's frame of 40 ms ends after four of another, which began later: 10 frames in the
 * 80 ms that any of them took.
 */
static void test_frames_of_two_contexts(void **state)
{
	struct world w;
	struct sx_table *rows = frames(0, 10);
	struct sx_table *like = frames(0, 0);
	struct sx_metrics_options options = {.like = like};
	for (uint64_t i = 0; i < 10; i++) {
		bool slow = i % 5 == 4;
		uint64_t turn = i / 5 * 40 * MS;
		sx_table_set_time(rows, i, turn + (slow ? 0 : i % 5 * 10 * MS + 2 * MS),
				  turn + (slow ? 40 * MS : i % 5 * 10 * MS + 9 * MS));
	}
	open_world(&w, "opengl");
	assert_int_equal(sx_metrics_create(w.catalog, &options, &w.metrics, NULL), SX_OK);
	assert_int_equal(report_begin(&w.fill, NULL), SX_OK);
	struct report_source source = {.catalog = w.catalog, .metrics = w.metrics};
	assert_int_equal(report_add_device(w.fill, &source, NULL, NULL), SX_OK);
	assert_int_equal(report_add_rows(w.fill, 0, rows, NULL), SX_OK);
	assert_int_equal(report_finish(w.fill, &w.report, NULL), SX_OK);
	assert_true(alike(w.report->devices[0].frames.fps, 10 / 0.080));
	sx_table_destroy(rows);
	sx_table_destroy(like);
	close_world(&w);
}

static void test_places(void **state)
{
	struct world w;
	const struct report_device *d = fill(&w, 100);
	uint32_t covered = 0;
	for (uint32_t h = 0; h < d->heading_count; h++) {
		assert_int_equal(d->headings[h].first, covered);
		for (uint32_t i = 0; i < d->headings[h].count; i++)
			assert_int_equal(d->rows[covered + i].heading, h);
		covered += d->headings[h].count;
	}
	assert_int_equal(covered, d->row_count);
	assert_int_equal(sx_table_column_count(d->curve), d->row_count);
	for (uint32_t i = 0; i < d->row_count; i++) {
		if (strcmp(d->rows[i].name, "frame_time") == 0)
			assert_int_equal(d->rows[i].direction, SX_DIRECTION_LOWER);
		if (strcmp(d->rows[i].name, "gpu_time_share") == 0)
			assert_true(d->rows[i].peak == 100);
	}
	close_world(&w);
}

/* A Mali template has a section for each metric: its heading is the one above. */
static void test_headings_of_sections(void **state)
{
	struct world w;
	uint32_t count;
	open_world(&w, "mali-g310");
	struct sx_table *like;
	assert_int_equal(sx_table_create(NULL, 0, SX_SAMPLE_TIME, &like, NULL), SX_OK);
	assert_int_equal(sx_table_add_rows(like, 1, NULL, NULL), SX_OK);
	assert_int_equal(sx_metrics_create(w.catalog, NULL, &w.metrics, NULL), SX_OK);
	assert_int_equal(report_begin(&w.fill, NULL), SX_OK);
	assert_int_equal(
	    report_add_device(w.fill,
			      &(struct report_source){.catalog = w.catalog, .metrics = w.metrics},
			      NULL, NULL),
	    SX_OK);
	assert_int_equal(report_add_rows(w.fill, 0, like, NULL), SX_OK);
	assert_int_equal(report_finish(w.fill, &w.report, NULL), SX_OK);
	sx_metrics_columns(w.metrics, &count);
	assert_int_equal(w.report->devices[0].row_count, count);
	assert_true(w.report->devices[0].heading_count < count / 2);
	sx_table_destroy(like);
	close_world(&w);
}

static void test_nothing(void **state)
{
	struct world w;
	open_world(&w, "opengl");
	assert_int_equal(sx_metrics_create(w.catalog, NULL, &w.metrics, NULL), SX_OK);
	assert_int_equal(report_begin(&w.fill, NULL), SX_OK);
	assert_int_equal(
	    report_add_device(w.fill,
			      &(struct report_source){.catalog = w.catalog, .metrics = w.metrics},
			      NULL, NULL),
	    SX_OK);
	assert_int_equal(report_finish(w.fill, &w.report, NULL), SX_OK);
	assert_int_equal(w.report->devices[0].samples, 0);
	assert_int_equal(w.report->devices[0].finding_count, 0);
	assert_false(report_lacks_named(w.report));
	close_world(&w);
}

/* The worst frames, and what is different in them. */
static void test_by(void **state)
{
	struct world w;
	struct sx_table *like = frames(0, 0);
	struct report_by *by = NULL;
	const struct report_groups *groups;
	open_world(&w, "opengl");
	struct report_by_options options = {.catalog = w.catalog,
					    .metrics = {.constants = NULL},
					    .sort = "gpu_time",
					    .top = 5,
					    .by = REPORT_BY_FRAME,
					    .like = like};
	assert_int_equal(report_by_begin(&options, &by, NULL), SX_OK);
	for (size_t at = 0; at < ROWS; at += 301) {
		struct sx_table *rows = frames(at, ROWS - at < 301 ? ROWS - at : 301);
		assert_int_equal(report_by_add(by, rows, NULL), SX_OK);
		sx_table_destroy(rows);
	}
	assert_int_equal(report_by_finish(by, &groups, NULL), SX_OK);
	assert_int_equal(groups->seen, ROWS);
	assert_int_equal(groups->count, 5);
	for (size_t i = 0; i < 5; i++) /* bound and long */
		assert_int_equal(groups->list[i].key, 599 + i * 100);
	struct report_difference found[REPORT_DIFFERENCES];
	size_t count = report_by_differences(groups, 0, found);
	bool shown = false;
	for (size_t i = 0; i < count; i++)
		shown |= strcmp(sx_table_column(groups->values, found[i].column)->name,
				"frame_time") == 0 &&
			 alike(found[i].times, 3.5);
	assert_true(shown);
	report_by_destroy(by);
	sx_table_destroy(like);
	close_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pieces),  cmocka_unit_test(test_windows),
	    cmocka_unit_test(test_frames),  cmocka_unit_test(test_places),
	    cmocka_unit_test(test_nothing), cmocka_unit_test(test_headings_of_sections),
	    cmocka_unit_test(test_by),	    cmocka_unit_test(test_frames_of_two_contexts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
