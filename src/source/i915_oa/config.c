/*
 * A metric set's configuration in the kernel: found by its uuid and compared with what it ought to
 * be, or added. Other tools put programs of their own under the published uuids (IGT's loader keeps
 * the last of several mux programs), so a uuid alone proves nothing.
 */
#include "source/i915_oa/i915_oa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/i915_oa/uapi.h"

#define UUID_LENGTH   36
#define LOOKS	      4
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
static int config_ask(const struct sx_sys *sys, int fd, struct i915_query_config *config)
{
	struct i915_query_item item = {.query_id = I915_QUERY_PERF_CONFIG,
				       .flags = I915_CONFIG_DATA_BY_UUID,
				       .length = sizeof(*config),
				       .data = (uint64_t)(uintptr_t)config};
	struct i915_query query = {.count = 1, .items = (uint64_t)(uintptr_t)&item};
	if (oa_ioctl(sys, fd, I915_QUERY, &query) < 0)
		return -errno;
	return item.length < 0 ? item.length : 0;
}

/* Whether the registers behind the uuid are those of the programs. */
static bool is_ours(const struct sx_sys *sys, int fd, const struct oa_programs *p)
{
	struct i915_query_config there = {.flags = 0};
	const struct oa_writes *w = p->writes;
	memcpy(there.uuid, p->uuid, UUID_LENGTH);
	if (config_ask(sys, fd, &there))
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
	bool same = !config_ask(sys, fd, &there) && equal(&w[SX_PROGRAM_MUX], mux) &&
		    equal(&w[SX_PROGRAM_BOOLEAN], boolean) && equal(&w[SX_PROGRAM_FLEX], flex);
	free(all);
	return same;
}

int i915_config_add(const struct sx_sys *sys, int fd, const struct oa_programs *p)
{
	const struct oa_writes *w = p->writes;
	struct i915_perf_config arg = {.mux_count = (uint32_t)w[SX_PROGRAM_MUX].count,
				       .boolean_count = (uint32_t)w[SX_PROGRAM_BOOLEAN].count,
				       .flex_count = (uint32_t)w[SX_PROGRAM_FLEX].count,
				       .mux = (uint64_t)(uintptr_t)w[SX_PROGRAM_MUX].items,
				       .boolean = (uint64_t)(uintptr_t)w[SX_PROGRAM_BOOLEAN].items,
				       .flex = (uint64_t)(uintptr_t)w[SX_PROGRAM_FLEX].items};
	memcpy(arg.uuid, p->uuid, UUID_LENGTH);
	int id = oa_ioctl(sys, fd, I915_PERF_ADD_CONFIG, &arg);
	return id > 0 ? id : id == 0 ? -EIO : -errno;
}

static enum sx_status cannot_add(const struct sx_sys *sys, int fd, const struct oa_programs *p,
				 int why, struct sx_error *err)
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
		i915_refused_register(sys, fd, p, err);
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

/* One look and, where nothing is found, one attempt to add. SX_AGAIN: it came or went meanwhile. */
static enum sx_status config_look(const struct oa_place *place, struct oa_programs *p,
				  struct i915_config *out, struct sx_error *err)
{
	const struct sx_sys *sys = place->sys;
	const int fd = place->fd;
	out->id = oa_config_find(place, p->uuid);
	if (out->id && !(is_ours(sys, fd, p) && oa_config_find(place, p->uuid) == out->id)) {
		oa_programs_rename(p);
		out->id = oa_config_find(place, p->uuid);
		if (out->id && !is_ours(sys, fd, p))
			return SX_AGAIN;
	}
	memcpy(out->kernel, p->uuid, sizeof(out->kernel));
	if (out->id)
		return SX_OK;
	int id = i915_config_add(sys, fd, p);
	if (id == -EADDRINUSE)
		return SX_AGAIN;
	if (id < 0)
		return cannot_add(sys, fd, p, -id, err);
	out->id = (uint64_t)id;
	out->added = true;
	return SX_OK;
}

