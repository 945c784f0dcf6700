/* Lines of `perf stat -x`, taken apart, and the records of its output one after another. */
#ifndef IMPORT_PERF_STAT_LINE_H
#define IMPORT_PERF_STAT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the text; not terminated. */
struct perf_text {
	const char *text;
	size_t size;
};

enum perf_value { PERF_COUNTED, PERF_NOT_COUNTED, PERF_NOT_SUPPORTED };

struct perf_line {
	bool timed;
	uint64_t time_ns;	  /* since the start, the interval's end */
	struct perf_text unit_of; /* "CPU0", "S0-D0", "comm-12"; empty without aggregation */
	enum perf_value state;
	double value; /* as printed, scaled by perf when percent is below 100 */
	struct perf_text unit, event;
	double run_ns, percent; /* time that the event was on a counter, and its share */
};

/* What is left of an event without the PMU around it and the modifiers behind it. */
struct perf_event_name {
	struct perf_text pmu, name, modifiers;
};

/* "Separators" of formats without one: -j, and the human-readable one. */
#define PERF_JSON '{'
#define PERF_TEXT ' '

/* Takes a line (without its end) apart; false when it is no count. */
bool perf_line_parse(const char *line, size_t size, char separator, struct perf_line *out);
/* A separator by which the line is a count, or 0. */
char perf_line_separator(const char *line, size_t size);
struct perf_event_name perf_event_split(struct perf_text event);

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

#endif
