/* Device constants of AMD GPUs: from a kernel that is made up, and from the environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <libdrm/amdgpu_drm.h>

#include "gpa/amdgpu.h"

/* renderD128 is another driver's, 129 cannot be opened, 130 and 131 are AMD's. */
static int opened, closed;

static int fake_open(void *user, const char *path, int flags)
{
	int minor = atoi(path + strlen("/dev/dri/renderD"));
	(void)user;
	(void)flags;
	if (minor > 131 || minor == 129) {
		errno = minor == 129 ? EACCES : ENOENT;
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

static int fake_ioctl(void *user, int fd, unsigned long request, void *arg)
{
	(void)user;
	if (request == DRM_IOCTL_VERSION) {
		struct drm_version *v = arg;
		const char *name = fd == 128 ? "i915" : "amdgpu";
		if (v->name && v->name_len >= strlen(name))
			memcpy(v->name, name, strlen(name));
		return 0;
	}
	struct drm_amdgpu_info *info = arg;
	struct drm_amdgpu_info_device device = {.device_id = 0x67b0 + (uint32_t)fd - 130,
						.num_shader_engines = 4,
						.cu_active_number = 44};
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

static void test_kernel(void **state)
{
	const struct sx_sys sys = {.open = fake_open, .close = fake_close, .ioctl = fake_ioctl};
	struct amdgpu_constants c = {0};
	(void)state;
	amdgpu_read_kernel(&c, &sys);
	assert_int_equal(c.device_id, 0x67b0); /* the first of AMD's */
	assert_true(value(&c, "NUM_SHADER_ENGINES") == 4);
	assert_true(value(&c, "NUM_CUS") == 44);
	assert_true(value(&c, "NUM_SIMDS") == 176);
	assert_true(value(&c, "NUM_PRIM_PIPES") == 4);
	assert_int_equal(opened, closed);
}

static void test_environment(void **state)
{
	struct amdgpu_constants c;
	(void)state;
	setenv("SEXTANT_GPA_CONSTANTS", "NUM_CUS=7,junk,TS_FREQ=2.5e7,NUM_CUS=9", 1);
	amdgpu_read_constants(&c);
	assert_true(value(&c, "NUM_CUS") == 9);
	assert_true(value(&c, "TS_FREQ") == 2.5e7);
	assert_true(value(&c, "junk") == -1);
	unsetenv("SEXTANT_GPA_CONSTANTS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernel),
					   cmocka_unit_test(test_environment)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
