/* What sources of OA reports share, whichever driver has the stream. */
#include "source/oa/oa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/suggest.h"
#include "wire/oa/oa.h"

#define DEFAULT_INTERVAL_NS UINT64_C(10000000)
#define PAIR_TRIES	    3
#define OPEN_TRIES	    3 /* another process may remove the metric set in between */

static struct oa_source *oa_source(struct source *source)
{
	return (struct oa_source *)source;
}

static void oa_source_describe(struct oa_source *s, bool known)
{
	const char *generation = sx_oa_generation(s->card.device.device_id);
	snprintf(s->name, sizeof(s->name), "Intel %s 0x%04x", generation ? generation : "GPU",
		 s->card.device.device_id);
	s->desc = (struct source_desc){.catalog = known ? s->card.catalog.name : NULL,
				       .facts.name = s->name,
				       .facts.driver = s->driver,
				       .shows_contexts = true,
				       .programs_sets = true,
				       .facts.set = OA_SET};
	s->steps->describe(s);
}

/* "i915:card0", "card0", "renderD128", "i915", the source's name. */
static enum sx_status find_card(const struct oa_steps *steps, const struct sx_sys *sys,
				const char *id, struct drm_node *node, struct sx_error *err)
{
	bool any = suggest_is_same(steps->ops->name, id);
	if (nodes_find(sys, steps->name, steps->name, any ? steps->name : id, node))
		return SX_OK;
	error_set(err, SX_ERR_NOT_FOUND, "there is no %s device \"%.64s\"", steps->name, id);
	error_because(err, "no card in /sys/class/drm that %s drives is called so", steps->name);
	error_try(err, "sextant devices");
	return SX_ERR_NOT_FOUND;
}

static enum sx_status open_card(struct oa_source *s, struct sx_error *err)
{
	const struct oa_steps *steps = s->steps;
	const struct sx_sys *sys = s->base.sys;
	s->reports = malloc(steps->report_bytes);
	s->records = steps->record_bytes ? malloc(steps->record_bytes) : NULL;
	if (!s->reports || (steps->record_bytes && !s->records))
		return error_nomem(err, "OA reports");
	steps->read_files(sys, &s->card);
	enum sx_status status = nodes_open(sys, &s->card.node, &s->fd, err);
	return status ? status : steps->query_card(s, err);
}

enum sx_status oa_source_open(const struct oa_steps *steps, const struct source_host *host,
			      const char *id, struct source **out, struct sx_error *err)
{
	struct drm_node node;
	enum sx_status status = find_card(steps, host->sys, id, &node, err);
	if (status)
		return status;
	struct oa_source *s = calloc(1, steps->bytes);
	if (!s)
		return error_nomem(err, steps->what);
	s->base = (struct source){steps->ops, host->sys, host->catalogs, &s->desc};
	s->steps = steps;
	s->fd = s->stream = -1;
	s->card.node = node;
	s->card.device.device_id = node.device_id;
	s->card.device.revision = node.revision;
	status = open_card(s, err);
	if (status) {
		oa_source_close(&s->base);
		return status;
	}
	uint32_t device_id = s->card.device.device_id;
	oa_source_describe(s, oa_find_catalog(host->catalogs, device_id, &s->card.catalog));
	*out = &s->base;
	return SX_OK;
}

/* No limit of the rate forbids the longest period. */
enum sx_status oa_source_attempt(const struct oa_steps *steps, const struct source_host *host,
				 const char *id, struct sx_error *err)
{
	struct source *source;
	enum sx_status status = oa_source_open(steps, host, id, &source, err);
	if (status)
		return status;
	struct oa_source *s = oa_source(source);
	struct sx_oa_device *device = &s->card.device;
	device->format = oa_format_usual(oa_platform(device->device_id));
	s->config = (struct oa_config){.id = OA_NO_CONFIG, .format = device->format, .set = OA_SET};
	s->exponent = OA_EXPONENT_MAX;
	s->period_ns = oa_period_ns(device->timestamp_hz, s->exponent);
	status = steps->choose_unit(s, err);
	int fd = status ? -1 : steps->open_stream(s);
	if (fd >= 0)
		host->sys->close(host->sys->user, fd);
	else if (!status && fd != -EINVAL && fd != -ENOENT) /* all that it lacks is the set */
		status = steps->stream_refused(s, -fd, err);
	oa_source_close(source);
	return status;
}

size_t oa_source_pair(struct oa_source *s, uint8_t *out, size_t cap)
{
	struct oa_pair best = {.took_ns = UINT64_MAX}, pair;
	for (int i = 0; i < PAIR_TRIES; i++)
		if (s->steps->read_pair(s, &pair) && pair.took_ns < best.took_ns)
			best = pair;
	if (best.took_ns == UINT64_MAX)
		return 0;
	s->clock = (struct source_clock){.name = "gpu_timestamp",
					 .own_ns = (uint64_t)((double)best.gpu_ticks * 1e9 /
							      (double)s->card.device.timestamp_hz),
					 .monotonic_ns = best.cpu_ns,
					 .error_ns = (best.took_ns + 1) / 2};
	return oa_write_correlation(out, cap, best.cpu_ns, best.gpu_ticks);
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
	error_set(err, SX_ERR_DEVICE_LOST, "the OA stream of card%u ended after %.3f s",
		  s->card.node.card, (double)(now > s->started_ns ? now - s->started_ns : 0) / 1e9);
	error_because(err, "%s", because);
	error_try(err, "start again once the GPU is back; see dmesg");
	return SX_ERR_DEVICE_LOST;
}

