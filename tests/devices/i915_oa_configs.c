/* Configurations of the fake i915: what may be written, and who has added what. */
#include "i915_oa_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "wire/oa/flex.h"
#include "wire/oa/oa.h"

/* Counts of 0 are filled in; else there has to be room for all. */
static bool give_writes(const struct fake_i915_config *config, int kind, uint32_t *count,
			uint64_t array)
{
	uint32_t have = config->counts[kind], room = *count;
	*count = have;
	if (room && room < have)
		return false;
	if (room && have)
		memcpy((void *)(uintptr_t)array, config->writes[kind],
		       (size_t)have * 2 * sizeof(uint32_t));
	return true;
}

int32_t fake_i915_query_config(const struct fake_i915 *f, const struct i915_query_item *item)
{
	struct i915_query_config *out = (struct i915_query_config *)(uintptr_t)item->data;
	const struct fake_i915_config *found = NULL;
	if (f->no_config_query || item->flags != I915_CONFIG_DATA_BY_UUID)
		return -EINVAL;
	if (item->length == 0)
		return sizeof(*out);
	if ((size_t)item->length < sizeof(*out) || out->flags)
		return -EINVAL;
	for (size_t i = 0; i < FAKE_I915_CONFIGS; i++)
		if (f->configs[i].used && memcmp(f->configs[i].uuid, out->uuid, 36) == 0)
			found = &f->configs[i];
	if (!found)
		return -ENOENT;
	if (!give_writes(found, 0, &out->config.mux_count, out->config.mux) ||
	    !give_writes(found, 1, &out->config.boolean_count, out->config.boolean) ||
	    !give_writes(found, 2, &out->config.flex_count, out->config.flex))
		return -EINVAL;
	memcpy(out->config.uuid, found->uuid, 36);
	return sizeof(*out);
}

/* The kernel's lists of what user space may write, by generation. */
static bool allowed(const struct fake_i915 *f, int kind, uint32_t address)
{
	static const struct fake_range mux[] = {
	    {750, 1100, 0x91b8, 0x91cc},     {750, 1100, 0x9800, 0x9888},
	    {750, 1100, 0xe180, 0xe180},     {750, 750, 0x9e80, 0x9ea4},
	    {750, 750, 0x9ec0, 0x9ec0},	     {750, 750, 0x25100, 0x2ff90},
	    {800, 1100, 0x0d00, 0x0d2c},     {800, 1299, 0x20cc, 0x20cc},
	    {800, 800, 0x182300, 0x1823a4},  {1100, 1100, 0x91c8, 0x91dc},
	    {1200, 1299, 0x0d00, 0x0d04},    {1200, 1299, 0x0d0c, 0x0d2c},
	    {1200, 1299, 0x9840, 0x9840},    {1200, 1299, 0x9884, 0x9888},
	    {1270, 1299, 0x38d100, 0x38d114}};
	static const struct fake_range boolean[] = {
	    {750, 1100, 0x2710, 0x272c},      {750, 1100, 0x2740, 0x275c},
	    {750, 1100, 0x2770, 0x27ac},      {1200, 1299, 0x2b2c, 0x2b2c},
	    {1200, 1299, 0xd900, 0xd91c},     {1200, 1299, 0xd920, 0xd93c},
	    {1200, 1299, 0xd940, 0xd97c},     {1200, 1299, 0xdc00, 0xdc3c},
	    {1200, 1299, 0xdc40, 0xdc44},     {1255, 1299, 0xdc48, 0xdc48},
	    {1255, 1299, 0xdd00, 0xdd48},     {1270, 1299, 0x393000, 0x39301c},
	    {1270, 1299, 0x393020, 0x39303c}, {1270, 1299, 0x393040, 0x39307c},
	    {1270, 1299, 0x393200, 0x39323c}};
	uint32_t version = oa_platform(f->device.device_id)->version;
	if (address % 4)
		return false;
	if (kind == 0)
		return fake_listed(mux, sizeof(mux) / sizeof(mux[0]), version, address);
	if (kind == 1)
		return fake_listed(boolean, sizeof(boolean) / sizeof(boolean[0]), version, address);
	char text[16];
	snprintf(text, sizeof(text), "0x%x", address);
	return version > 750 && oa_flex_register(text) != 0;
}

static void free_writes(struct fake_i915_config *config)
{
	for (int kind = 0; kind < 3; kind++) {
		free(config->writes[kind]);
		config->writes[kind] = NULL;
	}
}

