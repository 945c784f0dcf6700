/*
 * What a device says of itself in sysfs: clocks, load, memory, throttling, gpu_metrics. A device
 * that sleeps is left asleep: reading most files would wake it.
 */
#include "source/drm/drm.h"

#include <stdio.h>
#include <string.h>
#include "base/number.h"

#define MHZ    1e6
#define NS_MS  UINT64_C(1000000)
#define LEVELS 4096 /* bytes of a list of levels */

struct reading {
	const struct sx_sys *sys;
	const struct drm_card *card;
	struct drm_state *state;
	uint64_t interval_ns;
	struct drm_number *numbers;
};

/* A number times a scale into a column that has none yet. */
static bool put_scaled(struct reading *r, const char *folder, const char *file, double scale,
		       enum drm_value column)
{
	uint64_t value;
	if (r->numbers[column].known || !file_u64(r->sys, folder, file, &value))
		return r->numbers[column].known;
	if (drm_columns()[column].type == SX_F64)
		drm_put_f64(r->numbers, column, (double)value * scale);
	else
		drm_put_u64(r->numbers, column, value);
	return true;
}

/* "1: 1600Mhz *": the highest level, and the one with a star. */
static void take_levels(struct reading *r, const char *file, enum drm_value clock, bool highest)
{
	char text[LEVELS];
	if (file_read(r->sys, r->card->device, file, text, sizeof(text)) <= 0)
		return;
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		uint64_t mhz;
		*end = '\0';
		char *number = strchr(line, ':');
		if (!number)
			continue;
		number += 1 + strspn(number + 1, " ");
		size_t digits = strspn(number, "0123456789");
		if (strncmp(number + digits, "Mhz", 3) != 0 || !number_u64(number, digits, &mhz))
			continue;
		double hz = (double)mhz * MHZ;
		if (highest && hz > r->state->highest_hz && drm_is_clock(hz))
			r->state->highest_hz = hz;
		if (strchr(number, '*') && !r->numbers[clock].known)
			drm_put_f64(r->numbers, clock, hz);
	}
}

static void put_percent_of_time(struct reading *r, const char *file, enum drm_value column)
{
	uint64_t percent;
	if (file_u64(r->sys, r->card->device, file, &percent) && percent <= 100)
		drm_put_u64(r->numbers, column,
			    (uint64_t)((double)r->interval_ns / 100 * (double)percent));
}

static void note_highest(struct reading *r, const char *folder, const char *file, double scale)
{
	uint64_t value;
	if (!file_u64(r->sys, folder, file, &value))
		return;
	double hz = (double)value * scale;
	if (hz > r->state->highest_hz && drm_is_clock(hz))
		r->state->highest_hz = hz;
}

static void put_throttling(struct reading *r, const struct drm_gpu_metrics *m)
{
	if (!m->has_throttle)
		return;
	drm_put_f64(r->numbers, DRM_THROTTLED, m->throttled ? 100 : 0);
	if (!m->has_reasons)
		return;
	drm_put_f64(r->numbers, DRM_THROTTLED_POWER, m->by_power ? 100 : 0);
	drm_put_f64(r->numbers, DRM_THROTTLED_CURRENT, m->by_current ? 100 : 0);
	drm_put_f64(r->numbers, DRM_THROTTLED_THERMAL, m->by_heat ? 100 : 0);
}

/* What part of the interval's ticks had a cause; counts begin again with the firmware. */
static bool residency_share(const uint64_t did[DRM_RESIDENCIES], int first, int last, double *out)
{
	uint64_t most = 0;
	for (int i = first; i <= last; i++)
		most = did[i] > most ? did[i] : most;
	*out = (double)most * 100 / (double)did[DRM_RESIDENCY_TICKS];
	return most <= did[DRM_RESIDENCY_TICKS];
}

