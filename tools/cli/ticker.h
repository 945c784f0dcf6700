/*
 * How far a verb that reads for long is: a line on standard error after the first second, only on a
 * terminal, and gone before anything else is written there. A thread writes it, so that a reader
 * which takes its time over one step need not know.
 */
#ifndef TOOLS_CLI_TICKER_H
#define TOOLS_CLI_TICKER_H

#include "tools/cli/cli.h"

/* Starts the clock; without a terminal, with --quiet, or without memory nothing is ever shown. */
void ticker_start(const struct cli *cli);
/* What is read now, and how much of it is done; `all` 0: not known. `what` is copied. */
void ticker_at(const struct cli *cli, const char *what, uint64_t done, uint64_t all);
/* Takes the line away for good; fine without a start. To be called before a result is written. */
void ticker_stop(const struct cli *cli);
/* Around what is written to standard error meanwhile: takes the line away, and keeps it away. */
void ticker_hold(const struct cli *cli);
void ticker_release(const struct cli *cli);

#endif
