/*
 * Files with samples as input: recordings of Sextant, and files of other tools. A request says
 * which file and what of it is wanted; devices are opened from it, and give their rows block by
 * block.
 */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include <sextant/session.h>

#include "analysis/compare/compare.h"
#include "analysis/report/report.h"
#include "base/mem.h"
#include "import/table/csv.h"

struct input_import;
struct input_request;
/* Gives a request's user a line, printed. */
void input_note(const struct input_request *request, const char *fmt, ...) SX_PRINTF(2, 3);

/* Places of devices in a file, in the order of views. */
struct input_places {
	uint32_t *list; /* free() */
	uint32_t count;
};

/* A request: which data of a file to read. All pointers outlive what is opened with it. */
struct input_request {
	struct sx_context *context;
	const char *path;
	const struct input_import
	    *import;	   /* what is read instead of a capture at `path`; or NULL */
	const char *shown; /* the file's name as shown */
	/* Finds the devices that are meant; NULL: all of them. */
	enum sx_status (*find_places)(void *user, const struct input_request *request,
				      struct sx_capture_reader *reader, struct input_places *out,
				      struct sx_error *err);
	void (*note)(void *user, const char *line); /* receives notes for the user */
	/*
	 * Receive, line by line, what a file of another tool was recognised as, and notes about it;
	 * or NULL.
	 */
	void (*about)(void *user, const char *line);
	void (*remark)(void *user, const char *line);
	/* Receives how much of the file is read; or NULL. */
	void (*progress)(void *user, const char *shown, uint64_t done, uint64_t all);
	void *user;
	const char *const *metrics; /* names and globs over all devices */
	size_t metric_count;
	/* Names that are wanted beside them, where a device has them: what gates are about. */
	const char *const *also;
	size_t also_count;
	bool counters;
	const char *set; /* of devices that have it in their catalog */
	const char *variant;
	const struct sx_constant_value *constants; /* win over the file's */
	uint32_t constant_count;
	bool constants_if_known; /* one that no device has is no mistake */
	struct sx_row_choice rows;
	const char *as, *catalog; /* of files of other tools: the kind and the catalog, or NULL */
	bool check_given;	  /* remarks on values that are given and could be derived, too */
};

#define INPUT_NOTES_MAX 16

struct input_device;
/* Where rows come from. */
struct input_ops {
	/* See input_device_next(), input_device_load(). */
	enum sx_status (*next_rows)(struct input_device *d, struct sx_error *err);
	enum sx_status (*all_rows)(struct input_device *d, struct sx_table **out,
				   struct sx_error *err);
	void (*close)(struct input_device *d); /* may be NULL */
};

/* One device of a file, open. */
struct input_device {
	struct input_request of;
	const struct input_ops *ops;
	struct input_table *table; /* of a table: has no reader, but `beside` */
	const struct csv_beside *beside;
	struct sx_capture_reader *reader;
	uint32_t place; /* in the file */
	const struct sx_capture_device *info;
	struct sx_catalog *catalog;
	/*
	 * As recorded, with the number under which it is known, the set of the request where none
	 * was recorded, and the constants of both.
	 */
	struct sx_device_facts facts;
	struct sx_table *raw;	    /* the rows of input_device_next() */
	bool ahead;		    /* the next ones are there */
	struct sx_metrics *metrics; /* the selection, or NULL */
	const char **patterns;	    /* of the request's metrics, those that are for this device */
	uint32_t pattern_count;
	struct sx_table *all;	 /* a record's rows before the choice, or NULL */
	uint64_t rows, others;	 /* rows so far, and what was left out of them */
	struct sx_run_facts run; /* as far as was read */
	bool lacks;		 /* it was noted that something is */
	const char *cut;	 /* how the file ends, where a rest of it is missing; or NULL */
	const char *notes[INPUT_NOTES_MAX]; /* what the recording says of the device, each once */
	bool ended;			    /* the recording says how its program ended */
	struct sx_capture_ending ending;
	struct sx_error failure;
	struct sx_gap *gaps; /* the first gaps: there may be very many */
	size_t gap_cap;
	struct arena texts; /* of gaps and notes */
	struct sx_constant_value *constants;
};

#define INPUT_HEAD 20
/* Whether the first INPUT_HEAD bytes, or fewer, are those of a capture. */
bool input_begins_as_capture(const char *head, size_t size);
/* Whether a file begins as a capture; false for what cannot be read. */
bool input_is_capture(const char *path);
/* A property of a capture; "" when it has none of that name. Lives as long as the reader. */
const char *input_property(const struct sx_capture_info *info, const char *name);
/* The file's name for a column of labels; NULL: the same as ours. */
const char *input_label(const struct sx_capture_device *info, enum sx_label label);
/* The property of a capture's device with its number in the original file. */
#define INPUT_NUMBER_PROPERTY "number"
/* The one with how many of its lines could not be read. */
#define INPUT_LEFT_OUT_PROPERTY "lines-left-out"
/*
 * The number of a device by its place: what its recording says, else its place, else the lowest
 * that no other has.
 */
