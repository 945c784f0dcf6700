/*
 * The i915 OA source: a perf stream of Broadwell's OA unit, system-wide. What read() gives is
 * handed on as it is, behind a pair of CPU and GPU time. What a card is: files of the kernel,
 * parameters of the driver, and whether it may be measured.
 */
#include "source/i915_oa/i915_oa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/files.h"
#include "source/i915_oa/uapi.h"
#include "wire/oa/oa.h"

#define I915_SYSCTL    "/proc/sys/dev/i915"
#define TOPOLOGY_LEAST 17
#define TOPOLOGY_BYTES 512
#define QUERY_SINCE    "4.17"

/* What the hardware can (RP0, RPn) is read before what users set. */
static void i915_read_files(const struct sx_sys *sys, struct oa_card *card)
{
	static const char *const least[] = {"gt_RPn_freq_mhz", "gt/gt0/rps_RPn_freq_mhz",
					    "gt_min_freq_mhz", NULL};
	static const char *const most[] = {"gt_RP0_freq_mhz", "gt/gt0/rps_RP0_freq_mhz",
					   "gt_max_freq_mhz", NULL};
	card->device.gt_min_hz = oa_card_limit_hz(sys, card, least);
	card->device.gt_max_hz = oa_card_limit_hz(sys, card, most);
	card->privileged = nodes_may_perfmon(sys);
	card->paranoid = file_number(sys, I915_SYSCTL, "perf_stream_paranoid", 1) != 0;
	card->max_rate_hz = file_number(sys, I915_SYSCTL, "oa_max_sample_rate", 100000);
}

