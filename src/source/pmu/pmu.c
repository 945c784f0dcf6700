/*
 * The source of all PMUs that the kernel shows: energy, memory controllers, GPUs, cores, software.
 * Counters are those of a catalog that says where they come from, and any event that is named.
 */
#include "source/pmu/pmu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text_buf.h"
#include "catalog/internal.h"
#include "source/interval.h"
#include "source/nodes.h"

#define CATALOG	   "pmu"
#define NAME_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+:/="

struct pmu_source {
	struct interval_source in; /* first */
	struct pmu_list list;
	struct sx_catalog *catalog;
	struct pmu_map *maps;
	uint32_t map_count;
	struct arena texts; /* of maps */
	struct pmu_run run; /* what start() set up */
};

static struct pmu_source *pmu_from(struct source *source)
{
	return (struct pmu_source *)source;
}

static void driver_name(const struct sx_sys *sys, char *out, size_t size)
{
	char release[96];
	nodes_kernel_release(sys, release, sizeof(release));
	snprintf(out, size, "Linux %s", release);
}

/* Modules that show more PMUs of this processor. */
static void advise_on_modules(const struct sx_sys *sys, const struct pmu_list *list, char *because,
			      char *remedy, size_t size)
{
	static const struct {
		enum modules_cpu cpu;
		const char *pmus, *what, *step;
	} modules[] = {
	    {MODULES_INTEL, "power", "no PMU counts energy", "sudo modprobe rapl"},
	    {MODULES_AMD, "power", "no PMU counts energy", "sudo modprobe rapl"},
	    {MODULES_INTEL, "uncore_", "no PMU counts memory traffic",
	     "sudo modprobe intel_uncore"},
	    {MODULES_AMD, "amd_df", "no PMU counts memory traffic and the data fabric",
	     "sudo modprobe amd_uncore"},
	};
	enum modules_cpu cpu = modules_cpu(sys);
	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		bool here = cpu != modules[i].cpu;
		for (uint32_t k = 0; k < list->count && !here; k++)
			here = strncmp(list->items[k].name, modules[i].pmus,
				       strlen(modules[i].pmus)) == 0;
		if (here)
			continue;
		text_append_item(because, size, "; ", "%s", modules[i].what);
		text_append_item(remedy, size, "; ", "%s", modules[i].step);
	}
}

static void pmu_probe(const struct source_host *host, source_found_fn found, void *user)
{
	const struct sx_sys *sys = host->sys;
	char name[256], driver[128], because[512] = "", remedy[512] = "";
	struct sx_device device = {.id = "pmu", .source = "pmu", .catalog = CATALOG};
	struct pmu_list list = {0};
	struct sx_error err = {0};
	err.status = pmu_list_read(sys, &list, &err);
	pmu_list_note(&list, name, sizeof(name));
	driver_name(sys, driver, sizeof(driver));
	device.driver = driver;
	if (err.status) {
		source_unusable(&device, &err);
		device.remedy = "sextant doctor as root";
	} else if (!list.count) {
		device.state = SX_DEVICE_ABSENT;
		device.because = "the kernel shows no PMU in " PMU_FOLDER;
		device.remedy = "a kernel with CONFIG_PERF_EVENTS, and /sys mounted";
	} else {
		device.state = SX_DEVICE_READY;
		device.name = name;
		if (!pmu_list_unreadable(&list, because, sizeof(because)))
			perf_is_limited(sys, because, remedy, sizeof(because));
		else
			snprintf(remedy, sizeof(remedy), "sextant doctor as root");
		advise_on_modules(sys, &list, because, remedy, sizeof(because));
		device.because = because[0] ? because : NULL;
		device.remedy = remedy[0] ? remedy : NULL;
	}
	found(user, &device);
	pmu_list_finish(&list);
}

/* "NAME=PMU/EVENT/" of --map, or an event that -m names by itself. */
static enum sx_status add_map(struct pmu_source *s, const char *text, struct sx_error *err)
{
	const char *equals = strchr(text, '='), *slash = strchr(text, '/');
	bool named = equals && (!slash || equals < slash);
	struct pmu_map *map = &s->maps[s->map_count];
	map->name = named ? arena_strndup(&s->texts, text, (size_t)(equals - text))
			  : arena_strndup(&s->texts, text, strlen(text));
	map->from = named ? arena_strndup(&s->texts, equals + 1, strlen(equals + 1)) : map->name;
	if (!map->name || !map->from)
		return error_nomem(err, "mapping events");
	if (!*map->name || map->name[strspn(map->name, NAME_BYTES)]) {
		error_set(err, SX_ERR_USAGE, "\"%.200s\" cannot be the name of a counter",
			  map->name);
		error_because(err, "a name has letters, digits and _ . - + : / =");
		error_try(err, "--map NAME=%.200s", map->from);
		return SX_ERR_USAGE;
	}
	s->map_count++;
	return pmu_feed_check(map->from, err);
}

/* The unit of the first PMU's event; of a sum, the first one's. */
static const char *unit_of(struct pmu_source *s, const char *from)
{
	struct pmu_run run = {.sys = s->in.base.sys, .list = &s->list};
	struct pmu_feed feed;
	struct pmu_code code = {.scale = 1};
	char first[PMU_FEED_MAX];
	pmu_feed_next(&from, first);
	if (pmu_feed_parse(first, &feed, NULL) == SX_OK)
		pmu_find_code(&run, &feed, &code);
	const char *unit = pmu_feed_unit(&feed, &code);
	return arena_strndup(&s->texts, unit, strlen(unit));
}

