/* A pager between a long text and the terminal that it is for. */
#ifndef TOOLS_CLI_PAGER_H
#define TOOLS_CLI_PAGER_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Starts $SEXTANT_PAGER, $PAGER or less, which goes by itself when everything fits the screen; NULL
 * when standard output is no terminal, or nobody wants one ("" or "cat"). *missing is the command
 * whose program is not there (a variable of the environment's text), which is not started.
 */
FILE *pager_start(const char **missing);
/* Waits until the pager was left. False: the shell could not run it, and the text is lost. */
bool pager_end(FILE *pager);

#endif
