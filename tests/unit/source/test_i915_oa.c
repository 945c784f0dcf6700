/* The i915 OA source on a fake kernel: what it finds, opens, reads, and how it fails and cleans up.
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
#include "devices/i915_oa.h"
#include "source/i915_oa/i915_oa.h"
#include "session/record/raw.h"
#include "source/i915_oa/uapi.h"
#include "unit/source/heard.h"

#if __has_include(<libdrm/i915_drm.h>)
#include <libdrm/i915_drm.h>
#define HAVE_DRM 1
#endif

extern const struct decoder_ops decode_i915_oa;

struct found {
	unsigned count;
	enum sx_device_state state;
	char id[32], because[160], remedy[160];
};

static void take(void *user, const struct sx_device *device)
{
	struct found *f = user;
	f->count++;
	f->state = device->state;
	snprintf(f->id, sizeof(f->id), "%s", device->id);
	snprintf(f->because, sizeof(f->because), "%s", device->because ? device->because : "");
	snprintf(f->remedy, sizeof(f->remedy), "%s", device->remedy ? device->remedy : "");
}

static struct found probe(struct fake_i915 *fake)
{
	struct found found = {0};
	source_i915_oa.probe(&(struct source_host){.sys = &fake->sys}, take, &found);
	return found;
}

static void test_probe(void **state)
{
	(void)state;
	struct fake_i915 fake;
	fake_i915_init(&fake);
	struct found f = probe(&fake);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.state, SX_DEVICE_READY);
	assert_string_equal(f.id, "i915:card0");
	fake.paranoid = true;
	assert_int_equal(probe(&fake).state, SX_DEVICE_READY);
	fake.capable = false;
	f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_non_null(strstr(f.because, "paranoid"));
	assert_non_null(strstr(f.remedy, "sysctl"));
	fake.has_metrics = false;
	assert_non_null(strstr(probe(&fake).because, "no OA metrics"));
	fake.has_metrics = true;
	fake.capable = true;
	fake.device.device_id = 0x1902; /* Skylake GT1: no sets of it were ever published */
	f = probe(&fake);
	assert_int_equal(f.state, SX_DEVICE_UNUSABLE);
	assert_non_null(strstr(f.because, "no catalog"));
	fake.no_cards = true;
	f = probe(&fake);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.state, SX_DEVICE_ABSENT);
	assert_non_null(strstr(f.because, "no card"));
	assert_int_equal(fake.open_fds, 0);
}

static enum sx_status open_named(struct fake_i915 *fake, const char *id, struct source **out,
				 struct sx_error *err)
{
	struct source_host host = {.sys = &fake->sys};
	return source_i915_oa.open(&host, id, out, err);
}

static struct source *open_fake(struct fake_i915 *fake)
{
	struct source *source = NULL;
	struct sx_error err = {0};
	assert_int_equal(source_i915_oa.open(&(struct source_host){.sys = &fake->sys}, "i915:card0",
					     &source, &err),
			 SX_OK);
	return source;
}

static enum sx_status start(struct source *source, const char *set, uint64_t interval_ns,
			    struct sx_error *err)
{
	struct source_request request = {.set = set, .interval_ns = interval_ns};
	return source_i915_oa.start(source, &request, err);
}

static void test_describe(void **state)
{
	(void)state;
	struct fake_i915 fake;
	fake_i915_init(&fake);
	for (int params = 0; params < 2; params++) {
		fake.frequency_params = params;
		struct source *source = open_fake(&fake);
		const struct source_desc *desc = source_describe(source);
		assert_string_equal(desc->catalog, "intel-bdw");
		assert_true(desc->constant_count > 8);
		double eus = 0, hz = 0, max_hz = 0;
		for (uint32_t i = 0; i < desc->constant_count; i++) {
			if (strcmp(desc->constants[i].name, "EuCoresTotalCount") == 0)
				eus = desc->constants[i].value;
			if (strcmp(desc->constants[i].name, "GpuTimestampFrequency") == 0)
				hz = desc->constants[i].value;
			if (strcmp(desc->constants[i].name, "GpuMaxFrequency") == 0)
				max_hz = desc->constants[i].value;
		}
		/* What the hardware can, not what a user allowed it. */
		assert_int_equal((int)max_hz, 900000000);
		assert_int_equal((int)eus, 24);
		assert_int_equal((int)hz, 12500000);
		source_i915_oa.close(source);
	}
	assert_int_equal(fake.open_fds, 0);
}

