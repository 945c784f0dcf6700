/*
 * The cards of this machine and where sysfs keeps what is known of each; their sensors: hwmon below
 * the device, the thermal zone of an SoC, and powercap's energy counters.
 */
#include "source/drm/drm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

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

/* The first entry of a folder with this prefix, as a path; false when there is none. */
static bool drm_first_entry(const struct sx_sys *sys, const char *folder, const char *stem,
			    char *out, size_t size)
{
	struct first first = {.stem = stem};
	out[0] = '\0';
	if (sys->list_dir(sys->user, folder, keep_first, &first) < 0 || !first.name[0])
		return false;
	if (file_join(out, size, folder, first.name))
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
	    !file_join(folder, sizeof(folder), "/sys/class/thermal", name) ||
	    !file_line(zones->sys, folder, "type", type, sizeof(type)) || !strstr(type, "gpu"))
		return 0;
	snprintf(zones->out, zones->size, "%s", folder);
	return 1;
}

static bool exists(const struct sx_sys *sys, const char *folder, const char *file)
{
	char text[64];
	return file_line(sys, folder, file, text, sizeof(text)) || errno == EACCES;
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

/* Displays over USB and virtual machines' frame buffers are no devices of a GPU's driver. */
bool drm_card_next(struct nodes *nodes, struct drm_card *out)
{
	struct drm_node node;
	while (nodes_next(nodes, &node)) {
		if (node.render == NODES_NONE && !node.vendor)
			continue; /* the display's half of an SoC */
		*out = (struct drm_card){.card = node.card,
					 .render = node.render,
					 .vendor = node.vendor,
					 .device_id = node.device_id};
		memcpy(out->driver, node.driver, sizeof(out->driver));
		memcpy(out->pdev, node.slot, sizeof(out->pdev));
		snprintf(out->device, sizeof(out->device), "/sys/class/drm/card%u/device",
			 out->card);
		find_folders(nodes->sys, out);
		return true;
	}
	return false;
}

bool drm_card_find(const struct sx_sys *sys, const char *id, struct drm_card *out)
{
	struct nodes nodes = nodes_list(sys, NULL);
	if (strcmp(id, "drm") == 0)
		id = "";
	else if (strncmp(id, "drm:", 4) == 0)
		id += 4;
	while (drm_card_next(&nodes, out)) {
		char name[32], node[32];
		snprintf(name, sizeof(name), "card%u", out->card);
		snprintf(node, sizeof(node), "renderD%u", out->render);
		if (!*id || strcmp(id, name) == 0 || strcmp(id, out->pdev) == 0 ||
		    (out->render != NODES_NONE && strcmp(id, node) == 0))
			return true;
	}
	return false;
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

#define SENSORS_MAX 8

static bool is_one_of(const char *label, const char *const *labels)
{
	for (; *labels; labels++)
		if (strcmp(label, *labels) == 0)
			return true;
	return false;
}

/* The file of the first sensor of a kind that has one of these labels; "" when none has. */
static void labelled(const struct sx_sys *sys, const char *folder, const char *kind,
		     const char *const *labels, char out[24])
{
	char file[24], label[64];
	out[0] = '\0';
	for (int i = 1; i <= SENSORS_MAX && !out[0]; i++) {
		snprintf(file, sizeof(file), "%s%d_label", kind, i);
		if (file_line(sys, folder, file, label, sizeof(label)) && is_one_of(label, labels))
			snprintf(out, 24, "%s%d_input", kind, i);
	}
}

/* Without labels, the first sensor that there is. */
static void first_sensor(const struct sx_sys *sys, const char *folder, const char *kind,
			 char out[24])
{
	char text[64];
	for (int i = 1; i <= SENSORS_MAX && !out[0]; i++) {
		snprintf(out, 24, "%s%d_input", kind, i);
		if (!file_line(sys, folder, out, text, sizeof(text)) && errno == ENOENT)
			out[0] = '\0';
	}
}

static void find_temperatures(const struct sx_sys *sys, const struct drm_card *card,
			      struct drm_sensors *s)
{
	static const char *const chip[] = {"edge", "pkg", NULL}, *const hot[] = {"junction", NULL},
				 *const memory[] = {"mem", "vram", NULL};
	labelled(sys, card->hwmon, "temp", chip, s->temperature);
	labelled(sys, card->hwmon, "temp", hot, s->hotspot);
	labelled(sys, card->hwmon, "temp", memory, s->memory_temperature);
	if (!s->temperature[0])
		first_sensor(sys, card->hwmon, "temp", s->temperature);
}

/* Whether the file is there, though it may not be read. */
static bool is_there(const struct sx_sys *sys, struct drm_energy *e)
{
	uint64_t value;
	e->here = file_u64(sys, e->folder, e->file, &value) || errno == EACCES;
	return e->here;
}

/* The energy of the whole card comes before that of the package on it. */
static void find_card_energy(const struct sx_sys *sys, const struct drm_card *card,
			     struct drm_sensors *s)
{
	static const char *const whole[] = {"card", "gpu", NULL};
	struct drm_energy *e = &s->energies[DRM_ENERGY_CARD];
	if (!card->hwmon[0])
		return;
	snprintf(e->folder, sizeof(e->folder), "%s", card->hwmon);
	labelled(sys, card->hwmon, "energy", whole, e->file);
	if (!e->file[0])
		first_sensor(sys, card->hwmon, "energy", e->file);
	if (!e->file[0] || !is_there(sys, e))
		e->here = false;
}

struct hwmon_zones {
	const struct sx_sys *sys;
	const struct drm_card *card;
	struct drm_sensors *sensors;
};

/* Zones of powercap are named after what they measure; "uncore" is the GPU beside Intel's cores. */
static int hwmon_look_at_zone(void *arg, const char *name)
{
	static const struct {
		const char *name;
		int energy;
	} names[] = {{"package-0", DRM_ENERGY_PACKAGE},
		     {"core", DRM_ENERGY_CORES},
		     {"dram", DRM_ENERGY_DRAM},
		     {"psys", DRM_ENERGY_PLATFORM},
		     {"uncore", DRM_ENERGY_CARD}};
	struct hwmon_zones *zones = arg;
	char folder[160], label[64];
	if (!strchr(name, ':') || strlen(name) > 64 || strncmp(name, "intel-rapl-mmio", 15) == 0)
		return 0;
	snprintf(folder, sizeof(folder), "/sys/class/powercap/%s", name);
	if (!file_line(zones->sys, folder, "name", label, sizeof(label)))
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct drm_energy *e = &zones->sensors->energies[names[i].energy];
		bool mine = names[i].energy != DRM_ENERGY_CARD ||
			    (zones->card->vendor == 0x8086 && !zones->card->hwmon[0]);
		/* The first package's, in whatever order the folder lists them. */
		bool later = e->here && strcmp(folder, e->folder) >= 0;
		if (strcmp(label, names[i].name) != 0 || later || !mine ||
		    (names[i].energy == DRM_ENERGY_CORES && zones->sensors->one_core))
			continue;
		snprintf(e->folder, sizeof(e->folder), "%s", folder);
		snprintf(e->file, sizeof(e->file), "energy_uj");
		if (is_there(zones->sys, e) &&
		    !file_u64(zones->sys, folder, "max_energy_range_uj", &e->range))
			e->range = 0;
	}
	return 0;
}

void drm_sensors_find(const struct sx_sys *sys, const struct drm_card *card,
		      struct drm_sensors *sensors)
{
	*sensors = (struct drm_sensors){.one_core = modules_cpu(sys) == MODULES_AMD};
	if (card->hwmon[0])
		find_temperatures(sys, card, sensors);
	find_card_energy(sys, card, sensors);
	struct hwmon_zones zones = {sys, card, sensors};
	sys->list_dir(sys->user, "/sys/class/powercap", hwmon_look_at_zone, &zones);
}

/* What was used since the last reading. A counter that began again did so at its range. */
static void read_energy(const struct sx_sys *sys, struct drm_energy *e, struct drm_number *number)
{
	uint64_t now;
	if (!e->here)
		return;
	errno = 0;
	if (!file_u64(sys, e->folder, e->file, &now)) {
		e->refused = errno ? errno : EINVAL;
		return;
	}
	e->refused = 0;
	bool back = now < e->last;
	/* Without a range it is unknown how much was lost; the next interval is right again. */
	bool usable = e->primed && (!back || (e->range >= e->last && e->range));
	uint64_t used = back ? e->range - e->last + now : now - e->last;
	e->last = now;
	e->primed = true;
	if (usable)
		drm_put_u64(number, 0, used);
}

static void read_temperature(const struct sx_sys *sys, const char *folder, const char *file,
			     struct drm_number *number)
{
	int64_t thousandths;
	if (file[0] && file_i64(sys, folder, file, &thousandths))
		drm_put_f64(number, 0, (double)thousandths / 1000);
}

static void read_scaled(const struct sx_sys *sys, const char *folder, const char *file,
			double scale, struct drm_number *number)
{
	uint64_t value;
	if (!number->known && file_u64(sys, folder, file, &value))
		drm_put_f64(number, 0, (double)value * scale);
}

/* The chip of the Steam Deck: its sensor says 200 or 1040 MHz whatever the clock is. */
static bool is_van_gogh(const struct drm_card *card)
{
	return card->vendor == 0x1002 && (card->device_id == 0x163f || card->device_id == 0x1435);
}

static void read_hwmon(const struct sx_sys *sys, const struct drm_card *card,
		       const struct drm_sensors *s, struct drm_number *numbers)
{
	/* amdgpu says either; the average is that of the firmware. */
	read_scaled(sys, card->hwmon, "power1_average", 1e-3, &numbers[DRM_POWER]);
	read_scaled(sys, card->hwmon, "power1_input", 1e-3, &numbers[DRM_POWER]);
	read_scaled(sys, card->hwmon, "power1_cap", 1e-3, &numbers[DRM_POWER_LIMIT]);
	read_scaled(sys, card->hwmon, "power1_max", 1e-3, &numbers[DRM_POWER_LIMIT]);
	read_scaled(sys, card->hwmon, "fan1_input", 1, &numbers[DRM_FAN]);
	read_temperature(sys, card->hwmon, s->temperature, &numbers[DRM_TEMPERATURE]);
	read_temperature(sys, card->hwmon, s->hotspot, &numbers[DRM_HOTSPOT]);
	read_temperature(sys, card->hwmon, s->memory_temperature, &numbers[DRM_MEMORY_TEMPERATURE]);
	if (strcmp(card->driver, "amdgpu") != 0)
		return;
	if (!is_van_gogh(card))
		read_scaled(sys, card->hwmon, "freq1_input", 1, &numbers[DRM_CLOCK]);
	read_scaled(sys, card->hwmon, "freq2_input", 1, &numbers[DRM_MEMORY_CLOCK]);
}

void drm_sensors_read(const struct sx_sys *sys, const struct drm_card *card, struct drm_sensors *s,
		      struct drm_number *numbers)
{
	static const uint32_t columns[DRM_ENERGIES] = {
	    DRM_ENERGY, DRM_PACKAGE_ENERGY, DRM_CORE_ENERGY, DRM_DRAM_ENERGY, DRM_PLATFORM_ENERGY};
	for (int i = 0; i < DRM_ENERGIES; i++)
		read_energy(sys, &s->energies[i], &numbers[columns[i]]);
	if (card->hwmon[0])
		read_hwmon(sys, card, s, numbers);
	if (card->thermal[0])
		read_temperature(sys, card->thermal, "temp", &numbers[DRM_TEMPERATURE]);
}
