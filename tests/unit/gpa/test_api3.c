/*
 * Version 3 of GPUPerfAPI on the back end without a GPU: the table for every age of client, every
 * status in its order, and values. Statuses are rows: a state, a call, the result.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "gpa/GPUPerfAPI3.h"
#include "unit/gpa/fake.h"

static GpaFunctionTable gpa;
static char native[2];

#define IS(call, status) assert_int_equal(call, status)
#define OK(call)	 IS(call, kGpaStatusOk)

static void load(void)
{
	gpa.major_version = 3;
	gpa.minor_version = sizeof(gpa);
	OK(GpaGetFuncTable(&gpa));
}

/* Sizes of the tables of 3.0, 3.3 and 3.17 on 64 bits, and what each client gets. */
static void test_table(void **state)
{
	static const struct {
		GpaUInt32 minor;
		size_t functions;
	} clients[] = {{376, 46}, {392, 48}, {400, 49}};
	(void)state;
	assert_int_equal(sizeof(GpaFunctionTable), 400);
	for (size_t i = 0; i < 3; i++) {
		unsigned char bytes[512];
		GpaUInt32 head[2] = {3, clients[i].minor};
		memset(bytes, 0xaa, sizeof(bytes));
		memcpy(bytes, head, sizeof(head));
		OK(i % 2 ? GPA_GetFuncTable(bytes) : GpaGetFuncTable(bytes));
		assert_int_equal(8 + clients[i].functions * sizeof(void *), clients[i].minor);
		memcpy(head, bytes, sizeof(head));
		assert_int_equal(head[0], 3);
		assert_int_equal(head[1], 400); /* the library's own */
		for (size_t b = clients[i].minor; b < sizeof(bytes); b++)
			assert_int_equal(bytes[b], 0xaa);
		assert_memory_equal(bytes + 8, (unsigned char *)&gpa + 8, clients[i].minor - 8);
	}
}

static void test_table_refused(void **state)
{
	(void)state;
	struct {
		GpaUInt32 major, minor, behind[4];
	} t = {4, 584, {7, 7, 7, 7}};
	IS(GpaGetFuncTable(NULL), kGpaStatusErrorNullPointer);
	IS(GpaGetFuncTable(&t), kGpaStatusErrorLibLoadMajorVersionMismatch);
	assert_int_equal(t.major, 3);
	t.minor = 408;
	IS(GpaGetFuncTable(&t), kGpaStatusErrorLibLoadMinorVersionMismatch);
	assert_int_equal(t.minor, 400);
	t.minor = 0; /* a head without functions: nothing behind it is written */
	OK(GpaGetFuncTable(&t));
	for (int i = 0; i < 4; i++)
		assert_int_equal(t.behind[i], 7);
}

static void test_library(void **state)
{
	GpaUInt32 v[4] = {9, 9, 9, 9};
	const char *text = NULL;
	(void)state;
	OK(gpa.Initialize(0));
	IS(gpa.Initialize(0), kGpaStatusErrorGpaAlreadyInitialized);
	OK(gpa.Destroy());
	IS(gpa.Destroy(), kGpaStatusErrorGpaNotInitialized);
	IS(gpa.Initialize(8), kGpaStatusErrorInvalidParameter);
	OK(gpa.GetVersion(&v[0], &v[1], &v[2], &v[3]));
	assert_int_equal(v[0], 3);
	IS(gpa.GetVersion(&v[0], NULL, &v[2], &v[3]), kGpaStatusErrorNullPointer);
	IS(gpa.RegisterLoggingCallback(kGpaLoggingError, NULL), kGpaStatusErrorNullPointer);
	OK(gpa.RegisterLoggingCallback(kGpaLoggingNone, NULL));
	OK(gpa.GetUsageTypeAsStr(kGpaUsageTypeNanoseconds, &text));
	assert_string_equal(text, "nanoseconds");
	IS(gpa.GetUsageTypeAsStr(kGpaUsageTypeLast, &text), kGpaStatusErrorInvalidParameter);
	OK(gpa.GetDataTypeAsStr(kGpaDataTypeUint64, &text));
	IS(gpa.GetDataTypeAsStr(kGpaDataTypeLast, &text), kGpaStatusErrorInvalidParameter);
	for (int status = -60; status < 10; status++)
		assert_non_null(gpa.GetStatusAsStr((GpaStatus)status));
	assert_string_equal(gpa.GetStatusAsStr(kGpaStatusErrorInvalidCounterGroupData),
			    "Invalid Counter Group Data");
}

