/* The OA decoder: layouts, wrap, contexts, lost data, time, and every kind of damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <sextant/table.h>

#include "unit/wire/oa_build.h"
#include "wire/oa/oa.h"

static unsigned notes;
static char last_note[256];

static void count_note(void *user, const char *line)
{
	(void)user;
	notes++;
	snprintf(last_note, sizeof(last_note), "%s", line);
}

struct outcome {
	struct sx_oa_decoder *decoder;
	struct sx_table *rows;
	enum sx_status status;
	struct sx_error err;
};

/* Feeds a whole file in pieces of `step` bytes (0: at once), without draining. */
static struct outcome decode_steps(const struct oa_file *file, struct sx_oa_options options,
				   size_t step)
{
	struct outcome o = {0};
	size_t at = 0, end = 0, used;
	notes = 0;
	options.note = count_note;
	options.batch_rows = 1u << 20;
	assert_int_equal(sx_oa_decoder_create(&options, &o.decoder, &o.err), SX_OK);
	while (end < file->size && !o.status) {
		end = !step || end + step > file->size ? file->size : end + step;
		/* A copy of exact size, so that a sanitizer sees any read beyond it. */
		uint8_t *copy = malloc(end - at ? end - at : 1);
		memcpy(copy, file->data + at, end - at);
		o.status = sx_oa_decoder_feed(o.decoder, copy, end - at, &used, &o.err);
		free(copy);
		assert_true(used <= end - at);
		at += used;
	}
	if (!o.status && at < file->size) {
		sx_oa_decoder_end(o.decoder);
		o.status =
		    sx_oa_decoder_feed(o.decoder, file->data + at, file->size - at, &used, &o.err);
		at += used;
	}
	if (!o.status)
		o.status = sx_oa_decoder_finish(o.decoder, file->size - at, &o.err);
	o.rows = sx_oa_decoder_rows(o.decoder);
	return o;
}

static struct outcome decode(const struct oa_file *file, enum sx_oa_input input,
			     enum sx_oa_rows rows)
{
	return decode_steps(file, (struct sx_oa_options){.input = input, .rows = rows}, 0);
}

static uint64_t value(const struct sx_table *t, size_t row, const char *name)
{
	uint32_t column = sx_table_find(t, name);
	assert_int_not_equal(column, SX_NONE);
	return ((const uint64_t *)sx_table_vector(t, column).data)[row];
}

static uint8_t quality(const struct sx_table *t, size_t row, const char *name)
{
	const uint8_t *q = sx_table_vector(t, sx_table_find(t, name)).quality;
	return q ? q[row] : 0;
}

static void finish(struct outcome *o, struct oa_file *file)
{
	sx_oa_decoder_destroy(o->decoder);
	free(file->data);
	*file = (struct oa_file){0};
}

static void test_formats(void **state)
{
	(void)state;
	const struct {
		enum sx_oa_format format;
		const char *name;
		size_t size;
		int slots;
	} all[] = {{SX_OA_C4_B8, "C4_B8", 64, 14},
		   {SX_OA_A12, "A12", 64, 14},
		   {SX_OA_A12_B8_C8, "A12_B8_C8", 128, 30},
		   {SX_OA_A32U40_A4U32_B8_C8, "A32u40_A4u32_B8_C8", 256, 54},
		   {SX_OA_A13, "A13", 64, 14},
		   {SX_OA_A29, "A29", 128, 30},
		   {SX_OA_A13_B8_C8, "A13_B8_C8", 128, 30},
		   {SX_OA_B4_C8, "B4_C8", 64, 13},
		   {SX_OA_A45_B8_C8, "A45_B8_C8", 256, 62},
		   {SX_OA_B4_C8_A16, "B4_C8_A16", 128, 29},
		   {SX_OA_HSW_C4_B8, "HSW_C4_B8", 64, 13},
		   {SX_OA_OAR_A32U40_A4U32_B8_C8, "OAR_A32u40_A4u32_B8_C8", 256, 54},
		   {SX_OA_A24U40_A14U32_B8_C8, "A24u40_A14u32_B8_C8", 256, 56},
		   {SX_OA_MPEC8U64_B8_C8, "MPEC8u64_B8_C8", 192, 26},
		   {SX_OA_MPEC8U32_B8_C8, "MPEC8u32_B8_C8", 128, 26},
		   {SX_OA_PEC64U64, "PEC64u64", 576, 66},
		   {SX_OA_PEC64U64_B8_C8, "PEC64u64_B8_C8", 640, 82},
		   {SX_OA_PEC64U32, "PEC64u32", 320, 66},
		   {SX_OA_PEC32U64_G1, "PEC32u64_G1", 320, 34},
		   {SX_OA_PEC32U32_G2, "PEC32u32_G2", 192, 34}};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_int_equal(sx_oa_format_find(all[i].name), all[i].format);
		assert_string_equal(sx_oa_format_name(all[i].format), all[i].name);
		assert_int_equal(oa_format_size(all[i].format), all[i].size);
		int slots = 0;
		for (uint32_t slot = 0; slot < SX_OA_SLOTS; slot++)
			slots += oa_format_has(all[i].format, slot);
		assert_int_equal(slots, all[i].slots);
	}
	assert_int_equal(oa_format_size((enum sx_oa_format)15), 0);
	assert_int_equal(sx_oa_format_find("A46_B8_C8"), SX_OA_FORMAT_NONE);
	assert_string_equal(oa_slot_name(SX_OA_A0 + 35), "A35");
	assert_string_equal(oa_slot_name(SX_OA_B0 + 7), "B7");
	assert_string_equal(oa_slot_name(SX_OA_C0 + 7), "C7");
	assert_null(oa_slot_name(SX_OA_SLOTS));
}

