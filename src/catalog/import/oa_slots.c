/* Formats of OA reports as the kernel's interface has them (i915_drm.h, xe's OA types). */
#include "catalog/import/oa_slots.h"

#include <string.h>
#include <strings.h>

/* Registers that equations read beside the report. */
#define PERFCNT_SLOTS 2

/* Media's eight counters are PEC or A, as the file likes. */
static const struct oa_slots formats[] = {
    {"A32u40_A4u32_B8_C8", 36, 8, 8, 0},
    {"C4_B8", 0, 8, 4, 0},
    {"A12", 19, 0, 0, 0}, /* A7 to A18 */
    {"A12_B8_C8", 19, 8, 8, 0},
    {"OAR_A32u40_A4u32_B8_C8", 36, 8, 8, 0},
    {"A24u40_A14u32_B8_C8", 38, 8, 8, 0},
    {"A13", 13, 0, 0, 0},
    {"A29", 29, 0, 0, 0},
    {"A13_B8_C8", 13, 8, 8, 0},
    {"B4_C8", 0, 4, 8, 0},
    {"A45_B8_C8", 45, 8, 8, 0},
    {"B4_C8_A16", 45, 4, 8, 0},
    {"HSW_C4_B8", 0, 8, 4, 0},
    {"MPEC8u64_B8_C8", 8, 8, 8, 8},
    {"MPEC8u32_B8_C8", 8, 8, 8, 8},
    {"PEC64u64", 0, 0, 0, 64},
    {"PEC64u64_B8_C8", 0, 8, 8, 64},
    {"PEC64u32", 0, 0, 0, 64},
    {"PEC32u64_G1", 0, 0, 0, 32},
    {"PEC32u32_G1", 0, 0, 0, 32},
    {"PEC32u64_G2", 0, 0, 0, 64},
    {"PEC32u32_G2", 0, 0, 0, 64},
    {"PEC36u64_G1_32_G2_4", 0, 0, 0, 64},
    {"PEC36u64_G1_4_G2_32", 0, 0, 0, 64},
};

/* Files since Meteor Lake have the names of Intel's metrics library. */
static const struct {
	const char *theirs, *ours;
} aliases[] = {
    {"256B_GENERIC_NOA16", "A24u40_A14u32_B8_C8"},
    {"576B_PEC64LL", "PEC64u64"},
    {"128B_MPEC8_NOA16", "MPEC8u32_B8_C8"},
};

static const struct oa_slots any = {NULL, 45, 8, 8, 64};

const struct oa_slots *oa_slots_find(const char *format)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcasecmp(aliases[i].theirs, format) == 0)
			format = aliases[i].ours;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcasecmp(formats[i].format, format) == 0)
			return &formats[i];
	return NULL;
}

const struct oa_slots *oa_slots_any(void)
{
	return &any;
}

bool oa_slots_has(const struct oa_slots *slots, const char *file, unsigned long number)
{
	return strcmp(file, "A") == 0	      ? number < slots->a
	       : strcmp(file, "B") == 0	      ? number < slots->b
	       : strcmp(file, "C") == 0	      ? number < slots->c
	       : strcmp(file, "PEC") == 0     ? number < slots->pec
	       : strcmp(file, "PERFCNT") == 0 ? number < PERFCNT_SLOTS
					      : true;
}
