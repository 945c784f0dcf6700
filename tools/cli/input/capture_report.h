/* A capture read into a report: each of its devices, what --metric selects of it, all its rows. */
#ifndef TOOLS_CLI_INPUT_CAPTURE_REPORT_H
#define TOOLS_CLI_INPUT_CAPTURE_REPORT_H

#include "analysis/report/report.h"
#include "tools/cli/cli.h"

/* One device. */
struct capture_input {
	struct capture_view *view;
	struct sx_table *raw; /* one record's rows at a time */
	struct sx_metrics *metrics;
};

/* What a verb does with the same rows; members may be NULL. */
struct capture_report_hooks {
	/* A device is open, its rows come next; SX_ERR_NOT_FOUND: it is passed over for others. */
	enum sx_status (*begin)(void *user, uint32_t index, const struct capture_input *in,
				struct sx_error *err);
	enum sx_status (*rows)(void *user, uint32_t index, const struct sx_table *raw,
			       struct sx_error *err);
	void *user;
	/* Counters beside metrics where neither --metric nor --counters says what is wanted. */
	bool everything;
	/* Names that are wanted beside the selection, where a device has them. */
	const char *const *also;
	size_t also_count;
	size_t course_bytes; /* report_keep_course(); 0: not */
	bool join;	     /* devices that sample time come with the samples of the first that
			      * does not; their rows are kept until all were read */
};

/* Zero-initialise. */
struct capture_report {
	struct report_fill *fill; /* holds everything but what report_finish() adds */
	struct capture_input *devices;
	uint32_t count;
};

/* The selection that the options make of a device. */
struct sx_metrics_options capture_report_selection(const struct cli *cli,
						   const struct capture_input *in, bool everything);
/*
 * Reads a capture whole. To be closed in every case; catalogs and selections live until then.
 * Errors: those of reading it, SX_ERR_NOT_FOUND when no device has what --metric names.
 */
enum sx_status capture_report_read(struct cli *cli, const char *path,
				   const struct capture_report_hooks *hooks,
				   struct capture_report *out, struct sx_error *err);
/* Notes what is damaged or lost; false when something is. */
bool capture_report_note(const struct cli *cli, const struct capture_report *read);
void capture_report_close(struct capture_report *read);

#endif
