/*
 * Captures: files of raw counters that can be read again without the device.
 * docs/capture-format.md specifies them. Where the writer was killed, the disk was full, or the
 * file was damaged later, all intact records are read, and sx_capture_account() says what is lost.
 */
#ifndef SEXTANT_CAPTURE_H
#define SEXTANT_CAPTURE_H

#include <sextant/device.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sx_capture_writer;
struct sx_capture_reader;
struct sx_capture_claim;

struct sx_capture_property {
	const char *name, *value;
};

/* A device as the file describes it. Strings may be NULL when written; they never are when read. */
struct sx_capture_device {
	const char *catalog;
	uint64_t catalog_hash; /* as in sx_catalog_info; 0: not known */
	/*
	 * Of these a file keeps source, name, driver, clock (NULL or "monotonic": CLOCK_MONOTONIC),
	 * simulated and constants; the set is the property "set", and the number "number".
	 */
	struct sx_device_facts facts;
	enum sx_sample_kind kind;
	bool encloses_work;
	uint64_t clock_error_ns;
	uint64_t interval_ns; /* as asked for; 0: does not apply */
	const struct sx_column *columns;
	const uint8_t *bits; /* width of each column's counter, or NULL: 64 */
	uint32_t column_count;
	/*
	 * How the device was programmed: "set", "interval", what else its source reports ("format",
	 * "exponent"), and "definition" for each counter that the user defined. Empty in captures
	 * of version 1.0.
	 */
	const struct sx_capture_property *properties;
	uint32_t property_count;
};

/* A property of a device by name, or NULL. Lives as long as the device. */
SX_API const char *sx_capture_property(const struct sx_capture_device *device, const char *name);

/* What a record of a capture is about. */
enum sx_capture_type {
	SX_CAPTURE_ROWS,
	SX_CAPTURE_CLOCK,
	SX_CAPTURE_LOSS,
	SX_CAPTURE_GAP,
	SX_CAPTURE_NOTE,
};

#define SX_CAPTURE_COUNT_UNKNOWN UINT64_MAX /* an unknown number of samples was lost */
#define SX_CAPTURE_NO_DEVICE	 0xffff	    /* a record about no device in particular */

struct sx_capture_clock {
	const char *name; /* "monotonic", "realtime" or a device's own */
	uint64_t value_ns, error_ns;
};

/* An event in the capture that is not a row. */
struct sx_capture_mark {
	uint64_t begin_ns, end_ns; /* SX_TIME_UNKNOWN where not known */
	uint64_t lost;		   /* SX_CAPTURE_LOSS */
	bool by_writer;		   /* lost by the writer, not by the source */
	const char *text;	   /* may be NULL when written */
};

/* All members may be zero. Nothing of it need outlive sx_capture_create(). */
struct sx_capture_options {
	uint64_t flush_ns;   /* rows are in the file after this time; 0: 250 ms */
	size_t queue_bytes;  /* most bytes of rows that wait to be written; 0: 256 MiB */
	uint64_t sync_ns;    /* rows are on the disk after this time; 0: up to the kernel */
	uint64_t keep_ns;    /* no file, but a ring of this length: see sx_capture_dump() */
	uint64_t created_ns; /* CLOCK_REALTIME; 0: now */
	const struct sx_capture_property *properties;
	uint32_t property_count;
	struct sx_capture_claim *claim; /* of the file; NULL: claimed only now */
};

/* What a writer has done so far. */
struct sx_capture_progress {
	uint64_t rows;	      /* accepted, and not lost since */
	uint64_t lost_rows;   /* that found no room in the queue or on the disk */
	uint64_t chunks;      /* in the file or the ring */
	uint64_t bytes;	      /* the same */
	uint64_t value_bytes; /* what the values would have taken at 8 bytes each */
	int sys_errno;	      /* of the last write that failed, or 0 */
};

/*
 * Keeps other writers from a file before anything in it is replaced: of two recorders, the second
 * is refused (SX_ERR_BUSY) before it starts a program. The contents of the file stay. *out goes
 * into sx_capture_options, or to sx_capture_unclaim(). Pipes and devices are opened but not locked.
 * Errors: SX_ERR_PERMISSION, SX_ERR_NOT_FOUND, SX_ERR_IO, SX_ERR_NO_MEMORY. Thread-safe.
 */
