/* Tables as people, scripts and spreadsheets write them: which counters they become, in which unit,
 * and what is noted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>

#include "import/import.h"
#include "unit/context.h"

#define ROWS_MAX 6
#define NONE	 NAN /* no data */

struct column {
	const char *name, *unit; /* as the table has it, in the catalog's unit */
	double values[ROWS_MAX];
};

struct table_case {
	const char *text, *catalog;
	size_t rows;
	struct column columns[9];
	const char *noted, *silent; /* in some note, and in none; or NULL */
};

static struct import *import;
static char notes[8192];

static enum sx_status read_table(const char *text, const char *catalog, struct sx_error *err)
{
	const struct import_request request = {
	    .context = context, .path = "t.csv", .catalog = catalog};
	size_t used = 0;
	enum sx_status status = import_parse(&request, text, strlen(text), &import, err);
	notes[0] = '\0';
	for (uint32_t i = 0; !status && import_note(import, i); i++)
		used += (size_t)snprintf(notes + used, sizeof(notes) - used, "%s\n",
					 import_note(import, i));
	assert_true(used < sizeof(notes));
	return status;
}

/* The only device's rows. */
static const struct sx_table *table_of(const char *text, const char *catalog)
{
	struct sx_error err = {0};
	uint32_t count = 0;
	if (read_table(text, catalog, &err))
		fail_msg("%s\n%s: %s", text, err.message, err.because);
	const struct import_device *devices = import_devices(import, &count);
	assert_int_equal(count, 1);
	return devices[0].table;
}

static void check_column(const char *text, const struct sx_table *table, const struct column *want)
{
	uint32_t at = sx_table_find(table, want->name);
	if (at == SX_NONE)
		fail_msg("%s\nno column %s\n%s", text, want->name, notes);
	const char *unit = sx_table_column(table, at)->unit;
	if (want->unit && strcmp(unit ? unit : "", want->unit) != 0)
		fail_msg("%s\n%s is in %s, not in %s", text, want->name, unit, want->unit);
	for (size_t row = 0; row < sx_table_row_count(table); row++) {
		double have = sx_table_get(table, at, row), value = want->values[row];
		if (isnan(value) ? !isnan(have) : !(fabs(have - value) <= 1e-9 * fabs(value)))
			fail_msg("%s\n%s row %zu is %.12g, not %.12g\n%s", text, want->name, row,
				 have, value, notes);
	}
}

static void check_notes(const char *text, const char *noted, const char *silent)
{
	if (noted && !strstr(notes, noted))
		fail_msg("%s\nno note has: %s\n%s", text, noted, notes);
	if (silent && strstr(notes, silent))
		fail_msg("%s\na note has: %s\n%s", text, silent, notes);
}

static void check_table(const struct table_case *c)
{
	const struct sx_table *table = table_of(c->text, c->catalog);
	if (sx_table_row_count(table) != c->rows)
		fail_msg("%s\n%zu rows, not %zu\n%s", c->text, sx_table_row_count(table), c->rows,
			 notes);
	for (const struct column *want = c->columns; want->name; want++)
		check_column(c->text, table, want);
	check_notes(c->text, c->noted, c->silent);
	import_destroy(import);
}

#define CHECK(cases)                                                                               \
	for (size_t i = 0; i < sizeof(cases) / sizeof((cases)[0]); i++)                            \
	check_table(&(cases)[i])

/* K is kelvin of temperatures and thousands of what is counted; 1/s is whatever comes in a second.
 */
