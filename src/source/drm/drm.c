/*
 * The DRM source: a card's clocks, load, power and memory, and what programs do on it, as samples
 * of time; or one row a program and interval, where that is asked for.
 */
#include "source/drm/drm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/text_buf.h"

#define NS_PER_MS	    UINT64_C(1000000)
#define MACHINE_INTERVAL_NS (500 * NS_PER_MS)
#define PROGRAM_INTERVAL_NS (100 * NS_PER_MS)

static struct drm_source *drm_from(struct source *source)
{
	return (struct drm_source *)source;
}

static void drm_driver_name(const struct sx_sys *sys, const struct drm_card *card, char *out,
			    size_t size)
{
	char release[96];
	if (!drm_read_line(sys, "/proc/sys/kernel", "osrelease", release, sizeof(release)))
		snprintf(release, sizeof(release), "?");
	snprintf(out, size, "%s, Linux %s", card->driver, release);
}

struct drm_probe {
	const struct sx_sys *sys;
	source_found_fn found;
	void *user;
	bool advise; /* advice reads files that a device may answer late */
	size_t count;
};

static bool drm_found(void *arg, const struct drm_card *card)
{
	struct drm_probe *p = arg;
	char id[32], name[128], driver[160], gives[640];
	struct drm_advice advice = {.because = ""};
	snprintf(id, sizeof(id), "drm:card%u", card->card);
	drm_card_name(card, name, sizeof(name));
	drm_driver_name(p->sys, card, driver, sizeof(driver));
	if (p->advise)
		drm_advice_make(p->sys, card, &advice);
	struct sx_device device = {
	    .id = id,
	    .source = "drm",
	    .name = name,
	    .catalog = "drm",
	    .driver = driver,
	    .state = SX_DEVICE_READY,
	    .because = advice.because[0] ? advice.because : NULL,
	    .remedy = advice.remedy[0] ? advice.remedy : NULL,
	    .gives = gives,
	};
	drm_driver_gives(card->driver, gives, sizeof(gives));
	p->found(p->user, &device);
	p->count++;
	return true;
}

static void source_drm_probe(const struct source_host *host, source_found_fn found, void *user)
{
	struct drm_probe p = {host->sys, found, user, host->ask_drivers, 0};
	drm_cards_each(host->sys, drm_found, &p);
	if (p.count)
		return;
	struct sx_device absent = {.id = "drm",
				   .source = "drm",
				   .catalog = "drm",
				   .state = SX_DEVICE_ABSENT,
				   .gives = drm_without_card(),
				   .because = "/sys/class/drm has no GPU",
				   .remedy = "a machine whose GPU has a kernel driver; in a "
					     "container, pass /sys and /dev/dri on"};
	found(user, &absent);
}

static void source_drm_close(struct source *source);

static enum sx_status source_drm_open(const struct source_host *host, const char *id,
				      struct source **out, struct sx_error *err)
{
	struct drm_source *s = calloc(1, sizeof(*s));
	if (!s)
		return error_nomem(err, "the DRM source");
	s->base = (struct source){&source_drm, host->sys, host->catalogs, &s->desc};
	s->profiling.pipe = -1;
	if (!drm_card_find(host->sys, id, &s->card)) {
		source_drm_close(&s->base);
		error_set(err, SX_ERR_NOT_FOUND, "there is no card %s", id);
		error_because(err, "/sys/class/drm does not have it");
		error_try(err, "sextant devices -v");
		return SX_ERR_NOT_FOUND;
	}
	drm_card_name(&s->card, s->name, sizeof(s->name));
	drm_driver_name(host->sys, &s->card, s->driver, sizeof(s->driver));
	s->desc = (struct source_desc){.catalog = "drm",
				       .facts.name = s->name,
				       .facts.driver = s->driver,
				       .min_interval_ns = INTERVAL_MIN_NS,
				       .max_interval_ns = INTERVAL_MAX_NS,
				       .kinds = 1u << SX_SAMPLE_PROCESS,
				       .kind = SX_SAMPLE_TIME};
	*out = &s->base;
	return SX_OK;
}

static void drm_release(struct drm_source *s)
{
	drm_profiling_end(&s->profiling, s->base.sys);
	drm_clients_finish(&s->clients);
	sheet_finish(&s->sheet);
	s->column_count = s->desc.column_count = 0;
	s->state = (struct drm_state){0};
	memset(s->seen, 0, sizeof(s->seen));
	s->gone = s->out_of_memory = s->ended = false;
	s->work_samples = 0;
	s->interval = (struct interval){0};
}

static void source_drm_close(struct source *source)
{
	struct drm_source *s = drm_from(source);
	drm_release(s);
	free(s);
}

static const struct interval_words drm_refusals = {
    .what = "the DRM source",
    .no_set = "its counters are chosen one by one",
    .no_finer = "each sample reads some hundred files, or it is too long",
};

static bool drm_wants(const struct drm_source *s, uint32_t column)
{
	for (uint32_t i = 0; i < s->column_count; i++)
		if (s->wanted[i] == column)
			return true;
	return false;
}

