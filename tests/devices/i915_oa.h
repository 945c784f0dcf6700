/*
 * A fake kernel with an i915 card: sysfs, the perf ioctls with their errors, one exclusive stream,
 * and a device model with consistent counters. Any call can be made to fail.
 */
#ifndef TESTS_DEVICES_I915_OA_H
#define TESTS_DEVICES_I915_OA_H

#include <stdbool.h>

#include <sextant/oa.h>
#include "base/sys.h"

#define FAKE_I915_CONFIGS 64
#define FAKE_I915_FDS	  16

struct fake_i915_config {
	bool used;
	char uuid[37];
	uint64_t id;
	uint32_t counts[3];  /* mux, boolean, flex */
	uint32_t flex[7];    /* by register */
	bool tests_ratios;   /* writes what TestOa writes */
	uint32_t *writes[3]; /* pairs, as the kernel stores them; fake_i915_finish() frees them */
};

struct fake_i915 {
	struct sx_sys sys;
	uint64_t now_ns;
	uint64_t look_ns; /* that each look at the clock takes */
	/* Failing: the fail_at-th call returns fail_errno. */
	unsigned calls, fail_at;
	int fail_errno;
	/* The machine. */
	struct sx_oa_device device;
	bool paranoid, capable, has_metrics, wrong_ratio, no_cards;
	uint32_t perf_revision;
	uint64_t max_rate_hz;
	uint64_t clock_hz; /* render clock of the model */
	bool frequency_params;
	bool no_render_node, no_card_node; /* in /dev/dri: no permission to open it */
	bool old_clock_param;	   /* a kernel without the parameter for the OA unit's frequency */
	bool no_config_query;	   /* a kernel that cannot read configurations back */
	uint32_t refused_register; /* that this kernel's allow-lists lack, or 0 */
	double clock_drift;	   /* of the GPU's timestamp against the CPU's: 0.01 is 1 % */
	bool takes_over; /* the process that removes one adds its own, which gets the id */
	int vanish;	 /* so many OPENs find their configuration removed by another process */
	int open_errno, add_errno; /* of PERF_OPEN, of ADD_CONFIG, always */
	int topology_errno;	   /* of the topology's query, in its item */
	bool held;		   /* another process has the stream */
	/* State. */
	int open_fds;
	bool fds[FAKE_I915_FDS];
	int stream; /* fd, or 0 */
	struct fake_i915_config configs[FAKE_I915_CONFIGS], *active;
	uint64_t next_id, set_id;
	enum sx_oa_format format; /* of the stream */
	bool media;		  /* its unit */
	uint32_t exponent;
	uint64_t started_ticks, next_ticks; /* of the next report */
	uint64_t opened_ns, poll_ns;	    /* of the stream; period of the timer that looks */
	uint64_t seen_ns;		    /* last look of the timer that read() has used up */
	uint64_t properties;		    /* bit mask of those that OPEN was given */
	/* Behaviour of the stream. */
	bool false_poll, lose_report, lose_buffer, gone;
	int read_errno;
};

/* A GT2 Broadwell, nothing opened, every privilege. */
void fake_i915_init(struct fake_i915 *fake);
/* Frees what configurations hold. */
void fake_i915_finish(struct fake_i915 *fake);
/* Puts a configuration there as another tool would: half of what belongs under the uuid. */
void fake_i915_add_foreign(struct fake_i915 *fake, const char *uuid, uint64_t id);
/* Configurations that were added and not removed. */
unsigned fake_i915_config_count(const struct fake_i915 *fake);

#endif
