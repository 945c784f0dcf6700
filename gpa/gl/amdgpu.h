/* Device constants of AMD GPUs, from the kernel and from the user. */
#ifndef GPA_GL_AMDGPU_H
#define GPA_GL_AMDGPU_H

#include <sextant/metric.h>

#include "base/sys.h"

#define AMDGPU_CONSTANTS_MAX 16

struct amdgpu_constants {
	struct sx_constant_value items[AMDGPU_CONSTANTS_MAX];
	uint32_t count;
	uint32_t device_id; /* PCI; 0: unknown */
	char names[1024];   /* of constants that the user gave */
};

/* What is known of the device behind a context. */
struct amdgpu_device {
	char node[64];	 /* its DRM node ("/dev/dri/renderD129"), or "" */
	uint32_t pci_id; /* PCI device id, or 0 */
};

/* Engines, compute units and what follows from them. */
void amdgpu_set_shape(struct amdgpu_constants *constants, double engines, double units);

/*
 * Fills what the kernel says of a device: of its node; without one, of the node with its PCI id;
 * without that, of the only AMD GPU that is here. Of several that differ none is taken. Knows
 * amdgpu and radeon.
 */
void amdgpu_read_kernel(struct amdgpu_constants *out, const struct amdgpu_device *device,
			const struct sx_sys *sys);

/*
 * Adds and replaces what the user says ("NUM_SIMDS=176, NUM_CUS=44"). An entry without a finite
 * number or with a name that `known` does not know is refused by itself, and logged.
 */
void amdgpu_read_user(struct amdgpu_constants *constants, const char *text,
		      bool (*known)(const void *user, const char *name), const void *user);

#endif
