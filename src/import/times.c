/* Times of samples: impossible ones are left out, recordings that begin again are put in a row. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "import/internal.h"

#define NO_SPAN ((struct import_span){SX_TIME_UNKNOWN, SX_TIME_UNKNOWN})

/* How often something was found, and where first. */
struct found {
	size_t count, first;
};

static void times_note(struct found *found, size_t i)
{
	if (!found->count++)
		found->first = i + 1;
}

static void times_report(struct import_job *job, const struct found *found, const char *what,
			 const char *then)
{
	if (found->count)
		import_remark(job, "%s (%s, first at sample %zu): %s", what,
			      COUNTED(found->count, "time"), found->first, then);
}

static uint64_t moment(struct import_span span)
{
	return span.end_ns != SX_TIME_UNKNOWN ? span.end_ns : span.begin_ns;
}

#define DIGIT_BITS 16

struct times_all {
	struct import_job *job;
	const struct import_span *spans;
	size_t count;
};

/* Of samples with times that begin with `above`, how many have each next digit. */
static void tally_digits(const struct times_all *times, unsigned shift, uint64_t above,
			 size_t *tally)
{
	memset(tally, 0, sizeof(*tally) << DIGIT_BITS);
	for (size_t i = 0; i < times->count; i++) {
		uint64_t at = moment(times->spans[i]);
		backing_row(times->job->backing, i, sizeof(struct import_span));
		bool among = shift + DIGIT_BITS >= 64 || at >> (shift + DIGIT_BITS) == above;
		if (among && at != SX_TIME_UNKNOWN)
			tally[at >> shift & (((uint64_t)1 << DIGIT_BITS) - 1)]++;
	}
}

/* When most samples were: the median, or SX_TIME_UNKNOWN. Found digit by digit, in their order. */
static uint64_t middle(const struct times_all *times)
{
	size_t known = 0, *tally = malloc(sizeof(*tally) << DIGIT_BITS);
	uint64_t found = 0;
	for (size_t i = 0; i < times->count; i++) {
		backing_row(times->job->backing, i, sizeof(struct import_span));
		known += moment(times->spans[i]) != SX_TIME_UNKNOWN;
	}
	size_t rank = known / 2;
	for (unsigned shift = 64; known && tally && shift;) {
		uint64_t digit = 0;
		shift -= DIGIT_BITS;
		tally_digits(times, shift, found, tally);
		while (rank >= tally[digit])
			rank -= tally[digit++];
		found = found << DIGIT_BITS | digit;
	}
	times->job->no_memory |= known && !tally;
	free(tally);
	return known && tally ? found : SX_TIME_UNKNOWN;
}

/* One by one, and against when most were. */
static void drop_impossible(struct import_job *job, struct import_span *spans, size_t count)
{
	struct found reversed = {0}, far = {0};
	for (size_t i = 0; i < count; i++) {
		backing_row(job->backing, i, sizeof(*spans));
		if (import_span_can_be(spans[i]))
			continue;
		bool turned =
		    import_time_can_be(spans[i].begin_ns) && spans[i].end_ns < spans[i].begin_ns;
		times_note(turned ? &reversed : &far, i);
		spans[i] = NO_SPAN;
	}
	uint64_t most = middle(&(struct times_all){job, spans, count});
	for (size_t i = 0; i < count; i++) {
		backing_row(job->backing, i, sizeof(*spans));
		uint64_t at = moment(spans[i]);
		if (at == SX_TIME_UNKNOWN || most == SX_TIME_UNKNOWN ||
		    (at > most ? at - most : most - at) <= IMPORT_YEAR_NS)
			continue;
		times_note(&far, i);
		spans[i] = NO_SPAN;
	}
	times_report(job, &reversed, "a sample ends before it begins", "it has no times");
	times_report(job, &far, "a sample is a year or more from the others", "it has no times");
}

/* The next known time behind a row. */
static uint64_t following(const struct import_span *spans, size_t count, size_t i)
{
	for (i++; i < count; i++)
		if (moment(spans[i]) != SX_TIME_UNKNOWN)
			return moment(spans[i]);
	return SX_TIME_UNKNOWN;
}

static void shift(struct import_span *span, uint64_t by)
{
	if (span->begin_ns != SX_TIME_UNKNOWN)
		span->begin_ns += by;
	if (span->end_ns != SX_TIME_UNKNOWN)
		span->end_ns += by;
}

static void put_in_order(struct import_job *job, struct import_span *spans, size_t count,
			 enum import_order order)
{
	struct found single = {0}, again = {0};
	uint64_t last = 0, by = 0; /* as the file has it; and what is added to it */
	for (size_t i = 0; i < count; i++) {
		uint64_t at = moment(spans[i]), next;
		backing_row(job->backing, i, sizeof(*spans));
		if (at == SX_TIME_UNKNOWN)
			continue;
		if (at < last && (next = following(spans, count, i)) != SX_TIME_UNKNOWN &&
		    next > last) {
			/* What came before goes on behind it: this one time is wrong. */
			times_note(&single, i);
			if (i + 1 < count && spans[i + 1].begin_ns == spans[i].end_ns)
				spans[i + 1].begin_ns = SX_TIME_UNKNOWN;
			spans[i] = NO_SPAN;
			continue;
		}
		if (at < last || (order == IMPORT_RUNS && spans[i].begin_ns == 0 && last)) {
			times_note(&again, i);
			by += order != IMPORT_CLOCK ? last : 0;
		}
		last = at;
		if (import_time_can_be(at + by))
			shift(&spans[i], by);
		else
			spans[i] = NO_SPAN;
	}
	times_report(job, &single, "a sample falls out of the order of time", "it has no times");
	if (order != IMPORT_CLOCK)
		times_report(job, &again, "times begin again, as those of another recording",
			     "it was put after the one before");
	else
		times_report(job, &again, "times go back", "they are as the file has them");
}

