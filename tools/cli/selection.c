/* Which devices and catalogs the user means: -d, --for, or neither. */
#include "tools/cli/selection.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <sextant/session.h>
#include <sextant/source.h>
#include "base/number.h"
#include "output/catalog/catalog.h"
#include "tools/cli/device_words.h"

static enum sx_status selection_probe(struct cli *cli, const struct sx_device **out, size_t *count,
				      struct sx_error *err)
{
	enum sx_status status =
	    cli->devices ? SX_OK : sx_devices_probe(cli->context, false, &cli->devices, err);
	*count = 0;
	*out = status ? NULL : sx_devices_get(cli->devices, count);
	return status;
}

static bool is_meant(const struct cli *cli, const struct sx_device *all, size_t count,
		     const char *word)
{
	bool meant = false;
	for (size_t i = 0; i < count; i++)
		meant |= device_words_mean(cli, &all[i], word);
	return meant;
}

/*
 * The same for a word of the user. If no device has this name, drivers are asked for theirs (of a
 * renderer), which takes a while.
 */
static enum sx_status selection_probe_for(struct cli *cli, const char *word,
					  const struct sx_device **out, size_t *count,
					  struct sx_error *err)
{
	struct sx_device_list *asked;
	enum sx_status status = selection_probe(cli, out, count, err);
	if (status || is_meant(cli, *out, *count, word) ||
	    sx_devices_probe(cli->context, true, &asked, NULL))
		return status;
	sx_devices_destroy(cli->devices);
	cli->devices = asked;
	*out = sx_devices_get(asked, count);
	return SX_OK;
}

static bool can_be_measured(const struct cli *cli, const struct sx_device *device)
{
	return device->state == SX_DEVICE_READY ||
	       (device->state == SX_DEVICE_INJECT && cli->options.child && device->catalog);
}

static enum sx_status none_of(const struct cli *cli, const struct sx_device *all, size_t count,
			      const char *word, struct sx_error *err)
{
	const struct sx_device *first = NULL;
	for (size_t i = 0; i < count && !first; i++)
		if (all[i].state != SX_DEVICE_SIMULATED && !can_be_measured(cli, &all[i]) &&
		    device_words_graphics(cli, &all[i]))
			first = &all[i];
	error_set(err, SX_ERR_NOT_FOUND, "no %s here can be measured", word);
	if (first && first->state == SX_DEVICE_INJECT) {
		error_because(err, "%s measures programs, and none was given", first->id);
		error_try(err, "sextant %s -d %s -- COMMAND", cli->verb->name, word);
	} else if (first && first->because) {
		error_because(err, "%s: %s", first->id, first->because);
		error_try(err, "%s", first->remedy ? first->remedy : "sextant doctor");
	} else {
		error_because(err, "no source found one");
		error_try(err, "sextant doctor");
	}
	return SX_ERR_NOT_FOUND;
}

/* Whether the word is what follows the colon of the device's id: "card0" of "i915:card0". */
static bool is_node(const struct sx_device *device, const char *word)
{
	const char *colon = strchr(device->id, ':');
	return colon && strcmp(colon + 1, word) == 0;
}

/*
 * Replaces a card's node by a device. Several sources may measure a card: chooses the best usable
 * one, and notes the others. Keeps other words.
 */
static enum sx_status expand_node(struct cli *cli, const char *word, struct string_list *out,
				  struct sx_error *err)
{
	size_t count;
	const struct sx_device *all, *best = NULL, *other = NULL;
	enum sx_status status = selection_probe(cli, &all, &count, err);
	for (size_t i = 0; !status && i < count; i++) {
		if (!is_node(&all[i], word))
			continue;
		if (!best && can_be_measured(cli, &all[i]))
			best = &all[i];
		else
			other = other ? other : &all[i];
	}
	if (status || !best)
		return status ? status : options_add(&cli->options, out, word, false, err);
	if (other && can_be_measured(cli, other))
		cli_note(cli, "note: %s is measured as %s; -d %s is another way", word, best->id,
			 other->id);
	else if (other)
		cli_note(cli, "note: %s is measured as %s; %s cannot be: %s", word, best->id,
			 other->id, other->because ? other->because : "see sextant doctor");
	return options_add(&cli->options, out, best->id, false, err);
}

static enum sx_status expand(struct cli *cli, const char *word, struct string_list *out,
			     struct sx_error *err)
{
	size_t count, before = out->count;
	bool gpu = strcasecmp(word, "gpu") == 0;
	const struct sx_device *all;
	if (!gpu && strncmp(word, "card", 4) == 0)
		return expand_node(cli, word, out, err);
	if (!gpu && strcasecmp(word, "all") != 0)
		return options_add(&cli->options, out, word, true, err); /* a copy */
	enum sx_status status = selection_probe(cli, &all, &count, err);
	for (size_t i = 0; !status && i < count; i++)
		if (can_be_measured(cli, &all[i]) && (!gpu || device_words_graphics(cli, &all[i])))
			status = options_add(&cli->options, out, all[i].id, false, err);
	return status || out->count > before
		   ? status
		   : none_of(cli, all, count, gpu ? "gpu" : "device", err);
}

