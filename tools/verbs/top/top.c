/* sextant top: what devices do now. This file has the verb and what it writes off a terminal. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sys.h"
#include "output/live/document.h"
#include "output/live/view.h"
#include "tools/verbs/run.h"
#include "tools/verbs/top/feed.h"
#include "tools/verbs/top/interact.h"

#define NS_PER_MS	 UINT64_C(1000000)
#define INTERVAL_MIN	 (100 * NS_PER_MS)
#define INTERVAL_MAX	 (60000 * NS_PER_MS)
#define INTERVAL_NS	 (1000 * NS_PER_MS)
#define LATE_PARTS	 4  /* samples of an interval may come a quarter of it late */
#define SCREEN_HEIGHT	 40 /* of one screen as text; empty lines at its end are left out */
#define SCREEN_WIDTH_MIN 40
#define SCREEN_COLOURS	 16

/* Writes a moment again and again. */
struct top_writer {
	struct cli *cli;
	struct top_feed *feed;
	struct live_view view; /* of text */
	uint64_t interval_ns;  /* 0: a recording, sample by sample */
	uint64_t written, version;
};

/* One screen as text, as wide as the terminal. */
static enum sx_status write_screen(struct top_writer *w, struct sx_error *err)
{
	struct screen screen = {0};
	w->view.still = true;
	const struct text_target *out = &w->cli->view.out;
	const struct screen_palette palette = {.colours = out->color ? SCREEN_COLOURS : 0};
	int width = out->width < SCREEN_WIDTH_MIN ? SCREEN_WIDTH_MIN : out->width;
	enum sx_status status = SX_OK;
	if (!screen_begin(&screen, width, SCREEN_HEIGHT, out->ascii))
		status = error_nomem(err, "drawing");
	if (!status)
		status = live_view_draw(&w->view, w->feed->live, &screen, err);
	if (!status)
		screen_write(&screen, palette, out->out);
	screen_finish(&screen);
	return status;
}

static enum sx_status write_text(struct top_writer *w, struct sx_error *err)
{
	FILE *out = w->cli->view.out.out;
	if (w->cli->options.once)
		return write_screen(w, err);
	if (w->written)
		fputc('\n', out);
	return live_view_write(&w->view, w->feed->live, out, err);
}

static enum sx_status write_moment(struct top_writer *w, const struct live_moment *at,
				   struct sx_error *err)
{
	struct live *live = w->feed->live;
	enum sx_status status = live_judge(live, false, err);
	if (!status && w->cli->view.format == FORMAT_TEXT)
		status = write_text(w, err);
	else if (!status)
		status = live_document_write(&w->cli->view, live, at,
					     w->cli->options.metrics.count > 0, err);
	fflush(w->cli->view.out.out);
	w->written++;
	w->version = live_version(live);
	return status;
}

/* Whether as many were written as was asked for, or no more can be written. */
static bool has_enough(const struct top_writer *w)
{
	const struct options *o = &w->cli->options;
	uint64_t most = o->once ? 1 : o->count;
	return (most && w->written >= most) || ferror(w->cli->view.out.out);
}

static uint64_t now_ns(void)
{
	return sys_now_ns(sys_real());
}

/* Devices that run: a moment an interval. */
static enum sx_status write_session(struct top_writer *w, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	uint64_t due = now_ns() + w->interval_ns + w->interval_ns / LATE_PARTS;
	while (!status && !has_enough(w) && !w->feed->over) {
		uint64_t now = now_ns();
		int wait = now < due ? (int)((due - now + NS_PER_MS - 1) / NS_PER_MS) : 0;
		status = feed_poll(w->feed, wait, err);
		if (status == SX_AGAIN || status == SX_END)
			status = SX_OK;
		now = now_ns();
		if (status || (now < due && !w->feed->over))
			continue;
		while (due <= now)
			due += w->interval_ns;
		if (w->version != live_version(w->feed->live))
			status = write_moment(w, &(struct live_moment){0}, err);
	}
	return status;
}

