/* Live views: the values of a report, courses by hand, memory, programs, states and the verdict. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/live/state.h"
#include "unit/context.h"

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

/* A device of a catalog in a live view, and in a report. */
struct world {
	struct sx_catalog *catalog;
	struct sx_metrics *metrics;
	struct live *live;
	struct report_fill *fill;
};

static void open_world(struct world *w, const char *catalog, const struct sx_table *like,
		       size_t bytes)
{
	const struct live_options options = {.bytes = bytes};
	const struct sx_metrics_options all = {.like = like};
	*w = (struct world){.catalog = NULL};
	assert_int_equal(sx_catalog_open(context, catalog, &w->catalog, NULL), SX_OK);
	assert_int_equal(sx_metrics_create(w->catalog, &all, &w->metrics, NULL), SX_OK);
	const struct report_source source = {
	    .catalog = w->catalog, .metrics = w->metrics, .facts = {.source = "test"}};
	assert_int_equal(live_create(&options, &w->live, NULL), SX_OK);
	assert_int_equal(live_add_device(w->live, &source, NULL, NULL), SX_OK);
	assert_int_equal(report_begin(&w->fill, NULL), SX_OK);
	assert_int_equal(report_add_device(w->fill, &source, NULL, NULL), SX_OK);
}

static void close_world(struct world *w)
{
	live_destroy(w->live);
	report_destroy(w->fill);
	sx_metrics_destroy(w->metrics);
	sx_catalog_unref(w->catalog);
}

static void add(struct world *w, struct sx_table *rows)
{
	assert_int_equal(live_add_rows(w->live, 0, rows, NULL), SX_OK);
	assert_int_equal(report_add_rows(w->fill, 0, rows, NULL), SX_OK);
	sx_table_destroy(rows);
}

