/* The register programs of a metric set: from the catalog, for the device at hand. */
#include "source/oa/oa.h"
#include "base/error.h"
#include "base/mem.h"
#include "catalog/internal.h"
#include "expr/eval.h"
#include "wire/oa/flex.h"
#include "wire/oa/oa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRIORITIES 64

struct build {
	struct sx_catalog *catalog;
	const struct sx_group_info *group;
	uint32_t group_index;
	const struct sx_oa_device *device;
	struct oa_programs *out;
};

static enum sx_status open_catalog(const struct oa_programs_request *request,
				   struct sx_catalog **out, struct sx_error *err)
{
	if (request->catalogs && request->name && request->name[0])
		return sx_catalog_open(request->catalogs, request->name, out, err);
	return catalog_open_inside(OA_CATALOG_INSIDE, out, err);
}

static double device_constant(void *user, const char *name)
{
	struct sx_oa_constants constants;
	sx_oa_device_constants(user, &constants);
	for (uint32_t i = 0; i < constants.count; i++)
		if (strcmp(constants.items[i].name, name) == 0)
			return constants.items[i].value;
	return 0; /* a mask without bits */
}

static enum sx_status add_writes(struct oa_writes *to, const struct sx_program_info *program,
				 struct sx_error *err)
{
	const char *at = program->writes;
	for (uint32_t i = 0; i < program->count; i++) {
		struct oa_write write;
		oa_next_write(&at, &write.address, &write.value);
		if (!mem_grow(&to->items, &to->cap, to->count + 1, sizeof(*to->items)))
			return error_nomem(err, "register writes");
		to->items[to->count++] = write;
	}
	return SX_OK;
}

/* All programs that apply; those of one kind in order of priority. */
static enum sx_status gather(struct build *b, struct sx_error *err)
{
	const struct sx_group_info *g = b->group;
	struct sx_oa_device device = *b->device;
	for (int32_t priority = 0; priority < PRIORITIES; priority++)
		for (uint32_t i = 0; i < g->program_count; i++) {
			const struct sx_program_info *p = &g->programs[i];
			bool wanted = false;
			enum sx_status status = SX_OK;
			if (p->priority != priority)
				continue;
			status = condition_holds(p->when, device_constant, &device, &wanted, err);
			if (!status && wanted)
				status = add_writes(&b->out->writes[p->kind], p, err);
			if (status)
				return status;
		}
	return SX_OK;
}

/* Replaces the field of one counter; a register that the set leaves alone is added. */
static enum sx_status put_flex(struct build *b, const struct oa_flex_counter *flex,
			       struct sx_error *err)
{
	struct oa_writes *writes = &b->out->writes[SX_PROGRAM_FLEX];
	struct oa_flex_place place;
	size_t i = 0;
	if (!oa_flex_place(flex->counter, &place))
		return error_set(err, SX_ERR_USAGE, "A%u is no flexible counter", flex->counter);
	enum sx_status status = oa_flex_fits(b->catalog, b->group_index, flex, err);
	if (status)
		return status;
	while (i < writes->count && writes->items[i].address != place.address)
		i++;
	if (i == writes->count) {
		if (!mem_grow(&writes->items, &writes->cap, i + 1, sizeof(*writes->items)))
			return error_nomem(err, "register writes");
		writes->items[writes->count++] = (struct oa_write){place.address, 0};
	}
	uint32_t mask = 0xfffu << place.shift;
	writes->items[i].value = (writes->items[i].value & ~mask) | oa_flex_field(&flex->flex)
									<< place.shift;
	return SX_OK;
}

