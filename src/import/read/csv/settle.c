/* What shows once all lines of CSV were read: labels, values, and what commas are. */
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "catalog/column.h"
#include "import/read/csv/rows.h"
#include "table/label.h"

/* What people call times, which are text where they are dates. */
static bool is_of_times(const char *name)
{
	static const char *const words[] = {"time", "timestamp", "date", "datetime"};
	bool is = false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		is |= strcasecmp(name, words[i]) == 0;
	return is;
}

/* Each column of text is a label, while there are any. */
static void settle_text(struct csv_reader *r, struct csv_column *column, const char *name)
{
	if (r->tally.labels >> column->label & 1)
		column->label = label_next_group(r->tally.labels);
	if (column->label == SX_LABEL_COUNT) {
		column->role = CSV_IGNORED;
		r->tally.first_text = r->tally.texts++ ? r->tally.first_text : name;
	} else {
		r->tally.labels |= 1u << column->label;
		r->tally.label_names[column->label] = name;
		if (is_of_times(name))
			r->tally.written_time = name;
	}
}

/*
 * "Frame", "FRAME", "Frame number" number the frames where they are whole numbers, mean nothing in
 * the catalog, and nothing else does.
 */
static void settle_frame(struct csv_reader *r)
{
	static const char *const words[] = {"frame", "frame number", "frame no", "frame index",
					    "frame id"};
	struct csv_column *found = NULL;
	for (uint32_t i = 0; i < r->count; i++) {
		struct csv_column *column = &r->columns[i];
		bool may_be = column->role == CSV_VALUE && column->may_be_text && column->values &&
			      column->type == SX_U64 && column->factor == 0;
		if (column->role == CSV_FRAME)
			return;
		for (size_t w = 0; may_be && !found && w < sizeof(words) / sizeof(words[0]); w++)
			if (column_alike(strings_get(&r->names, i), words[w]))
				found = column;
	}
	if (found)
		found->role = CSV_FRAME;
}

/* A column of the name that people have for something else. */
static void settle_kind(struct csv_reader *r)
{
	if (r->tally.told_kind && r->tally.kind != SX_SAMPLE_KINDS)
		return;
	for (uint32_t i = 0; i < r->count; i++)
		if (r->columns[i].role == CSV_KIND)
			r->columns[i].role = r->tally.told_kind ? CSV_TEXT : CSV_IGNORED;
	r->tally.told_kind = false;
}

void csv_settle(struct csv_reader *r)
{
	static const enum sx_label labels[] = {[CSV_FRAME] = SX_LABEL_FRAME,
					       [CSV_CONTEXT] = SX_LABEL_CONTEXT,
					       [CSV_INSTANCE] = SX_LABEL_INSTANCE};
	bool begin = false, end = false;
	csv_settle_times(r);
	csv_settle_dates(r);
	r->value_count = 0;
	settle_frame(r);
	settle_kind(r);
	for (uint32_t i = 0; i < r->count; i++) {
		struct csv_column *column = &r->columns[i];
		const char *name = strings_get(&r->names, i);
		if (column->role == CSV_VALUE && r->options && r->options->of_device &&
		    !column->values && !column->known)
			column->role = CSV_IGNORED;
		if (column->role == CSV_VALUE)
			column->target = r->value_count++;
		else if (column->role == CSV_TEXT)
			settle_text(r, column, name);
		else if (column->role >= CSV_FRAME && column->role <= CSV_INSTANCE &&
			 column->values)
			r->tally.labels |= 1u << labels[column->role];
		r->tally.times |= column->role >= CSV_DURATION && column->role <= CSV_MOMENT;
		begin |= strcmp(name, "begin_ns") == 0;
		end |= strcmp(name, "end_ns") == 0;
		r->tally.quality |= column->role == CSV_QUALITY;
	}
	r->tally.both_times = begin && end;
}

/* "1.234.567" is a number where no point of its column stands before a fraction. */
static void settle_points(struct csv_reader *r)
{
	for (uint32_t i = 0; i < r->count; i++) {
		struct csv_column *column = &r->columns[i];
		size_t pointed = column->pointed;
		if (!pointed)
			continue;
		column->unclear = column->fractions;
		r->c.marks.decimal_comma |= !column->unclear && r->c.marks.separator != ',';
		if (!column->unclear)
			continue;
		column->values -= pointed < column->values ? pointed : column->values;
		csv_tell_odd(r, CSV_ODD_POINTS, column->first_pointed, column);
		r->tally.odd[CSV_ODD_POINTS].count += pointed - 1;
	}
}

enum sx_status csv_settle_marks(struct csv_reader *r)
{
	const struct csv_marks *marks = &r->c.marks;
	settle_points(r);
	for (uint32_t i = 0; i < r->count; i++) {
		struct csv_column *column = &r->columns[i];
		if (column->doubtful && marks->decimal_comma)
			column->type = SX_F64;
		else if (column->doubtful && !marks->decimal_point && column->may_be_text)
			column->role = CSV_TEXT;
	}
	if (marks->decimal_comma && marks->decimal_point) {
		error_set(r->err, SX_ERR_BAD_INPUT,
			  "%s: numbers have points and commas before their fractions", r->c.origin);
		error_because(r->err, "some can only be read with the one, others with the other");
		error_try(r->err, "one of them throughout the file");
		return SX_ERR_BAD_INPUT;
	}
	if (!r->doubt.line || marks->decimal_comma || marks->decimal_point)
		return SX_OK;
	size_t fraction = strcspn(r->doubt.text, ",");
	const char *text = r->doubt.text, *rest = text + fraction + 1;
	error_set(r->err, SX_ERR_BAD_INPUT, "%s:%zu: column %u: \"%s\" can be read in two ways",
		  r->c.origin, r->doubt.line, r->doubt.column, text);
	error_because(r->err, "the comma may begin a fraction or a group of three digits, and no "
			      "number of the file tells which");
	error_try(r->err, "%.*s%s or %.*s.%s in its place, as it is meant", (int)fraction, text,
		  rest, (int)fraction, text, rest);
	return SX_ERR_BAD_INPUT;
}
