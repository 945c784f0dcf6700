/* The device behind the current OpenGL context. */
#ifndef GPA_GL_DEVICE_H
#define GPA_GL_DEVICE_H

#include "gpa/gl/amdgpu.h"
#include "gpa/gl/api.h"

/* Fills what is known of it; nothing of a driver that does not tell. Leaves no error behind. */
void gl_device_find(const struct gl_api *gl, struct amdgpu_device *out);

#endif
