/* Advice for the user: what a driver gives, why something is missing, and what would give more. */
#include "source/drm/drm.h"
#include "base/no_data.h"
#include "base/text_buf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CAP_SYS_PTRACE 19

#define DRIVER(name, vendor, which, gives, more, others)
#define OTHERS(with, without) static const char with_others[] = with, without_card[] = without;
#include "source/drm/drivers.def"
#undef DRIVER
#undef OTHERS

void drm_driver_gives(const char *driver, char *out, size_t size)
{
	static const struct {
		const char *name, *gives, *more;
	} drivers[] = {
#define DRIVER(name, vendor, which, gives, more, others)                                           \
	{#name, vendor ", " which " (" #name "): " gives ".", more},
#define OTHERS(with, without)
#include "source/drm/drivers.def"
#undef DRIVER
#undef OTHERS
	};
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		if (strcmp(drivers[i].name, driver) != 0)
			continue;
		snprintf(out, size, "%s%s%s%s", drivers[i].gives,
			 drivers[i].more[0] ? " More with " : "", drivers[i].more,
			 drivers[i].more[0] ? "." : "");
		return;
	}
	snprintf(out, size, "The driver %s: %s.", driver, with_others);
}

const char *drm_without_card(void)
{
	return without_card;
}

/* Appends a reason and its remedy, separated from those before. */
static void advise(struct drm_advice *a, const char *because, const char *remedy)
{
	text_append_item(a->because, sizeof(a->because), "; ", "%s", because);
	if (remedy)
		text_append_item(a->remedy, sizeof(a->remedy), "; ", "%s", remedy);
}

static void advise_on_energy(const struct sx_sys *sys, const struct drm_card *card,
			     struct drm_advice *a)
{
	struct drm_sensors sensors;
	uint64_t value;
	drm_sensors_find(sys, card, &sensors);
	for (int i = 0; i < DRM_ENERGIES; i++) {
		const struct drm_energy *e = &sensors.energies[i];
		errno = 0;
		if (!e->here || file_u64(sys, e->folder, e->file, &value) || errno != EACCES)
			continue;
		advise(a, "energy counters are for root alone (CVE-2020-8694)",
		       "sudo chmod a+r /sys/class/powercap/*/energy_uj, or -d pmu with "
		       "kernel.perf_event_paranoid=0");
		return;
	}
}

static int is_zone(void *arg, const char *name)
{
	bool *found = arg;
	*found |= strncmp(name, "intel-rapl", 10) == 0; /* AMD's are called so, too */
	return *found;
}

/* The processor's energy counters are there once their module is. */
static void advise_on_powercap(const struct sx_sys *sys, struct drm_advice *a)
{
	bool found = false;
	if (modules_cpu(sys) == MODULES_OTHER)
		return;
	sys->list_dir(sys->user, "/sys/class/powercap", is_zone, &found);
	if (!found)
		advise(a, "the processor's energy counters are not there",
		       "sudo modprobe intel_rapl_msr");
}

/*
 * Radeons that two drivers know (pciidlist of amdgpu_drv.c), and radeon, which reports less, has
 * them.
 */
static void advise_on_radeon(const struct drm_card *card, struct drm_advice *a)
{
	static const struct {
		uint16_t first, last;
		bool is_sea; /* GCN 2, else 1 */
	} both[] = {{0x1304, 0x131d, true},  {0x6600, 0x6631, false}, {0x6640, 0x665f, true},
		    {0x6660, 0x666f, false}, {0x6780, 0x679f, false}, {0x67a0, 0x67be, true},
		    {0x6800, 0x683f, false}, {0x9830, 0x983f, true},  {0x9850, 0x985f, true}};
	if (strcmp(card->driver, "radeon") != 0)
		return;
	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++)
		if (card->device_id >= both[i].first && card->device_id <= both[i].last)
			advise(a, "with amdgpu this card reports far more",
			       both[i].is_sea ? "the kernel parameters radeon.cik_support=0 "
						"amdgpu.cik_support=1"
					      : "the kernel parameters radeon.si_support=0 "
						"amdgpu.si_support=1");
}

