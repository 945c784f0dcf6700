/* Configurations of the fake xe card: what may be written, and who has added what. */
#include "xe_oa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

/* The rule, and from Linux 7.3 on perf's beside it. */
bool fake_xe_may_observe(const struct fake_xe *f)
{
	bool later = atoi(f->kernel) > 7 || (atoi(f->kernel) == 7 && atoi(f->kernel + 2) >= 3);
	return !f->paranoid || f->capable || (later && f->perf_paranoid <= 0);
}

/* What user space may write, of all kinds in one list. */
static bool allowed(const struct fake_xe *f, uint32_t address)
{
	static const struct fake_range ranges[] = {/* EUs' events and the counters' logic */
						   {1200, 9999, 0xe458, 0xe458},
						   {1200, 9999, 0xe558, 0xe558},
						   {1200, 9999, 0xe658, 0xe658},
						   {1200, 9999, 0xe758, 0xe758},
						   {1200, 9999, 0xe45c, 0xe45c},
						   {1200, 9999, 0xe55c, 0xe55c},
						   {1200, 9999, 0xe65c, 0xe65c},
						   {1200, 9999, 0x2b2c, 0x2b2c},
						   {1200, 9999, 0xd900, 0xd91c},
						   {1200, 9999, 0xd920, 0xd93c},
						   {1200, 9999, 0xd940, 0xd97c},
						   {1200, 9999, 0xdc00, 0xdc3c},
						   {1200, 9999, 0xdc40, 0xdc44},
						   {1200, 9999, 0xdc48, 0xdc48},
						   {1200, 9999, 0xdd00, 0xdd48},
						   {1200, 9999, 0x393000, 0x39301c},
						   {1200, 9999, 0x393020, 0x39303c},
						   {1200, 9999, 0x393040, 0x39307c},
						   {1200, 9999, 0x393200, 0x39323c},
						   {2000, 9999, 0x394200, 0x39423c},
						   {2000, 9999, 0x394a00, 0x394a3c},
						   /* routing */
						   {1200, 1999, 0x0d00, 0x0d04},
						   {1200, 1999, 0x0d0c, 0x0d2c},
						   {1200, 1999, 0x9840, 0x9840},
						   {1200, 1999, 0x9884, 0x9888},
						   {1200, 1269, 0x20cc, 0x20cc},
						   {1270, 1999, 0x38d100, 0x38d114},
						   {2000, 9999, 0x5194, 0x5194},
						   {2000, 9999, 0x8704, 0x8704},
						   {2000, 9999, 0xb01c, 0xb01c},
						   {2000, 9999, 0xb1bc, 0xb1bc},
						   {2000, 9999, 0xd0e0, 0xd0f4},
						   {2000, 9999, 0xe18c, 0xe18c},
						   {2000, 9999, 0xe590, 0xe590},
						   {2000, 9999, 0x13000, 0x137fc},
						   {2000, 9999, 0x145194, 0x145194},
						   {2000, 9999, 0x145340, 0x14537c}};
	return address != f->refused_register &&
	       fake_listed(ranges, sizeof(ranges) / sizeof(ranges[0]), f->version, address);
}

struct fake_xe_config *fake_xe_find_config(struct fake_xe *f, uint64_t id)
{
	for (size_t i = 0; i < FAKE_XE_CONFIGS; i++)
		if (f->configs[i].used && f->configs[i].id == id)
			return &f->configs[i];
	return NULL;
}

int fake_xe_add_config(struct fake_xe *f, const struct xe_oa_config *arg)
{
	const uint32_t(*writes)[2] = (const uint32_t(*)[2])(uintptr_t)arg->registers;
	struct fake_xe_config config = {.used = true}, *place = NULL;
	if (!fake_xe_may_observe(f))
		return fake_refuse(EACCES);
	if (arg->extensions || !arg->registers || !arg->count || !fake_uuid_is_valid(arg->uuid))
		return fake_refuse(EINVAL);
	memcpy(config.uuid, arg->uuid, 36);
	for (uint32_t i = 0; i < arg->count; i++) {
		if (!allowed(f, writes[i][0]))
			return fake_refuse(EINVAL);
		config.tests |= writes[i][0] == 0x13010 && writes[i][1] == 0x3e00;
	}
	for (size_t i = 0; i < FAKE_XE_CONFIGS; i++) {
		if (f->configs[i].used && strcmp(f->configs[i].uuid, config.uuid) == 0)
			return fake_refuse(EADDRINUSE);
		if (!f->configs[i].used && !place)
			place = &f->configs[i];
	}
	if (!place)
		return fake_refuse(ENOMEM);
	config.id = f->next_id++;
	*place = config;
	return (int)config.id;
}

int fake_xe_remove_config(struct fake_xe *f, uint64_t id)
{
	struct fake_xe_config *config = fake_xe_find_config(f, id);
	if (!fake_xe_may_observe(f))
		return fake_refuse(EACCES);
	if (!config)
		return fake_refuse(ENOENT);
	config->used = false;
	return 0;
}

void fake_xe_add_foreign(struct fake_xe *f, const char *uuid, uint64_t id)
{
	struct fake_xe_config *config = &f->configs[0];
	*config = (struct fake_xe_config){.used = true, .id = id};
	snprintf(config->uuid, sizeof(config->uuid), "%s", uuid);
}

unsigned fake_xe_config_count(const struct fake_xe *f)
{
	unsigned count = 0;
	for (size_t i = 0; i < FAKE_XE_CONFIGS; i++)
		count += f->configs[i].used;
	return count;
}
