/*
 * The DRM source: what every kernel driver of a GPU says of itself in sysfs and of its programs in
 * fdinfo. Shared by the files of this folder only.
 */
#ifndef SOURCE_DRM_DRM_H
#define SOURCE_DRM_DRM_H

#include <limits.h>
#include "source/files.h"
#include "source/interval.h"
#include "source/nodes.h"
#include "source/source.h"

enum drm_engine {
#define ENGINE(id, key, kind, column) DRM_ENGINE_##id,
#include "source/drm/engines.def"
#undef ENGINE
	DRM_ENGINES
};

enum drm_engine_kind { DRM_GRAPHICS, DRM_COMPUTE, DRM_COPY, DRM_MEDIA, DRM_OTHER };
enum drm_engine_kind drm_engine_kind(enum drm_engine engine);

/* Regions by what they are, whatever their number and driver: vram0 and local1 are VRAM. */
enum drm_region {
	DRM_REGION_VRAM,
	DRM_REGION_GTT,
	DRM_REGION_CPU,
	DRM_REGION_SYSTEM,
	DRM_REGION_STOLEN,
	DRM_REGION_MEMORY,
	DRM_REGION_OTHER,
	DRM_REGIONS
};

enum drm_kind { DRM_TOTAL, DRM_SHARED, DRM_RESIDENT, DRM_ACTIVE, DRM_PURGEABLE, DRM_KINDS };

/* The columns: values, then engines, then regions by kind. */
enum drm_value {
#define VALUE(id, column, type, scope) DRM_##id,
#include "source/drm/values.def"
#undef VALUE
	DRM_VALUES
};
#define DRM_COLUMN_ENGINE   DRM_VALUES
#define DRM_LINKS_A_READING UINT64_C(1500) /* of processes in turn: some milliseconds */
#define DRM_FDS_MAX	    256		   /* of one card in one process: each is read every time */
#define DRM_UNITS_MAX	    64		   /* of one engine */
#define DRM_GONE	    256		   /* clients that are known again when they come back */
#define DRM_BYTES_MAX	    (UINT64_C(1) << 52) /* no memory has more */
#define DRM_COLUMN_MEMORY   ((uint32_t)DRM_VALUES + DRM_ENGINES)
#define DRM_COLUMNS	    (DRM_COLUMN_MEMORY + (uint32_t)DRM_REGIONS * (uint32_t)DRM_KINDS)

/* What a column is (drm_columns() in rows.c). */
struct drm_column {
	const char *name;
	enum sx_type type;
	bool of_work; /* of programs; else of the whole device */
};
const struct drm_column *drm_columns(void);

/* One number of a sample. */
struct drm_number {
	union {
		uint64_t u;
		double f;
	};
	bool known;
};
static inline void drm_put_u64(struct drm_number *numbers, uint32_t column, uint64_t value)
{
	numbers[column].u = value;
	numbers[column].known = true;
}
static inline void drm_put_f64(struct drm_number *numbers, uint32_t column, double value)
{
	numbers[column].f = value;
	numbers[column].known = true;
}

/* A client's descriptor, as in /proc/PID/fdinfo/N (fdinfo.c). */
struct drm_engine_use {
	bool has_ns, has_cycles, has_total;
	uint64_t ns, cycles, total, max_hz, cur_hz;
	uint32_t capacity; /* at least 1 */
};
struct drm_fdinfo {
	char driver[32], pdev[32];
	uint64_t id;
	bool has_id;
	struct drm_engine_use engines[DRM_ENGINES];
	uint64_t memory[DRM_REGIONS][DRM_KINDS];
	bool has_memory[DRM_REGIONS][DRM_KINDS];
};

/* Reads one whole text; false when it is no DRM client's. Lines that make no sense are left out. */
bool drm_fdinfo_parse(const char *text, struct drm_fdinfo *out);