static GpaContextId context;
static GpaSessionId session;

static int open_all(void **state)
{
	(void)state;
	fake = (struct fake_state){0};
	load();
	if (gpa.OpenContext(&native[0], 0, &context) != kGpaStatusOk)
		return -1;
	return gpa.CreateSession(context, kGpaSessionSampleTypeDiscreteCounter, &session);
}

static int close_all(void **state)
{
	(void)state;
	gpa.CloseContext(context);
	assert_int_equal(fake.open_requests, 0);
	return 0;
}

static void test_contexts(void **state)
{
	GpaContextId other = NULL;
	GpaUInt32 a, b;
	const char *text;
	(void)state;
	IS(gpa.OpenContext(NULL, 0, &other), kGpaStatusErrorNullPointer);
	IS(gpa.OpenContext(&native[1], 0, NULL), kGpaStatusErrorNullPointer);
	IS(gpa.OpenContext(&native[1], 0x18, &other), kGpaStatusErrorInvalidParameter);
	IS(gpa.OpenContext(&native[0], 0, &other), kGpaStatusErrorContextAlreadyOpen);
	fake.unusable = true;
	IS(gpa.OpenContext(&native[1], 0, &other), kGpaStatusErrorHardwareNotSupported);
	fake.unusable = false;
	OK(gpa.OpenContext(&native[1], kGpaOpenContextClockModePeakBit, &other));
	OK(gpa.GetNumCounters(other, &a));
	assert_int_equal(a, FAKE_COUNTERS);
	OK(gpa.CloseContext(other));
	IS(gpa.CloseContext(other), kGpaStatusErrorContextNotFound);
	IS(gpa.GetNumCounters(other, &a), kGpaStatusErrorContextNotFound);
	IS(gpa.GetNumCounters(NULL, &a), kGpaStatusErrorNullPointer);
	IS(gpa.GetNumCounters((GpaContextId)(void *)native, &a), kGpaStatusErrorContextNotFound);
	IS(gpa.GetDeviceAndRevisionId(context, &a, NULL), kGpaStatusErrorNullPointer);
	IS(gpa.GetDeviceName(context, NULL), kGpaStatusErrorNullPointer);
	(void)gpa.GetDeviceName(context, &text);
	(void)gpa.GetDeviceAndRevisionId(context, &a, &b);
	/* Version 2 has its own contexts, also of the same native one. */
	gpa_uint32 count;
	assert_int_equal(GPA_GetNumCounters(&count), GPA_STATUS_ERROR_COUNTERS_NOT_OPEN);
	assert_int_equal(GPA_OpenContext(&native[0]), GPA_STATUS_OK);
	assert_int_equal(GPA_CloseContext(), GPA_STATUS_OK);
	assert_int_equal(GPA_CloseContext(), GPA_STATUS_ERROR_COUNTERS_NOT_OPEN);
}

