/* The layouts of reports, Haswell to Xe2: sizes, heads, and where each counter lies. */
#include "wire/oa/oa.h"

#include <strings.h>

#define RUNS_MAX 8

struct layout {
	const char *name;
	enum sx_oa_format format;
	uint16_t size;
	enum oa_head head;
	struct oa_run runs[RUNS_MAX]; /* unused ones have a count of 0 */
};

#define A(n)   (SX_OA_A0 + (n))
#define B(n)   (SX_OA_B0 + (n))
#define C(n)   (SX_OA_C0 + (n))
#define PEC(n) (SX_OA_PEC0 + (n))
/* `count` counters from `offset` on that fill slots from `slot` on: of 32, 40 and 64 bits. */
#define U32(offset, slot, count)                                                                   \
	{                                                                                          \
		offset, 0, slot, count, false                                                      \
	}
#define U40(offset, high, slot, count)                                                             \
	{                                                                                          \
		offset, high, slot, count, false                                                   \
	}
#define U64(offset, slot, count)                                                                   \
	{                                                                                          \
		offset, 0, slot, count, true                                                       \
	}

/* B0 to C7 are neighbours in slots, as they are in most reports. A7 is the first of A12's twelve.
 */
static const struct layout layouts[] = {
    {"A32u40_A4u32_B8_C8",
     SX_OA_A32U40_A4U32_B8_C8,
     256,
     OA_HEAD_SHORT,
     {U40(16, 160, A(0), 32), U32(144, A(32), 4), U32(192, B(0), 16)}},
    {"C4_B8", SX_OA_C4_B8, 64, OA_HEAD_SHORT, {U32(32, B(0), 8), U32(16, C(0), 4)}},
    {"A12", SX_OA_A12, 64, OA_HEAD_SHORT, {U32(16, A(7), 12)}},
    {"A12_B8_C8", SX_OA_A12_B8_C8, 128, OA_HEAD_SHORT, {U32(16, A(7), 12), U32(64, B(0), 16)}},
    {"OAR_A32u40_A4u32_B8_C8",
     SX_OA_OAR_A32U40_A4U32_B8_C8,
     256,
     OA_HEAD_SHORT,
     {U40(16, 160, A(0), 32), U32(144, A(32), 4), U32(192, B(0), 16)}},
    /* The upper bytes of counters that have 32 bits only hold A36 and A37. */
    {"A24u40_A14u32_B8_C8",
     SX_OA_A24U40_A14U32_B8_C8,
     256,
     OA_HEAD_SHORT,
     {U32(16, A(0), 4), U40(32, 164, A(4), 20), U32(112, A(24), 4), U40(128, 188, A(28), 4),
      U32(144, A(32), 5), U32(184, A(37), 1), U32(192, B(0), 16)}},
    {"A13", SX_OA_A13, 64, OA_HEAD_HASWELL, {U32(12, A(0), 13)}},
    {"A29", SX_OA_A29, 128, OA_HEAD_HASWELL, {U32(12, A(0), 29)}},
    {"A13_B8_C8", SX_OA_A13_B8_C8, 128, OA_HEAD_HASWELL, {U32(12, A(0), 13), U32(64, B(0), 16)}},
    {"B4_C8", SX_OA_B4_C8, 64, OA_HEAD_HASWELL, {U32(16, B(0), 4), U32(32, C(0), 8)}},
    {"A45_B8_C8", SX_OA_A45_B8_C8, 256, OA_HEAD_HASWELL, {U32(12, A(0), 45), U32(192, B(0), 16)}},
    {"B4_C8_A16",
     SX_OA_B4_C8_A16,
     128,
     OA_HEAD_HASWELL,
     {U32(16, B(0), 4), U32(32, C(0), 8), U32(64, A(29), 16)}},
    {"HSW_C4_B8", SX_OA_HSW_C4_B8, 64, OA_HEAD_HASWELL, {U32(28, B(0), 8), U32(12, C(0), 4)}},
    {"MPEC8u64_B8_C8",
     SX_OA_MPEC8U64_B8_C8,
     192,
     OA_HEAD_LONG,
     {U64(32, A(0), 8), U32(96, B(0), 16)}},
    {"MPEC8u32_B8_C8",
     SX_OA_MPEC8U32_B8_C8,
     128,
     OA_HEAD_LONG,
     {U32(32, A(0), 8), U32(64, B(0), 16)}},
    {"PEC64u64", SX_OA_PEC64U64, 576, OA_HEAD_LONG, {U64(32, PEC(0), 64)}},
    {"PEC64u64_B8_C8",
     SX_OA_PEC64U64_B8_C8,
     640,
     OA_HEAD_LONG,
     {U64(32, PEC(0), 64), U32(544, B(0), 16)}},
    {"PEC64u32", SX_OA_PEC64U32, 320, OA_HEAD_LONG, {U32(32, PEC(0), 64)}},
    {"PEC32u64_G1", SX_OA_PEC32U64_G1, 320, OA_HEAD_LONG, {U64(32, PEC(0), 32)}},
    {"PEC32u32_G1", SX_OA_PEC32U32_G1, 192, OA_HEAD_LONG, {U32(32, PEC(0), 32)}},
    {"PEC32u64_G2", SX_OA_PEC32U64_G2, 320, OA_HEAD_LONG, {U64(32, PEC(32), 32)}},
    {"PEC32u32_G2", SX_OA_PEC32U32_G2, 192, OA_HEAD_LONG, {U32(32, PEC(32), 32)}},
    {"PEC36u64_G1_32_G2_4", SX_OA_PEC36U64_G1_32_G2_4, 320, OA_HEAD_LONG, {U64(32, PEC(0), 36)}},
    {"PEC36u64_G1_4_G2_32",
     SX_OA_PEC36U64_G1_4_G2_32,
     320,
     OA_HEAD_LONG,
     {U64(32, PEC(0), 4), U64(64, PEC(32), 32)}},
};
#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

