/*
 * How far a verb that reads for long is. A thread writes it, so that a reader which takes its time
 * over one step need not know.
 */
#include "tools/cli/cli.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sys.h"

#define FIRST_NS UINT64_C(1000000000)
#define EVERY_NS UINT64_C(200000000)

struct ticker {
	pthread_t thread;
	pthread_mutex_t lock; /* of all below, and of the terminal's line */
	pthread_cond_t wake;
	struct status_line line;
	bool stop;
	uint64_t begin_ns, done, all;
	char what[128];
};

void status_line_show(struct status_line *line, const char *text)
{
	int room = text_terminal_width(stderr) - 1;
	fprintf(line->out, "\r\033[K%.*s", room > 0 ? room : 0, text);
	fflush(line->out);
	line->shown = true;
}

void status_line_erase(struct status_line *line)
{
	if (line->shown)
		fputs("\r\033[K", line->out);
	fflush(line->out);
	line->shown = false;
}

/* "reading game.sxc: 43 %, 12 s", or the seconds alone. */
static void show(struct ticker *t)
{
	char line[256];
	uint64_t seconds = (sys_now_ns(sys_real()) - t->begin_ns) / 1000000000;
	if (t->all)
		snprintf(line, sizeof(line), "%s: %.0f %%, %llu s", t->what,
			 100.0 * (double)t->done / (double)t->all, (unsigned long long)seconds);
	else
		snprintf(line, sizeof(line), "%s: %llu s", t->what, (unsigned long long)seconds);
	status_line_show(&t->line, line);
}

static void *tick(void *user)
{
	struct ticker *t = user;
	uint64_t due = t->begin_ns + FIRST_NS;
	pthread_mutex_lock(&t->lock);
	while (!t->stop) {
		struct timespec until = {(time_t)(due / 1000000000), (long)(due % 1000000000)};
		pthread_cond_timedwait(&t->wake, &t->lock, &until);
		uint64_t now = sys_now_ns(sys_real());
		if (t->stop || now < due)
			continue;
		show(t);
		due = now + EVERY_NS;
	}
	status_line_erase(&t->line);
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static bool ticker_init(struct ticker *t)
{
	pthread_condattr_t how;
	if (pthread_condattr_init(&how))
		return false;
	pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
	bool ok = pthread_cond_init(&t->wake, &how) == 0;
	pthread_condattr_destroy(&how);
	if (ok && pthread_mutex_init(&t->lock, NULL) == 0)
		return true;
	if (ok)
		pthread_cond_destroy(&t->wake);
	return false;
}

static void ticker_finish(struct ticker *t)
{
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->wake);
	free(t);
}

void ticker_start(const struct cli *cli)
{
	sigset_t all, before;
	if (cli->options.quiet || !cli->err.terminal)
		return;
	struct ticker *t = calloc(1, sizeof(*t));
	if (!t || !ticker_init(t)) {
		free(t);
		return;
	}
	t->line.out = cli->err.out;
	t->begin_ns = sys_now_ns(sys_real());
	snprintf(t->what, sizeof(t->what), "sextant %s", cli->verb->name);
	/* Signals are for the thread that works. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	bool runs = pthread_create(&t->thread, NULL, tick, t) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (runs)
		cli->result->ticker = t;
	else
		ticker_finish(t);
}

void ticker_at(const struct cli *cli, const char *what, uint64_t done, uint64_t all)
{
	struct ticker *t = cli->result ? cli->result->ticker : NULL;
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	snprintf(t->what, sizeof(t->what), "%s", what);
	t->done = done < all ? done : all;
	t->all = all;
	pthread_mutex_unlock(&t->lock);
}

void ticker_stop(const struct cli *cli)
{
	struct ticker *t = cli->result ? cli->result->ticker : NULL;
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->stop = true;
	pthread_cond_signal(&t->wake);
	pthread_mutex_unlock(&t->lock);
	pthread_join(t->thread, NULL);
	cli->result->ticker = NULL;
	ticker_finish(t);
}

void ticker_hold(const struct cli *cli)
{
	struct ticker *t = cli->result ? cli->result->ticker : NULL;
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	status_line_erase(&t->line);
}

void ticker_release(const struct cli *cli)
{
	if (cli->result && cli->result->ticker)
		pthread_mutex_unlock(&cli->result->ticker->lock);
}
