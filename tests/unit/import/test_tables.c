/* Tables as people, scripts and spreadsheets write them: which counters they become, in which unit,
 * and what is noted. */
#include "unit/import/table_case.h"

/* K is kelvin of temperatures and thousands of what is counted; 1/s is whatever comes in a second.
 */
static void test_units_of_what_is_measured(void **state)
{
	static const struct table_case cases[] = {
	    {"gpu_temperature (K),FrameRate (1/s)\n330,12\n331.25,12.5\n", "monitor",
	     "gpu_temperature: degC 56.85 58.1; FrameRate: frames/s 12 12.5", NULL},
	    {"gpu_temperature,FrameRate\nK,1/s\n330,12\n331.25,12.5\n", "monitor",
	     "gpu_temperature: degC 56.85 58.1; FrameRate: frames/s 12 12.5", NULL},
	    {"heat (K),InterruptRate (kHz)\n330,12\n331.25,12.5\n", "monitor",
	     "heat: K 330 331.25; InterruptRate: interrupts/s 12000 12500", NULL},
	    {"IAVertices (K),what (1/s)\n330,12\n331.25,12.5\n", "opengl",
	     "IAVertices: vertices 330000 331250; what: Hz 12 12.5", NULL},
	    {"MemoryReadBandwidth (Mbit/s),x (kbit/s)\n330,12\n331.25,12.5\n", "monitor",
	     "MemoryReadBandwidth: MB/s 41.25 41.40625; x: bytes/s 1500 1562.5", NULL},
	    {"frame_time (ms),gpu_temperature\n16,330 K\n17,331.25 K\n", "monitor",
	     "gpu_temperature: degC 56.85 58.1", NULL},
	    {"gpu_temperature (K),MemoryUsed (K)\n330,12\n", "monitor",
	     "gpu_temperature: degC 56.85; MemoryUsed: none",
	     "MemoryUsed is in K, which cannot be made into bytes"},
	};
	CHECK(cases);
}

/* Behind the numbers, where all cells of a column agree; a unit may begin with a number itself. */
static void test_units_in_cells(void **state)
{
	static const struct table_case cases[] = {
	    {"gpu_interrupts;other;frame_time;memory_read_bandwidth;what\n"
	     "12 1/s;30 %;5 ms;1.2 GB/s;1 000 1/s\n13 1/s;31 %;6 ms;-;4 1/s\n",
	     NULL,
	     "gpu_interrupts: interrupts/s 12 13; other: percent 30 31; FrameTimes: ns 5e6 6e6; "
	     "memory_read_bandwidth: MB/s 1200 -; what: Hz 1000 4",
	     NULL},
	    /* Names that end as units do stay names. */
	    {"x;gpu_busy\n5 ms;3\n6 ms;3\n7 A;3\n", NULL, "x: label 5_ms 6_ms 7_A", NULL},
	    {"x;gpu_busy\nLow 5 ms;3\n6 ms;3\n7 ms;3\n", NULL, "x: label Low_5_ms 6_ms 7_ms", NULL},
	    {"x;gpu_busy\n5 A;3\n5 B;3\n5 C;3\n", NULL, "x: label 5_A 5_B 5_C", NULL},
	    {"x;gpu_busy\n5 ms;3\n6 ms;3\nthen;3\n", NULL, "x: label 5_ms 6_ms then", NULL},
	};
	CHECK(cases);
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
	    {BARE "(ms),[%]\n" ROWS},
	    {BARE "ms,%\n" ROWS},
	    {BARE "# ms,%\n" ROWS},
	    {"Title\n" BARE "ms,percent\n" ROWS,
	     "none of the table's and left out, line 1 the first: Title"},
	    {HEAD "mean,max\n" ROWS,
	     "none of the table's and left out, line 2 the first: mean,max"},
	    {HEAD FIRST HEAD LAST},
	    {"# " HEAD ROWS},
	    {"# by x\n#\n# " BARE "# ms,%\n" ROWS},
	    {"Frame,GPU\ntime (ms),busy\n" ROWS},
	    {"Title\n| Frame time (ms) | GPU busy |\n|---|---:|\n| 16.6 | 50 |\n| 33.3 | 60 |\n",
	     "none of the table's and left out, line 1 the first: Title"},
	    {"frame_time_ms  gpu_busy\n   16.6   50\n   33.3   60\n"},
	    {"# frame_time  gpu_busy\n# ms  %\n16.6\t50\n33.3\t60\n"},
	    {"log of x\n \"Frame time (ms)\" gpu_busy\n16,6 50\n33,3 60\n",
	     "none of the table's and left out, line 1 the first: log of x"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct table_case c = {cases[i][0], NULL,
				       "FrameTimes: ns 16.6e6 33.3e6; GPU busy: percent 50 60",
				       cases[i][1] ? cases[i][1] : "!none of the table"};
		check_table(&c);
		c.catalog = "monitor";
		check_table(&c);
	}
}

