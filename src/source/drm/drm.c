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
#include "source/process_tree.h"

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

static struct drm_source *drm_from(struct source *source)
{
	return (struct drm_source *)source;
}

static void drm_driver_name(const struct sx_sys *sys, const struct drm_card *card, char *out,
			    size_t size)
{
	char release[96];
	nodes_kernel_release(sys, release, sizeof(release));
	snprintf(out, size, "%s, Linux %s", card->driver, release[0] ? release : "?");
}

static void found_card(const struct source_host *host, const struct drm_card *card,
		       source_found_fn found, void *user)
{
	char id[32], name[128], driver[160], gives[640];
	struct drm_advice advice = {.because = ""};
	snprintf(id, sizeof(id), "drm:card%u", card->card);
	drm_card_name(card, name, sizeof(name));
	drm_driver_name(host->sys, card, driver, sizeof(driver));
	if (host->ask_drivers) /* advice reads files that a device may answer late */
		drm_advice_make(host->sys, card, &advice);
	drm_driver_gives(card->driver, gives, sizeof(gives));
	found(user, &(struct sx_device){
			.id = id,
			.source = "drm",
			.name = name,
			.catalog = "drm",
			.driver = driver,
			.state = SX_DEVICE_READY,
			.because = advice.because[0] ? advice.because : NULL,
			.remedy = advice.remedy[0] ? advice.remedy : NULL,
			.gives = gives,
		    });
}

static void source_drm_probe(const struct source_host *host, source_found_fn found, void *user)
{
	struct nodes nodes = nodes_list(host->sys, NULL);
	struct drm_card card;
	bool any = false;
	for (; drm_card_next(&nodes, &card); any = true)
		found_card(host, &card, found, user);
	if (any)
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

static const struct interval_ops drm_interval;

static enum sx_status source_drm_open(const struct source_host *host, const char *id,
				      struct source **out, struct sx_error *err)
{
	struct drm_source *s = interval_create(sizeof(*s), &source_drm, &drm_interval, host, err);
	if (!s)
		return SX_ERR_NO_MEMORY;
	s->profiling.pipe = -1;
	if (!drm_card_find(host->sys, id, &s->card)) {
		interval_close(&s->in.base);
		error_set(err, SX_ERR_NOT_FOUND, "there is no card %s", id);
		error_because(err, "/sys/class/drm does not have it");
		error_try(err, "sextant devices -v");
		return SX_ERR_NOT_FOUND;
	}
	drm_card_name(&s->card, s->in.name, sizeof(s->in.name));
	drm_driver_name(host->sys, &s->card, s->in.driver, sizeof(s->in.driver));
	s->in.desc.kinds = 1u << SX_SAMPLE_PROCESS;
	s->in.desc.kind = SX_SAMPLE_TIME;
	*out = &s->in.base;
	return SX_OK;
}

static void drm_release(struct source *source)
{
	struct drm_source *s = drm_from(source);
	drm_profiling_end(&s->profiling, s->in.base.sys);
	drm_clients_finish(&s->clients);
	s->column_count = 0;
	s->state = (struct drm_state){0};
	memset(s->seen, 0, sizeof(s->seen));
	s->ended = false;
	s->work_samples = 0;
}

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
	drm_device_read(s->in.base.sys, &s->card, &s->state, interval_ns, numbers);
	if (!s->needs_work)
		return;
	/* xe asks the hardware what its clients did. */
	s->clients.resting = s->card.is_xe && s->state.asleep;
	drm_clients_read(&s->clients);
	/* What a program did last, and held, went with its descriptors. */
	s->ended = s->clients.root && process_ended(s->in.base.sys, s->clients.root);
	if (s->ended)
		return;
	s->work_samples++;
	drm_clients_sum(&s->clients, true, 0, &sum);
	drm_put_sum(s, &sum, numbers);
	drm_put_missing(s, interval_ns, numbers);
	drm_drop_implausible(&s->state, interval_ns, numbers);
}

