/* Behaviour of GPUPerfAPI beyond statuses: log, order, sessions in flight, contexts, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "unit/gpa/fake.h"

#define OK(call) assert_int_equal(call, GPA_STATUS_OK)

static char native[4];

static struct {
	int errors, messages, traces, other, depth;
	char last[512];
} seen;

static void record(GPA_Logging_Type type, const char *message)
{
	gpa_uint32 count;
	if (type == GPA_LOGGING_ERROR)
		seen.errors++;
	else if (type == GPA_LOGGING_MESSAGE)
		seen.messages++;
	else if (type == GPA_LOGGING_TRACE)
		seen.traces++;
	else
		seen.other++;
	assert_non_null(message);
	if (!message) /* gcc 14 does not know that the line above ends this */
		return;
	assert_null(strchr(message, '\n'));
	snprintf(seen.last, sizeof(seen.last), "%s", message);
	if (type == GPA_LOGGING_ERROR && !seen.depth++)
		GPA_GetNumCounters(&count); /* calling back is allowed, and not traced */
}

static int open_context(void **state)
{
	(void)state;
	fake = (struct fake_state){0};
	memset(&seen, 0, sizeof(seen));
	return GPA_OpenContext(&native[0]) == GPA_STATUS_OK ? 0 : -1;
}

static int close_all(void **state)
{
	(void)state;
	GPA_RegisterLoggingCallback(GPA_LOGGING_NONE, NULL);
	while (GPA_CloseContext() == GPA_STATUS_OK)
		continue;
	assert_int_equal(fake.open_requests, 0);
	return 0;
}

static void test_log(void **state)
{
	(void)state;
	OK(GPA_RegisterLoggingCallback(GPA_LOGGING_ERROR_AND_MESSAGE, record));
	assert_int_equal(seen.messages, 1);
	assert_string_equal(seen.last, "Logging callback registered successfully.");
	assert_int_equal(GPA_EnableCounter(99), GPA_STATUS_ERROR_INDEX_OUT_OF_RANGE);
	assert_int_equal(seen.errors, 1);
	/* "Not enabled" is an answer, not an error. */
	assert_int_equal(GPA_IsCounterEnabled(0), GPA_STATUS_ERROR_NOT_FOUND);
	assert_int_equal(seen.errors, 1);
	assert_int_equal(seen.messages, 2);
	assert_int_equal(seen.traces, 0);
	OK(GPA_RegisterLoggingCallback(GPA_LOGGING_TRACE, record));
	int before = seen.traces;
	OK(GPA_EnableCounter(0));
	assert_int_equal(seen.traces, before + 2);
	assert_string_equal(seen.last, "Leaving: GPA_EnableCounter");
	OK(GPA_RegisterLoggingCallback(GPA_LOGGING_ALL, record));
	seen.depth = 0;
	before = seen.traces;
	assert_int_equal(GPA_EnableCounter(99), GPA_STATUS_ERROR_INDEX_OUT_OF_RANGE);
	assert_int_equal(seen.traces, before + 2); /* the call from the callback is silent */
	OK(GPA_RegisterLoggingCallback(GPA_LOGGING_NONE, NULL));
	int errors = seen.errors;
	GPA_EnableCounter(99);
	assert_int_equal(seen.errors, errors);
	assert_int_equal(seen.other, 0);
}

static void test_texts(void **state)
{
	(void)state;
	const char *text;
	assert_string_equal(GPA_GetStatusAsStr(GPA_STATUS_OK), "Ok");
	assert_string_equal(GPA_GetStatusAsStr(GPA_STATUS_ERROR_HARDWARE_NOT_SUPPORTED),
			    "Hardware Not Supported");
	assert_string_equal(GPA_GetStatusAsStr((GPA_Status)77), "Unknown error");
	assert_string_equal(GPA_GetStatusAsStr((GPA_Status)-1), "Unknown error");
	OK(GPA_GetDataTypeAsStr(GPA_TYPE_UINT64, &text));
	assert_string_equal(text, "gpa_uint64");
	OK(GPA_GetUsageTypeAsStr(GPA_USAGE_TYPE_MILLISECONDS, &text));
	assert_string_equal(text, "milliseconds");
	OK(GPA_GetCounterDescription(0, &text));
	assert_string_equal(text, "#Timing#First.");
}