SX_API enum sx_status sx_capture_claim(const char *path, struct sx_capture_claim **out,
				       struct sx_error *err);
/* Releases the file, and removes it if the claim had to create it. NULL is fine. */
SX_API void sx_capture_unclaim(struct sx_capture_claim *claim);
/*
 * Creates a capture and the thread that writes it. With keep_ns, `path` is only used in messages.
 * An existing file is replaced, unless another writer has it open (SX_ERR_BUSY). A claim among the
 * options is released in any case, without another writer getting the file in between. After an
 * error, a file that was created here is removed. *out is owned by the caller. Errors:
 * SX_ERR_PERMISSION, SX_ERR_IO, SX_ERR_NO_MEMORY.
 */
SX_API enum sx_status sx_capture_create(const char *path, const struct sx_capture_options *options,
					struct sx_capture_writer **out, struct sx_error *err);
/*
 * Adds a device (copied); *index receives its number for the calls below. Errors: SX_ERR_LIMIT,
 * SX_ERR_NO_MEMORY. Thread-safe.
 */
SX_API enum sx_status sx_capture_add_device(struct sx_capture_writer *writer,
					    const struct sx_capture_device *device, uint32_t *index,
					    struct sx_error *err);
/*
 * Hands over rows with the device's columns; they are copied. Never waits for the disk: when the
 * queue has no room, the rows are counted as lost, the file records how many, and the call returns
 * SX_INCOMPLETE. Errors: SX_ERR_USAGE (columns differ). Thread-safe.
 */
SX_API enum sx_status sx_capture_write(struct sx_capture_writer *writer, uint32_t device,
				       const struct sx_rows *rows, struct sx_error *err);
/*
 * Adds a LOSS, GAP or NOTE; `device` may be SX_CAPTURE_NO_DEVICE. Errors: SX_ERR_USAGE,
 * SX_ERR_NO_MEMORY. Thread-safe.
 */
SX_API enum sx_status sx_capture_mark(struct sx_capture_writer *writer, uint32_t device,
				      enum sx_capture_type type, const struct sx_capture_mark *mark,
				      struct sx_error *err);
/* How the program that was recorded ended. */
struct sx_capture_ending {
	int exit_code;
	int term_signal;   /* or 0 */
	const char *limit; /* "duration" or "count": the limit that ended it; or NULL */
};

/*
 * Writes how the program ended, once, at the end of a recording. Errors as sx_capture_mark().
 * Thread-safe.
 */
SX_API enum sx_status sx_capture_write_ending(struct sx_capture_writer *writer,
					      const struct sx_capture_ending *ending,
					      struct sx_error *err);
/* Adds clocks that were read at the same moment. Errors as sx_capture_mark(). Thread-safe. */
SX_API enum sx_status sx_capture_clocks(struct sx_capture_writer *writer, uint32_t device,
					const struct sx_capture_clock *clocks, uint32_t count,
					struct sx_error *err);
/* Progress so far. Thread-safe. */
SX_API void sx_capture_progress(struct sx_capture_writer *writer, struct sx_capture_progress *out);
/* Waits until everything handed over is in the file or the ring. Errors: SX_ERR_IO. Thread-safe. */
SX_API enum sx_status sx_capture_flush(struct sx_capture_writer *writer, struct sx_error *err);
/*
 * Writes what a ring holds as a whole capture of its own; the ring goes on. Errors: SX_ERR_USAGE
 * (no ring), SX_ERR_PERMISSION, SX_ERR_IO. Thread-safe.
 */
SX_API enum sx_status sx_capture_dump(struct sx_capture_writer *writer, const char *path,
				      struct sx_error *err);
/*
 * Writes what is left and the index, closes the file and releases the writer, also on failure. NULL
 * is fine. *progress (may be NULL) receives the last state. Errors: SX_ERR_IO when something could
 * not be written; the file is readable up to there.
 */
SX_API enum sx_status sx_capture_finish(struct sx_capture_writer *writer,
					struct sx_capture_progress *progress, struct sx_error *err);

/* What sx_capture_next() need not read. Zero-initialise: nothing. */
struct sx_capture_filter {
	/* ROWS have only their number and times; their contents are neither read nor checked. */
	bool heads_only;
	/* ROWS with times outside of these are skipped; 0 and 0: none is. */
	uint64_t from_ns, to_ns;
};

