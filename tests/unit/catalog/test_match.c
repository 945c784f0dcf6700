/* Identification and opening by name, over heads: products, aliases, case, and what is broken. */
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
#include "catalog/internal.h"
#include "unit/catalog/folder.h"

static const char text[] =
    "sextant-catalog: 1\nname: many\ntitle: Many\nvendor: V\nkind: gpu\ndialect: standard\n"
    "notation: infix\n"
    "match:\n- {drivers: [d1, d2], key: k, values: [\"1.0\", \"1.1\"], product: one-a}\n"
    "- {driver: d1, key: k, value: \"2.0\"}\n"
    "products:\n- {name: one-a, title: One A, aliases: [oa], constants: {Width: 16}}\n"
    "- {name: one-b, title: One B, constants: {Width: 4}}\n"
    "constants:\n- {name: Width, unit: count, description: d}\n";

/* Its head is good; only a reader of the whole file sees that the rest is not. */
static const char half[] = "sextant-catalog: 1\nname: half\ntitle: Half\nvendor: V\nkind: gpu\n"
			   "dialect: standard\nnotation: infix\n"
			   "match: [{driver: d3, key: k, value: v}]\ncounters: nonsense\n";

static int setup(void **state)
{
	struct folder *f = folder_open(state);
	folder_write(f, "many", text);
	folder_write(f, "half", half);
	folder_write(f, "broken", "sextant-catalog: 1\nname: [\n");
	return 0;
}

static bool matches(const struct folder *f, const char *driver, const char *value,
		    struct match_found *out)
{
	struct match_query query = {driver, "k", value};
	return match_device(f->context, &query, 1, out);
}

static void test_devices(void **state)
{
	struct folder *f = *state;
	struct match_found found;
	assert_true(matches(f, "d2", "1.1", &found));
	assert_string_equal(found.name, "one-a");
	assert_string_equal(found.catalog, "many");
	assert_string_equal(found.title, "One A");
	assert_true(matches(f, "d1", "2.0", &found));
	assert_string_equal(found.name, "many");
	assert_false(matches(f, "d2", "2.0", &found));
	assert_true(matches(f, "d3", "v", &found));
	assert_string_equal(found.name, "half");
	assert_int_equal(f->warnings, 1);
}

static double width(struct sx_context *context, const char *name, const char *title)
{
	struct sx_catalog *cat = NULL, *again = NULL;
	uint32_t count;
	assert_int_equal(sx_catalog_open(context, name, &cat, NULL), SX_OK);
	assert_int_equal(sx_catalog_open(context, name, &again, NULL), SX_OK);
	assert_ptr_equal(cat, again);
	assert_string_equal(sx_catalog_info(cat)->title, title);
	assert_string_equal(sx_catalog_info(cat)->catalog, "many");
	const struct sx_constant_info *c = sx_catalog_constants(cat, &count);
	double value = c[0].has_value ? c[0].value : -1;
	sx_catalog_unref(cat);
	sx_catalog_unref(again);
	return value;
}

static void test_products(void **state)
{
	const struct folder *f = *state;
	assert_true(width(f->context, "one-a", "One A") == 16);
	assert_true(width(f->context, "OA", "One A") == 16);
	assert_true(width(f->context, "One-B", "One B") == 4);
	assert_true(width(f->context, "many", "Many") == -1);
	assert_true(width(f->context, "MANY", "Many") == -1);
}

static void test_ambiguous(void **state)
{
	const struct folder *f = *state;
	struct sx_catalog *cat = NULL;
	struct sx_error err = {0};
	folder_write(f, "other",
		     "sextant-catalog: 1\nname: other\ntitle: Other\nvendor: V\nkind: gpu\n"
		     "dialect: standard\nnotation: infix\n"
		     "products: [{name: other-a, title: T, aliases: [oa]}]\n");
	assert_int_equal(sx_catalog_open(f->context, "oa", &cat, &err), SX_ERR_NOT_FOUND);
	assert_non_null(strstr(err.message, "2 products are called \"oa\""));
	assert_int_equal(sx_catalog_open(f->context, "one-c", &cat, &err), SX_ERR_NOT_FOUND);
	assert_non_null(strstr(err.remedy, "one-a"));
}

/* Every device of the library's own catalogs is described by one catalog alone. */
static void test_ours_do_not_overlap(void **state)
{
	struct sx_context *context = NULL;
	size_t count;
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	const struct sx_catalog_info *const *heads = sx_catalog_heads(context, &count);
	assert_true(count > 40);
	uint32_t rules = 0;
	for (size_t i = 0; i < count; i++)
		for (uint32_t m = 0; m < heads[i]->match_count; m++, rules++) {
			const struct sx_match_info *r = &heads[i]->matches[m];
			struct match_query query = {r->driver, r->key, r->value};
			struct match_found found;
			assert_true(match_device(context, &query, 1, &found));
			if (strcmp(found.catalog, heads[i]->name) != 0)
				fail_msg("%s %s %s: %s and %s", r->driver, r->key, r->value,
					 found.catalog, heads[i]->name);
		}
	assert_true(rules > 340);
	sx_context_destroy(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_devices, setup, folder_close),
	    cmocka_unit_test_setup_teardown(test_products, setup, folder_close),
	    cmocka_unit_test_setup_teardown(test_ambiguous, setup, folder_close),
	    cmocka_unit_test(test_ours_do_not_overlap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
