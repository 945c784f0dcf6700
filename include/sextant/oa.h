/*
 * Intel OA, Haswell to Xe2: reports, recordings, flexible EU events and triggers. Everything here
 * works on bytes and numbers; no device is touched. Functions are thread-safe for different
 * objects.
 */
#ifndef SEXTANT_OA_H
#define SEXTANT_OA_H

#include <sextant/sample.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sx_catalog;
struct sx_context;
struct sx_table;

/* Report formats: up to 14 numbered as the i915 uAPI does, behind them those that it has not. */
enum sx_oa_format {
	SX_OA_FORMAT_NONE = 0,
	SX_OA_A13 = 1, /* to A16: Haswell */
	SX_OA_A29 = 2,
	SX_OA_A13_B8_C8 = 3,
	SX_OA_B4_C8 = 4,
	SX_OA_A45_B8_C8 = 5,
	SX_OA_B4_C8_A16 = 6,
	SX_OA_C4_B8 = 7, /* to C8: Gen8 to Gen12; Haswell's own is SX_OA_HSW_C4_B8 */
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

/* Why the OA unit wrote a report: bits, several may be set. */
enum sx_oa_reason {
	SX_OA_REASON_TIMER = 1 << 0,
	SX_OA_REASON_TRIGGER1 = 1 << 1,
	SX_OA_REASON_TRIGGER2 = 1 << 2,
	SX_OA_REASON_SWITCH = 1 << 3,
	SX_OA_REASON_GO = 1 << 4, /* entering RC6 */
	SX_OA_REASON_CLOCK_RATIO = 1 << 5,
	SX_OA_REASON_MMIO = 1 << 6, /* Gen12 on */
};

/* The head of one report. */
struct sx_oa_report {
	uint32_t id;	    /* first word as it stands: flags, or the command's own id */
	uint32_t reason;    /* enum sx_oa_reason bits; 0 for MI_REPORT_PERF_COUNT and Haswell */
	uint64_t timestamp; /* ticks: 32 bits, 56 in a long head */
	uint32_t context;   /* hardware context id, meaningful when context_valid */
	uint64_t clock;	    /* render clocks: 32 bits, 64 in a long head; 0 on Haswell */
	bool context_valid;
};

/* Bytes of a report, 0 for an unknown format. */
SX_API size_t sx_oa_format_size(enum sx_oa_format format);
/* The uAPI's name without its prefix ("A32u40_A4u32_B8_C8"), or NULL. Static storage. */
SX_API const char *sx_oa_format_name(enum sx_oa_format format);
/* The format of a name, or SX_OA_FORMAT_NONE. */
SX_API enum sx_oa_format sx_oa_format_find(const char *name);
/* Whether the format delivers an accumulator slot. */
SX_API bool sx_oa_format_has(enum sx_oa_format format, uint32_t slot);
/*
 * The format that a number of the i915 uAPI means on a device: Haswell's C4_B8 is another one than
 * Gen8's. SX_OA_FORMAT_NONE when that device has no such format.
 */
SX_API enum sx_oa_format sx_oa_format_of(uint32_t device_id, uint32_t number);
/* Catalog name of a slot ("A7"); static storage. NULL when out of range. */
SX_API const char *sx_oa_slot_name(uint32_t slot);
/* Width in bits at which a slot of a format wraps: 32, 40, 56 or 64; 0 when it has none such. */
SX_API uint32_t sx_oa_slot_bits(enum sx_oa_format format, uint32_t slot);
/* Name of the first reason in the order timer, trigger1, trigger2, switch, go, clock-ratio, mmio.
 */
SX_API const char *sx_oa_reason_name(uint32_t reason);

struct sx_oa_device;
/*
 * Reads the head of a report of a device, whose format and id say what it looks like; of an id that
 * is unknown the format alone.
 */
SX_API void sx_oa_report_read(const struct sx_oa_device *device, const uint8_t *report,
			      enum sx_oa_header header, struct sx_oa_report *out);
/*
 * Differences of all slots from report `a` to report `b`, each modulo its width; slots that the
 * format lacks are 0. Both reports are sx_oa_format_size() bytes.
 */
SX_API void sx_oa_report_delta(enum sx_oa_format format, const uint8_t *a, const uint8_t *b,
			       uint64_t out[SX_OA_SLOTS]);

#define SX_OA_SLICES_MAX    8
#define SX_OA_SUBSLICES_MAX 32

/* What a recording or the driver says of the device. Zero means unknown. */
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
 * Finds the catalog of a PCI device id by the heads of all catalogs, driven by i915 or xe; else the
 * one of the nearest id of its generation. `name` is what to open. Thread-safe.
 */
SX_API enum sx_oa_match sx_oa_find_catalog(struct sx_context *context, uint32_t device_id,
					   char name[SX_OA_CATALOG_NAME_MAX]);

/*
 * Holds the register programs of a catalog's sets against what the kernels let user space write on
 * its device, and calls `found` with a line for each program that would be refused. Returns how
 * many; 0 also where no device of Intel's is matched. Thread-safe.
 */
SX_API uint32_t sx_oa_check_programs(const struct sx_catalog *catalog,
				     void (*found)(void *user, const char *line), void *user);

/* A device constant of Intel's catalogs. */
struct sx_oa_constant {
	char name[40];
	double value;
};
#define SX_OA_CONSTANTS_MAX 320

/*
 * The constants that the device determines, at most SX_OA_CONSTANTS_MAX; returns how many. What is
 * unknown is left out; of a known topology every mask and bit is there, also those that are 0. A
 * catalog uses those that it names.
 */
SX_API uint32_t sx_oa_device_constants(const struct sx_oa_device *device,
				       struct sx_oa_constant out[SX_OA_CONSTANTS_MAX]);

/*
 * Reads the kernel's answer to a topology query (also the recorder's topology record), checking
 * every offset. Errors: SX_ERR_BAD_INPUT; then the device may be half written.
 */
SX_API enum sx_status sx_oa_read_topology(const uint8_t *answer, size_t size,
					  struct sx_oa_device *device, struct sx_error *err);

/* What the bytes are. */
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
	enum sx_oa_format format; /* SX_OA_NONE: from the recording, else the 256-byte one */
	bool only_context;	  /* count only what ran in `context` */
	uint32_t context;
	/* What is known already; a recording overrides it, but for frequencies that are given. */
	struct sx_oa_device device;
	size_t batch_rows; /* rows after which feed asks to be drained; 0: 4096 */
	/* Told of every oddity: "offset 4096: …". May be NULL. A few of one kind at most. */
	void (*note)(void *user, const char *line);
	void *note_user;
};

