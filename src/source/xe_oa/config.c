/*
 * A metric set's configuration in the kernel. It gives no configuration back to be compared, and
 * other tools put programs of their own under the published uuids: a uuid that is taken proves
 * nothing, unless it is one that the writes themselves make.
 */
#include "source/xe_oa/xe_oa.h"
#include "base/error.h"
#include "wire/oa/oa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UUID_LENGTH 36
#define LOOKS	    4
#define MEDIA_FIRST 0x393000u
#define MEDIA_LAST  0x394fffu
#define XEHP	    1255
#define MTL	    1270
#define XE2	    2000
#define NEVER	    UINT16_MAX

/* The driver's words, and the graphics versions whose devices have them. */
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

static int observe(const struct oa_place *place, uint64_t op, void *param)
{
	struct xe_observation arg = {
	    .type = XE_OBSERVE_OA, .op = op, .param = (uint64_t)(uintptr_t)param};
	int result = oa_ioctl(place->sys, place->fd, XE_OBSERVATION, &arg);
	return result < 0 ? -errno : result;
}

/* Adds these writes under the uuid; the kernel's id, or the negative errno. */
static int add(const struct oa_place *place, const char *uuid, const struct oa_write *writes,
	       size_t count)
{
	struct xe_oa_config arg = {.count = (uint32_t)count,
				   .registers = (uint64_t)(uintptr_t)writes};
	memcpy(arg.uuid, uuid, UUID_LENGTH);
	int id = observe(place, XE_OBSERVE_ADD_CONFIG, &arg);
	return id == 0 ? -EIO : id;
}

static int remove_config(const void *place, uint64_t id)
{
	return observe(place, XE_OBSERVE_REMOVE_CONFIG, &id);
}

/* Whether the kernel refuses these writes alone; what it takes is removed again. */
static bool refuses(const struct oa_place *place, struct oa_write *writes, size_t count)
{
	struct oa_programs part = {.set = ""};
	part.writes[0] = (struct oa_writes){.items = writes, .count = count};
	oa_programs_rename(&part);
	int id = add(place, part.uuid, writes, count);
	if (id > 0)
		remove_config(place, (uint64_t)id);
	return id == -EINVAL;
}

/* EINVAL says nothing more: halves are tried until a single register is left. */
static void name_refused(const struct oa_place *place, struct oa_write *writes, size_t count,
			 struct sx_error *err)
{
	if (!refuses(place, writes, count)) {
		error_because(err, "the kernel takes its registers, but not under its uuid");
		error_try(err, "another metric set, or a newer kernel");
		return;
	}
	while (count > 1) {
		size_t half = count / 2;
		bool first = refuses(place, writes, half);
		writes += first ? 0 : half;
		count = first ? half : count - half;
	}
	error_because(err, "register 0x%x is none that the kernel lets be written",
		      writes->address);
	error_try(err, "another metric set, or a newer kernel");
}

static enum sx_status cannot_add(const struct xe_config *config, int why, size_t count,
				 struct sx_error *err)
{
	enum sx_status status =
	    error_errno(err, why, "cannot add metric set %s to the kernel", config->set);
	switch (why) {
	case EACCES:
	case EPERM:
		error_because(err, XE_PARANOID " is 1 and CAP_PERFMON is missing");
		error_try(err, "sudo sysctl " XE_PARANOID "=0");
		return error_as(err, SX_ERR_PERMISSION);
	case EINVAL:
		return error_as(err, SX_ERR_UNSUPPORTED);
	case ENOMEM:
		error_because(err, "the kernel has no memory for %zu register writes", count);
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

/* One attempt under the set's uuid, one under that of the writes. SX_AGAIN: it came or went. */
static enum sx_status config_look(const struct oa_place *place, struct oa_programs *programs,
				  const struct oa_writes *all, struct xe_config *out,
				  struct sx_error *err)
{
	int id =
	    programs->uuid[0] ? add(place, programs->uuid, all->items, all->count) : -EADDRINUSE;
	memcpy(out->kernel, programs->uuid, sizeof(out->kernel));
	if (id == -EADDRINUSE) {
		struct oa_programs own = *programs;
		oa_programs_rename(&own);
		memcpy(out->kernel, own.uuid, sizeof(out->kernel));
		out->id = oa_config_find(place, own.uuid);
		if (out->id)
			return SX_OK; /* the same writes: another one of us, or a killed one's */
		id = add(place, own.uuid, all->items, all->count);
	}
	if (id == -EADDRINUSE)
		return SX_AGAIN;
	if (id < 0) {
		enum sx_status status = cannot_add(out, -id, all->count, err);
		if (id == -EINVAL)
			name_refused(place, all->items, all->count, err);
		return status;
	}
	out->id = (uint64_t)id;
	out->added = true;
	return SX_OK;
}

/* The driver has one flat list: routing first, then what counts, then the EUs' events. */
static enum sx_status flatten(const struct oa_programs *programs, struct oa_writes *out,
			      struct sx_error *err)
{
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

static void config_describe(const struct oa_programs *programs, const struct oa_writes *all,
			    struct xe_config *out)
{
	memcpy(out->set, programs->set, sizeof(out->set));
	memcpy(out->uuid, programs->uuid, sizeof(out->uuid));
	out->format = programs->format;
	for (size_t i = 0; i < all->count && programs->media && !out->media; i++)
		if (all->items[i].address >= MEDIA_FIRST && all->items[i].address <= MEDIA_LAST)
			out->media = all->items[i].address;
	if (programs->media && !out->media)
		out->media = MEDIA_FIRST;
}

enum sx_status xe_config_open(const struct oa_place *place,
			      const struct oa_programs_request *request, struct xe_config *out,
			      struct sx_error *err)
{
	struct oa_programs programs = {.set = ""};
	struct oa_writes all = {.items = NULL};
	uint32_t word;
	*out = (struct xe_config){0};
	enum sx_status status = oa_programs_build(request, &programs, err);
	if (!status && !xe_format_word(request->device->device_id, programs.format, &word))
		status = no_word(&programs, err);
	if (!status)
		status = flatten(&programs, &all, err);
	if (!status) {
		config_describe(&programs, &all, out);
		status = SX_AGAIN;
	}
	for (int i = 0; i < LOOKS && status == SX_AGAIN; i++)
		status = config_look(place, &programs, &all, out, err);
	if (status == SX_AGAIN)
		status = oa_programs_restless(programs.set, err);
	free(all.items);
	oa_programs_finish(&programs);
	return status;
}

enum sx_status xe_config_close(const struct oa_place *place, struct xe_config *config,
			       struct sx_error *err)
{
	uint64_t id = config->id;
	bool added = config->added;
	config->id = 0;
	config->added = false;
	return added ? oa_programs_remove(remove_config, place, id, err) : SX_OK;
}
