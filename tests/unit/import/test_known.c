/* Tables of known tools as these write them on odd days: what was measured comes over, and what is
 * missing is noted. */
#include "import/counters/counters.h"
#include "unit/context.h"
#include "unit/import/table_case.h"

#define DISPATCHES                                                                                 \
	"Dispatch_Id,Agent_Id,Process_Id,Kernel_Name,Counter_Name,Counter_Value,Start_Timestamp,"  \
	"End_Timestamp\n"
#define WAVES                                                                                      \
	"1,Agent 1,77,k1,SQ_WAVES,100,5000,6000\n2,Agent "                                         \
	"1,77,k2,SQ_WAVES,200,10000,11000\n3,Agent 1,77,k3,SQ_WAVES,300,15000,16000\n"
#define BUSY                                                                                       \
	"1,Agent 1,77,k1,VALUBusy,20,5000,6000\n2,Agent 1,77,k2,VALUBusy,40,10000,11000\n3,Agent " \
	"1,77,k3,VALUBusy,60,15000,16000\n"
/* The same columns in the other order. */
#define TURNED                                                                                     \
	"End_Timestamp,Start_Timestamp,Counter_Value,Counter_Name,Kernel_Name,Process_Id,Agent_"   \
	"Id,Dispatch_Id\n"                                                                         \
	"6000,5000,100,SQ_WAVES,k1,77,Agent 1,1\n11000,10000,200,SQ_WAVES,k2,77,Agent "            \
	"1,2\n16000,15000,300,SQ_WAVES,k3,77,Agent 1,3\n"

/* A second header is none of a dispatch, and may have its columns in another order; a share is
 * never summed. */
static void test_rocprof(void **state)
{
	static const char twice[] = "SQ_WAVES: * 100 200 300 100 200 300";
	static const struct table_case cases[] = {
	    {DISPATCHES WAVES DISPATCHES WAVES, NULL, twice, "the second from line 5"},
	    {DISPATCHES WAVES TURNED, NULL, twice, "the second from line 5"},
	    {DISPATCHES WAVES BUSY WAVES BUSY, NULL,
	     "SQ_WAVES: * 200 400 600; VALUBusy: percent 20 40 60",
	     "6 values are of a dispatch that had that counter already, line 8"},
	    {DISPATCHES WAVES BUSY, NULL, "SQ_WAVES: * 100 200 300; VALUBusy: percent 20 40 60",
	     "!already"},
	    {"Index,KernelName,gpu-id,SQ_WAVES\n0,\"k\",0,\"1,234\"\n1,\"k\",0,\"2,345,678\"\n",
	     NULL, "SQ_WAVES: * 1234 2345678", NULL},
	};
	CHECK(cases);
}

static void test_logs(void **state)
{
	static const struct table_case cases[] = {
	    {"fps,frametime,gpu_load,gpu_temp,elapsed\n100,10,50,5,10000000\n100,10,-5,-3,"
	     "20000000\n100,10,inf,4,30000000\n"
	     "100,10,60,5,40000000\n100,10,70,6,50000000\n",
	     NULL, "GpuBusy: percent 50 - - 60 70; GpuTemperature: degC 5 -3 4 5 6", "2 cells"},
	    /* radeontop divides by nothing: the amount behind a share that is none is good. */
	    {"Dumping to -, until termination.\n1700000001.0: bus 01, gpu 1.00%, gtt -nan% "
	     "10.00mb, mclk inf% 0.900ghz, sclk 50.00% 1.000ghz\n"
	     "1700000002.0: bus 01, gpu 2.00%, gtt -nan% 10.00mb, mclk inf% 0.900ghz, sclk 50.00% "
	     "1.000ghz\n",
	     NULL,
	     "MemoryFrequency: Hz 9e8 9e8; SharedMemoryUsed: bytes 10485760 10485760; "
	     "MemoryFrequencyShare: none",
	     "!no number"},
	};
	CHECK(cases);
}

/* Durations have their unit in the cell as of 2019 to 2021; a header's unit is the file's, and the
 * column has the catalog's. */