static void advise_on_profiling(const struct sx_sys *sys, const struct drm_card *card,
				struct drm_advice *a)
{
	char value[24], text[256], step[192];
	if (!card->profiling[0] || !file_line(sys, card->device, "profiling", value, sizeof(value)))
		return;
	if (strcmp(value, "0") == 0) {
		advise(a, "the driver's accounting of programs is off",
		       "sextant stat --profiling -d drm, which puts it back afterwards");
		return;
	}
	snprintf(text, sizeof(text),
		 "%s was found on (%s), by hand or left so by a program that was killed: it costs "
		 "a little power",
		 card->profiling, value);
	snprintf(step, sizeof(step), "echo 0 | sudo tee %s", card->profiling);
	advise(a, text, step);
}

static void advise_on_kernel(const struct sx_sys *sys, const struct drm_card *card,
			     struct drm_advice *a)
{
	/* `file` below the card's device means that it was brought to an older kernel. */
	static const struct {
		const char *driver, *file;
		uint32_t version;
		const char *because, *remedy;
	} since[] = {
	    {"amdgpu", NULL, 5019, "programs' engines came with Linux 5.19", "a newer kernel"},
	    {"i915", NULL, 5019, "programs' engines came with Linux 5.19", "a newer kernel"},
	    {"xe", NULL, 6011, "programs' engines came with Linux 6.11", "a newer kernel"},
	    {"msm", NULL, 6000, "programs' times came with Linux 6.0", "a newer kernel"},
	    {"panfrost", "profiling", 6010, "programs' engines came with Linux 6.10",
	     "a newer kernel"},
	    {"panthor", "profiling", 6013, "programs' times came with Linux 6.13",
	     "a newer kernel"},
	    {"v3d", "gpu_stats", 6008, "queues' times came with Linux 6.8", "a newer kernel"},
	    {"v3d", NULL, 6012,
	     "hardware counters through OpenGL or Vulkan can panic this kernel (raspberrypi/linux "
	     "issue 6389) unless it is a stable one of October 2024 or later; this source does "
	     "not use them",
	     "a kernel of 2025 or later before GALLIUM_HUD or AMD_performance_monitor"},
	};
	uint32_t version = nodes_kernel_version(sys);
	char text[96];
	for (size_t i = 0; version && i < sizeof(since) / sizeof(since[0]); i++) {
		if (strcmp(since[i].driver, card->driver) != 0 || version >= since[i].version)
			continue;
		if (!since[i].file ||
		    file_read(sys, card->device, since[i].file, text, sizeof(text)) < 0)
			advise(a, since[i].because, since[i].remedy);
	}
}

/* A layout that is not known is refused, by its number. */
static void advise_on_metrics(const struct sx_sys *sys, const struct drm_card *card,
			      struct drm_advice *a)
{
	char text[128];
	uint8_t bytes[4096];
	struct drm_gpu_metrics m;
	if (strcmp(card->driver, "amdgpu") != 0 || drm_card_sleeps(sys, card))
		return;
	ssize_t size = file_read(sys, card->device, "gpu_metrics", bytes, sizeof(bytes));
	if (size <= 0 || drm_gpu_metrics_parse(bytes, (size_t)size, &m, NULL) == SX_OK)
		return;
	drm_gpu_metrics_refused(&m, text, sizeof(text));
	text_append(text, sizeof(text), ", and left out");
	advise(a, text, "a newer sextant");
}

