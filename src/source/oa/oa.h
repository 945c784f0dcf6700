/*
 * OA units, through either kernel driver: their cards, configurations of metric sets, streams of
 * reports, checks on this machine's hardware. A driver's own source begins with a struct oa_source,
 * and has a table of the steps in which it differs.
 */
#ifndef SOURCE_OA_OA_H
#define SOURCE_OA_OA_H

#include <sextant/oa.h>

#include "source/nodes.h"
#include "source/source.h"

#define OA_SET		  "RenderBasic" /* the default; every chipset has it */
#define OA_CATALOG_INSIDE "intel-bdw"	/* which serves without a search path */
#define OA_EXPONENT_MAX	  23 /* 1.34 s at 12.5 MHz: below two wraps of any counter of Gen8 */
#define OA_PAIR_RECORD	  24 /* bytes of a record with a pair of CPU and GPU time */
#define OA_FACTS	  3
/* The note of a stream that begins with a program. */
#define OA_COUNTS_ALL "OA counts everything on the GPU, not this program alone"
/* A configuration's id that no kernel reaches: the drivers count up from 1 and take free ones. */
#define OA_NO_CONFIG INT32_MAX

/* The catalog of a card, and how it was found. */
struct oa_catalog {
	char name[SX_OA_CATALOG_NAME_MAX];
	enum sx_oa_match match;
};

/* What is known of a card. Zero-initialise, then set `node` and the device's id. */
struct oa_card {
	struct drm_node node;
	struct sx_oa_device device;
	struct oa_catalog catalog;
	/* Rights, by files alone. */
	bool privileged;      /* by the capabilities of this process */
	bool paranoid;	      /* by the driver's own rule */
	bool perf_open;	      /* perf_event_paranoid is 0 or less */
	uint32_t kernel;      /* version, as nodes_kernel_version() */
	uint64_t max_rate_hz; /* reports a second without privilege; 0: not limited */
};

/* One register write, and those of one kind in their order. */
struct oa_write {
	uint32_t address, value;
};
struct oa_writes {
	struct oa_write *items;
	size_t count, cap;
};

/* The register programs of a metric set for one device. Zero-initialise. */
struct oa_programs {
	struct oa_writes writes[3]; /* by enum sx_program_kind */
	struct oa_writes all;	    /* of every kind, where a driver has one list */
	char set[64];		    /* symbol */
	enum sx_oa_format format;   /* of the reports that its formulas read; 0: of no known name */
	char format_name[32];	    /* as the catalog has it, or empty */
	bool media;		    /* counted by a unit of the media engines */
	char uuid[37];		    /* the catalog's, or one made of the writes */
};

/* A metric set in the kernel. */
struct oa_config {
	uint64_t id;
	bool added; /* by us, and to be removed */
	enum sx_oa_format format;
	uint32_t media; /* counted by a media unit: what the driver keeps of that; 0: by another */
	char set[64];	/* the set's name and uuid, as recordings have them */
	char uuid[37];
	char kernel[37]; /* the uuid that the kernel has it under */
};

/* CPU and GPU time of one moment, and how long reading them took. */
struct oa_pair {
	uint64_t cpu_ns, gpu_ticks, took_ns;
};

struct oa_source;

