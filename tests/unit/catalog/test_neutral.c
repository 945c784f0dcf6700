/* Each neutral mapping of each embedded catalog, as loaded, has the unit of its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <sextant/catalog.h>
#include "catalog/embedded.h"
#include "catalog/units.h"

#define NAMES_MAX 100

struct vocabulary {
	struct {
		char name[64], unit[64];
		unsigned mapped;
	} items[NAMES_MAX];
	uint32_t count;
	struct units units;
};

static void read_vocabulary(struct vocabulary *out)
{
	const struct embedded_file *file = embedded_data;
	while (file->name && strcmp(file->name, "neutral.yaml") != 0)
		file++;
	assert_non_null(file->name);
	for (const char *line = file->begin; line && line < file->end; line++) {
		assert_true(out->count < NAMES_MAX);
		if (sscanf(line, "  - {name: %63[^,], unit: %63[^,],", out->items[out->count].name,
			   out->items[out->count].unit) == 2)
			out->count++;
		line = strchr(line, '\n');
		if (!line)
			break;
	}
	units_init(&out->units);
}

static void check(struct vocabulary *v, const char *catalog, const char *name, const char *neutral,
		  const char *unit)
{
	if (!neutral)
		return;
	for (uint32_t i = 0; i < v->count; i++) {
		if (strcmp(v->items[i].name, neutral) != 0)
			continue;
		if (!units_agree(&v->units, v->items[i].unit, unit))
			fail_msg("%s: %s is in %s, %s in %s", catalog, name, unit, neutral,
				 v->items[i].unit);
		v->items[i].mapped++;
		return;
	}
	fail_msg("%s: %s: there is no neutral name %s", catalog, name, neutral);
}

static void check_catalog(struct vocabulary *v, struct sx_context *context, const char *name)
{
	struct sx_catalog *catalog;
	struct sx_error err = {0};
	uint32_t count;
	if (sx_catalog_open(context, name, &catalog, &err) != SX_OK)
		fail_msg("%s", err.message);
	const struct sx_counter_info *counters = sx_catalog_counters(catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		check(v, name, counters[i].name, counters[i].neutral, counters[i].unit);
	const struct sx_metric_info *metrics = sx_catalog_metrics(catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		check(v, name, metrics[i].name, metrics[i].neutral, metrics[i].unit);
	sx_catalog_unref(catalog);
}

static void test_mappings(void **state)
{
	struct vocabulary v = {.count = 0};
	struct sx_context *context;
	size_t count;
	read_vocabulary(&v);
	assert_true(v.count >= 40);
	assert_int_equal(
	    sx_context_create(&(struct sx_context_options){.catalog_path = ""}, &context, NULL),
	    SX_OK);
	const char *const *names = sx_catalog_names(context, &count);
	assert_true(count >= 16);
	for (size_t i = 0; i < count; i++)
		check_catalog(&v, context, names[i]);
	for (uint32_t i = 0; i < v.count; i++)
		if (v.items[i].mapped == 0)
			fail_msg("no catalog maps %s", v.items[i].name);
	sx_context_destroy(context);
}

/* The function that the check above uses does distinguish units. */
static void test_units(void **state)
{
	struct vocabulary v = {.count = 0};
	units_init(&v.units);
	assert_true(units_agree(&v.units, "Hz", "cycles/s"));
	assert_true(units_agree(&v.units, "bytes/s", "bytes/s"));
	assert_false(units_agree(&v.units, "ns", "ms"));
	assert_false(units_agree(&v.units, "ratio", "percent"));
	assert_false(units_agree(&v.units, "threads", "invocations"));
	assert_false(units_agree(&v.units, "bytes/s", "MB/s"));
	assert_false(units_agree(&v.units, "boolean", "ratio"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_mappings),
	    cmocka_unit_test(test_units),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
