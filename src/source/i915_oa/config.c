/* A metric set's configuration in the kernel: found by its uuid, or built from the catalog and
 * added. */
#include "source/i915_oa/i915_oa.h"
#include "source/i915_oa/uapi.h"
#include "base/error.h"
#include "base/mem.h"
#include "catalog/embedded.h"
#include "expr/condition.h"
#include "wire/oa/oa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UUID_LENGTH 36

struct write {
	uint32_t address, value;
};

struct writes {
	struct write *items;
	size_t count, cap;
};

/* Everything that one configuration is built from. */
struct build {
	struct sx_catalog *catalog;
	const struct sx_group_info *group;
	uint32_t group_index;
	const struct i915_card *card;
	struct writes writes[3]; /* by enum sx_program_kind */
	char uuid[UUID_LENGTH + 1];
};

static enum sx_status open_catalog(struct sx_catalog **out, struct sx_error *err)
{
	for (const struct embedded_file *f = embedded_catalogs; f->name; f++)
		if (strcmp(f->name, I915_OA_CATALOG) == 0)
			return sx_catalog_parse(f->begin, (size_t)(f->end - f->begin), f->name, out,
						err);
	return error_set(err, SX_ERR_NOT_FOUND, "catalog %s is not in this build", I915_OA_CATALOG);
}

static double card_constant(void *user, const char *name)
{
	struct sx_oa_constant constants[SX_OA_CONSTANTS_MAX];
	const struct i915_card *card = user;
	uint32_t count = sx_oa_device_constants(&card->device, constants);
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(constants[i].name, name) == 0)
			return constants[i].value;
	return 0; /* a mask without bits */
}

