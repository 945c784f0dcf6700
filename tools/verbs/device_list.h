/* The list of devices and catalogs: `devices`, and `list devices`. */
#ifndef TOOLS_VERBS_DEVICE_LIST_H
#define TOOLS_VERBS_DEVICE_LIST_H

#include <sextant/source.h>

#include "tools/cli/cli.h"

/* `catalogs`: JSON also says what each catalog holds, which takes reading them all. */
int device_list_run(struct cli *cli, bool catalogs);
/* "ready", "in programs that sextant starts", ... */
const char *device_state_name(enum sx_device_state state);

#endif
