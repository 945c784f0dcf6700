/*
 * The register programs of a metric set: from the catalog, for this device; and their configuration
 * in the kernel.
 */
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

#define PRIORITIES   64
#define LOOKS	     4
#define REMOVE_TRIES 3

struct build {
	struct sx_catalog *catalog;
	const struct sx_group_info *group;
	uint32_t group_index;
	const struct sx_oa_device *device;
	struct oa_programs *out;
};

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

/* The counters that a request defines. */
static enum sx_status read_definitions(const struct source_request *request,
				       struct oa_flex_counter out[OA_FLEX_COUNTERS],
				       uint32_t *count, struct sx_error *err)
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

static enum sx_status open_catalog(const struct oa_source *s, const struct source_request *request,
				   struct sx_catalog **out, struct sx_error *err)
{
	const char *name = s->card.catalog.name;
	if (request->catalog) {
		*out = sx_catalog_ref(request->catalog);
		return SX_OK;
	}
	if (s->base.catalogs && name[0])
		return sx_catalog_open(s->base.catalogs, name, out, err);
	return catalog_open_inside(OA_CATALOG_INSIDE, out, err);
}

static enum sx_status programs_build(const struct oa_source *s,
				     const struct source_request *request, struct oa_programs *out,
				     struct sx_error *err)
{
	struct build b = {.device = &s->card.device, .out = out};
	struct oa_flex_counter flex[OA_FLEX_COUNTERS];
	uint32_t count;
	enum sx_status status = read_definitions(request, flex, &count, err);
	if (!status)
		status = open_catalog(s, request, &b.catalog, err);
	if (!status)
		status = find_group(&b, request->set, err);
	if (!status)
		status = gather(&b, err);
	for (uint32_t i = 0; !status && i < count; i++)
		status = put_flex(&b, &flex[i], err);
	if (!status) {
		snprintf(out->set, sizeof(out->set), "%s", b.group->name);
		snprintf(out->uuid, sizeof(out->uuid), "%s", b.group->uuid ? b.group->uuid : "");
		if (count || !b.group->uuid)
			oa_programs_rename(out);
	}
	sx_catalog_unref(b.catalog);
	return status;
}

static void programs_finish(struct oa_programs *programs)
{
	for (int i = 0; i < 3; i++)
		free(programs->writes[i].items);
	free(programs->all.items);
}

enum sx_status oa_config_restless(const struct oa_source *s, struct sx_error *err)
{
	error_set(err, SX_ERR_BUSY, "metric set %s comes and goes in the kernel", s->config.set);
	error_because(err, "another program adds and removes configurations all the time");
	error_try(err, "end the other profiler");
	return SX_ERR_BUSY;
}

static enum sx_status config_put(struct oa_source *s, const struct source_request *request,
				 struct sx_error *err)
{
	struct oa_programs programs = {.set = ""};
	struct oa_config *config = &s->config;
	*config = (struct oa_config){0};
	enum sx_status status = programs_build(s, request, &programs, err);
	if (!status)
		status = s->steps->accept_set(s, &programs, err);
	if (!status) {
		memcpy(config->set, programs.set, sizeof(config->set));
		memcpy(config->uuid, programs.uuid, sizeof(config->uuid));
		config->format = programs.format;
		status = SX_AGAIN;
	}
	for (int i = 0; i < LOOKS && status == SX_AGAIN; i++)
		status = s->steps->find_config(s, &programs, err);
	if (status == SX_AGAIN)
		status = oa_config_restless(s, err);
	programs_finish(&programs);
	return status;
}

enum sx_status oa_config_open(struct oa_source *s, const struct source_request *request,
			      struct sx_error *err)
{
	enum sx_status status = config_put(s, request, err);
	if (!status)
		s->card.device.format = s->config.format;
	return status;
}

static enum sx_status config_remove(struct oa_source *s, uint64_t id, struct sx_error *err)
{
	int why = 0;
	for (int tries = 0; tries < REMOVE_TRIES; tries++) {
		why = -s->steps->remove_config(s, id);
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

enum sx_status oa_config_close(struct oa_source *s, struct sx_error *err)
{
	uint64_t id = s->config.id;
	bool added = s->config.added;
	s->config.id = 0;
	s->config.added = false;
	return added ? config_remove(s, id, err) : SX_OK;
}

uint64_t oa_config_find(const struct oa_source *s, const char *uuid)
{
	char file[64];
	snprintf(file, sizeof(file), "metrics/%s/id", uuid);
	return nodes_card_number(s->base.sys, s->card.node.card, file);
}

bool oa_config_removed(struct oa_source *s)
{
	errno = 0;
	uint64_t now = oa_config_find(s, s->config.kernel);
	bool removed = now ? now != s->config.id : errno == ENOENT;
	s->config.added &= !removed;
	return removed;
}

/* Whether the kernel refuses these writes alone; what it takes is removed again. */
static bool refuses(struct oa_source *s, int kind, struct oa_write *items, size_t count)
{
	struct oa_programs part = {.set = ""};
	part.writes[kind] = part.all = (struct oa_writes){.items = items, .count = count};
	oa_programs_rename(&part);
	int id = s->steps->add_config(s, &part);
	if (id > 0)
		config_remove(s, (uint64_t)id, NULL);
	return id == -EINVAL;
}

const struct oa_write *oa_refused_write(struct oa_source *s, int kind,
					const struct oa_writes *writes)
{
	struct oa_write *items = writes->items;
	size_t count = writes->count;
	if (!count || !refuses(s, kind, items, count))
		return NULL;
	/* The half that is refused, until it is one write. */
	while (count > 1) {
		size_t half = count / 2;
		bool first = refuses(s, kind, items, half);
		items += first ? 0 : half;
		count = first ? half : count - half;
	}
	return items;
}
