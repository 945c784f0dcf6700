/* The OpenCL source: what its files share. */
#ifndef SOURCE_CL_CL_H
#define SOURCE_CL_CL_H

#include "source/guest/inject.h"
#include "source/source.h"

extern const struct source_ops source_opencl;

/* Path of the layer. Errors: SX_ERR_NOT_FOUND. */
enum sx_status cl_layer_find(const struct sx_sys *sys, char *path, size_t size,
			     struct sx_error *err);
/* What makes a child's OpenCL loader put the layer between the program and its driver. */
enum sx_status cl_environment(const struct sx_sys *sys, const char *socket,
			      struct library_environment *out, struct sx_error *err);

#endif
