/* Hooks of transform feedback, display lists and debug groups. */
#include "preload/context.h"
#include "guest/process.h"
#include "preload/real/real.h"

static void state_use_parts(unsigned parts)
{
	if (parts != 0 && guest_active())
		sampler_use_parts(context_sampler(), parts);
}

static void feedback(bool before)
{
	struct sampler *sampler = context_sampler();
	if (sampler)
		sampler_feedback(sampler, before);
}

#define FEEDBACK_BEGIN_HOOK(name)                                                                  \
	void name(GLenum mode)                                                                     \
	{                                                                                          \
		HOOK(name);                                                                        \
                                                                                                   \
		if (!real)                                                                         \
			return;                                                                    \
		state_use_parts(PART_FEEDBACK);                                                    \
		real(mode);                                                                        \
		feedback(false);                                                                   \
	}
FEEDBACK_BEGIN_HOOK(glBeginTransformFeedback)
FEEDBACK_BEGIN_HOOK(glBeginTransformFeedbackEXT)
FEEDBACK_BEGIN_HOOK(glBeginTransformFeedbackNV)

/* Our queries end before feedback does. */
#define FEEDBACK_HOOK(name)                                                                        \
	void name(void)                                                                            \
	{                                                                                          \
		HOOK(name);                                                                        \
                                                                                                   \
		if (!real)                                                                         \
			return;                                                                    \
		feedback(true);                                                                    \
		real();                                                                            \
		feedback(false);                                                                   \
	}
FEEDBACK_HOOK(glEndTransformFeedback)
FEEDBACK_HOOK(glEndTransformFeedbackEXT)
FEEDBACK_HOOK(glEndTransformFeedbackNV)
FEEDBACK_HOOK(glPauseTransformFeedback)
FEEDBACK_HOOK(glPauseTransformFeedbackNV)
FEEDBACK_HOOK(glResumeTransformFeedback)
FEEDBACK_HOOK(glResumeTransformFeedbackNV)

/* The call may have failed, so the driver is asked whether a list is open. */
static void list(void)
{
	struct sampler *sampler = context_sampler();
	GLint mode = 0;
	if (!sampler || !sampler->gl->has.lists)
		return;
	sampler->gl->GetIntegerv(LISTS_MODE, &mode);
	sampler_list(sampler, (GLenum)mode);
}

void glNewList(GLuint name, GLenum mode)
{
	HOOK(glNewList);
	if (!real)
		return;
	real(name, mode);
	list();
}

void glEndList(void)
{
	HOOK(glEndList);
	if (!real)
		return;
	real();
	list();
}

/* How many groups are open; 0 if the driver does not report it. */
static GLint groups_open(void)
{
	const struct sampler *sampler = context_sampler();
	GLint depth = 0;
	if (sampler && sampler->gl->has.debug)
		sampler->gl->GetIntegerv(GL_DEBUG_GROUP_STACK_DEPTH, &depth);
	return depth;
}

static void push_group(GLsizei length, const GLchar *label)
{
	struct sampler *sampler = context_sampler();
	if (sampler)
		sampler_push_group(sampler, length, label);
}

static void pop_group(void)
{
	struct sampler *sampler = context_sampler();
	if (sampler)
		sampler_pop_group(sampler);
}

/* A group that the driver refuses is not counted. */
#define PUSH_HOOK(name)                                                                            \
	void name(GLenum source, GLuint id, GLsizei length, const GLchar *message)                 \
	{                                                                                          \
		HOOK(name);                                                                        \
		GLint depth = groups_open();                                                       \
                                                                                                   \
		if (!real)                                                                         \
			return;                                                                    \
		real(source, id, length, message);                                                 \
		if (depth == 0 || groups_open() != depth)                                          \
			push_group(length, message);                                               \
	}
PUSH_HOOK(glPushDebugGroup)
PUSH_HOOK(glPushDebugGroupKHR)

void glPushGroupMarkerEXT(GLsizei length, const GLchar *marker)
{
	HOOK(glPushGroupMarkerEXT);
	if (!real)
		return;
	push_group(length > 0 ? length : -1, marker); /* 0: NUL-terminated (EXT_debug_marker) */
	real(length, marker);
}

#define POP_HOOK(name)                                                                             \
	void name(void)                                                                            \
	{                                                                                          \
		HOOK(name);                                                                        \
                                                                                                   \
		if (!real)                                                                         \
			return;                                                                    \
		pop_group();                                                                       \
		real();                                                                            \
	}
POP_HOOK(glPopDebugGroup)
POP_HOOK(glPopDebugGroupKHR)
POP_HOOK(glPopGroupMarkerEXT)
