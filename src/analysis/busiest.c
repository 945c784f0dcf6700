/* Programs by how long they kept a CPU busy, or by the length of their samples. */
#include "analysis/busiest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t find_cpu_time(const struct sx_catalog *catalog, const struct sx_table *raw)
{
	uint32_t count;
	const struct sx_counter_info *counters = sx_catalog_counters(catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (counters[i].neutral && strcmp(counters[i].neutral, "cpu.time") == 0)
			return sx_table_find(raw, counters[i].name);
	return SX_NONE;
}

/* Rows without a label, and those of programs beyond the limit, are of one program more. */
static size_t find_program(struct busiest *b, const char *label)
{
	for (size_t i = 0; label && i < b->count; i++)
		if (strcmp(b->labels[i], label) == 0)
			return i;
	if (!label || b->count == BUSIEST_PROGRAMS)
		return BUSIEST_PROGRAMS;
	b->labels[b->count] = strdup(label);
	return b->labels[b->count] ? b->count++ : BUSIEST_PROGRAMS;
}

static double busy_of(const struct busiest *b, const struct sx_table *raw, size_t row)
{
	uint64_t begin = sx_table_begin_ns(raw)[row], end = sx_table_end_ns(raw)[row];
	double cpu_ns = b->cpu_time == SX_NONE ? NAN : sx_table_get(raw, b->cpu_time, row);
	if (!isnan(cpu_ns))
		return cpu_ns;
	bool known = begin != SX_TIME_UNKNOWN && end != SX_TIME_UNKNOWN && end > begin;
	return known ? (double)(end - begin) : 0;
}

bool busiest_look(struct busiest *b, const struct sx_catalog *catalog, const struct sx_table *raw)
{
	size_t rows = sx_table_row_count(raw), program = BUSIEST_PROGRAMS;
	uint64_t last = SX_LABEL_ABSENT;
	if (!b->begun)
		b->cpu_time = find_cpu_time(catalog, raw);
	b->begun = true;
	if (!mem_grow(&b->of_row, &b->cap, rows + 1, sizeof(*b->of_row)))
		return false;
	for (size_t r = 0; r < rows; r++) {
		uint64_t label = sx_table_label(raw, SX_LABEL_PROCESS, r);
		if (label == SX_LABEL_ABSENT)
			program = BUSIEST_PROGRAMS;
		else if (label != last)
			program = find_program(b, sx_table_string(raw, label));
		last = label;
		b->of_row[r] = (uint8_t)program;
		b->busy_ns[program] += busy_of(b, raw, r);
	}
	return true;
}

size_t busiest_program(const struct busiest *b)
{
	size_t best = BUSIEST_PROGRAMS;
	for (size_t i = b->count; i-- > 0;)
		if (b->busy_ns[i] >= b->busy_ns[best])
			best = i;
	return best;
}

const char *busiest_label(const struct busiest *b)
{
	size_t best = busiest_program(b);
	return b->count > 1 && best < b->count ? b->labels[best] : NULL;
}

void busiest_finish(struct busiest *b)
{
	for (size_t i = 0; i < b->count; i++)
		free(b->labels[i]);
	free(b->of_row);
	*b = (struct busiest){0};
}