static void test_renderdoc(void **state)
{
	static const char draws[] = "begin_ns: time 0 500000 1750000 -; end_ns: time 500000 "
				    "1750000 2000000 -; IAVertices: * 300 3000 6 -";
	static const struct table_case cases[] = {
	    {"EID,GPU Duration,Input Vertices Read\n11,0.5 ms,300\n15,1.25 ms,3000\n27,0.25 "
	     "ms,6\n30,-,-\n",
	     NULL, draws, NULL},
	    {"EID,GPU Duration,Input Vertices Read\n11,500 us,300\n15,1250 us,3000\n27,250 "
	     "us,6\n30,-,-\n",
	     NULL, draws, NULL},
	    {"EID,GPU Duration,Input Vertices Read\n11,500000 ns,300\n15,1250000 "
	     "ns,3000\n27,250000 ns,6\n30,-,-\n",
	     NULL, draws, NULL},
	    {"EID,GPU Duration,Input Vertices Read\n11,0.0005 s,300\n15,0.00125 s,3000\n27,0.00025 "
	     "s,6\n30,-,-\n",
	     NULL, draws, NULL},
	    {"EID,GPU Duration (us),FetchSize (bytes),WriteSize (MB),GPUBusy (%),Odd "
	     "(bytes),CacheHit (bytes)\n"
	     "1,10,2048,3,50,7,1\n2,20,4096,4,60,8,1\n",
	     NULL,
	     "FetchSize: KiB 2 4; WriteSize: KiB 2929.6875 3906.25; GPUBusy: percent 50 60; Odd: "
	     "bytes 7 8; CacheHit: none",
	     "column CacheHit is in bytes, which cannot be made into percent: no data"},
	    {"EID,GPU Duration,FetchSize\n1,0.5,2048\n", NULL, "FetchSize: KiB 2048", NULL},
	    {"EID,GPU Duration,GPUTime,GPUBusy,VSBusy,PSBusy\n1,0.5 ms,0.5,90.5 %,10 %,-\n", NULL,
	     "GPUBusy: percent 90.5; VSBusy: percent 10", NULL},
	};
	CHECK(cases);
}

/* A log of frames that is words alone, with a word for no data that no other tool has. */
static bool is_log_header(struct import_cell line)
{
	return import_begins(line, "t_end_s;frame_us;");
}
static const struct counters_word log_words[] = {
    {"t_end_s", COUNTERS_END, 1e9, NULL},
    {"frame_us", COUNTERS_FRAME_TIME, 1e3, NULL},
    {"gpu_mhz", COUNTERS_VALUE, 0, "GpuFrequency (MHz)"},
};
static const struct counters_format log_format = {.only = "monitor",
						  .no_data = "n.m.",
						  .kind = SX_SAMPLE_TIME,
						  .is_header = is_log_header,
						  .because = "a log has a line t_end_s;frame_us;",
						  .nothing = "there is no header line",
						  COUNTERS_WORDS(log_words)};

/* Such a word is no data in values and in times, without a note; any other text has one. */
static void test_own_word_for_no_data(void **state)
{
	static const char text[] = "t_end_s;frame_us;gpu_mhz\n0.01;10000;1050\nn.m.;10000;n.m.\n"
				   "0.04;n.m.;n.m\n";
	static const struct import_format format = {
	    .kind = "log", .about = "a log", .read = counters_read, .counters = &log_format};
	static const double begins[] = {0, 1e7, 2e7}, ends[] = {1e7, 2e7, 4e7};
	struct import *result = calloc(1, sizeof(*result));
	assert_int_equal(context_open(NULL), 0);
	assert_non_null(result);
	const struct import_request request = {.context = context, .path = "t.csv"};
	struct import_job job = {.request = &request,
				 .format = &format,
				 .result = result,
				 .text = text,
				 .size = sizeof(text) - 1,
				 .backing = &result->backing,
				 .place = "line"};
	struct sx_error err = {0};
	assert_int_equal(counters_read(&job, &err), SX_OK);
	assert_int_equal(result->device_count, 1);
	const struct sx_table *table = result->devices[0].table;
	assert_int_equal(sx_table_row_count(table), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_true((double)sx_table_begin_ns(table)[i] == begins[i]);
		assert_true((double)sx_table_end_ns(table)[i] == ends[i]);
	}
	uint32_t clock = sx_table_find(table, "GpuFrequency");
	assert_true(sx_table_get(table, clock, 0) == 1.05e9);
	assert_true(isnan(sx_table_get(table, clock, 1)));
	assert_true(isnan(sx_table_get(table, clock, 2)));
	bool noted = false;
	for (uint32_t i = 0; i < result->note_count; i++) {
		assert_null(strstr(result->notes[i], "t_end_s"));
		assert_null(strstr(result->notes[i], "\"n.m.\""));
		noted |= strstr(result->notes[i], "\"n.m\"") != NULL;
	}
	assert_true(noted);
	import_destroy(result);
	context_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rocprof), cmocka_unit_test(test_logs),
	    cmocka_unit_test(test_own_word_for_no_data), cmocka_unit_test(test_renderdoc)};
	return cmocka_run_group_tests(tests, tables_open, tables_close);
}