/* clang-format off */
#define TEN(stem, t) stem #t "0", stem #t "1", stem #t "2", stem #t "3", stem #t "4", \
		     stem #t "5", stem #t "6", stem #t "7", stem #t "8", stem #t "9"
#define DIGITS(stem) stem "0", stem "1", stem "2", stem "3", stem "4", stem "5", stem "6", stem "7"
static const char slot_names[SX_OA_SLOTS][10] = {
    "GPU_TIME", "GPU_CLOCK",
    DIGITS("A"), "A8", "A9", TEN("A", 1), TEN("A", 2), TEN("A", 3), "A40", "A41", "A42", "A43", "A44",
    DIGITS("B"), DIGITS("C"),
    DIGITS("PEC"), "PEC8", "PEC9", TEN("PEC", 1), TEN("PEC", 2), TEN("PEC", 3), TEN("PEC", 4),
    TEN("PEC", 5), "PEC60", "PEC61", "PEC62", "PEC63"};
/* clang-format on */

static const struct layout *formats_find(enum sx_oa_format format)
{
	for (size_t i = 0; i < LAYOUTS; i++)
		if (layouts[i].format == format)
			return &layouts[i];
	return NULL;
}

size_t oa_format_size(enum sx_oa_format format)
{
	const struct layout *layout = formats_find(format);
	return layout ? layout->size : 0;
}

const char *sx_oa_format_name(enum sx_oa_format format)
{
	const struct layout *layout = formats_find(format);
	return layout ? layout->name : NULL;
}

enum sx_oa_format sx_oa_format_find(const char *name)
{
	for (size_t i = 0; i < LAYOUTS; i++)
		if (strcasecmp(layouts[i].name, name) == 0)
			return layouts[i].format;
	return SX_OA_FORMAT_NONE;
}

enum oa_head oa_format_head(enum sx_oa_format format)
{
	const struct layout *layout = formats_find(format);
	return layout ? layout->head : OA_HEAD_SHORT;
}

size_t oa_format_runs(enum sx_oa_format format, const struct oa_run **runs)
{
	const struct layout *layout = formats_find(format);
	size_t count = 0;
	*runs = layout ? layout->runs : NULL;
	while (layout && count < RUNS_MAX && layout->runs[count].count)
		count++;
	return count;
}

static const struct oa_run *run_of(enum sx_oa_format format, uint32_t slot)
{
	const struct oa_run *runs;
	size_t count = oa_format_runs(format, &runs);
	for (size_t i = 0; i < count; i++)
		if (slot >= runs[i].slot && slot < (uint32_t)runs[i].slot + runs[i].count)
			return &runs[i];
	return NULL;
}

bool oa_format_has(enum sx_oa_format format, uint32_t slot)
{
	return oa_slot_bits(format, slot) > 0;
}

uint32_t oa_slot_bits(enum sx_oa_format format, uint32_t slot)
{
	const struct layout *layout = formats_find(format);
	if (!layout)
		return 0;
	if (slot == SX_OA_TIME)
		return layout->head == OA_HEAD_LONG ? 56 : 32;
	if (slot == SX_OA_CLOCK)
		return layout->head == OA_HEAD_LONG ? 64 : layout->head == OA_HEAD_SHORT ? 32 : 0;
	const struct oa_run *run = run_of(format, slot);
	return !run ? 0 : run->wide ? 64 : run->high ? 40 : 32;
}

const char *oa_slot_name(uint32_t slot)
{
	return slot < SX_OA_SLOTS ? slot_names[slot] : NULL;
}

enum sx_oa_format oa_format_of(uint32_t device_id, uint32_t number)
{
	const struct oa_platform *platform = oa_platform(device_id);
	enum sx_oa_format format = (enum sx_oa_format)number;
	if (platform && platform->version == 750 && number == SX_OA_C4_B8)
		format = SX_OA_HSW_C4_B8;
	if (number > SX_OA_PEC36U64_G1_4_G2_32 || !formats_find(format))
		return SX_OA_FORMAT_NONE;
	/* A number means something else on Haswell than on those that came after it. */
	bool haswell = oa_format_head(format) == OA_HEAD_HASWELL;
	if (platform && haswell != (platform->version == 750))
		return SX_OA_FORMAT_NONE;
	return format;
}

enum sx_oa_format oa_format_usual(const struct oa_platform *platform)
{
	uint32_t version = platform ? platform->version : 900;
	return version < 800	? SX_OA_A45_B8_C8
	       : version < 1255 ? SX_OA_A32U40_A4U32_B8_C8
	       : version < 2000 ? SX_OA_A24U40_A14U32_B8_C8
				: SX_OA_PEC64U64;
}

uint32_t oa_format_number(enum sx_oa_format format)
{
	return format == SX_OA_HSW_C4_B8 ? SX_OA_C4_B8 : (uint32_t)format;
}
