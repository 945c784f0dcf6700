/*
 * Intel OA, Haswell to Xe2: turns reports and recordings of them into rows. Everything here works
 * on bytes and numbers; no device is accessed. Functions are thread-safe for different objects.
 */
#ifndef SEXTANT_OA_H
#define SEXTANT_OA_H

#include <sextant/catalog.h>
#include <sextant/sample.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sx_context;
struct sx_table;

/*
 * Report formats: up to 14 as the i915 uAPI numbers them; after these, formats that it does not
 * have.
 */
enum sx_oa_format {
	SX_OA_FORMAT_NONE = 0,
	SX_OA_A13 = 1, /* 1 to 6: Haswell */
	SX_OA_A29 = 2,
	SX_OA_A13_B8_C8 = 3,
	SX_OA_B4_C8 = 4,
	SX_OA_A45_B8_C8 = 5,
	SX_OA_B4_C8_A16 = 6,
	SX_OA_C4_B8 = 7, /* 7 to 11: Gen8 to Gen12; Haswell's is SX_OA_HSW_C4_B8 */
	SX_OA_A12 = 8,
	SX_OA_A12_B8_C8 = 9,
	SX_OA_A32U40_A4U32_B8_C8 = 10,
	SX_OA_OAR_A32U40_A4U32_B8_C8 = 11,
	SX_OA_A24U40_A14U32_B8_C8 = 12, /* Arc A-series, Meteor Lake */
	SX_OA_MPEC8U64_B8_C8 = 13,	/* the media unit */
	SX_OA_MPEC8U32_B8_C8 = 14,
	SX_OA_HSW_C4_B8 = 64,
	SX_OA_PEC64U64 = 65, /* Xe2 from here on */
	SX_OA_PEC64U64_B8_C8 = 66,
	SX_OA_PEC64U32 = 67,
	SX_OA_PEC32U64_G1 = 68,
	SX_OA_PEC32U32_G1 = 69,
	SX_OA_PEC32U64_G2 = 70,
	SX_OA_PEC32U32_G2 = 71,
	SX_OA_PEC36U64_G1_32_G2_4 = 72,
	SX_OA_PEC36U64_G1_4_G2_32 = 73,
};

/* Who wrote a report: the OA unit into its buffer, or MI_REPORT_PERF_COUNT. */
enum sx_oa_header { SX_OA_HEADER_BUFFER, SX_OA_HEADER_COMMAND };

/* Accumulator slots: GPU_TIME, GPU_CLOCK, A0..A44, B0..B7, C0..C7, PEC0..PEC63. */
enum {
	SX_OA_TIME,
	SX_OA_CLOCK,
	SX_OA_A0,
	SX_OA_B0 = 47,
	SX_OA_C0 = 55,
	SX_OA_PEC0 = 63,
	SX_OA_SLOTS = 127
};

/* The uAPI's name without its prefix ("A32u40_A4u32_B8_C8"), or NULL. Static storage. */
SX_API const char *sx_oa_format_name(enum sx_oa_format format);
/* The format of a name, or SX_OA_FORMAT_NONE. */
SX_API enum sx_oa_format sx_oa_format_find(const char *name);

struct sx_oa_device;

#define SX_OA_SLICES_MAX    8
#define SX_OA_SUBSLICES_MAX 32

/* The device, as a recording or the driver describes it. Zero means unknown. */
struct sx_oa_device {
	uint64_t timestamp_hz;
	uint32_t device_id, revision; /* PCI */
	uint32_t gt_min_hz, gt_max_hz;
	uint32_t engine_class, engine_instance;
	enum sx_oa_format format;
	char set[256]; /* symbol of the metric set, for example "RenderBasic" */
	char uuid[40];
	uint32_t max_slices, max_subslices, max_eus; /* of the topology: per slice, per subslice */
	uint32_t slice_mask;
	uint32_t subslice_mask[SX_OA_SLICES_MAX];
	uint32_t eu_mask[SX_OA_SLICES_MAX][SX_OA_SUBSLICES_MAX];
};

/* The generation of a PCI device id, for example "Broadwell (Gen8)" or "Skylake (Gen9)"; NULL when
 * it is unknown. Static storage. */
SX_API const char *sx_oa_generation(uint32_t device_id);

#define SX_OA_CATALOG_NAME_MAX 160

enum sx_oa_match {
	SX_OA_MATCH_NONE,
	SX_OA_MATCH_NEAR, /* of another product of the same generation */
	SX_OA_MATCH_OWN,
};
/*
 * Finds the catalog of a PCI device id by the heads of all catalogs for i915 or xe; else the
 * catalog of the nearest id of its generation. `name` receives the name to open. Thread-safe.
 */
SX_API enum sx_oa_match sx_oa_find_catalog(struct sx_context *context, uint32_t device_id,
					   char name[SX_OA_CATALOG_NAME_MAX]);

/*
 * Checks the register programs of a catalog's sets against what the kernels let user space write on
 * its device, and calls `found` with a line for each program that would be refused. Returns how
 * many; 0 also for a catalog that matches no Intel device. Thread-safe.
 */
SX_API uint32_t sx_oa_check_programs(const struct sx_catalog *catalog,
				     void (*found)(void *user, const char *line), void *user);

