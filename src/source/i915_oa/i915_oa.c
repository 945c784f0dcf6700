/*
 * The i915 OA source: a perf stream of Broadwell's OA unit, system-wide. What read() gives is
 * handed on as it is, behind a pair of CPU and GPU time. What a card is: files of the kernel,
 * parameters of the driver, and whether it may be measured.
 */
#include "source/i915_oa/i915_oa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "source/i915_oa/uapi.h"
#include "wire/oa/oa.h"

#define TOPOLOGY_LEAST 17
#define TOPOLOGY_BYTES 512
#define QUERY_SINCE    "4.17"

/*
 * A limit of the hardware in Hz. What the hardware can (RP0, RPn) stands above gt_max_freq_mhz and
 * gt_min_freq_mhz, which users set.
 */
static uint32_t frequency_limit(const struct sx_sys *sys, uint32_t card, const char *const files[3])
{
	uint64_t mhz = 0;
	for (int i = 0; i < 3 && !mhz; i++)
		mhz = nodes_card_number(sys, card, files[i], 0);
	return mhz > UINT32_MAX / 1000000 ? 0 : (uint32_t)mhz * 1000000;
}

void i915_card_read_files(const struct sx_sys *sys, struct i915_card *card)
{
	static const char *const least[] = {"gt_RPn_freq_mhz", "gt/gt0/rps_RPn_freq_mhz",
					    "gt_min_freq_mhz"};
	static const char *const most[] = {"gt_RP0_freq_mhz", "gt/gt0/rps_RP0_freq_mhz",
					   "gt_max_freq_mhz"};
	struct sx_oa_device *d = &card->device;
	uint32_t number = card->node.card;
	d->gt_min_hz = frequency_limit(sys, number, least);
	d->gt_max_hz = frequency_limit(sys, number, most);
	card->privileged = nodes_may_perfmon(sys);
	card->paranoid = nodes_read_number(sys, "/proc/sys/dev/i915/perf_stream_paranoid", 1) != 0;
	card->max_rate_hz = nodes_read_number(sys, "/proc/sys/dev/i915/oa_max_sample_rate", 100000);
}

bool i915_card_allowed(const struct i915_card *card, const char **because, const char **remedy)
{
	*because = I915_PARANOID " is 1 and CAP_PERFMON is missing";
	*remedy = "sudo sysctl " I915_PARANOID "=0";
	return !card->paranoid || card->privileged;
}

const char *i915_card_obstacle(const struct sx_sys *sys, const struct i915_card *card,
			       enum sx_status *status, const char **remedy)
{
	const char *because;
	if (!oa_kernel_has_metrics(sys, card->node.card)) {
		*status = SX_ERR_UNSUPPORTED;
		*remedy = I915_OA_KERNEL;
		return "the kernel offers no OA metrics";
	}
	if (!i915_card_allowed(card, &because, remedy)) {
		*status = SX_ERR_PERMISSION;
		return because;
	}
	*remedy = NULL;
	return NULL;
}

/* A parameter of the driver, or 0. */
static uint32_t parameter(const struct sx_sys *sys, int fd, enum i915_param param)
{
	int32_t value = 0;
	struct i915_getparam arg = {(int32_t)param, &value};
	return oa_ioctl(sys, fd, I915_GETPARAM, &arg) < 0 || value < 0 ? 0 : (uint32_t)value;
}

/* Asks for the topology's size, or for as many bytes; an item that fails has an errno for it. */
static enum sx_status topology_ask(const struct sx_sys *sys, int fd, struct i915_query_item *item,
				   struct sx_error *err)
{
	struct i915_query query = {.count = 1, .items = (uint64_t)(uintptr_t)item};
	int why = 0;
	if (oa_ioctl(sys, fd, I915_QUERY, &query) < 0)
		why = errno;
	else if (item->length < 0) /* ENODEV of an item: there is no topology of this GPU */
		why = item->length == -ENODEV ? EOPNOTSUPP : -item->length;
	if (why)
		return oa_query_refused(why, "the GPU's topology", QUERY_SINCE, err);
	if (item->length >= TOPOLOGY_LEAST && item->length <= TOPOLOGY_BYTES)
		return SX_OK;
	error_set(err, SX_ERR_UNSUPPORTED, "the driver's topology has %d bytes", item->length);
	error_because(err, "%d to %d are expected", TOPOLOGY_LEAST, TOPOLOGY_BYTES);
	error_try(err, "another kernel");
	return SX_ERR_UNSUPPORTED;
}

