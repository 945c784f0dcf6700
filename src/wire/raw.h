/* Raw samples: what a source delivers and a decoder turns into rows. Pure data, no calls. */
#ifndef WIRE_RAW_H
#define WIRE_RAW_H

#include <sextant/sample.h>

/* What the bytes of a raw sample are; each kind has one decoder of the same base name. */
enum raw_kind {
	RAW_GUEST, /* a record of a program's channel, docs/guest-channel.md */
	/* OA records: as read() of i915 perf returns them, and as made of xe's reports */
	RAW_I915_OA,
	RAW_MALI,     /* one dump; see wire/mali.h */
	RAW_VALUES,   /* u64 values, one for each counter described, then one quality byte each */
	RAW_ROWS,     /* `data` points to a struct sx_rows that the source owns (replay) */
	RAW_KERNELS,  /* an OpenCL command, with values of its own meaning */
	RAW_COUNTERS, /* as RAW_GUEST, of an OpenGL driver's own counters */
	RAW_NOTE,     /* text: something the user should know (a gap, a loss) */
};

enum raw_flags {
	RAW_LOST = 1 << 0,	/* samples before this one were lost; sums still hold */
	RAW_BROKEN = 1 << 1,	/* this sample does not continue the one before it */
	RAW_STRETCHED = 1 << 2, /* longer than the interval asked for */
	RAW_PARTIAL = 1 << 3,	/* of a note: what the samples come from is not whole */
};

struct raw_sample {
	enum raw_kind kind;
	uint32_t flags;
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC, or SX_TIME_UNKNOWN */
	uint64_t lost;		   /* samples known to be lost before this one */
	const uint8_t *data;	   /* valid until the next call to the source */
	size_t size;
};

#endif
