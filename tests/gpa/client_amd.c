/*
 * The derived counters of GCN 2 and 3 through the fake AMD driver: how many passes, that no rule of
 * the driver is broken, and every value. The values come from tests/oracle/amd_model.py, which
 * evaluates the catalog's formulas on the model by itself.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpa/GPUPerfAPI.h"
#include "check.h"
#include "fake_amd.h"
#include "gl_scene.h"

static void print_log(GPA_Logging_Type type, const char *message)
{
	(void)type;
	printf("log: %s\n", message);
}

struct generation {
	const char *chip, *catalog;
	unsigned ta, rb, tcc;
	unsigned counters; /* derived ones of the guide */
	gpa_uint32 most_passes;
};

static gpa_uint32 run_session(struct gl_scene *scene, gpa_uint32 *passes)
{
	gpa_uint32 session = 0;
	OK(GPA_BeginSession(&session));
	OK(GPA_GetPassCount(passes));
	for (gpa_uint32 p = 0; p < *passes; p++) {
		OK(GPA_BeginPass());
		for (gpa_uint32 s = 0; s < 2; s++) {
			OK(GPA_BeginSample(s));
			scene_triangles(scene);
			OK(GPA_EndSample());
		}
		OK(GPA_EndPass());
	}
	OK(GPA_EndSession());
	return session;
}

/* Lines of "CATALOG NAME VALUE"; time is not among them. Returns how many fit this catalog. */
static unsigned check_values(const char *path, const char *catalog, gpa_uint32 session)
{
	char line[256], cat[32], name[64], text[64];
	unsigned checked = 0;
	FILE *file = fopen(path, "r");
	CHECK(file, "cannot open %s", path);
	while (file && fgets(line, sizeof(line), file)) {
		gpa_uint32 index = 0;
		if (sscanf(line, "%31s %63s %63s", cat, name, text) != 3 || strcmp(cat, catalog))
			continue;
		double want = strtod(text, NULL), got = NAN;
		OK(GPA_GetCounterIndex(name, &index));
		for (gpa_uint32 sample = 0; sample < 2; sample++) {
			GPA_Status status = GPA_GetSampleFloat64(session, sample, index, &got);
			CHECK(status == GPA_STATUS_OK && fabs(got - want) <= 1e-12 * fabs(want),
			      "%s %s: %.17g, expected %.17g (%s)", catalog, name, got, want,
			      GPA_GetStatusAsStr(status));
		}
		checked++;
	}
	if (file)
		fclose(file);
	return checked;
}

/* Enables what is not in the D3D11-style group. */
static unsigned enable_derived(void)
{
	gpa_uint32 count = 0;
	unsigned enabled = 0;
	OK(GPA_GetNumCounters(&count));
	for (gpa_uint32 i = 0; i < count; i++) {
		const char *text = "";
		OK(GPA_GetCounterDescription(i, &text));
		if (strncmp(text, "#D3D11#", 7) == 0)
			continue;
		OK(GPA_EnableCounter(i));
		enabled++;
	}
	return enabled;
}

static void check_generation(struct gl_scene *scene, const struct generation *g, const char *path)
{
	gpa_uint32 passes = 0, index = 0, vertices = 0;
	gpa_uint64 count = 0;
	gpa_float64 ms = -1;
	fake_amd_enable(g->chip, g->ta, g->rb, g->tcc);
	OK(GPA_OpenContext(scene_context(scene)));
	unsigned enabled = enable_derived();
	CHECK(enabled == g->counters, "%s: %u derived counters", g->chip, enabled);
	gpa_uint32 session = run_session(scene, &passes);
	CHECK(passes >= 2 && passes <= g->most_passes, "%s: %u passes", g->chip, passes);
	printf("%s: %u counters in %u passes, at most %u events in a monitor\n", g->chip, enabled,
	       passes, fake_amd_report().most);
	unsigned checked = check_values(path, g->catalog, session);
	CHECK(checked + 9 >= enabled, "%s: only %u values were checked", g->chip, checked);
	OK(GPA_GetCounterIndex("GPUTime", &index));
	OK(GPA_GetSampleFloat64(session, 0, index, &ms));
	CHECK(ms >= 0 && ms < 10000, "GPUTime %g", ms);
	/* Queries of the API beside hardware counters cost no pass, and are still exact. */
	OK(GPA_EnableCounterStr("IAVertices"));
	OK(GPA_EnableCounterStr("D3DGPUTime"));
	gpa_uint32 with = 0;
	session = run_session(scene, &with);
	CHECK(with == passes, "queries took %u more passes", with - passes);
	OK(GPA_GetCounterIndex("IAVertices", &vertices));
	OK(GPA_GetSampleUInt64(session, 1, vertices, &count));
	CHECK(count == 6, "IAVertices %llu", count);
	OK(GPA_DisableAllCounters());
	OK(GPA_EnableCounterStr("IAVertices"));
	session = run_session(scene, &with);
	OK(GPA_GetSampleUInt64(session, 0, vertices, &count));
	CHECK(with == 1 && count == 6, "IAVertices alone: %u passes", with);
	OK(GPA_CloseContext());
	struct fake_amd_log log = fake_amd_report();
	CHECK(!log.refused, "%s: the driver refused %u sets", g->chip, log.refused);
	CHECK(!log.alive, "%s: %u monitors leaked", g->chip, log.alive);
	fake_amd_disable();
}

