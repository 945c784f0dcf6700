/* Each key of `top`, without a terminal: what it changes, and what it asks of the verb. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tools/verbs/top/keys.h"

#define F(n) (TOP_KEY_F0 + (n))
#define S    UINT64_C(1000000000)

/* A view as it was drawn: two devices, 30 metrics of which 10 are seen, 3 processes. */
static struct live_view drawn(void)
{
	struct live_view v;
	live_view_init(&v, S);
	v.lists[LIVE_PANE_DEVICES] = (struct live_list){.count = 2, .page = 2};
	v.lists[LIVE_PANE_METRICS] = (struct live_list){.count = 30, .page = 10};
	v.lists[LIVE_PANE_PROCESSES] = (struct live_list){.count = 3, .page = 3};
	v.had_processes = true;
	v.pid = 42;
	snprintf(v.process, sizeof(v.process), "game");
	v.column = 7;
	v.oldest_ns = 100 * S;
	v.newest_ns = 200 * S;
	return v;
}

static void test_dialogs_open_and_close(void **unused)
{
	static const struct {
		int keys[3];
		enum live_dialog dialog;
	} cases[] = {
	    {{F(1), '?', 'h'}, LIVE_DIALOG_HELP}, {{F(2), 'S'}, LIVE_DIALOG_SETUP},
	    {{F(3), '/'}, LIVE_DIALOG_SEARCH},	  {{F(4), '\\'}, LIVE_DIALOG_FILTER},
	    {{F(6), '>'}, LIVE_DIALOG_SORT},	  {{F(9), 'k'}, LIVE_DIALOG_SIGNAL},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (int k = 0; k < 3 && cases[i].keys[k]; k++) {
			struct live_view v = drawn();
			assert_int_equal(top_press(&v, cases[i].keys[k]), TOP_DRAW);
			assert_int_equal(v.dialog, cases[i].dialog);
			assert_int_equal(top_press(&v, TOP_KEY_ESCAPE), TOP_DRAW);
			assert_int_equal(v.dialog, LIVE_DIALOG_NONE);
		}
}

static void test_actions(void **unused)
{
	static const struct {
		int key;
		enum top_action action;
	} cases[] = {{F(10), TOP_QUIT},	    {'q', TOP_QUIT},
		     {'r', TOP_RECORD},	    {TOP_KEY_ENTER, TOP_EXPLAIN},
		     {'x', TOP_NOTHING},    {TOP_KEY_RESIZE, TOP_DRAW},
		     {0x1f600, TOP_NOTHING}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct live_view v = drawn();
		assert_int_equal(top_press(&v, cases[i].key), cases[i].action);
	}
	struct live_view v = drawn();
	v.column = UINT32_MAX;
	assert_int_equal(top_press(&v, TOP_KEY_ENTER), TOP_NOTHING);
}

static void test_switches(void **unused)
{
	struct live_view v = drawn();
	static const int trees[] = {F(5), 't'}, advice[] = {'a', 'A'};
	for (int i = 0; i < 2; i++) {
		assert_int_equal(top_press(&v, trees[i]), TOP_DRAW);
		assert_int_equal(v.tree, !i);
		assert_int_equal(top_press(&v, advice[i]), TOP_DRAW);
		assert_int_equal(v.advice, i);
		assert_int_equal(top_press(&v, 'I'), TOP_DRAW);
		assert_int_equal(v.reversed, !i);
	}
}

static void test_panes_and_devices(void **unused)
{
	struct live_view v = drawn();
	static const enum live_pane order[] = {LIVE_PANE_METRICS, LIVE_PANE_PROCESSES,
					       LIVE_PANE_DEVICES};
	for (int i = 0; i < 3; i++) {
		top_press(&v, TOP_KEY_TAB);
		assert_int_equal(v.pane, order[i]);
	}
	top_press(&v, TOP_KEY_BACKTAB);
	assert_int_equal(v.pane, LIVE_PANE_PROCESSES);
	v.had_processes = false; /* no pane without any */
	v.pane = LIVE_PANE_METRICS;
	top_press(&v, TOP_KEY_TAB);
	assert_int_equal(v.pane, LIVE_PANE_DEVICES);
	top_press(&v, 'd');
	assert_int_equal(v.lists[LIVE_PANE_DEVICES].selected, 1);
	top_press(&v, 'd');
	assert_int_equal(v.lists[LIVE_PANE_DEVICES].selected, 0);
}

static void test_rows(void **unused)
{
	static const struct {
		int key;
		uint32_t row;
	} steps[] = {{TOP_KEY_UP, 0},	      {TOP_KEY_DOWN, 1},       {TOP_KEY_PAGE_DOWN, 11},
		     {TOP_KEY_PAGE_DOWN, 21}, {TOP_KEY_PAGE_DOWN, 29}, {TOP_KEY_DOWN, 29},
		     {TOP_KEY_UP, 28},	      {TOP_KEY_PAGE_UP, 18},   {TOP_KEY_HOME, 0},
		     {TOP_KEY_PAGE_UP, 0},    {TOP_KEY_END, 29}};
	struct live_view v = drawn();
	v.pane = LIVE_PANE_METRICS;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		assert_int_equal(top_press(&v, steps[i].key), TOP_DRAW);
		assert_int_equal(v.lists[LIVE_PANE_METRICS].selected, steps[i].row);
	}
	v.pane = LIVE_PANE_PROCESSES;
	top_press(&v, TOP_KEY_DOWN);
	assert_int_equal(v.pid, 0); /* the row is not that of the process before */
}

