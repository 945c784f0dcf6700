/* What no GPU of today or soon can have is a sensor's or a driver's "not known", and no number. */
#include "source/drm/drm.h"

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

void drm_drop_unbelievable(struct drm_state *state, uint64_t interval_ns,
			   struct drm_number *numbers)
{
	for (uint32_t i = 0; i < DRM_VALUES; i++)
		if (numbers[i].known &&
		    !is_believable((enum drm_value)i, &numbers[i], interval_ns)) {
			numbers[i].known = false;
			state->unbelievable |= UINT64_C(1) << i;
		}
}
