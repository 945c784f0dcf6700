/* From rows that grew to a table; what columns mean is the catalog's to say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/column.h"
#include "base/number.h"
#include "catalog/sole.h"
#include "import/columns.h"
#include "import/rows/rows.h"

void rows_forget_values(struct rows_column *c)
{
	free(c->values);
	free(c->tags);
	c->values = NULL;
	c->tags = NULL;
	c->value_cap = c->tag_cap = 0;
}

static void fill_column(struct sx_table *table, uint32_t index, const struct rows_column *c,
			const struct import_rows *rows)
{
	for (size_t i = 0; i < rows->row_count; i++) {
		enum rows_tag tag = i < c->tag_cap ? (enum rows_tag)c->tags[i] : TAG_NONE;
		uint8_t own = i < rows->quality_cap ? rows->quality[i] : 0;
		bool skipped = c->in_turns || own & IMPORT_SKIPPED;
		uint8_t reservations = own & (uint8_t)~IMPORT_SKIPPED;
		uint8_t quality = tag == TAG_NONE ? SX_QUALITY_SKIPPED : reservations;
		if (tag == TAG_NONE && !skipped)
			continue;
		if (!c->fraction)
			sx_table_set_u64(table, index, i, tag == TAG_NONE ? 0 : c->values[i].u,
					 quality);
		else
			sx_table_set_f64(table, index, i,
					 tag == TAG_NONE  ? (double)NAN
					 : tag == TAG_U64 ? (double)c->values[i].u
							  : c->values[i].f,
					 quality);
	}
}

static enum sx_status fill_row(struct import_rows *rows, size_t i, struct sx_table *table)
{
	sx_table_set_time(table, i, rows->spans[i].begin_ns, rows->spans[i].end_ns);
	for (int l = 0; l < SX_LABEL_COUNT; l++) {
		uint64_t value =
		    i < rows->labels[l].cap ? rows->labels[l].values[i] : SX_LABEL_ABSENT;
		if (value == SX_LABEL_ABSENT)
			continue;
		if (SX_LABELS_OF_TEXT >> l & 1) {
			const char *text = strings_get(&rows->texts, value);
			value = sx_table_intern(table, text, strlen(text));
			if (value == SX_NONE)
				return SX_ERR_NO_MEMORY;
		}
		if (sx_table_set_label(table, (enum sx_label)l, i, value))
			return SX_ERR_NO_MEMORY;
	}
	return SX_OK;
}

/* A column without a single value was not measured: as if it were not there. */
static void drop_empty(struct import_rows *rows)
{
	uint32_t kept = 0, empty = 0;
	const char *first = NULL;
	for (uint32_t i = 0; i < rows->column_count; i++) {
		struct rows_column *c = &rows->columns[i];
		if (c->any) {
			rows->columns[kept++] = *c;
			continue;
		}
		first = empty++ ? first : c->field.name;
		rows_forget_values(c);
	}
	rows->column_count = kept;
	if (empty)
		import_tell(rows->job, "%s no value: %.80s%s", COUNTED(empty, "column has"), first,
			    empty == 1 ? "" : " is the first");
}

/*
 * Percentages that cannot be become no data. A little above 100 is what comes of a tool's clock
 * against the GPU's: dropping it would lower the mean of a GPU at its limit, so it is 100.
 */
static void mend_shares(struct import_rows *rows, struct rows_column *c)
{
	size_t outside = 0, kept = 0;
	for (size_t i = 0; i < rows->row_count && i < c->tag_cap; i++) {
		double value = c->tags[i] == TAG_F64 ? c->values[i].f : (double)c->values[i].u;
		if (c->tags[i] == TAG_NONE)
			continue;
		if (value > 100 && value <= 101) {
			c->values[i].u = 100;
			c->tags[i] = TAG_U64;
		} else if (value < 0 || value > 100) {
			c->tags[i] = TAG_NONE;
			outside++;
			continue;
		}
		kept++;
	}
	c->any = kept > 0;
	if (outside)
		import_tell(rows->job, "%s of %.80s %s no data: no share is %s",
			    COUNTED(outside, "value"), c->field.name, outside == 1 ? "is" : "are",
			    "below 0 or above 100 %");
}