static void test_exponent(void **state)
{
	(void)state;
	struct i915_card card = {.device = {.timestamp_hz = 12500000}, .max_rate_hz = 100000};
	const struct {
		uint64_t ns;
		uint32_t exponent;
	} cases[] = {{1000000, 13},    {10000000, 16},	  {81920, 9}, {100000000, 19},
		     {1000000000, 22}, {60000000000, 23}, {1, 6}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(i915_exponent(&card, cases[i].ns), cases[i].exponent);
	card.privileged = true;
	assert_int_equal(i915_exponent(&card, 1), 0);
	assert_int_equal(oa_period_ns(12500000, 0), 160);
	assert_int_equal(oa_period_ns(12500000, 6), 10240);
	assert_int_equal(oa_period_ns(12000000, 0), 167);
}

struct stream {
	struct source *source;
	struct decoder *decoder;
	struct sx_table *table;
};

static void begin(struct stream *s, struct fake_i915 *fake, const char *set, uint64_t interval_ns)
{
	struct sx_error err = {0};
	s->source = open_fake(fake);
	assert_int_equal(start(s->source, set, interval_ns, &err), SX_OK);
	struct sx_constant_value constants[] = {{"GpuTimestampFrequency", 12500000},
						{"GpuMaxFrequency", 900000000}};
	struct decoder_setup setup = {.constants = constants, .constant_count = 2};
	assert_int_equal(decode_i915_oa.create(&setup, &s->decoder, &err), SX_OK);
	assert_int_equal(s->decoder->column_count, 54);
	assert_int_equal(decoder_table(s->decoder, &s->table, &err), SX_OK);
}

static enum sx_status step(struct stream *s, struct sx_error *err)
{
	struct raw_sample raw;
	enum sx_status status = source_i915_oa.read(s->source, 100, &raw, err);
	if (!status && raw.kind == RAW_I915_OA)
		status = decode_i915_oa.feed(s->decoder, &raw, s->table, err);
	return status;
}

static void end(struct stream *s)
{
	decode_i915_oa.destroy(s->decoder);
	sx_table_destroy(s->table);
	source_i915_oa.close(s->source);
}

/* A second of samples: sums are those of the model, times those of the clock. */
static void test_stream(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct stream s;
	struct sx_error err = {0};
	fake_i915_init(&fake);
	begin(&s, &fake, "RenderBasic", 1000000);
	assert_int_equal(fake.exponent, 13);
	assert_true(fake.properties & 1 << I915_PROP_POLL_PERIOD);
	assert_int_equal(fake_i915_config_count(&fake), 1);
	uint64_t begin_ns = fake.now_ns;
	while (fake.now_ns < begin_ns + 1000000000)
		assert_int_equal(step(&s, &err), SX_OK);
	size_t rows = sx_table_row_count(s.table);
	assert_in_range(rows, 750, 770);
	uint64_t ticks = sum(s.table, "GPU_TIME"), clocks = sum(s.table, "GPU_CLOCK");
	assert_int_equal(ticks, rows * 16384);
	assert_int_equal(clocks, ticks * 64);
	assert_in_range(sum(s.table, "A0"), clocks * 8 / 10 - 1, clocks * 8 / 10 + 1);
	assert_in_range(sum(s.table, "A7"), clocks * 12 - 1, clocks * 12 + 1);
	assert_in_range(sx_table_begin_ns(s.table)[0], begin_ns, begin_ns + 3000000);
	assert_in_range(sx_table_end_ns(s.table)[rows - 1], fake.now_ns - 8000000, fake.now_ns);
	assert_int_equal(sx_table_label(s.table, SX_LABEL_CONTEXT, 0), 5);
	end(&s);
	assert_int_equal(fake.open_fds, 0);
	assert_int_equal(fake_i915_config_count(&fake), 0);
}

static void test_losses(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct stream s;
	struct sx_error err = {0};
	fake_i915_init(&fake);
	begin(&s, &fake, "RenderBasic", 10000000);
	for (int i = 0; i < 20; i++) {
		fake.lose_report = i == 5;
		fake.lose_buffer = i == 10;
		fake.false_poll = i == 15;
		enum sx_status status = step(&s, &err);
		assert_true(status == SX_OK || (i == 15 && status == SX_AGAIN));
	}
	size_t lost = 0, rows = sx_table_row_count(s.table);
	const uint8_t *quality = sx_table_vector(s.table, 2).quality;
	assert_non_null(quality);
	for (size_t i = 0; i < rows; i++)
		lost += quality[i] == SX_QUALITY_LOST;
	assert_int_equal(lost, 2);
	fake.gone = true;
	assert_int_equal(step(&s, &err), SX_ERR_DEVICE_LOST);
	assert_non_null(strstr(err.remedy, "dmesg"));
	end(&s);
	assert_int_equal(fake.open_fds, 0);
	fake_i915_finish(&fake);
}

static void test_refusals(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_error err = {0};
	struct source *source, *none = NULL;
	fake_i915_init(&fake);
	source = open_fake(&fake);
	assert_int_equal(start(source, "NoSuchSet", 0, &err), SX_ERR_NOT_FOUND);
	fake.paranoid = true;
	fake.capable = false;
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_ERR_PERMISSION);
	assert_non_null(strstr(err.remedy, "paranoid"));
	fake.paranoid = false;
	fake.stream = 9; /* somebody else has it */
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_ERR_BUSY);
	assert_int_equal(fake_i915_config_count(&fake), 0);
	fake.stream = 0;
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_OK);
	fake.read_errno = EIO;
	struct raw_sample raw;
	assert_int_equal(source_i915_oa.read(source, 100, &raw, &err), SX_ERR_DEVICE_LOST);
	source_i915_oa.close(source);
	assert_int_equal(open_named(&fake, "i915:card7", &none, &err), SX_ERR_NOT_FOUND);
	assert_int_equal(open_named(&fake, "renderD129", &none, &err), SX_ERR_NOT_FOUND);
	assert_int_equal(fake.open_fds, 0);
}