uint32_t input_number(struct sx_capture_reader *reader, uint32_t device);

/*
 * Whether a file begins as one of another tool, of a known kind. `tables`: plain tables of
 * counters count as well.
 */
bool input_is_known(const char *path, bool tables);
/*
 * Reads a file of another tool whole. *out is owned by the caller, and gives the request's files
 * from then on. SX_INCOMPLETE: it broke off, as *err says, and *out is there. Errors: those of
 * reading it.
 */
enum sx_status input_import_read(const struct input_request *request, struct input_import **out,
				 struct sx_error *err);
void input_import_destroy(struct input_import *import); /* NULL is fine */
/* Writes such files into a capture at `out`. SX_INCOMPLETE: it is there, but a file broke off. */
enum sx_status input_import_write(const struct input_request *request, const char *const *paths,
				  size_t count, const char *out, struct sx_error *err);
/* Opens the request's file, of whatever kind, as a capture. */
enum sx_status input_open(const struct input_request *request, struct sx_capture_reader **out,
			  struct sx_error *err);

/* The devices that are meant: at least one. Errors: those of opening one. */
enum sx_status input_find(const struct input_request *request, struct input_places *out,
			  struct sx_error *err);
/*
 * Opens a device by its place; SX_NONE: the first that is meant. *out is owned by the caller.
 * Errors: SX_ERR_NOT_FOUND (it was not recorded with the request's set), those of reading.
 */
enum sx_status input_device_open(const struct input_request *request, uint32_t place,
				 struct input_device **out, struct sx_error *err);
/*
 * The same, and chooses of the request's metrics those of this device. *out is the caller's also
 * when this fails; NULL before. Errors: SX_ERR_NOT_FOUND where nothing that is wanted is of this
 * device, those of input_need_set().
 */
enum sx_status input_device_prepare(const struct input_request *request, uint32_t place,
				    struct input_device **out, struct sx_error *err);
/*
 * A plain table of counters, CSV, as a device of a catalog that was named. Columns that have any
 * value have data in d->raw. *out is owned by the caller. Errors: those of csv_open().
 */
enum sx_status input_table_open(const struct input_request *request, struct sx_catalog *catalog,
				struct input_device **out, struct sx_error *err);
/*
 * SX_ERR_BAD_INPUT when no column of a table has a meaning in a catalog, or can be used as it is.
 */
enum sx_status input_need_columns(const char *path, const struct sx_table *table,
				  const struct sx_catalog *catalog, struct sx_error *err);
/* Notes the columns of a table that mean nothing in a catalog (a typing error, mostly). */
void input_note_unknown(const struct input_request *request, const struct sx_table *table,
			struct sx_catalog *catalog);
void input_device_close(struct input_device *d); /* NULL is fine */

/*
 * Counters of catalogs with sets have a meaning only with the set that was programmed: SX_ERR_USAGE
 * where neither the file nor the user names it and no metric is named.
 */
enum sx_status input_need_set(const struct input_device *d, struct sx_error *err);
/*
 * The device's name or pattern for a metric of the request: unchanged, or without a prefix of the
 * device's source or catalog and a dot, as in "cpu.cpu_busy". NULL: the device has none.
 */
const char *input_device_name(const struct input_device *d, const char *pattern);
/*
 * A metric of one device need not be one of the others: whether, of so many devices, the one that
 * gave this status is passed over.
 */
bool input_passes_over(const struct input_request *request, enum sx_status status,
		       uint32_t devices);
/*
 * Whether the device has no metric of the request, and was prepared only for what is shown besides.
 */
bool input_only_also(const struct input_device *d);
/* The chosen metrics; lives as long as the device. */
struct sx_metrics_options input_selection(const struct input_device *d);
/* Whether its rows are of a file that was no recording of ours. */
bool input_is_imported(const struct input_device *d);
/* The device as one of a report; lives as long as the device. */
struct report_source input_report_source(const struct input_device *d);

/*
 * Replaces the rows of d->raw by the device's next ones, a record's worth. SX_END when there are no
 * more; a file that may still grow ends where it ends now.
 */
enum sx_status input_device_next(struct input_device *d, struct sx_error *err);
/* Adds all rows that are left to a device of a report. Errors: those of both. */
enum sx_status input_device_report(struct input_device *d, struct report_fill *fill, uint32_t index,
				   struct sx_error *err);