/* A card, as sysfs shows it (card.c). */
struct drm_card {
	uint32_t card, render; /* render: NODES_NONE when it has none */
	char driver[32];
	char pdev[32];	    /* PCI address, or empty */
	char device[48];    /* /sys/class/drm/cardN/device */
	char hwmon[160];    /* its folder, or empty */
	char devfreq[160];  /* its folder, or empty */
	char thermal[160];  /* the zone of an SoC's GPU, or empty */
	char gt[96];	    /* i915's and xe's folder of the first GT, or empty */
	char profiling[96]; /* the switch of panfrost and panthor, or empty */
	bool is_xe;
	uint32_t vendor, device_id;
};

/* The next card of a list of nodes; false behind the last. */
bool drm_card_next(struct nodes *nodes, struct drm_card *out);
bool drm_card_find(const struct sx_sys *sys, const char *id, struct drm_card *out);
/* "Steam Deck's" name where sysfs has one, else driver and number. */
void drm_card_name(const struct drm_card *card, char *out, size_t size);
/* Whether it is suspended: reading most of its files would wake it. */
bool drm_card_sleeps(const struct sx_sys *sys, const struct drm_card *card);

/* Counts of gpu_metrics in ticks of its firmware: all, and those in which a cause held the clock.
 */
enum {
	DRM_RESIDENCY_TICKS,
	DRM_RESIDENCY_PROCHOT,
	DRM_RESIDENCY_POWER,
	DRM_RESIDENCY_SOCKET_HEAT,
	DRM_RESIDENCY_REGULATOR_HEAT,
	DRM_RESIDENCY_MEMORY_HEAT,
	DRM_RESIDENCIES
};

/* A table of amdgpu's gpu_metrics; what a revision lacks, or calls unknown, is not known. */
struct drm_gpu_metrics {
	uint32_t format, content;
	bool has_revision, is_known, /* the revision, whatever its size */
	    has_clock, has_memory_clock, has_power, has_gfx_power, has_energy, has_temperature,
	    has_hotspot, has_memory_temperature, has_fan, has_busy, has_throttle, has_reasons,
	    has_dram, has_residency;
	double clock_hz, memory_clock_hz, power_mw, gfx_power_mw, energy_uj, temperature, hotspot,
	    memory_temperature, fan, busy, dram_read,
	    dram_write; /* busy in percent, DRAM in MB/s */
	bool throttled, by_power, by_current, by_heat;
	uint64_t residency[DRM_RESIDENCIES];
	unsigned wide_residency; /* bits of those that have 64 bits; the others wrap at 32 */
};

/* SX_OK; SX_ERR_UNSUPPORTED for a revision that is not known exactly, by number. */
enum sx_status drm_gpu_metrics_parse(const uint8_t *bytes, size_t size, struct drm_gpu_metrics *out,
				     struct sx_error *err);

/* What a table was refused for, in words: of what drm_gpu_metrics_parse() filled. */
void drm_gpu_metrics_refused(const struct drm_gpu_metrics *m, char *out, size_t size);

/* Counters of energy, which begin again at `range` (card.c). */
#define DRM_ENERGIES 5
enum {
	DRM_ENERGY_CARD,
	DRM_ENERGY_PACKAGE,
	DRM_ENERGY_CORES,
	DRM_ENERGY_DRAM,
	DRM_ENERGY_PLATFORM
};
struct drm_energy {
	char folder[160], file[24];
	uint64_t range, last; /* range: 0: of 64 bits */
	bool here, primed;
	int refused; /* the errno of the last reading, or 0 */
};
struct drm_sensors {
	bool one_core; /* powercap's "core" is of one core alone, as AMD's processors have it */
	struct drm_energy energies[DRM_ENERGIES];
	char temperature[24], hotspot[24], memory_temperature[24]; /* files of the hwmon folder */
};
void drm_sensors_find(const struct sx_sys *sys, const struct drm_card *card,
		      struct drm_sensors *sensors);
void drm_sensors_read(const struct sx_sys *sys, const struct drm_card *card,
		      struct drm_sensors *sensors, struct drm_number *numbers);

