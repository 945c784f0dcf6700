/* Decisions after all lines of CSV were read: labels, values, times, and the decimal mark. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "catalog/column.h"
#include "import/table/reader.h"
#include "table/label.h"

/* Each column of text is a label, while there are any. */
static void resolve_text(struct csv_reader *r, struct csv_column *column, const char *name)
{
	if (r->tally.beside.labels >> column->label & 1)
		column->label = label_next_group(r->tally.beside.labels);
	if (column->label == SX_LABEL_COUNT) {
		column->role = CSV_IGNORED;
		r->tally.first_text = r->tally.texts++ ? r->tally.first_text : name;
	} else {
		r->tally.beside.labels |= 1u << column->label;
		r->tally.beside.label_names[column->label] = name;
		/* Usual names of times, which are text where they are dates. */
		if (import_word_of((struct import_cell){name, strlen(name)},
				   "time|timestamp|date|datetime"))
			r->tally.written_time = name;
	}
}

/*
 * "Frame", "FRAME", "Frame number" number the frames where they are whole numbers, mean nothing in
 * the catalog, and nothing else does.
 */
static void resolve_frame(struct csv_reader *r)
{
	static const char *const words[] = {"frame", "frame number", "frame no", "frame index",
					    "frame id"};
	struct csv_column *found = NULL;
	for (uint32_t i = 0; i < r->count; i++) {
		struct csv_column *column = &r->columns[i];
		bool may_be = column->role == CSV_VALUE && column->may_be_text && column->values &&
			      column->type == SX_U64 && column->factor == 0;
		if (column->role == CSV_NUMBER && column->label == SX_LABEL_FRAME)
			return;
		for (size_t w = 0; may_be && !found && w < sizeof(words) / sizeof(words[0]); w++)
			if (column_alike(strings_get(&r->names, i), words[w]))
				found = column;
	}
	if (!found)
		return;
	found->role = CSV_NUMBER;
	found->label = SX_LABEL_FRAME;
}

/* A column of the kind's name that means something else. */
static void resolve_kind(struct csv_reader *r)
{
	if (r->tally.beside.says_kind && r->tally.beside.kind != SX_SAMPLE_KINDS)
		return;
	for (uint32_t i = 0; i < r->count; i++)
		if (r->columns[i].role == CSV_KIND)
			r->columns[i].role = r->tally.beside.says_kind ? CSV_TEXT : CSV_IGNORED;
	r->tally.beside.says_kind = false;
}

/* A column without a value that was not measured in these rows. */
static void leave_empty_out(struct csv_reader *r, struct csv_column *column, const char *name)
{
	const struct csv_options *options = r->options;
	bool value = column->role == CSV_VALUE;
	if (!options || column->values || column->outside || (!value && column->role != CSV_TEXT))
		return;
	if (!options->ours && !(value && options->of_device && !column->known))
		return;
	for (size_t i = 0; i < options->empty_count; i++)
		if (strcmp(options->empty[i], name) == 0)
			return;
	column->role = CSV_IGNORED;
	if (value && options->ours && column->known &&
	    sx_catalog_find_counter(r->catalog, name, SX_NONE, NULL) != SX_NONE &&
	    !(options->of_device && options->of_device[column - r->columns]) && !r->tally.empty++)
		r->tally.first_empty = name;
}

void csv_resolve(struct csv_reader *r)
{
	bool begin = false, end = false;
	csv_resolve_times(r);
	csv_resolve_dates(r);
	r->value_count = 0;
	resolve_frame(r);
	resolve_kind(r);
	for (uint32_t i = 0; i < r->count; i++) {
		struct csv_column *column = &r->columns[i];
		const char *name = strings_get(&r->names, i);
		leave_empty_out(r, column, name);
		if (column->role == CSV_VALUE)
			column->target = r->value_count++;
		else if (column->role == CSV_TEXT)
			resolve_text(r, column, name);
		else if (column->role == CSV_NUMBER && column->values)
			r->tally.beside.labels |= 1u << column->label;
		r->tally.beside.times |= column->role >= CSV_DURATION && column->role <= CSV_MOMENT;
		begin |= strcmp(name, "begin_ns") == 0;
		end |= strcmp(name, "end_ns") == 0;
		r->tally.beside.quality |= column->role == CSV_QUALITY;
	}
	r->tally.beside.exported = begin && end && r->tally.beside.quality;
}

/* "1.234.567" is a number where no point of its column is a decimal mark. */
static void resolve_points(struct csv_reader *r)
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
		csv_note_odd(r, CSV_ODD_POINTS, column->first_pointed, column);
		r->tally.odd[CSV_ODD_POINTS].count += pointed - 1;
	}
}

enum sx_status csv_resolve_marks(struct csv_reader *r)
{
	const struct csv_marks *marks = &r->c.marks;
	resolve_points(r);
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
			      "number of the file decides it");
	error_try(r->err, "%.*s%s or %.*s.%s in its place, as it is meant", (int)fraction, text,
		  rest, (int)fraction, text, rest);
	return SX_ERR_BAD_INPUT;
}

