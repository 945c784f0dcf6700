/* See device_words.h. */
#include "tools/cli/device_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"
#include "base/text_buf.h"
#include "input/input.h"

bool device_words_graphics(const struct cli *cli, const struct sx_device *device)
{
	struct sx_catalog *catalog;
	if (!device->catalog ||
	    sx_catalog_open(cli->context, device->catalog, &catalog, NULL) != SX_OK)
		return false;
	enum sx_catalog_kind kind = sx_catalog_info(catalog)->kind;
	sx_catalog_unref(catalog);
	return kind == SX_KIND_GPU || kind == SX_KIND_API;
}

bool device_words_mean(const struct cli *cli, const struct sx_device *device, const char *word)
{
	if (strcasecmp(word, "all") == 0)
		return true;
	return sx_device_means(device, word) ||
	       (strcasecmp(word, "gpu") == 0 && device_words_graphics(cli, device));
}

/* "1 (opengl), 0 (cpu)": what a recording is of. */
static const char *list_of(const struct device_words *among, char *buf, size_t size)
{
	buf[0] = '\0';
	for (size_t i = 0; i < among->count; i++)
		text_append_item(buf, size, ", ", "%s (%s)", among->all[i].id,
				 among->all[i].catalog);
	return buf;
}

enum sx_status device_words_unknown(const struct device_words *among, const char *word,
				    struct sx_error *err)
{
	char list[256];
	struct suggest near;
	suggest_begin(&near, word, 1);
	for (size_t i = 0; i < among->count; i++) {
		const struct sx_device *device = &among->all[i];
		if (device->state == SX_DEVICE_ABSENT)
			continue;
		suggest_offer(&near, device->id);
		suggest_offer(&near, device->source);
		if (device->catalog)
			suggest_offer(&near, device->catalog);
		if (device->name)
			suggest_offer(&near, device->name);
	}
	const char *found = near.count ? near.items[0] : NULL;
	error_set(err, SX_ERR_NOT_FOUND, "no device %s%s%s", word, among->path ? " in " : "",
		  among->path ? among->path : "");
	if (among->path)
		error_because(err, "it was recorded from %s", list_of(among, list, sizeof(list)));
	else
		error_because(err, "no source of this machine knows it");
	if (found)
		error_try(err, "-d %s", error_word((char[ERROR_WORD_MAX]){0}, found));
	else if (among->path)
		error_try(err, "sextant list devices %s",
			  error_word((char[ERROR_WORD_MAX]){0}, among->path));
	else
		error_try(err, "sextant devices");
	return SX_ERR_NOT_FOUND;
}

enum sx_status device_words_recorded(struct sx_capture_reader *reader,
				     struct device_words_recorded *out, struct sx_error *err)
{
	size_t room = (size_t)sx_capture_info(reader)->device_count + 1;
	out->places = calloc(room, sizeof(*out->places));
	out->devices = calloc(room, sizeof(*out->devices));
	out->ids = calloc(room, sizeof(*out->ids));
	if (!out->places || !out->devices || !out->ids)
		return error_nomem(err, "reading a capture");
	out->count = sx_capture_order(reader, out->places);
	for (uint32_t i = 0; i < out->count; i++) {
		const struct sx_capture_device *d = sx_capture_device(reader, out->places[i]);
		snprintf(out->ids[i], sizeof(out->ids[i]), "%" PRIu32,
			 input_number(reader, out->places[i]));
		out->devices[i] = (struct sx_device){
		    .id = out->ids[i],
		    .source = d->facts.source,
		    .name = d->facts.name && *d->facts.name ? d->facts.name : d->catalog,
		    .catalog = d->catalog,
		    .driver = d->facts.driver && *d->facts.driver ? d->facts.driver : NULL};
	}
	return SX_OK;
}

void device_words_recorded_finish(struct device_words_recorded *recorded)
{
	free(recorded->places);
	free(recorded->devices);
	free(recorded->ids);
	*recorded = (struct device_words_recorded){0};
}

/* Whether --for names this catalog, by its name or an alias, such as a product. */
static bool means_catalog(const struct cli *cli, const char *catalog)
{
	struct sx_catalog *meant = NULL;
	if (strcasecmp(cli->options.catalog, catalog) == 0)
		return true;
	if (sx_catalog_open(cli->context, cli->options.catalog, &meant, NULL))
		return false;
	bool same = strcmp(sx_catalog_info(meant)->name, catalog) == 0;
	sx_catalog_unref(meant);
	return same;
}

enum sx_status device_words_mark(const struct cli *cli, const struct device_words *among,
				 bool *marked, struct sx_error *err)
{
	const struct string_list *words = &cli->options.devices;
	bool any = false, own = options_is_default(&cli->options, "device");
	for (size_t w = 0; w < words->count; w++) {
		bool found = false;
		for (size_t i = 0; i < among->count; i++)
			if (device_words_mean(cli, &among->all[i], words->items[w]))
				marked[i] = found = true;
		any |= found;
		if (!found && !own && among->count)
			return device_words_unknown(among, words->items[w], err);
	}
	for (size_t i = 0; !any && i < among->count; i++)
		marked[i] = true;
	return SX_OK;
}

/* Leaves of those that are marked what --for means. */
static void unmark_others(const struct cli *cli, const struct device_words *among, bool *marked)
{
	bool any = false;
	for (size_t i = 0; cli->options.catalog && i < among->count; i++)
		any |= marked[i] && means_catalog(cli, among->all[i].catalog);
	if (!cli->options.catalog || (!any && options_is_default(&cli->options, "for")))
		return;
	for (size_t i = 0; i < among->count; i++)
		marked[i] = marked[i] && means_catalog(cli, among->all[i].catalog);
}

static enum sx_status none_left(const struct device_words *among, struct sx_error *err)
{
	char list[256];
	error_set(err, SX_ERR_NOT_FOUND, "%s holds no such device", among->path);
	error_because(err, "it was recorded from %s", list_of(among, list, sizeof(list)));
	error_try(err, "sextant capture info %s",
		  error_word((char[ERROR_WORD_MAX]){0}, among->path));
	return SX_ERR_NOT_FOUND;
}

enum sx_status device_words_places(const struct cli *cli, const char *path,
				   struct sx_capture_reader *reader, struct input_places *out,
				   struct sx_error *err)
{
	struct device_words_recorded recorded = {0};
	enum sx_status status = device_words_recorded(reader, &recorded, err);
	bool *marked = status ? NULL : calloc((size_t)recorded.count + 1, sizeof(*marked));
	const struct device_words among = {recorded.devices, recorded.count, path};
	*out = (struct input_places){0};
	if (!status && !marked)
		status = error_nomem(err, "reading a capture");
	if (!status)
		status = device_words_mark(cli, &among, marked, err);
	if (!status)
		unmark_others(cli, &among, marked);
	uint32_t left = 0;
	for (uint32_t i = 0; !status && i < recorded.count; i++)
		if (marked[i])
			recorded.places[left++] = recorded.places[i];
	if (!status && !left && recorded.count)
		status = none_left(&among, err);
	if (!status) {
		*out = (struct input_places){recorded.places, left};
		recorded.places = NULL;
	}
	free(marked);
	device_words_recorded_finish(&recorded);
	return status;
}
