/*
 * The budget of a frame at a target resolution and rate: cycles for each pixel, and the power of
 * external memory.
 */
#include "analysis/budget.h"

#include <sextant/analysis.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "catalog/column.h"
#include "catalog/internal.h"

#define USABLE	       0.85 /* what schedulers and dependencies leave of all cycles */
#define LOW_MW_PER_GB  80.0
#define HIGH_MW_PER_GB 100.0

/* Sums of one metric over the rows, and its highest rate. */
struct sums {
	double sum, seconds, highest;
};

static struct sums add_up(const struct sx_table *values)
{
	struct sums out = {0};
	const uint64_t *begin = sx_table_begin_ns(values), *end = sx_table_end_ns(values);
	for (size_t row = 0; row < sx_table_row_count(values); row++) {
		double value = sx_table_get(values, 0, row);
		if (isnan(value) || begin[row] == SX_TIME_UNKNOWN || end[row] == SX_TIME_UNKNOWN ||
		    end[row] <= begin[row])
			continue;
		double seconds = (double)(end[row] - begin[row]) * 1e-9;
		out.sum += value;
		out.seconds += seconds;
		out.highest = fmax(out.highest, value / seconds);
	}
	return out;
}

static enum sx_status sum_neutral(const struct budget_source *of, const char *neutral,
				  struct sums *out, struct sx_error *err)
{
	struct sx_catalog *catalog = of->catalog;
	const struct sx_metrics_options *options = of->options;
	const struct sx_table *raw = of->raw;
	const char *name = column_of_neutral(catalog, neutral, true);
	*out = (struct sums){0};
	if (!name)
		return SX_ERR_NOT_FOUND;
	struct sx_metrics_options one = *options;
	one.patterns = &name;
	one.pattern_count = 1;
	one.set = NULL;
	one.like = raw;
	struct sx_metrics *metrics = NULL;
	struct sx_table *values = NULL;
	enum sx_status status = sx_metrics_create(catalog, &one, &metrics, err);
	if (status == SX_OK)
		status = sx_metrics_eval(metrics, raw, &values, err);
	if (status == SX_OK)
		*out = add_up(values);
	sx_table_destroy(values);
	sx_metrics_destroy(metrics);
	return status;
}

/* A constant by name or alias; `otherwise` when it has no value. */
static double constant_of(const struct sx_catalog *catalog,
			  const struct sx_metrics_options *options, const char *name,
			  double otherwise)
{
	const struct sx_constant_value *given =
	    constants_given(catalog, sx_catalog_find_constant(catalog, name),
			    &(struct constants_list){options->constants, options->constant_count});
	return given ? given->value : otherwise;
}

static void add_memory(const struct sums *reads, const struct sums *writes, struct budget *out)
{
	if (reads->seconds <= 0 || writes->seconds <= 0)
		return;
	out->bytes_per_second = reads->sum / reads->seconds + writes->sum / writes->seconds;
	out->low_mw = out->bytes_per_second * 1e-9 * LOW_MW_PER_GB;
	out->high_mw = out->bytes_per_second * 1e-9 * HIGH_MW_PER_GB;
}

enum sx_status budget_of(const struct budget_source *of, const struct budget_goal *goal,
			 struct budget *out, struct sx_error *err)
{
	struct sx_catalog *catalog = of->catalog;
	struct sums active, reads, writes;
	double nothing = (double)NAN;
	*out = (struct budget){.clock_hz = nothing,
			       .cores = nothing,
			       .available = nothing,
			       .usable = nothing,
			       .spent = nothing,
			       .bytes_per_second = nothing,
			       .low_mw = nothing,
			       .high_mw = nothing};
	double pixels = goal->width * goal->height * goal->fps;
	if (!(pixels > 0) || !isfinite(pixels) || !(goal->width > 0) || !(goal->fps > 0))
		return error_set(err, SX_ERR_USAGE, "a budget needs a picture and a frame rate");
	enum sx_status status = sum_neutral(of, "gpu.clocks.active", &active, err);
	if (status == SX_ERR_NOT_FOUND) {
		error_set(err, status, "%s does not count cycles with work",
			  sx_catalog_info(catalog)->name);
		error_because(err, "a budget holds the neutral gpu.clocks.active against the goal");
		error_try(err, "sextant list --for NAME 'gpu.*', for devices that do");
	}
	if (status != SX_OK)
		return status;
	out->cores = constant_of(catalog, of->options, "shader_cores", 1);
	double clock = constant_of(catalog, of->options, "gpu_max_clock_hz", 0);
	if (active.seconds > 0) {
		out->clock_known =
		    clock > 0 && clock >= active.highest; /* less is a wrong constant */
		out->clock_hz = out->clock_known ? clock : active.highest;
		out->available = out->cores * out->clock_hz / pixels;
		out->usable = out->available * USABLE;
		out->spent = out->cores * active.sum / (pixels * active.seconds);
	}
	struct sx_error ignored; /* without memory counters a budget has no power */
	if (sum_neutral(of, "memory.read.bytes", &reads, &ignored) == SX_OK &&
	    sum_neutral(of, "memory.write.bytes", &writes, &ignored) == SX_OK)
		add_memory(&reads, &writes, out);
	return SX_OK;
}
