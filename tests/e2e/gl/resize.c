/*
 * Windows that change their size: `resize glx`, `glx-window` (one that GLX makes of it) or `egl`.
 * Four frames each of 64x64, of 96x48 after the window has grown, with a viewport that is a part of
 * it, with all of it again, with a viewport that is larger than the window, and in a second window,
 * of 32x40. With a second argument, "turns": two windows that are current by turns; it says how
 * much the X server was asked for in a turn.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <EGL/egl.h>
#include <GL/gl.h>
#include <GL/glx.h>

#define PER_SIZE 4
#define TURNS	 200

struct world {
	Display *x;
	XVisualInfo *visual;
	GLXContext glx;
	GLXFBConfig *glx_config; /* NULL: windows are drawn to as they are */
	GLXDrawable drawable;
	EGLDisplay egl;
	EGLConfig config;
	EGLContext context;
	EGLSurface surface;
	Window window;
};

static Window open_window(const struct world *w, unsigned width, unsigned height)
{
	Window root = DefaultRootWindow(w->x);
	XSetWindowAttributes attributes = {0};

	attributes.colormap = XCreateColormap(w->x, root, w->visual->visual, AllocNone);
	Window window = XCreateWindow(w->x, root, 0, 0, width, height, 0, w->visual->depth,
				      InputOutput, w->visual->visual, CWColormap, &attributes);
	XMapWindow(w->x, window);
	XSync(w->x, False);
	return window;
}

static void start_glx(struct world *w)
{
	int attributes[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, None};

	w->visual = glXChooseVisual(w->x, DefaultScreen(w->x), attributes);
	w->glx = w->visual ? glXCreateContext(w->x, w->visual, NULL, True) : NULL;
	if (!w->glx)
		exit(77);
}

static void start_glx_window(struct world *w)
{
	int attributes[] = {GLX_DOUBLEBUFFER, True, GLX_RED_SIZE, 8, GLX_X_RENDERABLE, True, None};
	int count;

	w->glx_config = glXChooseFBConfig(w->x, DefaultScreen(w->x), attributes, &count);
	w->visual = w->glx_config ? glXGetVisualFromFBConfig(w->x, w->glx_config[0]) : NULL;
	w->glx = w->visual ? glXCreateNewContext(w->x, w->glx_config[0], GLX_RGBA_TYPE, NULL, True)
			   : NULL;
	if (!w->glx)
		exit(77);
}

static void start_egl(struct world *w)
{
	EGLint attributes[] = {EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE,
			       EGL_OPENGL_BIT,	 EGL_RED_SIZE,	 8,
			       EGL_NONE};
	EGLint count = 0, id = 0, found;
	XVisualInfo wanted = {0};

	w->egl = eglGetDisplay((EGLNativeDisplayType)w->x);
	if (!eglInitialize(w->egl, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API) ||
	    !eglChooseConfig(w->egl, attributes, &w->config, 1, &count) || count == 0 ||
	    !eglGetConfigAttrib(w->egl, w->config, EGL_NATIVE_VISUAL_ID, &id))
		exit(77);
	wanted.visualid = (VisualID)id;
	w->visual = XGetVisualInfo(w->x, VisualIDMask, &wanted, &found);
	w->context = eglCreateContext(w->egl, w->config, EGL_NO_CONTEXT, NULL);
	if (!w->visual || w->context == EGL_NO_CONTEXT)
		exit(77);
}

static void show(struct world *w, unsigned width, unsigned height)
{
	w->window = open_window(w, width, height);
	if (w->glx) {
		w->drawable = w->glx_config
				  ? glXCreateWindow(w->x, w->glx_config[0], w->window, NULL)
				  : w->window;
		glXMakeContextCurrent(w->x, w->drawable, w->drawable, w->glx);
		return;
	}
	w->surface = eglCreateWindowSurface(w->egl, w->config, w->window, NULL);
	eglMakeCurrent(w->egl, w->surface, w->surface, w->context);
}

static void frames(const struct world *w, int width, int height)
{
	glViewport(0, 0, width, height);
	for (int i = 0; i < PER_SIZE; i++) {
		glClear(GL_COLOR_BUFFER_BIT);
		if (w->glx)
			glXSwapBuffers(w->x, w->drawable);
		else if (!eglSwapBuffers(w->egl, w->surface) || eglGetError() != EGL_SUCCESS)
			exit(1);
	}
}

static void one_frame(struct world *w, GLXDrawable drawable, EGLSurface surface, int side)
{
	w->drawable = drawable;
	w->surface = surface;
	if (w->glx)
		glXMakeContextCurrent(w->x, drawable, drawable, w->glx);
	else
		eglMakeCurrent(w->egl, surface, surface, w->context);
	glViewport(0, 0, side, side);
	glClear(GL_COLOR_BUFFER_BIT);
	if (w->glx)
		glXSwapBuffers(w->x, drawable);
	else
		eglSwapBuffers(w->egl, surface);
}

static void turns(struct world *w)
{
	GLXDrawable drawables[2];
	EGLSurface surfaces[2];

	for (int i = 0; i < 2; i++) {
		show(w, i == 0 ? 64 : 32, i == 0 ? 64 : 32);
		drawables[i] = w->drawable;
		surfaces[i] = w->surface;
	}
	unsigned long before = NextRequest(w->x);
	for (int i = 0; i < 2 * TURNS; i++)
		one_frame(w, drawables[i % 2], surfaces[i % 2], i % 2 == 0 ? 64 : 32);
	printf("%lu requests a turn\n", (NextRequest(w->x) - before + TURNS / 2) / TURNS);
}

int main(int argc, char **argv)
{
	struct world w = {.x = XOpenDisplay(NULL)};

	if (argc < 2 || !w.x)
		return 77;
	if (strcmp(argv[1], "egl") == 0)
		start_egl(&w);
	else if (strcmp(argv[1], "glx-window") == 0)
		start_glx_window(&w);
	else
		start_glx(&w);
	if (argc > 2) {
		turns(&w);
		return glGetError() == GL_NO_ERROR ? 0 : 1;
	}
	show(&w, 64, 64);
	frames(&w, 64, 64);
	XResizeWindow(w.x, w.window, 96, 48);
	XSync(w.x, False);
	frames(&w, 96, 48);
	frames(&w, 48, 48);
	frames(&w, 96, 48);
	frames(&w, 200, 100);
	show(&w, 32, 40);
	frames(&w, 32, 40);
	return glGetError() == GL_NO_ERROR ? 0 : 1;
}