/* Every name of the one card, by whichever of its nodes may be opened. */
static void test_names_and_nodes(void **state)
{
	(void)state;
	static const char *const names[] = {"i915:card0", "card0",	"i915",		  "i915-oa",
					    "i915_oa",	  "renderD128", "i915:renderD128"};
	struct fake_i915 fake;
	struct sx_error err = {0};
	struct source *source;
	fake_i915_init(&fake);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(open_named(&fake, names[i], &source, &err), SX_OK);
		source_i915_oa.close(source);
	}
	const struct sx_device device = {
	    .id = "i915:card0", .source = "i915_oa", .catalog = "intel-bdw"};
	assert_true(sx_device_means(&device, "i915") && sx_device_means(&device, "card0") &&
		    sx_device_means(&device, "i915:card0") && sx_device_means(&device, "i915-oa") &&
		    sx_device_means(&device, "i915_oa") && sx_device_means(&device, "intel-bdw"));
	assert_false(sx_device_means(&device, "card") || sx_device_means(&device, "i91") ||
		     sx_device_means(&device, ""));
	fake.no_card_node = true;
	assert_int_equal(open_named(&fake, "i915", &source, &err), SX_OK);
	source_i915_oa.close(source);
	fake.no_card_node = false;
	fake.no_render_node = true;
	assert_int_equal(open_named(&fake, "i915", &source, &err), SX_OK);
	source_i915_oa.close(source);
	fake.no_card_node = true;
	assert_int_equal(open_named(&fake, "i915", &source, &err), SX_ERR_PERMISSION);
	assert_non_null(strstr(err.message, "renderD128"));
	assert_non_null(strstr(err.remedy, "render"));
	assert_int_equal(fake.open_fds, 0);
}

/* What the kernel does not say with an errno is found out, and named. */
static void test_named_refusals(void **state)
{
	(void)state;
	static const struct {
		int add, open;
		enum sx_status status;
		const char *because;
	} cases[] = {
	    {ENOMEM, 0, SX_ERR_NO_MEMORY, "register writes"},
	    {I915_ENOTSUPP, 0, SX_ERR_UNSUPPORTED, "no perf interface"},
	    {0, ENOMEM, SX_ERR_NO_MEMORY, "16 MiB"},
	    {0, I915_ENOTSUPP, SX_ERR_UNSUPPORTED, "no perf interface"},
	    {0, ENODEV, SX_ERR_UNSUPPORTED, "no OA unit"},
	    {0, EINVAL, SX_ERR_UNSUPPORTED, "A32u40_A4u32_B8_C8 or metric set RenderBasic"},
	    {0, EBUSY, SX_ERR_BUSY, "another process"}};
	struct fake_i915 fake;
	fake_i915_init(&fake);
	struct source *source = open_fake(&fake);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sx_error err = {0};
		fake.add_errno = cases[i].add;
		fake.open_errno = cases[i].open;
		assert_int_equal(start(source, "RenderBasic", 0, &err), cases[i].status);
		assert_non_null(strstr(err.because, cases[i].because));
		assert_true(err.remedy[0] != '\0');
		assert_int_equal(fake_i915_config_count(&fake), 0);
	}
	fake.add_errno = fake.open_errno = 0;
	/* One register of some hundred writes. */
	static const uint32_t registers[] = {0x9888, 0x2770, 0xe458, 0x0d04};
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
		struct sx_error err = {0};
		char name[16];
		snprintf(name, sizeof(name), "0x%x", registers[i]);
		fake.refused_register = registers[i];
		enum sx_status status = start(source, "ComputeExtended", 0, &err);
		if (status == SX_OK)
			continue; /* the set leaves it alone */
		assert_int_equal(status, SX_ERR_UNSUPPORTED);
		assert_non_null(strstr(err.because, name));
		assert_int_equal(fake_i915_config_count(&fake), 0);
	}
	fake.refused_register = 0;
	source_i915_oa.close(source);
	assert_int_equal(fake.open_fds, 0);
}

/* What was written before stop() comes after it, to the last report, and then the end. */
static void test_read_after_stop(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct stream s;
	struct sx_error err = {0};
	struct raw_sample raw;
	fake_i915_init(&fake);
	begin(&s, &fake, "RenderBasic", 1000000);
	uint64_t begin_ns = fake.now_ns;
	for (int i = 0; i < 4; i++)
		assert_int_equal(step(&s, &err), SX_OK);
	fake.now_ns += 500000000; /* nobody reads, the hardware goes on: more than one read() */
	uint64_t stop_ns = fake.now_ns;
	assert_int_equal(source_i915_oa.stop(s.source, &err), SX_OK);
	assert_int_equal(fake.stream, 0);
	assert_int_equal(fake_i915_config_count(&fake), 0);
	int pieces = 0;
	while (step(&s, &err) == SX_OK)
		pieces++;
	assert_int_equal(step(&s, &err), SX_END);
	assert_true(pieces >= 1);
	size_t rows = sx_table_row_count(s.table);
	/* A report each 1.31 ms, all of them. */
	assert_in_range(rows, (stop_ns - begin_ns) / 1310720 - 2,
			(fake.now_ns - begin_ns) / 1310720);
	/* And again: a source starts anew. */
	assert_int_equal(start(s.source, "RenderBasic", 10000000, &err), SX_OK);
	assert_int_equal(source_i915_oa.read(s.source, 100, &raw, &err), SX_OK);
	assert_int_equal(source_i915_oa.stop(s.source, &err), SX_OK);
	end(&s);
	assert_int_equal(fake.open_fds, 0);
}

