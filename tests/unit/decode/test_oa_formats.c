/* OA reports of every layout and generation: offsets of fields, and columns of tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "unit/decode/oa_outcome.h"

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

static const struct sx_oa_device skylake = {.device_id = 0x1926,
					    .revision = 10,
					    .max_slices = 3,
					    .max_subslices = 4,
					    .max_eus = 8,
					    .slice_mask = 3,
					    .subslice_mask = {7, 5},
					    .eu_mask = {{0xff, 0xff, 0x7f}, {0xff, 0, 0xff}}};

static void test_topology_of_subslices(void **state)
{
	(void)state;
	struct sx_oa_device skl = skylake;
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
}

/* Meteor Lake: one slice of the kernel, eight XeCores, which are two slices of four. */
static void test_topology_of_cores(void **state)
{
	(void)state;
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
}

/* From the kernel's form, and back. */
static void test_topologies_there_and_back(void **state)
{
	(void)state;
	uint8_t bytes[1024];
	size_t size = oa_write_topology(bytes, sizeof(bytes), &skylake) - 8; /* a record's */
	struct sx_oa_device back = {.device_id = 0x1926};
	assert_int_equal(oa_topology_read(bytes + 8, size, &back, NULL), SX_OK);
	assert_memory_equal(back.eu_mask, skylake.eu_mask, sizeof(back.eu_mask));
	struct sx_oa_device mtl = {.max_slices = 1,
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_formats),
	    cmocka_unit_test(test_short_layouts),
	    cmocka_unit_test(test_wrap),
	    cmocka_unit_test(test_heads),
	    cmocka_unit_test(test_heads_by_generation),
	    cmocka_unit_test(test_every_layout),
	    cmocka_unit_test(test_topology_of_subslices),
	    cmocka_unit_test(test_topology_of_cores),
	    cmocka_unit_test(test_topologies_there_and_back),
	    cmocka_unit_test(test_long_and_haswell_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
