/*
 * Decodes OA reports, accumulates them and derives all metrics of RenderBasic for each interval, in
 * one thread; and each step alone. For comparison: a plain decoder that reads counter by counter,
 * and equations as generated functions. Then the same for two later chipsets with other report
 * layouts. Arguments: reports (default 100000), runs (default 20), a file to write the reports to
 * instead. Exit status 1: the last one exceeds its limit.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/metric.h>
#include <sextant/oa.h>
#include "bench.h"
#include "decode/oa/decoder.h"
#include "oa_equations.h"
#include "wire/oa/oa.h"

#define RECORD 264
#define SLOTS  54 /* of Broadwell, one behind another as in IGT's accumulator */
#define BATCH  512
#define LIMIT  40e-9 /* seconds a report, decoding and 52 metrics */

/* One chipset; all have reports of 256 bytes. */
struct chip {
	const char *catalog;
	struct sx_oa_device device;
	uint32_t valid; /* bit of a report's id: its context is valid */
};

static const struct chip chips[] = {
    {"intel-bdw",
     {.timestamp_hz = 12500000,
      .device_id = 0x1616,
      .gt_min_hz = 300000000,
      .gt_max_hz = 950000000,
      .format = SX_OA_A32U40_A4U32_B8_C8,
      .set = "RenderBasic",
      .max_slices = 1,
      .max_subslices = 3,
      .max_eus = 8,
      .slice_mask = 1,
      .subslice_mask = {7},
      .eu_mask = {{0xff, 0xff, 0xff}}},
     1u << 25},
    {"intel-tglgt2",
     {.timestamp_hz = 12500000,
      .device_id = 0x9a49,
      .gt_min_hz = 300000000,
      .gt_max_hz = 950000000,
      .format = SX_OA_A32U40_A4U32_B8_C8,
      .max_slices = 1,
      .max_subslices = 6,
      .max_eus = 16,
      .slice_mask = 1,
      .subslice_mask = {7},
      .eu_mask = {{0xffff, 0xffff, 0xffff}}},
     1u << 16},
    {"intel-mtlgt3",
     {.timestamp_hz = 12500000,
      .device_id = 0x7d55,
      .gt_min_hz = 300000000,
      .gt_max_hz = 950000000,
      .format = SX_OA_A24U40_A14U32_B8_C8,
      .max_slices = 1,
      .max_subslices = 32,
      .max_eus = 16,
      .slice_mask = 1,
      .subslice_mask = {7},
      .eu_mask = {{0xffff, 0xffff, 0xffff}}},
     1u << 16},
};
#define CHIPS (sizeof(chips) / sizeof(chips[0]))

struct job {
	const struct chip *chip;
	struct sx_catalog *catalog;
	uint8_t *data;
	size_t reports, size;
	struct sx_metrics *metrics;
	struct sx_evaluation *evaluation;
	uint64_t check;
	uint64_t sums[SLOTS];
	double results;
};

static void make_reports(struct job *job)
{
	uint8_t report[256];
	job->size = job->reports * RECORD;
	free(job->data);
	job->data = malloc(job->size);
	if (!job->data)
		abort();
	for (size_t n = 0; n < job->reports; n++) {
		uint64_t clock = n * 900000;
		memset(report, 0, sizeof(report));
		little_put_u32(report, OA_REASON_TIMER << 19 | job->chip->valid);
		little_put_u32(report + 4, (uint32_t)(n * 12500));
		little_put_u32(report + 8, 5 + (uint32_t)(n / 16 % 3));
		little_put_u32(report + 12, (uint32_t)clock);
		for (uint32_t i = 0; i < 36; i++) {
			uint64_t a = clock * (i + 3) / 4;
			little_put_u32(report + 16 + 4 * i, (uint32_t)a);
			if (i < 32)
				report[160 + i] = (uint8_t)(a >> 32);
		}
		for (uint32_t i = 0; i < 16; i++)
			little_put_u32(report + 192 + 4 * i, (uint32_t)(clock * (i + 1) / 17));
		oa_write_sample(job->data + n * RECORD, RECORD, report, sizeof(report));
	}
}

