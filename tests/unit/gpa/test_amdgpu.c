/* Device constants of AMD GPUs: from a kernel that is made up, and from the environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <libdrm/amdgpu_drm.h>
#include <libdrm/radeon_drm.h>

#include "gpa/gl/backend.h"

/* A node of the made-up kernel: number, driver, PCI id, engines, compute units. */
struct node {
	int minor;
	const char *driver;
	uint32_t id, engines, units;
};
static const struct node *nodes;
static int opened, closed;

static const struct node *node_of(int minor)
{
	for (const struct node *n = nodes; n->driver; n++)
		if (n->minor == minor)
			return n;
	return NULL;
}

static int fake_open(void *user, const char *path, int flags)
{
	int minor = atoi(path + strlen("/dev/dri/renderD"));
	const struct node *n = node_of(minor);
	(void)user;
	(void)flags;
	if (!n || !*n->driver) {
		errno = n ? EACCES : ENOENT;
		return -1;
	}
	opened++;
	return minor;
}

static int fake_close(void *user, int fd)
{
	(void)user;
	(void)fd;
	closed++;
	return 0;
}

static int answer_radeon(const struct node *n, struct drm_radeon_info *info)
{
	uint32_t value = info->request == RADEON_INFO_DEVICE_ID		? n->id
			 : info->request == RADEON_INFO_MAX_SE		? n->engines
			 : info->request == RADEON_INFO_ACTIVE_CU_COUNT ? n->units
									: 0;
	memcpy((void *)(uintptr_t)info->value, &value, sizeof(value));
	return 0;
}

static int fake_ioctl(void *user, int fd, unsigned long request, void *arg)
{
	const struct node *n = node_of(fd);
	(void)user;
	if (request == DRM_IOCTL_VERSION) {
		struct drm_version *v = arg;
		if (v->name && v->name_len >= strlen(n->driver))
			memcpy(v->name, n->driver, strlen(n->driver));
		return 0;
	}
	if (request == DRM_IOCTL_RADEON_INFO && strcmp(n->driver, "radeon") == 0)
		return answer_radeon(n, arg);
	if (request != DRM_IOCTL_AMDGPU_INFO || strcmp(n->driver, "amdgpu") != 0) {
		errno = EINVAL;
		return -1;
	}
	struct drm_amdgpu_info *info = arg;
	struct drm_amdgpu_info_device device = {
	    .device_id = n->id, .num_shader_engines = n->engines, .cu_active_number = n->units};
	assert_int_equal(info->query, AMDGPU_INFO_DEV_INFO);
	memcpy((void *)(uintptr_t)info->return_pointer, &device, sizeof(device));
	return 0;
}

static double value(const struct amdgpu_constants *c, const char *name)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (strcmp(c->items[i].name, name) == 0)
			return c->items[i].value;
	return -1;
}

static const struct sx_sys sys = {.open = fake_open, .close = fake_close, .ioctl = fake_ioctl};

static struct amdgpu_constants read_from(const struct node *list, const char *node, uint32_t id)
{
	struct amdgpu_constants c = {0};
	struct amdgpu_device device = {.pci_id = id};
	snprintf(device.node, sizeof(device.node), "%s", node);
	nodes = list;
	amdgpu_read_kernel(&c, &device, &sys);
	assert_int_equal(opened, closed);
	return c;
}

/* 128 is another driver's, 129 may not be opened. */
static const struct node two_chips[] = {{128, "i915", 0, 0, 0},
					{129, "", 0, 0, 0},
					{130, "amdgpu", 0x67b0, 4, 44},
					{131, "amdgpu", 0x67df, 4, 36},
					{0, NULL, 0, 0, 0}};

static void test_own_device(void **state)
{
	(void)state;
	struct amdgpu_constants c = read_from(two_chips, "/dev/dri/renderD131", 0);
	assert_int_equal(c.device_id, 0x67df);
	assert_true(value(&c, "NUM_CUS") == 36);
	assert_true(value(&c, "NUM_SIMDS") == 144);
	c = read_from(two_chips, "", 0x67b0);
	assert_true(value(&c, "NUM_CUS") == 44);
	assert_true(value(&c, "NUM_SHADER_ENGINES") == 4);
	assert_true(value(&c, "NUM_PRIM_PIPES") == 4);
	/* Not known which: no guess. */
	c = read_from(two_chips, "", 0);
	assert_int_equal(c.device_id, 0);
	assert_int_equal(c.count, 0);
	/* Its node is there, but cannot be asked: no other one's numbers. */
	c = read_from(two_chips, "/dev/dri/renderD129", 0x67df);
	assert_int_equal(c.count, 0);
}

static void test_only_one(void **state)
{
	static const struct node one[] = {
	    {128, "i915", 0, 0, 0}, {129, "amdgpu", 0x67b0, 4, 44}, {0, NULL, 0, 0, 0}};
	static const struct node twins[] = {
	    {128, "amdgpu", 0x67b0, 4, 44}, {129, "amdgpu", 0x67b0, 4, 44}, {0, NULL, 0, 0, 0}};
	(void)state;
	struct amdgpu_constants c = read_from(one, "", 0);
	assert_true(value(&c, "NUM_CUS") == 44);
	c = read_from(twins, "", 0);
	assert_true(value(&c, "NUM_CUS") == 44);
}

static void test_radeon(void **state)
{
	static const struct node radeon[] = {{128, "radeon", 0x6649, 2, 12}, {0, NULL, 0, 0, 0}};
	static const struct node old[] = {{128, "radeon", 0x6649, 2, 0}, {0, NULL, 0, 0, 0}};
	(void)state;
	struct amdgpu_constants c = read_from(radeon, "", 0);
	assert_int_equal(c.device_id, 0x6649);
	assert_true(value(&c, "NUM_SIMDS") == 48);
	assert_true(value(&c, "NUM_SHADER_ENGINES") == 2);
	c = read_from(old, "", 0); /* a kernel that does not report the units */
	assert_int_equal(c.device_id, 0x6649);
	assert_int_equal(c.count, 0);
}

static bool is_known(const void *user, const char *name)
{
	(void)user;
	return strcmp(name, "NUM_CUS") == 0 || strcmp(name, "TS_FREQ") == 0;
}

static void test_user(void **state)
{
	struct amdgpu_constants c = {0};
	(void)state;
	amdgpu_read_user(&c, "NUM_CUS=7,junk,NUM_CU=3, TS_FREQ = 2.5e7 ,NUM_CUS=9,TS_FREQ=fast,,=",
			 is_known, NULL);
	assert_true(value(&c, "NUM_CUS") == 9);
	assert_true(value(&c, "TS_FREQ") == 2.5e7); /* "fast" is no number */
	assert_int_equal(c.count, 2);
	amdgpu_read_user(&c, "NUM_CUS=nan,NUM_CUS=1e999,NUM_CUS=3x,NUM_CUS=", is_known, NULL);
	assert_true(value(&c, "NUM_CUS") == 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_own_device), cmocka_unit_test(test_only_one),
	    cmocka_unit_test(test_radeon), cmocka_unit_test(test_user)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
