/* The Xe OA source on a fake kernel: what it finds, opens, reads, and how it fails and cleans up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "decode/decode.h"
#include "devices/xe_oa.h"
#include "session/record/raw.h"
#include "source/xe_oa/uapi.h"
#include "source/xe_oa/xe_oa.h"
#include "unit/context.h"
#include "unit/source/heard.h"

#if __has_include(<drm/xe_drm.h>)
#include <drm/xe_drm.h>
#elif __has_include(<libdrm/xe_drm.h>)
#include <libdrm/xe_drm.h>
#endif
#ifdef DRM_IOCTL_XE_OBSERVATION
#define HAVE_DRM 1
#endif

#define BMG_RENDER_BASIC "f05e23fc-913d-4ab9-ba9a-43beb059a18c"

extern const struct decoder_ops decode_i915_oa;

struct found {
	unsigned count;
	enum sx_device_state state;
	enum sx_status obstacle;
	char id[32], catalog[64], because[160], remedy[160];
};

static void take(void *user, const struct sx_device *device)
{
	struct found *f = user;
	f->count++;
	f->state = device->state;
	f->obstacle = device->obstacle;
	snprintf(f->id, sizeof(f->id), "%s", device->id);
	snprintf(f->catalog, sizeof(f->catalog), "%s", device->catalog ? device->catalog : "");
	snprintf(f->because, sizeof(f->because), "%s", device->because ? device->because : "");
	snprintf(f->remedy, sizeof(f->remedy), "%s", device->remedy ? device->remedy : "");
}

static struct source_host host_of(struct fake_xe *fake)
{
	return (struct source_host){.sys = &fake->sys, .catalogs = context};
}

static struct found probe(struct fake_xe *fake)
{
	struct found found = {0};
	struct source_host host = host_of(fake);
	source_xe_oa.probe(&host, take, &found);
	return found;
}

static void test_probe(void **state)
{
	struct fake_xe fake;
	fake_xe_init(&fake);
	struct found f = probe(&fake);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.state, SX_DEVICE_READY);
	assert_string_equal(f.id, "xe:card0");
	assert_string_equal(f.catalog, "intel-bmg");
	fake.has_metrics = false;
	f = probe(&fake);
	assert_int_equal(f.obstacle, SX_ERR_UNSUPPORTED);
	assert_non_null(strstr(f.because, "no OA metrics"));
	fake.has_metrics = true;
	fake.device_id = 0xe204; /* nobody has sets of it */
	f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_non_null(strstr(f.because, "no catalog"));
	assert_non_null(strstr(f.remedy, "--for intel-bmg"));
	fake.other_driver = true;
	f = probe(&fake);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.state, SX_DEVICE_ABSENT);
	assert_non_null(strstr(f.because, "driven by xe"));
	assert_int_equal(fake.open_fds, 0);
}

static enum sx_status open_start(struct fake_xe *fake, struct source **out,
				 const struct source_request *request, struct sx_error *err)
{
	struct source_host host = host_of(fake);
	enum sx_status status = source_xe_oa.open(&host, "xe:card0", out, err);
	return status ? status : source_xe_oa.start(*out, request, err);
}

