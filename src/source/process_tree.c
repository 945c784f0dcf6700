/* Files of /proc/PID, and trees of processes. */
#include "source/process_tree.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/utf8.h"

ssize_t process_file(const struct sx_sys *sys, pid_t pid, const char *name, char *out, size_t size)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return sys->read_file(sys->user, path, out, size);
}

ssize_t process_task_file(const struct sx_sys *sys, pid_t pid, pid_t tid, const char *name,
			  char *out, size_t size)
{
	char path[96];
	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
	return sys->read_file(sys->user, path, out, size);
}

bool process_program(const struct sx_sys *sys, pid_t pid, char *out, size_t size)
{
	char link[64] = "/proc/self/exe";
	if (pid)
		snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	return sys->read_link(sys->user, link, out, size) > 0;
}

struct pid_visit {
	int (*visit)(void *user, pid_t number);
	void *user;
};

static int visit_number(void *arg, const char *name)
{
	const struct pid_visit *v = arg;
	uint32_t number;
	if (name[0] < '1' || name[0] > '9' || !number_u32(name, strlen(name), &number) ||
	    number > INT_MAX)
		return 0;
	return v->visit(v->user, (pid_t)number);
}

int process_each(const struct sx_sys *sys, int (*visit)(void *user, pid_t pid), void *user)
{
	struct pid_visit v = {visit, user};
	return sys->list_dir(sys->user, "/proc", visit_number, &v) < 0 ? errno : 0;
}

int process_each_thread(const struct sx_sys *sys, pid_t pid, int (*visit)(void *user, pid_t tid),
			void *user)
{
	struct pid_visit v = {visit, user};
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return sys->list_dir(sys->user, path, visit_number, &v) < 0 ? errno : 0;
}

/* Numbers behind the state, of which the first is the parent's. */
enum { GROUP = 1, MINOR = 6, MAJOR = 8, TICKS = 10, WAITED = 12, WHOLE = 14, BEGUN = 18, NUMBERS };

bool process_stat_read(const struct sx_sys *sys, pid_t pid, struct process_stat *out)
{
	char text[1024], *end;
	uint64_t n[NUMBERS] = {0};
	unsigned count = 0;
	*out = (struct process_stat){.ended = false};
	errno = 0;
	if (process_file(sys, pid, "stat", text, sizeof(text)) <= 0)
		return false;
	const char *at = strrchr(text, ')'); /* the name may hold anything */
	if (!at || at[1] != ' ' || !at[2])
		return true;
	out->ended = at[2] == 'Z' || at[2] == 'X';
	for (at += 3; count < NUMBERS; at = end) {
		long long number = strtoll(at, &end, 10);
		if (end == at)
			break;
		n[count++] = (uint64_t)number;
	}
	out->parent = n[0] <= INT_MAX ? (pid_t)n[0] : 0;
	out->group = n[GROUP] <= INT_MAX ? (pid_t)n[GROUP] : 0;
	out->begun = n[BEGUN];
	out->whole = count >= WHOLE;
	out->major_faults = n[MAJOR] + n[MAJOR + 1];
	out->faults = n[MINOR] + n[MINOR + 1] + out->major_faults;
	out->ticks = n[TICKS] + n[TICKS + 1];
	out->waited_ticks = n[WAITED] + n[WAITED + 1];
	return true;
}

bool process_ended(const struct sx_sys *sys, pid_t pid)
{
	struct process_stat stat;
	bool read = process_stat_read(sys, pid, &stat);
	return read ? stat.ended : errno == ENOENT || errno == ESRCH;
}

void process_name_read(const struct sx_sys *sys, pid_t pid, char *out, size_t size)
{
	if (process_file(sys, pid, "comm", out, size) <= 0)
		snprintf(out, size, "?");
	out[strcspn(out, "\n")] = '\0';
	/* What a terminal would take for an order, and what is cut in its middle. */
	size_t length = strlen(out), bad;
	while (!utf8_is_text(out, length, &bad))
		out[bad] = '?';
	for (char *at = out; *at; at++)
		if (*at == '\t' || *at == '\r')
			*at = '?';
}

/* The environment comes after the vector, of which the end is there before the rest. */
enum process_begin process_begin(const struct sx_sys *sys, pid_t pid)
{
	char text[2048];
	ssize_t size = process_file(sys, pid, "auxv", text, sizeof(text));
	enum process_begin begin = PROCESS_HIDDEN;
	for (size_t at = 0; size > 0 && at + sizeof(Elf64_auxv_t) <= (size_t)size;
	     at += sizeof(Elf64_auxv_t)) {
		Elf64_auxv_t entry;
		memcpy(&entry, text + at, sizeof(entry));
		if (entry.a_type == AT_SECURE)
			return entry.a_un.a_val ? PROCESS_SECURE : PROCESS_PLAIN;
		if (!at && entry.a_type == AT_NULL)
			begin = PROCESS_LOADING;
	}
	return begin;
}

