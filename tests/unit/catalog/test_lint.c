/* Lint finds each fault of tests/data/lint.yaml, nothing else there, and nothing in ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <sextant/lint.h>
#include "catalog/embedded.h"
#include "catalog/lint/lint.h"
#include "catalog/internal.h"

struct expected {
	const char *thing; /* the line of the file that holds this text */
	const char *says;
};

static const struct expected expected[] = {
    {"{name: Mute", "no description"},
    {"{name: Outside", "slots 0 to 7"},
    {"{name: Nameless", "no description"},
    {"{name: WrongUnit", "\"WrongUnit\" is in bytes, but gpu.clocks is in cycles"},
    {"{name: WrongName", "no neutral name"},
    {"{name: Twin", "the same as \"Nobody\", which is not there"},
    {"{name: Apart", "keeps instances apart"},
    {"{name: long", "characters, more than 240"},
    {"{name: A,", "the condition of program 1 of \"A\": \"Good\" is not a constant"},
    {"{name: Peaked", "the peak of \"Peaked\": "},
    {"{name: syntax", "the formula of \"syntax\": "},
    {"{name: unknown", "\"God\" means nothing; did you mean Good"},
    {"{name: range", "has instances 0 to 3, not 4"},
    {"{name: needs", "needs [N] or [*]"},
    {"{name: none", "\"Good\" has no instances"},
    {"{name: ambiguous", "\"Shared\" is in 2 groups"},
    {"{name: variant", "the formula of \"variant\" for two: \"Goood\""},
    {"{name: max", "the maximum of \"max\": "},
    {"{name: peak", "the peak of \"peak\": \"Good\" is not a constant"},
    {"{name: when", "\"Good\" is not a constant"},
    {"{name: keep", "\"Nowhere\" means nothing"},
    {"{rule: bad.when", "the condition of rule \"bad.when\": "},
    {"{rule: bad.name", "\"Bad\" means nothing"},
    {"{rule: bad.metric", "the metric of rule \"bad.metric\": \"Gone\" means nothing"},
};

#define EXPECTED_COUNT (sizeof(expected) / sizeof(expected[0]))

struct found {
	const char *text; /* of the file */
	size_t count;
};

static uint32_t line_of(const char *text, const char *part)
{
	const char *at = strstr(text, part);
	assert_non_null(at);
	uint32_t line = 1;
	for (const char *p = text; p < at; p++)
		line += *p == '\n';
	return line;
}

static void compare(void *user, const struct sx_lint_finding *finding)
{
	struct found *found = user;
	assert_non_null(strstr(finding->origin, "/lint.yaml"));
	if (found->count == EXPECTED_COUNT)
		fail_msg("too many: %u: %s", finding->line, finding->message);
	const struct expected *e = &expected[found->count++];
	if (finding->line != line_of(found->text, e->thing) || !strstr(finding->message, e->says))
		fail_msg("%u: %s\nexpected %s: %s", finding->line, finding->message, e->thing,
			 e->says);
}

static void data_path(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", getenv("SEXTANT_TEST_DATA"), name);
}

static void test_every_fault_is_found(void **state)
{
	static char text[65536];
	char path[4096];
	data_path(path, sizeof(path), "lint.yaml");
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	size_t size = fread(text, 1, sizeof(text) - 1, file);
	text[size] = '\0';
	fclose(file);
	struct found found = {.text = text};
	struct sx_error err = {0};
	uint32_t count = 0;
	const struct sx_lint_request request = {path, compare, &found};
	assert_int_equal(sx_catalog_lint(*state, &request, &count, &err), SX_OK);
	assert_int_equal(found.count, EXPECTED_COUNT);
	assert_int_equal(count, EXPECTED_COUNT);
}

static void print(void *user, const struct sx_lint_finding *finding)
{
	print_error("%s: line %u: %s\n", (const char *)user, finding->line, finding->message);
}

static void test_our_catalogs_are_clean(void **state)
{
	uint32_t sum = 0;
	size_t names;
	const char *const *list = sx_catalog_names(*state, &names);
	for (size_t i = 0; i < names; i++) {
		char name[128];
		snprintf(name, sizeof(name), "%s", list[i]);
		uint32_t count = 0;
		struct sx_error err = {0};
		const struct sx_lint_request request = {name, print, name};
		if (sx_catalog_lint(*state, &request, &count, &err) != SX_OK)
			fail_msg("%s", err.message);
		sum += count;
	}
	if (sum)
		fail_msg(
		    "%u findings; after a deliberate change of a formula: ninja -C build identity",
		    sum);
}

static void keep_one(void *user, const struct sx_lint_finding *finding)
{
	snprintf(user, 512, "%s|%u|%s", finding->origin, finding->line, finding->message);
}