/* What a reader found. Strings are owned by the reader. */
struct sx_capture_info {
	uint16_t major, minor;
	uint64_t created_ns; /* 0: not recorded */
	const struct sx_capture_property *properties;
	uint32_t property_count;
	uint32_t device_count;
	bool clean; /* ends in an index */
	uint64_t size_bytes;
	uint64_t chunks, rows;	   /* as the records say, before they are read */
	uint64_t begin_ns, end_ns; /* of all rows */
};

/* What is lost. Grows while records are read, since their contents are checked only then. */
struct sx_capture_account {
	uint64_t damaged_records; /* complete but invalid: skipped */
	uint64_t damaged_bytes;	  /* between intact records, and in damaged ones */
	uint64_t missing_records; /* gaps in the sequence numbers */
	uint64_t cut_bytes;	  /* of an unfinished record at the end */
	uint64_t unknown_records; /* of a newer minor version: skipped */
	uint64_t first_damage;	  /* offset in the file; UINT64_MAX: none */
	uint64_t lost_rows;	  /* by LOSS records read so far */
	char what[160];		  /* the first damage in words, or empty */
};

/* One record. Pointers are valid until the next call with the same reader. */
struct sx_capture_record {
	enum sx_capture_type type;
	uint32_t device; /* or SX_CAPTURE_NO_DEVICE */
	uint64_t offset;
	uint64_t begin_ns, end_ns;
	struct sx_rows rows;		       /* SX_CAPTURE_ROWS */
	struct sx_capture_mark mark;	       /* SX_CAPTURE_LOSS, GAP, NOTE */
	const struct sx_capture_clock *clocks; /* SX_CAPTURE_CLOCK */
	uint32_t clock_count;
};

/* Whether a record is what sx_capture_write_ending() wrote, and what it says. */
SX_API bool sx_capture_read_ending(const struct sx_capture_record *record,
				   struct sx_capture_ending *out);

/*
 * Opens a capture. *out is owned by the caller. A reader is used by one thread at a time. Errors:
 * SX_ERR_PERMISSION, SX_ERR_BAD_INPUT (not a capture, or not there), SX_ERR_UNSUPPORTED (a
 * newer major version), SX_ERR_IO, SX_ERR_NO_MEMORY.
 */
SX_API enum sx_status sx_capture_open(const char *path, struct sx_capture_reader **out,
				      struct sx_error *err);
/* Releases a reader; NULL is fine. */
SX_API void sx_capture_close(struct sx_capture_reader *reader);
/*
 * About the file. Renewed by sx_capture_next() when the file grows; lives as long as the reader.
 * Never NULL.
 */
SX_API const struct sx_capture_info *sx_capture_info(struct sx_capture_reader *reader);
/* A device by its number, or NULL. Lives as long as the reader. */
SX_API const struct sx_capture_device *sx_capture_device(const struct sx_capture_reader *reader,
							 uint32_t device);
/*
 * Writes the numbers of the known devices in the order in which views show them. Devices with
 * samples that enclose a program's work come first, whichever had the first sample. `list` has room
 * for device_count numbers. Returns how many were written.
 */
SX_API uint32_t sx_capture_order(const struct sx_capture_reader *reader, uint32_t *list);
/* What is lost, as far as it is known. Lives as long as the reader. Never NULL. */
SX_API const struct sx_capture_account *sx_capture_account(const struct sx_capture_reader *reader);
/*
 * The next record. SX_OK and *out; SX_END at a clean end; SX_AGAIN at the end of a file that has no
 * index: it may still grow, call again later. Damage is skipped and goes to the account. Errors:
 * SX_ERR_IO, SX_ERR_NO_MEMORY.
 */
SX_API enum sx_status sx_capture_next(struct sx_capture_reader *reader,
				      struct sx_capture_record *out, struct sx_error *err);
/* Sets what sx_capture_next() skips from now on. */
SX_API void sx_capture_set_filter(struct sx_capture_reader *reader,
				  const struct sx_capture_filter *filter);
/*
 * Makes sx_capture_next() go on with the first record that ends after `time_ns`; 0: from the
 * beginning. Errors: none yet.
 */
SX_API enum sx_status sx_capture_seek(struct sx_capture_reader *reader, uint64_t time_ns,
				      struct sx_error *err);

#ifdef __cplusplus
}
#endif

#endif
