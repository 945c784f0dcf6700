/* Rows of several devices kept until the end, so that each sample has what the others did. */
#ifndef ANALYSIS_REPORT_JOIN_H
#define ANALYSIS_REPORT_JOIN_H

#include "analysis/report/report.h"

struct report_join;

/* Receives the rows of a device, at the end, all at once. */
typedef enum sx_status (*report_join_fn)(void *user, uint32_t device, const struct sx_table *rows,
					 struct sx_error *err);

/* *out is owned by the caller. Errors: SX_ERR_NO_MEMORY. */
enum sx_status report_join_begin(struct report_join **out, struct sx_error *err);
/* Keeps the rows of a table (copied). Errors: SX_ERR_NO_MEMORY. */
enum sx_status report_join_add(struct report_join *join, uint32_t device,
			       const struct sx_table *rows, struct sx_error *err);
/*
 * The same of a device that is not shown: its samples may lead, and are not handed out. Only those
 * that are work of a program count.
 */
enum sx_status report_join_add_unseen(struct report_join *join, const struct sx_table *rows,
				      struct sx_error *err);
/*
 * Hands out the rows of each device in order; they live as long as the join. The first device whose
 * samples are work of a program (or else the first one) leads: those of devices that sample time
 * come as the leader's samples, with its times and labels and what happened meanwhile. *lead (may
 * be NULL) receives its number, SX_NONE without rows or where it is not shown. Errors:
 * SX_ERR_NO_MEMORY and those of `rows`.
 */
enum sx_status report_join_finish(struct report_join *join, report_join_fn rows, void *user,
				  uint32_t *lead, struct sx_error *err);
/* Whether a device's rows were handed out as those of the leader. */
bool report_join_follows(const struct report_join *join, uint32_t device, uint32_t lead);
/* NULL is fine. */
void report_join_destroy(struct report_join *join);

#endif
