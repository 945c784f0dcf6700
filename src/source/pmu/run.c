/*
 * One run of the PMU source: the events of each counter, the value of one count, readings, and
 * their differences.
 */
#include "source/pmu/pmu.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <sextant/expr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "catalog/units.h"
#include "source/interval.h"
#include "source/process_tree.h"

/* The kernel's words for units, and ours. */
static const struct {
	const char *word, *unit;
	double factor;
} words[] = {
    {"Joules", "uJ", 1e6},    {"J", "uJ", 1e6},		{"Bytes", "bytes", 1},
    {"bytes", "bytes", 1},    {"B", "bytes", 1},	{"KiB", "bytes", 0x1p10},
    {"MiB", "bytes", 0x1p20}, {"GiB", "bytes", 0x1p30}, {"64Bytes", "bytes", 64},
    {"KB", "bytes", 1e3},     {"MB", "bytes", 1e6},	{"GB", "bytes", 1e9},
    {"ns", "ns", 1},	      {"us", "ns", 1e3},	{"ms", "ns", 1e6},
    {"s", "ns", 1e9},	      {"cycles", "cycles", 1},	{"M", "cycles", 1e6},
};

static enum sx_status malformed(const char *text, const char *because, struct sx_error *err)
{
	error_set(err, SX_ERR_BAD_INPUT, "\"%.200s\" names no event", text);
	error_because(err, "%s", because);
	error_try(err, "PMU/EVENT/, as uncore_imc_*/cas_count_read/ or msr/tsc/; sextant doctor "
		       "-d pmu names the PMUs");
	return SX_ERR_BAD_INPUT;
}

/* Reads "64 bytes * " before the event. Returns the rest of the text, or NULL. */
static const char *parse_worth(const char *text, struct pmu_feed *out)
{
	char *end;
	out->each = strtod(text, &end);
	if (end == text || !isfinite(out->each) || out->each <= 0)
		return NULL;
	end += strspn(end, " ");
	size_t length = strcspn(end, " *");
	if (!length || length >= sizeof(out->unit))
		return NULL;
	memcpy(out->unit, end, length);
	end += length;
	end += strspn(end, " ");
	return *end == '*' ? end + 1 + strspn(end + 1, " ") : NULL;
}

static enum sx_status parse_event(const char *text, const char *event, struct pmu_feed *out,
				  struct sx_error *err)
{
	const char *slash = strchr(event, '/');
	size_t length = strlen(event), pmu = slash ? (size_t)(slash - event) : 0;
	if (!slash) {
		if (!length || length >= sizeof(out->terms))
			return malformed(text, "the name is empty or too long", err);
		memcpy(out->terms, event, length + 1);
		return SX_OK;
	}
	const char *end = strchr(slash + 1, '/');
	if (!pmu || pmu >= sizeof(out->pmu))
		return malformed(text, "the PMU's name is empty or too long", err);
	if (!end || end[1] || end == slash + 1 || (size_t)(end - slash) > sizeof(out->terms))
		return malformed(text, "an event is written between two slashes", err);
	memcpy(out->pmu, event, pmu);
	memcpy(out->terms, slash + 1, (size_t)(end - slash - 1));
	return SX_OK;
}

enum sx_status pmu_feed_parse(const char *text, struct pmu_feed *out, struct sx_error *err)
{
	struct units units;
	const char *event = text;
	*out = (struct pmu_feed){.each = 0};
	if (isdigit((unsigned char)text[0])) {
		event = parse_worth(text, out);
		if (!event)
			return malformed(text, "a number is followed by a unit, * and the event",
					 err);
		units_init(&units);
		if (!units_find(&units, out->unit))
			return malformed(text, "the unit is not one of catalogs/units.tsv", err);
	}
	return parse_event(text, event, out, err);
}

bool pmu_feed_next(const char **sum, char out[PMU_FEED_MAX])
{
	static const char plus[] = " + ";
	if (!*sum)
		return false;
	const char *end = strstr(*sum, plus);
	size_t length = end ? (size_t)(end - *sum) : strlen(*sum);
	snprintf(out, PMU_FEED_MAX, "%.*s", (int)(length < PMU_FEED_MAX ? length : PMU_FEED_MAX),
		 *sum);
	*sum = end ? end + sizeof(plus) - 1 : NULL;
	return true;
}