/* Losses come as a number, and a lost device with its cause and time. */
static void test_loss_is_counted(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct stream s;
	struct sx_error err = {0};
	struct raw_sample raw;
	uint64_t lost = 0;
	fake_i915_init(&fake);
	begin(&s, &fake, "RenderBasic", 10000000);
	for (int i = 0; i < 20; i++) {
		fake.lose_report = i == 5;
		if (source_i915_oa.read(s.source, 100, &raw, &err) == SX_OK)
			lost += raw.lost;
	}
	assert_int_equal(lost, 1);
	/* The buffer holds 65536 reports: nobody reads for 70000. */
	fake.now_ns += UINT64_C(70000) * 10485760;
	for (int i = 0; i < 3; i++)
		if (source_i915_oa.read(s.source, 100, &raw, &err) == SX_OK)
			lost += raw.lost;
	assert_in_range(lost, 69990, 70010);
	fake.read_errno = EIO;
	enum sx_status status;
	while ((status = source_i915_oa.read(s.source, 100, &raw, &err)) == SX_AGAIN)
		;
	assert_int_equal(status, SX_ERR_DEVICE_LOST);
	assert_non_null(strstr(err.message, " ended after 73"));
	assert_non_null(strstr(err.because, "GPU reset"));
	assert_int_equal(source_i915_oa.stop(s.source, &err), SX_OK);
	assert_int_equal(source_i915_oa.read(s.source, 100, &raw, &err), SX_END);
	end(&s);
	assert_int_equal(fake.open_fds, 0);
}

#define RENDER_BASIC "b541bd57-0e0f-4154-b4c0-5858010a2bf7"

/* A set that is in the kernel already is used, and stays, when its registers are ours. */
static void test_existing_config(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_error err = {0};
	struct source *other;
	fake_i915_init(&fake);
	/* Another process of ours put it there. */
	struct source *source = open_fake(&fake);
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_OK);
	struct fake_i915_config *there = fake.active;
	assert_string_equal(there->uuid, RENDER_BASIC);
	fake.stream = 0;
	fake.fds[3] = fake.fds[4] = false;
	other = open_fake(&fake);
	assert_int_equal(start(other, "RenderBasic", 0, &err), SX_OK);
	assert_ptr_equal(fake.active, there);
	source_i915_oa.close(other);
	assert_int_equal(fake_i915_config_count(&fake), 1);
	fake.fds[3] = fake.fds[4] = true;
	source_i915_oa.close(source);
	assert_int_equal(fake_i915_config_count(&fake), 0);
}

/* Half a program under the published uuid is not believed, nor is one that cannot be read. */
static void test_foreign_config(void **state)
{
	(void)state;
	for (int blind = 0; blind < 2; blind++) {
		struct fake_i915 fake;
		struct sx_error err = {0};
		fake_i915_init(&fake);
		fake.no_config_query = blind;
		fake_i915_add_foreign(&fake, RENDER_BASIC, 17);
		struct source *source = open_fake(&fake);
		assert_int_equal(start(source, "RenderBasic", 0, &err), SX_OK);
		assert_int_not_equal(fake.active->id, 17);
		assert_string_not_equal(fake.active->uuid, RENDER_BASIC);
		assert_int_equal(fake.active->counts[0], 107);
		/* Recordings tell the set's own uuid all the same. */
		assert_string_equal(((struct i915_oa *)source)->config.uuid, RENDER_BASIC);
		source_i915_oa.close(source);
		assert_int_equal(fake_i915_config_count(&fake), 1);
		assert_true(fake.configs[0].used && fake.configs[0].id == 17);
		fake_i915_finish(&fake);
	}
}

/* Somebody removes the configuration between our look and our open: again, once or twice. */
static void test_removed_meanwhile(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_error err = {0};
	fake_i915_init(&fake);
	struct source *source = open_fake(&fake);
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_OK);
	struct i915_oa *s = (struct i915_oa *)source;
	s->config.added = false; /* as if another process had added it */
	assert_int_equal(source_i915_oa.stop(source, &err), SX_OK);
	assert_int_equal(fake_i915_config_count(&fake), 1);
	fake.vanish = 1;
	assert_int_equal(start(source, "RenderBasic", 0, &err), SX_OK);
	assert_true(s->config.added);
	source_i915_oa.close(source);
	assert_int_equal(fake_i915_config_count(&fake), 0);
	assert_int_equal(fake.open_fds, 0);
}

/* Every set can be added; on GT3 all programs that apply are joined. */
static void test_every_set(void **state)
{
	(void)state;
	static const struct {
		const char *set;
		uint32_t gt2, gt3, boolean, flex;
	} sets[] = {{"RenderBasic", 107, 219, 5, 7},	  {"ComputeBasic", 85, 182, 5, 7},
		    {"ComputeExtended", 300, 648, 21, 7}, {"TestOa", 14, 14, 22, 0},
		    {"VMEPipe", 87, 87, 17, 2},		  {"GpuBusyness", 39, 39, 7, 0}};
	for (int gt3 = 0; gt3 < 2; gt3++)
		for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
			struct fake_i915 fake;
			struct sx_error err = {0};
			fake_i915_init(&fake);
			if (gt3) {
				fake.device.slice_mask = 3;
				fake.device.subslice_mask[1] = 7;
				for (int n = 0; n < 3; n++)
					fake.device.eu_mask[1][n] = 0xff;
			}
			struct source *source = open_fake(&fake);
			assert_int_equal(start(source, sets[i].set, 0, &err), SX_OK);
			assert_int_equal(fake.active->counts[0], gt3 ? sets[i].gt3 : sets[i].gt2);
			assert_int_equal(fake.active->counts[1], sets[i].boolean);
			assert_int_equal(fake.active->counts[2], sets[i].flex);
			source_i915_oa.close(source);
			assert_int_equal(fake_i915_config_count(&fake), 0);
		}
}

