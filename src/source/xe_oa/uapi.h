/*
 * The xe driver's interface: the numbers and structures that we use, so that no kernel header is
 * needed. A test compares them with the kernel's where that is installed.
 */
#ifndef SOURCE_XE_OA_UAPI_H
#define SOURCE_XE_OA_UAPI_H

#include <stdint.h>

#define XE_DEVICE_QUERY 0xc0286440ul
#define XE_OBSERVATION	0x4020644bul

/* Of the stream's descriptor. */
#define XE_STREAM_ENABLE  0x6900ul
#define XE_STREAM_DISABLE 0x6901ul
#define XE_STREAM_STATUS  0x6903ul
#define XE_STREAM_INFO	  0x6904ul
/* The kernel's own for every descriptor: the stream comes blocking, and open across exec. */
#define XE_FIONBIO 0x5421ul
#define XE_FIOCLEX 0x5451ul

enum xe_query_id {
	XE_QUERY_ENGINES = 0,
	XE_QUERY_CONFIG = 2,
	XE_QUERY_GT_LIST = 3,
	XE_QUERY_GT_TOPOLOGY = 5,
	XE_QUERY_ENGINE_CYCLES = 6,
	XE_QUERY_OA_UNITS = 8,
};
struct xe_device_query {
	uint64_t extensions;
	uint32_t query;
	uint32_t size; /* 0: asks for it; else it has to be that */
	uint64_t data;
	uint64_t reserved[2];
};

enum xe_engine_class {
	XE_ENGINE_RENDER = 0,
	XE_ENGINE_COPY = 1,
	XE_ENGINE_VIDEO_DECODE = 2,
	XE_ENGINE_VIDEO_ENHANCE = 3,
	XE_ENGINE_COMPUTE = 4,
};
struct xe_engine {
	uint16_t engine_class, engine_instance, gt_id, pad;
};
struct xe_query_engine {
	struct xe_engine instance;
	uint64_t reserved[3];
};
struct xe_query_engines {
	uint32_t count, pad; /* struct xe_query_engine follow */
};

/* Words of 64 bits follow: the first has the PCI device id, and from bit 16 on the revision. */
struct xe_query_config {
	uint32_t count, pad;
};

enum { XE_GT_MAIN = 0, XE_GT_MEDIA = 1 };
struct xe_gt {
	uint16_t type, tile_id, gt_id, pad[3];
	uint32_t reference_clock; /* Hz, of engines' timestamps */
	uint64_t near_regions, far_regions;
	uint16_t version_major, version_minor, version_revision, pad2;
	uint64_t reserved[7];
};
struct xe_query_gt_list {
	uint32_t count, pad; /* struct xe_gt follow */
};

enum xe_topology_type {
	XE_TOPO_DSS_GEOMETRY = 1,
	XE_TOPO_DSS_COMPUTE = 2,
	XE_TOPO_L3_BANK = 3,
	XE_TOPO_EU_PER_DSS = 4,
	XE_TOPO_SIMD16_EU_PER_DSS = 5,
};
struct xe_topology_mask {
	uint16_t gt_id, type;
	uint32_t bytes; /* of the mask that follows, its lowest bits first */
};

struct xe_engine_cycles {
	struct xe_engine engine; /* in */
	int32_t clock;		 /* in: a clockid_t */
	uint32_t width;		 /* of the counter in bits */
	uint64_t cycles;
	uint64_t cpu_ns;  /* before the cycles were read */
	uint64_t took_ns; /* until they were */
};

enum xe_oa_unit_type { XE_OA_UNIT_OAG, XE_OA_UNIT_OAM, XE_OA_UNIT_OAM_SAG, XE_OA_UNIT_MERT };
enum {
	XE_OA_CAP_BASE = 1 << 0,
	XE_OA_CAP_SYNCS = 1 << 1,
	XE_OA_CAP_BUFFER_SIZE = 1 << 2,
	XE_OA_CAP_WAIT_REPORTS = 1 << 3,
	XE_OA_CAP_OAM = 1 << 4,
	XE_OA_CAP_GT_ID = 1 << 5, /* gt_id says something */
};
struct xe_oa_unit {
	uint64_t extensions;
	uint32_t id, type;
	uint64_t capabilities;
	uint64_t timestamp_hz;
	uint16_t gt_id, reserved1[3];
	uint64_t reserved[3];
	uint64_t engine_count; /* struct xe_engine follow */
};
struct xe_query_oa_units {
	uint64_t extensions;
	uint32_t count, pad; /* struct xe_oa_unit follow, each with its engines */
};

enum { XE_OBSERVE_OA = 0 };
enum { XE_OBSERVE_OPEN = 0, XE_OBSERVE_ADD_CONFIG = 1, XE_OBSERVE_REMOVE_CONFIG = 2 };
struct xe_observation {
	uint64_t extensions;
	uint64_t type, op;
	uint64_t param;
};

enum xe_oa_property {
	XE_PROP_UNIT = 1,
	XE_PROP_SAMPLE = 2,
	XE_PROP_SET = 3,
	XE_PROP_FORMAT = 4,
	XE_PROP_EXPONENT = 5,
	XE_PROP_DISABLED = 6,
	XE_PROP_EXEC_QUEUE = 7,
	XE_PROP_ENGINE_INSTANCE = 8,
	XE_PROP_NO_PREEMPT = 9,
	XE_PROP_SYNC_COUNT = 10,
	XE_PROP_SYNCS = 11,
	XE_PROP_BUFFER_SIZE = 12,
	XE_PROP_WAIT_REPORTS = 13,
};
/* One property of OPEN; they form a chain of at most 16. */
struct xe_set_property {
	uint64_t next; /* address, or 0 */
	uint32_t name; /* 0: this structure */
	uint32_t pad;
	uint32_t property, pad2;
	uint64_t value;
	uint64_t reserved[2];
};

/* A report format as the driver expects it. */
enum xe_format_type { XE_FMT_OAG, XE_FMT_OAR, XE_FMT_OAM, XE_FMT_OAC, XE_FMT_OAM_MPEC, XE_FMT_PEC };
#define XE_FORMAT(type, select, size, bc)                                                          \
	((uint32_t)(type) | (uint32_t)(select) << 8 | (uint32_t)(size) << 16 | (uint32_t)(bc) << 24)

struct xe_oa_config {
	uint64_t extensions;
	char uuid[36];
	uint32_t count;
	uint64_t registers; /* pairs of u32: address and value */
};

enum {
	XE_STATUS_REPORT_LOST = 1 << 0,
	XE_STATUS_BUFFER_OVERFLOW = 1 << 1,
	XE_STATUS_COUNTER_OVERFLOW = 1 << 2,
	XE_STATUS_TRIGGERS_FULL = 1 << 3,
};
struct xe_stream_status {
	uint64_t extensions;
	uint64_t status;
	uint64_t reserved[3];
};
struct xe_stream_info {
	uint64_t extensions;
	uint64_t buffer_bytes;
	uint64_t reserved[3];
};

#endif
