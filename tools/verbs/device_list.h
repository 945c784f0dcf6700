/* The list of devices: that of `devices`, and `list devices`. */
#ifndef TOOLS_VERBS_DEVICE_LIST_H
#define TOOLS_VERBS_DEVICE_LIST_H

#include <sextant/source.h>

#include "tools/cli/cli.h"

/*
 * The devices of this machine, or of the capture that is the input: those that -d, --for and the
 * pattern (or NULL) leave.
 */
int device_list_run(struct cli *cli, const char *pattern);
/* "ready", "in programs that sextant starts", ... */
const char *device_state_name(enum sx_device_state state);

#endif
