/* What all sources share that measure programs from within. */
#include "source/guest/inject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

#define PARTS_RING     16384 /* records, where a frame has many samples */
#define NS_PER_MS      UINT64_C(1000000)
#define LOOK_OFTEN_NS  (5 * NS_PER_MS)	/* while programs begin, and where samples are many */
#define LOOK_NS	       (20 * NS_PER_MS) /* rings hold 4096 records: for 100,000 a second and more */
#define LOOK_SELDOM_NS (50 * NS_PER_MS) /* where they are not a quarter full then */
#define RATE_SLOW      (WIRE_RING_RECORDS / 4 * (UINT64_C(1000000000) / LOOK_SELDOM_NS))
#define YOUNG_NS       (500 * NS_PER_MS) /* programs that begin make their threads */

static const struct channel_wish inject_wish = {
    .kinds = 1u << WIRE_FRAME | 1u << WIRE_TIME,
    .counters = UINT64_MAX,
    .ring = WIRE_RING_RECORDS,
};

static struct inject_source *inject_source(struct source *source)
{
	return (struct inject_source *)source;
}

static enum sx_status prepare(struct inject_source *in, struct sx_error *err)
{
	in->sample = malloc(sizeof(*in->sample) + CHANNEL_PATH_MOST + PROCESSES_VALUES);
	if (!in->sample)
		return error_nomem(err, "opening a source");
	enum sx_status status = processes_open(&in->processes, in->base.sys, &inject_wish, err);
	if (status)
		return status;
	return in->api->environment(in->base.sys, in->api->channel, in->processes.handover.path,
				    &in->environment, err);
}

struct sx_device inject_device(const struct inject_api *api, const struct source_host *host,
			       struct sx_error *err)
{
	char path[4096];
	struct sx_device device = {.id = api->ops->name,
				   .source = api->ops->name,
				   .catalog = api->catalog,
				   .state = SX_DEVICE_INJECT};
	if (api->find_library(host->sys, path, sizeof(path), err))
		source_unusable(&device, err);
	return device;
}

enum sx_status inject_open(const struct inject_api *api, const struct source_host *host,
			   struct source **out, struct sx_error *err)
{
	struct inject_source *in = calloc(1, api->bytes ? api->bytes : sizeof(*in));
	if (!in)
		return error_nomem(err, "opening a source");
	in->base = (struct source){api->ops, host->sys, host->catalogs, &in->desc};
	in->api = api;
	in->program = (struct program){.variable = api->variable, .holds = api->holds};
	in->desc = (struct source_desc){.catalog = api->catalog,
					.facts.name = api->title,
					.encloses_work = true,
					.shows_contexts = true,
					.kinds = api->kinds};
	enum sx_status status = prepare(in, err);
	if (status) {
		inject_close(&in->base);
		return status;
	}
	*out = &in->base;
	return SX_OK;
}

/* The context that the program draws with is the one with the most frames. */
static const struct context_info *main_context(const struct contexts *contexts)
{
	const struct context_info *best = NULL;
	for (size_t i = 0; i < contexts->count; i++)
		if (!best || contexts->items[i].frames > best->frames)
			best = &contexts->items[i];
	return best;
}

const struct source_desc *inject_describe(struct source *source)
{
	struct inject_source *in = inject_source(source);
	const struct context_info *info = main_context(&in->processes.contexts);
	if (info) {
		bool named = info->renderer[0], made = info->vendor[0];
		snprintf(in->name, sizeof(in->name), "%s", named ? info->renderer : in->api->title);
		snprintf(in->driver, sizeof(in->driver), "%s%s%s %s", info->vendor,
			 made ? ", " : "", in->api->title, info->version);
		in->desc.facts.name = in->name;
		in->desc.facts.driver = in->driver;
	}
	return &in->desc;
}

static enum wire_kind wire_kind(enum sx_sample_kind per)
{
	switch (per) {
	case SX_SAMPLE_PASS:
		return WIRE_PASS;
	case SX_SAMPLE_GROUP:
		return WIRE_GROUP;
	case SX_SAMPLE_DRAW:
		return WIRE_DRAW;
	case SX_SAMPLE_KERNEL:
		return WIRE_KERNEL;
	case SX_SAMPLE_COMMANDS:
		return WIRE_COMMANDS;
	case SX_SAMPLE_SUBMIT:
		return WIRE_SUBMIT;
	case SX_SAMPLE_QUEUE:
		return WIRE_QUEUE;
	default:
		return WIRE_FRAME;
	}
}

/* Bit of a counter in the channel's order, or 0. */
static uint64_t counter_bit(const struct inject_api *api, const char *name)
{
	for (unsigned i = 0; i < api->counter_count; i++)
		if (strcmp(api->counters[i], name) == 0)
			return UINT64_C(1) << i;
	return 0;
}

static enum sx_status too_many(struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "more than %u counters of the driver's own are asked for",
		  (unsigned)WIRE_DRIVER_MOST);
	error_because(err, "a program is given a list of them, which has an end");
	error_try(err, "-m with fewer, or several runs");
	return SX_ERR_USAGE;
}

