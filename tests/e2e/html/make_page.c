/*
 * Writes captures that a page has to cope with: make-page KIND FILE [ROWS]. Kinds: frames (names
 * that a page must escape, groups, a gap), empty, one, nodata, long (every counter of Mali-G625).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/catalog.h>
#include <sextant/capture.h>

#define AT_ONCE	    1000
#define COLUMNS_MAX 512

/* test_html.py has the same numbers. */
static const char device_name[] =
    "</script><img src=x onerror=alert(1)>\"'&\xf0\x9f\x98\x80\nsecond";
static const char *const groups[] = {"Shadow/</script><b>", "Main \"pass\"\n\xf0\x9f\x8e\xae",
				     "Post <!-- & 'x'"};

static const struct sx_column frame_columns[] = {
    {"Frames", "frames", SX_U64, SX_REDUCE_SUM, NULL},
    {"FrameTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
    {"CPUTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
    {"D3DGPUTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
    {"IAVertices", "vertices", SX_U64, SX_REDUCE_SUM, NULL},
    {"IAPrimitives", "primitives", SX_U64, SX_REDUCE_SUM, NULL},
};
#define FRAME_COLUMNS 6

/* Rows on their way into a capture. */
struct rows {
	struct sx_capture_writer *writer;
	uint32_t device, column_count;
	uint64_t begin[AT_ONCE], end[AT_ONCE], group[AT_ONCE];
	uint64_t gap_begin_ns, gap_end_ns;
	uint64_t *values[COLUMNS_MAX];
	uint8_t *quality[COLUMNS_MAX];
};

static uint64_t noise(uint64_t n)
{
	n = (n + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
	return (n ^ n >> 27) * 0x94d049bb133111eb >> 33;
}

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "make-page: %s failed\n", what);
	exit(1);
}

static void reserve(struct rows *r)
{
	for (uint32_t c = 0; c < r->column_count; c++) {
		r->values[c] = calloc(AT_ONCE, sizeof(uint64_t));
		r->quality[c] = calloc(AT_ONCE, 1);
		must(r->values[c] && r->quality[c], "memory");
	}
}

/* A frame of 16 ms or so, every 40th of three times that; counters are not measured in some. */
static void fill_frame(struct rows *r, uint64_t n, size_t i, uint64_t *now)
{
	uint64_t length = (n % 40 == 39 ? 48u : 16u) * 1000000u + noise(n) % 2000000;
	const uint64_t values[FRAME_COLUMNS] = {
	    1, length, length / 2, length / 3 + noise(n) % 1000, 3000 + n % 7, 1000};
	r->begin[i] = *now;
	*now += length;
	r->end[i] = *now;
	if (n == 99) { /* a gap, with a mark */
		r->gap_begin_ns = *now;
		r->gap_end_ns = *now += 200000000;
	}
	r->group[i] = n / 50 % 3;
	for (uint32_t c = 0; c < FRAME_COLUMNS; c++) {
		r->values[c][i] = values[c];
		r->quality[c][i] = c >= 4 && n % 5 == 4 ? SX_QUALITY_SKIPPED : 0;
	}
}

static void fill_slice(struct rows *r, uint64_t n, size_t i)
{
	r->begin[i] = n * 1000000;
	r->end[i] = r->begin[i] + 1000000;
	for (uint32_t c = 0; c < r->column_count; c++)
		r->values[c][i] = 500000 + c * 1000 + noise(n * 131 + c) % 4096;
}

static void put(struct rows *r, size_t count, bool labels)
{
	struct sx_vector vectors[COLUMNS_MAX];
	struct sx_rows span = {.count = count,
			       .begin_ns = r->begin,
			       .end_ns = r->end,
			       .columns = vectors,
			       .column_count = r->column_count};
	for (uint32_t c = 0; c < r->column_count; c++)
		vectors[c] = (struct sx_vector){SX_U64, r->values[c], r->quality[c]};
	if (labels) {
		span.labels[SX_LABEL_GROUP] = r->group;
		span.strings = groups;
		span.string_count = 3;
	}
	must(sx_capture_write(r->writer, r->device, &span, NULL) == SX_OK, "writing rows");
	must(sx_capture_flush(r->writer, NULL) == SX_OK, "flushing");
}

static void put_frames(struct rows *r, uint64_t rows, bool no_data)
{
	uint64_t now = 5000000000;
	for (uint64_t at = 0; at < rows; at += AT_ONCE) {
		size_t count = rows - at < AT_ONCE ? (size_t)(rows - at) : AT_ONCE;
		for (size_t i = 0; i < count; i++) {
			fill_frame(r, at + i, i, &now);
			for (uint32_t c = 0; no_data && c < FRAME_COLUMNS; c++)
				r->quality[c][i] = SX_QUALITY_DISTURBED;
		}
		put(r, count, true);
	}
}

static void put_slices(struct rows *r, uint64_t rows)
{
	for (uint64_t at = 0; at < rows; at += AT_ONCE) {
		size_t count = rows - at < AT_ONCE ? (size_t)(rows - at) : AT_ONCE;
		for (size_t i = 0; i < count; i++)
			fill_slice(r, at + i, i);
		put(r, count, false);
	}
}

/* The counters of a catalog as columns. */
static uint32_t columns_of(struct sx_catalog *catalog, struct sx_column *columns)
{
	uint32_t count;
	const struct sx_counter_info *all = sx_catalog_counters(catalog, &count);
	must(count <= COLUMNS_MAX, "so many counters");
	for (uint32_t i = 0; i < count; i++)
		columns[i] =
		    (struct sx_column){all[i].name, all[i].unit, SX_U64, all[i].over_time, NULL};
	return count;
}

static void write_long(struct rows *r, uint64_t rows)
{
	static struct sx_column columns[COLUMNS_MAX];
	static const struct sx_constant_value constants[] = {
	    {"shader_core_count", 4}, {"l2_slice_count", 2}, {"bus_width_bits", 128}};
	struct sx_context *context;
	struct sx_catalog *catalog;
	must(sx_context_create(NULL, &context, NULL) == SX_OK, "a context");
	must(sx_catalog_open(context, "mali-g625", &catalog, NULL) == SX_OK, "the catalog");
	struct sx_capture_device device = {.catalog = "mali-g625",
					   .facts.name = "long",
					   .facts.source = "model",
					   .facts.simulated = true,
					   .kind = SX_SAMPLE_TIME,
					   .columns = columns,
					   .column_count = columns_of(catalog, columns),
					   .facts.constants = constants,
					   .facts.constant_count = 0};
	must(sx_capture_add_device(r->writer, &device, &r->device, NULL) == SX_OK, "the device");
	r->column_count = device.column_count;
	reserve(r);
	put_slices(r, rows);
	sx_catalog_unref(catalog);
	sx_context_destroy(context);
}

static void write_frames(struct rows *r, const char *kind, uint64_t rows)
{
	const struct sx_capture_device device = {.catalog = "opengl",
						 .facts.name = device_name,
						 .facts.source = "gl",
						 .facts.driver = "<driver>",
						 .kind = SX_SAMPLE_FRAME,
						 .columns = frame_columns,
						 .column_count = FRAME_COLUMNS};
	must(sx_capture_add_device(r->writer, &device, &r->device, NULL) == SX_OK, "the device");
	r->column_count = FRAME_COLUMNS;
	reserve(r);
	put_frames(r,
		   strcmp(kind, "empty") == 0 ? 0
		   : strcmp(kind, "one") == 0 ? 1
					      : rows,
		   strcmp(kind, "nodata") == 0);
	const struct sx_capture_mark gap = {.begin_ns = r->gap_begin_ns,
					    .end_ns = r->gap_end_ns,
					    .lost = 7,
					    .text = "the <device> slept"};
	if (strcmp(kind, "frames") == 0)
		must(sx_capture_mark(r->writer, r->device, SX_CAPTURE_GAP, &gap, NULL) == SX_OK,
		     "a gap");
}

int main(int argc, char **argv)
{
	static struct rows r;
	uint64_t rows = argc > 3 ? strtoull(argv[3], NULL, 10) : 600;
	must(argc >= 3, "make-page KIND FILE [ROWS]: that");
	must(sx_capture_create(argv[2], NULL, &r.writer, NULL) == SX_OK, "creating the capture");
	if (strcmp(argv[1], "long") == 0)
		write_long(&r, rows);
	else
		write_frames(&r, argv[1], rows);
	must(sx_capture_finish(r.writer, NULL, NULL) == SX_OK, "finishing");
	for (uint32_t c = 0; c < r.column_count; c++) {
		free(r.values[c]);
		free(r.quality[c]);
	}
	return 0;
}
