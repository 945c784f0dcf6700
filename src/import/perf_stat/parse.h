/*
 * What `perf stat -x SEPARATOR` prints, with or without -I and any aggregation, to raw counters:
 * one row an interval, one column for the counter of each event.
 */
#ifndef IMPORT_PERF_STAT_PARSE_H
#define IMPORT_PERF_STAT_PARSE_H

#include <sextant/catalog.h>
#include <sextant/table.h>

#include "base/note_sink.h"
#include "import/table/scan.h"

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
/*
 * Notes what was left out. Whether the rest was all that perf wrote: SX_INCOMPLETE, and why, where
 * the text breaks off.
 */
enum sx_status perf_stat_whole(const struct perf_stat_tally *tally, const char *origin,
			       const struct note_sink *to, struct sx_error *err);

/* For this folder: lines taken apart, and the records of the output one after another. */
enum perf_value { PERF_COUNTED, PERF_NOT_COUNTED, PERF_NOT_SUPPORTED };

struct perf_line {
	bool timed;
	uint64_t time_ns;	    /* since the start, the interval's end */
	struct import_cell unit_of; /* "CPU0", "S0-D0", "comm-12"; empty without aggregation */
	enum perf_value state;
	double value; /* as printed, scaled by perf when percent is below 100 */
	struct import_cell unit, event;
	double run_ns, percent; /* time that the event was on a counter, and its share */
};

/* What is left of an event without the PMU around it and the modifiers behind it. */
struct perf_event_name {
	struct import_cell pmu, name, modifiers;
};

/* "Separators" of formats without one: -j, and the human-readable one. */
#define PERF_JSON '{'
#define PERF_TEXT ' '

/* Takes a line (without its end) apart; false when it is no count. */
bool perf_line_parse(const char *line, size_t size, char separator, struct perf_line *out);
/* A separator by which the line is a count, or 0. */
char perf_line_separator(const char *line, size_t size);
struct perf_event_name perf_event_split(struct import_cell event);

struct perf_records {
	const char *p, *end;
	size_t line; /* number of the line at p, from 0 */
};

struct perf_record {
	const char *text; /* not terminated */
	size_t size;
	size_t line; /* the line in which the record begins, from 1 */
	bool ended;  /* perf ended it: nothing of it is missing */
};

/*
 * The next record; what is none becomes a blank one. An object of JSON is one whether it is a line,
 * several lines or an item of an array: what perf printed may have gone through another tool.
 */
bool perf_record_next(struct perf_records *records, struct perf_record *out);
/* Whether a record is one of --metric-only: ratios, without the counts that they are made of. */
bool perf_record_is_metric_only(const char *text, size_t size);

/* Our name for a unit of perf's, or NULL. */
const char *perf_unit(struct import_cell unit);
const char *perf_skip_blanks(const char *p, const char *end);

#endif
