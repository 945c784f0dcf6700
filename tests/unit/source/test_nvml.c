/* The NVML source over a fake of NVIDIA's library: what is read, what is missing, what goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <sextant/context.h>
#include <sextant/expr.h>
#include "base/no_data.h"
#include "devices/nvml.h"
#include "source/nvml/nvml.h"
#include "unit/context.h"
#include "unit/source/found.h"

#define NS_PER_S UINT64_C(1000000000)

struct values {
	uint64_t value[NVML_COUNTER_COUNT];
	uint8_t quality[NVML_COUNTER_COUNT];
};

static struct source *begin_by(struct fake_nvml_machine *fake, pid_t pid, enum sx_sample_kind per)
{
	struct source *source = NULL;
	struct sx_error err = {0};
	struct source_host host = {.sys = &fake->sys, .catalogs = context};
	struct source_request request = {.interval_ns = NS_PER_S, .pid = pid, .per = per};
	if (source_nvml.open(&host, "nvml:1", &source, &err) ||
	    source_nvml.start(source, &request, &err))
		fail_msg("%s: %s", err.message, err.because);
	return source;
}

static struct source *begin(struct fake_nvml_machine *fake, pid_t pid)
{
	return begin_by(fake, pid, SX_SAMPLE_TIME);
}

static enum sx_status next(struct source *source, struct values *out, char note[512])
{
	struct raw_sample raw;
	struct sx_error err = {0};
	enum sx_status status = source_nvml.read(source, 10000, &raw, &err);
	if (!status && raw.kind == RAW_NOTE) {
		snprintf(note, 512, "%.*s", (int)raw.size, (const char *)raw.data);
		status = source_nvml.read(source, 10000, &raw, &err);
	}
	if (status)
		return status;
	const struct sx_rows *rows = (const struct sx_rows *)(const void *)raw.data;
	assert_int_equal(raw.kind, RAW_ROWS);
	assert_int_equal(rows->column_count, NVML_COUNTER_COUNT);
	assert_int_equal(rows->count, 1);
	for (uint32_t i = 0; i < rows->column_count; i++) {
		out->value[i] = ((const uint64_t *)rows->columns[i].data)[0];
		out->quality[i] = rows->columns[i].quality[0];
	}
	return SX_OK;
}

static void end(struct fake_nvml_machine *fake, struct source *source)
{
	assert_int_equal(source_nvml.stop(source, NULL), SX_OK);
	source_nvml.close(source);
	assert_int_equal(fake->open_libraries, 0);
}

/* Every counter in its unit, once as the library gives it. */
static void readings(void **state)
{
	struct fake_nvml_machine fake;
	struct values v;
	char note[512] = "";
	fake_nvml_init(&fake);
	fake.next.throttle = NVML_THROTTLE_SW_THERMAL | NVML_THROTTLE_IDLE;
	struct source *source = begin(&fake, FAKE_NVML_PID);
	fake.state->energy_mj += 150;
	assert_int_equal(next(source, &v, note), SX_OK);
	static const struct {
		enum nvml_counter counter;
		uint64_t value;
	} want[] = {{NVML_GPU_UTILIZATION, 80},
		    {NVML_MEMORY_UTILIZATION, 12},
		    {NVML_ENCODER_UTILIZATION, 5},
		    {NVML_DECODER_UTILIZATION, 6},
		    {NVML_GRAPHICS_CLOCK, 1000000000},
		    {NVML_SM_CLOCK, 1001000000},
		    {NVML_MEMORY_CLOCK, 1002000000},
		    {NVML_VIDEO_CLOCK, 1003000000},
		    {NVML_HIGHEST_CLOCK, 2000000000},
		    {NVML_POWER, 150000},
		    {NVML_POWER_LIMIT, 200000},
		    {NVML_ENERGY, 150000},
		    {NVML_TEMPERATURE, 66},
		    {NVML_FAN, 40},
		    {NVML_THROTTLED_POWER, 0},
		    {NVML_THROTTLED_THERMAL, 100},
		    {NVML_THROTTLED_HARDWARE, 0},
		    {NVML_THROTTLED_SETTING, 0},
		    {NVML_MEMORY_USED, 2ULL << 30},
		    {NVML_MEMORY_TOTAL, 8ULL << 30},
		    {NVML_PCIE_SENT, 1000000},
		    {NVML_PCIE_RECEIVED, 2000000},
		    {NVML_PROCESSES, 3},
		    {NVML_PROGRAM_MEMORY, 64 << 20},
		    {NVML_PROGRAM_UTILIZATION, 40},
		    {NVML_PROGRAM_MEMORY_UTILIZATION, 4},
		    {NVML_PROGRAM_ENCODER_UTILIZATION, 7},
		    {NVML_PROGRAM_DECODER_UTILIZATION, 0}};
	assert_int_equal(sizeof(want) / sizeof(want[0]), NVML_COUNTER_COUNT);
	for (size_t i = 0; i < NVML_COUNTER_COUNT; i++)
		if (v.value[want[i].counter] != want[i].value ||
		    v.quality[want[i].counter] != SX_QUALITY_VALID)
			fail_msg("%s: %lu (quality %u)", nvml_counter_name(want[i].counter),
				 v.value[want[i].counter], v.quality[want[i].counter]);
	assert_string_equal(note, "");
	end(&fake, source);
}

