/* What probing says of devices: how many there are, and of the last one what is there to check. */
#ifndef UNIT_SOURCE_FOUND_H
#define UNIT_SOURCE_FOUND_H

#include <stdio.h>

#include "source/source.h"

struct found {
	unsigned count;
	enum sx_device_state state;
	enum sx_status obstacle;
	char id[32], name[256], driver[112], catalog[64], because[512], remedy[512];
};

#define FOUND_KEEP(f, device, member)                                                              \
	snprintf((f)->member, sizeof((f)->member), "%s", (device)->member ? (device)->member : "")

static inline void found_take(void *user, const struct sx_device *device)
{
	struct found *f = user;
	f->count++;
	f->state = device->state;
	f->obstacle = device->obstacle;
	FOUND_KEEP(f, device, id);
	FOUND_KEEP(f, device, name);
	FOUND_KEEP(f, device, driver);
	FOUND_KEEP(f, device, catalog);
	FOUND_KEEP(f, device, because);
	FOUND_KEEP(f, device, remedy);
}

#endif
