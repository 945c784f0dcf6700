/*
 * A software rasteriser has no clock of its own that could be asked: its timestamps tell of the
 * last tile only. Its threads' time on CPUs is what it took, and the kernel knows that.
 */
#include "source/guest/raster/raster.h"

#include <stdlib.h>

#include "base/mem.h"
#include "source/guest/raster/watch.h"

#define THREADS	      "llvmpipe-"
#define PROCESSES_MAX 256u
#define KEPT_NS	      UINT64_C(2000000000) /* after the last sample of a program that is gone */

struct rasteriser {
	struct watch watch;
	/* Samples of contexts overlap in time: up to here its time was given to one already. */
	uint64_t given_ns;
	uint64_t cpu_ns; /* of the process, as its samples tell */
};

void raster_finish(struct raster *raster)
{
	for (size_t i = 0; i < raster->count; i++) {
		watch_finish(&raster->items[i]->watch);
		free(raster->items[i]);
	}
	free(raster->items);
	*raster = (struct raster){0};
}

static struct rasteriser *raster_process_of(const struct raster *raster, pid_t pid)
{
	for (size_t i = 0; i < raster->count; i++)
		if (raster->items[i]->watch.pid == pid)
			return raster->items[i];
	return NULL;
}

bool raster_meet(struct raster *raster, const struct sx_sys *sys, pid_t pid)
{
	struct rasteriser *known = raster_process_of(raster, pid);
	if (known)
		watch_expect(&known->watch);
	if (known || raster->count == PROCESSES_MAX)
		return true;
	struct rasteriser *item = calloc(1, sizeof(*item));
	if (!item || !watch_start(&item->watch, sys, pid, THREADS) ||
	    !mem_grow(&raster->items, &raster->cap, raster->count + 1,
		      sizeof(struct rasteriser *))) {
		if (item)
			watch_finish(&item->watch);
		free(item);
		return false;
	}
	raster->items[raster->count++] = item;
	item->watch.awake.overhead_ppm = raster->overhead_ppm;
	watch_look(&item->watch, 0);
	return true;
}

void raster_look(struct raster *raster)
{
	for (size_t i = raster->count; i-- > 0;) {
		struct rasteriser *item = raster->items[i];
		watch_look(&item->watch, item->cpu_ns);
		uint64_t read_ns = item->watch.busy.settled_ns;
		if (!item->watch.gone || read_ns < item->given_ns + KEPT_NS)
			continue;
		watch_finish(&item->watch);
		free(item);
		raster->items[i] = raster->items[--raster->count];
	}
}

bool raster_fill(struct raster *raster, struct wire_sample *sample, const struct wire_past *past)
{
	struct rasteriser *item = raster_process_of(raster, sample->pid);
	struct wire_record *record = &sample->record;
	uint64_t from_ns = record->begin_ns;
	struct busy_time time = {0};
	enum watch_answer answer = WATCH_UNKNOWN;
	if (item && record->cpu_end_ns > item->cpu_ns)
		item->cpu_ns = record->cpu_end_ns;
	if (item && item->given_ns > from_ns)
		from_ns = item->given_ns < record->end_ns ? item->given_ns : record->end_ns;
	if (item)
		answer = watch_busy(&item->watch, from_ns, record->end_ns, &time);
	if (answer == WATCH_NOT_YET)
		return false;
	record->values[WIRE_GPU_TIME] = time.any_ns;
	sample->raster_ns = time.sum_ns;
	record->states[WIRE_GPU_TIME] = WIRE_NOT_COLLECTED;
	if (answer == WATCH_KNOWN)
		record->states[WIRE_GPU_TIME] = WIRE_VALID;
	else if (answer == WATCH_UNKNOWN)
		record->states[WIRE_GPU_TIME] = WIRE_LATE;
	else if (answer == WATCH_RESTED)
		record->states[WIRE_GPU_TIME] = WIRE_SPARED;
	else if (answer == WATCH_NO_RIGHT)
		sample->why[WIRE_GPU_TIME] = WIRE_WHY_NOT_WATCHED;
	else
		sample->why[WIRE_GPU_TIME] = WIRE_WHY_NO_GPU;
	if (item && wire_is_row(record, past) && record->end_ns > item->given_ns)
		item->given_ns = record->end_ns;
	if (item)
		busy_forget(&item->watch.busy, item->given_ns);
	return true;
}
