/* Intel OA for the files of this folder and the decoder: little-endian access, record types. */
#ifndef OA_OA_H
#define OA_OA_H

#include <sextant/catalog.h>
#include <sextant/oa.h>

#include "wire/oa/delta.h"
#include "base/little.h"

/* Record types: the first three are the kernel's, the rest the recorder's. */
enum {
	OA_RECORD_SAMPLE = 1,
	OA_RECORD_REPORT_LOST = 2,
	OA_RECORD_BUFFER_LOST = 3,
	OA_RECORD_VERSION = 65536,
	OA_RECORD_DEVICE = 65537,
	OA_RECORD_TOPOLOGY = 65538,
	OA_RECORD_CORRELATION = 65539,
};
#define OA_RECORD_HEADER  8
#define OA_REPORT_MAX	  640
#define OA_DEVICE_PAYLOAD 336
#define OA_NO_CONTEXT	  0xffffffffu
#define OA_TIMESTAMP_HZ	  12500000u
#define OA_HIGHEST_HZ	  1300000000u /* above every Broadwell; used when the limit is unknown */
#define OA_HIGHEST_LATER  3300000000u /* above every later one */

/* Bytes of the record with its head at `record`, head included, as the head says. */
static inline size_t oa_record_size(const uint8_t record[OA_RECORD_HEADER])
{
	return little_u16(record + 6);
}

/* Why the OA unit wrote a report: bits, several may be set. */
enum oa_reason {
	OA_REASON_TIMER = 1 << 0,
	OA_REASON_TRIGGER1 = 1 << 1,
	OA_REASON_TRIGGER2 = 1 << 2,
	OA_REASON_SWITCH = 1 << 3,
	OA_REASON_GO = 1 << 4, /* entering RC6 */
	OA_REASON_CLOCK_RATIO = 1 << 5,
	OA_REASON_MMIO = 1 << 6, /* Gen12 on */
};

/* The head of one report. */
struct oa_report {
	uint32_t id;	    /* first word, unchanged: flags, or the command's own id */
	uint32_t reason;    /* enum oa_reason bits; 0 for MI_REPORT_PERF_COUNT and Haswell */
	uint64_t timestamp; /* ticks: 32 bits, 56 in a long head */
	uint32_t context;   /* hardware context id, meaningful when context_valid */
	uint64_t clock;	    /* render clocks: 32 bits, 64 in a long head; 0 on Haswell */
	bool context_valid;
};

/* Where a format has its counters. Static storage; 0 for an unknown format. */
size_t oa_format_runs(enum sx_oa_format format, const struct oa_run **runs);

/* The words before the counters. */
enum oa_head {
	OA_HEAD_SHORT,	 /* 16 bytes: id, timestamp, context, clock, of 32 bits each */
	OA_HEAD_HASWELL, /* 12 bytes: no clock */
	OA_HEAD_LONG,	 /* 32 bytes: id, timestamp, context, clock, of 64 bits each */
};
enum oa_head oa_format_head(enum sx_oa_format format);

/* How to read the head of a device's reports. */
struct oa_shape {
	enum oa_head head;
	enum sx_oa_header header;
	uint32_t context_bit; /* of the id: the context is valid; 0: nothing says so */
	uint32_t reasons;     /* mask of those that the device has */
};
struct oa_shape oa_shape_of(const struct sx_oa_device *device, enum sx_oa_header header);
void oa_head_read(const struct oa_shape *shape, const uint8_t *report, struct oa_report *out);

/* One generation, by ranges of PCI device ids. */
struct oa_platform {
	uint16_t first, last;
	uint16_t version;    /* of the graphics, times 100: 750 Haswell, 1255 Arc A-series */
	uint8_t threads;     /* hardware threads of an EU */
	uint32_t default_hz; /* of the timestamp in reports, where the driver does not report it */
	char name[28];
};
/* Static storage; NULL when the id is unknown. */
const struct oa_platform *oa_platform(uint32_t device_id);
/*
 * Whether the OA unit counts time twice as fast as the command streamer's timestamp, which has half
 * the crystal's frequency there (Arc A-series, Meteor Lake, Arrow Lake). False for NULL.
 */
bool oa_counts_twice(const struct oa_platform *platform);
/*
 * The metric set of that name or uuid; without a name, the default of sources (RenderBasic, else
 * the first). NULL when the catalog has none such.
 */
const struct sx_group_info *oa_group(const struct sx_catalog *catalog, const char *set);
/* A device id that the catalog is of, or 0: the heads of its reports look so. */
uint32_t oa_device_of(const struct sx_catalog *catalog);
/* The format that most sets of the render engine have; NULL: of a platform that is not known. */
enum sx_oa_format oa_format_usual(const struct oa_platform *platform);
/* The number of the i915 uAPI for a format. */
uint32_t oa_format_number(enum sx_oa_format format);
/* Whether a PCI device id is a Broadwell. */
bool oa_is_broadwell(uint32_t device_id);

/* The next of a program's register writes, sx_program_info.writes; *at moves behind it. */
void oa_next_write(const char **at, uint32_t *address, uint32_t *value);

/* Reads the payload of a device record. SX_ERR_BAD_INPUT when it is too short, SX_ERR_UNSUPPORTED
 * for another generation or format. */