static void test_time(void **unused)
{
	static const struct {
		int key;
		bool paused;
		uint64_t end_s; /* with `paused` */
		uint32_t zoom;
	} steps[] = {{' ', true, 200, 0},
		     {'p', false, 0, 0},
		     {TOP_KEY_LEFT, true, 199, 0},
		     {TOP_KEY_LEFT, true, 198, 0},
		     {TOP_KEY_RIGHT, true, 199, 0},
		     {'[', true, 189, 0},
		     {']', true, 199, 0},
		     {']', true, 200, 0},
		     {'+', true, 200, 0},
		     {'-', true, 200, 1},
		     {TOP_KEY_LEFT, true, 198, 1},
		     {'-', true, 198, 2},
		     {'+', true, 198, 1},
		     {'[', true, 178, 1},
		     {'[', true, 158, 1},
		     {'[', true, 138, 1},
		     {'[', true, 118, 1},
		     {'[', true, 100, 1},
		     {'p', false, 0, 1}};
	struct live_view v = drawn();
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		assert_int_equal(top_press(&v, steps[i].key), TOP_DRAW);
		assert_int_equal(v.paused, steps[i].paused);
		assert_int_equal(v.zoom, steps[i].zoom);
		if (v.paused)
			assert_int_equal(v.end_ns / S, steps[i].end_s);
	}
	for (int i = 0; i < 20; i++)
		top_press(&v, '-');
	assert_int_equal(v.zoom, LIVE_ZOOMS - 1);
}

/* A recording has more behind what was shown, and a speed; what is live has neither. */
static void test_recordings(void **unused)
{
	struct live_view v = drawn();
	assert_int_equal(top_press(&v, '.'), TOP_NOTHING);
	assert_int_equal(v.speed, 0);
	v.replay = true;
	v.last_ns = 205 * S;
	for (int i = 0; i < 20; i++)
		assert_int_equal(top_press(&v, '.'), TOP_DRAW);
	assert_int_equal(v.speed, LIVE_FASTEST);
	for (int i = 0; i < 20; i++)
		assert_int_equal(top_press(&v, ','), TOP_DRAW);
	assert_int_equal(v.speed, LIVE_SLOWEST);
	top_press(&v, TOP_KEY_RIGHT);
	assert_int_equal(v.end_ns / S, 201);
	top_press(&v, ']');
	assert_int_equal(v.end_ns / S, 205);
}

static void type(struct live_view *v, const char *text)
{
	for (; *text; text++)
		top_press(v, (unsigned char)*text);
}

