/* What is embedded equals what lies in catalogs/, and the tables are sorted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <sextant/catalog.h>
#include "catalog/embedded.h"
#include "catalog/internal.h"
#include "catalog/search/pack.h"

static void test_tables_are_sorted(void **state)
{
	struct pack_file one, next;
	for (const struct embedded_file *f = embedded_data; f->name && f[1].name; f++)
		assert_true(strcmp(f->name, f[1].name) < 0);
	for (uint32_t i = 0; pack_get(i, &one) && pack_get(i + 1, &next); i++)
		assert_true(strcmp(one.name, next.name) < 0);
}

static void test_bytes_are_those_of_the_file(void **state)
{
	const struct embedded_file *neutral = embedded_data;
	while (neutral->name && strcmp(neutral->name, "neutral.yaml") != 0)
		neutral++;
	assert_non_null(neutral->name);
	char path[4096];
	snprintf(path, sizeof(path), "%s/catalogs/neutral.yaml", getenv("SEXTANT_SOURCE_ROOT"));
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	static char text[65536];
	size_t size = fread(text, 1, sizeof(text), file);
	fclose(file);
	assert_true(size > 0 && size < sizeof(text));
	assert_int_equal(neutral->end - neutral->begin, size);
	assert_memory_equal(neutral->begin, text, size);
	assert_int_equal(*neutral->end, '\0');
}

static void test_every_catalog_loads(void **state)
{
	struct pack_file f;
	uint32_t catalogs = 0;
	for (uint32_t i = 0; pack_get(i, &f); i++) {
		struct sx_catalog *catalog = NULL;
		struct sx_error err = {0};
		if (!pack_is_catalog(&f))
			continue;
		if (catalog_open_inside(f.name, &catalog, &err) != SX_OK)
			fail_msg("%s\nbecause: %s\ntry: %s", err.message, err.because, err.remedy);
		assert_string_equal(sx_catalog_info(catalog)->name, f.name);
		catalogs++;
		sx_catalog_unref(catalog);
	}
	assert_true(catalogs > 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tables_are_sorted),
	    cmocka_unit_test(test_bytes_are_those_of_the_file),
	    cmocka_unit_test(test_every_catalog_loads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