enum sx_status oa_device_read(const uint8_t *payload, size_t size, struct sx_oa_device *device,
			      struct sx_error *err);
/* Writes the topology answer; its size, 0 when it exceeds cap. */
size_t oa_topology_write(uint8_t *out, size_t cap, const struct sx_oa_device *device);
/* Enabled EUs, slices and subslices. */
void oa_device_count(const struct sx_oa_device *device, uint32_t *eus, uint32_t *slices,
		     uint32_t *subslices);

/* Bytes of a report, 0 for an unknown format. */
size_t oa_format_size(enum sx_oa_format format);
/* Whether the format delivers an accumulator slot. */
bool oa_format_has(enum sx_oa_format format, uint32_t slot);

/*
 * The format that a number of the i915 uAPI means on a device: Haswell's C4_B8 is another one than
 * Gen8's. SX_OA_FORMAT_NONE when that device has no such format.
 */
enum sx_oa_format oa_format_of(uint32_t device_id, uint32_t number);
/* Catalog name of a slot ("A7"); static storage. NULL when out of range. */
const char *oa_slot_name(uint32_t slot);
/* Width in bits at which a slot of a format wraps: 32, 40, 56 or 64; 0 when it has none such. */
uint32_t oa_slot_bits(enum sx_oa_format format, uint32_t slot);

/* Name of the first reason in the order timer, trigger1, trigger2, switch, go, clock-ratio, mmio.
 */
const char *oa_reason_name(uint32_t reason);

/*
 * Reads the head of a report. The device's format and id determine its layout; for an unknown id,
 * the format alone.
 */
void oa_report_read(const struct sx_oa_device *device, const uint8_t *report,
		    enum sx_oa_header header, struct oa_report *out);

/*
 * Differences of all slots from report `a` to report `b`, each modulo its width; slots that the
 * format lacks are 0. Both reports are oa_format_size() bytes.
 */
void oa_report_delta(enum sx_oa_format format, const uint8_t *a, const uint8_t *b,
		     uint64_t out[SX_OA_SLOTS]);

/*
 * Reads the kernel's answer to a topology query (also the recorder's topology record), checking
 * every offset. Errors: SX_ERR_BAD_INPUT; then the device may be half written.
 */
enum sx_status oa_topology_read(const uint8_t *answer, size_t size, struct sx_oa_device *device,
				struct sx_error *err);

/* Records of the recorder's format, written into `out`; each returns its size, 0 when it exceeds
 * cap. */
size_t oa_write_version(uint8_t *out, size_t cap);
/* See oa_write_version(). */
size_t oa_write_device(uint8_t *out, size_t cap, const struct sx_oa_device *device);
/* See oa_write_version(). */
size_t oa_write_topology(uint8_t *out, size_t cap, const struct sx_oa_device *device);
/* See oa_write_version(). cpu_ns of CLOCK_MONOTONIC, gpu_ticks of the 36-bit timestamp. */
size_t oa_write_correlation(uint8_t *out, size_t cap, uint64_t cpu_ns, uint64_t gpu_ticks);
/* See oa_write_version(). One report as a sample record. */
size_t oa_write_sample(uint8_t *out, size_t cap, const uint8_t *report, size_t size);

/*
 * Trigger and custom event (CEC) registers as text, one register a line, for example
 * "OACEC3_0: compare=equal value=0x0 source=boolean". Fields that are 0 may be left out.
 */
#define OA_TRIGGER_TEXT_MAX 256
/* Writes the line of a register. Errors: SX_ERR_NOT_FOUND (no such register). */
enum sx_status oa_trigger_describe(uint32_t address, uint32_t value, char out[OA_TRIGGER_TEXT_MAX],
				   struct sx_error *err);

/* Reads a line. Errors: SX_ERR_NOT_FOUND (register, field or name), SX_ERR_USAGE (malformed, or a
 * field given twice), SX_ERR_UNSUPPORTED (see oa_trigger_check()). */
enum sx_status oa_trigger_parse(const char *text, uint32_t *address, uint32_t *value,
				struct sx_error *err);

/*
 * Checks a register's value by the manual. *warning, which may be asked for by a pointer, receives
 * what it leaves undefined although published sets use it (static storage), or NULL. Errors:
 * SX_ERR_NOT_FOUND (no such register), SX_ERR_UNSUPPORTED (an encoding without a meaning, or bits
 * that must be zero).
 */
enum sx_status oa_trigger_check(uint32_t address, uint32_t value, const char **warning,
				struct sx_error *err);

/* One field of such a register. */
struct oa_trigger_field {
	const char *name; /* static storage */
	uint32_t value;
	bool shown;	  /* false: the field is 0, and that says nothing */
	char text[20];	  /* the value as encoding reads it: a name, or a number */
	char meaning[96]; /* "inputs left out: 0-2, 4-15" */
};

/* The n-th field, from bit 0 up, of a register with this value; false behind the last one. */
bool oa_trigger_field(uint32_t address, uint32_t value, uint32_t index,
		      struct oa_trigger_field *out);
/* Address of a register by name ("OACEC3_0", "OASTARTTRIG1") or number; 0 when there is none. */
uint32_t oa_trigger_register(const char *text);

#endif
