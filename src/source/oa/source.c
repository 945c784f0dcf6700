/* Sources of OA reports, as far as they are the same whichever driver has the stream. */
#include "source/oa/oa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "wire/oa/flex.h"
#include "wire/oa/oa.h"

#define DEFAULT_INTERVAL_NS UINT64_C(10000000)
#define OPEN_TRIES	    3 /* while somebody removes the metric set in between */

static struct oa_source *oa_source(struct source *source)
{
	return (struct oa_source *)source;
}

void oa_source_card(struct oa_source *s, const struct drm_node *node, struct sx_oa_device *device,
		    struct oa_catalog *catalog)
{
	device->device_id = node->device_id;
	device->revision = node->revision;
	s->node = node;
	s->device = device;
	s->catalog = catalog;
}

static void oa_source_describe(struct oa_source *s, bool known)
{
	const char *generation = sx_oa_generation(s->device->device_id);
	snprintf(s->name, sizeof(s->name), "Intel %s 0x%04x", generation ? generation : "GPU",
		 s->device->device_id);
	s->desc = (struct source_desc){.catalog = known ? s->catalog->name : NULL,
				       .facts.name = s->name,
				       .facts.driver = s->driver,
				       .max_interval_ns =
					   oa_period_ns(s->device->timestamp_hz, OA_EXPONENT_MAX),
				       .tells_contexts = true,
				       .programs_sets = true,
				       .facts.set = OA_SET};
	s->steps->describe(s);
}

enum sx_status oa_source_open(const struct oa_steps *steps, const struct source_host *host,
			      const char *id, struct source **out, struct sx_error *err)
{
	struct drm_node node;
	if (!oa_find(steps->driver, host->sys, id, &node))
		return oa_not_found(steps->driver, id, err);
	struct oa_source *s = calloc(1, steps->bytes);
	if (!s)
		return error_nomem(err, steps->what);
	s->base = (struct source){steps->ops, host->sys, host->catalogs, &s->desc};
	s->steps = steps;
	s->fd = s->stream = -1;
	enum sx_status status = steps->open(s, &node, err);
	if (status) {
		oa_source_close(&s->base);
		return status;
	}
	oa_source_describe(s, oa_find_catalog(host->catalogs, s->device->device_id, s->catalog));
	*out = &s->base;
	return SX_OK;
}

enum sx_status oa_source_attempt(const struct oa_steps *steps, const struct source_host *host,
				 const char *id, struct sx_error *err)
{
	struct source *source;
	enum sx_status status = oa_source_open(steps, host, id, &source, err);
	if (status)
		return status;
	struct oa_source *s = oa_source(source);
	s->device->format = oa_format_usual(oa_platform(s->device->device_id));
	s->exponent = OA_EXPONENT_MAX; /* no limit of the rate forbids it */
	s->period_ns = oa_period_ns(s->device->timestamp_hz, s->exponent);
	status = steps->attempt(s, err);
	oa_source_close(source);
	return status;
}

void oa_source_begin(struct oa_source *s, int stream)
{
	s->stream = stream;
	s->state = OA_RUNNING;
	s->course = (struct oa_course){.format = s->device->format,
				       .timestamp_hz = s->device->timestamp_hz,
				       .exponent = s->exponent};
	s->started_ns = sys_now_ns(s->base.sys);
}

void oa_source_close_stream(struct oa_source *s)
{
	const struct sx_sys *sys = s->base.sys;
	if (s->stream >= 0)
		sys->close(sys->user, s->stream);
	s->stream = -1;
}

enum sx_status oa_source_lost(struct oa_source *s, const char *because, struct sx_error *err)
{
	uint64_t now = sys_now_ns(s->base.sys);
	s->state = OA_LOST;
	return oa_stream_lost(s->node->card, now > s->started_ns ? now - s->started_ns : 0, because,
			      err);
}

/* Back to where open() left the device; nothing is kept. */
static void oa_source_forget(struct oa_source *s)
{
	s->steps->end(s);
	s->steps->unconfigure(s, NULL);
}