/* Frames of 10 ms; every tenth row has no GPU time. `busy`: percent of each on the GPU. */
static struct sx_table *frames(size_t first, size_t count, uint64_t gpu, uint64_t cpu)
{
	static const struct sx_column columns[] = {
	    {"Frames", "frames", SX_U64, SX_REDUCE_SUM, NULL},
	    {"FrameTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	    {"D3DGPUTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	    {"CPUTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	    {"ThreadTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	    {"ThreadWait", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	};
	struct sx_table *table;
	assert_int_equal(sx_table_create(columns, 6, SX_SAMPLE_FRAME, &table, NULL), SX_OK);
	assert_int_equal(sx_table_add_rows(table, count, NULL, NULL), SX_OK);
	for (size_t i = 0; i < count; i++) {
		uint64_t begin = (first + i) * 10 * MS, length = 10 * MS;
		uint8_t quality = (first + i) % 10 == 9 ? SX_QUALITY_GAP : 0;
		sx_table_set_time(table, i, begin, begin + length);
		sx_table_set_u64(table, 0, i, 1, 0);
		sx_table_set_u64(table, 1, i, length, 0);
		sx_table_set_u64(table, 2, i, length / 100 * gpu + (first + i) % 7, quality);
		sx_table_set_u64(table, 3, i, length / 100 * cpu, 0);
		sx_table_set_u64(table, 4, i, length / 100 * cpu, 0);
		sx_table_set_u64(table, 5, i, 0, 0);
	}
	return table;
}

static struct sx_table *empty_frames(void)
{
	return frames(0, 0, 0, 0);
}

static uint32_t find_column(const struct live_device *d, const char *name)
{
	for (uint32_t i = 0; i < d->column_count; i++)
		if (strcmp(d->columns[i].name, name) == 0)
			return i;
	fail_msg("no column %s", name);
	return 0;
}

static void assert_near(double value, double want, double most)
{
	if (!(fabs(value - want) <= most))
		fail_msg("%.17g is not %.17g", value, want);
}

static bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || a == b;
}

/* The whole run as one moment has the numbers of a report. */
static void test_values_of_a_report(void **state)
{
	struct world w;
	struct sx_table *like = empty_frames();
	open_world(&w, "opengl", like, 0);
	for (size_t i = 0; i < 300; i += 25)
		add(&w, frames(i, 25, 60, 30));
	const struct report *report;
	const struct live_value *values;
	uint64_t begin, end;
	size_t compared = 0;
	const struct live_moment whole = {.span_ns = 10 * S};
	assert_int_equal(report_finish(w.fill, &report, NULL), SX_OK);
	assert_int_equal(live_values(w.live, 0, &whole, &values, &begin, &end, NULL), SX_OK);
	assert_int_equal(begin, 0);
	const struct report_device *d = &report->devices[0];
	const struct live_device info = live_device(w.live, 0);
	assert_int_equal(info.samples, 300);
	for (uint32_t i = 0; i < d->row_count; i++) {
		const struct report_row *row = &d->rows[i];
		const struct live_value *v = &values[find_column(&info, row->name)];
		double want = isnan(row->stats.total) ? row->stats.mean : row->stats.total;
		if (isnan(want)) {
			assert_true(isnan(v->value));
			continue;
		}
		compared += v->value != 0;
		/* The report got its rows in parts: sums differ by rounding. */
		assert_near(v->value, want, fabs(want) * 1e-14);
	}
	assert_true(compared >= 4);
	close_world(&w);
	sx_table_destroy(like);
}

/* One sample is what sx_metrics_eval() makes of its row, at every moment. */
static void test_one_sample(void **state)
{
	struct world w;
	struct sx_table *rows = frames(0, 200, 60, 30), *all;
	open_world(&w, "opengl", rows, 0);
	assert_int_equal(sx_metrics_eval(w.metrics, rows, &all, NULL), SX_OK);
	add(&w, rows);
	for (size_t row = 0; row < 200; row += 33) {
		const struct live_moment at = {.end_ns = sx_table_end_ns(all)[row] + 5 * MS};
		const struct live_value *values;
		uint64_t begin = 1, end = 1;
		size_t known = 0;
		assert_int_equal(live_values(w.live, 0, &at, &values, &begin, &end, NULL), SX_OK);
		assert_int_equal(end, sx_table_end_ns(all)[row]);
		for (uint32_t i = 0; i < sx_table_column_count(all); i++) {
			assert_true(same(values[i].value, sx_table_get(all, i, row)));
			known += isnan(values[i].value) ? 0 : 1;
			if (isnan(values[i].value) && row % 10 != 9)
				assert_non_null(values[i].why);
		}
		assert_true(known > 3);
	}
	const struct live_value *none;
	const struct live_moment early = {.end_ns = 5 * MS};
	assert_int_equal(live_values(w.live, 0, &early, &none, NULL, NULL, NULL), SX_OK);
	assert_null(none);
	sx_table_destroy(all);
	close_world(&w);
}

static void test_history(void **state)
{
	struct world w;
	struct sx_table *like = empty_frames();
	struct live_point points[5];
	open_world(&w, "opengl", like, 0);
	for (size_t i = 0; i < 100; i++) /* GPU time of 0 to 99 %, each frame more */
		add(&w, frames(i, 1, i, 30));
	const struct live_device info = live_device(w.live, 0);
	const struct live_line line = {.step_ns = 100 * MS, .count = 5};
	assert_true(live_history(w.live, 0, find_column(&info, "cpu_time"), &line, points));
	for (size_t i = 0; i < 5; i++) {
		assert_near(points[i].low, 3, 1e-6);
		assert_near(points[i].mean, 3, 1e-6);
		assert_near(points[i].high, 3, 1e-6);
	}
	assert_true(live_history(w.live, 0, find_column(&info, "gpu_time"), &line, points));
	/* Frames 50 to 59, of which the last has no data; and so on. */
	for (size_t i = 0; i < 5; i++) {
		size_t first = 50 + 10 * i;
		assert_near(points[i].low, (double)first * 0.1, 1e-5);
		assert_near(points[i].mean, (double)(first + 4) * 0.1, 1e-5);
		assert_near(points[i].high, (double)(first + 8) * 0.1, 1e-5);
	}
	/* A line that ends before the first sample has no data. */
	const struct live_line past = {.end_ns = 5 * MS, .step_ns = MS, .count = 5};
	assert_false(live_history(w.live, 0, 0, &past, points));
	for (int i = 0; i < 5; i++)
		assert_true(isnan(points[i].mean));
	close_world(&w);
	sx_table_destroy(like);
}

/* Samples of 10 ms that end a little early or late, with a pause of 25 ms, and a long one. */
static void test_history_of_uneven_samples(void **state)
{
	struct world w;
	struct sx_table *like = empty_frames();
	struct live_point points[20];
	static const uint64_t times[][2] = {{0, 10},  {10, 21}, {21, 29}, {29, 41},   {41, 50},
					    {75, 80}, {80, 91}, {94, 99}, {110, 160}, {160, 170}};
	open_world(&w, "opengl", like, 0);
	for (unsigned i = 0; i < sizeof(times) / sizeof(*times); i++) {
		struct sx_table *row = frames(i, 1, 60, 30);
		sx_table_set_time(row, 0, times[i][0] * MS, times[i][1] * MS);
		add(&w, row);
	}
	const struct live_device info = live_device(w.live, 0);
	const struct live_line line = {.end_ns = 200 * MS, .step_ns = 10 * MS, .count = 20};
	assert_true(live_history(w.live, 0, find_column(&info, "cpu_time"), &line, points));
	/* Blank: 50 to 70, 100 to 110, and 170 on. */
	for (int i = 0; i < 20; i++) {
		bool blank = i == 5 || i == 6 || i == 10 || i >= 17;
		assert_true(blank == (isnan(points[i].mean) != 0));
	}
	/* The last of the samples has no GPU time: its point stays blank. */
	assert_true(live_history(w.live, 0, find_column(&info, "gpu_time"), &line, points));
	assert_true(points[15].mean > 0);
	assert_true(isnan(points[16].mean) != 0);
	/* A moment of the past has the sample that ends within its point, and no later one. */
	const struct live_line inside = {.end_ns = 155 * MS, .step_ns = 10 * MS, .count = 4};
	assert_true(live_history(w.live, 0, find_column(&info, "cpu_time"), &inside, points));
	for (size_t i = 0; i < 4; i++)
		assert_near(points[i].mean, 3, 1e-6);
	const struct live_line before = {.end_ns = 140 * MS, .step_ns = 10 * MS, .count = 3};
	assert_false(live_history(w.live, 0, find_column(&info, "cpu_time"), &before, points));
	close_world(&w);
	sx_table_destroy(like);
}

static void test_limits(void **state)
{
	struct world w;
	struct sx_table *like = empty_frames();
	open_world(&w, "opengl", like, 200000);
	for (size_t i = 0; i < 10000; i += 50)
		add(&w, frames(i, 50, 60, 30));
	uint64_t newest = live_newest_ns(w.live), oldest = live_oldest_ns(w.live);
	assert_int_equal(newest, 100 * S);
	assert_in_range(newest - oldest, 2 * S, 40 * S); /* of few bytes, few seconds */
	assert_int_equal(live_device(w.live, 0).samples, 10000);
	close_world(&w);
	open_world(&w, "opengl", like, (size_t)1 << 30);
	for (size_t i = 0; i < 90000; i += 50)
		add(&w, frames(i, 50, 60, 30));
	newest = live_newest_ns(w.live);
	oldest = live_oldest_ns(w.live);
	assert_in_range(newest - oldest, LIVE_KEEP_NS - S, LIVE_KEEP_NS + S);
	close_world(&w);
	sx_table_destroy(like);
}

/* A second of a card, and of two programs on it. */
static struct sx_table *card(uint64_t second, uint64_t first_busy, uint64_t second_busy)
{
	static const struct sx_column columns[] = {
	    {"BusyTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	    {"VramTotal", "bytes", SX_U64, SX_REDUCE_LAST, NULL},
	    {"MemoryUsed", "bytes", SX_U64, SX_REDUCE_MEAN, NULL},
	    {"WorkTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	    {"WorkMemory", "bytes", SX_U64, SX_REDUCE_MEAN, NULL},
	    {"engine.gfx", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	};
	static const char *const names[] = {NULL, "game (10)", "desk top (11)"};
	const uint64_t busy[] = {first_busy + second_busy, first_busy, second_busy};
	struct sx_table *table;
	assert_int_equal(sx_table_create(columns, 6, SX_SAMPLE_TIME, &table, NULL), SX_OK);
	assert_int_equal(sx_table_add_rows(table, 3, NULL, NULL), SX_OK);
	for (size_t i = 0; i < 3; i++) {
		sx_table_set_time(table, i, second * S, (second + 1) * S);
		sx_table_set_u64(table, 3, i, busy[i] * 10 * MS, 0);
		sx_table_set_u64(table, 5, i, busy[i] * 10 * MS, 0);
		sx_table_set_u64(table, 4, i, (i + 1) << 20, 0);
		if (names[i])
			sx_table_set_label(table, SX_LABEL_PROCESS, i,
					   sx_table_intern(table, names[i], strlen(names[i])));
	}
	sx_table_set_u64(table, 0, 0, busy[0] * 10 * MS, 0);
	sx_table_set_u64(table, 1, 0, UINT64_C(8) << 30, 0);
	sx_table_set_u64(table, 2, 0, UINT64_C(3) << 30, 0);
	return table;
}

static bool look_up(void *user, uint32_t pid, struct live_process_facts *out)
{
	uint64_t *calls = user;
	++*calls;
	*out = (struct live_process_facts){.parent = 1,
					   .user = "me",
					   .cpu_ns = *calls * 100 * MS,
					   .at_ns = *calls * 500 * MS,
					   .has_cpu = true};
	return pid == 10;
}

static void test_programs(void **state)
{
	struct world w;
	struct sx_table *first = card(0, 20, 40);
	const struct live_process *list;
	struct live_headline headline;
	uint32_t count;
	uint64_t calls = 0;
	open_world(&w, "drm", first, 0);
	live_look_up(w.live, look_up, &calls);
	assert_int_equal(live_add_rows(w.live, 0, first, NULL), SX_OK);
	sx_table_destroy(first);
	assert_int_equal(live_processes(w.live, &(struct live_moment){0}, &list, &count, NULL),
			 SX_OK);
	assert_int_equal(count, 2);
	assert_string_equal(list[0].name, "desk top");
	assert_int_equal(list[0].pid, 11);
	assert_near(list[0].busy, 40, 1e-9);
	assert_near(list[0].memory, 3 << 20, 0);
	assert_int_equal(list[0].engine_count, 1);
	assert_string_equal(list[0].engines[0].name, "gfx");
	assert_string_equal(list[0].engines[0].metric, "gfx_engine_busy");
	assert_near(list[0].engines[0].busy.value, 40, 1e-9);
	assert_int_equal(list[0].parent, 0);
	assert_string_equal(list[1].user, "me");
	assert_true(isnan(list[1].cpu)); /* not known of one look */
	/* The card's own numbers are not those of all three rows. */
	assert_int_equal(live_headline(w.live, 0, &(struct live_moment){0}, &headline, NULL),
			 SX_OK);
	assert_near(headline.gauges[LIVE_BUSY].now.value, 60, 1e-9);
	assert_near(headline.gauges[LIVE_MEMORY].now.value, 3.0 * (1 << 30), 0);
	assert_near(headline.gauges[LIVE_MEMORY].peak, 8.0 * (1 << 30), 0);
	assert_null(headline.gauges[LIVE_FRAME_RATE].title);
	assert_true(isnan(headline.gauges[LIVE_POWER].now.value));
	assert_int_equal(live_device(w.live, 0).samples, 1);

	struct sx_table *next = card(1, 90, 5);
	assert_int_equal(live_add_rows(w.live, 0, next, NULL), SX_OK);
	sx_table_destroy(next);
	assert_int_equal(live_processes(w.live, &(struct live_moment){0}, &list, &count, NULL),
			 SX_OK);
	assert_string_equal(list[0].name, "game");
	assert_near(list[0].cpu, 20, 1e-9); /* of the time between the two looks */
	const struct live_moment before = {.end_ns = S};
	assert_int_equal(live_processes(w.live, &before, &list, &count, NULL), SX_OK);
	assert_string_equal(list[0].name, "desk top");
	close_world(&w);
}

/* Programs that come and go for long leave no texts behind. */
static void test_programs_come_and_go(void **state)
{
	struct world w;
	struct sx_table *like = card(0, 20, 40);
	const struct live_process *list;
	uint32_t count;
	open_world(&w, "drm", like, 300000);
	for (uint64_t i = 0; i < 40000; i++) {
		char name[32];
		struct sx_table *now = card(i, 20, 40);
		snprintf(name, sizeof(name), "job%u (%u)", (unsigned)i, 1000 + (unsigned)i);
		sx_table_set_label(now, SX_LABEL_PROCESS, 1,
				   sx_table_intern(now, name, strlen(name)));
		assert_int_equal(live_add_rows(w.live, 0, now, NULL), SX_OK);
		sx_table_destroy(now);
	}
	assert_in_range(w.live->texts.count, 10, 20000);
	assert_int_equal(live_processes(w.live, &(struct live_moment){0}, &list, &count, NULL),
			 SX_OK);
	assert_int_equal(count, 2);
	assert_string_equal(list[0].name, "desk top");
	assert_string_equal(list[1].name, "job39999");
	assert_int_equal(list[1].pid, 40999);
	close_world(&w);
	sx_table_destroy(like);
}

/* An interval in which no program had the card open has none. */
static void test_programs_that_ended(void **state)
{
	struct world w;
	struct sx_table *with = card(0, 20, 40), *without = card(1, 0, 0);
	const struct live_process *list;
	uint32_t count;
	open_world(&w, "drm", with, 0);
	assert_int_equal(live_add_rows(w.live, 0, with, NULL), SX_OK);
	assert_int_equal(live_add_some_rows(w.live, 0, without, 0, 1, NULL), SX_OK);
	assert_int_equal(live_processes(w.live, &(struct live_moment){0}, &list, &count, NULL),
			 SX_OK);
	assert_int_equal(count, 0);
	sx_table_destroy(with);
	sx_table_destroy(without);
	close_world(&w);
}

static void test_states(void **state)
{
	struct world w;
	struct sx_table *like = empty_frames();
	struct sx_error silence = {.status = SX_INCOMPLETE, .message = "quiet"};
	struct sx_error lost = {.status = SX_ERR_DEVICE_LOST, .message = "card0 is gone"};
	open_world(&w, "opengl", like, 0);
	assert_int_equal(live_device(w.live, 0).state, LIVE_WAITING);
	const struct sx_run_facts silent = {.silence = &silence}, failed = {.failure = &lost};
	live_set_facts(w.live, 0, NULL, &silent, NULL);
	assert_int_equal(live_device(w.live, 0).state, LIVE_SILENT);
	assert_string_equal(live_device(w.live, 0).why->message, "quiet");
	add(&w, frames(0, 10, 60, 30));
	assert_int_equal(live_device(w.live, 0).state, LIVE_MEASURING);
	assert_null(live_device(w.live, 0).why);
	uint64_t version = live_version(w.live);
	live_set_facts(w.live, 0, NULL, &failed, NULL);
	assert_true(live_version(w.live) != version);
	assert_int_equal(live_device(w.live, 0).state, LIVE_GONE);
	assert_int_equal(live_device(w.live, 0).since_ns, 100 * MS);
	assert_string_equal(live_device(w.live, 0).why->message, "card0 is gone");
	/* Of now nothing is known, and what was before stays. */
	const struct live_value *values;
	const struct live_moment now = {0}, before = {.end_ns = 100 * MS};
	assert_int_equal(live_values(w.live, 0, &now, &values, NULL, NULL, NULL), SX_OK);
	assert_null(values);
	assert_int_equal(live_values(w.live, 0, &before, &values, NULL, NULL, NULL), SX_OK);
	assert_non_null(values);
	add(&w, frames(100, 10, 60, 30));
	assert_int_equal(live_device(w.live, 0).state, LIVE_BACK);
	assert_int_equal(live_device(w.live, 0).since_ns, 1100 * MS);
	close_world(&w);
	sx_table_destroy(like);
}

/* Another selection has the courses of the rows that are kept. */
static void test_another_selection(void **state)
{
	struct world w;
	struct sx_table *like = empty_frames();
	struct live_point point;
	static const char *const names[] = {"cpu_time"};
	const struct sx_metrics_options one = {.patterns = names, .pattern_count = 1, .like = like};
	struct sx_metrics *metrics;
	open_world(&w, "opengl", like, 0);
	for (size_t i = 0; i < 200; i += 10)
		add(&w, frames(i, 10, 60, 30));
	assert_int_equal(sx_metrics_create(w.catalog, &one, &metrics, NULL), SX_OK);
	assert_int_equal(live_select(w.live, 0, metrics, NULL), SX_OK);
	assert_int_equal(live_device(w.live, 0).column_count, 1);
	const struct live_line line = {.step_ns = 2 * S, .count = 1};
	assert_true(live_history(w.live, 0, 0, &line, &point));
	assert_near(point.mean, 3, 1e-6);
	live_destroy(w.live);
	w.live = NULL;
	sx_metrics_destroy(metrics);
	close_world(&w);
	sx_table_destroy(like);
}

/* Frames of some seconds, judged every half of one; when the verdict is shown first. */
static uint64_t add_seconds(struct world *w, size_t *row, unsigned seconds, uint64_t gpu,
			    uint64_t cpu, const char *name)
{
	uint64_t shown = 0;
	for (unsigned i = 0; i < 2 * seconds; i++, *row += 50) {
		add(w, frames(*row, 50, gpu, cpu));
		assert_int_equal(live_judge(w->live, false, NULL), SX_OK);
		const struct live_verdict v = live_verdict(w->live);
		if (!shown && v.name && strcmp(v.name, name) == 0)
			shown = live_newest_ns(w->live);
	}
	return shown;
}

static void test_hysteresis(void **state)
{
	struct world w;
	struct sx_table *like = empty_frames();
	size_t row = 0;
	open_world(&w, "opengl", like, 0);
	assert_null(live_verdict(w.live).name);
	uint64_t gpu = add_seconds(&w, &row, 12, 97, 20, "gpu");
	assert_true(gpu && gpu <= S); /* the first one is shown at once */
	assert_false(live_verdict(w.live).settling);
	assert_true(live_verdict(w.live).evidence_count > 0);
	/* By now half of the last seconds are otherwise: shown once that held for two seconds. */
	uint64_t since = live_newest_ns(w.live), cpu = 0, differed = 0;
	for (int i = 0; i < 24 && !cpu; i++) {
		cpu = add_seconds(&w, &row, 1, 20, 98, "cpu");
		if (!differed && live_verdict(w.live).settling)
			differed = live_newest_ns(w.live);
	}
	assert_true(differed > since && cpu >= differed + 2 * S - S / 2);
	assert_string_equal(live_verdict(w.live).name, "cpu");
	close_world(&w);
	sx_table_destroy(like);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values_of_a_report),
	    cmocka_unit_test(test_one_sample),
	    cmocka_unit_test(test_history),
	    cmocka_unit_test(test_history_of_uneven_samples),
	    cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_programs),
	    cmocka_unit_test(test_programs_come_and_go),
	    cmocka_unit_test(test_programs_that_ended),
	    cmocka_unit_test(test_states),
	    cmocka_unit_test(test_another_selection),
	    cmocka_unit_test(test_hysteresis),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
