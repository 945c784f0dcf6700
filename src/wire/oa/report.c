/* Reports of Gen8's OA unit: the four layouts, their heads, and differences with wrap. */
#include "wire/oa/oa.h"

#include <string.h>

#define RUNS_MAX 3

struct layout {
	const char *name;
	enum sx_oa_format format;
	uint16_t size;
	struct oa_run runs[RUNS_MAX]; /* unused ones have a count of 0 */
};

/* A7 is the first of the twelve. */
static const struct layout layouts[] = {
    {"C4_B8", SX_OA_C4_B8, 64, {{32, 0, SX_OA_B0, 8}, {16, 0, SX_OA_C0, 4}}},
    {"A12", SX_OA_A12, 64, {{16, 0, SX_OA_A0 + 7, 12}}},
    {"A12_B8_C8", SX_OA_A12_B8_C8, 128, {{16, 0, SX_OA_A0 + 7, 12}, {64, 0, SX_OA_B0, 16}}},
    {"A32u40_A4u32_B8_C8",
     SX_OA_A32U40_A4U32_B8_C8,
     256,
     {{16, 160, SX_OA_A0, 32}, {144, 0, SX_OA_A0 + 32, 4}, {192, 0, SX_OA_B0, 16}}},
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
	uint64_t slots = slot_run(SX_OA_TIME, 2);
	for (size_t i = 0; i < RUNS_MAX; i++)
		slots |= slot_run(layout->runs[i].slot, layout->runs[i].count);
	return slots;
}

size_t oa_format_runs(enum sx_oa_format format, const struct oa_run **runs)
{
	const struct layout *layout = find(format);
	size_t count = 0;
	*runs = layout ? layout->runs : NULL;
	while (layout && count < RUNS_MAX && layout->runs[count].count)
		count++;
	return count;
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

void sx_oa_report_delta(enum sx_oa_format format, const uint8_t *a, const uint8_t *b,
			uint64_t out[SX_OA_SLOTS])
{
	const struct oa_run *runs;
	const struct oa_pairs pair = {&a, &b, 1, sx_oa_format_size(format), 0};
	size_t count = oa_format_runs(format, &runs);
	memset(out, 0, SX_OA_SLOTS * sizeof(*out));
	if (!count)
		return;
	out[SX_OA_TIME] = (uint32_t)(oa_u32(b + 4) - oa_u32(a + 4));
	out[SX_OA_CLOCK] = (uint32_t)(oa_u32(b + 12) - oa_u32(a + 12));
	for (size_t i = 0; i < count; i++)
		oa_loops()->sum(&runs[i], &pair, out);
}
