/*
 * What an Xe card is by the kernel's files, and whether it may be observed; and by what the driver
 * answers: units, clocks, topology, engines. Every count is checked.
 */
#include "source/xe_oa/xe_oa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/files.h"
#include "wire/oa/oa.h"

#define PERF_OPENS 7003 /* Linux 7.3: kernel.perf_event_paranoid counts beside the driver's own */

void xe_card_read_files(const struct sx_sys *sys, struct oa_card *card)
{
	static const char *const least[] = {"device/tile0/gt0/freq0/rpn_freq", NULL};
	static const char *const most[] = {"device/tile0/gt0/freq0/rp0_freq", NULL};
	int64_t perf = 1;
	card->device.gt_min_hz = oa_card_limit_hz(sys, card, least);
	card->device.gt_max_hz = oa_card_limit_hz(sys, card, most);
	card->privileged = nodes_may_perfmon(sys);
	card->paranoid = file_number(sys, "/proc/sys/dev/xe", "observation_paranoid", 1) != 0;
	card->perf_open =
	    file_i64(sys, "/proc/sys/kernel", "perf_event_paranoid", &perf) && perf <= 0;
	card->kernel = nodes_kernel_version(sys);
}

bool xe_card_allowed(const struct oa_card *card, const char **because, const char **remedy)
{
	bool later = card->kernel >= PERF_OPENS;
	*remedy = "sudo sysctl " XE_PARANOID "=0";
	if (!card->paranoid || card->privileged || (later && card->perf_open))
		return true;
	if (later)
		*because = XE_PARANOID " is 1, kernel.perf_event_paranoid above 0, "
				       "and CAP_PERFMON is missing";
	else if (card->perf_open)
		*because = XE_PARANOID " is 1 and CAP_PERFMON is missing; "
				       "kernel.perf_event_paranoid helps from Linux 7.3 on";
	else
		*because = XE_PARANOID " is 1 and CAP_PERFMON is missing";
	if (later)
		*remedy = "sudo sysctl " XE_PARANOID "=0, or, since Linux 7.3, "
			  "kernel.perf_event_paranoid=0";
	return false;
}

#define ANSWER_MOST 65536
#define XE_OA_SINCE "6.11"
#define XEHP	    1255
#define GEN12_DSS   6 /* of a slice, before XeCores */
#define MASK_MOST   64
#define DSS_A_SLICE 32

/* A question to the driver, and its answer, of which the first `head` bytes are there. */
struct answer {
	enum xe_query_id id;
	size_t head;
	uint8_t *data;
	size_t size;
};

static enum sx_status impossible(const char *what, struct sx_error *err)
{
	error_set(err, SX_ERR_UNSUPPORTED, "the driver's answer about %s makes no sense", what);
	error_because(err, "its counts do not fit its size");
	error_try(err, "another kernel; sextant was written from that of Linux 7.0");
	return SX_ERR_UNSUPPORTED;
}

/* Asks for the size, then for the answer. free(out->data) in any case. */
static enum sx_status query_ask(const struct xe_oa *s, struct answer *out, struct sx_error *err)
{
	static const char *const names[] = {[XE_QUERY_ENGINES] = "its engines",
					    [XE_QUERY_CONFIG] = "its id",
					    [XE_QUERY_GT_LIST] = "its GTs",
					    [XE_QUERY_GT_TOPOLOGY] = "its topology",
					    [XE_QUERY_OA_UNITS] = "its OA units"};
	const char *what = names[out->id];
	struct xe_device_query query = {.query = out->id};
	if (oa_ioctl(s->oa.base.sys, s->oa.fd, XE_DEVICE_QUERY, &query) < 0)
		return oa_query_refused(errno, what, XE_OA_SINCE, err);
	if (query.size < out->head || query.size > ANSWER_MOST)
		return impossible(what, err);
	out->size = query.size;
	out->data = calloc(1, out->size);
	if (!out->data)
		return error_nomem(err, "an answer of the driver");
	query.data = (uint64_t)(uintptr_t)out->data;
	if (oa_ioctl(s->oa.base.sys, s->oa.fd, XE_DEVICE_QUERY, &query) < 0)
		return oa_query_refused(errno, what, XE_OA_SINCE, err);
	return query.size == out->size ? SX_OK : impossible(what, err);
}