/* Lines keep their numbers, and what can be a row stays one. */
static void test_rows_stay_rows(void **state)
{
	static const struct table_case cases[] = {
	    {"Title\n\n" HEAD FIRST "1,2,3\n", "monitor", "FrameTimes: ns 16.6e6",
	     "1 line is left out, line 5 the first: a line has more cells"},
	    {"scene,frame_time (ms)\nmenu,5\nlast\n", NULL,
	     "scene: label menu last; FrameTimes: ns 5e6 -", "1 line has fewer cells"},
	    {"GPU time (ms)\n1 234\n2 345\n", "monitor", "GPU time: ns 1234e6 2345e6", NULL},
	    /* A row of cells that are no numbers is a row. */
	    {"frame_time (ms),gpu_time (ms)\n16,8\nbroken,ERR\n17,9\n", "monitor",
	     "FrameTimes: ns 16e6 - 17e6", "2 cells are no number"},
	};
	CHECK(cases);
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
		refuse_table(text, NULL, words);
		refuse_table(text, "monitor", words);
	}
	refuse_table("hello world\n\nnothing to see\n", NULL, "t.csv");
	refuse_table("one two\nthree\n", NULL, "t.csv");
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
	     "GpuPower: mW 17e3 18e3 19e3; GpuTemperature: degC 46 46 46; GpuBusy: percent 1 3 5; "
	     "MemoryFrequency: Hz 405e6 405e6 405e6; GpuFrequency: Hz 300e6 300e6 300e6; "
	     "MemoryUsed: bytes 524288000 524288000 524288000",
	     NULL},
	    {"turbostat version 2023.03.17 - someone\nKernel command line: quiet\n" TURBOSTAT
		 TURBOSTAT,
	     NULL,
	     "CpuBusy: percent 1.98 1.98; CpuFrequency: Hz 1715e6 1715e6; CpuTemperature: degC 45 "
	     "45; SleepShare: percent 95.1 95.1; GpuFrequency: Hz 299e6 299e6; PackagePower: mW "
	     "3050 3050; GpuPower: mW 60 60",
	     "2 lines are none of the table"},
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
	    {"MemoryUsed (MB)%cFrameRate\n1.5%c7\n1.234.567%c7\n2.25%c7\n", "monitor",
	     "MemoryUsed: bytes 1.5e6 - 2.25e6; FrameRate: * 7 7 7",
	     BETWEEN "3, column MemoryUsed"},
	    {"MemoryUsed (MB)%cFrameRate\n1.234.567%c7\n2.25%c7\n1.5%c7\n", "monitor",
	     "MemoryUsed: bytes - 2.25e6 1.5e6; FrameRate: * 7 7 7",
	     BETWEEN "2, column MemoryUsed"},
	    {"IAVertices%cFrames\n1.234.567%c7\n2.345.678%c8\n", "opengl",
	     "IAVertices: * 1234567 2345678", "!between points"},
	};
	static const struct table_case list = {
	    "{\"frame\":0,\"gpu_time\":8,\"x\":1}\n{\"frame\":1,\"gpu_time\":[1,2],\"x\":[]}\n{"
	    "\"frame\":2,\"gpu_time\":[[3]],\"x\":2}\n",
	    "monitor", "gpu_time: ns 8e6 - -",
	    "2 cells are no number and left out, the first in row 2, column gpu_time: \"[...]\""};
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
	static const char *const totals[] = {"Total,312,61\n",	   "total:,312,\n",
					     "Average,104,20.3\n", "\"Mean\",104,\n",
					     "Gesamt,312,61\n\n",  "Sum,104,61\n"};
	static const struct table_case cases[] = {
	    {TOTALS "Total,312,62\n", "opengl", "IAVertices: * 10 20 31 62", kept},
	    {TOTALS "Total,90,\n", "opengl", "IAVertices: * 10 20 31 -", kept},
	    {TOTALS "Totally,312,61\n", "opengl", "IAVertices: * 10 20 31 61", "!those above"},
	    {"scene,frame_time (ms),IAVertices\nTotal,100,10\nb,110,20\nc,102,31\nTotal,312,61\n",
	     "opengl", "IAVertices: * 10 20 31 61", "!those above"},
	    {"scene,IAVertices\na,5\nTotal,5\n", "opengl", "IAVertices: * 5 5", "!those above"},
	    {"frame,IAVertices\n1,10\n2,20\nTotal,30\n", "opengl",
	     "IAVertices: * 10 20; frame: none", left_out},
	};
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		char text[128];
		snprintf(text, sizeof(text), TOTALS "%s", totals[i]);
		check_table(&(struct table_case){
		    text, "opengl", "IAVertices: * 10 20 31; scene: label a b c", left_out});
	}
	CHECK(cases);
}

