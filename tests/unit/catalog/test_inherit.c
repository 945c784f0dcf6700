/* Catalogs that build upon others: what they take, override, remove and share, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <sextant/catalog.h>

#include "unit/catalog/folder.h"

#define HEAD(name)                                                                                 \
	"sextant-catalog: 1\nname: " name "\ntitle: T " name "\nvendor: V\nkind: gpu\n"            \
	"dialect: intel\nnotation: postfix\n"

static const char parent[] =
    HEAD("parent") "shared: common\n"
		   "notes: [from the parent]\n"
		   "constants:\n"
		   "- {name: Width, default: 7}\n"
		   "- {name: Gone, unit: count}\n"
		   "blocks:\n- {name: A, slots: 8}\n"
		   "programs:\n- {name: own, kind: mux, writes: \"1:2 3:4\"}\n"
		   "groups:\n"
		   "- {name: One, kind: set, uuid: u-1, unit: oag, programs: "
		   "[own, {use: flex-1, when: \"$Width 1 AND\"}]}\n"
		   "- {name: Two, kind: set, uuid: u-2}\n"
		   "counters:\n- {name: A0, block: A, unit: count}\n"
		   "metrics:\n"
		   "- {name: Busy, groups: [One, Two]}\n"
		   "- {name: Rate, form: 2, groups: [One]}\n"
		   "- {name: Plain, groups: [Two], unit: count, expr: \"A 0 "
		   "READ\"}\n";

static const char shared[] = "sextant-shared: 1\nname: common\nvendor: V\n"
			     "constants:\n- {name: Width, unit: count, description: wide}\n"
			     "programs:\n- {name: flex-1, kind: flex, writes: \"5:6\"}\n"
			     "metrics:\n"
			     "- {name: Busy, title: Busy time, unit: percent, expr: \"A 0 READ\", "
			     "description: d}\n"
			     "- {name: Rate, title: A rate, unit: count, expr: \"A 0 READ\"}\n"
			     "- {name: Rate, form: 2, expr: \"A 0 READ 2 UMUL\"}\n"
			     "- {name: Unused, unit: count, expr: \"1\"}\n";

static const char child[] = HEAD("child") "extends: parent\n"
					  "remove: {constants: [Gone], metrics: [Two.Plain]}\n"
					  "constants:\n- {name: Width, default: 8}\n"
					  "groups:\n"
					  "- {name: One, uuid: u-3}\n"
					  "- {name: Three, kind: set, uuid: u-4}\n"
					  "metrics:\n"
					  "- {name: Busy, groups: [Two, Three], expr: \"A 0 READ 3 "
					  "UMUL\"}\n";

static int setup(void **state)
{
	struct folder *f = folder_open(state);
	folder_write(f, "parent", parent);
	folder_write(f, "common.shared", shared);
	folder_write(f, "child", child);
	return 0;
}

static const struct sx_metric_info *metric(const struct sx_catalog *cat, const char *name)
{
	uint32_t count, index = sx_catalog_find_metric(cat, name, SX_NONE, NULL);
	const struct sx_metric_info *all = sx_catalog_metrics(cat, &count);
	return index == SX_NONE ? NULL : &all[index];
}

static void test_shared(void **state)
{
	const struct folder *f = *state;
	struct sx_catalog *cat = NULL;
	uint32_t count;
	assert_int_equal(sx_catalog_open(f->context, "parent", &cat, NULL), SX_OK);
	assert_string_equal(metric(cat, "One.Busy")->title, "Busy time");
	assert_string_equal(metric(cat, "One.Rate")->title, "A rate");
	assert_string_equal(metric(cat, "One.Rate")->exprs[0], "A 0 READ 2 UMUL");
	assert_null(metric(cat, "Unused"));
	const struct sx_constant_info *constants = sx_catalog_constants(cat, &count);
	assert_int_equal(count, 2);
	assert_string_equal(constants[0].description, "wide");
	const struct sx_group_info *groups = sx_catalog_groups(cat, &count);
	assert_int_equal(groups[0].program_count, 2);
	assert_string_equal(groups[0].programs[0].writes, "1:2 3:4");
	assert_int_equal(groups[0].programs[1].kind, SX_PROGRAM_FLEX);
	assert_string_equal(groups[0].programs[1].when, "$Width 1 AND");
	assert_string_equal(groups[0].unit, "oag");
	assert_null(groups[1].unit);
	sx_catalog_unref(cat);
}

static void test_child(void **state)
{
	const struct folder *f = *state;
	struct sx_catalog *cat = NULL, *old = NULL;
	uint32_t count;
	assert_int_equal(sx_catalog_open(f->context, "child", &cat, NULL), SX_OK);
	assert_int_equal(sx_catalog_open(f->context, "parent", &old, NULL), SX_OK);
	const struct sx_group_info *groups = sx_catalog_groups(cat, &count);
	assert_int_equal(count, 3);
	assert_string_equal(groups[0].uuid, "u-3");
	assert_int_equal(groups[0].program_count, 2);
	assert_string_equal(groups[2].name, "Three");
	assert_string_equal(metric(cat, "One.Busy")->exprs[0], "A 0 READ");
	assert_string_equal(metric(cat, "Two.Busy")->exprs[0], "A 0 READ 3 UMUL");
	assert_string_equal(metric(cat, "Three.Busy")->title, "Busy time");
	assert_null(metric(cat, "Two.Plain"));
	assert_non_null(metric(cat, "One.Rate"));
	const struct sx_constant_info *constants = sx_catalog_constants(cat, &count);
	assert_int_equal(count, 1);
	assert_true(constants[0].value == 8);
	assert_string_equal(sx_catalog_info(cat)->extends, "parent");
	assert_string_equal(sx_catalog_info(cat)->title, "T child");
	assert_int_equal(sx_catalog_info(cat)->notes.count, 1);
	/* Its identity is that of all files, so a change of the parent's shows. */
	uint64_t before = sx_catalog_info(cat)->hash;
	assert_true(before != sx_catalog_info(old)->hash);
	sx_catalog_unref(cat);
	sx_catalog_unref(old);
	char *changed = malloc(sizeof(parent) + 16);
	assert_non_null(changed);
	snprintf(changed, sizeof(parent) + 16, "%s# more\n", parent);
	folder_write(f, "parent", changed);
	free(changed);
	struct sx_context *again = NULL;
	struct sx_context_options options = {.catalog_path = f->path};
	assert_int_equal(sx_context_create(&options, &again, NULL), SX_OK);
	assert_int_equal(sx_catalog_open(again, "child", &cat, NULL), SX_OK);
	assert_true(before != sx_catalog_info(cat)->hash);
	sx_catalog_unref(cat);
	sx_context_destroy(again);
}

