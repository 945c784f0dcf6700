/* `top` on a terminal: keys, drawing, and what keys ask for beside it. */
#ifndef TOOLS_VERBS_TOP_INTERACT_H
#define TOOLS_VERBS_TOP_INTERACT_H

#include "tools/verbs/top/feed.h"

/*
 * Shows the live view until a key or a signal ends it, or the program. The feed is open; it is
 * started and finished in here. False, with nothing started: this terminal cannot show it, for the
 * reason in `err`; else *status is how the run ended. Errors: those of feed_start() and
 * feed_poll().
 */
bool top_interact(struct top_feed *feed, enum sx_status *status, struct sx_error *err);

#endif
