/*
 * Evaluates all metrics of a catalog, or of one set: in bulk through chunks that stay in the cache,
 * in bulk through memory, and one sample at a time. Nanoseconds are for each value of a metric.
 * Arguments: runs (default 5).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "expr/compile.h"
#include "metric/metrics.h"

#define BULK_ROWS   100000
#define CHUNK_ROWS  512
#define SINGLE_RUNS 1000

struct job {
	const struct expr_program *program;
	struct sx_vector *vectors;
	struct expr_result *results, *at;
	struct sx_vector *from;
	uint64_t *words; /* all columns */
	uint8_t *bytes;	 /* all qualities */
	uint32_t inputs, outputs;
	size_t rows, total; /* at once, and in all; the same rows again when `again` */
	bool again;
};

static void move_to(struct job *job, size_t row)
{
	for (uint32_t i = 0; i < job->inputs; i++) {
		job->from[i] = job->vectors[i];
		job->from[i].data = (const uint64_t *)job->vectors[i].data + row;
		if (job->vectors[i].quality)
			job->from[i].quality = job->vectors[i].quality + row;
	}
	for (uint32_t i = 0; i < job->outputs; i++) {
		job->at[i].data = (uint64_t *)job->results[i].data + row;
		job->at[i].quality = job->results[i].quality ? job->results[i].quality + row : NULL;
	}
}

static void run(void *user)
{
	struct job *job = user;
	move_to(job, 0);
	for (size_t row = 0; row < job->total; row += job->rows) {
		if (!job->again)
			move_to(job, row);
		if (expr_eval(job->program, job->from, job->rows, job->at, NULL) != SX_OK)
			abort();
	}
}

/*
 * Columns of one memory block, each some cache lines further into its page than the one before:
 * columns that all begin on a page would fight for the same few lines of the cache.
 */
#define BULK_STRIDE   (BULK_ROWS + 8 * 13)
#define SINGLE_STRIDE 4 /* as malloc() places short columns */

static void *filled(uint64_t *data, size_t rows, uint32_t seed)
{
	for (size_t r = 0; r < rows; r++)
		data[r] = ((r + 1) * 2654435761u * (seed + 3)) >> 7 & 0xffffff;
	return data;
}

static double measure(struct job *job, size_t rows, size_t total, bool again, int runs)
{
	job->rows = rows;
	job->total = total;
	job->again = again;
	return bench_best(runs, run, job) * 1e9 / (double)total / job->outputs;
}

static void prepare(struct job *job, const struct sx_metrics *m, bool quality, size_t rows,
		    size_t stride)
{
	job->program = m->program;
	job->inputs = m->input_count;
	job->outputs = 0;
	for (uint32_t c = 0; c < m->column_count; c++)
		job->outputs += m->plans[c].output != SX_NONE;
	job->vectors = calloc(job->inputs, sizeof(*job->vectors));
	job->from = calloc(job->inputs, sizeof(*job->from));
	job->results = calloc(job->outputs, sizeof(*job->results));
	job->at = calloc(job->outputs, sizeof(*job->at));
	if (!job->vectors || !job->from || !job->results || !job->at)
		abort();
	job->words = malloc(((size_t)job->inputs + job->outputs) * stride * sizeof(uint64_t));
	job->bytes = calloc((size_t)job->inputs + job->outputs, stride);
	if (!job->words || !job->bytes)
		abort();
	for (uint32_t i = 0; i < job->inputs + job->outputs; i++) {
		void *data = filled(job->words + (size_t)i * stride, rows, i);
		uint8_t *bytes = quality ? job->bytes + (size_t)i * stride : NULL;
		if (i < job->inputs)
			job->vectors[i] = (struct sx_vector){SX_U64, data, bytes};
		else
			job->results[i - job->inputs] = (struct expr_result){data, bytes};
	}
}

static void finish(struct job *job)
{
	free(job->words);
	free(job->bytes);
	free(job->vectors);
	free(job->from);
	free(job->results);
	free(job->at);
}

static void bench(struct sx_context *context, const char *name, const char *set, int runs)
{
	struct sx_catalog *catalog;
	struct sx_metrics *metrics;
	struct sx_constant_value given[128];
	uint32_t count;
	if (sx_catalog_open(context, name, &catalog, NULL) != SX_OK)
		abort();
	/* Every constant is known, as it is with a device. */
	const struct sx_constant_info *constants = sx_catalog_constants(catalog, &count);
	uint32_t used = 0;
	for (uint32_t i = 0; i < count && used < 128; i++) {
		if (!constants[i].has_value)
			given[used++] = (struct sx_constant_value){constants[i].name, 3};
	}
	struct sx_metrics_options options = {
	    .set = set, .constants = given, .constant_count = used};
	struct sx_error err;
	if (sx_metrics_create(catalog, &options, &metrics, &err) != SX_OK) {
		fprintf(stderr, "%s\n", err.message);
		abort();
	}
	for (int quality = 0; quality < 2; quality++) {
		struct job job;
		prepare(&job, metrics, quality, BULK_ROWS, BULK_STRIDE);
		double cache = measure(&job, CHUNK_ROWS, CHUNK_ROWS * 20, true, runs * 10);
		double memory = measure(&job, BULK_ROWS, BULK_ROWS, false, runs);
		finish(&job);
		prepare(&job, metrics, quality, 1, SINGLE_STRIDE);
		double single = measure(&job, 1, SINGLE_RUNS, true, runs * 10);
		printf("%-10s %4u metrics of %3u inputs, %-14s cache %5.2f  memory %5.2f  single "
		       "%5.2f ns\n",
		       name, job.outputs, job.inputs,
		       quality ? "with quality:" : "values only:", cache, memory, single);
		finish(&job);
	}
	sx_metrics_destroy(metrics);
	sx_catalog_unref(catalog);
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : 5;
	struct sx_context *context;
	if (sx_context_create(NULL, &context, NULL) != SX_OK)
		return 1;
	bench(context, "mali-g625", NULL, runs);
	bench(context, "mali-g310", NULL, runs);
	bench(context, "intel-bdw", "RenderBasic", runs);
	bench(context, "amd-gcn3", NULL, runs);
	sx_context_destroy(context);
	return 0;
}
