/* perf stat's CSV: its layouts as perf 6.1 printed them, and invalid lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include "import/perf_stat/parse.h"

struct world {
	struct sx_context *context;
	struct sx_catalog *cpu, *merrifield;
	struct sx_table *table;
	struct perf_stat_tally tally;
};

static int begin(void **state)
{
	static struct world w;
	assert_int_equal(
	    sx_context_create(&(struct sx_context_options){.catalog_path = ""}, &w.context, NULL),
	    SX_OK);
	assert_int_equal(sx_catalog_open(w.context, "cpu", &w.cpu, NULL), SX_OK);
	assert_int_equal(sx_catalog_open(w.context, "intel-merrifield", &w.merrifield, NULL),
			 SX_OK);
	*state = &w;
	return 0;
}

static int end(void **state)
{
	struct world *w = *state;
	sx_catalog_unref(w->cpu);
	sx_catalog_unref(w->merrifield);
	sx_context_destroy(w->context);
	return 0;
}

static void parse(struct world *w, struct sx_catalog *catalog, const char *text)
{
	struct sx_error err = {0};
	/* A block of its own size, so that a sanitizer sees any byte read beyond it. */
	size_t size = strlen(text);
	char *copy = malloc(size + !size);
	assert_non_null(copy);
	memcpy(copy, text, size);
	sx_table_destroy(w->table);
	w->table = NULL;
	if (perf_stat_parse(&(struct perf_stat_input){copy, size, "p.csv", catalog}, &w->table,
			    &w->tally, &err) != SX_OK)
		fail_msg("%s: %s", err.message, err.because);
	free(copy);
}

static uint8_t quality(const struct world *w, const char *name, size_t row)
{
	return sx_table_vector(w->table, sx_table_find(w->table, name)).quality
		   ? sx_table_vector(w->table, sx_table_find(w->table, name)).quality[row]
		   : 0;
}

static void expect(const struct world *w, const char *name, size_t row, double value)
{
	uint32_t column = sx_table_find(w->table, name);
	assert_int_not_equal(column, SX_NONE);
	double have = sx_table_get(w->table, column, row);
	if (isnan(value) ? !isnan(have) : have != value)
		fail_msg("%s row %zu is %.17g, not %.17g", name, row, have, value);
}

static void test_intervals(void **state)
{
	struct world *w = *state;
	parse(w, w->cpu,
	      "# started on Sat Nov 21 02:59:21 2026\n\n"
	      "     0.202906373,0.60,msec,task-clock,600266,100.00,0.003,CPUs utilized\n"
	      "     0.202906373,<not supported>,,cycles,0,100.00,,\n"
	      "     0.202906373,1,,context-switches,600266,100.00,1.669,K/sec\n"
	      "     0.403235061,<not counted>,msec,task-clock,0,100.00,,\n"
	      "     0.403235061,<not supported>,,cycles,0,100.00,,\n"
	      "     0.403235061,3,,context-switches,300133,50.00,,\n"
	      "         summary,0.74,msec,task-clock,742698,100.00,0.002,CPUs utilized\n");
	assert_int_equal(sx_table_row_count(w->table), 2);
	assert_int_equal(sx_table_begin_ns(w->table)[1], 202906373);
	assert_int_equal(sx_table_end_ns(w->table)[1], 403235061);
	assert_int_equal(sx_table_begin_ns(w->table)[0], 0);
	expect(w, "TaskClock", 0, 600266);
	expect(w, "TaskClock", 1, NAN);
	expect(w, "ContextSwitches", 1, 3);
	assert_int_equal(quality(w, "ContextSwitches", 0), 0);
	assert_int_equal(quality(w, "ContextSwitches", 1), SX_QUALITY_MULTIPLEXED);
	expect(w, "Cycles", 0, NAN);
	assert_string_equal(sx_table_column(w->table, sx_table_find(w->table, "Cycles"))->why,
			    "perf does not support it here");
	assert_int_equal(w->tally.foreign, 0);
	assert_int_equal(w->tally.records, 6);
}

