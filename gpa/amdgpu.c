/* Reading the shape of an AMD GPU from the kernel's device info. */
#include "gpa/amdgpu.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libdrm/amdgpu_drm.h>

#define SIMDS_OF_A_CU 4 /* on every GCN part */

static void set(struct amdgpu_constants *c, const char *name, double value)
{
	for (uint32_t i = 0; i < c->count; i++) {
		if (strcmp(c->items[i].name, name) == 0) {
			c->items[i].value = value;
			return;
		}
	}
	if (c->count < AMDGPU_CONSTANTS_MAX)
		c->items[c->count++] = (struct sx_constant_value){.name = name, .value = value};
}

static bool is_amdgpu(const struct sx_sys *sys, int fd)
{
	char name[32] = "";
	struct drm_version version = {.name_len = sizeof(name) - 1, .name = name};
	return sys->ioctl(sys->user, fd, DRM_IOCTL_VERSION, &version) == 0 &&
	       strcmp(name, "amdgpu") == 0;
}

static void take_info(struct amdgpu_constants *c, const struct drm_amdgpu_info_device *info)
{
	double engines = info->num_shader_engines, units = info->cu_active_number;
	c->device_id = info->device_id;
	set(c, "NUM_SHADER_ENGINES", engines);
	set(c, "NUM_CUS", units);
	set(c, "NUM_SIMDS", units * SIMDS_OF_A_CU);
	/* The kernel does not tell these two; they hold for known GCN parts. */
	set(c, "NUM_PRIM_PIPES", engines);
	set(c, "SU_CLOCKS_PRIM", 1);
}

void amdgpu_read_kernel(struct amdgpu_constants *c, const struct sx_sys *sys)
{
	for (int minor = 128; minor < 192 && !c->device_id; minor++) {
		char path[32];
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", minor);
		int fd = sys->open(sys->user, path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		struct drm_amdgpu_info_device info = {0};
		struct drm_amdgpu_info request = {.return_pointer = (uintptr_t)&info,
						  .return_size = sizeof(info),
						  .query = AMDGPU_INFO_DEV_INFO};
		if (is_amdgpu(sys, fd) &&
		    sys->ioctl(sys->user, fd, DRM_IOCTL_AMDGPU_INFO, &request) == 0)
			take_info(c, &info);
		sys->close(sys->user, fd);
	}
}

static void read_user(struct amdgpu_constants *c)
{
	const char *text = getenv("SEXTANT_GPA_CONSTANTS");
	char *save = NULL;
	if (!text || strlen(text) >= sizeof(c->names))
		return;
	memcpy(c->names, text, strlen(text) + 1);
	for (char *item = strtok_r(c->names, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		char *value = strchr(item, '=');
		if (!value)
			continue;
		*value = '\0';
		set(c, item, strtod(value + 1, NULL));
	}
}

void amdgpu_read_constants(struct amdgpu_constants *out)
{
	*out = (struct amdgpu_constants){0};
	amdgpu_read_kernel(out, sys_real());
	read_user(out);
}