/* Before Linux 7.3 the driver's own switch alone opens it; from then on perf's as well. */
static void test_rights(void **state)
{
	static const struct {
		const char *kernel;
		bool paranoid, capable;
		int perf;
		bool allowed;
		const char *because; /* a part of it */
	} cases[] = {
	    {"7.2.9\n", true, false, 2, false, "observation_paranoid is 1 and CAP_PERFMON"},
	    {"7.2.9\n", true, false, 0, false, "helps from Linux 7.3 on"},
	    {"7.2.9\n", true, true, 2, true, ""},
	    {"7.2.9\n", false, false, 2, true, ""},
	    {"7.3.0-rc1\n", true, false, 1, false, "kernel.perf_event_paranoid above 0"},
	    {"7.3.0-rc1\n", true, false, 0, true, ""},
	    {"7.10.1\n", true, false, -1, true, ""},
	    {"6.12.48\n", true, false, -1, false, "helps from Linux 7.3 on"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_xe fake;
		struct source *source = NULL;
		struct sx_error err = {0};
		struct source_request request = {.set = "RenderBasic"};
		fake_xe_init(&fake);
		fake.kernel = cases[i].kernel;
		fake.paranoid = cases[i].paranoid;
		fake.capable = cases[i].capable;
		fake.perf_paranoid = cases[i].perf;
		struct found f = probe(&fake);
		assert_int_equal(f.state == SX_DEVICE_READY, cases[i].allowed);
		assert_non_null(strstr(f.because, cases[i].because));
		/* What is told beforehand is what the kernel does. */
		enum sx_status status = open_start(&fake, &source, &request, &err);
		assert_int_equal(status, cases[i].allowed ? SX_OK : SX_ERR_PERMISSION);
		if (status) {
			assert_int_equal(f.obstacle, SX_ERR_PERMISSION);
			assert_non_null(strstr(f.remedy, "sysctl dev.xe.observation_paranoid=0"));
			assert_non_null(strstr(err.remedy, "observation_paranoid=0"));
		}
		source_xe_oa.close(source);
		assert_int_equal(fake.open_fds, 0);
		assert_int_equal(fake_xe_config_count(&fake), 0);
	}
}

static double constant(const struct source_desc *desc, const char *name)
{
	for (uint32_t i = 0; i < desc->constant_count; i++)
		if (strcmp(desc->constants[i].name, name) == 0)
			return desc->constants[i].value;
	return -1;
}

static void test_describe(void **state)
{
	struct fake_xe fake;
	struct source *source;
	struct sx_error err = {0};
	fake_xe_init(&fake);
	struct source_host host = host_of(&fake);
	fake.no_render_node = true;
	static const char *const names[] = {"xe",	"xe_oa", "xe-oa",
					    "xe:card0", "card0", "renderD128"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(source_xe_oa.open(&host, names[i], &source, &err), SX_OK);
		const struct source_desc *desc = source_describe(source);
		assert_string_equal(desc->catalog, "intel-bmg");
		assert_string_equal(desc->name, "Intel Battlemage (Xe2) 0xe20b");
		assert_true(constant(desc, "XeCoreTotalCount") == 8);
		assert_true(constant(desc, "EuCoresTotalCount") == 64);
		assert_true(constant(desc, "GtXeCore7") == 1 && constant(desc, "GtXeCore8") == 0);
		assert_true(constant(desc, "GpuTimestampFrequency") == 19200000);
		assert_true(constant(desc, "GpuMaxFrequency") == 2850e6);
		assert_true(constant(desc, "L3BankTotalCount") == 8);
		assert_true(constant(desc, "CopyEngineTotalCount") == 2);
		assert_true(constant(desc, "ComputeEngineTotalCount") == 1);
		source_xe_oa.close(source);
	}
	assert_int_equal(source_xe_oa.open(&host, "xe:card1", &source, &err), SX_ERR_NOT_FOUND);
	/* Answers that do not fit their size. */
	for (uint8_t cut = 1; cut <= 2; cut++) {
		fake.cut = cut;
		assert_int_equal(source_xe_oa.open(&host, "xe", &source, &err), SX_ERR_UNSUPPORTED);
		assert_non_null(strstr(err.message, "makes no sense"));
	}
	fake.cut = 0;
	fake.unit_count = 0;
	assert_int_equal(source_xe_oa.open(&host, "xe", &source, &err), SX_ERR_UNSUPPORTED);
	fake.no_card_node = true;
	assert_int_equal(source_xe_oa.open(&host, "xe", &source, &err), SX_ERR_PERMISSION);
	assert_non_null(strstr(err.remedy, "usermod"));
	assert_int_equal(fake.open_fds, 0);
}

static size_t marked(const struct sx_table *t, uint8_t quality)
{
	size_t n = 0;
	const uint8_t *of = sx_table_vector(t, sx_table_find(t, "GPU_CLOCK")).quality;
	for (size_t i = 0; of && i < sx_table_row_count(t); i++)
		n += of[i] == quality;
	return n;
}

/* A stream and what becomes of it. */
struct stream {
	struct fake_xe *fake;
	struct source *source;
	struct sx_catalog *catalog;
	struct decoder *decoder;
	struct sx_table *table;
	uint64_t lost;
	unsigned notes;
	char note[160];
};

static void begin(struct stream *s, struct fake_xe *fake, const char *set, uint64_t interval_ns)
{
	struct sx_error err = {0};
	struct source_request request = {.set = set, .interval_ns = interval_ns};
	*s = (struct stream){.fake = fake};
	enum sx_status status = open_start(fake, &s->source, &request, &err);
	if (status)
		print_error("%s: %s: %s\n", set, err.message, err.because);
	assert_int_equal(status, SX_OK);
	const struct source_desc *desc = source_describe(s->source);
	assert_int_equal(sx_catalog_open(context, desc->catalog, &s->catalog, &err), SX_OK);
	struct sx_constant_value constants[] = {
	    {"GpuTimestampFrequency", constant(desc, "GpuTimestampFrequency")},
	    {"GpuMaxFrequency", constant(desc, "GpuMaxFrequency")}};
	struct decoder_setup setup = {
	    .catalog = s->catalog, .set = desc->set, .constants = constants, .constant_count = 2};
	assert_int_equal(decode_i915_oa.create(&setup, &s->decoder, &err), SX_OK);
	assert_int_equal(decoder_table(s->decoder, &s->table, &err), SX_OK);
}

static enum sx_status step(struct stream *s, struct sx_error *err)
{
	struct raw_sample raw;
	enum sx_status status = source_xe_oa.read(s->source, 100, &raw, err);
	if (!status && raw.kind == RAW_NOTE) {
		s->notes++;
		snprintf(s->note, sizeof(s->note), "%.*s", (int)raw.size, (const char *)raw.data);
	} else if (!status) {
		s->lost += raw.lost;
		assert_int_equal(decode_i915_oa.feed(s->decoder, &raw, s->table, err), SX_OK);
	}
	return status;
}

static void run(struct stream *s, uint64_t ns)
{
	struct sx_error err = {0};
	uint64_t until = s->fake->now_ns + ns;
	while (s->fake->now_ns < until) {
		enum sx_status status = step(s, &err);
		assert_true(status == SX_OK || status == SX_AGAIN);
	}
}

static void end(struct stream *s)
{
	decode_i915_oa.destroy(s->decoder);
	sx_table_destroy(s->table);
	source_xe_oa.close(s->source);
	sx_catalog_unref(s->catalog);
	assert_int_equal(s->fake->open_fds, 0);
	assert_int_equal(fake_xe_config_count(s->fake), 0);
}

/* Sums are those of the model, times those of the clock; nothing blocks, nothing is inherited. */
static void test_stream(void **state)
{
	struct fake_xe fake;
	struct stream s;
	fake_xe_init(&fake);
	begin(&s, &fake, "RenderBasic", 1000000);
	assert_true(fake.nonblocking && fake.cloexec && fake.enabled && fake.disabled_at_open);
	assert_int_equal(fake.exponent, 13);
	assert_int_equal(fake.unit, 0);
	assert_int_equal(fake.format, XE_FORMAT(XE_FMT_PEC, 1, 1, 0));
	assert_false(fake.properties & 1 << XE_PROP_BUFFER_SIZE);
	assert_string_equal(fake.active.uuid, BMG_RENDER_BASIC);
	uint64_t begin_ns = fake.now_ns;
	run(&s, 1000000000);
	size_t rows = sx_table_row_count(s.table);
	assert_in_range(rows, 1150, 1172);
	uint64_t ticks = sum(s.table, "GPU_TIME"), clocks = sum(s.table, "GPU_CLOCK");
	assert_int_equal(ticks, rows * 16384);
	assert_int_equal(clocks, ticks * 125);
	assert_in_range(sum(s.table, "PEC32"), clocks * 8 / 10 - 1, clocks * 8 / 10 + 1);
	assert_in_range(sum(s.table, "PEC7"), clocks * 8 / 64 - 1, clocks * 8 / 64 + 1);
	assert_in_range(sx_table_begin_ns(s.table)[0], begin_ns, begin_ns + 3000000);
	assert_in_range(sx_table_end_ns(s.table)[rows - 1], fake.now_ns - 8000000, fake.now_ns);
	assert_in_range(sx_table_label(s.table, SX_LABEL_CONTEXT, 0), 5, 6);
	assert_int_equal(s.lost, 0);
	assert_int_equal(marked(s.table, SX_QUALITY_LOST), 0);
	end(&s);
}

/* Each loss bit does what it means: a report lost, sums that begin anew, a note. */
static void test_losses(void **state)
{
	static const struct {
		uint32_t bits;
		unsigned rows_marked, restarts, notes;
		const char *note;
	} cases[] = {
	    {XE_STATUS_REPORT_LOST, 1, 0, 0, ""},
	    {XE_STATUS_BUFFER_OVERFLOW, 0, 1, 0, ""},
	    {XE_STATUS_COUNTER_OVERFLOW, 0, 0, 1, "shorter --interval"},
	    {XE_STATUS_TRIGGERS_FULL, 1, 0, 1, "periodic ones stand"},
	    {XE_STATUS_REPORT_LOST | XE_STATUS_BUFFER_OVERFLOW, 0, 1, 0, ""},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_xe fake;
		struct stream s;
		fake_xe_init(&fake);
		begin(&s, &fake, "RenderBasic", 10000000);
		run(&s, 100000000);
		fake.lose = cases[i].bits;
		run(&s, 200000000);
		assert_true(s.lost >= 1);
		assert_int_equal(fake.restarts, cases[i].restarts);
		assert_int_equal(s.notes, cases[i].notes);
		assert_non_null(strstr(s.note, cases[i].note));
		assert_in_range(marked(s.table, SX_QUALITY_LOST), cases[i].rows_marked,
				cases[i].rows_marked + 1);
		/* No interval reaches over counters that began anew: all rates are the model's. */
		uint64_t clocks = sum(s.table, "GPU_CLOCK");
		assert_int_equal(clocks, sum(s.table, "GPU_TIME") * 125);
		assert_in_range(sum(s.table, "PEC32"), clocks * 8 / 10 - 9, clocks * 8 / 10 + 9);
		end(&s);
	}
}

/* A reader that sleeps: the buffer really overflows, and what is in it is not believed. */
static void test_overflow(void **state)
{
	struct fake_xe fake;
	struct stream s;
	fake_xe_init(&fake);
	begin(&s, &fake, "RenderBasic", 100000);
	run(&s, 50000000);
	fake.now_ns += UINT64_C(10000000000);
	run(&s, 50000000);
	assert_int_equal(fake.restarts, 1);
	assert_true(s.lost > 50000);
	uint64_t clocks = sum(s.table, "GPU_CLOCK");
	assert_int_equal(clocks, sum(s.table, "GPU_TIME") * 125);
	end(&s);
}

/* Periods at which the usual buffer lasts less than half a second get a larger one. */
static void test_buffer(void **state)
{
	struct fake_xe fake;
	struct stream s;
	fake_xe_init(&fake);
	begin(&s, &fake, "RenderBasic", 10000);
	assert_int_equal(fake.buffer_bytes, 64 << 20);
	end(&s);
	fake_xe_init(&fake);
	fake.old_caps = true; /* a kernel that refuses the property */
	begin(&s, &fake, "RenderBasic", 10000);
	assert_false(fake.properties & 1 << XE_PROP_BUFFER_SIZE);
	end(&s);
}

/* The device goes: the stream does not say so, but we do, within seconds. */
static void test_gone(void **state)
{
	for (int kind = FAKE_XE_SILENT; kind <= FAKE_XE_NOISY; kind++) {
		struct fake_xe fake;
		struct stream s;
		struct sx_error err = {0};
		enum sx_status status = SX_OK;
		fake_xe_init(&fake);
		begin(&s, &fake, "RenderBasic", 10000000);
		run(&s, 100000000);
		fake.gone = (enum fake_xe_gone)kind;
		uint64_t from = fake.now_ns;
		while (status != SX_ERR_DEVICE_LOST && fake.now_ns < from + 5000000000)
			status = step(&s, &err);
		assert_int_equal(status, SX_ERR_DEVICE_LOST);
		assert_true(fake.now_ns < from + UINT64_C(2000000000));
		assert_non_null(strstr(err.remedy, "dmesg"));
		size_t rows = sx_table_row_count(s.table);
		assert_in_range(rows, 11, 16); /* what came before stands */
		assert_int_equal(source_xe_oa.stop(s.source, &err), SX_OK);
		assert_int_equal(step(&s, &err), SX_END);
		fake.configs[0].used = false; /* it went with the driver */
		end(&s);
	}
}

/* What the kernel had when the stream was stopped is read, then the unit is free. */
static void test_read_after_stop(void **state)
{
	struct fake_xe fake;
	struct stream s;
	struct sx_error err = {0};
	enum sx_status status;
	fake_xe_init(&fake);
	begin(&s, &fake, "RenderBasic", 1000000);
	run(&s, 20000000);
	size_t before = sx_table_row_count(s.table);
	fake.now_ns += 200000000;
	assert_int_equal(source_xe_oa.stop(s.source, &err), SX_OK);
	assert_int_equal(fake_xe_config_count(&fake), 0);
	fake.now_ns += 200000000; /* nothing more is counted */
	while ((status = step(&s, &err)) == SX_OK)
		;
	assert_int_equal(status, SX_END);
	assert_in_range(sx_table_row_count(s.table) - before, 225, 245);
	assert_false(fake.stream);
	assert_int_equal(step(&s, &err), SX_END);
	struct source_request request = {.set = "ComputeBasic"};
	assert_int_equal(source_xe_oa.start(s.source, &request, &err), SX_OK);
	end(&s);
	/* A loss right at the end is told as well. */
	fake_xe_init(&fake);
	begin(&s, &fake, "RenderBasic", 1000000);
	run(&s, 20000000);
	assert_int_equal(source_xe_oa.stop(s.source, &err), SX_OK);
	while (step(&s, &err) == SX_OK)
		fake.lose = fake.next_ticks >= fake.end_ticks - 16384 ? XE_STATUS_REPORT_LOST : 0;
	end(&s);
}

struct chip {
	uint32_t device_id, version;
	const char *catalog;
};

static const struct chip chips[] = {
    {0xe20b, 2000, "intel-bmg"},    {0x64a0, 2000, "intel-lnl"},    {0xb080, 3000, "intel-ptl"},
    {0x56a0, 1255, "intel-acmgt3"}, {0x9a49, 1200, "intel-tglgt2"}, {0x7d55, 1270, "intel-mtlgt3"},
};

/* Every set of every chipset that xe drives goes into the driver's lists, on its unit. */
static void test_every_set(void **state)
{
	unsigned by_type[4] = {0};
	for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
		struct fake_xe fake;
		struct sx_error err = {0};
		struct source *source;
		struct sx_catalog *catalog;
		uint32_t count;
		fake_xe_init(&fake);
		fake_xe_become(&fake, chips[i].device_id, chips[i].version);
		struct source_host host = host_of(&fake);
		assert_int_equal(source_xe_oa.open(&host, "xe", &source, &err), SX_OK);
		const char *name = source_describe(source)->catalog;
		assert_string_equal(name, chips[i].catalog);
		assert_int_equal(sx_catalog_open(context, name, &catalog, &err), SX_OK);
		const struct sx_group_info *groups = sx_catalog_groups(catalog, &count);
		unsigned counted = 0;
		for (uint32_t g = 0; g < count; g++) {
			struct source_request request = {.catalog = catalog, .set = groups[g].name};
			enum sx_status status = source_xe_oa.start(source, &request, &err);
			if (status == SX_ERR_UNSUPPORTED &&
			    strstr(err.because, "without a register"))
				continue; /* none for these XeCores */
			if (status)
				print_error("%s %s: %s: %s\n", name, groups[g].name, err.message,
					    err.because);
			assert_int_equal(status, SX_OK);
			by_type[fake.units[fake.unit].type]++;
			counted++;
			assert_int_equal(source_xe_oa.stop(source, &err), SX_OK);
		}
		assert_true(counted * 10 >= count * 5);
		source_xe_oa.close(source);
		sx_catalog_unref(catalog);
		assert_int_equal(fake.open_fds, 0);
		assert_int_equal(fake_xe_config_count(&fake), 0);
	}
	/* Render sets, both SCMIs' and Meteor Lake's media sets, and Panther Lake's of the SAG. */
	assert_true(by_type[XE_OA_UNIT_OAG] > 100 && by_type[XE_OA_UNIT_OAM] >= 4);
	assert_int_equal(by_type[XE_OA_UNIT_OAM_SAG], 1);
}

