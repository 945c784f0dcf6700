/*
 * A client of version 3 by its table, as loaders use it, on OpenGL: the calls of a frame debugger
 * (a sample for each draw, passes asked for one by one), exact counts, two threads, and memory that
 * does not grow. usage: client-gl3 LIBRARY [SECONDS]
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpa/GPUPerfAPI3.h"
#include "gl_scene.h"

static GpaFunctionTable gpa;
static _Atomic int failures;

#define OK3(call)                                                                                  \
	do {                                                                                       \
		GpaStatus status_ = (call);                                                        \
		if (status_ != kGpaStatusOk) {                                                     \
			printf("FAIL %s:%d: %s: %s\n", __FILE__, __LINE__, #call,                  \
			       gpa.GetStatusAsStr(status_));                                       \
			failures++;                                                                \
		}                                                                                  \
	} while (0)
#define CHECK3(condition, ...)                                                                     \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			printf("FAIL %s:%d: ", __FILE__, __LINE__);                                \
			printf(__VA_ARGS__);                                                       \
			printf("\n");                                                              \
			failures++;                                                                \
		}                                                                                  \
	} while (0)

static bool load(const char *path)
{
	GpaStatus (*get)(void *);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *symbol = library ? dlsym(library, "GpaGetFuncTable") : NULL;
	if (!symbol)
		return false;
	memcpy(&get, &symbol, sizeof(get));
	gpa.major_version = GPA_FUNCTION_TABLE_MAJOR_VERSION_NUMBER;
	gpa.minor_version = GPA_FUNCTION_TABLE_MINOR_VERSION_NUMBER;
	return get(&gpa) == kGpaStatusOk;
}

static void print_log(GpaLoggingType type, const char *message)
{
	(void)type;
	printf("log: %s\n", message);
}

/* Draws of known counts; the number of a draw is its sample. */
enum { DRAWS = 2 };
static void draw(struct gl_scene *scene, int number)
{
	if (number == 0)
		scene_triangles(scene);
	else
		scene_compute(scene);
}

static void run_pass(struct gl_scene *scene, GpaSessionId session, GpaUInt32 pass)
{
	GpaCommandListId list = NULL;
	OK3(gpa.BeginCommandList(session, pass, NULL, kGpaCommandListNone, &list));
	for (int i = 0; i < DRAWS; i++) {
		OK3(gpa.BeginSample((GpaUInt32)i + 100, list));
		draw(scene, i);
		OK3(gpa.EndSample(list));
	}
	OK3(gpa.EndCommandList(list));
	GpaStatus status;
	while ((status = gpa.IsPassComplete(session, pass)) == kGpaStatusResultNotReady)
		usleep(100);
	OK3(status);
}

/* The value of a counter out of a packed result, as a double. */
static double value_of(GpaContextId context, GpaSessionId session, const GpaUInt64 *results,
		       const char *name)
{
	GpaUInt32 counter, enabled, count = 0;
	GpaDataType type;
	double real;
	OK3(gpa.GetCounterIndex(context, name, &counter));
	OK3(gpa.GetCounterDataType(context, counter, &type));
	OK3(gpa.GetNumEnabledCounters(session, &count));
	for (GpaUInt32 i = 0; i < count; i++) {
		OK3(gpa.GetEnabledIndex(session, i, &enabled));
		if (enabled != counter)
			continue;
		memcpy(&real, &results[i], sizeof(real));
		return type == kGpaDataTypeFloat64 ? real : (double)results[i];
	}
	return -1;
}

static void check_sample(GpaContextId context, GpaSessionId session, int number)
{
	static const struct {
		const char *name;
		double values[DRAWS];
	} expected[] = {{"IAVertices", {6, 0}},	   {"IAPrimitives", {2, 0}},
			{"VSInvocations", {6, 0}}, {"CInvocations", {2, 0}},
			{"VSVerticesIn", {6, 0}},  {"CSInvocations", {0, 96}},
			{"CSThreads", {0, 96}},	   {"PrimsWritten", {0, 0}}};
	size_t size = 0;
	OK3(gpa.GetSampleResultSize(session, (GpaUInt32)number + 100, &size));
	GpaUInt64 *results = calloc(1, size + 1);
	OK3(gpa.GetSampleResult(session, (GpaUInt32)number + 100, size, results));
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		double got = value_of(context, session, results, expected[i].name);
		CHECK3(got == expected[i].values[number], "draw %d: %s is %g, expected %g", number,
		       expected[i].name, got, expected[i].values[number]);
	}
	double ms = value_of(context, session, results, "GPUTime");
	CHECK3(ms >= 0 && ms < 10000, "draw %d: GPUTime %g", number, ms);
	free(results);
}