static enum sx_status read_units(const struct answer *a, struct xe_oa *s, struct sx_error *err)
{
	struct xe_query_oa_units head;
	size_t at = sizeof(head);
	memcpy(&head, a->data, sizeof(head));
	for (uint32_t i = 0; i < head.count && s->unit_count < XE_UNITS_MAX; i++) {
		struct xe_oa_unit unit;
		if (a->size - at < sizeof(unit))
			return impossible("its OA units", err);
		memcpy(&unit, a->data + at, sizeof(unit));
		at += sizeof(unit);
		if (unit.engine_count > (a->size - at) / sizeof(struct xe_engine))
			return impossible("its OA units", err);
		struct xe_unit *to = &s->units[s->unit_count++];
		*to = (struct xe_unit){.id = unit.id,
				       .type = unit.type,
				       .capabilities = unit.capabilities,
				       .timestamp_hz = unit.timestamp_hz,
				       .gt_id = unit.gt_id,
				       .has_gt = (unit.capabilities & XE_OA_CAP_GT_ID) != 0,
				       .has_engine = unit.engine_count > 0};
		if (to->has_engine)
			memcpy(&to->engine, a->data + at, sizeof(to->engine));
		if (to->has_engine && !to->has_gt) {
			to->gt_id = to->engine.gt_id;
			to->has_gt = true;
		}
		at += (size_t)unit.engine_count * sizeof(struct xe_engine);
	}
	return SX_OK;
}

static enum sx_status query_units(struct xe_oa *s, struct sx_error *err)
{
	struct answer a = {.id = XE_QUERY_OA_UNITS, .head = sizeof(struct xe_query_oa_units)};
	enum sx_status status = query_ask(s, &a, err);
	if (!status)
		status = read_units(&a, s, err);
	free(a.data);
	if (status || (s->unit_count && s->units[0].timestamp_hz))
		return status;
	error_set(err, SX_ERR_UNSUPPORTED, "the driver serves no OA unit of card%u",
		  s->oa.card.node.card);
	error_because(err, "it lists none with a clock");
	error_try(err, "a kernel of 6.11 or later; virtual functions have none");
	return SX_ERR_UNSUPPORTED;
}

static enum sx_status query_gts(struct xe_oa *s, struct sx_error *err)
{
	struct xe_query_gt_list head = {.count = 0};
	struct answer a = {.id = XE_QUERY_GT_LIST, .head = sizeof(head)};
	enum sx_status status = query_ask(s, &a, err);
	if (!status) {
		memcpy(&head, a.data, sizeof(head));
		if (head.count > (a.size - sizeof(head)) / sizeof(struct xe_gt))
			status = impossible("its GTs", err);
	}
	s->gt_count = status ? 0 : head.count < XE_GTS_MAX ? head.count : XE_GTS_MAX;
	if (!status)
		memcpy(s->gts, a.data + sizeof(head), s->gt_count * sizeof(s->gts[0]));
	free(a.data);
	return status;
}

uint64_t xe_card_reference_hz(const struct xe_oa *s, uint16_t gt_id)
{
	for (uint32_t i = 0; i < s->gt_count; i++)
		if (s->gts[i].gt_id == gt_id)
			return s->gts[i].reference_clock;
	return 0;
}

/* The masks of the GT that renders and computes. */
struct masks {
	uint64_t dss, l3_banks;
	uint32_t eus; /* of each DSS */
};

static uint64_t mask_of(const uint8_t *bytes, size_t size)
{
	uint64_t mask = 0;
	for (size_t i = 0; i < size && i < MASK_MOST / 8; i++)
		mask |= (uint64_t)bytes[i] << 8 * i;
	return mask;
}

static enum sx_status read_masks(const struct answer *a, uint16_t gt_id, struct masks *out,
				 struct sx_error *err)
{
	size_t at = 0;
	while (a->size - at >= sizeof(struct xe_topology_mask)) {
		struct xe_topology_mask head;
		memcpy(&head, a->data + at, sizeof(head));
		at += sizeof(head);
		if (head.bytes > a->size - at)
			return impossible("its topology", err);
		uint64_t mask = head.gt_id == gt_id ? mask_of(a->data + at, head.bytes) : 0;
		at += head.bytes;
		if (head.type == XE_TOPO_DSS_GEOMETRY || head.type == XE_TOPO_DSS_COMPUTE)
			out->dss |= mask;
		else if (head.type == XE_TOPO_L3_BANK)
			out->l3_banks |= mask;
		else if (head.type == XE_TOPO_EU_PER_DSS || head.type == XE_TOPO_SIMD16_EU_PER_DSS)
			out->eus |= (uint32_t)mask;
	}
	return SX_OK;
}

