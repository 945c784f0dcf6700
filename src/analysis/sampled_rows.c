/* Rows by stratum: see part_sums.h. */
#include "analysis/part_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Those of one part keep their order. */
static void order_rows(struct sampled_rows *rows, const uint8_t *of, size_t count)
{
	size_t next[PARTS_MAX] = {0}, at = 0;
	for (size_t i = 0; i < count; i++)
		next[of[i]]++;
	rows->straight = !count || next[of[0]] == count;
	for (unsigned part = 0; part < PARTS_MAX; part++) {
		rows->first[part] = at;
		at += next[part];
		next[part] = rows->first[part];
	}
	rows->first[PARTS_MAX] = at;
	for (size_t i = 0; i < count; i++)
		rows->order[next[of[i]]++] = (uint32_t)i;
}

static void size_row(const struct parts *parts, const struct extent *extent, bool slice,
		     struct sampled_size *out)
{
	out->extent = *extent;
	out->rest = slice && out->extent.ns ? out->extent.ns : out->extent.rows;
	bool known = slices_know_calls(&parts->slices);
	for (unsigned basis = 0; basis < BASIS_DEVICE; basis++)
		out->idle[basis] =
		    known && !extent_work(&out->extent, (enum basis)basis) ? out->extent.rows : 0;
}

static void size_add(struct sampled_size *to, const struct sampled_size *more)
{
	extent_add(&to->extent, &more->extent);
	to->rest += more->rest;
	for (unsigned basis = 0; basis < BASIS_DEVICE; basis++)
		to->idle[basis] += more->idle[basis];
}

bool sampled_rows_look(struct sampled_rows *rows, const struct parts *parts,
		       const struct sx_table *raw, const uint8_t *of)
{
	size_t count = sx_table_row_count(raw);
	if (!mem_grow(&rows->order, &rows->order_cap, count + 1, sizeof(*rows->order)) ||
	    !mem_grow(&rows->each, &rows->each_cap, count + 1, sizeof(*rows->each)) ||
	    !mem_grow(&rows->before, &rows->before_cap, count + 1, sizeof(*rows->before)))
		return false;
	order_rows(rows, of, count);
	slices_extents(&parts->slices, raw, (struct row_span){0, count}, rows->each);
	struct sampled_size all = {.rest = 0}, one;
	for (size_t i = 0; i < count; i++) {
		size_t row = rows->order[i];
		rows->before[i] = all;
		size_row(parts, &rows->each[row], parts_are_slices(parts, of[row]), &one);
		size_add(&all, &one);
	}
	rows->before[count] = all;
	return true;
}

void sampled_rows_size(const struct sampled_rows *rows, size_t first, size_t count,
		       struct sampled_size *out)
{
	const struct sampled_size *from = &rows->before[first], *to = &rows->before[first + count];
	out->extent.rows = to->extent.rows - from->extent.rows;
	out->extent.ns = to->extent.ns - from->extent.ns;
	out->extent.draws = to->extent.draws - from->extent.draws;
	out->extent.dispatches = to->extent.dispatches - from->extent.dispatches;
	out->extent.busy_ns = to->extent.busy_ns - from->extent.busy_ns;
	out->extent.unknown = to->extent.unknown - from->extent.unknown;
	out->rest = to->rest - from->rest;
	for (unsigned basis = 0; basis < BASIS_DEVICE; basis++)
		out->idle[basis] = to->idle[basis] - from->idle[basis];
}

size_t sampled_rows_alike(const struct sampled_rows *rows, const struct sx_vector *v, size_t first,
			  size_t most, uint8_t *quality)
{
	const uint8_t *q = v->quality;
	const uint32_t *order = rows->order + first;
	size_t count = 1;
	*quality = q ? q[order[0]] : 0;
	if (!q || (rows->straight && memcmp(q + first, q + first + 1, most - 1) == 0))
		return most;
	if (rows->straight)
		while (count < most && q[first + count] == *quality)
			count++;
	else
		while (count < most && q[order[count]] == *quality)
			count++;
	return count;
}

const double *sampled_rows_values(const struct sampled_rows *rows, const struct sx_vector *v,
				  size_t first, size_t count, double *room)
{
	const uint32_t *order = rows->order + first;
	const double *doubles = v->data;
	const uint64_t *whole = v->data;
	if (v->type != SX_U64 && rows->straight)
		return doubles + first;
	if (v->type != SX_U64)
		for (size_t i = 0; i < count; i++)
			room[i] = doubles[order[i]];
	else if (rows->straight)
		for (size_t i = 0; i < count; i++)
			room[i] = (double)whole[first + i];
	else
		for (size_t i = 0; i < count; i++)
			room[i] = (double)whole[order[i]];
	return room;
}

void sampled_rows_finish(struct sampled_rows *rows)
{
	free(rows->order);
	free(rows->before);
	free(rows->each);
	*rows = (struct sampled_rows){.straight = false};
}