static bool i915_allowed(const struct oa_card *card, const char **because, const char **remedy)
{
	*because = I915_PARANOID " is 1 and CAP_PERFMON is missing";
	*remedy = "sudo sysctl " I915_PARANOID "=0";
	return !card->paranoid || card->privileged;
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
static void query_clocks(struct i915_oa *s)
{
	const struct sx_sys *sys = s->oa.base.sys;
	const struct oa_platform *platform = oa_platform(s->oa.card.device.device_id);
	uint64_t oa = parameter(sys, s->oa.fd, I915_OA_TIMESTAMP_HZ);
	uint64_t cs = parameter(sys, s->oa.fd, I915_CS_TIMESTAMP_HZ);
	uint64_t times = oa_counts_twice(platform) ? 2 : 1;
	if (!oa)
		oa = cs ? times * cs : platform ? platform->default_hz : OA_TIMESTAMP_HZ;
	if (!cs)
		cs = oa / times;
	s->oa.card.device.timestamp_hz = oa;
	s->register_hz = cs;
}

static enum sx_status i915_query(struct oa_source *source, struct sx_error *err)
{
	struct i915_oa *s = (struct i915_oa *)source;
	const struct sx_sys *sys = source->base.sys;
	struct sx_oa_device *d = &source->card.device;
	uint32_t id = parameter(sys, source->fd, I915_CHIPSET_ID);
	if (id)
		d->device_id = id;
	d->revision = parameter(sys, source->fd, I915_REVISION);
	d->format = SX_OA_A32U40_A4U32_B8_C8; /* until a set says another */
	query_clocks(s);
	s->perf_revision = parameter(sys, source->fd, I915_PERF_REVISION);
	if (!s->perf_revision)
		s->perf_revision = 1;
	return query_topology(sys, source->fd, d, err);
}

static void i915_describe(struct oa_source *source)
{
	struct i915_oa *s = (struct i915_oa *)source;
	snprintf(source->driver, sizeof(source->driver), "i915 perf, revision %u",
		 s->perf_revision);
	sx_oa_device_constants(&source->card.device, &s->constants);
	source->desc.facts.constants = s->constants.items;
	source->desc.facts.constant_count = s->constants.count;
}

/* By the format that the set has: how soon its counters wrap limits the period, too. */
static void i915_chosen(struct oa_source *source, uint64_t interval_ns)
{
	struct i915_oa *s = (struct i915_oa *)source;
	s->stretched = source->period_ns > 2 * interval_ns;
	if (s->stretched)
		source->reported = false;
}

static const char *i915_note(struct oa_source *source)
{
	if (source->reported)
		return NULL;
	source->reported = true;
	if (!((struct i915_oa *)source)->stretched)
		return OA_COUNTS_ALL;
	snprintf(source->note, sizeof(source->note),
		 "samples are %.3g ms apart: dev.i915.oa_max_sample_rate allows no more",
		 (double)source->period_ns / 1e6);
	return source->note;
}

/*
 * A metric set's configuration in the kernel: found by its uuid and compared with what it ought to
 * be, or added. Other tools put programs of their own under the published uuids (IGT's loader keeps
 * the last of several mux programs), so a uuid alone proves nothing.
 */

#define UUID_LENGTH   36
#define REGISTERS_MAX 65536

/* What the kernel stores of a write. */
static uint32_t stored(const struct oa_write *write)
{
	if (write->address == I915_CHICKEN2)
		return write->value & ~I915_CHICKEN2_KEPT;
	if (write->address == I915_RC6_EXIT)
		return write->value & ~I915_RC6_EXIT_KEPT;
	return write->value;
}

static bool equal(const struct oa_writes *wanted, const struct oa_write *there)
{
	for (size_t i = 0; i < wanted->count; i++)
		if (wanted->items[i].address != there[i].address ||
		    stored(&wanted->items[i]) != stored(&there[i]))
			return false;
	return true;
}

/* One query for the configuration; its registers go where the counts in it are not 0. */
static int config_ask(const struct oa_source *s, struct i915_query_config *config)
{
	struct i915_query_item item = {.query_id = I915_QUERY_PERF_CONFIG,
				       .flags = I915_CONFIG_DATA_BY_UUID,
				       .length = sizeof(*config),
				       .data = (uint64_t)(uintptr_t)config};
	struct i915_query query = {.count = 1, .items = (uint64_t)(uintptr_t)&item};
	if (oa_ioctl(s->base.sys, s->fd, I915_QUERY, &query) < 0)
		return -errno;
	return item.length < 0 ? item.length : 0;
}

/* Whether the registers behind the uuid are those of the programs. */
static bool is_ours(const struct oa_source *s, const struct oa_programs *p)
{
	struct i915_query_config there = {.flags = 0};
	const struct oa_writes *w = p->writes;
	memcpy(there.uuid, p->uuid, UUID_LENGTH);
	if (config_ask(s, &there))
		return false;
	if (there.config.mux_count != w[SX_PROGRAM_MUX].count ||
	    there.config.boolean_count != w[SX_PROGRAM_BOOLEAN].count ||
	    there.config.flex_count != w[SX_PROGRAM_FLEX].count)
		return false;
	size_t total = w[0].count + w[1].count + w[2].count;
	struct oa_write *all = total && total <= REGISTERS_MAX ? calloc(total, sizeof(*all)) : NULL;
	if (!all)
		return false;
	const struct oa_write *mux = all, *boolean = mux + w[SX_PROGRAM_MUX].count,
			      *flex = boolean + w[SX_PROGRAM_BOOLEAN].count;
	there.config.mux = (uint64_t)(uintptr_t)mux;
	there.config.boolean = (uint64_t)(uintptr_t)boolean;
	there.config.flex = (uint64_t)(uintptr_t)flex;
	memcpy(there.uuid, p->uuid, UUID_LENGTH);
	bool same = !config_ask(s, &there) && equal(&w[SX_PROGRAM_MUX], mux) &&
		    equal(&w[SX_PROGRAM_BOOLEAN], boolean) && equal(&w[SX_PROGRAM_FLEX], flex);
	free(all);
	return same;
}

static int i915_config_add(struct oa_source *s, const struct oa_programs *p)
{
	const struct oa_writes *w = p->writes;
	struct i915_perf_config arg = {.mux_count = (uint32_t)w[SX_PROGRAM_MUX].count,
				       .boolean_count = (uint32_t)w[SX_PROGRAM_BOOLEAN].count,
				       .flex_count = (uint32_t)w[SX_PROGRAM_FLEX].count,
				       .mux = (uint64_t)(uintptr_t)w[SX_PROGRAM_MUX].items,
				       .boolean = (uint64_t)(uintptr_t)w[SX_PROGRAM_BOOLEAN].items,
				       .flex = (uint64_t)(uintptr_t)w[SX_PROGRAM_FLEX].items};
	memcpy(arg.uuid, p->uuid, UUID_LENGTH);
	int id = oa_ioctl(s->base.sys, s->fd, I915_PERF_ADD_CONFIG, &arg);
	return id > 0 ? id : id == 0 ? -EIO : -errno;
}

/* Which register the kernel refuses, of which kind. */
static void name_refused(struct oa_source *s, const struct oa_programs *p, struct sx_error *err)
{
	static const char *const kinds[] = {
	    [SX_PROGRAM_MUX] = "mux", [SX_PROGRAM_BOOLEAN] = "boolean", [SX_PROGRAM_FLEX] = "flex"};
	const struct oa_write *write = NULL;
	int kind = 0;
	while (kind < 3 && !(write = oa_refused_write(s, kind, &p->writes[kind])))
		kind++;
	if (write)
		error_because(err,
			      "register 0x%x of the %s program is none that the kernel lets "
			      "be written",
			      write->address, kinds[kind]);
	else
		error_because(err,
			      "the kernel takes each program, but not all in one configuration");
	error_try(err, "another metric set, or a newer kernel");
}

static enum sx_status cannot_add(struct oa_source *s, const struct oa_programs *p, int why,
				 struct sx_error *err)
{
	enum sx_status status =
	    error_errno(err, why, "cannot add metric set %s to the kernel", p->set);
	switch (why) {
	case EACCES:
	case EPERM:
		error_because(err, "adding a configuration needs CAP_PERFMON");
		error_try(err, "sudo sysctl " I915_PARANOID "=0");
		return error_as(err, SX_ERR_PERMISSION);
	case EINVAL:
		name_refused(s, p, err);
		return error_as(err, SX_ERR_UNSUPPORTED);
	case ENOMEM:
		error_because(err, "the kernel has no memory for %zu register writes",
			      p->writes[0].count + p->writes[1].count + p->writes[2].count);
		error_try(err, "again when less memory is in use");
		return error_as(err, SX_ERR_NO_MEMORY);
	case I915_ENOTSUPP:
	case ENODEV:
		error_because(err, "the kernel has no perf interface for this GPU");
		error_try(err, "%s", I915_OA_KERNEL);
		return error_as(err, SX_ERR_UNSUPPORTED);
	default:
		error_try(err, "sextant doctor");
		return status;
	}
}

static enum sx_status i915_config_look(struct oa_source *s, struct oa_programs *p,
				       struct sx_error *err)
{
	struct oa_config *out = &s->config;
	out->id = oa_config_find(s, p->uuid);
	if (out->id && !(is_ours(s, p) && oa_config_find(s, p->uuid) == out->id)) {
		oa_programs_rename(p);
		out->id = oa_config_find(s, p->uuid);
		if (out->id && !is_ours(s, p))
			return SX_AGAIN;
	}
	memcpy(out->kernel, p->uuid, sizeof(out->kernel));
	if (out->id)
		return SX_OK;
	int id = i915_config_add(s, p);
	if (id == -EADDRINUSE)
		return SX_AGAIN;
	if (id < 0)
		return cannot_add(s, p, -id, err);
	out->id = (uint64_t)id;
	out->added = true;
	return SX_OK;
}

static enum sx_status i915_config_accept(struct oa_source *s, struct oa_programs *programs,
					 struct sx_error *err)
{
	s->config.media = programs->media;
	if (programs->format && programs->format <= SX_OA_HSW_C4_B8)
		return SX_OK;
	error_set(err, SX_ERR_UNSUPPORTED, "metric set %s cannot be counted through i915",
		  programs->set);
	error_because(err, "its report format, %s, is the xe driver's",
		      programs->format_name[0] ? programs->format_name : "none");
	error_try(err, "another set, or the xe driver");
	return SX_ERR_UNSUPPORTED;
}

static int i915_config_remove(struct oa_source *s, uint64_t id)
{
	return oa_ioctl(s->base.sys, s->fd, I915_PERF_REMOVE_CONFIG, &id) >= 0 ? 0 : -errno;
}

static const struct oa_steps i915_steps = {.name = "i915",
					   .what = "the i915 OA source",
					   .kernel = I915_OA_KERNEL,
					   .ops = &source_i915_oa,
					   .bytes = sizeof(struct i915_oa),
					   .report_bytes = OA_PAIR_RECORD + I915_OA_BUFFER,
					   .read_files = i915_read_files,
					   .is_allowed = i915_allowed,
					   .query_card = i915_query,
					   .describe = i915_describe,
					   .accept_set = i915_config_accept,
					   .find_config = i915_config_look,
					   .add_config = i915_config_add,
					   .remove_config = i915_config_remove,
					   .choose_unit = i915_stream_prepare,
					   .period_chosen = i915_chosen,
					   .open_stream = i915_stream_open,
					   .stream_refused = i915_stream_refused,
					   .begin_stream = i915_stream_begin,
					   .read = i915_stream_read,
					   .stop = i915_stream_drain,
					   .forget_rest = i915_stream_forget,
					   .read_pair = i915_read_pair,
					   .note = i915_note};

static void i915_oa_probe(const struct source_host *host, source_found_fn found, void *user)
{
	oa_probe(&i915_steps, host, found, user);
}

static enum sx_status i915_oa_open(const struct source_host *host, const char *id,
				   struct source **out, struct sx_error *err)
{
	return oa_source_open(&i915_steps, host, id, out, err);
}

static bool i915_oa_clock(struct source *source, struct source_clock *out)
{
	*out = ((struct oa_source *)source)->clock;
	return out->name != NULL;
}

const struct source_ops source_i915_oa = {.name = "i915_oa",
					  .raw = RAW_I915_OA,
					  .probe = i915_oa_probe,
					  .open = i915_oa_open,
					  .clock = i915_oa_clock,
					  OA_SOURCE_OPS};