static void test_counters(void **state)
{
	GpaUInt32 index;
	const char *text;
	GpaDataType type;
	GpaUsageType usage;
	GpaCounterSampleType kind;
	GpaUuid one, two;
	(void)state;
	OK(gpa.GetCounterName(context, 0, &text));
	assert_string_equal(text, "Alpha");
	OK(gpa.GetCounterGroup(context, 0, &text));
	assert_string_equal(text, "Timing");
	OK(gpa.GetCounterDescription(context, 0, &text));
	assert_string_equal(text, "First.");
	OK(gpa.GetCounterDataType(context, 1, &type));
	assert_int_equal(type, kGpaDataTypeFloat64);
	OK(gpa.GetCounterDataType(context, 2, &type)); /* 32 bits are widened */
	assert_int_equal(type, kGpaDataTypeUint64);
	OK(gpa.GetCounterUsageType(context, 1, &usage));
	assert_int_equal(usage, kGpaUsageTypePercentage);
	OK(gpa.GetCounterSampleType(context, 1, &kind));
	assert_int_equal(kind, kGpaCounterSampleTypeDiscrete);
	OK(gpa.GetCounterUuid(context, 0, &one));
	OK(gpa.GetCounterUuid(context, 1, &two));
	assert_true(one.data_1 != two.data_1);
	OK(gpa.GetCounterIndex(context, "beta", &index));
	assert_int_equal(index, 1);
	IS(gpa.GetCounterIndex(context, "none", &index), kGpaStatusErrorCounterNotFound);
	IS(gpa.GetCounterIndex(context, NULL, &index), kGpaStatusErrorNullPointer);
	IS(gpa.GetCounterName(context, 99, &text), kGpaStatusErrorIndexOutOfRange);
	IS(gpa.GetCounterName(context, 0, NULL), kGpaStatusErrorNullPointer);
	IS(gpa.GetCounterUuid(context, 99, &one), kGpaStatusErrorIndexOutOfRange);
}

static void test_enabling(void **state)
{
	GpaUInt32 n;
	GpaSessionId bad = (GpaSessionId)(void *)native;
	(void)state;
	IS(gpa.BeginSession(session), kGpaStatusErrorNoCountersEnabled);
	OK(gpa.EnableCounter(session, 1));
	IS(gpa.EnableCounter(session, 1), kGpaStatusErrorAlreadyEnabled);
	IS(gpa.EnableCounter(session, 99), kGpaStatusErrorIndexOutOfRange);
	IS(gpa.EnableCounter(bad, 1), kGpaStatusErrorSessionNotFound);
	IS(gpa.EnableCounter(NULL, 1), kGpaStatusErrorNullPointer);
	OK(gpa.EnableCounterByName(session, "Alpha"));
	IS(gpa.EnableCounterByName(session, "none"), kGpaStatusErrorCounterNotFound);
	IS(gpa.EnableCounterByName(session, NULL), kGpaStatusErrorNullPointer);
	OK(gpa.GetNumEnabledCounters(session, &n));
	assert_int_equal(n, 2);
	OK(gpa.GetEnabledIndex(session, 1, &n)); /* in the order of enabling */
	assert_int_equal(n, 0);
	IS(gpa.GetEnabledIndex(session, 2, &n), kGpaStatusErrorIndexOutOfRange);
	OK(gpa.IsCounterEnabled(session, 0));
	IS(gpa.IsCounterEnabled(session, 5), kGpaStatusErrorCounterNotFound);
	IS(gpa.IsCounterEnabled(session, 99), kGpaStatusErrorIndexOutOfRange);
	OK(gpa.GetPassCount(session, &n));
	assert_int_equal(n, 2);
	OK(gpa.DisableCounterByName(session, "Alpha"));
	IS(gpa.DisableCounter(session, 0), kGpaStatusErrorNotEnabled);
	OK(gpa.GetPassCount(session, &n));
	assert_int_equal(n, 1);
	OK(gpa.EnableAllCounters(session));
	OK(gpa.GetNumEnabledCounters(session, &n));
	assert_int_equal(n, FAKE_COUNTERS);
	OK(gpa.DisableAllCounters(session));
	OK(gpa.GetPassCount(session, &n));
	assert_int_equal(n, 0);
	IS(gpa.GetPassCount(session, NULL), kGpaStatusErrorNullPointer);
}

/* Runs one pass with samples 10 and 20, the second begun first. */
static void run_pass(GpaUInt32 pass)
{
	GpaCommandListId list = NULL;
	OK(gpa.BeginCommandList(session, pass, NULL, kGpaCommandListNone, &list));
	OK(gpa.BeginSample(20, list));
	OK(gpa.EndSample(list));
	OK(gpa.BeginSample(10, list));
	OK(gpa.EndSample(list));
	OK(gpa.EndCommandList(list));
}

/* Which calls a session refuses before it begins and while it counts; *out is a second one, not
 * begun.  */
