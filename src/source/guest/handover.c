/*
 * What is opened goes through struct sx_sys. The thread serves programs with direct calls, only on
 * what this file opened itself: a test that makes the k-th call fail thus never hits the thread's.
 */
#include "source/guest/guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/thread.h"

#define NAME	    "sextant-"
#define BACKLOG	    256
#define BEGINNING_S 10

/* Memory with a sealed size; its descriptor, or -1. */
static int make_memory(const struct channel_wish *wish, struct wire_header **out)
{
	int fd = memfd_create("sextant-channel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -1;
	void *memory = MAP_FAILED;
	if (ftruncate(fd, (off_t)WIRE_BYTES(wish->ring)) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
		memory =
		    mmap(NULL, WIRE_BYTES(wish->ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		close(fd);
		return -1;
	}
	channel_prepare(memory, wish);
	*out = memory;
	return fd;
}

static bool send_memory(int to, int fd, const struct channel_wish *wish)
{
	struct wire_hello hello = {
	    .magic = WIRE_MAGIC, .version = WIRE_VERSION, .bytes = WIRE_BYTES(wish->ring)};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec part = {&hello, sizeof(hello)};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	return sendmsg(to, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(hello);
}

/* The program at the other end, as the kernel knows it; false for another user's. */
static bool identify(int client, struct newcomer *out)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.pid <= 0 ||
	    (peer.uid != getuid() && peer.uid != geteuid() && peer.uid != 0))
		return false;
	out->pid = peer.pid;
	/* The program waits for us, so that its number still means it. */
	out->pidfd = (int)syscall(SYS_pidfd_open, peer.pid, 0);
	return true;
}

static void drop(const struct newcomer *who)
{
	if (who->pidfd >= 0)
		close(who->pidfd);
	if (who->memory)
		munmap(who->memory, WIRE_BYTES(who->ring));
}

/*
 * Enqueues a program before it is answered: what it writes then is found, even if it ends at once.
 */
static bool enqueue(struct handover *h, const struct newcomer *who)
{
	pthread_mutex_lock(&h->lock);
	bool room = mem_grow(&h->queue, &h->cap, h->count + 1, sizeof(*h->queue));
	if (room)
		h->queue[h->count++] = *who;
	if (room && !h->reported)
		h->reported = write(h->news[1], "", 1) == 1;
	pthread_mutex_unlock(&h->lock);
	return room;
}

static void count_refused(struct handover *h)
{
	pthread_mutex_lock(&h->lock);
	h->refused++;
	pthread_mutex_unlock(&h->lock);
}

static void serve(struct handover *h, int client)
{
	struct newcomer who = {.pidfd = -1};
	struct timespec now = {0};
	if (!identify(client, &who))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	who.came_ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
	pthread_mutex_lock(&h->lock);
	struct channel_wish wish = h->wish;
	pthread_mutex_unlock(&h->lock);
	who.ring = wish.ring;
	who.value_most = wish.program ? wish.program->value_count : 0;
	int fd = make_memory(&wish, &who.memory);
	if (fd < 0 || !enqueue(h, &who)) {
		drop(&who);
		count_refused(h);
	} else {
		send_memory(client, fd, &wish); /* one that went away meanwhile stays silent */
	}
	if (fd >= 0)
		close(fd);
}

static void *handover_run(void *arg)
{
	struct handover *h = arg;
	struct pollfd fds[] = {{.fd = h->listener, .events = POLLIN},
			       {.fd = h->wake[0], .events = POLLIN}};
	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return NULL;
		if (fds[1].revents)
			return NULL;
		int client = accept4(h->listener, NULL, NULL, SOCK_CLOEXEC);
		if (client < 0) {
			if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
				count_refused(h);
				poll(&fds[1], 1, 100);
			}
			continue;
		}
		serve(h, client);
		close(client);
	}
}

static bool is_usable_folder(const char *path)
{
	struct stat info;
	return path && path[0] == '/' && strlen(path) < 64 && stat(path, &info) == 0 &&
	       S_ISDIR(info.st_mode) && access(path, W_OK | X_OK) == 0;
}

/* A session that begins right now has a socket, too, that does not listen yet. */
static bool is_old(const char *folder)
{
	struct stat info;
	return stat(folder, &info) == 0 && time(NULL) - info.st_mtime > BEGINNING_S;
}

