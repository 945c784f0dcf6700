/* One measured run and its totals: what stat and demo both do. */
#ifndef TOOLS_VERBS_PROFILE_H
#define TOOLS_VERBS_PROFILE_H

#include <sextant/session.h>

#include "analysis/report/by.h"
#include "tools/cli/cli.h"

/*
 * Measures `argv` (NULL: the devices alone) as the options say and writes the profile. Returns the
 * exit status: the child's own, unless Sextant failed.
 */
int profile_run(struct cli *cli, char *const *argv);

/* The programs of a run, a line each: `stat --per process` as text. */

struct profile_by {
	struct report_by **devices; /* NULL until the device has rows */
	uint32_t count;
};

/* Whether this run has rows for each program. */
bool profile_by_wanted(const struct cli *cli);
/* Adds rows of a device. Errors: those of report_by_begin() and report_by_add(). */
enum sx_status profile_by_add(struct profile_by *by, const struct cli *cli, uint32_t index,
			      const struct sx_session_device *device, struct sx_error *err);
/* Writes what the programs of each device did, behind the report. Errors: SX_ERR_NO_MEMORY. */
enum sx_status profile_by_write(struct profile_by *by, const struct cli *cli,
				const struct report *report, struct sx_error *err);
void profile_by_finish(struct profile_by *by);

#endif
