/* Which OpenGL driver answers on this machine. */
#include "source/gl/egl.h"
#include "source/gl/gl.h"
#include "source/guest/inject.h"

#include <stdio.h>
#include <unistd.h>

#define DEADLINE_MS 800

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

/* Names the driver that answers; the name's text stands in `answer`. */
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

void gl_probe(const struct source_host *host, source_found_fn found, void *user)
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
