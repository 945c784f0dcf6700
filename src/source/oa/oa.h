/*
 * OA units, through whichever kernel driver: their cards, the register programs of metric sets,
 * streams of reports, checks on the hardware at hand. A driver's own source has a struct oa_source
 * in front, and a table of the steps in which it differs.
 */
#ifndef SOURCE_OA_OA_H
#define SOURCE_OA_OA_H

#include <sextant/oa.h>
#include <sextant/source.h>

#include "base/error.h"
#include "source/nodes.h"
#include "source/source.h"
#include "wire/oa/flex.h"

#define OA_SET	 "RenderBasic" /* when nobody chose one; every chipset has it */
#define OA_FACTS 3

/* A kernel driver with an OA interface. */
struct oa_driver {
	const char *name;   /* of the driver: ids are "NAME:card0" */
	const char *source; /* the source's name */
	/* NULL when a card can be observed, else why not; *remedy says what to do, *status its
	 * kind. */
	const char *(*obstacle)(const struct sx_sys *sys, const struct drm_node *node,
				enum sx_status *status, const char **remedy);
	/* Whether start() would get a stream, as oa_source_attempt(). */
	enum sx_status (*attempt)(const struct source_host *host, const char *id,
				  struct sx_error *err);
};

/* Where configurations are. */
struct oa_place {
	const struct sx_sys *sys;
	int fd;	       /* of the card */
	uint32_t card; /* the card's number */
};

enum oa_state { OA_IDLE, OA_RUNNING, OA_LOST, OA_STOPPED };

/* The catalog of a card, and how it was found. */
struct oa_catalog {
	char name[SX_OA_CATALOG_NAME_MAX];
	enum sx_oa_match match;
};

/* ioctl, again while a signal interrupts it. */
int oa_ioctl(const struct sx_sys *sys, int fd, unsigned long request, void *arg);

/* As source_ops.probe: each card that the driver has, or that there is none. */
void oa_probe(const struct oa_driver *driver, const struct source_host *host, source_found_fn found,
	      void *user);
/* Finds the card that an id means ("i915:card0", "card0", "renderD128", "i915", the source's). */
bool oa_find(const struct oa_driver *driver, const struct sx_sys *sys, const char *id,
	     struct drm_node *node);
/*
 * Says that the driver refuses a query, which Linux `since` brought. Returns SX_ERR_PERMISSION,
 * SX_ERR_UNSUPPORTED, SX_ERR_DEVICE_LOST, or what the errno is.
 */
enum sx_status oa_query_refused(int why, const char *what, const char *since, struct sx_error *err);
/*
 * Fills in why a call was refused for want of rights, where the rules of the files (`paranoid` by
 * this sysctl) and the capabilities allow it. Returns SX_ERR_PERMISSION.
 */
enum sx_status oa_denied(bool paranoid, const char *sysctl, struct sx_error *err);
/* Says that there is no such card. Returns SX_ERR_NOT_FOUND. */
enum sx_status oa_not_found(const struct oa_driver *driver, const char *id, struct sx_error *err);
/* Finds the catalog of a card; false when there is none of its own. */
bool oa_find_catalog(struct sx_context *catalogs, uint32_t device_id, struct oa_catalog *out);
/*
 * The kernel's id of the configuration under a uuid, 0 when there is none. An id alone proves
 * nothing: the kernel gives that of a removed one to the next that is added.
 */
uint64_t oa_config_find(const struct oa_place *place, const char *uuid);
/* Whether the uuid has no such id any more; false where that cannot be read. */
bool oa_config_gone(const struct oa_place *place, const char *uuid, uint64_t id);
/* Whether the kernel has the folder of a card's metrics. */
bool oa_kernel_has_metrics(const struct sx_sys *sys, uint32_t card);

/* What is programmed, as recordings keep it. */
struct oa_facts {
	struct source_property properties[OA_FACTS];
	char exponent[12];
};
struct oa_stream {
	const char *set, *uuid; /* live as long as the facts */
	enum sx_oa_format format;
	uint32_t exponent;
	uint64_t period_ns;
};
/* Describes a stream; NULL: none runs. */
void oa_describe_stream(struct source_desc *desc, struct oa_facts *facts,
			const struct oa_stream *stream);
/* The head of a raw file: version, device and topology. Returns its size. */
size_t oa_raw_head(const struct sx_oa_device *device, const struct oa_stream *stream, uint8_t *out,
		   size_t cap);
