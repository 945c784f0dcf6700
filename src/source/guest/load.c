/*
 * The load of a program's threads. Readings are 20 ms apart, but samples begin and end at any time:
 * between two readings, a thread's work is interpolated linearly.
 */
#include "source/guest/guest.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "source/process_tree.h"

#define RASTERISER    "llvmpipe-"
#define READ_EVERY_NS UINT64_C(20000000)
#define POINTS	      1024u /* readings that are kept: 20 s */
#define PROCESSES_MAX 256u
#define LIST_EVERY_NS UINT64_C(90000000)
#define KEPT_OPEN     16u /* files, of each of so many processes */
#define KEEPERS	      4u
#define KEPT_NS	      UINT64_C(2000000000) /* after the last sample of a program that is gone */

/* Sums since the first reading. */
struct load_sums {
	uint64_t run_ns, wait_ns, raster_run_ns, raster_wait_ns, raster_sum_ns;
};

struct load_point {
	uint64_t time_ns;
	struct load_sums sums;
	bool raster_ended; /* since the point before a thread of the rasteriser has ended */
};

struct load_process {
	pid_t pid;
	struct threads threads;
	struct load_point points[POINTS]; /* a ring: point n is at n % POINTS */
	uint64_t count;			  /* of points that there ever were */
	bool gone;
	bool rasterises;   /* the process has threads of a software rasteriser */
	uint64_t given_ns; /* up to here the process's time was given to a sample */
};

void load_finish(struct load *load)
{
	for (size_t i = 0; i < load->count; i++) {
		threads_finish(&load->items[i]->threads);
		free(load->items[i]);
	}
	free(load->items);
	*load = (struct load){0};
}

static struct load_process *load_process_of(const struct load *load, pid_t pid)
{
	for (size_t i = 0; i < load->count; i++)
		if (load->items[i]->pid == pid)
			return load->items[i];
	return NULL;
}

static const struct load_point *point(const struct load_process *p, uint64_t number)
{
	return &p->points[number % POINTS];
}

static void read_now(struct load_process *p, uint64_t now_ns)
{
	struct threads_busiest busiest;
	struct load_sums sums = {0};
	if (!threads_read(&p->threads, &p->pid, 1, &busiest) || !busiest.known) {
		p->gone = true;
		return;
	}
	p->rasterises |= busiest.apart;
	if (p->count)
		sums = point(p, p->count - 1)->sums;
	sums.run_ns += busiest.run_ns;
	sums.wait_ns += busiest.wait_ns;
	sums.raster_run_ns += busiest.apart_run_ns;
	sums.raster_wait_ns += busiest.apart_wait_ns;
	sums.raster_sum_ns += busiest.apart_sum_ns;
	p->points[p->count++ % POINTS] = (struct load_point){now_ns, sums, busiest.apart_ended};
}

bool load_add_process(struct load *load, const struct sx_sys *sys, pid_t pid)
{
	if (load_process_of(load, pid) || load->count == PROCESSES_MAX)
		return true;
	struct load_process *p = calloc(1, sizeof(*p));
	if (!p ||
	    !mem_grow(&load->items, &load->cap, load->count + 1, sizeof(struct load_process *))) {
		free(p);
		return false;
	}
	p->pid = pid;
	p->threads = (struct threads){.sys = sys,
				      .prefix = RASTERISER,
				      .keep_open = load->count < KEEPERS ? KEPT_OPEN : 0,
				      .list_every_ns = LIST_EVERY_NS};
	load->items[load->count++] = p;
	read_now(p, sys_now_ns(sys));
	return true;
}

static void look_at(struct load_process *p)
{
	uint64_t now_ns = sys_now_ns(p->threads.sys);
	if (!p->gone && (!p->count || now_ns >= point(p, p->count - 1)->time_ns + READ_EVERY_NS))
		read_now(p, now_ns);
}

/* A program that is gone is kept as long as samples of it may come. */
static bool is_done(const struct load_process *p)
{
	uint64_t last_ns = p->count ? point(p, p->count - 1)->time_ns : 0;
	last_ns = p->given_ns > last_ns ? p->given_ns : last_ns;
	return p->gone && sys_now_ns(p->threads.sys) > last_ns + KEPT_NS;
}

void load_look(struct load *load)
{
	for (size_t i = load->count; i-- > 0;) {
		look_at(load->items[i]);
		if (!is_done(load->items[i]))
			continue;
		threads_finish(&load->items[i]->threads);
		free(load->items[i]);
		load->items[i] = load->items[--load->count];
	}
}

