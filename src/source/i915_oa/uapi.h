/*
 * The kernel's i915 perf interface: the numbers and structures that we use, so that no kernel
 * header is needed. A test compares them with libdrm's where that is installed.
 */
#ifndef SOURCE_I915_OA_UAPI_H
#define SOURCE_I915_OA_UAPI_H

#include <stdint.h>

#define I915_PERF_OPEN		0x40106476ul
#define I915_PERF_ADD_CONFIG	0x40486477ul
#define I915_PERF_REMOVE_CONFIG 0x40086478ul
#define I915_QUERY		0xc0106479ul
#define I915_GETPARAM		0xc0106446ul
#define I915_REG_READ		0xc0106471ul
#define I915_STREAM_ENABLE	0x6900ul

enum i915_param {
	I915_CHIPSET_ID = 4,
	I915_REVISION = 32,
	I915_CS_TIMESTAMP_HZ = 51,
	I915_PERF_REVISION = 54,
	I915_OA_TIMESTAMP_HZ = 57,
};

struct i915_getparam {
	int32_t param;
	int32_t *value;
};

struct i915_reg_read {
	uint64_t offset;
	uint64_t value;
};
#define I915_RENDER_TIMESTAMP (0x2358u | 1u) /* 36 bits, read whole */

#define I915_QUERY_TOPOLOGY	 1
#define I915_QUERY_PERF_CONFIG	 3
#define I915_CONFIG_DATA_BY_UUID 2 /* flags of the item */
struct i915_query_item {
	uint64_t query_id;
	int32_t length; /* 0: asks for it; negative: an errno */
	uint32_t flags;
	uint64_t data;
};
struct i915_query {
	uint32_t count;
	uint32_t flags;
	uint64_t items;
};

enum i915_property {
	I915_PROP_CONTEXT = 1,
	I915_PROP_SAMPLE = 2,
	I915_PROP_SET = 3,
	I915_PROP_FORMAT = 4,
	I915_PROP_EXPONENT = 5,
	I915_PROP_HOLD_PREEMPTION = 6,
	I915_PROP_SSEU = 7,
	I915_PROP_POLL_PERIOD = 8,
	I915_PROP_ENGINE_CLASS = 9,
	I915_PROP_ENGINE_INSTANCE = 10,
};
#define I915_ENGINE_VIDEO 2
enum {
	I915_OPEN_CLOEXEC = 1 << 0,
	I915_OPEN_NONBLOCK = 1 << 1,
	I915_OPEN_DISABLED = 1 << 2,
};
struct i915_perf_open {
	uint32_t flags;
	uint32_t count;
	uint64_t properties; /* count pairs of u64 */
};

struct i915_perf_config {
	char uuid[36];
	uint32_t mux_count, boolean_count, flex_count;
	uint64_t mux, boolean, flex; /* pairs of u32: address and value */
};

/* What I915_QUERY_PERF_CONFIG reads and writes: asked with counts of 0 it fills in the counts. */
struct i915_query_config {
	char uuid[40]; /* 36 bytes of it */
	uint32_t flags;
	uint32_t pad;
	struct i915_perf_config config;
};

/* What the kernel keeps to itself of two registers: it drops these bits of what it is given. */
#define I915_CHICKEN2	   0xe180u
#define I915_CHICKEN2_KEPT (1u << 13 | 1u << 29)
#define I915_RC6_EXIT	   0x20ccu
#define I915_RC6_EXIT_KEPT (1u << 0 | 1u << 16)
#define I915_ENOTSUPP	   524 /* the kernel's own number, which libc has no name for */

#endif
