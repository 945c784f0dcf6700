/*
 * Facts about a device, and about its samples in one run. Sources, sessions, captures, imported
 * files and reports describe devices with these.
 */
#ifndef SEXTANT_DEVICE_H
#define SEXTANT_DEVICE_H

#include <sextant/sample.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a device is. The struct that embeds this says how long strings and constants live. */
struct sx_device_facts {
	const char *name;    /* the driver's or chip's own; NULL: unknown */
	const char *driver;  /* name and version, or NULL */
	const char *source;  /* what delivers its samples: a source, or a kind of file */
	const char *set;     /* the metric set that is programmed; NULL: none, or unknown */
	const char *variant; /* of its catalog, such as an API; or NULL */
	const char *clock;   /* what its times count from; NULL: the default of the describer */
	uint32_t number;     /* its number for --device in its run, capture or file */
	uint32_t instance;   /* index among its source's devices, from 0 */
	bool simulated;	     /* a model makes its values, not hardware */
	const struct sx_constant_value *constants;
	uint32_t constant_count;
};

/* A time without samples, and why. */
struct sx_gap {
	uint64_t begin_ns, end_ns; /* SX_TIME_UNKNOWN: to the end */
	uint64_t lost;		   /* samples; UINT64_MAX: unknown how many */
	const char *text;	   /* or NULL */
};

/* Facts about a device's samples in one run. */
struct sx_run_facts {
	uint64_t lost;	   /* lost samples, as far as they are known */
	bool lost_more;	   /* also an unknown number of others were lost */
	uint64_t left_out; /* lines or rows of a file that could not be read, as a note says */
	bool partial;	   /* the recording was cut or damaged: a note says so */
	/*
	 * This source is one of several ways into the program, the user did not name it, and it
	 * gave no sample where another did: views leave it out.
	 */
	bool unused;
	const struct sx_error *silence; /* why there is no sample at all, or NULL */
	const struct sx_error *failure; /* why samples are missing since failed_after_ns, or NULL */
	uint64_t failed_after_ns;	/* in ns of the run */
	struct sx_strings notes;	/* what the user should know, most important first */
	const struct sx_gap *gaps;	/* in order of time, as far as they are known */
	uint32_t gap_count;
};

#ifdef __cplusplus
}
#endif

#endif