static enum sx_status not_of_i915(const struct oa_programs *programs, struct sx_error *err)
{
	error_set(err, SX_ERR_UNSUPPORTED, "metric set %s cannot be counted through i915",
		  programs->set);
	error_because(err, "its report format, %s, is the xe driver's",
		      programs->format_name[0] ? programs->format_name : "none");
	error_try(err, "another set, or the xe driver");
	return SX_ERR_UNSUPPORTED;
}

enum sx_status i915_config_open(const struct oa_place *place,
				const struct oa_programs_request *request, struct i915_config *out,
				struct sx_error *err)
{
	struct oa_programs programs = {.set = ""};
	*out = (struct i915_config){0};
	enum sx_status status = oa_programs_build(request, &programs, err);
	if (!status && (!programs.format || programs.format > SX_OA_HSW_C4_B8))
		status = not_of_i915(&programs, err);
	if (!status) {
		memcpy(out->set, programs.set, sizeof(out->set));
		memcpy(out->uuid, programs.uuid, sizeof(out->uuid));
		out->format = programs.format;
		out->media = programs.media;
		status = SX_AGAIN;
	}
	for (int i = 0; i < LOOKS && status == SX_AGAIN; i++)
		status = config_look(place, &programs, out, err);
	if (status == SX_AGAIN)
		status = oa_programs_restless(programs.set, err);
	oa_programs_finish(&programs);
	return status;
}

static int remove_config(const void *of, uint64_t id)
{
	const struct oa_place *place = of;
	return oa_ioctl(place->sys, place->fd, I915_PERF_REMOVE_CONFIG, &id) >= 0 ? 0 : -errno;
}

enum sx_status i915_config_close(const struct sx_sys *sys, int fd, struct i915_config *config,
				 struct sx_error *err)
{
	const struct oa_place place = {.sys = sys, .fd = fd};
	uint64_t id = config->id;
	bool added = config->added;
	config->id = 0;
	config->added = false;
	return added ? oa_programs_remove(remove_config, &place, id, err) : SX_OK;
}

/*
 * What the kernel refuses of a configuration. It says EINVAL and no more, so parts of the programs
 * are tried until a single register is left.
 */

static const char *const kinds[] = {
    [SX_PROGRAM_MUX] = "mux", [SX_PROGRAM_BOOLEAN] = "boolean", [SX_PROGRAM_FLEX] = "flex"};

/* Whether the kernel refuses these writes alone; what it takes is removed again. */
static bool refuses(const struct sx_sys *sys, int fd, int kind, struct oa_write *items,
		    size_t count)
{
	struct oa_programs part = {.set = ""};
	part.writes[kind] = (struct oa_writes){.items = items, .count = count};
	oa_programs_rename(&part);
	int id = i915_config_add(sys, fd, &part);
	if (id < 0)
		return id == -EINVAL;
	struct i915_config config = {.id = (uint64_t)id, .added = true};
	i915_config_close(sys, fd, &config, NULL);
	return false;
}

void i915_refused_register(const struct sx_sys *sys, int fd, const struct oa_programs *programs,
			   struct sx_error *err)
{
	for (int kind = 0; kind < 3; kind++) {
		struct oa_write *items = programs->writes[kind].items;
		size_t count = programs->writes[kind].count;
		if (!count || !refuses(sys, fd, kind, items, count))
			continue;
		/* The half that is refused, until it is one write. */
		while (count > 1) {
			size_t half = count / 2;
			bool first = refuses(sys, fd, kind, items, half);
			items += first ? 0 : half;
			count = first ? half : count - half;
		}
		error_because(err,
			      "register 0x%x of the %s program is none that the kernel lets "
			      "be written",
			      items->address, kinds[kind]);
		error_try(err, "another metric set, or a newer kernel");
		return;
	}
	error_because(err, "the kernel takes each program, but not all in one configuration");
	error_try(err, "another metric set, or a newer kernel");
}