/* One card of a generation, with its parts. */
static void become(struct fake_i915 *fake, uint32_t device_id)
{
	fake_i915_init(fake);
	fake->perf_revision = 7;
	fake->device.device_id = device_id;
	if (device_id >> 8 != 0x7d)
		return;
	fake->device.timestamp_hz = 38400000;
	fake->device.max_slices = 1;
	fake->device.max_subslices = 32;
	fake->device.max_eus = 16;
	fake->device.subslice_mask[0] = 0xff;
	for (int n = 0; n < 8; n++)
		fake->device.eu_mask[0][n] = 0xffff;
}

/* Every set of every generation goes into the kernel's lists, in its format, on its unit. */
static void test_every_generation(void **state)
{
	(void)state;
	static const struct {
		uint32_t device_id;
		const char *catalog;
		enum sx_oa_format format;
	} chips[] = {{0x0412, "intel-hsw", SX_OA_A45_B8_C8},
		     {0x22b1, "intel-chv", SX_OA_A32U40_A4U32_B8_C8},
		     {0x1912, "intel-sklgt2", SX_OA_A32U40_A4U32_B8_C8},
		     {0x1926, "intel-sklgt3", SX_OA_A32U40_A4U32_B8_C8},
		     {0x5a84, "intel-bxt", SX_OA_A32U40_A4U32_B8_C8},
		     {0x5912, "intel-kblgt2", SX_OA_A32U40_A4U32_B8_C8},
		     {0x3184, "intel-glk", SX_OA_A32U40_A4U32_B8_C8},
		     {0x3e92, "intel-cflgt2", SX_OA_A32U40_A4U32_B8_C8},
		     {0x8a52, "intel-icl", SX_OA_A32U40_A4U32_B8_C8},
		     {0x4571, "intel-ehl", SX_OA_A32U40_A4U32_B8_C8},
		     {0x9a49, "intel-tglgt2", SX_OA_A32U40_A4U32_B8_C8},
		     {0x4c8a, "intel-rkl", SX_OA_A32U40_A4U32_B8_C8},
		     {0x4905, "intel-dg1", SX_OA_A32U40_A4U32_B8_C8},
		     {0x4680, "intel-adl", SX_OA_A32U40_A4U32_B8_C8},
		     {0x7d55, "intel-mtlgt3", SX_OA_A24U40_A14U32_B8_C8}};
	struct sx_context *context;
	unsigned media = 0;
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
		struct fake_i915 fake;
		struct sx_error err = {0};
		struct sx_catalog *catalog;
		struct source *source;
		uint32_t count;
		become(&fake, chips[i].device_id);
		struct source_host host = {.sys = &fake.sys, .catalogs = context};
		assert_int_equal(source_i915_oa.open(&host, "card0", &source, &err), SX_OK);
		assert_string_equal(source_describe(source)->catalog, chips[i].catalog);
		assert_int_equal(sx_catalog_open(context, chips[i].catalog, &catalog, &err), SX_OK);
		const struct sx_group_info *groups = sx_catalog_groups(catalog, &count);
		for (uint32_t g = 0; g < count; g++) {
			struct source_request request = {.catalog = catalog, .set = groups[g].name};
			enum sx_status status = source_i915_oa.start(source, &request, &err);
			if (status == SX_ERR_UNSUPPORTED && !groups[g].program_count)
				continue;
			if (status)
				print_error("%s %s: %s: %s\n", chips[i].catalog, groups[g].name,
					    err.message, err.because);
			assert_int_equal(status, SX_OK);
			media += fake.media;
			if (!fake.media)
				assert_int_equal(fake.format, chips[i].format);
			assert_int_equal(source_i915_oa.stop(source, &err), SX_OK);
		}
		source_i915_oa.close(source);
		sx_catalog_unref(catalog);
		assert_int_equal(fake.open_fds, 0);
		assert_int_equal(fake_i915_config_count(&fake), 0);
		fake_i915_finish(&fake);
	}
	assert_true(media > 0);
	sx_context_destroy(context);
}