/* Waits as long as the recording did. */
static void wait_for(uint64_t from_ns, uint64_t to_ns)
{
	uint64_t ns = to_ns - from_ns;
	const struct timespec rest = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	nanosleep(&rest, NULL);
}

/* The first end of an interval by which a sample ended. */
static uint64_t next_interval(uint64_t last_ns, uint64_t end_ns, uint64_t interval_ns)
{
	uint64_t behind = end_ns > last_ns ? end_ns - last_ns : 1;
	return last_ns + (behind + interval_ns - 1) / interval_ns * interval_ns;
}

/* A recording: a moment a sample, or an interval where one was asked for. */
static enum sx_status write_recording(struct top_writer *w, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	uint64_t last = w->interval_ns ? feed_begin_ns(w->feed) : 0, next;
	if (w->cli->options.once) {
		status = feed_until(w->feed, UINT64_MAX - 1, err);
		return status ? status : write_moment(w, &(struct live_moment){0}, err);
	}
	while (!status && !has_enough(w) && (next = feed_next_ns(w->feed)) != UINT64_MAX) {
		if (w->interval_ns)
			next = next_interval(last, next, w->interval_ns);
		if (w->cli->options.realtime && last && next > last)
			wait_for(last, next);
		last = next;
		status = feed_until(w->feed, next, err);
		if (!status)
			status = write_moment(
			    w, &(struct live_moment){.end_ns = next, .span_ns = w->interval_ns},
			    err);
	}
	return status;
}

/* Why there is no single sample, where there is none. */
static const struct sx_error *silence_of(const struct top_feed *feed)
{
	uint32_t count;
	const struct sx_error *why = NULL;
	const struct sx_session_device *devices = sx_session_devices(feed->session, &count);
	for (uint32_t i = 0; i < count; i++) {
		if (devices[i].samples)
			return NULL;
		why = why ? why : devices[i].run.silence;
	}
	return why;
}

/* Whether a device knows what this column of another one is of. */
static bool is_known(const struct live *live, const char *name)
{
	for (uint32_t i = 0; i < live_device_count(live); i++) {
		const struct live_device d = live_device(live, i);
		for (uint32_t k = 0; k < d.column_count; k++)
			if (strcmp(d.columns[k].name, name) == 0 &&
			    (d.columns[k].metric != SX_NONE || d.columns[k].counter != SX_NONE))
				return true;
	}
	return false;
}

/* Whether a metric was named that no device has. */
static bool lacks_metric(const struct top_feed *feed)
{
	for (uint32_t i = 0; i < live_device_count(feed->live); i++) {
		const struct live_device d = live_device(feed->live, i);
		for (uint32_t k = 0; feed->cli->options.metrics.count && k < d.column_count; k++)
			if (d.columns[k].why && !is_known(feed->live, d.columns[k].name))
				return true;
	}
	return false;
}

static bool lacks_named(const struct top_feed *feed)
{
	uint32_t count;
	const struct sx_session_device *devices = sx_session_devices(feed->session, &count);
	for (uint32_t i = 0; feed->cli->options.devices.count && i < count; i++)
		if (!devices[i].samples)
			return true;
	return lacks_metric(feed);
}

static int top_end(struct top_feed *feed)
{
	const struct sx_child_status child = sx_session_child(feed->session);
	const struct sx_error *silence = silence_of(feed);
	int code = feed->cli->options.child ? run_exit_code(&child) : EXIT_OK;
	if (silence) {
		struct sx_error why = *silence;
		why.status = SX_INCOMPLETE; /* the result is written */
		cli_fail(feed->cli, &why);
		return code ? code : EXIT_INCOMPLETE;
	}
	run_note(feed->cli, feed->session, true);
	return code ? code : feed->failure.status || lacks_named(feed) ? EXIT_INCOMPLETE : EXIT_OK;
}

