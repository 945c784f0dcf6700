/*
 * An opened source of OA reports, as far as it is the same whichever driver has the stream. A
 * driver's own source has this in front, and a table of the steps in which it differs.
 */
#ifndef SOURCE_OA_SOURCE_H
#define SOURCE_OA_SOURCE_H

#include "source/oa/card.h"
#include "source/oa/programs.h"
#include "source/oa/stream.h"

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