/*
 * Reads the rows that input_device_next() will give into d->raw, for callers that look at columns
 * first.
 */
enum sx_status input_device_peek(struct input_device *d, struct sx_error *err);
/* All rows of the device in one table; *out is owned by the caller. */
enum sx_status input_device_load(struct input_device *d, struct sx_table **out,
				 struct sx_error *err);
/*
 * Why a device has no rows, where the choice left all of them out: *why is filled and true
 * returned. False where it has some, or had none before.
 */
bool input_left_out(const struct input_device *d, struct sx_error *why);
/* Notes what is damaged, cut or lost, as far as was read. False when something is. */
bool input_device_note(struct input_device *d);
/*
 * Whether rows of two devices can be laid beside each other by their times. Errors:
 * SX_ERR_UNSUPPORTED where each is on a clock of its own.
 */
enum sx_status input_related(const struct input_device *a, const struct input_device *b,
			     struct sx_error *err);

/* How a file is read into a report; members may be zero. */
struct input_report_options {
	/* A device is open, its rows come next; SX_ERR_NOT_FOUND: it is passed over for others. */
	enum sx_status (*begin)(void *user, uint32_t index, const struct input_device *d,
				struct sx_error *err);
	/* Selects the metrics of a device, d->metrics; NULL: those that the request names. */
	enum sx_status (*select)(void *user, uint32_t index, struct input_device *d,
				 struct sx_error *err);
	report_rows_fn rows; /* receives what the report receives */
	void *user;
	/* Also counters, where the request names nothing. */
	bool everything;
	/* Neither notes nor reasons, and nothing of devices that are passed over. */
	bool numbers_alone;
	size_t course_bytes; /* report_keep_course(); 0: not */
	bool join;	     /* report_join_begin() */
	const struct budget_goal *goal;
};

/* A file that was read into a report. Zero-initialise. */
struct input_report {
	struct report_fill *fill; /* holds everything but what report_finish() adds */
	struct input_device **devices;
	uint32_t count;
};

/* The selection that a report makes of a device. */
struct sx_metrics_options input_report_selection(const struct input_device *d, bool everything);
/*
 * Reads all devices that are meant. To be closed in every case; catalogs and selections live until
 * then. Errors: those of reading, SX_ERR_NOT_FOUND when no device has what the request names.
 */
enum sx_status input_report_read(const struct input_request *request,
				 const struct input_report_options *options,
				 struct input_report *out, struct sx_error *err);
/* Notes what is damaged or lost; false when something is. */
bool input_report_note(const struct input_report *read);
void input_report_close(struct input_report *read);

/* A session that runs, as input of a report; members from `chosen` on may be zero. */
struct input_session {
	struct sx_session *session;
	struct report_fill *fill;
	struct sx_session_limits limits;
	bool chosen;	   /* metrics were named */
	uint64_t delay_ns; /* rows that come earlier are left out */
	/* Receives what the report received, before it goes. */
	enum sx_status (*rows)(void *user, uint32_t index, const struct sx_session_device *device,
			       struct sx_error *err);
	void (*started)(void *user); /* the program runs */
	void (*polled)(void *user);  /* some time has passed */
	void *user;
};
/* Adds the session's devices to the report. Errors: those of report_add_device(). */
enum sx_status input_session_begin(const struct input_session *in, struct sx_error *err);
/*
 * Runs it, with all rows into the report. *filled: what the report said to rows, which then is the
 * result as well. Errors: those of sx_session_start() and sx_session_finish().
 */
enum sx_status input_session_run(const struct input_session *in, char *const *argv,
				 enum sx_status *filled, struct sx_error *err);
/*
 * Reports what rows do not show; `silence`: why there are none, or NULL. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status input_session_end(const struct input_session *in, const struct sx_error *silence,
				 struct sx_error *err);

/* Files as a side of a comparison. */
struct input_compare_options {
	double fps;    /* frames that miss this rate are counted; 0: none */
	bool only_own; /* nothing is asked for but what a comparison adds by itself */
};

/* Adds a file to a set as a run. *whole becomes false where it is damaged or lost something. */
enum sx_status input_compare_add(const struct input_request *request,
				 const struct input_compare_options *options,
				 struct compare_set *set, bool *whole, struct sx_error *err);

/*
 * Baselines: what a comparison needs of a set, as a small JSON document that can be committed.
 * Whether a file begins as one; reading it.
 */
#define BASELINE_SCHEMA "sextant.baseline/1"
bool baseline_is(const char *path);
enum sx_status baseline_read(const char *path, struct compare_set *set, struct sx_error *err);

#endif