static enum sx_status no_number_at_all(struct csv_reader *r, uint32_t at)
{
	const struct csv_column *column = &r->columns[at];
	r->c.line = column->first_odd;
	bool counted = column->role != CSV_VALUE;
	enum sx_status status = csv_bad(
	    &r->c, r->err,
	    column->other_unit
		? CSV_ONE_UNIT
		: "the name of its column makes it one of numbers, and no other cell of it is one",
	    "column %u: \"%s\" is not a number%s", at + 1, strings_get(&r->texts, column->odd_text),
	    counted ? " from 0" : "");
	if (column->odd_cut)
		error_because(r->err, "it has more than 4095 bytes, which no number needs");
	error_try(r->err, CSV_TRY_NUMBER);
	return status;
}

enum sx_status csv_odd_cells(struct csv_reader *r)
{
	struct csv_odd_lines *odd = &r->tally.odd[CSV_ODD_CELLS];
	for (uint32_t i = 0; i < r->count; i++) {
		const struct csv_column *column = &r->columns[i];
		if (!column->odd)
			continue;
		if (!column->values && !column->outside && !column->read)
			return no_number_at_all(r, i);
		if (!odd->count || column->first_odd < odd->first) {
			odd->first = column->first_odd;
			odd->column = strings_get(&r->names, i);
			odd->text = strings_get(&r->texts, column->odd_text);
		}
		odd->count += column->odd;
	}
	return SX_OK;
}

#define MOVED_MOST ((uint64_t)366 * 86400 * 1000000000) /* a recording ends within a year */

void csv_time_put(struct csv_reader *r, enum csv_role role, uint64_t ns)
{
	r->timed |= 1u << role;
	if (role != CSV_DURATION) {
		r->latest = ns > r->latest ? ns : r->latest;
		if (__builtin_add_overflow(ns, r->shift_ns, &ns))
			ns = UINT64_MAX - 1;
	}
	r->times[role] = ns;
}

void csv_time_below(struct csv_reader *r, const struct csv_column *column, double below)
{
	double ns = column->to_ns != 0 ? below * column->to_ns : below;
	uint64_t whole = ns < (double)MOVED_MOST ? (uint64_t)(ns + 0.5) : MOVED_MOST + 1;
	if (r->table) {
		if (whole <= r->shift_ns)
			r->times[column->role] = r->shift_ns - whole;
		return;
	}
	csv_note_odd(r, CSV_ODD_BELOW, r->c.line, NULL);
	r->below_late |= column->role == CSV_DURATION || r->timed >> column->role & 1;
	r->earliest = whole > r->earliest ? whole : r->earliest;
}

void csv_resolve_times(struct csv_reader *r)
{
	if (r->below_late || r->earliest > MOVED_MOST || r->latest > MOVED_MOST)
		return;
	r->shift_ns = r->earliest;
	r->tally.shift_ns = r->earliest;
	r->tally.odd[CSV_ODD_BELOW].count = 0;
}

#define SECOND_NS UINT64_C(1000000000)
#define YEAR_MOST 2199 /* its nanoseconds since 1970 fit 63 bits */

struct dates_cursor {
	const char *p, *end;
};

/* So many digits, of a number up to `most`. */
static bool take_digits(struct dates_cursor *c, int count, unsigned most, unsigned *out)
{
	*out = 0;
	for (; count; count--, c->p++) {
		if (c->p >= c->end || *c->p < '0' || *c->p > '9')
			return false;
		*out = *out * 10 + (unsigned)(*c->p - '0');
	}
	return *out <= most;
}

static bool take_mark(struct dates_cursor *c, const char *marks)
{
	bool is = c->p < c->end && *c->p && strchr(marks, *c->p);
	c->p += is;
	return is;
}

/* Days from 1970 to a day of the Gregorian calendar. */
static bool take_day(struct dates_cursor *c, uint64_t *days)
{
	static const unsigned before[] = {0,   31,  59,	 90,  120, 151, 181,
					  212, 243, 273, 304, 334, 365};
	unsigned year, month, day;
	if (!take_digits(c, 4, YEAR_MOST, &year) || !take_mark(c, "-/") ||
	    !take_digits(c, 2, 12, &month) || !take_mark(c, "-/") || !take_digits(c, 2, 31, &day) ||
	    year < 1970 || !month || !day)
		return false;
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	unsigned last = year - 1;
	if (day > before[month] - before[month - 1] + (leap && month == 2))
		return false;
	*days = (uint64_t)(year - 1970) * 365 + (last / 4 - last / 100 + last / 400) -
		(1969 / 4 - 1969 / 100 + 1969 / 400) + before[month - 1] + (leap && month > 2) +
		day - 1;
	return true;
}

/* The fraction after the seconds, in ns: none is 0. */
static bool take_fraction(struct dates_cursor *c, uint64_t *ns)
{
	uint64_t step = SECOND_NS / 10;
	*ns = 0;
	if (!take_mark(c, ".,"))
		return true;
	const char *first = c->p;
	for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++, step /= 10)
		*ns += (uint64_t)(*c->p - '0') * step;
	return c->p > first;
}

