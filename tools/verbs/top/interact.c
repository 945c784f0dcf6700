/* The loop of `top` on a terminal: see interact.h. */
#include "tools/verbs/top/interact.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sys.h"
#include "base/text_buf.h"
#include "output/live/view.h"
#include "tools/verbs/explain/explain.h"
#include "tools/verbs/run.h"
#include "tools/verbs/top/keys.h"
#include "tools/verbs/top/output.h"
#include "tools/verbs/top/saved.h"
#include "tools/verbs/top/terminal.h"

#define DRAW_NS		  UINT64_C(100000000)  /* least time between two drawings without a key */
#define INTERVAL_NS	  UINT64_C(1000000000) /* the default */
#define INTERVAL_LEAST_NS UINT64_C(100000000)
#define PAGE_WIDTH	  96

struct replay_clock {
	uint64_t recording_ns; /* what is shown so far */
	uint64_t real_ns;      /* when that was */
};

struct interaction {
	struct top_feed *feed;
	struct live_view view;
	struct screen screen;
	struct terminal *terminal;
	struct top_output output;
	struct sx_capture_writer *ring; /* the last minutes; NULL: a recording is shown */
	struct replay_clock clock;
	uint64_t version, drawn_ns; /* of the model as drawn last; and when */
	bool changed, quit;
	bool left;  /* by a key */
	bool wrote; /* programs have written since the last drawing */
	char *page; /* an explanation, owned */
};

static uint64_t interact_now_ns(void)
{
	return sys_now_ns(sys_real());
}

static enum sx_status interact_draw(struct interaction *i, struct sx_error *err)
{
	int width, height;
	struct live *live = i->feed->live;
	terminal_size(i->terminal, &width, &height);
	if (i->wrote)
		output_make_plain(&i->output);
	i->wrote = false;
	enum sx_status status = live_judge(live, false, err);
	if (!status && !screen_begin(&i->screen, width, height, i->feed->cli->view.out.ascii))
		status = error_nomem(err, "drawing");
	if (!status)
		status = live_view_draw(&i->view, live, &i->screen, err);
	if (!status)
		i->changed = !terminal_draw(i->terminal, &i->screen);
	i->version = live_version(live);
	i->drawn_ns = interact_now_ns();
	return status;
}

/* The text of `sextant explain`, for the page of a dialog. */
static void interact_explain(struct interaction *i)
{
	struct live_view *view = &i->view;
	struct live_device device = live_device(i->feed->live, view->device);
	struct sx_error err = {0};
	struct cli cli = *i->feed->cli;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return;
	int width = i->screen.width - 6 < PAGE_WIDTH ? i->screen.width - 6 : PAGE_WIDTH;
	cli.options.input = NULL;
	cli.view.format = FORMAT_TEXT;
	cli.view.out =
	    (struct text_target){.out = out, .width = width, .ascii = cli.view.out.ascii};
	enum sx_status status =
	    explain_write(&cli, device.catalog, device.columns[view->column].name, &err);
	fclose(out);
	free(i->page);
	i->page = text;
	if (status) {
		text_append(view->message, sizeof(view->message), "%s", err.message);
		return;
	}
	view->page = text;
	view->page_title = device.columns[view->column].name;
	view->dialog = LIVE_DIALOG_PAGE;
	view->dialog_list = (struct live_list){0};
}

static void interact_signal(struct live_view *view)
{
	int failed = kill((pid_t)view->signal_pid, view->signal) ? errno : 0;
	snprintf(view->message, sizeof(view->message), "signal %d to %u (%s): %s", view->signal,
		 view->signal_pid, view->signal_process, failed ? strerror(failed) : "sent");
}

/* Samples are kept as they come, for the key that writes them. */
static enum sx_status interact_keep(struct interaction *i, struct sx_error *err)
{
	const struct sx_capture_options options = {.keep_ns = LIVE_KEEP_NS};
	if (i->feed->replay)
		return SX_OK;
	enum sx_status status = run_create_writer(i->feed->cli, "top", &options, &i->ring, err);
	if (!status)
		sx_session_record(i->feed->session, i->ring);
	return status;
}

/* Writes them into a file of the current folder that is named by the time. */
static void interact_record(struct interaction *i)
{
	struct live_view *view = &i->view;
	struct sx_error err = {0};
	char path[64];
	time_t now = time(NULL);
	struct tm local;
	view->message[0] = '\0';
	if (!i->ring) {
		text_append(view->message, sizeof(view->message), "it is a capture already");
		return;
	}
	strftime(path, sizeof(path), "sextant-%Y%m%d-%H%M%S.sxc", localtime_r(&now, &local));
	if (sx_capture_flush(i->ring, &err) || sx_capture_dump(i->ring, path, &err))
		text_append(view->message, sizeof(view->message), "%s: %s", err.message,
			    err.because);
	else
		text_append(view->message, sizeof(view->message), "wrote %s", path);
}

static void interact_act(struct interaction *i, enum top_action action)
{
	struct live_view *view = &i->view;
	i->changed |= action != TOP_NOTHING;
	if (action == TOP_QUIT)
		i->quit = i->left = true;
	else if (action == TOP_EXPLAIN)
		interact_explain(i);
	else if (action == TOP_RECORD)
		interact_record(i);
	else if (action == TOP_SIGNAL)
		interact_signal(view);
	else if (action == TOP_TOGGLE &&
		 !live_view_toggle(view, i->feed->live, view->device, view->setup_column))
		snprintf(view->message, sizeof(view->message), "memory is out");
}