static void check_sessions_begin(GpaSessionId *out)
{
	GpaCommandListId list = NULL;
	GpaSessionId other = NULL;
	OK(gpa.CreateSession(context, kGpaSessionSampleTypeDiscreteCounter, &other));
	IS(gpa.CreateSession(context, kGpaSessionSampleTypeLast, &other),
	   kGpaStatusErrorInvalidParameter);
	IS(gpa.CreateSession(context, kGpaSessionSampleTypeDiscreteCounter, NULL),
	   kGpaStatusErrorNullPointer);
	OK(gpa.EnableCounter(session, 0));
	OK(gpa.EnableCounter(session, 1));
	OK(gpa.EnableCounter(other, 1));
	IS(gpa.EndSession(session), kGpaStatusErrorSessionNotStarted);
	IS(gpa.BeginCommandList(session, 0, NULL, kGpaCommandListNone, &list),
	   kGpaStatusErrorSessionNotStarted);
	IS(gpa.IsSessionComplete(session), kGpaStatusErrorSessionNotStarted);
	IS(gpa.IsPassComplete(session, 0), kGpaStatusErrorSessionNotStarted);
	OK(gpa.BeginSession(session));
	IS(gpa.BeginSession(session), kGpaStatusErrorSessionAlreadyStarted);
	IS(gpa.BeginSession(other), kGpaStatusErrorOtherSessionActive);
	IS(gpa.EndSession(other), kGpaStatusErrorOtherSessionActive);
	IS(gpa.EnableCounter(session, 5), kGpaStatusErrorCannotChangeCountersWhenSampling);
	IS(gpa.EnableAllCounters(session), kGpaStatusErrorCannotChangeCountersWhenSampling);
	IS(gpa.EndSession(session), kGpaStatusErrorNotEnoughPasses);
	*out = other;
}

static void check_lists_are_refused(void)
{
	GpaCommandListId list = NULL;
	IS(gpa.BeginCommandList(session, 9, NULL, kGpaCommandListNone, &list),
	   kGpaStatusErrorFailed);
	IS(gpa.BeginCommandList(session, 0, native, kGpaCommandListNone, &list),
	   kGpaStatusErrorInvalidParameter);
	IS(gpa.BeginCommandList(session, 0, NULL, kGpaCommandListPrimary, &list),
	   kGpaStatusErrorInvalidParameter);
	IS(gpa.BeginCommandList(session, 0, NULL, kGpaCommandListLast, &list),
	   kGpaStatusErrorInvalidParameter);
	IS(gpa.BeginCommandList(session, 0, NULL, kGpaCommandListNone, NULL),
	   kGpaStatusErrorNullPointer);
}

/* The first pass, of two lists at once. */
static void check_lists_and_samples(void)
{
	GpaCommandListId list = NULL, second = NULL;
	GpaUInt32 n;
	OK(gpa.BeginCommandList(session, 0, NULL, kGpaCommandListNone, &list));
	IS(gpa.BeginCommandList(session, 0, NULL, kGpaCommandListNone, &list),
	   kGpaStatusErrorCommandListAlreadyStarted);
	IS(gpa.EndSample(list), kGpaStatusErrorFailed);
	OK(gpa.BeginSample(10, list));
	IS(gpa.BeginSample(11, list), kGpaStatusErrorFailed);
	IS(gpa.EndCommandList(list), kGpaStatusErrorFailed);
	OK(gpa.EndSample(list));
	IS(gpa.BeginSample(10, list), kGpaStatusErrorFailed); /* this pass has it */
	IS(gpa.ContinueSampleOnCommandList(10, list), kGpaStatusErrorApiNotSupported);
	IS(gpa.CopySecondarySamples(list, list, 1, &n), kGpaStatusErrorApiNotSupported);
	IS(gpa.IsPassComplete(session, 0), kGpaStatusErrorCommandListNotEnded);
	OK(gpa.BeginCommandList(session, 0, NULL, kGpaCommandListNone, &second));
	OK(gpa.BeginSample(20, second)); /* two lists of a pass at once */
	OK(gpa.EndSample(second));
	OK(gpa.EndCommandList(second));
	OK(gpa.EndCommandList(list));
	IS(gpa.EndCommandList(list), kGpaStatusErrorCommandListAlreadyEnded);
	IS(gpa.BeginSample(30, list), kGpaStatusErrorFailed);
	IS(gpa.BeginSample(30, (GpaCommandListId)(void *)native),
	   kGpaStatusErrorCommandListNotFound);
	IS(gpa.BeginSample(30, NULL), kGpaStatusErrorNullPointer);
	OK(gpa.IsPassComplete(session, 0));
	IS(gpa.IsPassComplete(session, 1), kGpaStatusErrorIndexOutOfRange);
}