/* What sysfs counted before (sysfs.c). */
#define DRM_REFUSED_MAX 64
struct drm_state {
	uint64_t idle_ms, queue_ns[3];
	uint64_t accumulated_uj; /* of gpu_metrics */
	double highest_hz;	 /* the highest clock, 0: not known */
	uint64_t residency[DRM_RESIDENCIES];
	bool idle_primed, queues_primed, accumulated_primed, residency_primed;
	char refused_metrics[DRM_REFUSED_MAX]; /* drm_gpu_metrics_refused(), or empty */
	bool asleep;
	uint64_t implausible; /* bit [column]: the device said what cannot be, at least once */
	struct drm_sensors sensors; /* set by drm_sensors_find() */
};
/*
 * Reads what the device says of itself, sensors included; deltas are of the interval that ends now.
 * One that sleeps is not woken for it.
 */
void drm_device_read(const struct sx_sys *sys, const struct drm_card *card, struct drm_state *state,
		     uint64_t interval_ns, struct drm_number *numbers);

/* Removes what is physically impossible: clocks in THz, temperatures of stars (rows.c). */
void drm_drop_implausible(struct drm_state *state, uint64_t interval_ns,
			  struct drm_number *numbers);
/* Whether a clock in Hz can be one. */
bool drm_is_clock(double hz);

/* One client of the card, and what it did in the last interval (clients/). */
struct drm_client {
	uint64_t key; /* the client's id; without one, process and descriptor */
	bool has_id, in_scope, primed;
	pid_t pid;
	uint32_t tick;	  /* the reading that saw it last */
	uint64_t read_ns; /* when that was */
	struct drm_fdinfo now;
	uint64_t cycles[DRM_ENGINES]; /* of this run, not yet in did_ns: the clock is not known */
	uint64_t did_ns[DRM_ENGINES]; /* of all units of an engine together */
};

/* How far an engine's count of all cycles came, and in how long. */
struct drm_cycle_clock {
	double cycles, ns;
};

struct drm_process {
	pid_t pid, parent, group;
	uint64_t begun; /* 0: not known yet */
	uint32_t tick;
	bool in_scope, scanned, denied, is_new, is_young; /* young: began while we watched */
	char name[32];
	int *fds; /* descriptors of the card */
	size_t fd_count, fd_cap;
	size_t looked_at; /* descriptors, where the listing was cut short; else 0 */
	uint32_t complete, complete_before; /* the last reading that saw all descriptors, or 0 */
	bool watched; /* they have all been seen, and read, in some reading before this one */
};

struct drm_clients {
	const struct sx_sys *sys;
	const struct drm_card *card;
	pid_t root;   /* 0: every process */
	bool all;     /* look at every process, also where only one is measured */
	bool resting; /* the card sleeps, and reading what its clients did would wake it */
	struct drm_process *processes;
	size_t process_count, process_cap, cursor, scope_cursor;
	struct drm_process *fresh; /* of the current listing */
	size_t fresh_count, fresh_cap;
	struct drm_client *clients; /* by key */
	size_t client_count, client_cap;
	bool seen_engine[DRM_ENGINES], seen_memory[DRM_REGIONS][DRM_KINDS];
	uint32_t capacity[DRM_ENGINES];
	uint32_t tick;
	uint64_t
	    longest_ns;	   /* the longest that an engine can have worked since the machine began */
	uint64_t begin_ns; /* of the first reading */
	uint64_t old_id;   /* clients up to this one may have done something before it */
	uint64_t gone[DRM_GONE]; /* the last clients that went */
	size_t gone_count;
	struct drm_cycle_clock clocks[DRM_ENGINES];
	size_t denied;	   /* processes that we may not look into */
	size_t links;	   /* links that may still be read in this reading */
	size_t links_most; /* of a reading, but the first one */
	bool hoarder; /* a process has descriptors that are not looked at, for they are too many */
	bool out_of_memory, failed, listed; /* failed: the last listing; listed: one was not */
	char *text;			    /* of a descriptor */
};