static void test_what_does_not_load_is_a_finding(void **state)
{
	char path[] = "/tmp/sextant-lint-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	FILE *file = fdopen(fd, "w");
	fputs("sextant-catalog: 1\nname: x\nnonsense: 1\n", file);
	fclose(file);
	char text[512] = "", want[512];
	uint32_t count = 0;
	const struct sx_lint_request request = {path, keep_one, text}, silent = {.name = path};
	assert_int_equal(sx_catalog_lint(*state, &request, &count, NULL), SX_OK);
	snprintf(want, sizeof(want), "%s|3|unknown key \"nonsense\" of a catalog", path);
	assert_string_equal(text, want);
	assert_int_equal(count, 1);
	remove(path);
	struct sx_error err = {0};
	assert_int_equal(sx_catalog_lint(*state, &silent, NULL, &err), SX_ERR_NOT_FOUND);
}

static uint64_t hash_of(const char *unit, const char *expr)
{
	char text[1024];
	struct sx_catalog *catalog = NULL;
	snprintf(text, sizeof(text),
		 "sextant-catalog: 1\nname: x\ntitle: X\nvendor: V\nkind: gpu\ndialect: standard\n"
		 "notation: infix\nmetrics:\n- {name: m, unit: %s, expr: \"%s\"}\n",
		 unit, expr);
	assert_int_equal(sx_catalog_parse(text, strlen(text), "x", &catalog, NULL), SX_OK);
	uint64_t hash = 0;
	assert_true(identity_hash(catalog, &catalog->metrics[0], &hash));
	sx_catalog_unref(catalog);
	return hash;
}

static void test_identity_hash(void **state)
{
	uint64_t hash = hash_of("cycles", "a / (b + 1)");
	assert_true(hash == hash_of("cycles", "$a/($b+1)"));
	assert_true(hash == hash_of("cycles", "a  /  ( b + 1 )"));
	assert_false(hash == hash_of("cycles", "a / (b + 2)"));
	assert_false(hash == hash_of("percent", "a / (b + 1)"));
	assert_false(hash == hash_of("cycles", "b / (a + 1)"));
	/* In postfix blanks part words. */
	assert_false(hash_of("cycles", "1 2 FADD") == hash_of("cycles", "12 FADD"));
	assert_true(hash_of("cycles", "$a  $b FADD") == hash_of("cycles", "a b FADD"));
}

static void test_identity_of_one_metric(void **state)
{
	/* xxhash64 of "cycles\n=a/2\n", from an implementation of its own in Python. */
	assert_true(hash_of("cycles", "a / 2") == UINT64_C(0x04ce8fd16f36a679));
}

static void test_identity_text(void **state)
{
	static const char yaml[] =
	    "sextant-catalog: 1\nname: b\ntitle: X\nvendor: V\nkind: gpu\ndialect: standard\n"
	    "notation: infix\ngroups: [{name: G, kind: set}, {name: F, kind: set}]\nmetrics:\n"
	    "- {name: m, unit: cycles, expr: a / 2, groups: [G, F]}\n";
	struct sx_catalog *catalog = NULL;
	char *text = NULL;
	assert_int_equal(sx_catalog_parse(yaml, strlen(yaml), "x", &catalog, NULL), SX_OK);
	static const char old[] = "c\tx\t1\nb\told\t2\na\ty\t3\n";
	assert_int_equal(identity_text(catalog, old, &text, NULL), SX_OK);
	char want[256];
	uint64_t hash = hash_of("cycles", "a / 2");
	snprintf(want, sizeof(want), "a\ty\t3\nb\t*.m\t%016llx\nc\tx\t1\n",
		 (unsigned long long)hash);
	assert_string_equal(text, want);
	free(text);
	sx_catalog_unref(catalog);
}

static void test_identity_is_refused(void **state)
{
	struct sx_catalog *catalog = NULL;
	assert_int_equal(sx_catalog_open(*state, "opengl", &catalog, NULL), SX_OK);
	struct sx_metric_info metric = catalog->metrics[0];
	struct identities list = {0};
	assert_int_equal(identities_open(&list, NULL), SX_OK);
	assert_int_equal(identity_check(&list, catalog, &metric), IDENTITY_SAME);
	metric.unit = "nonsense";
	assert_int_equal(identity_check(&list, catalog, &metric), IDENTITY_CHANGED);
	metric.qualified = "no_such_metric";
	assert_int_equal(identity_check(&list, catalog, &metric), IDENTITY_MISSING);
	identities_finish(&list);
	sx_catalog_unref(catalog);
}

static int setup(void **state)
{
	struct sx_context *context = NULL;
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	*state = context;
	return 0;
}

static int teardown(void **state)
{
	sx_context_destroy(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_fault_is_found),
	    cmocka_unit_test(test_our_catalogs_are_clean),
	    cmocka_unit_test(test_what_does_not_load_is_a_finding),
	    cmocka_unit_test(test_identity_hash),
	    cmocka_unit_test(test_identity_of_one_metric),
	    cmocka_unit_test(test_identity_text),
	    cmocka_unit_test(test_identity_is_refused),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