/* The second pass, which has to have the first one's samples; returns its list. */
static GpaCommandListId check_sessions_end(void)
{
	GpaCommandListId list = NULL;
	GpaUInt32 n;
	OK(gpa.BeginCommandList(session, 1, NULL, kGpaCommandListNone, &list));
	OK(gpa.BeginSample(10, list));
	OK(gpa.EndSample(list));
	IS(gpa.EndSession(session), kGpaStatusErrorVariableNumberOfSamplesInPasses);
	IS(gpa.GetSampleCount(session, &n), kGpaStatusErrorSessionNotEnded);
	OK(gpa.BeginSample(20, list));
	OK(gpa.EndSample(list));
	OK(gpa.EndCommandList(list));
	IS(gpa.IsSessionComplete(session), kGpaStatusErrorSessionNotEnded);
	OK(gpa.EndSession(session));
	OK(gpa.GetSampleCount(session, &n));
	assert_int_equal(n, 2);
	IS(gpa.BeginSession(session), kGpaStatusErrorSessionAlreadyStarted);
	IS(gpa.EnableCounter(session, 5), kGpaStatusErrorSessionAlreadyStarted);
	return list;
}

static void test_states(void **state)
{
	GpaSessionId other;
	(void)state;
	check_sessions_begin(&other);
	check_lists_are_refused();
	check_lists_and_samples();
	GpaCommandListId list = check_sessions_end();
	OK(gpa.DeleteSession(session));
	IS(gpa.DeleteSession(session), kGpaStatusErrorSessionNotFound);
	IS(gpa.EndCommandList(list), kGpaStatusErrorCommandListNotFound);
	OK(gpa.DeleteSession(other));
}

/* Results are packed in the order of enabling, eight bytes each. */
static void test_results(void **state)
{
	struct {
		double beta;
		GpaUInt64 alpha, behind;
	} out = {.behind = 77};
	size_t size = 0;
	GpaUInt32 id;
	(void)state;
	OK(gpa.EnableCounter(session, 1));
	OK(gpa.EnableCounter(session, 0));
	OK(gpa.BeginSession(session));
	run_pass(0);
	run_pass(1);
	OK(gpa.EndSession(session));
	fake.delay = 0;
	OK(gpa.IsSessionComplete(session));
	IS(gpa.GetSampleResultSize(session, 99, &size), kGpaStatusErrorSampleNotFound);
	OK(gpa.GetSampleResultSize(session, 10, &size));
	assert_int_equal(size, 16);
	IS(gpa.GetSampleResult(session, 10, 8, &out), kGpaStatusErrorReadingSampleResult);
	IS(gpa.GetSampleResult(session, 10, size, NULL), kGpaStatusErrorNullPointer);
	OK(gpa.GetSampleResult(session, 10, size, &out));
	/* Begun second in each pass; Alpha is alone in pass 0. */
	assert_true(out.beta == 3001);
	assert_int_equal(out.alpha, 1000);
	assert_int_equal(out.behind, 77);
	OK(gpa.GetSampleResult(session, 20, size, &out));
	assert_true(out.beta == 2001);
	assert_int_equal(out.alpha, 0);
	OK(gpa.GetSampleId(session, 1, &id));
	assert_int_equal(id, 20);
	IS(gpa.GetSampleId(session, 2, &id), kGpaStatusErrorSampleNotFound);
}

