/* What a catalog may not hold is refused with its line and the word that is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <sextant/catalog.h>

#define HEAD                                                                                       \
	"sextant-catalog: 1\nname: x\ntitle: X\nvendor: V\nkind: gpu\n"                            \
	"dialect: standard\nnotation: infix\n"
/* The first line below HEAD. */
#define L8 8

struct bad {
	const char *text;
	uint32_t line;
	const char *says;   /* part of the message */
	const char *remedy; /* part of the remedy, or NULL */
};

static const struct bad table[] = {
    {"", 1, "the file is empty", NULL},
    {"- a\n- b\n", 1, "a catalog must be a mapping, not a list", NULL},
    {"sextant-catalog: 2\nname: x\ntitle: X\nvendor: V\nkind: gpu\ndialect: amd\nnotation: infix\n",
     1, "version 2", "update"},
    {"sextant-catalog: 1\nname: x\n", 1, "needs \"title\"", NULL},
    {HEAD "colour: red\n", L8, "unknown key \"colour\"", NULL},
    {HEAD "metric: []\n", L8, "unknown key \"metric\"", "metrics"},
    {HEAD "title: Y\n", L8, "duplicate key \"title\"", NULL},
    {HEAD "facts: &a [x]\n", L8, "anchors and tags", NULL},
    {HEAD "facts: *a\n", L8, "aliases are not allowed", NULL},
    {HEAD "facts: !!seq [x]\n", L8, "anchors and tags", NULL},
    {HEAD "facts: ~\n", L8, "null is no value", NULL},
    {HEAD "facts: [\"\"]\n", L8, "facts is empty", NULL},
    {HEAD "facts: [\"a\\nb\"]\n", L8, "single line", NULL},
    {HEAD "facts: [\"a\\0b\"]\n", L8, "single line", NULL},
    {HEAD "facts: x\n", L8, "facts must be a list, not a single value", NULL},
    {HEAD "facts: [a\n", L8 + 1, "not valid YAML", NULL},
    {HEAD "? [a]\n: b\n", L8, "a key must be a plain word", NULL},
    {HEAD "---\nname: y\n", L8, "second document", NULL},
    {HEAD "notes:\n  - ok\n  - \x80\n", L8 + 2, "UTF-8", NULL},
    {HEAD "notes:\n  - ok\n  - \xed\xa0\x80\n", L8 + 2, "UTF-8", NULL},
    {"sextant-catalog: 1\nname: x y\n", 2, "\"x y\" is not a name", NULL},
    {"sextant-catalog: one\n", 1, "must be a whole number", NULL},
    {"sextant-catalog: 1\nname: x\ntitle: X\nvendor: V\nkind: gpus\n", 5,
     "one of gpu, cpu, uncore, api", NULL},
    {HEAD "match:\n- {driver: d, key: k}\n", L8 + 1, "a match needs either value or values", NULL},
    {HEAD "variants: [{name: a, title: A}, {name: a, title: B}]\n", L8, "appears twice", NULL},
    {HEAD "pass-limits: {a: -1}\n", L8, "whole number", NULL},
    {HEAD "constants:\n- {name: a, unit: cylces}\n", L8 + 1, "unknown unit \"cylces\"", "cycles"},
    {HEAD "constants:\n- {name: a, unit: count, default: x}\n", L8 + 1, "must be a number", NULL},
    {HEAD "constants:\n- {name: a, unit: count}\n- {name: b, aliases: [a], unit: count}\n", L8 + 2,
     "\"a\" is taken already", NULL},
    {HEAD "blocks: [{name: b, instances: n}]\n", L8, "unknown constant \"n\"", NULL},
    {HEAD "blocks: [{name: b, instances: 0}]\n", L8, "instances must be", NULL},
    {HEAD "blocks: [{name: b, stage: vs}]\n", L8, "go together", NULL},
    {HEAD "blocks: [{name: b, slots: 4294967296}]\n", L8, "of 32 bits", NULL},
    {HEAD "blocks: [{name: b, alone: yes}]\n", L8, "true or false", NULL},
    {HEAD "sections:\n- {id: '1', title: A}\n- {id: '1', title: B}\n", L8 + 2, "taken", NULL},
    {HEAD "groups:\n- {name: g, kind: set, programs: [{kind: mux, writes: '98X:1'}]}\n", L8 + 1,
     "ADDRESS:VALUE", NULL},
    {HEAD "groups:\n- {name: g, kind: set, programs: [{kind: mux, writes: '98:123456789'}]}\n",
     L8 + 1, "ADDRESS:VALUE", NULL},
    {HEAD "counters: [{name: c, unit: count, block: b}]\n", L8, "unknown block \"b\"", NULL},
    {HEAD "blocks: [{name: tiler}]\ncounters: [{name: c, unit: count, block: tilre}]\n", L8 + 1,
     "unknown block \"tilre\"", "tiler"},
    {HEAD "counters: [{name: c, unit: count, group: g}]\n", L8, "unknown group \"g\"", NULL},
    {HEAD "counters: [{name: c, unit: count, bits: 65}]\n", L8, "bits", NULL},
    {HEAD "counters: [{name: c, unit: count, scale: 0}]\n", L8, "scale", NULL},
    {HEAD "counters: [{name: c, unit: count, reduce: last}]\n", L8, "one of single, sum", NULL},
    {HEAD "counters:\n- {name: c, unit: count}\n- {name: c, unit: count}\n", L8 + 2, "taken", NULL},
    {HEAD "counters:\n- {name: c, unit: count, aliases: [c]}\n", L8 + 1, "taken", NULL},
    {HEAD "metrics: [{name: m, unit: count}]\n", L8, "either expr or unavailable", NULL},
    {HEAD "metrics: [{name: m, unit: count, expr: '1', unavailable: no}]\n", L8, "either", NULL},
    {HEAD "metrics: [{name: m, unit: count, exprs: {v: '1'}}]\n", L8, "unknown variant", NULL},
    {HEAD "metrics: [{name: m, unit: count, expr: '1', section: '9'}]\n", L8, "unknown section",
     NULL},
    {HEAD "metrics: [{name: m, unit: count, expr: '1', groups: [g]}]\n", L8, "unknown group", NULL},
    {HEAD "groups: [{name: g, kind: list}]\n"
	  "metrics: [{name: m, unit: count, expr: '1', groups: [g, g]}]\n",
     L8 + 1, "taken", NULL},
    {HEAD "metrics: [{name: m, unit: cycles/cylce, expr: '1'}]\n", L8, "unknown unit", NULL},
    {HEAD "metrics:\n- {name: a, unit: count, expr: b}\n- {name: b, unit: count, expr: '2 * $a'}\n",
     L8 + 1, "\"a\" needs itself", NULL},
    {HEAD "metrics:\n- {name: a, unit: count, expr: a + 1}\n", L8 + 1, "needs itself", NULL},
    {HEAD "advice: [{rule: r, title: T, severity: high, advice: A}]\n", L8, "when or needs", NULL},
    {HEAD "advice: [{rule: r, title: T, severity: bad, when: a, advice: A}]\n", L8, "one of high",
     NULL},
    {HEAD "advice: [{rule: r, title: T, severity: low, when: a, advice: A, min-share: 2}]\n", L8,
     "min-share", NULL},
    {HEAD "advice: [{rule: r, title: T, severity: low, when: a, advice: A, sections: ['7']}]\n", L8,
     "unknown section", NULL},
};

