/* Commands on buffers and shared virtual memory. */
#include "layer/opencl/layer.h"

#define HOOK static CL_API_ENTRY cl_int CL_API_CALL

HOOK read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
		 size_t size, void *to, cl_uint count, const cl_event *waits, cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_READ, .bytes = size};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueReadBuffer(queue, buffer, blocking, offset, size, to,
						       count, waits, place);
	return enqueue_end(&w, status, &c, "clEnqueueReadBuffer");
}

HOOK write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
		  size_t size, const void *from, cl_uint count, const cl_event *waits,
		  cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_WRITE, .bytes = size};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, from,
							count, waits, place);
	return enqueue_end(&w, status, &c, "clEnqueueWriteBuffer");
}

HOOK read_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *origin,
	       const size_t *host, const size_t *region, size_t row, size_t slice, size_t host_row,
	       size_t host_slice, void *to, cl_uint count, const cl_event *waits, cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_READ};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueReadBufferRect(queue, buffer, blocking, origin, host,
							   region, row, slice, host_row, host_slice,
							   to, count, waits, place);
	c.bytes = region_bytes(region, 1);
	return enqueue_end(&w, status, &c, "clEnqueueReadBufferRect");
}

HOOK write_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *origin,
		const size_t *host, const size_t *region, size_t row, size_t slice, size_t host_row,
		size_t host_slice, const void *from, cl_uint count, const cl_event *waits,
		cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_WRITE};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueWriteBufferRect(queue, buffer, blocking, origin, host,
							    region, row, slice, host_row,
							    host_slice, from, count, waits, place);
	c.bytes = region_bytes(region, 1);
	return enqueue_end(&w, status, &c, "clEnqueueWriteBufferRect");
}

HOOK copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t offset, size_t to_offset,
		 size_t size, cl_uint count, const cl_event *waits, cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_COPY, .bytes = size};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueCopyBuffer(queue, from, to, offset, to_offset, size,
						       count, waits, place);
	return enqueue_end(&w, status, &c, "clEnqueueCopyBuffer");
}

HOOK copy_rect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *origin,
	       const size_t *to_origin, const size_t *region, size_t row, size_t slice,
	       size_t to_row, size_t to_slice, cl_uint count, const cl_event *waits,
	       cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_COPY};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status =
	    layer_next.clEnqueueCopyBufferRect(queue, from, to, origin, to_origin, region, row,
					       slice, to_row, to_slice, count, waits, place);

	c.bytes = region_bytes(region, 1);
	return enqueue_end(&w, status, &c, "clEnqueueCopyBufferRect");
}

HOOK fill_buffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
		 size_t offset, size_t size, cl_uint count, const cl_event *waits, cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_COPY, .bytes = size};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset,
						       size, count, waits, place);
	return enqueue_end(&w, status, &c, "clEnqueueFillBuffer");
}

static CL_API_ENTRY void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer,
						 cl_bool blocking, cl_map_flags flags,
						 size_t offset, size_t size, cl_uint count,
						 const cl_event *waits, cl_event *event,
						 cl_int *status)
{
	struct enqueue w;
	struct wire_counted c = {
	    .kind = flags & CL_MAP_READ ? WIRE_COMMAND_READ : WIRE_COMMAND_OTHER, .bytes = size};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int reported = CL_SUCCESS;
	void *address = layer_next.clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size,
						      count, waits, place, &reported);
	if (status)
		*status = reported;
	if (w.queue && reported == CL_SUCCESS &&
	    flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
		mapping_keep(address, size);
	enqueue_end(&w, reported, &c, "clEnqueueMapBuffer");
	return address;
}

HOOK unmap(cl_command_queue queue, cl_mem object, void *address, cl_uint count,
	   const cl_event *waits, cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_OTHER};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status =
	    layer_next.clEnqueueUnmapMemObject(queue, object, address, count, waits, place);

	if (w.queue && status == CL_SUCCESS)
		mapping_take(address, &c);
	return enqueue_end(&w, status, &c, "clEnqueueUnmapMemObject");
}

HOOK migrate(cl_command_queue queue, cl_uint objects, const cl_mem *list,
	     cl_mem_migration_flags flags, cl_uint count, const cl_event *waits, cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_OTHER};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status =
	    layer_next.clEnqueueMigrateMemObjects(queue, objects, list, flags, count, waits, place);

	return enqueue_end(&w, status, &c, "clEnqueueMigrateMemObjects");
}

HOOK svm_copy(cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t size,
	      cl_uint count, const cl_event *waits, cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_COPY, .bytes = size};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status =
	    layer_next.clEnqueueSVMMemcpy(queue, blocking, to, from, size, count, waits, place);

	return enqueue_end(&w, status, &c, "clEnqueueSVMMemcpy");
}

HOOK svm_fill(cl_command_queue queue, void *to, const void *pattern, size_t pattern_size,
	      size_t size, cl_uint count, const cl_event *waits, cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_COPY, .bytes = size};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueSVMMemFill(queue, to, pattern, pattern_size, size,
						       count, waits, place);
	return enqueue_end(&w, status, &c, "clEnqueueSVMMemFill");
}

HOOK svm_map(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *address,
	     size_t size, cl_uint count, const cl_event *waits, cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {
	    .kind = flags & CL_MAP_READ ? WIRE_COMMAND_READ : WIRE_COMMAND_OTHER, .bytes = size};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status =
	    layer_next.clEnqueueSVMMap(queue, blocking, flags, address, size, count, waits, place);

	if (w.queue && status == CL_SUCCESS &&
	    flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
		mapping_keep(address, size);
	return enqueue_end(&w, status, &c, "clEnqueueSVMMap");
}

HOOK svm_unmap(cl_command_queue queue, void *address, cl_uint count, const cl_event *waits,
	       cl_event *event)
{
	struct enqueue w;
	struct wire_counted c = {.kind = WIRE_COMMAND_OTHER};
	cl_event *place = enqueue_begin(&w, queue, event);
	cl_int status = layer_next.clEnqueueSVMUnmap(queue, address, count, waits, place);
	if (w.queue && status == CL_SUCCESS)
		mapping_take(address, &c);
	return enqueue_end(&w, status, &c, "clEnqueueSVMUnmap");
}

/* A function that the driver does not have remains NULL. */
#define REPLACE(name, hook)                                                                        \
	do {                                                                                       \
		if (layer_next.name)                                                               \
			table->name = hook;                                                        \
	} while (0)

void buffers_hooks(cl_icd_dispatch *table)
{
	REPLACE(clEnqueueReadBuffer, read_buffer);
	REPLACE(clEnqueueWriteBuffer, write_buffer);
	REPLACE(clEnqueueReadBufferRect, read_rect);
	REPLACE(clEnqueueWriteBufferRect, write_rect);
	REPLACE(clEnqueueCopyBuffer, copy_buffer);
	REPLACE(clEnqueueCopyBufferRect, copy_rect);
	REPLACE(clEnqueueFillBuffer, fill_buffer);
	REPLACE(clEnqueueMapBuffer, map_buffer);
	REPLACE(clEnqueueUnmapMemObject, unmap);
	REPLACE(clEnqueueMigrateMemObjects, migrate);
	REPLACE(clEnqueueSVMMemcpy, svm_copy);
	REPLACE(clEnqueueSVMMemFill, svm_fill);
	REPLACE(clEnqueueSVMMap, svm_map);
	REPLACE(clEnqueueSVMUnmap, svm_unmap);
}
