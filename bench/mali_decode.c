/*
 * Decodes Mali-G625 dumps of 6 cores in bulk, against a plain loop over counters and instances, and
 * one dump at a time. Arguments: dumps (default 100000), runs (default 3).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/mali.h>
#include "bench.h"
#include "decode/mali/mali.h"

struct job {
	struct sx_catalog *catalog;
	struct sx_mali_decoder *decoder;
	struct sx_table *table;
	uint8_t *data;
	size_t dumps, dump_bytes, batch;
	uint32_t width;
	uint64_t *plain; /* columns of the plain loop */
};

static uint64_t plain_value(const struct job *job, size_t dump, uint32_t block, uint32_t slot)
{
	const uint8_t *at = job->data + dump * job->dump_bytes + (block * 128 + slot) * job->width;
	uint64_t value = 0;
	for (uint32_t i = job->width; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

/* What one would write first: each counter of each dump, instance by instance, row by row. */
static void plain(void *user)
{
	struct job *job = user;
	static const uint32_t first[] = {0, 1, 2, 4}, count[] = {1, 1, 2, 6};
	uint32_t counters, blocks;
	const struct sx_counter_info *info = sx_catalog_counters(job->catalog, &counters);
	const struct sx_block_info *block = sx_catalog_blocks(job->catalog, &blocks);
	for (size_t n = 0; n < job->dumps; n++)
		for (uint32_t i = 0; i < counters; i++) {
			if (block[info[i].block].slots != 128)
				continue;
			uint32_t kind = block[info[i].block].code;
			uint64_t sum = 0;
			for (uint32_t b = first[kind]; b < first[kind] + count[kind]; b++)
				if (plain_value(job, n, b, 2) >> (info[i].slot / 4) & 1)
					sum += plain_value(job, n, b, info[i].slot);
			job->plain[n % job->batch * counters + i] = sum * info[i].scale;
		}
}

static void bulk(void *user)
{
	struct job *job = user;
	for (size_t done = 0; done < job->dumps; done += job->batch) {
		sx_table_clear(job->table);
		size_t now = job->dumps - done < job->batch ? job->dumps - done : job->batch;
		if (sx_mali_decode(job->decoder, job->data + done * job->dump_bytes,
				   now * job->dump_bytes, job->table, NULL) != SX_OK)
			abort();
	}
}

static void measure(struct job *job, uint32_t width, int runs)
{
	struct sx_mali_options options = {.value_bytes = width, .l2_slices = 2, .core_mask = 0x3f};
	uint32_t counters;
	sx_catalog_counters(job->catalog, &counters);
	if (sx_mali_decoder_create(job->catalog, &options, &job->decoder, NULL) != SX_OK ||
	    sx_mali_table_create(job->decoder, &job->table, NULL) != SX_OK)
		abort();
	job->width = width;
	job->dump_bytes = mali_dump_size(job->decoder);
	size_t size = job->dumps * job->dump_bytes;
	job->data = malloc(size);
	job->plain = calloc(job->dumps, counters * sizeof(uint64_t));
	if (!job->data || !job->plain)
		abort();
	for (size_t i = 0; i < size; i++)
		job->data[i] = (uint8_t)(i % width > 2 ? 0 : i * 2654435761u >> 13);
	for (size_t b = 0; b < job->dumps * 10; b++)
		memset(job->data + (b * 128 + 2) * width, 0xff, width);
	job->batch = job->dumps;
	double whole = bench_best(runs, bulk, job);
	job->batch = 1000;
	double stream = bench_best(runs, bulk, job), slow = bench_best(1, plain, job);
	job->batch = 1;
	double single = bench_best(runs, bulk, job);
	printf("mali-g625 u%u, 6 cores, %zu dumps of %zu bytes\n", width * 8, job->dumps,
	       job->dump_bytes);
	printf("  all at once    %7.2f GB/s\n", (double)size / whole * 1e-9);
	printf("  1000 at a time %7.2f GB/s, %.1f times the plain loop (%.2f GB/s)\n",
	       (double)size / stream * 1e-9, slow / stream, (double)size / slow * 1e-9);
	printf("  one at a time  %7.2f GB/s, %.2f us a dump\n", (double)size / single * 1e-9,
	       single / (double)job->dumps * 1e6);
	free(job->data);
	free(job->plain);
	sx_table_destroy(job->table);
	sx_mali_decoder_destroy(job->decoder);
}

int main(int argc, char **argv)
{
	struct job job = {.dumps = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000};
	int runs = argc > 2 ? atoi(argv[2]) : 3;
	struct sx_context *context;
	if (sx_context_create(NULL, &context, NULL) != SX_OK ||
	    sx_catalog_open(context, "mali-g625", &job.catalog, NULL) != SX_OK)
		return 1;
	measure(&job, 4, runs);
	measure(&job, 8, runs);
	sx_catalog_unref(job.catalog);
	sx_context_destroy(context);
	return 0;
}