/* Causes overlap: the longest of each kind is what they held the clock down together at least. */
static void put_residency(struct reading *r, const struct drm_gpu_metrics *m)
{
	struct drm_state *s = r->state;
	uint64_t did[DRM_RESIDENCIES];
	double all, power, heat, prochot;
	bool primed = s->residency_primed;
	s->residency_primed = m->has_residency;
	if (!m->has_residency)
		return;
	for (int i = 0; i < DRM_RESIDENCIES; i++) {
		bool wide = m->wide_residency >> i & 1;
		did[i] = m->residency[i] - s->residency[i];
		did[i] = wide ? did[i] : (uint32_t)did[i];
		s->residency[i] = m->residency[i];
	}
	/* More ticks than days have are those of a counter that began again. */
	if (!primed || !did[DRM_RESIDENCY_TICKS] || did[DRM_RESIDENCY_TICKS] > INT32_MAX ||
	    !residency_share(did, DRM_RESIDENCY_PROCHOT, DRM_RESIDENCIES - 1, &all))
		return;
	residency_share(did, DRM_RESIDENCY_POWER, DRM_RESIDENCY_POWER, &power);
	residency_share(did, DRM_RESIDENCY_SOCKET_HEAT, DRM_RESIDENCY_MEMORY_HEAT, &heat);
	residency_share(did, DRM_RESIDENCY_PROCHOT, DRM_RESIDENCY_PROCHOT, &prochot);
	drm_put_f64(r->numbers, DRM_THROTTLED, all);
	drm_put_f64(r->numbers, DRM_THROTTLED_POWER, power);
	drm_put_f64(r->numbers, DRM_THROTTLED_THERMAL, heat > prochot ? heat : prochot);
}

static void put_if(struct reading *r, bool has, double value, enum drm_value column)
{
	if (has && !r->numbers[column].known)
		drm_put_f64(r->numbers, column, value);
}

/* Energy since the last reading; the counter is far from its end. */
static void put_accumulated(struct reading *r, const struct drm_gpu_metrics *m)
{
	uint64_t now;
	if (!m->has_energy || !number_round(m->energy_uj, &now))
		return;
	uint64_t last = r->state->accumulated_uj;
	if (r->state->accumulated_primed && now >= last && !r->numbers[DRM_ENERGY].known)
		drm_put_u64(r->numbers, DRM_ENERGY, now - last);
	r->state->accumulated_uj = now;
	r->state->accumulated_primed = true;
}

/* Of a chip that has cores too, sensor and limit are of it all: the GPU is the graphics part. */
static void put_part_of_chip(struct reading *r, double milliwatts)
{
	struct drm_number *n = r->numbers;
	if (n[DRM_POWER].known && !n[DRM_SOCKET_POWER].known)
		n[DRM_SOCKET_POWER] = n[DRM_POWER];
	drm_put_f64(n, DRM_GFX_POWER, milliwatts);
	drm_put_f64(n, DRM_POWER, milliwatts);
	n[DRM_POWER_LIMIT].known = false;
}

/* Files of their own come first: their units are the kernel's promise. */
static void take_gpu_metrics(struct reading *r)
{
	uint8_t bytes[4096];
	struct drm_gpu_metrics m;
	ssize_t size = file_read(r->sys, r->card->device, "gpu_metrics", bytes, sizeof(bytes));
	if (size <= 0)
		return;
	if (drm_gpu_metrics_parse(bytes, (size_t)size, &m, NULL) != SX_OK) {
		drm_gpu_metrics_refused(&m, r->state->refused_metrics,
					sizeof(r->state->refused_metrics));
		return;
	}
	r->state->refused_metrics[0] = '\0';
	put_if(r, m.has_clock, m.clock_hz, DRM_CLOCK);
	put_if(r, m.has_memory_clock, m.memory_clock_hz, DRM_MEMORY_CLOCK);
	put_if(r, m.has_power, m.power_mw, DRM_SOCKET_POWER);
	put_if(r, m.has_gfx_power, m.gfx_power_mw, DRM_GFX_POWER);
	put_if(r, m.has_power, m.power_mw, DRM_POWER);
	if (m.has_gfx_power)
		put_part_of_chip(r, m.gfx_power_mw);
	put_if(r, m.has_temperature, m.temperature, DRM_TEMPERATURE);
	put_if(r, m.has_hotspot, m.hotspot, DRM_HOTSPOT);
	put_if(r, m.has_memory_temperature, m.memory_temperature, DRM_MEMORY_TEMPERATURE);
	put_if(r, m.has_fan, m.fan, DRM_FAN);
	put_if(r, m.has_dram, m.dram_read, DRM_DRAM_READ);
	put_if(r, m.has_dram, m.dram_write, DRM_DRAM_WRITE);
	if (m.has_busy && !r->numbers[DRM_BUSY].known)
		drm_put_u64(r->numbers, DRM_BUSY,
			    (uint64_t)((double)r->interval_ns / 100 * m.busy));
	put_throttling(r, &m);
	put_residency(r, &m);
	put_accumulated(r, &m);
}

