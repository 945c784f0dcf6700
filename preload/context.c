/*
 * Contexts from creation to destruction. The list is under one mutex; a context's own data belongs
 * to the thread that it is current in, and passes between threads through that mutex.
 */
#include <pthread.h>
#include <stdlib.h>

#include "preload/context.h"
#include "guest/clock.h"
#include "guest/process.h"
#include "preload/hooks/hooks.h"

/*
 * How long the driver may still work for results: of a program that exits; of a context that is
 * destroyed, or released for the first time, which most programs do to destroy it; of one that is
 * released again.
 */
#define WAIT_AT_EXIT_NS	   UINT64_C(2000000000)
#define WAIT_AT_END_NS	   UINT64_C(250000000)
#define WAIT_AT_RELEASE_NS UINT64_C(3000000)
#define FREE_WAIT_NS	   UINT64_C(30000000)	/* that releases may wait in all, and */
#define FREE_RELEASES	   2u			/* after these */
#define TIME_SAMPLE_NS	   UINT64_C(100000000)	/* of work that no swap ends */
#define SWAPS_NO_MORE_NS   UINT64_C(1000000000) /* after this long without a swap */
#define WAIT_SHARE	   256u			/* this part of the time since */
#define TURNS_NS	   UINT64_C(2000000)	/* of a context's turns in another one's frames */

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

/* Not current anywhere, so nobody else touches it. */
static void dispose(struct context *context)
{
	if (context->started && guest_still_here())
		sampler_finish(&context->sampler);
	sampler_free(&context->sampler);
	free(context);
}

/* The thread ended with its context current: the driver releases it, and so do we. */
static void on_thread_exit(void *value)
{
	struct context *context = value;
	if (mine != context)
		return;
	mine = NULL;
	pthread_mutex_lock(&lock);
	context->current = false;
	bool dead = context->doomed;
	if (dead)
		unlink_context(context);
	pthread_mutex_unlock(&lock);
	if (dead)
		dispose(context);
}

static void make_thread_key(void)
{
	pthread_key_create(&thread_key, on_thread_exit);
}

static void set_mine(struct context *context)
{
	pthread_once(&thread_key_once, make_thread_key);
	mine = context;
	pthread_setspecific(thread_key, context);
}

static struct context *acquire(const struct binding *binding)
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
	}
	pthread_mutex_unlock(&lock);
	return context;
}

static void context_release(struct context *context)
{
	pthread_mutex_lock(&lock);
	context->current = false;
	bool dead = context->doomed;
	if (dead)
		unlink_context(context);
	pthread_mutex_unlock(&lock);
	if (dead)
		dispose(context);
}

/* A size stays known while another drawable is current: asking for it waits for the X server. */
static void remember_drawable(struct context *context, uint64_t drawable)
{
	unsigned i = 0;
	if (context->size && context->drawable == drawable)
		return;
	context->drawable = drawable;
	while (i < CONTEXT_DRAWABLES && context->drawables[i] != drawable)
		i++;
	if (i == CONTEXT_DRAWABLES) {
		i = context->drawable_count++ % CONTEXT_DRAWABLES;
		context->drawables[i] = drawable;
		size_forget(&context->sizes[i]);
	}
	context->size = &context->sizes[i];
	if (drawable == 0) /* a place that no drawable has taken */
		size_forget(context->size);
}

static void context_finish_all(void);

static void context_start(struct context *context)
{
	GLint behavior = GL_CONTEXT_RELEASE_BEHAVIOR_FLUSH;
	guest_at_exit(context_finish_all);
	context->identity.start_ns = context->swapped_ns = guest_now_ns();
	context->identity.window_system = context->egl ? WIRE_EGL : WIRE_GLX;
	context->started = api_load(&context->gl, context->egl, &context->identity);
	if (!context->started)
		return;
	context->saved_error = context->gl.GetError();
	for (int i = 0; i < 16 && context->saved_error != GL_NO_ERROR; i++) {
		if (context->gl.GetError() == GL_NO_ERROR)
			break;
	}
	if (context->drawable != 0)
		size_start(context->size, &context->gl);
	if (context->gl.has.flush_control) {
		context->gl.GetIntegerv(GL_CONTEXT_RELEASE_BEHAVIOR, &behavior);
		context->unflushed = behavior == GL_NONE;
	}
	sampler_start(&context->sampler, &context->gl, &context->identity, &context->saved_error);
}

static bool is_doomed(const struct context *context)
{
	pthread_mutex_lock(&lock);
	bool doomed = context->doomed;
	pthread_mutex_unlock(&lock);
	return doomed;
}

/*
 * Waiting at every release would slow down a program that hands its context from thread to thread:
 * after the first ones (a toolkit's, when it makes the window, and the program's own, before it
 * destroys the context) it may cost a small share of the context's life.
 */
