/*
 * Opens every embedded catalog from its text, and looks all of its metrics up by name. The target:
 * a `list` of any catalog within 10 ms in all. Argument: runs (default 20).
 */
#include <stdio.h>
#include <stdlib.h>

#include <sextant/catalog.h>
#include "bench.h"
#include "catalog/internal.h"
#include "catalog/search/pack.h"

struct job {
	const struct pack_file *file;
	struct sx_catalog *catalog;
};

static void parse(void *user)
{
	struct job *job = user;
	sx_catalog_unref(job->catalog);
	if (catalog_open_inside(job->file->name, &job->catalog, NULL) != SX_OK)
		exit(1);
}

static void find(void *user)
{
	const struct job *job = user;
	uint32_t count;
	const struct sx_metric_info *m = sx_catalog_metrics(job->catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (sx_catalog_find_metric(job->catalog, m[i].name, m[i].group, NULL) != i)
			exit(1);
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : 20;
	printf("%-20s %8s %8s %8s %10s %12s\n", "catalog", "KB", "packed", "metrics", "load ms",
	       "find ns each");
	struct pack_file file;
	for (uint32_t i = 0; pack_get(i, &file); i++) {
		struct job job = {.file = &file};
		if (!pack_is_catalog(&file))
			continue;
		double parsed = bench_best(runs, parse, &job), found = bench_best(runs, find, &job);
		uint32_t metrics;
		sx_catalog_metrics(job.catalog, &metrics);
		printf("%-20s %8.1f %8.1f %8u %10.2f %12.1f\n", file.name, file.yaml_bytes / 1e3,
		       file.size / 1e3, metrics, parsed * 1e3, metrics ? found * 1e9 / metrics : 0);
		sx_catalog_unref(job.catalog);
	}
	return 0;
}