/* A stream of each kind of report, to rows: time, clock, context, and times of the CPU's clock. */
static void test_streams_of_generations(void **state)
{
	(void)state;
	static const struct {
		uint32_t device_id;
		const char *set;
		bool old_param;
	} chips[] = {{0x0412, "RenderBasic", false}, {0x1912, "RenderBasic", false},
		     {0x9a49, "RenderBasic", false}, {0x7d55, "RenderBasic", false},
		     {0x7d55, "RenderBasic", true},  {0x7d55, "MediaSet1", false}};
	struct sx_context *context;
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
		struct fake_i915 fake;
		struct sx_error err = {0};
		struct raw_sample raw;
		become(&fake, chips[i].device_id);
		fake.old_clock_param = chips[i].old_param;
		struct source_host host = {.sys = &fake.sys, .catalogs = context};
		struct stream s = {.source = NULL};
		assert_int_equal(source_i915_oa.open(&host, "card0", &s.source, &err), SX_OK);
		struct i915_oa *card = (struct i915_oa *)s.source;
		struct sx_catalog *catalog;
		assert_int_equal(sx_catalog_open(context, card->card.catalog.name, &catalog, &err),
				 SX_OK);
		if (sx_catalog_find_group(catalog, chips[i].set) == SX_NONE) {
			print_error("no set %s in %s\n", chips[i].set, card->card.catalog.name);
			fail();
		}
		struct source_request request = {
		    .catalog = catalog, .set = chips[i].set, .interval_ns = 1000000};
		assert_int_equal(source_i915_oa.start(s.source, &request, &err), SX_OK);
		struct sx_constant_value constants[] = {
		    {"GpuTimestampFrequency", (double)card->card.device.timestamp_hz},
		    {"GpuMaxFrequency", 900000000}};
		struct decoder_setup setup = {.catalog = catalog,
					      .set = chips[i].set,
					      .constants = constants,
					      .constant_count = 2};
		assert_int_equal(decode_i915_oa.create(&setup, &s.decoder, &err), SX_OK);
		assert_int_equal(decoder_table(s.decoder, &s.table, &err), SX_OK);
		uint64_t begin_ns = fake.now_ns;
		while (fake.now_ns < begin_ns + 200000000)
			if (source_i915_oa.read(s.source, 100, &raw, &err) == SX_OK)
				assert_int_equal(
				    decode_i915_oa.feed(s.decoder, &raw, s.table, &err), SX_OK);
		size_t rows = sx_table_row_count(s.table);
		assert_true(rows > 50);
		uint64_t step = UINT64_C(2) << fake.exponent;
		assert_int_equal(sum(s.table, "GPU_TIME"), rows * step);
		if (sx_table_find(s.table, "GPU_CLOCK") != SX_NONE)
			assert_int_equal(sum(s.table, "GPU_CLOCK"),
					 rows * step * (800000000 / fake.device.timestamp_hz));
		assert_in_range(sx_table_begin_ns(s.table)[0], begin_ns, begin_ns + 3000000);
		assert_in_range(sx_table_end_ns(s.table)[rows - 1], fake.now_ns - 20000000,
				fake.now_ns);
		decode_i915_oa.destroy(s.decoder);
		sx_table_destroy(s.table);
		source_i915_oa.close(s.source);
		sx_catalog_unref(catalog);
		fake_i915_finish(&fake);
	}
	sx_context_destroy(context);
}

static void test_user_counter(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_error err = {0};
	const char *names[] = {"A14=eu(fpu0-active, coarse=ps, fine=ternary)"};
	struct source_request request = {
	    .set = "RenderBasic", .definitions = names, .definition_count = 1};
	fake_i915_init(&fake);
	struct source *source = open_fake(&fake);
	assert_int_equal(source_i915_oa.start(source, &request, &err), SX_OK);
	assert_int_equal(fake.active->flex[3], 0x00250014); /* A13 stays, A14 is ours */
	assert_string_not_equal(fake.active->uuid, "b541bd57-0e0f-4154-b4c0-5858010a2bf7");
	names[0] = "A12=eu(fpu0-active)"; /* RenderBasic reads A12 */
	assert_int_equal(source_i915_oa.start(source, &request, &err), SX_ERR_USAGE);
	assert_non_null(strstr(err.because, "coarse=vs")); /* what A12 is there */
	assert_non_null(strstr(err.remedy, "A14"));
	assert_null(strstr(err.remedy, "A12"));
	names[0] = "A7=eu(eu-active)"; /* the set's own event */
	assert_int_equal(source_i915_oa.start(source, &request, &err), SX_OK);
	/* One definition twice is one; a second one is refused before anything is added. */
	const char *twice[] = {"A14=eu(fpu0-active)", "A14 = eu(0)", "A14=eu(fpu1-active)"};
	request.definitions = twice;
	request.definition_count = 2;
	assert_int_equal(source_i915_oa.start(source, &request, &err), SX_OK);
	assert_int_equal(fake.active->flex[3], 0x00000014);
	request.definition_count = 3;
	assert_int_equal(source_i915_oa.start(source, &request, &err), SX_ERR_USAGE);
	assert_non_null(strstr(err.message, "A14 is defined twice"));
	request.definitions = names;
	request.definition_count = 1;
	names[0] = "A14=eu(nothing)";
	assert_int_equal(source_i915_oa.start(source, &request, &err), SX_ERR_NOT_FOUND);
	source_i915_oa.close(source);
	assert_int_equal(fake_i915_config_count(&fake), 0);
}