/* What looks at a process from outside: the CPU, and the cards that it may have open. */
static enum sx_status choose_for_process(struct cli *cli, struct sx_error *err)
{
	size_t count;
	const struct sx_device *all;
	enum sx_status status = selection_probe(cli, &all, &count, err);
	if (!status)
		status = options_add(&cli->options, &cli->options.devices, "cpu", false, err);
	for (size_t i = 0; !status && i < count; i++)
		if (strcmp(all[i].source, "drm") == 0 && can_be_measured(cli, &all[i]))
			status = options_add(&cli->options, &cli->options.devices, all[i].id, false,
					     err);
	return status;
}

/* The devices of a recording, named by their index as a session names those that it replays. */
static enum sx_status choose_recorded(struct cli *cli, struct sx_error *err)
{
	struct options *o = &cli->options;
	struct sx_capture_reader *reader = NULL;
	struct string_list out = {0};
	struct input_places places = {0};
	enum sx_status status = sx_capture_open(o->input, &reader, err);
	if (!status)
		status = device_words_places(cli, o->input, reader, &places, err);
	for (uint32_t i = 0; !status && i < places.count; i++) {
		char place[16];
		snprintf(place, sizeof(place), "%u", (unsigned)places.list[i]);
		status = options_add(o, &out, place, true, err);
	}
	free(places.list);
	sx_capture_close(reader);
	free(o->devices.items);
	o->devices = out;
	return status;
}

enum sx_status selection_devices(struct cli *cli, struct sx_error *err)
{
	if (cli->options.pid.given && !cli->options.devices.count && !cli->options.input) {
		enum sx_status chosen = choose_for_process(cli, err);
		if (chosen)
			return chosen;
	}
	struct string_list words = cli->options.devices, out = {0};
	enum sx_status status = SX_OK;
	if (cli->options.input)
		return words.count || cli->options.catalog ? choose_recorded(cli, err) : SX_OK;
	for (size_t i = 0; !status && i < words.count; i++)
		status = expand(cli, words.items[i], &out, err);
	free(words.items);
	cli->options.devices = out;
	return status;
}

/* The device named; of several that can be meant one with a catalog. */
static const struct sx_device *find(const struct cli *cli, const struct sx_device *all,
				    size_t count, const char *word)
{
	const struct sx_device *found = NULL;
	for (size_t i = 0; i < count; i++) {
		if (device_words_mean(cli, &all[i], word) &&
		    (!found || (!found->catalog && all[i].catalog)))
			found = &all[i];
	}
	return found;
}

/* The catalog of a program's driver, which the source must read from the driver. */
static enum sx_status ask_for_catalog(struct cli *cli, const struct sx_device *device,
				      struct sx_catalog **out, struct sx_error *err)
{
	struct sx_session *session = NULL;
	const struct sx_session_options options = {
	    .devices = &device->id, .device_count = 1, .child = true};
	enum sx_status status = sx_session_create(cli->context, &options, &session, err);
	uint32_t count = 0;
	const struct sx_session_device *all = status ? NULL : sx_session_devices(session, &count);
	if (count)
		*out = sx_catalog_ref(all[0].catalog);
	sx_session_destroy(session);
	return status;
}

/* "all" and "gpu" may name several devices; one is shown, and the others are noted. */
static void note_others(const struct cli *cli, const struct device_words *among, const char *word,
			const struct sx_device *shown)
{
	size_t others = 0;
	for (size_t i = 0; i < among->count; i++)
		others += &among->all[i] != shown && among->all[i].catalog &&
			  device_words_mean(cli, &among->all[i], word);
	if (others && (strcasecmp(word, "all") == 0 || strcasecmp(word, "gpu") == 0))
		cli_note(cli, "note: this is of %s; -d %s means %s", shown->id, word,
			 COUNTED(others, "other device"));
}

enum sx_status selection_catalog(struct cli *cli, struct sx_catalog **out, struct sx_error *err)
{
	size_t count;
	const struct sx_device *all;
	const char *word = cli->options.devices.items[0], *wanted = cli->options.catalog;
	enum sx_status status = selection_probe_for(cli, word, &all, &count, err);
	if (status)
		return status;
	const struct sx_device *device = find(cli, all, count, word);
	if (!device)
		return device_words_unknown(&(struct device_words){all, count, NULL}, word, err);
	note_others(cli, &(struct device_words){all, count, NULL}, word, device);
	if (!device->catalog && !wanted && device->state == SX_DEVICE_INJECT)
		return ask_for_catalog(cli, device, out, err);
	if (!device->catalog && !wanted && !sx_catalog_heads(cli->context, NULL))
		return error_nomem(err, "reading the catalogs' heads");
	if (!device->catalog && !wanted) {
		error_set(err, SX_ERR_NOT_FOUND, "no catalog describes %s", device->id);
		error_because(err, "%s",
			      device->because ? device->because : "its source knows none");
		error_try(err, "--for NAME, a catalog that is near; sextant devices lists them");
		return SX_ERR_NOT_FOUND;
	}
	if (device->catalog && wanted && strcmp(device->catalog, wanted) != 0) {
		error_set(err, SX_ERR_USAGE, "%s is not described by catalog %s", device->id,
			  wanted);
		error_because(err, "its catalog is %s", device->catalog);
		error_try(err, "-d %s alone, or --for %s alone", word, wanted);
		return SX_ERR_USAGE;
	}
	return device->catalog ? sx_device_catalog(cli->context, device, out, err)
			       : sx_catalog_open(cli->context, wanted, out, err);
}

