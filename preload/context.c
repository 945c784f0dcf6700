/*
 * Hooks of make-current, swap and release. A context's data belongs to the thread that has it
 * current; the mutex of the list orders accesses of different threads.
 */
#include "preload/context.h"
#include "guest/clock.h"
#include "guest/process.h"
#include "preload/real/real.h"

/*
 * How long to wait for results: at exit; when a context is destroyed or released for the first
 * time, after which most programs destroy it; and at later releases.
 */
#define WAIT_AT_EXIT_NS	   UINT64_C(2000000000)
#define WAIT_AT_END_NS	   UINT64_C(250000000)
#define WAIT_AT_RELEASE_NS UINT64_C(3000000)
/* All releases but the first FREE_RELEASES wait so long in total, and a share of the context's
 * life. */
#define FREE_RELEASES 2u
#define FREE_WAIT_NS  UINT64_C(30000000)
#define WAIT_SHARE    256u /* divides the life */
/* Length of samples without swaps, */
#define TIME_SAMPLE_NS UINT64_C(100000000)
/* for a context with a drawable that has not swapped for so long. */
#define SWAPS_NO_MORE_NS UINT64_C(1000000000)
/* Length of samples of a context that another one's swaps overtake. */
#define TURNS_NS UINT64_C(2000000)

/* Keeps the sizes of earlier drawables, because a query waits for the X server. */
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
	if (drawable == 0) /* a free entry */
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

/*
 * Waiting at every release would slow down a program that passes its context between threads. The
 * first releases (a toolkit's, when it creates the window, and the program's, before it destroys
 * the context) may wait; later ones only a small share of the context's life.
 */
static uint64_t release_wait_ns(struct context *context, const struct binding *next)
{
	uint64_t budget_ns =
	    FREE_WAIT_NS + (guest_now_ns() - context->identity.start_ns) / WAIT_SHARE;
	bool again = context->releases++ >= FREE_RELEASES;

	context->released_ns = guest_now_ns();
	if (contexts_is_destroyed(context) || !again)
		return WAIT_AT_END_NS;
	if (next->context)
		return 0;
	return context->waited_ns < budget_ns ? WAIT_AT_RELEASE_NS : 0;
}

/*
 * Whether samples end after a time. A frame is one sample, even if the program flushes in it. A
 * context without a drawable never swaps; with one it may, unless it has not for a second.
 */
static bool ends_by_time(const struct context *context)
{
	uint64_t now_ns = guest_now_ns();
	if (context->drawable != 0 && now_ns - context->swapped_ns < SWAPS_NO_MORE_NS)
		return false;
	return now_ns - context->sampler.begin_ns >= TIME_SAMPLE_NS;
}

/*
 * Of several contexts that draw to one window, only one swaps. The work of the others would be
 * samples of a second each; with an overhead limit they are short, so that fewer are measured.
 */
static bool ends_by_turns(const struct context *context)
{
	const struct sampler *sampler = &context->sampler;
	return context->overtaken && !context->swapped && sampler->per == WIRE_FRAME &&
	       sampler->pace.overhead_ppm != 0 && guest_now_ns() - sampler->begin_ns >= TURNS_NS;
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
	if (old->unflushed) /* reading results would flush */
		return;
	uint64_t before_ns = guest_now_ns();
	uint64_t wait_ns = release_wait_ns(old, binding);
	sampler_collect(&old->sampler, wait_ns);
	if (wait_ns < WAIT_AT_END_NS)
		old->waited_ns += guest_now_ns() - before_ns;
	if (contexts_is_destroyed(old))
		monitor_delete(old->sampler.monitor);
}

void context_after_bind(const struct binding *binding, bool done)
{
	struct context *old = context_current(), *context = NULL;
	bool same = old && old->handle == binding->context && old->egl == binding->egl;
	if (binding->context ? !contexts_may_begin() : !guest_check_active())
		return;
	if (!done) {
		if (old && old->started && !same)
			sampler_resume(&old->sampler);
		return;
	}
	if (old && !same) {
		contexts_set_mine(NULL);
		contexts_release(old);
	}
	if (!binding->context)
		return;
	context = same ? old : contexts_acquire(binding);
	if (!context)
		return;
	real_set_egl(binding->egl);
	remember_drawable(context, binding->drawable);
	if (same)
		return;
	contexts_set_mine(context);
	if (!context->started)
		context_start(context);
	else
		sampler_resume(&context->sampler);
}

/* Whether the drawable is an earlier one of the context: its swap does not end this frame. */
static bool swaps_other(const struct context *context, uint64_t drawable)
{
	for (unsigned i = 0; i < CONTEXT_DRAWABLES; i++) {
		if (drawable != context->drawable && context->drawables[i] == drawable)
			return true;
	}
	return false;
}

void context_flush(bool before)
{
	struct context *context = context_current();
	if (!context || !context->started || context->swapping || context->display_closed ||
	    context->sampler.list_open)
		return;
	if (!before)
		pace_drawn(&context->sampler.pace);
	if (before || !ends_by_time(context)) {
		sampler_flush(&context->sampler, before);
		return;
	}
	sampler_end_time(&context->sampler, size_at_end(context->size, &context->gl));
	sampler_collect(&context->sampler, 0);
	sampler_resume(&context->sampler);
}

/*
 * The thread of a context that never swaps may end while it is current, after which no results can
 * be read. So they are read after glFinish(), as often as the overhead limit allows.
 */
bool context_before_finish(void)
{
	struct context *context = context_current();
	if (!context || !context->started || context->swapping || context->display_closed ||
	    context->swapped || !guest_check_active() || guest_now_ns() < context->resolve_ns ||
	    !sampler_may_resolve(&context->sampler))
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
	sampler_resolve(&context->sampler);
	uint64_t end_ns = guest_now_ns();
	context->resolve_ns = permille ? end_ns + (end_ns - begin_ns) * 1000 / permille : 0;
}

void context_before_swap(uint64_t drawable)
{
	struct context *context = context_current();
	if (!context || !context->started || !guest_check_active() ||
	    swaps_other(context, drawable))
		return;
	sampler_end_frame(&context->sampler, true, size_at_end(context->size, &context->gl));
	context->swapping = true;
}

void context_after_swap(bool egl, uint64_t drawable, bool done)
{
	struct context *context = context_current();
	if (!context && done && drawable != 0 && guest_check_active())
		contexts_swap_idle(drawable, egl);
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
		contexts_overtake(context);
	sampler_start_clock(&context->sampler);
	sampler_collect(&context->sampler, 0);
	sampler_resume(&context->sampler);
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
		sampler_resume(
		    &context->sampler); /* an EGL context may belong to another display */
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
	sampler_finish(&context->sampler, 0);
	context->started = false;
}

/* execve() may fail, so the context can continue after this. */
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

/*
 * At exit: writes the last samples of contexts that are current in no thread, in the order in which
 * they ended their work, then those of the calling thread's context.
 */
static void context_finish_all(void)
{
	struct context *context;
	while ((context = contexts_take_idle()))
		contexts_dispose(context);
	finish_current();
}
