/*
 * The Xe OA source, in parts: what the device is (card.c), the stream (stream.c), the configuration
 * in the kernel and the source itself (xe_oa.c). What it shares with i915 is in source/oa.
 */
#ifndef SOURCE_XE_OA_XE_OA_H
#define SOURCE_XE_OA_XE_OA_H

#include "source/oa/oa.h"
#include "source/xe_oa/uapi.h"

#define XE_PARANOID	    "dev.xe.observation_paranoid"
#define XE_UNITS_MAX	    16
#define XE_GTS_MAX	    8
#define XE_READ		    ((size_t)256 * 1024) /* of one read() */
#define XE_SMALLEST	    64			 /* report */
#define XE_RECORD	    8			 /* what a record has before its report */
#define XE_RECORDS	    (OA_PAIR_RECORD + 2 * XE_RECORD + XE_READ + XE_READ / XE_SMALLEST * XE_RECORD)
#define XE_OA_CONSTANTS_MAX (SX_OA_CONSTANTS_MAX + 3)

/* A unit that counts, and an engine with timestamps on its clock. */
struct xe_unit {
	uint32_t id, type; /* enum xe_oa_unit_type */
	uint64_t capabilities, timestamp_hz;
	struct xe_engine engine;
	bool has_engine, has_gt;
	uint16_t gt_id;
};

/* An opened device. `media` of its configuration is a register of the unit that counts it. */
struct xe_oa {
	struct oa_source oa; /* first */
	/* What the driver answers. */
	struct xe_unit units[XE_UNITS_MAX];
	uint32_t unit_count;
	struct xe_gt gts[XE_GTS_MAX];
	uint32_t gt_count;
	uint32_t l3_banks, compute_engines, copy_engines; /* 0: unknown */
	struct sx_oa_constants known;			  /* of the device by its topology */
	struct sx_constant_value constants[XE_OA_CONSTANTS_MAX];
	/* Of the stream. */
	const struct xe_unit *unit;
	uint64_t heard_ns; /* when the last report or sign of life came; 0: none since the start */
	uint32_t losses;   /* enum of XE_STATUS_: not yet reported */
	uint32_t ever;	   /* the same, since the start */
	uint32_t noted;	   /* XE_STATUS_ bits that a note was given of */
	bool gone;	   /* the driver has said so */
	bool clock_reported; /* the note of a clock of its own was given */
};

/* Steps of cards (card.c) and streams (stream.c); see oa_steps. */
void xe_card_read_files(const struct sx_sys *sys, struct oa_card *card);
bool xe_card_allowed(const struct oa_card *card, const char **because, const char **remedy);
/*
 * Asks for units, clocks, topology and engines. Errors: SX_ERR_UNSUPPORTED (no unit, an answer that
 * makes no sense), SX_ERR_DEVICE_LOST, SX_ERR_NO_MEMORY, SX_ERR_IO.
 */
enum sx_status xe_card_query(struct oa_source *s, struct sx_error *err);
/* The frequency of the timestamps of a GT's engines; 0: unknown. */
uint64_t xe_card_reference_hz(const struct xe_oa *s, uint16_t gt_id);
/* The driver's word for a report format; false when this device's generation has no such format. */
bool xe_format_word(uint32_t device_id, enum sx_oa_format format, uint32_t *word);
enum sx_status xe_stream_prepare(struct oa_source *s, struct sx_error *err);
int xe_stream_open(struct oa_source *s);
enum sx_status xe_stream_refused(struct oa_source *s, int why, struct sx_error *err);
enum sx_status xe_stream_begin(struct oa_source *s, struct sx_error *err);
enum sx_status xe_stream_read(struct oa_source *s, int timeout_ms, struct raw_sample *out,
			      struct sx_error *err);
void xe_stream_stop(struct oa_source *s);
/* When a device that went would have been silent for too long. */
uint64_t xe_stream_silent_ns(const struct xe_oa *s, unsigned periods);
bool xe_read_pair(struct oa_source *s, struct oa_pair *out);

#endif