static uint64_t between(uint64_t from, uint64_t to, double share)
{
	return from + (uint64_t)((double)(to - from) * share);
}

/* The sums at a time that two readings enclose. */
static struct load_sums sums_at(const struct load_process *p, uint64_t time_ns)
{
	uint64_t last = p->count - 1, first = p->count > POINTS ? p->count - POINTS : 0;
	while (last > first && point(p, last)->time_ns > time_ns)
		last--;
	const struct load_point *a = point(p, last);
	if (last + 1 == p->count || a->time_ns >= time_ns)
		return a->sums;
	const struct load_point *b = point(p, last + 1);
	double share = (double)(time_ns - a->time_ns) / (double)(b->time_ns - a->time_ns);
	return (struct load_sums){between(a->sums.run_ns, b->sums.run_ns, share),
				  between(a->sums.wait_ns, b->sums.wait_ns, share),
				  between(a->sums.raster_run_ns, b->sums.raster_run_ns, share),
				  between(a->sums.raster_wait_ns, b->sums.raster_wait_ns, share),
				  between(a->sums.raster_sum_ns, b->sums.raster_sum_ns, share)};
}

/* What was read of a range; false when that is less than half of it. */
static bool clip(const struct load_process *p, uint64_t *from_ns, uint64_t *to_ns)
{
	uint64_t oldest = p->count > POINTS ? p->count - POINTS : 0, length = *to_ns - *from_ns;
	uint64_t begin = point(p, oldest)->time_ns, end = point(p, p->count - 1)->time_ns;
	*from_ns = *from_ns > begin ? *from_ns : begin;
	*to_ns = *to_ns < end ? *to_ns : end;
	return *to_ns > *from_ns && *to_ns - *from_ns >= length / 2;
}

/* Whether a thread of the rasteriser has ended, at a time that lies in the range, or may. */
static bool has_raster_ended(const struct load_process *p, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t first = p->count > POINTS ? p->count - POINTS : 0;
	for (uint64_t i = p->count; i-- > first + 1 && point(p, i)->time_ns > from_ns;)
		if (point(p, i)->raster_ended && point(p, i - 1)->time_ns < to_ns)
			return true;
	return false;
}

static void load_fill_row(const struct load_process *p, uint64_t from_ns, uint64_t to_ns,
			  struct wire_sample *sample)
{
	uint64_t length = to_ns - from_ns;
	if (!length || !clip(p, &from_ns, &to_ns))
		return;
	struct load_sums a = sums_at(p, from_ns), b = sums_at(p, to_ns);
	/* What was not seen of the range is taken to be as the rest. */
	double scale = (double)length / (double)(to_ns - from_ns);
	sample->thread_known = 1;
	sample->rasterises = p->rasterises && !has_raster_ended(p, from_ns, to_ns);
	sample->thread_run_ns = (uint64_t)((double)(b.run_ns - a.run_ns) * scale);
	sample->thread_wait_ns = (uint64_t)((double)(b.wait_ns - a.wait_ns) * scale);
	sample->raster_run_ns = (uint64_t)((double)(b.raster_run_ns - a.raster_run_ns) * scale);
	sample->raster_wait_ns = (uint64_t)((double)(b.raster_wait_ns - a.raster_wait_ns) * scale);
	/* Where the threads were watched, it is known to the nanosecond. */
	if (sample->record.states[WIRE_GPU_TIME] == WIRE_SPARED)
		sample->raster_ns = (uint64_t)((double)(b.raster_sum_ns - a.raster_sum_ns) * scale);
}

bool load_fill(struct load *load, struct wire_sample *sample, bool is_row)
{
	struct load_process *p = load_process_of(load, sample->pid);
	uint64_t from_ns = sample->record.begin_ns, to_ns = sample->record.end_ns;
	sample->thread_known = sample->rasterises = 0;
	if (!p || !p->count)
		return true;
	if (!p->gone && point(p, p->count - 1)->time_ns < to_ns)
		return false;
	if (p->given_ns > from_ns)
		from_ns = p->given_ns < to_ns ? p->given_ns : to_ns;
	load_fill_row(p, from_ns, to_ns, sample);
	if (is_row && to_ns > p->given_ns)
		p->given_ns = to_ns;
	return true;
}
