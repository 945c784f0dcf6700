/*
 * The i915 OA source, in parts: what the device is, the configuration in the kernel and the source
 * itself (i915_oa.c), the stream (stream.c). What it shares with Xe is in source/oa.
 */
#ifndef SOURCE_I915_OA_I915_OA_H
#define SOURCE_I915_OA_I915_OA_H

#include "source/oa/oa.h"

#define I915_PARANOID "dev.i915.perf_stream_paranoid"
/* What brings OA metrics: there is no option of the kernel's build for them. */
#define I915_OA_KERNEL                                                                             \
	"a kernel of 4.17 or later that knows this GPU; virtual functions have no OA unit"
#define I915_OA_BUFFER ((size_t)256 * 1024) /* of one read() */

/* What the kernel had when the stream ended: one read() of it. */
struct i915_piece {
	struct i915_piece *next;
	size_t size;
	uint8_t data[];
};

/* An opened device. `reports` of its `oa` are a pair record, then what read() gave. */
struct i915_oa {
	struct oa_source oa; /* first */
	uint32_t perf_revision;
	uint64_t register_hz; /* of the timestamp register, where reports count another */
	struct sx_oa_constants constants;
	uint64_t poll_ns; /* of the kernel's look at reports */
	bool stretched;	  /* the interval asked for was too short */
	struct i915_piece *left, **left_end;
};

/* Steps of a stream (stream.c); see oa_steps. */
enum sx_status i915_stream_prepare(struct oa_source *s, struct sx_error *err);
int i915_stream_open(struct oa_source *s);
enum sx_status i915_stream_refused(struct oa_source *s, int why, struct sx_error *err);
enum sx_status i915_stream_begin(struct oa_source *s, struct sx_error *err);
enum sx_status i915_stream_read(struct oa_source *s, int timeout_ms, struct raw_sample *out,
				struct sx_error *err);
/* Keeps what the kernel has for us, then ends the stream. */
void i915_stream_drain(struct oa_source *s);
void i915_stream_forget(struct oa_source *s);
bool i915_read_pair(struct oa_source *s, struct oa_pair *out);

#endif