void import_times_mend(struct import_job *job, struct import_span *spans, size_t count,
		       enum import_order order)
{
	drop_impossible(job, spans, count);
	if (order != IMPORT_UNORDERED)
		put_in_order(job, spans, count, order);
}

enum sx_status import_times_mend_table(struct import_job *job, struct sx_table *table,
				       enum import_order order, struct sx_error *err)
{
	size_t rows = sx_table_row_count(table);
	struct import_span *spans = NULL;
	size_t cap = 0;
	if (!backing_grow(job->backing, &spans, &cap, rows + 1, sizeof(*spans)))
		return error_nomem(err, "importing");
	for (size_t i = 0; i < rows; i++) {
		backing_row(job->backing, i, 2 * sizeof(*spans));
		spans[i] =
		    (struct import_span){sx_table_begin_ns(table)[i], sx_table_end_ns(table)[i]};
	}
	import_times_mend(job, spans, rows, order);
	for (size_t i = 0; i < rows; i++) {
		backing_row(job->backing, i, 2 * sizeof(*spans));
		sx_table_set_time(table, i, spans[i].begin_ns, spans[i].end_ns);
	}
	backing_free(job->backing, spans);
	return SX_OK;
}

static bool has_length(struct import_span span)
{
	return span.begin_ns != SX_TIME_UNKNOWN && span.end_ns != SX_TIME_UNKNOWN &&
	       span.end_ns >= span.begin_ns;
}

/* When a sample began or ended, whichever is known and comes first. */
static uint64_t times_edge(struct import_span span)
{
	return span.begin_ns != SX_TIME_UNKNOWN ? span.begin_ns : span.end_ns;
}

/* From `from` on, samples up to the next time that is known share what lies between alike. */
static void share_gap(struct import_span *spans, size_t count, size_t i, uint64_t from)
{
	size_t next = i;
	while (next < count && times_edge(spans[next]) == SX_TIME_UNKNOWN)
		next++;
	if (next == count) { /* none comes: as long as the one before */
		uint64_t length = from - spans[i - 1].begin_ns;
		if (import_time_can_be(from + length))
			spans[i] = (struct import_span){from, from + length};
		return;
	}
	size_t sharing = next - i + (spans[next].begin_ns == SX_TIME_UNKNOWN);
	uint64_t until = times_edge(spans[next]);
	spans[i] =
	    (struct import_span){from, until > from ? from + (until - from) / sharing : from};
}

/* A sample before which none has a length is as long as the first that has one. */
static void fill_first(struct import_span *spans, size_t i, size_t first)
{
	uint64_t length = spans[first].end_ns - spans[first].begin_ns;
	uint64_t end = spans[i].end_ns;
	if (end == SX_TIME_UNKNOWN)
		end = spans[i + 1].begin_ns;
	spans[i] = (struct import_span){end > length ? end - length : 0, end};
}

void import_times_fill(struct import_job *job, struct import_span *spans, size_t count)
{
	size_t known = 0, first = count, bare = 0;
	for (size_t i = count; i-- > 0;) {
		backing_row(job->backing, i, sizeof(*spans));
		first = has_length(spans[i]) ? i : first;
		known += has_length(spans[i]);
	}
	if (2 * known <= count || known == count)
		return;
	for (size_t i = first; i-- > 0;) {
		backing_row(job->backing, i, sizeof(*spans));
		fill_first(spans, i, first);
	}
	for (size_t i = first + 1; i < count; i++) {
		backing_row(job->backing, i, sizeof(*spans));
		if (has_length(spans[i]))
			continue;
		uint64_t from = spans[i - 1].end_ns, length = from - spans[i - 1].begin_ns;
		uint64_t end = spans[i].end_ns;
		if (times_edge(spans[i]) == SX_TIME_UNKNOWN)
			share_gap(spans, count, i, from);
		else if (end == SX_TIME_UNKNOWN)
			spans[i].end_ns = spans[i].begin_ns + length;
		else
			spans[i].begin_ns = end > from ? from : end > length ? end - length : 0;
	}
	for (size_t i = 0; i < count; i++) {
		backing_row(job->backing, i, sizeof(*spans));
		bare += !has_length(spans[i]) || spans[i].begin_ns == spans[i].end_ns;
	}
	import_remark(job, "%s no length: taken from the times beside %s",
		      COUNTED(count - known, "sample has"), count - known == 1 ? "it" : "them");
	if (bare)
		import_remark(job, "%s a length of 0, which has no weight in means",
			      COUNTED(bare, "sample has"));
}