/* The driver's own counters that are asked for, in the order of the channel. */
static enum sx_status choose_driver(struct inject_source *in, const struct source_request *request,
				    struct channel_wish *wish, struct sx_error *err)
{
	for (uint32_t i = 0; i < request->counter_count; i++)
		for (uint32_t k = 0; k < in->own_count; k++) {
			if (strcmp(request->counters[i], in->own[k].name) != 0)
				continue;
			if (wish->driver_count == WIRE_DRIVER_MOST)
				return too_many(err);
			in->asked[wish->driver_count] = in->own[k].name;
			memcpy(in->asked_ids[wish->driver_count++], in->own[k].id, WIRE_ID_BYTES);
		}
	wish->driver_ids = (const uint8_t(*)[WIRE_ID_BYTES])in->asked_ids;
	in->desc.counters = in->asked;
	in->desc.counter_count = wish->driver_count;
	return SX_OK;
}

/* A program runs the queries that are needed, and no others. */
enum sx_status inject_start(struct source *source, const struct source_request *request,
			    struct sx_error *err)
{
	struct inject_source *in = inject_source(source);
	struct channel_wish wish = inject_wish;
	wish.program = in->wanted;
	if (in->wanted) /* a sample has many records */
		wish.ring = PARTS_RING;
	wish.overhead_permille = request->overhead_permille;
	enum sx_sample_kind per = request->per;
	/* What an API without frames counts by itself. */
	if (per == SX_SAMPLE_TIME && !(in->api->kinds & 1u << SX_SAMPLE_FRAME))
		per = SX_SAMPLE_KERNEL;
	in->lacks = request->lacks;
	in->desc.kind = per;
	in->parts = per != SX_SAMPLE_TIME && per != SX_SAMPLE_FRAME;
	if (in->parts) {
		wish.kinds = 1u << wire_kind(per);
		wish.ring = PARTS_RING;
	}
	if (request->counters || in->wanted)
		wish.counters = 0;
	for (uint32_t i = 0; i < request->counter_count; i++)
		wish.counters |= counter_bit(in->api, request->counters[i]);
	/* They cost nothing, and skipped samples are estimated by them (normalisation basis). */
	wish.counters |= counter_bit(in->api, "Draws") | counter_bit(in->api, "Dispatches");
	enum sx_status status = choose_driver(in, request, &wish, err);
	if (status)
		return status;
	processes_set_wish(&in->processes, &wish);
	in->times_rasters = !in->parts && wish.counters & UINT64_C(1) << WIRE_GPU_TIME;
	in->overhead_permille = request->overhead_permille;
	in->raster.overhead_ppm = wire_watch_ppm(request->overhead_permille);
	in->stopped = false;
	in->started_ns = sys_now_ns(source->sys);
	in->program_ns = 0;
	in->program_pid = request->pid;
	return SX_OK;
}

/* Programs that were met since the last time are watched from now on. */
static void look_at_threads(struct inject_source *in)
{
	pid_t pid;
	while (processes_newcomer(&in->processes, &pid)) {
		in->met_ns = sys_now_ns(in->base.sys);
		if (in->times_rasters)
			raster_add_process(&in->raster, in->base.sys, pid);
		load_add_process(&in->load, in->base.sys, pid);
	}
	raster_look(&in->raster);
	load_look(&in->load);
}

/*
 * A device that draws later did nothing while a submission was given to it: it works while others
 * are given. Frames show that by their common time.
 */
static bool draws_later(const struct wire_sample *sample)
{
	const struct wire_record *record = &sample->record;
	return sample->api == WIRE_VULKAN && record->kind == WIRE_TIME &&
	       (record->flags & WIRE_DRAWN) && record->states[WIRE_GPU_TIME] == WIRE_VALID &&
	       record->values[WIRE_GPU_TIME] == 0;
}

/* False: the sample must wait. */
static bool fill_raster(struct inject_source *in)
{
	struct wire_sample *sample = in->sample;
	const struct wire_past *past = &in->processes.contexts.items[sample->context].past;
	if (sample->why[WIRE_GPU_TIME] != WIRE_WHY_THREADS)
		return true;
	bool undrawn = sample->record.flags & WIRE_UNDRAWN;
	if (!in->parts && !raster_fill(&in->raster, sample, past))
		return false;
	bool computed = sample->record.flags & WIRE_COMPUTED;
	if (!in->parts && !undrawn && !computed && !draws_later(sample))
		return true;
	/* The rasteriser's threads rested, but not the driver's others: theirs is not all. */
	sample->why[WIRE_GPU_TIME] = undrawn	? WIRE_WHY_UNDRAWN
				     : computed ? WIRE_WHY_COMPUTED
						: WIRE_WHY_DRAWN_LATER;
	sample->record.states[WIRE_GPU_TIME] = WIRE_NOT_COLLECTED;
	return true;
}

/*
 * What threads did, as the kernel knows it; false: it must wait. Each part is filled in once: what
 * one sample was given is not given again.
 */
static bool fill_sample(struct inject_source *in)
{
	struct wire_sample *sample = in->sample;
	struct wire_past *past = &in->processes.contexts.items[sample->context].past;
	if (!in->filled && !fill_raster(in))
		return false;
	in->filled = true;
	if (!load_fill(&in->load, sample, wire_is_row(&sample->record, past)))
		return false;
	wire_add_past(past, &sample->record);
	return true;
}

