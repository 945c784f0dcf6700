/* Vendors' files as catalogs, from files of our own that follow the published grammars. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <sextant/lint.h>

static const char igt[] =
    "<?xml version=\"1.0\"?>\n<!-- a comment with <set> in it -->\n<metrics version=\"1\">\n"
    "<set name=\"First set\" chipset=\"XYZGT9\" symbol_name=\"First\" underscore_name=\"first\" "
    "hw_config_guid=\"11111111-2222-3333-4444-555555555555\" oa_format=\"A32u40_A4u32_B8_C8\">\n"
    "<counter name=\"GPU Time\" symbol_name=\"GpuTime\" data_type=\"uint64\" units=\"ns\" "
    "equation=\"GPU_TIME 0 READ 1000000000 UMUL $GpuTimestampFrequency UDIV\" "
    "mdapi_group=\"GPU\" description=\"Time &lt;here&gt; &amp;\n  there\"/>\n"
    "<counter name=\"Shifted\" symbol_name=\"Shifted\" data_type=\"float\" units=\"percent\" "
    "equation=\"A 7 READ 3 &lt;&lt; $GpuTime  FDIV\" max_equation=\"100\" "
    "availability=\"$SliceMask 3 0 2 UMUL &lt;&lt; AND true &amp;&amp;\"/>\n"
    "<counter name=\"Odd\" symbol_name=\"Odd\" data_type=\"uint64\" units=\"parsecs\" "
    "equation=\"B 2 READ ^\"/>\n"
    "<register_config type=\"NOA\" availability=\"$SkuRevisionId 2 UGTE $SliceMask 1 AND "
    "&amp;&amp;\" priority=\"1\" id=\"0\">\n"
    "<register type=\"NOA\" address=\"0x9840\" value=\"0x000000A0\"/>\n"
    "<register type=\"NOA\" address=\"0x9888\" value=\"0x143F000F\"/>\n</register_config>\n"
    "<register_config type=\"SPARE\"><register address=\"0x1\" value=\"0x2\"/></register_config>\n"
    "</set>\n"
    "<set name=\"Second\" chipset=\"XYZGT9\" symbol_name=\"Second\" oa_format=\"MPEC8u32_B8_C8\">\n"
    "<counter name=\"GPU Time\" symbol_name=\"GpuTime\" data_type=\"uint64\" units=\"ns\" "
    "equation=\"GPU_TIME 0 READ 1000000000 UMUL $GpuTimestampFrequency UDIV\" "
    "mdapi_group=\"GPU\"/>\n</set>\n</metrics>\n";

/* A reference to a lost counter, an unknown name, and an invalid identifier. */
static const char igt_lost[] =
    "<metrics><set name=\"A\" chipset=\"T\" symbol_name=\"SetA\" "
    "hw_config_guid=\"zz-492c-9ccd-4929d574d5b8\">\n"
    "<counter name=\"C\" symbol_name=\"Clocks\" units=\"cycles\" equation=\"GPU_CLOCK 0 READ "
    "5\"/>\n"
    "<counter name=\"B\" symbol_name=\"Busy\" units=\"percent\" "
    "equation=\"A 1 READ 100 UMUL $Clocks FDIV\"/>\n"
    "<counter name=\"O\" symbol_name=\"OfBusy\" units=\"percent\" equation=\"$Busy 2 FMUL\"/>\n"
    "<counter name=\"D\" symbol_name=\"Odd\" units=\"percent\" equation=\"A 1 READ $NoSuch "
    "FDIV\"/>\n"
    "</set></metrics>\n";

static const char gator[] = "<counter_set name=\"x\"/>"; /* a root alone: no counters */

static const char gator_events[] =
    "<events>\n<category name=\"Mali Core Cycles\" per_cpu=\"no\">\n"
    "<event counter=\"ARM_Mali-G99_FRAG_ACTIVE\" title=\"Mali Core Cycles\" name=\"Fragment "
    "active\" description=\"Cycles\" units=\"cycles\" multiplier=\"4\"/>\n</category>\n</events>\n";

struct seen {
	char text[4096];
	uint32_t count;
};

static void note(void *user, const char *line)
{
	struct seen *seen = user;
	size_t used = strlen(seen->text);
	snprintf(seen->text + used, sizeof(seen->text) - used, "%s\n", line);
}

