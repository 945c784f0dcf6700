/* A capture as input of a verb: one of its devices, its catalog and constants. */
#ifndef TOOLS_CLI_INPUT_CAPTURE_VIEW_H
#define TOOLS_CLI_INPUT_CAPTURE_VIEW_H

#include <sextant/capture.h>

#include "analysis/report/report.h"
#include "base/mem.h"
#include "tools/cli/cli.h"

#define CAPTURE_NOTES_MAX 16

struct capture_view {
	const struct cli *cli;
	const char *path;
	struct sx_capture_reader *reader;
	uint32_t device; /* its place in the capture */
	const struct sx_capture_device *info;
	struct sx_catalog *catalog;
	/*
	 * As recorded, with the number under which it is known (numbers.h), the set that --set
	 * names where none was recorded, and the constants of --const behind the capture's.
	 */
	struct sx_device_facts facts;
	const char **patterns; /* of --metric, those that are for this device */
	uint32_t pattern_count;
	struct sx_row_choice choice;	      /* of --process and --context */
	struct sx_table *all;		      /* a record's rows before the choice, or NULL */
	uint64_t chosen, others;	      /* rows so far, and what was left out of them */
	struct sx_run_facts run;	      /* as far as was read */
	bool lacks;			      /* capture_view_note() noted something */
	const char *notes[CAPTURE_NOTES_MAX]; /* what the recording says of the device, each once */
	bool ended;			      /* the recording says how its program ended */
	struct sx_capture_ending ending;
	struct sx_error failure;
	struct sx_gap *gaps; /* the first gaps: there may be very many */
	size_t gap_cap;
	struct arena texts; /* of gaps and notes */
	struct sx_constant_value *constants;
};

/* A property of a capture; "" when it has none of that name. Lives as long as the reader. */
const char *capture_view_property(const struct sx_capture_info *info, const char *name);
/* What the file that a device comes from called a column of labels; NULL: as we do. */
const char *capture_view_label(const struct sx_capture_device *info, enum sx_label label);
#define CAPTURE_VIEW_HEAD 20
/* Whether the first CAPTURE_VIEW_HEAD bytes, or fewer, are those of a capture. */
bool capture_view_begins(const char *head, size_t size);
/* Whether a file begins as a capture; false for what cannot be read. */
bool capture_view_is(const char *path);
/*
 * Opens the device that --for or --device names, else the first. *out is owned by the caller.
 * The options' constants then include the capture's.
 */
enum sx_status capture_view_open(struct cli *cli, const char *path, struct capture_view **out,
				 struct sx_error *err);
/* Opens a device by its place; nothing else changes. */
enum sx_status capture_view_device(const struct cli *cli, const char *path, uint32_t device,
				   struct capture_view **out, struct sx_error *err);
void capture_view_close(struct capture_view *view);

/*
 * What has a meaning only with the set that was programmed needs to know it: SX_ERR_USAGE where
 * neither the capture nor the user tells it and no metric is named.
 */
enum sx_status capture_view_need_set(const struct cli *cli, const struct capture_view *view,
				     struct sx_error *err);

/* Places of the devices that --for and --device leave, in memory that the caller frees. */
enum sx_status capture_view_list(const struct cli *cli, const char *path, uint32_t **list,
				 uint32_t *count, struct sx_error *err);

/* A device of a capture. */
struct capture_device {
	const char *path;
	uint32_t place;
	/* Names that are wanted of it whatever --metric selects, or NULL: what gates are about. */
	const char *const *also;
	size_t also_count;
};

/*
 * The name or pattern by which the device has what --metric means: as it is, or what stands behind
 * the device's source or catalog and a dot, as in "cpu.cpu_busy". NULL: the device has none.
 */
const char *capture_view_name(const struct cli *cli, const struct capture_view *view,
			      const char *pattern);
/*
 * A metric of one device need not be one of the others: whether, of so many devices, the one that
 * gave this status is passed over.
 */
bool capture_view_passes_over(const struct cli *cli, enum sx_status status, uint32_t devices);
/* Whether nothing of --metric is on the device, which was prepared for what is wanted besides. */
bool capture_view_only_also(const struct cli *cli, const struct capture_view *view);
/*
 * Opens a device with what is asked of it and a table for its rows, for verbs that read rows. What
 * *view and *raw hold then is the caller's, also when this fails; set both to NULL before.
 */
enum sx_status capture_view_prepare(const struct cli *cli, const struct capture_device *of,
				    struct capture_view **view, struct sx_table **raw,
				    struct sx_error *err);
/* The chosen metrics, in memory of the view; `raw` has the columns of the rows. */
struct sx_metrics_options capture_view_selection(const struct cli *cli,
						 const struct capture_view *view,
						 const struct sx_table *raw);
/* The device as one of a report, in memory of the view. */
struct report_source capture_view_source(const struct cli *cli, const struct capture_view *view,
					 const struct sx_metrics *metrics,
					 const struct sx_table *raw);

/* A table without rows that has the device's columns. */
enum sx_status capture_view_table(const struct capture_view *view, struct sx_table **out,
				  struct sx_error *err);
/*
 * Fills a table (cleared first) with the device's next rows, a record's worth. SX_END when there
 * are no more; a file that may still grow ends where it ends now.
 */
enum sx_status capture_view_next(struct capture_view *view, struct sx_table *table,
				 struct sx_error *err);
/*
 * Why a device has no rows, where --process or --context left all of them out: *why is filled and
 * true returned. False where it has some, or had none before.
 */
bool capture_view_left_out(const struct capture_view *view, struct sx_error *why);
/* All rows of the device in one table; *out is owned by the caller. */
enum sx_status capture_view_load(const struct cli *cli, struct capture_view *view,
				 struct sx_table **out, struct sx_error *err);
/* Notes what is damaged, cut or lost, as far as was read. False when something is. */
bool capture_view_note(const struct cli *cli, struct capture_view *view);

/*
 * Whether rows of two devices can be laid beside each other by their times. Errors:
 * SX_ERR_UNSUPPORTED where each is on a clock of its own.
 */
enum sx_status capture_view_related(const struct capture_view *a, const struct capture_view *b,
				    struct sx_error *err);

#endif