/* Where every counter of the short formats lies: each word of the report says its own offset. */
static void test_short_layouts(void **state)
{
	(void)state;
	uint8_t a[128] = {0}, b[128];
	uint64_t d[SX_OA_SLOTS];
	for (uint32_t i = 0; i < 32; i++)
		oa_le32(b + 4 * i, 4 * i + 1000);
	oa_report_delta(SX_OA_A12_B8_C8, a, b, d);
	assert_int_equal(d[SX_OA_TIME], 1004);
	assert_int_equal(d[SX_OA_CLOCK], 1012);
	assert_int_equal(d[SX_OA_A0 + 6], 0);
	assert_int_equal(d[SX_OA_A0 + 7], 1016);
	assert_int_equal(d[SX_OA_A0 + 18], 1060);
	assert_int_equal(d[SX_OA_A0 + 19], 0);
	assert_int_equal(d[SX_OA_B0], 1064);
	assert_int_equal(d[SX_OA_C0 + 7], 1124);
	oa_report_delta(SX_OA_A12, a, b, d);
	assert_int_equal(d[SX_OA_A0 + 18], 1060);
	assert_int_equal(d[SX_OA_B0], 0);
	oa_report_delta(SX_OA_C4_B8, a, b, d);
	assert_int_equal(d[SX_OA_C0], 1016);
	assert_int_equal(d[SX_OA_C0 + 3], 1028);
	assert_int_equal(d[SX_OA_C0 + 4], 0);
	assert_int_equal(d[SX_OA_B0], 1032);
	assert_int_equal(d[SX_OA_B0 + 7], 1060);
	assert_int_equal(d[SX_OA_A0 + 7], 0);
}

static void test_wrap(void **state)
{
	(void)state;
	uint8_t a[256], b[256];
	uint64_t d[SX_OA_SLOTS];
	oa_report(a, 1, 0xffffffff, 1, true, 0xfffffff0, 0xfffffffff0, 0xfffffff0, 0xffffffe0);
	oa_report(b, 1, 4, 1, true, 0x10, 0x20, 0x20, 0x20);
	oa_report_delta(SX_OA_A32U40_A4U32_B8_C8, a, b, d);
	assert_int_equal(d[SX_OA_TIME], 5);
	assert_int_equal(d[SX_OA_CLOCK], 0x20);
	for (uint32_t i = 0; i < 36; i++)
		assert_int_equal(d[SX_OA_A0 + i], 0x30);
	for (uint32_t i = 0; i < 8; i++) {
		assert_int_equal(d[SX_OA_B0 + i], 0x30);
		assert_int_equal(d[SX_OA_C0 + i], 0x40);
	}
	oa_report_delta(SX_OA_A32U40_A4U32_B8_C8, b, b, d);
	for (uint32_t i = 0; i < SX_OA_SLOTS; i++)
		assert_int_equal(d[i], 0);
}

static void test_heads(void **state)
{
	(void)state;
	uint8_t r[256];
	struct oa_report head;
	oa_report(r, OA_REASON_SWITCH, 7, 42, true, 9, 0, 0, 0);
	const struct sx_oa_device gt2 = oa_gt2();
	oa_report_read(&gt2, r, SX_OA_HEADER_BUFFER, &head);
	assert_int_equal(head.reason, OA_REASON_SWITCH);
	assert_true(head.context_valid);
	assert_int_equal(head.context, 42);
	assert_string_equal(oa_reason_name(head.reason), "switch");
	oa_le32(r, 0xdeadbeef);
	oa_report_read(&gt2, r, SX_OA_HEADER_COMMAND, &head);
	assert_int_equal(head.id, 0xdeadbeef);
	assert_int_equal(head.reason, 0);
	assert_true(head.context_valid);
}