static void test_units_of_what_is_measured(void **state)
{
	static const struct table_case cases[] = {
	    {"gpu_temperature (K),FrameRate (1/s)\n330,12\n331.25,12.5\n",
	     "monitor",
	     2,
	     {{"gpu_temperature", "degC", {56.85, 58.1}}, {"FrameRate", "frames/s", {12, 12.5}}},
	     NULL,
	     NULL},
	    {"gpu_temperature,FrameRate\nK,1/s\n330,12\n331.25,12.5\n",
	     "monitor",
	     2,
	     {{"gpu_temperature", "degC", {56.85, 58.1}}, {"FrameRate", "frames/s", {12, 12.5}}},
	     NULL,
	     NULL},
	    {"heat (K),InterruptRate (kHz)\n330,12\n331.25,12.5\n",
	     "monitor",
	     2,
	     {{"heat", "K", {330, 331.25}}, {"InterruptRate", "interrupts/s", {12000, 12500}}},
	     NULL,
	     NULL},
	    {"IAVertices (K),what (1/s)\n330,12\n331.25,12.5\n",
	     "opengl",
	     2,
	     {{"IAVertices", "vertices", {330000, 331250}}, {"what", "Hz", {12, 12.5}}},
	     NULL,
	     NULL},
	    {"MemoryReadBandwidth (Mbit/s),x (kbit/s)\n330,12\n331.25,12.5\n",
	     "monitor",
	     2,
	     {{"MemoryReadBandwidth", "MB/s", {41.25, 41.40625}}, {"x", "bytes/s", {1500, 1562.5}}},
	     NULL,
	     NULL},
	    {"frame_time (ms),gpu_temperature\n16,330 K\n17,331.25 K\n",
	     "monitor",
	     2,
	     {{"gpu_temperature", "degC", {56.85, 58.1}}},
	     NULL,
	     NULL},
	    {"gpu_temperature (K),MemoryUsed (K)\n330,12\n",
	     "monitor",
	     1,
	     {{"gpu_temperature", "degC", {56.85}}},
	     "MemoryUsed is in K, which cannot be made into bytes",
	     NULL},
	};
	CHECK(cases);
	assert_int_equal(sx_table_find(table_of(cases[6].text, "monitor"), "MemoryUsed"), SX_NONE);
	import_destroy(import);
}

/* Behind the numbers, where all cells of a column agree; a unit may begin with a number itself. */
static void test_units_in_cells(void **state)
{
	static const struct table_case cases[] = {
	    {"gpu_interrupts;other;frame_time;memory_read_bandwidth;what\n"
	     "12 1/s;30 %;5 ms;1.2 GB/s;1 000 1/s\n13 1/s;31 %;6 ms;-;4 1/s\n",
	     NULL,
	     2,
	     {{"gpu_interrupts", "interrupts/s", {12, 13}},
	      {"other", "percent", {30, 31}},
	      {"FrameTimes", "ns", {5e6, 6e6}},
	      {"memory_read_bandwidth", "MB/s", {1200, NONE}},
	      {"what", "Hz", {1000, 4}}},
	     NULL,
	     NULL},
	};
	/* Names that end as units do stay names. */
	static const char *const labels[] = {
	    "x;gpu_busy\n5 ms;3\n6 ms;3\n7 A;3\n", "x;gpu_busy\nLow 5 ms;3\n6 ms;3\n7 ms;3\n",
	    "x;gpu_busy\n5 A;3\n5 B;3\n5 C;3\n", "x;gpu_busy\n5 ms;3\n6 ms;3\nthen;3\n"};
	CHECK(cases);
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		const struct sx_table *table = table_of(labels[i], NULL);
		const char *first = strchr(labels[i], '\n') + 1;
		const char *text =
		    sx_table_string(table, (uint32_t)sx_table_label(table, SX_LABEL_GROUP, 0));
		assert_int_equal(sx_table_find(table, "x"), SX_NONE);
		assert_memory_equal(text, first, strlen(text));
		assert_int_equal(first[strlen(text)], ';');
		import_destroy(import);
	}
}

static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (strncasecmp(*a == '_' ? " " : a, *b == '_' ? " " : b, 1) != 0)
			return false;
	return *a == *b;
}

/* Of two frames of 16.6 and 33.3 ms in which the GPU was busy 50 and 60 % of the time. */
static void check_two_frames(const char *text, const char *catalog, const char *noted)
{
	const struct sx_table *table = table_of(text, catalog);
	struct column busy = {NULL, "percent", {50, 60}};
	const struct column time = {"FrameTimes", "ns", {16.6e6, 33.3e6}};
	for (uint32_t i = 0; i < sx_table_column_count(table); i++)
		if (same_name(sx_table_column(table, i)->name, "GPU busy"))
			busy.name = sx_table_column(table, i)->name;
	if (!busy.name || sx_table_row_count(table) != 2)
		fail_msg("%s\n%zu rows, %s\n%s", text, sx_table_row_count(table), busy.name, notes);
	check_column(text, table, &time);
	check_column(text, table, &busy);
	check_notes(text, noted, noted ? NULL : "none of the table");
	import_destroy(import);
}