/* Mapped system memory is a number of its own. */
static void take_amdgpu_memory(struct reading *r)
{
	struct drm_number *n = r->numbers;
	put_scaled(r, r->card->device, "mem_info_vram_used", 1, DRM_VRAM_USED);
	put_scaled(r, r->card->device, "mem_info_vram_total", 1, DRM_VRAM_TOTAL);
	put_scaled(r, r->card->device, "mem_info_gtt_used", 1, DRM_GTT_USED);
	put_scaled(r, r->card->device, "mem_info_gtt_total", 1, DRM_GTT_TOTAL);
	if (n[DRM_VRAM_USED].known)
		drm_put_u64(n, DRM_MEMORY_USED, n[DRM_VRAM_USED].u);
}

static void read_amdgpu(struct reading *r)
{
	put_percent_of_time(r, "gpu_busy_percent", DRM_BUSY);
	put_percent_of_time(r, "mem_busy_percent", DRM_MEMORY_BUSY);
	take_amdgpu_memory(r);
	take_gpu_metrics(r);
	take_levels(r, "pp_dpm_sclk", DRM_CLOCK, true);
	take_levels(r, "pp_dpm_mclk", DRM_MEMORY_CLOCK, false);
}

/* Time that the GT did not sleep. */
static void take_idle(struct reading *r, const char *folder, const char *file)
{
	uint64_t now;
	struct drm_state *s = r->state;
	if (!file_u64(r->sys, folder, file, &now))
		return;
	if (s->idle_primed && now >= s->idle_ms) {
		uint64_t idle = (now - s->idle_ms) * NS_MS;
		drm_put_u64(r->numbers, DRM_AWAKE,
			    idle < r->interval_ns ? r->interval_ns - idle : 0);
	}
	s->idle_ms = now;
	s->idle_primed = true;
}

/* The hardware's reasons at this moment, by kind. */
static void take_reasons(struct reading *r, const char *folder, const char *prefix,
			 const char *status)
{
	static const struct {
		const char *name;
		enum drm_value column;
	} reasons[] = {
	    {"pl1", DRM_THROTTLED_POWER},	{"pl2", DRM_THROTTLED_POWER},
	    {"pl4", DRM_THROTTLED_CURRENT},	{"vr_tdc", DRM_THROTTLED_CURRENT},
	    {"thermal", DRM_THROTTLED_THERMAL}, {"prochot", DRM_THROTTLED_THERMAL},
	    {"ratl", DRM_THROTTLED_THERMAL},	{"vr_thermalert", DRM_THROTTLED_THERMAL},
	};
	uint64_t on;
	if (!file_u64(r->sys, folder, status, &on))
		return;
	drm_put_f64(r->numbers, DRM_THROTTLED, on ? 100 : 0);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		char file[64];
		struct drm_number *n = &r->numbers[reasons[i].column];
		snprintf(file, sizeof(file), "%s%s", prefix, reasons[i].name);
		if (file_u64(r->sys, folder, file, &on) && (on || !n->known))
			drm_put_f64(n, 0, on ? 100 : 0);
	}
}

static void read_i915(struct reading *r)
{
	char card[48];
	snprintf(card, sizeof(card), "/sys/class/drm/card%u", r->card->card);
	if (!put_scaled(r, card, "gt_act_freq_mhz", MHZ, DRM_CLOCK))
		put_scaled(r, r->card->gt, "rps_act_freq_mhz", MHZ, DRM_CLOCK);
	if (!put_scaled(r, card, "gt_max_freq_mhz", MHZ, DRM_CLOCK_LIMIT))
		put_scaled(r, r->card->gt, "rps_max_freq_mhz", MHZ, DRM_CLOCK_LIMIT);
	note_highest(r, card, "gt_RP0_freq_mhz", MHZ);
	note_highest(r, r->card->gt, "rps_RP0_freq_mhz", MHZ);
	take_idle(r, r->card->gt, "rc6_residency_ms");
	take_reasons(r, r->card->gt, "throttle_reason_", "throttle_reason_status");
}