enum sx_status pmu_feed_check(const char *sum, struct sx_error *err)
{
	struct pmu_feed feed;
	char term[PMU_FEED_MAX];
	enum sx_status status = SX_OK;
	while (!status && pmu_feed_next(&sum, term))
		status = pmu_feed_parse(term, &feed, err);
	return status;
}

/* What one count is, as a number of one of our units; the unit is "" where it is unknown. */
static double worth(const struct pmu_feed *feed, const struct pmu_code *code, const char **unit)
{
	*unit = "";
	if (feed->each > 0) {
		*unit = feed->unit;
		return feed->each;
	}
	for (size_t i = 0; code->unit[0] && i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, code->unit) == 0) {
			*unit = words[i].unit;
			return code->scale * words[i].factor;
		}
	return code->scale;
}

enum sx_status pmu_feed_factor(const struct pmu_feed *feed, const struct pmu_code *code,
			       const struct sx_counter_info *counter, double *out,
			       struct sx_error *err)
{
	struct units units;
	const char *of;
	double each = worth(feed, code, &of);
	units_init(&units);
	const struct unit *from = *of ? units_find(&units, of) : NULL;
	const struct unit *to = units_find(&units, counter->bytes ? "bytes" : counter->unit);
	*out = each;
	if (!from || !to) /* a plain count of events counts what the counter does */
		return SX_OK;
	*out = each * from->factor / to->factor / (counter->bytes ? counter->bytes : 1);
	if (strcmp(from->dimension, to->dimension) == 0)
		return SX_OK;
	error_set(err, SX_ERR_BAD_INPUT, "%s/%s/ cannot be counted in %s", feed->pmu, feed->terms,
		  counter->unit);
	error_because(err, "its counts are %s", of);
	error_try(err, "an event that measures the same, or another counter");
	return SX_ERR_BAD_INPUT;
}

const char *pmu_feed_unit(const struct pmu_feed *feed, const struct pmu_code *code)
{
	const char *unit;
	double each = worth(feed, code, &unit);
	return *unit ? unit : each >= 1 ? "events" : "count";
}

#define COUNTED_SHARE "CountedShare" /* the catalog's name of it */

static const struct sx_counter_info *counter_at(const struct pmu_run *run, uint32_t index)
{
	uint32_t count;
	return &sx_catalog_counters(run->catalog, &count)[index];
}

/* One event of one PMU into the parts of an output; its factor is worked out here. */
static enum sx_status add_part(struct pmu_run *run, const struct pmu_feed *feed,
			       struct pmu_part part, struct sx_error *err)
{
	const struct sx_counter_info *counter = counter_at(run, run->outputs[part.output].counter);
	enum sx_status status = pmu_feed_factor(feed, &part.code, counter, &part.factor, err);
	if (status)
		return status;
	if (!mem_grow(&run->parts, &run->part_cap, run->part_count + 1, sizeof(*run->parts)))
		return error_nomem(err, "perf events");
	run->parts[run->part_count++] = part;
	return SX_OK;
}

static uint32_t device_of(const struct pmu_list *list, uint32_t type)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->items[i].type == type)
			return i;
	return SX_NONE;
}

static enum sx_status no_pmu(const struct pmu_feed *feed, struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "there is no PMU %s", feed->pmu);
	error_because(err, "no folder of " PMU_FOLDER " has a name like this");
	error_try(err, "sextant doctor -d pmu, which names the PMUs that are here");
	return SX_ERR_NOT_FOUND;
}

/* A sum without the one that cannot be read would pass for the whole. */
static enum sx_status unreadable(const struct pmu_device *device, struct sx_error *err)
{
	enum sx_status status =
	    error_errno(err, device->unreadable, "cannot read PMU %s", device->name);
	error_try(err, "sextant doctor -d pmu as root");
	return status;
}