/* Says that the stream of a card ended by itself after so long. Returns SX_ERR_DEVICE_LOST. */
enum sx_status oa_stream_lost(uint32_t card, uint64_t ran_ns, const char *because,
			      struct sx_error *err);
/* Ticks of reports for each one of another clock of the GPU. */
uint64_t oa_ticks_a_count(uint64_t oa_hz, uint64_t other_hz);

#define OA_EXPONENT_MAX 23 /* 1.34 s at 12.5 MHz: below two wraps of any counter of Gen8 */

/* The period of an exponent in ns, rounded up as the kernels do. */
uint64_t oa_period_ns(uint64_t timestamp_hz, uint32_t exponent);
/*
 * The exponent whose period is nearest to the interval, of those that make at most `max_rate_hz`
 * reports a second (0: any number), and after which no counter of the device's format has wrapped
 * twice.
 */
uint32_t oa_exponent(const struct sx_oa_device *device, uint64_t max_rate_hz, uint64_t interval_ns);

/* The course of a stream's reports. Zero-initialise, then set the first three. */
struct oa_course {
	enum sx_oa_format format;
	uint64_t timestamp_hz;
	uint32_t exponent;
	uint32_t last_ticks;
	uint64_t last_ns; /* when the last report was read */
	bool has_last, gap;
};
/*
 * Takes records that were read at `now_ns`. Returns how many reports they say were lost: as many as
 * fit between the timestamps around each gap, one at least.
 */
uint64_t oa_course_take(struct oa_course *course, const uint8_t *records, size_t size,
			uint64_t now_ns);

/*
 * Fills in what stands in the way of a device without a catalog, and names `nearest` where that is
 * not NULL; `remedy` holds the text.
 */
void oa_no_catalog(struct sx_device *device, const char *nearest, char *remedy, size_t size);

#define OA_CATALOG_INSIDE "intel-bdw" /* which serves without a search path */

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
	char set[64];		    /* symbol */
	enum sx_oa_format format;   /* of the reports that its formulas read; 0: of no known name */
	char format_name[32];	    /* as the catalog has it, or empty */
	bool media;		    /* counted by a unit of the media engines */
	char uuid[37];		    /* the catalog's, or one made of the writes */
};

struct oa_programs_request {
	const struct sx_oa_device *device;
	struct sx_catalog *catalog;  /* NULL: the one of `name`, or the embedded one */
	struct sx_context *catalogs; /* where `name` is; or NULL */
	const char *name;
	const char *set;		    /* NULL: the catalog's own choice */
	const struct oa_flex_counter *flex; /* fields that replace the set's own */
	uint32_t flex_count;
};

/* Reads the counters that a request defines. Errors: those of oa_flex_parse() and _merge(). */
enum sx_status oa_programs_define(const struct source_request *request,
				  struct oa_flex_counter out[OA_FLEX_COUNTERS], uint32_t *count,
				  struct sx_error *err);
/*
 * Builds the programs: every mux program that applies to the device, in order of priority. Errors:
 * SX_ERR_NOT_FOUND, SX_ERR_USAGE (a counter that the set itself needs), SX_ERR_NO_MEMORY. *out is
 * released by oa_programs_finish() in any case.
 */
enum sx_status oa_programs_build(const struct oa_programs_request *request, struct oa_programs *out,
				 struct sx_error *err);
/* Says that a configuration is removed as soon as it is added. Returns SX_ERR_BUSY. */
enum sx_status oa_programs_restless(const char *set, struct sx_error *err);
/* Gives the programs a name of their own: the same writes always get the same one. */
void oa_programs_rename(struct oa_programs *programs);
void oa_programs_finish(struct oa_programs *programs);
/*
 * Takes what was added under `id` out of the kernel; remove() gives 0 or more, or a negative errno.
 * It is tried three times. SX_ERR_IO and others of the kernel: it stays there.
 */
enum sx_status oa_programs_remove(int (*remove)(const void *place, uint64_t id), const void *place,
				  uint64_t id, struct sx_error *err);

#define OA_PAIR_RECORD 24 /* bytes of a record with a pair of CPU and GPU time */

/* An opened source, idle, whose raw samples are OA records. */
struct oa_selftest {
	struct source *source;
	const struct sx_oa_device *device; /* with the format once the source is started */
	const char *driver;
	const uint64_t *period_ns; /* of reports, once the source is started */
	/* Writes a record with a pair of CPU and GPU time; its size, or 0. */
	size_t (*pair)(struct source *source, uint8_t *out, size_t cap);
};

