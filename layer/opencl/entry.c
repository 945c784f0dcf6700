/* The loader's entry points (cl_loader_layers), and the layer's table of functions. */
#include <stddef.h>
#include <string.h>

#include "layer/opencl/layer.h"

#define EXPORT __attribute__((visibility("default")))

cl_icd_dispatch layer_next;
static cl_icd_dispatch table;

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value,
						      size_t *needed)
{
	static const char name[] = "Sextant";
	const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	const void *from = what == CL_LAYER_NAME ? (const void *)name : &version;
	size_t bytes = what == CL_LAYER_NAME ? sizeof(name) : sizeof(version);
	if (what != CL_LAYER_NAME && what != CL_LAYER_API_VERSION)
		return CL_INVALID_VALUE;
	if (value && size < bytes)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, from, bytes);
	if (needed)
		*needed = bytes;
	return CL_SUCCESS;
}

void layer_hook(cl_icd_dispatch *to)
{
	queue_hooks(to);
	events_hooks(to);
	commands_hooks(to);
	buffers_hooks(to);
	images_hooks(to);
	command_buffers_hooks(to);
}

/* Without a channel all entries are the next layer's, so that none of our code runs. */
EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target,
						   cl_uint *entries_ret,
						   const cl_icd_dispatch **layer)
{
	size_t all = sizeof(table) / sizeof(void *);
	if (!target || !entries_ret || !layer)
		return CL_INVALID_VALUE;
	memcpy(&layer_next, target, (entries < all ? entries : all) * sizeof(void *));
	table = layer_next;
	/* A loader may have fewer functions than our headers, but must have all that we replace. */
	if (entries > offsetof(cl_icd_dispatch, clEnqueueSVMUnmap) / sizeof(void *) &&
	    guest_active())
		layer_hook(&table);
	preload_not_needed();
	*entries_ret = entries < all ? entries : (cl_uint)all;
	*layer = &table;
	return CL_SUCCESS;
}