static enum sx_status add_writes(struct writes *to, const struct sx_program_info *program,
				 struct sx_error *err)
{
	const char *at = program->writes;
	for (uint32_t i = 0; i < program->count; i++) {
		struct write write;
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
	struct i915_card card = *b->card;
	for (int32_t priority = 0; priority < 64; priority++)
		for (uint32_t i = 0; i < g->program_count; i++) {
			const struct sx_program_info *p = &g->programs[i];
			bool wanted = false;
			enum sx_status status = SX_OK;
			if (p->priority != priority)
				continue;
			status = condition_holds(p->when, card_constant, &card, &wanted, err);
			if (!status && wanted)
				status = add_writes(&b->writes[p->kind], p, err);
			if (status)
				return status;
		}
	return SX_OK;
}

/* Replaces the field of one counter; a register that the set leaves alone is added. */
static enum sx_status put_flex(struct build *b, const struct sx_oa_flex_counter *flex,
			       struct sx_error *err)
{
	struct writes *writes = &b->writes[SX_PROGRAM_FLEX];
	struct sx_oa_flex_place place;
	size_t i = 0;
	if (!sx_oa_flex_place(flex->counter, &place))
		return error_set(err, SX_ERR_USAGE, "A%u is no flexible counter", flex->counter);
	enum sx_status status = sx_oa_flex_fits(b->catalog, b->group_index, flex, err);
	if (status)
		return status;
	while (i < writes->count && writes->items[i].address != place.address)
		i++;
	if (i == writes->count) {
		if (!mem_grow(&writes->items, &writes->cap, i + 1, sizeof(*writes->items)))
			return error_nomem(err, "register writes");
		writes->items[writes->count++] = (struct write){place.address, 0};
	}
	uint32_t mask = 0xfffu << place.shift;
	writes->items[i].value = (writes->items[i].value & ~mask) | sx_oa_flex_field(&flex->flex)
									<< place.shift;
	return SX_OK;
}

static uint64_t mix(uint64_t hash, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		hash = (hash ^ (value >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
	return hash;
}

/* A name for a configuration of our own: the same writes always get the same one. */
static void make_uuid(struct build *b)
{
	uint64_t hash[2] = {UINT64_C(0xcbf29ce484222325), UINT64_C(0x84222325cbf29ce4)};
	for (int half = 0; half < 2; half++)
		for (int kind = 0; kind < 3; kind++)
			for (size_t i = 0; i < b->writes[kind].count; i++) {
				hash[half] = mix(hash[half], b->writes[kind].items[i].address);
				hash[half] = mix(hash[half], b->writes[kind].items[i].value);
			}
	snprintf(b->uuid, sizeof(b->uuid), "%08x-%04x-4%03x-8%03x-%04x%08x",
		 (uint32_t)(hash[0] >> 32), (uint32_t)(hash[0] >> 16) & 0xffff,
		 (uint32_t)hash[0] & 0xfff, (uint32_t)(hash[1] >> 48) & 0xfff,
		 (uint32_t)(hash[1] >> 32) & 0xffff, (uint32_t)hash[1]);
}

/* The kernel's id of a configuration that is there already; 0 when it is not. */
static uint64_t find_config(const struct sx_sys *sys, uint32_t card, const char *uuid)
{
	char path[128];
	snprintf(path, sizeof(path), "/sys/class/drm/card%u/metrics/%s/id", card, uuid);
	return i915_read_number(sys, path, 0);
}

static enum sx_status add_config(const struct sx_sys *sys, int fd, const struct build *b,
				 struct i915_config *out, struct sx_error *err)
{
	const struct writes *w = b->writes;
	struct i915_perf_config arg = {.mux_count = (uint32_t)w[SX_PROGRAM_MUX].count,
				       .boolean_count = (uint32_t)w[SX_PROGRAM_BOOLEAN].count,
				       .flex_count = (uint32_t)w[SX_PROGRAM_FLEX].count,
				       .mux = (uint64_t)(uintptr_t)w[SX_PROGRAM_MUX].items,
				       .boolean = (uint64_t)(uintptr_t)w[SX_PROGRAM_BOOLEAN].items,
				       .flex = (uint64_t)(uintptr_t)w[SX_PROGRAM_FLEX].items};
	memcpy(arg.uuid, b->uuid, UUID_LENGTH);
	int id = i915_ioctl(sys, fd, I915_PERF_ADD_CONFIG, &arg);
	if (id > 0) {
		out->id = (uint64_t)id;
		out->added = true;
		return SX_OK;
	}
	/* Somebody else may have added it between our look and our call. */
	int why = errno;
	if (why == EADDRINUSE && (out->id = find_config(sys, b->card->number, b->uuid)))
		return SX_OK;
	enum sx_status status =
	    error_errno(err, why, "cannot add metric set %s to the kernel", b->group->name);
	if (why == EACCES || why == EPERM) {
		error_because(err, "adding a configuration needs CAP_PERFMON");
		error_try(err, "sudo sysctl dev.i915.perf_stream_paranoid=0");
		return SX_ERR_PERMISSION;
	}
	error_try(err, why == EINVAL ? "a kernel that lets these registers be written"
				     : "sextant doctor");
	return status;
}

static enum sx_status find_group(struct build *b, const char *set, struct sx_error *err)
{
	uint32_t count;
	const struct sx_group_info *groups = sx_catalog_groups(b->catalog, &count);
	b->group_index = sx_catalog_find_group(b->catalog, set);
	if (b->group_index != SX_NONE) {
		b->group = &groups[b->group_index];
		return SX_OK;
	}
	error_set(err, SX_ERR_NOT_FOUND, "no metric set \"%.64s\"", set);
	error_try(err, "sextant list sets --for %s", I915_OA_CATALOG);
	return SX_ERR_NOT_FOUND;
}

enum sx_status i915_config_open(const struct sx_sys *sys, int fd, const struct i915_card *card,
				struct sx_catalog *catalog, const char *set,
				const struct sx_oa_flex_counter *flex, uint32_t flex_count,
				struct i915_config *out, struct sx_error *err)
{
	struct build b = {.card = card};
	*out = (struct i915_config){0};
	enum sx_status status = SX_OK;
	if (catalog)
		b.catalog = sx_catalog_ref(catalog);
	else
		status = open_catalog(&b.catalog, err);
	if (!status)
		status = find_group(&b, set, err);
	if (!status) {
		snprintf(b.uuid, sizeof(b.uuid), "%s", b.group->uuid);
		out->id = flex_count ? 0 : find_config(sys, card->number, b.uuid);
	}
	if (!status && !out->id) {
		status = gather(&b, err);
		for (uint32_t i = 0; !status && i < flex_count; i++)
			status = put_flex(&b, &flex[i], err);
		if (flex_count)
			make_uuid(&b);
		if (!status && flex_count)
			out->id = find_config(sys, card->number, b.uuid);
		if (!status && !out->id)
			status = add_config(sys, fd, &b, out, err);
	}
	if (!status) {
		snprintf(out->set, sizeof(out->set), "%s", b.group->name);
		memcpy(out->uuid, b.uuid, sizeof(out->uuid));
	}
	for (int i = 0; i < 3; i++)
		free(b.writes[i].items);
	sx_catalog_unref(b.catalog);
	return status;
}

void i915_config_close(const struct sx_sys *sys, int fd, struct i915_config *config)
{
	uint64_t id = config->id;
	int tries = 3;
	while (config->added && tries-- > 0)
		if (i915_ioctl(sys, fd, I915_PERF_REMOVE_CONFIG, &id) >= 0 || errno == ENOENT)
			config->added = false;
	*config = (struct i915_config){0};
}
