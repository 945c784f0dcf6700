/* Text that is put together in memory of a fixed size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text_buf.h"
#include "base/utf8.h"

static void test_appends(void **state)
{
	char buf[32] = "";
	assert_true(text_append(buf, sizeof(buf), "%s %d", "a", 1));
	assert_true(text_append(buf, sizeof(buf), ", %u", 2u));
	assert_string_equal(buf, "a 1, 2");
}

static void test_items_stand_behind_separators(void **state)
{
	char buf[32] = "";
	assert_true(text_append_item(buf, sizeof(buf), ", ", "%s", "a"));
	assert_true(text_append_item(buf, sizeof(buf), ", ", "%s", "b"));
	assert_true(text_append_item(buf, sizeof(buf), " or ", "%s", "c"));
	assert_string_equal(buf, "a, b or c");
}

static void test_what_does_not_fit_is_cut(void **state)
{
	char buf[9] = "abcd";
	assert_true(text_append(buf, sizeof(buf), "efgh"));
	assert_string_equal(buf, "abcdefgh");
	assert_false(text_append(buf, sizeof(buf), "i"));
	assert_string_equal(buf, "abcde...");
	assert_false(text_append(buf, sizeof(buf), "%0500d", 1));
	assert_false(text_append_item(buf, sizeof(buf), ", ", "x"));
	assert_string_equal(buf, "abcde...");
}

/* For every size and every length: nothing behind the memory changes, and the text is UTF-8. */
static void test_every_size(void **state)
{
	static const char *const texts[] = {"a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
	for (size_t size = 0; size < 24; size++)
		for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
			char *buf = malloc(size + 8);
			assert_non_null(buf);
			memset(buf, 0x7e, size + 8);
			if (size)
				buf[0] = '\0';
			for (int i = 0; i < 30; i++)
				text_append_item(buf, size, "-", "%s", texts[t]);
			for (size_t i = 0; i < 8; i++)
				assert_int_equal(buf[size + i], 0x7e);
			if (size)
				assert_true(utf8_is_text(buf, strlen(buf), NULL));
			free(buf);
		}
}

static void test_whole_characters_fit(void **state)
{
	static const char text[] = "a\xe2\x82\xac"
				   "b";
	static const size_t fits[] = {0, 1, 1, 1, 4, 5, 5};
	for (size_t most = 0; most < sizeof(fits) / sizeof(fits[0]); most++)
		assert_int_equal(text_fit(text, most), fits[most]);
}

static void test_same(void **state)
{
	char copy[] = "one";
	assert_true(text_same("one", copy));
	assert_true(text_same(NULL, NULL));
	assert_false(text_same("one", "on"));
	assert_false(text_same("", NULL));
	assert_false(text_same(NULL, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_appends),
	    cmocka_unit_test(test_items_stand_behind_separators),
	    cmocka_unit_test(test_what_does_not_fit_is_cut),
	    cmocka_unit_test(test_every_size),
	    cmocka_unit_test(test_whole_characters_fit),
	    cmocka_unit_test(test_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
