/*
 * Programs without a channel so far: their kind, by ELF head and environment; and descendants that
 * may still fetch one.
 */
#include "source/guest/guest.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "source/process_tree.h"

#define HEAD_BYTES	  4096	/* of a program; the program headers of most lie within */
#define ENVIRONMENT_BYTES 65536 /* of its environment that is searched */

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#else
#define OUR_MACHINE EM_NONE
#endif

static bool has_loader(const uint8_t *head, size_t size)
{
	Elf64_Ehdr elf;
	memcpy(&elf, head, sizeof(elf));
	for (unsigned i = 0; i < elf.e_phnum; i++) {
		Elf64_Phdr part;
		size_t at = (size_t)elf.e_phoff + i * sizeof(part);
		if (elf.e_phoff > size || at + sizeof(part) > size)
			return true; /* further away than we look */
		memcpy(&part, head + at, sizeof(part));
		if (part.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static enum program_kind kind_of_head(const uint8_t *head, size_t size)
{
	if (size < sizeof(Elf64_Ehdr) || memcmp(head, ELFMAG, SELFMAG) != 0)
		return PROGRAM_UNKNOWN;
	unsigned machine = head[18] | (unsigned)head[19] << 8;
	if (head[EI_CLASS] != ELFCLASS64 || machine != OUR_MACHINE)
		return PROGRAM_OTHER;
	return has_loader(head, size) ? PROGRAM_DYNAMIC : PROGRAM_STATIC;
}

/* Whether an environment, strings one after another, has the variable that loads our library. */
static bool program_is_asked(const struct program *program, const char *environment, size_t size)
{
	size_t length = strlen(program->variable);
	for (size_t at = 0; at < size; at += strlen(environment + at) + 1)
		if (strncmp(environment + at, program->variable, length) == 0 &&
		    environment[at + length] == '=')
			return strstr(environment + at, program->holds) != NULL;
	return false;
}

/* The effective user of a process, or -1. */
static long user_of(const struct sx_sys *sys, pid_t pid)
{
	char text[4096], *end;
	ssize_t size = process_file(sys, pid, "status", text, sizeof(text) - 1);
	text[size > 0 ? size : 0] = '\0';
	const char *line = strstr(text, "\nUid:");
	if (!line)
		return -1;
	strtol(line + strlen("\nUid:"), &end, 10); /* the real one */
	return strtol(end, NULL, 10);
}

static bool is_foreign(long user)
{
	return user > 0 && user != (long)getuid() && user != (long)geteuid();
}

static enum program_kind program_read(struct program *program, const struct sx_sys *sys, pid_t pid)
{
	char text[ENVIRONMENT_BYTES];
	ssize_t size = process_file(sys, pid, "exe", text, HEAD_BYTES);
	if (size < 0)
		return errno == EACCES ? PROGRAM_GUARDED : PROGRAM_UNKNOWN;
	enum program_kind kind = kind_of_head((const uint8_t *)text, (size_t)size);
	if (kind != PROGRAM_DYNAMIC)
		return kind;
	enum process_begin begin = process_begin(sys, pid);
	if (begin != PROCESS_PLAIN)
		return begin == PROCESS_SECURE ? PROGRAM_GUARDED : PROGRAM_UNKNOWN;
	size = process_file(sys, pid, "environ", text, sizeof(text));
	if (size < 0)
		return errno == EACCES ? PROGRAM_GUARDED : PROGRAM_UNKNOWN;
	bool bare = size == 0;
	bool again = bare && !program->bare;
	program->bare = bare;
	if (again)
		return PROGRAM_UNKNOWN;
	return program_is_asked(program, text, (size_t)size) ? PROGRAM_DYNAMIC : PROGRAM_CLEARED;
}

void program_look(struct program *program, const struct sx_sys *sys, pid_t pid)
{
	char own[256], path[256];
	if (!process_program(sys, pid, path, sizeof(path))) {
		if (errno == EACCES || errno == EPERM)
			program->kind = PROGRAM_GUARDED;
		return;
	}
	long user = user_of(sys, pid);
	enum process_begin begin = is_foreign(user) ? process_begin(sys, pid) : PROCESS_SECURE;
	if (begin == PROCESS_HIDDEN || begin == PROCESS_LOADING)
		return; /* the user may be another already */
	if (begin == PROCESS_PLAIN) {
		program->kind = PROGRAM_FOREIGN;
		program->user = user;
		return;
	}
	bool ours = process_program(sys, 0, own, sizeof(own)) && strcmp(own, path) == 0;
	if (ours || strcmp(path, program->path) == 0) /* the program has not begun, or is known */
		return;
	enum program_kind kind = program_read(program, sys, pid);
	if (kind == PROGRAM_UNKNOWN)
		return;
	program->kind = kind;
	snprintf(program->path, sizeof(program->path), "%s", path);
}

bool program_explain(const struct program *program, struct sx_error *err)
{
	const char *path = program->path[0] ? program->path : "the program";
	switch (program->kind) {
	case PROGRAM_STATIC:
		error_because(err, "%s is statically linked: nothing can be loaded into it", path);
		error_try(err, "a dynamically linked build of it");
		return true;
	case PROGRAM_OTHER:
		error_because(err, "%s is of another CPU or word size than sextant", path);
		error_try(err, "for 32-bit programs: apt-get install gcc-i686-linux-gnu, and build "
			       "sextant again");
		return true;
	case PROGRAM_GUARDED:
		error_because(err,
			      "the program is set-user-ID or has capabilities: the loader takes "
			      "no library from its caller");
		error_try(err,
			  "a copy without these rights, or start it as the user that it becomes");
		return true;
	case PROGRAM_FOREIGN:
		error_because(err,
			      "the program has become another user's (%ld), who does not reach "
			      "sextant's channel",
			      program->user);
		error_try(err, "start sextant as that user: runuser -u NAME -- sextant ...");
		return true;
	case PROGRAM_CLEARED:
		error_because(err, "%s was taken out of the environment of %s", program->variable,
			      path);
		error_try(err, "start the program without env -i, or whatever clears it");
		return true;
	default:
		return false;
	}
}

#define NS_PER_MS UINT64_C(1000000)
#define LOOK_NS	  (20 * NS_PER_MS)
#define YOUNG_NS  (2000 * NS_PER_MS) /* time in which one should begin to draw or compute */
#define EXEC_NS	  (50 * NS_PER_MS)   /* in which one that has no environment should have it */

struct look {
	struct descendants *descendants;
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

enum relation { FOREIGN, UNKNOWN, LOADING, DESCENDANT };

/* Of a process with a known program. */
static enum relation relation_of(const struct look *l, pid_t pid)
{
	ssize_t size = process_file(l->sys, pid, "environ", l->text, ENVIRONMENT_BYTES);
	/* The kernel is loading it, which takes as long as CPUs and disks let it, or it has none.
	 */
	if (size == 0)
		return process_begin(l->sys, pid) == PROCESS_LOADING ? LOADING : UNKNOWN;
	return size > 0 && memmem(l->text, (size_t)size, l->path, strlen(l->path)) ? DESCENDANT
										   : FOREIGN;
}

static void note_descendant(const struct look *l, const struct descendant *who)
{
	struct descendants *descendants = l->descendants;
	size_t i = 0;
	while (i < descendants->count && descendants->items[i].pid != who->pid)
		i++;
	if (i == DESCENDANTS_MOST)
		return;
	struct descendant *item = &descendants->items[i];
	if (i == descendants->count) {
		*item = *who;
		descendants->count++;
	} else if (item->sure != who->sure || item->begins != who->begins ||
		   strcmp(item->program, who->program) != 0) {
		*item = *who;
	}
	item->here = true;
	bool young = l->now_ns - item->since_ns < YOUNG_NS;
	if (item->sure && young)
		descendants->sure_ns = l->now_ns;
	descendants->any |=
	    item->sure ? young
		       : l->now_ns - descendants->sure_ns < (item->begins ? YOUNG_NS : EXEC_NS);
}

static int visit_process(void *user, pid_t pid)
{
	struct look *l = user;
	char program[4096];
	struct descendant who = {.pid = pid, .since_ns = l->now_ns};
	if (!is_younger(l, pid) || l->lives(l->user, pid) ||
	    !process_program(l->sys, pid, program, sizeof(program)))
		return 0; /* a kernel thread, one that has ended, or another user's */
	enum relation how = relation_of(l, pid);
	if (how == FOREIGN)
		return 0;
	size_t length = strlen(program), most = sizeof(who.program) - 1;
	snprintf(who.program, sizeof(who.program), "%s",
		 program + (length > most ? length - most : 0));
	who.sure = how == DESCENDANT;
	who.begins = how == LOADING;
	note_descendant(l, &who);
	return 0;
}

/* Numbers of processes are used again. */
static void forget_gone(struct descendants *descendants)
{
	size_t kept = 0;
	for (size_t i = 0; i < descendants->count; i++)
		if (descendants->items[i].here)
			descendants->items[kept++] = descendants->items[i];
	descendants->count = kept;
}

void descendants_expect(struct descendants *descendants)
{
	descendants->sure_ns = 0;
}

bool descendants_awaited(struct descendants *descendants, const struct sx_sys *sys,
			 const char *path, bool (*lives)(void *user, pid_t pid), void *user)
{
	struct look look = {.descendants = descendants,
			    .sys = sys,
			    .path = path,
			    .lives = lives,
			    .user = user,
			    .own = getpid(),
			    .now_ns = sys_now_ns(sys)};
	if (descendants->looked_ns && look.now_ns - descendants->looked_ns < LOOK_NS)
		return descendants->any;
	descendants->looked_ns = look.now_ns;
	descendants->sure_ns = descendants->sure_ns ? descendants->sure_ns : look.now_ns;
	descendants->any = false;
	look.text = malloc(ENVIRONMENT_BYTES);
	if (!look.text || !path[0]) {
		free(look.text);
		return false;
	}
	look.last = last_number(sys);
	for (size_t i = 0; i < descendants->count; i++)
		descendants->items[i].here = false;
	process_each(sys, visit_process, &look);
	forget_gone(descendants);
	free(look.text);
	return descendants->any;
}
