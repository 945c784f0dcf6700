/* What `top` keeps from one run to the next: how it looked when it was left with a key. */
#ifndef TOOLS_VERBS_TOP_SAVED_H
#define TOOLS_VERBS_TOP_SAVED_H

#include "output/live/view.h"
#include "tools/cli/cli.h"

/*
 * Lines "name = value" in the file `top` beside the configuration of all verbs: order and form of
 * the processes, advice, and the metrics that were chosen for each catalog. What is missing, or not
 * understood, stays as it is.
 */
void saved_load(const struct cli *cli, struct live_view *view, const struct live *live);
/* Writes the file anew. False where that failed, with errno. */
bool saved_store(const struct cli *cli, const struct live_view *view, const struct live *live);

#endif