/* What was seen. */
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
 * Takes bytes in the order of the file. *used receives how many were taken; the rest, at most a
 * record and the head behind it (64 KiB), has to come again with what follows it. SX_OK: feed more.
 * SX_AGAIN: rows are complete, take them and call sx_oa_decoder_drain(). Errors: SX_ERR_BAD_INPUT,
 * SX_ERR_UNSUPPORTED (not such a recording), SX_ERR_LIMIT (more contexts than 65536),
 * SX_ERR_NO_MEMORY.
 */
SX_API enum sx_status sx_oa_decoder_feed(struct sx_oa_decoder *decoder, const uint8_t *data,
					 size_t size, size_t *used, struct sx_error *err);
/*
 * Tells that no bytes follow those that the next sx_oa_decoder_feed() gets, which then looks for
 * records inside one that is cut off. Useful before the last bytes of a file are fed again.
 */
SX_API void sx_oa_decoder_end(struct sx_oa_decoder *decoder);
/*
 * Ends the input; `left` bytes could not be taken. Rows are complete then. SX_INCOMPLETE when
 * anything was lost, skipped or cut off; SX_ERR_BAD_INPUT when there was no interval at all.
 */
SX_API enum sx_status sx_oa_decoder_finish(struct sx_oa_decoder *decoder, size_t left,
					   struct sx_error *err);
/* The rows so far, complete after SX_AGAIN and finish. Owned by the decoder; NULL before a format
 * is known. */
SX_API struct sx_table *sx_oa_decoder_rows(struct sx_oa_decoder *decoder);
/* Drops the rows. */
SX_API void sx_oa_decoder_drain(struct sx_oa_decoder *decoder);
/* Completes the rows of what was fed so far, as a live stream needs; sums go on. */
SX_API enum sx_status sx_oa_decoder_flush(struct sx_oa_decoder *decoder, struct sx_error *err);
/* What is known of the device. Lives as long as the decoder. */
SX_API const struct sx_oa_device *sx_oa_decoder_device(const struct sx_oa_decoder *decoder);
/* What was seen so far. Lives as long as the decoder. */
SX_API const struct sx_oa_stats *sx_oa_decoder_stats(const struct sx_oa_decoder *decoder);