static bool drm_is_asked(const struct source_request *request, const char *name)
{
	if (!request->counters)
		return true;
	for (uint32_t i = 0; i < request->counter_count; i++)
		if (strcmp(request->counters[i], name) == 0)
			return true;
	return false;
}

static void drm_choose(struct drm_source *s, const struct source_request *request)
{
	s->column_count = 0;
	for (uint32_t i = 0; i < DRM_COLUMNS; i++)
		if (drm_is_asked(request, drm_columns()[i].name))
			s->wanted[s->column_count++] = i;
}

/* Reads everything into the numbers of the whole device and of what is measured. */
static void drm_take(struct drm_source *s, uint64_t interval_ns, struct drm_number *numbers)
{
	struct drm_sum sum;
	memset(numbers, 0, DRM_COLUMNS * sizeof(*numbers));
	drm_device_read(s->base.sys, &s->card, &s->state, interval_ns, numbers);
	if (!s->needs_work)
		return;
	/* xe asks the hardware what its clients did. */
	s->clients.resting = s->card.is_xe && s->state.asleep;
	drm_clients_read(&s->clients);
	/* What a program did last, and held, went with its descriptors. */
	s->ended = s->clients.root && interval_process_ended(s->base.sys, s->clients.root);
	if (s->ended)
		return;
	s->work_samples++;
	drm_clients_sum(&s->clients, true, 0, &sum);
	drm_put_sum(s, &sum, numbers);
	drm_put_missing(s, interval_ns, numbers);
	drm_drop_unbelievable(&s->state, interval_ns, numbers);
}

/* Until here from the reading before; the first one was taken by drm_begin(). */
static void drm_take_sample(void *user, struct raw_sample *out)
{
	struct drm_source *s = user;
	struct drm_number numbers[DRM_COLUMNS];
	char text[64];
	if (!out)
		return;
	out->kind = RAW_ROWS;
	out->data = (const uint8_t *)&s->sheet.out;
	out->size = sizeof(s->sheet.out);
	s->sheet.out.count = 0;
	/* A card that was unplugged, or whose driver was removed, has no folder any more. */
	s->gone = !drm_read_line(s->base.sys, s->card.device, "uevent", text, sizeof(text)) &&
		  (errno == ENOENT || errno == ENODEV);
	if (s->gone)
		return;
	uint64_t took = out->end_ns - out->begin_ns;
	size_t count = 1;
	bool stretched = took > s->interval.interval_ns + s->interval.interval_ns / 2;
	drm_take(s, took, numbers);
	s->out_of_memory = s->clients.out_of_memory;
	if (s->by_process)
		s->out_of_memory |= !drm_put_processes(s, numbers, stretched, &count);
	else
		drm_put_row(s, 0, numbers, stretched);
	if (!s->out_of_memory)
		sheet_give(
		    &s->sheet, count,
		    &(struct sheet_head){s->columns, s->by_process, out->begin_ns, out->end_ns});
}

/* What is in the result's way is told once, together. */
static void drm_make_note(struct drm_source *s)
{
	s->note[0] = '\0';
	const struct drm_clients *c = &s->clients;
	/* The first process is seen by everybody, unless /proc hides what is others'. */
	bool hidden = c->process_count && c->processes[0].pid != 1;
	if (c->denied && c->all)
		snprintf(s->note, sizeof(s->note),
			 "%zu processes of other users cannot be looked into: what "
			 "they do on the GPU is missing; run as root to have it",
			 c->denied);
	else if (c->all && hidden)
		snprintf(s->note, sizeof(s->note),
			 "/proc hides the processes of other users (hidepid): what "
			 "they do on the GPU is missing; run as root to have it");
	if (c->hoarder)
		text_append_item(s->note, sizeof(s->note), "; ",
				 "a program has %d descriptors of the card, and others: "
				 "what it may do by those is missing",
				 DRM_FDS_MAX);
	if (s->state.refused_metrics)
		text_append_item(s->note, sizeof(s->note), "; ",
				 "gpu_metrics v%u.%u is not known and left out",
				 s->state.unknown_format, s->state.unknown_content);
}

/* Every process is looked at when none is chosen, or when only all together tell of the card. */
static bool drm_needs_all(struct drm_source *s, const struct drm_number *numbers)
{
	bool busy = numbers[DRM_BUSY].known || s->state.queues_primed;
	return !s->clients.root ||
	       (!s->by_process &&
		((drm_wants(s, DRM_BUSY) && !busy) ||
		 (drm_wants(s, DRM_MEMORY_USED) && !numbers[DRM_MEMORY_USED].known)));
}

/* A zombie has no descriptors any more. */
static bool drm_ended(void *user)
{
	struct drm_source *s = user;
	return interval_process_ended(s->base.sys, s->clients.root);
}

static const char *drm_note(void *user, uint32_t index)
{
	const struct drm_source *s = user;
	/* The reading to begin from is none of a sample. */
	bool unseen = s->ended && s->work_samples < 2;
	const char *notes[] = {s->note, unseen
					    ? "the program ended before its first sample: what it "
					      "did on the GPU is not known; a shorter -I shows it"
					    : ""};
	uint32_t first = !notes[0][0];
	return index + first < 2 && notes[index + first][0] ? notes[index + first] : NULL;
}