/* What the head says by generation: where the context's sign is, which reasons there are. */
static void test_heads_by_generation(void **state)
{
	(void)state;
	static const struct {
		uint32_t device_id;
		enum sx_oa_format format;
		uint32_t id;
		bool valid;
		uint32_t reason;
	} cases[] = {
	    {0x1616, SX_OA_A32U40_A4U32_B8_C8, 1u << 25 | 1u << 19, true, OA_REASON_TIMER},
	    {0x1616, SX_OA_A32U40_A4U32_B8_C8, 1u << 16 | 1u << 19, false, OA_REASON_TIMER},
	    {0x1912, SX_OA_A32U40_A4U32_B8_C8, 1u << 16 | 1u << 24, true, OA_REASON_CLOCK_RATIO},
	    {0x1912, SX_OA_A32U40_A4U32_B8_C8, 1u << 25 | 1u << 22, false, OA_REASON_SWITCH},
	    {0x9a49, SX_OA_A32U40_A4U32_B8_C8, 1u << 16 | 1u << 25, true, OA_REASON_MMIO},
	    {0x7d55, SX_OA_A24U40_A14U32_B8_C8, 1u << 16 | 1u << 19, true, OA_REASON_TIMER},
	    {0x64a0, SX_OA_PEC64U64, 1u << 16 | 1u << 19, true, OA_REASON_TIMER},
	    {0x0412, SX_OA_A45_B8_C8, 0x00ffffff, false, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t r[640] = {0};
		struct oa_report head;
		struct sx_oa_device device = {.device_id = cases[i].device_id,
					      .format = cases[i].format};
		bool wide = cases[i].format == SX_OA_PEC64U64;
		oa_le32(r, cases[i].id);
		oa_le32(r + (wide ? 8 : 4), 0x12345678);
		if (wide)
			oa_le32(r + 12, 0xff000009); /* 56 bits of it are time */
		oa_le32(r + (wide ? 16 : 8), 77);
		oa_le32(r + (wide ? 24 : 12), 4711);
		oa_report_read(&device, r, SX_OA_HEADER_BUFFER, &head);
		assert_int_equal(head.context_valid, cases[i].valid);
		assert_int_equal(head.reason, cases[i].reason);
		assert_int_equal(head.timestamp, wide ? UINT64_C(0x912345678) : 0x12345678);
		assert_int_equal(head.context, 77);
		assert_int_equal(head.clock, cases[i].format == SX_OA_A45_B8_C8 ? 0 : 4711);
	}
	assert_int_equal(oa_format_of(0x0412, 7), SX_OA_HSW_C4_B8);
	assert_int_equal(oa_format_of(0x1912, 7), SX_OA_C4_B8);
	assert_int_equal(oa_format_of(0x1912, 5), SX_OA_FORMAT_NONE);
	assert_int_equal(oa_format_of(0x0412, 10), SX_OA_FORMAT_NONE);
	assert_int_equal(oa_format_of(0x1616, 99), SX_OA_FORMAT_NONE);
}

/* Where every counter lies, and at which width it wraps: each byte of a report is written alone. */
static void test_every_layout(void **state)
{
	(void)state;
	static const struct {
		enum sx_oa_format format;
		uint32_t slot, low, high, bits; /* offsets of the low word and of the upper byte */
	} cases[] = {
	    {SX_OA_A24U40_A14U32_B8_C8, SX_OA_A0, 16, 0, 32},
	    {SX_OA_A24U40_A14U32_B8_C8, SX_OA_A0 + 3, 28, 0, 32},
	    {SX_OA_A24U40_A14U32_B8_C8, SX_OA_A0 + 4, 32, 164, 40},
	    {SX_OA_A24U40_A14U32_B8_C8, SX_OA_A0 + 23, 108, 183, 40},
	    {SX_OA_A24U40_A14U32_B8_C8, SX_OA_A0 + 24, 112, 0, 32},
	    {SX_OA_A24U40_A14U32_B8_C8, SX_OA_A0 + 27, 124, 0, 32},
	    {SX_OA_A24U40_A14U32_B8_C8, SX_OA_A0 + 28, 128, 188, 40},
	    {SX_OA_A24U40_A14U32_B8_C8, SX_OA_A0 + 31, 140, 191, 40},
	    {SX_OA_A24U40_A14U32_B8_C8, SX_OA_A0 + 32, 144, 0, 32},
	    {SX_OA_A24U40_A14U32_B8_C8, SX_OA_A0 + 36, 160, 0, 32},
	    {SX_OA_A24U40_A14U32_B8_C8, SX_OA_A0 + 37, 184, 0, 32},
	    {SX_OA_A24U40_A14U32_B8_C8, SX_OA_B0, 192, 0, 32},
	    {SX_OA_A24U40_A14U32_B8_C8, SX_OA_C0 + 7, 252, 0, 32},
	    {SX_OA_A45_B8_C8, SX_OA_A0, 12, 0, 32},
	    {SX_OA_A45_B8_C8, SX_OA_A0 + 44, 188, 0, 32},
	    {SX_OA_A45_B8_C8, SX_OA_B0 + 7, 220, 0, 32},
	    {SX_OA_A45_B8_C8, SX_OA_C0 + 2, 232, 0, 32},
	    {SX_OA_MPEC8U32_B8_C8, SX_OA_A0 + 7, 60, 0, 32},
	    {SX_OA_MPEC8U32_B8_C8, SX_OA_C0, 96, 0, 32},
	    {SX_OA_MPEC8U64_B8_C8, SX_OA_A0 + 7, 88, 0, 64},
	    {SX_OA_MPEC8U64_B8_C8, SX_OA_B0, 96, 0, 32},
	    {SX_OA_PEC64U64, SX_OA_PEC0, 32, 0, 64},
	    {SX_OA_PEC64U64, SX_OA_PEC0 + 63, 536, 0, 64},
	    {SX_OA_PEC64U32, SX_OA_PEC0 + 63, 284, 0, 32},
	    {SX_OA_A32U40_A4U32_B8_C8, SX_OA_A0 + 31, 140, 191, 40},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t a[640] = {0}, b[640] = {0};
		uint64_t d[SX_OA_SLOTS];
		assert_int_equal(oa_slot_bits(cases[i].format, cases[i].slot), cases[i].bits);
		/* From one below the wrap to one behind it. */
		memset(a + cases[i].low, 0xff, cases[i].bits == 64 ? 8 : 4);
		if (cases[i].high)
			a[cases[i].high] = 0xff;
		b[cases[i].low] = 1;
		oa_report_delta(cases[i].format, a, b, d);
		for (uint32_t slot = SX_OA_A0; slot < SX_OA_SLOTS; slot++)
			assert_int_equal(d[slot], slot == cases[i].slot ? 2 : 0);
	}
}

/* The parts of a GPU as conditions ask for them: packed, and by fours from 12.55 on. */
static double constant(const struct sx_oa_device *device, const char *name)
{
	struct sx_oa_constants all;
	sx_oa_device_constants(device, &all);
	for (uint32_t i = 0; i < all.count; i++)
		if (strcmp(all.items[i].name, name) == 0)
			return all.items[i].value;
	return -1;
}

static void test_topologies(void **state)
{
	(void)state;
	struct sx_oa_device skl = {.device_id = 0x1926,
				   .revision = 10,
				   .max_slices = 3,
				   .max_subslices = 4,
				   .max_eus = 8,
				   .slice_mask = 3,
				   .subslice_mask = {7, 5},
				   .eu_mask = {{0xff, 0xff, 0x7f}, {0xff, 0, 0xff}}};
	assert_true(constant(&skl, "SubsliceMask") == (7 | 5 << 3));
	assert_true(constant(&skl, "EuCoresTotalCount") == 39);
	assert_true(constant(&skl, "EuSlicesTotalCount") == 2);
	assert_true(constant(&skl, "EuThreadsCount") == 7);
	assert_true(constant(&skl, "SkuRevisionId") == 10);
	skl.device_id = 0x8a52; /* the same parts in an Ice Lake */
	assert_true(constant(&skl, "SubsliceMask") == (7 | 5 << 8));
	assert_true(constant(&skl, "GtSlice1DualSubslice1") == 0);
	assert_true(constant(&skl, "GtSlice1DualSubslice2") == 1);
	skl.device_id = 0x5a84;
	assert_true(constant(&skl, "EuThreadsCount") == 6);
	/* Meteor Lake: one slice of the kernel, eight XeCores, which are two slices of four. */
	struct sx_oa_device mtl = {.device_id = 0x7d55,
				   .max_slices = 1,
				   .max_subslices = 32,
				   .max_eus = 16,
				   .slice_mask = 1,
				   .subslice_mask = {0xdf}};
	for (int i = 0; i < 8; i++)
		mtl.eu_mask[0][i] = 0xffff;
	assert_true(constant(&mtl, "GtSlice0XeCore3") == 1 && constant(&mtl, "GtSlice1") == 1);
	assert_true(constant(&mtl, "GtSlice1XeCore1") == 0 &&
		    constant(&mtl, "GtSlice1XeCore2") == 1);
	assert_true(constant(&mtl, "GtSlice2") == 0 && constant(&mtl, "GtSlice2XeCore0") == 0);
	assert_true(constant(&mtl, "GtSliceMask") == 3 && constant(&mtl, "XeCoreMask") == 0xdf);
	assert_true(constant(&mtl, "GtXeCore5") == 0 && constant(&mtl, "GtXeCore7") == 1);
	assert_true(constant(&mtl, "XeCoreTotalCount") == 7 &&
		    constant(&mtl, "SliceTotalCount") == 2);
	assert_true(constant(&mtl, "VectorEngineTotalCount") == 112);
	assert_true(constant(&mtl, "VectorEnginePerXeCoreCount") == 16);
	assert_true(constant(&mtl, "VectorEngineThreadsCount") == 8);
	/* Nothing is known of the parts: nothing is said of them. */
	mtl = (struct sx_oa_device){.device_id = 0x7d55};
	assert_true(constant(&mtl, "GtSlice0") == -1 && constant(&mtl, "EuCoresTotalCount") == -1);
	/* As the kernel tells it, and back. */
	uint8_t bytes[1024];
	skl.device_id = 0x1926;
	size_t size = oa_write_topology(bytes, sizeof(bytes), &skl) - 8; /* a record's */
	struct sx_oa_device back = {.device_id = 0x1926};
	assert_int_equal(oa_topology_read(bytes + 8, size, &back, NULL), SX_OK);
	assert_memory_equal(back.eu_mask, skl.eu_mask, sizeof(back.eu_mask));
	mtl = (struct sx_oa_device){.max_slices = 1,
				    .max_subslices = 32,
				    .max_eus = 16,
				    .slice_mask = 1,
				    .subslice_mask = {0x80000101},
				    .eu_mask = {{[31] = 0xffff}}};
	size = oa_write_topology(bytes, sizeof(bytes), &mtl) - 8;
	assert_int_equal(oa_topology_read(bytes + 8, size, &back, NULL), SX_OK);
	assert_int_equal(back.subslice_mask[0], 0x80000101);
	assert_int_equal(back.eu_mask[0][31], 0xffff);
}

/* Long heads and Haswell's through the decoder: rows, contexts, clocks. */
static void test_long_and_haswell_rows(void **state)
{
	(void)state;
	static const struct {
		uint32_t device_id;
		enum sx_oa_format format;
		const char *counter;
		uint32_t at;
	} cases[] = {{0x64a0, SX_OA_PEC64U64, "PEC5", 32 + 40},
		     {0x7d55, SX_OA_MPEC8U32_B8_C8, "A2", 40},
		     {0x7d55, SX_OA_A24U40_A14U32_B8_C8, "A37", 184},
		     {0x9a49, SX_OA_A32U40_A4U32_B8_C8, "A7", 44},
		     {0x0412, SX_OA_A45_B8_C8, "A44", 188}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct oa_file file = {0};
		size_t size = oa_format_size(cases[i].format);
		bool wide =
		    cases[i].format >= SX_OA_PEC64U64 || cases[i].format == SX_OA_MPEC8U32_B8_C8;
		bool haswell = cases[i].device_id == 0x0412;
		for (uint32_t n = 0; n < 5; n++) {
			uint8_t r[640] = {0};
			oa_le32(r, 1u << 19 | 1u << 16);
			oa_le32(r + (wide ? 8 : 4), 0xfffffff0 + 1000 * n); /* over the wrap */
			if (wide && 0xfffffff0 + 1000 * n < 0xfffffff0)
				oa_le32(r + 12, 1);
			oa_le32(r + (wide ? 16 : 8), 9);
			if (!haswell)
				oa_le32(r + (wide ? 24 : 12), 50000 * n);
			oa_le32(r + cases[i].at, 77 * n);
			memcpy(oa_more(&file, size), r, size);
		}
		struct sx_oa_options options = {.input = SX_OA_REPORTS,
						.format = cases[i].format,
						.device = {.device_id = cases[i].device_id}};
		struct outcome o = decode_steps(&file, options, 0);
		assert_int_equal(o.status, SX_OK);
		assert_int_equal(sx_table_row_count(o.rows), 4);
		for (size_t row = 0; row < 4; row++) {
			assert_int_equal(value(o.rows, row, "GPU_TIME"), 1000);
			assert_int_equal(value(o.rows, row, cases[i].counter), 77);
			assert_int_equal(sx_table_label(o.rows, SX_LABEL_CONTEXT, row),
					 haswell ? SX_LABEL_ABSENT : 9);
			if (!haswell)
				assert_int_equal(value(o.rows, row, "GPU_CLOCK"), 50000);
		}
		assert_int_equal(sx_table_find(o.rows, "GPU_CLOCK") == SX_NONE, haswell);
		sx_oa_decoder_destroy(o.decoder);
		free(file.data);
	}
}

/* Three reports of context 5, one idle, one of context 6. */
static void five_reports(struct oa_file *file)
{
	uint8_t r[256];
	oa_pair(file, 1000000000, 0x100000000 + 1000);
	for (uint32_t i = 0; i < 3; i++) {
		oa_report(r, 1, 2000 + 1000 * i, 5, true, 50000 * i, 100 * i, 10 * i, 20 * i);
		oa_sample(file, r);
	}
	oa_report(r, 8, 5000, 0xffffffff, false, 150000, 300, 30, 60);
	oa_sample(file, r);
	oa_report(r, 8, 7000, 6, true, 250000, 500, 50, 100);
	oa_sample(file, r);
	oa_pair(file, 2000000000, 0x100000000 + 12501000);
}

static void test_recording(void **state)
{
	(void)state;
	struct oa_file file = {0};
	struct sx_oa_device device = oa_gt2();
	oa_begin(&file, &device);
	five_reports(&file);
	for (size_t step = 0; step < 600; step += 37) {
		struct outcome o =
		    decode_steps(&file, (struct sx_oa_options){.input = SX_OA_RECORDING}, step);
		assert_int_equal(o.status, SX_OK);
		assert_int_equal(sx_table_row_count(o.rows), 4);
		assert_int_equal(value(o.rows, 0, "GPU_TIME"), 1000);
		assert_int_equal(value(o.rows, 3, "GPU_TIME"), 2000);
		assert_int_equal(value(o.rows, 1, "A31"), 100);
		assert_int_equal(value(o.rows, 1, "C7"), 20);
		assert_int_equal(sx_table_label(o.rows, SX_LABEL_CONTEXT, 2), 5);
		assert_int_equal(sx_table_label(o.rows, SX_LABEL_CONTEXT, 3), SX_LABEL_ABSENT);
		/* 1000 ticks after the first pair, 80 ns each. */
		assert_int_equal(sx_table_begin_ns(o.rows)[0], 1000080000);
		assert_int_equal(sx_table_end_ns(o.rows)[3], 1000480000);
		assert_string_equal(sx_oa_decoder_device(o.decoder)->set, "RenderBasic");
		assert_int_equal(sx_oa_decoder_stats(o.decoder)->switches, 2);
		sx_oa_decoder_destroy(o.decoder);
	}
	struct sx_oa_constants constants;
	sx_oa_device_constants(&device, &constants);
	assert_true(constants.count > 8);
	assert_string_equal(constants.items[3].name, "EuCoresTotalCount");
	assert_int_equal((int)constants.items[3].value, 24);
	free(file.data);
}

/* A record of a live stream that lies about its size costs itself, and not what it claims. */
static void test_malformed_live_record(void **state)
{
	(void)state;
	struct oa_file file = {0};
	for (uint32_t i = 0; i < 8; i++) {
		uint8_t r[256];
		if (i == 3)
			oa_record(&file, 77, 600); /* two samples lie within it, it says */
		if (i == 3)
			file.size -= 600 - 8;
		oa_report(r, 1, 2000 + 1000 * i, 5, true, 50000 * i, 100 * i, 10 * i, 20 * i);
		oa_sample(&file, r);
	}
	struct outcome o = decode_steps(&file, (struct sx_oa_options){.input = SX_OA_RECORDS}, 0);
	assert_int_equal(o.status, SX_INCOMPLETE);
	assert_int_equal(sx_table_row_count(o.rows), 7);
	for (size_t row = 0; row < 7; row++) {
		assert_int_equal(value(o.rows, row, "GPU_TIME"), 1000);
		/* Whether the sample before it is whole is in doubt, and told. */
		bool marked = row == 1 || row == 2;
		assert_int_equal(quality(o.rows, row, "A0"), marked ? SX_QUALITY_LOST : 0);
	}
	assert_int_equal(sx_oa_decoder_stats(o.decoder)->skipped_bytes, 8);
	finish(&o, &file);
}

static void test_row_kinds(void **state)
{
	(void)state;
	struct oa_file file = {0};
	struct sx_oa_device device = oa_gt2();
	oa_begin(&file, &device);
	five_reports(&file);
	struct outcome o = decode(&file, SX_OA_RECORDING, SX_OA_RESIDENCY);
	assert_int_equal(sx_table_row_count(o.rows), 2);
	assert_int_equal(value(o.rows, 0, "A0"), 300);
	assert_int_equal(value(o.rows, 1, "A0"), 200);
	assert_int_equal(sx_table_label(o.rows, SX_LABEL_CONTEXT, 0), 5);
	sx_oa_decoder_destroy(o.decoder);
	o = decode(&file, SX_OA_RECORDING, SX_OA_TOTAL);
	assert_int_equal(sx_table_row_count(o.rows), 1);
	assert_int_equal(value(o.rows, 0, "A0"), 500);
	assert_int_equal(value(o.rows, 0, "GPU_TIME"), 5000);
	sx_oa_decoder_destroy(o.decoder);
	o = decode(&file, SX_OA_RECORDING, SX_OA_CONTEXTS);
	assert_int_equal(sx_table_row_count(o.rows), 2);
	sx_oa_decoder_destroy(o.decoder);
	o = decode_steps(
	    &file,
	    (struct sx_oa_options){
		.input = SX_OA_RECORDING, .rows = SX_OA_TOTAL, .only_context = true, .context = 5},
	    0);
	assert_int_equal(value(o.rows, 0, "GPU_TIME"), 3000);
	assert_int_equal(sx_oa_decoder_stats(o.decoder)->intervals, 3);
	finish(&o, &file);
}

/* One report without a valid id between two of the context belongs to it; two do not. */
static void test_stray_report(void **state)
{
	(void)state;
	const struct {
		const char *labels; /* x: the context, i: invalid, y: another */
		uint64_t time;
	} cases[] = {{"xix", 2}, {"xiix", 1}, {"xyx", 1}, {"ixi", 1}, {"xxx", 2}};
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct oa_file file = {0};
		uint8_t r[256];
		for (uint32_t i = 0; cases[c].labels[i]; i++) {
			char l = cases[c].labels[i];
			oa_report(r, 1, 1000 + i,
				  l == 'x'   ? 5
				  : l == 'y' ? 6
					     : 0xffffffff,
				  l != 'i', i, i, i, i);
			memcpy(oa_more(&file, 256), r, 256);
		}
		struct outcome o = decode_steps(&file,
						(struct sx_oa_options){.input = SX_OA_REPORTS,
								       .rows = SX_OA_TOTAL,
								       .only_context = true,
								       .context = 5},
						0);
		assert_int_equal(value(o.rows, 0, "GPU_TIME"), cases[c].time);
		finish(&o, &file);
	}
}

