/* A catalog's whole as one file: reading it gives the catalog again, which builds upon no other. */
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
#include <sextant/lint.h>

static void same_text(const char *what, const char *a, const char *b)
{
	if (a != b && (!a || !b || strcmp(a, b) != 0))
		fail_msg("%s: \"%s\" became \"%s\"", what, a ? a : "-", b ? b : "-");
}

static void same_strings(const char *what, struct sx_strings a, struct sx_strings b)
{
	assert_int_equal(a.count, b.count);
	for (uint32_t i = 0; i < a.count; i++)
		same_text(what, a.items[i], b.items[i]);
}

static void same_counters(const struct sx_catalog *a, const struct sx_catalog *b)
{
	uint32_t count, again;
	const struct sx_counter_info *x = sx_catalog_counters(a, &count);
	const struct sx_counter_info *y = sx_catalog_counters(b, &again);
	assert_int_equal(count, again);
	for (uint32_t i = 0; i < count; i++) {
		same_text("counter", x[i].name, y[i].name);
		same_text(x[i].name, x[i].unit, y[i].unit);
		same_text(x[i].name, x[i].description, y[i].description);
		same_strings(x[i].name, x[i].aliases, y[i].aliases);
		same_strings(x[i].name, x[i].alias_releases, y[i].alias_releases);
		assert_int_equal(x[i].slot, y[i].slot);
		assert_int_equal(x[i].scale, y[i].scale);
		assert_int_equal(x[i].block, y[i].block);
		assert_int_equal(x[i].reduce, y[i].reduce);
	}
}

static void same_metrics(const struct sx_catalog *a, const struct sx_catalog *b)
{
	uint32_t count, again, forms = sx_catalog_info(a)->variant_count;
	const struct sx_metric_info *x = sx_catalog_metrics(a, &count);
	const struct sx_metric_info *y = sx_catalog_metrics(b, &again);
	assert_int_equal(count, again);
	for (uint32_t i = 0; i < count; i++) {
		same_text("metric", x[i].qualified, y[i].qualified);
		same_text(x[i].qualified, x[i].title, y[i].title);
		same_text(x[i].qualified, x[i].unit, y[i].unit);
		same_text(x[i].qualified, x[i].description, y[i].description);
		same_text(x[i].qualified, x[i].when, y[i].when);
		same_text(x[i].qualified, x[i].neutral, y[i].neutral);
		same_text(x[i].qualified, x[i].unavailable, y[i].unavailable);
		for (uint32_t f = 0; x[i].exprs && f < (forms ? forms : 1); f++)
			same_text(x[i].qualified, x[i].exprs[f], y[i].exprs[f]);
		assert_int_equal(x[i].section_count, y[i].section_count);
		assert_memory_equal(x[i].sections, y[i].sections,
				    x[i].section_count * sizeof(*x[i].sections));
		same_strings(x[i].qualified, x[i].aliases, y[i].aliases);
		assert_int_equal(x[i].direction, y[i].direction);
	}
}

static void same_groups(const struct sx_catalog *a, const struct sx_catalog *b)
{
	uint32_t count, again;
	const struct sx_group_info *x = sx_catalog_groups(a, &count);
	const struct sx_group_info *y = sx_catalog_groups(b, &again);
	assert_int_equal(count, again);
	for (uint32_t i = 0; i < count; i++) {
		same_text("group", x[i].name, y[i].name);
		same_text(x[i].name, x[i].uuid, y[i].uuid);
		assert_int_equal(x[i].program_count, y[i].program_count);
		for (uint32_t p = 0; p < x[i].program_count; p++) {
			same_text(x[i].name, x[i].programs[p].writes, y[i].programs[p].writes);
			same_text(x[i].name, x[i].programs[p].when, y[i].programs[p].when);
		}
	}
}

