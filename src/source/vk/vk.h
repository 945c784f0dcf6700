/* The Vulkan source: what its files share. */
#ifndef SOURCE_VK_H
#define SOURCE_VK_H

#include "source/source.h"

extern const struct source_ops source_vulkan;

struct library_environment;

/*
 * Path of the folder that holds the layer's explicit manifest: $SEXTANT_LAYER_DIR or what belongs
 * to it, in the build tree, or where it is installed. Errors: SX_ERR_NOT_FOUND, also when the
 * library that the manifest names is not there.
 */
enum sx_status vk_layer_find(const struct sx_sys *sys, char *path, size_t size,
			     struct sx_error *err);
/* What a child needs so that the loader puts the layer into it. */
enum sx_status vk_environment(const struct sx_sys *sys, const char *socket,
			      struct library_environment *out, struct sx_error *err);

#endif