/* How many seconds a zone is before UTC; *given: there is one. */
static bool take_zone(struct dates_cursor *c, int *ahead, bool *given)
{
	unsigned hours, minutes = 0;
	*ahead = 0;
	while (take_mark(c, " "))
		;
	*given = c->p < c->end;
	if (!*given || take_mark(c, "Zz"))
		return true;
	int sign = *c->p == '-' ? -1 : 1;
	if (!take_mark(c, "+-") || !take_digits(c, 2, 15, &hours))
		return false;
	take_mark(c, ":");
	if (c->p < c->end && !take_digits(c, 2, 59, &minutes))
		return false;
	*ahead = sign * (int)(hours * 3600 + minutes * 60);
	return true;
}

/* *form is the same for dates that are written alike. */
static bool read_date(const struct csv_cell *cell, uint64_t *ns, unsigned *form)
{
	struct dates_cursor c = {cell->text, cell->text + cell->size};
	uint64_t days, fraction;
	unsigned hours, minutes, seconds;
	bool zone;
	int ahead;
	if (!take_day(&c, &days) || c.p >= c.end)
		return false;
	char between = *c.p;
	if (!take_mark(&c, "Tt ") || !take_digits(&c, 2, 23, &hours) || !take_mark(&c, ":") ||
	    !take_digits(&c, 2, 59, &minutes) || !take_mark(&c, ":") ||
	    !take_digits(&c, 2, 60, &seconds) || !take_fraction(&c, &fraction) ||
	    !take_zone(&c, &ahead, &zone) || c.p != c.end)
		return false;
	int64_t whole = (int64_t)(days * 86400 + hours * 3600 + minutes * 60 + seconds) - ahead;
	*form = (unsigned char)between | (unsigned)(unsigned char)cell->text[4] << 8 |
		(unsigned)zone << 16;
	*ns = whole >= 0 ? (uint64_t)whole * SECOND_NS + fraction : 0;
	return whole >= 0;
}

bool csv_date_learn(struct csv_column *column, const struct csv_cell *cell, size_t line)
{
	uint64_t ns;
	unsigned form;
	if (!read_date(cell, &ns, &form) || (column->date_form && column->date_form != form))
		return false;
	if (!column->date_form || ns < column->first_ns) {
		column->first_ns = ns;
		snprintf(column->first_date, sizeof(column->first_date), "%.*s", (int)cell->size,
			 cell->text);
	}
	column->repeats |= column->date_form && ns == column->last_ns;
	if (column->date_form && ns < column->last_ns && !column->back++)
		column->first_back = line;
	column->last_ns = ns;
	column->date_form = form;
	return true;
}

enum sx_status csv_date_take(struct csv_reader *r, const struct csv_column *column,
			     const struct csv_cell *cell)
{
	uint64_t ns;
	unsigned form;
	if (csv_no_data(cell))
		return SX_OK;
	if (!read_date(cell, &ns, &form) || ns < r->dates_from)
		return csv_changed(r);
	csv_time_put(r, column->role, ns - r->dates_from);
	return SX_OK;
}

static enum csv_role role_of(const char *name)
{
	return strncasecmp(name, "begin", 5) == 0 || strncasecmp(name, "start", 5) == 0 ? CSV_BEGIN
	       : strncasecmp(name, "end", 3) == 0					? CSV_END
						  : CSV_MOMENT;
}

/* Whether times of this role are missing so far; a moment is both ends, where there is neither. */
static bool finds_room(const struct csv_reader *r, enum csv_role role)
{
	unsigned ends = 1u << CSV_BEGIN | 1u << CSV_END | 1u << CSV_DURATION;
	unsigned taken = 1u << CSV_MOMENT | (role == CSV_MOMENT ? ends : 1u << role);
	return !(r->timed & taken);
}

void csv_resolve_dates(struct csv_reader *r)
{
	bool apart = r->options && r->options->of_device; /* of one clock with the others */
	for (uint32_t i = 0; i < r->count; i++) {
		struct csv_column *column = &r->columns[i];
		const char *name = strings_get(&r->names, i);
		enum csv_role role = role_of(name);
		/* What several rows have in common is no moment of one: seconds of many frames. */
		if (column->role != CSV_TEXT || !column->dates || !finds_room(r, role) ||
		    (role == CSV_MOMENT && column->repeats))
			continue;
		column->role = role;
		r->timed |= 1u << role;
		if (role == CSV_MOMENT && column->back)
			r->tally.odd[CSV_ODD_NO_LATER] = (struct csv_odd_lines){
			    .count = column->back, .first = column->first_back};
		if (r->tally.dates && column->first_ns >= r->dates_from)
			continue;
		r->tally.dates = name;
		r->tally.first_date = column->first_date;
		r->dates_from = column->first_ns;
	}
	if (!apart || !r->tally.dates)
		return;
	r->tally.first_date = "1970-01-01T00:00:00Z";
	r->dates_from = 0;
}