/* Media sets are counted where their registers are; a kernel that lists no such unit says so. */
static void test_media_units(void **state)
{
	static const struct {
		uint32_t device_id, version;
		const char *set;
		uint64_t unit;
	} cases[] = {{0xe20b, 2000, "MediaSet1", 3},
		     {0xe20b, 2000, "MediaSet2", 2},
		     {0x64a0, 2000, "MediaSet1", 2},
		     {0xb080, 3000, "MediaSet1", 1},
		     {0x7d55, 1270, "MediaSet1", 1}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_xe fake;
		struct stream s;
		fake_xe_init(&fake);
		fake_xe_become(&fake, cases[i].device_id, cases[i].version);
		begin(&s, &fake, cases[i].set, 1000000);
		assert_int_equal(fake.unit, cases[i].unit);
		run(&s, 100000000);
		size_t rows = sx_table_row_count(s.table);
		assert_true(rows > 80);
		assert_int_equal(sum(s.table, "GPU_CLOCK"),
				 sum(s.table, "GPU_TIME") * fake.clock_hz / fake.oa_hz);
		/* Times too, also of the unit without an engine of its own. */
		assert_in_range(sx_table_end_ns(s.table)[rows - 1], fake.now_ns - 8000000,
				fake.now_ns);
		end(&s);
	}
	struct fake_xe fake;
	struct stream s;
	struct source *source = NULL;
	struct sx_error err = {0};
	struct source_request request = {.set = "MediaSet1"};
	fake_xe_init(&fake);
	fake.told_media_hz = 38400000;
	begin(&s, &fake, "MediaSet2", 1000000);
	run(&s, 20000000);
	assert_int_equal(s.notes, 1);
	assert_non_null(strstr(s.note, "--const GpuTimestampFrequency=38400000"));
	end(&s);
	fake_xe_init(&fake);
	fake.unit_count = 1;
	assert_int_equal(open_start(&fake, &source, &request, &err), SX_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.because, "lists 1 OA unit"));
	source_xe_oa.close(source);
	assert_int_equal(fake_xe_config_count(&fake), 0);
}