/* What differs between drivers. Errors as those of source_ops. */
struct oa_steps {
	const char *name;   /* of the driver: ids are "NAME:card0" */
	const char *what;   /* "the i915 OA source" */
	const char *kernel; /* what brings OA metrics */
	const struct source_ops *ops;
	size_t bytes;			   /* of the driver's source */
	size_t report_bytes, record_bytes; /* of its buffers; 0: none */
	/* Reads what sysfs and procfs have of a card. */
	void (*read_files)(const struct sx_sys *sys, struct oa_card *card);
	/* Whether these let this process observe, and where not, why and what to do. */
	bool (*is_allowed)(const struct oa_card *card, const char **because, const char **remedy);
	/* Asks the driver for clocks, topology and the like. */
	enum sx_status (*query_card)(struct oa_source *s, struct sx_error *err);
	/* The rest of the description: s->driver, the least interval, constants. */
	void (*describe)(struct oa_source *s);
	/* Whether the driver can count the programs; s->config.media, and `all` where it wants it.
	 */
	enum sx_status (*accept_set)(struct oa_source *s, struct oa_programs *programs,
				     struct sx_error *err);
	/*
	 * One look for the programs in the kernel and, where nothing is found, one attempt to add
	 * them: s->config.id, added, kernel. SX_AGAIN: another process adds or removes them
	 * meanwhile.
	 */
	enum sx_status (*find_config)(struct oa_source *s, struct oa_programs *programs,
				      struct sx_error *err);
	/* Adds programs under their uuid: the kernel's id; and removes an id. Or a negative errno.
	 */
	int (*add_config)(struct oa_source *s, const struct oa_programs *programs);
	int (*remove_config)(struct oa_source *s, uint64_t id);
	/* Whether a unit of the card counts s->config. */
	enum sx_status (*choose_unit)(struct oa_source *s, struct sx_error *err);
	/* After s->period_ns was chosen for an interval; or NULL. May demand a note. */
	void (*period_chosen)(struct oa_source *s, uint64_t interval_ns);
	/* A descriptor of a stream of s->config, or the negative errno; and what that means. */
	int (*open_stream)(struct oa_source *s);
	enum sx_status (*stream_refused)(struct oa_source *s, int why, struct sx_error *err);
	/* s->stream is open: what else it takes until reports come. */
	enum sx_status (*begin_stream)(struct oa_source *s, struct sx_error *err);
	enum sx_status (*read)(struct oa_source *s, int timeout_ms, struct raw_sample *out,
			       struct sx_error *err);
	/* Nothing more is counted, and what there is can still be read; nothing is kept, or NULL.
	 */
	void (*stop)(struct oa_source *s);
	void (*forget_rest)(struct oa_source *s);
	/* Reads CPU and GPU time at one moment, and how long that took; false: not now. */
	bool (*read_pair)(struct oa_source *s, struct oa_pair *out);
	/* A note that is due, or NULL. s->reported: the note of the start was given. */
	const char *(*note)(struct oa_source *s);
	/* When read() is to be called without a report, 0: now; NULL: never. */
	uint64_t (*due_ns)(struct oa_source *s);
};

enum oa_state { OA_IDLE, OA_RUNNING, OA_LOST, OA_STOPPED };

struct oa_source {
	struct source base;
	const struct oa_steps *steps;
	struct source_desc desc;
	struct oa_card card;
	struct oa_config config;
	char name[64], driver[64];
	int fd;			    /* of the card, or -1 */
	int stream;		    /* or -1 */
	uint8_t *reports, *records; /* what read() gave, and what is made of it */
	enum oa_state state;
	uint32_t exponent;
	uint64_t period_ns; /* of reports */
	uint64_t started_ns;
	/* The course of reports, by which those that are missing are counted. */
	uint32_t last_ticks;
	uint64_t last_ns; /* when the last report was read */
	bool has_last, gap;
	bool reported;
	char note[160];
	struct source_clock clock; /* the pair that was read last; without a name: none */
	/* What is programmed, as recordings keep it. */
	struct source_property properties[OA_FACTS];
	char exponent_text[12];
};

/* ioctl, again while a signal interrupts it. */
int oa_ioctl(const struct sx_sys *sys, int fd, unsigned long request, void *arg);

/* Cards (card.c). As source_ops.probe: each card that the driver has, or that there is none. */
void oa_probe(const struct oa_steps *steps, const struct source_host *host, source_found_fn found,
	      void *user);
/* A limit of a clock in Hz, of the first of these files of the card (NULL-terminated); or 0. */
uint32_t oa_card_limit_hz(const struct sx_sys *sys, const struct oa_card *card,
			  const char *const *files);
/* Finds the catalog of a card; false when there is none of its own. */
bool oa_find_catalog(struct sx_context *catalogs, uint32_t device_id, struct oa_catalog *out);
/* The period of an exponent in ns, rounded up as the kernels do. */
uint64_t oa_period_ns(uint64_t timestamp_hz, uint32_t exponent);
/*
 * The exponent with the period nearest to the interval, within the allowed rate, and short enough
 * that no counter of the device's format wraps twice in it.
 */
uint32_t oa_exponent(const struct oa_card *card, uint64_t interval_ns);
/*
 * Takes records that were read at `now_ns`. Returns how many reports they say were lost: as many as
 * fit between the timestamps around each gap, one at least.
 */
uint64_t oa_count_missing(struct oa_source *s, const uint8_t *records, size_t size,
			  uint64_t now_ns);
/* Ticks of reports for each one of another clock of the GPU. */
uint64_t oa_ticks_a_count(uint64_t oa_hz, uint64_t other_hz);
/*
 * Says that the driver refuses a query, which Linux `since` brought. Returns SX_ERR_PERMISSION,
 * SX_ERR_UNSUPPORTED, SX_ERR_DEVICE_LOST, or what the errno is.
 */
