/*
 * Every function of GPUPerfAPI in every state with every wrong argument, against the ordered rules
 * of tests/data/gpa/rules.tsv: the first condition that holds names the status.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/gpa/fake.h"

enum state { CLOSED, OPEN, ENABLED, SESSION, PASS, SAMPLE, SECOND_PASS, ENDED, STATES };

/* What is wrong with a call's arguments. */
enum flaw {
	NULL_OUT = 1 << 0,
	NULL_NAME = 1 << 1,
	BAD_INDEX = 1 << 2,
	NO_NAME = 1 << 3,
	BAD_SESSION = 1 << 4,
	BAD_SAMPLE = 1 << 5,
	WRONG_TYPE = 1 << 6,
	DISABLED = 1 << 7, /* a counter that is not enabled */
	BAD_VALUE = 1 << 8,
	OTHER = 1 << 9, /* another context */
	UNUSABLE = 1 << 10,
	FLAWS_END = 1 << 11
};

struct rule {
	char function[40], status[48], condition[24];
};

static struct rule rules[256];
static size_t rule_count;
static char native[2];
static uint32_t session_id;

static int read_rules(void **state)
{
	(void)state;
	char path[4096], line[256];
	snprintf(path, sizeof(path), "%s/gpa/rules.tsv", getenv("SEXTANT_TEST_DATA"));
	FILE *file = fopen(path, "r");
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		if (line[0] != '#' && rule_count < 256)
			rule_count +=
			    sscanf(line, "%39s %47s %23s", rules[rule_count].function,
				   rules[rule_count].status, rules[rule_count].condition) == 3;
	fclose(file);
	return rule_count > 100 ? 0 : -1;
}

static void enter(enum state state)
{
	fake = (struct fake_state){0};
	session_id = 0;
	if (state == CLOSED)
		return;
	assert_int_equal(GPA_OpenContext(&native[0]), GPA_STATUS_OK);
	for (uint32_t i = 0; state >= ENABLED && i < 4; i++)
		assert_int_equal(GPA_EnableCounter(i), GPA_STATUS_OK);
	if (state >= SESSION)
		assert_int_equal(GPA_BeginSession(&session_id), GPA_STATUS_OK);
	if (state >= PASS)
		GPA_BeginPass();
	if (state >= SAMPLE)
		GPA_BeginSample(1);
	if (state >= SECOND_PASS) {
		GPA_EndSample();
		GPA_EndPass();
		assert_int_equal(GPA_BeginPass(), GPA_STATUS_OK);
	}
	if (state == ENDED) {
		GPA_BeginSample(1);
		GPA_EndSample();
		GPA_EndPass();
		assert_int_equal(GPA_EndSession(), GPA_STATUS_OK);
	}
}

static void leave(void)
{
	fake.unusable = false;
	for (int i = 0; i < 2; i++) {
		GPA_EndSample();
		GPA_EndPass();
		GPA_EndSession();
		GPA_CloseContext();
	}
	assert_int_equal(fake.open_requests, 0);
}

static bool in_session(enum state s)
{
	return s >= SESSION && s < ENDED;
}

static bool in_pass(enum state s)
{
	return s == PASS || s == SAMPLE || s == SECOND_PASS;
}