/* The generations before Xe2: clocks that run twice as fast as the engines' timestamps. */
static void test_streams_of_generations(void **state)
{
	for (size_t i = 3; i < sizeof(chips) / sizeof(chips[0]); i++) {
		struct fake_xe fake;
		struct stream s;
		fake_xe_init(&fake);
		fake_xe_become(&fake, chips[i].device_id, chips[i].version);
		fake.old_caps = i == 3;
		begin(&s, &fake, "RenderBasic", 1000000);
		uint64_t begin_ns = fake.now_ns;
		run(&s, 200000000);
		size_t rows = sx_table_row_count(s.table);
		assert_true(rows > 150);
		assert_int_equal(sum(s.table, "GPU_TIME"), rows * (UINT64_C(2) << fake.exponent));
		assert_in_range(sx_table_begin_ns(s.table)[0], begin_ns, begin_ns + 3000000);
		assert_in_range(sx_table_end_ns(s.table)[rows - 1], fake.now_ns - 8000000,
				fake.now_ns);
		end(&s);
	}
	/* Ponte Vecchio: its sets' format is none of the driver's, which is said. */
	struct fake_xe fake;
	struct source *source = NULL;
	struct sx_error err = {0};
	struct source_request request = {.set = "ComputeBasic"};
	fake_xe_init(&fake);
	fake_xe_become(&fake, 0x0bd5, 1260);
	assert_int_equal(open_start(&fake, &source, &request, &err), SX_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.because, "A32u40_A4u32_B8_C8"));
	source_xe_oa.close(source);
}

