/* The rows of a capture, for verbs that write them; other views of it for export.c. */
#ifndef TOOLS_VERBS_EXPORT_EXPORT_H
#define TOOLS_VERBS_EXPORT_EXPORT_H

#include "output/rows/rows.h"
#include "tools/cli/cli.h"
#include "tools/cli/request.h"

/* Writes a capture as a Perfetto trace; returns the exit status. */
int export_perfetto(struct cli *cli, const char *path);

/*
 * Writes the rows of the selected devices of a capture. JSON has a table for each device, or with
 * one_table a single one with the device in each row. Returns the exit status.
 */
int export_tables(struct cli *cli, const char *path, bool one_table);

/*
 * The columns beside the values of a device: times, quality, and the labels that any row has, for
 * which the capture is read once. Errors: those of reading.
 */
enum sx_status export_shape(const struct cli *cli, const struct input_device *d,
			    struct rows_shape *shape, struct sx_error *err);

/* The exported devices of a capture, and a common header. */

/* One device of the capture. */
struct exported {
	struct input_device *device; /* without metrics: the raw columns as they are */
	bool bare;		     /* --join: its rows alone are wanted, none of its columns */
	struct overruled overruled;  /* of raw columns */
	struct rows_shape shape;
	struct sx_constant_value *constants; /* of all devices, this one's values; or NULL */
};

struct join_device;

struct exporting {
	struct cli *cli;
	struct exported *devices;
	uint32_t count;
	bool one_table; /* JSON is one table, as CSV is */
	/* One table of several devices: the columns of all, each name once. */
	struct sx_table *joined;
	char **whys;	/* by column of these: why no device has data for it, or NULL */
	bool *answered; /* some device has, or may have */
	char **names;	/* of constants of other devices, with their prefixes; NULL ends them */
};

/* The columns of all devices, each name once. */
enum sx_status export_join_headers(struct exporting *e, struct sx_error *err);
/* Rows of one device below the header of all. */
enum sx_status export_join_rows(const struct exporting *e, const struct sx_table *t,
				struct sx_error *err);
/* Takes over why a device has no data, from the table of its last rows. */
enum sx_status export_join_whys(struct exporting *e, const struct sx_table *t,
				struct sx_error *err);
/* Releases what is joined. */
void export_join_finish(struct exporting *e);
/* The same columns for all devices, for there is one header. */
enum sx_status export_gather_constants(struct exporting *e, struct sx_error *err);
/*
 * Rows of the first device with those of others beside them: its constants by their names, of the
 * others' those that it lacks or has otherwise behind their devices' prefixes, as columns are.
 */
enum sx_status export_join_constants(struct exporting *e, const struct join_device *devices,
				     struct sx_error *err);

/* export --join: one table of several devices, the rows of the first. */

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

/*
 * Adds the times and labels of all rows, labels that are words in the other table's dictionary.
 * Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status export_copy_rows(struct sx_table *to, const struct sx_table *from,
				struct sx_error *err);

#endif