static bool take_writes(const struct fake_i915 *f, struct fake_i915_config *config, int kind,
			uint64_t array, uint32_t count)
{
	const uint32_t(*writes)[2] = (const uint32_t(*)[2])(uintptr_t)array;
	config->counts[kind] = count;
	config->writes[kind] = malloc(2 * sizeof(uint32_t) * (count + 1));
	for (uint32_t i = 0; i < count; i++) {
		if (!allowed(f, kind, writes[i][0]) || writes[i][0] == f->refused_register)
			return false;
		uint32_t kept = writes[i][0] == I915_CHICKEN2	? I915_CHICKEN2_KEPT
				: writes[i][0] == I915_RC6_EXIT ? I915_RC6_EXIT_KEPT
								: 0;
		config->writes[kind][2 * i] = writes[i][0];
		config->writes[kind][2 * i + 1] = writes[i][1] & ~kept;
		if (kind == 1 && writes[i][0] == 0x27a8 && writes[i][1] == 0x00100001)
			config->tests_ratios = true;
		char text[16];
		snprintf(text, sizeof(text), "0x%x", writes[i][0]);
		if (kind == 2)
			config->flex[(oa_flex_register(text) - 7) / 2] = writes[i][1];
	}
	return true;
}

/* Where a configuration of this uuid goes; NULL and errno when it cannot. */
static struct fake_i915_config *place_for(struct fake_i915 *f, const char *uuid)
{
	struct fake_i915_config *free_one = NULL;
	for (size_t i = 0; i < FAKE_I915_CONFIGS; i++) {
		if (f->configs[i].used && strcmp(f->configs[i].uuid, uuid) == 0) {
			errno = EADDRINUSE;
			return NULL;
		}
		if (!f->configs[i].used && !free_one)
			free_one = &f->configs[i];
	}
	errno = ENOMEM;
	return free_one;
}

int fake_i915_add_config(struct fake_i915 *f, const struct i915_perf_config *arg)
{
	struct fake_i915_config config = {.used = true};
	if (f->add_errno)
		return fake_refuse(f->add_errno);
	if (f->paranoid && !f->capable)
		return fake_refuse(EACCES);
	if (!arg->mux_count && !arg->boolean_count && !arg->flex_count)
		return fake_refuse(EINVAL);
	if ((arg->mux_count && !arg->mux) || (arg->boolean_count && !arg->boolean) ||
	    (arg->flex_count && !arg->flex))
		return fake_refuse(EINVAL);
	memcpy(config.uuid, arg->uuid, 36);
	if (!fake_uuid_is_valid(config.uuid))
		return fake_refuse(EINVAL);
	bool taken = take_writes(f, &config, 0, arg->mux, arg->mux_count) &&
		     take_writes(f, &config, 1, arg->boolean, arg->boolean_count) &&
		     take_writes(f, &config, 2, arg->flex, arg->flex_count);
	struct fake_i915_config *place = taken ? place_for(f, config.uuid) : NULL;
	if (!place) {
		int why = taken ? errno : EINVAL;
		free_writes(&config);
		return fake_refuse(why);
	}
	config.id = f->next_id++;
	*place = config;
	return (int)config.id;
}

struct fake_i915_config *fake_i915_find_config(struct fake_i915 *f, uint64_t id)
{
	for (size_t i = 0; i < FAKE_I915_CONFIGS; i++)
		if (f->configs[i].used && f->configs[i].id == id)
			return &f->configs[i];
	return NULL;
}

int fake_i915_remove_config(struct fake_i915 *f, uint64_t id)
{
	struct fake_i915_config *config = fake_i915_find_config(f, id);
	if (f->paranoid && !f->capable)
		return fake_refuse(EACCES);
	if (!config)
		return fake_refuse(ENOENT);
	config->used = false;
	free_writes(config);
	return 0;
}

void fake_i915_vanish(struct fake_i915 *f, uint64_t id)
{
	fake_i915_remove_config(f, id);
	if (f->takes_over)
		fake_i915_add_foreign(f, "01234567-0123-0123-0123-012345678901", id);
}

void fake_i915_finish(struct fake_i915 *f)
{
	for (size_t i = 0; i < FAKE_I915_CONFIGS; i++)
		free_writes(&f->configs[i]);
}

void fake_i915_add_foreign(struct fake_i915 *f, const char *uuid, uint64_t id)
{
	static const uint32_t half[][2] = {{0x9888, 0x166c01e0}, {0x9888, 0x12170280}};
	struct fake_i915_config *config = &f->configs[0];
	*config = (struct fake_i915_config){.used = true, .id = id};
	snprintf(config->uuid, sizeof(config->uuid), "%s", uuid);
	take_writes(f, config, 0, (uint64_t)(uintptr_t)half, 2);
}

unsigned fake_i915_config_count(const struct fake_i915 *f)
{
	unsigned count = 0;
	for (size_t i = 0; i < FAKE_I915_CONFIGS; i++)
		count += f->configs[i].used;
	return count;
}