static void test_one_interval(void **state)
{
	struct world *w = *state;
	parse(w, w->cpu,
	      "0.65,msec,task-clock:u,5.43%,658513,100.00,0.006,CPUs utilized\n"
	      "1,,context-switches,0.00%,658513,100.00,1.455,K/sec\n"
	      "101218396,ns,duration_time,1.04%,101218396,100.00,147.320,G/sec\r\n"
	      "77,,page-faults,/my.cgroup,658513,100.00,,\n");
	assert_int_equal(sx_table_row_count(w->table), 1);
	assert_int_equal(sx_table_begin_ns(w->table)[0], 0);
	assert_int_equal(sx_table_end_ns(w->table)[0], 101218396);
	expect(w, "TaskClock", 0, 650000); /* the run time does not print as 0.65: it is another */
	expect(w, "PageFaults", 0, 77);
	parse(w, w->cpu,
	      "# started on Mon\n5,,cs,10,100.00,,\n# started on Tue\n6,,cs,10,100.00,,\n");
	assert_int_equal(sx_table_row_count(w->table), 2);
	assert_true(sx_table_begin_ns(w->table)[0] == SX_TIME_UNKNOWN);
	expect(w, "ContextSwitches", 1, 6);
}

static void test_aggregation(void **state)
{
	struct world *w = *state;
	parse(w, w->cpu,
	      "     0.100220728,CPU0,100.36,msec,task-clock,100363706,100.00,1.004,CPUs utilized\n"
	      "     0.1,CPU0,1,,cs,9,100.00,,\n" /* that is no time */
	      "     0.100220728,CPU1,100.40,msec,task-clock,100404588,100.00,1.004,CPUs utilized\n"
	      "     0.100220728,CPU0,53,,context-switches,100368052,100.00,528.085,/sec\n"
	      "     0.100220728,CPU1,<not counted>,,context-switches,0,100.00,,\n");
	expect(w, "TaskClock", 0, 200768294);
	expect(w, "ContextSwitches", 0, 53);
	assert_int_equal(quality(w, "ContextSwitches", 0), SX_QUALITY_LOST);
	assert_int_equal(w->tally.foreign, 1);
	assert_int_equal(w->tally.first_foreign, 2);
	parse(w, w->cpu,
	      "S0;2;207.47;msec;task-clock;207469659;100.00;1.995;CPUs utilized\n"
	      "S1;2;103.00;msec;task-clock;103000000;100.00;1.995;CPUs utilized\n");
	expect(w, "TaskClock", 0, 310469659);
	parse(w, w->cpu,
	      "S0-D0-C0\t1\t57\t\tcs\t112207602\t100.00\t507.988\t/sec\n"
	      "S0-D0-C1\t1\t37\t\tcs\t108261796\t100.00\t341.768\t/sec\n");
	expect(w, "ContextSwitches", 0, 94);
	parse(w, w->cpu, "bash-12|1|| cs|12|100.00||\nbash-13|2||cs|13|100.00||\n");
	expect(w, "ContextSwitches", 0, 3);
	parse(w, w->cpu, "     0,100832971;0,47;msec;task-clock;476300;100,00;0,005;CPUs\n");
	expect(w, "TaskClock", 0, 470000);
}

/* One counter, several events: other PMUs add up, other names and modifiers of it do not. */
static void test_events(void **state)
{
	struct world *w = *state;
	parse(w, w->cpu,
	      "10,,cycles:u,9,100.00,,\n"
	      "12,,cpu-cycles,9,100.00,,\n"
	      "14,,cycles:k,9,100.00,,\n"
	      "5,,cpu_core/instructions/,9,100.00,,\n"
	      "6,,cpu_atom/instructions/,9,25.00,,\n"
	      "7,,raw thing,9,100.00,,\n");
	expect(w, "Cycles", 0, 10);
	expect(w, "Instructions", 0, 11);
	assert_int_equal(quality(w, "Instructions", 0), SX_QUALITY_MULTIPLEXED);
	expect(w, "raw thing", 0, 7);
	assert_int_equal(w->tally.repeats, 2);
	parse(w, w->merrifield,
	      "     1.000000000,10,,DDR_Chan0-Read32B,9,100.00,,\n"
	      "     1.000000000,11,,DDR_Chan0_Write32B,9,100.00,,\n"
	      "     1.000000000,12,,soc/event=0x1,umask=0x2,name=DDR_Chan1-Read32B/,9,100.00,,\n"
	      "     1.000000000,13,,soc/DDR_Chan1_Write32B/u,9,100.00,,\n"
	      "     1.000000000,14,,Clock_Counter,9,100.00,,\n"
	      "     1.000000000,15,,UNC_SOC_All_Reqs.Clock_Counter,9,100.00,,\n"
	      "     1.000000000,18446744073709551615,,GFX_Reqs,9,100.00,,\n");
	expect(w, "DDR_Chan0-Read32B", 0, 10);
	expect(w, "DDR_Chan0-Write32B", 0, 11);
	expect(w, "DDR_Chan1-Read32B", 0, 12);
	expect(w, "DDR_Chan1-Write32B", 0, 13);
	expect(w, "Clock_Counter", 0, 14);
	expect(w, "UNC_SOC_All_Reqs.Clock_Counter", 0, 15);
	expect(w, "GFX_Reqs", 0, 0x1p64);
}

