/* Hooks of the program's queries, which hide ours. */
#include "preload/context.h"
#include "guest/process.h"
#include "preload/real/real.h"

static GLuint begins(GLenum target, GLuint index, GLuint id)
{
	struct sampler *sampler = context_sampler();
	return sampler ? sampler_program_begins(sampler, target, index, id) : id;
}

static void ends(GLenum target, GLuint index)
{
	struct sampler *sampler = context_sampler();
	if (sampler)
		sampler_program_ends(sampler, target, index);
}

#define BEGIN_HOOK(name)                                                                           \
	void name(GLenum target, GLuint id)                                                        \
	{                                                                                          \
		HOOK(name);                                                                        \
                                                                                                   \
		id = begins(target, 0, id);                                                        \
		if (real)                                                                          \
			real(target, id);                                                          \
	}
BEGIN_HOOK(glBeginQuery)
BEGIN_HOOK(glBeginQueryARB)
BEGIN_HOOK(glBeginQueryEXT)

#define END_HOOK(name)                                                                             \
	void name(GLenum target)                                                                   \
	{                                                                                          \
		HOOK(name);                                                                        \
                                                                                                   \
		ends(target, 0);                                                                   \
		if (real)                                                                          \
			real(target);                                                              \
	}
END_HOOK(glEndQuery)
END_HOOK(glEndQueryARB)
END_HOOK(glEndQueryEXT)

void glBeginQueryIndexed(GLenum target, GLuint index, GLuint id)
{
	HOOK(glBeginQueryIndexed);
	id = begins(target, index, id);
	if (real)
		real(target, index, id);
}

void glEndQueryIndexed(GLenum target, GLuint index)
{
	HOOK(glEndQueryIndexed);
	ends(target, index);
	if (real)
		real(target, index);
}

/* Reports 0 instead of an active query of ours. */
static void hide_ours(GLenum pname, GLint *params)
{
	const struct sampler *sampler = context_sampler();
	if (pname == GL_CURRENT_QUERY && params && sampler &&
	    sampler_owns(sampler, (GLuint)*params))
		*params = 0;
}

#define GET_HOOK(name)                                                                             \
	void name(GLenum target, GLenum pname, GLint *params)                                      \
	{                                                                                          \
		HOOK(name);                                                                        \
                                                                                                   \
		if (real) {                                                                        \
			real(target, pname, params);                                               \
			hide_ours(pname, params);                                                  \
		}                                                                                  \
	}
GET_HOOK(glGetQueryiv)
GET_HOOK(glGetQueryivARB)
GET_HOOK(glGetQueryivEXT)

void glGetQueryIndexediv(GLenum target, GLuint index, GLenum pname, GLint *params)
{
	HOOK(glGetQueryIndexediv);
	if (real) {
		real(target, index, pname, params);
		hide_ours(pname, params);
	}
}

#define IS_HOOK(name)                                                                              \
	GLboolean name(GLuint id)                                                                  \
	{                                                                                          \
		HOOK(name);                                                                        \
		const struct sampler *sampler = context_sampler();                                 \
                                                                                                   \
		if (!real || (sampler && sampler_owns(sampler, id)))                               \
			return GL_FALSE;                                                           \
		return real(id);                                                                   \
	}
IS_HOOK(glIsQuery)
IS_HOOK(glIsQueryARB)
IS_HOOK(glIsQueryEXT)

/* glDeleteQueries() ignores unknown names; so it must ignore ours. */
static void delete_theirs(void (*real)(GLsizei, const GLuint *), GLsizei count, const GLuint *ids)
{
	const struct sampler *sampler = context_sampler();
	GLsizei from = 0;
	if (!sampler || count <= 0 || !ids) {
		real(count, ids);
		return;
	}
	for (GLsizei i = 0; i < count; i++) {
		if (!sampler_owns(sampler, ids[i]))
			continue;
		if (i > from)
			real(i - from, ids + from);
		from = i + 1;
	}
	if (count > from)
		real(count - from, ids + from);
}

#define DELETE_HOOK(name)                                                                          \
	void name(GLsizei count, const GLuint *ids)                                                \
	{                                                                                          \
		HOOK(name);                                                                        \
                                                                                                   \
		if (real)                                                                          \
			delete_theirs(real, count, ids);                                           \
	}
DELETE_HOOK(glDeleteQueries)
DELETE_HOOK(glDeleteQueriesARB)
DELETE_HOOK(glDeleteQueriesEXT)

/* An error that was pending when the context was first measured is reported first. */
GLenum glGetError(void)
{
	HOOK(glGetError);
	struct context *context = context_current();
	if (context && context->saved_error != GL_NO_ERROR) {
		GLenum error = context->saved_error;
		context->saved_error = GL_NO_ERROR;
		return error;
	}
	return real ? real() : GL_NO_ERROR;
}