static enum sx_status query_topology(const struct sx_sys *sys, int fd, struct sx_oa_device *d,
				     struct sx_error *err)
{
	uint8_t answer[TOPOLOGY_BYTES] = {0};
	struct i915_query_item item = {.query_id = I915_QUERY_TOPOLOGY};
	enum sx_status status = topology_ask(sys, fd, &item, err);
	item.data = (uint64_t)(uintptr_t)answer;
	if (!status)
		status = topology_ask(sys, fd, &item, err);
	return status ? status : oa_topology_read(answer, (size_t)item.length, d, err);
}

/*
 * The frequency of the timestamp in reports, and of the register that is read beside them. Where
 * the unit counts twice as fast only the newer parameter says so.
 */
static void query_clocks(const struct sx_sys *sys, int fd, struct i915_card *card)
{
	const struct oa_platform *platform = oa_platform(card->device.device_id);
	uint64_t oa = parameter(sys, fd, I915_OA_TIMESTAMP_HZ);
	uint64_t cs = parameter(sys, fd, I915_CS_TIMESTAMP_HZ);
	uint64_t times = oa_counts_twice(platform) ? 2 : 1;
	if (!oa)
		oa = cs ? times * cs : platform ? platform->default_hz : OA_TIMESTAMP_HZ;
	if (!cs)
		cs = oa / times;
	card->device.timestamp_hz = oa;
	card->register_hz = cs;
}

enum sx_status i915_card_query(const struct sx_sys *sys, int fd, struct i915_card *card,
			       struct sx_error *err)
{
	struct sx_oa_device *d = &card->device;
	uint32_t id = parameter(sys, fd, I915_CHIPSET_ID);
	if (id)
		d->device_id = id;
	d->revision = parameter(sys, fd, I915_REVISION);
	d->format = SX_OA_A32U40_A4U32_B8_C8; /* until a set says another */
	query_clocks(sys, fd, card);
	card->perf_revision = parameter(sys, fd, I915_PERF_REVISION);
	if (!card->perf_revision)
		card->perf_revision = 1;
	return query_topology(sys, fd, d, err);
}

uint32_t i915_exponent(const struct i915_card *card, uint64_t interval_ns)
{
	return oa_exponent(&card->device, card->privileged ? 0 : card->max_rate_hz, interval_ns);
}

static struct i915_oa *from(struct oa_source *source)
{
	return (struct i915_oa *)source;
}

static const char *i915_oa_obstacle(const struct sx_sys *sys, const struct drm_node *node,
				    enum sx_status *status, const char **remedy)
{
	struct i915_card card = {.node = *node, .device.device_id = node->device_id};
	i915_card_read_files(sys, &card);
	return i915_card_obstacle(sys, &card, status, remedy);
}

static enum sx_status i915_oa_attempt(const struct source_host *host, const char *id,
				      struct sx_error *err);

static const struct oa_driver i915_driver = {I915_DRIVER, "i915_oa", i915_oa_obstacle,
					     i915_oa_attempt};

static void i915_oa_probe(const struct source_host *host, source_found_fn found, void *user)
{
	oa_probe(&i915_driver, host, found, user);
}

static enum sx_status i915_step_open(struct oa_source *source, const struct drm_node *node,
				     struct sx_error *err)
{
	struct i915_oa *s = from(source);
	const struct sx_sys *sys = s->oa.base.sys;
	s->card.node = *node;
	oa_source_card(&s->oa, &s->card.node, &s->card.device, &s->card.catalog);
	s->buffer = malloc(I915_OA_RECORDS);
	if (!s->buffer)
		return error_nomem(err, "OA reports");
	i915_card_read_files(sys, &s->card);
	enum sx_status status = nodes_open(sys, &s->card.node, &s->oa.fd, err);
	return status ? status : i915_card_query(sys, s->oa.fd, &s->card, err);
}