static struct sx_oa_decoder *make_decoder(const struct job *job, enum sx_oa_rows rows)
{
	struct sx_oa_options options = {
	    .input = SX_OA_RECORDS, .rows = rows, .batch_rows = BATCH, .device = job->chip->device};
	struct sx_oa_decoder *decoder;
	if (sx_oa_decoder_create(&options, &decoder, NULL) != SX_OK)
		abort();
	return decoder;
}

static void take(struct job *job, struct sx_oa_decoder *decoder)
{
	struct sx_table *rows = sx_oa_decoder_rows(decoder);
	struct sx_table *out = NULL;
	if (job->evaluation) {
		if (sx_evaluation_run(job->evaluation, rows, &out, NULL) != SX_OK)
			abort();
	}
	job->check += sx_table_row_count(rows);
	sx_oa_decoder_drain(decoder);
}

static void run(struct job *job, enum sx_oa_rows rows)
{
	struct sx_oa_decoder *decoder = make_decoder(job, rows);
	job->check = 0;
	/* In pieces that stay in the cache, as a reader of files hands them over. */
	for (size_t at = 0, used; at < job->size; at += used) {
		size_t piece = job->size - at < BATCH * RECORD ? job->size - at : BATCH * RECORD;
		if (sx_oa_decoder_feed(decoder, job->data + at, piece, &used, NULL) > SX_AGAIN)
			abort();
		if (rows == SX_OA_EACH) {
			oa_decoder_flush(decoder, NULL);
			take(job, decoder);
		}
	}
	sx_oa_decoder_finish(decoder, 0, NULL);
	take(job, decoder);
	sx_oa_decoder_destroy(decoder);
}

static void each(void *user)
{
	run(user, SX_OA_EACH);
}

static void total(void *user)
{
	run(user, SX_OA_TOTAL);
}

/* What one would write first: every counter by its own rule, from a table of places. */
static void plain_interval(struct job *job, size_t n)
{
	const uint8_t *a = job->data + (n - 1) * RECORD + 8, *b = a + RECORD;
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		uint32_t at = slot == 0	  ? 4
			      : slot == 1 ? 12
			      : slot < 38 ? 8 + 4 * slot
					  : 40 + 4 * slot;
		uint64_t from = little_u32(a + at), to = little_u32(b + at);
		if (slot >= 2 && slot < 34) {
			from |= (uint64_t)a[158 + slot] << 32;
			to |= (uint64_t)b[158 + slot] << 32;
			job->sums[slot] += from > to ? (UINT64_C(1) << 40) + to - from : to - from;
		} else {
			job->sums[slot] += (uint32_t)(to - from);
		}
	}
}

static void plain(void *user)
{
	struct job *job = user;
	memset(job->sums, 0, sizeof(job->sums));
	for (size_t n = 1; n < job->reports; n++)
		plain_interval(job, n);
}

/* The same for each interval, and every equation behind it, through a pointer each. */
static void generated(void *user)
{
	static const struct oa_constants device = {12500000, 300000000, 950000000, 24, 1,
						   3,	     7,		1,	   7,  0};
	struct job *job = user;
	job->results = 0;
	for (size_t n = 1; n < job->reports; n++) {
		memset(job->sums, 0, sizeof(job->sums));
		plain_interval(job, n);
		for (size_t i = 0; i < oa_equation_count; i++)
			job->results += oa_equations[i].u64
					    ? (double)oa_equations[i].u64(&device, job->sums)
					    : oa_equations[i].f64(&device, job->sums);
	}
}

