/*
 * Gates: METRIC[.STAT] OP LIMIT, a limit that a script sets. STAT is total, mean (the default),
 * min, p50, p95, p99 or max; OP one of < <= > >= ==; LIMIT a number with a unit of the metric's
 * dimension or none, or, of a comparison, a share of A's value with its sign ("+5%").
 */
#ifndef ANALYSIS_COMPARE_GATE_H
#define ANALYSIS_COMPARE_GATE_H

#include "analysis/compare/compare.h"

enum gate_stat { GATE_TOTAL, GATE_MEAN, GATE_MIN, GATE_P50, GATE_P95, GATE_P99, GATE_MAX };
enum gate_op { GATE_LESS, GATE_AT_MOST, GATE_MORE, GATE_AT_LEAST, GATE_EQUAL };

struct gate {
	const char *text, *metric; /* the arena's */
	enum gate_stat stat;
	bool stated; /* the statistic: without one a change is what the table compares */
	enum gate_op op;
	bool relative;
	double number;	  /* of the limit; relative: a share */
	const char *unit; /* as written, or "" */
};
struct gates {
	struct gate *items;
	size_t count;
};

/* Whether some metric can be measured in a unit as it is written; false: memory is out. */
bool gate_unit_known(const char *written, struct arena *arena, bool *known);
/* The factor from a written unit to a metric's base unit; false when it measures something else. */
bool gate_unit_factor(const char *written, const char *base, double *factor);
/* A unit for limits that numbers in a base unit can have; "" where any number may be one. */
const char *gate_unit_example(const char *base);
/* Reads one gate into memory of the arena. Errors: SX_ERR_USAGE, with what would be right. */
enum sx_status gate_parse(struct arena *arena, const char *text, struct gate *out,
			  struct sx_error *err);
/*
 * Reads a list, one a line; # begins a comment. `name` is that of the file. *out is the arena's.
 */
enum sx_status gate_parse_lines(struct arena *arena, const char *name, const char *text,
				struct gates *out, struct sx_error *err);

/*
 * What is wrong with gates as they are written, before any is judged: a statistic that there is not
 * of a metric that there is, and a unit of something else than what the metric measures. Errors:
 * SX_ERR_USAGE, with what there is.
 */
enum sx_status gate_check_report(const struct gate *gates, size_t count,
				 const struct report *report, struct sx_error *err);
enum sx_status gate_check_comparison(const struct gate *gates, size_t count,
				     const struct comparison *comparison, struct sx_error *err);

/*
 * Checks gates against one run. Each result says what it found, or why it could not be judged: no
 * such metric, no data, a unit of another dimension, relative without a baseline.
 */
void gate_judge_report(const struct gate *gates, size_t count, const struct report *report,
		       struct arena *arena, struct report_gate *out);
/*
 * The same against a comparison: limits without a sign hold for B, the others for the change, of
 * the statistic that is stated or of what the table compares, be it a mean, a total or a rate.
 */
void gate_judge_comparison(const struct gate *gates, size_t count,
			   const struct comparison *comparison, struct arena *arena,
			   struct report_gate *out);

#endif
