/* The grid that `top` draws on: what is put stays within its columns, in UTF-8 and in ASCII. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/live/screen.h"

static const struct screen_palette plain = {0};

static void assert_screen(const struct screen *s, const char *want)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	assert_non_null(file);
	screen_write(s, plain, file);
	fclose(file);
	assert_string_equal(text, want);
	free(text);
}

static void test_text_is_cut_by_columns(void **unused)
{
	static const struct {
		const char *text;
		int width;
		bool ascii;
		const char *want;
		int used;
	} cases[] = {
	    {"memory", 6, false, "memory\n", 6},
	    {"memory", 5, false, "memo…\n", 5},
	    {"memory", 5, true, "memo~\n", 5},
	    {"memory", 1, false, "…\n", 1},
	    {"memory", 0, false, "", 0},
	    {"日本語", 6, false, "日本語\n", 6},
	    {"日本語", 5, false, "日本…\n", 5},
	    {"日本語", 4, false, "日…\n", 3},
	    {"e\u0301t\u00e9", 3, false, "e\u0301t\u00e9\n", 3},
	    {"61 °C", 9, true, "61 deg C\n", 8},
	    {"a\tb\033[1m", 9, false, "a\\tb\\x1b…\n", 9},
	    {"a\xff", 9, false, "a\\xff\n", 5},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct screen s = {0};
		assert_true(screen_begin(&s, 12, 1, cases[i].ascii));
		int used = screen_put(&s, 0, 0, cases[i].width, SCREEN_PLAIN, cases[i].text);
		assert_int_equal(used, cases[i].used);
		assert_screen(&s, cases[i].want);
		screen_finish(&s);
	}
}

/* Half of a wide character is never left, and nothing is written outside of the screen. */
static void test_edges(void **unused)
{
	struct screen s = {0};
	assert_true(screen_begin(&s, 6, 2, false));
	screen_put(&s, 0, 0, 6, SCREEN_PLAIN, "日本語");
	screen_put(&s, 1, 0, 1, SCREEN_PLAIN, "x");
	screen_put(&s, 4, 0, 1, SCREEN_PLAIN, "y");
	screen_put(&s, -2, 1, 9, SCREEN_PLAIN, "abcdefghijk");
	screen_put(&s, 0, 2, 6, SCREEN_PLAIN, "below");
	screen_put(&s, 0, -1, 6, SCREEN_PLAIN, "above");
	assert_screen(&s, " x本y\ncdefgh\n");
	screen_put(&s, 5, 1, 2, SCREEN_PLAIN, "日");
	assert_screen(&s, " x本y\ncdefgh\n");
	screen_put_right(&s, 0, 1, 6, SCREEN_PLAIN, "12");
	assert_screen(&s, " x本y\ncdef12\n");
	screen_finish(&s);
	assert_true(screen_begin(&s, 0, 0, false));
	screen_put(&s, 0, 0, 6, SCREEN_PLAIN, "none");
	screen_box(&s, (struct screen_area){0, 0, 20, 5}, "box");
	assert_screen(&s, "");
	screen_finish(&s);
}

static void test_gauges(void **unused)
{
	static const struct {
		double share;
		const char *utf8, *ascii;
	} cases[] = {
	    {0, "····|\n", "....|\n"},	  {0.5, "██··|\n", "##..|\n"}, {1, "████|\n", "####|\n"},
	    {1.7, "████|\n", "####|\n"},  {-1, "····|\n", "....|\n"},  {0.28, "█▏··|\n", "#...|\n"},
	    {1e-9, "▏···|\n", "#...|\n"}, {NAN, "    |\n", "    |\n"},
	};
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
		struct screen s = {0};
		assert_true(screen_begin(&s, 5, 1, i % 2));
		screen_gauge(&s, 0, 0, 4, cases[i / 2].share, SCREEN_GOOD);
		screen_put(&s, 4, 0, 1, SCREEN_PLAIN, "|");
		assert_screen(&s, i % 2 ? cases[i / 2].ascii : cases[i / 2].utf8);
		screen_finish(&s);
	}
}

/* A zero is a mark, no data is none, and the smallest value is more than zero. */
static void test_curves(void **unused)
{
	static const double values[] = {99, 0, NAN, 0.001, 50, 100};
	struct screen s = {0};
	assert_true(screen_begin(&s, 5, 2, false));
	screen_curve(&s, (struct screen_area){0, 1, 5, 1}, values, 6, 100, SCREEN_GRAPH);
	assert_screen(&s, "\n_ ▁▄█\n");
	assert_true(screen_begin(&s, 5, 2, false));
	screen_curve(&s, (struct screen_area){0, 0, 5, 2}, values, 6, 100, SCREEN_GRAPH);
	assert_screen(&s, "    █\n_ ▁██\n");
	assert_true(screen_begin(&s, 8, 1, true));
	screen_curve(&s, (struct screen_area){0, 0, 8, 1}, values, 6, 100, SCREEN_GRAPH);
	assert_screen(&s, "  #_ .-#\n");
	screen_finish(&s);
}

static void test_frames(void **unused)
{
	struct screen s = {0};
	assert_true(screen_begin(&s, 20, 4, false));
	struct screen_area in = screen_box(&s, screen_centre(&s, 16, 3), "Sort by");
	screen_put(&s, in.x, in.y, in.width, SCREEN_PLAIN, "memory and more");
	screen_rule(&s, 0, 3, 20, "Processes", false);
	assert_screen(&s, "  ┌─ Sort by ────┐\n"
			  "  │ memory and … │\n"
			  "  └──────────────┘\n"
			  "── Processes ───────\n");
	screen_finish(&s);
}

static void test_colours(void **unused)
{
	static const struct {
		struct screen_palette palette;
		const char *want;
	} cases[] = {
	    {{0, false}, "ok hot\n"},
	    {{16, false}, "\033[0;32mok\033[0m \033[0;1;31mhot\033[0m\n"},
	    {{256, false}, "\033[0;38;5;71mok\033[0m \033[0;1;38;5;203mhot\033[0m\n"},
	    {{256, true}, "\033[0;38;5;28mok\033[0m \033[0;1;38;5;160mhot\033[0m\n"},
	};
	struct screen s = {0};
	assert_true(screen_begin(&s, 8, 3, false));
	screen_put(&s, 0, 0, 8, SCREEN_GOOD, "ok");
	screen_put(&s, 3, 0, 8, SCREEN_BAD, "hot");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *file = open_memstream(&text, &size);
		assert_non_null(file);
		screen_write(&s, cases[i].palette, file);
		fclose(file);
		assert_string_equal(text, cases[i].want);
		free(text);
	}
	screen_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text_is_cut_by_columns),
	    cmocka_unit_test(test_edges),
	    cmocka_unit_test(test_gauges),
	    cmocka_unit_test(test_curves),
	    cmocka_unit_test(test_frames),
	    cmocka_unit_test(test_colours),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
