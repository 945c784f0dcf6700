/* The source of all PMUs, in parts: the kernel's tree of them, events, what feeds a counter, runs.
 */
#ifndef SOURCE_PMU_PMU_H
#define SOURCE_PMU_PMU_H

#include "base/mem.h"
#include "source/perf/perf.h"
#include "source/source.h"

#define PMU_TERMS_MAX 256
#define PMU_UNIT_MAX  24
#define PMU_CONFIGS   3 /* config to config2; what counts has no more */
#define PMU_FEED_MAX  (PMU_NAME_MAX + PMU_TERMS_MAX + 64)

/* An event, encoded for one PMU. */
struct pmu_code {
	uint32_t type;
	uint64_t config[PMU_CONFIGS];
	double scale;		 /* of one count, in `unit`; 1 */
	char unit[PMU_UNIT_MAX]; /* the kernel's word, or empty */
	bool is_state;		 /* a reading, not a count: the kernel's "snapshot" */
};

/*
 * Encodes terms as perf takes them ("cas_count_read", "event=0x4,umask=3") for a PMU. Errors:
 * SX_ERR_NOT_FOUND (no such event or field), SX_ERR_BAD_INPUT (malformed, or a value that does not
 * fit), SX_ERR_USAGE (the event wants a parameter).
 */
enum sx_status pmu_encode(const struct sx_sys *sys, const struct pmu_device *device,
			  const char *terms, struct pmu_code *out, struct sx_error *err);
/*
 * Encodes an event by its name in libpfm4's tables ("skl::INST_RETIRED:ANY"). Errors:
 * SX_ERR_UNSUPPORTED without the library, SX_ERR_NOT_FOUND.
 */
enum sx_status pmu_encode_name(const struct sx_sys *sys, const char *name, struct pmu_code *out,
			       struct sx_error *err);

/* Where a counter comes from: "64 bytes * PMU/TERMS/", or a name of libpfm4's. */
struct pmu_feed {
	double each;		 /* what one count is worth, in `unit`; 0: as the kernel says */
	char unit[PMU_UNIT_MAX]; /* of the catalog's list */
	char pmu[PMU_NAME_MAX];	 /* a glob; empty: a name of libpfm4's */
	char terms[PMU_TERMS_MAX];
};

/* Takes such a text apart. Errors: SX_ERR_BAD_INPUT. */
enum sx_status pmu_feed_parse(const char *text, struct pmu_feed *out, struct sx_error *err);
/* The next of a sum of such texts, "A + B"; false behind the last one. */
bool pmu_feed_next(const char **sum, char out[PMU_FEED_MAX]);
/* Whether each event of a sum can be taken apart. Errors: SX_ERR_BAD_INPUT. */
enum sx_status pmu_feed_check(const char *sum, struct sx_error *err);
/*
 * What one count is worth in units of a counter, or as so many of its requests' bytes.
 * Errors: SX_ERR_BAD_INPUT when the two measure different things.
 */
enum sx_status pmu_feed_factor(const struct pmu_feed *feed, const struct pmu_code *code,
			       const struct sx_counter_info *counter, double *out,
			       struct sx_error *err);
/* The unit of the catalog's list that suits a feed best, for a counter made for it. */
const char *pmu_feed_unit(const struct pmu_feed *feed, const struct pmu_code *code);

/* One event that an output is made of. */
struct pmu_part {
	uint32_t output, device; /* device: SX_NONE of a name of libpfm4's */
	struct pmu_code code;
	double factor;
};

/* One value that is delivered. */
struct pmu_output {
	char *name;
	uint32_t counter;		     /* in the catalog */
	int error;			     /* errno of an event that could not be opened, or 0 */
	const struct pmu_device *unreadable; /* the PMU that the event would have come from */
	bool is_open;
	bool is_share;	/* how much of the time the others were counted */
	double pending; /* what is below one unit, carried to the next sample */
	/* Of a sample, while its events are added up. */
	double sum;
	uint8_t quality;
};

/* How a counter is fed instead of by its catalog. */
struct pmu_map {
	const char *name, *from;
};

/* One run, from start() to stop(). Zero-initialise but for the first members. */
struct pmu_run {
	const struct sx_sys *sys;
	const struct pmu_list *list;
	struct sx_catalog *catalog;
	const struct pmu_map *maps;
	uint32_t map_count;
	pid_t pid; /* 0: the whole machine */
	struct pmu_output *outputs;
	uint32_t output_count;
	const char **names;
	const char **whys;  /* why a value can never be had, or NULL; of each */
	struct arena texts; /* of `whys` */
	struct pmu_part *parts;
	uint32_t part_count;
	size_t part_cap;
	struct perf_events events; /* a member is a part */
	uint32_t turns;		   /* groups of the PMU that has most; 1: no multiplexing */
	double counted;		   /* lowest share of a sample in which an event was counted */
	char note[1024];	   /* what the user should know; empty: nothing */
};

/* Finds what feeds the counters, and opens it. pmu_run_finish() in every case. */
enum sx_status pmu_run_start(struct pmu_run *run, const struct source_request *request,
			     struct sx_error *err);
/* Reads every event. */
void pmu_run_read(struct pmu_run *run);
/* What lies between the two readings before, as RAW_VALUES; what is now becomes what was before. */
struct interval_source;
void pmu_run_values(struct pmu_run *run, struct interval_source *to);
void pmu_run_finish(struct pmu_run *run);

/* The encoding of the first event that a feed names on this machine; false when there is none. */
bool pmu_find_code(const struct pmu_run *run, const struct pmu_feed *feed, struct pmu_code *out);

/* Opens all parts, those of one PMU in as few groups as it has room for. */
enum sx_status pmu_groups_open(struct pmu_run *run, struct sx_error *err);
/* Puts into words what is not collected, and why: each output's, and the note. */
void pmu_note_write(struct pmu_run *run);

/* Tries every event; a line each. Errors: SX_INCOMPLETE when one is not as it should be. */
enum sx_status pmu_selftest(const struct sx_sys *sys, const struct pmu_list *list,
			    const struct note_sink *to, struct sx_error *err);

#endif
