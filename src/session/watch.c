/* One descriptor for everything that a session waits for, for loops that wait for other things too.
 */
#include "session/session.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

static bool watch_wanted(const struct sx_session *s, int fd, nfds_t count)
{
	for (nfds_t i = 0; i < count; i++)
		if (s->fds[i].fd == fd)
			return true;
	return false;
}

static bool watched(const struct sx_session *s, int fd)
{
	for (uint32_t i = 0; i < s->watch.count; i++)
		if (s->watch.fds[i] == fd)
			return true;
	return false;
}

/* A device that has ended is no longer waited for. */
static enum sx_status update_fds(struct sx_session *s, nfds_t count, struct sx_error *err)
{
	struct session_watch *w = &s->watch;
	const struct sx_sys *sys = s->sys;
	for (uint32_t i = 0; i < w->count;) {
		if (watch_wanted(s, w->fds[i], count)) {
			i++;
			continue;
		}
		sys->watch_set(sys->user, w->fd, w->fds[i], false);
		w->fds[i] = w->fds[--w->count];
	}
	for (nfds_t i = 0; i < count; i++) {
		if (watched(s, s->fds[i].fd))
			continue;
		if (sys->watch_set(sys->user, w->fd, s->fds[i].fd, true) < 0)
			return error_errno(err, errno, "cannot watch a device");
		w->fds[w->count++] = s->fds[i].fd;
	}
	return SX_OK;
}

enum sx_status watch_update(struct sx_session *s, bool over, struct sx_error *err)
{
	nfds_t count;
	if (s->watch.fd < 0)
		return SX_OK;
	uint64_t due = session_gather_wakes(s, &count);
	if (over)
		due = 1; /* long ago */
	if (s->sys->timer_set(s->sys->user, s->watch.timer, due) < 0)
		return error_errno(err, errno, "cannot set a timer");
	return update_fds(s, count, err);
}

void watch_forget(struct sx_session *s)
{
	struct session_watch *w = &s->watch;
	for (uint32_t i = 0; i < w->count; i++)
		s->sys->watch_set(s->sys->user, w->fd, w->fds[i], false);
	w->count = 0;
}

void watch_close(struct sx_session *s)
{
	const struct sx_sys *sys = s->sys;
	if (s->watch.timer >= 0)
		sys->close(sys->user, s->watch.timer);
	if (s->watch.fd >= 0)
		sys->close(sys->user, s->watch.fd);
	free(s->watch.fds);
	s->watch = (struct session_watch){.fd = -1, .timer = -1};
}

static enum sx_status open_watch(struct sx_session *s, struct sx_error *err)
{
	struct session_watch *w = &s->watch;
	const struct sx_sys *sys = s->sys;
	w->fds = calloc(s->device_count + 2, sizeof(*w->fds));
	if (!w->fds)
		return error_nomem(err, "watching a session");
	w->fd = sys->watch_create(sys->user);
	if (w->fd >= 0)
		w->timer = sys->timer_create(sys->user);
	if (w->timer < 0 || sys->watch_set(sys->user, w->fd, w->timer, true) < 0)
		return error_errno(err, errno, "cannot watch a session");
	return watch_update(s, false, err);
}

int sx_session_descriptor(struct sx_session *s, struct sx_error *err)
{
	if (s->state != SESSION_RUNNING) {
		error_set(err, SX_ERR_USAGE, "the session is not running");
		return -1;
	}
	if (s->watch.fd >= 0)
		return s->watch.fd;
	if (open_watch(s, err))
		watch_close(s);
	return s->watch.fd;
}