/* One slice of all XeCores, as i915 reports it; a second one where they are more than 32. */
static void set_topology(const struct masks *masks, struct sx_oa_device *d)
{
	const struct oa_platform *platform = oa_platform(d->device_id);
	d->max_slices = masks->dss >> DSS_A_SLICE ? 2 : 1;
	d->max_subslices = platform && platform->version < XEHP ? GEN12_DSS : DSS_A_SLICE;
	d->max_eus = masks->eus ? 32 - (uint32_t)__builtin_clz(masks->eus) : 0;
	d->slice_mask = 0;
	for (uint32_t s = 0; s < d->max_slices; s++) {
		d->subslice_mask[s] = (uint32_t)(masks->dss >> s * DSS_A_SLICE);
		d->slice_mask |= (uint32_t)(d->subslice_mask[s] != 0) << s;
		for (uint32_t n = 0; n < DSS_A_SLICE; n++)
			d->eu_mask[s][n] = d->subslice_mask[s] >> n & 1 ? masks->eus : 0;
	}
}

static enum sx_status query_topology(struct xe_oa *s, struct sx_error *err)
{
	struct answer a = {.id = XE_QUERY_GT_TOPOLOGY, .head = sizeof(struct xe_topology_mask)};
	struct masks masks = {.dss = 0};
	uint16_t gt_id = 0;
	for (uint32_t i = s->gt_count; i-- > 0;)
		if (s->gts[i].type == XE_GT_MAIN)
			gt_id = s->gts[i].gt_id;
	enum sx_status status = query_ask(s, &a, err);
	if (!status)
		status = read_masks(&a, gt_id, &masks, err);
	free(a.data);
	if (status)
		return status;
	set_topology(&masks, &s->oa.card.device);
	s->l3_banks = (uint32_t)__builtin_popcountll(masks.l3_banks);
	return SX_OK;
}

/* How many engines there are of a kind; equations of few metrics ask, so an error is none. */
static void count_engines(struct xe_oa *s)
{
	struct xe_query_engines head;
	struct answer a = {.id = XE_QUERY_ENGINES, .head = sizeof(head)};
	if (!query_ask(s, &a, NULL)) {
		memcpy(&head, a.data, sizeof(head));
		size_t room = (a.size - sizeof(head)) / sizeof(struct xe_query_engine);
		for (size_t i = 0; i < head.count && i < room; i++) {
			struct xe_query_engine engine;
			memcpy(&engine, a.data + sizeof(head) + i * sizeof(engine), sizeof(engine));
			s->compute_engines += engine.instance.engine_class == XE_ENGINE_COMPUTE;
			s->copy_engines += engine.instance.engine_class == XE_ENGINE_COPY;
		}
	}
	free(a.data);
}

/* The driver's own id wins over the one from sysfs. */
static void query_id(struct xe_oa *s)
{
	uint64_t word;
	struct answer a = {.id = XE_QUERY_CONFIG,
			   .head = sizeof(struct xe_query_config) + sizeof(word)};
	if (!query_ask(s, &a, NULL)) {
		memcpy(&word, a.data + sizeof(struct xe_query_config), sizeof(word));
		if (word & 0xffff)
			s->oa.card.device.device_id = (uint32_t)(word & 0xffff);
		s->oa.card.device.revision = (uint32_t)(word >> 16 & 0xff);
	}
	free(a.data);
}

enum sx_status xe_card_query(struct oa_source *source, struct sx_error *err)
{
	struct xe_oa *s = (struct xe_oa *)source;
	query_id(s);
	enum sx_status status = query_units(s, err);
	if (!status)
		status = query_gts(s, err);
	if (!status)
		status = query_topology(s, err);
	if (status)
		return status;
	count_engines(s);
	source->card.device.timestamp_hz = s->units[0].timestamp_hz;
	return SX_OK;
}
