/* Times of rows of CSV that are written as dates: 2026-11-23T00:21:35.123Z, 2026-11-23 00:21:35. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "import/read/csv/rows.h"

#define SECOND_NS UINT64_C(1000000000)
#define YEAR_MOST 2199 /* whose nanoseconds from 1970 on find room with some to spare */

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

/* What stands behind the seconds, in ns: none is 0. */
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

/* How many seconds a zone is before UTC; *told: there is one. */
static bool take_zone(struct dates_cursor *c, int *ahead, bool *told)
{
	unsigned hours, minutes = 0;
	*ahead = 0;
	while (take_mark(c, " "))
		;
	*told = c->p < c->end;
	if (!*told || take_mark(c, "Zz"))
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

/* Where numbers tell no times; a moment stands for both ends, where there is neither. */
static bool finds_room(const struct csv_reader *r, enum csv_role role)
{
	unsigned ends = 1u << CSV_BEGIN | 1u << CSV_END | 1u << CSV_DURATION;
	unsigned taken = 1u << CSV_MOMENT | (role == CSV_MOMENT ? ends : 1u << role);
	return !(r->timed & taken);
}

void csv_settle_dates(struct csv_reader *r)
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