/* Counters that the catalog does not have are added to it. */
static enum sx_status extend(struct pmu_source *s, const char *name, struct sx_error *err)
{
	uint32_t count = 0;
	struct sx_catalog *base = NULL;
	struct catalog_addition *more = calloc(s->map_count + 1, sizeof(*more));
	enum sx_status status = more ? catalog_open_name(s->in.base.catalogs, name, &base, err)
				     : error_nomem(err, "mapping events");
	for (uint32_t i = 0; !status && i < s->map_count; i++) {
		const struct pmu_map *map = &s->maps[i];
		if (sx_catalog_find_counter(base, map->name, SX_NONE, NULL) != SX_NONE)
			continue;
		more[count] = (struct catalog_addition){
		    .name = map->name, .unit = unit_of(s, map->from), .description = map->from};
		if (!more[count++].unit)
			status = error_nomem(err, "mapping events");
	}
	const struct catalog_more all = {.counters = more, .counter_count = count};
	if (!status)
		status = catalog_extend(s->in.base.catalogs, name, &all, &s->catalog, err);
	sx_catalog_unref(base);
	free(more);
	return status;
}

static bool is_fed(const struct sx_catalog *catalog)
{
	uint32_t count;
	const struct sx_counter_info *counters = sx_catalog_counters(catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (counters[i].from.count)
			return true;
	return false;
}

static enum sx_status choose_catalog(struct pmu_source *s, const struct source_host *host,
				     struct sx_error *err)
{
	const char *name = host->catalog ? host->catalog : CATALOG;
	enum sx_status status = SX_OK;
	s->maps = calloc(host->map_count + 1, sizeof(*s->maps));
	if (!s->maps)
		return error_nomem(err, "mapping events");
	for (uint32_t i = 0; !status && i < host->map_count; i++)
		status = add_map(s, host->maps[i], err);
	if (!status)
		status = extend(s, name, err);
	if (status || is_fed(s->catalog) || s->map_count)
		return status;
	error_set(err, SX_ERR_USAGE, "PMUs feed no counter of catalog %s", name);
	error_because(err, "none of its counters says which event it comes from");
	error_try(err, "--map NAME=PMU/EVENT/, or without --for");
	return SX_ERR_USAGE;
}

static void pmu_release(struct source *source)
{
	pmu_run_finish(&pmu_from(source)->run);
}

static void pmu_finish(struct source *source)
{
	struct pmu_source *s = pmu_from(source);
	pmu_list_finish(&s->list);
	sx_catalog_unref(s->catalog);
	arena_finish(&s->texts);
	free(s->maps);
}

static void pmu_take(struct source *source, struct raw_sample *out)
{
	struct pmu_source *s = pmu_from(source);
	pmu_run_read(&s->run);
	if (!out)
		return;
	pmu_run_values(&s->run, &s->in);
	interval_give_values(&s->in, out);
}

static const char *pmu_note(struct source *source, uint32_t index)
{
	const char *note = pmu_from(source)->run.note;
	return index == 0 && *note ? note : NULL;
}

static enum sx_status pmu_begin(struct source *source, const struct source_request *request,
				struct sx_error *err)
{
	struct pmu_source *s = pmu_from(source);
	s->run = (struct pmu_run){.sys = source->sys,
				  .list = &s->list,
				  .catalog = s->catalog,
				  .maps = s->maps,
				  .map_count = s->map_count};
	enum sx_status status = pmu_run_start(&s->run, request, err);
	s->in.desc.counters = s->run.names;
	s->in.desc.whys = s->run.whys;
	s->in.desc.counter_count = s->run.output_count;
	return status;
}

static void pmu_halt(struct source *source)
{
	perf_close(&pmu_from(source)->run.events, source->sys);
}

static const struct interval_ops pmu_interval = {
    .what = "the PMU source",
    .no_finer = "counters are read one by one, or it is too long",
    .begin = pmu_begin,
    .take = pmu_take,
    .note = pmu_note,
    .halt = pmu_halt,
    .release = pmu_release,
    .finish = pmu_finish,
};

static enum sx_status pmu_open(const struct source_host *host, const char *id, struct source **out,
			       struct sx_error *err)
{
	if (strcmp(id, "pmu") != 0) {
		error_set(err, SX_ERR_NOT_FOUND, "there is no PMU device \"%s\"", id);
		error_because(err, "all PMUs together are the device pmu");
		error_try(err, "--device pmu");
		return SX_ERR_NOT_FOUND;
	}
	struct pmu_source *s = interval_create(sizeof(*s), &source_pmu, &pmu_interval, host, err);
	if (!s)
		return SX_ERR_NO_MEMORY;
	enum sx_status status = pmu_list_read(host->sys, &s->list, err);
	if (!status)
		status = choose_catalog(s, host, err);
	if (status) {
		interval_close(&s->in.base);
		return status;
	}
	pmu_list_note(&s->list, s->in.name, sizeof(s->in.name));
	driver_name(host->sys, s->in.driver, sizeof(s->in.driver));
	s->in.desc.catalog = sx_catalog_info(s->catalog)->name;
	s->in.desc.own = s->catalog;
	*out = &s->in.base;
	return SX_OK;
}

static enum sx_status pmu_check(struct source *source, const struct note_sink *to,
				struct sx_error *err)
{
	return pmu_selftest(source->sys, &pmu_from(source)->list, to, err);
}

const struct source_ops source_pmu = {
    .name = "pmu",
    .raw = RAW_VALUES,
    .only_named = true,
    .probe = pmu_probe,
    .open = pmu_open,
    .selftest = pmu_check,
    INTERVAL_SOURCE_OPS,
};