struct family {
	const struct sx_sys *sys;
	pid_t *pids;
	size_t count, next;
};

static int visit_parent(void *user, pid_t tid)
{
	struct family *f = user;
	char text[1024], *at = text;
	if (process_task_file(f->sys, f->pids[f->next], tid, "children", text, sizeof(text)) <= 0)
		return 0;
	while (f->count < PROCESS_FAMILY_MOST) {
		char *end;
		long pid = strtol(at, &end, 10);
		if (end == at || pid <= 0)
			break;
		f->pids[f->count++] = (pid_t)pid;
		at = end;
	}
	return 0;
}

size_t process_family(const struct sx_sys *sys, pid_t pid, pid_t out[PROCESS_FAMILY_MOST])
{
	struct family f = {.sys = sys, .pids = out, .count = 1};
	out[0] = pid;
	for (; f.next < f.count; f.next++)
		process_each_thread(sys, out[f.next], visit_parent, &f);
	return f.count;
}

#define NODES_MOST 65536u /* processes that are looked at; more are not asked to end */

/* The processes that run now. */
struct running {
	const struct sx_sys *sys;
	struct process_node *items;
	size_t count, cap;
};

static int running_add(void *user, pid_t pid)
{
	struct running *running = user;
	struct process_stat stat;
	if (!process_stat_read(running->sys, pid, &stat) || stat.ended)
		return 0;
	if (running->count == NODES_MOST ||
	    !mem_grow(&running->items, &running->cap, running->count + 1, sizeof(*running->items)))
		return 1;
	running->items[running->count++] = (struct process_node){
	    .pid = pid, .parent = stat.parent, .group = stat.group, .begun = stat.begun};
	return 0;
}

static struct process_node *find_ours(const struct process_tree *tree, pid_t pid)
{
	for (size_t i = 0; i < tree->count; i++)
		if (tree->items[i].here && tree->items[i].pid == pid)
			return &tree->items[i];
	return NULL;
}

static void find_again(struct process_tree *tree, struct running *running)
{
	for (size_t i = 0; i < tree->count; i++) {
		struct process_node *item = &tree->items[i];
		item->here = false;
		for (size_t k = 0; k < running->count && !item->here; k++) {
			struct process_node *now = &running->items[k];
			if (item->pid == now->pid && item->begun == now->begun)
				item->here = now->ours = true;
		}
	}
}

static bool is_of(const struct process_tree *tree, const struct process_node *one)
{
	return one->pid == tree->root || one->parent == tree->root || one->group == tree->root ||
	       find_ours(tree, one->parent);
}

/* Adds the processes that descend from known ones; whether there were any. */
static bool add_descendants(struct process_tree *tree, struct running *running)
{
	bool any = false;
	for (size_t k = 0; k < running->count; k++) {
		struct process_node *one = &running->items[k];
		if (one->ours || !is_of(tree, one) ||
		    !mem_grow(&tree->items, &tree->cap, tree->count + 1, sizeof(*tree->items)))
			continue;
		any = one->ours = one->here = true;
		tree->items[tree->count++] = *one;
	}
	return any;
}

/*
 * False where /proc is of another process namespace than ours: its pids then mean other processes.
 */
static bool is_ours(const struct sx_sys *sys)
{
	char self[32];
	return sys->read_link(sys->user, "/proc/self", self, sizeof(self)) > 0 &&
	       strtol(self, NULL, 10) == getpid();
}

void process_tree_look(struct process_tree *tree)
{
	struct running running = {.sys = tree->sys};
	if (is_ours(tree->sys))
		process_each(tree->sys, running_add, &running);
	find_again(tree, &running);
	while (add_descendants(tree, &running))
		;
	free(running.items);
}

bool process_tree_any(const struct process_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		if (tree->items[i].here && tree->items[i].pid != tree->root)
			return true;
	return false;
}

void process_tree_signal(const struct process_tree *tree, int signal_number)
{
	tree->sys->kill(tree->sys->user, tree->root, signal_number);
	for (size_t i = 0; i < tree->count; i++)
		if (tree->items[i].here && tree->items[i].pid != tree->root)
			tree->sys->kill(tree->sys->user, tree->items[i].pid, signal_number);
}

void process_tree_finish(struct process_tree *tree)
{
	free(tree->items);
	*tree = (struct process_tree){.sys = tree->sys, .root = tree->root};
}
