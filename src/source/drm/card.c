/* The cards of this machine and where sysfs keeps what is known of each. */
#include "source/drm/drm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "source/nodes.h"

static bool card_join(char *out, size_t size, const char *folder, const char *file)
{
	int n = snprintf(out, size, "%s/%s", folder, file);
	return n > 0 && (size_t)n < size;
}

bool drm_read_line(const struct sx_sys *sys, const char *folder, const char *file, char *out,
		   size_t size)
{
	char path[256];
	errno = ENOENT;
	if (!card_join(path, sizeof(path), folder, file) ||
	    sys->read_file(sys->user, path, out, size) < 0)
		return false;
	out[strcspn(out, "\n")] = '\0';
	errno = 0;
	return true;
}

bool drm_read_u64(const struct sx_sys *sys, const char *folder, const char *file, uint64_t *out)
{
	char text[64];
	return drm_read_line(sys, folder, file, text, sizeof(text)) && text[1] != 'x' &&
	       number_u64(text, strlen(text), out);
}

bool drm_read_i64(const struct sx_sys *sys, const char *folder, const char *file, int64_t *out)
{
	char text[64];
	uint64_t size;
	if (!drm_read_line(sys, folder, file, text, sizeof(text)))
		return false;
	bool negative = text[0] == '-';
	const char *digits = text + negative;
	if (digits[0] == '\0' || digits[1] == 'x' || !number_u64(digits, strlen(digits), &size) ||
	    size > INT64_MAX)
		return false;
	*out = negative ? -(int64_t)size : (int64_t)size;
	return true;
}

struct first {
	const char *stem;
	char name[96];
};

/* The least name, so that the order of a folder does not matter. */
static int keep_first(void *arg, const char *name)
{
	struct first *first = arg;
	size_t size = strlen(first->stem);
	bool fits = strncmp(name, first->stem, size) == 0 && strlen(name) < sizeof(first->name);
	if (fits && (!first->name[0] || strcmp(name, first->name) < 0))
		snprintf(first->name, sizeof(first->name), "%s", name);
	return 0;
}

/* The first entry of a folder whose name begins so, as a path; false when there is none. */
static bool drm_first_entry(const struct sx_sys *sys, const char *folder, const char *stem,
			    char *out, size_t size)
{
	struct first first = {.stem = stem};
	out[0] = '\0';
	if (sys->list_dir(sys->user, folder, keep_first, &first) < 0 || !first.name[0])
		return false;
	if (card_join(out, size, folder, first.name))
		return true;
	out[0] = '\0';
	return false;
}

struct card_zones {
	const struct sx_sys *sys;
	char *out;
	size_t size;
};

/* SoCs have a thermal zone of the GPU instead of a sensor below the device. */
static int card_look_at_zone(void *arg, const char *name)
{
	struct card_zones *zones = arg;
	char folder[160], type[64];
	if (strncmp(name, "thermal_zone", 12) != 0 ||
	    !card_join(folder, sizeof(folder), "/sys/class/thermal", name) ||
	    !drm_read_line(zones->sys, folder, "type", type, sizeof(type)) || !strstr(type, "gpu"))
		return 0;
	snprintf(zones->out, zones->size, "%s", folder);
	return 1;
}

static bool exists(const struct sx_sys *sys, const char *folder, const char *file)
{
	char text[64];
	return drm_read_line(sys, folder, file, text, sizeof(text)) || errno == EACCES;
}

/* i915 keeps the first GT below the card, xe below the device; old i915 has no folder for it. */
static void find_gt(const struct sx_sys *sys, struct drm_card *card)
{
	if (strcmp(card->driver, "i915") == 0)
		snprintf(card->gt, sizeof(card->gt), "/sys/class/drm/card%u/gt/gt0", card->card);
	if (strcmp(card->driver, "xe") == 0) {
		card->is_xe = true;
		snprintf(card->gt, sizeof(card->gt), "%s/tile0/gt0", card->device);
	}
}

