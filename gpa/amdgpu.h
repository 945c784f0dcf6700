/* Device constants of AMD GPUs, from the kernel and from the user. */
#ifndef GPA_AMDGPU_H
#define GPA_AMDGPU_H

#include <sextant/metric.h>

#include "base/sys.h"

#define AMDGPU_CONSTANTS_MAX 16

struct amdgpu_constants {
	struct sx_constant_value items[AMDGPU_CONSTANTS_MAX];
	uint32_t count;
	uint32_t device_id; /* PCI; 0: unknown */
	char names[256];    /* of constants that the user gave */
};

/* Fills what the first amdgpu device says of itself, if there is one. */
void amdgpu_read_kernel(struct amdgpu_constants *out, const struct sx_sys *sys);

/*
 * Fills what the first amdgpu device says of itself; then $SEXTANT_GPA_CONSTANTS
 * ("NUM_SIMDS=176,NUM_CUS=44") adds and replaces.
 */
void amdgpu_read_constants(struct amdgpu_constants *out);

#endif