static enum sx_status add_term(struct pmu_run *run, uint32_t output, const char *from,
			       struct sx_error *err)
{
	struct pmu_feed feed;
	struct pmu_part part = {.output = output};
	struct sx_error why = {0};
	uint32_t before = run->part_count;
	enum sx_status status = pmu_feed_parse(from, &feed, err);
	if (status)
		return status;
	if (!feed.pmu[0]) {
		status = pmu_encode_name(run->sys, feed.terms, &part.code, err);
		part.device = device_of(run->list, part.code.type);
		return status ? status : add_part(run, &feed, part, err);
	}
	no_pmu(&feed, &why);
	for (uint32_t i = 0; i < run->list->count; i++) {
		const struct pmu_device *device = &run->list->items[i];
		if (fnmatch(feed.pmu, device->name, 0) != 0)
			continue;
		if (device->unreadable) {
			run->outputs[output].unreadable = device;
			return unreadable(device, err);
		}
		status = pmu_encode(run->sys, device, feed.terms, &part.code, &why);
		part.device = i;
		if (!status)
			status = add_part(run, &feed, part, &why);
		if (status == SX_ERR_NO_MEMORY)
			break;
	}
	if (run->part_count > before && status != SX_ERR_NO_MEMORY)
		return SX_OK;
	if (err)
		*err = why;
	return why.status;
}

/*
 * Adds the events that a feed, or a sum of them, names on this machine to the parts of an output:
 * all or none. Errors: SX_ERR_NOT_FOUND when there are none, those of its text and of encoding.
 */
static enum sx_status pmu_parts_add(struct pmu_run *run, uint32_t output, const char *from,
				    struct sx_error *err)
{
	char term[PMU_FEED_MAX];
	uint32_t before = run->part_count;
	enum sx_status status = SX_OK;
	while (!status && pmu_feed_next(&from, term))
		status = add_term(run, output, term, err);
	if (status)
		run->part_count = before; /* a part of a sum would pass for the whole */
	return status;
}

bool pmu_find_code(const struct pmu_run *run, const struct pmu_feed *feed, struct pmu_code *out)
{
	if (!feed->pmu[0])
		return pmu_encode_name(run->sys, feed->terms, out, NULL) == SX_OK;
	for (uint32_t i = 0; i < run->list->count; i++)
		if (!run->list->items[i].unreadable &&
		    fnmatch(feed->pmu, run->list->items[i].name, 0) == 0 &&
		    pmu_encode(run->sys, &run->list->items[i], feed->terms, out, NULL) == SX_OK)
			return true;
	return false;
}

/* What the user says goes before what the catalog says. */
static const char *mapped(const struct pmu_run *run, uint32_t counter)
{
	for (uint32_t i = 0; i < run->map_count; i++)
		if (sx_catalog_find_counter(run->catalog, run->maps[i].name, SX_NONE, NULL) ==
		    counter)
			return run->maps[i].from;
	return NULL;
}

/* The first feed that is here. One that is not here leaves the counter without any. */
static enum sx_status feed_output(struct pmu_run *run, uint32_t index, struct sx_error *err)
{
	struct pmu_output *output = &run->outputs[index];
	const struct sx_counter_info *counter = counter_at(run, output->counter);
	const char *map = mapped(run, output->counter);
	if (map)
		return pmu_parts_add(run, index, map, err);
	for (uint32_t i = 0; i < counter->from.count; i++) {
		enum sx_status status = pmu_parts_add(run, index, counter->from.items[i], err);
		if (!status || status == SX_ERR_NO_MEMORY)
			return status;
	}
	return SX_OK;
}

/* A counter of several groups has one name, and one column. */
static bool has_output(const struct pmu_run *run, const char *name)
{
	for (uint32_t i = 0; i < run->output_count; i++)
		if (strcmp(run->outputs[i].name, name) == 0)
			return true;
	return false;
}

static enum sx_status add_output(struct pmu_run *run, const char *name, struct sx_error *err)
{
	uint32_t counter = sx_catalog_find_counter(run->catalog, name, SX_NONE, NULL);
	if (counter == SX_NONE || has_output(run, name))
		return SX_OK;
	struct pmu_output *output = &run->outputs[run->output_count];
	*output = (struct pmu_output){.name = strdup(name), .counter = counter};
	if (!output->name)
		return error_nomem(err, "the PMU source");
	output->is_share = output->is_open =
	    strcmp(counter_at(run, counter)->name, COUNTED_SHARE) == 0;
	run->names[run->output_count] = output->name;
	return feed_output(run, run->output_count++, err);
}