void drm_advice_make(const struct sx_sys *sys, const struct drm_card *card, struct drm_advice *out)
{
	*out = (struct drm_advice){.because = ""};
	if (!nodes_has_capability(sys, CAP_SYS_PTRACE))
		advise(out, "of other users' programs nothing is known",
		       "run as root, or with CAP_SYS_PTRACE");
	advise_on_energy(sys, card, out);
	advise_on_powercap(sys, out);
	advise_on_radeon(card, out);
	if (card->is_xe && card->vendor == 0x8086 && card->hwmon[0] && !nodes_may_perfmon(sys))
		advise(out, "video memory in use reads 0 without CAP_PERFMON",
		       "run as root, or with CAP_PERFMON");
	advise_on_profiling(sys, card, out);
	advise_on_metrics(sys, card, out);
	advise_on_kernel(sys, card, out);
}

static enum no_data why_engine(const struct drm_card *card, const struct drm_clients *clients)
{
	char value[24];
	if (card->profiling[0] &&
	    file_line(clients->sys, card->device, "profiling", value, sizeof(value)) &&
	    strcmp(value, "0") == 0)
		return NO_DATA_OFF;
	return clients->client_count ? NO_DATA_NOT_REPORTED : NO_DATA_NO_WORK;
}

/* `detail` is empty, or gets the file that is refused. */
static enum no_data why_energy(const struct drm_energy *e, char *detail, size_t size)
{
	if (!e->here)
		return NO_DATA_NO_COUNTER;
	if (e->refused != EACCES && e->refused != EPERM)
		return NO_DATA_LATE; /* there was no second reading */
	snprintf(detail, size, "%.90s/%.80s", e->folder, e->file);
	return NO_DATA_FORBIDDEN;
}

static enum no_data why_column(const struct drm_source *s, uint32_t column, char *detail,
			       size_t size)
{
	const struct drm_card *card = &s->card;
	const struct drm_state *state = &s->state;
	const struct drm_sensors *sensors = &state->sensors;
	snprintf(detail, size, "driver %s", card->driver);
	if (column < DRM_VALUES && state->implausible >> column & 1)
		return NO_DATA_IMPOSSIBLE;
	/* The table has these too; which of them a revision has that is not known is not known. */
	bool by_table = (column == DRM_ENERGY && !sensors->energies[DRM_ENERGY_CARD].here) ||
			column == DRM_BUSY;
	bool refused = *state->refused_metrics;
	switch (refused && by_table ? DRM_CLOCK : column) {
	case DRM_ENERGY:
		return why_energy(&sensors->energies[DRM_ENERGY_CARD], detail, size);
	case DRM_PACKAGE_ENERGY:
		return why_energy(&sensors->energies[DRM_ENERGY_PACKAGE], detail, size);
	case DRM_CORE_ENERGY:
		if (!sensors->one_core)
			return why_energy(&sensors->energies[DRM_ENERGY_CORES], detail, size);
		snprintf(detail, size, "powercap has one core alone; -d pmu has all");
		return NO_DATA_OTHER_SOURCE;
	case DRM_DRAM_ENERGY:
		return why_energy(&sensors->energies[DRM_ENERGY_DRAM], detail, size);
	case DRM_PLATFORM_ENERGY:
		return why_energy(&sensors->energies[DRM_ENERGY_PLATFORM], detail, size);
	case DRM_POWER:
		if (sensors->energies[DRM_ENERGY_CARD].here)
			return why_energy(&sensors->energies[DRM_ENERGY_CARD], detail, size);
		break;
	case DRM_BUSY:
	case DRM_MEMORY_USED:
	case DRM_WORK_BUSY:
	case DRM_WORK_MEMORY:
		return why_engine(card, &s->clients);
	default:
		if (column >= DRM_COLUMN_ENGINE)
			return why_engine(card, &s->clients);
	}
	if (refused)
		snprintf(detail, size, "%s", state->refused_metrics);
	return NO_DATA_NOT_REPORTED;
}

const char *drm_why(struct drm_source *s, uint32_t column)
{
	char detail[192];
	char *out = s->why[column];
	enum no_data why = why_column(s, column, detail, sizeof(detail));
	*out = '\0';
	no_data_append(out, sizeof(s->why[column]), why, detail);
	return out;
}