/* With SEXTANT_GPA_RAW the events behind the formulas are counters too. */
static void check_raw(struct gl_scene *scene)
{
	static const struct {
		const char *name, *group;
		unsigned select;
	} raws[] = {
	    {"spi.vs_busy", "SPI", 1}, {"TA[7].TA_BUSY", "TA7", 0}, {"SQ_VS.WAVES", "SQ_VS", 4}};
	gpa_uint32 index = 0, passes = 0;
	setenv("SEXTANT_GPA_RAW", "1", 1);
	fake_amd_enable("hawaii", 8, 2, 4);
	OK(GPA_OpenContext(scene_context(scene)));
	CHECK(GPA_GetCounterIndex("TA[8].TA_BUSY", &index) == GPA_STATUS_ERROR_NOT_FOUND,
	      "TA[8] is not on this chip");
	for (size_t i = 0; i < 3; i++)
		OK(GPA_EnableCounterStr(raws[i].name));
	gpa_uint32 session = run_session(scene, &passes);
	CHECK(passes == 2, "%u passes", passes); /* SQ_VS would window TA7 */
	for (size_t i = 0; i < 3; i++) {
		gpa_uint64 value = 0;
		OK(GPA_GetCounterIndex(raws[i].name, &index));
		OK(GPA_GetSampleUInt64(session, 1, index, &value));
		CHECK(value == fake_amd_value(raws[i].group, raws[i].select), "%s: %llu",
		      raws[i].name, value);
	}
	OK(GPA_CloseContext());
	fake_amd_disable();
	unsetenv("SEXTANT_GPA_RAW");
}

/* Where the driver splits groups by engine, their counts are added. */
static void check_split(struct gl_scene *scene)
{
	gpa_uint32 index = 0, passes = 0;
	gpa_uint64 spi = 0, ta = 0;
	setenv("SEXTANT_GPA_RAW", "1", 1);
	fake_amd_enable_split("polaris10", 2, 4);
	OK(GPA_OpenContext(scene_context(scene)));
	OK(GPA_EnableCounterStr("SPI.VS_BUSY"));
	OK(GPA_EnableCounterStr("TA[3].TA_BUSY"));
	gpa_uint32 session = run_session(scene, &passes);
	OK(GPA_GetCounterIndex("SPI.VS_BUSY", &index));
	OK(GPA_GetSampleUInt64(session, 0, index, &spi));
	OK(GPA_GetCounterIndex("TA[3].TA_BUSY", &index));
	OK(GPA_GetSampleUInt64(session, 0, index, &ta));
	CHECK(spi == fake_amd_value("SPI0", 1) + fake_amd_value("SPI1", 1), "SPI.VS_BUSY %llu",
	      spi);
	CHECK(ta == fake_amd_value("TA0_3", 15) + fake_amd_value("TA1_3", 15), "TA %llu", ta);
	/* Derived counters of blocks that this driver lacks are not offered. */
	CHECK(GPA_GetCounterIndex("CBMemRead", &index) == GPA_STATUS_ERROR_NOT_FOUND, "CBMemRead");
	OK(GPA_GetCounterIndex("TexUnitBusy", &index));
	OK(GPA_CloseContext());
	fake_amd_disable();
	unsetenv("SEXTANT_GPA_RAW");
}