static void run_session(struct gl_scene *scene, GpaContextId context)
{
	GpaSessionId session = NULL;
	GpaUInt32 passes = 0, samples = 0;
	OK3(gpa.CreateSession(context, kGpaSessionSampleTypeDiscreteCounter, &session));
	OK3(gpa.EnableAllCounters(session));
	OK3(gpa.GetPassCount(session, &passes));
	OK3(gpa.BeginSession(session));
	for (GpaUInt32 p = 0; p < passes; p++)
		run_pass(scene, session, p);
	OK3(gpa.EndSession(session));
	OK3(gpa.IsSessionComplete(session));
	OK3(gpa.GetSampleCount(session, &samples));
	CHECK3(samples == DRAWS, "%u samples", samples);
	for (int i = 0; i < DRAWS; i++)
		check_sample(context, session, i);
	OK3(gpa.DeleteSession(session));
}

/* Every counter has a name, a group, a text and a UUID of its own, the same when opened again. */
static void check_counters(GpaContextId context, GpaUuid *uuids, GpaUInt32 *count)
{
	GpaUInt32 n = 0;
	OK3(gpa.GetNumCounters(context, &n));
	CHECK3(n >= 36 && (!*count || *count == n), "%u counters", n);
	for (GpaUInt32 i = 0; i < n && i < 128; i++) {
		const char *name = "", *group = "", *text = "";
		GpaUuid uuid;
		OK3(gpa.GetCounterName(context, i, &name));
		OK3(gpa.GetCounterGroup(context, i, &group));
		OK3(gpa.GetCounterDescription(context, i, &text));
		OK3(gpa.GetCounterUuid(context, i, &uuid));
		CHECK3(*name && *group && *text && *text != '#' && !strchr(group, '#'),
		       "%s: group %s, text %s", name, group, text);
		for (GpaUInt32 k = 0; k < i && !*count; k++)
			CHECK3(uuids[k].data_1 != uuid.data_1 ||
				   memcmp(uuids[k].data_4, uuid.data_4, 8) != 0,
			       "%s has the UUID of another counter", name);
		CHECK3(!*count || uuids[i].data_1 == uuid.data_1, "%s has another UUID now", name);
		uuids[i] = uuid;
	}
	*count = n;
}

/* What RenderDoc asks of every counter while it makes its list; percentages it leaves out. */
static GpaUInt32 list_for_renderdoc(GpaContextId context, GpaUInt32 *out)
{
	GpaUInt32 all = 0, count = 0;
	OK3(gpa.GetNumCounters(context, &all));
	for (GpaUInt32 i = 0; i < all && i < 128; i++) {
		GpaUsageType usage = kGpaUsageTypeLast;
		GpaDataType type = kGpaDataTypeLast;
		const char *text = NULL;
		GpaUuid uuid;
		OK3(gpa.GetCounterUsageType(context, i, &usage));
		if (usage == kGpaUsageTypePercentage)
			continue;
		OK3(gpa.GetCounterName(context, i, &text));
		OK3(gpa.GetCounterDescription(context, i, &text));
		OK3(gpa.GetCounterGroup(context, i, &text));
		OK3(gpa.GetCounterUsageType(context, i, &usage));
		OK3(gpa.GetCounterDataType(context, i, &type));
		OK3(gpa.GetCounterUuid(context, i, &uuid));
		CHECK3(type == kGpaDataTypeFloat64 || type == kGpaDataTypeUint64, "type %d", type);
		out[count++] = i;
	}
	return count;
}

/* A sample for each draw, from 0 on; the pass is awaited. */
static void sample_draws(struct gl_scene *scene, GpaSessionId session, GpaUInt32 p)
{
	GpaStatus status;
	GpaCommandListId list = NULL;
	OK3(gpa.BeginCommandList(session, p, NULL, kGpaCommandListNone, &list));
	for (GpaUInt32 s = 0; s < DRAWS; s++) {
		OK3(gpa.BeginSample(s, list));
		draw(scene, (int)s);
		OK3(gpa.EndSample(list));
	}
	OK3(gpa.EndCommandList(list));
	while ((status = gpa.IsPassComplete(session, p)) == kGpaStatusResultNotReady)
		usleep(100);
	OK3(status);
}

/* The results of each draw, in the order of the counters. */
static void check_draws(GpaContextId context, GpaSessionId session, const GpaUInt32 *counters,
			GpaUInt32 count)
{
	size_t size = 0;
	OK3(gpa.GetSampleResultSize(session, 0, &size));
	CHECK3(size == count * sizeof(GpaUInt64), "%zu bytes of %u counters", size, count);
	for (GpaUInt32 s = 0; s < DRAWS; s++) {
		GpaUInt64 results[128] = {0};
		GpaUInt32 vertices = 0, invocations = 0;
		OK3(gpa.GetSampleResult(session, s, size, results));
		OK3(gpa.GetCounterIndex(context, "IAVertices", &vertices));
		OK3(gpa.GetCounterIndex(context, "CSInvocations", &invocations));
		for (GpaUInt32 i = 0; i < count; i++) {
			CHECK3(counters[i] != vertices || results[i] == (s ? 0 : 6),
			       "draw %u: IAVertices", s);
			CHECK3(counters[i] != invocations || results[i] == (s ? 96 : 0),
			       "draw %u: CSInvocations", s);
		}
	}
}

/*
 * The calls of RenderDoc's amd_counters.cpp and gl_counters.cpp (1.15 and later), in their order:
 * the table by its old name, a context that is opened, listed and closed, then one for the clock at
 * its peak; counters one by one, a sample for each draw from 0 on, each pass awaited before the
 * next, results as an array in the order of the counters.
 */