static enum sx_status import(const char *kind, const char *text, size_t size, struct seen *seen,
			     char **yaml, struct sx_error *err)
{
	*seen = (struct seen){0};
	*yaml = NULL;
	struct sx_import_request request = {.kind = kind,
					    .text = text,
					    .size = size,
					    .origin = "file.xml",
					    .note = note,
					    .user = seen};
	return sx_catalog_import(&request, yaml, &seen->count, err);
}

static struct sx_catalog *good(const char *kind, const char *text, struct seen *seen)
{
	char *yaml;
	struct sx_error err = {0};
	struct sx_catalog *cat = NULL;
	if (import(kind, text, strlen(text), seen, &yaml, &err) != SX_OK)
		fail_msg("%s: %s", err.message, err.because);
	if (sx_catalog_parse(yaml, strlen(yaml), "imported", &cat, &err) != SX_OK)
		fail_msg("%s: %s\n%s", err.message, err.because, yaml);
	free(yaml);
	return cat;
}

static void test_igt(void **state)
{
	struct seen seen;
	uint32_t count;
	struct sx_catalog *cat = good("igt-xml", igt, &seen);
	assert_string_equal(sx_catalog_info(cat)->name, "intel-xyzgt9");
	const struct sx_group_info *g = sx_catalog_groups(cat, &count);
	assert_int_equal(count, 2);
	assert_string_equal(g[0].uuid, "11111111-2222-3333-4444-555555555555");
	assert_int_equal(g[0].program_count, 1);
	assert_string_equal(g[0].programs[0].writes, "9840:000000A0 9888:143F000F");
	assert_int_equal(g[0].programs[0].priority, 1);
	assert_string_equal(g[0].programs[0].when,
			    "$SkuRevisionId 2 UGTE $SliceMask 1 AND 0 UGT AND");
	assert_string_equal(g[1].unit, "oam");
	const struct sx_metric_info *m = sx_catalog_metrics(cat, &count);
	assert_int_equal(count, 3); /* GpuTime in both sets, from one entry */
	uint32_t at = sx_catalog_find_metric(cat, "First.Shifted", SX_NONE, NULL);
	assert_string_equal(m[at].exprs[0], "A 7 READ 8 UMUL $GpuTime FDIV");
	assert_string_equal(m[at].when, "$SliceMask 3 AND");
	assert_int_equal(m[at].type, SX_F64);
	at = sx_catalog_find_metric(cat, "First.GpuTime", SX_NONE, NULL);
	assert_string_equal(m[at].description, "Time <here> & there");
	assert_int_equal(sx_catalog_find_counter(cat, "A7", SX_NONE, NULL) != SX_NONE, 1);
	/* Diagnostics for what was not translated: a unit, an operator, registers of an unknown
	 * kind. */
	assert_int_equal(seen.count, 4);
	assert_non_null(strstr(seen.text, "1 register program is not held against"));
	assert_non_null(strstr(seen.text, "parsecs"));
	assert_non_null(strstr(seen.text, "First.Odd: its equation is not translated"));
	assert_non_null(strstr(seen.text, "SPARE"));
	sx_catalog_unref(cat);
}

static void test_gator(void **state)
{
	struct seen seen;
	uint32_t count;
	struct sx_catalog *cat = good("gator-xml", gator_events, &seen);
	const struct sx_counter_info *c = sx_catalog_counters(cat, &count);
	assert_int_equal(count, 1);
	assert_string_equal(c[0].name, "ARM_Mali-G99_FRAG_ACTIVE");
	assert_string_equal(c[0].unit, "cycles");
	assert_non_null(strstr(seen.text, "multiplier 4 is not translated"));
	sx_catalog_unref(cat);
}

static void test_what_reads_what_is_lost(void **state)
{
	struct seen seen;
	uint32_t count;
	struct sx_catalog *cat = good("igt-xml", igt_lost, &seen);
	assert_string_equal(sx_catalog_metrics(cat, &count)[0].name, "Odd");
	assert_int_equal(count, 1);
	sx_catalog_constants(cat, &count);
	assert_int_equal(count, 1);
	assert_null(sx_catalog_groups(cat, &count)[0].uuid);
	assert_int_equal(seen.count, 5);
	assert_non_null(strstr(seen.text, "OfBusy: left out, since it reads Busy"));
	assert_non_null(strstr(seen.text, "NoSuch is neither a metric"));
	assert_non_null(strstr(seen.text, "is no hw_config_guid"));
	sx_catalog_unref(cat);
}

