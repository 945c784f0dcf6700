/*
 * Where a program that never swaps hands its work over: there its samples end. The driver's call
 * comes first, so that results are there sooner.
 */
#include "guest/process.h"
#include "preload/context.h"
#include "preload/hooks/hooks.h"

static void handed_over(void)
{
	struct guest_visit visit = guest_enter();

	context_handed_over();
	guest_leave(visit);
}

void glFlush(void)
{
	HOOK(glFlush);

	if (real == NULL)
		return;
	real();
	handed_over();
}

void glFinish(void)
{
	HOOK(glFinish);

	if (real == NULL)
		return;
	real();
	handed_over();
}

void *glFenceSync(GLenum condition, GLbitfield flags)
{
	HOOK(glFenceSync);
	void *fence = real != NULL ? real(condition, flags) : NULL;

	handed_over();
	return fence;
}

GLenum glClientWaitSync(void *fence, GLbitfield flags, GLuint64 timeout)
{
	HOOK(glClientWaitSync);
	GLenum done = real != NULL ? real(fence, flags, timeout) : GL_WAIT_FAILED;

	handed_over();
	return done;
}
