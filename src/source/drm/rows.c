/*
 * The rows of a sample: columns by the names that the catalog `drm` gives them, numbers with
 * quality, programs as labels. What no GPU of today or soon can have is a sensor's or a driver's
 * "not known".
 */
#include "base/no_data.h"
#include "source/drm/drm.h"

#include <string.h>

#define HZ_MAX	   1e11
#define MW_MAX	   1e8	       /* 100 kW */
#define MW_UNKNOWN 4294967.295 /* of uW in 32 bits, all ones */
#define COLD	   (-273.15)
#define HOT	   1000	 /* degrees */
#define RPM_MAX	   65534 /* above it: of 16 bits, all ones, and more */

static bool is_power(double mw)
{
	return mw <= MW_MAX && (mw < MW_UNKNOWN - 0.5 || mw > MW_UNKNOWN + 0.5);
}

static bool is_believable(enum drm_value column, const struct drm_number *n, uint64_t interval_ns)
{
	switch (column) {
	case DRM_CLOCK:
	case DRM_CLOCK_HIGHEST:
	case DRM_CLOCK_LIMIT:
	case DRM_MEMORY_CLOCK:
		return n->f <= HZ_MAX;
	case DRM_POWER:
	case DRM_GFX_POWER:
	case DRM_SOCKET_POWER:
	case DRM_POWER_LIMIT:
		return is_power(n->f);
	case DRM_ENERGY:
	case DRM_PACKAGE_ENERGY:
	case DRM_CORE_ENERGY:
	case DRM_DRAM_ENERGY:
	case DRM_PLATFORM_ENERGY:
		/* uJ, from mW in ns; counters step by up to a second's worth. */
		return (double)n->u <= MW_MAX * ((double)interval_ns / 1e6 + 1000);
	case DRM_TEMPERATURE:
	case DRM_HOTSPOT:
	case DRM_MEMORY_TEMPERATURE:
		return n->f >= COLD && n->f <= HOT;
	case DRM_FAN:
		return n->f <= RPM_MAX;
	case DRM_MEMORY_USED:
	case DRM_WORK_MEMORY:
	case DRM_VRAM_USED:
	case DRM_VRAM_TOTAL:
	case DRM_GTT_USED:
	case DRM_GTT_TOTAL:
		return n->u <= DRM_BYTES_MAX;
	default:
		return true;
	}
}

bool drm_is_clock(double hz)
{
	return hz <= HZ_MAX;
}

void drm_drop_implausible(struct drm_state *state, uint64_t interval_ns, struct drm_number *numbers)
{
	for (uint32_t i = 0; i < DRM_VALUES; i++)
		if (numbers[i].known &&
		    !is_believable((enum drm_value)i, &numbers[i], interval_ns)) {
			numbers[i].known = false;
			state->implausible |= UINT64_C(1) << i;
		}
}

#define CARD false
#define WORK true
#define REGION(name)                                                                               \
	{"memory." name ".total", SX_U64, WORK}, {"memory." name ".shared", SX_U64, WORK},         \
	    {"memory." name ".resident", SX_U64, WORK}, {"memory." name ".active", SX_U64, WORK},  \
	{                                                                                          \
		"memory." name ".purgeable", SX_U64, WORK                                          \
	}

const struct drm_column *drm_columns(void)
{
	static const struct drm_column columns[DRM_COLUMNS] = {
#define VALUE(id, column, type, scope) {column, type, scope},
#include "source/drm/values.def"
#undef VALUE
#define ENGINE(id, key, kind, column) {column, SX_U64, WORK},
#include "source/drm/engines.def"
#undef ENGINE
	    REGION("vram"),   REGION("gtt"),	REGION("cpu"),	 REGION("system"),
	    REGION("stolen"), REGION("memory"), REGION("other"),
	};
	return columns;
}

/* Units and rules over time are the catalog's. */
void drm_describe_columns(struct drm_source *s, const struct sx_catalog *catalog)
{
	for (uint32_t i = 0; i < s->column_count; i++) {
		uint32_t column = s->wanted[i];
		const struct drm_column *c = &drm_columns()[column];
		const char *why = NULL;
		if (s->in.by_process && !c->of_work)
			why = no_data_text(NO_DATA_WHOLE_DEVICE);
		else if (!s->seen[column])
			why = drm_why(s, column);
		s->columns[i] = interval_column(catalog, c->name, c->type, why);
	}
	s->in.desc.columns = s->columns;
	s->in.desc.column_count = s->column_count;
}

