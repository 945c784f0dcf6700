/*
 * A fake kernel with an xe card: sysfs, the device queries and the observation interface with their
 * errors, one stream a unit, and a device model. It is as strict as the driver, and stricter where
 * the driver would wait for ever: that aborts. Any call can be made to fail.
 */
#ifndef TESTS_DEVICES_XE_OA_H
#define TESTS_DEVICES_XE_OA_H

#include <stdbool.h>

#include <sextant/oa.h>
#include "base/sys.h"
#include "source/xe_oa/uapi.h"

#define FAKE_XE_CONFIGS	  16
#define FAKE_XE_FDS	  16
#define FAKE_XE_UNITS	  4
#define FAKE_XE_CARD_FD	  3
#define FAKE_XE_STREAM_FD 4

struct fake_xe_config {
	bool used;
	char uuid[37];
	uint64_t id;
	bool tests; /* writes what TestOa writes */
};

struct fake_xe_unit {
	uint32_t type;
	uint16_t gt_id;
	uint32_t engine_count;
	struct xe_engine engines[2];
};

/* What happens to a device that goes: its stream says nothing, or loses everything. */
enum fake_xe_gone { FAKE_XE_HERE, FAKE_XE_SILENT, FAKE_XE_NOISY };

struct fake_xe {
	struct sx_sys sys;
	uint64_t now_ns;
	uint64_t look_ns; /* that each look at the clock takes */
	/* Failing: the fail_at-th call returns fail_errno. */
	unsigned calls, fail_at;
	int fail_errno;
	/* The machine. */
	uint32_t device_id, version; /* graphics, times 100 */
	const char *kernel;	     /* release */
	bool paranoid, capable, has_metrics, no_cards, other_driver, no_render_node, no_card_node;
	int perf_paranoid;
	uint32_t cores, eus; /* masks: DSS, EUs of each */
	uint64_t oa_hz, reference_hz, clock_hz;
	uint64_t told_media_hz;	   /* what media units are said to have; 0: the same */
	double clock_drift;	   /* of the GPU's timestamp against the CPU's */
	bool old_caps;		   /* a kernel before buffer sizes and GT ids of units */
	uint32_t refused_register; /* that this kernel's lists lack, or 0 */
	bool wrong_core;	   /* a XeCore that does not count */
	bool takes_over;    /* the process that removes one adds its own, which gets the id */
	int vanish;	    /* so many OPENs find that the configuration was removed */
	int open_errno;	    /* of OPEN, always */
	int topology_errno; /* of the topology's query */
	bool held;	    /* another process has the streams of all units */
	uint8_t cut;	    /* answers of queries: 1 a byte short, 2 counts too high */
	struct fake_xe_unit units[FAKE_XE_UNITS];
	uint32_t unit_count;
	/* State. */
	int open_fds;
	bool fds[FAKE_XE_FDS];
	bool stream, enabled, nonblocking, cloexec;
	struct fake_xe_config configs[FAKE_XE_CONFIGS], active;
	uint64_t next_id;
	/* Of the stream. */
	uint64_t unit, set_id, exponent, buffer_bytes;
	uint32_t format; /* the driver's word */
	uint32_t report_bytes;
	uint64_t properties; /* mask of those that OPEN was given */
	bool disabled_at_open, periodic, sample, pollin;
	uint64_t first_ticks, next_ticks, end_ticks; /* UINT64_MAX: still counting */
	uint64_t enabled_ns, looked_ns, wait_reports;
	uint32_t status, read_status; /* of the unit, of the last read() */
	bool trampled;		      /* the buffer overflowed, and was not begun anew */
	/* Behaviour of the stream. */
	uint32_t lose; /* XE_STATUS_ bits that come next; a report goes with REPORT_LOST */
	enum fake_xe_gone gone;
	int read_errno;
	unsigned restarts;
};

/* A Battlemage with eight XeCores, nothing opened, every privilege, Linux 7.0. */
void fake_xe_init(struct fake_xe *fake);
/* The same machine with another GPU; of those that the catalogs describe. */
void fake_xe_become(struct fake_xe *fake, uint32_t device_id, uint32_t version);
/* Puts a configuration there as another tool would: something under this uuid. */
void fake_xe_add_foreign(struct fake_xe *fake, const char *uuid, uint64_t id);
/* Of the card's parts: its timestamp at a time, the answer to a query, the report at a timestamp.
 */
uint64_t fake_xe_ticks(const struct fake_xe *fake, uint64_t ns);
int fake_xe_query(struct fake_xe *fake, struct xe_device_query *query);
void fake_xe_report(const struct fake_xe *fake, uint64_t at, uint8_t *report);
/* Who may observe: the driver's rule, and from Linux 7.3 on perf's beside it. */
bool fake_xe_may_observe(const struct fake_xe *fake);
/* Configurations, as ioctls ask for them; NULL: there is none of this number. */
struct fake_xe_config *fake_xe_find_config(struct fake_xe *fake, uint64_t id);
int fake_xe_add_config(struct fake_xe *fake, const struct xe_oa_config *config);
int fake_xe_remove_config(struct fake_xe *fake, uint64_t id);
/* Configurations that are there. */
unsigned fake_xe_config_count(const struct fake_xe *fake);

#endif