static void test_lost(void **state)
{
	(void)state;
	struct oa_file file = {0};
	uint8_t r[256];
	for (uint32_t i = 0; i < 6; i++) {
		oa_report(r, 1, 1000 * (i + 1), 5, true, 1000 * i, 100 * i, i, i);
		oa_sample(&file, r);
		if (i == 1)
			oa_record(&file, 2, 8);
		if (i == 3)
			oa_record(&file, 3, 8);
	}
	struct outcome o = decode(&file, SX_OA_RECORDS, SX_OA_EACH);
	assert_int_equal(o.status, SX_INCOMPLETE);
	assert_int_equal(sx_table_row_count(o.rows), 4); /* 0-1, 1-2 lost, 2-3, 4-5 */
	assert_int_equal(quality(o.rows, 0, "A0"), 0);
	assert_int_equal(quality(o.rows, 1, "A0"), SX_QUALITY_LOST);
	assert_int_equal(value(o.rows, 1, "A0"), 100);
	assert_int_equal(quality(o.rows, 2, "A0"), 0);
	assert_int_equal(quality(o.rows, 3, "C7"), SX_QUALITY_LOST);
	sx_oa_decoder_destroy(o.decoder);
	o = decode(&file, SX_OA_RECORDS, SX_OA_TOTAL);
	assert_int_equal(value(o.rows, 0, "A0"), 400); /* the broken interval is in nothing */
	assert_int_equal(value(o.rows, 0, "GPU_TIME"), 4000);
	assert_int_equal(quality(o.rows, 0, "A0"), SX_QUALITY_LOST);
	sx_oa_decoder_destroy(o.decoder);
	o = decode(&file, SX_OA_RECORDS, SX_OA_RESIDENCY);
	assert_int_equal(sx_table_row_count(o.rows), 2);
	finish(&o, &file);
}

