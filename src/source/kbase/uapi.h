/*
 * The ioctls and structures of Arm's kbase driver that reading counters needs: numbers and layouts
 * as the driver's public headers define them. All structures are alike for 32- and 64-bit programs.
 */
#ifndef KBASE_UAPI_H
#define KBASE_UAPI_H

#include <stdint.h>

/* The device node */
#define KBASE_VERSION_CHECK_JM	0xc0048000u
#define KBASE_VERSION_CHECK_CSF 0xc0048034u
#define KBASE_SET_FLAGS		0x40048001u
#define KBASE_GET_GPUPROPS	0x40108003u
#define KBASE_HWCNT_SETUP	0x40148008u
#define KBASE_KINSTR_ENUM	0xc0108038u
#define KBASE_KINSTR_SETUP	0xc0108039u

#define KBASE_FLAG_MONITOR_SUBMIT_DISABLED (1u << 1)

struct kbase_version {
	uint16_t major, minor;
};
struct kbase_flags {
	uint32_t create_flags;
};
struct kbase_gpuprops {
	uint64_t buffer;
	uint32_t size, flags;
};

/* Properties: little-endian pairs of key (id << 2 | log2 of the value's width) and value. */
enum {
	KBASE_PROP_L2_LOG2_SIZE = 14,
	KBASE_PROP_L2_SLICES = 15,
	KBASE_PROP_SHADER_PRESENT = 25,
	KBASE_PROP_L2_FEATURES = 29,
	KBASE_PROP_CORE_FEATURES = 30,
	KBASE_PROP_MEM_FEATURES = 31,
	KBASE_PROP_GPU_ID = 55,
	KBASE_PROP_FREQ_KHZ_MAX = 6,
	KBASE_PROP_GROUP_0 = 64, /* core masks of 16 coherency groups */
	KBASE_PROP_GROUP_15 = 79,
};

/* kinstr_prfcnt: enumeration */
struct kbase_enum_info {
	uint32_t item_size, item_count;
	uint64_t list;
};
enum { KBASE_ENUM_BLOCK, KBASE_ENUM_REQUEST, KBASE_ENUM_SAMPLE_INFO };
struct kbase_enum_item {
	uint16_t type, version;
	uint32_t pad;
	union {
		struct {
			uint8_t type, set, pad[2];
			uint16_t instances, values;
			uint64_t mask[2];
		} block;
		struct {
			uint16_t what, pad;
			uint32_t versions;
		} request;
		struct {
			uint32_t clocks, pad;
		} info;
		uint8_t bytes[24];
	} u;
};

/* kinstr_prfcnt: set-up */
enum { KBASE_REQUEST_NONE = 0, KBASE_REQUEST_MODE = 0x1000, KBASE_REQUEST_ENABLE = 0x1001 };
enum { KBASE_MODE_MANUAL, KBASE_MODE_PERIODIC };
struct kbase_request {
	uint16_t type, version;
	uint32_t pad;
	union {
		struct {
			uint8_t mode, pad[7];
			uint64_t period_ns;
		} mode;
		struct {
			uint8_t block, set, pad[6];
			uint64_t mask[2];
		} enable;
		uint8_t bytes[24];
	} u;
};
union kbase_setup {
	struct {
		uint32_t count, item_size;
		uint64_t list;
	} in;
	struct {
		uint32_t item_size, mmap_size;
	} out;
};

/* kinstr_prfcnt: the descriptor that set-up returns */
#define KBASE_KINSTR_CMD 0x4010bf00u
#define KBASE_KINSTR_GET 0x8010bf01u
#define KBASE_KINSTR_PUT 0x4010bf10u
enum {
	KBASE_CMD_START = 1,
	KBASE_CMD_STOP,
	KBASE_CMD_SAMPLE_SYNC,
	KBASE_CMD_SAMPLE_ASYNC,
	KBASE_CMD_DISCARD
};
struct kbase_cmd {
	uint16_t cmd, pad[3];
	uint64_t user_data;
};
struct kbase_access {
	uint64_t sequence, offset;
};
enum { KBASE_META_NONE = 0, KBASE_META_SAMPLE = 0x2000, KBASE_META_CLOCK, KBASE_META_BLOCK };
enum { KBASE_SAMPLE_OVERFLOW = 1u << 0, KBASE_SAMPLE_ERROR = 1u << 30 };
struct kbase_meta {
	uint16_t type, version;
	uint32_t pad;
	union {
		struct {
			uint64_t begin_ns, end_ns, sequence, user_data;
			uint32_t flags, pad;
		} sample;
		struct {
			uint32_t domains, pad;
			uint64_t cycles[4];
		} clock;
		struct {
			uint8_t type, index, set, pad;
			uint32_t state, offset, pad2;
		} block;
		uint8_t bytes[40];
	} u;
};

/* vinstr, the older reader */
#define KBASE_READER_VERSION_FEATURES 0x4008beffu
#define KBASE_READER_VERSION	      0x4004beffu
#define KBASE_READER_BUFFER_SIZE      0x8004be01u
#define KBASE_READER_DUMP	      0x4004be10u
#define KBASE_READER_GET	      0x8010be20u
#define KBASE_READER_GET_CYCLES	      0x8020be20u
#define KBASE_READER_PUT	      0x4010be21u
#define KBASE_READER_PUT_CYCLES	      0x4020be21u
#define KBASE_READER_INTERVAL	      0x4004be30u
struct kbase_reader_setup {
	uint32_t buffers, front_end, shader, tiler, memory;
};
struct kbase_reader_version {
	uint32_t version, features;
};
struct kbase_reader_buffer {
	uint64_t timestamp;
	uint32_t event, index;
	uint64_t top_cycles, shader_cycles; /* with cycles only */
};

_Static_assert(sizeof(struct kbase_gpuprops) == 16, "as the ioctl number says");
_Static_assert(sizeof(struct kbase_enum_info) == 16, "as the ioctl number says");
_Static_assert(sizeof(struct kbase_enum_item) == 32, "as the driver lays it out");
_Static_assert(sizeof(struct kbase_request) == 32, "as the driver lays it out");
_Static_assert(sizeof(union kbase_setup) == 16, "as the ioctl number says");
_Static_assert(sizeof(struct kbase_cmd) == 16, "as the ioctl number says");
_Static_assert(sizeof(struct kbase_access) == 16, "as the ioctl number says");
_Static_assert(sizeof(struct kbase_meta) == 48, "as the driver lays it out");
_Static_assert(sizeof(struct kbase_reader_setup) == 20, "as the ioctl number says");
_Static_assert(sizeof(struct kbase_reader_buffer) == 32, "as the ioctl number says");

#endif