static void read_xe(struct reading *r)
{
	char folder[128];
	snprintf(folder, sizeof(folder), "%s/freq0", r->card->gt);
	put_scaled(r, folder, "act_freq", MHZ, DRM_CLOCK);
	put_scaled(r, folder, "max_freq", MHZ, DRM_CLOCK_LIMIT);
	note_highest(r, folder, "rp0_freq", MHZ);
	snprintf(folder, sizeof(folder), "%s/freq0/throttle", r->card->gt);
	take_reasons(r, folder, "reason_", "status");
	snprintf(folder, sizeof(folder), "%s/gtidle", r->card->gt);
	take_idle(r, folder, "idle_residency_ms");
}

/* The highest of a list of numbers in Hz. */
static void take_frequencies(struct reading *r)
{
	char text[LEVELS];
	if (file_read(r->sys, r->card->devfreq, "available_frequencies", text, sizeof(text)) <= 0)
		return;
	for (char *at = text; *(at += strspn(at, " \n"));) {
		uint64_t hz;
		size_t digits = strcspn(at, " \n");
		if (number_u64(at, digits, &hz) && (double)hz > r->state->highest_hz &&
		    drm_is_clock((double)hz))
			r->state->highest_hz = (double)hz;
		at += digits;
	}
}

static void read_devfreq(struct reading *r)
{
	put_scaled(r, r->card->devfreq, "cur_freq", 1, DRM_CLOCK);
	put_scaled(r, r->card->devfreq, "max_freq", 1, DRM_CLOCK_LIMIT);
	if (r->state->highest_hz <= 0)
		take_frequencies(r);
	if (r->state->highest_hz <= 0)
		note_highest(r, r->card->devfreq, "max_freq", 1);
}

/* A line "bin<TAB>timestamp<TAB>jobs<TAB>runtime" of v3d, times in ns. */
static bool queue_runtime(const char *text, const char *queue, uint64_t *out)
{
	size_t length = strlen(queue);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, queue, length) != 0 || line[length] != '\t')
			continue;
		const char *end = strchr(line, '\n');
		const char *last = end;
		while (end && last > line && last[-1] != '\t')
			last--;
		return end && number_u64(last, (size_t)(end - last), out);
	}
	return false;
}

/* The queues run beside each other: the busiest one is what the GPU was busy at least. */
static void read_v3d(struct reading *r)
{
	static const char *const queues[] = {"bin", "render", "csd"};
	char text[LEVELS];
	struct drm_state *s = r->state;
	uint64_t busiest = 0, now[3];
	bool back = false;
	if (file_read(r->sys, r->card->device, "gpu_stats", text, sizeof(text)) <= 0)
		return;
	for (int i = 0; i < 3; i++) {
		if (!queue_runtime(text, queues[i], &now[i]))
			return;
		uint64_t did = now[i] >= s->queue_ns[i] ? now[i] - s->queue_ns[i] : 0;
		back |= now[i] < s->queue_ns[i];
		busiest = did > busiest ? did : busiest;
	}
	if (s->queues_primed && !back)
		drm_put_u64(r->numbers, DRM_BUSY, busiest);
	memcpy(s->queue_ns, now, sizeof(now));
	s->queues_primed = true;
}

bool drm_card_sleeps(const struct sx_sys *sys, const struct drm_card *card)
{
	char text[32];
	return file_line(sys, card->device, "power/runtime_status", text, sizeof(text)) &&
	       strcmp(text, "suspended") == 0;
}

void drm_device_read(const struct sx_sys *sys, const struct drm_card *card, struct drm_state *state,
		     uint64_t interval_ns, struct drm_number *numbers)
{
	struct reading r = {sys, card, state, interval_ns, numbers};
	state->asleep = drm_card_sleeps(sys, card);
	if (state->asleep) {
		drm_put_u64(numbers, DRM_BUSY, 0);
		state->idle_primed = state->queues_primed = state->accumulated_primed = false;
		state->residency_primed = false;
		for (int i = 0; i < DRM_ENERGIES; i++)
			state->sensors.energies[i].primed = false;
		return;
	}
	drm_sensors_read(sys, card, &state->sensors, numbers);
	if (strcmp(card->driver, "amdgpu") == 0)
		read_amdgpu(&r);
	else if (strcmp(card->driver, "i915") == 0)
		read_i915(&r);
	else if (card->is_xe)
		read_xe(&r);
	else if (strcmp(card->driver, "v3d") == 0)
		read_v3d(&r);
	if (card->devfreq[0])
		read_devfreq(&r);
	if (state->highest_hz > 0)
		drm_put_f64(numbers, DRM_CLOCK_HIGHEST, state->highest_hz);
	drm_drop_implausible(state, interval_ns, numbers);
}
