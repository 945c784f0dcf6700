/*
 * The Intel GPU of a PCI device id. Other generations use the same names of sets and the same
 * numbers of formats for reports with another meaning, so the generation must be known.
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
 * in Debian 12), which has none in those of Cannon Lake, Meteor Lake, Arrow Lake, Lunar Lake,
 * Battlemage, Panther Lake, 0x0a84 and 0x1a84: these are unverified.
 */
static const struct oa_platform others[] = {
    {0x0100, 0x012f, 600, 7, 12500000, "Sandy Bridge (Gen6)"},
    {0x0150, 0x016f, 700, 7, 12500000, "Ivy Bridge (Gen7)"},
    {0x0400, 0x042f, 750, 7, 12500000, "Haswell (Gen7.5)"},
    {0x0a00, 0x0a2f, 750, 7, 12500000, "Haswell (Gen7.5)"},
    {0x0a84, 0x0a84, 900, 6, 19200000, "Apollo Lake (Gen9)"},
    {0x0b69, 0x0b6e, 1260, 8, 19200000, "Ponte Vecchio (Gen12.5)"},
    {0x0bd0, 0x0be5, 1260, 8, 19200000, "Ponte Vecchio (Gen12.5)"},
    {0x0c00, 0x0c2f, 750, 7, 12500000, "Haswell (Gen7.5)"},
    {0x0d00, 0x0d2f, 750, 7, 12500000, "Haswell (Gen7.5)"},
    {0x0f30, 0x0f33, 700, 7, 12500000, "Bay Trail (Gen7)"},
    {0x1900, 0x193f, 900, 7, 12000000, "Skylake (Gen9)"},
    {0x1a84, 0x1a85, 900, 6, 19200000, "Apollo Lake (Gen9)"},
    {0x22b0, 0x22b3, 800, 7, 12500000, "Cherryview (Gen8)"},
    {0x3184, 0x3185, 900, 6, 19200000, "Gemini Lake (Gen9)"},
    {0x3e90, 0x3eaf, 900, 7, 12000000, "Coffee Lake (Gen9)"},
    {0x4540, 0x457f, 1100, 7, 12000000, "Elkhart Lake (Gen11)"},
    {0x4680, 0x46df, 1200, 7, 19200000, "Alder Lake (Gen12)"},
    {0x4900, 0x490f, 1200, 7, 19200000, "DG1 (Gen12)"},
    {0x4c80, 0x4c9f, 1200, 7, 19200000, "Rocket Lake (Gen12)"},
    {0x4e50, 0x4e7f, 1100, 7, 12000000, "Jasper Lake (Gen11)"},
    {0x5690, 0x56cf, 1255, 8, 38400000, "DG2 (Gen12.5)"},
    {0x5900, 0x593f, 900, 7, 12000000, "Kaby Lake (Gen9)"},
    {0x5a40, 0x5a5f, 1000, 7, 12000000, "Cannon Lake (Gen10)"},
    {0x5a84, 0x5a85, 900, 6, 19200000, "Apollo Lake (Gen9)"},
    {0x6420, 0x64bf, 2000, 8, 19200000, "Lunar Lake (Xe2)"},
    {0x7d40, 0x7ddf, 1270, 8, 38400000, "Meteor Lake (Gen12.5)"},
    {0x8a50, 0x8a7f, 1100, 7, 12000000, "Ice Lake (Gen11)"},
    {0x9a40, 0x9aff, 1200, 7, 19200000, "Tiger Lake (Gen12)"},
    {0x9b20, 0x9bff, 900, 7, 12000000, "Comet Lake (Gen9)"},
    {0xa720, 0xa7ff, 1200, 7, 19200000, "Raptor Lake (Gen12)"},
    {0xb080, 0xb0bf, 3000, 8, 19200000, "Panther Lake (Xe3)"},
    {0xb640, 0xb640, 1270, 8, 38400000, "Arrow Lake (Gen12.5)"},
    {0xe200, 0xe2ff, 2000, 8, 19200000, "Battlemage (Xe2)"},
};

const struct oa_platform *oa_platform(uint32_t id)
{
	static const struct oa_platform broadwell = {0x1600, 0x16ff,	      800,
						     7,	     OA_TIMESTAMP_HZ, "Broadwell (Gen8)"};
	if (oa_is_broadwell(id))
		return &broadwell;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (id >= others[i].first && id <= others[i].last)
			return &others[i];
	return NULL;
}

bool oa_counts_twice(const struct oa_platform *platform)
{
	return platform && (platform->version == 1255 || platform->version == 1270);
}

const char *sx_oa_generation(uint32_t id)
{
	const struct oa_platform *platform = oa_platform(id);
	return platform ? platform->name : NULL;
}
