/* Of several measured programs: which one the verdict is on, and by which rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>
#include <sextant/context.h>
#include "analysis/report/programs.h"
#include "analysis/report/report.h"

#define FRAME_NS UINT64_C(10000000)
#define FRAMES	 200

/* What a program does: shares of its frames' time. */
struct load {
	const char *label;
	double cpu, gpu;
};

static const struct load idle = {"idle (7)", 0.05, 0.04};
static const struct load drawing = {"drawing (8)", 0.10, 0.97};
static const struct load computing = {"computing (9)", 0.99, 0.20};

struct world {
	struct sx_context *context;
	struct report_fill *fill;
	const struct report *report;
};

static void begin(struct world *w)
{
	const struct sx_context_options options = {.catalog_path = ""};
	*w = (struct world){.fill = NULL};
	assert_int_equal(sx_context_create(&options, &w->context, NULL), SX_OK);
	assert_int_equal(report_begin(&w->fill, NULL), SX_OK);
}

static const struct verdict *finish(struct world *w)
{
	assert_int_equal(report_finish(w->fill, &w->report, NULL), SX_OK);
	assert_non_null(w->report->verdict);
	return w->report->verdict;
}

static void end(struct world *w)
{
	report_destroy(w->fill);
	sx_context_destroy(w->context);
}

static uint32_t add_device(struct world *w, const char *catalog)
{
	uint32_t index;
	struct sx_catalog *c;
	assert_int_equal(sx_catalog_open(w->context, catalog, &c, NULL), SX_OK);
	assert_int_equal(
	    report_add_device(w->fill, &(struct report_source){.catalog = c}, &index, NULL), SX_OK);
	sx_catalog_unref(c);
	return index;
}

static struct sx_table *make(const char *const *names, uint32_t count, enum sx_sample_kind kind)
{
	struct sx_column columns[8];
	struct sx_table *table;
	for (uint32_t i = 0; i < count; i++)
		columns[i] = (struct sx_column){
		    .name = names[i], .unit = "ns", .type = SX_F64, .over_time = SX_REDUCE_SUM};
	assert_int_equal(sx_table_create(columns, count, kind, &table, NULL), SX_OK);
	return table;
}

static void put(struct sx_table *t, uint64_t begin_ns, uint64_t end_ns, const double *values,
		uint32_t count)
{
	size_t row;
	assert_int_equal(sx_table_add_rows(t, 1, &row, NULL), SX_OK);
	sx_table_set_time(t, row, begin_ns, end_ns);
	for (uint32_t i = 0; i < count; i++)
		sx_table_set_f64(t, i, row, values[i], 0);
}

static void put_frame(struct sx_table *t, const struct load *load, uint64_t begin_ns,
		      uint64_t length_ns)
{
	double length = (double)length_ns;
	put(t, begin_ns, begin_ns + length_ns,
	    (double[]){1, length, load->cpu * length, load->cpu * length, 0, load->gpu * length},
	    6);
	uint32_t text = sx_table_intern(t, load->label, strlen(load->label));
	assert_int_equal(sx_table_set_label(t, SX_LABEL_PROCESS, sx_table_row_count(t) - 1, text),
			 SX_OK);
}

/* Frames of programs, theirs in turn. */
static void add_frames(struct world *w, const char *catalog, const struct load *const *loads,
		       size_t count)
{
	static const char *const names[] = {"Frames",	  "FrameTime",	"CPUTime",
					    "ThreadTime", "ThreadWait", "D3DGPUTime"};
	uint32_t device = add_device(w, catalog);
	struct sx_table *t = make(names, 6, SX_SAMPLE_FRAME);
	for (uint64_t i = 0; i < FRAMES; i++)
		for (size_t p = 0; p < count; p++)
			put_frame(t, loads[p], i * FRAME_NS, FRAME_NS);
	assert_int_equal(report_add_rows(w->fill, device, t, NULL), SX_OK);
	sx_table_destroy(t);
}

static double evidence(const struct verdict *v, const char *name)
{
	for (uint32_t i = 0; i < v->parts[0].evidence_count; i++)
		if (strcmp(v->parts[0].evidence[i].name, name) == 0)
			return v->parts[0].evidence[i].value;
	return NAN;
}

