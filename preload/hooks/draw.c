/* Hooks of draws and dispatches; with --per draw each is a sample. */
#include "preload/context.h"
#include "preload/real/real.h"

/* Also records what the program reads of GL_GPU_DISJOINT_EXT. */
static bool reported(bool answer)
{
	struct context *context = context_current();
	if (!context || !context->started || !context->gl.has.disjoint)
		return answer;
	return spans_clock_asked(&context->sampler, answer);
}

#define GET_HOOK(name, type)                                                                       \
	void name(GLenum pname, type *values)                                                      \
	{                                                                                          \
		HOOK(name);                                                                        \
                                                                                                   \
		if (!real)                                                                         \
			return;                                                                    \
		real(pname, values);                                                               \
		if (pname == SPANS_DISJOINT && values && reported(*values != 0))                   \
			*values = 1;                                                               \
	}
GET_HOOK(glGetIntegerv, GLint)
GET_HOOK(glGetInteger64v, GLint64)
GET_HOOK(glGetInteger64vEXT, GLint64)
GET_HOOK(glGetBooleanv, GLboolean)
GET_HOOK(glGetFloatv, GLfloat)

/* Counts a draw or dispatch. Returns the sampler if a sample of it begins, or NULL. */
static struct sampler *before(const char *name, bool computes)
{
	struct context *context = context_current();
	if (!context || !context->started)
		return NULL;
	sampler_count_draw(&context->sampler, computes);
	if (!sampler_begin_draw(&context->sampler, name))
		return NULL;
	return &context->sampler;
}

#define CALL(name, parameters, arguments, computes)                                                \
	void name parameters                                                                       \
	{                                                                                          \
		HOOK(name);                                                                        \
		struct sampler *sampler;                                                           \
                                                                                                   \
		if (!real)                                                                         \
			return;                                                                    \
		sampler = before(#name, computes);                                                 \
		real arguments;                                                                    \
		if (sampler)                                                                       \
			sampler_end_draw(sampler);                                                 \
	}
#define DRAW(name, parameters, arguments)     CALL(name, parameters, arguments, false)
#define DISPATCH(name, parameters, arguments) CALL(name, parameters, arguments, true)
#include "preload/real/draws.def"
#undef DRAW

/* No query may begin or end between glBegin() and glEnd(). */
void glBegin(GLenum mode)
{
	HOOK(glBegin);
	if (!real)
		return;
	before("glBegin", false);
	real(mode);
}

void glEnd(void)
{
	HOOK(glEnd);
	struct context *context = context_current();
	if (!real)
		return;
	real();
	if (context && context->started)
		sampler_end_draw(&context->sampler);
}