/* Whether a condition of the rules holds. */
static bool holds(const char *c, enum state s, unsigned flaws)
{
	const struct {
		const char *name;
		bool is;
	} all[] = {
	    {"closed", s == CLOSED},
	    {"open", s != CLOSED && !(flaws & OTHER)},
	    {"other-context", s == CLOSED || (flaws & OTHER)},
	    {"unusable", flaws & UNUSABLE},
	    {"session", in_session(s)},
	    {"no-session", !in_session(s)},
	    {"pass", in_pass(s)},
	    {"no-pass", !in_pass(s)},
	    {"sample", s == SAMPLE},
	    {"no-sample", s != SAMPLE},
	    {"none-enabled", s < ENABLED},
	    {"enabled", s >= ENABLED && !(flaws & DISABLED)},
	    {"not-enabled", s < ENABLED || (flaws & DISABLED)},
	    {"null", flaws & NULL_OUT},
	    {"null-callback", flaws & NULL_OUT},
	    {"null-name", flaws & NULL_NAME},
	    {"bad-index", flaws & BAD_INDEX},
	    {"no-name", flaws & NO_NAME},
	    {"bad-value", flaws & BAD_VALUE},
	    {"wrong-type", flaws & WRONG_TYPE},
	    {"bad-session", s < SESSION || (flaws & BAD_SESSION)},
	    {"bad-sample", s != ENDED || (flaws & BAD_SAMPLE)},
	    {"no-pass-yet", s == SESSION},
	    {"passes-missing", s >= SESSION && s < SECOND_PASS},
	    {"samples-differ", s == SECOND_PASS},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i].name, c) == 0)
			return all[i].is;
	fail_msg("the rules have an unknown condition %s", c);
	return false;
}

/* The flaws that a function's conditions speak of: the others would change nothing. */
static unsigned flaws_of(const char *function)
{
	static const struct {
		const char *condition;
		unsigned flaw;
	} map[] = {
	    {"null", NULL_OUT},		{"null-callback", NULL_OUT}, {"null-name", NULL_NAME},
	    {"bad-index", BAD_INDEX},	{"no-name", NO_NAME},	     {"bad-session", BAD_SESSION},
	    {"bad-sample", BAD_SAMPLE}, {"wrong-type", WRONG_TYPE},  {"enabled", DISABLED},
	    {"not-enabled", DISABLED},	{"bad-value", BAD_VALUE},    {"open", OTHER},
	    {"other-context", OTHER},	{"unusable", UNUSABLE}};
	unsigned flaws = 0;
	for (size_t r = 0; r < rule_count; r++)
		for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
			if (strcmp(rules[r].function, function) == 0 &&
			    strcmp(rules[r].condition, map[i].condition) == 0)
				flaws |= map[i].flaw;
	return flaws;
}