static void refuse(const struct folder *f, const char *text, const char *says)
{
	struct sx_catalog *cat = NULL;
	struct sx_error err = {0};
	char path[128];
	folder_write(f, "bad", text);
	snprintf(path, sizeof(path), "%s/bad.yaml", f->path);
	assert_int_equal(sx_catalog_open(f->context, path, &cat, &err), SX_ERR_BAD_INPUT);
	assert_null(cat);
	if (!strstr(err.message, says) || !err.because[0] || !err.remedy[0])
		fail_msg("wanted \"%s\", got: %s | %s | %s", says, err.message, err.because,
			 err.remedy);
}

static void test_refused(void **state)
{
	const struct folder *f = *state;
	refuse(f, HEAD("bad") "extends: bad\n", "bad.yaml:8: catalog \"bad\" extends itself");
	refuse(f, HEAD("bad") "extends: child\n", "bad.yaml:8: \"child\" extends another catalog");
	refuse(f, HEAD("bad") "extends: nobody\n", "bad.yaml:8: there is no catalog \"nobody\"");
	refuse(f, HEAD("bad") "shared: nobody\n", "bad.yaml:8: there is no shared file \"nobody\"");
	refuse(f, HEAD("bad") "extends: ../x/parent\n", "there is no catalog");
	refuse(f, HEAD("bad") "remove: {groups: [One]}\n", "remove needs a catalog");
	refuse(f, HEAD("bad") "extends: parent\nremove: {groups: [Nine]}\n",
	       "bad.yaml:9: the parent has no \"Nine\" in groups");
	refuse(f, HEAD("bad") "extends: parent\nremove: {colours: [Nine]}\n", "cannot be removed");
	refuse(f, HEAD("bad") "shared: common\nmetrics:\n- {name: Rate, form: 9}\n",
	       "bad.yaml:10: the shared file has no form 9 of \"Rate\"");
	/* The error of an invalid parent has the parent's line. */
	folder_write(f, "broken", HEAD("broken") "constants: [{name: a}\n");
	refuse(f, HEAD("bad") "extends: broken\n", "broken.yaml:");
	/* The error of a shared entry has the line of that entry. */
	folder_write(f, "wrong.shared",
		     "sextant-shared: 1\nname: wrong\nvendor: V\nmetrics:\n"
		     "- {name: m, unit: parsecs, expr: \"1\"}\n");
	refuse(f, HEAD("bad") "shared: wrong\nmetrics:\n- {name: m}\n",
	       "wrong.shared.yaml:5: unknown unit");
	folder_write(f, "not.shared", HEAD("not"));
	refuse(f, HEAD("bad") "shared: not\n", "\"not\" is not a shared file");
	refuse(f, HEAD("bad") "groups: [{name: G, kind: set, programs: [none]}]\n",
	       "unknown program");
	refuse(f, HEAD("bad") "groups: [{name: G, kind: set, unit: oax}]\n", "oag, oam");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_shared, setup, folder_close),
	    cmocka_unit_test_setup_teardown(test_child, setup, folder_close),
	    cmocka_unit_test_setup_teardown(test_refused, setup, folder_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