/* Back to where open() left the device; nothing is kept. */
static void oa_source_forget(struct oa_source *s)
{
	oa_source_close_stream(s);
	s->state = OA_IDLE;
	if (s->steps->forget_rest)
		s->steps->forget_rest(s);
	oa_config_close(s, NULL);
}

/* The period and the stream of the configuration. SX_ERR_NOT_FOUND: another process removed it. */
static enum sx_status start_stream(struct oa_source *s, uint64_t interval_ns, struct sx_error *err)
{
	const struct sx_sys *sys = s->base.sys;
	const struct oa_steps *steps = s->steps;
	enum sx_status status = steps->choose_unit(s, err);
	if (status)
		return status;
	s->exponent = oa_exponent(&s->card, interval_ns);
	s->period_ns = oa_period_ns(s->card.device.timestamp_hz, s->exponent);
	if (steps->period_chosen)
		steps->period_chosen(s, interval_ns);
	int fd = steps->open_stream(s);
	if (fd < 0)
		return steps->stream_refused(s, -fd, err);
	if (oa_config_removed(s)) { /* and another one may have its id */
		sys->close(sys->user, fd);
		return SX_ERR_NOT_FOUND;
	}
	s->stream = fd;
	status = steps->begin_stream(s, err);
	if (status)
		return status;
	s->state = OA_RUNNING;
	s->has_last = s->gap = false;
	s->last_ticks = 0;
	s->last_ns = 0;
	s->started_ns = sys_now_ns(sys);
	return SX_OK;
}

static enum sx_status start_set(struct oa_source *s, const struct source_request *request,
				struct sx_error *err)
{
	uint64_t interval_ns = request->interval_ns ? request->interval_ns : DEFAULT_INTERVAL_NS;
	for (int i = 0; i < OPEN_TRIES; i++) {
		enum sx_status status = oa_config_open(s, request, err);
		if (status)
			return status;
		status = start_stream(s, interval_ns, err);
		if (!status)
			return SX_OK;
		oa_config_close(s, NULL);
		if (status != SX_ERR_NOT_FOUND)
			return status;
	}
	return oa_config_restless(s, err);
}

/* As recordings keep it. */
static void describe_stream(struct oa_source *s, bool runs)
{
	s->desc.facts.set = runs ? s->config.set : OA_SET;
	s->desc.interval_ns = runs ? s->period_ns : 0;
	s->desc.property_count = runs ? OA_FACTS : 0;
	s->desc.properties = s->properties;
	if (!runs)
		return;
	snprintf(s->exponent_text, sizeof(s->exponent_text), "%u", s->exponent);
	s->properties[0] =
	    (struct source_property){"format", sx_oa_format_name(s->card.device.format)};
	s->properties[1] = (struct source_property){"exponent", s->exponent_text};
	s->properties[2] = (struct source_property){"uuid", s->config.uuid};
}

enum sx_status oa_source_start(struct source *source, const struct source_request *request,
			       struct sx_error *err)
{
	struct oa_source *s = oa_source(source);
	oa_source_forget(s);
	s->reported = request->pid == 0;
	enum sx_status status = start_set(s, request, err);
	describe_stream(s, !status);
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
	bool now = s->state != OA_RUNNING || !s->reported;
	uint64_t due = s->steps->due_ns ? s->steps->due_ns(s) : UINT64_MAX;
	*out = (struct source_wake){.fd = s->stream, .due_ns = now ? 0 : due};
}

enum sx_status oa_source_stop(struct source *source, struct sx_error *err)
{
	struct oa_source *s = oa_source(source);
	s->steps->stop(s);
	if (s->state != OA_IDLE)
		s->state = OA_STOPPED;
	return oa_config_close(s, err);
}

/* Version, device, topology, and the pair before the first sample. */
size_t oa_source_raw_head(struct source *source, uint8_t *out, size_t cap)
{
	struct oa_source *s = oa_source(source);
	struct sx_oa_device device = s->card.device;
	snprintf(device.set, sizeof(device.set), "%s", s->config.set);
	snprintf(device.uuid, sizeof(device.uuid), "%s", s->config.uuid);
	size_t size = oa_write_version(out, cap);
	size += oa_write_device(out + size, cap - size, &device);
	size += oa_write_topology(out + size, cap - size, &device);
	return size + oa_source_pair(s, out + size, cap - size);
}

size_t oa_source_raw_tail(struct source *source, uint8_t *out, size_t cap)
{
	struct oa_source *s = oa_source(source);
	return oa_source_pair(s, out, cap);
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
	free(s->reports);
	free(s->records);
	free(s);
}
