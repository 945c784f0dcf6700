/* Times of rows of CSV: what stands below 0. */
#include "import/read/csv/rows.h"

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
	csv_tell_odd(r, CSV_ODD_BELOW, r->c.line, NULL);
	r->below_late |= column->role == CSV_DURATION || r->timed >> column->role & 1;
	r->earliest = whole > r->earliest ? whole : r->earliest;
}

void csv_settle_times(struct csv_reader *r)
{
	if (r->below_late || r->earliest > MOVED_MOST || r->latest > MOVED_MOST)
		return;
	r->shift_ns = r->earliest;
	r->tally.shift_ns = r->earliest;
	r->tally.odd[CSV_ODD_BELOW].count = 0;
}
