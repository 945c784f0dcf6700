/*
 * The Xe OA source: an observation stream of one OA unit, system-wide. Reports are handed on as
 * records, behind a pair of CPU and GPU time.
 */
#include "source/xe_oa/xe_oa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "wire/oa/oa.h"

static struct xe_oa *from(struct oa_source *source)
{
	return (struct xe_oa *)source;
}

static void add_constant(struct xe_oa *s, const char *name, uint32_t value)
{
	if (value) /* else the number is unknown */
		s->constants[s->oa.desc.facts.constant_count++] =
		    (struct sx_constant_value){name, value};
}

static void describe_constants(struct xe_oa *s)
{
	sx_oa_device_constants(&s->oa.card.device, &s->known);
	memcpy(s->constants, s->known.items, s->known.count * sizeof(s->constants[0]));
	s->oa.desc.facts.constants = s->constants;
	s->oa.desc.facts.constant_count = s->known.count;
	add_constant(s, "L3BankTotalCount", s->l3_banks);
	add_constant(s, "ComputeEngineTotalCount", s->compute_engines);
	add_constant(s, "CopyEngineTotalCount", s->copy_engines);
}

static void xe_describe(struct oa_source *source)
{
	struct xe_oa *s = from(source);
	snprintf(s->oa.driver, sizeof(s->oa.driver), "xe observation, %s",
		 COUNTED(s->unit_count, "OA unit"));
	s->oa.desc.clock_error_ns = 1000;
	describe_constants(s);
}

/* The session uses the render unit's clock; a media unit with another one needs a note. */
static const char *clock_note(struct xe_oa *s)
{
	uint64_t hz = s->unit->timestamp_hz, usual = s->units[0].timestamp_hz;
	if (s->clock_reported || hz == usual)
		return NULL;
	s->clock_reported = true;
	snprintf(s->oa.note, sizeof(s->oa.note),
		 "this unit counts time at %llu Hz, formulas take %llu: --const "
		 "GpuTimestampFrequency=%llu mends them",
		 (unsigned long long)hz, (unsigned long long)usual, (unsigned long long)hz);
	return s->oa.note;
}

/* A note that is due: of the start, or of a kind of loss that rows do not show by themselves. */
static const char *xe_note(struct oa_source *source)
{
	struct xe_oa *s = from(source);
	uint32_t fresh = s->ever & ~s->noted;
	const char *clock = clock_note(s);
	if (clock)
		return clock;
	if (!s->oa.reported) {
		s->oa.reported = true;
		return OA_COUNTS_ALL;
	}
	s->noted |= s->ever;
	if (fresh & XE_STATUS_COUNTER_OVERFLOW)
		return "a counter of the OA unit overflowed: sums begin anew there; a shorter "
		       "--interval avoids it";
	if (fresh & XE_STATUS_TRIGGERS_FULL)
		return "reports that other programs triggered were lost; the periodic ones are "
		       "complete";
	return NULL;
}

/* A device that went is silent: it is asked when reports fail to come. */
static uint64_t xe_due_ns(struct oa_source *source)
{
	const struct xe_oa *s = from(source);
	return s->ever & ~s->noted ? 0 : xe_stream_silent_ns(s, 17);
}

/*
 * A metric set's configuration in the kernel. It gives no configuration back to be compared, and
 * other tools put programs of their own under the published uuids: a uuid that is taken proves
 * nothing, unless it is one that the writes themselves make.
 */

#define UUID_LENGTH 36
#define MEDIA_FIRST 0x393000u
#define MEDIA_LAST  0x394fffu
#define XEHP	    1255
#define MTL	    1270
#define XE2	    2000
#define NEVER	    UINT16_MAX