static void test_order_of_enabling(void **state)
{
	(void)state;
	gpa_uint32 index, count, passes = 99;
	OK(GPA_GetPassCount(&passes));
	assert_int_equal(passes, 0);
	OK(GPA_EnableCounterStr("gamma"));
	OK(GPA_EnableCounterStr("ALPHA"));
	OK(GPA_EnableCounter(1));
	OK(GPA_GetEnabledIndex(0, &index));
	assert_int_equal(index, 2);
	OK(GPA_DisableCounterStr("Gamma"));
	OK(GPA_GetEnabledIndex(0, &index));
	assert_int_equal(index, 0);
	OK(GPA_GetPassCount(&passes));
	assert_int_equal(passes, 2);
	OK(GPA_DisableCounter(0));
	OK(GPA_GetPassCount(&passes));
	assert_int_equal(passes, 1);
	OK(GPA_EnableAllCounters());
	OK(GPA_GetEnabledCount(&count));
	assert_int_equal(count, FAKE_COUNTERS);
	OK(GPA_DisableAllCounters());
	OK(GPA_GetEnabledCount(&count));
	assert_int_equal(count, 0);
}

/* Two passes of `samples` samples each; returns the id. */
static gpa_uint32 run_session(uint32_t samples)
{
	gpa_uint32 id = 0, passes = 0;
	OK(GPA_BeginSession(&id));
	OK(GPA_GetPassCount(&passes));
	for (uint32_t p = 0; p < passes; p++) {
		OK(GPA_BeginPass());
		for (uint32_t s = 0; s < samples; s++) {
			OK(GPA_BeginSample(s));
			OK(GPA_EndSample());
		}
		OK(GPA_EndPass());
	}
	OK(GPA_EndSession());
	return id;
}

static void test_values(void **state)
{
	(void)state;
	gpa_uint64 u64 = 0;
	gpa_float64 f64 = 0;
	gpa_uint32 u32 = 0;
	gpa_float32 f32 = 0;
	for (uint32_t i = 0; i < 4; i++)
		OK(GPA_EnableCounter(i));
	gpa_uint32 id = run_session(3);
	assert_int_equal(id, 1);
	/* Samples are begun in the order 0 1 2 of pass 0, then of pass 1. */
	OK(GPA_GetSampleUInt64(id, 2, 0, &u64));
	assert_int_equal(u64, 2000);
	OK(GPA_GetSampleFloat64(id, 2, 1, &f64));
	assert_true(f64 == 5001);
	OK(GPA_GetSampleUInt32(id, 0, 2, &u32));
	assert_int_equal(u32, 3002);
	OK(GPA_GetSampleFloat32(id, 1, 3, &f32));
	assert_true(f32 == 4003);
	OK(GPA_GetSampleCount(id, &u32));
	assert_int_equal(u32, 3);
	/* The selection may change afterwards: what counts is that of the session. */
	OK(GPA_DisableAllCounters());
	OK(GPA_EnableCounter(4));
	OK(GPA_GetSampleUInt64(id, 0, 0, &u64));
	assert_int_equal(GPA_GetSampleUInt64(id, 0, 4, &u64), GPA_STATUS_ERROR_NOT_ENABLED);
}

static void test_ring(void **state)
{
	(void)state;
	gpa_uint64 value = 0;
	bool ready = false;
	OK(GPA_EnableCounter(0));
	for (gpa_uint32 i = 1; i <= 4; i++)
		assert_int_equal(run_session(1), i);
	for (gpa_uint32 i = 1; i <= 4; i++)
		OK(GPA_GetSampleUInt64(i, 0, 0, &value));
	for (gpa_uint32 i = 5; i <= GPA_SESSIONS + 1; i++)
		assert_int_equal(run_session(1), i);
	assert_int_equal(GPA_IsSessionReady(&ready, 1), GPA_STATUS_ERROR_SESSION_NOT_FOUND);
	OK(GPA_IsSessionReady(&ready, 2));
	assert_true(ready);
	assert_int_equal(GPA_IsSessionReady(&ready, 0), GPA_STATUS_ERROR_SESSION_NOT_FOUND);
	assert_int_equal(GPA_IsSessionReady(&ready, GPA_SESSIONS + 2),
			 GPA_STATUS_ERROR_SESSION_NOT_FOUND);
}

