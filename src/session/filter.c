/* Filters rows: within the limits, and of one hardware context if one was asked for. */
#include "session/session.h"

#include <stdlib.h>

#include "base/error.h"
#include "table/fill.h"
#include "table/slices.h"

/* Sources cannot be asked for it: the kernel wants a handle of the process that is measured. */
enum sx_status filter_check(const struct sx_session *s, struct sx_error *err)
{
	for (uint32_t i = 0; s->options.only_context && i < s->device_count; i++) {
		const struct session_device *d = &s->devices[i];
		if (source_describe(d->source)->shows_contexts)
			continue;
		error_set(err, SX_ERR_UNSUPPORTED, "source %s does not distinguish contexts",
			  d->ops->name);
		error_because(err, "its samples are of everything that ran on the device");
		error_try(err, "-d with a device that does, or without --context");
		return SX_ERR_UNSUPPORTED;
	}
	return SX_OK;
}

bool filter_needed(const struct sx_session *s)
{
	return s->options.only_context || s->options.process || s->limits.samples ||
	       s->limits.duration_ns;
}

static bool is_other(const struct sx_session *s, const struct session_device *d, size_t row)
{
	const struct sx_row_choice choice = {.process = s->options.process,
					     .only_context = s->options.only_context,
					     .context = s->options.context};
	return !row_is_chosen(&choice, d->mixed, row);
}

/*
 * From when on a device's rows are beyond the limits. A duration is the device's own, from its
 * first sample, where that began while the devices were still being started.
 */
static uint64_t cut_of(const struct sx_session *s, const struct session_device *d)
{
	bool early = !s->options.input && d->first_ns < s->begin_ns;
	uint64_t own =
	    early && s->limits.duration_ns ? d->first_ns + s->limits.duration_ns : UINT64_MAX;
	return own < s->cut_ns ? own : s->cut_ns;
}

static bool is_of_program(const struct session_device *d, size_t row)
{
	return d->programs && sx_table_label(d->mixed, SX_LABEL_PROCESS, row) != SX_LABEL_ABSENT;
}

/*
 * Moves the rows of programs from `first` on, which have a table of their own, within the same
 * limits of time; *count: how many there are.
 */
static enum sx_status filter_programs(struct sx_session *s, uint32_t index, size_t first,
				      struct sx_vector *vectors, size_t *count,
				      struct sx_error *err)
{
	struct session_device *d = &s->devices[index];
	size_t all = sx_table_row_count(d->mixed);
	const uint64_t *begin = sx_table_begin_ns(d->mixed);
	struct sx_rows rows;
	*count = 0;
	while (first + *count < all && is_of_program(d, first + *count))
		++*count;
	size_t within = *count;
	while (within && begin[first + within - 1] >= cut_of(s, d))
		within--;
	if (!within)
		return SX_OK;
	sx_table_rows(d->mixed, first, within, vectors, &rows);
	return sx_table_append(d->programs, &rows, err);
}

static bool filter_wanted(struct sx_session *s, uint32_t index, size_t row)
{
	struct session_device *d = &s->devices[index];
	uint64_t begin = sx_table_begin_ns(d->mixed)[row];
	if (is_other(s, d, row)) {
		d->others++;
		return false;
	}
	if (begin < d->first_ns)
		d->first_ns = begin;
	if (begin != SX_TIME_UNKNOWN && begin >= cut_of(s, d))
		return false;
	if (index || !s->limits.samples)
		return true;
	if (d->rows >= s->limits.samples)
		return false;
	/* The others end with the last sample of the first device. */
	uint64_t end = sx_table_end_ns(d->mixed)[row];
	if (++d->rows == s->limits.samples && end != SX_TIME_UNKNOWN && end < s->cut_ns)
		s->cut_ns = end;
	return true;
}

static enum sx_status filter_append(struct session_device *d, struct sx_vector *vectors,
				    size_t first, size_t count, struct sx_error *err)
{
	struct sx_rows rows;
	if (!count)
		return SX_OK;
	sx_table_rows(d->mixed, first, count, vectors, &rows);
	return sx_table_append(d->raw, &rows, err);
}

enum sx_status filter_rows(struct sx_session *s, uint32_t index, struct sx_error *err)
{
	struct session_device *d = &s->devices[index];
	size_t count = sx_table_row_count(d->mixed), first = 0;
	bool counted = index == 0 && s->limits.samples; /* by wanted() */
	struct sx_vector *vectors = calloc(sx_table_column_count(d->mixed) + 1, sizeof(*vectors));
	enum sx_status status = vectors ? SX_OK : error_nomem(err, "choosing rows");
	size_t before = sx_table_row_count(d->raw);
	for (size_t i = 0; !status && i < count; i++) {
		size_t programs = 1;
		bool of_program = is_of_program(d, i);
		if (!of_program && filter_wanted(s, index, i))
			continue;
		status = filter_append(d, vectors, first, i - first, err);
		if (!status && of_program)
			status = filter_programs(s, index, i, vectors, &programs, err);
		i += programs - 1;
		first = i + 1;
	}
	if (!status)
		status = filter_append(d, vectors, first, count - first, err);
	if (!counted)
		d->rows += slices_samples_in(d->raw, before, sx_table_row_count(d->raw) - before);
	if (!status && (table_copy_whys(d->raw, d->mixed) ||
			(d->programs && table_copy_whys(d->programs, d->mixed))))
		status = error_nomem(err, "choosing rows");
	sx_table_clear(d->mixed);
	free(vectors);
	return status;
}