/*
 * Runs the test set for a second and says what holds. SX_INCOMPLETE when something does not; else
 * the errors of start() and read().
 */
enum sx_status oa_selftest(const struct oa_selftest *on, void (*say)(void *user, const char *line),
			   void *user, struct sx_error *err);

/* The note of a stream that begins with a program. */
#define OA_COUNTS_ALL "OA counts everything on the GPU, not this program alone"

/* A configuration's id that no kernel reaches: the drivers count up from 1 and take free ones. */
#define OA_NO_CONFIG INT32_MAX

struct oa_source;

/* Errors as those of source_ops. */
struct oa_steps {
	const struct oa_driver *driver;
	const struct source_ops *ops;
	size_t bytes;	  /* of the driver's source */
	const char *what; /* "the i915 OA source" */
	/* Buffers, and what files and the driver say of the card; calls oa_source_card(). */
	enum sx_status (*open)(struct oa_source *s, const struct drm_node *node,
			       struct sx_error *err);
	/* The rest of the description: s->driver, the least interval, constants. */
	void (*describe)(struct oa_source *s);
	/* Puts a configuration into the kernel, and says its set and format. */
	enum sx_status (*configure)(struct oa_source *s, const struct oa_programs_request *request,
				    struct sx_error *err);
	/* Takes it out. */
	enum sx_status (*unconfigure)(struct oa_source *s, struct sx_error *err);
	/*
	 * Chooses the period and opens the stream of the configuration; oa_source_begin(). May
	 * demand a note. SX_ERR_NOT_FOUND: somebody removed the configuration meanwhile.
	 */
	enum sx_status (*stream)(struct oa_source *s, uint64_t interval_ns, struct sx_error *err);
	/*
	 * Asks for a stream of OA_NO_CONFIG, of the format, exponent and period in `s`. SX_OK: that
	 * is all that the kernel lacks. Else the errors of stream().
	 */
	enum sx_status (*attempt)(struct oa_source *s, struct sx_error *err);
	enum sx_status (*read)(struct oa_source *s, int timeout_ms, struct raw_sample *out,
			       struct sx_error *err);
	/* Nothing more is counted, and what there is can still be read; nothing is kept. */
	void (*stop)(struct oa_source *s);
	void (*end)(struct oa_source *s);
	/* Writes a record with a pair of CPU and GPU time; its size, or 0. */
	size_t (*pair)(struct oa_source *s, uint8_t *out, size_t cap);
	/* A note that is due, or NULL. s->told: the note of the start was given. */
	const char *(*note)(struct oa_source *s);
	/* When read() is to be called without a report, 0: now; NULL: never. */
	uint64_t (*due_ns)(struct oa_source *s);
	void (*finish)(struct oa_source *s); /* releases the buffers */
};

struct oa_source {
	struct source base;
	const struct oa_steps *steps;
	struct source_desc desc;
	/* Parts of the driver's card. */
	const struct drm_node *node;
	struct sx_oa_device *device;
	struct oa_catalog *catalog;
	const char *set, *uuid; /* of the configuration */
	char name[64], driver[64];
	int fd;	    /* of the card, or -1 */
	int stream; /* or -1 */
	enum oa_state state;
	uint32_t exponent;
	uint64_t period_ns; /* of reports */
	uint64_t started_ns;
	struct oa_course course;
	bool told;
	char note[160];
	struct oa_facts facts;
};

/* Opens a card; as source_ops.open. */
enum sx_status oa_source_open(const struct oa_steps *steps, const struct source_host *host,
			      const char *id, struct source **out, struct sx_error *err);
/*
 * Opens the card and says whether start() would get a stream, without opening one: drivers look
 * for the holder before they look for the configuration, and there is none of that id. Errors:
 * those of open() and of start().
 */
enum sx_status oa_source_attempt(const struct oa_steps *steps, const struct source_host *host,
				 const char *id, struct sx_error *err);
/* Says where a source has what the driver knows of its card, which is the node's. */
void oa_source_card(struct oa_source *s, const struct drm_node *node, struct sx_oa_device *device,
		    struct oa_catalog *catalog);
/* A stream runs from now on. */
void oa_source_begin(struct oa_source *s, int stream);
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
enum sx_status oa_source_selftest(struct source *source, void (*say)(void *user, const char *line),
				  void *user, struct sx_error *err);

#endif
