/* Processes that are younger than we are, and their environments, read as files. */
#include "source/guest/guest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "source/process_tree.h"

#define NS_PER_MS	  UINT64_C(1000000)
#define LOOK_NS		  (20 * NS_PER_MS)
#define YOUNG_NS	  (2000 * NS_PER_MS) /* time in which one should begin to draw or compute */
#define EXEC_NS		  (50 * NS_PER_MS) /* in which one that has no environment should have it */
#define ENVIRONMENT_BYTES 65536		   /* that are searched */

struct look {
	struct heirs *heirs;
	const struct sx_sys *sys;
	const char *path;
	bool (*lives)(void *user, pid_t pid);
	void *user;
	pid_t own, last; /* numbers between them are of processes that came after us */
	uint64_t now_ns;
	char *text;
};

/* The number that the kernel gave last: numbers begin anew when all were given. */
static pid_t last_number(const struct sx_sys *sys)
{
	char text[128];
	ssize_t size = sys->read_file(sys->user, "/proc/loadavg", text, sizeof(text));
	const char *at = size > 0 ? strrchr(text, ' ') : NULL;
	return at ? (pid_t)strtol(at, NULL, 10) : 0;
}

static bool is_younger(const struct look *l, pid_t pid)
{
	if (l->last <= 0)
		return true;
	if (l->last >= l->own)
		return pid > l->own && pid <= l->last;
	return pid > l->own || pid <= l->last;
}

enum resemblance { STRANGER, PERHAPS, BEGINS, HEIR };

/* Of one whose program is known. */
static enum resemblance resemblance(const struct look *l, pid_t pid)
{
	ssize_t size = process_file(l->sys, pid, "environ", l->text, ENVIRONMENT_BYTES);
	/* The kernel is loading it, which takes as long as CPUs and disks let it, or it has none.
	 */
	if (size == 0)
		return process_begin(l->sys, pid) == PROCESS_LOADING ? BEGINS : PERHAPS;
	return size > 0 && memmem(l->text, (size_t)size, l->path, strlen(l->path)) ? HEIR
										   : STRANGER;
}

static void meet(const struct look *l, const struct heir *who)
{
	struct heirs *heirs = l->heirs;
	size_t i = 0;
	while (i < heirs->count && heirs->items[i].pid != who->pid)
		i++;
	if (i == HEIRS_MOST)
		return;
	struct heir *item = &heirs->items[i];
	if (i == heirs->count) {
		*item = *who;
		heirs->count++;
	} else if (item->sure != who->sure || item->begins != who->begins ||
		   strcmp(item->program, who->program) != 0) {
		*item = *who;
	}
	item->here = true;
	bool young = l->now_ns - item->since_ns < YOUNG_NS;
	if (item->sure && young)
		heirs->sure_ns = l->now_ns;
	heirs->any |=
	    item->sure ? young : l->now_ns - heirs->sure_ns < (item->begins ? YOUNG_NS : EXEC_NS);
}

static int visit_process(void *user, pid_t pid)
{
	struct look *l = user;
	char program[4096];
	struct heir who = {.pid = pid, .since_ns = l->now_ns};
	if (!is_younger(l, pid) || l->lives(l->user, pid) ||
	    !process_program(l->sys, pid, program, sizeof(program)))
		return 0; /* a thread of the kernel's, one that has ended, or somebody else's, too
			   */
	enum resemblance how = resemblance(l, pid);
	if (how == STRANGER)
		return 0;
	size_t length = strlen(program), most = sizeof(who.program) - 1;
	snprintf(who.program, sizeof(who.program), "%s",
		 program + (length > most ? length - most : 0));
	who.sure = how == HEIR;
	who.begins = how == BEGINS;
	meet(l, &who);
	return 0;
}

/* Numbers of processes are used again. */
static void forget_gone(struct heirs *heirs)
{
	size_t kept = 0;
	for (size_t i = 0; i < heirs->count; i++)
		if (heirs->items[i].here)
			heirs->items[kept++] = heirs->items[i];
	heirs->count = kept;
}

void heirs_expect(struct heirs *heirs)
{
	heirs->sure_ns = 0;
}

bool heirs_awaited(struct heirs *heirs, const struct sx_sys *sys, const char *path,
		   bool (*lives)(void *user, pid_t pid), void *user)
{
	struct look look = {.heirs = heirs,
			    .sys = sys,
			    .path = path,
			    .lives = lives,
			    .user = user,
			    .own = getpid(),
			    .now_ns = sys_now_ns(sys)};
	if (heirs->looked_ns && look.now_ns - heirs->looked_ns < LOOK_NS)
		return heirs->any;
	heirs->looked_ns = look.now_ns;
	heirs->sure_ns = heirs->sure_ns ? heirs->sure_ns : look.now_ns;
	heirs->any = false;
	look.text = malloc(ENVIRONMENT_BYTES);
	if (!look.text || !path[0]) {
		free(look.text);
		return false;
	}
	look.last = last_number(sys);
	for (size_t i = 0; i < heirs->count; i++)
		heirs->items[i].here = false;
	process_each(sys, visit_process, &look);
	forget_gone(heirs);
	free(look.text);
	return heirs->any;
}