/* The driver's words, and the graphics versions with devices that have them. */
static const struct {
	enum sx_oa_format format;
	uint32_t word;
	uint16_t from, to;
} words[] = {
    {SX_OA_C4_B8, XE_FORMAT(XE_FMT_OAG, 7, 0, 0), 1200, XEHP - 1},
    {SX_OA_A12, XE_FORMAT(XE_FMT_OAG, 0, 0, 0), 1200, XEHP - 1},
    {SX_OA_A12_B8_C8, XE_FORMAT(XE_FMT_OAG, 2, 0, 0), 1200, XEHP - 1},
    {SX_OA_A32U40_A4U32_B8_C8, XE_FORMAT(XE_FMT_OAG, 5, 0, 0), 1200, XEHP - 1},
    {SX_OA_A24U40_A14U32_B8_C8, XE_FORMAT(XE_FMT_OAG, 5, 0, 0), XEHP, XE2 - 1},
    {SX_OA_MPEC8U64_B8_C8, XE_FORMAT(XE_FMT_OAM_MPEC, 1, 0, 0), MTL, NEVER},
    {SX_OA_MPEC8U32_B8_C8, XE_FORMAT(XE_FMT_OAM_MPEC, 2, 0, 0), MTL, NEVER},
    {SX_OA_PEC64U64, XE_FORMAT(XE_FMT_PEC, 1, 1, 0), XE2, NEVER},
    {SX_OA_PEC64U64_B8_C8, XE_FORMAT(XE_FMT_PEC, 1, 1, 1), XE2, NEVER},
    {SX_OA_PEC64U32, XE_FORMAT(XE_FMT_PEC, 1, 0, 0), XE2, NEVER},
    {SX_OA_PEC32U64_G1, XE_FORMAT(XE_FMT_PEC, 5, 1, 0), XE2, NEVER},
    {SX_OA_PEC32U32_G1, XE_FORMAT(XE_FMT_PEC, 5, 0, 0), XE2, NEVER},
    {SX_OA_PEC32U64_G2, XE_FORMAT(XE_FMT_PEC, 6, 1, 0), XE2, NEVER},
    {SX_OA_PEC32U32_G2, XE_FORMAT(XE_FMT_PEC, 6, 0, 0), XE2, NEVER},
    {SX_OA_PEC36U64_G1_32_G2_4, XE_FORMAT(XE_FMT_PEC, 3, 1, 0), XE2, NEVER},
    {SX_OA_PEC36U64_G1_4_G2_32, XE_FORMAT(XE_FMT_PEC, 4, 1, 0), XE2, NEVER},
};

bool xe_format_word(uint32_t device_id, enum sx_oa_format format, uint32_t *word)
{
	const struct oa_platform *platform = oa_platform(device_id);
	uint32_t version = platform ? platform->version : XE2;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].format == format && version >= words[i].from &&
		    version <= words[i].to) {
			*word = words[i].word;
			return true;
		}
	return false;
}

static int observe(const struct oa_source *s, uint64_t op, void *param)
{
	struct xe_observation arg = {
	    .type = XE_OBSERVE_OA, .op = op, .param = (uint64_t)(uintptr_t)param};
	int result = oa_ioctl(s->base.sys, s->fd, XE_OBSERVATION, &arg);
	return result < 0 ? -errno : result;
}

static int xe_config_add(struct oa_source *s, const struct oa_programs *programs)
{
	const struct oa_writes *all = &programs->all;
	struct xe_oa_config arg = {.count = (uint32_t)all->count,
				   .registers = (uint64_t)(uintptr_t)all->items};
	memcpy(arg.uuid, programs->uuid, UUID_LENGTH);
	int id = observe(s, XE_OBSERVE_ADD_CONFIG, &arg);
	return id == 0 ? -EIO : id;
}

static int xe_config_remove(struct oa_source *s, uint64_t id)
{
	return observe(s, XE_OBSERVE_REMOVE_CONFIG, &id);
}

static void name_refused(struct oa_source *s, const struct oa_writes *all, struct sx_error *err)
{
	const struct oa_write *write = oa_refused_write(s, 0, all);
	if (write)
		error_because(err, "register 0x%x is none that the kernel lets be written",
			      write->address);
	else
		error_because(err, "the kernel takes its registers, but not under its uuid");
	error_try(err, "another metric set, or a newer kernel");
}

static enum sx_status cannot_add(struct oa_source *s, int why, const struct oa_writes *all,
				 struct sx_error *err)
{
	enum sx_status status =
	    error_errno(err, why, "cannot add metric set %s to the kernel", s->config.set);
	switch (why) {
	case EACCES:
	case EPERM:
		error_because(err, XE_PARANOID " is 1 and CAP_PERFMON is missing");
		error_try(err, "sudo sysctl " XE_PARANOID "=0");
		return error_as(err, SX_ERR_PERMISSION);
	case EINVAL:
		name_refused(s, all, err);
		return error_as(err, SX_ERR_UNSUPPORTED);
	case ENOMEM:
		error_because(err, "the kernel has no memory for %zu register writes", all->count);
		error_try(err, "again when less memory is in use");
		return error_as(err, SX_ERR_NO_MEMORY);
	case ENODEV:
		error_because(err, "this GPU or kernel has no OA unit, or the device went away");
		error_try(err, "a kernel of 6.11 or later; dmesg");
		return error_as(err, SX_ERR_UNSUPPORTED);
	default:
		error_try(err, "sextant doctor");
		return status;
	}
}

