/* Reports of Intel's OA unit: their heads, and differences with wrap. */
#include "wire/oa/oa.h"

#include <string.h>

#define TIME56 ((UINT64_C(1) << 56) - 1)

const char *oa_reason_name(uint32_t reason)
{
	static const char names[][12] = {"timer", "trigger1",	 "trigger2", "switch",
					 "go",	  "clock-ratio", "mmio"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (reason & 1u << i)
			return names[i];
	return "none";
}

struct oa_shape oa_shape_of(const struct sx_oa_device *device, enum sx_oa_header header)
{
	const struct oa_platform *platform = oa_platform(device->device_id);
	struct oa_shape shape = {.head = oa_format_head(device->format), .header = header};
	/* Of an unknown device the format says enough. */
	uint32_t version = platform					 ? platform->version
			   : shape.head == OA_HEAD_HASWELL		 ? 750
			   : shape.head == OA_HEAD_LONG			 ? 2000
			   : device->format == SX_OA_A24U40_A14U32_B8_C8 ? 1255
									 : 800;
	if (shape.head == OA_HEAD_HASWELL)
		return shape; /* neither reasons nor a sign that the context is valid */
	shape.context_bit = version < 900 ? UINT32_C(1) << 25 : UINT32_C(1) << 16;
	shape.reasons = version < 1200 ? 0x3f : 0x7f;
	return shape;
}

void oa_head_read(const struct oa_shape *shape, const uint8_t *report, struct oa_report *out)
{
	bool wide = shape->head == OA_HEAD_LONG;
	bool command = shape->header == SX_OA_HEADER_COMMAND;
	out->id = little_u32(report);
	out->timestamp = wide ? little_u64(report + 8) & TIME56 : little_u32(report + 4);
	out->context = little_u32(report + (wide ? 16 : 8));
	out->clock = wide			    ? little_u64(report + 24)
		     : shape->head == OA_HEAD_SHORT ? little_u32(report + 12)
						    : 0;
	out->reason = command ? 0 : out->id >> 19 & shape->reasons;
	out->context_valid =
	    (command || out->id & shape->context_bit) && out->context != OA_NO_CONTEXT;
}

void oa_report_read(const struct sx_oa_device *device, const uint8_t *report,
		    enum sx_oa_header header, struct oa_report *out)
{
	struct oa_shape shape = oa_shape_of(device, header);
	oa_head_read(&shape, report, out);
}

void oa_report_delta(enum sx_oa_format format, const uint8_t *a, const uint8_t *b,
		     uint64_t out[SX_OA_SLOTS])
{
	const struct oa_run *runs;
	const struct oa_pairs pair = {&a, &b, 1, oa_format_size(format), 0};
	size_t count = oa_format_runs(format, &runs);
	memset(out, 0, SX_OA_SLOTS * sizeof(*out));
	if (!count)
		return;
	enum oa_head head = oa_format_head(format);
	if (head == OA_HEAD_LONG) {
		out[SX_OA_TIME] = (little_u64(b + 8) - little_u64(a + 8)) & TIME56;
		out[SX_OA_CLOCK] = little_u64(b + 24) - little_u64(a + 24);
	} else {
		out[SX_OA_TIME] = (uint32_t)(little_u32(b + 4) - little_u32(a + 4));
		if (head == OA_HEAD_SHORT)
			out[SX_OA_CLOCK] = (uint32_t)(little_u32(b + 12) - little_u32(a + 12));
	}
	for (size_t i = 0; i < count; i++)
		oa_loops()->sum(&runs[i], &pair, out);
}
