/* DRM nodes, found in sysfs only: listing them queries no driver and opens no device. */
#include "source/nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "source/files.h"

#define CAP_SYS_ADMIN 21
#define CAP_PERFMON   38

struct numbers {
	const char *stem; /* "card" or "renderD" */
	uint32_t items[NODES_MAX];
	size_t count;
};

/* The number behind a stem; NODES_NONE when the text is something else ("card0-eDP-1"). */
static uint32_t number_of(const char *text, const char *stem)
{
	size_t length = strlen(stem);
	char *end;
	if (strncmp(text, stem, length) != 0 || text[length] < '0' || text[length] > '9')
		return NODES_NONE;
	unsigned long n = strtoul(text + length, &end, 10);
	return *end || n >= 1000 ? NODES_NONE : (uint32_t)n;
}

static int gather_number(void *arg, const char *name)
{
	struct numbers *numbers = arg;
	uint32_t n = number_of(name, numbers->stem);
	if (n != NODES_NONE && numbers->count < NODES_MAX)
		numbers->items[numbers->count++] = n;
	return 0;
}

uint64_t nodes_card_number(const struct sx_sys *sys, uint32_t card, const char *file)
{
	char folder[32];
	snprintf(folder, sizeof(folder), "/sys/class/drm/card%u", card);
	return file_number(sys, folder, file, 0);
}

/* The value of a line "KEY=value". */
static bool uevent_value(const char *text, const char *key, char *out, size_t size)
{
	size_t length = strlen(key);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) == 0 && line[length] == '=') {
			const char *value = line + length + 1;
			snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
			return true;
		}
	}
	return false;
}

/* What sysfs says of the device behind a card; false when no driver has it, or another one. */
static bool read_device(const struct sx_sys *sys, const char *driver, struct drm_node *node)
{
	char path[96], text[1024];
	snprintf(path, sizeof(path), "/sys/class/drm/card%u/device/uevent", node->card);
	if (sys->read_file(sys->user, path, text, sizeof(text)) <= 0 ||
	    !uevent_value(text, "DRIVER", node->driver, sizeof(node->driver)) ||
	    (driver && strcmp(node->driver, driver) != 0))
		return false;
	uevent_value(text, "PCI_SLOT_NAME", node->slot, sizeof(node->slot));
	return true;
}

static void read_node(const struct sx_sys *sys, struct drm_node *node)
{
	char path[96];
	struct numbers render = {.stem = "renderD"};
	snprintf(path, sizeof(path), "/sys/class/drm/card%u/device/drm", node->card);
	if (sys->list_dir(sys->user, path, gather_number, &render) < 0)
		render.count = 0;
	qsort(render.items, render.count, sizeof(render.items[0]), number_compare_u32);
	node->render = render.count ? render.items[0] : NODES_NONE;
	node->vendor = (uint32_t)nodes_card_number(sys, node->card, "device/vendor");
	node->device_id = (uint32_t)nodes_card_number(sys, node->card, "device/device");
	node->revision = (uint32_t)nodes_card_number(sys, node->card, "device/revision");
}

struct nodes nodes_list(const struct sx_sys *sys, const char *driver)
{
	struct nodes nodes = {.sys = sys, .driver = driver};
	struct numbers cards = {.stem = "card"};
	if (sys->list_dir(sys->user, "/sys/class/drm", gather_number, &cards) < 0)
		return nodes;
	qsort(cards.items, cards.count, sizeof(cards.items[0]), number_compare_u32);
	memcpy(nodes.cards, cards.items, sizeof(nodes.cards));
	nodes.count = cards.count;
	return nodes;
}

bool nodes_next(struct nodes *nodes, struct drm_node *out)
{
	while (nodes->next < nodes->count) {
		*out = (struct drm_node){.card = nodes->cards[nodes->next++]};
		if (!read_device(nodes->sys, nodes->driver, out))
			continue;
		read_node(nodes->sys, out);
		return true;
	}
	return false;
}

