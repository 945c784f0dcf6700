/*
 * The size of a drawable has two sources. The viewport costs nothing, but may be a part of the
 * window, or be set before it was resized. The window system is exact, but a request waits. The
 * size is known if both agree, until the viewport changes.
 */
#include <stdlib.h>
#include <string.h>

#include "guest/clock.h"
#include "preload/real/real.h"
#include "preload/sampler.h"

#define PAUSE_FIRST_NS UINT64_C(10000000)
#define PAUSE_MOST_NS  UINT64_C(1000000000)

/* From the headers of EGL, GLX and XCB, which the build does not need. */
#define GLX_WIDTH_OF   0x801d
#define GLX_HEIGHT_OF  0x801e
#define EGL_HEIGHT_OF  0x3056
#define EGL_WIDTH_OF   0x3057
#define EGL_VERSION_OF 0x3054

typedef unsigned query_surface_fn(void *display, void *surface, int what, int *value);
typedef const char *query_string_fn(void *display, int name);
typedef void *get_connection_fn(void *display);
struct cookie {
	unsigned sequence;
};
struct geometry {
	uint8_t type, depth;
	uint16_t sequence;
	uint32_t length, root;
	int16_t x, y;
	uint16_t width, height;
};
struct attributes {
	uint8_t type, unused;
	uint16_t sequence;
	uint32_t length, count, pad[5]; /* followed by pairs of name and value */
};
typedef struct cookie request_fn(void *connection, uint32_t drawable);
typedef void *reply_fn(void *connection, struct cookie cookie, void **error);

static bool size_same(const uint32_t a[2], const uint32_t b[2])
{
	return a[0] == b[0] && a[1] == b[1];
}

static void read_viewport(const struct api *gl, uint32_t out[2])
{
	GLint viewport[4] = {0};
	gl->GetIntegerv(GL_VIEWPORT, viewport);
	out[0] = out[1] = 0;
	if (viewport[0] == 0 && viewport[1] == 0 && viewport[2] > 0 && viewport[3] > 0) {
		out[0] = (uint32_t)viewport[2];
		out[1] = (uint32_t)viewport[3];
	}
}

void size_start(struct size *size, const struct api *gl)
{
	read_viewport(gl, size->known);
}

void size_forget(struct size *size)
{
	*size = (struct size){.due_ns = 0};
}

const uint32_t *size_at_end(struct size *size, const struct api *gl)
{
	read_viewport(gl, size->viewport);
	return size->viewport[0] != 0 && size_same(size->viewport, size->known) ? size->known
										: NULL;
}

/* From the library that the program calls to swap: handles of another EGL are not valid. */
static void *egl_function(const char *name)
{
	void *swap = real_find(HOOK_eglSwapBuffers, NULL);
	void *found = swap ? scope_of_caller(swap, name) : NULL;
	return found ? found : scope_driver(name);
}

/* Reads the EGL error after a failure, so that the program does not get it. */
static bool ask_egl(const struct size_drawable *drawable, uint32_t out[2])
{
	query_surface_fn *ask = (query_surface_fn *)egl_function("eglQuerySurface");
	query_string_fn *succeed = (query_string_fn *)egl_function("eglQueryString");
	void *surface = (void *)(uintptr_t)drawable->drawable;
	int width = 0, height = 0;
	if (!ask || !succeed)
		return false;
	if (!ask(drawable->display, surface, EGL_WIDTH_OF, &width) ||
	    !ask(drawable->display, surface, EGL_HEIGHT_OF, &height)) {
		succeed(drawable->display, EGL_VERSION_OF);
		return false;
	}
	out[0] = width > 0 ? (uint32_t)width : 0;
	out[1] = height > 0 ? (uint32_t)height : 0;
	return true;
}

/*
 * Uses XCB, because an Xlib error ends the program, and the window may be destroyed. Returns memory
 * for free(), or NULL.
 */
static void *ask_server(const struct size_drawable *drawable, const char *request,
			const char *reply)
{
	get_connection_fn *connect = (get_connection_fn *)scope_driver("XGetXCBConnection");
	request_fn *ask = (request_fn *)scope_driver(request);
	reply_fn *wait = (reply_fn *)scope_driver(reply);
	void *error = NULL;
	if (!connect || !ask || !wait)
		return NULL;
	void *connection = connect(drawable->display);
	void *reported = wait(connection, ask(connection, (uint32_t)drawable->drawable), &error);
	free(error);
	return reported;
}

/* For a GLXWindow, which is no X drawable. */
static bool ask_glx(const struct size_drawable *drawable, uint32_t out[2])
{
	struct attributes *reported = ask_server(drawable, "xcb_glx_get_drawable_attributes",
						 "xcb_glx_get_drawable_attributes_reply");
	const uint32_t *pair = reported ? (const uint32_t *)(reported + 1) : NULL;
	out[0] = out[1] = 0;
	for (uint32_t i = 0; reported && i < reported->count && i < reported->length / 2; i++) {
		if (pair[2 * i] == GLX_WIDTH_OF)
			out[0] = pair[2 * i + 1];
		if (pair[2 * i] == GLX_HEIGHT_OF)
			out[1] = pair[2 * i + 1];
	}
	free(reported);
	return out[0] != 0 && out[1] != 0;
}

static bool ask_x(const struct size_drawable *drawable, uint32_t out[2])
{
	struct geometry *reported =
	    ask_server(drawable, "xcb_get_geometry", "xcb_get_geometry_reply");
	if (!reported)
		return ask_glx(drawable, out);
	out[0] = reported->width;
	out[1] = reported->height;
	free(reported);
	return true;
}

static bool is_due(struct size *size)
{
	uint64_t now_ns = guest_now_ns();
	if (size->viewport[0] == 0 || size_same(size->viewport, size->known) ||
	    guest_clock_sealed())
		return false;
	if (!size_same(size->viewport, size->asked))
		size->due_ns = size->pause_ns = 0;
	if (now_ns < size->due_ns)
		return false;
	size->pause_ns = size->pause_ns == 0		      ? PAUSE_FIRST_NS
			 : size->pause_ns < PAUSE_MOST_NS / 2 ? 2 * size->pause_ns
							      : PAUSE_MOST_NS;
	size->due_ns = now_ns + size->pause_ns;
	memcpy(size->asked, size->viewport, sizeof(size->asked));
	return true;
}

void size_after_swap(struct size *size, const struct size_drawable *drawable)
{
	uint32_t reported[2];
	if (!is_due(size))
		return;
	if ((drawable->egl ? ask_egl : ask_x)(drawable, reported) &&
	    size_same(reported, size->viewport))
		memcpy(size->known, reported, sizeof(size->known));
}
