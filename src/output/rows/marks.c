/* Reservations about rows, and the ranges of rows that have them. */
#include "output/rows/rows.h"
#include "base/no_data.h"
#include "base/text_buf.h"

#include <string.h>

uint8_t rows_quality(const struct sx_table *table, size_t row)
{
	uint8_t seen = 0;
	for (uint32_t c = 0; c < sx_table_column_count(table); c++) {
		struct sx_vector v = sx_table_vector(table, c);
		if (!v.data || !v.quality)
			continue;
		if (!(v.quality[row] & SX_QUALITY_NO_DATA_MASK))
			seen |= v.quality[row];
		else if (sx_quality_is_skipped(v.quality[row]))
			seen |= ROWS_SKIPPED;
	}
	return seen;
}

uint8_t rows_reservations(const struct sx_table *table, size_t row)
{
	return rows_quality(table, row) & (uint8_t)~ROWS_SKIPPED;
}

const char *rows_reservations_text(uint8_t quality, char buf[64])
{
	static const char *const names[] = {"lost", "wrapped", "multiplexed", "stretched"};
	buf[0] = '\0';
	for (int i = 0; i < 4; i++)
		if (quality & SX_QUALITY_LOST << i)
			text_append_item(buf, 64, "+", "%s", names[i]);
	if (quality & ROWS_SKIPPED)
		text_append_item(buf, 64, "+", "skipped");
	return buf[0] ? buf : NULL;
}

/* Whether any value of the table is marked at all, which is rare. */
static bool any_marked(const struct sx_table *table)
{
	for (uint32_t c = 0; c < sx_table_column_count(table); c++)
		if (sx_table_vector(table, c).quality)
			return true;
	return false;
}

static void add(struct rows_marks *marks, size_t row, uint32_t column, uint8_t quality)
{
	struct rows_mark *last = marks->count ? &marks->marks[marks->count - 1] : NULL;
	if (last && last->last + 1 == row && last->column == column && last->quality == quality) {
		last->last = row;
		return;
	}
	marks->more |= marks->count == ROWS_MARKS_MAX;
	if (!marks->more)
		marks->marks[marks->count++] = (struct rows_mark){row, row, column, quality};
}

void rows_marks_add(struct rows_marks *marks, const struct sx_table *table, size_t first)
{
	char text[64];
	if (!any_marked(table))
		return;
	for (size_t r = 0; r < sx_table_row_count(table); r++) {
		uint8_t quality = rows_reservations(table, r);
		if (rows_reservations_text(quality, text))
			add(marks, first + r, SX_NONE, quality);
	}
}

void rows_marks_add_absent(struct rows_marks *marks, const struct sx_table *table, size_t first)
{
	for (uint32_t c = 0; c < sx_table_column_count(table); c++) {
		struct sx_vector v = sx_table_vector(table, c);
		if (!v.data || !v.quality || sx_table_column(table, c)->why)
			continue;
		for (size_t r = 0; r < sx_table_row_count(table); r++)
			if (v.quality[r] & SX_QUALITY_NO_DATA_MASK)
				add(marks, first + r, c, v.quality[r]);
	}
}

/* What a cell without a value lacks: the graver of several things. */
static void absent_json(const struct rows_mark *mark, const char *name, struct json *json)
{
	static const struct {
		uint8_t bit;
		const char *quality;
	} kinds[] = {{SX_QUALITY_DISTURBED, "disturbed"},
		     {SX_QUALITY_GAP, "gap"},
		     {SX_QUALITY_NOT_COLLECTED, "not collected"},
		     {SX_QUALITY_UNDEFINED, "undefined"}};
	size_t i = 0;
	while (i < 3 && !(mark->quality & kinds[i].bit))
		i++;
	bool skipped = sx_quality_is_skipped(mark->quality);
	json_kv_array_flat(json, "metrics");
	json_string(json, name);
	json_array_end(json);
	json_kv_string(json, "quality", skipped ? "skipped" : kinds[i].quality);
	json_kv_string(json, "why", no_data_text(no_data_of_quality(mark->quality)));
}

void rows_whys_json(const struct sx_table *table, char *const *whys, struct json *json)
{
	for (uint32_t c = 0; c < sx_table_column_count(table); c++) {
		const struct sx_column *column = sx_table_column(table, c);
		const char *why = whys ? whys[c] : column->why;
		if (why)
			json_kv_string(json, column->name, why);
	}
}

void rows_marks_json(const struct rows_marks *marks, const struct sx_table *table,
		     struct json *json)
{
	char text[64];
	json_kv_array(json, "quality");
	for (size_t i = 0; i < marks->count; i++) {
		const struct rows_mark *mark = &marks->marks[i];
		json_object_begin_flat(json);
		json_kv_array_flat(json, "rows");
		json_u64(json, mark->first);
		json_u64(json, mark->last);
		json_array_end(json);
		if (mark->column != SX_NONE)
			absent_json(mark, sx_table_column(table, mark->column)->name, json);
		else
			json_kv_string(json, "quality",
				       rows_reservations_text(mark->quality, text));
		json_object_end(json);
	}
	json_array_end(json);
	if (marks->more)
		json_kv_bool(json, "quality_incomplete", true);
}
