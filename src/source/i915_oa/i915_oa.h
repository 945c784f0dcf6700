/* The i915 OA source, in parts: what the device is, the metric set's configuration, the stream. */
#ifndef SOURCE_I915_OA_I915_OA_H
#define SOURCE_I915_OA_I915_OA_H

#include <sextant/oa.h>
#include "source/source.h"

#define I915_OA_CATALOG	      "intel-bdw"
#define I915_OA_SET	      "RenderBasic" /* when nobody chose one */
#define I915_OA_BUFFER	      ((size_t)256 * 1024)
#define I915_OA_CONSTANTS_MAX (SX_OA_CONSTANTS_MAX + 2)
#define I915_OA_EXPONENT_MAX  23 /* 1.34 s: below two wraps of any counter */

/* What is known of a card. Zero-initialise. */
struct i915_card {
	uint32_t number; /* of cardN */
	struct sx_oa_device device;
	uint32_t perf_revision;
	uint64_t max_rate_hz; /* samples a second without privilege; 0: not limited */
	bool privileged;      /* by the capabilities of this process */
	bool paranoid;
};

/* Calls visit for each cardN, in order of number, until it returns false. */
void i915_card_each(const struct sx_sys *sys, bool (*visit)(void *arg, uint32_t number), void *arg);
/* Whether the card is driven by i915, and its PCI device id. */
bool i915_card_identify(const struct sx_sys *sys, uint32_t number, uint32_t *device_id);
/* Reads what sysfs and procfs tell; fd-less. */
void i915_card_read_files(const struct sx_sys *sys, struct i915_card *card);
/* NULL when perf streams can be opened, else why not; *remedy says what to do. */
const char *i915_card_obstacle(const struct sx_sys *sys, const struct i915_card *card,
			       const char **remedy);
/* Asks the driver for frequencies and topology. Errors: SX_ERR_UNSUPPORTED, SX_ERR_IO. */
enum sx_status i915_card_query(const struct sx_sys *sys, int fd, struct i915_card *card,
			       struct sx_error *err);
/* Reads a whole number from a small file; `absent` when there is none. */
uint64_t i915_read_number(const struct sx_sys *sys, const char *path, uint64_t absent);

/* The period of an exponent in ns, rounded up as the kernel does. */
uint64_t i915_period_ns(uint64_t timestamp_hz, uint32_t exponent);
/* The exponent whose period is nearest to the interval, within what the rate limit allows. */
uint32_t i915_exponent(const struct i915_card *card, uint64_t interval_ns);

/* A metric set in the kernel. */
struct i915_config {
	uint64_t id;
	bool added;   /* by us, and to be removed */
	char set[64]; /* its name and uuid, as recordings tell them */
	char uuid[37];
};

/*
 * Finds the set's configuration in the kernel or adds it from the catalog (NULL: the embedded one),
 * with every mux program that applies to the card, in order of priority. `flex` replaces fields of
 * flexible counters; then the configuration is always a new one. Errors: SX_ERR_NOT_FOUND,
 * SX_ERR_PERMISSION, SX_ERR_BUSY (a counter that the set itself needs), SX_ERR_IO.
 */
enum sx_status i915_config_open(const struct sx_sys *sys, int fd, const struct i915_card *card,
				struct sx_catalog *catalog, const char *set,
				const struct sx_oa_flex_counter *flex, uint32_t flex_count,
				struct i915_config *out, struct sx_error *err);
/* Removes what was added. */
void i915_config_close(const struct sx_sys *sys, int fd, struct i915_config *config);

/* ioctl, again while a signal interrupts it. */
int i915_ioctl(const struct sx_sys *sys, int fd, unsigned long request, void *arg);

extern const struct source_ops source_i915_oa;

/* An opened device. */
struct i915_oa {
	struct source base;
	struct source_desc desc;
	struct i915_card card;
	char name[64], driver[64];
	struct source_constant constants[I915_OA_CONSTANTS_MAX];
	int fd;	    /* of the card, or -1 */
	int stream; /* or -1 */
	struct i915_config config;
	uint64_t period_ns;
	bool stretched, told; /* the interval asked for was too short; the note was given */
	uint8_t *buffer;      /* a pair record, then what read() gave */
	char note[160];
};

/* Writes a record with a pair of CPU and GPU time, the tightest of a few; its size, or 0. */
size_t i915_oa_pair(struct i915_oa *s, uint8_t *out, size_t cap);

/* Checks the invariants of TestOa and of time on the device at hand (selftest.c). */
enum sx_status i915_oa_selftest(struct source *source, void (*say)(void *user, const char *line),
				void *user, struct sx_error *err);

#endif
