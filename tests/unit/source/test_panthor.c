/*
 * Mainline drivers: reads what they report, says what they do not have, and never submits a
 * command.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unit/context.h"
#include "unit/source/found.h"

#include <sextant/catalog.h>

#define QUERY 0xc0106440u

struct fake {
	struct sx_sys sys;
	const char *driver; /* of renderD129, or NULL */
	int open_errno, info_errno;
	uint32_t gpu_id, perf_type, perf_size, perf_sample; /* perf_size 0: no such query */
	int open_fds;
	bool commanded; /* something other than a query was sent */
};

static ssize_t fake_read_file(void *user, const char *path, char *buf, size_t size)
{
	struct fake *fake = user;
	if (!fake->driver || strcmp(path, "/sys/class/drm/card1/device/uevent") != 0) {
		errno = ENOENT;
		return -1;
	}
	return snprintf(buf, size, "OF_NAME=gpu\nDRIVER=%s\nMODALIAS=x\n", fake->driver);
}

static int fake_list_dir(void *user, const char *path, int (*each)(void *arg, const char *name),
			 void *arg)
{
	struct fake *fake = user;
	bool nodes = strcmp(path, "/sys/class/drm") == 0;
	if (fake->driver && (nodes || strcmp(path, "/sys/class/drm/card1/device/drm") == 0)) {
		each(arg, "card1");
		return each(arg, "renderD129");
	}
	errno = ENOENT;
	return -1;
}

static int fake_open(void *user, const char *path, int flags)
{
	struct fake *fake = user;
	assert_string_equal(path, "/dev/dri/renderD129");
	errno = fake->open_errno;
	if (fake->open_errno)
		return -1;
	fake->open_fds++;
	return 7;
}

static int fake_close(void *user, int fd)
{
	((struct fake *)user)->open_fds--;
	return 0;
}

static int give(const void *data, uint32_t have, uint32_t *size, uint64_t pointer)
{
	uint32_t now = *size < have ? *size : have;
	if (pointer)
		memcpy((void *)(uintptr_t)pointer, data, now);
	*size = pointer ? now : have;
	return 0;
}

static int fake_ioctl(void *user, int fd, unsigned long request, void *arg)
{
	struct fake *fake = user;
	struct {
		uint32_t type, size;
		uint64_t pointer;
	} *ask = arg;
	fake->commanded |= request != QUERY;
	uint32_t info[26] = {[0] = fake->gpu_id, [3] = 7u << 24, [5] = 1u << 8, [18] = 0x3f};
	const uint32_t perf[12] = {128, 64, 32, fake->perf_sample, 1, 7, 1, 1, 1, 2, 6};
	if (ask->type == 0 && !fake->info_errno)
		return give(info, sizeof(info), &ask->size, ask->pointer);
	if (ask->type == fake->perf_type && fake->perf_size)
		return give(perf, fake->perf_size, &ask->size, ask->pointer);
	errno = ask->type == 0 ? fake->info_errno : EINVAL;
	return -1;
}

static void init(struct fake *fake, const char *driver)
{
	*fake = (struct fake){.sys = {.user = fake,
				      .read_file = fake_read_file,
				      .list_dir = fake_list_dir,
				      .open = fake_open,
				      .close = fake_close,
				      .ioctl = fake_ioctl},
			      .driver = driver,
			      .gpu_id = 0xd0010000};
}

static struct found probe(struct fake *fake)
{
	struct found f = {0};
	source_panthor.probe(&(struct source_host){.sys = &fake->sys, .catalogs = context},
			     found_take, &f);
	assert_int_equal(f.count, 1);
	assert_int_equal(fake->open_fds, 0);
	assert_false(fake->commanded);
	return f;
}

static void mainline_has_no_counters(void **state)
{
	struct fake fake;
	init(&fake, "panthor");
	struct found f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_string_equal(f.id, "renderD129");
	assert_string_equal(f.name, "Arm Mali-G625");
	assert_string_equal(f.catalog, "mali-g625");
	assert_non_null(strstr(f.because, "no interface for counters"));
	assert_non_null(strstr(f.remedy, "kbase"));
	assert_int_equal(f.obstacle, SX_ERR_UNSUPPORTED);
	struct source *source = NULL;
	struct sx_error err = {0};
	assert_int_equal(
	    source_panthor.open(&(struct source_host){.sys = &fake.sys, .catalogs = context},
				"renderD129", &source, &err),
	    SX_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.because, "no interface for counters"));
	assert_int_equal(fake.open_fds, 0);
	assert_int_equal(
	    source_panthor.open(&(struct source_host){.sys = &fake.sys, .catalogs = context},
				"renderD130", &source, &err),
	    SX_ERR_NOT_FOUND);
}

static void proposed_interfaces_are_not_trusted(void **state)
{
	static const struct {
		uint32_t type, size, sample;
		const char *because;
	} cases[] = {
	    {4, 44, 64 + 11 * (32 + 8 * 128), "before its numbers were final"},
	    {(1u << 30) - 2, 48, 64 + 11 * (32 + 8 * 128), "before its numbers were final"},
	    {4, 44, 64 + 11 * (32 + 8 * 64), "contradict"},
	    {4, 40, 64 + 11 * (32 + 8 * 128), "contradict"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake fake;
		init(&fake, "panthor");
		fake.perf_type = cases[i].type;
		fake.perf_size = cases[i].size;
		fake.perf_sample = cases[i].sample;
		assert_non_null(strstr(probe(&fake).because, cases[i].because));
	}
}

static void others_are_told_apart(void **state)
{
	struct fake fake;
	init(&fake, "panfrost");
	struct found f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_non_null(strstr(f.remedy, "unstable_ioctls"));
	assert_int_equal(f.obstacle, SX_ERR_NOT_FOUND);
	init(&fake, "i915");
	assert_int_equal(probe(&fake).state, SX_DEVICE_ABSENT);
	init(&fake, NULL);
	assert_int_equal(probe(&fake).state, SX_DEVICE_ABSENT);
	init(&fake, "panthor");
	fake.gpu_id = 0xc0030000;
	f = probe(&fake);
	assert_string_equal(f.name, "Mali");
	assert_string_equal(f.catalog, "");
	init(&fake, "panthor");
	fake.open_errno = EACCES;
	assert_non_null(strstr(probe(&fake).remedy, "group"));
	assert_int_equal(probe(&fake).obstacle, SX_ERR_PERMISSION);
	init(&fake, "panthor");
	fake.info_errno = EIO;
	assert_int_equal(probe(&fake).state, SX_DEVICE_UNUSABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(mainline_has_no_counters),
	    cmocka_unit_test(proposed_interfaces_are_not_trusted),
	    cmocka_unit_test(others_are_told_apart),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
