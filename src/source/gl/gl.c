/* The GL source: any OpenGL driver, measured from within the programs that Sextant starts. */
#include "source/gl/gl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "source/guest/inject.h"
#include "wire/channel.h"

#define DEADLINE_MS 800

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

enum { GL_RENDERER_ = 0x1f01, GL_VERSION_ = 0x1f02 };

struct answer {
	char renderer[192], version[192];
};

static bool ask_driver(int to, void *user)
{
	struct egl egl;
	struct answer answer = {0};
	if (!egl_begin(&egl))
		return false;
	const char *(*get_string)(unsigned name);
	*(void **)&get_string = egl.get_proc("glGetString");
	const char *renderer = get_string ? get_string(GL_RENDERER_) : NULL;
	const char *version = get_string ? get_string(GL_VERSION_) : NULL;
	snprintf(answer.renderer, sizeof(answer.renderer), "%s", renderer ? renderer : "");
	snprintf(answer.version, sizeof(answer.version), "%s", version ? version : "");
	return renderer && write(to, &answer, sizeof(answer)) == (ssize_t)sizeof(answer);
}

static bool ask_in_child(struct answer *answer)
{
	bool ok =
	    guest_ask(ask_driver, NULL, DEADLINE_MS, answer, sizeof(*answer)) == sizeof(*answer);
	answer->renderer[sizeof(answer->renderer) - 1] = '\0';
	answer->version[sizeof(answer->version) - 1] = '\0';
	return ok;
}

/* Names the driver that answers; the name's text is in `answer`. */
static void name_driver(struct sx_device *device, struct answer *answer)
{
	if (ask_in_child(answer)) {
		device->name = answer->renderer;
		device->driver = answer->version;
	} else {
		/* A program may still bring a driver and a display of its own. */
		device->name = "OpenGL, driver not known before a program runs";
		device->because = "no OpenGL driver answered through libEGL.so.1";
		device->remedy = "apt-get install libegl1 libgl1-mesa-dri";
	}
}

static const char *const counters[] = {
#define QUERY(id, name, raw) name,
#include "wire/queries.def"
#undef QUERY
};

static const struct inject_api gl_api = {
    .ops = &source_gl,
    .catalog = "opengl",
    .kinds = 1u << SX_SAMPLE_FRAME | 1u << SX_SAMPLE_GROUP | 1u << SX_SAMPLE_DRAW,
    .kinds_named = "frame, group, draw",
    GL_API,
    .channel = WIRE_ENV,
    .counters = counters,
    .counter_count = sizeof(counters) / sizeof(counters[0]),
    .no_sample = "it drew nothing, or ended before its first frame did",
    .have_sample = "let it run until it swaps buffers, or ends by itself",
};

static void gl_probe(const struct source_host *host, source_found_fn found, void *user)
{
	struct answer answer = {0};
	struct sx_error err = {0};
	struct sx_device device = inject_device(&gl_api, host, &err);
	bool usable = device.state == SX_DEVICE_INJECT;
	if (usable && host->ask_drivers)
		name_driver(&device, &answer);
	else if (usable)
		device.name = "OpenGL, whichever driver a program brings";
	found(user, &device);
}

static enum sx_status gl_open(const struct source_host *host, const char *id, struct source **out,
			      struct sx_error *err)
{
	return inject_open(&gl_api, host, out, err);
}

const struct source_ops source_gl = {
    .name = "gl",
    .raw = RAW_GUEST,
    .probe = gl_probe,
    .open = gl_open,
    INJECT_OPS,
};
