/* Where the rows of `top` come from: a session that runs, or a recording. Of one thread. */
#ifndef TOOLS_VERBS_TOP_FEED_H
#define TOOLS_VERBS_TOP_FEED_H

#include <sextant/session.h>

#include "analysis/live/live.h"
#include "tools/cli/cli.h"

#define FEED_USERS 16 /* names that are kept, by number */
struct feed_user {
	unsigned uid;
	char name[32]; /* "": none yet */
};

/* Zero-initialise. It stays where it is. */
struct top_feed {
	struct cli *cli;
	struct sx_session *session;
	struct live *live;
	bool replay;		   /* rows of a recording: all are there at once */
	bool started;		   /* and not finished */
	bool stays;		   /* goes on when all devices went, to see them return */
	bool waiting;		   /* they went */
	bool over;		   /* no more rows come */
	size_t *next;		   /* of a recording: the next row of each device */
	uint32_t count;		   /* devices */
	struct sx_session **again; /* by device: measures one that came back; or NULL */
	struct feed_user users[FEED_USERS];
	uint64_t tried_ns;	 /* when such a device was looked for */
	struct sx_error failure; /* what was wrong with the run, with its status */
};

/* Opens the devices or the recording, and the model. Errors: those of sx_session_create(). */
enum sx_status feed_open(struct top_feed *feed, struct cli *cli, struct sx_error *err);
/*
 * Starts measuring and the program of the command line; of a recording, reads all of it. Errors:
 * those of sx_session_start().
 */
enum sx_status feed_start(struct top_feed *feed, struct sx_error *err);
/*
 * Adds rows that came to the model, and waits for some for timeout_ms at most. SX_AGAIN: there are
 * none yet; SX_END: the run is over. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status feed_poll(struct top_feed *feed, int timeout_ms, struct sx_error *err);
/* Of a recording: when the next row ends; UINT64_MAX: there is none. */
uint64_t feed_next_ns(const struct top_feed *feed);
/* Of a recording: when its first sample begins; 0: unknown. */
uint64_t feed_begin_ns(const struct top_feed *feed);
/* Of a recording: adds the rows that end by then to the model. Errors: SX_ERR_NO_MEMORY. */
enum sx_status feed_until(struct top_feed *feed, uint64_t end_ns, struct sx_error *err);
/* Of a recording: back to the beginning, with an empty model. Errors: SX_ERR_NO_MEMORY. */
enum sx_status feed_rewind(struct top_feed *feed, struct sx_error *err);
/* Ends the program and the run; the last rows are in the model. Errors: SX_ERR_NO_MEMORY. */
enum sx_status feed_finish(struct top_feed *feed, struct sx_error *err);
void feed_close(struct top_feed *feed);

#endif