/* Ten hours at 1 s: 104 wraps of the timestamp, 8,382 of the clock; every sum is exact. */
static void test_ten_hours(void **state)
{
	(void)state;
	struct oa_file file = {0};
	struct sx_oa_device device = oa_gt2();
	uint8_t r[256];
	const uint64_t seconds = 36000, start = 0xfffffff000;
	oa_begin(&file, &device);
	for (uint64_t s = 0; s <= seconds; s++) {
		uint64_t ticks = start + s * 12500000;
		if (s % 60 == 0)
			oa_pair(&file, 5000000000 + s * 1000000000, ticks & 0xfffffffff);
		oa_report(r, 1, (uint32_t)ticks, 5, true, (uint32_t)(s * 900000000),
			  s * 21600000000, (uint32_t)(s * 899999999), (uint32_t)(s * 123456789));
		oa_sample(&file, r);
	}
	struct outcome o = decode(&file, SX_OA_RECORDING, SX_OA_TOTAL);
	assert_int_equal(o.status, SX_OK);
	assert_int_equal(notes, 0);
	assert_int_equal(value(o.rows, 0, "GPU_TIME"), seconds * 12500000);
	assert_int_equal(value(o.rows, 0, "GPU_CLOCK"), seconds * 900000000);
	assert_int_equal(value(o.rows, 0, "A7"), seconds * 21600000000);
	assert_int_equal(value(o.rows, 0, "B3"), seconds * 899999999);
	assert_int_equal(value(o.rows, 0, "C7"), seconds * 123456789);
	assert_int_equal(quality(o.rows, 0, "B3"), 0);
	assert_int_equal(sx_table_begin_ns(o.rows)[0], 5000000000);
	assert_int_equal(sx_table_end_ns(o.rows)[0], 5000000000 + seconds * 1000000000);
	finish(&o, &file);
}

