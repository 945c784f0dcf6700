/*
 * Every allocation of a whole use of GPUPerfAPI, and of a plan, fails once: a status each time, the
 * state machine stays usable, nothing leaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <sextant/plan.h>

#include "gpa/GPUPerfAPI3.h"
#include "unit/gpa/fake.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

/* Allocations of the library until one fails; below 0: none does. */
static long until_failure = -1;
static bool fired;

static bool fails(void)
{
	bool now = until_failure >= 0 && until_failure-- == 0;
	fired = fired || now;
	return now;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

static char native;

/* Leaves every state, whatever has failed before. */
static void unwind(void)
{
	until_failure = -1;
	GPA_EndSample();
	GPA_EndPass();
	GPA_EndSession();
	GPA_CloseContext();
	assert_int_equal(fake.open_requests, 0);
}

/* One use; the number of calls that did not answer OK. */
static int use(void)
{
	gpa_uint32 id = 0, passes = 0;
	gpa_uint64 value;
	bool ready = false;
	int failed = GPA_OpenContext(&native) != GPA_STATUS_OK;
	failed += GPA_EnableAllCounters() != GPA_STATUS_OK;
	for (int round = 0; round < 2; round++) {
		failed += GPA_BeginSession(&id) != GPA_STATUS_OK;
		failed += GPA_GetPassCount(&passes) != GPA_STATUS_OK;
		for (gpa_uint32 p = 0; p < passes; p++) {
			failed += GPA_BeginPass() != GPA_STATUS_OK;
			for (gpa_uint32 s = 0; s < 20; s++) {
				failed += GPA_BeginSample(s) != GPA_STATUS_OK;
				failed += GPA_EndSample() != GPA_STATUS_OK;
			}
			failed += GPA_EndPass() != GPA_STATUS_OK;
		}
		failed += GPA_EndSession() != GPA_STATUS_OK;
		failed += GPA_IsSessionReady(&ready, id) != GPA_STATUS_OK;
		for (gpa_uint32 s = 0; s < 40; s++)
			failed +=
			    GPA_GetSampleUInt64(id, s / 2, s % 2 * 4, &value) != GPA_STATUS_OK;
	}
	unwind();
	return failed;
}

static void test_gpa(void **state)
{
	long k = 0;
	(void)state;
	fake = (struct fake_state){0};
	assert_int_equal(use(), 0);
	for (;; k++) {
		fired = false;
		until_failure = k;
		int failed = use();
		assert_int_equal(fired, failed != 0);
		if (!fired)
			break;
		assert_true(k < 10000);
	}
	assert_true(k > 50);
}

/* The same by version 3's table; two sessions, lists in each pass. */
static int use_table(void)
{
	GpaFunctionTable gpa = {.major_version = 3, .minor_version = sizeof(gpa)};
	GpaContextId context = NULL;
	int failed = GpaGetFuncTable(&gpa) != kGpaStatusOk;
	failed += gpa.OpenContext(&native, 0, &context) != kGpaStatusOk;
	for (int round = 0; round < 2; round++) {
		GpaSessionId session = NULL;
		GpaUInt32 passes = 0;
		GpaUInt64 results[FAKE_COUNTERS];
		failed += gpa.CreateSession(context, kGpaSessionSampleTypeDiscreteCounter,
					    &session) != kGpaStatusOk;
		failed += gpa.EnableAllCounters(session) != kGpaStatusOk;
		failed += gpa.GetPassCount(session, &passes) != kGpaStatusOk;
		failed += gpa.BeginSession(session) != kGpaStatusOk;
		for (GpaUInt32 p = 0; p < passes; p++) {
			GpaCommandListId list = NULL;
			failed += gpa.BeginCommandList(session, p, NULL, kGpaCommandListNone,
						       &list) != kGpaStatusOk;
			for (GpaUInt32 s = 0; s < 20; s++) {
				failed += gpa.BeginSample(s, list) != kGpaStatusOk;
				failed += gpa.EndSample(list) != kGpaStatusOk;
			}
			failed += gpa.EndCommandList(list) != kGpaStatusOk;
		}
		failed += gpa.EndSession(session) != kGpaStatusOk;
		for (GpaUInt32 s = 0; s < 20; s++)
			failed += gpa.GetSampleResult(session, s, sizeof(results), results) !=
				  kGpaStatusOk;
	}
	until_failure = -1;
	gpa.CloseContext(context);
	assert_int_equal(fake.open_requests, 0);
	return failed;
}

static void test_gpa3(void **state)
{
	long k = 0;
	(void)state;
	fake = (struct fake_state){0};
	assert_int_equal(use_table(), 0);
	for (;; k++) {
		fired = false;
		until_failure = k;
		int failed = use_table();
		assert_int_equal(fired, failed != 0);
		if (!fired)
			break;
		assert_true(k < 10000);
	}
	assert_true(k > 50);
}

/* The number of allocations is not known: it ends when a run leaves some of them to fail. */
static void test_plan(void **state)
{
	static const uint32_t a[] = {0, 1, 2}, b[] = {3, 4}, c[] = {5, 6, 7, 8, 9, 10};
	static const struct sx_plan_item items[] = {
	    {.counters = a, .count = 3},
	    {.counters = b, .count = 2, .keep = c, .keep_count = 6},
	    {.counters = c, .count = 6}};
	static const struct sx_plan_exclusion apart[] = {{0, 3}};
	const struct sx_plan_options options = {.exclusions = apart, .exclusion_count = 1};
	const struct sx_plan_request request = {items, 3, &options};
	struct sx_context *context = NULL;
	struct sx_catalog *catalog = NULL;
	(void)state;
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	assert_int_equal(sx_catalog_open(context, "amd-gcn2", &catalog, NULL), SX_OK);
	enum sx_status status = SX_ERR_NO_MEMORY;
	for (long k = 0; status; k++) {
		struct sx_plan *plan = NULL;
		struct sx_error err = {0};
		until_failure = k;
		status = sx_plan_create(catalog, &request, &plan, &err);
		until_failure = -1;
		assert_true(status == SX_OK || (status == SX_ERR_NO_MEMORY && !plan));
		sx_plan_destroy(plan);
		assert_true(k < 1000);
	}
	sx_catalog_unref(catalog);
	sx_context_destroy(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_gpa), cmocka_unit_test(test_gpa3),
					   cmocka_unit_test(test_plan)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