/* A clock that counts from a moment of the recording is moved; other times below 0 are no times,
 * and the row stays. */
static void test_times_below_0(void **state)
{
	static const char moved[] = "times begin below 0: all were moved by",
			  below[] = "below 0, the first in line ";
	static const struct table_case cases[] = {
	    {"begin_ns,end_ns,IAVertices\n-10,-4,1\n-4,0,2\n0,7,3\n", "opengl",
	     "begin_ns: time 0 6 10; end_ns: time 6 10 17", moved},
	    {"IAVertices,Time (ms)\n1,-0.5\n2,0\n3,0.25\n", "opengl",
	     "begin_ns: time - 0 500000; end_ns: time 0 500000 750000", moved},
	    {"begin_ns,end_ns,IAVertices\n0,6,1\n-1,-1,2\n6,10,3\n", "opengl",
	     "begin_ns: time 0 - 6; end_ns: time 6 - 10; IAVertices: * 1 2 3", below},
	    {"duration_ns,IAVertices\n5,1\n-5,2\n6,3\n", "opengl",
	     "begin_ns: time 0 - 5; end_ns: time 5 - 11; IAVertices: * 1 2 3", below},
	    {"IAVertices,Time (s)\n1,-1\n2,1795000000\n3,1795000001\n", "opengl",
	     "begin_ns: time - - 1795000000e9; end_ns: time - 1795000000e9 1795000001e9", below},
	};
	CHECK(cases);
}

/* Where a known tool gives an end and a length, the begin follows from both. A frame begins where
 * the one before ended, also where that one's end is lost. */
static void test_times_by_lengths(void **state)
{
	static const struct table_case cases[] = {
	    {"end_ns,duration_ns,MaliGPUActiveCy,MaliFragQueueActiveCy\n100,30,1,1\n200,50,2,2\n",
	     "mali-g76", "begin_ns: time 70 150; end_ns: time 100 200", "!no length"},
	    {"fps,frametime,gpu_load,elapsed\n62.5,16,50,16000000\n40,25,60,\n40,25,-6,66000000\n",
	     "monitor",
	     "begin_ns: time 0 16e6 41e6; end_ns: time 16e6 41e6 66e6; FrameTimes: ns 16e6 25e6 "
	     "25e6; Frames: frames 1 1 1; GpuBusy: percent 50 60 -",
	     "1 line has no valid time: the length of the frame replaces it"},
	    {"fps,frametime,elapsed\n62.5,16,116000000\n62.5,16,400000000\n62.5,16,700000000\n",
	     "monitor",
	     "begin_ns: time 100e6 116e6 400e6; LastFrameTime: ns 16e6 16e6 16e6; Frames: none",
	     "a line an interval, not one a frame"},
	};
	CHECK(cases);
}

/* A row at the time of the one above, or before it, has no length, and that is noted. */
static void test_times_that_do_not_go_on(void **state)
{
	static const char *const heads[] = {"time (s)", "timestamp_ms", "timestamp", "when"},
				 *const cells[] = {"%c.00", "%c", "2026-11-23T00:21:0%cZ",
						   "2026/11/23 00:21:0%c,5"};
	static const struct {
		const char *stamps, *lasts, *noted; /* which rows have a length */
	} cases[] = {
	    {"0123", "0111", "!no later"},
	    {"0213", "0101", "1 line is no later than the line above, line 4 the first"},
	    {"02113", "01001", "2 lines are no later than the line above, line 4 the first"},
	    /* Of rows beside each other that have one date it is a label. */
	    {"02132", "01010", "2 lines are no later than the line above, line 4 the first"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) * 4; i++) {
		const char *stamps = cases[i / 4].stamps;
		char text[256], cell[32];
		int used = snprintf(text, sizeof(text), "%s;IAVertices\n", heads[i % 4]);
		if (i % 4 > 1 && strstr(stamps, "11"))
			continue;
		for (const char *p = stamps; *p; p++) {
			const char *place = strchr(cells[i % 4], '%');
			snprintf(cell, sizeof(cell), "%.*s%c%s", (int)(place - cells[i % 4]),
				 cells[i % 4], *p, place + 2);
			used += snprintf(text + used, sizeof(text) - (size_t)used, "%s;1\n", cell);
		}
		const struct sx_table *table = table_of(text, "opengl");
		assert_int_equal(sx_table_row_count(table), strlen(stamps));
		for (size_t row = 0; stamps[row]; row++)
			assert_int_equal(sx_table_begin_ns(table)[row] != SX_TIME_UNKNOWN,
					 cases[i / 4].lasts[row] == '1');
		check_notes(cases[i / 4].noted);
		table_close();
	}
}

