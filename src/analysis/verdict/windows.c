/* Windows of the verdict: long enough to hold some frames and some rows of every source. */
#include "analysis/verdict/facts.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/number.h"
#include "table/cover.h"
#include "table/slices.h"

#define SPREAD_LEAST  5 /* rows from which the spread of frames is estimated */
#define SPREAD_AROUND 4 /* windows on each side */

/* Time that a source's rows enclose, from the first to the last. */
struct reach {
	uint64_t begin_ns, end_ns; /* begin is SX_TIME_UNKNOWN without times */
	double usual_ns;	   /* of one row: the median */
};

/* Sorts the values. */
static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), number_compare_f64);
	if (!count)
		return NAN;
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static bool has_times(const struct sx_table *t, size_t row)
{
	uint64_t begin = sx_table_begin_ns(t)[row], end = sx_table_end_ns(t)[row];
	return begin != SX_TIME_UNKNOWN && end != SX_TIME_UNKNOWN && end > begin;
}

/* A command of which only the moment is known when it was given to the device. */
static bool is_moment(const struct sx_table *t, size_t row)
{
	uint64_t begin = sx_table_begin_ns(t)[row];
	return begin != SX_TIME_UNKNOWN && begin == sx_table_end_ns(t)[row];
}

/* Lengths alone, as of a table without times: rows that all begin together lie on no axis. */
static bool has_axis(const struct sx_table *t)
{
	const uint64_t *begin = sx_table_begin_ns(t);
	size_t rows = sx_table_row_count(t);
	bool moves = rows < 2;
	for (size_t i = 1; i < rows && !moves; i++)
		moves = begin[i] != begin[0];
	return moves;
}

static bool find_reach(const struct sx_table *t, struct reach *out)
{
	size_t rows = has_axis(t) ? sx_table_row_count(t) : 0, count = 0;
	double *lengths = calloc(rows + 1, sizeof(*lengths));
	*out = (struct reach){.begin_ns = SX_TIME_UNKNOWN};
	for (size_t i = 0; lengths && i < rows; i++) {
		uint64_t begin = sx_table_begin_ns(t)[i], end = sx_table_end_ns(t)[i];
		if (!has_times(t, i) && !is_moment(t, i))
			continue;
		out->begin_ns = begin < out->begin_ns ? begin : out->begin_ns;
		out->end_ns = end > out->end_ns ? end : out->end_ns;
		if (end > begin)
			lengths[count++] = (double)(end - begin);
	}
	out->usual_ns = lengths ? median(lengths, count) : NAN;
	free(lengths);
	return lengths != NULL;
}

static void widen(struct reach *to, const struct reach *from)
{
	if (to->begin_ns == SX_TIME_UNKNOWN) {
		*to = *from;
		return;
	}
	to->begin_ns = from->begin_ns < to->begin_ns ? from->begin_ns : to->begin_ns;
	to->end_ns = from->end_ns > to->end_ns ? from->end_ns : to->end_ns;
}

/* The time to judge: that of frames, where there are some, else of all that was measured. */
static bool find_range(const struct verdict_facts *f, struct reach *out, double *least_ns)
{
	struct reach frames = {.begin_ns = SX_TIME_UNKNOWN}, all = frames, one;
	*least_ns = (double)f->rules->window_ns;
	for (uint32_t i = 0; i < f->source_count; i++) {
		const struct verdict_source *s = &f->sources[i];
		bool is_frames = sx_table_kind(s->rows) == SX_SAMPLE_FRAME;
		if (!find_reach(s->rows, &one))
			return false;
		if (one.begin_ns == SX_TIME_UNKNOWN)
			continue;
		widen(is_frames ? &frames : &all, &one);
		double usual = is_frames ? one.usual_ns / (double)s->each * f->rules->frames
					 : 2 * one.usual_ns;
		usual = usual > 2 * one.usual_ns ? usual : 2 * one.usual_ns;
		*least_ns = usual > *least_ns ? usual : *least_ns;
	}
	*out = frames.begin_ns == SX_TIME_UNKNOWN ? all : frames;
	return true;
}

static enum sx_status add_windows(struct verdict_facts *f, size_t count, struct sx_error *err)
{
	enum sx_status status = sx_table_create(NULL, 0, SX_SAMPLE_TIME, &f->windows, err);
	if (!status)
		status = sx_table_add_rows(f->windows, count, NULL, err);
	f->count = status ? 0 : count;
	return status;
}

