/*
 * Statistics of metrics: mean, min, max, p50, p95 and p99 over all columns and metrics, one thread.
 * The limit is 10 ns a value of CPU time, the formulas included; beside it the plain way (every
 * value kept and sorted) and plain sums over the same values. Ends with 1 when the limit is missed
 * or time is not linear. With an argument, millions of rows: a tenth of them and all, of OpenGL, to
 * see that time is linear and memory that of the columns alone.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <sextant/analysis.h>

#define ROWS		 8192 /* of one table, as a capture's records have them */
#define TABLES		 64
#define LIMIT_NS	 10.0
#define LIMIT_IN_TURN_NS 25.0 /* programs in turn; half of their rows are skipped */

static double cpu_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* Rows of several programs come in turn, which is the worst order; of the second half are spared.
 */
static void label_row(struct sx_table *table, size_t row, unsigned programs, uint32_t count)
{
	char name[32];
	unsigned program = (unsigned)(row % programs);
	snprintf(name, sizeof(name), "program (%u)", program);
	if (sx_table_set_label(table, SX_LABEL_PROCESS, row,
			       sx_table_intern(table, name, strlen(name))) ||
	    sx_table_set_label(table, SX_LABEL_CONTEXT, row, program))
		abort();
	for (uint32_t i = 0; program && row / programs % 2 && i < count; i++)
		if (sx_table_column(table, i)->type == SX_U64)
			sx_table_set_u64(table, i, row, 0, SX_QUALITY_SKIPPED);
		else
			sx_table_set_f64(table, i, row, 0, SX_QUALITY_SKIPPED);
}

static struct sx_table *make_rows(const struct sx_catalog *catalog, unsigned programs)
{
	uint32_t count;
	struct sx_table *table;
	struct sx_column columns[128];
	const struct sx_counter_info *counters = sx_catalog_counters(catalog, &count);
	count = count > 128 ? 128 : count;
	for (uint32_t i = 0; i < count; i++)
		columns[i] = (struct sx_column){counters[i].name, counters[i].unit,
						counters[i].type, counters[i].over_time, NULL};
	if (sx_table_create(columns, count, SX_SAMPLE_FRAME, &table, NULL) ||
	    sx_table_add_rows(table, ROWS, NULL, NULL))
		abort();
	for (size_t r = 0; r < ROWS; r++) {
		sx_table_set_time(table, r, r * 16000000, (r + 1) * 16000000);
		for (uint32_t i = 0; i < count; i++) {
			uint64_t value = 100000 + next_random() % (UINT64_C(1) << (10 + i % 16));
			if (columns[i].type == SX_U64)
				sx_table_set_u64(table, i, r, value, 0);
			else
				sx_table_set_f64(table, i, r, (double)value, 0);
		}
		if (programs)
			label_row(table, r, programs, count);
	}
	return table;
}