/* The next sample, complete. */
static bool next(struct inject_source *in)
{
	if (!in->waits && !processes_next(&in->processes, in->sample, (char *)(in->sample + 1),
					  CHANNEL_PATH_MOST, &in->lost)) {
		look_at_threads(in);
		return false;
	}
	in->rate.records += !in->waits;
	if (!in->waits) {
		in->kept += (in->sample->record.flags & WIRE_KEPT) != 0;
		in->samples++;
	}
	in->filled &= in->waits;
	in->waits = !fill_sample(in);
	if (in->waits) {
		look_at_threads(in);
		in->waits = !fill_sample(in);
	}
	return !in->waits;
}

/* What kind of program it is, as long as none has shown a context: should none ever do. */
static void look_at_program(struct inject_source *in)
{
	uint64_t now_ns = sys_now_ns(in->base.sys);
	if (in->program_pid <= 0 || in->stopped || in->processes.contexts.count > 0 ||
	    now_ns < in->program_ns)
		return;
	bool young = now_ns - in->started_ns < YOUNG_NS;
	in->program_ns = now_ns + (young ? LOOK_OFTEN_NS : LOOK_SELDOM_NS);
	program_look(&in->program, in->base.sys, in->program_pid);
}

enum sx_status inject_read(struct source *source, int timeout_ms, struct raw_sample *out,
			   struct sx_error *err)
{
	struct inject_source *in = inject_source(source);
	const struct sx_sys *sys = source->sys;
	while (!next(in)) {
		look_at_program(in);
		if (in->stopped && !in->waits && inject_write_note(in)) {
			*out = (struct raw_sample){.kind = RAW_NOTE,
						   .flags = in->lost ? RAW_LOST : 0,
						   .lost = in->lost,
						   .begin_ns = in->lost ? SX_TIME_UNKNOWN : 0,
						   .end_ns = in->lost ? SX_TIME_UNKNOWN : 0,
						   .data = (const uint8_t *)in->note,
						   .size = strlen(in->note)};
			return SX_OK;
		}
		if (in->stopped && !in->waits)
			return SX_END;
		if (timeout_ms <= 0 && !in->stopped)
			return SX_AGAIN;
		int nap = in->waits ? 1 : (int)(LOOK_OFTEN_NS / NS_PER_MS);
		if (timeout_ms > 0 && nap > timeout_ms)
			nap = timeout_ms;
		sys->poll(sys->user, NULL, 0, nap);
		timeout_ms -= nap;
	}
	*out = (struct raw_sample){
	    .kind = in->api->ops->raw,
	    .flags = in->lost ? RAW_LOST : 0,
	    .begin_ns = in->sample->record.begin_ns,
	    .end_ns = in->sample->record.end_ns,
	    .lost = in->lost,
	    .data = (const uint8_t *)in->sample,
	    .size = sizeof(*in->sample) + in->sample->label_length +
		    in->sample->driver_count * sizeof(struct wire_value),
	};
	return SX_OK;
}

static bool is_young(const struct inject_source *in, uint64_t now_ns)
{
	return now_ns - in->started_ns < YOUNG_NS || now_ns - in->met_ns < YOUNG_NS ||
	       processes_awaited(&in->processes);
}

/*
 * Each look costs as much as tens of samples do, and disturbs the program. Looks are on a grid of
 * times, so that several sources have theirs at once.
 */
void inject_wake(struct source *source, struct source_wake *out)
{
	struct inject_source *in = inject_source(source);
	uint64_t now_ns = sys_now_ns(source->sys), every_ns = LOOK_SELDOM_NS;
	if (rate_peak(&in->rate, now_ns) > RATE_SLOW)
		every_ns = LOOK_NS;
	if ((in->parts && in->processes.contexts.count > 0) || is_young(in, now_ns))
		every_ns = LOOK_OFTEN_NS;
	/* While a sample waits, new programs wait too: the next look is soon. */
	*out = (struct source_wake){.fd = in->waits ? -1 : in->processes.handover.news[0],
				    .due_ns = (now_ns / every_ns + 1) * every_ns};
}

enum sx_status inject_stop(struct source *source, struct sx_error *err)
{
	struct inject_source *in = inject_source(source);
	in->stopped = in->processes.hurry = true;
	return SX_OK;
}

void inject_close(struct source *source)
{
	struct inject_source *in = inject_source(source);
	if (!in)
		return;
	raster_finish(&in->raster);
	load_finish(&in->load);
	library_environment_finish(&in->environment);
	processes_close(&in->processes);
	sx_catalog_unref(in->catalog);
	free(in->own);
	free(in->sample);
	free(in);
}

const char *const *inject_spawn_env(struct source *source)
{
	return (const char *const *)inject_source(source)->environment.items;
}

bool inject_running(struct source *source)
{
	return processes_running(&inject_source(source)->processes);
}

bool inject_waiting(struct source *source)
{
	return processes_waiting(&inject_source(source)->processes);
}