static enum sx_status lay_over_time(struct verdict_facts *f, const struct reach *range,
				    double least_ns, struct sx_error *err)
{
	uint64_t length = range->end_ns - range->begin_ns;
	double fit = (double)length / least_ns;
	size_t count = fit < 1 ? 1 : fit > f->rules->most ? f->rules->most : (size_t)fit;
	enum sx_status status = add_windows(f, count, err);
	f->timed = true;
	for (size_t i = 0; !status && i < count; i++)
		sx_table_set_time(
		    f->windows, i,
		    range->begin_ns + (uint64_t)((double)length * (double)i / (double)count),
		    range->begin_ns + (uint64_t)((double)length * (double)(i + 1) / (double)count));
	return status;
}

/* Rows without times: some of the first source's rows are a window. */
static enum sx_status lay_over_rows(struct verdict_facts *f, struct sx_error *err)
{
	size_t rows = f->source_count ? sx_table_row_count(f->sources[0].rows) : 0;
	size_t each = f->rules->frames ? f->rules->frames : 1;
	if (rows / each > f->rules->most)
		each = rows / f->rules->most;
	size_t count = rows / each ? rows / each : rows != 0;
	f->rows_each = each;
	return count ? add_windows(f, count, err) : SX_OK;
}

double verdict_length(const struct verdict_facts *f, size_t window)
{
	const struct sx_table *t = f->timed ? f->windows : f->sources[0].rows;
	size_t rows = sx_table_row_count(t), each = f->timed ? 1 : f->rows_each;
	size_t first = window * each, end = window + 1 == f->count ? rows : first + each;
	double length = 0;
	for (size_t r = first; r < end; r++)
		length += has_times(t, r)
			      ? (double)(sx_table_end_ns(t)[r] - sx_table_begin_ns(t)[r])
			      : NAN;
	return length;
}

enum sx_status verdict_windows(struct verdict_facts *f, struct sx_error *err)
{
	struct reach range;
	double least_ns;
	if (!find_range(f, &range, &least_ns))
		return error_nomem(err, "judging a run");
	return range.begin_ns == SX_TIME_UNKNOWN ? lay_over_rows(f, err)
						 : lay_over_time(f, &range, least_ns, err);
}

/*
 * By how much a quarter of the lengths differ at least from the usual one, in percent of it. Half
 * of them would be too few: frames of which three of five are alike are not even.
 */
static double spread_of(double *lengths, size_t count)
{
	double usual = median(lengths, count);
	if (count < SPREAD_LEAST || !(usual > 0))
		return NAN;
	for (size_t i = 0; i < count; i++)
		lengths[i] = fabs(lengths[i] - usual);
	qsort(lengths, count, sizeof(*lengths), number_compare_f64);
	return lengths[count - 1 - count / 4] * 100 / usual;
}

/* The lengths of the frames of a source that begin within a time; work that no swap ended is none.
 */
static size_t collect_lengths(const struct sx_table *t, const struct reach *within, double *out)
{
	size_t count = 0;
	const struct slices slices = slices_of(t);
	for (size_t r = 0; r < sx_table_row_count(t); r++) {
		uint64_t begin = sx_table_begin_ns(t)[r];
		if (slices_kind_of(&slices, t, r) != KIND_FRAME)
			continue;
		if (has_times(t, r) && begin >= within->begin_ns && begin < within->end_ns)
			out[count++] = (double)(sx_table_end_ns(t)[r] - begin);
	}
	return count;
}

/* Rows that combine several frames differ less than frames do, by a factor of the root of these. */
static double spread_in(const struct verdict_source *s, const struct reach *within)
{
	double *lengths = calloc(sx_table_row_count(s->rows) + 1, sizeof(*lengths));
	if (!lengths)
		return NAN;
	double spread = spread_of(lengths, collect_lengths(s->rows, within, lengths));
	free(lengths);
	return spread * sqrt((double)s->each);
}

/* The mean length of a source's frames within a time; NaN: there are none. */
static double length_in(const struct verdict_source *s, const struct reach *within)
{
	double sum = 0, *lengths = calloc(sx_table_row_count(s->rows) + 1, sizeof(*lengths));
	size_t count = lengths ? collect_lengths(s->rows, within, lengths) : 0;
	for (size_t i = 0; i < count; i++)
		sum += lengths[i];
	free(lengths);
	return count ? sum / (double)count / (double)s->each : NAN;
}