enum sx_status oa_query_refused(int why, const char *what, const char *since, struct sx_error *err);
/*
 * Reports why a call was refused for missing privileges: by the files (see oa_steps.is_allowed), or
 * though they and the capabilities allow it, by this sysctl or a policy. Returns SX_ERR_PERMISSION.
 */
enum sx_status oa_denied(const struct oa_source *s, const char *sysctl, struct sx_error *err);

/*
 * Configurations (programs.c). Builds the programs that a request needs from the catalog, for this
 * device: every mux program that applies, in order of priority. Adds them to the kernel: s->config.
 * Errors: SX_ERR_NOT_FOUND, SX_ERR_USAGE (a counter that the set itself needs, or that is
 * malformed), SX_ERR_BUSY, SX_ERR_NO_MEMORY, those of the steps.
 */
enum sx_status oa_config_open(struct oa_source *s, const struct source_request *request,
			      struct sx_error *err);
/*
 * Takes what was added out of the kernel, in three tries at most. SX_ERR_IO and others of the
 * kernel: it stays there.
 */
enum sx_status oa_config_close(struct oa_source *s, struct sx_error *err);
/*
 * The kernel's id of the configuration under a uuid, 0 when there is none. An id alone proves
 * nothing: the kernel gives that of a removed one to the next that is added.
 */
uint64_t oa_config_find(const struct oa_source *s, const char *uuid);
/* Whether ours was removed: the id is then no longer ours to remove. False where that cannot be
 * read. */
bool oa_config_removed(struct oa_source *s);
/* Says that a configuration is removed as soon as it is added. Returns SX_ERR_BUSY. */
enum sx_status oa_config_restless(const struct oa_source *s, struct sx_error *err);
/* Gives the programs a name of their own: the same writes always get the same one. */
void oa_programs_rename(struct oa_programs *programs);
/*
 * The write that the kernel refuses, found by trying halves of these, of one kind, alone: it says
 * EINVAL and no more. NULL: it takes them.
 */
const struct oa_write *oa_refused_write(struct oa_source *s, int kind,
					const struct oa_writes *writes);

/* Sources (source.c). Opens a card; as source_ops.open. */
enum sx_status oa_source_open(const struct oa_steps *steps, const struct source_host *host,
			      const char *id, struct source **out, struct sx_error *err);
/*
 * Opens the card and says whether start() would get a stream, without opening one: drivers look
 * for the holder before they look for the configuration, and there is none of that id. Errors:
 * those of open() and of start().
 */
enum sx_status oa_source_attempt(const struct oa_steps *steps, const struct source_host *host,
				 const char *id, struct sx_error *err);
/* Writes a record with the tightest pair of CPU and GPU time of a few; its size, or 0. */
size_t oa_source_pair(struct oa_source *s, uint8_t *out, size_t cap);
/* Closes the stream, if it is open. */
void oa_source_close_stream(struct oa_source *s);
/* The stream ended by itself. Returns SX_ERR_DEVICE_LOST. */
enum sx_status oa_source_lost(struct oa_source *s, const char *because, struct sx_error *err);
/* The other calls of source_ops. */
enum sx_status oa_source_start(struct source *source, const struct source_request *request,
			       struct sx_error *err);
enum sx_status oa_source_read(struct source *source, int timeout_ms, struct raw_sample *out,
			      struct sx_error *err);
void oa_source_wake(struct source *source, struct source_wake *out);
enum sx_status oa_source_stop(struct source *source, struct sx_error *err);
void oa_source_close(struct source *source);
size_t oa_source_raw_head(struct source *source, uint8_t *out, size_t cap);
/* A pair behind the last sample, so that every time lies between two. */
size_t oa_source_raw_tail(struct source *source, uint8_t *out, size_t cap);
/*
 * Runs the test set for a second and says what holds. SX_INCOMPLETE when something does not; else
 * the errors of start() and read().
 */
enum sx_status oa_source_selftest(struct source *source, const struct note_sink *to,
				  struct sx_error *err);
/* All of these in the table of a source. */
#define OA_SOURCE_OPS                                                                              \
	.start = oa_source_start, .read = oa_source_read, .wake = oa_source_wake,                  \
	.stop = oa_source_stop, .close = oa_source_close, .raw_head = oa_source_raw_head,          \
	.raw_tail = oa_source_raw_tail, .selftest = oa_source_selftest

#endif