static enum sx_status add_outputs(struct pmu_run *run, const struct source_request *request,
				  struct sx_error *err)
{
	uint32_t all, count = request->counter_count;
	const struct sx_counter_info *counters = sx_catalog_counters(run->catalog, &all);
	if (!request->counters)
		count = all;
	run->outputs = calloc((size_t)count + 1, sizeof(*run->outputs));
	run->names = calloc((size_t)count + 1, sizeof(*run->names));
	run->whys = calloc((size_t)count + 1, sizeof(*run->whys));
	bool good = run->outputs && run->names && run->whys;
	enum sx_status status = good ? SX_OK : error_nomem(err, "the PMU source");
	for (uint32_t i = 0; !status && i < count; i++)
		status = add_output(
		    run, request->counters ? request->counters[i] : counters[i].name, err);
	return status;
}

enum sx_status pmu_run_start(struct pmu_run *run, const struct source_request *request,
			     struct sx_error *err)
{
	run->pid = request->pid;
	struct process_stat stat;
	if (run->pid > 0 && !process_stat_read(run->sys, run->pid, &stat))
		return interval_no_process(run->pid, err);
	enum sx_status status = add_outputs(run, request, err);
	if (!status)
		status = pmu_groups_open(run, err);
	if (!status)
		pmu_note_write(run);
	return status;
}

void pmu_run_read(struct pmu_run *run)
{
	for (size_t i = 0; i < run->events.count; i++) {
		struct perf_event *event = &run->events.items[i];
		event->before = event->now;
		event->now = (struct perf_reading){.valid = true};
		perf_add(run->sys, event->fd, true, &event->now);
	}
}

/* One event's share of its output between the two readings. */
static double event_value(struct pmu_run *run, const struct perf_event *event, uint8_t *quality)
{
	const struct pmu_part *part = &run->parts[event->member];
	const struct perf_reading *from = &event->before, *to = &event->now;
	uint64_t value = perf_delta(from, to, quality);
	if (from->valid && to->valid && to->enabled > from->enabled) {
		double running =
		    to->running > from->running ? (double)(to->running - from->running) : 0;
		run->counted = fmin(run->counted, running / (double)(to->enabled - from->enabled));
	}
	if (to->valid && from->valid && to->value < from->value)
		*quality =
		    SX_QUALITY_NOT_COLLECTED; /* the counter began again at an unknown value */
	if (part->code.is_state) {
		*quality = to->valid ? SX_QUALITY_VALID : SX_QUALITY_NOT_COLLECTED;
		value = to->value;
	}
	return (double)value * part->factor;
}

/* Parts add up; a part that is missing makes the sum a wrong one. */
static uint8_t join_quality(uint8_t a, uint8_t b)
{
	bool none = (a | b) & SX_QUALITY_NOT_COLLECTED;
	return none ? SX_QUALITY_NOT_COLLECTED : (uint8_t)(a | b);
}

/* What has no room is no data. */
static uint64_t value_of(struct pmu_output *output)
{
	double whole = floor(output->pending + output->sum);
	if (!(whole >= 0 && whole < 0x1p64)) {
		output->quality = SX_QUALITY_NOT_COLLECTED;
		whole = output->pending = output->sum = 0;
	}
	output->pending += output->sum - whole;
	return (uint64_t)whole;
}

void pmu_run_values(struct pmu_run *run, struct interval_source *to)
{
	for (uint32_t i = 0; i < run->output_count; i++) {
		struct pmu_output *output = &run->outputs[i];
		bool counts = output->is_open && !output->error;
		output->quality = counts ? SX_QUALITY_VALID : SX_QUALITY_NOT_COLLECTED;
		output->sum = 0;
	}
	run->counted = 1;
	for (size_t i = 0; i < run->events.count; i++) {
		uint8_t mine;
		const struct perf_event *event = &run->events.items[i];
		struct pmu_output *output = &run->outputs[run->parts[event->member].output];
		output->sum += event_value(run, event, &mine);
		output->quality = join_quality(output->quality, mine);
	}
	for (uint32_t i = 0; i < run->output_count; i++) {
		struct pmu_output *output = &run->outputs[i];
		uint64_t value =
		    output->is_share ? (uint64_t)(run->counted * 100 + 0.5) : value_of(output);
		interval_put_value(to, i, value, output->quality);
	}
}

void pmu_run_finish(struct pmu_run *run)
{
	perf_close(&run->events, run->sys);
	for (uint32_t i = 0; i < run->output_count; i++)
		free(run->outputs[i].name);
	free(run->outputs);
	free(run->names);
	free(run->whys);
	arena_finish(&run->texts);
	free(run->parts);
	*run = (struct pmu_run){0};
}
