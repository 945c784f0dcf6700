/* Functions and structs that the files of a comparison share. */
#ifndef ANALYSIS_COMPARE_STEPS_H
#define ANALYSIS_COMPARE_STEPS_H

#include "analysis/compare/compare.h"

/* Room for so many runs in a metric; what was there is kept. False: no memory. */
bool set_make_room(struct compare_set *set, struct compare_metric *m, uint32_t runs);

/* Fills rows: what both sides have under one name, then what only one has. */
enum sx_status join_rows(struct comparison *c, struct sx_error *err);
/* Fills advice: that of every run of one side and of none of the other's. */
enum sx_status join_advice(struct comparison *c, struct sx_error *err);

/* Why the two of a row cannot be compared, or NULL. */
const char *reasons_pair(struct comparison *c, const struct compare_row *row);
/* What concerns all rows, once they are judged: sets `comparable` and `why_not`. */
void reasons_whole(struct comparison *c);

/* Whether two rows, of which both sides have values, say the same of every run. */
bool rows_are_alike(const struct compare_row *x, const struct compare_row *y);

#endif