/* Diagnostics for formats and counters that no report has, with their users. */
static void test_what_cannot_be(void **state)
{
	static const char text[] =
	    "<metrics><set name=\"A\" chipset=\"T\" symbol_name=\"SetA\" "
	    "oa_format=\"A24u40_A14u32_B8_C8\">\n"
	    "<counter name=\"L\" symbol_name=\"Last\" units=\"cycles\" "
	    "equation=\"A 37 READ C 7 READ UADD\"/>\n"
	    "<counter name=\"B\" symbol_name=\"Beyond\" units=\"cycles\" "
	    "equation=\"A 1 READ A 38 READ UADD\"/>\n"
	    "<counter name=\"O\" symbol_name=\"OfBeyond\" units=\"cycles\" "
	    "equation=\"$Beyond 2 UMUL\"/>\n"
	    "<counter name=\"P\" symbol_name=\"Pec\" units=\"cycles\" "
	    "equation=\"PEC 0 READ\"/>\n"
	    "</set><set name=\"B\" chipset=\"T\" symbol_name=\"SetB\" oa_format=\"A99_Q3\">\n"
	    "<counter name=\"M\" symbol_name=\"Most\" units=\"cycles\" "
	    "equation=\"A 44 READ PEC 63 READ UADD\"/>\n"
	    "<counter name=\"N\" symbol_name=\"More\" units=\"cycles\" "
	    "equation=\"A 45 READ\"/>\n"
	    "</set><set name=\"C\" chipset=\"T\" symbol_name=\"SetC\" "
	    "oa_format=\"128B_MPEC8_NOA16\"/></metrics>\n";
	struct seen seen;
	uint32_t count;
	struct sx_catalog *cat = good("igt-xml", text, &seen);
	/* Files since Meteor Lake call formats otherwise. */
	const struct sx_group_info *sets = sx_catalog_groups(cat, &count);
	assert_int_equal(count, 3);
	assert_string_equal(sets[2].counter_format, "MPEC8u32_B8_C8");
	assert_string_equal(sets[2].unit, "oam");
	sx_catalog_metrics(cat, &count);
	assert_int_equal(count, 2);
	assert_true(sx_catalog_find_metric(cat, "SetA.Last", SX_NONE, NULL) != SX_NONE);
	assert_true(sx_catalog_find_metric(cat, "SetB.Most", SX_NONE, NULL) != SX_NONE);
	assert_int_equal(seen.count, 5);
	assert_non_null(strstr(seen.text, "reports have no format \"A99_Q3\""));
	assert_non_null(strstr(seen.text, "SetA.Beyond: left out, since it reads A 38, which "
					  "format A24u40_A14u32_B8_C8 does not have"));
	assert_non_null(strstr(seen.text, "OfBeyond: left out, since it reads Beyond"));
	assert_non_null(strstr(seen.text, "SetA.Pec: left out, since it reads PEC 0"));
	assert_non_null(
	    strstr(seen.text, "SetB.More: left out, since it reads A 45, which a report"));
	sx_catalog_unref(cat);
}

static char *read_seed(const char *name)
{
	char path[512], *text = calloc(1, 65536);
	const char *root = getenv("SEXTANT_SOURCE_ROOT");
	snprintf(path, sizeof(path), "%s/tests/data/catalog-import/%s", root ? root : ".", name);
	FILE *in = fopen(path, "rb");
	assert_non_null(text);
	if (!in)
		fail_msg("cannot open %s", path);
	assert_true(fread(text, 1, 65535, in) > 0);
	fclose(in);
	return text;
}

static enum sx_status import_mali(const char *text, const char *name, struct seen *seen,
				  char **yaml, struct sx_error *err)
{
	*seen = (struct seen){0};
	*yaml = NULL;
	struct sx_import_request request = {.kind = "mali-spec",
					    .text = text,
					    .size = strlen(text),
					    .origin = "database",
					    .name = name,
					    .note = note,
					    .user = seen};
	return sx_catalog_import(&request, yaml, &seen->count, err);
}