static void same_rest(const struct sx_catalog *a, const struct sx_catalog *b)
{
	uint32_t count, again;
	const struct sx_advice_info *x = sx_catalog_advice(a, &count);
	const struct sx_advice_info *y = sx_catalog_advice(b, &again);
	assert_int_equal(count, again);
	for (uint32_t i = 0; i < count; i++) {
		same_text("rule", x[i].rule, y[i].rule);
		same_text(x[i].rule, x[i].when, y[i].when);
		same_text(x[i].rule, x[i].advice, y[i].advice);
	}
	const struct sx_constant_info *c = sx_catalog_constants(a, &count);
	const struct sx_constant_info *d = sx_catalog_constants(b, &again);
	assert_int_equal(count, again);
	for (uint32_t i = 0; i < count; i++)
		same_text("constant", c[i].name, d[i].name);
	same_strings("facts", sx_catalog_info(a)->facts, sx_catalog_info(b)->facts);
	assert_int_equal(sx_catalog_info(a)->product_count, sx_catalog_info(b)->product_count);
}

static void check(struct sx_context *context, const char *name)
{
	struct sx_error err = {0};
	char *text = NULL;
	struct sx_catalog *before = NULL, *after = NULL;
	if (sx_catalog_open(context, name, &before, &err) ||
	    sx_catalog_resolve(context, name, &text, &err) ||
	    sx_catalog_parse(text, strlen(text), "whole", &after, &err))
		fail_msg("%s: %s: %s", name, err.message, err.because);
	assert_null(sx_catalog_info(after)->extends);
	assert_null(sx_catalog_info(after)->shared);
	same_counters(before, after);
	same_metrics(before, after);
	same_groups(before, after);
	same_rest(before, after);
	sx_catalog_unref(before);
	sx_catalog_unref(after);
	free(text);
}

static struct sx_context *make_context(const char *path)
{
	struct sx_context *context = NULL;
	assert_int_equal(
	    sx_context_create(&(struct sx_context_options){.catalog_path = path}, &context, NULL),
	    SX_OK);
	return context;
}

/* With a shared file, with a parent, with both, with neither; forms, variants, groups, programs. */
static void test_embedded(void **state)
{
	static const char *const names[] = {
	    "mali-g725", "mali-g310",  "mali-t860", "intel-tglgt2", "intel-hsw", "intel-merrifield",
	    "amd-gcn3",	 "amd-hd2000", "opengl",    "monitor",	    "cpu"};
	(void)state;
	struct sx_context *context = make_context("");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check(context, names[i]);
	sx_context_destroy(context);
}

/* A product's name gives its catalog; no name, its own error. */
static void test_names(void **state)
{
	char *text = NULL;
	struct sx_error err = {0};
	(void)state;
	struct sx_context *context = make_context("");
	assert_int_equal(sx_catalog_resolve(context, "mali-g610", &text, &err), SX_OK);
	assert_non_null(strstr(text, "\nname: mali-g710\n"));
	free(text);
	text = NULL;
	assert_int_equal(sx_catalog_resolve(context, "mali-g999", &text, &err), SX_ERR_NOT_FOUND);
	assert_null(text);
	assert_true(err.remedy[0]);
	sx_context_destroy(context);
}

/* Texts that YAML would read as something else, or that a careless writer would break. */
static void test_texts(void **state)
{
	static const char odd[] =
	    "sextant-catalog: 1\nname: odd\ntitle: \"# \\\"quotes\\\" \\\\ back: slash, [x] {y}\"\n"
	    "vendor: \"- v\"\nkind: gpu\ndialect: standard\nnotation: infix\n"
	    "facts: [\"null\", \"~\", \"a: b\", \"\\u00b5s\", \"yes\", \"-1\", "
	    "\"'\"]\n"
	    "counters:\n- {name: A-1, unit: count, description: \"d, e: f\"}\n";
	char folder[] = "/tmp/sextant-resolve-XXXXXX", path[96], *text = NULL;
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/odd.yaml", folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(odd, file);
	fclose(file);
	struct sx_context *context = make_context(folder);
	check(context, "odd");
	check(context, path);
	assert_int_equal(sx_catalog_resolve(context, path, &text, NULL), SX_OK);
	free(text);
	sx_context_destroy(context);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_embedded),
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
