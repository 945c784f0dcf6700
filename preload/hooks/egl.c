/* Hooks of EGL: make-current, swaps, contexts, displays. */
#include "preload/context.h"
#include "guest/process.h"
#include "preload/real/real.h"

static struct guest_visit egl_before_bind(const struct binding *binding)
{
	struct guest_visit visit = guest_enter();
	context_before_bind(binding);
	guest_restore_errno(&visit);
	return visit;
}

static void egl_after_bind(struct guest_visit visit, const struct binding *binding, unsigned done)
{
	guest_keep_errno(&visit);
	context_after_bind(binding, done != 0);
	guest_leave(visit);
}

unsigned eglMakeCurrent(void *display, void *draw, void *read, void *context)
{
	HOOK(eglMakeCurrent);
	struct binding binding = {true, display, context, (uintptr_t)draw};
	if (!real)
		return 0;
	struct guest_visit visit = egl_before_bind(&binding);
	unsigned done = real(display, draw, read, context);
	egl_after_bind(visit, &binding, done);
	return done;
}

unsigned eglReleaseThread(void)
{
	HOOK(eglReleaseThread);
	const struct context *context = context_current();
	const struct binding binding = {.egl = true};
	if (!real)
		return 0;
	if (!context || !context->egl)
		return real();
	struct guest_visit visit = egl_before_bind(&binding);
	unsigned done = real();
	egl_after_bind(visit, &binding, done);
	return done;
}

static struct guest_visit egl_before_swap(const void *surface)
{
	struct guest_visit visit = guest_enter();
	context_before_swap((uintptr_t)surface);
	guest_restore_errno(&visit);
	return visit;
}

static void egl_after_swap(struct guest_visit visit, const void *surface, unsigned done)
{
	guest_keep_errno(&visit);
	context_after_swap(true, (uintptr_t)surface, done != 0);
	guest_leave(visit);
}

unsigned eglSwapBuffers(void *display, void *surface)
{
	HOOK(eglSwapBuffers);
	if (!real)
		return 0;
	struct guest_visit visit = egl_before_swap(surface);
	unsigned done = real(display, surface);
	egl_after_swap(visit, surface, done);
	return done;
}

unsigned eglSwapBuffersWithDamageKHR(void *display, void *surface, const int *rects, int count)
{
	HOOK(eglSwapBuffersWithDamageKHR);
	if (!real)
		return 0;
	struct guest_visit visit = egl_before_swap(surface);
	unsigned done = real(display, surface, rects, count);
	egl_after_swap(visit, surface, done);
	return done;
}

unsigned eglSwapBuffersWithDamageEXT(void *display, void *surface, const int *rects, int count)
{
	HOOK(eglSwapBuffersWithDamageEXT);
	if (!real)
		return 0;
	struct guest_visit visit = egl_before_swap(surface);
	unsigned done = real(display, surface, rects, count);
	egl_after_swap(visit, surface, done);
	return done;
}

void *eglCreateContext(void *display, void *config, void *share, const int *attributes)
{
	HOOK(eglCreateContext);
	void *context = real ? real(display, config, share, attributes) : NULL;
	struct guest_visit visit = guest_enter();
	context_created(true, context);
	guest_leave(visit);
	return context;
}

unsigned eglDestroyContext(void *display, void *context)
{
	HOOK(eglDestroyContext);
	struct guest_visit visit = guest_enter();
	if (context)
		context_destroying(true, display, context);
	guest_leave(visit);
	return real ? real(display, context) : 0;
}

unsigned eglTerminate(void *display)
{
	HOOK(eglTerminate);
	struct guest_visit visit = guest_enter();
	context_destroying(true, display, NULL);
	guest_leave(visit);
	return real ? real(display) : 0;
}
