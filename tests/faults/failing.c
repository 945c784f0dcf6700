/* See failing.h. */
#include "failing.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct failing *state;

void failing_begin(struct failing *to)
{
	__atomic_store_n(&state, to, __ATOMIC_RELEASE);
}

static bool fails(void)
{
	struct failing *s = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
	if (!s || __atomic_fetch_add(&s->count, 1, __ATOMIC_RELAXED) != s->fail_at)
		return false;
	__atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
	errno = ENOMEM;
	return true;
}

#ifdef FAILING_WRAPPED

/* The function's own name, and the real one behind it. */
#define REPLACES(type, name, parameters, arguments)                                                \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return fails() ? NULL : __real_##name arguments;                                   \
	}

REPLACES(void *, malloc, (size_t size), (size))
REPLACES(void *, calloc, (size_t count, size_t size), (count, size))
REPLACES(void *, realloc, (void *old, size_t size), (old, size))
REPLACES(char *, strdup, (const char *text), (text))
REPLACES(char *, strndup, (const char *text, size_t size), (text, size))
REPLACES(char *, realpath, (const char *path, char *to), (path, to))
REPLACES(FILE *, fopen, (const char *path, const char *mode), (path, mode))
REPLACES(FILE *, fdopen, (int fd, const char *mode), (fd, mode))
REPLACES(FILE *, open_memstream, (char **text, size_t *size), (text, size))

#else

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

#endif
