/*
 * A client of libGPUPerfAPIGL: counts scenes that are known, to the last vertex. It is compiled as
 * C, as C++ (client_gl_cxx.cpp), and with every function loaded at run time (GPA_DLSYM).
 */
#ifdef __cplusplus
#include <cstdio>
#include <cstring>
#else
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#endif
#include <dlfcn.h>
#include <pthread.h>

#include "gpa/GPUPerfAPI.h"
#include "gl_scene.h"

#ifdef GPA_DLSYM
#define GPA_FUNCTION_PREFIX(name) static name##PtrType p_##name;
#include "gpa/GPUPerfAPIFunctions.h"
#undef GPA_FUNCTION_PREFIX
#define G(name) p_##name
static bool load(void)
{
	void *library = dlopen(GPA_DLSYM, RTLD_LAZY | RTLD_LOCAL);
	bool all = library != NULL;
#define GPA_FUNCTION_PREFIX(name)                                                                  \
	{                                                                                          \
		void *symbol = all ? dlsym(library, #name) : NULL;                                 \
		memcpy(&p_##name, &symbol, sizeof(symbol));                                        \
		all = all && symbol;                                                               \
	}
#include "gpa/GPUPerfAPIFunctions.h"
#undef GPA_FUNCTION_PREFIX
	return all;
}
#else
#define G(name) name
static bool load(void)
{
	return true;
}
#endif

#include "check.h"

static void print_error(GPA_Logging_Type type, const char *message)
{
	(void)type;
	printf("log: %s\n", message);
}

/* What a scene must count; a name ends the list. */
struct expectation {
	const char *name;
	double least, most;
};

struct test {
	const char *name;
	void (*draw)(struct gl_scene *scene);
	struct expectation expect[16];
};

static const struct test tests[] = {
    {"triangles",
     scene_triangles,
     {{"IAVertices", 6, 6},
      {"IAPrimitives", 2, 2},
      {"VSInvocations", 6, 6},
      {"CInvocations", 2, 2},
      {"CPrimitives", 2, 2},
      {"VSVerticesIn", 6, 6},
      {"PrimitivesIn", 2, 2},
      {"GSInvocations", 0, 0},
      {"CSInvocations", 0, 0},
      {"OverflowPred", 0, 0},
      {"OverflowPred_S1", 0, 0},
      {"OcclusionPredicate", 1, 1},
      {"PrimsWritten", 0, 0},
      {NULL, 0, 0}}},
    {"compute",
     scene_compute,
     {{"CSInvocations", 96, 96},
      {"CSThreads", 96, 96},
      {"IAVertices", 0, 0},
      {"Occlusion", 0, 0},
      {"OcclusionPredicate", 0, 0},
      {NULL, 0, 0}}},
    {"streams",
     scene_streams,
     {{"GSInvocations", 5, 5},
      {"GSPrimsIn", 5, 5},
      {"GSPrimitives", 20, 20},
      {"PrimsWritten", 5, 5},
      {"PrimsWritten_S0", 5, 5},
      {"PrimsWritten_S1", 8, 8},
      {"PrimsStorageNeed", 5, 5},
      {"PrimsStorageNeed_S0", 5, 5},
      {"PrimsStorageNeed_S1", 15, 15},
      {"OverflowPred", 1, 1},
      {"OverflowPred_S0", 0, 0},
      {"OverflowPred_S1", 1, 1},
      {"OverflowPred_S2", 0, 0},
      {NULL, 0, 0}}},
    {"patches",
     scene_patches,
     {{"HSInvocations", 2, 2},
      {"HSPatches", 2, 2},
      {"IAVertices", 6, 6},
      {"DSInvocations", 8, 48},
      {"DSVerticesIn", 8, 48},
      {NULL, 0, 0}}},
    {"depth",
     scene_depth,
     {{"Occlusion", 4096, 4096},
      {"IAVertices", 12, 12},
      {"PSInvocations", 4096, 16384},
      {"OcclusionPredicate", 1, 1},
      {NULL, 0, 0}}},
};
#define TESTS (sizeof(tests) / sizeof(tests[0]))

/* A counter's value, whatever its type; -1 when it cannot be read. */
static double read_counter(gpa_uint32 session, gpa_uint32 sample, const char *name)
{
	gpa_uint32 index = 0;
	gpa_uint64 count = 0;
	gpa_float64 number = -1;
	GPA_Type type = GPA_TYPE__LAST;
	if (G(GPA_GetCounterIndex)(name, &index) != GPA_STATUS_OK ||
	    G(GPA_GetCounterDataType)(index, &type) != GPA_STATUS_OK)
		return -1;
	if (type == GPA_TYPE_FLOAT64)
		return G(GPA_GetSampleFloat64)(session, sample, index, &number) == GPA_STATUS_OK
			   ? number
			   : -1;
	return G(GPA_GetSampleUInt64)(session, sample, index, &count) == GPA_STATUS_OK
		   ? (double)count
		   : -1;
}

/* One session in which each test is one sample. */
static gpa_uint32 run_session(struct gl_scene *scene)
{
	gpa_uint32 session = 0, passes = 0;
	OK(G(GPA_BeginSession)(&session));
	OK(G(GPA_GetPassCount)(&passes));
	for (gpa_uint32 p = 0; p < passes; p++) {
		OK(G(GPA_BeginPass)());
		for (gpa_uint32 t = 0; t < TESTS; t++) {
			OK(G(GPA_BeginSample)(t));
			tests[t].draw(scene);
			OK(G(GPA_EndSample)());
		}
		OK(G(GPA_EndPass)());
	}
	OK(G(GPA_EndSession)());
	return session;
}

static void check_session(gpa_uint32 session)
{
	for (gpa_uint32 t = 0; t < TESTS; t++) {
		for (const struct expectation *e = tests[t].expect; e->name; e++) {
			double value = read_counter(session, t, e->name);
			CHECK(value >= e->least && value <= e->most, "%s: %s is %g, expected %g",
			      tests[t].name, e->name, value, e->least);
		}
		double ms = read_counter(session, t, "GPUTime");
		CHECK(ms >= 0 && ms < 10000, "%s: GPUTime is %g", tests[t].name, ms);
		ms = read_counter(session, t, "D3DGPUTime");
		CHECK(ms >= 0 && ms < 10000, "%s: D3DGPUTime is %g", tests[t].name, ms);
	}
}

static void check_descriptions(void)
{
	gpa_uint32 count = 0;
	OK(G(GPA_GetNumCounters)(&count));
	CHECK(count >= 36, "%u counters", count);
	for (gpa_uint32 i = 0; i < count; i++) {
		const char *name = "", *text = "";
		OK(G(GPA_GetCounterName)(i, &name));
		OK(G(GPA_GetCounterDescription)(i, &text));
		CHECK(text[0] == '#' && strchr(text + 1, '#'), "%s: %s", name, text);
	}
}

/* The program's own query gives its right result, and only the counter it shadows is missing. */
static void check_own_query(struct gl_scene *scene)
{
	gpa_uint32 session = 0, passes = 0;
	unsigned passed = 0;
	OK(G(GPA_BeginSession)(&session));
	OK(G(GPA_GetPassCount)(&passes));
	for (gpa_uint32 p = 0; p < passes; p++) {
		OK(G(GPA_BeginPass)());
		scene_own_query_begin(scene);
		OK(G(GPA_BeginSample)(0));
		scene_depth(scene);
		OK(G(GPA_EndSample)());
		passed = scene_own_query_end(scene);
		CHECK(passed == 4096, "the program's query gave %u", passed);
		OK(G(GPA_EndPass)());
	}
	OK(G(GPA_EndSession)());
	CHECK(read_counter(session, 0, "Occlusion") == -1, "Occlusion was disturbed");
	CHECK(read_counter(session, 0, "IAVertices") == 12, "IAVertices");
}

/* Results of ours never go to the program's buffer, and its binding stays. */
static void check_query_buffer(struct gl_scene *scene)
{
	bool ready = true;
	scene_query_buffer(scene);
	check_session(run_session(scene));
	CHECK(scene_query_buffer_is_whole(scene), "the program's query buffer was written to");
	gpa_uint32 session = run_session(scene);
	scene_query_buffer_delete(scene);
	CHECK(G(GPA_IsSessionReady)(&ready, session) == GPA_STATUS_OK && !ready,
	      "read although the buffer could not be bound again");
	CHECK(scene_query_buffer_is_whole(scene), "the deleted buffer was written to");
	scene_query_buffer_end(scene);
	check_session(session);
}

static void *in_thread(void *unused)
{
	struct gl_scene *scene = scene_create();
	(void)unused;
	if (!scene)
		return NULL;
	OK(G(GPA_OpenContext)(scene_context(scene)));
	OK(G(GPA_EnableAllCounters)());
	for (int i = 0; i < 3; i++)
		check_session(run_session(scene));
	OK(G(GPA_CloseContext)());
	scene_destroy(scene);
	return NULL;
}

/* Two contexts in two threads, each with its own current context. */
static void check_threads(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, in_thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void check_in_flight(struct gl_scene *scene)
{
	gpa_uint32 ids[4];
	bool ready = false;
	for (int i = 0; i < 4; i++)
		ids[i] = run_session(scene);
	for (int i = 3; i >= 0; i--)
		check_session(ids[i]);
	OK(G(GPA_IsSessionReady)(&ready, ids[0]));
	CHECK(ready, "a session that was read is not ready");
	for (int i = 0; i < 8; i++)
		run_session(scene);
	CHECK(G(GPA_IsSessionReady)(&ready, ids[0]) == GPA_STATUS_ERROR_SESSION_NOT_FOUND,
	      "session 1 is still there");
}

int main(void)
{
	const char *device = NULL;
	struct gl_scene *scene = scene_create();
	if (!load()) {
		printf("FAIL: the library lacks a function\n");
		return 1;
	}
	if (!scene) {
		printf("SKIP: no OpenGL 4.5 without a window here\n");
		return 77;
	}
	printf("renderer: %s\n", scene_renderer());
	OK(G(GPA_RegisterLoggingCallback)(GPA_LOGGING_ERROR, print_error));
	OK(G(GPA_Initialize)());
	OK(G(GPA_OpenContext)(scene_context(scene)));
	OK(G(GPA_GetDeviceDesc)(&device));
	CHECK(device && strcmp(device, scene_renderer()) == 0, "device %s", device);
	check_descriptions();
	OK(G(GPA_EnableAllCounters)());
	check_in_flight(scene);
	check_query_buffer(scene);
	OK(G(GPA_RegisterLoggingCallback)(GPA_LOGGING_NONE, NULL));
	check_own_query(scene);
	OK(G(GPA_CloseContext)());
	check_threads();
	OK(G(GPA_Destroy)());
	scene_destroy(scene);
	printf("%d failures\n", failures);
	return failures != 0;
}
