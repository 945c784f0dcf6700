/* GPU time of software rasterisers: the busy time of their threads, added to samples. */
#ifndef SOURCE_GUEST_RASTER_RASTER_H
#define SOURCE_GUEST_RASTER_RASTER_H

#include <stdbool.h>

#include "base/sys.h"
#include "wire/channel.h"

struct rasteriser;

/* One for each process that rasterises on threads of its own. Zero-initialise. */
struct raster {
	struct rasteriser **items;
	size_t count, cap;
	uint32_t overhead_ppm; /* what watching a program may cost it; 0: there is no limit */
};

void raster_finish(struct raster *raster);
/* This process rasterises on threads of its own. false: no memory. */
bool raster_add_process(struct raster *raster, const struct sx_sys *sys, pid_t pid);
/* To be called every few milliseconds. */
void raster_look(struct raster *raster);
/*
 * Gives a sample its GPU time, or the reason why it has none. One that becomes no row takes nothing
 * away from the samples of other contexts that overlap with it (`past`: of its context). false: the
 * kernel's records do not reach the sample's end yet; look again in a millisecond.
 */
bool raster_fill(struct raster *raster, struct wire_sample *sample, const struct wire_past *past);

#endif
