/* Commands on images. Their bytes are the elements of the region times the element size. */
#include "layer/opencl/layer.h"

#define HOOK static CL_API_ENTRY cl_int CL_API_CALL

uint64_t image_region_bytes(cl_mem image, const size_t *region)
{
	size_t element = 0;
	if (layer_next.clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof(element), &element,
				      NULL) != CL_SUCCESS)
		return 0;
	return region_bytes(region, element);
}

static uint64_t image_bytes(const struct enqueue *w, cl_mem image, const size_t *region)
{
	return w->queue ? image_region_bytes(image, region) : 0;
}

HOOK read_image(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
		const size_t *region, size_t row, size_t slice, void *to, cl_uint count,
		const cl_event *waits, cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_READ};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueReadImage(queue, image, blocking, origin, region, row,
						      slice, to, count, waits, place);
	if (status == CL_SUCCESS)
		c.bytes = image_bytes(&w, image, region);
	return enqueue_end(&w, status, &c, "clEnqueueReadImage");
}

HOOK write_image(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
		 const size_t *region, size_t row, size_t slice, const void *from, cl_uint count,
		 const cl_event *waits, cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_WRITE};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueWriteImage(queue, image, blocking, origin, region, row,
						       slice, from, count, waits, place);
	if (status == CL_SUCCESS)
		c.bytes = image_bytes(&w, image, region);
	return enqueue_end(&w, status, &c, "clEnqueueWriteImage");
}

HOOK copy_image(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *origin,
		const size_t *to_origin, const size_t *region, cl_uint count, const cl_event *waits,
		cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_COPY};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueCopyImage(queue, from, to, origin, to_origin, region,
						      count, waits, place);
	if (status == CL_SUCCESS)
		c.bytes = image_bytes(&w, from, region);
	return enqueue_end(&w, status, &c, "clEnqueueCopyImage");
}

HOOK image_to_buffer(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *origin,
		     const size_t *region, size_t offset, cl_uint count, const cl_event *waits,
		     cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_COPY};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueCopyImageToBuffer(queue, from, to, origin, region,
							      offset, count, waits, place);
	if (status == CL_SUCCESS)
		c.bytes = image_bytes(&w, from, region);
	return enqueue_end(&w, status, &c, "clEnqueueCopyImageToBuffer");
}

HOOK buffer_to_image(cl_command_queue queue, cl_mem from, cl_mem to, size_t offset,
		     const size_t *origin, const size_t *region, cl_uint count,
		     const cl_event *waits, cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_COPY};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueCopyBufferToImage(queue, from, to, offset, origin,
							      region, count, waits, place);
	if (status == CL_SUCCESS)
		c.bytes = image_bytes(&w, to, region);
	return enqueue_end(&w, status, &c, "clEnqueueCopyBufferToImage");
}

HOOK fill_image(cl_command_queue queue, cl_mem image, const void *color, const size_t *origin,
		const size_t *region, cl_uint count, const cl_event *waits, cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_COPY};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status =
	    layer_next.clEnqueueFillImage(queue, image, color, origin, region, count, waits, place);

	if (status == CL_SUCCESS)
		c.bytes = image_bytes(&w, image, region);
	return enqueue_end(&w, status, &c, "clEnqueueFillImage");
}

static CL_API_ENTRY void *CL_API_CALL map_image(cl_command_queue queue, cl_mem image,
						cl_bool blocking, cl_map_flags flags,
						const size_t *origin, const size_t *region,
						size_t *row, size_t *slice, cl_uint count,
						const cl_event *waits, cl_event *event,
						cl_int *status)
{
	struct enqueue w;
	struct wire_counted c = {.kind =
				     flags & CL_MAP_READ ? WIRE_COMMAND_READ : WIRE_COMMAND_OTHER};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int reported = CL_SUCCESS;
	void *address = layer_next.clEnqueueMapImage(queue, image, blocking, flags, origin, region,
						     row, slice, count, waits, place, &reported);
	if (status)
		*status = reported;
	if (reported == CL_SUCCESS)
		c.bytes = image_bytes(&w, image, region);
	if (reported == CL_SUCCESS && flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
		mapping_keep(address, c.bytes);
	enqueue_end(&w, reported, &c, "clEnqueueMapImage");
	return address;
}

void images_hooks(cl_icd_dispatch *table)
{
	table->clEnqueueReadImage = read_image;
	table->clEnqueueWriteImage = write_image;
	table->clEnqueueCopyImage = copy_image;
	table->clEnqueueCopyImageToBuffer = image_to_buffer;
	table->clEnqueueCopyBufferToImage = buffer_to_image;
	if (layer_next.clEnqueueFillImage)
		table->clEnqueueFillImage = fill_image;
	table->clEnqueueMapImage = map_image;
}
