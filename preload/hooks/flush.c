/*
 * Hooks of calls that submit work or read its results. Spans of GPU time end there, and so do
 * samples of a program that never swaps, after the driver's call, when results are available
 * soonest.
 */
#include "guest/process.h"
#include "preload/context.h"
#include "preload/real/real.h"

static void note_flush(bool before)
{
	struct guest_visit visit = guest_enter();
	context_flush(before);
	guest_leave(visit);
}

void glFlush(void)
{
	HOOK(glFlush);
	if (!real)
		return;
	note_flush(true);
	real();
	note_flush(false);
}

static bool before_finish(void)
{
	struct guest_visit visit = guest_enter();
	bool resolves = context_before_finish();
	guest_leave(visit);
	return resolves;
}

static void after_finish(void)
{
	struct guest_visit visit = guest_enter();
	context_after_finish();
	guest_leave(visit);
}

void glFinish(void)
{
	HOOK(glFinish);
	if (!real)
		return;
	note_flush(true);
	bool resolves = before_finish();
	real();
	if (resolves)
		after_finish();
	note_flush(false);
}

void *glFenceSync(GLenum condition, GLbitfield flags)
{
	HOOK(glFenceSync);
	if (!real)
		return NULL;
	note_flush(true);
	void *fence = real(condition, flags);
	note_flush(false);
	return fence;
}

GLenum glClientWaitSync(void *fence, GLbitfield flags, GLuint64 timeout)
{
	HOOK(glClientWaitSync);
	if (!real)
		return GL_WAIT_FAILED;
	note_flush(true);
	GLenum done = real(fence, flags, timeout);
	note_flush(false);
	return done;
}

static bool waits(GLbitfield access)
{
	return (access & GL_MAP_READ_BIT) != 0 && (access & GL_MAP_UNSYNCHRONIZED_BIT) == 0;
}

#define READ(name, parameters, arguments)                                                          \
	void name parameters                                                                       \
	{                                                                                          \
		HOOK(name);                                                                        \
                                                                                                   \
		if (!real)                                                                         \
			return;                                                                    \
		note_flush(true);                                                                  \
		real arguments;                                                                    \
		note_flush(false);                                                                 \
	}
#define MAP(name, parameters, arguments, reads)                                                    \
	void *name parameters                                                                      \
	{                                                                                          \
		HOOK(name);                                                                        \
		void *address;                                                                     \
                                                                                                   \
		if (!real)                                                                         \
			return NULL;                                                               \
		if (!(reads))                                                                      \
			return real arguments;                                                     \
		note_flush(true);                                                                  \
		address = real arguments;                                                          \
		note_flush(false);                                                                 \
		return address;                                                                    \
	}
#include "preload/real/reads.def"
#undef READ
#undef MAP