enum sx_status selection_passes(struct cli *cli, struct selection_passes *passes,
				struct sx_error *err)
{
	size_t count;
	const struct sx_device *all;
	passes->count = 0;
	if (!cli->options.devices.count || !passes->name_count)
		return SX_OK;
	enum sx_status status = selection_probe(cli, &all, &count, err);
	const struct sx_device *device =
	    status ? NULL : find(cli, all, count, cli->options.devices.items[0]);
	if (!device)
		return status;
	struct sx_counter_passes asked = {
	    .names = passes->names, .count = passes->name_count, .pass_of = passes->of};
	status = sx_device_passes(cli->context, device, &asked, err);
	passes->count = asked.pass_count;
	return status;
}

void selection_note_missing(struct cli *cli)
{
	size_t count;
	const struct sx_device *all;
	if (selection_probe(cli, &all, &count, NULL))
		return;
	for (size_t i = 0; i < count; i++)
		if (all[i].state == SX_DEVICE_UNUSABLE && all[i].obstacle == SX_ERR_NOT_FOUND &&
		    all[i].because && device_words_graphics(cli, &all[i]))
			cli_note(cli, "note: not measured: %s: its library is missing: %s",
				 all[i].catalog, all[i].because);
}

/* Skips a catalog that cannot be read, but fails when out of memory. */
static enum sx_status visit_name(struct cli *cli, const char *name,
				 const struct selection_search *search, struct sx_error *err)
{
	struct sx_catalog *catalog;
	struct sx_error why = {0};
	enum sx_status status = sx_catalog_open(cli->context, name, &catalog, &why);
	if (status == SX_ERR_NO_MEMORY && err)
		*err = why;
	if (status)
		return status == SX_ERR_NO_MEMORY ? status : SX_OK;
	status = search->visit(search->user, catalog);
	sx_catalog_unref(catalog);
	return status;
}

static bool is_here(const struct sx_device *all, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].state != SX_DEVICE_SIMULATED && all[i].catalog &&
		    strcmp(all[i].catalog, name) == 0)
			return true;
	return false;
}

/* Calls visit for each catalog that is, or is not, of a device of this machine. */
static enum sx_status each_catalog(struct cli *cli, const struct selection_search *search,
				   bool here, struct sx_error *err)
{
	size_t count, catalogs = 0;
	const struct sx_device *all;
	enum sx_status status = selection_probe(cli, &all, &count, err);
	const char *const *names = sx_catalog_names(cli->context, &catalogs);
	if (!status && !names)
		status = error_nomem(err, "listing the catalogs");
	for (size_t i = 0; !status && i < catalogs; i++)
		if (is_here(all, count, names[i]) == here &&
		    (!search->name || describe_may_find(cli->context, names[i], search->name)))
			status = visit_name(cli, names[i], search, err);
	return status;
}

enum sx_status selection_each_catalog(struct cli *cli, const struct selection_search *search,
				      struct sx_error *err)
{
	enum sx_status status = each_catalog(cli, search, true, err);
	if (!status)
		status = each_catalog(cli, search, false, err);
	return status == SX_END ? SX_OK : status;
}

enum sx_status selection_each_here(struct cli *cli, const struct selection_search *search,
				   struct sx_error *err)
{
	enum sx_status status = each_catalog(cli, search, true, err);
	return status == SX_END ? SX_OK : status;
}

/* Whether a catalog defines a preset of this name; the first one ends the search. */
struct preset_search {
	const char *name;
	bool found;
};

static enum sx_status preset_search_in(void *user, struct sx_catalog *catalog)
{
	struct preset_search *search = user;
	search->found = sx_catalog_find_metric(catalog, search->name, SX_NONE, NULL) != SX_NONE ||
			sx_catalog_find_counter(catalog, search->name, SX_NONE, NULL) != SX_NONE;
	return search->found ? SX_END : SX_OK;
}

enum sx_status selection_note_presets(struct cli *cli, struct sx_error *err)
{
	const struct config_line *preset;
	enum sx_status status = SX_OK;
	for (size_t at = 0; !status && (preset = config_preset(&cli->config, &at));) {
		struct preset_search search = {.name = preset->name};
		status = selection_each_catalog(
		    cli, &(struct selection_search){preset_search_in, &search, preset->name}, err);
		if (search.found)
			cli_note(cli, "note: %s is the preset of %s:%u here, not the metric",
				 preset->name, cli->config.path, preset->line);
	}
	return status;
}
