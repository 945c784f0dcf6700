/* A program may ask whether the GPU's clock was steady; that we ask, too, must not hide it. */
#include "preload/context/context.h"
#include "preload/hooks/hooks.h"

/* What the program is told when the driver answers so. */
static bool told(bool answer)
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
		if (pname == SPANS_DISJOINT && values && told(*values != 0))                       \
			*values = 1;                                                               \
	}
GET_HOOK(glGetIntegerv, GLint)
GET_HOOK(glGetInteger64v, GLint64)
GET_HOOK(glGetInteger64vEXT, GLint64)
GET_HOOK(glGetBooleanv, GLboolean)
GET_HOOK(glGetFloatv, GLfloat)