/* The k-th call fails, for every k: an error or none, but nothing stays behind. */
static void test_fault_sweep(void **state)
{
	(void)state;
	static const int errors[] = {EIO, ENODEV, EACCES, ENOMEM, EINTR};
	unsigned refused = 0, survived = 0;
	for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++)
		for (unsigned k = 1;; k++) {
			struct fake_i915 fake;
			struct source *source = NULL;
			struct sx_error err = {0};
			struct raw_sample raw;
			fake_i915_init(&fake);
			fake.fail_at = k;
			fake.fail_errno = errors[e];
			probe(&fake);
			enum sx_status status = source_i915_oa.open(
			    &(struct source_host){.sys = &fake.sys}, "i915:card0", &source, &err);
			if (!status) {
				status = start(source, "TestOa", 10000000, &err);
				for (int i = 0; i < 4 && (!status || status == SX_AGAIN); i++)
					status = source_i915_oa.read(source, 50, &raw, &err);
				source_i915_oa.close(source);
			}
			if (status && status != SX_AGAIN) {
				refused++;
				assert_true(err.message[0] != '\0');
			} else {
				survived++;
			}
			assert_int_equal(fake.open_fds, 0);
			assert_int_equal(fake_i915_config_count(&fake), 0);
			if (fake.calls < k)
				break;
		}
	assert_true(refused > 20);
	assert_true(survived > 20);
}

static void test_selftest(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_error err = {0};
	struct lines lines = {0};
	fake_i915_init(&fake);
	struct source *source = open_fake(&fake);
	assert_int_equal(source_i915_oa.selftest(source, hear, &lines, &err), SX_OK);
	assert_int_equal(lines.failed, 0);
	assert_int_equal(lines.ok, 14);
	fake.wrong_ratio = true;
	assert_int_equal(source_i915_oa.selftest(source, hear, &lines, &err), SX_INCOMPLETE);
	assert_int_equal(lines.failed, 1);
	fake.wrong_ratio = false;
	fake.clock_hz = 2000000000;
	assert_int_equal(source_i915_oa.selftest(source, hear, &lines, &err), SX_INCOMPLETE);
	fake.clock_hz = 800000000;
	/* The driver tells a timestamp frequency that is not the hardware's. */
	lines = (struct lines){0};
	fake.clock_drift = 0.01;
	assert_int_equal(source_i915_oa.selftest(source, hear, &lines, &err), SX_INCOMPLETE);
	assert_int_equal(lines.failed, 1);
	fake.clock_drift = 0;
	/* A loss is a failure. */
	lines = (struct lines){0};
	fake.lose_report = true;
	assert_int_equal(source_i915_oa.selftest(source, hear, &lines, &err), SX_INCOMPLETE);
	assert_int_equal(lines.failed, 1);
	source_i915_oa.close(source);
	assert_int_equal(fake.open_fds, 0);
}

struct written {
	uint8_t *data;
	size_t size, limit;
};

static bool append(void *user, const uint8_t *data, size_t size)
{
	struct written *w = user;
	if (w->limit && w->size + size > w->limit)
		return false;
	w->data = realloc(w->data, w->size + size + 1);
	assert_non_null(w->data);
	memcpy(w->data + w->size, data, size);
	w->size += size;
	return true;
}

/* What is recorded is a recording: device and set in it, every time between two pairs. */
static void test_recording(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_error err = {0};
	struct written w = {.data = NULL};
	struct sx_raw_recording recording = {.device = "i915:card0",
					     .set = "ComputeBasic",
					     .interval_ns = 1000000,
					     .duration_ns = 500000000};
	struct sx_oa_options options = {.input = SX_OA_RECORDING, .rows = SX_OA_TOTAL};
	struct sx_oa_decoder *d;
	size_t used;
	fake_i915_init(&fake);
	uint64_t begin_ns = fake.now_ns;
	assert_int_equal(
	    record_raw(&(struct source_host){.sys = &fake.sys}, &recording, append, &w, &err),
	    SX_OK);
	assert_int_equal(fake.open_fds, 0);
	assert_int_equal(fake_i915_config_count(&fake), 0);
	assert_int_equal(sx_oa_decoder_create(&options, &d, &err), SX_OK);
	assert_int_equal(sx_oa_decoder_feed(d, w.data, w.size, &used, &err), SX_OK);
	assert_int_equal(used, w.size);
	assert_int_equal(sx_oa_decoder_finish(d, 0, &err), SX_OK);
	const struct sx_table *t = sx_oa_decoder_rows(d);
	const struct sx_oa_device *device = sx_oa_decoder_device(d);
	assert_string_equal(device->set, "ComputeBasic");
	assert_string_equal(device->uuid, "35fbc9b2-a891-40a6-a38d-022bb7057552");
	assert_int_equal(device->device_id, 0x1616);
	assert_int_equal(device->eu_mask[0][2], 0xff);
	/* 500 ms, and what comes with the timer's next look. */
	assert_in_range(sum(t, "GPU_TIME"), 6200000, 6350000);
	assert_int_equal(sum(t, "GPU_CLOCK"), sum(t, "GPU_TIME") * 64);
	assert_in_range(sx_table_begin_ns(t)[0], begin_ns, begin_ns + 3000000);
	assert_in_range(sx_table_end_ns(t)[0], begin_ns + 480000000, fake.now_ns);
	sx_oa_decoder_destroy(d);
	free(w.data);
	w = (struct written){.limit = 10000}; /* the disk is full */
	assert_int_equal(
	    record_raw(&(struct source_host){.sys = &fake.sys}, &recording, append, &w, &err),
	    SX_ERR_IO);
	assert_int_equal(fake.open_fds, 0);
	assert_int_equal(fake_i915_config_count(&fake), 0);
	free(w.data);
}

