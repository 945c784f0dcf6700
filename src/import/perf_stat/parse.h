/*
 * What `perf stat -x SEPARATOR` prints, with or without -I and any aggregation, to raw counters:
 * one row an interval, one column for the counter of each event.
 */
#ifndef IMPORT_PERF_STAT_PARSE_H
#define IMPORT_PERF_STAT_PARSE_H

#include <sextant/catalog.h>
#include <sextant/table.h>

#include "base/note_sink.h"

#define PERF_STAT_SERIES_MAX (1u << 20) /* events times CPUs, threads, sockets ... */

/* What was left out, for a note. */
struct perf_stat_tally {
	size_t records; /* lines that hold a count */
	size_t foreign; /* lines that are something else: the program's own output, torn lines */
	size_t repeats; /* counts of a counter that is there already, by another name or modifier */
	size_t first_foreign; /* number of the first such line, from 1 */
	size_t cut;	/* number of the last line, if it has no end and was left out; else 0 */
	bool no_footer; /* perf's text ends before the time that it took */
};

struct perf_stat_input {
	const char *text;
	size_t size;
	const char *origin; /* for messages */
	const struct sx_catalog *catalog;
};

/*
 * Parses the text. Events are matched with the catalog's counters by name or alias, as they are and
 * without PMU and modifiers; others become columns under their own names. CPUs, cores, sockets and
 * threads, and PMUs of one kind, are summed. Counts of a share of the interval are those that perf
 * scaled and carry SX_QUALITY_MULTIPLEXED; units are converted to the counter's. *out is owned by
 * the caller. Errors: SX_ERR_BAD_INPUT (no line is a count),
 * SX_ERR_LIMIT, SX_ERR_NO_MEMORY.
 */
enum sx_status perf_stat_parse(const struct perf_stat_input *input, struct sx_table **out,
			       struct perf_stat_tally *tally, struct sx_error *err);
/* Notes what was left out. */
void perf_stat_note(const struct perf_stat_tally *tally, const struct note_sink *to);
/* Whether that was all that perf wrote: SX_INCOMPLETE, and why, where the text breaks off. */
enum sx_status perf_stat_whole(const struct perf_stat_tally *tally, const char *origin,
			       struct sx_error *err);

#endif
