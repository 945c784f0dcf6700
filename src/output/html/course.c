/* The numbers of charts: what the page's report.js reads back. */
#include "output/html/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "table/label.h"

#define BLOCK ((size_t)3 << 14) /* bytes; three become four characters */

uint64_t course_origin(const struct report *r)
{
	uint64_t origin = SX_TIME_UNKNOWN;
	for (uint32_t d = 0; d < r->device_count; d++)
		if (r->devices[d].begin_ns < origin)
			origin = r->devices[d].begin_ns;
	return origin == SX_TIME_UNKNOWN ? 0 : origin;
}

static bool has_data(const struct report_device *d, uint32_t row)
{
	return d->rows[row].stats.count > 0;
}

static void array_json(struct json *json, const char *name, const char *type)
{
	json_array_begin_flat(json);
	json_string(json, name);
	json_string(json, type);
	json_array_end(json);
}

static void strings_json(struct json *json, const struct sx_table *strings)
{
	json_kv_array_flat(json, "strings");
	for (uint64_t i = 0; sx_table_string(strings, i); i++)
		json_string(json, sx_table_string(strings, i));
	json_array_end(json);
}

void course_json(struct json *json, const struct report_device *d)
{
	const struct pyramid_view *p = d->pyramid;
	bool single = p->each == 1;
	json_kv_u64(json, "each", p->each);
	json_kv_u64(json, "count", p->count);
	json_kv_array_flat(json, "arrays");
	array_json(json, "begin_ns", "f64");
	array_json(json, "end_ns", "f64");
	array_json(json, "samples", "u32");
	if (!single) {
		array_json(json, "shortest_ns", "f64");
		array_json(json, "longest_ns", "f64");
	}
	for (int l = 0; l < SX_LABEL_COUNT; l++)
		if (p->labels[l])
			array_json(json, label_name((enum sx_label)l), "u32");
	json_array_end(json);
	json_kv_array_flat(json, "of_each_row");
	array_json(json, single ? "value" : "min", "f64");
	if (!single) {
		array_json(json, "max", "f64");
		array_json(json, "mean", "f32");
	}
	array_json(json, "quality", "u8");
	json_array_end(json);
	json_kv_array_flat(json, "rows");
	for (uint32_t i = 0; i < d->row_count; i++)
		if (has_data(d, i))
			json_u64(json, i);
	json_array_end(json);
	strings_json(json, p->strings);
}

/* A compressed stream on its way to base64. */
struct packed {
	FILE *out;
	z_stream z;
	size_t used; /* of `bytes` */
	unsigned char bytes[BLOCK];
	char text[BLOCK / 3 * 4];
};

/* Whole groups of three; at the end the rest, filled up. */
static void put_base64(struct packed *p, bool last)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t whole = p->used / 3 * 3, n = 0;
	for (size_t i = 0; i < (last ? p->used : whole); i += 3) {
		size_t have = p->used - i < 3 ? p->used - i : 3;
		uint32_t v = (uint32_t)p->bytes[i] << 16;
		v |= have > 1 ? (uint32_t)p->bytes[i + 1] << 8 : 0;
		v |= have > 2 ? p->bytes[i + 2] : 0u;
		p->text[n++] = digits[v >> 18];
		p->text[n++] = digits[v >> 12 & 63];
		p->text[n++] = have > 1 ? digits[v >> 6 & 63] : '=';
		p->text[n++] = have > 2 ? digits[v & 63] : '=';
	}
	fwrite(p->text, 1, n, p->out);
	memmove(p->bytes, p->bytes + whole, p->used - whole);
	p->used -= whole;
}

static void put_bytes(struct packed *p, unsigned char *bytes, size_t size, bool last)
{
	int result = Z_OK;
	p->z.next_in = bytes;
	p->z.avail_in = (uInt)size;
	do {
		p->z.next_out = p->bytes + p->used;
		p->z.avail_out = (uInt)(BLOCK - p->used);
		result = deflate(&p->z, last ? Z_FINISH : Z_NO_FLUSH);
		p->used = BLOCK - p->z.avail_out;
		if (p->used == BLOCK)
			put_base64(p, false);
	} while (p->z.avail_in || (last && result != Z_STREAM_END));
	if (last)
		put_base64(p, true);
}