enum sx_status drm_clients_init(struct drm_clients *clients, struct sx_error *err);
/* Looks at the processes; what each client did since the last reading is then known. */
void drm_clients_read(struct drm_clients *clients);
void drm_clients_finish(struct drm_clients *clients);

/* Updates the list of processes and their descriptors (processes.c). */
void drm_processes_read(struct drm_clients *clients);
/* The process of that number, or NULL. */
struct drm_process *drm_find_process(const struct drm_clients *clients, pid_t pid);

/* The sum of what some clients did: those in scope, of one process (pid > 0), or all. */
struct drm_sum {
	uint64_t engine_ns[DRM_ENGINES]; /* mean over an engine's units */
	bool waits[DRM_ENGINES];	 /* for an engine's clock: that time is not all */
	uint64_t memory[DRM_REGIONS][DRM_KINDS];
	uint64_t busy_ns; /* of the busiest graphics or compute engine */
	uint64_t clients, processes;
	uint64_t cur_hz, max_hz;
	bool knows_engines;
};
void drm_clients_sum(const struct drm_clients *clients, bool scope_only, pid_t pid,
		     struct drm_sum *out);

/* The switch of panfrost's and panthor's accounting (profiling.c). */
struct drm_profiling {
	char path[128], before[24];
	int pipe; /* the guard holds the pipe's other end; -1: there is none */
	pid_t guard;
	bool on;
};
/*
 * Switches the accounting on when it is off. A guard, a process of its own, puts the switch back
 * should this one be killed. Errors: SX_ERR_PERMISSION and others.
 */
enum sx_status drm_profiling_begin(struct drm_profiling *p, const struct sx_sys *sys,
				   const struct drm_card *card, struct sx_error *err);
void drm_profiling_end(struct drm_profiling *p, const struct sx_sys *sys);

/* What prevents more numbers, and the remedies, as doctor prints them (advice.c). */
struct drm_advice {
	char because[768], remedy[512];
};
void drm_advice_make(const struct sx_sys *sys, const struct drm_card *card, struct drm_advice *out);

/* What this driver gives, in one line (drivers.def). */
void drm_driver_gives(const char *driver, char *out, size_t size);
/* What there is without a card. */
const char *drm_without_card(void);

/* Reports what must hold of the card's numbers. Errors: SX_INCOMPLETE (something does not). */
enum sx_status drm_selftest_card(const struct sx_sys *sys, const struct drm_card *card,
				 const struct note_sink *to, struct sx_error *err);

struct drm_source {
	struct interval_source in; /* first */
	struct drm_card card;
	struct drm_state state;
	/* What start() set up. */
	struct drm_clients clients;
	struct drm_profiling profiling;
	struct sx_column columns[DRM_COLUMNS];
	uint32_t wanted[DRM_COLUMNS]; /* which column each is */
	char why[DRM_COLUMNS][288];
	bool seen[DRM_COLUMNS]; /* the column had data once */
	uint32_t column_count;
	bool needs_work;
	bool ended;	       /* the program that is measured */
	uint32_t work_samples; /* readings in which programs were there to be asked */
	char note[512];
};

/* The columns that are wanted, with units and rules over time (rows.c). */
void drm_describe_columns(struct drm_source *s, const struct sx_catalog *catalog);
/* Why a column of this card has no data (advice.c). Static text, or the source's own. */
const char *drm_why(struct drm_source *s, uint32_t column);
/* What programs did, as numbers. */
void drm_put_sum(const struct drm_source *s, const struct drm_sum *sum, struct drm_number *numbers);
/* Sums over the programs what the device does not report itself. */
void drm_put_missing(const struct drm_source *s, uint64_t interval_ns, struct drm_number *numbers);
void drm_put_row(struct drm_source *s, size_t row, const struct drm_number *numbers,
		 bool stretched);
/*
 * Rows behind the first `rows`, one for each program that has the card open; returns how many there
 * are then.
 */
size_t drm_put_processes(struct drm_source *s, size_t rows, struct drm_number *numbers,
			 bool stretched);

#endif