/* Whether programs must be looked at for what is wanted. */
static bool drm_needs_work(const struct drm_source *s, const struct drm_number *numbers)
{
	/* What the device may leave to its programs to tell. */
	static const uint32_t others[] = {DRM_BUSY, DRM_MEMORY_USED, DRM_CLOCK, DRM_CLOCK_HIGHEST};
	for (uint32_t i = 0; i < s->column_count; i++)
		if (drm_columns()[s->wanted[i]].of_work)
			return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (drm_wants(s, others[i]) && !numbers[others[i]].known)
			return true;
	return s->by_process;
}

static enum sx_status drm_begin(struct drm_source *s, const struct source_request *request,
				struct sx_error *err)
{
	struct drm_number numbers[DRM_COLUMNS] = {{{0}, false}};
	static const struct interval_ops ops = {drm_take_sample, drm_ended, drm_note};
	const struct sx_sys *sys = s->base.sys;
	uint64_t interval_ns = request->interval_ns ? request->interval_ns
			       : request->pid	    ? PROGRAM_INTERVAL_NS
						    : MACHINE_INTERVAL_NS;
	enum sx_status status = SX_OK;
	if (request->profiling)
		status = drm_profiling_begin(&s->profiling, sys, &s->card, err);
	s->clients = (struct drm_clients){.sys = sys, .card = &s->card, .root = request->pid};
	if (!status)
		status = drm_clients_init(&s->clients, err);
	if (status)
		return status;
	drm_choose(s, request);
	drm_sensors_find(sys, &s->card, &s->state.sensors);
	drm_device_read(sys, &s->card, &s->state, interval_ns, numbers);
	s->clients.all = drm_needs_all(s, numbers);
	s->needs_work = drm_needs_work(s, numbers);
	drm_take(s, interval_ns, numbers);
	s->sheet.column_count = s->column_count;
	if (s->clients.out_of_memory || !sheet_grow(&s->sheet, 1))
		return error_nomem(err, "the DRM source");
	for (uint32_t i = 0; i < DRM_COLUMNS; i++)
		s->seen[i] = numbers[i].known;
	drm_describe_columns(s, request->catalog);
	drm_make_note(s);
	s->interval = (struct interval){.ops = &ops,
					.user = s,
					.sys = sys,
					.watched = request->pid > 0,
					.child = request->child ? request->pid : 0};
	return interval_start(&s->interval, interval_ns, err);
}

static enum sx_status source_drm_start(struct source *source, const struct source_request *request,
				       struct sx_error *err)
{
	struct drm_source *s = drm_from(source);
	enum sx_status status = interval_check(&s->interval, request, &drm_refusals, err);
	if (status)
		return status;
	drm_release(s);
	s->by_process = request->per == SX_SAMPLE_PROCESS;
	status = drm_begin(s, request, err);
	if (status)
		drm_release(s);
	return status;
}

/* A card that went, or memory that is out, ends the run; what was measured stays. */
static enum sx_status drm_failure(struct drm_source *s, struct sx_error *err)
{
	if (s->out_of_memory)
		return error_nomem(err, "the DRM source");
	if (!s->gone)
		return SX_OK;
	error_set(err, SX_ERR_DEVICE_LOST, "card%u is gone", s->card.card);
	error_because(err, "it was unplugged, or its driver removed");
	error_try(err, "sextant devices");
	return SX_ERR_DEVICE_LOST;
}

static enum sx_status source_drm_read(struct source *source, int timeout_ms, struct raw_sample *out,
				      struct sx_error *err)
{
	struct drm_source *s = drm_from(source);
	enum sx_status status = interval_read(&s->interval, timeout_ms, out, err);
	return status ? status : drm_failure(s, err);
}

static void source_drm_wake(struct source *source, struct source_wake *out)
{
	interval_wake(&drm_from(source)->interval, out);
}

static enum sx_status source_drm_stop(struct source *source, struct sx_error *err)
{
	struct drm_source *s = drm_from(source);
	interval_stop(&s->interval);
	drm_profiling_end(&s->profiling, s->base.sys);
	return SX_OK;
}

static enum sx_status source_drm_selftest(struct source *source,
					  void (*say)(void *user, const char *line), void *user,
					  struct sx_error *err)
{
	return drm_selftest_card(source->sys, &drm_from(source)->card, say, user, err);
}

static bool source_drm_clock(struct source *source, struct source_clock *out)
{
	return interval_clock(&drm_from(source)->interval, out);
}

const struct source_ops source_drm = {
    .name = "drm",
    .raw = RAW_ROWS,
    .probe = source_drm_probe,
    .open = source_drm_open,
    .start = source_drm_start,
    .read = source_drm_read,
    .wake = source_drm_wake,
    .stop = source_drm_stop,
    .close = source_drm_close,
    .selftest = source_drm_selftest,
    .clock = source_drm_clock,
};
