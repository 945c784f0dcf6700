/*
 * A fake kbase kernel driver behind struct sx_sys: one node, both readers, its own clock, and on
 * demand each defect that versions of the real one are known for, or a failing system call.
 */
#ifndef DEVICES_KBASE_H
#define DEVICES_KBASE_H

#include <stdbool.h>

#include "base/sys.h"
#include "source/kbase/uapi.h"
#include "source/mali/mali.h"

#define FAKE_RING 32

/* What one block counted from begin_ns to end_ns; the first four slots are the driver's. */
typedef void (*fake_count_fn)(void *user, enum mali_kind kind, uint32_t index, uint64_t begin_ns,
			      uint64_t end_ns, uint64_t *values, uint32_t slots);

struct fake_sample {
	uint64_t begin_ns, end_ns, sequence;
	uint32_t flags;
};

struct fake_kbase {
	struct sx_sys sys; /* hand out &fake.sys */
	/* the device */
	bool csf;
	struct kbase_version version;
	uint64_t gpu_id, core_mask;
	uint32_t slices, bus_log2, slots;
	int open_errno; /* what opening the node fails with, or 0 */
	bool no_char_device;
	/* how this version differs or misbehaves */
	uint32_t enum_stride, meta_size; /* 0: 32 and 48 */
	bool no_sentinel;		 /* the enumeration ends with its last block */
	bool extra_blocks;		 /* firmware and unknown kinds of block as well */
	bool physical_cores;		 /* cores are numbered with their holes */
	bool empty_stop_sample;		 /* a stop may emit a sample of no time */
	bool drops_stop_sample;		 /* no last sample */
	bool missing_props;
	uint32_t state;	      /* of every block */
	uint32_t max_buffers; /* vinstr: ENOMEM above */
	uint32_t bad_offset;  /* values of blocks point here */
	uint32_t bad_sample;  /* only in the sample of this sequence number; 0: in all */
	uint32_t error_flag;  /* flags of every sample */
	int setup_errno;      /* what setting up a reader fails with, or 0 */
	int gone;	      /* the errno of a device that went away, or 0 */
	double drift;	      /* of CLOCK_MONOTONIC against CLOCK_MONOTONIC_RAW: 1e-4 is 100 ppm */
	/* a fault: the call with this number (from 1) fails */
	unsigned fail_at, calls;
	int fail_errno;
	/* counting */
	fake_count_fn count;
	void *user;
	/* state */
	uint64_t now_ns;  /* CLOCK_MONOTONIC_RAW */
	uint64_t look_ns; /* that each look at the clock takes */
	int64_t offset_ns;
	int node_fds, reader_fds, maps; /* open ones */
	bool periodic, running, held;
	uint64_t period_ns, begin_ns, next_sequence;
	uint64_t masks[4][2];
	struct fake_sample ring[FAKE_RING];
	uint32_t head, used;
	uint8_t *memory;
	size_t memory_size;
	uint32_t buffers; /* vinstr */
	uint32_t groups[4];
	bool vinstr;
};

/* A healthy Mali-G625 of 6 cores with interface 1.24; change members before use. */
void fake_kbase_init(struct fake_kbase *fake);
void fake_kbase_finish(struct fake_kbase *fake);
/* Lets time pass, and the driver's timer with it. */
void fake_kbase_advance(struct fake_kbase *fake, uint64_t ns);
/* True when everything that was opened, mapped and fetched was given back. */
bool fake_kbase_clean(const struct fake_kbase *fake);
/* The default counts: linear in time, different for each block and slot. */
uint64_t fake_kbase_rate(enum mali_kind kind, uint32_t index, uint32_t slot);

/* Between the files of the fake. */
uint32_t fake_kbase_blocks(const struct fake_kbase *fake);
void fake_kbase_emit(struct fake_kbase *fake, uint32_t flags);
/* The n-th block in the driver's order; index is the physical number of a core. */
void fake_kbase_block(const struct fake_kbase *fake, uint32_t n, enum mali_kind *kind,
		      uint32_t *index);
void fake_kbase_values(struct fake_kbase *fake, enum mali_kind kind, uint32_t index,
		       const struct fake_sample *sample, uint64_t *values);
int fake_kinstr_ioctl(struct fake_kbase *fake, unsigned long request, void *arg);
int fake_kinstr_setup(struct fake_kbase *fake, union kbase_setup *setup);
int fake_kinstr_enum(struct fake_kbase *fake, struct kbase_enum_info *info);
int fake_vinstr_ioctl(struct fake_kbase *fake, unsigned long request, void *arg);
int fake_vinstr_setup(struct fake_kbase *fake, const struct kbase_reader_setup *setup);

#endif