static void expect(const struct verdict *v, const struct load *load, const char *verdict,
		   uint32_t programs)
{
	assert_string_equal(v->parts[0].name, verdict);
	assert_true(v->parts[0].share == 1);
	assert_string_equal(v->program, load->label);
	assert_int_equal(v->programs, programs);
	assert_true(fabs(evidence(v, "cpu") - load->cpu * 100) < 1e-6);
	assert_true(fabs(evidence(v, "gpu") - load->gpu * 100) < 1e-6);
}

/* Rows of both lie among each other; neither's speak for the other. */
static void the_busiest_is_judged(void **state)
{
	const struct load *const both[] = {&idle, &drawing, &idle};
	for (size_t i = 0; i < 2; i++) {
		struct world w;
		begin(&w);
		add_frames(&w, "opengl", both + i, 2);
		const struct verdict *v = finish(&w);
		expect(v, &drawing, "gpu", 2);
		assert_int_equal(v->pid, 8);
		assert_string_equal(v->name, "drawing");
		end(&w);
	}
}

/* A catalog of other tools' logs has the neutral name of GPU time at a metric, not at its counter.
 */
static void a_table_of_another_tool(void **state)
{
	static const char *const names[] = {"GpuTime", "gpu_time"};
	static const struct load *const loads[] = {&idle, &computing, &drawing};
	for (size_t name = 0; name < 2; name++) {
		struct world w;
		begin(&w);
		uint32_t device = add_device(&w, "monitor");
		struct sx_table *t = make(names + name, 1, SX_SAMPLE_FRAME);
		for (size_t i = 0; i < 3 * FRAMES; i++) {
			const struct load *load = loads[i / FRAMES];
			uint64_t at = i % FRAMES * FRAME_NS;
			put(t, at, at + FRAME_NS, (double[]){load->gpu * (double)FRAME_NS}, 1);
			uint32_t text = sx_table_intern(t, load->label, strlen(load->label));
			sx_table_set_label(t, SX_LABEL_PROCESS, i, text);
		}
		assert_int_equal(report_add_rows(w.fill, device, t, NULL), SX_OK);
		sx_table_destroy(t);
		assert_string_equal(finish(&w)->program, drawing.label);
		end(&w);
	}
}

/* One that computes is as busy as one that draws: the CPU's time and the GPU's both count. */
static void either_kind_of_work_counts(void **state)
{
	struct load more = {"more (10)", 0.3, 0.995};
	const struct load *const loads[] = {&computing, &more, &idle};
	struct world w;
	begin(&w);
	add_frames(&w, "opengl", loads, 3);
	expect(finish(&w), &more, "gpu", 3);
	end(&w);
	more.gpu = 0.3;
	begin(&w);
	add_frames(&w, "opengl", loads, 3);
	expect(finish(&w), &computing, "cpu", 3);
	end(&w);
}

static void one_program_needs_no_name(void **state)
{
	const struct load *const alone[] = {&drawing};
	struct world w;
	begin(&w);
	add_frames(&w, "opengl", alone, 1);
	const struct verdict *v = finish(&w);
	assert_string_equal(v->parts[0].name, "gpu");
	assert_null(v->program);
	assert_int_equal(v->programs, 0);
	end(&w);
}

/* Values of the whole machine are used only if the program has none of its own. */
static void its_own_rows_go_first(void **state)
{
	static const char *const cpu[] = {"ThreadTime", "ThreadWait"}, *const drm[] = {"BusyTime"};
	const struct load *const both[] = {&idle, &drawing};
	struct world w;
	begin(&w);
	add_frames(&w, "opengl", both, 2);
	uint32_t device = add_device(&w, "cpu");
	struct sx_table *t = make(cpu, 2, SX_SAMPLE_TIME);
	for (uint64_t i = 0; i < FRAMES; i++) /* another program's thread runs all the time */
		put(t, i * FRAME_NS, (i + 1) * FRAME_NS, (double[]){(double)FRAME_NS, 0}, 2);
	assert_int_equal(report_add_rows(w.fill, device, t, NULL), SX_OK);
	sx_table_destroy(t);
	device = add_device(&w, "drm");
	t = make(drm, 1, SX_SAMPLE_TIME);
	for (uint64_t i = 0; i < FRAMES; i++)
		put(t, i * FRAME_NS, (i + 1) * FRAME_NS, (double[]){0.99 * (double)FRAME_NS}, 1);
	assert_int_equal(report_add_rows(w.fill, device, t, NULL), SX_OK);
	sx_table_destroy(t);
	expect(finish(&w), &drawing, "gpu", 2);
	end(&w);
}

