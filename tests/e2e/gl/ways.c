/*
 * The ways by which a program reaches GL on X: linked, opened at run time (dlopen and dlsym), and
 * through glXGetProcAddress. Draws frames of one triangle each and prints the picture's hash.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <GL/glx.h>

#define FRAMES 12

#if defined(WAY_LINKED)
#define FUNCTION(name) static __typeof__(&name) p_##name = name;
#define FIND(name)     p_##name = name
#else
#define FUNCTION(name) static __typeof__(&name) p_##name;
static __typeof__(&glXGetProcAddressARB) get;
static void *library;
#if defined(WAY_PROC)
#define FIND(name) p_##name = (__typeof__(&name))get((const GLubyte *)#name)
#else
#define FIND(name) p_##name = (__typeof__(&name))dlsym(library, #name)
#endif
#endif

#define FUNCTIONS(X)                                                                               \
	X(glXChooseVisual)                                                                         \
	X(glXCreateContext)                                                                        \
	X(glXMakeCurrent)                                                                          \
	X(glXSwapBuffers)                                                                          \
	X(glXDestroyContext)                                                                       \
	X(glClear)                                                                                 \
	X(glBegin)                                                                                 \
	X(glEnd)                                                                                   \
	X(glColor3f)                                                                               \
	X(glVertex2f)                                                                              \
	X(glReadPixels)                                                                            \
	X(glGetError)

FUNCTIONS(FUNCTION)

static void find_all(void)
{
#if !defined(WAY_LINKED)
	library = dlopen("libGL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		exit(77);
	get = (__typeof__(get))dlsym(library, "glXGetProcAddressARB");
	if (dlsym(library, "glXNoSuchFunction"))
		exit(1);
#endif
#define FIND_ONE(name) FIND(name);
	FUNCTIONS(FIND_ONE)
}

static unsigned hash(void)
{
	static unsigned char pixels[64 * 64 * 4];
	unsigned value = 2166136261u;

	p_glReadPixels(0, 0, 64, 64, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	for (size_t i = 0; i < sizeof(pixels); i++)
		value = (value ^ pixels[i]) * 16777619u;
	return value;
}

static void draw(void)
{
	p_glClear(GL_COLOR_BUFFER_BIT);
	p_glBegin(GL_TRIANGLES);
	p_glColor3f(1, 0, 0);
	p_glVertex2f(-1, -1);
	p_glColor3f(0, 1, 0);
	p_glVertex2f(1, -1);
	p_glColor3f(0, 0, 1);
	p_glVertex2f(0, 1);
	p_glEnd();
}

static void show(Display *display, Window window, GLXContext context, const char *how)
{
	for (int i = 0; i < FRAMES; i++) {
		draw();
		if (i == 0)
			printf("%08x\n", hash());
		if (strcmp(how, "apart") == 0) { /* nothing is current at the swap */
			p_glXMakeCurrent(display, None, NULL);
			p_glXSwapBuffers(display, window);
			p_glXMakeCurrent(display, window, context);
			continue;
		}
		p_glXSwapBuffers(display, window);
		if (i == 5 && strcmp(how, "no-context") == 0) {
			p_glXMakeCurrent(display, None, NULL);
			p_glXDestroyContext(display, NULL);
			p_glXMakeCurrent(display, window, context);
		}
	}
}

int main(int argc, char **argv)
{
	int attributes[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 8, None};
	Display *display = XOpenDisplay(NULL);
	XSetWindowAttributes window_attributes = {0};
	const char *how = argc > 1 ? argv[1] : "";

	if (!display)
		return 77;
	find_all();
	XVisualInfo *visual = p_glXChooseVisual(display, DefaultScreen(display), attributes);
	if (!visual)
		return 77;
	window_attributes.colormap = XCreateColormap(display, RootWindow(display, visual->screen),
						     visual->visual, AllocNone);
	Window window = XCreateWindow(display, RootWindow(display, visual->screen), 0, 0, 64, 64, 0,
				      visual->depth, InputOutput, visual->visual, CWColormap,
				      &window_attributes);
	XMapWindow(display, window);
	GLXContext context = p_glXCreateContext(display, visual, NULL, True);
	if (!context || !p_glXMakeCurrent(display, window, context))
		return 77;
	show(display, window, context, how);
	printf("%04x\n", p_glGetError());
	if (strcmp(how, "abrupt") == 0) {
		draw();
		XCloseDisplay(display); /* with the context current */
		return 0;
	}
	p_glXMakeCurrent(display, None, NULL);
	p_glXDestroyContext(display, context);
	XFree(visual);
	XCloseDisplay(display);
	return 0;
}
