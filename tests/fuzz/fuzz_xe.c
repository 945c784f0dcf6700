/* Results of xe's queries with any content: all of it must be checked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/devices/xe_oa.h"
#include "fuzz.h"
#include "source/xe_oa/xe_oa.h"

/* Answers are the input's bytes, or a real machine's with these bytes over some of its own. */
struct driver {
	struct fake_xe machine;
	const uint8_t *data;
	size_t size, at;
	bool mutates;
};

static uint8_t next(struct driver *d)
{
	return d->size ? d->data[d->at++ % d->size] : 0;
}

static int invent(struct driver *d, struct xe_device_query *query)
{
	if (!query->size) {
		query->size = next(d);
		query->size |= (uint32_t)(next(d) & 3) << 8;
		return 0;
	}
	uint8_t *out = (uint8_t *)(uintptr_t)query->data;
	for (uint32_t i = 0; i < query->size; i++)
		out[i] = next(d);
	return 0;
}

static int mutate(struct driver *d, int fd, unsigned long request, struct xe_device_query *query)
{
	bool sizes = !query->size;
	int result = d->machine.sys.ioctl(&d->machine, fd, request, query);
	if (result || sizes || !query->size)
		return result;
	uint8_t *out = (uint8_t *)(uintptr_t)query->data;
	for (unsigned i = next(d) % 8; i-- > 0;) {
		size_t at = next(d);
		out[(at | (size_t)next(d) << 8) % query->size] = next(d);
	}
	return 0;
}

static int answer(void *user, int fd, unsigned long request, void *arg)
{
	struct driver *d = user;
	return d->mutates ? mutate(d, fd, request, arg) : invent(d, arg);
}

static void ask(const uint8_t *data, size_t size, bool mutates)
{
	struct driver d = {.data = data, .size = size, .mutates = mutates};
	struct sx_sys sys = {.user = &d, .ioctl = answer};
	struct xe_oa s = {.oa = {.base.sys = &sys, .card.device.device_id = 0xe20b}};
	struct sx_oa_constants constants;
	struct sx_error err = {0};
	fake_xe_init(&d.machine);
	int fd = d.machine.sys.open(&d.machine, "/dev/dri/renderD128", 2);
	s.oa.fd = fd;
	enum sx_status status = xe_card_query(&s.oa, &err);
	if (s.unit_count > XE_UNITS_MAX || s.gt_count > XE_GTS_MAX)
		abort();
	if (!status && (!s.unit_count || !s.oa.card.device.timestamp_hz))
		abort();
	if (status && !err.message[0])
		abort();
	sx_oa_device_constants(&s.oa.card.device, &constants);
	if (constants.count > SX_OA_CONSTANTS_MAX)
		abort();
	d.machine.sys.close(&d.machine, fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int mode = 0; mode < 2; mode++)
		ask(data, size, mode);
	return 0;
}