static void test_refusals(void **state)
{
	static const struct {
		int open_errno;
		enum sx_status status;
		const char *because;
	} cases[] = {{EBUSY, SX_ERR_BUSY, "serves one at a time"},
		     {ENODEV, SX_ERR_UNSUPPORTED, "no OA unit"},
		     {ETIMEDOUT, SX_ERR_IO, "does not wake up"},
		     {ENOMEM, SX_ERR_NO_MEMORY, "no memory for the OA buffer"},
		     {EINVAL, SX_ERR_UNSUPPORTED, "refuses report format"},
		     {EACCES, SX_ERR_PERMISSION, "refuses this process"}};
	struct fake_xe fake;
	struct sx_error err = {0};
	struct source *source;
	struct source_request request = {.set = "RenderBasic"};
	fake_xe_init(&fake);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		source = NULL;
		fake.open_errno = cases[i].open_errno;
		assert_int_equal(open_start(&fake, &source, &request, &err), cases[i].status);
		assert_non_null(strstr(err.because, cases[i].because));
		source_xe_oa.close(source);
	}
	fake.open_errno = 0;
	source = NULL;
	fake.refused_register = 0x13360; /* by bisection, out of some two hundred */
	assert_int_equal(open_start(&fake, &source, &request, &err), SX_ERR_UNSUPPORTED);
	assert_non_null(strstr(err.because, "register 0x13360"));
	source_xe_oa.close(source);
	fake.refused_register = 0;
	source = NULL;
	request.set = "RenderBsic";
	assert_int_equal(open_start(&fake, &source, &request, &err), SX_ERR_NOT_FOUND);
	source_xe_oa.close(source);
	assert_int_equal(fake.open_fds, 0);
	assert_int_equal(fake_xe_config_count(&fake), 0);
}

