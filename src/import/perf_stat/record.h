/* The records of perf stat's output one after another: lines, and objects of -j. */
#ifndef IMPORT_PERF_STAT_RECORD_H
#define IMPORT_PERF_STAT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

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
 * The next record; blank ones stand for what is none. An object of JSON is one whether it is a
 * line, several lines or an item of an array: what perf printed may have gone through another tool.
 */
bool perf_record_next(struct perf_records *records, struct perf_record *out);
/* Whether a record is one of --metric-only: ratios, without the counts that they are made of. */
bool perf_record_is_metric_only(const char *text, size_t size);

#endif
