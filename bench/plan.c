/*
 * Plans passes for the full set of every GCN generation and API. The target: all nine within
 * 10 ms. Argument: runs (default 20).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/plan.h>
#include "bench.h"

#define ITEMS_MAX    512
#define COUNTERS_MAX 8192

struct job {
	struct sx_catalog *catalog;
	struct sx_plan_item items[ITEMS_MAX];
	uint32_t counters[COUNTERS_MAX], item_count, passes;
};

static bool offered(const struct sx_metric_info *info, const char *api)
{
	for (uint32_t i = 0; i < info->apis.count; i++)
		if (strcmp(info->apis.items[i], api) == 0)
			return true;
	return false;
}

static void gather(struct job *job, const struct sx_metrics *metrics, const char *api)
{
	uint32_t columns, all, used = 0, n;
	const struct sx_metric_column *column = sx_metrics_columns(metrics, &columns);
	const struct sx_metric_input *inputs = sx_metrics_inputs(metrics, &all);
	const struct sx_metric_info *info = sx_catalog_metrics(job->catalog, &n);
	for (uint32_t c = 0; c < columns && job->item_count < ITEMS_MAX; c++) {
		uint32_t count;
		const uint32_t *needed = sx_metrics_column_inputs(metrics, c, &count);
		struct sx_plan_item *item = &job->items[job->item_count];
		if (column[c].metric == SX_NONE || !offered(&info[column[c].metric], api))
			continue;
		*item = (struct sx_plan_item){.counters = &job->counters[used]};
		for (uint32_t i = 0; i < count && used < COUNTERS_MAX; i++)
			if (inputs[needed[i]].counter != SX_NONE)
				job->counters[used++] = inputs[needed[i]].counter;
		item->count = (uint32_t)(&job->counters[used] - item->counters);
		job->item_count++;
	}
}

static void plan(void *user)
{
	struct job *job = user;
	struct sx_plan *plan = NULL;
	const struct sx_plan_request request = {.items = job->items, .count = job->item_count};
	if (sx_plan_create(job->catalog, &request, &plan, NULL))
		exit(1);
	sx_plan_passes(plan, &job->passes);
	sx_plan_destroy(plan);
}

int main(int argc, char **argv)
{
	static const char *const catalogs[] = {"amd-gcn1", "amd-gcn2", "amd-gcn3"};
	static const char *const apis[] = {"opencl", "opengl", "dx11"};
	int runs = argc > 1 ? atoi(argv[1]) : 20;
	struct sx_context *context;
	double total = 0;
	if (sx_context_create(NULL, &context, NULL))
		return 1;
	printf("%-10s %-8s %8s %8s %8s\n", "catalog", "api", "metrics", "passes", "ms");
	for (int i = 0; i < 9; i++) {
		static struct job job;
		struct sx_metrics *metrics = NULL;
		const struct sx_metrics_options options = {.variant = apis[i % 3]};
		job = (struct job){0};
		if (sx_catalog_open(context, catalogs[i / 3], &job.catalog, NULL) ||
		    sx_metrics_create(job.catalog, &options, &metrics, NULL))
			return 1;
		gather(&job, metrics, apis[i % 3]);
		double best = bench_best(runs, plan, &job);
		printf("%-10s %-8s %8u %8u %8.3f\n", catalogs[i / 3], apis[i % 3], job.item_count,
		       job.passes, best * 1e3);
		total += best;
		sx_metrics_destroy(metrics);
		sx_catalog_unref(job.catalog);
	}
	printf("all nine: %.3f ms\n", total * 1e3);
	sx_context_destroy(context);
	return total > 0.010;
}
