/* A context without a surface, for whoever asks a driver in a child. */
#include "source/gl/egl.h"

#include <dlfcn.h>
#include <stdlib.h>

/* The few names of EGL that are needed, so that no header or library has to be there. */
enum {
	EGL_NONE_ = 0x3038,
	EGL_SURFACE_TYPE_ = 0x3033,
	EGL_PBUFFER_BIT_ = 1,
	EGL_OPENGL_API_ = 0x30a2,
	EGL_PLATFORM_SURFACELESS_ = 0x31dd,
	EGL_RENDERABLE_TYPE_ = 0x3040,
	EGL_OPENGL_BIT_ = 8,
};

static void *symbol(void *library, const char *name, bool *all)
{
	void *found = dlsym(library, name);
	*all &= found != NULL;
	return found;
}

static bool egl_load(struct egl *egl)
{
	bool all = true;
	void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return false;
	*(void **)&egl->get_proc = symbol(library, "eglGetProcAddress", &all);
	*(void **)&egl->get_display = symbol(library, "eglGetDisplay", &all);
	*(void **)&egl->initialize = symbol(library, "eglInitialize", &all);
	*(void **)&egl->bind_api = symbol(library, "eglBindAPI", &all);
	*(void **)&egl->choose_config = symbol(library, "eglChooseConfig", &all);
	*(void **)&egl->create_context = symbol(library, "eglCreateContext", &all);
	*(void **)&egl->make_current = symbol(library, "eglMakeCurrent", &all);
	return all;
}

/* The display's driver where there is a display, else the one that needs none. */
static void *open_display(const struct egl *egl)
{
	void *(*platform)(unsigned platform, void *native, const int *attributes);
	void *display = NULL;
	if (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY"))
		display = egl->get_display(NULL);
	if (display && egl->initialize(display, NULL, NULL))
		return display;
	*(void **)&platform = egl->get_proc("eglGetPlatformDisplayEXT");
	display = platform ? platform(EGL_PLATFORM_SURFACELESS_, NULL, NULL) : NULL;
	return display && egl->initialize(display, NULL, NULL) ? display : NULL;
}

bool egl_begin(struct egl *egl)
{
	/* The default wants windows, which a display without a screen does not have. */
	static const int wanted[] = {EGL_SURFACE_TYPE_, EGL_PBUFFER_BIT_, EGL_RENDERABLE_TYPE_,
				     EGL_OPENGL_BIT_, EGL_NONE_};
	void *config = NULL;
	int count = 0;
	if (!egl_load(egl))
		return false;
	void *display = open_display(egl);
	if (!display || !egl->bind_api(EGL_OPENGL_API_) ||
	    !egl->choose_config(display, wanted, &config, 1, &count) || count < 1)
		return false;
	void *context = egl->create_context(display, config, NULL, NULL);
	return context && egl->make_current(display, NULL, NULL, context);
}
