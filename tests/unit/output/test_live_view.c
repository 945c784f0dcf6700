/*
 * Whole screens of the live view: of a machine that is a text, after six seconds on its own clock,
 * in several sizes, in UTF-8 and in ASCII, and with each dialog. The screens are in
 * tests/data/top; SEXTANT_WRITE_SCREENS=FOLDER writes those of now.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/live/view.h"
#include "session/session.h"
#include "unit/context.h"
#include "unit/session/rig.h"

#define SECOND UINT64_C(1000000000)

static struct live *live;

static void add_devices(const struct sx_session_device *devices, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct report_source source = {.catalog = devices[i].catalog,
						     .facts = devices[i].facts,
						     .metrics = devices[i].metrics,
						     .like = devices[i].raw};
		assert_int_equal(live_add_device(live, &source, NULL, NULL), SX_OK);
	}
}

/* A card of amdgpu for six seconds, a sample each: its load rises once. */
static struct rig r;
static struct sx_session *session;

static int measure(void **unused)
{
	static const char *const drm[] = {"drm"};
	const struct sx_session_options options = {
	    .devices = drm, .device_count = 1, .interval_ns = SECOND, .programs = true};
	const struct sx_session_limits limits = {.duration_ns = 6 * SECOND};
	uint32_t count;
	rig_begin_tree(&r, NULL);
	if (context_open(NULL) || live_create(NULL, &live, NULL) ||
	    session_create_on(&r.machine.sys, context, &options, &session, NULL) ||
	    sx_session_start(session, NULL, &limits, NULL))
		return 1;
	const struct sx_session_device *d = sx_session_devices(session, &count);
	add_devices(d, count);
	for (enum sx_status status = SX_OK; status != SX_END;) {
		status = sx_session_poll(session, 100, NULL);
		assert_true(status == SX_OK || status == SX_AGAIN || status == SX_END);
		for (uint32_t i = 0; i < count; i++) {
			if (d[i].programs)
				assert_int_equal(live_add_rows(live, i, d[i].programs, NULL), 0);
			assert_int_equal(live_add_rows(live, i, d[i].raw, NULL), SX_OK);
			assert_int_equal(live_set_facts(live, i, &d[i].facts, &d[i].run, NULL), 0);
		}
		sx_session_drop_rows(session);
		assert_int_equal(live_judge(live, false, NULL), SX_OK);
	}
	sx_session_finish(session, NULL);
	assert_int_equal(live_judge(live, true, NULL), SX_OK);
	/* The model has copies of what it shows; the selection lives with the session. */
	return 0;
}

static int forget(void **unused)
{
	live_destroy(live);
	sx_session_destroy(session);
	rig_finish(&r);
	return context_close(NULL);
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, 100000);
	assert_non_null(text);
	if (!file)
		fail_msg("no %s", path);
	text[fread(text, 1, 99999, file)] = '\0';
	fclose(file);
	return text;
}

static char *screen_text(const struct screen *screen)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	assert_non_null(file);
	screen_write(screen, (struct screen_palette){0}, file);
	fclose(file);
	return text;
}

static void compare(const char *name, const char *text)
{
	char path[512];
	const char *folder = getenv("SEXTANT_WRITE_SCREENS");
	snprintf(path, sizeof(path), "%s%s/%s.txt", folder ? folder : getenv("SEXTANT_TEST_DATA"),
		 folder ? "" : "/top", name);
	if (folder) {
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		fputs(text, file);
		fclose(file);
	}
	char *want = read_file(path);
	if (strcmp(want, text) != 0)
		fail_msg("%s is not\n%s\nbut\n%s", name, want, text);
	free(want);
}

/* What was done with the view before it was drawn. */
static void alter(struct live_view *view, const char *name)
{
	struct live_list *metrics = &view->lists[LIVE_PANE_METRICS];
	view->pane = LIVE_PANE_METRICS;
	if (strcmp(name, "help") == 0)
		view->dialog = LIVE_DIALOG_HELP;
	if (strcmp(name, "setup") == 0)
		view->dialog = LIVE_DIALOG_SETUP;
	if (strcmp(name, "sort") == 0)
		view->dialog = LIVE_DIALOG_SORT;
	if (strcmp(name, "filter") == 0) {
		snprintf(view->filters[LIVE_PANE_METRICS], LIVE_TYPED_MAX, "clock");
		metrics->selected = 1;
	}
	if (strcmp(name, "paused") == 0) {
		view->paused = true;
		view->end_ns = live_oldest_ns(live) + SECOND;
	}
	if (strcmp(name, "processes") == 0) {
		view->pane = LIVE_PANE_PROCESSES;
		view->sort = LIVE_SORT_MEMORY;
		view->reversed = true;
	}
	if (strcmp(name, "signal") == 0) {
		view->dialog = LIVE_DIALOG_CONFIRM;
		view->signal = 15;
		view->signal_pid = 2346;
		snprintf(view->signal_process, LIVE_TYPED_MAX, "game.x86_64");
	}
}

static void test_screens(void **unused)
{
	static const struct {
		const char *name;
		int width, height;
		bool ascii;
	} cases[] = {
	    {"80x24", 80, 24, false},	{"80x24-ascii", 80, 24, true}, {"120x40", 120, 40, false},
	    {"300x80", 300, 80, false}, {"40x12", 40, 12, false},      {"20x5", 20, 5, false},
	    {"help", 80, 24, false},	{"setup", 80, 24, false},      {"sort", 80, 24, false},
	    {"filter", 80, 24, false},	{"paused", 80, 24, false},     {"processes", 80, 24, false},
	    {"signal", 80, 24, true},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct live_view view;
		struct screen screen = {0};
		live_view_init(&view, SECOND);
		alter(&view, cases[i].name);
		assert_true(screen_begin(&screen, cases[i].width, cases[i].height, cases[i].ascii));
		assert_int_equal(live_view_draw(&view, live, &screen, NULL), SX_OK);
		char *text = screen_text(&screen);
		compare(cases[i].name, text);
		free(text);
		screen_finish(&screen);
		live_view_finish(&view);
	}
}

/* Whatever the size is, nothing is drawn outside, and ASCII has nothing else. */
static void test_all_sizes(void **unused)
{
	for (int width = 0; width < 170; width += 7)
		for (int height = 0; height < 60; height++) {
			struct live_view view;
			struct screen screen = {0};
			live_view_init(&view, SECOND);
			view.dialog = (enum live_dialog)(height % (LIVE_DIALOG_PAGE + 1));
			view.page = view.page_title = "one\ntwo";
			assert_true(screen_begin(&screen, width, height, height % 2));
			assert_int_equal(live_view_draw(&view, live, &screen, NULL), SX_OK);
			char *text = screen_text(&screen);
			for (const char *p = text; height % 2 && *p; p++)
				assert_true((unsigned char)*p < 0x80);
			free(text);
			screen_finish(&screen);
			live_view_finish(&view);
		}
}

static void test_lines(void **unused)
{
	struct live_view view;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	live_view_init(&view, SECOND);
	assert_int_equal(live_view_write(&view, live, file, NULL), SX_OK);
	fclose(file);
	compare("lines", text);
	free(text);
	live_view_finish(&view);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_screens),
	    cmocka_unit_test(test_all_sizes),
	    cmocka_unit_test(test_lines),
	};
	return cmocka_run_group_tests(tests, measure, forget);
}