/* A card's own memory where it has any; else all memory is the GPU's. */
static bool drm_resident(const struct drm_clients *clients, const struct drm_sum *all,
			 uint64_t *used)
{
	bool own = clients->seen_memory[DRM_REGION_VRAM][DRM_RESIDENT], known = false;
	*used = 0;
	for (uint32_t r = 0; r < DRM_REGIONS; r++) {
		if ((own && r != DRM_REGION_VRAM) || !clients->seen_memory[r][DRM_RESIDENT])
			continue;
		if (__builtin_add_overflow(*used, all->memory[r][DRM_RESIDENT], used))
			*used = UINT64_MAX;
		known = true;
	}
	return known;
}

/* What programs did, as columns. */
void drm_put_sum(const struct drm_source *s, const struct drm_sum *sum, struct drm_number *numbers)
{
	const struct drm_clients *c = &s->clients;
	uint64_t used;
	drm_put_u64(numbers, DRM_PROCESSES, sum->processes);
	drm_put_u64(numbers, DRM_CLIENTS, sum->clients);
	if (sum->knows_engines)
		drm_put_u64(numbers, DRM_WORK_BUSY, sum->busy_ns);
	if (drm_resident(c, sum, &used))
		drm_put_u64(numbers, DRM_WORK_MEMORY, used);
	for (uint32_t i = 0; i < DRM_ENGINES; i++)
		if (c->seen_engine[i] && !sum->waits[i])
			drm_put_u64(numbers, DRM_COLUMN_ENGINE + i, sum->engine_ns[i]);
	for (uint32_t r = 0; r < DRM_REGIONS; r++)
		for (uint32_t k = 0; k < DRM_KINDS; k++)
			if (c->seen_memory[r][k])
				drm_put_u64(numbers, DRM_COLUMN_MEMORY + r * DRM_KINDS + k,
					    sum->memory[r][k]);
}

/* Sums over the programs what the device does not report itself. */
void drm_put_missing(const struct drm_source *s, uint64_t interval_ns, struct drm_number *numbers)
{
	struct drm_sum all;
	drm_clients_sum(&s->clients, false, 0, &all);
	if (!numbers[DRM_BUSY].known && all.knows_engines && s->clients.all)
		drm_put_u64(numbers, DRM_BUSY, all.busy_ns);
	if (!numbers[DRM_MEMORY_USED].known && s->clients.all) {
		uint64_t used;
		if (drm_resident(&s->clients, &all, &used))
			drm_put_u64(numbers, DRM_MEMORY_USED, used);
	}
	if (!numbers[DRM_CLOCK].known && all.cur_hz)
		drm_put_f64(numbers, DRM_CLOCK, (double)all.cur_hz);
	if (!numbers[DRM_CLOCK_HIGHEST].known && all.max_hz)
		drm_put_f64(numbers, DRM_CLOCK_HIGHEST, (double)all.max_hz);
	/* uJ in ns to mW */
	if (!numbers[DRM_POWER].known && numbers[DRM_ENERGY].known && interval_ns)
		drm_put_f64(numbers, DRM_POWER,
			    (double)numbers[DRM_ENERGY].u / (double)interval_ns * 1e6);
}

void drm_put_row(struct drm_source *s, size_t row, const struct drm_number *numbers, bool stretched)
{
	for (uint32_t i = 0; i < s->column_count; i++) {
		uint32_t column = s->wanted[i];
		const struct drm_number *n = &numbers[column];
		s->seen[column] |= n->known;
		unsigned quality = n->known	     ? SX_QUALITY_VALID
				   : s->seen[column] ? SX_QUALITY_GAP
						     : SX_QUALITY_NOT_COLLECTED;
		if (n->known && stretched)
			quality |= SX_QUALITY_STRETCHED;
		/* Doubles and u64 share their storage. */
		interval_put(&s->in, i, row, n->known ? n->u : 0, (uint8_t)quality);
	}
}

size_t drm_put_processes(struct drm_source *s, size_t rows, struct drm_number *numbers,
			 bool stretched)
{
	struct drm_clients *c = &s->clients;
	for (size_t i = 0; i < c->process_count && rows < s->in.buffer.cap; i++) {
		const struct drm_process *p = &c->processes[i];
		struct drm_sum sum;
		if (!p->in_scope || !p->fd_count)
			continue;
		drm_clients_sum(c, true, p->pid, &sum);
		if (!sum.clients)
			continue; /* all of its memory is shared, and counted elsewhere */
		memset(numbers, 0, DRM_COLUMNS * sizeof(*numbers));
		drm_put_sum(s, &sum, numbers);
		drm_put_row(s, rows, numbers, stretched);
		interval_put_name(&s->in, rows++, p->name, p->pid);
	}
	return rows;
}