/* Handles all keys that were pressed; a drawing lies between two, since keys depend on it. */
static enum sx_status interact_keys(struct interaction *i, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (int key; !status && !i->quit;) {
		if (!terminal_key(i->terminal, &key)) {
			i->quit = true; /* the connection broke */
			break;
		}
		if (key == TOP_KEY_NONE)
			break;
		interact_act(i, top_press(&i->view, key));
		if (i->changed && !i->quit)
			status = interact_draw(i, err);
	}
	return status;
}

/* Points of curves are as long as the samples of the recording. */
static void interact_adopt_interval(struct interaction *i)
{
	uint64_t longest = INTERVAL_LEAST_NS;
	for (uint32_t d = 0; d < live_device_count(i->feed->live); d++) {
		uint64_t each = live_device(i->feed->live, d).each_ns;
		longest = each > longest ? each : longest;
	}
	i->view.interval_ns = longest;
}

/* The end of a recording's last sample, all of which is read. */
static uint64_t interact_last_ns(const struct top_feed *feed)
{
	uint32_t count;
	uint64_t last = 0;
	const struct sx_session_device *devices = sx_session_devices(feed->session, &count);
	for (uint32_t d = 0; d < count; d++)
		if (devices[d].samples && devices[d].end_ns != SX_TIME_UNKNOWN &&
		    devices[d].end_ns > last)
			last = devices[d].end_ns;
	return last;
}

/*
 * Adds what a recording has up to now, by the speed; while it is paused nothing, unless a later
 * moment is to be shown.
 */
static enum sx_status interact_replay(struct interaction *i, struct sx_error *err)
{
	uint64_t now = interact_now_ns(), next = feed_next_ns(i->feed);
	struct replay_clock *clock = &i->clock;
	if (!clock->recording_ns && next != UINT64_MAX)
		clock->recording_ns = next;
	else if (!i->view.paused)
		clock->recording_ns +=
		    (uint64_t)ldexp((double)(now - clock->real_ns), i->view.speed);
	else if (i->view.end_ns > clock->recording_ns)
		clock->recording_ns = i->view.end_ns;
	clock->real_ns = now;
	if (next > clock->recording_ns)
		return SX_OK;
	enum sx_status status = feed_until(i->feed, clock->recording_ns, err);
	if (!status && !i->feed->cli->options.interval_ns)
		interact_adopt_interval(i);
	return status;
}

/* Waits for samples, keys, or the time of the next drawing. */
static void interact_wait(const struct interaction *i)
{
	struct sx_error none = {0};
	struct pollfd fds[4] = {0};
	int terminal[2], count = terminal_descriptors(i->terminal, terminal);
	uint64_t since = interact_now_ns() - i->drawn_ns;
	bool due = i->changed || i->version != live_version(i->feed->live);
	int wait = i->feed->replay ? 50 : i->feed->over ? 1000 : 500;
	if (due)
		wait = since < DRAW_NS ? (int)((DRAW_NS - since) / 1000000) + 1 : 0;
	for (int k = 0; k < count; k++)
		fds[k] = (struct pollfd){.fd = terminal[k], .events = POLLIN};
	fds[count++] = (struct pollfd){.fd = i->output.from, .events = POLLIN};
	if (!i->feed->replay && !i->feed->over)
		fds[count++] = (struct pollfd){.fd = sx_session_descriptor(i->feed->session, &none),
					       .events = POLLIN};
	poll(fds, (nfds_t)count, wait);
}

static enum sx_status interact_loop(struct interaction *i, struct sx_error *err)
{
	enum sx_status status = interact_draw(i, err);
	while (!status && !i->quit) {
		interact_wait(i);
		i->wrote |= output_read(&i->output);
		i->changed |= i->wrote;
		if (i->feed->replay)
			status = interact_replay(i, err);
		else
			status = feed_poll(i->feed, 0, err);
		if (status == SX_END && !i->feed->replay)
			return SX_OK;
		status = status == SX_AGAIN ? SX_OK : status;
		if (!status)
			status = interact_keys(i, err);
		bool due = i->changed || i->version != live_version(i->feed->live);
		if (!status && !i->quit && due && interact_now_ns() - i->drawn_ns >= DRAW_NS)
			status = interact_draw(i, err);
	}
	return status;
}

/* The run, from its start to its end, while the terminal shows it. */
static enum sx_status interact_run(struct interaction *i, struct sx_error *err)
{
	struct top_feed *feed = i->feed;
	const struct options *o = &feed->cli->options;
	struct sx_error late = {0};
	live_view_init(&i->view, o->interval_ns ? o->interval_ns : INTERVAL_NS);
	i->view.chosen = o->metrics.count > 0;
	i->view.output = i->output.shown;
	saved_load(feed->cli, &i->view, feed->live);
	enum sx_status status = feed_start(feed, err);
	if (!status)
		status = interact_keep(i, err);
	i->view.replay = feed->replay;
	i->view.last_ns = feed->replay ? interact_last_ns(feed) : 0;
	if (!status)
		status = interact_loop(i, err);
	enum sx_status finished = feed_finish(feed, status ? &late : err);
	sx_capture_finish(i->ring, NULL, &late);
	return status ? status : finished;
}

bool top_interact(struct top_feed *feed, enum sx_status *status, struct sx_error *err)
{
	struct cli *cli = feed->cli;
	struct interaction i = {.feed = feed};
	if (output_begin(&i.output, err))
		return false;
	if (terminal_open(i.output.saved[0], i.output.saved[1], cli->view.out.color, &i.terminal,
			  err)) {
		output_end(&i.output);
		return false;
	}
	*status = interact_run(&i, err);
	terminal_close(i.terminal);
	output_end(&i.output);
	if (i.left && cli->config.path && !saved_store(cli, &i.view, feed->live))
		cli_note(cli, "note: the view is not kept for the next time: %s", strerror(errno));
	live_view_finish(&i.view);
	screen_finish(&i.screen);
	free(i.page);
	return true;
}