/* A uuid that is taken proves nothing; one that the writes make does. */
static void test_configs(void **state)
{
	struct fake_xe fake;
	struct stream s;
	struct source *source = NULL;
	struct sx_error err = {0};
	struct source_request request = {.set = "RenderBasic"};
	fake_xe_init(&fake);
	fake_xe_add_foreign(&fake, BMG_RENDER_BASIC, 900);
	begin(&s, &fake, "RenderBasic", 1000000);
	assert_string_not_equal(fake.active.uuid, BMG_RENDER_BASIC);
	assert_int_equal(fake_xe_config_count(&fake), 2);
	/* Recordings have the published one: the writes are those of the set. */
	assert_string_equal(source_describe(s.source)->facts[2].value, BMG_RENDER_BASIC);
	/* A second user: its unit is taken, but its configuration is found again, and left there.
	 */
	fake.fds[FAKE_XE_CARD_FD] = false;
	assert_int_equal(open_start(&fake, &source, &request, &err), SX_ERR_BUSY);
	fake.fds[FAKE_XE_CARD_FD] = true;
	assert_int_equal(fake_xe_config_count(&fake), 2);
	fake.fds[FAKE_XE_CARD_FD] = true;
	source_xe_oa.close(source);
	fake.fds[FAKE_XE_CARD_FD] = true;
	fake.configs[0].used = false;
	end(&s);
	/* Somebody removes it between adding and opening. */
	fake_xe_init(&fake);
	fake.vanish = 1;
	begin(&s, &fake, "RenderBasic", 1000000);
	end(&s);
	fake.vanish = 9;
	source = NULL;
	assert_int_equal(open_start(&fake, &source, &request, &err), SX_ERR_NOT_FOUND);
	source_xe_oa.close(source);
	assert_int_equal(fake.open_fds, 0);
}