static void test_readiness_never_waits(void **state)
{
	(void)state;
	bool ready = true;
	gpa_uint64 value = 0;
	fake.delay = 3;
	OK(GPA_EnableCounter(0));
	gpa_uint32 id = run_session(1);
	OK(GPA_IsSessionReady(&ready, id));
	assert_false(ready);
	OK(GPA_IsSampleReady(&ready, id, 0));
	assert_false(ready);
	OK(GPA_GetSampleUInt64(id, 0, 0, &value)); /* waits */
	OK(GPA_IsSampleReady(&ready, id, 0));
	assert_true(ready);
}

static void test_failures(void **state)
{
	(void)state;
	gpa_uint32 id;
	gpa_uint64 value;
	OK(GPA_EnableCounter(0));
	OK(GPA_BeginSession(&id));
	OK(GPA_BeginPass());
	fake.end_fails = true;
	OK(GPA_BeginSample(1));
	assert_int_equal(GPA_EndSample(), GPA_STATUS_ERROR_FAILED);
	OK(GPA_EndPass());
	OK(GPA_EndSession());
	assert_int_equal(GPA_GetSampleUInt64(id, 1, 0, &value),
			 GPA_STATUS_ERROR_READING_COUNTER_RESULT);
}

static void test_passes(void **state)
{
	(void)state;
	gpa_uint32 id, count;
	OK(GPA_EnableCounter(0));
	OK(GPA_EnableCounter(1));
	OK(GPA_BeginSession(&id));
	OK(GPA_BeginPass());
	OK(GPA_BeginSample(5));
	OK(GPA_EndSample());
	OK(GPA_BeginSample(5)); /* again: it replaces the first, and nothing leaks */
	OK(GPA_EndSample());
	OK(GPA_EndPass());
	OK(GPA_BeginPass());
	assert_int_equal(GPA_EndPass(), GPA_STATUS_ERROR_VARIABLE_NUMBER_OF_SAMPLES_IN_PASSES);
	OK(GPA_BeginPass()); /* surplus passes do nothing and are no error */
	OK(GPA_BeginSample(5));
	OK(GPA_EndSample());
	OK(GPA_EndPass());
	OK(GPA_GetSampleCount(id, &count));
	assert_int_equal(count, 1);
	OK(GPA_EndSession());
	OK(GPA_BeginSession(&id));
	assert_int_equal(id, 2);
	assert_int_equal(GPA_EndSession(), GPA_STATUS_ERROR_NOT_ENOUGH_PASSES);
	OK(GPA_BeginSession(&id)); /* it had ended all the same */
	assert_int_equal(GPA_EndSession(), GPA_STATUS_ERROR_NOT_ENOUGH_PASSES);
}

/* An encoder that keeps one session for its life: passes beyond the needed ones take no memory. */
static void test_surplus(void **state)
{
	(void)state;
	gpa_uint32 id, count;
	OK(GPA_EnableCounter(1));
	OK(GPA_BeginSession(&id));
	OK(GPA_GetSampleCount(id, &count)); /* before any pass: none */
	assert_int_equal(count, 0);
	for (int pass = 0; pass < 20000; pass++) {
		OK(GPA_BeginPass());
		for (gpa_uint32 sample = 0; sample < 3; sample++) {
			OK(GPA_BeginSample(sample));
			OK(GPA_EndSample());
		}
		OK(GPA_EndPass());
	}
	const struct gpa_session *session = gpa_session_find(gpa_context_find(&native[0]), id);
	assert_int_equal(session->begun, 20000);
	assert_true(session->surplus.capacity <= 16);
	assert_int_equal(fake.open_requests, 3); /* those of the pass that counts */
	OK(GPA_BeginPass());			 /* the number of samples is still compared */
	assert_int_equal(GPA_EndPass(), GPA_STATUS_ERROR_VARIABLE_NUMBER_OF_SAMPLES_IN_PASSES);
	OK(GPA_EndSession());
	OK(GPA_GetSampleCount(id, &count));
	assert_int_equal(count, 3);
}