static bool at_once(void *user)
{
	return true;
}

/* What the kernel holds when a recording is asked to end belongs to it, before the last pair. */
static void test_recording_ends(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_error err = {0};
	struct written w = {.data = NULL};
	struct sx_raw_recording recording = {
	    .device = "i915:card0", .set = "ComputeBasic", .interval_ns = 1000000, .stop = at_once};
	struct sx_oa_options options = {.input = SX_OA_RECORDING, .rows = SX_OA_TOTAL};
	struct sx_oa_decoder *d;
	size_t used;
	fake_i915_init(&fake);
	fake.look_ns = 10000000; /* time passes without anybody reading */
	assert_int_equal(
	    record_raw(&(struct source_host){.sys = &fake.sys}, &recording, append, &w, &err),
	    SX_OK);
	assert_int_equal(sx_oa_decoder_create(&options, &d, &err), SX_OK);
	assert_int_equal(sx_oa_decoder_feed(d, w.data, w.size, &used, &err), SX_OK);
	assert_int_equal(used, w.size);
	assert_int_equal(sx_oa_decoder_finish(d, 0, &err), SX_OK);
	/* 5 ms at least, of a clock of 12.5 MHz. */
	assert_true(sum(sx_oa_decoder_rows(d), "GPU_TIME") > 62500);
	sx_oa_decoder_destroy(d);
	free(w.data);
}

/* Our copy of the kernel's interface against libdrm's header. */
static void test_uapi(void **state)
{
	(void)state;
#ifdef HAVE_DRM
	assert_int_equal(I915_PERF_OPEN, DRM_IOCTL_I915_PERF_OPEN);
	assert_int_equal(I915_PERF_ADD_CONFIG, DRM_IOCTL_I915_PERF_ADD_CONFIG);
	assert_int_equal(I915_PERF_REMOVE_CONFIG, DRM_IOCTL_I915_PERF_REMOVE_CONFIG);
	assert_int_equal(I915_QUERY, DRM_IOCTL_I915_QUERY);
	assert_int_equal(I915_GETPARAM, DRM_IOCTL_I915_GETPARAM);
	assert_int_equal(I915_REG_READ, DRM_IOCTL_I915_REG_READ);
	assert_int_equal(I915_STREAM_ENABLE, I915_PERF_IOCTL_ENABLE);
	assert_int_equal(sizeof(struct i915_perf_open), sizeof(struct drm_i915_perf_open_param));
	assert_int_equal(sizeof(struct i915_perf_config), sizeof(struct drm_i915_perf_oa_config));
	assert_int_equal(offsetof(struct i915_perf_config, mux),
			 offsetof(struct drm_i915_perf_oa_config, mux_regs_ptr));
	assert_int_equal(offsetof(struct i915_perf_config, flex),
			 offsetof(struct drm_i915_perf_oa_config, flex_regs_ptr));
	assert_int_equal(sizeof(struct i915_query_item), sizeof(struct drm_i915_query_item));
	assert_int_equal(sizeof(struct i915_query_config) - sizeof(struct i915_perf_config),
			 sizeof(struct drm_i915_query_perf_config));
	assert_int_equal(offsetof(struct i915_query_config, flags),
			 offsetof(struct drm_i915_query_perf_config, flags));
	assert_int_equal(I915_QUERY_PERF_CONFIG, DRM_I915_QUERY_PERF_CONFIG);
	assert_int_equal(I915_CONFIG_DATA_BY_UUID, DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID);
	assert_int_equal(offsetof(struct i915_query_item, data),
			 offsetof(struct drm_i915_query_item, data_ptr));
	assert_int_equal(I915_PROP_POLL_PERIOD, DRM_I915_PERF_PROP_POLL_OA_PERIOD);
	assert_int_equal(I915_PROP_EXPONENT, DRM_I915_PERF_PROP_OA_EXPONENT);
	assert_int_equal(SX_OA_A32U40_A4U32_B8_C8, I915_OA_FORMAT_A32u40_A4u32_B8_C8);
	assert_int_equal(SX_OA_C4_B8, I915_OA_FORMAT_C4_B8);
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_probe),
	    cmocka_unit_test(test_describe),
	    cmocka_unit_test(test_exponent),
	    cmocka_unit_test(test_stream),
	    cmocka_unit_test(test_losses),
	    cmocka_unit_test(test_refusals),
	    cmocka_unit_test(test_names_and_nodes),
	    cmocka_unit_test(test_named_refusals),
	    cmocka_unit_test(test_read_after_stop),
	    cmocka_unit_test(test_loss_is_counted),
	    cmocka_unit_test(test_existing_config),
	    cmocka_unit_test(test_foreign_config),
	    cmocka_unit_test(test_removed_meanwhile),
	    cmocka_unit_test(test_every_set),
	    cmocka_unit_test(test_every_generation),
	    cmocka_unit_test(test_streams_of_generations),
	    cmocka_unit_test(test_user_counter),
	    cmocka_unit_test(test_fault_sweep),
	    cmocka_unit_test(test_selftest),
	    cmocka_unit_test(test_recording),
	    cmocka_unit_test(test_recording_ends),
	    cmocka_unit_test(test_uapi),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
