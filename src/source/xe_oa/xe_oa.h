/*
 * The Xe OA source, in parts: what the device is (card.c), the configuration in the kernel
 * (config.c), the stream (stream.c), the source itself (xe_oa.c). What it shares with i915 is in
 * source/oa.
 */
#ifndef SOURCE_XE_OA_XE_OA_H
#define SOURCE_XE_OA_XE_OA_H

#include <sextant/oa.h>
#include "source/nodes.h"
#include "source/oa/oa.h"
#include "source/source.h"
#include "source/xe_oa/uapi.h"

#define XE_DRIVER	    "xe"
#define XE_PARANOID	    "dev.xe.observation_paranoid"
#define XE_UNITS_MAX	    16
#define XE_GTS_MAX	    8
#define XE_PAIR		    OA_PAIR_RECORD
#define XE_READ		    ((size_t)256 * 1024) /* of one read() */
#define XE_SMALLEST	    64			 /* report */
#define XE_RECORD	    8			 /* what a record has before its report */
#define XE_RECORDS	    (XE_PAIR + 2 * XE_RECORD + XE_READ + XE_READ / XE_SMALLEST * XE_RECORD)
#define XE_OA_CONSTANTS_MAX (SX_OA_CONSTANTS_MAX + 3)

/* A unit that counts, and an engine beside it whose timestamps tell its time. */
struct xe_unit {
	uint32_t id, type; /* enum xe_oa_unit_type */
	uint64_t capabilities, timestamp_hz;
	struct xe_engine engine;
	bool has_engine, has_gt;
	uint16_t gt_id;
};

/* What is known of a card. Zero-initialise. */
struct xe_card {
	struct drm_node node;
	struct sx_oa_device device;
	struct oa_catalog catalog;
	/* Rights, by files alone. */
	bool privileged, paranoid, perf_open; /* perf_event_paranoid is 0 or less */
	uint32_t kernel;		      /* version, as nodes_kernel_version() */
	/* What the driver answers. */
	struct xe_unit units[XE_UNITS_MAX];
	uint32_t unit_count;
	struct xe_gt gts[XE_GTS_MAX];
	uint32_t gt_count;
	uint32_t l3_banks, compute_engines, copy_engines; /* 0: unknown */
};

/* Reads what sysfs and procfs tell. */
void xe_card_read_files(const struct sx_sys *sys, struct xe_card *card);
/* NULL when streams can be opened, else why not; *remedy says what to do, *status its kind. */
const char *xe_card_obstacle(const struct sx_sys *sys, const struct xe_card *card,
			     enum sx_status *status, const char **remedy);
/* Whether the rule of this kernel lets this process observe, and where not, why and what to do. */
bool xe_card_allowed(const struct xe_card *card, const char **because, const char **remedy);

/*
 * Asks the driver for units, clocks, topology and engines. Errors: SX_ERR_UNSUPPORTED (no unit, an
 * answer that makes no sense), SX_ERR_DEVICE_LOST, SX_ERR_NO_MEMORY, SX_ERR_IO.
 */
enum sx_status xe_card_query(const struct sx_sys *sys, int fd, struct xe_card *card,
			     struct sx_error *err);
/* The frequency of the timestamps of a GT's engines; 0: unknown. */
uint64_t xe_card_reference_hz(const struct xe_card *card, uint16_t gt_id);

/* The driver's word for a report format; false when this device's generation has no such format. */
bool xe_format_word(uint32_t device_id, enum sx_oa_format format, uint32_t *word);

/* A metric set in the kernel. */
struct xe_config {
	uint64_t id;
	bool added; /* by us, and to be removed */
	enum sx_oa_format format;
	uint32_t media; /* address of a register of the media unit that counts it; 0: none */
	char set[64];
	char uuid[37];	 /* as recordings tell it */
	char kernel[37]; /* as the kernel has it */
};

/*
 * Adds the set's configuration, under the set's uuid or, where that is taken, under one made of the
 * writes: the kernel does not tell what it holds, so only that name is believed. Errors: those of
 * oa_programs_build(), SX_ERR_PERMISSION, SX_ERR_UNSUPPORTED (a register or format that the kernel
 * refuses), SX_ERR_BUSY, SX_ERR_IO.
 */
enum sx_status xe_config_open(const struct oa_place *place,
			      const struct oa_programs_request *request, struct xe_config *out,
			      struct sx_error *err);
/* Removes what was added. SX_ERR_IO when the kernel keeps it. */
enum sx_status xe_config_close(const struct oa_place *place, struct xe_config *config,
			       struct sx_error *err);

/* An opened device. What steps of oa_steps are takes its `oa`. */
struct xe_oa {
	struct oa_source oa; /* first */
	struct xe_card card;
	struct sx_oa_constants known; /* of the device by its topology */
	struct sx_constant_value constants[XE_OA_CONSTANTS_MAX];
	struct xe_config config;
	const struct xe_unit *unit;
	uint64_t heard_ns;	    /* when the last report or sign of life came */
	uint8_t *reports, *records; /* what read() gave, and what is made of it */
	uint32_t losses;	    /* enum of XE_STATUS_: not yet told */
	uint32_t ever;		    /* the same, since the start */
	bool gone;		    /* the driver has said so */
	bool clock_told;	    /* the note of a clock of its own was given */
	uint32_t noted;		    /* XE_STATUS_ bits that a note was given of */
};

/* As oa_steps.attempt. */
enum sx_status xe_stream_attempt(struct oa_source *source, struct sx_error *err);
/* Opens and starts the stream of s->config. Errors: SX_ERR_PERMISSION, SX_ERR_BUSY,
 * SX_ERR_UNSUPPORTED, SX_ERR_NOT_FOUND (the configuration is gone), SX_ERR_NO_MEMORY, SX_ERR_IO. */
enum sx_status xe_stream_open(struct xe_oa *s, struct sx_error *err);
/* Nothing more is counted; what the kernel has can still be read. */
void xe_stream_stop(struct oa_source *source);
/* Ends the stream. */
void xe_stream_close(struct oa_source *source);
/* The next records, SX_AGAIN, SX_END once stopped and read, or an error. */
enum sx_status xe_stream_read(struct oa_source *source, int timeout_ms, struct raw_sample *out,
			      struct sx_error *err);
/* Chooses the unit that counts s->config. Errors: SX_ERR_UNSUPPORTED. */
enum sx_status xe_unit_choose(struct xe_oa *s, struct sx_error *err);

/* Writes a record with a pair of CPU and GPU time; its size, or 0. s->gone when the device is. */
size_t xe_oa_pair(struct oa_source *source, uint8_t *out, size_t cap);

#endif
