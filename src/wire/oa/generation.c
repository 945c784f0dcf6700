/*
 * Which of Intel's GPUs a PCI device id is. Other generations use the same names of sets and the
 * same numbers of formats for reports that mean something else, so they have to be told apart.
 */
#include "wire/oa/oa.h"

#include <string.h>

bool oa_is_broadwell(uint32_t id)
{
	/* 0x16GX: G the graphics tier 0 to 3, X one of six packages. */
	static const char packages[] = "26abde";
	static const char digits[] = "0123456789abcdef";
	return id >> 8 == 0x16 && (id >> 4 & 15) <= 3 && strchr(packages, digits[id & 15]);
}

/*
 * Ranges of ids that hold one generation's only, in order. They agree with the ids of pci.ids (as
 * in Debian 12), which has none in those of Cannon Lake, Meteor Lake, Lunar Lake, Battlemage,
 * 0x0a84 and 0x1a84: these are unverified.
 */
static const struct {
	uint16_t first, last;
	char name[24];
} others[] = {
    {0x0100, 0x012f, "Sandy Bridge (Gen6)"}, {0x0150, 0x016f, "Ivy Bridge (Gen7)"},
    {0x0400, 0x042f, "Haswell (Gen7.5)"},    {0x0a00, 0x0a2f, "Haswell (Gen7.5)"},
    {0x0a84, 0x0a84, "Apollo Lake (Gen9)"},  {0x0c00, 0x0c2f, "Haswell (Gen7.5)"},
    {0x0d00, 0x0d2f, "Haswell (Gen7.5)"},    {0x0f30, 0x0f33, "Bay Trail (Gen7)"},
    {0x1900, 0x193f, "Skylake (Gen9)"},	     {0x1a84, 0x1a85, "Apollo Lake (Gen9)"},
    {0x22b0, 0x22b3, "Cherryview (Gen8)"},   {0x3184, 0x3185, "Gemini Lake (Gen9)"},
    {0x3e90, 0x3eaf, "Coffee Lake (Gen9)"},  {0x4540, 0x457f, "Elkhart Lake (Gen11)"},
    {0x4680, 0x46df, "Alder Lake (Gen12)"},  {0x4900, 0x490f, "DG1 (Gen12)"},
    {0x4c80, 0x4c9f, "Rocket Lake (Gen12)"}, {0x4e50, 0x4e7f, "Jasper Lake (Gen11)"},
    {0x5690, 0x56cf, "DG2 (Gen12.5)"},	     {0x5900, 0x593f, "Kaby Lake (Gen9)"},
    {0x5a40, 0x5a5f, "Cannon Lake (Gen10)"}, {0x5a84, 0x5a85, "Apollo Lake (Gen9)"},
    {0x6420, 0x64bf, "Lunar Lake (Xe2)"},    {0x7d40, 0x7ddf, "Meteor Lake (Gen12.5)"},
    {0x8a50, 0x8a7f, "Ice Lake (Gen11)"},    {0x9a40, 0x9aff, "Tiger Lake (Gen12)"},
    {0x9b20, 0x9bff, "Comet Lake (Gen9)"},   {0xa720, 0xa7ff, "Raptor Lake (Gen12)"},
    {0xe200, 0xe2ff, "Battlemage (Xe2)"},
};

const char *sx_oa_generation(uint32_t id)
{
	if (oa_is_broadwell(id))
		return "Broadwell (Gen8)";
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (id >= others[i].first && id <= others[i].last)
			return others[i].name;
	return NULL;
}