#define SX_OA_CONSTANTS_MAX 320
/* The constants of Intel's catalogs for one device. Do not copy it: items point to names. */
struct sx_oa_constants {
	uint32_t count;
	struct sx_constant_value items[SX_OA_CONSTANTS_MAX];
	char names[SX_OA_CONSTANTS_MAX][40];
};

/*
 * Writes the constants that the device determines into *out. Unknown ones are left out; for a known
 * topology, every mask and bit is present, also those that are 0. A catalog uses those that it
 * names. Thread-safe.
 */
SX_API void sx_oa_device_constants(const struct sx_oa_device *device, struct sx_oa_constants *out);

/* The format of the input. */
enum sx_oa_input {
	SX_OA_RECORDING, /* the i915-perf-recorder's file: begins with a version record */
	SX_OA_RECORDS,	 /* i915 perf records as read() returns them */
	SX_OA_REPORTS,	 /* reports back to back */
};

/* What becomes one row. */
enum sx_oa_rows {
	SX_OA_EACH, /* every interval between two reports; it belongs to the first one's context */
	SX_OA_RESIDENCY, /* every uninterrupted stay of a context */
	SX_OA_CONTEXTS,	 /* one row a context, and one for idle time */
	SX_OA_TOTAL,	 /* one row */
};

struct sx_oa_options {
	enum sx_oa_input input;
	enum sx_oa_header header;
	enum sx_oa_rows rows;
	enum sx_oa_format format; /* SX_OA_FORMAT_NONE: from the recording, else the 256-byte one */
	bool only_context;	  /* count only what ran in `context` */
	uint32_t context;
	/*
	 * What the caller knows of the device; a recording overrides it, except for given
	 * frequencies.
	 */
	struct sx_oa_device device;
	size_t batch_rows; /* rows after which feed asks to be drained; 0: 4096 */
	/*
	 * Called for each anomaly in the input: "offset 4096: …". At most a few of one kind. May be
	 * NULL.
	 */
	void (*note)(void *user, const char *line);
	void *note_user;
};

/* Statistics of the input. */
struct sx_oa_stats {
	uint64_t bytes, reports, intervals, switches;
	uint64_t lost_reports;	/* OA_REPORT_LOST records */
	uint64_t lost_buffers;	/* OA_BUFFER_LOST records: accumulation began anew */
	uint64_t skipped_bytes; /* could not be understood */
	uint64_t correlations;
	uint64_t zero_reasons; /* reports without a reason: never written by healthy hardware */
	uint64_t fast_clocks;  /* intervals with more clocks than the highest frequency allows */
	uint64_t ambiguous;    /* intervals so long that counters may have wrapped unseen */
	uint64_t backwards;    /* timestamps that went back: accumulation began anew */
};

struct sx_oa_decoder;

/*
 * Creates a decoder. Its rows have one u64 column for each slot of the format, named as in the
 * catalog. *out is owned by the caller. Errors: SX_ERR_USAGE, SX_ERR_NO_MEMORY.
 */
SX_API enum sx_status sx_oa_decoder_create(const struct sx_oa_options *options,
					   struct sx_oa_decoder **out, struct sx_error *err);
/* Releases a decoder and its rows; NULL is fine. */
SX_API void sx_oa_decoder_destroy(struct sx_oa_decoder *decoder);
/*
 * Decodes bytes in the order of the file. *used receives how many were consumed; the rest, at most
 * a record and the head behind it (64 KiB), must be passed again with what follows it. SX_OK: feed
 * more. SX_AGAIN: rows are complete, use them and call sx_oa_decoder_drain(). Errors:
 * SX_ERR_BAD_INPUT, SX_ERR_UNSUPPORTED (not such a recording), SX_ERR_LIMIT (more contexts than
 * 65536), SX_ERR_NO_MEMORY.
 */
SX_API enum sx_status sx_oa_decoder_feed(struct sx_oa_decoder *decoder, const uint8_t *data,
					 size_t size, size_t *used, struct sx_error *err);
/*
 * Says that the bytes of the next sx_oa_decoder_feed() are the last ones. That call then also looks
 * for records inside a record that is cut off. Useful before the last bytes of a file are fed
 * again.
 */
SX_API void sx_oa_decoder_end(struct sx_oa_decoder *decoder);
/*
 * Ends the input; `left` bytes could not be consumed. Rows are complete then. SX_INCOMPLETE when
 * anything was lost, skipped or cut off; SX_ERR_BAD_INPUT when there was no interval at all.
 */
SX_API enum sx_status sx_oa_decoder_finish(struct sx_oa_decoder *decoder, size_t left,
					   struct sx_error *err);
/* The rows so far, complete after SX_AGAIN and finish. Owned by the decoder; NULL before a format
 * is known. */
SX_API struct sx_table *sx_oa_decoder_rows(struct sx_oa_decoder *decoder);
/* Drops the rows. */
SX_API void sx_oa_decoder_drain(struct sx_oa_decoder *decoder);
/* The device, as far as it is known. Lives as long as the decoder. */
SX_API const struct sx_oa_device *sx_oa_decoder_device(const struct sx_oa_decoder *decoder);
/* The statistics so far. Lives as long as the decoder. */
SX_API const struct sx_oa_stats *sx_oa_decoder_stats(const struct sx_oa_decoder *decoder);

#ifdef __cplusplus
}
#endif

#endif
