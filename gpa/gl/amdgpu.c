/* Reading the shape of an AMD GPU from the kernel's device info. */
#include "gpa/gl/backend.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libdrm/amdgpu_drm.h>
#include <libdrm/radeon_drm.h>

#include "gpa/core.h"

#define SIMDS_OF_A_CU	 4 /* on every GCN part */
#define RENDER_NODES	 64
#define RENDER_NODES_MIN 128

/* Sets a constant, once: a later value replaces an earlier one. */
static void amdgpu_set(struct amdgpu_constants *c, const char *name, double value)
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

void amdgpu_set_shape(struct amdgpu_constants *c, double engines, double units)
{
	amdgpu_set(c, "NUM_SHADER_ENGINES", engines);
	amdgpu_set(c, "NUM_CUS", units);
	amdgpu_set(c, "NUM_SIMDS", units * SIMDS_OF_A_CU);
	/* No interface reports these two; the values are right for known GCN parts. */
	amdgpu_set(c, "NUM_PRIM_PIPES", engines);
	amdgpu_set(c, "SU_CLOCKS_PRIM", 1);
}

/* What one node says. */
struct node_info {
	uint32_t pci_id, engines, units; /* 0: unknown */
};

static bool read_amdgpu(const struct sx_sys *sys, int fd, struct node_info *out)
{
	struct drm_amdgpu_info_device info = {0};
	struct drm_amdgpu_info request = {.return_pointer = (uintptr_t)&info,
					  .return_size = sizeof(info),
					  .query = AMDGPU_INFO_DEV_INFO};
	if (sys->ioctl(sys->user, fd, DRM_IOCTL_AMDGPU_INFO, &request) != 0)
		return false;
	*out = (struct node_info){info.device_id, info.num_shader_engines, info.cu_active_number};
	return true;
}

/* radeon answers one number a request; older kernels do not know all of them. */
static uint32_t ask_radeon(const struct sx_sys *sys, int fd, uint32_t what)
{
	uint32_t value = 0;
	struct drm_radeon_info request = {.request = what, .value = (uintptr_t)&value};
	return sys->ioctl(sys->user, fd, DRM_IOCTL_RADEON_INFO, &request) == 0 ? value : 0;
}

static bool read_radeon(const struct sx_sys *sys, int fd, struct node_info *out)
{
	*out = (struct node_info){.pci_id = ask_radeon(sys, fd, RADEON_INFO_DEVICE_ID),
				  .engines = ask_radeon(sys, fd, RADEON_INFO_MAX_SE),
				  .units = ask_radeon(sys, fd, RADEON_INFO_ACTIVE_CU_COUNT)};
	return out->pci_id != 0;
}

static bool read_node(const struct sx_sys *sys, const char *path, struct node_info *out)
{
	char name[32] = "";
	struct drm_version version = {.name_len = sizeof(name) - 1, .name = name};
	bool known = false;
	int fd = sys->open(sys->user, path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (sys->ioctl(sys->user, fd, DRM_IOCTL_VERSION, &version) != 0)
		known = false;
	else if (strcmp(name, "amdgpu") == 0)
		known = read_amdgpu(sys, fd, out);
	else if (strcmp(name, "radeon") == 0)
		known = read_radeon(sys, fd, out);
	sys->close(sys->user, fd);
	return known;
}

/* Looks for the node by PCI id, or for the only one; 0 or more than one kind: none. */
static bool search_nodes(const struct sx_sys *sys, uint32_t pci_id, struct node_info *out)
{
	uint32_t found = 0;
	for (int i = 0; i < RENDER_NODES; i++) {
		char path[32];
		struct node_info info;
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", RENDER_NODES_MIN + i);
		if (!read_node(sys, path, &info) || (pci_id && info.pci_id != pci_id))
			continue;
		if (found++ && memcmp(&info, out, sizeof(info)) != 0)
			return false;
		*out = info;
	}
	return found > 0;
}

void amdgpu_read_kernel(struct amdgpu_constants *c, const struct amdgpu_device *device,
			const struct sx_sys *sys)
{
	struct node_info info = {0};
	bool known = device->node[0] ? read_node(sys, device->node, &info)
				     : search_nodes(sys, device->pci_id, &info);
	c->device_id = known ? info.pci_id : device->pci_id;
	if (known && info.engines && info.units)
		amdgpu_set_shape(c, info.engines, info.units);
}

/* Cuts blanks off both ends, in place. */
static char *trim(char *text)
{
	size_t len;
	text += strspn(text, " \t");
	for (len = strlen(text); len && strchr(" \t\n", text[len - 1]); len--)
		text[len - 1] = '\0';
	return text;
}

static bool read_number(const char *text, double *out)
{
	char *end;
	*out = strtod(text, &end);
	return end != text && !*end && isfinite(*out);
}

void amdgpu_read_user(struct amdgpu_constants *c, const char *text,
		      bool (*known)(const void *user, const char *name), const void *user)
{
	char *save = NULL;
	if (strlen(text) >= sizeof(c->names))
		return;
	memcpy(c->names, text, strlen(text) + 1);
	for (char *item = strtok_r(c->names, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		double number;
		char *value = strchr(item, '=');
		if (value)
			*value++ = '\0';
		item = trim(item);
		if (!value || !read_number(trim(value), &number))
			gpa_log(GPA_LOGGING_ERROR, "SEXTANT_GPA_CONSTANTS: %s has no number", item);
		else if (!known(user, item))
			gpa_log(GPA_LOGGING_ERROR,
				"SEXTANT_GPA_CONSTANTS: no constant is called %s", item);
		else
			amdgpu_set(c, item, number);
	}
}