static struct sx_metrics *select_all(const struct job *job, const struct sx_table *like)
{
	struct sx_oa_constants of_device;
	struct sx_constant_value constants[SX_OA_CONSTANTS_MAX];
	struct sx_metrics_options options = {
	    .set = "RenderBasic", .constants = constants, .like = like};
	sx_oa_device_constants(&job->chip->device, &of_device);
	for (uint32_t i = 0; i < of_device.count; i++)
		if (sx_catalog_find_constant(job->catalog, of_device.items[i].name) != SX_NONE)
			constants[options.constant_count++] = of_device.items[i];
	struct sx_metrics *metrics;
	struct sx_error err;
	if (sx_metrics_create(job->catalog, &options, &metrics, &err) != SX_OK) {
		fprintf(stderr, "%s\n", err.message);
		exit(1);
	}
	return metrics;
}

static void say(const struct job *job, const char *what, double seconds)
{
	printf("%-48s %8.1f ns a report\n", what, seconds * 1e9 / (double)job->reports);
}

/* A recording of so many reports, for reading files of any size. */
static int write_recording(struct job *job, const char *path)
{
	uint8_t head[512];
	FILE *out = fopen(path, "wb");
	if (!out)
		return 1;
	size_t size = oa_write_version(head, sizeof(head));
	size += oa_write_device(head + size, sizeof(head) - size, &job->chip->device);
	size += oa_write_topology(head + size, sizeof(head) - size, &job->chip->device);
	bool ok = fwrite(head, size, 1, out) == 1 && fwrite(job->data, job->size, 1, out) == 1;
	return fclose(out) == 0 && ok ? 0 : 1;
}

/* All metrics of the chip's RenderBasic; seconds for all reports. */
static double with_metrics(struct job *job, int runs)
{
	char what[96];
	uint32_t count;
	struct sx_oa_decoder *decoder = make_decoder(job, SX_OA_EACH);
	job->metrics = select_all(job, sx_oa_decoder_rows(decoder));
	if (sx_evaluation_create(job->metrics, sx_oa_decoder_rows(decoder), &job->evaluation, NULL))
		abort();
	sx_metrics_columns(job->metrics, &count);
	snprintf(what, sizeof(what), "%s: decode, and %u metrics for each", job->chip->catalog,
		 count);
	double seconds = bench_best(runs, each, job);
	say(job, what, seconds);
	if (job->check != job->reports - 1)
		abort();
	sx_evaluation_destroy(job->evaluation);
	sx_metrics_destroy(job->metrics);
	sx_oa_decoder_destroy(decoder);
	job->evaluation = NULL;
	return seconds;
}

static void plain_ways(struct job *job, int runs)
{
	say(job, "counter by counter, summed", bench_best(runs, plain, job));
	say(job, "... and generated equations for each interval", bench_best(runs, generated, job));
	say(job, "decode, accumulate: one row", bench_best(runs, total, job));
}

int main(int argc, char **argv)
{
	struct job job = {.reports = argc > 1 ? (size_t)atol(argv[1]) : 100000, .chip = chips};
	int runs = argc > 2 ? atoi(argv[2]) : 20;
	double first = 0;
	struct sx_context *context;
	if (sx_context_create(NULL, &context, NULL) != SX_OK)
		return 1;
	make_reports(&job);
	if (argc > 3)
		return write_recording(&job, argv[3]);
	printf("%zu reports of %d bytes\n", job.reports, RECORD);
	plain_ways(&job, runs);
	for (size_t i = 0; i < CHIPS; i++) {
		job.chip = &chips[i];
		if (sx_catalog_open(context, job.chip->catalog, &job.catalog, NULL) != SX_OK)
			return 1;
		make_reports(&job);
		say(&job, "decode: a row for each interval", bench_best(runs, each, &job));
		double seconds = with_metrics(&job, runs);
		first = i ? first : seconds;
		sx_catalog_unref(job.catalog);
	}
	sx_context_destroy(context);
	free(job.data);
	if (first <= LIMIT * (double)job.reports)
		return 0;
	fprintf(stderr, "the limit for Broadwell is %.0f ns\n", LIMIT * 1e9);
	return 1;
}