static GPA_Status status_named(const char *name)
{
	static const char *const names[] = {"OK",
					    "NULL_POINTER",
					    "COUNTERS_NOT_OPEN",
					    "COUNTERS_ALREADY_OPEN",
					    "INDEX_OUT_OF_RANGE",
					    "NOT_FOUND",
					    "ALREADY_ENABLED",
					    "NO_COUNTERS_ENABLED",
					    "NOT_ENABLED",
					    "SAMPLING_NOT_STARTED",
					    "SAMPLING_ALREADY_STARTED",
					    "SAMPLING_NOT_ENDED",
					    "NOT_ENOUGH_PASSES",
					    "PASS_NOT_ENDED",
					    "PASS_NOT_STARTED",
					    "PASS_ALREADY_STARTED",
					    "SAMPLE_NOT_STARTED",
					    "SAMPLE_ALREADY_STARTED",
					    "SAMPLE_NOT_ENDED",
					    "CANNOT_CHANGE_COUNTERS_WHEN_SAMPLING",
					    "SESSION_NOT_FOUND",
					    "SAMPLE_NOT_FOUND",
					    "SAMPLE_NOT_FOUND_IN_ALL_PASSES",
					    "COUNTER_NOT_OF_SPECIFIED_TYPE",
					    "READING_COUNTER_RESULT",
					    "VARIABLE_NUMBER_OF_SAMPLES_IN_PASSES",
					    "FAILED",
					    "HARDWARE_NOT_SUPPORTED"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return (GPA_Status)i;
	fail_msg("the rules have an unknown status %s", name);
	return GPA_STATUS_INTERNAL;
}

static GPA_Status expected(const char *function, enum state s, unsigned flaws)
{
	for (size_t r = 0; r < rule_count; r++)
		if (strcmp(rules[r].function, function) == 0 && rules[r].status[0] != '-' &&
		    holds(rules[r].condition, s, flaws))
			return status_named(rules[r].status);
	return GPA_STATUS_OK;
}

static void ignore_log(GPA_Logging_Type type, const char *message)
{
	(void)type;
	(void)message;
}

/* Arguments of one call, made from its flaws. `type`: 0 to 3 as the counters of the fake. */
struct args {
	uint32_t index, session, sample;
	const char *name;
	void *out, *context;
};

static union {
	gpa_uint64 u64;
	const char *text;
	bool flag;
} result;

static struct args make_args(unsigned flaws, uint32_t type)
{
	static const char *const names[] = {"aLPHA", "Epsilon"};
	struct args a = {.session = flaws & BAD_SESSION ? 999 : session_id,
			 .sample = flaws & BAD_SAMPLE ? 77 : 1,
			 .out = flaws & NULL_OUT ? NULL : &result,
			 .context = &native[flaws & OTHER ? 1 : 0]};
	a.index = (flaws & WRONG_TYPE ? (type + 1) % 4 : type) + (flaws & DISABLED ? 4 : 0);
	if (flaws & BAD_INDEX)
		a.index = FAKE_COUNTERS;
	a.name = flaws & NULL_NAME ? NULL
		 : flaws & NO_NAME ? "Omega"
				   : names[flaws & DISABLED ? 1 : 0];
	if (flaws & NULL_OUT)
		a.context = NULL;
	return a;
}

#define CASE(fn, call)                                                                             \
	if (strcmp(f, #fn) == 0)                                                                   \
		return call;

static GPA_Status call_context(const char *f, const struct args *a, unsigned flaws)
{
	CASE(GPA_RegisterLoggingCallback,
	     GPA_RegisterLoggingCallback(GPA_LOGGING_ERROR, flaws & NULL_OUT ? NULL : ignore_log))
	CASE(GPA_Initialize, GPA_Initialize())
	CASE(GPA_Destroy, GPA_Destroy())
	CASE(GPA_OpenContext, GPA_OpenContext(a->context))
	CASE(GPA_CloseContext, GPA_CloseContext())
	CASE(GPA_SelectContext, GPA_SelectContext(a->context))
	CASE(GPA_GetDeviceID, GPA_GetDeviceID(a->out))
	CASE(GPA_GetDeviceDesc, GPA_GetDeviceDesc(a->out))
	CASE(GPA_GetDataTypeAsStr,
	     GPA_GetDataTypeAsStr(flaws & BAD_VALUE ? GPA_TYPE__LAST : GPA_TYPE_INT64, a->out))
	CASE(GPA_GetUsageTypeAsStr,
	     GPA_GetUsageTypeAsStr(
		 flaws & BAD_VALUE ? GPA_USAGE_TYPE__LAST : GPA_USAGE_TYPE_KILOBYTES, a->out))
	return GPA_STATUS_INTERNAL;
}

static GPA_Status call_counters(const char *f, const struct args *a)
{
	CASE(GPA_GetNumCounters, GPA_GetNumCounters(a->out))
	CASE(GPA_GetCounterName, GPA_GetCounterName(a->index, a->out))
	CASE(GPA_GetCounterDescription, GPA_GetCounterDescription(a->index, a->out))
	CASE(GPA_GetCounterDataType, GPA_GetCounterDataType(a->index, a->out))
	CASE(GPA_GetCounterUsageType, GPA_GetCounterUsageType(a->index, a->out))
	CASE(GPA_GetCounterIndex, GPA_GetCounterIndex(a->name, a->out))
	CASE(GPA_EnableCounter, GPA_EnableCounter(a->index))
	CASE(GPA_EnableCounterStr, GPA_EnableCounterStr(a->name))
	CASE(GPA_EnableAllCounters, GPA_EnableAllCounters())
	CASE(GPA_DisableCounter, GPA_DisableCounter(a->index))
	CASE(GPA_DisableCounterStr, GPA_DisableCounterStr(a->name))
	CASE(GPA_DisableAllCounters, GPA_DisableAllCounters())
	CASE(GPA_GetEnabledCount, GPA_GetEnabledCount(a->out))
	CASE(GPA_GetEnabledIndex, GPA_GetEnabledIndex(a->index, a->out))
	CASE(GPA_IsCounterEnabled, GPA_IsCounterEnabled(a->index))
	CASE(GPA_GetPassCount, GPA_GetPassCount(a->out))
	return GPA_STATUS_INTERNAL;
}

static GPA_Status call_session(const char *f, const struct args *a)
{
	CASE(GPA_BeginSession, GPA_BeginSession(a->out))
	CASE(GPA_EndSession, GPA_EndSession())
	CASE(GPA_BeginPass, GPA_BeginPass())
	CASE(GPA_EndPass, GPA_EndPass())
	CASE(GPA_BeginSample, GPA_BeginSample(2))
	CASE(GPA_EndSample, GPA_EndSample())
	CASE(GPA_GetSampleCount, GPA_GetSampleCount(a->session, a->out))
	CASE(GPA_IsSampleReady, GPA_IsSampleReady(a->out, a->session, a->sample))
	CASE(GPA_IsSessionReady, GPA_IsSessionReady(a->out, a->session))
	CASE(GPA_GetSampleUInt64, GPA_GetSampleUInt64(a->session, a->sample, a->index, a->out))
	CASE(GPA_GetSampleFloat64, GPA_GetSampleFloat64(a->session, a->sample, a->index, a->out))
	CASE(GPA_GetSampleUInt32, GPA_GetSampleUInt32(a->session, a->sample, a->index, a->out))
	CASE(GPA_GetSampleFloat32, GPA_GetSampleFloat32(a->session, a->sample, a->index, a->out))
	return GPA_STATUS_INTERNAL;
}

static uint32_t type_of(const char *f)
{
	static const char *const readers[] = {"GPA_GetSampleUInt64", "GPA_GetSampleFloat64",
					      "GPA_GetSampleUInt32", "GPA_GetSampleFloat32"};
	for (uint32_t i = 0; i < 4; i++)
		if (strcmp(f, readers[i]) == 0)
			return i;
	return 0;
}

static GPA_Status call(const char *f, unsigned flaws)
{
	struct args a = make_args(flaws, type_of(f));
	fake.unusable = flaws & UNUSABLE;
	GPA_Status status = call_context(f, &a, flaws);
	if (status == GPA_STATUS_INTERNAL)
		status = call_counters(f, &a);
	if (status == GPA_STATUS_INTERNAL)
		status = call_session(f, &a);
	if (status == GPA_STATUS_INTERNAL)
		fail_msg("the rules have an unknown function %s", f);
	return status;
}

static void test_every_call(void **state)
{
	(void)state;
	size_t calls = 0, functions = 0;
	for (size_t r = 0; r < rule_count; r++) {
		const char *f = rules[r].function;
		if (r && strcmp(rules[r - 1].function, f) == 0)
			continue;
		functions++;
		unsigned possible = flaws_of(f);
		for (unsigned flaws = 0; flaws < FLAWS_END; flaws++) {
			if (flaws & ~possible)
				continue;
			for (enum state s = CLOSED; s < STATES; s++, calls++) {
				enter(s);
				GPA_Status got = call(f, flaws), want = expected(f, s, flaws);
				leave();
				if (got != want)
					fail_msg("%s in state %d, flaws %#x: %s, expected %s", f,
						 (int)s, flaws, GPA_GetStatusAsStr(got),
						 GPA_GetStatusAsStr(want));
			}
		}
	}
	assert_int_equal(functions, 39); /* and GPA_GetStatusAsStr, which cannot fail */
	assert_true(calls > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_every_call, read_rules)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