/* Gaps in which counters may wrap twice are told; the clock is repaired when only one value fits.
 */
static void test_ambiguous_wrap(void **state)
{
	(void)state;
	struct oa_file file = {0};
	struct sx_oa_device device = oa_gt2();
	uint8_t r[256];
	device.gt_min_hz = 850000000;
	oa_begin(&file, &device);
	oa_pair(&file, 1, 1000);
	oa_report(r, 1, 1000, 5, true, 0, 0, 0, 0);
	oa_sample(&file, r);
	oa_report(r, 1, 1000 + 12500000 * 6u, 5, true, (uint32_t)(900000000 * UINT64_C(6)), 7, 8,
		  9);
	oa_sample(&file, r);
	struct outcome o = decode(&file, SX_OA_RECORDING, SX_OA_EACH);
	assert_int_equal(value(o.rows, 0, "GPU_CLOCK"), 900000000 * UINT64_C(6));
	assert_int_equal(quality(o.rows, 0, "GPU_CLOCK"), 0);
	assert_int_equal(quality(o.rows, 0, "B0"), SX_QUALITY_WRAPPED);
	assert_int_equal(quality(o.rows, 0, "A32"), SX_QUALITY_WRAPPED);
	assert_int_equal(quality(o.rows, 0, "A7"), 0);
	sx_oa_decoder_destroy(o.decoder);
	/* A gap of three minutes: also the 40-bit counters. */
	oa_report(r, 1, 1000 + 12500000 * 166u, 5, true, 1, 7, 8, 9);
	oa_sample(&file, r);
	o = decode(&file, SX_OA_RECORDING, SX_OA_EACH);
	assert_int_equal(quality(o.rows, 1, "A7"), SX_QUALITY_WRAPPED);
	assert_int_equal(quality(o.rows, 1, "GPU_CLOCK"), SX_QUALITY_WRAPPED);
	assert_int_equal(quality(o.rows, 1, "GPU_TIME"), 0);
	sx_oa_decoder_destroy(o.decoder);
	/* More clocks than the device can. */
	oa_report(r, 1, 1000 + 12500000 * 166u + 100, 5, true, 1000001, 7, 8, 9);
	oa_sample(&file, r);
	o = decode(&file, SX_OA_RECORDING, SX_OA_EACH);
	assert_int_equal(sx_oa_decoder_stats(o.decoder)->fast_clocks, 1);
	assert_int_equal(quality(o.rows, 2, "GPU_CLOCK"), SX_QUALITY_WRAPPED);
	finish(&o, &file);
}

static void test_backwards(void **state)
{
	(void)state;
	struct oa_file file = {0};
	uint8_t r[256];
	const uint32_t times[] = {1000, 2000, 1500, 2500};
	for (uint32_t i = 0; i < 4; i++) {
		oa_report(r, 1, times[i], 5, true, i, i, i, i);
		memcpy(oa_more(&file, 256), r, 256);
	}
	struct outcome o = decode(&file, SX_OA_REPORTS, SX_OA_EACH);
	assert_int_equal(sx_table_row_count(o.rows), 2);
	assert_int_equal(value(o.rows, 1, "GPU_TIME"), 1000);
	assert_int_equal(sx_table_begin_ns(o.rows)[1], 1500 * 80);
	assert_int_equal(notes, 1);
	assert_int_equal(o.status, SX_INCOMPLETE);
	assert_int_equal(sx_oa_decoder_stats(o.decoder)->backwards, 1);
	finish(&o, &file);
}

struct damage {
	const char *what;
	enum sx_status status;
	size_t rows;
	const char *note; /* part of the last one, or NULL */
};