/* The source's names are the catalog's, all of them. */
static void names_are_the_catalogs(void **state)
{
	struct sx_catalog *catalog;
	uint32_t count;
	assert_int_equal(sx_catalog_open(context, "nvml", &catalog, NULL), SX_OK);
	const struct sx_counter_info *counters = sx_catalog_counters(catalog, &count);
	assert_int_equal(count, NVML_COUNTER_COUNT);
	for (uint32_t i = 0; i < count; i++)
		assert_string_equal(counters[i].name, nvml_counter_name((enum nvml_counter)i));
	sx_catalog_unref(catalog);
}

/* All ones and the like are no numbers of a GPU. */
static void what_cannot_be(void **state)
{
	struct fake_nvml_machine fake;
	struct values v;
	char note[512] = "";
	fake_nvml_init(&fake);
	fake.next.gpu_busy = fake.next.clock_mhz = fake.next.power_mw = ~0u - 8;
	fake.next.energy_mj = ~0ULL;
	fake.next.programs[1].memory = 1ULL << 60;
	struct source *source = begin(&fake, 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(next(source, &v, note), SX_OK);
	static const enum nvml_counter none[] = {
	    NVML_GPU_UTILIZATION, NVML_GRAPHICS_CLOCK, NVML_SM_CLOCK, NVML_MEMORY_CLOCK,
	    NVML_VIDEO_CLOCK,	  NVML_POWER,	       NVML_ENERGY};
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (v.quality[none[i]] != SX_QUALITY_NOT_COLLECTED)
			fail_msg("%s: %lu", nvml_counter_name(none[i]), v.value[none[i]]);
	assert_int_equal(v.quality[NVML_MEMORY_UTILIZATION], SX_QUALITY_VALID);
	end(&fake, source);
	fake.next.gpu_busy = 80;
	source = begin(&fake, FAKE_NVML_PID);
	assert_int_equal(next(source, &v, note), SX_OK);
	assert_int_equal(v.quality[NVML_GPU_UTILIZATION], SX_QUALITY_VALID);
	assert_int_equal(v.quality[NVML_PROGRAM_MEMORY], SX_QUALITY_NOT_COLLECTED);
	end(&fake, source);
}

/* What a device lacks is no data with the library's words, and never 0. */
static void what_is_missing(void **state)
{
	struct fake_nvml_machine fake;
	struct values v;
	char note[512] = "";
	fake_nvml_init(&fake);
	fake.next.no_fan = fake.next.no_energy = fake.next.no_processes = true;
	fake.hidden = "nvmlDeviceGetPcieThroughput";
	struct source *source = begin(&fake, 0);
	assert_int_equal(next(source, &v, note), SX_OK);
	static const enum nvml_counter missing[] = {NVML_FAN,
						    NVML_ENERGY,
						    NVML_PROCESSES,
						    NVML_PCIE_SENT,
						    NVML_PCIE_RECEIVED,
						    NVML_PROGRAM_MEMORY,
						    NVML_PROGRAM_UTILIZATION,
						    NVML_PROGRAM_MEMORY_UTILIZATION,
						    NVML_PROGRAM_ENCODER_UTILIZATION,
						    NVML_PROGRAM_DECODER_UTILIZATION};
	uint32_t none = 0;
	for (int i = 0; i < NVML_COUNTER_COUNT; i++)
		none += v.quality[i] == SX_QUALITY_NOT_COLLECTED;
	assert_int_equal(none, sizeof(missing) / sizeof(missing[0]));
	const struct source_desc *desc = source_describe(source);
	for (uint32_t i = 0; i < none; i++) {
		assert_int_equal(v.quality[missing[i]], SX_QUALITY_NOT_COLLECTED);
		assert_non_null(desc->columns[missing[i]].why);
		assert_non_null(strstr(note, nvml_counter_name(missing[i])));
	}
	assert_string_equal(desc->columns[NVML_FAN].why,
			    "the device or driver has no such counter (Not Supported)");
	assert_null(desc->columns[NVML_POWER].why);
	end(&fake, source);
}

/* A counter of energy that begins anew (a driver that was loaded again) is a gap, not a leap. */
static void energy_that_steps_back(void **state)
{
	struct fake_nvml_machine fake;
	struct values v;
	fake_nvml_init(&fake);
	struct source *source = begin(&fake, 0);
	fake.state->energy_mj = 5;
	assert_int_equal(next(source, &v, (char[512]){0}), SX_OK);
	assert_int_equal(v.quality[NVML_ENERGY], SX_QUALITY_NOT_COLLECTED);
	fake.state->energy_mj = 12;
	assert_int_equal(next(source, &v, NULL), SX_OK);
	assert_int_equal(v.quality[NVML_ENERGY], SX_QUALITY_VALID);
	assert_int_equal(v.value[NVML_ENERGY], 7000);
	end(&fake, source);
}

static void a_gpu_that_goes(void **state)
{
	struct fake_nvml_machine fake;
	struct values v;
	fake_nvml_init(&fake);
	struct source *source = begin(&fake, 0);
	assert_int_equal(next(source, &v, (char[512]){0}), SX_OK);
	fake.state->lost = true;
	assert_int_equal(next(source, &v, NULL), SX_OK); /* of which nothing is known */
	assert_int_equal(v.quality[NVML_POWER], SX_QUALITY_NOT_COLLECTED);
	assert_int_equal(next(source, &v, NULL), SX_ERR_DEVICE_LOST);
	end(&fake, source);
}

/* What rows of programs say: "name (pid)", memory and use; "?" where there is no data. */
static void rows_as_text(struct source *source, char *out, size_t size)
{
	struct raw_sample raw;
	struct sx_error err = {0};
	assert_int_equal(source_nvml.read(source, 10000, &raw, &err), SX_OK);
	assert_int_equal(raw.kind, RAW_ROWS);
	const struct sx_rows *rows = (const struct sx_rows *)(const void *)raw.data;
	out[0] = '\0';
	for (size_t i = 0; i < rows->count; i++) {
		static const enum nvml_counter shown[] = {NVML_PROGRAM_MEMORY,
							  NVML_PROGRAM_UTILIZATION,
							  NVML_PROGRAM_ENCODER_UTILIZATION};
		size_t used = strlen(out);
		used += (size_t)snprintf(out + used, size - used, "%s",
					 rows->strings[rows->labels[SX_LABEL_PROCESS][i]]);
		for (size_t k = 0; k < 3; k++) {
			const struct sx_vector *v = &rows->columns[shown[k]];
			bool known = v->quality[i] == SX_QUALITY_VALID;
			uint64_t value = ((const uint64_t *)v->data)[i];
			used +=
			    (size_t)snprintf(out + used, size - used, known ? " %lu" : " ?", value);
		}
		snprintf(out + used, size - used, "; ");
		assert_int_equal(rows->columns[NVML_POWER].quality[i], SX_QUALITY_NOT_COLLECTED);
	}
}

/* A row a program: who holds what and did how much; one that ends goes, one that comes is there. */
static void programs_by_themselves(void **state)
{
	struct fake_nvml_machine fake;
	char text[512];
	fake_nvml_init(&fake);
	struct source *source = begin_by(&fake, 0, SX_SAMPLE_PROCESS);
	rows_as_text(source, text, sizeof(text));
	assert_string_equal(text, "compositor (100) 1048576 90 0; a) b (4242) 67108864 40 7; "
				  "trainer (300) ? 0 0; ");
	assert_string_equal(source_describe(source)->columns[NVML_POWER].why,
			    no_data_text(NO_DATA_WHOLE_DEVICE));
	fake.state->programs[0] = (struct fake_nvml_program){500, false, true, 5, {20, 0}, 0};
	fake.state->programs[2] = (struct fake_nvml_program){.pid = 300}; /* it ended */
	rows_as_text(source, text, sizeof(text));
	assert_string_equal(text, "a) b (4242) 67108864 40 7; ? (500) 5 20 0; ");
	fake.state->program_count = 0;
	rows_as_text(source, text, sizeof(text));
	assert_string_equal(text, "");
	end(&fake, source);
}

/* What is measured and all that it starts; who is of others, or took a number over, is not. */
static void a_program_and_its_children(void **state)
{
	struct fake_nvml_machine fake;
	struct values v;
	char text[512];
	fake_nvml_init(&fake);
	fake.next.programs[0] = (struct fake_nvml_program){100, true, false, 1000, {10, 0}, 0};
	fake.next.programs[1] = (struct fake_nvml_program){4300, false, true, 20000, {20, 40}, 0};
	fake.processes[1] = (struct fake_nvml_process){100, 1, 50, "other"};
	fake.processes[3] = (struct fake_nvml_process){4300, 4290, 80, "child"};
	fake.processes[4] = (struct fake_nvml_process){4290, FAKE_NVML_PID, 75, "shell"};
	fake.next.program_count = 2;
	struct source *source = begin(&fake, FAKE_NVML_PID);
	assert_int_equal(next(source, &v, (char[512]){0}), SX_OK);
	assert_int_equal(v.value[NVML_PROGRAM_MEMORY], 20000);
	assert_int_equal(v.value[NVML_PROGRAM_UTILIZATION], 30);
	assert_int_equal(v.value[NVML_PROCESSES], 2);
	end(&fake, source);
	source = begin_by(&fake, FAKE_NVML_PID, SX_SAMPLE_PROCESS);
	fake.processes[3].parent = 1; /* its parent ended: it still belongs to the same program */
	rows_as_text(source, text, sizeof(text));
	assert_string_equal(text, "child (4300) 20000 30 0; ");
	fake.processes[3] = (struct fake_nvml_process){4300, 1, 900, "somebody"};
	rows_as_text(source, text, sizeof(text));
	assert_string_equal(text, "");
	end(&fake, source);
}

/* A library before the third form of the lists, and one that lists nothing. */
static void lists_of_older_libraries(void **state)
{
	struct fake_nvml_machine fake;
	struct values v;
	fake_nvml_init(&fake);
	fake.hidden = "nvmlDeviceGetComputeRunningProcesses_v3";
	struct source *source = begin(&fake, 0);
	assert_int_equal(next(source, &v, (char[512]){0}), SX_OK);
	assert_int_equal(v.value[NVML_PROCESSES], 3);
	end(&fake, source);
	fake_nvml_init(&fake);
	fake.next.no_processes = true;
	source = begin_by(&fake, 0, SX_SAMPLE_PROCESS);
	assert_string_equal(source_describe(source)->columns[NVML_PROGRAM_MEMORY].why,
			    "the device or driver has no such counter (Not Supported)");
	end(&fake, source);
}

/* Shares above 100 %, and ids of no process, belong to no program. */
static void nonsense_of_programs(void **state)
{
	struct fake_nvml_machine fake;
	char text[512];
	fake_nvml_init(&fake);
	fake.next.programs[0] = (struct fake_nvml_program){0, true, true, 1, {10, 0}, 0};
	fake.next.programs[1] = (struct fake_nvml_program){~0u, true, true, 1, {10, 0}, 0};
	fake.next.programs[2] = (struct fake_nvml_program){7, true, false, 1, {50, 101}, 0};
	struct source *source = begin_by(&fake, 0, SX_SAMPLE_PROCESS);
	rows_as_text(source, text, sizeof(text));
	assert_string_equal(text, "? (7) 1 50 0; ");
	end(&fake, source);
}

static struct found probe(struct fake_nvml_machine *fake)
{
	struct found f = {.count = 0};
	source_nvml.probe(&(struct source_host){.sys = &fake->sys, .catalogs = context}, found_take,
			  &f);
	assert_int_equal(fake->open_libraries, 0);
	return f;
}

static void what_doctor_says(void **state)
{
	struct fake_nvml_machine fake;
	fake_nvml_init(&fake);
	struct found f = probe(&fake);
	assert_int_equal(f.count, 2);
	assert_int_equal(f.state, SX_DEVICE_READY);
	assert_string_equal(f.id, "nvml:1");
	assert_string_equal(f.name, "Fake GeForce 9000");
	assert_string_equal(f.driver, "NVIDIA 999.10.01");
	fake.no_driver = true; /* another GPU's machine: nothing is opened */
	f = probe(&fake);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.state, SX_DEVICE_ABSENT);
	assert_string_equal(f.because, "NVIDIA's kernel driver does not run here");
	fake.no_driver = false;
	fake.no_library = true;
	f = probe(&fake);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.state, SX_DEVICE_ABSENT);
	assert_string_equal(f.because, "libnvidia-ml.so.1 is not here");
	fake.no_library = false;
	fake.next.init_code = NVML_ERROR_LIB_RM_VERSION_MISMATCH;
	f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_non_null(strstr(f.because, "version mismatch"));
	assert_non_null(strstr(f.remedy, "restart"));
	fake.next.init_code = 0;
	fake.hidden = "nvmlDeviceGetCount_v2";
	f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_non_null(strstr(f.because, "nvmlDeviceGetCount_v2"));
	fake.hidden = NULL;
	fake.next.devices = 0;
	assert_int_equal(probe(&fake).state, SX_DEVICE_ABSENT);
}

