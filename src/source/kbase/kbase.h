/* The parts of the kbase source: the opened device, and its two readers. */
#ifndef KBASE_KBASE_H
#define KBASE_KBASE_H

#include "source/kbase/uapi.h"
#include "base/clock_fit.h"
#include "source/mali/mali.h"
#include "source/source.h"

#define KBASE_PERIOD_MIN_NS UINT64_C(100000)	 /* the driver would silently raise less */
#define KBASE_PERIOD_MAX_NS UINT64_C(4294967295) /* the driver would silently cut more */
#define KBASE_PERIOD_NS	    UINT64_C(10000000)	 /* when none is asked for */

enum kbase_reader {
	KBASE_READER_NONE,
	KBASE_READER_KINSTR,
	KBASE_READER_KINSTR_MANUAL, /* versions with a faulty timer of their own: we time */
	KBASE_READER_VINSTR,
};

/* What opening a node found out. */
struct kbase_device {
	int fd;
	bool csf;
	struct kbase_version version;
	struct mali_id id;
	bool known; /* by a catalog: */
	struct mali_model_info model;
	enum kbase_reader reader;
	bool states; /* the driver reports states of blocks */
};

/* CLOCK_MONOTONIC_RAW, in which the driver stamps, against CLOCK_MONOTONIC. */
struct kbase_clock {
	struct clock_fit fit;
	uint64_t last_raw_ns, last_ns; /* the newest conversion; 0: none */
	uint32_t jumps_reported;
};

struct kinstr {
	int fd;
	uint8_t *map;
	size_t map_size, meta_size;
	uint32_t values[MALI_KINDS], instances[MALI_KINDS];
	uint8_t set[MALI_KINDS];
	bool found[MALI_KINDS];
	bool periodic, stop_due;
	uint64_t period_ns, due_ns, next_sequence;
	uint64_t missed;  /* samples that were due and not taken, since the last one */
	uint32_t damaged; /* samples in a row that were not whole */
};

struct vinstr {
	int fd;
	uint8_t *map;
	size_t map_size, buffer_size;
	uint32_t buffers;
	bool cycles;
	uint64_t last_ns, period_ns; /* end of the sample before; 0: none */
};

struct kbase {
	struct source base;
	struct kbase_device device;
	struct source_desc desc;
	struct sx_constant_value constants[MALI_CONSTANTS_MAX];
	char driver[64];
	uint64_t started_ns; /* CLOCK_MONOTONIC_RAW */
	struct kbase_clock clock;
	struct mali_raw raw;
	uint64_t groups[MALI_KINDS]; /* bit n: slots 4n to 4n + 3 are wanted */
	bool started, stopped, lost;
	char note[160], reported[160]; /* for the user: to be read, and read last */
	union {
		struct kinstr kinstr;
		struct vinstr vinstr;
	} u;
};

/* Opens /dev/mali<unit> and asks what it is. device->fd is -1 on failure. */
enum sx_status kbase_identify(const struct source_host *host, unsigned unit,
			      struct kbase_device *device, struct sx_error *err);
void kbase_release(const struct sx_sys *sys, struct kbase_device *device);

/* Takes a pair of readings, for the line through them. Errors: SX_ERR_IO. */
enum sx_status kbase_clock_measure(const struct sx_sys *sys, struct kbase_clock *clock,
				   struct sx_error *err);
/* A stamp of the driver as CLOCK_MONOTONIC; takes a further pair when one is due. */
uint64_t kbase_clock_convert(const struct sx_sys *sys, struct kbase_clock *clock, uint64_t raw_ns);
/* CLOCK_MONOTONIC_RAW now, or 0. */
uint64_t kbase_clock_raw_now(const struct sx_sys *sys);

/* ioctl, again while a signal interrupts it. */
int kbase_ioctl(const struct sx_sys *sys, int fd, unsigned long request, void *arg);
/* The error of a call that failed while counting; a device that is gone is SX_ERR_DEVICE_LOST. */
enum sx_status kbase_failed(struct kbase *k, const char *what, struct sx_error *err);
/* The error of a set-up that the driver refuses. */
enum sx_status kbase_refused(const struct kbase *k, int why, struct sx_error *err);
/* Samples that an interval of `took_ns` swallowed. */
uint64_t kbase_swallowed(uint64_t took_ns, uint64_t period_ns);

/*
 * The readers: try() sets up and takes down again; start() enables the wanted groups and begins;
 * read() as source_ops.read; stop() ends sampling, what was sampled can still be read; close()
 * releases everything, also after a failure.
 */
enum sx_status kinstr_try(struct kbase *k, struct sx_error *err);
enum sx_status kinstr_start(struct kbase *k, uint64_t period_ns, bool manual, struct sx_error *err);
enum sx_status kinstr_read(struct kbase *k, int timeout_ms, struct raw_sample *out,
			   struct sx_error *err);
enum sx_status kinstr_stop(struct kbase *k, struct sx_error *err);
void kinstr_close(struct kbase *k);
enum sx_status vinstr_try(struct kbase *k, struct sx_error *err);
enum sx_status vinstr_start(struct kbase *k, uint64_t period_ns, struct sx_error *err);
enum sx_status vinstr_read(struct kbase *k, int timeout_ms, struct raw_sample *out,
			   struct sx_error *err);
enum sx_status vinstr_stop(struct kbase *k, struct sx_error *err);
void vinstr_close(struct kbase *k);

/*
 * Walks the enumeration that the driver returned, `stride` bytes an item; fills what each kind of
 * block has. false when it is not one, or lacks blocks or requests that are needed. Pure.
 */
bool kinstr_parse_enumeration(const uint8_t *list, uint32_t stride, uint32_t count,
			      struct kinstr *out);
/*
 * Turns the sample with metadata at `offset` of the map into a raw dump. false when anything in it
 * points outside of the map. Pure.
 */
bool kinstr_parse_sample(struct kbase *k, uint64_t offset, struct raw_sample *out);

#endif