/* Elements of `size` bytes at values, the first bytes first. */
static void put_array(struct packed *p, unsigned char *room, const void *values, size_t count,
		      size_t size)
{
	const unsigned char *from = values;
	for (size_t byte = 0; byte < size; byte++)
		for (size_t i = 0; i < count; i++)
			room[byte * count + i] = from[i * size + byte];
	put_bytes(p, room, count * size, false);
}

/* The arrays that are worked out before they are written. */
struct rooms {
	unsigned char *bytes;
	double *f64;
	float *f32;
};

static void put_times(struct packed *p, const struct rooms *r, const struct pyramid_view *v,
		      const uint64_t *times, uint64_t origin_ns)
{
	for (size_t i = 0; i < v->count; i++)
		r->f64[i] = times[i] == SX_TIME_UNKNOWN ? NAN
			    : times[i] < origin_ns	? -(double)(origin_ns - times[i])
							: (double)(times[i] - origin_ns);
	put_array(p, r->bytes, r->f64, v->count, sizeof(double));
}

static void put_column(struct packed *p, const struct rooms *r, const struct pyramid_view *v,
		       const struct pyramid_column *c)
{
	put_array(p, r->bytes, c->min, v->count, sizeof(double));
	if (v->each > 1) {
		put_array(p, r->bytes, c->max, v->count, sizeof(double));
		for (size_t i = 0; i < v->count; i++)
			r->f32[i] = c->weight[i] ? (float)(c->sum[i] / c->weight[i]) : (float)NAN;
		put_array(p, r->bytes, r->f32, v->count, sizeof(float));
	}
	put_array(p, r->bytes, c->quality, v->count, 1);
}

static void put_device(struct packed *p, const struct rooms *r, const struct report_device *d,
		       uint64_t origin_ns)
{
	const struct pyramid_view *v = d->pyramid;
	const struct pyramid_column *length = &v->columns[v->column_count];
	put_times(p, r, v, v->begin_ns, origin_ns);
	put_times(p, r, v, v->end_ns, origin_ns);
	put_array(p, r->bytes, v->rows, v->count, sizeof(uint32_t));
	if (v->each > 1) {
		put_array(p, r->bytes, length->min, v->count, sizeof(double));
		put_array(p, r->bytes, length->max, v->count, sizeof(double));
	}
	for (int l = 0; l < SX_LABEL_COUNT; l++)
		if (v->labels[l])
			put_array(p, r->bytes, v->labels[l], v->count, sizeof(uint32_t));
	for (uint32_t i = 0; i < d->row_count; i++)
		if (has_data(d, i))
			put_column(p, r, v, &v->columns[i]);
	put_bytes(p, r->bytes, 0, true);
}

enum sx_status course_write(FILE *out, const struct report_device *d, uint64_t origin_ns,
			    struct sx_error *err)
{
	size_t count = d->pyramid->count;
	struct packed *p = calloc(1, sizeof(*p));
	struct rooms rooms = {.bytes = malloc(count * sizeof(double) + 1),
			      .f64 = malloc(count * sizeof(double) + 1),
			      .f32 = malloc(count * sizeof(float) + 1)};
	bool ok = p && rooms.bytes && rooms.f64 && rooms.f32;
	ok = ok && deflateInit(&p->z, Z_DEFAULT_COMPRESSION) == Z_OK;
	if (ok) {
		p->out = out;
		put_device(p, &rooms, d, origin_ns);
		deflateEnd(&p->z);
	}
	free(rooms.bytes);
	free(rooms.f64);
	free(rooms.f32);
	free(p);
	return ok ? SX_OK : error_nomem(err, "writing a page");
}