/* "Ready" is written whatever the answer is. */
static void test_ready_on_errors(void **state)
{
	(void)state;
	bool ready = true;
	gpa_uint32 id;
	assert_int_equal(GPA_IsSessionReady(&ready, 77), GPA_STATUS_ERROR_SESSION_NOT_FOUND);
	assert_false(ready);
	ready = true;
	assert_int_equal(GPA_IsSampleReady(&ready, 77, 0), GPA_STATUS_ERROR_SESSION_NOT_FOUND);
	assert_false(ready);
	OK(GPA_EnableCounter(1));
	OK(GPA_BeginSession(&id));
	ready = true;
	assert_int_equal(GPA_IsSampleReady(&ready, id, 0),
			 GPA_STATUS_ERROR_SAMPLE_NOT_FOUND_IN_ALL_PASSES);
	assert_false(ready);
	assert_int_equal(GPA_EndSession(), GPA_STATUS_ERROR_NOT_ENOUGH_PASSES);
	OK(GPA_CloseContext());
	ready = true;
	assert_int_equal(GPA_IsSessionReady(&ready, id), GPA_STATUS_ERROR_COUNTERS_NOT_OPEN);
	assert_false(ready);
}

static gpa_uint32 awaited;

static void *read_awaited(void *unused)
{
	gpa_uint64 value = 0;
	(void)unused;
	return (void *)(intptr_t)GPA_GetSampleUInt64(awaited, 0, 0, &value);
}

/* While one thread waits for a result others call, and may even close the context. */
static void test_waiting_holds_no_lock(void **state)
{
	(void)state;
	for (int closes = 0; closes < 2; closes++) {
		pthread_t thread;
		void *status;
		gpa_uint32 count;
		fake.never = true;
		if (gpa_context_find(&native[0]))
			OK(GPA_CloseContext());
		OK(GPA_OpenContext(&native[0]));
		OK(GPA_EnableCounter(0));
		awaited = run_session(1);
		time_t begun = time(NULL);
		assert_int_equal(pthread_create(&thread, NULL, read_awaited, NULL), 0);
		usleep(50000);
		OK(GPA_GetNumCounters(&count));
		if (closes)
			OK(GPA_CloseContext());
		fake.never = false;
		pthread_join(thread, &status);
		assert_true(time(NULL) - begun < 4); /* not the whole time that reading waits */
		assert_int_equal((intptr_t)status,
				 closes ? GPA_STATUS_ERROR_COUNTERS_NOT_OPEN : GPA_STATUS_OK);
	}
	OK(GPA_OpenContext(&native[0]));
}

static void test_table(void **state)
{
	(void)state;
	char path[] = "/tmp/gpa-table-XXXXXX", text[2048] = "";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	setenv("SEXTANT_GPA_OUTPUT", path, 1); /* holds for contexts opened from now on */
	OK(GPA_CloseContext());
	OK(GPA_OpenContext(&native[0]));
	unsetenv("SEXTANT_GPA_OUTPUT");
	OK(GPA_EnableCounter(1));
	OK(GPA_EnableCounter(0));
	run_session(2);
	run_session(1);
	OK(GPA_CloseContext());
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	unlink(path);
	const char *line = strchr(text, '\n') + 1;
	assert_memory_equal(text, "context,session,sample,counter,usage,value\r\n", 44);
	assert_non_null(strstr(line, ",1,0,Beta,percentage,2001\r\n"));
	assert_non_null(strstr(line, ",1,0,Alpha,items,0\r\n"));
	assert_non_null(strstr(line, ",1,1,Beta,percentage,3001\r\n"));
	assert_non_null(strstr(line, ",2,0,Alpha,items,4000\r\n"));
	int lines = 0;
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	assert_int_equal(lines, 7);
}

/* In place of the C library's, to count how often the environment is asked. */
static _Atomic int asked; /* also by other threads */
__attribute__((visibility("default"))) char *getenv(const char *name)
{
	size_t length = strlen(name);
	asked++;
	for (char **entry = environ; *entry; entry++)
		if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}