/* One attempt under the set's uuid, one under that of the writes. */
static enum sx_status xe_config_look(struct oa_source *s, struct oa_programs *programs,
				     struct sx_error *err)
{
	struct oa_config *out = &s->config;
	struct oa_programs own = *programs;
	int id = programs->uuid[0] ? xe_config_add(s, programs) : -EADDRINUSE;
	memcpy(out->kernel, programs->uuid, sizeof(out->kernel));
	if (id == -EADDRINUSE) {
		oa_programs_rename(&own);
		memcpy(out->kernel, own.uuid, sizeof(out->kernel));
		out->id = oa_config_find(s, own.uuid);
		if (out->id)
			return SX_OK; /* the same writes: another one of us, or a killed one's */
		id = xe_config_add(s, &own);
	}
	if (id == -EADDRINUSE)
		return SX_AGAIN;
	if (id < 0)
		return cannot_add(s, -id, &programs->all, err);
	out->id = (uint64_t)id;
	out->added = true;
	return SX_OK;
}

/* The driver has one flat list: routing first, then what counts, then the EUs' events. */
static enum sx_status flatten(struct oa_programs *programs, struct sx_error *err)
{
	struct oa_writes *out = &programs->all;
	static const int order[] = {SX_PROGRAM_MUX, SX_PROGRAM_BOOLEAN, SX_PROGRAM_FLEX};
	size_t total =
	    programs->writes[0].count + programs->writes[1].count + programs->writes[2].count;
	out->items = calloc(total ? total : 1, sizeof(*out->items));
	if (!out->items)
		return error_nomem(err, "register writes");
	for (size_t i = 0; i < 3; i++) {
		const struct oa_writes *from = &programs->writes[order[i]];
		if (from->count)
			memcpy(out->items + out->count, from->items,
			       from->count * sizeof(*from->items));
		out->count += from->count;
	}
	if (out->count)
		return SX_OK;
	error_set(err, SX_ERR_UNSUPPORTED, "metric set %s has no register program for this GPU",
		  programs->set);
	error_because(err, "the kernel takes no configuration without a register");
	error_try(err, "another set");
	return SX_ERR_UNSUPPORTED;
}

static enum sx_status no_word(const struct oa_programs *programs, struct sx_error *err)
{
	error_set(err, SX_ERR_UNSUPPORTED, "metric set %s cannot be counted through xe",
		  programs->set);
	error_because(err, "the driver has no report format %s on this GPU",
		      programs->format_name[0] ? programs->format_name
					       : sx_oa_format_name(programs->format));
	error_try(err, "another set");
	return SX_ERR_UNSUPPORTED;
}

static enum sx_status xe_config_accept(struct oa_source *s, struct oa_programs *programs,
				       struct sx_error *err)
{
	uint32_t word, *media = &s->config.media;
	if (!xe_format_word(s->card.device.device_id, programs->format, &word))
		return no_word(programs, err);
	enum sx_status status = flatten(programs, err);
	const struct oa_writes *all = &programs->all;
	for (size_t i = 0; i < all->count && programs->media && !*media; i++)
		if (all->items[i].address >= MEDIA_FIRST && all->items[i].address <= MEDIA_LAST)
			*media = all->items[i].address;
	if (programs->media && !*media)
		*media = MEDIA_FIRST;
	return status;
}

static const struct oa_steps xe_steps = {
    .name = "xe",
    .what = "the Xe OA source",
    .kernel = "a kernel of 6.11 or later; virtual functions have none",
    .ops = &source_xe_oa,
    .bytes = sizeof(struct xe_oa),
    .report_bytes = XE_READ,
    .record_bytes = XE_RECORDS,
    .read_files = xe_card_read_files,
    .is_allowed = xe_card_allowed,
    .query_card = xe_card_query,
    .describe = xe_describe,
    .accept_set = xe_config_accept,
    .find_config = xe_config_look,
    .add_config = xe_config_add,
    .remove_config = xe_config_remove,
    .choose_unit = xe_stream_prepare,
    .open_stream = xe_stream_open,
    .stream_refused = xe_stream_refused,
    .begin_stream = xe_stream_begin,
    .read = xe_stream_read,
    .stop = xe_stream_stop,
    .read_pair = xe_read_pair,
    .note = xe_note,
    .due_ns = xe_due_ns};

static void xe_oa_probe(const struct source_host *host, source_found_fn found, void *user)
{
	oa_probe(&xe_steps, host, found, user);
}

static enum sx_status xe_oa_open(const struct source_host *host, const char *id,
				 struct source **out, struct sx_error *err)
{
	return oa_source_open(&xe_steps, host, id, out, err);
}

const struct source_ops source_xe_oa = {
    .name = "xe_oa", .raw = RAW_I915_OA, .probe = xe_oa_probe, .open = xe_oa_open, OA_SOURCE_OPS};
