/*
 * The i915 OA source, in parts: the configuration in the kernel (config.c), the stream (stream.c),
 * what the device is and the source itself (i915_oa.c). What it shares with Xe is in source/oa.
 */
#ifndef SOURCE_I915_OA_I915_OA_H
#define SOURCE_I915_OA_I915_OA_H

#include <sextant/oa.h>
#include "source/nodes.h"
#include "source/oa/oa.h"
#include "source/source.h"

#define I915_DRIVER   "i915"
#define I915_PARANOID "dev.i915.perf_stream_paranoid"
/* What brings OA metrics: there is no option of the kernel's build for them. */
#define I915_OA_KERNEL                                                                             \
	"a kernel of 4.17 or later that knows this GPU; virtual functions have no OA unit"
#define I915_OA_BUFFER	((size_t)256 * 1024) /* of one read() */
#define I915_OA_PAIR	24
#define I915_OA_RECORDS (I915_OA_PAIR + I915_OA_BUFFER)

/* What is known of a card. Zero-initialise. */
struct i915_card {
	struct drm_node node;
	struct sx_oa_device device;
	uint32_t perf_revision;
	uint64_t register_hz; /* of the timestamp register, where reports count another */
	struct oa_catalog catalog;
	uint64_t max_rate_hz; /* samples a second without privilege; 0: not limited */
	bool privileged;      /* by the capabilities of this process */
	bool paranoid;
};

/* Reads what sysfs and procfs tell; fd-less. */
void i915_card_read_files(const struct sx_sys *sys, struct i915_card *card);
/* NULL when perf streams can be opened, else why not; *remedy says what to do, *status its kind. */
const char *i915_card_obstacle(const struct sx_sys *sys, const struct i915_card *card,
			       enum sx_status *status, const char **remedy);
/* Whether the rule of the files lets this process observe, and where not, why and what to do. */
bool i915_card_allowed(const struct i915_card *card, const char **because, const char **remedy);
/* Asks the driver for frequencies and topology. Errors: SX_ERR_UNSUPPORTED, SX_ERR_IO. */
enum sx_status i915_card_query(const struct sx_sys *sys, int fd, struct i915_card *card,
			       struct sx_error *err);

/* The exponent whose period is nearest to the interval, within what the rate limit allows. */
uint32_t i915_exponent(const struct i915_card *card, uint64_t interval_ns);

/* A metric set in the kernel. */
struct i915_config {
	uint64_t id;
	bool added; /* by us, and to be removed */
	enum sx_oa_format format;
	bool media;
	char set[64]; /* the set's name and uuid, as recordings tell them */
	char uuid[37];
	char kernel[37]; /* the uuid that the kernel has it under */
};

/*
 * Finds the set's configuration in the kernel, where it is believed only when its registers are
 * those of the catalog, or adds it; under a uuid of our own where somebody has put another program
 * under the set's. Errors: those of oa_programs_build(), SX_ERR_PERMISSION, SX_ERR_UNSUPPORTED
 * (a register that the kernel refuses, a format that i915 has not), SX_ERR_IO.
 */
enum sx_status i915_config_open(const struct oa_place *place,
				const struct oa_programs_request *request, struct i915_config *out,
				struct sx_error *err);
/* Removes what was added. SX_ERR_IO when the kernel keeps it. */
enum sx_status i915_config_close(const struct sx_sys *sys, int fd, struct i915_config *config,
				 struct sx_error *err);
/* Adds programs; the kernel's id, or the negative errno. */
int i915_config_add(const struct sx_sys *sys, int fd, const struct oa_programs *programs);
/* Says which register of the programs the kernel refuses, found by trying them one by one. */
void i915_refused_register(const struct sx_sys *sys, int fd, const struct oa_programs *programs,
			   struct sx_error *err);

/* What the kernel had when the stream ended: one read() of it. */
struct i915_piece {
	struct i915_piece *next;
	size_t size;
	uint8_t data[];
};

/* An opened device. What steps of oa_steps are takes its `oa`. */
struct i915_oa {
	struct oa_source oa; /* first */
	struct i915_card card;
	struct sx_oa_constants constants;
	struct i915_config config;
	uint64_t poll_ns;	   /* of the kernel's look at reports */
	struct source_clock clock; /* the pair that was read last; without a name: none */
	bool stretched;		   /* the interval asked for was too short */
	uint8_t *buffer;	   /* a pair record, then what read() gave */
	struct i915_piece *left, **left_end;
};

/* Opens the stream of s->config. Errors: SX_ERR_PERMISSION, SX_ERR_BUSY, SX_ERR_UNSUPPORTED,
 * SX_ERR_NOT_FOUND (the configuration was removed), SX_ERR_NO_MEMORY, SX_ERR_IO. */
enum sx_status i915_stream_open(struct i915_oa *s, struct sx_error *err);
/* As oa_steps.attempt. */
enum sx_status i915_stream_attempt(struct oa_source *source, struct sx_error *err);
/* Keeps what the kernel has for us, then ends the stream. */
void i915_stream_drain(struct oa_source *source);
/* Ends the stream, and forgets what was kept. */
void i915_stream_close(struct oa_source *source);
/* The next records, SX_AGAIN, SX_END once drained, or an error. */
enum sx_status i915_stream_read(struct oa_source *source, int timeout_ms, struct raw_sample *out,
				struct sx_error *err);

/* Writes a record with a pair of CPU and GPU time, the tightest of a few; its size, or 0. */
size_t i915_oa_pair(struct oa_source *source, uint8_t *out, size_t cap);

#endif