/* Until here from the reading before; the first one was taken by drm_begin(). */
static void drm_take_sample(struct source *source, struct raw_sample *out)
{
	struct drm_source *s = drm_from(source);
	struct drm_number numbers[DRM_COLUMNS];
	char text[64];
	if (!out)
		return;
	/* A card that was unplugged, or that lost its driver, has no folder any more. */
	s->in.gone = !file_line(source->sys, s->card.device, "uevent", text, sizeof(text)) &&
		     (errno == ENOENT || errno == ENODEV);
	if (s->in.gone)
		return;
	size_t count = 1;
	bool stretched = out->flags & RAW_STRETCHED;
	drm_take(s, out->end_ns - out->begin_ns, numbers);
	s->in.out_of_memory = s->clients.out_of_memory;
	s->in.out_of_memory |=
	    interval_make_rows(&s->in, s->clients.client_count + 2, NULL) != SX_OK;
	if (s->in.out_of_memory)
		return;
	if (!s->in.by_process)
		drm_put_row(s, 0, numbers, stretched);
	if (s->in.by_process || s->in.programs)
		count = drm_put_processes(s, s->in.programs, numbers, stretched);
	interval_give_rows(&s->in, count, out);
}

/* Reports what limits the result, once and together. */
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
	if (*s->state.refused_metrics)
		text_append_item(s->note, sizeof(s->note), "; ", "%s, and left out",
				 s->state.refused_metrics);
}

/*
 * Every process is read when none is chosen, or when only the sum over all gives a number of the
 * card.
 */
static bool drm_needs_all(struct drm_source *s, const struct drm_number *numbers)
{
	bool busy = numbers[DRM_BUSY].known || s->state.queues_primed;
	return !s->clients.root ||
	       (!s->in.by_process &&
		((drm_wants(s, DRM_BUSY) && !busy) ||
		 (drm_wants(s, DRM_MEMORY_USED) && !numbers[DRM_MEMORY_USED].known)));
}

static const char *drm_note(struct source *source, uint32_t index)
{
	const struct drm_source *s = drm_from(source);
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
	/* Numbers that are summed over the programs where the device reports none. */
	static const uint32_t others[] = {DRM_BUSY, DRM_MEMORY_USED, DRM_CLOCK, DRM_CLOCK_HIGHEST};
	for (uint32_t i = 0; i < s->column_count; i++)
		if (drm_columns()[s->wanted[i]].of_work)
			return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (drm_wants(s, others[i]) && !numbers[others[i]].known)
			return true;
	return s->in.by_process || s->in.programs;
}

static enum sx_status drm_begin(struct source *source, const struct source_request *request,
				struct sx_error *err)
{
	struct drm_source *s = drm_from(source);
	struct drm_number numbers[DRM_COLUMNS] = {{{0}, false}};
	const struct sx_sys *sys = source->sys;
	uint64_t interval_ns = s->in.run.interval_ns;
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
	/* Ten looks a second at programs find new clients of old ones no later than one does. */
	if (s->in.programs && interval_ns < NS_PER_S)
		s->clients.links_most = DRM_LINKS_A_READING * interval_ns / NS_PER_S + 1;
	s->needs_work = drm_needs_work(s, numbers);
	drm_take(s, interval_ns, numbers);
	if (s->clients.out_of_memory)
		return error_nomem(err, "the DRM source");
	for (uint32_t i = 0; i < DRM_COLUMNS; i++)
		s->seen[i] = numbers[i].known;
	drm_describe_columns(s, request->catalog);
	drm_make_note(s);
	return SX_OK;
}

/* A card that went ends the run; what was measured stays. */
static enum sx_status drm_lost(struct source *source, struct sx_error *err)
{
	error_set(err, SX_ERR_DEVICE_LOST, "card%u is gone", drm_from(source)->card.card);
	error_because(err, "it was unplugged, or its driver removed");
	error_try(err, "sextant devices");
	return SX_ERR_DEVICE_LOST;
}

static void drm_halt(struct source *source)
{
	drm_profiling_end(&drm_from(source)->profiling, source->sys);
}

static const struct interval_ops drm_interval = {
    .what = "the DRM source",
    .no_set = "its counters are chosen one by one",
    .no_finer = "each sample reads some hundred files, or it is too long",
    .machine_ns = 500 * NS_PER_MS,
    .begin = drm_begin,
    .take = drm_take_sample,
    .note = drm_note,
    .lost = drm_lost,
    .halt = drm_halt,
    .release = drm_release,
};

static enum sx_status source_drm_selftest(struct source *source, const struct note_sink *to,
					  struct sx_error *err)
{
	return drm_selftest_card(source->sys, &drm_from(source)->card, to, err);
}

const struct source_ops source_drm = {
    .name = "drm",
    .raw = RAW_ROWS,
    .probe = source_drm_probe,
    .open = source_drm_open,
    .selftest = source_drm_selftest,
    INTERVAL_SOURCE_OPS,
};