static enum sx_status open_stream(struct oa_source *s, const struct oa_programs_request *config,
				  uint64_t interval_ns, struct sx_error *err)
{
	for (int i = 0; i < OPEN_TRIES; i++) {
		enum sx_status status = s->steps->configure(s, config, err);
		if (status)
			return status;
		status = s->steps->stream(s, interval_ns, err);
		if (!status)
			return SX_OK;
		s->steps->unconfigure(s, NULL);
		if (status != SX_ERR_NOT_FOUND)
			return status;
	}
	return oa_programs_restless(s->set, err);
}

static struct oa_stream stream_of(const struct oa_source *s)
{
	return (struct oa_stream){.set = s->set,
				  .uuid = s->uuid,
				  .format = s->device->format,
				  .exponent = s->exponent,
				  .period_ns = s->period_ns};
}

enum sx_status oa_source_start(struct source *source, const struct source_request *request,
			       struct sx_error *err)
{
	struct oa_source *s = oa_source(source);
	struct oa_flex_counter flex[OA_FLEX_COUNTERS];
	uint64_t interval = request->interval_ns ? request->interval_ns : DEFAULT_INTERVAL_NS;
	struct oa_programs_request config = {.device = s->device,
					     .catalog = request->catalog,
					     .catalogs = s->base.catalogs,
					     .name = s->catalog->name,
					     .set = request->set,
					     .flex = flex};
	oa_source_forget(s);
	s->told = request->pid == 0;
	enum sx_status status = oa_programs_define(request, flex, &config.flex_count, err);
	if (!status)
		status = open_stream(s, &config, interval, err);
	const struct oa_stream stream = stream_of(s);
	oa_describe_stream(&s->desc, &s->facts, status ? NULL : &stream);
	return status;
}

enum sx_status oa_source_read(struct source *source, int timeout_ms, struct raw_sample *out,
			      struct sx_error *err)
{
	struct oa_source *s = oa_source(source);
	if (s->state == OA_IDLE)
		return error_set(err, SX_ERR_USAGE, "the OA source was not started");
	const char *note = s->steps->note(s);
	if (!note)
		return s->steps->read(s, timeout_ms, out, err);
	*out = (struct raw_sample){
	    .kind = RAW_NOTE, .data = (const uint8_t *)note, .size = strlen(note)};
	return SX_OK;
}

void oa_source_wake(struct source *source, struct source_wake *out)
{
	struct oa_source *s = oa_source(source);
	bool now = s->state != OA_RUNNING || !s->told;
	uint64_t due = s->steps->due_ns ? s->steps->due_ns(s) : UINT64_MAX;
	*out = (struct source_wake){.fd = s->stream, .due_ns = now ? 0 : due};
}

enum sx_status oa_source_stop(struct source *source, struct sx_error *err)
{
	struct oa_source *s = oa_source(source);
	s->steps->stop(s);
	return s->steps->unconfigure(s, err);
}

/* Version, device, topology, and the pair before the first sample. */
size_t oa_source_raw_head(struct source *source, uint8_t *out, size_t cap)
{
	struct oa_source *s = oa_source(source);
	const struct oa_stream stream = stream_of(s);
	size_t size = oa_raw_head(s->device, &stream, out, cap);
	return size + s->steps->pair(s, out + size, cap - size);
}

size_t oa_source_raw_tail(struct source *source, uint8_t *out, size_t cap)
{
	struct oa_source *s = oa_source(source);
	return s->steps->pair(s, out, cap);
}

enum sx_status oa_source_selftest(struct source *source, void (*say)(void *user, const char *line),
				  void *user, struct sx_error *err)
{
	struct oa_source *s = oa_source(source);
	const struct oa_selftest on = {.source = source,
				       .device = s->device,
				       .driver = s->driver,
				       .period_ns = &s->period_ns,
				       .pair = oa_source_raw_tail};
	return oa_selftest(&on, say, user, err);
}

void oa_source_close(struct source *source)
{
	struct oa_source *s = oa_source(source);
	if (!s)
		return;
	const struct sx_sys *sys = s->base.sys;
	oa_source_forget(s);
	if (s->fd >= 0)
		sys->close(sys->user, s->fd);
	s->steps->finish(s);
	free(s);
}
