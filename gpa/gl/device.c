/* Which device draws for the current context, as far as the window system tells. */
#include "gpa/gl/device.h"

#include <stdio.h>
#include <string.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>

#define GLX_RENDERER_DEVICE_ID_MESA 0x8184

/* EGL knows the file of the device's node. */
static void ask_egl(const struct gl_api *gl, struct amdgpu_device *out)
{
	EGLDisplay (*display)(void);
	EGLBoolean (*attribute)(EGLDisplay, EGLint, EGLAttrib *);
	const char *(*string)(EGLDeviceEXT, EGLint);
	EGLAttrib device = 0;
	const char *node = NULL;
	GL_API_STORE(display, gl->get_proc("eglGetCurrentDisplay"));
	GL_API_STORE(attribute, gl->get_proc("eglQueryDisplayAttribEXT"));
	GL_API_STORE(string, gl->get_proc("eglQueryDeviceStringEXT"));
	if (!display || !attribute || !string || !attribute(display(), EGL_DEVICE_EXT, &device) ||
	    !device)
		return;
	EGLDeviceEXT handle = (EGLDeviceEXT)device;
	const char *extensions = string(handle, EGL_EXTENSIONS);
	if (!extensions)
		return;
	if (strstr(extensions, "EGL_EXT_device_drm_render_node"))
		node = string(handle, EGL_DRM_RENDER_NODE_FILE_EXT);
	if (!node && strstr(extensions, "EGL_EXT_device_drm"))
		node = string(handle, EGL_DRM_DEVICE_FILE_EXT);
	if (node && strlen(node) < sizeof(out->node))
		snprintf(out->node, sizeof(out->node), "%s", node);
}

/* GLX knows the PCI id alone. */
static void ask_glx(const struct gl_api *gl, struct amdgpu_device *out)
{
	int (*query)(int attribute, unsigned *value);
	unsigned id = 0;
	GL_API_STORE(query, gl->get_proc("glXQueryCurrentRendererIntegerMESA"));
	if (query && query(GLX_RENDERER_DEVICE_ID_MESA, &id) && id != UINT32_MAX)
		out->pci_id = id;
}

void gl_device_find(const struct gl_api *gl, struct amdgpu_device *out)
{
	*out = (struct amdgpu_device){0};
	if (gl->egl)
		ask_egl(gl, out);
	else
		ask_glx(gl, out);
}
