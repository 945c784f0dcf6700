/* Tables of counters: where a unit may stand, what values can be, and what is no data. */
#include "unit/import/table_case.h"

/* The same table in each catalog. */
static void check_in(const char *const *catalogs, size_t count, const char *text,
		     const char *columns, const char *noted)
{
	for (size_t i = 0; i < count; i++)
		check_table(&(struct table_case){text, catalogs[i], columns, noted});
}

/* Behind a name in words or with a slash, in a line of their own below the header, behind the
 * numbers. */
static void test_wherever_they_stand(void **state)
{
	static const char *const texts[] = {"frame_time/ms,gpu_time/us\n16.6,5000\n",
					    "frame_time in ms,gpu_time in us\n16.6,5000\n",
					    "frame_time,gpu_time\nms,us\n16.6,5000\n",
					    ("\xef\xbb\xbf"
					     "frame_time;gpu_time\r\n(ms);[us]\r\n16,6;5000\r\n"),
					    "frame_time,gpu_time\n16.6 ms,5000 us\n",
					    "frame_time,gpu_time (us)\n\"16.6ms\",5000 us\n",
					    "frame_time (ms),gpu_time\n16.6 ms,0.005 s\n",
					    "time,frame_time,gpu_time\ns,ms,us\n1,16.6,5000\n",
					    "frame_time_ms,gpu_time_us\n16.6,5000\n"};
	static const char *const catalogs[] = {NULL, "opengl"};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (size_t c = 0; c < 2; c++)
			check_table(
			    &(struct table_case){texts[i], catalogs[c],
						 c ? "frame_time: ms 16.6; gpu_time: ms 5"
						   : "FrameTimes: ns 16.6e6; gpu_time: ns 5e6",
						 "!no unit"});
}

static void test_units_of_names(void **state)
{
	static const struct table_case cases[] = {
	    {"frame_time (min),gpu_busy\n0.5,55 %\n0.5,45%\n", "monitor",
	     "FrameTimes: ns 30e9 30e9; gpu_busy: percent 55 45", NULL},
	    {"begin_ns,end_ns,quality,frame_time_ms,gpu_time_us\n0,9,,16.6,5000\n", "opengl",
	     "frame_time: ms 16.6; gpu_time: ms 5", "!no unit"},
	    {"name,value\nframe_time_ms,16.6\ngpu_time_us,5000\n", "opengl",
	     "frame_time: ms 16.6; gpu_time: ms 5", "!no unit"},
	    {"Frame time (ms),gpu_time us\n16.6,5000\n", NULL,
	     "FrameTimes: ns 16.6e6; gpu_time: ns 5e6", "!no unit"},
	    {"Frame time (ms),gpu_time us\n16.6,5000\n", "opengl",
	     "Frame time: ns 16.6e6; gpu_time: ms 5", "!no unit"},
	    /* The least of something is in no minutes, and a line of texts is no line of units. */
	    {"frame_time (ms),frame_time_min\n5,3\n", "opengl", "frame_time: ms 5", NULL},
	    {"frame_time (ms),scene\n5,s\n6,ms\n", NULL,
	     "FrameTimes: ns 5e6 6e6; scene: label s ms", NULL},
	    /* Names in one case have their unit in it, too; "Mb" is no megabyte. */
	    {"gpu_memory_used_mb,cpu_busy\n2,50\n", "monitor", "gpu_memory_used: bytes 2e6", NULL},
	    {"FRAME_TIME_MS,cpu_busy\n2,50\n", "monitor", "FrameTimes: ns 2e6", NULL},
	    {"gpu_power_w,cpu_busy\n2,50\n", "monitor", "gpu_power: mW 2000", NULL},
	    {"gpu_frequency (MHZ),cpu_busy\n2,50\n", "monitor", "gpu_frequency: Hz 2e6", NULL},
	    {"gpu_memory_used_Mb,cpu_busy\n2,50\n", "monitor", "gpu_memory_used: none", NULL},
	    {"frame_time_ms,cpu_time_MB\n16,1\n", "opengl", "frame_time: ms 16; cpu_time: none",
	     "column cpu_time is in bytes, which cannot be made into ms"},
	    /* A unit that is not the header's costs its cell, as a word does. */
	    {"frame_time (ms)\n16.6\n12%\n9us\n16.6\n", "opengl", "frame_time: ms 16.6 - - 16.6",
	     "2 cells are no number and left out, the first in line 3, column frame_time: \"12%\""},
	    {"frame_time (ms)\n16.6 ms\n12%\n9us\n16.6\n", "opengl", "frame_time: ms 16.6 - - 16.6",
	     "2 cells are no number and left out, the first in line 3, column frame_time: \"12%\""},
	};
	CHECK(cases);
	refuse_table("frame_time\n16 ms\n900 us\n", NULL, "in one unit");
	refuse_table("frame_time (ms)\n16 us\n", NULL, "in one unit");
	refuse_table("frame_time (ms)\n16 parsecs\n", NULL, "makes it one of numbers");
}