/* Records of the recorder's format, written into `out`; each returns its size, 0 when it exceeds
 * cap. */
SX_API size_t sx_oa_write_version(uint8_t *out, size_t cap);
/* See sx_oa_write_version(). */
SX_API size_t sx_oa_write_device(uint8_t *out, size_t cap, const struct sx_oa_device *device);
/* See sx_oa_write_version(). */
SX_API size_t sx_oa_write_topology(uint8_t *out, size_t cap, const struct sx_oa_device *device);
/* See sx_oa_write_version(). cpu_ns of CLOCK_MONOTONIC, gpu_ticks of the 36-bit timestamp. */
SX_API size_t sx_oa_write_correlation(uint8_t *out, size_t cap, uint64_t cpu_ns,
				      uint64_t gpu_ticks);
/* See sx_oa_write_version(). One report as a sample record. */
SX_API size_t sx_oa_write_sample(uint8_t *out, size_t cap, const uint8_t *report, size_t size);

/* One flexible EU event: what makes its counter advance, and two filters. */
struct sx_oa_flex {
	uint8_t event, coarse, fine; /* encodings of the manual, 0 to 15 */
};

/* Where one flexible counter is programmed. */
struct sx_oa_flex_place {
	uint32_t counter;	   /* 7 to 20: A7 to A20 */
	const char *register_name; /* "EU_PERF_CNT_CTL0"; static storage */
	uint32_t address;
	uint32_t shift; /* of the 12-bit field in the register: 0 or 12 */
};

enum sx_oa_flex_part { SX_OA_FLEX_EVENT, SX_OA_FLEX_COARSE, SX_OA_FLEX_FINE };
#define SX_OA_FLEX_WARNINGS_MAX 4

/* Name of an encoding ("fpu0-active", "ps", "ternary"), or NULL when the manual defines none. */
SX_API const char *sx_oa_flex_name(enum sx_oa_flex_part part, uint32_t encoding);
/* One line on an encoding, or NULL. Static storage. */
SX_API const char *sx_oa_flex_describe(enum sx_oa_flex_part part, uint32_t encoding);
/* Finds an encoding by name or number. Errors: SX_ERR_NOT_FOUND; the remedy lists the names. */
SX_API enum sx_status sx_oa_flex_find(enum sx_oa_flex_part part, const char *text, uint8_t *out,
				      struct sx_error *err);
/* Place of a counter by number (7 to 20); false outside. */
SX_API bool sx_oa_flex_place(uint32_t counter, struct sx_oa_flex_place *out);
/* The even counter of a register, by address, name (EU_PERF_CNT_CTL0, EU_PERF_CNTL0) or number in
 * text; 0 when there is none. */
SX_API uint32_t sx_oa_flex_register(const char *text);
/* The 12-bit field of an event. */
SX_API uint32_t sx_oa_flex_field(const struct sx_oa_flex *flex);
/* The event of the field of a counter in its register's value. */
SX_API struct sx_oa_flex sx_oa_flex_decode(uint32_t counter, uint32_t value);
/*
 * Checks an event by the manual's tables. SX_OK: *count warnings (static strings) say what the
 * manual calls unsupported or unreliable; *supported is false for the former. SX_ERR_UNSUPPORTED:
 * an encoding that the manual does not define. Pointers may be NULL.
 */
SX_API enum sx_status sx_oa_flex_check(const struct sx_oa_flex *flex,
				       const char *warnings[SX_OA_FLEX_WARNINGS_MAX],
				       uint32_t *count, bool *supported, struct sx_error *err);

/* One user-defined counter: `A12=eu(fpu0-active, coarse=ps, fine=ternary)`. */
struct sx_oa_flex_counter {
	uint32_t counter; /* 7 to 20 */
	struct sx_oa_flex flex;
};

#define SX_OA_FLEX_COUNTERS 14