/* A program that uses two devices is one program. */
static void devices_of_one_program(void **state)
{
	const struct load *const both[] = {&idle, &drawing};
	struct world w;
	begin(&w);
	add_frames(&w, "opengl", both, 2);
	add_frames(&w, "vulkan", both, 1);
	expect(finish(&w), &drawing, "gpu", 2);
	end(&w);
}

/* Programs that come and go are many; one that works stays. */
static void many_programs(void **state)
{
	struct load loads[60];
	char labels[60][20];
	const struct load *list[60];
	for (size_t i = 0; i < 60; i++) {
		snprintf(labels[i], sizeof(labels[i]), "p (%zu)", i + 1);
		loads[i] = (struct load){labels[i], 0.01 + 0.0001 * (double)i, 0.01};
		list[i] = &loads[i];
	}
	loads[30] = (struct load){labels[30], 0.2, 0.95};
	struct world w;
	begin(&w);
	add_frames(&w, "opengl", list, 60);
	expect(finish(&w), &loads[30], "gpu", 60);
	end(&w);
}

/* What an overview holds of a column, over all of its rows. */
static double sum_of(struct overview *o, uint32_t column)
{
	const struct sx_table *rows = overview_table(o, NULL);
	double sum = 0;
	for (size_t r = 0; r < sx_table_row_count(rows); r++)
		sum += sx_table_get(rows, column, r);
	return sum;
}

/* Adds so many rows of each program, as a report does; "" is no program. */
static void add_alone(struct programs *p, struct overview *all, struct sx_table *t, int rows,
		      const char *const *labels)
{
	sx_table_clear(t);
	for (int i = 0; i < rows; i++)
		for (size_t k = 0; labels[k]; k++) {
			put(t, (uint64_t)i * FRAME_NS, (uint64_t)(i + 1) * FRAME_NS,
			    (double[]){1, (double)(k + 1)}, 2);
			uint32_t text = sx_table_intern(t, labels[k], strlen(labels[k]));
			if (labels[k][0])
				sx_table_set_label(t, SX_LABEL_PROCESS, sx_table_row_count(t) - 1,
						   text);
		}
	assert_int_equal(programs_add(p, NULL, t, all, NULL), SX_OK);
	assert_int_equal(overview_add(all, t, NULL), SX_OK);
}

/* As long as a program is alone its rows are those of all; then they go on as its own. */
static void nothing_is_lost_when_a_second_comes(void **state)
{
	static const char *const names[] = {"Frames", "Work"};
	static const char *const first[] = {"a (1)", NULL}, *const both[] = {"b (2)", "a (1)",
									     NULL};
	static const char *const nobody[] = {"", NULL};
	for (int way = 0; way < 3; way++) {
		struct programs p = {.cpu_time = SX_NONE, .gpu_time = SX_NONE, .begun = true};
		struct sx_table *t = make(names, 2, SX_SAMPLE_FRAME);
		struct overview *all;
		assert_int_equal(overview_create(t, &all, NULL), SX_OK);
		add_alone(&p, all, t, 5000, first);
		add_alone(&p, all, t, 4001, first); /* one row of the overview is not whole */
		assert_ptr_equal(programs_rows(&p, &p.kept[0]), all);
		if (way)
			add_alone(&p, all, t, 11, way == 1 ? both : nobody);
		assert_true((programs_rows(&p, &p.kept[0]) == all) == !way);
		add_alone(&p, all, t, 7, first);
		double alone = 9001 + 7;
		struct overview *own = programs_rows(&p, programs_find(&p, "a (1)"));
		assert_true(sum_of(own, 0) == alone + (way == 1 ? 11 : 0));
		assert_true(sum_of(own, 1) == alone + (way == 1 ? 22 : 0));
		if (way == 1)
			assert_true(sum_of(programs_rows(&p, programs_find(&p, "b (2)")), 0) == 11);
		assert_true(sum_of(all, 0) == alone + (way == 1 ? 22 : way == 2 ? 11 : 0));
		programs_finish(&p);
		overview_destroy(all);
		sx_table_destroy(t);
	}
}

