/*
 * A metric set's configuration in the kernel: found by its uuid and compared with what it ought to
 * be, or added. Other tools put programs of their own under the published uuids (IGT's loader keeps
 * the last of several mux programs), so a uuid alone proves nothing.
 */
#include "source/i915_oa/i915_oa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/i915_oa/uapi.h"

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

int i915_config_add(struct oa_source *s, const struct oa_programs *p)
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

enum sx_status i915_config_look(struct oa_source *s, struct oa_programs *p, struct sx_error *err)
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

enum sx_status i915_config_accept(struct oa_source *s, struct oa_programs *programs,
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

int i915_config_remove(struct oa_source *s, uint64_t id)
{
	return oa_ioctl(s->base.sys, s->fd, I915_PERF_REMOVE_CONFIG, &id) >= 0 ? 0 : -errno;
}
