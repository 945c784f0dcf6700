/* Reports of Gen8's OA unit: the four layouts, their heads, and differences with wrap. */
#include "oa/oa.h"
#include "oa/delta.h"

#include <string.h>

/* Byte offsets; a count of 0 means that the part is absent. A7 is the first of the twelve. */
struct layout {
	const char *name;
	enum sx_oa_format format;
	uint16_t size;
	uint8_t a_first, a_count, a_offset;
	uint8_t high_offset; /* of the upper bytes of A0..A31, or 0 */
	uint8_t b_offset, c_offset, c_count;
};

static const struct layout layouts[] = {
    {"C4_B8", SX_OA_C4_B8, 64, 0, 0, 0, 0, 32, 16, 4},
    {"A12", SX_OA_A12, 64, 7, 12, 16, 0, 0, 0, 0},
    {"A12_B8_C8", SX_OA_A12_B8_C8, 128, 7, 12, 16, 0, 64, 96, 8},
    {"A32u40_A4u32_B8_C8", SX_OA_A32U40_A4U32_B8_C8, 256, 0, 36, 16, 160, 192, 224, 8},
};

static const char slot_names[SX_OA_SLOTS][10] = {
    "GPU_TIME", "GPU_CLOCK", "A0",  "A1",  "A2",  "A3",	 "A4",	"A5",  "A6",  "A7",  "A8",
    "A9",	"A10",	     "A11", "A12", "A13", "A14", "A15", "A16", "A17", "A18", "A19",
    "A20",	"A21",	     "A22", "A23", "A24", "A25", "A26", "A27", "A28", "A29", "A30",
    "A31",	"A32",	     "A33", "A34", "A35", "B0",	 "B1",	"B2",  "B3",  "B4",  "B5",
    "B6",	"B7",	     "C0",  "C1",  "C2",  "C3",	 "C4",	"C5",  "C6",  "C7"};

static const struct layout *find(enum sx_oa_format format)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].format == format)
			return &layouts[i];
	return NULL;
}

size_t sx_oa_format_size(enum sx_oa_format format)
{
	const struct layout *layout = find(format);
	return layout ? layout->size : 0;
}

const char *sx_oa_format_name(enum sx_oa_format format)
{
	const struct layout *layout = find(format);
	return layout ? layout->name : NULL;
}

enum sx_oa_format sx_oa_format_find(const char *name)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (strcmp(layouts[i].name, name) == 0)
			return layouts[i].format;
	return SX_OA_FORMAT_NONE;
}

static uint64_t slot_run(uint32_t first, uint32_t count)
{
	return ((UINT64_C(1) << count) - 1) << first;
}

uint64_t sx_oa_format_slots(enum sx_oa_format format)
{
	const struct layout *layout = find(format);
	if (!layout)
		return 0;
	return slot_run(SX_OA_TIME, 2) | slot_run(SX_OA_A0 + layout->a_first, layout->a_count) |
	       slot_run(SX_OA_B0, layout->b_offset ? 8 : 0) | slot_run(SX_OA_C0, layout->c_count);
}

const char *sx_oa_slot_name(uint32_t slot)
{
	return slot < SX_OA_SLOTS ? slot_names[slot] : NULL;
}

uint32_t sx_oa_slot_bits(uint32_t slot)
{
	return slot >= SX_OA_A0 && slot < SX_OA_A0 + 32 ? 40 : 32;
}

const char *sx_oa_reason_name(uint32_t reason)
{
	static const char names[][12] = {"timer",  "trigger1", "trigger2",
					 "switch", "go",       "clock-ratio"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (reason & 1u << i)
			return names[i];
	return "none";
}

void sx_oa_report_read(const uint8_t *report, enum sx_oa_header header, struct sx_oa_report *out)
{
	out->id = oa_u32(report);
	out->timestamp = oa_u32(report + 4);
	out->context = oa_u32(report + 8);
	out->clock = oa_u32(report + 12);
	if (header == SX_OA_HEADER_COMMAND) {
		out->reason = 0;
		out->context_valid = out->context != OA_NO_CONTEXT;
	} else {
		out->reason = out->id >> 19 & 0x3f;
		out->context_valid = (out->id >> 25 & 1) && out->context != OA_NO_CONTEXT;
	}
}

/* Differences of `count` 32-bit words. */
static void delta32(const uint8_t *a, const uint8_t *b, size_t count, uint64_t *out)
{
	for (size_t i = 0; i < count; i++)
		out[i] = (uint32_t)(oa_u32(b + 4 * i) - oa_u32(a + 4 * i));
}

void sx_oa_report_delta(enum sx_oa_format format, const uint8_t *a, const uint8_t *b,
			uint64_t out[SX_OA_SLOTS])
{
	const struct layout *layout = find(format);
	memset(out, 0, SX_OA_SLOTS * sizeof(*out));
	if (!layout)
		return;
	out[SX_OA_TIME] = (uint32_t)(oa_u32(b + 4) - oa_u32(a + 4));
	out[SX_OA_CLOCK] = (uint32_t)(oa_u32(b + 12) - oa_u32(a + 12));
	if (layout->high_offset) {
		oa_loops()->delta(a, b, out);
		return;
	}
	delta32(a + layout->a_offset, b + layout->a_offset, layout->a_count,
		out + SX_OA_A0 + layout->a_first);
	if (layout->b_offset)
		delta32(a + layout->b_offset, b + layout->b_offset, 8, out + SX_OA_B0);
	delta32(a + layout->c_offset, b + layout->c_offset, layout->c_count, out + SX_OA_C0);
}