static void check(const struct bad *bad)
{
	struct sx_catalog *catalog = NULL;
	struct sx_error err = {0};
	enum sx_status status =
	    sx_catalog_parse(bad->text, strlen(bad->text), "bad.yaml", &catalog, &err);
	char place[64];
	snprintf(place, sizeof(place), "bad.yaml:%u: ", bad->line);
	if (status == SX_OK)
		fail_msg("accepted:\n%s", bad->text);
	if (strncmp(err.message, place, strlen(place)) != 0 || !strstr(err.message, bad->says))
		fail_msg("%s\nexpected %s… %s\nfor\n%s", err.message, place, bad->says, bad->text);
	if (bad->remedy && !strstr(err.remedy, bad->remedy))
		fail_msg("%s\ntry: %s\nexpected %s", err.message, err.remedy, bad->remedy);
	assert_int_equal(err.status, status);
	assert_true(err.because[0] && err.remedy[0]);
	assert_null(catalog);
	/* The error is optional. */
	assert_int_equal(sx_catalog_parse(bad->text, strlen(bad->text), "b", &catalog, NULL),
			 status);
}

static void test_bad_catalogs(void **state)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		check(&table[i]);
}

/* Each variant is walked by itself: what is no circle in any of them is none. */
static void test_cycle_only_across_variants(void **state)
{
	static const char text[] = HEAD "variants: [{name: u, title: U}, {name: v, title: V}]\n"
					"metrics:\n"
					"- {name: a, unit: count, exprs: {u: b, v: '1'}}\n"
					"- {name: b, unit: count, exprs: {u: '1', v: a}}\n";
	struct sx_catalog *catalog = NULL;
	assert_int_equal(sx_catalog_parse(text, sizeof(text) - 1, "x", &catalog, NULL), SX_OK);
	sx_catalog_unref(catalog);
}

static void test_head_alone_is_enough(void **state)
{
	struct sx_catalog *catalog = NULL;
	uint32_t count = 7;
	assert_int_equal(sx_catalog_parse(HEAD, strlen(HEAD), "x", &catalog, NULL), SX_OK);
	assert_null(sx_catalog_metrics(catalog, &count));
	assert_int_equal(count, 0);
	assert_int_equal(sx_catalog_find_metric(catalog, "m", SX_NONE, NULL), SX_NONE);
	sx_catalog_unref(catalog);
}

/* Whatever prefix of a good file is all there is: no crash, and an error or a catalog. */
static void test_every_truncation(void **state)
{
	char path[4096];
	static char text[65536];
	snprintf(path, sizeof(path), "%s/example.yaml", getenv("SEXTANT_TEST_DATA"));
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	size_t size = fread(text, 1, sizeof(text), file);
	fclose(file);
	size_t good = 0;
	for (size_t i = 0; i <= size; i++) {
		struct sx_catalog *catalog = NULL;
		struct sx_error err = {0};
		if (sx_catalog_parse(text, i, "cut", &catalog, &err) == SX_OK)
			good++;
		else
			assert_true(strncmp(err.message, "cut:", 4) == 0);
		sx_catalog_unref(catalog);
	}
	assert_true(good > 0 && good < size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bad_catalogs),
	    cmocka_unit_test(test_cycle_only_across_variants),
	    cmocka_unit_test(test_head_alone_is_enough),
	    cmocka_unit_test(test_every_truncation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
