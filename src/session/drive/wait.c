/* What a run waits for: sources, the program, the clock, and a request to stop. */
#include "session/drive/drive.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"

#define NS_PER_MS     UINT64_C(1000000)
#define LOOK_EVERY_NS (5 * NS_PER_MS) /* sources and children that cannot wake us */

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t session_gather_wakes(struct sx_session *s, nfds_t *count)
{
	uint64_t now = sys_now_ns(s->sys), due = UINT64_MAX;
	*count = 0;
	s->fds[(*count)++] = (struct pollfd){.fd = s->wake[0], .events = POLLIN};
	bool child = s->child.pid > 0 && !child_ended(s);
	if (child && s->child.fd >= 0)
		s->fds[(*count)++] = (struct pollfd){.fd = s->child.fd, .events = POLLIN};
	else if (child)
		due = now + LOOK_EVERY_NS;
	for (uint32_t i = 0; i < s->device_count; i++) {
		const struct session_device *d = &s->devices[i];
		struct source_wake wake = {.fd = -1, .due_ns = now + LOOK_EVERY_NS};
		if (d->ended || !turns_active(s, i))
			continue;
		if (d->ops->wake)
			d->ops->wake(d->source, &wake);
		due = earlier(due, wake.due_ns);
		if (wake.fd >= 0)
			s->fds[(*count)++] = (struct pollfd){.fd = wake.fd, .events = POLLIN};
	}
	due = earlier(due, turns_due_ns(s));
	if (s->limits.duration_ns && !s->options.input)
		due = earlier(due, s->begin_ns + s->limits.duration_ns);
	if (s->asked_ns)
		due = earlier(due, s->asked_ns + DRIVE_PATIENCE_NS);
	return due;
}

static int milliseconds_until(uint64_t due_ns, uint64_t now_ns)
{
	if (due_ns <= now_ns)
		return 0;
	if (!now_ns) /* a clock that cannot be read must not make this a wait without end */
		return LOOK_EVERY_NS / NS_PER_MS;
	uint64_t ms = (due_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS;
	return ms < INT32_MAX ? (int)ms : INT32_MAX;
}

/* Waits until something may have come, at most this long (-1: as long as it takes). */
void wait_for_any(struct sx_session *s, int timeout_ms)
{
	char bytes[64];
	nfds_t count;
	uint64_t due = session_gather_wakes(s, &count);
	int wait_ms = due == UINT64_MAX ? -1 : milliseconds_until(due, sys_now_ns(s->sys));
	if (timeout_ms >= 0 && (wait_ms < 0 || wait_ms > timeout_ms))
		wait_ms = timeout_ms;
	if (atomic_load(&s->stop))
		return;
	/* A failing poll must not make this a busy loop; a signal ends it as it should. */
	int ready = s->sys->poll(s->sys->user, s->fds, count, wait_ms);
	if (ready < 0 && errno != EINTR)
		s->sys->poll(s->sys->user, NULL, 0, wait_ms >= 0 && wait_ms < 5 ? wait_ms : 5);
	if (ready > 0 && s->fds[0].revents & POLLIN)
		s->sys->read(s->sys->user, s->wake[0], bytes, sizeof(bytes));
}

enum sx_status wake_open(struct sx_session *s, struct sx_error *err)
{
	if (s->sys->pipe(s->sys->user, s->wake) == 0)
		return SX_OK;
	enum sx_status status = error_errno(err, errno, "cannot create a session");
	s->wake[0] = s->wake[1] = -1;
	error_try(err, "fewer open files at once; ulimit -n shows the limit");
	return status;
}

void wake_close(struct sx_session *s)
{
	for (int i = 0; i < 2; i++)
		if (s->wake[i] >= 0)
			s->sys->close(s->sys->user, s->wake[i]);
}

void wait_close(struct sx_session *s)
{
	watch_close(s);
	free(s->fds);
	s->fds = NULL;
}