/* The k-th call fails, for every k: an error or none, but nothing stays behind. */
static void test_fault_sweep(void **state)
{
	static const int errors[] = {EIO, ENODEV, EACCES, ENOMEM, EINTR};
	unsigned refused = 0, survived = 0;
	for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++)
		for (unsigned k = 1;; k++) {
			struct fake_xe fake;
			struct source *source = NULL;
			struct sx_error err = {0};
			struct raw_sample raw;
			struct source_request request = {.set = "TestOa", .interval_ns = 10000000};
			fake_xe_init(&fake);
			fake.fail_at = k;
			fake.fail_errno = errors[e];
			probe(&fake);
			enum sx_status status = open_start(&fake, &source, &request, &err);
			for (int i = 0; i < 4 && (!status || status == SX_AGAIN); i++) {
				fake.lose = i == 2 ? XE_STATUS_BUFFER_OVERFLOW : 0;
				status = source_xe_oa.read(source, 50, &raw, &err);
			}
			source_xe_oa.close(source);
			if (status && status != SX_AGAIN) {
				refused++;
				assert_true(err.message[0] != '\0');
			} else {
				survived++;
			}
			assert_int_equal(fake.open_fds, 0);
			assert_int_equal(fake_xe_config_count(&fake), 0);
			if (fake.calls < k)
				break;
		}
	assert_true(refused > 20);
	assert_true(survived > 20);
}

static struct lines selftest(struct fake_xe *fake, enum sx_status expected)
{
	struct source *source;
	struct sx_error err = {0};
	struct lines lines = {0};
	struct source_host host = host_of(fake);
	assert_int_equal(source_xe_oa.open(&host, "xe", &source, &err), SX_OK);
	assert_int_equal(source_xe_oa.selftest(source, hear, &lines, &err), expected);
	source_xe_oa.close(source);
	assert_int_equal(fake->open_fds, 0);
	return lines;
}

static void test_selftest(void **state)
{
	struct fake_xe fake;
	fake_xe_init(&fake);
	struct lines lines = selftest(&fake, SX_OK);
	assert_int_equal(lines.ok, 8);
	assert_int_equal(lines.failed, 0);
	fake.wrong_core = true;
	assert_int_equal(selftest(&fake, SX_INCOMPLETE).failed, 1);
	fake.wrong_core = false;
	fake.clock_drift = 0.01;
	assert_int_equal(selftest(&fake, SX_INCOMPLETE).failed, 1);
	fake.clock_drift = 0;
	fake.clock_hz = 4000000000;
	assert_true(selftest(&fake, SX_INCOMPLETE).failed >= 2);
	/* Arc: by B counters, as through i915. */
	fake_xe_init(&fake);
	fake_xe_become(&fake, 0x56a0, 1255);
	lines = selftest(&fake, SX_OK);
	assert_int_equal(lines.ok, 14);
}

struct written {
	uint8_t *data;
	size_t size;
};

static bool append(void *user, const uint8_t *data, size_t size)
{
	struct written *w = user;
	w->data = realloc(w->data, w->size + size + 1);
	assert_non_null(w->data);
	memcpy(w->data + w->size, data, size);
	w->size += size;
	return true;
}

/* What is recorded is a recording: device, set and topology in it, every time between two pairs. */
static void test_recording(void **state)
{
	struct fake_xe fake;
	struct sx_error err = {0};
	struct written w = {.data = NULL};
	struct sx_raw_recording recording = {.device = "xe:card0",
					     .set = "ComputeBasic",
					     .interval_ns = 1000000,
					     .duration_ns = 500000000};
	struct sx_oa_options options = {.input = SX_OA_RECORDING, .rows = SX_OA_TOTAL};
	struct sx_oa_decoder *d;
	size_t used;
	fake_xe_init(&fake);
	struct source_host host = host_of(&fake);
	uint64_t begin_ns = fake.now_ns;
	assert_int_equal(record_raw(&host, &recording, append, &w, &err), SX_OK);
	assert_int_equal(fake.open_fds, 0);
	assert_int_equal(fake_xe_config_count(&fake), 0);
	assert_int_equal(sx_oa_decoder_create(&options, &d, &err), SX_OK);
	assert_int_equal(sx_oa_decoder_feed(d, w.data, w.size, &used, &err), SX_OK);
	assert_int_equal(used, w.size);
	assert_int_equal(sx_oa_decoder_finish(d, 0, &err), SX_OK);
	const struct sx_table *t = sx_oa_decoder_rows(d);
	const struct sx_oa_device *device = sx_oa_decoder_device(d);
	assert_string_equal(device->set, "ComputeBasic");
	assert_int_equal(device->device_id, 0xe20b);
	assert_int_equal(device->format, SX_OA_PEC64U64);
	assert_int_equal(device->subslice_mask[0], 0xff);
	assert_int_equal(device->eu_mask[0][7], 0xff);
	assert_in_range(sum(t, "GPU_TIME"), 9300000, 9620000);
	assert_int_equal(sum(t, "GPU_CLOCK"), sum(t, "GPU_TIME") * 125);
	assert_in_range(sx_table_begin_ns(t)[0], begin_ns, begin_ns + 3000000);
	assert_in_range(sx_table_end_ns(t)[0], begin_ns + 480000000, fake.now_ns);
	sx_oa_decoder_destroy(d);
	free(w.data);
}

