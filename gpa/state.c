/* The process's state that the interface demands: one lock, the open contexts, the current one. */
#include "gpa/core.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static struct {
	struct gpa_context *first; /* oldest first */
	uint64_t last_serial, current;
} state;

static pthread_once_t lock_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock;

/* What this thread opened or selected (0: nothing), and how deep it is in calls. */
static _Thread_local uint64_t own_current;
static _Thread_local int depth;

/* Recursive, because a log callback may call back. */
static void lock_init(void)
{
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

static struct gpa_context *by_serial(uint64_t serial)
{
	for (struct gpa_context *c = state.first; serial && c; c = c->next)
		if (c->serial == serial)
			return c;
	return NULL;
}

static struct gpa_context *state_current(void)
{
	struct gpa_context *own = by_serial(own_current);
	return own ? own : by_serial(state.current);
}

struct gpa_call gpa_enter(const char *name)
{
	pthread_once(&lock_once, lock_init);
	pthread_mutex_lock(&lock);
	if (depth++ == 0)
		gpa_log(GPA_LOGGING_TRACE, "Entering: %s", name);
	return (struct gpa_call){.name = name, .context = state_current()};
}

GPA_Status gpa_leave(struct gpa_call *call, GPA_Status status, const char *message)
{
	if (status != GPA_STATUS_OK && message)
		gpa_log(GPA_LOGGING_ERROR, "%s: %s", call->name, message);
	if (--depth == 0)
		gpa_log(GPA_LOGGING_TRACE, "Leaving: %s", call->name);
	pthread_mutex_unlock(&lock);
	return status;
}

uint64_t gpa_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool gpa_pause(struct gpa_call *call, uint64_t *delay_ns)
{
	struct timespec t = {.tv_nsec = (long)*delay_ns};
	uint64_t serial = call->context->serial;
	for (int i = 0; i < depth; i++)
		pthread_mutex_unlock(&lock);
	nanosleep(&t, NULL);
	for (int i = 0; i < depth; i++)
		pthread_mutex_lock(&lock);
	if (*delay_ns < 1000000)
		*delay_ns *= 2;
	call->context = by_serial(serial);
	return call->context != NULL;
}

struct gpa_context *gpa_context_find(void *native)
{
	for (struct gpa_context *c = state.first; c; c = c->next)
		if (c->version == 2 && c->native == native)
			return c;
	return NULL;
}

void gpa_context_use(struct gpa_context *context)
{
	state.current = own_current = context->serial;
}

void gpa_context_add(struct gpa_context *context)
{
	struct gpa_context **end = &state.first;
	while (*end)
		end = &(*end)->next;
	*end = context;
	context->serial = ++state.last_serial;
}

bool gpa_context_known(const void *maybe)
{
	const struct gpa_context *c = state.first;
	while (c && c != maybe)
		c = c->next;
	return c != NULL;
}

struct gpa_context *gpa_context_first(void)
{
	return state.first;
}

void gpa_context_remove(struct gpa_context *context)
{
	struct gpa_context **link = &state.first;
	while (*link && *link != context)
		link = &(*link)->next;
	if (*link)
		*link = context->next;
	own_current = context->version == 2 ? 0 : own_current;
	if (context->version != 2)
		return;
	const struct gpa_context *oldest = state.first;
	while (oldest && oldest->version != 2)
		oldest = oldest->next;
	state.current = oldest ? oldest->serial : 0;
}