#define HEAD  "Frame time (ms),GPU busy\n"
#define BARE  "Frame time,GPU busy\n"
#define FIRST "16.6,50\n"
#define LAST  "33.3,60\n"
#define ROWS  FIRST LAST

/* A title, comments, lines of units and of groups, remarks at the end: the table is found, and what
 * is left out noted. */
static void test_below_other_lines(void **state)
{
	static const char *const cases[][2] = {
	    {"Report of Scene 5\n\n" HEAD ROWS,
	     "1 line is none of the table's and left out, line 1 the first: Report of Scene 5"},
	    {"Date: 2026-11-23\nGPU: GeForce, 8 GB\nDriver, 5.3\n\n" HEAD "\n" ROWS,
	     "3 lines are none of the table's and left out, line 1 the first: Date: 2026-11-23"},
	    {"// by x\n// and y, z\n" HEAD ROWS, "2 lines are none of the table's"},
	    {"; by x, and y\n" HEAD FIRST "; a break\n" LAST, "2 lines are none of the table's"},
	    {HEAD ROWS "\nRecorded by tool 5.6 on Monday\n",
	     "1 line is none of the table's and left out, line 5 the first: Recorded"},
	    {HEAD ROWS "end of the log\n",
	     "none of the table's and left out, line 4 the first: end of the log"},
	    {BARE "(ms),[%]\n" ROWS, NULL},
	    {BARE "ms,%\n" ROWS, NULL},
	    {BARE "# ms,%\n" ROWS, NULL},
	    {"Title\n" BARE "ms,percent\n" ROWS,
	     "none of the table's and left out, line 1 the first: Title"},
	    {HEAD "mean,max\n" ROWS,
	     "none of the table's and left out, line 2 the first: mean,max"},
	    {HEAD FIRST HEAD LAST, NULL},
	    {"# " HEAD ROWS, NULL},
	    {"# by x\n#\n# " BARE "# ms,%\n" ROWS, NULL},
	    {"Frame,GPU\ntime (ms),busy\n" ROWS, NULL},
	    {"Title\n| Frame time (ms) | GPU busy |\n|---|---:|\n| 16.6 | 50 |\n| 33.3 | 60 |\n",
	     "none of the table's and left out, line 1 the first: Title"},
	    {"frame_time_ms  gpu_busy\n   16.6   50\n   33.3   60\n", NULL},
	    {"# frame_time  gpu_busy\n# ms  %\n16.6\t50\n33.3\t60\n", NULL},
	    {"log of x\n \"Frame time (ms)\" gpu_busy\n16,6 50\n33,3 60\n",
	     "none of the table's and left out, line 1 the first: log of x"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check_two_frames(cases[i][0], NULL, cases[i][1]);
		check_two_frames(cases[i][0], "monitor", cases[i][1]);
	}
}

/* Lines keep their numbers, and what can be a row stays one. */
static void test_rows_stay_rows(void **state)
{
	static const struct table_case cases[] = {
	    {"Title\n\n" HEAD FIRST "1,2,3\n",
	     "monitor",
	     1,
	     {{"FrameTimes", "ns", {16.6e6}}},
	     "1 line is left out, line 5 the first: a line has more cells",
	     NULL},
	    {"scene,frame_time (ms)\nmenu,5\nlast\n",
	     NULL,
	     2,
	     {{"FrameTimes", "ns", {5e6, NONE}}},
	     "1 line has fewer cells",
	     NULL},
	    {"GPU time (ms)\n1 234\n2 345\n",
	     "monitor",
	     2,
	     {{"GPU time", "ns", {1234e6, 2345e6}}},
	     NULL,
	     NULL},
	    /* A row of cells that are no numbers is a row. */
	    {"frame_time (ms),gpu_time (ms)\n16,8\nbroken,ERR\n17,9\n",
	     "monitor",
	     3,
	     {{"FrameTimes", "ns", {16e6, NONE, 17e6}}},
	     "2 cells are no number",
	     NULL},
	};
	CHECK(cases);
}

static void refuse(const char *text, const char *catalog, const char *words)
{
	struct sx_error err = {0};
	assert_int_equal(read_table(text, catalog, &err), SX_ERR_BAD_INPUT);
	if (!strstr(err.message, words) || !err.because[0] || !err.remedy[0])
		fail_msg("%s\n%s\nbecause: %s\ntry: %s", text, err.message, err.because,
			 err.remedy);
}

/* Below other names or other units the same cells are other numbers: none is read by the first
 * header. */
static void test_second_table(void **state)
{
	static const char *const second[] = {"frame_time (us),gpu_time (us)\n16000,8000\n",
					     "gpu_time (ms),frame_time (ms)\n8,16\n",
					     "\nname,cpu_busy\nx,3\n", "x,gpu_time_us\n1,2\n"};
	for (size_t i = 0; i < sizeof(second) / sizeof(second[0]); i++) {
		char text[128];
		snprintf(text, sizeof(text), "frame_time (ms),gpu_time (ms)\n16,8\n%s", second[i]);
		const char *words =
		    i == 2 ? "t.csv:4: the table ends here" : "t.csv:3: the table ends here";
		refuse(text, NULL, words);
		refuse(text, "monitor", words);
	}
	refuse("hello world\n\nnothing to see\n", NULL, "t.csv");
	refuse("one two\nthree\n", NULL, "t.csv");
}

/* nvidia-smi's dmon, which repeats its header, and turbostat, by their manuals. */
static void test_tools_in_blanks(void **state)
{
#define DMON                                                                                       \
	"# gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk     fb\n"                          \
	"# Idx      W      C      C      %      %    MHz    MHz     MB\n"
#define TURBOSTAT                                                                                  \
	"Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tPkgTmp\tGFX%"                                         \
	"rc6\tGFXMHz\tGFXAMHz\tPkgWatt\tCorWatt\tGFXWatt\n"                                        \
	"-\t-\t34\t1.98\t1715\t45\t95.1\t300\t299\t3.05\t1.01\t0.06\n"
	static const struct table_case cases[] = {
	    {DMON "    0     17     46      -      1      2    405    300    500 \n"
		  "    0     18     46      -      3      2    405    300    500 \n" DMON
		  "    0     19     46      -      5      2    405    300    500 \n",
	     NULL,
	     3,
	     {{"GpuPower", "mW", {17e3, 18e3, 19e3}},
	      {"GpuTemperature", "degC", {46, 46, 46}},
	      {"GpuBusy", "percent", {1, 3, 5}},
	      {"MemoryFrequency", "Hz", {405e6, 405e6, 405e6}},
	      {"GpuFrequency", "Hz", {300e6, 300e6, 300e6}},
	      {"MemoryUsed", "bytes", {500 << 20, 500 << 20, 500 << 20}}},
	     NULL,
	     NULL},
	    {"turbostat version 2023.03.17 - someone\nKernel command line: quiet\n" TURBOSTAT
		 TURBOSTAT,
	     NULL,
	     2,
	     {{"CpuBusy", "percent", {1.98, 1.98}},
	      {"CpuFrequency", "Hz", {1715e6, 1715e6}},
	      {"CpuTemperature", "degC", {45, 45}},
	      {"SleepShare", "percent", {95.1, 95.1}},
	      {"GpuFrequency", "Hz", {299e6, 299e6}},
	      {"PackagePower", "mW", {3050, 3050}},
	      {"GpuPower", "mW", {60, 60}}},
	     "2 lines are none of the table",
	     NULL},
	};
	CHECK(cases);
}

/* 1.234.567 in a column with 1.5 is a group or a slip: no data, whatever separates cells; alone it
 * is a number. Of JSON, no number within a list is the value. */
static void test_odd_numbers(void **state)
{
	static const char marks[] = ",;\t";
#define BETWEEN                                                                                    \
	"1 number has groups of digits between points, in a column of fractions after points, "    \
	"the first in line "
	static const struct table_case cases[] = {
	    {"MemoryUsed (MB)%cFrameRate\n1.5%c7\n1.234.567%c7\n2.25%c7\n",
	     "monitor",
	     3,
	     {{"MemoryUsed", "bytes", {1.5e6, NONE, 2.25e6}}, {"FrameRate", NULL, {7, 7, 7}}},
	     BETWEEN "3, column MemoryUsed",
	     NULL},
	    {"MemoryUsed (MB)%cFrameRate\n1.234.567%c7\n2.25%c7\n1.5%c7\n",
	     "monitor",
	     3,
	     {{"MemoryUsed", "bytes", {NONE, 2.25e6, 1.5e6}}, {"FrameRate", NULL, {7, 7, 7}}},
	     BETWEEN "2, column MemoryUsed",
	     NULL},
	    {"IAVertices%cFrames\n1.234.567%c7\n2.345.678%c8\n",
	     "opengl",
	     2,
	     {{"IAVertices", NULL, {1234567, 2345678}}},
	     NULL,
	     "between points"},
	};
	static const struct table_case list = {
	    "{\"frame\":0,\"gpu_time\":8,\"x\":1}\n{\"frame\":1,\"gpu_time\":[1,2],\"x\":[]}\n{"
	    "\"frame\":2,\"gpu_time\":[[3]],\"x\":2}\n",
	    "monitor",
	    3,
	    {{"gpu_time", "ns", {8e6, NONE, NONE}}},
	    "2 cells are no number and left out, the first in row 2, column gpu_time: \"[...]\"",
	    NULL};
	for (size_t i = 0; i < 3 * (sizeof(marks) - 1); i++) {
		char text[128], mark = marks[i / 3];
		struct table_case c = cases[i % 3];
		size_t used = 0;
		for (const char *p = c.text; *p; p++) {
			bool place = p[0] == '%' && p[1] == 'c';
			text[used++] = place ? mark : *p;
			p += place;
		}
		text[used] = '\0';
		c.text = text;
		check_table(&c);
	}
	check_table(&list);
}

#define TOTALS "scene,frame_time (ms),IAVertices\na,100,10\nb,110,20\nc,102,31\n"

/* A last line that is named as a sum or mean, and is one, is no row; one that is only named so is
 * one, and noted. */
static void test_line_of_totals(void **state)
{
	static const char
	    left_out[] = "has the sums or means of those above: it is left out",
	    kept[] = "the last line is named Total, and its numbers are not all sums or means";
	static const struct column three = {"IAVertices", NULL, {10, 20, 31}};
	static const char *const totals[] = {"Total,312,61\n",	   "total:,312,\n",
					     "Average,104,20.3\n", "\"Mean\",104,\n",
					     "Gesamt,312,61\n\n",  "Sum,104,61\n"};
	static const struct table_case cases[] = {
	    {TOTALS "Total,312,62\n",
	     "opengl",
	     4,
	     {{"IAVertices", NULL, {10, 20, 31, 62}}},
	     kept,
	     NULL},
	    {TOTALS "Total,90,\n",
	     "opengl",
	     4,
	     {{"IAVertices", NULL, {10, 20, 31, NONE}}},
	     kept,
	     NULL},
	    {TOTALS "Totally,312,61\n",
	     "opengl",
	     4,
	     {{"IAVertices", NULL, {10, 20, 31, 61}}},
	     NULL,
	     "those above"},
	    {"scene,frame_time (ms),IAVertices\nTotal,100,10\nb,110,20\nc,102,31\nTotal,312,61\n",
	     "opengl",
	     4,
	     {{"IAVertices", NULL, {10, 20, 31, 61}}},
	     NULL,
	     "those above"},
	    {"scene,IAVertices\na,5\nTotal,5\n",
	     "opengl",
	     2,
	     {{"IAVertices", NULL, {5, 5}}},
	     NULL,
	     "those above"},
	    {"frame,IAVertices\n1,10\n2,20\nTotal,30\n",
	     "opengl",
	     2,
	     {{"IAVertices", NULL, {10, 20}}},
	     left_out,
	     NULL},
	};
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		char text[128];
		snprintf(text, sizeof(text), TOTALS "%s", totals[i]);
		check_table(&(struct table_case){text, "opengl", 3, {three}, left_out, NULL});
	}
	CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_units_of_what_is_measured),
	    cmocka_unit_test(test_units_in_cells),
	    cmocka_unit_test(test_below_other_lines),
	    cmocka_unit_test(test_rows_stay_rows),
	    cmocka_unit_test(test_second_table),
	    cmocka_unit_test(test_tools_in_blanks),
	    cmocka_unit_test(test_odd_numbers),
	    cmocka_unit_test(test_line_of_totals),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
