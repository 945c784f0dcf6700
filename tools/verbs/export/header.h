/* The devices of a capture whose rows are exported, and one header for all of them. */
#ifndef TOOLS_VERBS_EXPORT_HEADER_H
#define TOOLS_VERBS_EXPORT_HEADER_H

#include "output/rows/rows.h"
#include "tools/cli/input/request.h"

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

#endif