/* CPU nanoseconds a value over so many tables; the quickest of so many runs. */
static double run_summary(const struct sx_metrics *metrics, const struct sx_table *table,
			  int tables, uint32_t columns, int runs)
{
	double best = 1e30;
	for (int run = 0; run < runs; run++) {
		uint32_t count;
		const struct sx_stats *stats;
		struct sx_summary *summary;
		double begin = cpu_now();
		if (sx_summary_create(metrics, table, &summary, NULL))
			abort();
		for (int i = 0; i < tables; i++)
			if (sx_summary_add(summary, table, NULL))
				abort();
		if (sx_summary_stats(summary, &stats, &count, NULL))
			abort();
		double took = cpu_now() - begin;
		best = took < best ? took : best;
		sx_summary_destroy(summary);
	}
	return best * 1e9 / ((double)columns * ROWS * (double)tables);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The same values, kept and sorted; and once only summed. */
static void run_plain(const struct sx_metrics *metrics, const struct sx_table *table,
		      uint32_t columns, double *sorted_ns, double *summed_ns)
{
	static double values[ROWS];
	struct sx_table *out;
	volatile double sink = 0;
	double begin = cpu_now(), total = 0;
	if (sx_metrics_eval(metrics, table, &out, NULL))
		abort();
	double evaluated = cpu_now() - begin;
	double middle = cpu_now();
	for (uint32_t c = 0; c < columns; c++)
		for (size_t r = 0; r < ROWS; r++)
			total += sx_table_get(out, c, r);
	*summed_ns = (evaluated + cpu_now() - middle) * 1e9 / ((double)columns * ROWS);
	middle = cpu_now();
	for (uint32_t c = 0; c < columns; c++) {
		for (size_t r = 0; r < ROWS; r++)
			values[r] = sx_table_get(out, c, r);
		qsort(values, ROWS, sizeof(*values), compare);
		sink = sink + values[ROWS / 2] + values[ROWS * 95 / 100] + values[ROWS * 99 / 100];
	}
	*sorted_ns = (evaluated + cpu_now() - middle) * 1e9 / ((double)columns * ROWS);
	sink = sink + total;
	sx_table_destroy(out);
}

static int bench(struct sx_context *context, const char *name, unsigned programs)
{
	static const char *const everything[] = {"*"};
	struct sx_catalog *catalog;
	struct sx_metrics *metrics;
	uint32_t columns;
	double sorted, summed, limit = programs > 1 ? LIMIT_IN_TURN_NS : LIMIT_NS;
	if (sx_catalog_open(context, name, &catalog, NULL))
		abort();
	struct sx_table *table = make_rows(catalog, programs);
	struct sx_metrics_options options = {
	    .patterns = everything, .pattern_count = 1, .like = table};
	if (sx_metrics_create(catalog, &options, &metrics, NULL))
		abort();
	sx_metrics_columns(metrics, &columns);
	double part = run_summary(metrics, table, TABLES / 8, columns, 3);
	double whole = run_summary(metrics, table, TABLES, columns, 3);
	run_plain(metrics, table, columns, &sorted, &summed);
	printf("%-10s %u programs, %3u columns, %.1f million values: %.2f ns a value (limit %g); "
	       "sorted %.1f, %.1f times; only summed %.1f; an eighth of the rows: %.2f\n",
	       name, programs, columns, (double)columns * ROWS * TABLES * 1e-6, whole, limit,
	       sorted, sorted / whole, summed, part);
	sx_metrics_destroy(metrics);
	sx_table_destroy(table);
	sx_catalog_unref(catalog);
	return !(whole <= limit && whole < part * 1.5);
}

static long resident_kib(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static int run_long(struct sx_context *context, int millions)
{
	struct sx_catalog *catalog;
	struct sx_metrics *metrics;
	uint32_t columns;
	if (sx_catalog_open(context, "opengl", &catalog, NULL))
		abort();
	struct sx_table *table = make_rows(catalog, 0);
	struct sx_metrics_options options = {.like = table};
	if (sx_metrics_create(catalog, &options, &metrics, NULL))
		abort();
	sx_metrics_columns(metrics, &columns);
	int tables = (int)((double)millions * 1e6 / ROWS);
	double part = run_summary(metrics, table, tables / 10 + 1, columns, 1);
	long before = resident_kib();
	double whole = run_summary(metrics, table, tables, columns, 1);
	long after = resident_kib();
	printf("%d million rows of %u metrics: %.2f ns a value (a tenth of them: %.2f), %ld MiB "
	       "(%ld before the rest)\n",
	       millions, columns, whole, part, after >> 10, before >> 10);
	sx_metrics_destroy(metrics);
	sx_table_destroy(table);
	sx_catalog_unref(catalog);
	return !(whole <= LIMIT_NS && whole < part * 1.5 && after < before + 4096);
}

int main(int argc, char **argv)
{
	struct sx_context *context;
	if (sx_context_create(NULL, &context, NULL))
		abort();
	int missed = argc > 1 ? run_long(context, atoi(argv[1]))
			      : bench(context, "opengl", 0) | bench(context, "opengl", 1) |
				    bench(context, "opengl", 3) | bench(context, "mali-g310", 0) |
				    bench(context, "cpu", 0);
	sx_context_destroy(context);
	return missed;
}
