/*
 * Hooks of execve() and the like: the program does not exit, so its last samples are written
 * before. Not in a vfork() child, which shares its parent's memory; until that is known, nothing
 * here locks or allocates. posix_spawn() and system() do not call these.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>

#include "guest/process.h"
#include "preload/context.h"
#include "preload/real/real.h"

#define FEW_ARGUMENTS 64 /* so many are copied to the stack */

typedef char *const *exec_texts;

#define EXEC_LIST(X)                                                                               \
	X(execve, (const char *path, exec_texts argv, exec_texts environment),                     \
	  (path, argv, environment))                                                               \
	X(execv, (const char *path, exec_texts argv), (path, argv))                                \
	X(execvp, (const char *file, exec_texts argv), (file, argv))                               \
	X(execvpe, (const char *file, exec_texts argv, exec_texts environment),                    \
	  (file, argv, environment))                                                               \
	X(fexecve, (int fd, exec_texts argv, exec_texts environment), (fd, argv, environment))     \
	X(execveat,                                                                                \
	  (int fd, const char *path, exec_texts argv, exec_texts environment, int flags),          \
	  (fd, path, argv, environment, flags))

/* Prototypes as in unistd.h, which also declares syscall(), differently from our hook. */
#define EXEC_PROTOTYPE(name, parameters, arguments) HOOK_API int name parameters;
EXEC_LIST(EXEC_PROTOTYPE)
#undef EXEC_PROTOTYPE
HOOK_API int execl(const char *path, const char *argument, ...);
HOOK_API int execlp(const char *path, const char *argument, ...);
HOOK_API int execle(const char *path, const char *argument, ...);

/* Looked up before main(), because the forked child of a threaded program must not call dlsym(). */
static struct {
#define EXEC_REAL(name, parameters, arguments) int(*name) parameters;
	EXEC_LIST(EXEC_REAL)
#undef EXEC_REAL
} exec_real;

static void exec_look_up(void)
{
#define EXEC_FIND(name, parameters, arguments)                                                     \
	exec_real.name = (__typeof__(exec_real.name))real_dlsym()(RTLD_NEXT, #name);
	EXEC_LIST(EXEC_FIND)
#undef EXEC_FIND
}

__attribute__((constructor)) static void exec_start(void)
{
	int saved_errno = errno;
	exec_look_up();
	errno = saved_errno;
}

/* Whether the process itself executes another program; then its samples are written. */
static bool exec_begin(void)
{
	int saved_errno = errno;
	bool ends = guest_executes();
	if (ends)
		context_before_exec();
	errno = saved_errno;
	return ends;
}

/* execve() has failed. */
static int exec_end(bool ends, int result)
{
	int saved_errno = errno;
	if (ends)
		context_after_exec();
	errno = saved_errno;
	return result;
}

static int exec_missing(void)
{
	errno = ENOSYS;
	return -1;
}

#define EXEC_HOOK(name, parameters, arguments)                                                     \
	int name parameters                                                                        \
	{                                                                                          \
		if (!exec_real.name) /* before our constructor */                                  \
			exec_look_up();                                                            \
		if (!exec_real.name)                                                               \
			return exec_missing();                                                     \
		bool ends = exec_begin();                                                          \
		return exec_end(ends, exec_real.name arguments);                                   \
	}
EXEC_LIST(EXEC_HOOK)
#undef EXEC_HOOK

/* The arguments of execl() and the like as an array, and the environment. */
struct exec_arguments {
	char *few[FEW_ARGUMENTS];
	char **all;
	size_t bytes; /* of the mapping, or 0 */
};

static size_t exec_count(va_list list)
{
	size_t count = 1; /* the first is not a variable argument */
	va_list copy;
	va_copy(copy, list);
	while (va_arg(copy, char *))
		count++;
	va_end(copy);
	return count;
}

/* Leaves `list` after the NULL. Maps memory, because a forked child must not call malloc(). */
static bool exec_gather(struct exec_arguments *out, const char *first, va_list list)
{
	size_t count = first ? exec_count(list) : 0;
	out->all = out->few;
	out->bytes = count < FEW_ARGUMENTS ? 0 : (count + 1) * sizeof(char *);
	if (out->bytes)
		out->all = mmap(NULL, out->bytes, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (out->all == MAP_FAILED)
		return false;
	out->all[0] = (char *)first;
	for (size_t i = 1; i <= count; i++)
		out->all[i] = va_arg(list, char *);
	return true;
}

static int exec_release(struct exec_arguments *arguments, int result)
{
	int saved_errno = errno;
	if (arguments->bytes)
		munmap(arguments->all, arguments->bytes);
	errno = saved_errno;
	return result;
}

#define EXEC_LISTED(name, behind, call)                                                            \
	int name(const char *path, const char *argument, ...)                                      \
	{                                                                                          \
		struct exec_arguments gathered;                                                    \
		va_list list;                                                                      \
		va_start(list, argument);                                                          \
		bool fine = exec_gather(&gathered, argument, list);                                \
		behind;                                                                            \
		va_end(list);                                                                      \
		return fine ? exec_release(&gathered, call) : -1;                                  \
	}
EXEC_LISTED(execl, , execv(path, gathered.all))
EXEC_LISTED(execlp, , execvp(path, gathered.all))
EXEC_LISTED(execle, exec_texts environment = fine ? va_arg(list, exec_texts) : NULL,
	    execve(path, gathered.all, environment))
#undef EXEC_LISTED
