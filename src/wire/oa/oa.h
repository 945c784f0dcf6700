/* Intel OA for the files of this folder and the decoder: little-endian access, record types. */
#ifndef OA_OA_H
#define OA_OA_H

#include <sextant/catalog.h>
#include <sextant/oa.h>

#include "wire/oa/delta.h"

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

static inline uint32_t oa_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t oa_u64(const uint8_t *p)
{
	return (uint64_t)oa_u32(p) | (uint64_t)oa_u32(p + 4) << 32;
}

/* Bytes of the record whose head is at `record`, head included, as it says. */
static inline size_t oa_record_size(const uint8_t record[OA_RECORD_HEADER])
{
	return (size_t)(record[6] | record[7] << 8);
}

static inline void oa_put32(uint8_t *p, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

static inline void oa_put64(uint8_t *p, uint64_t value)
{
	oa_put32(p, (uint32_t)value);
	oa_put32(p + 4, (uint32_t)(value >> 32));
}

/* Where a format has its counters. Static storage; 0 for an unknown format. */
size_t oa_format_runs(enum sx_oa_format format, const struct oa_run **runs);

/* What stands before the counters. */
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
void oa_head_read(const struct oa_shape *shape, const uint8_t *report, struct sx_oa_report *out);

/* One generation, by ranges of PCI device ids. */
struct oa_platform {
	uint16_t first, last;
	uint16_t version;    /* of the graphics, times 100: 750 Haswell, 1255 Arc A-series */
	uint8_t threads;     /* hardware threads of an EU */
	uint32_t default_hz; /* of the timestamp, where the driver does not tell */
	char name[28];
};
/* Static storage; NULL when the id is unknown. */
const struct oa_platform *oa_platform(uint32_t device_id);
/*
 * The metric set of that name or uuid; without a name the one that a source programs when nobody
 * chose (RenderBasic, else the first). NULL when the catalog has none such.
 */
const struct sx_group_info *oa_group(const struct sx_catalog *catalog, const char *set);
/* A device id that the catalog is of, or 0: the heads of its reports look so. */
uint32_t oa_device_of(const struct sx_catalog *catalog);
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

#endif
