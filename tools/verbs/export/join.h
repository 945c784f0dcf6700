/* export --join: one table of several devices, the rows of the first. */
#ifndef TOOLS_VERBS_EXPORT_JOIN_H
#define TOOLS_VERBS_EXPORT_JOIN_H

#include "tools/cli/input/request.h"

/* A device that takes part. */
struct join_device {
	struct input_device *device;
	const struct sx_metrics *metrics; /* of the first; NULL: raw counters */
	bool bare;			  /* the first: no column, only its rows */
	const char *prefix;		  /* before its columns' names, "" for the first */
};

/*
 * Reads all devices and lays them beside the rows of the first: their columns behind its own, each
 * derived anew from counters over these rows. *out is owned by the caller. Errors: those of reading
 * and selecting, SX_ERR_NO_MEMORY.
 */
enum sx_status export_join(const struct cli *cli, const struct join_device *devices, uint32_t count,
			   struct sx_table **out, struct sx_error *err);

/* Labels of a row, those that are words in the other table's dictionary. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status export_copy_labels(struct sx_table *to, const struct sx_table *from, size_t row,
				  struct sx_error *err);

#endif