/* What has no unit is in ms whichever catalog is guessed or named, and that is noted. */
static void test_units_that_are_not_written(void **state)
{
	static const char *const all[] = {"opengl", "vulkan", NULL, "monitor"};
	static const char noted[] = "2 columns have no unit and are read as frame_time in ms, "
				    "gpu_time in ms; \"frame_time (ms)\" says so";
	static const char *const bare[] = {
	    "frame_time,gpu_time\n16.6,3\n", "name,value\nframe_time,16.6\ngpu_time,3\n",
	    "begin_ns,end_ns,quality,frame_time,gpu_time\n,,,16.6,3\n"};
	static const char *const said[] = {"frame_time (ms),gpu_time (us)\n16.6,3\n",
					   "name,value\nframe_time (ms),16.6\ngpu_time (us),3\n"};
	static const struct table_case cases[] = {
	    {"Frame time\n16.6\n", "monitor", "FrameTimes: ns 16.6e6",
	     "Frame time has no unit: it is read in ms"},
	    /* A counter by its own name has its vendor's unit. */
	    {"GpuTime,Frames\n5,1\n", NULL, "GpuTime: ns 5; Frames: frames 1", "!no unit"},
	};
	for (size_t i = 0; i < 3; i++) {
		check_in(all, 2, bare[i], "frame_time: ms 16.6; gpu_time: ms 3", noted);
		check_in(all + 2, 2, bare[i], "FrameTimes: ns 16.6e6; gpu_time: ns 3e6", noted);
	}
	for (size_t i = 0; i < 2; i++)
		check_in(all + 2, 1, said[i], "FrameTimes: ns 16.6e6; gpu_time: ns 3000",
			 "!no unit");
	CHECK(cases);
}

/* Words of nvidia-smi, spreadsheets and databases. */
static void test_words_for_no_data(void **state)
{
	static const struct table_case cases[] = {
	    {"b,gpu_time (ms)\n1,[N/A]\n1,[Not "
	     "Supported]\n1,#VALUE!\n1,#REF!\n1,#NUM!\n1,\\N\n1,N/A\n1,5\n",
	     "opengl", "gpu_time: ms - - - - - - - 5", "!no number"},
	    {"frame,variable,value\n0,frame_time (ms),10\n0,gpu_time (ms),[N/A]\n1,frame_time "
	     "(ms),10\n1,gpu_time (ms),#REF!\n"
	     "2,frame_time (ms),10\n2,gpu_time (ms),\\N\n3,frame_time (ms),10\n3,gpu_time (ms),5\n",
	     "opengl", "frame_time: ms 10 10 10 10; gpu_time: ms - - - 5", "!no number"},
	    {"timestamp, utilization.gpu [%], memory.used [MiB], power.draw [W], "
	     "clocks.current.graphics [MHz], temperature.gpu\n"
	     "2026/11/20 10:00:00.123, 45 %, 1024 MiB, 120.50 W, 1500 MHz, 60\n2026/11/20 "
	     "10:00:01.123, 55 %, 1024 MiB, 121.50 W, 1510 MHz, 62\n",
	     NULL,
	     "GpuBusy: percent 45 55; MemoryUsed: bytes 1073741824 1073741824; GpuPower: mW 120500 "
	     "121500; "
	     "GpuFrequency: Hz 1500e6 1510e6; GpuTemperature: degC 60 62; end_ns: time 0 1e9",
	     NULL},
	};
	CHECK(cases);
}

struct impossible {
	const char *name, *value;
};

