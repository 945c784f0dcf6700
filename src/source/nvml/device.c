/*
 * A reading of one device, and the programs on it. A call that the library or the device lacks is
 * reported as not supported.
 */
#include "source/nvml/nvml.h"

#include <limits.h>
#include <string.h>

#include "source/process_tree.h"

/*
 * Programs on a device: which the library lists, what each held and did, their names, and whether
 * they belong to the measured program. The library has their pids; the rest is in /proc.
 */

#define MEMORY_MAX	(1ULL << 52)
#define ANCESTORS_MAX	64
#define UTILIZATION_MAX 100

/* What the measured program started belongs to it, also where its parent is gone by now. */
static bool is_in_scope(const struct nvml_programs *p, pid_t pid)
{
	struct process_stat stat;
	for (int i = 0; p->root && i < ANCESTORS_MAX && pid > 1; i++) {
		if (pid == p->root)
			return true;
		for (uint32_t k = 0; k < p->count; k++)
			if (p->items[k].pid == pid && p->items[k].is_known && p->items[k].in_scope)
				return true;
		if (!process_stat_read(p->sys, pid, &stat))
			return false;
		pid = stat.parent;
	}
	return !p->root;
}

static void note_program(struct nvml_programs *p, struct nvml_program *program)
{
	process_name_read(p->sys, program->pid, program->name, sizeof(program->name));
	program->in_scope = is_in_scope(p, program->pid);
	program->is_known = true;
}

/* The program of this number; NULL for none that can be, or when there are too many. */
static struct nvml_program *find(struct nvml_programs *p, unsigned pid)
{
	if (pid == 0 || pid > INT_MAX)
		return NULL;
	for (uint32_t i = 0; i < p->count; i++)
		if (p->items[i].pid == (pid_t)pid)
			return &p->items[i];
	if (p->count == NVML_PROGRAMS_MAX)
		return NULL;
	p->items[p->count] = (struct nvml_program){.pid = (pid_t)pid};
	return &p->items[p->count++];
}

/* One that is in both lists is the same: its memory counts once. */
static void take_listed(struct nvml_programs *p, const struct nvml_process *listed)
{
	struct nvml_program *program = find(p, listed->pid);
	if (!program)
		return;
	bool known = listed->used_memory <= MEMORY_MAX; /* all ones: not known */
	if (!program->is_listed || (known && !program->has_memory) ||
	    (known && listed->used_memory > program->memory)) {
		program->has_memory = known;
		program->memory = known ? listed->used_memory : 0;
	}
	program->is_listed = true;
}

typedef int (*list_call)(nvml_handle device, unsigned *count, struct nvml_process *out);

static int take_list(struct nvml_programs *p, nvml_handle device, list_call call)
{
	unsigned count = NVML_PROGRAMS_MAX;
	memset(p->listed, 0, sizeof(p->listed));
	int code = call ? call(device, &count, p->listed) : NVML_ERROR_NOT_SUPPORTED;
	for (unsigned i = 0; !code && i < count && i < NVML_PROGRAMS_MAX; i++)
		take_listed(p, &p->listed[i]);
	return code;
}

static void take_sample(struct nvml_programs *p, const struct nvml_process_sample *s)
{
	const unsigned values[NVML_USES] = {s->sm, s->memory, s->encoder, s->decoder};
	struct nvml_program *program = find(p, s->pid);
	for (int i = 0; i < NVML_USES; i++)
		if (!program || values[i] > UTILIZATION_MAX)
			return; /* no share of time */
	for (int i = 0; i < NVML_USES; i++)
		program->uses[i] += values[i];
	program->samples++;
}

/* What the library sampled on its own since the last reading. */
static int take_samples(struct nvml_programs *p, const struct nvml_calls *calls, nvml_handle device)
{
	unsigned count = NVML_PROGRAMS_MAX;
	unsigned long long since = p->seen_us;
	int code = calls->process_samples
		       ? calls->process_samples(device, p->samples, &count, since)
		       : NVML_ERROR_NOT_SUPPORTED;
	if (code == NVML_ERROR_NOT_FOUND) /* no program did anything since */
		return NVML_SUCCESS;
	for (unsigned i = 0; !code && i < count && i < NVML_PROGRAMS_MAX; i++) {
		if (p->samples[i].time_us <= since)
			continue; /* old libraries give the last one again */
		if (p->samples[i].time_us > p->seen_us)
			p->seen_us = p->samples[i].time_us;
		take_sample(p, &p->samples[i]);
	}
	return code;
}

/*
 * Reads the name of programs that are new, or reuse a pid, and drops those that are no longer on
 * the device.
 */
static void programs_resolve(struct nvml_programs *p)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < p->count; i++) {
		struct nvml_program *program = &p->items[i];
		struct process_stat stat;
		if (!program->is_listed && !program->samples)
			continue;
		bool here = process_stat_read(p->sys, program->pid, &stat);
		if (!program->is_known || (here && stat.begun != program->begun)) {
			program->is_known = false;
			program->begun = stat.begun;
			note_program(p, program);
		}
		p->items[kept++] = *program;
	}
	p->count = kept;
}

