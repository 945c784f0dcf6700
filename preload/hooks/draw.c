/* Draws and dispatches: with --per draw each is a sample of its own. */
#include "preload/context.h"
#include "preload/hooks/hooks.h"

/* Counts a draw. The sampler whose sample of one draw begins now, or NULL. */
static struct sampler *before(const char *name)
{
	struct context *context = context_current();

	if (!context || !context->started)
		return NULL;
	sampler_count_draw(&context->sampler);
	if (!sampler_begin_draw(&context->sampler, name))
		return NULL;
	return &context->sampler;
}

#define DRAW(name, parameters, arguments)                                                          \
	void name parameters                                                                       \
	{                                                                                          \
		HOOK(name);                                                                        \
		struct sampler *sampler;                                                           \
                                                                                                   \
		if (!real)                                                                         \
			return;                                                                    \
		sampler = before(#name);                                                           \
		real arguments;                                                                    \
		if (sampler)                                                                       \
			sampler_end_draw(sampler);                                                 \
	}
#include "preload/hooks/draws.def"
#undef DRAW

/* Between these no query may begin or end. */
void glBegin(GLenum mode)
{
	HOOK(glBegin);

	if (!real)
		return;
	before("glBegin");
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