/* The host changes its environment in other threads: it is read when a context is opened, alone. */
static void test_environment(void **state)
{
	(void)state;
	gpa_uint64 value = 0;
	gpa_uint32 count = 0;
	const char *text;
	asked = 0;
	OK(GPA_CloseContext());
	OK(GPA_OpenContext(&native[0]));
	assert_true(asked > 0);
	asked = 0;
	setenv("SEXTANT_GPA_OUTPUT", "/proc/nonexistent/table.csv", 1);
	OK(GPA_RegisterLoggingCallback(GPA_LOGGING_ALL, record));
	OK(GPA_GetNumCounters(&count));
	OK(GPA_GetCounterName(0, &text));
	OK(GPA_GetCounterDescription(0, &text));
	OK(GPA_EnableAllCounters());
	OK(GPA_GetPassCount(&count));
	gpa_uint32 id = run_session(3);
	OK(GPA_GetSampleUInt64(id, 1, 0, &value));
	OK(GPA_SelectContext(&native[0]));
	OK(GPA_DisableAllCounters());
	OK(GPA_CloseContext());
	unsetenv("SEXTANT_GPA_OUTPUT");
	assert_int_equal(asked, 0);
	assert_int_equal(seen.errors, 0); /* nothing was to be written there */
}

static void test_many_samples(void **state)
{
	(void)state;
	gpa_uint64 value = 0;
	OK(GPA_EnableCounter(0));
	gpa_uint32 id = run_session(5000);
	for (uint32_t i = 0; i < 5000; i += 7) {
		OK(GPA_GetSampleUInt64(id, i, 0, &value));
		assert_int_equal(value, i * 1000ull);
	}
}

static void test_contexts(void **state)
{
	(void)state;
	gpa_uint32 count = 0;
	OK(GPA_EnableCounter(0));
	OK(GPA_OpenContext(&native[1]));
	OK(GPA_GetEnabledCount(&count));
	assert_int_equal(count, 0);
	OK(GPA_OpenContext(&native[2]));
	OK(GPA_SelectContext(&native[0]));
	OK(GPA_GetEnabledCount(&count));
	assert_int_equal(count, 1);
	OK(GPA_SelectContext(&native[2]));
	OK(GPA_CloseContext()); /* the oldest becomes current */
	OK(GPA_GetEnabledCount(&count));
	assert_int_equal(count, 1);
}

/* Each thread opens a context of its own and works with it, whatever the others do. */
static void *worker(void *native_context)
{
	gpa_uint32 mine = (gpa_uint32)((char *)native_context - native);
	uintptr_t failures = GPA_OpenContext(native_context) != GPA_STATUS_OK;
	for (gpa_uint32 i = 0; i <= mine; i++)
		failures += GPA_EnableCounter(i) != GPA_STATUS_OK;
	for (int round = 0; round < 50; round++) {
		gpa_uint32 id, count = 0, passes = 0;
		gpa_uint64 value;
		failures += GPA_GetEnabledCount(&count) != GPA_STATUS_OK || count != mine + 1;
		failures += GPA_BeginSession(&id) != GPA_STATUS_OK;
		GPA_GetPassCount(&passes);
		for (gpa_uint32 p = 0; p < passes; p++) {
			failures += GPA_BeginPass() != GPA_STATUS_OK;
			failures += GPA_BeginSample(1) != GPA_STATUS_OK;
			failures += GPA_EndSample() != GPA_STATUS_OK;
			failures += GPA_EndPass() != GPA_STATUS_OK;
		}
		failures += GPA_EndSession() != GPA_STATUS_OK;
		failures += GPA_GetSampleUInt64(id, 1, 0, &value) != GPA_STATUS_OK;
		failures += (gpa_uint32)round + 1 != id;
	}
	failures += GPA_CloseContext() != GPA_STATUS_OK;
	return (void *)failures; /* NOLINT: a number in a pointer */
}

static void test_threads(void **state)
{
	(void)state;
	pthread_t threads[2];
	void *failures;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, worker, &native[i + 1]), 0);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], &failures);
		assert_null(failures);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_log, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_texts, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_environment, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_order_of_enabling, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_values, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_ring, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_readiness_never_waits, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_failures, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_passes, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_surplus, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_ready_on_errors, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_waiting_holds_no_lock, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_table, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_many_samples, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_contexts, open_context, close_all),
	    cmocka_unit_test_setup_teardown(test_threads, open_context, close_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