static void test_not_ready(void **state)
{
	double value;
	(void)state;
	OK(gpa.EnableCounter(session, 1));
	OK(gpa.BeginSession(session));
	fake.delay = 3;
	run_pass(0);
	OK(gpa.EndSession(session));
	IS(gpa.IsSessionComplete(session), kGpaStatusResultNotReady);
	IS(gpa.IsPassComplete(session, 0), kGpaStatusResultNotReady);
	OK(gpa.GetSampleResult(session, 10, 8, &value)); /* waits */
	assert_true(value == 1001);
	OK(gpa.IsSessionComplete(session));
}

/* A pass that could not be ended has no data: the others' is there, and the status says so. */
static void test_lost(void **state)
{
	struct {
		double beta;
		GpaUInt64 alpha;
	} out;
	GpaCommandListId list = NULL;
	(void)state;
	OK(gpa.EnableCounter(session, 1));
	OK(gpa.EnableCounter(session, 0));
	OK(gpa.BeginSession(session));
	fake.end_fails = true;
	OK(gpa.BeginCommandList(session, 1, NULL, kGpaCommandListNone, &list));
	OK(gpa.BeginSample(10, list));
	IS(gpa.EndSample(list), kGpaStatusErrorFailed);
	OK(gpa.EndCommandList(list));
	fake.end_fails = false;
	list = NULL;
	OK(gpa.BeginCommandList(session, 0, NULL, kGpaCommandListNone, &list));
	OK(gpa.BeginSample(10, list));
	OK(gpa.EndSample(list));
	OK(gpa.EndCommandList(list));
	OK(gpa.EndSession(session));
	IS(gpa.GetSampleResult(session, 10, sizeof(out), &out), kGpaStatusErrorReadingSampleResult);
	assert_true(out.beta != out.beta); /* not a number */
	assert_int_equal(out.alpha, 1000);
}

static void *profile(void *unused)
{
	static char natives[2];
	static _Atomic int next;
	intptr_t failed = 0;
	GpaContextId c = NULL;
	(void)unused;
	failed += gpa.OpenContext(&natives[next++], 0, &c) != kGpaStatusOk;
	for (int i = 0; i < 300; i++) {
		GpaSessionId s = NULL;
		GpaCommandListId list = NULL;
		GpaUInt64 value = 1;
		failed += gpa.CreateSession(c, kGpaSessionSampleTypeDiscreteCounter, &s) != 0;
		failed += gpa.EnableCounter(s, 4) != 0;
		failed += gpa.BeginSession(s) != 0;
		failed += gpa.BeginCommandList(s, 0, NULL, kGpaCommandListNone, &list) != 0;
		failed += gpa.BeginSample(1, list) != 0;
		failed += gpa.EndSample(list) != 0;
		failed += gpa.EndCommandList(list) != 0;
		failed += gpa.EndSession(s) != 0;
		failed += gpa.GetSampleResult(s, 1, sizeof(value), &value) != 0;
		failed += value % 1000 != 4;
		failed += gpa.DeleteSession(s) != 0;
	}
	failed += gpa.CloseContext(c) != kGpaStatusOk;
	return (void *)failed;
}

static void test_threads(void **state)
{
	pthread_t threads[2];
	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, profile, NULL), 0);
	for (int i = 0; i < 2; i++) {
		void *failed;
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_table, open_all, close_all),
	    cmocka_unit_test_setup_teardown(test_table_refused, open_all, close_all),
	    cmocka_unit_test_setup_teardown(test_library, open_all, close_all),
	    cmocka_unit_test_setup_teardown(test_contexts, open_all, close_all),
	    cmocka_unit_test_setup_teardown(test_counters, open_all, close_all),
	    cmocka_unit_test_setup_teardown(test_enabling, open_all, close_all),
	    cmocka_unit_test_setup_teardown(test_states, open_all, close_all),
	    cmocka_unit_test_setup_teardown(test_results, open_all, close_all),
	    cmocka_unit_test_setup_teardown(test_not_ready, open_all, close_all),
	    cmocka_unit_test_setup_teardown(test_lost, open_all, close_all),
	    cmocka_unit_test_setup_teardown(test_threads, open_all, close_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