/* A good row and one with a value that cannot be, in each form of a table. */
static void check_impossible(const struct impossible *bad)
{
	static const char *const names[] = {"GpuBusy", "GpuPower", "Frames", "GpuTemperature"},
				 *const good[] = {"50", "0", "3", "-5"};
	char csv[128] = "GpuBusy,GpuPower,Frames,GpuTemperature\n50,0,3,-5\n", export[256],
	     json[512], lines[512], tall[512] = "name,value,frame\n";
	char row[64] = "", object[256] = "", columns[128] = "GpuTemperature: degC -5 -5; ";
	for (size_t i = 0; i < 4; i++) {
		const char *value = strcmp(names[i], bad->name) == 0 ? bad->value : good[i];
		snprintf(row + strlen(row), sizeof(row) - strlen(row), "%s%s", i ? "," : "", value);
		snprintf(object + strlen(object), sizeof(object) - strlen(object), ",\"%s\":%s",
			 names[i], value);
		snprintf(tall + strlen(tall), sizeof(tall) - strlen(tall), "%s,%s,0\n%s,%s,1\n",
			 names[i], good[i], names[i], value);
		if (value == bad->value)
			snprintf(columns + strlen(columns), sizeof(columns) - strlen(columns),
				 "%s: * %s -", names[i], good[i]);
	}
	snprintf(export, sizeof(export),
		 "begin_ns,end_ns,quality,GpuBusy,GpuPower,Frames,GpuTemperature\n0,1000000,,50,0,"
		 "3,-5\n0,1000000,,%s\n",
		 row);
	snprintf(
	    json, sizeof(json),
	    "{\"schema\":\"sextant.export/"
	    "1\",\"for\":\"monitor\",\"metrics\":[\"begin_ns\",\"end_ns\",\"quality\",\"GpuBusy\","
	    "\"GpuPower\",\"Frames\",\"GpuTemperature\"],\"units\":[\"ns\",\"ns\",null,\"percent\","
	    "\"mW\",\"frames\",\"degC\"],"
	    "\"rows\":[[0,1000000,null,50,0,3,-5],[0,1000000,null,%s]]}",
	    row);
	snprintf(lines, sizeof(lines),
		 "{\"begin_ns\":0,\"end_ns\":1000000,\"GpuBusy\":50,\"GpuPower\":0,\"Frames\":3,"
		 "\"GpuTemperature\":-5}\n"
		 "{\"begin_ns\":0,\"end_ns\":1000000%s}\n",
		 object);
	strcat(strcat(csv, row), "\n");
	const struct table_case cases[] = {
	    {csv, "monitor", columns, "line 3"},
	    {export, "monitor", columns, "line 3"},
	    {json, "monitor", columns, "row 2"},
	    {lines, "monitor", columns, "2"},
	    {tall, "monitor", columns,
	     strcmp(bad->value, "1e999") == 0 ? "first in line 3, column value" : bad->name}};
	CHECK(cases);
}

static void test_values_that_cannot_be(void **state)
{
	static const struct impossible values[] = {
	    {"GpuBusy", "150"},	  {"GpuBusy", "-1"}, {"GpuBusy", "1e999"}, {"GpuPower", "1e30"},
	    {"GpuPower", "-0.5"}, {"Frames", "-3"},  {"Frames", "1e20"}};
	static const struct table_case cases[] = {
	    /* A number whose like in a smaller unit is none. */
	    {"frame_time (ms)\n1e308\n10\n", "monitor", "FrameTimes: ns - 10e6", "beyond 1e200"},
	    {"frame_time (ms)\n1e308\n10\n", "opengl", "frame_time: ms - 10", "beyond 1e200"},
	    {"name,value\nframe_time (ms),1e308\nframe_time (ms),10\n", "opengl",
	     "frame_time: ms - 10", "beyond 1e200"},
	    {"frame_time (ms)\ninf\n10\n", "opengl", "frame_time: ms - 10", "beyond 1e200"},
	    /* More cycles than all units together have in a sample's time. */
	    {"duration_ns,MaliGPUCyclesGPUActive\n1000000,1000000\n1000000,90000000000\n",
	     "mali-g625", "MaliGPUCyclesGPUActive: cycles 1e6 -", "the first in line 3"},
	    {"MaliGPUCyclesGPUActive,duration_ns\n1000000,1000000\n90000000000,1000000\n",
	     "mali-g625", "MaliGPUCyclesGPUActive: cycles 1e6 -", "the first in line 3"},
	    {"begin_ns,end_ns,quality,MaliGPUCyclesGPUActive\n0,1000000,,1000000\n1000000,2000000,,"
	     "90000000000\n",
	     "mali-g625", "MaliGPUCyclesGPUActive: cycles 1e6 -", "the first in line 3"},
	};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		check_impossible(&values[i]);
	CHECK(cases);
}

static void test_times_of_rows(void **state)
{
	static const struct table_case cases[] = {
	    /* A moment is a row's end in a long table as in a wide one. */
	    {"time (s),name,value\n0.1,IAVertices,5\n0.2,IAVertices,6\n", "opengl",
	     "begin_ns: time - 100e6; end_ns: time 100e6 200e6; IAVertices: * 5 6", NULL},
	    {"time (s),IAVertices\n0.1,5\n0.2,6\n", "opengl",
	     "begin_ns: time - 100e6; end_ns: time 100e6 200e6; IAVertices: * 5 6", NULL},
	    /* Rows need not be in the order of time. */
	    {"begin_us,end_us,FrameTime,Frames\n30,40,1,1\n10,20,2,1\n20,30,3,1\n-,50,4,1\n",
	     "opengl",
	     "begin_ns: time 30000 10000 20000 -; end_ns: time 40000 20000 30000 50000; FrameTime: "
	     "ns 1 2 3 4",
	     NULL},
	};
	CHECK(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_wherever_they_stand),
	    cmocka_unit_test(test_units_of_names),
	    cmocka_unit_test(test_units_that_are_not_written),
	    cmocka_unit_test(test_words_for_no_data),
	    cmocka_unit_test(test_values_that_cannot_be),
	    cmocka_unit_test(test_times_of_rows),
	};
	return cmocka_run_group_tests(tests, tables_open, tables_close);
}