/* Our copy of the kernel's interface against its header. */
static void test_uapi(void **state)
{
#ifdef HAVE_DRM
	assert_int_equal(XE_DEVICE_QUERY, DRM_IOCTL_XE_DEVICE_QUERY);
	assert_int_equal(XE_OBSERVATION, DRM_IOCTL_XE_OBSERVATION);
	assert_int_equal(XE_STREAM_ENABLE, DRM_XE_OBSERVATION_IOCTL_ENABLE);
	assert_int_equal(XE_STREAM_DISABLE, DRM_XE_OBSERVATION_IOCTL_DISABLE);
	assert_int_equal(XE_STREAM_STATUS, DRM_XE_OBSERVATION_IOCTL_STATUS);
	assert_int_equal(XE_STREAM_INFO, DRM_XE_OBSERVATION_IOCTL_INFO);
	assert_int_equal(XE_QUERY_GT_TOPOLOGY, DRM_XE_DEVICE_QUERY_GT_TOPOLOGY);
	assert_int_equal(XE_QUERY_ENGINE_CYCLES, DRM_XE_DEVICE_QUERY_ENGINE_CYCLES);
	assert_int_equal(XE_QUERY_OA_UNITS, DRM_XE_DEVICE_QUERY_OA_UNITS);
	assert_int_equal(XE_OBSERVE_REMOVE_CONFIG, DRM_XE_OBSERVATION_OP_REMOVE_CONFIG);
	assert_int_equal(XE_PROP_UNIT, DRM_XE_OA_PROPERTY_OA_UNIT_ID);
	assert_int_equal(XE_PROP_EXPONENT, DRM_XE_OA_PROPERTY_OA_PERIOD_EXPONENT);
	assert_int_equal(XE_PROP_NO_PREEMPT, DRM_XE_OA_PROPERTY_NO_PREEMPT);
	assert_int_equal(XE_FMT_PEC, DRM_XE_OA_FMT_TYPE_PEC);
	assert_int_equal(XE_STATUS_TRIGGERS_FULL, DRM_XE_OASTATUS_MMIO_TRG_Q_FULL);
	assert_int_equal(sizeof(struct xe_device_query), sizeof(struct drm_xe_device_query));
	assert_int_equal(sizeof(struct xe_gt), sizeof(struct drm_xe_gt));
	assert_int_equal(offsetof(struct xe_gt, reference_clock),
			 offsetof(struct drm_xe_gt, reference_clock));
	assert_int_equal(sizeof(struct xe_query_engine), sizeof(struct drm_xe_engine));
	assert_int_equal(sizeof(struct xe_oa_unit), sizeof(struct drm_xe_oa_unit));
	assert_int_equal(offsetof(struct xe_oa_unit, engine_count),
			 offsetof(struct drm_xe_oa_unit, num_engines));
	assert_int_equal(sizeof(struct xe_query_oa_units), sizeof(struct drm_xe_query_oa_units));
	assert_int_equal(sizeof(struct xe_topology_mask),
			 sizeof(struct drm_xe_query_topology_mask));
	assert_int_equal(sizeof(struct xe_engine_cycles),
			 sizeof(struct drm_xe_query_engine_cycles));
	assert_int_equal(offsetof(struct xe_engine_cycles, cpu_ns),
			 offsetof(struct drm_xe_query_engine_cycles, cpu_timestamp));
	assert_int_equal(sizeof(struct xe_observation), sizeof(struct drm_xe_observation_param));
	assert_int_equal(sizeof(struct xe_set_property), sizeof(struct drm_xe_ext_set_property));
	assert_int_equal(offsetof(struct xe_set_property, value),
			 offsetof(struct drm_xe_ext_set_property, value));
	assert_int_equal(sizeof(struct xe_oa_config), sizeof(struct drm_xe_oa_config));
	assert_int_equal(offsetof(struct xe_oa_config, registers),
			 offsetof(struct drm_xe_oa_config, regs_ptr));
	assert_int_equal(sizeof(struct xe_stream_status), sizeof(struct drm_xe_oa_stream_status));
	assert_int_equal(sizeof(struct xe_stream_info), sizeof(struct drm_xe_oa_stream_info));
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_probe),	    cmocka_unit_test(test_rights),
	    cmocka_unit_test(test_describe),	    cmocka_unit_test(test_stream),
	    cmocka_unit_test(test_losses),	    cmocka_unit_test(test_overflow),
	    cmocka_unit_test(test_buffer),	    cmocka_unit_test(test_gone),
	    cmocka_unit_test(test_read_after_stop), cmocka_unit_test(test_every_set),
	    cmocka_unit_test(test_media_units),	    cmocka_unit_test(test_streams_of_generations),
	    cmocka_unit_test(test_refusals),	    cmocka_unit_test(test_configs),
	    cmocka_unit_test(test_fault_sweep),	    cmocka_unit_test(test_selftest),
	    cmocka_unit_test(test_recording),	    cmocka_unit_test(test_uapi),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