static uint64_t release_wait_ns(struct context *context, const struct binding *next)
{
	uint64_t budget_ns =
	    FREE_WAIT_NS + (guest_now_ns() - context->identity.start_ns) / WAIT_SHARE;
	bool again = context->releases++ >= FREE_RELEASES;

	context->released_ns = guest_now_ns();
	if (is_doomed(context) || !again)
		return WAIT_AT_END_NS;
	if (next->context)
		return 0;
	return context->waited_ns < budget_ns ? WAIT_AT_RELEASE_NS : 0;
}

/*
 * A program that swaps may flush within a frame, which is one sample however long it takes. Without
 * anything to swap it never will; with a drawable it may, until it has not done so for a second.
 */
static bool ends_by_time(const struct context *context)
{
	uint64_t now_ns = guest_now_ns();
	if (context->drawable != 0 && now_ns - context->swapped_ns < SWAPS_NO_MORE_NS)
		return false;
	return now_ns - context->sampler.begin_ns >= TIME_SAMPLE_NS;
}

/*
 * Contexts that take turns in one window have frames through the one that swaps. What others do
 * would be one sample, measured for a second: where costs are bounded it is several, short ones.
 */
static bool ends_by_turns(const struct context *context)
{
	const struct sampler *sampler = &context->sampler;
	return context->overtaken && !context->swapped && sampler->per == WIRE_FRAME &&
	       sampler->pace.overhead_ppm != 0 && guest_now_ns() - sampler->begin_ns >= TURNS_NS;
}

/* The drawable's other contexts take turns with the one that swapped. */
static void overtake_others(const struct context *by)
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

void context_before_bind(const struct binding *binding)
{
	struct context *old = context_current();
	if (!old || !old->started || (old->handle == binding->context && old->egl == binding->egl))
		return;
	bool ends = (ends_by_time(old) && sampler_counts(&old->sampler)) || ends_by_turns(old);
	if (ends && !old->sampler.list_open)
		sampler_end_time(&old->sampler, size_at_end(old->size, &old->gl));
	sampler_cut(&old->sampler);
	if (old->unflushed) /* asking for results would flush */
		return;
	uint64_t before_ns = guest_now_ns();
	uint64_t wait_ns = release_wait_ns(old, binding);
	sampler_collect(&old->sampler, wait_ns);
	if (wait_ns < WAIT_AT_END_NS)
		old->waited_ns += guest_now_ns() - before_ns;
	if (is_doomed(old))
		monitor_delete(old->sampler.monitor);
}

/* Another thread may have held it when the process forked. */
static void renew_lock(void)
{
	pthread_mutex_init(&lock, NULL);
}

/*
 * A child that was forked before there was any context makes its first one. One that has its
 * parent's stays out: no driver carries those over a fork.
 */
static bool is_here(void)
{
	if (guest_still_here())
		return true;
	return guest_may_return() && !contexts && !mine && serial == 0 && guest_return(renew_lock);
}

void context_after_bind(const struct binding *binding, bool done)
{
	struct context *old = context_current(), *context = NULL;
	bool same = old && old->handle == binding->context && old->egl == binding->egl;
	if (binding->context ? !is_here() : !guest_still_here())
		return;
	if (!done) {
		if (old && old->started && !same)
			sampler_resume(&old->sampler);
		return;
	}
	if (old && !same) {
		set_mine(NULL);
		context_release(old);
	}
	if (!binding->context)
		return;
	context = same ? old : acquire(binding);
	if (!context)
		return;
	real_set_egl(binding->egl);
	remember_drawable(context, binding->drawable);
	if (same)
		return;
	set_mine(context);
	if (!context->started)
		context_start(context);
	else
		sampler_resume(&context->sampler);
}

/* The swap of a drawable that was current before, but is not now, does not end this frame. */
static bool swaps_other(const struct context *context, uint64_t drawable)
{
	for (unsigned i = 0; i < CONTEXT_DRAWABLES; i++) {
		if (drawable != context->drawable && context->drawables[i] == drawable)
			return true;
	}
	return false;
}

void context_hand_over(bool before)
{
	struct context *context = context_current();
	if (!context || !context->started || context->swapping || context->display_closed ||
	    context->sampler.list_open)
		return;
	if (!before)
		pace_drawn(&context->sampler.pace);
	if (before || !ends_by_time(context)) {
		sampler_hand_over(&context->sampler, before);
		return;
	}
	sampler_end_time(&context->sampler, size_at_end(context->size, &context->gl));
	sampler_collect(&context->sampler, 0);
	sampler_resume(&context->sampler);
}

/*
 * A context that never swaps may end with its thread, current: then nothing can be read. What was
 * finished before is, as often as that may cost.
 */
