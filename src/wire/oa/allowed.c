/*
 * Which registers the kernels let user space write, by generation: the lists of i915 and, from Xe2
 * on, of xe, which has one list for all kinds of program.
 */
#include "wire/oa/oa.h"

#include <stdio.h>

#define GEN7	750
#define HASWELL 750
#define GEN8	800
#define GEN11	1100
#define GEN12	1200
#define XEHP	1255
#define MTL	1270
#define XE2	2000
#define LATEST	UINT16_MAX

struct range {
	uint16_t from, to; /* graphics versions, times 100 */
	uint32_t first, last;
};

static const struct range mux[] = {
    {GEN7, GEN11, 0x91b8, 0x91cc},	{GEN7, GEN11, 0x9800, 0x9888},
    {GEN7, GEN11, 0xe180, 0xe180},	{HASWELL, HASWELL, 0x9e80, 0x9ea4},
    {HASWELL, HASWELL, 0x9ec0, 0x9ec0}, {HASWELL, HASWELL, 0x25100, 0x2ff90},
    {GEN8, GEN8, 0x182300, 0x1823a4}, /* Cherryview */
    {GEN8, GEN11, 0x0d00, 0x0d2c},	{GEN8, MTL - 1, 0x20cc, 0x20cc},
    {GEN11, GEN11, 0x91c8, 0x91dc},	{GEN12, XE2 - 1, 0x0d00, 0x0d04},
    {GEN12, XE2 - 1, 0x0d0c, 0x0d2c},	{GEN12, XE2 - 1, 0x9840, 0x9840},
    {GEN12, XE2 - 1, 0x9884, 0x9888},	{MTL, XE2 - 1, 0x38d100, 0x38d114},
    {XE2, LATEST, 0x5194, 0x5194},	{XE2, LATEST, 0x8704, 0x8704},
    {XE2, LATEST, 0xb01c, 0xb01c},	{XE2, LATEST, 0xb1bc, 0xb1bc},
    {XE2, LATEST, 0xd0e0, 0xd0f4},	{XE2, LATEST, 0xe18c, 0xe18c},
    {XE2, LATEST, 0xe590, 0xe590},	{XE2, LATEST, 0x13000, 0x137fc},
    {XE2, LATEST, 0x145194, 0x145194},	{XE2, LATEST, 0x145340, 0x14537c}};

static const struct range boolean[] = {
    {GEN7, GEN11, 0x2710, 0x272c},     {GEN7, GEN11, 0x2740, 0x275c},
    {GEN7, GEN11, 0x2770, 0x27ac},     {GEN12, LATEST, 0x2b2c, 0x2b2c},
    {GEN12, LATEST, 0xd900, 0xd91c},   {GEN12, LATEST, 0xd920, 0xd93c},
    {GEN12, LATEST, 0xd940, 0xd97c},   {GEN12, LATEST, 0xdc00, 0xdc3c},
    {GEN12, LATEST, 0xdc40, 0xdc44},   {XEHP, LATEST, 0xdc48, 0xdc48},
    {XEHP, LATEST, 0xdd00, 0xdd48},    {MTL, LATEST, 0x393000, 0x39301c},
    {MTL, LATEST, 0x393020, 0x39303c}, {MTL, LATEST, 0x393040, 0x39307c},
    {MTL, LATEST, 0x393200, 0x39323c}, {XE2, LATEST, 0x394200, 0x39423c},
    {XE2, LATEST, 0x394a00, 0x394a3c}};

static const struct range flex[] = {{GEN8, LATEST, 0xe458, 0xe458}, {GEN8, LATEST, 0xe558, 0xe558},
				    {GEN8, LATEST, 0xe658, 0xe658}, {GEN8, LATEST, 0xe758, 0xe758},
				    {GEN8, LATEST, 0xe45c, 0xe45c}, {GEN8, LATEST, 0xe55c, 0xe55c},
				    {GEN8, LATEST, 0xe65c, 0xe65c}};

#define LIST(list) list, sizeof(list) / sizeof((list)[0])

static const struct {
	const struct range *ranges;
	size_t count;
	const char *name;
} kinds[] = {[SX_PROGRAM_MUX] = {LIST(mux), "mux"},
	     [SX_PROGRAM_BOOLEAN] = {LIST(boolean), "boolean"},
	     [SX_PROGRAM_FLEX] = {LIST(flex), "flex"}};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static bool listed(size_t kind, uint32_t version, uint32_t address)
{
	for (size_t i = 0; i < kinds[kind].count; i++) {
		const struct range *r = &kinds[kind].ranges[i];
		if (version >= r->from && version <= r->to && address >= r->first &&
		    address <= r->last)
			return true;
	}
	return false;
}

static bool allowed(size_t kind, uint32_t version, uint32_t address)
{
	if (version < XE2)
		return listed(kind, version, address);
	return listed(SX_PROGRAM_MUX, version, address) ||
	       listed(SX_PROGRAM_BOOLEAN, version, address) ||
	       listed(SX_PROGRAM_FLEX, version, address);
}

/* The first write of a program that the kernel refuses. */
static bool find_refused(const struct sx_program_info *program, uint32_t version, uint32_t *address)
{
	const char *at = program->writes;
	for (uint32_t i = 0; i < program->count; i++) {
		uint32_t value;
		oa_next_write(&at, address, &value);
		if (!allowed((size_t)program->kind, version, *address))
			return true;
	}
	return false;
}

uint32_t sx_oa_check_programs(const struct sx_catalog *catalog,
			      void (*found)(void *user, const char *line), void *user)
{
	const struct oa_platform *platform = oa_platform(oa_device_of(catalog));
	uint32_t groups, count = 0, address;
	const struct sx_group_info *g = sx_catalog_groups(catalog, &groups);
	for (uint32_t i = 0; platform && i < groups; i++)
		for (uint32_t p = 0; p < g[i].program_count; p++) {
			char line[160];
			const struct sx_program_info *program = &g[i].programs[p];
			if ((size_t)program->kind >= KINDS ||
			    !find_refused(program, platform->version, &address))
				continue;
			snprintf(line, sizeof(line),
				 "set %.64s: register 0x%x of its %s program is none that the "
				 "kernel lets be written",
				 g[i].name, address, kinds[program->kind].name);
			found(user, line);
			count++;
		}
	return count;
}