static void i915_step_describe(struct oa_source *source)
{
	struct i915_oa *s = from(source);
	snprintf(s->oa.driver, sizeof(s->oa.driver), "i915 perf, revision %u",
		 s->card.perf_revision);
	s->oa.desc.min_interval_ns =
	    oa_period_ns(s->card.device.timestamp_hz, i915_exponent(&s->card, 0));
	sx_oa_device_constants(&s->card.device, &s->constants);
	s->oa.desc.facts.constants = s->constants.items;
	s->oa.desc.facts.constant_count = s->constants.count;
}

static enum sx_status i915_step_configure(struct oa_source *source,
					  const struct oa_programs_request *request,
					  struct sx_error *err)
{
	struct i915_oa *s = from(source);
	const struct oa_place place = {s->oa.base.sys, s->oa.fd, s->card.node.card};
	enum sx_status status = i915_config_open(&place, request, &s->config, err);
	s->oa.set = s->config.set;
	s->oa.uuid = s->config.uuid;
	if (!status)
		s->card.device.format = s->config.format;
	return status;
}

static enum sx_status i915_step_unconfigure(struct oa_source *source, struct sx_error *err)
{
	struct i915_oa *s = from(source);
	return i915_config_close(s->oa.base.sys, s->oa.fd, &s->config, err);
}

/* By the format that the set has: how soon its counters wrap limits the period. */
static enum sx_status i915_step_stream(struct oa_source *source, uint64_t interval_ns,
				       struct sx_error *err)
{
	struct i915_oa *s = from(source);
	s->oa.exponent = i915_exponent(&s->card, interval_ns);
	s->oa.period_ns = oa_period_ns(s->card.device.timestamp_hz, s->oa.exponent);
	s->stretched = s->oa.period_ns > 2 * interval_ns;
	if (s->stretched)
		s->oa.told = false;
	return i915_stream_open(s, err);
}

static const char *i915_step_note(struct oa_source *source)
{
	struct i915_oa *s = from(source);
	if (s->oa.told)
		return NULL;
	s->oa.told = true;
	if (!s->stretched)
		return OA_COUNTS_ALL;
	snprintf(s->oa.note, sizeof(s->oa.note),
		 "samples are %.3g ms apart: dev.i915.oa_max_sample_rate allows no more",
		 (double)s->oa.period_ns / 1e6);
	return s->oa.note;
}

static void i915_step_finish(struct oa_source *source)
{
	free(from(source)->buffer);
}

static const struct oa_steps i915_steps = {.driver = &i915_driver,
					   .ops = &source_i915_oa,
					   .bytes = sizeof(struct i915_oa),
					   .what = "the i915 OA source",
					   .open = i915_step_open,
					   .describe = i915_step_describe,
					   .configure = i915_step_configure,
					   .unconfigure = i915_step_unconfigure,
					   .stream = i915_step_stream,
					   .attempt = i915_stream_attempt,
					   .read = i915_stream_read,
					   .stop = i915_stream_drain,
					   .end = i915_stream_close,
					   .pair = i915_oa_pair,
					   .note = i915_step_note,
					   .finish = i915_step_finish};

static enum sx_status i915_oa_open(const struct source_host *host, const char *id,
				   struct source **out, struct sx_error *err)
{
	return oa_source_open(&i915_steps, host, id, out, err);
}

static enum sx_status i915_oa_attempt(const struct source_host *host, const char *id,
				      struct sx_error *err)
{
	return oa_source_attempt(&i915_steps, host, id, err);
}

static bool i915_oa_clock(struct source *source, struct source_clock *out)
{
	*out = ((struct i915_oa *)source)->clock;
	return out->name != NULL;
}

const struct source_ops source_i915_oa = {.name = "i915_oa",
					  .raw = RAW_I915_OA,
					  .probe = i915_oa_probe,
					  .open = i915_oa_open,
					  .start = oa_source_start,
					  .read = oa_source_read,
					  .wake = oa_source_wake,
					  .stop = oa_source_stop,
					  .close = oa_source_close,
					  .raw_head = oa_source_raw_head,
					  .raw_tail = oa_source_raw_tail,
					  .clock = i915_oa_clock,
					  .selftest = oa_source_selftest};