/* Commands in a window: how long those that were timed ran, and how many were not. */
struct kernel_time {
	struct cover cover;
	size_t timed, spared, unknown;
};

static void add_kernels(const struct sx_table *t, uint64_t begin, uint64_t end,
			struct kernel_time *out)
{
	uint32_t busy = sx_table_find(t, "BusyTime");
	struct sx_vector v = {.data = NULL};
	if (busy != SX_NONE)
		v = sx_table_vector(t, busy);
	for (size_t r = 0; r < sx_table_row_count(t); r++) {
		uint64_t from = sx_table_begin_ns(t)[r], to = sx_table_end_ns(t)[r];
		bool within = has_times(t, r) ? from < end && to > begin
					      : is_moment(t, r) && from >= begin && from < end;
		uint8_t quality = within && v.data && v.quality ? v.quality[r] : 0;
		bool none = quality & SX_QUALITY_NO_DATA_MASK;
		if (!within)
			continue;
		out->timed += !none;
		out->spared += none && sx_quality_is_skipped(quality);
		out->unknown += none && !sx_quality_is_skipped(quality);
		if (!none && to > from)
			cover_add(&out->cover, from > begin ? from : begin, to < end ? to : end);
	}
}

double verdict_kernel_cover(const struct verdict_facts *f, size_t window)
{
	bool any = false;
	struct kernel_time time = {.timed = 0};
	if (!f->timed)
		return NAN;
	uint64_t begin = sx_table_begin_ns(f->windows)[window];
	uint64_t end = sx_table_end_ns(f->windows)[window];
	for (uint32_t s = 0; s < f->source_count; s++) {
		if (sx_table_kind(f->sources[s].rows) != SX_SAMPLE_KERNEL)
			continue;
		any = true;
		add_kernels(f->sources[s].rows, begin, end, &time);
	}
	if (!any || time.unknown || (time.spared && !time.timed))
		return NAN;
	double times = time.timed ? 1 + (double)time.spared / (double)time.timed : 1;
	return (double)cover_ns(&time.cover) * times;
}

bool verdict_has_frames(const struct verdict_facts *f, const struct sx_table *t, size_t window)
{
	const struct slices slices = slices_of(t);
	uint64_t length[2] = {0}; /* of frames, and of slices of time */
	if (!f->timed || slices.frames == SX_NONE)
		return true;
	uint64_t begin = sx_table_begin_ns(f->windows)[window];
	uint64_t end = sx_table_end_ns(f->windows)[window];
	for (size_t r = 0; r < sx_table_row_count(t); r++) {
		uint64_t from = sx_table_begin_ns(t)[r], to = sx_table_end_ns(t)[r];
		from = from > begin ? from : begin;
		to = to < end ? to : end;
		if (has_times(t, r) && from < to)
			length[slices_kind_of(&slices, t, r) == KIND_SLICE] += to - from;
	}
	return length[0] >= length[1];
}

/* Of all sources with frames in a window the least: their frames are those of one program. */
static double least_of_frames(const struct verdict_facts *f, size_t window,
			      double (*of)(const struct verdict_source *, const struct reach *))
{
	double least = NAN;
	if (!f->timed)
		return NAN;
	/* A few frames are even by chance: those of the windows around it are looked at too. */
	size_t last = window + SPREAD_AROUND < f->count ? window + SPREAD_AROUND : f->count - 1;
	size_t first = window > SPREAD_AROUND ? window - SPREAD_AROUND : 0;
	struct reach within = {.begin_ns = sx_table_begin_ns(f->windows)[first],
			       .end_ns = sx_table_end_ns(f->windows)[last]};
	for (uint32_t s = 0; s < f->source_count; s++) {
		const struct sx_table *rows = f->sources[s].rows;
		if (sx_table_kind(rows) != SX_SAMPLE_FRAME || !verdict_has_frames(f, rows, window))
			continue;
		double value = of(&f->sources[s], &within);
		if (!(value >= least))
			least = value;
	}
	return least;
}

double verdict_spread(const struct verdict_facts *f, size_t window)
{
	return least_of_frames(f, window, spread_in);
}

double verdict_frame_length(const struct verdict_facts *f, size_t window)
{
	return least_of_frames(f, window, length_in);
}
