/* Finds the catalog of the name to explain: of a device, a file, or any catalog. */
#include "tools/verbs/explain/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text_buf.h"
#include "output/catalog/catalog.h"
#include "tools/cli/request.h"
#include "tools/cli/selection.h"

/* Rules are words with points between them ("cpu.saturated"), as neutral names are. */
bool explain_is_rule(const char *name)
{
	return strchr(name, '.') != NULL;
}

/* Who knows a name, of all catalogs. */
struct search {
	const char *name;
	struct sx_catalog *found; /* the first */
	char others[128];	  /* the first that know it too */
	unsigned more;		  /* and how many others */
	struct suggest near;
};

static enum sx_status search_one(void *user, struct sx_catalog *catalog)
{
	struct search *s = user;
	struct catalog_view view = describe_view(catalog);
	uint32_t metric, counter;
	const char *near[1];
	if (!describe_find(&view, s->name, SX_NONE, &metric, &counter) &&
	    rule_find(&view, s->name) == SX_NONE) {
		if (!s->found && sx_catalog_suggest(catalog, s->name, near, 1))
			suggest_offer(&s->near, near[0]);
		if (!s->found && explain_is_rule(s->name))
			rule_offer(&view, &s->near);
		return SX_OK;
	}
	size_t used = strlen(s->others);
	if (!s->found)
		s->found = sx_catalog_ref(catalog);
	else if (s->more || used + strlen(view.info->name) + 3 > sizeof(s->others))
		s->more++;
	else
		text_append_item(s->others, sizeof(s->others), ", ", "%s", view.info->name);
	return SX_OK;
}

/* Without a chosen device: the first catalog with the name; this machine's devices first. */
static enum sx_status search_catalogs(struct cli *cli, const char *name, struct sx_catalog **out,
				      struct sx_error *err)
{
	char verdict[64];
	struct search s = {.name = name};
	suggest_begin(&s.near, name, 1);
	struct selection_search search = {search_one, &s, name};
	enum sx_status status = selection_each_catalog(cli, &search, err);
	search.name = NULL; /* none has it: what comes near? */
	if (!status && !s.found)
		status = selection_each_catalog(cli, &search, err);
	if (status) {
		sx_catalog_unref(s.found);
		return status;
	}
	char more[32] = "";
	if (s.more)
		snprintf(more, sizeof(more), " and %u more", s.more);
	if (s.found) {
		*out = s.found;
		if (s.others[0])
			cli_note(cli, "from catalog %s; also in %s%s (--for CATALOG)",
				 sx_catalog_info(s.found)->name, s.others, more);
		return SX_OK;
	}
	error_set(err, SX_ERR_NOT_FOUND, "no catalog has a metric, counter or rule %s", name);
	error_because(err, "no name, alias or title of theirs matches");
	if (*rule_near_verdict(name, verdict, sizeof(verdict)))
		suggest_offer(&s.near, verdict);
	if (s.near.count)
		error_try(err, "sextant explain %s", s.near.items[0]);
	else
		error_try(err, "sextant list metrics");
	return SX_ERR_NOT_FOUND;
}

/* Without a chosen device: chooses the capture's device that has the name, as --device would. */
static enum sx_status choose_device(struct cli *cli, const char *name, struct sx_error *err)
{
	struct options *o = &cli->options;
	struct input_places places;
	uint32_t metric, counter;
	if (!o->input || o->catalog || o->devices.count || !imported_is_recording(cli, o->input))
		return SX_OK;
	const struct input_request request = request_of(cli, o->input);
	enum sx_status status = input_find(&request, &places, err);
	bool known = places.count < 2 || sx_definition_is(name);
	for (uint32_t i = 0; !status && !known && i < places.count; i++) {
		struct input_device *device = NULL;
		if (input_device_open(&request, places.list[i], &device, NULL))
			continue;
		struct catalog_view view = describe_view(device->catalog);
		known = describe_find(&view, name, SX_NONE, &metric, &counter) ||
			rule_find(&view, name) != SX_NONE;
		char number[16];
		snprintf(number, sizeof(number), "%u", (unsigned)device->facts.number);
		input_device_close(device);
		if (known)
			status = options_add(o, &o->devices, number, true, err);
	}
	free(places.list);
	return status;
}

enum sx_status explain_open_catalog(struct cli *cli, const char *name, struct sx_catalog **out,
				    struct sx_error *err)
{
	const struct options *o = &cli->options;
	enum sx_status chosen = choose_device(cli, name, err);
	if (chosen)
		return chosen;
	bool anywhere = !o->catalog && !o->input && !o->devices.count;
	if (sx_definition_is(name) && anywhere)
		return sx_catalog_open(cli->context, "intel-bdw", out, err);
	return anywhere ? search_catalogs(cli, name, out, err) : cli_catalog(cli, out, err);
}