/* What counted cannot be below 0: no data. */
static void mend_counts(struct import_rows *rows, struct rows_column *c)
{
	size_t below = 0, kept = 0;
	for (size_t i = 0; i < rows->row_count && i < c->tag_cap; i++) {
		bool negative = c->tags[i] == TAG_F64 && c->values[i].f < 0;
		if (negative)
			c->tags[i] = TAG_NONE;
		below += negative;
		kept += c->tags[i] != TAG_NONE;
	}
	c->any = kept > 0;
	if (below)
		import_tell(rows->job, "%s of %.80s %s below 0: no data", COUNTED(below, "count"),
			    c->field.name, below == 1 ? "is" : "are");
}

/* The counter that a column holds, by its own name or as a metric that is it alone. */
static const struct sx_counter_info *rows_counter_of(const struct sx_catalog *known,
						     const struct column_meaning *meaning)
{
	uint32_t count, at = meaning->counter.counter;
	if (at == SX_NONE && meaning->metric != SX_NONE) {
		struct sole sole;
		sole_find(known, meaning->metric, 0, &sole);
		at = sole.of_time ? SX_NONE : sole.counter;
	}
	return at == SX_NONE ? NULL : &sx_catalog_counters(known, &count)[at];
}

/* Whether a column holds percentages; one without a unit, where the catalog says so. */
static bool is_share(const struct sx_catalog *known, const struct column_meaning *meaning,
		     const char *unit)
{
	uint32_t count;
	return strcmp(unit, "percent") == 0 ||
	       (strcmp(unit, "count") == 0 && meaning->metric != SX_NONE &&
		strcmp(sx_catalog_metrics(known, &count)[meaning->metric].unit, "percent") == 0);
}

/*
 * How samples combine is what the catalog says of a counter that it knows: levels do not add up.
 * Nor is a mean of whole numbers whole: what has a fraction there has one here.
 */
static void ask_catalog(struct import_rows *rows)
{
	struct sx_catalog *known = NULL;
	if (rows->device.catalog)
		(void)sx_catalog_open(rows->job->request->context, rows->device.catalog, &known,
				      NULL);
	for (uint32_t i = 0; i < rows->column_count; i++) {
		struct import_field *field = &rows->columns[i].field;
		struct column_meaning meaning = {{SX_NONE, SX_NONE}, SX_NONE, SX_NONE};
		if (known)
			meaning = column_meaning(known, field->name, SX_NONE);
		struct csv_range range = {false, false};
		if (known && (rows->job->format->table || rows->job->format->any_order))
			range = import_range(known, field->name);
		if ((rows->whole_shares && is_share(known, &meaning, field->unit)) || range.share)
			mend_shares(rows, &rows->columns[i]);
		const struct sx_counter_info *info =
		    known ? rows_counter_of(known, &meaning) : NULL;
		if (range.not_below_0 && rows->columns[i].fraction)
			mend_counts(rows, &rows->columns[i]);
		if (info)
			field->over_time = info->over_time;
		rows->columns[i].fraction |= field->over_time == SX_REDUCE_MEAN;
		if (!info)
			continue;
		if (info->type == SX_U64 && rows->columns[i].fraction)
			mend_counts(rows, &rows->columns[i]);
		rows->columns[i].fraction |= info->type == SX_F64;
	}
	sx_catalog_unref(known);
}

enum sx_status rows_make_table(struct import_rows *rows, struct sx_table **out,
			       struct sx_error *err)
{
	struct sx_column *columns = calloc((size_t)rows->column_count + 1, sizeof(*columns));
	if (!columns)
		return error_nomem(err, "importing");
	ask_catalog(rows);
	drop_empty(rows);
	for (uint32_t i = 0; i < rows->column_count; i++)
		columns[i] = (struct sx_column){.name = rows->columns[i].field.name,
						.unit = rows->columns[i].field.unit,
						.type = rows->columns[i].fraction ? SX_F64 : SX_U64,
						.over_time = rows->columns[i].field.over_time};
	enum sx_status status = sx_table_create(columns, rows->column_count, rows->kind, out, err);
	free(columns);
	if (!status)
		status = sx_table_add_rows(*out, rows->row_count, NULL, err);
	for (uint32_t i = 0; !status && i < rows->column_count; i++) {
		fill_column(*out, i, &rows->columns[i], rows);
		rows_forget_values(&rows->columns[i]); /* one column is there twice, not all */
	}
	for (size_t i = 0; !status && i < rows->row_count; i++)
		if (fill_row(rows, i, *out))
			status = error_nomem(err, "importing");
	return status;
}
