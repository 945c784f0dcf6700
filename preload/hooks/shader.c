/*
 * Hooks that create shaders. Queries of rarely used kinds of shader begin when the first one of the
 * kind is created. A binary may contain any kind.
 */
#include "preload/context.h"
#include "guest/process.h"
#include "preload/real/real.h"

/* Assembly programs of NV_gpu_program4 and 5; glcorearb.h does not define them. */
#define GEOMETRY_PROGRAM_NV	   0x8c26
#define TESS_CONTROL_PROGRAM_NV	   0x891e
#define TESS_EVALUATION_PROGRAM_NV 0x891f
#define COMPUTE_PROGRAM_NV	   0x90fb

static unsigned parts_of(GLenum type)
{
	switch (type) {
	case GL_GEOMETRY_SHADER:
	case GEOMETRY_PROGRAM_NV:
		return PART_GEOMETRY;
	case GL_TESS_CONTROL_SHADER:
	case GL_TESS_EVALUATION_SHADER:
	case TESS_CONTROL_PROGRAM_NV:
	case TESS_EVALUATION_PROGRAM_NV:
		return PART_TESSELLATION;
	case GL_COMPUTE_SHADER:
	case COMPUTE_PROGRAM_NV:
		return PART_COMPUTE;
	default:
		return 0;
	}
}

static void shader_use_parts(unsigned parts)
{
	struct context *context = context_current();
	if (parts != 0 && guest_active())
		sampler_use_parts(context && context->started ? &context->sampler : NULL, parts);
}

GLuint glCreateShader(GLenum type)
{
	HOOK(glCreateShader);
	shader_use_parts(parts_of(type));
	return real ? real(type) : 0;
}

void *glCreateShaderObjectARB(GLenum type)
{
	HOOK(glCreateShaderObjectARB);
	shader_use_parts(parts_of(type));
	return real ? real(type) : NULL;
}

GLuint glCreateShaderProgramv(GLenum type, GLsizei count, const GLchar *const *strings)
{
	HOOK(glCreateShaderProgramv);
	shader_use_parts(parts_of(type));
	return real ? real(type, count, strings) : 0;
}

GLuint glCreateShaderProgramvEXT(GLenum type, GLsizei count, const GLchar *const *strings)
{
	HOOK(glCreateShaderProgramvEXT);
	shader_use_parts(parts_of(type));
	return real ? real(type, count, strings) : 0;
}

GLuint glCreateShaderProgramEXT(GLenum type, const GLchar *string)
{
	HOOK(glCreateShaderProgramEXT);
	shader_use_parts(parts_of(type));
	return real ? real(type, string) : 0;
}

void glProgramBinary(GLuint program, GLenum format, const void *binary, GLsizei length)
{
	HOOK(glProgramBinary);
	shader_use_parts(PART_SHADERS);
	if (real)
		real(program, format, binary, length);
}

void glProgramBinaryOES(GLuint program, GLenum format, const void *binary, GLint length)
{
	HOOK(glProgramBinaryOES);
	shader_use_parts(PART_SHADERS);
	if (real)
		real(program, format, binary, length);
}

void glProgramStringARB(GLenum target, GLenum format, GLsizei length, const void *string)
{
	HOOK(glProgramStringARB);
	shader_use_parts(parts_of(target));
	if (real)
		real(target, format, length, string);
}

void glNamedProgramStringEXT(GLuint program, GLenum target, GLenum format, GLsizei length,
			     const void *string)
{
	HOOK(glNamedProgramStringEXT);
	shader_use_parts(parts_of(target));
	if (real)
		real(program, target, format, length, string);
}
