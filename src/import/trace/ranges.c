/* Ranges of time that nest and overlap, and how busy the GPU was in them. */
#include <stdlib.h>

#include "import/trace/trace.h"

size_t import_ranges_add(struct import_ranges *ranges, struct import_rows *rows, uint64_t begin_ns,
			 uint64_t end_ns)
{
	size_t row = import_row(rows, begin_ns, end_ns);
	if (row == SIZE_MAX ||
	    !mem_grow(&ranges->list, &ranges->cap, ranges->count + 1, sizeof(*ranges->list)))
		ranges->no_memory = true;
	else
		ranges->list[ranges->count++] = (struct import_range){begin_ns, end_ns, row};
	return row;
}

/* By beginning; of two that begin together the longer one is around the other. */
static int by_begin(const void *a, const void *b)
{
	const struct import_range *x = a, *y = b;
	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static void ranges_set_times(const struct import_ranges *ranges, struct import_rows *rows)
{
	static const struct import_field time = {.name = "GpuTime",
						 .unit = "ns",
						 .over_time = SX_REDUCE_SUM},
					 within = {.name = "GpuTimeWithin",
						   .unit = "ns",
						   .over_time = SX_REDUCE_SUM};
	uint64_t until = 0;
	for (size_t i = 0; i < ranges->count; i++) {
		const struct import_range *r = &ranges->list[i];
		uint64_t since = r->begin_ns > until ? r->begin_ns : until;
		uint64_t own = r->end_ns > since ? r->end_ns - since : 0;
		uint64_t shared = r->end_ns - r->begin_ns - own;
		/* What is all within others has no time of its own, not one of zero. */
		if (own || !shared)
			import_set_u64(rows, import_column(rows, &time), r->row, own);
		if (shared)
			import_set_u64(rows, import_column(rows, &within), r->row, shared);
		until = r->end_ns > until ? r->end_ns : until;
	}
}

static void add_busy(struct import_rows *rows, const struct import_range *work, uint64_t next_ns)
{
	static const struct import_field busy = {
	    .name = "GpuBusy", .unit = "percent", .over_time = SX_REDUCE_MEAN};
	if (work->end_ns <= work->begin_ns)
		return;
	import_set(rows, import_column(rows, &busy), import_row(rows, work->begin_ns, next_ns),
		   (double)(work->end_ns - work->begin_ns) * 100 /
		       (double)(next_ns - work->begin_ns));
}

/* What touches or overlaps is one stretch of work. */
static void set_busy(const struct import_ranges *ranges, struct import_rows *rows)
{
	struct import_range work = {0};
	for (size_t i = 0; i < ranges->count; i++) {
		const struct import_range *r = &ranges->list[i];
		if (r->end_ns == r->begin_ns)
			continue;
		if (work.end_ns > work.begin_ns && r->begin_ns <= work.end_ns) {
			work.end_ns = r->end_ns > work.end_ns ? r->end_ns : work.end_ns;
		} else {
			add_busy(rows, &work, r->begin_ns);
			work = *r;
		}
	}
	add_busy(rows, &work, work.end_ns);
}

struct import_rows *import_ranges_finish(struct import_ranges *ranges, struct import_job *job,
					 struct import_rows *rows)
{
	struct import_rows *busy = import_rows_create(
	    job, &(struct import_rows_options){.catalog = "monitor", .kind = SX_SAMPLE_TIME});
	bool lasting = false;
	if (ranges->count)
		qsort(ranges->list, ranges->count, sizeof(*ranges->list), by_begin);
	for (size_t i = 0; i < ranges->count; i++)
		lasting |= ranges->list[i].end_ns > ranges->list[i].begin_ns;
	ranges_set_times(ranges, rows);
	ranges->no_memory |= !busy;
	if (lasting && !ranges->no_memory)
		set_busy(ranges, busy);
	free(ranges->list);
	ranges->list = NULL;
	if (busy && (!lasting || ranges->no_memory)) {
		(void)import_rows_finish(busy, SX_END, NULL);
		busy = NULL;
	}
	return busy;
}
