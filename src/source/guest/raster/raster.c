/*
 * A software rasteriser has no clock that could be queried: its timestamps cover the last tile
 * only. The CPU time of its threads is what it took, and the kernel knows that.
 */
#include "source/guest/raster/raster.h"

#include <stdlib.h>

#include "base/mem.h"
#include "source/guest/raster/watch.h"

#define THREADS	      "llvmpipe-"
#define ALL_THREADS   ""
#define PROCESSES_MAX 256u
#define KEPT_NS	      UINT64_C(2000000000) /* after the last sample of a program that is gone */

struct rasteriser {
	struct watch watch;
	struct watch all; /* of all threads of the process, as soon as one of those is found */
	/* Samples of contexts overlap in time: up to here its time was given to one already. */
	uint64_t given_ns;
	uint64_t cpu_ns; /* of the process, as its samples report */
};

static void rasteriser_finish(struct rasteriser *item)
{
	watch_finish(&item->watch);
	watch_finish(&item->all);
	free(item);
}

void raster_finish(struct raster *raster)
{
	for (size_t i = 0; i < raster->count; i++)
		rasteriser_finish(raster->items[i]);
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

static void look_at_process(struct rasteriser *item)
{
	const struct watch *watch = &item->watch;
	watch_look(&item->watch, item->cpu_ns);
	if (watch->state == WATCH_FOUND && !item->all.threads &&
	    watch_start(&item->all, watch->sys, watch->pid, ALL_THREADS))
		item->all.awake.overhead_ppm = watch->awake.overhead_ppm;
	if (item->all.threads)
		watch_look(&item->all, item->cpu_ns);
}

bool raster_add_process(struct raster *raster, const struct sx_sys *sys, pid_t pid)
{
	struct rasteriser *known = raster_process_of(raster, pid);
	if (known) {
		watch_expect(&known->watch);
		watch_expect(&known->all);
	}
	if (known || raster->count == PROCESSES_MAX)
		return true;
	struct rasteriser *item = calloc(1, sizeof(*item));
	if (!item || !watch_start(&item->watch, sys, pid, THREADS) ||
	    !mem_grow(&raster->items, &raster->cap, raster->count + 1,
		      sizeof(struct rasteriser *))) {
		if (item)
			rasteriser_finish(item);
		return false;
	}
	raster->items[raster->count++] = item;
	item->watch.awake.overhead_ppm = raster->overhead_ppm / 2; /* and as much for all threads */
	look_at_process(item);
	return true;
}

void raster_look(struct raster *raster)
{
	for (size_t i = raster->count; i-- > 0;) {
		struct rasteriser *item = raster->items[i];
		look_at_process(item);
		uint64_t read_ns = item->watch.busy.resolved_ns;
		if (!item->watch.gone || read_ns < item->given_ns + KEPT_NS)
			continue;
		rasteriser_finish(item);
		raster->items[i] = raster->items[--raster->count];
	}
}

/* When any thread of the process ran, of the part of a sample that begins at `from_ns`. */
static void fill_any(const struct watch *all, uint64_t from_ns, struct wire_sample *sample)
{
	struct busy_time time = {0};
	enum watch_answer answer = watch_busy(all, from_ns, sample->record.end_ns, &time);
	sample->any_ns = time.any_ns;
	if (answer == WATCH_KNOWN)
		sample->any_state = WIRE_VALID;
	else if (answer == WATCH_RESTED)
		sample->any_state = WIRE_SPARED;
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
	if (!item)
		return true;
	fill_any(&item->all, from_ns, sample);
	if (wire_is_row(record, past) && record->end_ns > item->given_ns)
		item->given_ns = record->end_ns;
	busy_forget(&item->watch.busy, item->given_ns);
	busy_forget(&item->all.busy, item->given_ns);
	return true;
}