/* Dates in one form are the times of rows, from the first on, across days, months and years. */
static void test_dates(void **state)
{
	static const char *const forms[] = {"%.10sT%s", "%.10s %s000", "%.10sT%sZ",
					    "%.10sT%s+05:30"};
	/* 0, 10, 35, 100 ms, an hour and two days after the first. */
	static const char *const dates[][6] = {
	    {"2026-11-23 00:21:35.123", "2026-11-23 00:21:35.133", "2026-11-23 00:21:35.158",
	     "2026-11-23 00:21:35.223", "2026-11-23 01:21:35.123", "2026-11-25 00:21:35.123"},
	    {"2024-02-28 23:59:59.900", "2024-02-28 23:59:59.910", "2024-02-28 23:59:59.935",
	     "2024-02-29 00:00:00.000", "2024-02-29 00:59:59.900", "2024-03-01 23:59:59.900"},
	    {"1999-12-31 23:59:59.950", "1999-12-31 23:59:59.960", "1999-12-31 23:59:59.985",
	     "2000-01-01 00:00:00.050", "2000-01-01 00:59:59.950", "2000-01-02 23:59:59.950"},
	    {"2026/11/23 00:21:35.123", "2026/11/23 00:21:35.133", "2026/11/23 00:21:35.158",
	     "2026/11/23 00:21:35.223", "2026/11/23 01:21:35.123", "2026/11/25 00:21:35.123"},
	};
	for (size_t i = 0; i < 4 * sizeof(dates) / sizeof(dates[0]); i++) {
		char text[512] = "timestamp,IAVertices\n", noted[128], cell[48];
		const char *const *of = dates[i / 4];
		for (size_t row = 0; row < 6; row++) {
			snprintf(cell, sizeof(cell), forms[i % 4], of[row], of[row] + 11);
			size_t used = strlen(text);
			snprintf(text + used, sizeof(text) - used, "%s,1\n", cell);
			if (row == 0)
				snprintf(
				    noted, sizeof(noted),
				    "column timestamp holds dates: times of rows count from %s",
				    cell);
		}
		check_table(&(struct table_case){text, "opengl",
						 "begin_ns: time - 0 10e6 35e6 100e6 3600e9; "
						 "end_ns: time 0 10e6 35e6 100e6 3600e9 172800e9",
						 noted});
	}
}

/* Numbers go before dates, and what is no date, or not in one form, or twice in a row, is a label.
 */
static void test_what_is_no_date(void **state)
{
	static const struct table_case cases[] = {
	    {"start,end,Frames\n2026-11-23T00:00:00,2026-11-23T00:00:01,30\n2026-11-23T00:00:01,"
	     "2026-11-23T00:00:02,31\n",
	     "opengl", "begin_ns: time 0 1e9; end_ns: time 1e9 2e9", "holds dates"},
	    {"time,end_ns,Frames\n2026-11-23T00:00:00,5,1\n2026-11-23T00:00:01,9,2\n", "opengl",
	     "time: label 2026-11-23T00:00:00 2026-11-23T00:00:01; end_ns: time 5 9",
	     "!holds dates"},
	    {"time,IAVertices\n2026-11-23T00:00:00,1\n2026-11-23 00:00:01,2\n", "opengl",
	     "time: label 2026-11-23T00:00:00 2026-11-23_00:00:01", "!holds dates"},
	    {"time,IAVertices\n2026-02-29T00:00:00,1\n", "opengl",
	     "time: label 2026-02-29T00:00:00", "!holds dates"},
	    {"time,IAVertices\n2026-11-23T00:00:00,1\n2026-11-23T00:00:00,2\n2026-11-23T00:00:01,"
	     "3\n",
	     "opengl", "time: label 2026-11-23T00:00:00 2026-11-23T00:00:00 2026-11-23T00:00:01",
	     "!holds dates"},
	    {"time,IAVertices\n2026-11-23T00:00:00+25:00,1\n", "opengl",
	     "time: label 2026-11-23T00:00:00+25:00", "!holds dates"},
	    {"time,IAVertices\n2026-11-23T00:61:00,1\n", "opengl",
	     "time: label 2026-11-23T00:61:00", "!holds dates"},
	};
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
	    cmocka_unit_test(test_times_below_0),
	    cmocka_unit_test(test_times_by_lengths),
	    cmocka_unit_test(test_times_that_do_not_go_on),
	    cmocka_unit_test(test_dates),
	    cmocka_unit_test(test_what_is_no_date),
	};
	return cmocka_run_group_tests(tests, tables_open, tables_close);
}
