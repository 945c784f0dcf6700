/* Intel OA for the files of this folder and the decoder: little-endian access, record types. */
#ifndef OA_OA_H
#define OA_OA_H

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
#define OA_REPORT_MAX	  256
#define OA_DEVICE_PAYLOAD 336
#define OA_NO_CONTEXT	  0xffffffffu
#define OA_TIMESTAMP_HZ	  12500000u
#define OA_HIGHEST_HZ	  1300000000u /* above every Broadwell; used when the device is unknown */

static inline uint32_t oa_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t oa_u64(const uint8_t *p)
{
	return (uint64_t)oa_u32(p) | (uint64_t)oa_u32(p + 4) << 32;
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

/* Where a format has its A, B and C counters. Static storage; 0 for an unknown format. */
size_t oa_format_runs(enum sx_oa_format format, const struct oa_run **runs);

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