static uint64_t mix(uint64_t hash, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		hash = (hash ^ (value >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
	return hash;
}

void oa_programs_rename(struct oa_programs *p)
{
	uint64_t hash[2] = {UINT64_C(0xcbf29ce484222325), UINT64_C(0x84222325cbf29ce4)};
	for (int half = 0; half < 2; half++)
		for (int kind = 0; kind < 3; kind++)
			for (size_t i = 0; i < p->writes[kind].count; i++) {
				hash[half] = mix(hash[half], p->writes[kind].items[i].address);
				hash[half] = mix(hash[half], p->writes[kind].items[i].value);
			}
	snprintf(p->uuid, sizeof(p->uuid), "%08x-%04x-4%03x-8%03x-%04x%08x",
		 (uint32_t)(hash[0] >> 32), (uint32_t)(hash[0] >> 16) & 0xffff,
		 (uint32_t)hash[0] & 0xfff, (uint32_t)(hash[1] >> 48) & 0xfff,
		 (uint32_t)(hash[1] >> 32) & 0xffff, (uint32_t)hash[1]);
}

static enum sx_status find_group(struct build *b, const char *set, struct sx_error *err)
{
	uint32_t count;
	const struct sx_group_info *groups = sx_catalog_groups(b->catalog, &count);
	b->group = oa_group(b->catalog, set);
	if (!b->group) {
		error_set(err, SX_ERR_NOT_FOUND, "no metric set \"%.64s\"",
			  set ? set : "RenderBasic");
		error_try(err, "sextant list sets --for %s", sx_catalog_info(b->catalog)->name);
		return SX_ERR_NOT_FOUND;
	}
	b->group_index = (uint32_t)(b->group - groups);
	b->out->format = b->group->counter_format ? sx_oa_format_find(b->group->counter_format)
						  : SX_OA_A32U40_A4U32_B8_C8;
	snprintf(b->out->format_name, sizeof(b->out->format_name), "%s",
		 b->group->counter_format ? b->group->counter_format : "");
	b->out->media = b->group->unit && strcmp(b->group->unit, "oam") == 0;
	return SX_OK;
}

enum sx_status oa_programs_define(const struct source_request *request,
				  struct oa_flex_counter out[OA_FLEX_COUNTERS], uint32_t *count,
				  struct sx_error *err)
{
	enum sx_status status = SX_OK;
	*count = 0;
	for (uint32_t i = 0; !status && i < request->definition_count; i++) {
		struct oa_flex_counter counter;
		status = oa_flex_parse(request->definitions[i], &counter, err);
		if (!status)
			status = oa_flex_merge(out, count, &counter, err);
	}
	return status;
}

enum sx_status oa_programs_build(const struct oa_programs_request *request, struct oa_programs *out,
				 struct sx_error *err)
{
	struct build b = {.device = request->device, .out = out};
	enum sx_status status = SX_OK;
	if (request->catalog)
		b.catalog = sx_catalog_ref(request->catalog);
	else
		status = open_catalog(request, &b.catalog, err);
	if (!status)
		status = find_group(&b, request->set, err);
	if (!status)
		status = gather(&b, err);
	for (uint32_t i = 0; !status && i < request->flex_count; i++)
		status = put_flex(&b, &request->flex[i], err);
	if (!status) {
		snprintf(out->set, sizeof(out->set), "%s", b.group->name);
		snprintf(out->uuid, sizeof(out->uuid), "%s", b.group->uuid ? b.group->uuid : "");
		if (request->flex_count || !b.group->uuid)
			oa_programs_rename(out);
	}
	sx_catalog_unref(b.catalog);
	return status;
}

void oa_programs_finish(struct oa_programs *programs)
{
	for (int i = 0; i < 3; i++)
		free(programs->writes[i].items);
	*programs = (struct oa_programs){.set = ""};
}

enum sx_status oa_programs_restless(const char *set, struct sx_error *err)
{
	error_set(err, SX_ERR_BUSY, "metric set %s comes and goes in the kernel", set);
	error_because(err, "another program adds and removes configurations all the time");
	error_try(err, "end the other profiler");
	return SX_ERR_BUSY;
}

#define REMOVE_TRIES 3

enum sx_status oa_programs_remove(int (*remove)(const void *place, uint64_t id), const void *place,
				  uint64_t id, struct sx_error *err)
{
	int why = 0;
	for (int tries = 0; tries < REMOVE_TRIES; tries++) {
		why = -remove(place, id);
		if (why <= 0 || why == ENOENT)
			return SX_OK;
	}
	if (why == ENODEV)
		return SX_OK; /* without a device there is no kernel's copy */
	enum sx_status status = error_errno(
	    err, why, "metric set configuration %llu stays in the kernel", (unsigned long long)id);
	error_try(err, "it does no harm; it goes with the next start of the machine");
	return status;
}
