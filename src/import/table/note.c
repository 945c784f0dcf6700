/* Notes of what a table had beside values. */
#include <string.h>

#include "base/number.h"
#include "base/text_buf.h"
#include "import/table/reader.h"
#include "table/label.h"

/* Which column of text is what, where there are several. */
static void note_labels(const struct csv_tally *tally, const struct note_sink *to)
{
	char text[512] = "";
	bool further = false;
	for (int i = 0; i < SX_LABEL_COUNT; i++) {
		const char *name = tally->beside.label_names[i];
		const char *own = label_name((enum sx_label)i);
		if (!name || strcmp(name, own) == 0)
			continue;
		further |= i >= SX_LABEL_GROUP2;
		text_append_item(text, sizeof(text), ", ", "%.80s is %s", name, own);
	}
	if (further)
		note_sink_write(to, "columns of text are labels: %s", text);
}

/* Columns that are not read. */
static void note_columns(const struct csv_tally *tally, const struct note_sink *to)
{
	if (tally->unnamed)
		note_sink_write(to, "%s no name, column %u the first: left out",
				COUNTED(tally->unnamed, "column has"), tally->first_unnamed);
	if (tally->twice)
		note_sink_write(
		    to, "%s the name of one before, which is read instead; %.80s is the first",
		    COUNTED(tally->twice, "column has"), tally->first_twice);
	if (tally->empty)
		note_sink_write(to, "%s of no value left out: %.80s%s",
				COUNTED(tally->empty, "column"), tally->first_empty,
				tally->empty == 1 ? "" : " is the first");
	note_labels(tally, to);
	if (tally->written_time)
		note_sink_write(
		    to,
		    "column %.80s holds text and is a label: times are numbers, with their "
		    "unit in the header, as \"%.80s (s)\", or all as 2026-11-22T10:00:00.5",
		    tally->written_time, tally->written_time);
	if (tally->texts)
		note_sink_write(to, "%s of text %s left out, %.80s the first: four are labels",
				COUNTED(tally->texts, "further column"),
				tally->texts == 1 ? "was" : "were", tally->first_text);
	if (tally->unknown_units)
		note_sink_write(to,
				"column %s (%s) stays as it is%s: %s is no known unit; %s is "
				"in %s",
				tally->unknown_unit_of, tally->unknown_unit,
				tally->unknown_units > 1 ? ", and so do further ones" : "",
				tally->unknown_unit, tally->unknown_unit_of,
				tally->unknown_unit_as);
	if (tally->other_units)
		note_sink_write(
		    to, "column %.80s is in %.40s, which cannot be made into %.40s: no data%s",
		    tally->first_other_unit, tally->other_unit, tally->other_unit_as,
		    tally->other_units > 1 ? ", nor of further columns" : "");
}

/* Of each: how many, up to the place of the first, and what follows it. */
static const struct {
	const char *noun, *what, *behind;
} csv_note_odds[CSV_ODDS] = {
    [CSV_ODD_SHORT] = {"line has", "fewer cells than the header,",
		       " the first; what they lack is no data"},
    [CSV_ODD_POINTS] = {"number has",
			"groups of digits between points, in a column of fractions after points, "
			"the first in",
			": no data"},
    [CSV_ODD_BELOW] = {"time is", "below 0, the first in", ": left out"},
    [CSV_ODD_CUT] = {"text is", "cut to its first 4095 bytes, the first in", ""},
    [CSV_ODD_NO_COUNT] = {"count is", "below 0 or beyond 64 bits, the first in", ": no data"},
    [CSV_ODD_OUTSIDE] = {"value is",
			 "below 0 or beyond 1e200, a share above 100 %, or more than its time "
			 "allows, the first in",
			 ": no data"},
    [CSV_ODD_NO_LATER] = {"line is", "no later than the line above,",
			  " the first: how long such a row is, is not known"},
    [CSV_ODD_CELLS] = {"cell is", "no number and left out, the first in", ""},
    [CSV_ODD_TIMES] = {"line has", "times that cannot be,",
		       " the first: the end before the begin, or more than a year apart; they "
		       "were left out"},
};

static void note_unread_lines(const struct csv_unread *unread, const char *place,
			      const struct note_sink *to)
{
	const struct csv_wrong_text *wrong = &csv_wrong_texts[unread->why];
	if (unread->count)
		note_sink_write(to, "%s left out, %s %zu the first: %s (%s)",
				COUNTED(unread->count, "line is"), place, unread->first,
				wrong->what, wrong->because);
}

/* Lines that lack something, and times that are not what the file has. */
static void note_rows(const struct csv_tally *tally, const struct note_sink *to)
{
	note_unread_lines(&tally->unread, tally->place, to);
	for (size_t i = 0; i < CSV_ODDS; i++) {
		const struct csv_odd_lines *odd = &tally->odd[i];
		if (odd->count)
			note_sink_write(to, "%s %s %s %zu%s%.80s%s%s%s%s",
					COUNTED(odd->count, csv_note_odds[i].noun),
					csv_note_odds[i].what, tally->place, odd->first,
					odd->column ? ", column " : "",
					odd->column ? odd->column : "", odd->text ? ": \"" : "",
					odd->text ? odd->text : "", odd->text ? "\"" : "",
					csv_note_odds[i].behind);
	}
	if (tally->dates)
		note_sink_write(to, "column %.80s holds dates: times of rows count from %.40s",
				tally->dates, tally->first_date);
	if (tally->shift_ns)
		note_sink_write(
		    to, "times begin below 0: all were moved by %.9g s, so that the first is 0",
		    (double)tally->shift_ns * 1e-9);
}

void csv_note(const struct csv_tally *tally, const struct note_sink *to)
{
	note_rows(tally, to);
	if (tally->open_end)
		note_sink_write(
		    to, "the last line has no end: if the file was cut there, its last number "
			"lacks digits");
	note_columns(tally, to);
	bare_units_note(&tally->bare, to);
}
