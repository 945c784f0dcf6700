/* Lanes: distributes rows so that those of one lane do not overlap. */
#include "output/perfetto/perfetto.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* A row of which one end alone is known is a moment. */
static bool span_of(const struct sx_table *table, size_t row, struct lane_span *span)
{
	uint64_t begin = sx_table_begin_ns(table)[row], end = sx_table_end_ns(table)[row];
	if (begin == SX_TIME_UNKNOWN)
		begin = end;
	if (end == SX_TIME_UNKNOWN || end < begin)
		end = begin;
	*span = (struct lane_span){begin, end, LANE_NONE};
	return begin != SX_TIME_UNKNOWN;
}

static struct lane key_of(const struct sx_table *table, size_t row)
{
	const char *process = sx_table_string(table, sx_table_label(table, SX_LABEL_PROCESS, row));
	return (struct lane){.process = process ? XXH64(process, strlen(process), 0) : 0,
			     .context = sx_table_label(table, SX_LABEL_CONTEXT, row),
			     .instance = sx_table_label(table, SX_LABEL_INSTANCE, row)};
}

static void lanes_describe(struct lane *lane, const struct sx_table *table, size_t row,
			   uint32_t level)
{
	const char *process = sx_table_string(table, sx_table_label(table, SX_LABEL_PROCESS, row));
	char context[32] = "", instance[32] = "", within[32] = "";
	if (lane->context != SX_LABEL_ABSENT)
		snprintf(context, sizeof(context), ", context %llu",
			 (unsigned long long)lane->context);
	if (lane->instance != SX_LABEL_ABSENT)
		snprintf(instance, sizeof(instance), ", instance %llu",
			 (unsigned long long)lane->instance);
	if (level)
		snprintf(within, sizeof(within), ", level %u", (unsigned)level + 1);
	snprintf(lane->text, sizeof(lane->text), "%.40s%s%s%s", process ? process : "", context,
		 instance, within);
	if (strncmp(lane->text, ", ", 2) == 0)
		memmove(lane->text, lane->text + 2, strlen(lane->text + 2) + 1);
}

static bool same_key(const struct lane *a, const struct lane *b)
{
	return a->process == b->process && a->context == b->context && a->instance == b->instance;
}

/* The first lane of the row's owner that is free when it begins, or a new one. */
static uint32_t place(struct lanes *lanes, const struct lane_span *span,
		      const struct sx_table *table, size_t row)
{
	struct lane key = key_of(table, row);
	uint32_t level = 0;
	for (uint32_t i = 0; i < lanes->count; i++) {
		struct lane *lane = &lanes->items[i];
		if (!same_key(lane, &key))
			continue;
		if (lane->end_ns <= span->begin_ns) {
			lane->end_ns = span->end_ns;
			return i;
		}
		level++;
	}
	if (lanes->count == LANES_MAX) {
		lanes->beyond++;
		return LANE_NONE;
	}
	struct lane *lane = &lanes->items[lanes->count];
	*lane = key;
	lane->end_ns = span->end_ns;
	lanes_describe(lane, table, row, level);
	return lanes->count++;
}

void lanes_scan(struct lanes *lanes, const struct sx_table *table)
{
	struct lane_span span;
	for (size_t row = 0; row < sx_table_row_count(table); row++) {
		lanes->rows++;
		if (!span_of(table, row, &span)) {
			lanes->untimed++;
			continue;
		}
		lanes->overlap |= span.begin_ns < lanes->end_ns;
		lanes->end_ns = span.end_ns > lanes->end_ns ? span.end_ns : lanes->end_ns;
		place(lanes, &span, table, row);
	}
}

uint32_t lanes_count(const struct lanes *scanned)
{
	return scanned->overlap && scanned->count ? scanned->count : 1;
}

struct lane_span lanes_place(struct lanes *now, const struct lanes *scanned,
			     const struct sx_table *table, size_t row)
{
	struct lane_span span;
	if (!span_of(table, row, &span))
		now->untimed++;
	else
		span.lane = scanned->overlap ? place(now, &span, table, row) : 0;
	return span;
}