static void names_that_are_none(void **state)
{
	static const char *const ids[] = {"nvml",    "nvml:",	"nvml:x", "nvml:7",
					  "nvml:1x", "nvml:-1", "cpu"};
	struct fake_nvml_machine fake;
	struct source *source;
	struct source_host host = {.sys = &fake.sys, .catalogs = context};
	fake_nvml_init(&fake);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct sx_error err = {0};
		assert_int_equal(source_nvml.open(&host, ids[i], &source, &err), SX_ERR_NOT_FOUND);
		assert_true(err.message[0] && err.because[0] && err.remedy[0]);
	}
	assert_int_equal(fake.open_libraries, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(readings),
	    cmocka_unit_test(names_are_the_catalogs),
	    cmocka_unit_test(what_is_missing),
	    cmocka_unit_test(what_cannot_be),
	    cmocka_unit_test(energy_that_steps_back),
	    cmocka_unit_test(a_gpu_that_goes),
	    cmocka_unit_test(programs_by_themselves),
	    cmocka_unit_test(a_program_and_its_children),
	    cmocka_unit_test(lists_of_older_libraries),
	    cmocka_unit_test(nonsense_of_programs),
	    cmocka_unit_test(what_doctor_says),
	    cmocka_unit_test(names_that_are_none),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