/* Mesa counts nothing on GFX6: what a query gives exactly is there all the same. */
static void check_gfx6(struct gl_scene *scene)
{
	static const char *const names[] = {"GPUTime",	    "VSVerticesIn", "HSPatches",
					    "DSVerticesIn", "GSPrimsIn",    "PrimitivesIn",
					    "CSThreads"};
	gpa_uint32 index = 0, passes = 0;
	gpa_float64 count = 0;
	fake_amd_enable_gfx6();
	OK(GPA_OpenContext(scene_context(scene)));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		CHECK(GPA_GetCounterIndex(names[i], &index) == GPA_STATUS_OK, "GFX6 lacks %s",
		      names[i]);
	CHECK(GPA_GetCounterIndex("VSBusy", &index) == GPA_STATUS_ERROR_NOT_FOUND, "VSBusy");
	OK(GPA_EnableCounterStr("VSVerticesIn"));
	gpa_uint32 session = run_session(scene, &passes);
	OK(GPA_GetCounterIndex("VSVerticesIn", &index));
	OK(GPA_GetSampleFloat64(session, 1, index, &count));
	CHECK(count == 6, "VSVerticesIn %g", count);
	OK(GPA_CloseContext());
	fake_amd_disable();
}

/* NUM_CUS = 44 and four engines come from GPIN; MemUnitBusy and the like depend on them. */
static double read_tex_unit_busy(struct gl_scene *scene, const char *constants)
{
	gpa_uint32 index = 0, passes = 0;
	gpa_float64 value = -1;
	setenv("SEXTANT_GPA_CONSTANTS", constants, 1);
	fake_amd_enable("hawaii", 11, 4, 16);
	OK(GPA_OpenContext(scene_context(scene)));
	OK(GPA_EnableCounterStr("TexUnitBusy"));
	gpa_uint32 session = run_session(scene, &passes);
	OK(GPA_GetCounterIndex("TexUnitBusy", &index));
	OK(GPA_GetSampleFloat64(session, 0, index, &value));
	OK(GPA_CloseContext());
	fake_amd_disable();
	return value;
}

/* The driver reports the chip's shape; of the user's constants only a wrong entry is ignored. */
static void check_constants(struct gl_scene *scene)
{
	double shown = read_tex_unit_busy(scene, "");
	double same = read_tex_unit_busy(scene, "NUM_SHADER_ENGINES=4");
	double half = read_tex_unit_busy(scene, "nonsense=1, NUM_SHADER_ENGINES = 8 ,NUM_CUS=x");
	CHECK(shown > 0 && shown == same, "TexUnitBusy %g, with four engines %g", shown, same);
	CHECK(fabs(half * 2 - shown) < 1e-9 * shown, "with eight engines %g, half of %g", half,
	      shown);
}

/* The fake itself: it refuses two stages of SQ, and three events of a block that counts two. */
static void check_fake(void)
{
	static const struct {
		const char *a, *b;
		unsigned counters, refused;
	} cases[] = {{"SQ_VS", "SQ_PS", 1, 1}, {"SQ_VS", "TA0", 2, 0}, {"TA0", "TA1", 3, 1}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake_amd_enable("hawaii", 11, 4, 16);
		fake_amd_try(cases[i].a, cases[i].b, cases[i].counters);
		CHECK(fake_amd_report().refused == cases[i].refused, "the fake allows case %zu", i);
		fake_amd_disable();
	}
}

int main(int argc, char **argv)
{
	/*
	 * Full chips, and one with fewer instances than the largest of its generation. Time is a
	 * pass, each of seven stages is one, and 14 or 16 events of TA, two at a time, are seven or
	 * eight.
	 */
	static const struct generation generations[] = {
	    {"hawaii", "amd-gcn2", 11, 4, 16, 90, 15},
	    {"polaris10", "amd-gcn3", 16, 4, 16, 90, 16},
	    {"kaveri", "amd-gcn2/kaveri", 8, 2, 4, 90, 15},
	};
	struct gl_scene *scene = scene_create();
	if (!scene) {
		printf("SKIP: no OpenGL 4.5 without a window here\n");
		return 77;
	}
	OK(GPA_RegisterLoggingCallback(GPA_LOGGING_ERROR_AND_MESSAGE, print_log));
	check_constants(scene);
	check_gfx6(scene);
	setenv("SEXTANT_GPA_CONSTANTS",
	       "NUM_SHADER_ENGINES=4,NUM_SIMDS=176,NUM_CUS=44,NUM_PRIM_PIPES=3,SU_CLOCKS_PRIM=2",
	       1);
	check_fake();
	for (size_t i = 0; argc > 1 && i < sizeof(generations) / sizeof(generations[0]); i++)
		check_generation(scene, &generations[i], argv[1]);
	check_raw(scene);
	check_split(scene);
	scene_destroy(scene);
	printf("%d failures\n", failures);
	return failures != 0 || argc < 2;
}