static void check_renderdoc(struct gl_scene *scene, const char *path)
{
	enum { HIDE_SOFTWARE_COUNTERS = 2 }; /* of GPUPerfAPI 3.0 to 3.8 */
	GpaStatus (*get)(void *) = NULL, status;
	void *symbol = dlsym(dlopen(path, RTLD_NOW | RTLD_LOCAL), "GPA_GetFuncTable");
	GpaFunctionTable table = {.major_version = 3, .minor_version = 376}; /* that of 3.0 */
	GpaUInt32 counters[128], passes = 0;
	GpaContextId context = NULL;
	GpaSessionId session = NULL;
	CHECK3(symbol != NULL, "no GPA_GetFuncTable");
	memcpy(&get, &symbol, sizeof(get));
	OK3(get(&table));
	OK3(gpa.OpenContext(scene_context(scene),
			    HIDE_SOFTWARE_COUNTERS | kGpaOpenContextClockModeNoneBit, &context));
	GpaUInt32 count = list_for_renderdoc(context, counters);
	OK3(gpa.CloseContext(context));
	OK3(gpa.OpenContext(scene_context(scene),
			    HIDE_SOFTWARE_COUNTERS | kGpaOpenContextClockModePeakBit, &context));
	OK3(gpa.CreateSession(context, kGpaSessionSampleTypeDiscreteCounter, &session));
	OK3(gpa.DisableAllCounters(session));
	for (GpaUInt32 i = 0; i < count; i++)
		OK3(gpa.EnableCounter(session, counters[i]));
	OK3(gpa.BeginSession(session));
	OK3(gpa.GetPassCount(session, &passes));
	for (GpaUInt32 p = 0; p < passes; p++)
		sample_draws(scene, session, p);
	OK3(gpa.EndSession(session));
	while ((status = gpa.IsSessionComplete(session)) == kGpaStatusResultNotReady)
		usleep(100);
	OK3(status);
	check_draws(context, session, counters, count);
	OK3(gpa.DeleteSession(session));
	OK3(gpa.CloseContext(context));
}

static void *in_thread(void *unused)
{
	struct gl_scene *scene = scene_create();
	GpaContextId context = NULL;
	(void)unused;
	if (!scene)
		return NULL;
	OK3(gpa.OpenContext(scene_context(scene), 0, &context));
	for (int i = 0; i < 5; i++)
		run_session(scene, context);
	OK3(gpa.CloseContext(context));
	scene_destroy(scene);
	return NULL;
}

/* Resident memory in KiB. */
static long resident(void)
{
	long pages = 0, all = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	if (file && fscanf(file, "%ld %ld", &all, &pages) != 2)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Growth that drivers' threads and malloc() may cause; a leak exceeds it in a long run. */
#define SLACK_SHORT_KIB 32768
#define SLACK_LONG_KIB	4096
#define LONG_SECONDS	60

/* Sessions for some seconds: memory is after a quarter what it is at the end. */
static void check_memory(struct gl_scene *scene, GpaContextId context, int seconds)
{
	time_t begun = time(NULL);
	long early = 0, sessions = 0;
	while (time(NULL) - begun < seconds) {
		run_session(scene, context);
		sessions++;
		if (!early && (time(NULL) - begun) * 4 >= seconds)
			early = resident();
	}
	long grown = resident() - early;
	printf("%ld sessions in %d s: %ld KiB more than after a quarter\n", sessions, seconds,
	       grown);
	CHECK3(!early || grown <= (seconds < LONG_SECONDS ? SLACK_SHORT_KIB : SLACK_LONG_KIB),
	       "memory has grown by %ld KiB", grown);
}

int main(int argc, char **argv)
{
	struct gl_scene *scene = scene_create();
	GpaContextId context = NULL;
	GpaUuid uuids[128];
	GpaUInt32 count = 0;
	pthread_t threads[2];
	const char *name = "";
	if (argc < 2 || !load(argv[1])) {
		printf("FAIL: no table from %s\n", argc < 2 ? "nothing" : argv[1]);
		return 1;
	}
	if (!scene) {
		printf("SKIP: no OpenGL 4.5 without a window here\n");
		return 77;
	}
	OK3(gpa.RegisterLoggingCallback(kGpaLoggingError, print_log));
	OK3(gpa.Initialize(0));
	for (int i = 0; i < 2; i++) {
		OK3(gpa.OpenContext(scene_context(scene), kGpaOpenContextClockModePeakBit,
				    &context));
		OK3(gpa.GetDeviceName(context, &name));
		CHECK3(strcmp(name, scene_renderer()) == 0, "device %s", name);
		check_counters(context, uuids, &count);
		run_session(scene, context);
		if (i == 1)
			check_memory(scene, context, argc > 2 ? atoi(argv[2]) : 2);
		OK3(gpa.CloseContext(context));
	}
	check_renderdoc(scene, argv[1]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, in_thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	OK3(gpa.Destroy());
	scene_destroy(scene);
	printf("%d failures\n", failures);
	return failures != 0;
}
