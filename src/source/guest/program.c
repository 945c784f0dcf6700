/* ELF heads and environments of other processes, read as files. */
#include "source/guest/guest.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

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

/*
 * Whether the kernel told the loader that rights are at stake: 1, 0, or -1 where it has told
 * nothing, as within exec and at the end, when the user may be another already and the vector is
 * empty.
 */
static int secure_of(const struct sx_sys *sys, pid_t pid)
{
	char path[64], text[2048];
	snprintf(path, sizeof(path), "/proc/%ld/auxv", (long)pid);
	ssize_t size = sys->read_file(sys->user, path, text, sizeof(text));
	for (ssize_t at = 0; at + (ssize_t)sizeof(Elf64_auxv_t) <= size;
	     at += (ssize_t)sizeof(Elf64_auxv_t)) {
		Elf64_auxv_t entry;
		memcpy(&entry, text + at, sizeof(entry));
		if (entry.a_type == AT_SECURE)
			return entry.a_un.a_val != 0;
	}
	return -1;
}

/* The user whose rights it has, or -1. */
static long user_of(const struct sx_sys *sys, pid_t pid)
{
	char path[64], text[4096], *end;
	snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	ssize_t size = sys->read_file(sys->user, path, text, sizeof(text) - 1);
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
	char path[64], text[ENVIRONMENT_BYTES];
	snprintf(path, sizeof(path), "/proc/%ld/exe", (long)pid);
	ssize_t size = sys->read_file(sys->user, path, text, HEAD_BYTES);
	if (size < 0)
		return errno == EACCES ? PROGRAM_GUARDED : PROGRAM_UNKNOWN;
	enum program_kind kind = kind_of_head((const uint8_t *)text, (size_t)size);
	if (kind != PROGRAM_DYNAMIC)
		return kind;
	int secure = secure_of(sys, pid);
	if (secure)
		return secure > 0 ? PROGRAM_GUARDED : PROGRAM_UNKNOWN;
	snprintf(path, sizeof(path), "/proc/%ld/environ", (long)pid);
	size = sys->read_file(sys->user, path, text, sizeof(text));
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
	char link[64], own[256], path[256];
	snprintf(link, sizeof(link), "/proc/%ld/exe", (long)pid);
	if (sys->read_link(sys->user, link, path, sizeof(path)) <= 0) {
		if (errno == EACCES || errno == EPERM)
			program->kind = PROGRAM_GUARDED;
		return;
	}
	long user = user_of(sys, pid);
	int secure = is_foreign(user) ? secure_of(sys, pid) : 1;
	if (secure < 0)
		return;
	if (!secure) {
		program->kind = PROGRAM_FOREIGN;
		program->user = user;
		return;
	}
	bool ours = sys->read_link(sys->user, "/proc/self/exe", own, sizeof(own)) > 0 &&
		    strcmp(own, path) == 0;
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
