/* Which devices and catalogs the user means: -d, --for, or neither. */
#ifndef TOOLS_CLI_SELECTION_H
#define TOOLS_CLI_SELECTION_H

#include "tools/cli/cli.h"

/*
 * Puts devices in place of the words of -d: of "gpu" and "all" those that can be measured, also in
 * programs where there is one; of a recording the places of its own. Errors: SX_ERR_NOT_FOUND (no
 * such device), those of reading the recording.
 */
enum sx_status selection_devices(struct cli *cli, struct sx_error *err);
/*
 * The catalog of the device that -d names. *out holds a reference. Errors: SX_ERR_NOT_FOUND with
 * what comes near, SX_ERR_USAGE when --for names another.
 */
enum sx_status selection_catalog(struct cli *cli, struct sx_catalog **out, struct sx_error *err);
/* Looks at a catalog. SX_OK: go on to the next; SX_END: enough; errors end the search. */
typedef enum sx_status (*selection_visit_fn)(void *user, struct sx_catalog *catalog);
struct selection_search {
	selection_visit_fn visit;
	void *user;
	const char
	    *name; /* only catalogs that may have it as a metric, counter or rule; NULL: all */
};
/*
 * Calls `visit` with each catalog, those of this machine's devices first. One that cannot be read
 * is passed over. Errors: those of `visit`, SX_ERR_NO_MEMORY.
 */
enum sx_status selection_each_catalog(struct cli *cli, const struct selection_search *search,
				      struct sx_error *err);
/* The same for those of this machine's devices that can be measured, also in programs. */
enum sx_status selection_each_here(struct cli *cli, const struct selection_search *search,
				   struct sx_error *err);

/* Notes presets of the configuration that hide a metric or counter. Errors: SX_ERR_NO_MEMORY. */
enum sx_status selection_note_presets(struct cli *cli, struct sx_error *err);

/* Says which libraries are missing that would measure programs, and where they were looked for. */
void selection_note_missing(struct cli *cli);

/* Passes over frames of counters that only the driver of the device of -d knows ("hw.…"). */
struct selection_passes {
	const char *const *names;
	uint32_t name_count;
	uint32_t *of;	/* written, one for each name: its pass, or SX_NONE */
	uint32_t count; /* written; 0: the device has no such counters */
};
enum sx_status selection_passes(struct cli *cli, struct selection_passes *passes,
				struct sx_error *err);

#endif