bool context_before_finish(void)
{
	struct context *context = context_current();
	if (!context || !context->started || context->swapping || context->display_closed ||
	    context->swapped || !guest_still_here() || guest_now_ns() < context->settle_ns ||
	    !sampler_may_settle(&context->sampler))
		return false;
	sampler_end_segment(&context->sampler);
	return true;
}

void context_after_finish(void)
{
	struct context *context = context_current();
	const struct wire_header *channel = guest_channel();
	if (!context || !channel)
		return;
	uint32_t permille = channel->overhead_permille;
	uint64_t begin_ns = guest_now_ns();
	sampler_settle(&context->sampler);
	uint64_t end_ns = guest_now_ns();
	context->settle_ns = permille ? end_ns + (end_ns - begin_ns) * 1000 / permille : 0;
}

/* The context that drew into it last, if it is current nowhere. Under the lock. */
static struct context *idle_of(uint64_t drawable, bool egl)
{
	struct context *found = NULL;
	for (struct context *context = contexts; context; context = context->next) {
		if (context->drawable != drawable || context->egl != egl)
			continue;
		if (context->current || !context->started || context->doomed)
			return NULL;
		if (!found || context->released_ns > found->released_ns)
			found = context;
	}
	return found;
}

/*
 * A window may be swapped without its context, whose queries ended with its release: its frame ends
 * all the same.
 */
static void swap_idle(uint64_t drawable, bool egl)
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

void context_before_swap(uint64_t drawable)
{
	struct context *context = context_current();
	if (!context || !context->started || !guest_still_here() || swaps_other(context, drawable))
		return;
	sampler_end_frame(&context->sampler, true, size_at_end(context->size, &context->gl));
	context->swapping = true;
}

void context_after_swap(bool egl, uint64_t drawable, bool done)
{
	struct context *context = context_current();
	if (!context && done && drawable != 0 && guest_still_here())
		swap_idle(drawable, egl);
	if (!context || !context->swapping)
		return;
	context->swapping = false;
	if (done)
		size_after_swap(
		    context->size,
		    &(struct size_drawable){context->egl, context->display, context->drawable});
	context->swapped_ns = guest_now_ns();
	context->swapped = true;
	if (done)
		overtake_others(context);
	sampler_start_clock(&context->sampler);
	sampler_collect(&context->sampler, 0);
	sampler_resume(&context->sampler);
}

static struct context *take_stale(bool egl, const void *handle)
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
	struct context *stale = guest_active() && handle ? take_stale(egl, handle) : NULL;
	if (stale)
		dispose(stale);
}

/* One context to destroy now, out of the list; those still current are marked instead. */
static struct context *take_doomed(bool egl, const void *display, const void *handle)
{
	struct context *context;
	pthread_mutex_lock(&lock);
	for (context = contexts; context; context = context->next) {
		if (context->egl != egl || (handle && context->handle != handle) ||
		    (!handle && context->display != display))
			continue;
		context->doomed = true;
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
	while ((context = take_doomed(egl, display, handle)))
		dispose(context);
}

void context_display_closing(void *display)
{
	struct context *context = context_current();
	if (!context || !context->started || context->display_closed ||
	    (!context->egl && context->display != display))
		return;
	sampler_cut(&context->sampler);
	sampler_collect(&context->sampler, WAIT_AT_END_NS);
	if (context->egl)
		sampler_resume(&context->sampler); /* it may hang on another display */
	context->display_closed = true;
}

static void finish_current(void)
{
	struct context *context = context_current();
	if (!context || !context->started)
		return;
	if (!context->display_closed) {
		sampler_cut(&context->sampler);
		sampler_collect(&context->sampler, WAIT_AT_EXIT_NS);
		monitor_delete(context->sampler.monitor);
	}
	sampler_finish(&context->sampler);
	context->started = false;
}

/* It may go on, should there be no such program: nothing ends for good. */
void context_before_exec(void)
{
	struct context *context = context_current();
	if (!context || !context->started || context->swapping || context->display_closed ||
	    context->sampler.list_open)
		return;
	sampler_end_time(&context->sampler, size_at_end(context->size, &context->gl));
	sampler_collect(&context->sampler, WAIT_AT_EXIT_NS);
}

void context_after_exec(void)
{
	struct context *context = context_current();
	if (context && context->started && !context->swapping)
		sampler_resume(&context->sampler);
}

/* One that is current in no thread, out of the list. */
static struct context *take_idle(void)
{
	struct context *context;
	pthread_mutex_lock(&lock);
	for (context = contexts; context && context->current; context = context->next)
		;
	if (context)
		unlink_context(context);
	pthread_mutex_unlock(&lock);
	return context;
}

/*
 * At exit: the calling thread's context hands over what it has, and so do those that are current in
 * no thread.
 */
static void context_finish_all(void)
{
	struct context *context;
	finish_current();
	while ((context = take_idle()))
		dispose(context);
}