/*
 * Removes folders that killed sessions left behind: their sockets refuse connections. A socket that
 * is in use refuses a stream as of the wrong type, and its listener does not notice.
 */
static void remove_stale(const char *where)
{
	DIR *dir = opendir(where);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		struct sockaddr_un address = {.sun_family = AF_UNIX};
		char folder[sizeof(address.sun_path)];
		if (strncmp(e->d_name, NAME, strlen(NAME)) ||
		    snprintf(folder, sizeof(folder), "%s/%s", where, e->d_name) >=
			(int)sizeof(folder) ||
		    snprintf(address.sun_path, sizeof(address.sun_path), "%s/channel", folder) >=
			(int)sizeof(address.sun_path) ||
		    !is_old(folder))
			continue;
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd >= 0 &&
		    connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 &&
		    errno == ECONNREFUSED && unlink(address.sun_path) == 0)
			rmdir(folder);
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static enum sx_status make_socket(struct handover *h, const struct sx_sys *sys,
				  struct sx_error *err)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	const char *where = is_usable_folder(runtime) ? runtime : "/tmp";
	remove_stale(where);
	snprintf(h->folder, sizeof(h->folder), "%s/" NAME "XXXXXX", where);
	if (sys->make_folder(sys->user, h->folder) < 0) {
		int saved = errno;
		h->folder[0] = '\0';
		return error_errno(err, saved,
				   "cannot make a folder in %s for the program's channel", where);
	}
	snprintf(h->path, sizeof(h->path), "%s/channel", h->folder);
	h->listener = sys->listen_at(sys->user, h->path, BACKLOG);
	if (h->listener < 0)
		return error_errno(err, errno, "cannot make the socket %s", h->path);
	return SX_OK;
}

enum sx_status handover_open(struct handover *h, const struct sx_sys *sys,
			     const struct channel_wish *wish, struct sx_error *err)
{
	*h = (struct handover){
	    .open = true, .wish = *wish, .listener = -1, .wake = {-1, -1}, .news = {-1, -1}};
	pthread_mutex_init(&h->lock, NULL);
	enum sx_status status = make_socket(h, sys, err);
	if (!status && (sys->pipe(sys->user, h->wake) < 0 || sys->pipe(sys->user, h->news) < 0))
		status = error_errno(err, errno, "cannot make the channel to the measured program");
	if (!status) {
		int failed = thread_start(&h->thread, handover_run, h);
		h->running = !failed;
		if (failed)
			status = error_errno(err, failed, "cannot start a thread");
	}
	if (status)
		handover_close(h);
	return status;
}

void handover_set_wish(struct handover *h, const struct channel_wish *wish)
{
	pthread_mutex_lock(&h->lock);
	h->wish = *wish;
	pthread_mutex_unlock(&h->lock);
}

bool handover_take(struct handover *h, struct newcomer *out)
{
	pthread_mutex_lock(&h->lock);
	char byte;
	bool any = h->taken < h->count;
	if (any)
		*out = h->queue[h->taken++];
	if (h->taken == h->count)
		h->taken = h->count = 0;
	if (!h->count && h->reported)
		h->reported = read(h->news[0], &byte, 1) != 1;
	pthread_mutex_unlock(&h->lock);
	return any;
}

uint64_t handover_refused(struct handover *h)
{
	pthread_mutex_lock(&h->lock);
	uint64_t refused = h->refused;
	pthread_mutex_unlock(&h->lock);
	return refused;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void handover_close(struct handover *h)
{
	struct newcomer left;
	if (!h->open)
		return;
	if (h->running) {
		ssize_t ignored = write(h->wake[1], "", 1);
		(void)ignored;
		pthread_join(h->thread, NULL);
	}
	close_fd(h->wake[0]);
	close_fd(h->wake[1]);
	close_fd(h->listener);
	while (handover_take(h, &left))
		drop(&left);
	close_fd(h->news[0]);
	close_fd(h->news[1]);
	if (h->path[0])
		unlink(h->path);
	if (h->folder[0])
		rmdir(h->folder);
	pthread_mutex_destroy(&h->lock);
	free(h->queue);
	*h = (struct handover){.listener = -1};
}
