/* The machine in a text, behind struct sx_sys. */
#include "tree_nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"

#define NS_PER_S  UINT64_C(1000000000)
#define FIRST_FD  9000
#define LINKS_MAX 40 /* as the kernel follows */

static int by_path(const void *a, const void *b)
{
	const struct tree_node *x = a, *y = b;
	int order = strcmp(x->path, y->path);
	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static void sort(struct tree *t)
{
	if (!t->sorted)
		qsort(t->nodes, t->count, sizeof(*t->nodes), by_path);
	t->sorted = true;
}

/* The first node with a path that does not sort before this one. */
static size_t lower(struct tree *t, const char *path)
{
	size_t low = 0, high = t->count;
	sort(t);
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (strcmp(t->nodes[middle].path, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool holds(const struct tree *t, const struct tree_node *n)
{
	return n->from_ns <= tree_elapsed(t) && tree_elapsed(t) < n->until_ns;
}

/* The node that exists at a path now; of several the last. */
static struct tree_node *node_at(struct tree *t, const char *path)
{
	struct tree_node *found = NULL;
	for (size_t i = lower(t, path); i < t->count && strcmp(t->nodes[i].path, path) == 0; i++)
		if (holds(t, &t->nodes[i]))
			found = &t->nodes[i];
	return found;
}

static bool has_below(struct tree *t, const char *path)
{
	char prefix[512];
	int n = snprintf(prefix, sizeof(prefix), "%s/", path);
	for (size_t i = lower(t, prefix);
	     i < t->count && strncmp(t->nodes[i].path, prefix, (size_t)n) == 0; i++)
		if (holds(t, &t->nodes[i]))
			return true;
	return false;
}

/* Puts a link's target in the place of the path up to there. */
static bool follow(char path[512], size_t length, const struct tree_node *link)
{
	char rest[512], folder[512], joined[1100];
	snprintf(rest, sizeof(rest), "%s", path + length);
	snprintf(folder, sizeof(folder), "%.*s", (int)length, path);
	*strrchr(folder, '/') = '\0';
	const char *target = link->bytes;
	while (target[0] == '.' && target[1] == '.' && folder[0]) {
		char *last = strrchr(folder, '/');
		if (last)
			*last = '\0';
		target += target[2] == '/' ? 3 : 2;
	}
	int n = target[0] == '/'
		    ? snprintf(joined, sizeof(joined), "%s%s", target, rest)
		    : snprintf(joined, sizeof(joined), "%s/%s%s", folder, target, rest);
	if (n < 0 || n >= 512)
		return false;
	memcpy(path, joined, (size_t)n + 1);
	return true;
}

/* Follows links in all folders of a path, and the last one when asked. 0, or -1 and errno. */
static int resolve(struct tree *t, const char *from, bool last, char path[512])
{
	int links = 0;
	if (strlen(from) >= 512)
		return fake_refuse(ENAMETOOLONG);
	snprintf(path, 512, "%s", from);
	for (size_t at = 1; at <= strlen(path); at++) {
		if (path[at] != '/' && path[at])
			continue;
		char saved = path[at];
		path[at] = '\0';
		struct tree_node *n = node_at(t, path);
		path[at] = saved;
		if (!n || n->kind != LINK_NODE || (!saved && !last))
			continue;
		if (++links > LINKS_MAX)
			return fake_refuse(ELOOP);
		if (!follow(path, at, n))
			return fake_refuse(ENAMETOOLONG);
		at = 0;
	}
	return 0;
}

/* What lies in a process's fd and fdinfo is for its owner and root. */
static bool may_look(struct tree *t, const char *path)
{
	int pid, end = 0;
	char folder[64], part[16];
	if (t->uid == 0 || sscanf(path, "/proc/%d/%15[a-z]%n", &pid, part, &end) != 2 ||
	    strncmp(part, "fd", 2) != 0)
		return true;
	snprintf(folder, sizeof(folder), "/proc/%d/comm", pid);
	const struct tree_node *n = node_at(t, folder);
	return n && n->owner == t->uid;
}

static bool may(const struct tree *t, const struct tree_node *n, unsigned right)
{
	return t->uid == 0 || n->mode & (n->owner == t->uid ? right << 6 : right);
}

/* "{A+B/s}": A, and B more for every second; "{A-B/s}" less. */
static size_t put_number(const struct tree *t, const char **from, char *to, size_t room)
{
	uint64_t base, rate;
	char sign;
	int used = 0;
	if (sscanf(*from, "{%" SCNu64 "%c%" SCNu64 "/s}%n", &base, &sign, &rate, &used) != 3 ||
	    !used)
		return 0;
	uint64_t change = (uint64_t)((unsigned __int128)rate * tree_elapsed(t) / NS_PER_S);
	int n = snprintf(to, room, "%" PRIu64, sign == '-' ? base - change : base + change);
	*from += used;
	return n > 0 && (size_t)n < room ? (size_t)n : 0;
}

size_t tree_contents(const struct tree *t, const struct tree_node *n, char *to, size_t room)
{
	size_t used = 0;
	if (n->plain) {
		used = n->size < room ? n->size : room;
		memcpy(to, n->bytes, used);
		return used;
	}
	for (const char *at = n->bytes; at < n->bytes + n->size && used < room;) {
		size_t put = *at == '{' ? put_number(t, &at, to + used, room - used) : 0;
		if (put)
			used += put;
		else
			to[used++] = *at++;
	}
	return used;
}

static bool is_ours(const char *path)
{
	return strncmp(path, "/sys", 4) == 0 || strncmp(path, "/proc", 5) == 0 ||
	       strncmp(path, "/dev/dri", 8) == 0;
}

/* What a process may do is no file of the text. */
static ssize_t read_status(const struct tree *t, char *buf, size_t size)
{
	int n = snprintf(buf, size, "Name:\tsextant\nUid:\t%u\nCapEff:\t%016x\n", t->uid,
			 t->uid ? 0u : 0xffffffffu);
	return n > 0 && (size_t)n < size ? n : fake_refuse(EIO);
}

static ssize_t tree_read_file(void *user, const char *path, char *buf, size_t size)
{
	struct tree *t = user;
	char real[512];
	t->files_read++;
	if (strcmp(path, "/proc/thread-self/status") == 0)
		return read_status(t, buf, size);
	if (!is_ours(path))
		return t->under ? t->under->read_file(t->under->user, path, buf, size)
				: fake_refuse(ENOENT);
	if (resolve(t, path, true, real) < 0)
		return -1;
	const struct tree_node *n = node_at(t, real);
	if (!may_look(t, real))
		return fake_refuse(EACCES);
	if (!n)
		return fake_refuse(has_below(t, real) ? EISDIR : ENOENT);
	if (n->kind == DIR_NODE)
		return fake_refuse(EISDIR);
	if (!may(t, n, 4))
		return fake_refuse(EACCES);
	size_t used = tree_contents(t, n, buf, size - 1);
	buf[used] = '\0';
	return (ssize_t)used;
}

static int tree_list_dir(void *user, const char *path, int (*visit)(void *arg, const char *name),
			 void *arg)
{
	struct tree *t = user;
	char real[512], prefix[520], last[256] = "";
	t->folders_listed++;
	if (!is_ours(path))
		return t->under ? t->under->list_dir(t->under->user, path, visit, arg)
				: fake_refuse(ENOENT);
	if (resolve(t, path, true, real) < 0)
		return -1;
	if (!may_look(t, real))
		return fake_refuse(EACCES);
	const struct tree_node *at = node_at(t, real);
	if (at && at->kind == FILE_NODE)
		return fake_refuse(ENOTDIR);
	if (!at && !has_below(t, real))
		return fake_refuse(ENOENT);
	size_t size = (size_t)snprintf(prefix, sizeof(prefix), "%s/", real);
	for (size_t i = lower(t, prefix);
	     i < t->count && strncmp(t->nodes[i].path, prefix, size) == 0; i++) {
		char name[256];
		const char *rest = t->nodes[i].path + size;
		if (!holds(t, &t->nodes[i]))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(rest, "/"), rest);
		if (strcmp(name, last) == 0)
			continue;
		memcpy(last, name, sizeof(last));
		if (visit(arg, name))
			break;
	}
	return 0;
}

static ssize_t tree_read_link(void *user, const char *path, char *buf, size_t size)
{
	struct tree *t = user;
	char real[512];
	t->links_read++;
	if (!is_ours(path))
		return t->under ? t->under->read_link(t->under->user, path, buf, size)
				: fake_refuse(ENOENT);
	if (resolve(t, path, false, real) < 0)
		return -1;
	if (!may_look(t, real))
		return fake_refuse(EACCES);
	const struct tree_node *n = node_at(t, real);
	if (!n)
		return fake_refuse(ENOENT);
	if (n->kind != LINK_NODE)
		return fake_refuse(EINVAL);
	int used = snprintf(buf, size, "%s", n->bytes);
	return (size_t)used < size ? used : (ssize_t)size - 1;
}

static int tree_open(void *user, const char *path, int flags)
{
	struct tree *t = user;
	char real[512];
	if (!is_ours(path))
		return t->under ? t->under->open(t->under->user, path, flags) : fake_refuse(ENOENT);
	if (resolve(t, path, true, real) < 0)
		return -1;
	struct tree_node *n = node_at(t, real);
	if (!n)
		return fake_refuse(ENOENT);
	bool writes = (flags & O_ACCMODE) != O_RDONLY;
	if (!may(t, n, writes ? 2 : 4) || (writes && !(n->mode & 0222)))
		return fake_refuse(EACCES);
	for (int fd = 0; fd < TREE_FDS; fd++)
		if (!t->fds[fd].open) {
			t->fds[fd].open = true;
			t->fds[fd].writes = writes;
			t->fds[fd].done = 0;
			snprintf(t->fds[fd].path, sizeof(t->fds[fd].path), "%.255s", real);
			t->open_fds++;
			return FIRST_FD + fd;
		}
	return fake_refuse(EMFILE);
}

static bool is_tree_fd(int fd)
{
	return fd >= FIRST_FD && fd < FIRST_FD + TREE_FDS;
}

static int tree_close(void *user, int fd)
{
	struct tree *t = user;
	if (!is_tree_fd(fd))
		return t->under ? t->under->close(t->under->user, fd) : fake_refuse(EBADF);
	if (!t->fds[fd - FIRST_FD].open)
		abort(); /* closed twice */
	t->fds[fd - FIRST_FD].open = false;
	t->open_fds--;
	return 0;
}

static ssize_t tree_read(void *user, int fd, void *buf, size_t size)
{
	struct tree *t = user;
	if (!is_tree_fd(fd))
		return t->under ? t->under->read(t->under->user, fd, buf, size)
				: fake_refuse(EBADF);
	return fake_refuse(EINVAL); /* a node of a GPU gives events alone */
}

/* The switches of the drivers take the values that they know. */
static bool is_allowed(const char *path, const char *value)
{
	size_t length = strcspn(value, "\n");
	bool digit = length == 1 && value[0] >= '0' && value[0] <= '3';
	const char *file = strrchr(path, '/');
	return strcmp(file, "/profiling") != 0 || digit;
}

static void tell_write(const struct tree *t, const char *path, const char *value)
{
	FILE *out = t->writes ? fopen(t->writes, "a") : NULL;
	if (out) {
		fprintf(out, "%s=%s\n", path, value);
		fclose(out);
	}
}

static ssize_t tree_write(void *user, int fd, const void *buf, size_t size)
{
	struct tree *t = user;
	char value[64];
	if (!is_tree_fd(fd))
		return t->under ? t->under->write(t->under->user, fd, buf, size)
				: fake_refuse(EBADF);
	const char *path = t->fds[fd - FIRST_FD].path;
	struct tree_node *n = node_at(t, path);
	if (!t->fds[fd - FIRST_FD].writes)
		return fake_refuse(EBADF);
	if (!n)
		return fake_refuse(ENODEV);
	snprintf(value, sizeof(value), "%.*s", (int)(size < 63 ? size : 63), (const char *)buf);
	if (!is_allowed(path, value))
		return fake_refuse(EINVAL);
	value[strcspn(value, "\n")] = '\0';
	tell_write(t, path, value);
	free(n->bytes);
	n->bytes = malloc(sizeof(value) + 2);
	if (!n->bytes)
		abort();
	n->size = (size_t)sprintf(n->bytes, "%s\n", value);
	n->plain = true;
	return (ssize_t)size;
}

void tree_advance(struct tree *t, uint64_t ns)
{
	t->now_ns += ns;
}

static int tree_poll(void *user, struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct tree *t = user;
	if (!t->under) {
		tree_advance(t, (uint64_t)timeout_ms * 1000000);
		return 0;
	}
	if (t->realtime || timeout_ms < 0)
		return t->under->poll(t->under->user, fds, count, timeout_ms);
	int ready = t->under->poll(t->under->user, fds, count, 0);
	if (ready == 0)
		tree_advance(t, (uint64_t)timeout_ms * 1000000);
	return ready;
}

static int tree_clock_gettime(void *user, clockid_t clock, struct timespec *out)
{
	struct tree *t = user;
	if (t->realtime) {
		int result = t->under->clock_gettime(t->under->user, clock, out);
		uint64_t now = (uint64_t)out->tv_sec * NS_PER_S + (uint64_t)out->tv_nsec;
		if (clock == CLOCK_MONOTONIC)
			t->now_ns = now;
		return result;
	}
	out->tv_sec = (time_t)(t->now_ns / NS_PER_S);
	out->tv_nsec = (long)(t->now_ns % NS_PER_S);
	return 0;
}

void tree_finish(struct tree *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->nodes[i].path);
		free(t->nodes[i].bytes);
	}
	free(t->nodes);
	t->nodes = NULL;
	t->count = t->cap = 0;
}

void tree_init(struct tree *t, const struct sx_sys *under)
{
	*t = (struct tree){
	    .under = under, .start_ns = 1000 * NS_PER_S, .now_ns = 1000 * NS_PER_S, .strict = true};
	if (under)
		t->sys = *under;
	t->sys.user = t;
	t->sys.open = tree_open;
	t->sys.close = tree_close;
	t->sys.read = tree_read;
	t->sys.write = tree_write;
	t->sys.poll = tree_poll;
	t->sys.clock_gettime = tree_clock_gettime;
	t->sys.read_file = tree_read_file;
	t->sys.list_dir = tree_list_dir;
	t->sys.read_link = tree_read_link;
}