/* Two frames of rising overdraw, then work that no swap ended, which draws far more. */
static struct sx_table *make_turns(size_t first, size_t rows)
{
	static const struct sx_column columns[] = {
	    {"Frames", "frames", SX_U64, SX_REDUCE_SUM, NULL},
	    {"FrameTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	    {"FramebufferWidth", "pixels", SX_U64, SX_REDUCE_LAST, NULL},
	    {"FramebufferHeight", "pixels", SX_U64, SX_REDUCE_LAST, NULL},
	    {"Occlusion", "samples", SX_U64, SX_REDUCE_SUM, NULL},
	};
	struct sx_table *t = NULL;
	assert_int_equal(sx_table_create(columns, 5, SX_SAMPLE_FRAME, &t, NULL), SX_OK);
	assert_int_equal(sx_table_add_rows(t, rows, NULL, NULL), SX_OK);
	for (size_t i = 0; i < rows; i++) {
		size_t n = first + i, frame = n % 3 != 2;
		uint64_t begin = n * FRAME_NS, length = frame ? FRAME_NS / 2 : FRAME_NS;
		uint64_t side = n % 3 ? 100 : 300;
		uint8_t size = frame ? 0 : SX_QUALITY_NOT_COLLECTED;
		sx_table_set_time(t, i, begin, begin + length);
		sx_table_set_u64(t, 0, i, frame, 0);
		sx_table_set_u64(t, 1, i, length, 0);
		sx_table_set_u64(t, 2, i, side, size);
		sx_table_set_u64(t, 3, i, side, size);
		sx_table_set_u64(t, 4, i, frame ? side * side * (n % 3 + 1) : 90000000, 0);
	}
	return t;
}

/* However many rows become one: 2 frames a turn, of 90,000 pixels once and 10,000 twice drawn. */
static void frames_stand_alone_where_rows_are_put_together(void **state)
{
	static const char *const names[] = {"overdraw", "frames_per_second", "frame_time"};
	struct world w;
	begin(&w);
	struct sx_catalog *c;
	assert_int_equal(sx_catalog_open(w.context, "opengl", &c, NULL), SX_OK);
	struct sx_table *like = make_turns(0, 0), *values = NULL;
	struct sx_metrics_options options = {.patterns = names, .pattern_count = 3, .like = like};
	struct sx_metrics *metrics = NULL;
	struct overview *all;
	assert_int_equal(sx_metrics_create(c, &options, &metrics, NULL), SX_OK);
	assert_int_equal(overview_create(like, &all, NULL), SX_OK);
	for (size_t at = 0; at < 24576; at += 768) {
		struct sx_table *t = make_turns(at, 768);
		assert_int_equal(overview_add(all, t, NULL), SX_OK);
		sx_table_destroy(t);
	}
	const struct sx_table *few = overview_table(all, NULL);
	assert_true(sx_table_row_count(few) < 4097);
	assert_int_equal(sx_metrics_eval(metrics, few, &values, NULL), SX_OK);
	for (size_t i = 0; i < sx_table_row_count(few); i++) {
		double overdraw = sx_table_get(values, 0, i);
		/* Of 8 rows 5 or 6 are frames. */
		assert_true(overdraw >= 1 && overdraw <= 2);
		assert_true(fabs(sx_table_get(values, 1, i) - 200) < 1e-6);
		double time = sx_table_get(values, 2, i);
		assert_true(fabs(time - 25) < 1e-6 || fabs(time - 30) < 1e-6);
	}
	/* A table of all: 3 x 8192 rows. */
	struct sx_table *whole = make_turns(0, 24576), *total = NULL;
	sx_table_destroy(values);
	assert_int_equal(sx_table_total(whole, &total, NULL), SX_OK);
	assert_int_equal(sx_metrics_eval(metrics, total, &values, NULL), SX_OK);
	assert_true(fabs(sx_table_get(values, 0, 0) - 110000.0 / 100000.0) < 1e-4);
	assert_true(fabs(sx_table_get(values, 1, 0) - 200) < 1e-6);
	assert_true(fabs(sx_table_get(values, 2, 0) - 2 * 8192 * 5) < 1e-6);
	sx_table_destroy(values);
	sx_table_destroy(total);
	sx_table_destroy(whole);
	sx_table_destroy(like);
	overview_destroy(all);
	sx_metrics_destroy(metrics);
	sx_catalog_unref(c);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_busiest_is_judged),
	    cmocka_unit_test(a_table_of_another_tool),
	    cmocka_unit_test(frames_stand_alone_where_rows_are_put_together),
	    cmocka_unit_test(either_kind_of_work_counts),
	    cmocka_unit_test(one_program_needs_no_name),
	    cmocka_unit_test(its_own_rows_go_first),
	    cmocka_unit_test(devices_of_one_program),
	    cmocka_unit_test(many_programs),
	    cmocka_unit_test(nothing_is_lost_when_a_second_comes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