/* Updates the programs: `listed`: what each holds; `sampled`: also what they did. */
static void nvml_programs_read(struct nvml_programs *p, const struct nvml_calls *calls,
			       nvml_handle device, bool listed, bool sampled)
{
	p->list_code = p->use_code = NVML_ERROR_NOT_SUPPORTED;
	for (uint32_t i = 0; i < p->count; i++) {
		struct nvml_program *program = &p->items[i];
		memset(program->uses, 0, sizeof(program->uses));
		program->samples = 0;
		program->is_listed = program->has_memory = false;
		program->memory = 0;
	}
	if (listed || sampled) {
		int graphics = take_list(p, device, calls->graphics_processes);
		int compute = take_list(p, device, calls->compute_processes);
		p->list_code = graphics && compute ? graphics : NVML_SUCCESS;
	}
	if (sampled)
		p->use_code = take_samples(p, calls, device);
	programs_resolve(p);
}

struct nvml_reading nvml_program_memory(const struct nvml_programs *p,
					const struct nvml_program *program)
{
	if (p->list_code)
		return (struct nvml_reading){.code = p->list_code};
	if (program->is_listed && !program->has_memory)
		return (struct nvml_reading){.code = NVML_ERROR_NO_PERMISSION};
	return (struct nvml_reading){.value = program->memory};
}

struct nvml_reading nvml_program_use(const struct nvml_programs *p,
				     const struct nvml_program *program, enum nvml_use use)
{
	uint64_t samples = program->samples;
	if (p->use_code)
		return (struct nvml_reading){.code = p->use_code};
	return (struct nvml_reading){.value = samples ? (program->uses[use] + samples / 2) / samples
						      : 0};
}

static void add(struct nvml_reading *sum, struct nvml_reading part)
{
	if (part.code)
		*sum = part;
	else if (!sum->code && __builtin_add_overflow(sum->value, part.value, &sum->value))
		sum->value = UINT64_MAX;
}

static void nvml_programs_sum(const struct nvml_programs *p, struct nvml_reading *memory,
			      struct nvml_reading uses[NVML_USES])
{
	*memory = (struct nvml_reading){.code = p->list_code};
	for (int u = 0; u < NVML_USES; u++)
		uses[u] = (struct nvml_reading){.code = p->use_code};
	for (uint32_t i = 0; i < p->count; i++) {
		if (!p->items[i].in_scope)
			continue;
		add(memory, nvml_program_memory(p, &p->items[i]));
		for (int u = 0; u < NVML_USES; u++)
			add(&uses[u], nvml_program_use(p, &p->items[i], (enum nvml_use)u));
	}
}

#define MHZ	   UINT64_C(1000000)
#define ENERGY_MAX 1000000000000000ULL /* mJ: a kilowatt over 30 years */

#define GHZ UINT64_C(1000000000)
#define KW  UINT64_C(1000000) /* in mW */

static const struct {
	const char *name;
	uint64_t highest;
} counters[] = {
#define COUNTER(id, name, highest) {name, highest},
#include "source/nvml/counters.def"
#undef COUNTER
};

const char *nvml_counter_name(enum nvml_counter counter)
{
	return counters[counter].name;
}

enum nvml_counter nvml_counter_find(const char *name)
{
	for (int i = 0; i < NVML_COUNTER_COUNT; i++)
		if (strcmp(counters[i].name, name) == 0)
			return (enum nvml_counter)i;
	return NVML_COUNTER_COUNT;
}

/* One device's readings on their way. */
struct asking {
	struct nvml_device *device;
	const bool *wanted;
	struct nvml_reading *out;
};

static void put(struct asking *a, enum nvml_counter counter, int code, uint64_t value)
{
	if (!code && value > counters[counter].highest)
		code = NVML_ERROR_UNKNOWN;
	a->out[counter] = (struct nvml_reading){code, code ? 0 : value};
}

/* A call that the library lacks is one that the device does not support. */
#define CALL(a, member, ...)                                                                       \
	((a)->device->calls->member ? (a)->device->calls->member((a)->device->handle, __VA_ARGS__) \
				    : NVML_ERROR_NOT_SUPPORTED)
/* A value of one call, in a unit of `factor` of the catalog's, where it is wanted. */
#define ASK(a, counter, factor, member, ...)                                                       \
	do {                                                                                       \
		if ((a)->wanted[counter]) {                                                        \
			int code = CALL(a, member, __VA_ARGS__);                                   \
			put(a, counter, code, value *(factor));                                    \
		}                                                                                  \
	} while (0)

