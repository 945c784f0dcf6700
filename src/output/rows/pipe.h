/* Rows written by a thread of their own, while the next ones are worked out. */
#ifndef OUTPUT_ROWS_PIPE_H
#define OUTPUT_ROWS_PIPE_H

#include <pthread.h>

#include "output/rows/rows.h"

struct rows_pipe {
	struct rows_writer *writer;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const struct sx_table *table; /* to be written; NULL: nothing to do */
	bool running, stop;
	size_t given;
	enum sx_status status; /* of what was written so far */
	struct sx_error why;
};

/* Begins; a thread starts with the second table, where there is more than one processor. */
void rows_pipe_begin(struct rows_pipe *pipe, struct rows_writer *writer);
/*
 * Has a table written as rows_add() does. It may be in use until the next call returns, so that
 * whoever fills tables needs two. Errors: those of this table or the one before.
 */
enum sx_status rows_pipe_give(struct rows_pipe *pipe, const struct sx_table *table,
			      struct sx_error *err);
/* Waits for the last table and ends the thread. */
enum sx_status rows_pipe_end(struct rows_pipe *pipe, struct sx_error *err);

#endif