static void damaged(struct oa_file *file, const char *what)
{
	struct sx_oa_device device = oa_gt2();
	uint8_t r[256];
	if (strcmp(what, "empty") == 0)
		return;
	if (strcmp(what, "xe") == 0) {
		oa_record(file, 4, 16);
		return;
	}
	if (strcmp(what, "format") == 0)
		device.format = (enum sx_oa_format)5;
	oa_begin(file, &device);
	if (strcmp(what, "version") == 0)
		file->data[8] = 2;
	if (strcmp(what, "samples") == 0)
		return;
	for (uint32_t i = 0; i < 4; i++) {
		oa_report(r, 1, 1000 * (i + 1), 5, true, i, i, i, i);
		oa_sample(file, r);
		if (i == 1 && strcmp(what, "zero") == 0)
			oa_record(file, 1, 0);
		if (i == 1 && strcmp(what, "unknown") == 0)
			oa_record(file, 99, 24);
		if (i == 1 && strcmp(what, "short") == 0)
			oa_record(file, 1, 72);
		if (i == 1 && strcmp(what, "unwritten") == 0)
			oa_record(file, 1, 264);
		if (i == 1 && strcmp(what, "noise") == 0)
			for (int n = 0; n < 10; n++)
				oa_le32(oa_more(file, 8) + 4, 0x00030000u + (unsigned)n);
	}
	if (strcmp(what, "cut") == 0)
		file->size -= 100;
}

static void test_damage(void **state)
{
	(void)state;
	const struct damage cases[] = {
	    {"none", SX_OK, 3, NULL},
	    {"empty", SX_ERR_BAD_INPUT, 0, NULL},
	    {"xe", SX_ERR_BAD_INPUT, 0, NULL},
	    {"format", SX_ERR_UNSUPPORTED, 0, NULL},
	    {"version", SX_ERR_UNSUPPORTED, 0, NULL},
	    {"samples", SX_ERR_BAD_INPUT, 0, NULL},
	    {"zero", SX_INCOMPLETE, 3, "size 0 is impossible"},
	    {"unknown", SX_OK, 3, "unknown type 99"},
	    {"short", SX_INCOMPLETE, 3, "a sample of 64 bytes"},
	    {"unwritten", SX_INCOMPLETE, 3, "never written"},
	    {"noise", SX_INCOMPLETE, 3, "is impossible"},
	    {"cut", SX_INCOMPLETE, 2, "no whole record"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct oa_file file = {0};
		damaged(&file, cases[i].what);
		struct outcome o = decode(&file, SX_OA_RECORDING, SX_OA_EACH);
		if (o.status != cases[i].status)
			print_message("%s: status %d\n", cases[i].what, o.status);
		assert_int_equal(o.status, cases[i].status);
		if (o.status)
			assert_true(o.err.message[0] && strstr(o.err.message, "o"));
		if (cases[i].rows && sx_table_row_count(o.rows) != cases[i].rows)
			print_message("%s: rows %zu\n", cases[i].what, sx_table_row_count(o.rows));
		if (cases[i].rows)
			assert_int_equal(sx_table_row_count(o.rows), cases[i].rows);
		if (cases[i].note) {
			assert_int_not_equal(notes, 0);
			assert_non_null(strstr(last_note, cases[i].note));
			assert_non_null(strstr(last_note, "offset "));
		}
		finish(&o, &file);
	}
}

/* Replaces `size` bytes of the file by `count` others. */
static void splice(struct oa_file *file, size_t at, size_t size, size_t count, uint8_t byte)
{
	size_t rest = file->size - at - size;
	oa_more(file, count);
	memmove(file->data + at + count, file->data + at + size, rest);
	memset(file->data + at, byte, count);
	file->size -= size;
}

/* One thing wrong in a long recording costs the reports that it touches, and no others. */
static void test_resync(void **state)
{
	(void)state;
	static const struct {
		size_t offset, size, count; /* within a record: what is replaced by how much */
		uint8_t byte;
		size_t intervals;
	} cases[] = {
	    {7, 1, 1, 0x81, 197}, /* size 33032 instead of 264 */
	    {6, 1, 1, 9, 197},	  /* 265 */
	    {0, 1, 1, 5, 197},	  /* an unknown type */
	    {4, 1, 1, 1, 198},	  /* padding that is not 0: still a sample */
	    {0, 0, 13, 0xee, 198},   {0, 0, 8, 0x09, 198},  {0, 0, 1, 0, 198},
	    {0, 0, 5000, 0xff, 198}, {100, 100, 0, 0, 197}, {8, 1, 0, 0, 197},
	    {0, 264, 0, 0, 197},     {0, 3, 0, 0, 197},
	};
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct oa_file file = {0};
		struct sx_oa_device device = oa_gt2();
		uint8_t r[256];
		size_t at = 0;
		oa_begin(&file, &device);
		for (uint32_t i = 0; i < 199; i++) {
			at = i == 100 ? file.size : at;
			oa_report(r, 1, 1000 * i + 1, 5, true, 60000 * i, 100 * i, i, i);
			oa_sample(&file, r);
		}
		splice(&file, at + cases[c].offset, cases[c].size, cases[c].count, cases[c].byte);
		struct outcome o = decode(&file, SX_OA_RECORDING, SX_OA_EACH);
		uint64_t a0 = 0;
		for (size_t i = 0; i < sx_table_row_count(o.rows); i++)
			a0 += value(o.rows, i, "A0");
		if (sx_table_row_count(o.rows) != cases[c].intervals)
			print_message("case %zu\n", c);
		assert_int_equal(sx_table_row_count(o.rows), cases[c].intervals);
		assert_int_equal(a0, 19800); /* sums hold whatever is missing in between */
		finish(&o, &file);
	}
}

/* A record that claims to reach beyond the end of the file hides none that lie within it. */
static void test_cut_inside(void **state)
{
	(void)state;
	struct oa_file file = {0};
	struct sx_oa_device device = oa_gt2();
	struct sx_oa_decoder *decoder;
	struct sx_error err;
	size_t used, at;
	uint8_t r[256];
	oa_begin(&file, &device);
	for (uint32_t i = 0; i < 10; i++) {
		if (i == 3)
			oa_record(&file, 1, 8), file.data[file.size - 1] = 0xf0;
		oa_report(r, 1, 1000 * i + 1, 5, true, 60000 * i, 100 * i, i, i);
		oa_sample(&file, r);
	}
	struct sx_oa_options options = {.input = SX_OA_RECORDING};
	assert_int_equal(sx_oa_decoder_create(&options, &decoder, &err), SX_OK);
	assert_int_equal(sx_oa_decoder_feed(decoder, file.data, file.size, &at, &err), SX_OK);
	assert_true(at < file.size - 7 * 264);
	sx_oa_decoder_end(decoder);
	assert_int_equal(sx_oa_decoder_feed(decoder, file.data + at, file.size - at, &used, &err),
			 SX_OK);
	assert_int_equal(at + used, file.size);
	assert_int_equal(sx_oa_decoder_finish(decoder, 0, &err), SX_INCOMPLETE);
	assert_int_equal(sx_table_row_count(sx_oa_decoder_rows(decoder)), 9);
	sx_oa_decoder_destroy(decoder);
	free(file.data);
}