static void test_filter_and_search(void **unused)
{
	struct live_view v = drawn();
	top_press(&v, '\\');
	type(&v, "busq");
	top_press(&v, TOP_KEY_BACKSPACE);
	top_press(&v, 0xe9);
	assert_string_equal(v.filters[LIVE_PANE_METRICS], "bus\u00e9"); /* while it is typed */
	top_press(&v, TOP_KEY_BACKSPACE);
	top_press(&v, TOP_KEY_ENTER);
	assert_int_equal(v.dialog, LIVE_DIALOG_NONE);
	assert_string_equal(v.filters[LIVE_PANE_METRICS], "bus");
	top_press(&v, TOP_KEY_ESCAPE);
	assert_string_equal(v.filters[LIVE_PANE_METRICS], "");
	v.pane = LIVE_PANE_PROCESSES;
	top_press(&v, F(4));
	type(&v, "game");
	assert_string_equal(v.filters[LIVE_PANE_PROCESSES], "game");
	top_press(&v, TOP_KEY_ESCAPE);
	assert_string_equal(v.filters[LIVE_PANE_PROCESSES], "");
	assert_int_equal(top_press(&v, 'n'), TOP_DRAW);
	assert_false(v.seek); /* nothing was looked for so far */
	top_press(&v, '/');
	type(&v, "q");
	assert_int_equal(top_press(&v, TOP_KEY_ENTER), TOP_DRAW);
	assert_true(v.seek);
	v.seek = false;
	top_press(&v, 'n');
	assert_true(v.seek);
	top_press(&v, '/');
	for (int i = 0; i < 100; i++)
		top_press(&v, 0x20ac);
	assert_true(strlen(v.typed) < LIVE_TYPED_MAX && strlen(v.typed) > LIVE_TYPED_MAX - 4);
}

static void test_sort(void **unused)
{
	struct live_view v = drawn();
	top_press(&v, F(6));
	v.dialog_list.count = LIVE_SORTS;
	top_press(&v, TOP_KEY_DOWN);
	top_press(&v, TOP_KEY_ENTER);
	assert_int_equal(v.sort, LIVE_SORT_MEMORY);
	assert_int_equal(v.dialog, LIVE_DIALOG_NONE);
}

/* A signal needs a choice and a yes, and goes to the process that was selected at first. */
static void test_signal(void **unused)
{
	uint32_t count;
	const struct live_signal *signals = live_signals(&count);
	struct live_view v = drawn();
	for (int yes = 0; yes < 2; yes++) {
		top_press(&v, F(9));
		v.dialog_list.count = count;
		v.pid = 43;
		top_press(&v, TOP_KEY_DOWN);
		assert_int_equal(top_press(&v, TOP_KEY_ENTER), TOP_DRAW);
		assert_int_equal(v.dialog, LIVE_DIALOG_CONFIRM);
		assert_int_equal(v.signal, signals[1].number);
		assert_int_equal(top_press(&v, TOP_KEY_ENTER), TOP_NOTHING);
		assert_int_equal(top_press(&v, yes ? 'y' : 'n'), yes ? TOP_SIGNAL : TOP_DRAW);
		assert_int_equal(v.dialog, LIVE_DIALOG_NONE);
		assert_int_equal(v.signal_pid, 42);
		assert_string_equal(v.signal_process, "game");
		v = drawn();
	}
	v.pid = 0;
	top_press(&v, 'k');
	assert_int_equal(v.dialog, LIVE_DIALOG_NONE);
	assert_string_equal(v.message, "no process is selected");
	top_press(&v, 'x');
	assert_string_equal(v.message, "");
}

static void test_setup(void **unused)
{
	struct live_view v = drawn();
	top_press(&v, F(2));
	type(&v, "q"); /* a text, and no end */
	assert_string_equal(v.typed, "q");
	assert_int_equal(top_press(&v, ' '), TOP_DRAW); /* no row yet: it is typed */
	v.setup_column = 3;
	assert_int_equal(top_press(&v, ' '), TOP_TOGGLE);
	assert_int_equal(top_press(&v, TOP_KEY_ENTER), TOP_DRAW);
	assert_int_equal(v.dialog, LIVE_DIALOG_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_dialogs_open_and_close),
	    cmocka_unit_test(test_actions),
	    cmocka_unit_test(test_switches),
	    cmocka_unit_test(test_panes_and_devices),
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_time),
	    cmocka_unit_test(test_recordings),
	    cmocka_unit_test(test_filter_and_search),
	    cmocka_unit_test(test_sort),
	    cmocka_unit_test(test_signal),
	    cmocka_unit_test(test_setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
