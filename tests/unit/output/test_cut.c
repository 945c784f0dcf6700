/* Shortened names: no two different ones look alike, none is too wide, and no order matters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/write/text.h"

#define NAMES 60

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void shown(const struct cut *cut, const char *dots, char out[256])
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	assert_non_null(file);
	cut_write(cut, dots, file);
	fclose(file);
	assert_true(size < 256);
	memcpy(out, text, size + 1);
	free(text);
}

/* Names of a few words each, which are alike in most of them. */
static void invent(uint64_t *state, char name[128])
{
	static const char *const words[] = {"load_store", "bytes", "read", "from",   "külség",
					    "memory",	  "per",   "テ",   "access", "x"};
	size_t used = 0, count = 1 + next_random(state) % 9;
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(name + used, 128 - used, "%s%s", i ? "_" : "",
					 words[next_random(state) % (i % 3 == 1 ? 10 : 2)]);
}

static void check_apart(char names[NAMES][128], size_t width, bool middle, const char *dots,
			uint64_t *state)
{
	struct cut cuts[NAMES], again[NAMES];
	struct cut *order[NAMES], *other[NAMES];
	for (size_t i = 0; i < NAMES; i++) {
		cuts[i] = again[i] = (struct cut){.text = names[i], .width = width};
		order[i] = &cuts[i];
		other[i] = &again[i];
	}
	for (size_t i = NAMES - 1; i; i--) {
		size_t j = next_random(state) % (i + 1);
		struct cut *swap = other[i];
		other[i] = other[j];
		other[j] = swap;
	}
	cut_apart(order, NAMES, middle, dots);
	cut_apart(other, NAMES, middle, dots);
	for (size_t i = 0; i < NAMES; i++) {
		char a[256], b[256];
		shown(&cuts[i], dots, a);
		shown(&again[i], dots, b);
		assert_string_equal(a, b);
		assert_true(cut_width(&cuts[i], dots) <= width);
		if (cut_columns(names[i], names[i] + strlen(names[i])) <= width)
			assert_string_equal(a, names[i]);
		for (size_t j = 0; j < i; j++) {
			shown(&cuts[j], dots, b);
			if ((strcmp(a, b) == 0) != (strcmp(names[i], names[j]) == 0))
				fail_msg("\"%s\" and \"%s\" are \"%s\" and \"%s\"", names[i],
					 names[j], a, b);
		}
	}
}

static void test_random_names(void **unused)
{
	uint64_t state = 88172645463325252;
	char names[NAMES][128];
	for (size_t turn = 0; turn < 40; turn++) {
		for (size_t i = 0; i < NAMES; i++)
			invent(&state, names[i]);
		check_apart(names, 8 + turn, turn % 3 != 0, turn % 2 ? ".." : "…", &state);
	}
}

static void test_what_differs_is_seen(void **unused)
{
	static const struct {
		const char *names[2], *want[2];
		size_t width;
	} cases[] = {
	    {{"early_zs_tested_quad_percentage", "early_zs_killed_quad_percentage"},
	     {"early_zs_test…", "early_zs_kill…"},
	     14},
	    {{"texture_unit_bytes_read_from_l2_per_texture_cycle",
	      "texture_unit_bytes_read_from_external_memory_per_texture_cycle"},
	     {"texture_uni…om_l2_per_texture_cycle", "texture_uni…emory_per_texture_cycle"},
	     35},
	    {{"a_name_that_is_long_1_and_goes_on_after_it",
	      "a_name_that_is_long_2_and_goes_on_after_it"},
	     {"a_nam…1_and_goe…", "a_nam…2_and_goe…"},
	     16},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cut cuts[2];
		struct cut *order[2] = {&cuts[0], &cuts[1]};
		for (size_t n = 0; n < 2; n++)
			cuts[n] = (struct cut){.text = cases[i].names[n], .width = cases[i].width};
		cut_apart(order, 2, true, "…");
		for (size_t n = 0; n < 2; n++) {
			char text[256];
			shown(&cuts[n], "…", text);
			assert_string_equal(text, cases[i].want[n]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_names),
	    cmocka_unit_test(test_what_differs_is_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
