/* A pager between a long text and the terminal that it is for. */
#ifndef TOOLS_CLI_PAGER_H
#define TOOLS_CLI_PAGER_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Starts $SEXTANT_PAGER, $PAGER or less, which goes by itself when everything fits the screen; NULL
 * when standard output is no terminal, or nobody wants one ("" or "cat").
 */
FILE *pager_start(void);
/* Waits until the pager was left. */
void pager_end(FILE *pager);

#endif