static void check_mali(const struct sx_catalog *cat)
{
	uint32_t count;
	const struct sx_counter_info *c = sx_catalog_counters(cat, &count);
	assert_int_equal(count, 3); /* the undescribed one as well, the one beyond its block not */
	uint32_t at = sx_catalog_find_counter(cat, "OLD_FRAG_THREADS", SX_NONE, NULL);
	assert_string_equal(c[at].name, "MaliShaderThreadsAllFragmentThreads");
	assert_int_equal(sx_catalog_find_counter(cat, "MaliFragThread", SX_NONE, NULL), at);
	assert_int_equal(c[at].slot, 7);
	assert_int_equal(c[at].scale, 4);
	assert_int_equal(c[at].reduce, SX_REDUCE_SUM);
	at = sx_catalog_find_counter(cat, "MaliGPUCyclesGPUActive", SX_NONE, NULL);
	assert_string_equal(c[at].description, "Cycles with <any> work & more.");
	assert_int_equal(c[at].reduce, SX_REDUCE_SINGLE);
	const struct sx_metric_info *m = sx_catalog_metrics(cat, &count);
	assert_int_equal(count, 4);
	at = sx_catalog_find_metric(cat, "MaliLoad", SX_NONE, NULL);
	assert_string_equal(m[at].name, "thread_load");
	assert_string_equal(m[at].unit, "percent");
	/* A name that begins with a digit is none in formulas. */
	assert_string_equal(m[at].exprs[0],
			    "max(min(max(min(($MaliVar16Cy / $MaliGPUCyclesGPUActive) * 100, 100), "
			    "0) + $MaliConstantsShaderCoreCount * 0.5, 100), 0)");
	const struct sx_catalog_info *info = sx_catalog_info(cat);
	assert_string_equal(info->name, "mali-x10");
	assert_int_equal(info->product_count, 1);
	assert_string_equal(info->products[0].name, "mali-x10");
}

/* A key of several, by a product's name; diagnostics have a file and line. */
static void test_mali_spec(void **state)
{
	struct seen seen;
	struct sx_error err = {0};
	struct sx_catalog *cat = NULL;
	char *yaml, *text = read_seed("mali-spec.xml");
	(void)state;
	if (import_mali(text, "mali-x10", &seen, &yaml, &err) ||
	    sx_catalog_parse(yaml, strlen(yaml), "imported", &cat, &err))
		fail_msg("%s: %s", err.message, err.because);
	check_mali(cat);
	assert_int_equal(seen.count, 5);
	assert_non_null(strstr(seen.text, "hardwarelayout/Mali X1.xml:5: a slot of Shader Core"));
	assert_non_null(strstr(seen.text, "\"Flux\" is not known"));
	assert_non_null(strstr(seen.text, "NOBODY: no counter is described"));
	assert_non_null(strstr(seen.text, "parsecs"));
	assert_non_null(strstr(seen.text, "MaliOdd: its equation is not translated: MaliNothing"));
	sx_catalog_unref(cat);
	free(yaml);
	/* Of several keys one has to be named; a layout that is not there is none. */
	assert_int_equal(import_mali(text, NULL, &seen, &yaml, &err), SX_ERR_USAGE);
	assert_non_null(strstr(err.because, "mali-x1, mali-x2"));
	assert_int_equal(import_mali(text, "mali-x3", &seen, &yaml, &err), SX_ERR_USAGE);
	assert_int_equal(import_mali(text, "mali-x2", &seen, &yaml, &err), SX_OK);
	free(yaml);
	assert_int_equal(import_mali("<a/>", NULL, &seen, &yaml, &err), SX_ERR_BAD_INPUT);
	assert_non_null(strstr(err.because, "HardwareLayout"));
	/* A fault names its own file. */
	assert_int_equal(import_mali("<?sextant-file a?><x/>\n<?sextant-file b.xml?><x>\n</y>",
				     NULL, &seen, &yaml, &err),
			 SX_ERR_BAD_INPUT);
	assert_non_null(strstr(err.message, "b.xml:2:"));
	free(text);
}