/* Parses a user-defined counter. Errors: SX_ERR_USAGE (malformed, or a filter given twice),
 * SX_ERR_NOT_FOUND, SX_ERR_UNSUPPORTED. */
SX_API enum sx_status sx_oa_flex_parse(const char *text, struct sx_oa_flex_counter *out,
				       struct sx_error *err);
/*
 * Adds a counter to those of one run, `all` with room for SX_OA_FLEX_COUNTERS; one that is there
 * with the same event is left as it is. Errors: SX_ERR_USAGE (the counter has another event).
 */
SX_API enum sx_status sx_oa_flex_merge(struct sx_oa_flex_counter *all, uint32_t *count,
				       const struct sx_oa_flex_counter *added,
				       struct sx_error *err);
/* What a metric set, by its index in the catalog, has the counter (7 to 20) count; false when it
 * leaves the register alone. */
SX_API bool sx_oa_flex_programmed(const struct sx_catalog *catalog, uint32_t group,
				  uint32_t counter, struct sx_oa_flex *out);
#define SX_OA_FLEX_TEXT_MAX 80
/* Writes "eu(fpu0-active, coarse=ps)" into `out`, and returns it. */
SX_API const char *sx_oa_flex_text(const struct sx_oa_flex *flex, char out[SX_OA_FLEX_TEXT_MAX]);
/*
 * Whether a metric set, by its index in the catalog, leaves the counter free or has it count that
 * very event. Errors: SX_ERR_USAGE; the remedy names counters or sets that are free.
 */
SX_API enum sx_status sx_oa_flex_fits(const struct sx_catalog *catalog, uint32_t group,
				      const struct sx_oa_flex_counter *counter,
				      struct sx_error *err);

/*
 * Trigger and custom event (CEC) registers as text, one register a line, for example
 * "OACEC3_0: compare=equal value=0x0 source=boolean". Fields that are 0 may be left out.
 */
#define SX_OA_TRIGGER_TEXT_MAX 256

/* Writes the line of a register. Errors: SX_ERR_NOT_FOUND (no such register). */
SX_API enum sx_status sx_oa_trigger_describe(uint32_t address, uint32_t value,
					     char out[SX_OA_TRIGGER_TEXT_MAX],
					     struct sx_error *err);
/* Reads a line. Errors: SX_ERR_NOT_FOUND (register, field or name), SX_ERR_USAGE (malformed, or a
 * field given twice), SX_ERR_UNSUPPORTED (see sx_oa_trigger_check()). */
SX_API enum sx_status sx_oa_trigger_parse(const char *text, uint32_t *address, uint32_t *value,
					  struct sx_error *err);
/*
 * Checks a register's value by the manual. *warning, which may be asked for by a pointer, receives
 * what it leaves undefined although published sets use it (static storage), or NULL. Errors:
 * SX_ERR_NOT_FOUND (no such register), SX_ERR_UNSUPPORTED (an encoding without a meaning, or bits
 * that must be zero).
 */
SX_API enum sx_status sx_oa_trigger_check(uint32_t address, uint32_t value, const char **warning,
					  struct sx_error *err);

/* One field of such a register. */
struct sx_oa_trigger_field {
	const char *name; /* static storage */
	uint32_t value;
	bool shown;	  /* false: it is 0, and that says nothing */
	char text[20];	  /* the value as encoding reads it: a name, or a number */
	char meaning[96]; /* "inputs left out: 0-2, 4-15" */
};
/* The n-th field, from bit 0 up, of a register with this value; false behind the last one. */
SX_API bool sx_oa_trigger_field(uint32_t address, uint32_t value, uint32_t index,
				struct sx_oa_trigger_field *out);
/* Address of a register by name ("OACEC3_0", "OASTARTTRIG1") or number; 0 when there is none. */
SX_API uint32_t sx_oa_trigger_register(const char *text);

/* A custom event: B counter n advances on each clock in which event n holds. */
struct sx_oa_cec {
	uint32_t control, mask; /* CECn_0 and CECn_1 */
};

/*
 * Whether the event holds for these inputs (16 bits): 1 or 0; -1 when its compare code has no
 * published meaning.
 */
SX_API int sx_oa_cec_holds(const struct sx_oa_cec *cec, uint32_t inputs);

#ifdef __cplusplus
}
#endif

#endif