static void refuse(struct world *w, const char *text, size_t size)
{
	struct sx_error err = {0};
	struct sx_table *table = NULL;
	char *copy = malloc(size + !size);
	assert_non_null(copy);
	memcpy(copy, text, size);
	assert_int_equal(perf_stat_parse(&(struct perf_stat_input){copy, size, "p.csv", w->cpu},
					 &table, &w->tally, &err),
			 SX_ERR_BAD_INPUT);
	assert_non_null(strstr(err.message, "p.csv:"));
	assert_true(err.because[0] && err.remedy[0]);
	assert_null(table);
	free(copy);
}

static void test_hostile(void **state)
{
	static const char *const texts[] = {"",
					    "\n\n",
					    ",",
					    ",,,,,,,,",
					    "a,b,c\n",
					    "1,,cycles\n",
					    "1,,cycles,9\n",
					    "1,,,9,100.00\n",
					    "-1,,cycles,9,100.00\n",
					    "nan,,cycles,9,100.00\n",
					    "1e999,,cycles,9,100.00\n",
					    "summary,1,,cycles,9,100.00\n",
					    "#1,,cycles,9,100.00\n",
					    "1,,cpu/a,9,100.00",
					    "{\"counter-value\" : \"1\", \"event\" : \"cs\"\n",
					    "{\"counter-value\" : \"x\", \"event\" : \"cs\"}\n",
					    "{\"counter-value\" : \"1\"}\n",
					    "12 cs\n",
					    "    12 apples and pears\n",
					    "99999999999.000000000,1,,cs\n",
					    "18446744073709551616.000000000,1,,cs,1,100\n"};
	struct world *w = *state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(texts[i], "1,,cpu/a,9,100.00") != 0)
			refuse(w, texts[i], strlen(texts[i]));
	}
	refuse(w, "1,,cy\0cles", 10);
	/* An event that opens a slash and never closes it is a name like any other. */
	parse(w, w->cpu, "1,,cpu/a,9,100.00,,\n");
	expect(w, "cpu/a", 0, 1);
	/* A NUL ends a name, which is of no counter then. */
	struct sx_error err = {0};
	sx_table_destroy(w->table);
	assert_int_equal(
	    perf_stat_parse(&(struct perf_stat_input){"1,,cs\0x,9,100.00,,\n", 19, "p.csv", w->cpu},
			    &w->table, &w->tally, &err),
	    SX_OK);
	assert_string_equal(sx_table_column(w->table, 0)->name, "cs");
	/* Time that goes backwards begins a run of its own. */
	parse(w, w->cpu, " 5.000000000,1,,cs,9,100.00,,\n 2.000000000,1,,cs,9,100.00,,\n");
	assert_int_equal(sx_table_begin_ns(w->table)[1], 0);
	/* The same event twice in an interval counts once. */
	parse(w, w->cpu, " 5.000000000,1,,cs,9,100.00,,\n 5.000000000,1,,cs,9,100.00,,\n");
	expect(w, "ContextSwitches", 0, 1);
	assert_int_equal(w->tally.repeats, 1);
	sx_table_destroy(w->table);
	w->table = NULL;
}

/* More events than there may be columns. */
static void test_limit(void **state)
{
	struct world *w = *state;
	struct sx_error err = {0};
	struct sx_table *table = NULL;
	size_t size = 0, cap = 8192 * 32;
	char *text = malloc(cap);
	assert_non_null(text);
	for (int i = 0; i < 5000; i++)
		size += (size_t)snprintf(text + size, cap - size, "1,,e%d,9,100.00,,\n", i);
	assert_int_equal(perf_stat_parse(&(struct perf_stat_input){text, size, "p.csv", w->cpu},
					 &table, &w->tally, &err),
			 SX_ERR_LIMIT);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_intervals),	cmocka_unit_test(test_one_interval),
	    cmocka_unit_test(test_aggregation), cmocka_unit_test(test_events),
	    cmocka_unit_test(test_hostile),	cmocka_unit_test(test_limit),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
