/*
 * The list of this process's contexts, under one mutex, and the current context of each thread. A
 * context that was removed from the list belongs to the caller.
 */
#include <pthread.h>
#include <stdlib.h>

#include "guest/clock.h"
#include "guest/process.h"
#include "preload/context.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context *contexts; /* under lock */
static uint32_t serial;		 /* under lock */
static pthread_key_t thread_key;
static pthread_once_t thread_key_once = PTHREAD_ONCE_INIT;

static __thread struct context *mine __attribute__((tls_model("initial-exec")));

struct context *context_current(void)
{
	return mine && guest_active() ? mine : NULL;
}

struct sampler *context_sampler(void)
{
	struct context *context = context_current();
	return context && context->started ? &context->sampler : NULL;
}

static struct context *find(bool egl, const void *handle)
{
	struct context *context = contexts;
	while (context && (context->handle != handle || context->egl != egl))
		context = context->next;
	return context;
}

static void unlink_context(struct context *context)
{
	struct context **link = &contexts;
	while (*link != context)
		link = &(*link)->next;
	*link = context->next;
}

/* No thread has it current, so no lock is needed. */
void contexts_dispose(struct context *context)
{
	if (context->started && guest_check_active())
		sampler_finish(&context->sampler, context->followed_ns);
	sampler_free(&context->sampler);
	free(context);
}

void contexts_release(struct context *context)
{
	pthread_mutex_lock(&lock);
	context->current = false;
	bool dead = context->destroyed;
	if (dead)
		unlink_context(context);
	pthread_mutex_unlock(&lock);
	if (dead)
		contexts_dispose(context);
}

/* The thread ends with a current context: the driver releases it, and so do we. */
static void on_thread_exit(void *value)
{
	struct context *context = value;
	if (mine != context)
		return;
	mine = NULL;
	contexts_release(context);
}

static void make_thread_key(void)
{
	pthread_key_create(&thread_key, on_thread_exit);
}

void contexts_set_mine(struct context *context)
{
	pthread_once(&thread_key_once, make_thread_key);
	mine = context;
	pthread_setspecific(thread_key, context);
}

/* The work of contexts that are not current ends when another is made current. Under the lock. */
static void follow_idle(void)
{
	uint64_t now_ns = guest_now_ns();
	for (struct context *context = contexts; context; context = context->next) {
		if (!context->current && context->followed_ns == 0)
			context->followed_ns = now_ns;
	}
}

struct context *contexts_acquire(const struct binding *binding)
{
	pthread_mutex_lock(&lock);
	struct context *context = find(binding->egl, binding->context);
	if (!context) {
		context = calloc(1, sizeof(*context));
		if (context) {
			context->egl = binding->egl;
			context->handle = binding->context;
			context->identity.serial = ++serial;
			context->next = contexts;
			contexts = context;
			__atomic_add_fetch(&guest_channel()->contexts, 1, __ATOMIC_RELAXED);
		}
	}
	if (context) {
		context->display = binding->display;
		context->current = true;
		context->followed_ns = 0;
	}
	follow_idle();
	pthread_mutex_unlock(&lock);
	return context;
}

bool contexts_is_destroyed(const struct context *context)
{
	pthread_mutex_lock(&lock);
	bool destroyed = context->destroyed;
	pthread_mutex_unlock(&lock);
	return destroyed;
}

void contexts_overtake(const struct context *by)
{
	const struct wire_header *channel = guest_channel();
	if (!channel || __atomic_load_n(&channel->contexts, __ATOMIC_RELAXED) < 2)
		return;
	pthread_mutex_lock(&lock);
	for (struct context *context = contexts; context; context = context->next) {
		bool idle = context != by && !context->current;
		if (idle && context->egl == by->egl && context->drawable == by->drawable)
			context->overtaken = true;
	}
	pthread_mutex_unlock(&lock);
}

/* Another thread may have held the lock at the fork. */
static void renew_lock(void)
{
	pthread_mutex_init(&lock, NULL);
}

/*
 * A forked child is measured only if no context existed before the fork: drivers do not support a
 * parent's context in the child.
 */
bool contexts_may_begin(void)
{
	if (guest_check_active())
		return true;
	return guest_may_reopen() && !contexts && !mine && serial == 0 && guest_reopen(renew_lock);
}

/* The context that last drew to it, if no thread has it current. Under the lock. */
static struct context *idle_of(uint64_t drawable, bool egl)
{
	struct context *found = NULL;
	for (struct context *context = contexts; context; context = context->next) {
		if (context->drawable != drawable || context->egl != egl)
			continue;
		if (context->current || !context->started || context->destroyed)
			return NULL;
		if (!found || context->released_ns > found->released_ns)
			found = context;
	}
	return found;
}

/* A window may be swapped after its context was released; that ends the context's frame, too. */
void contexts_swap_idle(uint64_t drawable, bool egl)
{
	pthread_mutex_lock(&lock);
	struct context *context = idle_of(drawable, egl);
	if (context) {
		sampler_end_frame(&context->sampler, true, NULL);
		sampler_start_clock(&context->sampler);
		context->swapped_ns = guest_now_ns();
		context->swapped = true;
	}
	pthread_mutex_unlock(&lock);
}

static struct context *remove_stale(bool egl, const void *handle)
{
	pthread_mutex_lock(&lock);
	struct context *context = find(egl, handle);
	if (context && !context->current)
		unlink_context(context);
	else
		context = NULL;
	pthread_mutex_unlock(&lock);
	return context;
}

void context_created(bool egl, void *handle)
{
	struct context *stale = guest_active() && handle ? remove_stale(egl, handle) : NULL;
	if (stale)
		contexts_dispose(stale);
}

/* Removes and returns one context to destroy; those that are current are only marked. */
static struct context *remove_destroyed(bool egl, const void *display, const void *handle)
{
	struct context *context;
	pthread_mutex_lock(&lock);
	for (context = contexts; context; context = context->next) {
		if (context->egl != egl || (handle && context->handle != handle) ||
		    (!handle && context->display != display))
			continue;
		context->destroyed = true;
		if (!context->current)
			break;
	}
	if (context)
		unlink_context(context);
	pthread_mutex_unlock(&lock);
	return context;
}

void context_destroying(bool egl, void *display, void *handle)
{
	struct context *context;
	if (!guest_active())
		return;
	while ((context = remove_destroyed(egl, display, handle)))
		contexts_dispose(context);
}

struct context *contexts_take_idle(void)
{
	struct context *found = NULL;
	pthread_mutex_lock(&lock);
	for (struct context *context = contexts; context; context = context->next) {
		/* - 1: a followed_ns of 0 sorts last */
		if (!context->current &&
		    (!found || context->followed_ns - 1 < found->followed_ns - 1))
			found = context;
	}
	if (found)
		unlink_context(found);
	pthread_mutex_unlock(&lock);
	return found;
}