bool nodes_find(const struct sx_sys *sys, const char *driver, const char *prefix, const char *id,
		struct drm_node *out)
{
	size_t length = strlen(prefix);
	bool any = strcmp(id, prefix) == 0;
	if (strncmp(id, prefix, length) == 0 && id[length] == ':')
		id += length + 1;
	uint32_t card = number_of(id, "card"), render = number_of(id, "renderD");
	if (!any && card == NODES_NONE && render == NODES_NONE)
		return false;
	struct nodes nodes = nodes_list(sys, driver);
	while (nodes_next(&nodes, out))
		if ((card == NODES_NONE || card == out->card) &&
		    (render == NODES_NONE || render == out->render))
			return true;
	return false;
}

enum sx_status nodes_open(const struct sx_sys *sys, const struct drm_node *node, int *fd,
			  struct sx_error *err)
{
	char path[32];
	*fd = -1;
	if (node->render != NODES_NONE) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%u", node->render);
		*fd = sys->open(sys->user, path, O_RDWR | O_CLOEXEC);
	}
	if (*fd >= 0)
		return SX_OK;
	int why = errno;
	char card[32];
	snprintf(card, sizeof(card), "/dev/dri/card%u", node->card);
	*fd = sys->open(sys->user, card, O_RDWR | O_CLOEXEC);
	if (*fd >= 0)
		return SX_OK;
	if (node->render == NODES_NONE) {
		why = errno;
		memcpy(path, card, sizeof(path));
	}
	enum sx_status status = error_errno(err, why, "cannot open %s", path);
	error_try(err, why == EACCES || why == EPERM
			   ? "sudo usermod -aG render,video $USER, then log in again"
			   : "sextant devices");
	return status;
}

bool nodes_has_capability(const struct sx_sys *sys, unsigned bit)
{
	char text[4096];
	if (sys->read_file(sys->user, "/proc/thread-self/status", text, sizeof(text)) <= 0)
		return false;
	const char *at = strstr(text, "CapEff:");
	return at && strtoull(at + 7, NULL, 16) >> bit & 1;
}

bool nodes_may_perfmon(const struct sx_sys *sys)
{
	return nodes_has_capability(sys, CAP_PERFMON) || nodes_has_capability(sys, CAP_SYS_ADMIN);
}

void nodes_kernel_release(const struct sx_sys *sys, char *out, size_t size)
{
	if (!file_line(sys, "/proc/sys/kernel", "osrelease", out, size))
		out[0] = '\0';
}

uint32_t nodes_kernel_version(const struct sx_sys *sys)
{
	char text[96], *end;
	nodes_kernel_release(sys, text, sizeof(text));
	unsigned long major = strtoul(text, &end, 10);
	if (end == text || *end != '.' || end[1] < '0' || end[1] > '9')
		return 0;
	unsigned long minor = strtoul(end + 1, NULL, 10);
	return major < 1000 && minor < 1000 ? (uint32_t)(major * 1000 + minor) : 0;
}

/* /proc/cpuinfo of x86: the vendor of the processor, and whether it is a guest's. */

enum modules_cpu modules_cpu(const struct sx_sys *sys)
{
	char text[8192]; /* the first processor, and more */
	if (sys->read_file(sys->user, "/proc/cpuinfo", text, sizeof(text)) <= 0)
		return MODULES_OTHER;
	const char *flags = strstr(text, "\nflags\t");
	const char *end = flags ? strchr(flags + 1, '\n') : NULL;
	const char *guest = flags ? strstr(flags, " hypervisor") : NULL;
	if (!end || (guest && guest < end))
		return MODULES_OTHER;
	if (strstr(text, "GenuineIntel"))
		return MODULES_INTEL;
	return strstr(text, "AuthenticAMD") ? MODULES_AMD : MODULES_OTHER;
}
