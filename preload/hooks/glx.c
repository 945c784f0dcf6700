/* Hooks of GLX: make-current, swaps, contexts, displays. */
#include "preload/context.h"
#include "guest/process.h"
#include "preload/real/real.h"

static struct guest_visit glx_before_bind(struct binding *binding, void *display, hook_xid drawable,
					  void *context)
{
	struct guest_visit visit = guest_enter();
	*binding = (struct binding){false, display, context, drawable};
	context_before_bind(binding);
	guest_restore_errno(&visit);
	return visit;
}

static void glx_after_bind(struct guest_visit visit, const struct binding *binding, int done)
{
	guest_keep_errno(&visit);
	context_after_bind(binding, done != 0);
	guest_leave(visit);
}

int glXMakeCurrent(void *display, hook_xid drawable, void *context)
{
	HOOK(glXMakeCurrent);
	struct binding binding;
	if (!real)
		return 0;
	struct guest_visit visit = glx_before_bind(&binding, display, drawable, context);
	int done = real(display, drawable, context);
	glx_after_bind(visit, &binding, done);
	return done;
}

typedef int glx_bind_two(void *display, hook_xid draw, hook_xid read, void *context);

static int bind_two(glx_bind_two *real, void *display, hook_xid draw, hook_xid read, void *context)
{
	struct binding binding;
	if (!real)
		return 0;
	struct guest_visit visit = glx_before_bind(&binding, display, draw, context);
	int done = real(display, draw, read, context);
	glx_after_bind(visit, &binding, done);
	return done;
}

int glXMakeContextCurrent(void *display, hook_xid draw, hook_xid read, void *context)
{
	HOOK(glXMakeContextCurrent);
	return bind_two(real, display, draw, read, context);
}

int glXMakeCurrentReadSGI(void *display, hook_xid draw, hook_xid read, void *context)
{
	HOOK(glXMakeCurrentReadSGI);
	return bind_two(real, display, draw, read, context);
}

static struct guest_visit glx_before_swap(hook_xid drawable)
{
	struct guest_visit visit = guest_enter();
	context_before_swap(drawable);
	guest_restore_errno(&visit);
	return visit;
}

static void glx_after_swap(struct guest_visit visit, hook_xid drawable)
{
	guest_keep_errno(&visit);
	context_after_swap(false, drawable, true);
	guest_leave(visit);
}

void glXSwapBuffers(void *display, hook_xid drawable)
{
	HOOK(glXSwapBuffers);
	if (!real)
		return;
	struct guest_visit visit = glx_before_swap(drawable);
	real(display, drawable);
	glx_after_swap(visit, drawable);
}

int64_t glXSwapBuffersMscOML(void *display, hook_xid drawable, int64_t target, int64_t divisor,
			     int64_t remainder)
{
	HOOK(glXSwapBuffersMscOML);
	if (!real)
		return -1;
	struct guest_visit visit = glx_before_swap(drawable);
	int64_t count = real(display, drawable, target, divisor, remainder);
	glx_after_swap(visit, drawable);
	return count;
}

static void *created(void *context)
{
	struct guest_visit visit = guest_enter();
	context_created(false, context);
	guest_leave(visit);
	return context;
}

void *glXCreateContext(void *display, void *visual, void *share, int direct)
{
	HOOK(glXCreateContext);
	return real ? created(real(display, visual, share, direct)) : NULL;
}

void *glXCreateNewContext(void *display, void *config, int type, void *share, int direct)
{
	HOOK(glXCreateNewContext);
	return real ? created(real(display, config, type, share, direct)) : NULL;
}

void *glXCreateContextAttribsARB(void *display, void *config, void *share, int direct,
				 const int *attributes)
{
	HOOK(glXCreateContextAttribsARB);
	return real ? created(real(display, config, share, direct, attributes)) : NULL;
}

void glXDestroyContext(void *display, void *context)
{
	HOOK(glXDestroyContext);
	struct guest_visit visit = guest_enter();
	if (context) /* with NULL, context_destroying() would destroy all of a display */
		context_destroying(false, display, context);
	guest_leave(visit);
	if (real)
		real(display, context);
}

int XCloseDisplay(void *display)
{
	HOOK(XCloseDisplay);
	struct guest_visit visit = guest_enter();
	context_display_closing(display);
	guest_leave(visit);
	return real ? real(display) : 0;
}