/* A recording behind another one: rows of both, none across; of another set: only the first. */
static void test_two_recordings(void **state)
{
	(void)state;
	for (int other = 0; other < 2; other++) {
		struct oa_file file = {0};
		uint8_t r[256];
		for (uint32_t part = 0; part < 2; part++) {
			struct sx_oa_device device = oa_gt2();
			if (part && other)
				snprintf(device.set, sizeof(device.set), "ComputeBasic");
			oa_begin(&file, &device);
			for (uint32_t i = 0; i < 5; i++) {
				oa_report(r, 1, 9000 - 5000 * part + 1000 * i, 5, true, i, i, i, i);
				oa_sample(&file, r);
			}
		}
		struct outcome o = decode(&file, SX_OA_RECORDING, SX_OA_EACH);
		assert_int_equal(o.status, other ? SX_INCOMPLETE : SX_OK);
		assert_int_equal(sx_table_row_count(o.rows), other ? 4 : 8);
		assert_int_equal(sx_oa_decoder_stats(o.decoder)->backwards, 0);
		finish(&o, &file);
	}
}

/* Counters over EUs wrap sooner than others; with 32 bits that is a fifth of a second. */
static void test_short_wrap(void **state)
{
	(void)state;
	struct oa_file file = {0};
	struct sx_oa_device device = oa_gt2();
	uint8_t r[256] = {0};
	device.format = SX_OA_A12_B8_C8;
	for (uint32_t i = 0; i < 3; i++) {
		oa_le32(r, 1u << 19 | 1u << 25);
		oa_le32(r + 4, 1000 + (i == 2 ? 3000000 : i * 2000000)); /* 160 ms, then 80 */
		oa_le32(r + 12, i * 1000);
		memcpy(oa_more(&file, 128), r, 128);
	}
	oa_le32(r + 4, 1000 + 3000000 + 3000000); /* 240 ms */
	memcpy(oa_more(&file, 128), r, 128);
	struct outcome o = decode_steps(&file,
					(struct sx_oa_options){.input = SX_OA_REPORTS,
							       .rows = SX_OA_EACH,
							       .device = device,
							       .format = SX_OA_A12_B8_C8},
					0);
	assert_int_equal(o.status, SX_INCOMPLETE);
	assert_int_equal(sx_oa_decoder_stats(o.decoder)->ambiguous, 1);
	assert_int_equal(quality(o.rows, 0, "A7"), 0);
	assert_int_equal(quality(o.rows, 1, "A7"), 0);
	assert_int_equal(quality(o.rows, 2, "A7"), SX_QUALITY_WRAPPED);
	assert_int_equal(quality(o.rows, 2, "B0"), 0);
	finish(&o, &file);
}

/* A file of any length needs no more rows than a batch. */
static void test_drain(void **state)
{
	(void)state;
	struct sx_oa_options options = {.input = SX_OA_REPORTS, .batch_rows = 100};
	struct sx_oa_decoder *d;
	struct sx_error err;
	uint64_t sum = 0, rows = 0;
	uint8_t r[256];
	assert_int_equal(sx_oa_decoder_create(&options, &d, &err), SX_OK);
	for (uint32_t i = 0; i < 100000; i++) {
		size_t used;
		oa_report(r, 1, i * 1000 + 1, 5, true, i * 70000, (uint64_t)i * 1000000, i, i);
		enum sx_status status = sx_oa_decoder_feed(d, r, 256, &used, &err);
		assert_int_equal(used, 256);
		if (status == SX_AGAIN) {
			struct sx_table *t = sx_oa_decoder_rows(d);
			assert_int_equal(sx_table_row_count(t), 100);
			assert_null(sx_table_vector(t, 5).quality);
			for (size_t n = 0; n < 100; n++)
				sum += value(t, n, "A7");
			rows += 100;
			sx_oa_decoder_drain(d);
		} else {
			assert_int_equal(status, SX_OK);
		}
	}
	assert_int_equal(sx_oa_decoder_finish(d, 0, &err), SX_OK);
	rows += sx_table_row_count(sx_oa_decoder_rows(d));
	assert_int_equal(rows, 99999);
	assert_int_equal(sum, 99900 * UINT64_C(1000000));
	sx_oa_decoder_destroy(d);
}

static void test_many_contexts(void **state)
{
	(void)state;
	struct oa_file file = {0};
	uint8_t r[256];
	for (uint32_t i = 0; i < 3000; i++) {
		oa_report(r, 8, 10 * (i + 1), i % 1000, true, i, i, i, i);
		memcpy(oa_more(&file, 256), r, 256);
	}
	struct outcome o = decode(&file, SX_OA_REPORTS, SX_OA_CONTEXTS);
	assert_int_equal(sx_table_row_count(o.rows), 1000);
	assert_int_equal(value(o.rows, 17, "GPU_TIME"), 30);
	assert_int_equal(sx_table_label(o.rows, SX_LABEL_CONTEXT, 17), 17);
	finish(&o, &file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_formats),
	    cmocka_unit_test(test_short_layouts),
	    cmocka_unit_test(test_wrap),
	    cmocka_unit_test(test_heads),
	    cmocka_unit_test(test_malformed_live_record),
	    cmocka_unit_test(test_heads_by_generation),
	    cmocka_unit_test(test_every_layout),
	    cmocka_unit_test(test_topologies),
	    cmocka_unit_test(test_long_and_haswell_rows),
	    cmocka_unit_test(test_recording),
	    cmocka_unit_test(test_row_kinds),
	    cmocka_unit_test(test_stray_report),
	    cmocka_unit_test(test_lost),
	    cmocka_unit_test(test_ten_hours),
	    cmocka_unit_test(test_ambiguous_wrap),
	    cmocka_unit_test(test_backwards),
	    cmocka_unit_test(test_damage),
	    cmocka_unit_test(test_resync),
	    cmocka_unit_test(test_cut_inside),
	    cmocka_unit_test(test_two_recordings),
	    cmocka_unit_test(test_short_wrap),
	    cmocka_unit_test(test_drain),
	    cmocka_unit_test(test_many_contexts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