static void refuse(const char *kind, const char *text, size_t size, enum sx_status status,
		   const char *says)
{
	struct seen seen;
	char *yaml;
	struct sx_error err = {0};
	assert_int_equal(import(kind, text, size, &seen, &yaml, &err), status);
	assert_null(yaml);
	if ((!strstr(err.message, says) && !strstr(err.because, says)) || !err.remedy[0])
		fail_msg("wanted \"%s\": %s | %s | %s", says, err.message, err.because, err.remedy);
}

static void test_hostile(void **state)
{
	static const char laughs[] =
	    "<!DOCTYPE x [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]><x y=\"&b;\"/>";
	refuse("igt-xml", laughs, strlen(laughs), SX_ERR_BAD_INPUT, "document types");
	refuse("igt-xml", "<x y=\"&b;\"/>", 12, SX_ERR_BAD_INPUT, "entities");
	char deep[2000] = "";
	for (size_t i = 0; i < 100; i++)
		strcat(deep, "<a>");
	refuse("igt-xml", deep, strlen(deep), SX_ERR_LIMIT, "32 levels");
	char wide[4000] = "<a ";
	for (size_t i = 0; i < 100; i++)
		sprintf(wide + strlen(wide), "a%zu=\"1\" ", i);
	refuse("igt-xml", wide, strlen(wide), SX_ERR_LIMIT, "64");
	refuse("igt-xml", "", 0, SX_ERR_BAD_INPUT, "no element");
	refuse("igt-xml", "<a\0b/>", 6, SX_ERR_BAD_INPUT, "NUL");
	refuse("igt-xml", "<a></b>", 7, SX_ERR_BAD_INPUT, "not open");
	refuse("igt-xml", "<a/><b/>", 8, SX_ERR_BAD_INPUT, "second root");
	refuse("igt-xml", "<a", 2, SX_ERR_BAD_INPUT, "does not end");
	refuse("igt-xml", "<!-- x", 6, SX_ERR_BAD_INPUT, "does not end");
	refuse("igt-xml", "<a/>", 4, SX_ERR_BAD_INPUT, "no metric sets");
	static const char nameless[] = "<metrics><set name=\"x\"/></metrics>";
	refuse("igt-xml", nameless, strlen(nameless), SX_ERR_BAD_INPUT, "no metric sets");
	refuse("gator-xml", gator, strlen(gator), SX_ERR_BAD_INPUT, "no counters");
	refuse("mali-spec", laughs, strlen(laughs), SX_ERR_BAD_INPUT, "document types");
	refuse("mali-spec", deep, strlen(deep), SX_ERR_LIMIT, "32 levels");
	refuse("nothing", igt, strlen(igt), SX_ERR_USAGE, "no kind");
}

/* An error in each of very many lines: reporting them takes no longer than reading them. */
static void test_faults_of_many_lines(void **state)
{
	size_t lines = 200000, used = 0;
	char *many = malloc(lines * 12 + 64);
	assert_non_null(many);
	used += (size_t)sprintf(many, "<events>");
	for (size_t i = 0; i < lines; i++)
		used += (size_t)sprintf(many + used, "<event/>\n");
	used += (size_t)sprintf(many + used, "</events>");
	struct seen shown;
	char *out = NULL;
	struct sx_import_request request = {
	    .kind = "gator-xml", .text = many, .size = used, .origin = "many"};
	assert_int_equal(sx_catalog_import(&request, &out, &shown.count, NULL), SX_OK);
	assert_int_equal(shown.count, lines);
	free(out);
	free(many);
}

/* Cut anywhere, it is refused or translated, and nothing leaks. */
static void test_cut(void **state)
{
	for (size_t size = 0; size < strlen(igt); size += 7) {
		struct seen seen;
		char *yaml, *copy = malloc(size + 1);
		assert_non_null(copy);
		memcpy(copy, igt, size);
		if (import("igt-xml", copy, size, &seen, &yaml, NULL) == SX_OK)
			free(yaml);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_igt),
	    cmocka_unit_test(test_what_reads_what_is_lost),
	    cmocka_unit_test(test_what_cannot_be),
	    cmocka_unit_test(test_gator),
	    cmocka_unit_test(test_mali_spec),
	    cmocka_unit_test(test_hostile),
	    cmocka_unit_test(test_faults_of_many_lines),
	    cmocka_unit_test(test_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