static int top_lines(struct top_feed *feed)
{
	struct sx_error err = {0}, late = {0};
	struct cli *cli = feed->cli;
	struct top_writer w = {.cli = cli, .feed = feed, .interval_ns = cli->options.interval_ns};
	if (!w.interval_ns && !feed->replay)
		w.interval_ns = INTERVAL_NS;
	live_view_init(&w.view, w.interval_ns ? w.interval_ns : INTERVAL_NS);
	w.view.chosen = cli->options.metrics.count > 0;
	enum sx_status status = feed_start(feed, &err);
	if (status) {
		live_view_finish(&w.view);
		return run_cannot(cli, &err, cli->options.child);
	}
	status = feed->replay ? write_recording(&w, &err) : write_session(&w, &err);
	enum sx_status finished = feed_finish(feed, status ? &late : &err);
	live_view_finish(&w.view);
	if (status || finished)
		return cli_fail(cli, &err);
	return top_end(feed);
}

static enum sx_status check_options(const struct cli *cli, struct sx_error *err)
{
	const struct options *o = &cli->options;
	enum sx_status status = run_check_input(cli, err);
	if (status)
		return status;
	if (o->once && o->count) {
		error_set(err, SX_ERR_USAGE, "--once and -n at once");
		error_because(err, "--once is one screen, -n so many times the same lines");
		error_try(err, "sextant top -n %" PRIu64, o->count);
		return SX_ERR_USAGE;
	}
	if (o->interval_ns && (o->interval_ns < INTERVAL_MIN || o->interval_ns > INTERVAL_MAX)) {
		error_set(err, SX_ERR_USAGE, "top cannot show a sample every %.6g ms",
			  (double)o->interval_ns / (double)NS_PER_MS);
		error_because(
		    err, "a screen shows ten samples a second at most, and one a minute at least");
		error_try(err, "-I with 100ms to 60s; sextant record for shorter intervals");
		return SX_ERR_USAGE;
	}
	return SX_OK;
}

/* Whether the result goes to a terminal that has keys. */
static bool is_interactive(const struct cli *cli)
{
	const struct options *o = &cli->options;
	return cli->view.format == FORMAT_TEXT && !o->once && !o->count && !o->output &&
	       isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static int top_show(struct top_feed *feed)
{
	struct sx_error err = {0};
	enum sx_status status;
	if (!top_interact(feed, &status, &err)) {
		feed->stays = false;
		cli_note(feed->cli, "note: %s: %s; %s", err.message, err.because, err.remedy);
		return top_lines(feed);
	}
	return status ? cli_fail(feed->cli, &err) : top_end(feed);
}

static int top_run(struct cli *cli)
{
	struct sx_error err = {0};
	struct top_feed feed = {.stays = is_interactive(cli)};
	if (!cli->options.input && cli->options.args.count)
		cli->options.input = cli->options.args.items[0];
	enum sx_status status = check_options(cli, &err);
	if (!status)
		status = feed_open(&feed, cli, &err);
	int code = status ? cli_fail(cli, &err) : feed.stays ? top_show(&feed) : top_lines(&feed);
	feed_close(&feed);
	return code;
}

const struct command cmd_top = {
    .verb = {.name = "top",
	     .synopsis = "[options] [FILE | -- COMMAND ARGS...]",
	     .summary = "what devices and programs do now, live",
	     .about =
		 "Shows what every GPU, memory controller and CPU does now, what limits the "
		 "program, and which programs use it; F1 has the keys, q ends it. With COMMAND it "
		 "shows that while it runs, and returns its exit status. With -i it replays a "
		 "capture. Off a terminal it writes lines, once an interval; with -n it ends after "
		 "N of them, as does COMMAND, by a signal; --once is one screen after one "
		 "interval. -f ndjson writes one JSON document a line.",
	     .formats = 1u << FORMAT_TEXT | 1u << FORMAT_NDJSON,
	     .options = "for device metric map set interval duration count once input output const "
			"api process pid profiling realtime format",
	     .child = true,
	     .files_from = 1,
	     .max_args = 1,
	     .streams = true,
	     .examples = "  sextant top\n"
			 "  sextant top -d drm,cpu -I 500ms\n"
			 "  sextant top --once -I 2s -- glmark2\n"
			 "  sextant top -i run.sxc -f ndjson -n 10\n"},
    .run = top_run,
};