static void find_folders(const struct sx_sys *sys, struct drm_card *card)
{
	char folder[96];
	snprintf(folder, sizeof(folder), "%s/hwmon", card->device);
	drm_first_entry(sys, folder, "hwmon", card->hwmon, sizeof(card->hwmon));
	snprintf(folder, sizeof(folder), "%s/devfreq", card->device);
	drm_first_entry(sys, folder, "", card->devfreq, sizeof(card->devfreq));
	find_gt(sys, card);
	struct card_zones zones = {sys, card->thermal, sizeof(card->thermal)};
	if (!card->vendor && !card->hwmon[0])
		sys->list_dir(sys->user, "/sys/class/thermal", card_look_at_zone, &zones);
	if ((strcmp(card->driver, "panfrost") == 0 || strcmp(card->driver, "panthor") == 0) &&
	    exists(sys, card->device, "profiling"))
		snprintf(card->profiling, sizeof(card->profiling), "%s/profiling", card->device);
}

struct visiting {
	const struct sx_sys *sys;
	bool (*visit)(void *arg, const struct drm_card *card);
	void *arg;
};

/* Displays over USB and virtual machines' frame buffers are no devices of a GPU's driver. */
static bool visit_node(void *arg, const struct drm_node *node)
{
	const struct visiting *visiting = arg;
	struct drm_card card = {.card = node->card,
				.render = node->render,
				.vendor = node->vendor,
				.device_id = node->device_id};
	if (card.render == NODES_NONE && !card.vendor)
		return true; /* the display's half of an SoC */
	memcpy(card.driver, node->driver, sizeof(card.driver));
	memcpy(card.pdev, node->slot, sizeof(card.pdev));
	snprintf(card.device, sizeof(card.device), "/sys/class/drm/card%u/device", card.card);
	find_folders(visiting->sys, &card);
	return visiting->visit(visiting->arg, &card);
}

void drm_cards_each(const struct sx_sys *sys, bool (*visit)(void *arg, const struct drm_card *card),
		    void *arg)
{
	nodes_each(sys, NULL, visit_node, &(struct visiting){sys, visit, arg});
}

struct search {
	const char *id;
	struct drm_card *out;
	bool found;
};

static bool match_card(void *arg, const struct drm_card *card)
{
	struct search *search = arg;
	char name[32], node[32];
	snprintf(name, sizeof(name), "card%u", card->card);
	snprintf(node, sizeof(node), "renderD%u", card->render);
	if (*search->id && strcmp(search->id, name) != 0 &&
	    (card->render == NODES_NONE || strcmp(search->id, node) != 0) &&
	    strcmp(search->id, card->pdev) != 0)
		return true;
	*search->out = *card;
	search->found = true;
	return false;
}

bool drm_card_find(const struct sx_sys *sys, const char *id, struct drm_card *out)
{
	struct search search = {.id = id, .out = out};
	if (strcmp(id, "drm") == 0)
		search.id = "";
	else if (strncmp(id, "drm:", 4) == 0)
		search.id = id + 4;
	drm_cards_each(sys, match_card, &search);
	return search.found;
}

void drm_card_name(const struct drm_card *card, char *out, size_t size)
{
	static const struct {
		uint32_t vendor;
		const char *name;
	} vendors[] = {{0x1002, "AMD"}, {0x8086, "Intel"}, {0x10de, "NVIDIA"}};
	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (card->vendor == vendors[i].vendor) {
			snprintf(out, size, "%s GPU %04x:%04x at %s", vendors[i].name, card->vendor,
				 card->device_id, card->pdev);
			return;
		}
	if (card->vendor)
		snprintf(out, size, "GPU %04x:%04x at %s", card->vendor, card->device_id,
			 card->pdev);
	else
		snprintf(out, size, "GPU driven by %s", card->driver);
}
