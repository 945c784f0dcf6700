/* Processes by their parents: see kin.h. */
#include "session/drive/kin.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "source/process_tree.h"

#define KIN_MOST 65536u /* processes that are looked at; more are not asked to end */

/* Who runs just now. */
struct crowd {
	const struct sx_sys *sys;
	struct kinsman *items;
	size_t count, cap;
};

static int crowd_add(void *user, const char *name)
{
	struct crowd *crowd = user;
	struct process_stat stat;
	char *end;
	long pid = strtol(name, &end, 10);
	if (end == name || *end || pid <= 0 || !process_stat_read(crowd->sys, (pid_t)pid, &stat) ||
	    stat.state == 'Z' || stat.state == 'X')
		return 0;
	if (crowd->count == KIN_MOST ||
	    !mem_grow(&crowd->items, &crowd->cap, crowd->count + 1, sizeof(*crowd->items)))
		return 1;
	crowd->items[crowd->count++] = (struct kinsman){
	    .pid = (pid_t)pid, .parent = stat.parent, .group = stat.group, .begun = stat.begun};
	return 0;
}

static struct kinsman *find_met(const struct kin *kin, pid_t pid)
{
	for (size_t i = 0; i < kin->count; i++)
		if (kin->items[i].here && kin->items[i].pid == pid)
			return &kin->items[i];
	return NULL;
}

static void meet_again(struct kin *kin, struct crowd *crowd)
{
	for (size_t i = 0; i < kin->count; i++) {
		struct kinsman *item = &kin->items[i];
		item->here = false;
		for (size_t k = 0; k < crowd->count && !item->here; k++) {
			struct kinsman *now = &crowd->items[k];
			if (item->pid == now->pid && item->begun == now->begun)
				item->here = now->met = true;
		}
	}
}

static bool is_of(const struct kin *kin, const struct kinsman *one)
{
	return one->pid == kin->root || one->parent == kin->root || one->group == kin->root ||
	       find_met(kin, one->parent);
}

/* Those who are of somebody that is known by now; whether there were any. */
static bool meet_next(struct kin *kin, struct crowd *crowd)
{
	bool any = false;
	for (size_t k = 0; k < crowd->count; k++) {
		struct kinsman *one = &crowd->items[k];
		if (one->met || !is_of(kin, one) ||
		    !mem_grow(&kin->items, &kin->cap, kin->count + 1, sizeof(*kin->items)))
			continue;
		any = one->met = one->here = true;
		kin->items[kin->count++] = *one;
	}
	return any;
}

/* In a namespace of processes whose /proc is another's, numbers are of somebody else. */
static bool is_ours(const struct sx_sys *sys)
{
	char self[32];
	return sys->read_link(sys->user, "/proc/self", self, sizeof(self)) > 0 &&
	       strtol(self, NULL, 10) == getpid();
}

void kin_look(struct kin *kin)
{
	struct crowd crowd = {.sys = kin->sys};
	if (is_ours(kin->sys))
		kin->sys->list_dir(kin->sys->user, "/proc", crowd_add, &crowd);
	meet_again(kin, &crowd);
	while (meet_next(kin, &crowd))
		;
	free(crowd.items);
}

bool kin_any(const struct kin *kin)
{
	for (size_t i = 0; i < kin->count; i++)
		if (kin->items[i].here && kin->items[i].pid != kin->root)
			return true;
	return false;
}

void kin_signal(const struct kin *kin, int signal_number)
{
	kin->sys->kill(kin->sys->user, kin->root, signal_number);
	for (size_t i = 0; i < kin->count; i++)
		if (kin->items[i].here && kin->items[i].pid != kin->root)
			kin->sys->kill(kin->sys->user, kin->items[i].pid, signal_number);
}

void kin_finish(struct kin *kin)
{
	free(kin->items);
	*kin = (struct kin){.sys = kin->sys, .root = kin->root};
}
