/* Raw OA data as i915-perf-recorder writes it: what the device is, then records as they come. */
#include "session/oa_record.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "source/i915_oa/i915_oa.h"

#define DEFAULT_NS UINT64_C(10000000000)
#define WAIT_MS	   100
#define HEAD_BYTES 2048

struct sink {
	bool (*write)(void *user, const uint8_t *data, size_t size);
	void *user;
};

/* Version, device, topology, and the pair before the first sample. */
static bool write_head(struct i915_oa *s, const struct sink *sink)
{
	uint8_t head[HEAD_BYTES];
	struct sx_oa_device device = s->card.device;
	snprintf(device.set, sizeof(device.set), "%s", s->config.set);
	snprintf(device.uuid, sizeof(device.uuid), "%s", s->config.uuid);
	size_t size = sx_oa_write_version(head, sizeof(head));
	size += sx_oa_write_device(head + size, sizeof(head) - size, &device);
	size += sx_oa_write_topology(head + size, sizeof(head) - size, &device);
	size += i915_oa_pair(s, head + size, sizeof(head) - size);
	return sink->write(sink->user, head, size);
}

static enum sx_status stream(struct i915_oa *s, uint64_t end_ns, const struct sink *sink,
			     struct sx_error *err)
{
	const struct source_ops *ops = s->base.ops;
	uint8_t pair[64];
	bool more = write_head(s, sink);
	while (more && sys_now_ns(s->base.sys) < end_ns) {
		struct raw_sample raw;
		enum sx_status status = ops->read(&s->base, WAIT_MS, &raw, err);
		if (status == SX_AGAIN)
			continue;
		if (status)
			return status;
		if (raw.kind == RAW_I915_OA)
			more = sink->write(sink->user, raw.data, raw.size);
	}
	/* A pair behind the last sample, so that every time lies between two. */
	size_t size = i915_oa_pair(s, pair, sizeof(pair));
	if (!more || (size && !sink->write(sink->user, pair, size)))
		return error_set(err, SX_ERR_IO, "the recording could not be written");
	return SX_OK;
}

enum sx_status oa_record(const struct sx_sys *sys, const struct sx_oa_recording *recording,
			 bool (*write)(void *user, const uint8_t *data, size_t size), void *user,
			 struct sx_error *err)
{
	const struct source_ops *ops = &source_i915_oa;
	struct sink sink = {write, user};
	struct source_host host = {.sys = sys};
	struct source *source = NULL;
	struct source_request request = {.set = recording->set,
					 .definitions = recording->definitions,
					 .definition_count = recording->definition_count,
					 .interval_ns = recording->interval_ns};
	enum sx_status status = ops->open(&host, recording->device, &source, err);
	if (!status)
		status = ops->start(source, &request, err);
	if (!source)
		return status;
	uint64_t duration = recording->duration_ns ? recording->duration_ns : DEFAULT_NS;
	if (!status)
		status = stream((struct i915_oa *)source, sys_now_ns(sys) + duration, &sink, err);
	ops->stop(source, NULL);
	ops->close(source);
	return status;
}

enum sx_status sx_oa_record(const struct sx_oa_recording *recording,
			    bool (*write)(void *user, const uint8_t *data, size_t size), void *user,
			    struct sx_error *err)
{
	return oa_record(sys_real(), recording, write, user, err);
}