static void ask_numbers(struct asking *a)
{
	unsigned value = 0, period = 0;
	ASK(a, NVML_ENCODER_UTILIZATION, 1, encoder, &value, &period);
	ASK(a, NVML_DECODER_UTILIZATION, 1, decoder, &value, &period);
	ASK(a, NVML_POWER, 1, power, &value);
	ASK(a, NVML_POWER_LIMIT, 1, power_limit, &value);
	ASK(a, NVML_FAN, 1, fan, &value);
	ASK(a, NVML_GRAPHICS_CLOCK, MHZ, clock, NVML_CLOCK_GRAPHICS, &value);
	ASK(a, NVML_SM_CLOCK, MHZ, clock, NVML_CLOCK_SM, &value);
	ASK(a, NVML_MEMORY_CLOCK, MHZ, clock, NVML_CLOCK_MEM, &value);
	ASK(a, NVML_VIDEO_CLOCK, MHZ, clock, NVML_CLOCK_VIDEO, &value);
	ASK(a, NVML_HIGHEST_CLOCK, MHZ, highest_clock, NVML_CLOCK_GRAPHICS, &value);
	ASK(a, NVML_TEMPERATURE, 1, temperature, NVML_TEMPERATURE_GPU, &value);
	/* Each of these takes some 20 ms, over which the library itself averages. */
	ASK(a, NVML_PCIE_SENT, UINT64_C(1000), pcie, NVML_PCIE_TX, &value);
	ASK(a, NVML_PCIE_RECEIVED, UINT64_C(1000), pcie, NVML_PCIE_RX, &value);
}

static void ask_pairs(struct asking *a)
{
	struct nvml_utilization u = {0};
	struct nvml_memory m = {0};
	if (a->wanted[NVML_GPU_UTILIZATION] || a->wanted[NVML_MEMORY_UTILIZATION]) {
		int code = CALL(a, utilization, &u);
		put(a, NVML_GPU_UTILIZATION, code, u.gpu);
		put(a, NVML_MEMORY_UTILIZATION, code, u.memory);
	}
	if (a->wanted[NVML_MEMORY_USED] || a->wanted[NVML_MEMORY_TOTAL]) {
		int code = CALL(a, memory, &m);
		put(a, NVML_MEMORY_USED, code, m.used);
		put(a, NVML_MEMORY_TOTAL, code, m.total);
	}
}

static void ask_energy(struct asking *a)
{
	unsigned long long mj = 0;
	if (!a->wanted[NVML_ENERGY])
		return;
	int code = CALL(a, energy, &mj);
	if (!code && mj > ENERGY_MAX)
		code = NVML_ERROR_UNKNOWN;
	put(a, NVML_ENERGY, code, mj * 1000);
}

static void ask_throttle(struct asking *a)
{
	static const struct {
		enum nvml_counter counter;
		unsigned long long bits;
	} reasons[] = {
	    {NVML_THROTTLED_POWER, NVML_THROTTLE_SW_POWER | NVML_THROTTLE_POWER_BRAKE},
	    {NVML_THROTTLED_THERMAL, NVML_THROTTLE_SW_THERMAL | NVML_THROTTLE_HW_THERMAL},
	    {NVML_THROTTLED_HARDWARE, NVML_THROTTLE_HW},
	    {NVML_THROTTLED_SETTING,
	     NVML_THROTTLE_SETTING | NVML_THROTTLE_SYNC | NVML_THROTTLE_DISPLAY},
	};
	unsigned long long mask = 0;
	bool wanted = false;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		wanted |= a->wanted[reasons[i].counter];
	if (!wanted)
		return;
	int code = CALL(a, throttle, &mask);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		put(a, reasons[i].counter, code, mask & reasons[i].bits ? 100 : 0);
}

/* Programs are looked at only where something of them is wanted. */
static void ask_programs(struct asking *a)
{
	struct nvml_programs *p = &a->device->programs;
	struct nvml_reading uses[NVML_USES];
	bool listed = a->wanted[NVML_PROCESSES] || a->wanted[NVML_PROGRAM_MEMORY], sampled = false;
	uint64_t count = 0;
	for (int u = 0; u < NVML_USES; u++)
		sampled |= a->wanted[NVML_PROGRAM_UTILIZATION + u];
	if (!listed && !sampled)
		return;
	nvml_programs_read(p, a->device->calls, a->device->handle, listed, sampled);
	for (uint32_t i = 0; i < p->count; i++)
		count += p->items[i].is_listed;
	put(a, NVML_PROCESSES, p->list_code, count);
	if (!p->root)
		return; /* all programs together are the device */
	nvml_programs_sum(p, &a->out[NVML_PROGRAM_MEMORY], uses);
	for (int u = 0; u < NVML_USES; u++)
		a->out[NVML_PROGRAM_UTILIZATION + u] = uses[u];
}

void nvml_device_read(struct nvml_device *device, const bool wanted[NVML_COUNTER_COUNT],
		      struct nvml_reading out[NVML_COUNTER_COUNT])
{
	struct asking a = {device, wanted, out};
	for (int i = 0; i < NVML_COUNTER_COUNT; i++)
		out[i] = (struct nvml_reading){.code = NVML_ERROR_NOT_SUPPORTED};
	ask_energy(&a);
	ask_throttle(&a);
	ask_pairs(&a);
	ask_numbers(&a);
	ask_programs(&a);
}
