/* What one device says at one moment. A call that the library or the device lacks says so. */
#include "source/nvml/nvml.h"

#include <string.h>

#define NOT_KNOWN (~0ULL)

static const char *const names[NVML_COUNTER_COUNT] = {
    [NVML_GPU_UTILIZATION] = "GpuUtilization",
    [NVML_MEMORY_UTILIZATION] = "MemoryUtilization",
    [NVML_ENCODER_UTILIZATION] = "EncoderUtilization",
    [NVML_DECODER_UTILIZATION] = "DecoderUtilization",
    [NVML_GRAPHICS_CLOCK] = "GraphicsClock",
    [NVML_SM_CLOCK] = "SmClock",
    [NVML_MEMORY_CLOCK] = "MemoryClock",
    [NVML_VIDEO_CLOCK] = "VideoClock",
    [NVML_HIGHEST_CLOCK] = "HighestClock",
    [NVML_POWER] = "Power",
    [NVML_POWER_LIMIT] = "PowerLimit",
    [NVML_ENERGY] = "Energy",
    [NVML_TEMPERATURE] = "Temperature",
    [NVML_FAN] = "FanSpeed",
    [NVML_THROTTLED_POWER] = "ThrottledPower",
    [NVML_THROTTLED_THERMAL] = "ThrottledThermal",
    [NVML_THROTTLED_HARDWARE] = "ThrottledHardware",
    [NVML_THROTTLED_SETTING] = "ThrottledSetting",
    [NVML_MEMORY_USED] = "MemoryUsed",
    [NVML_MEMORY_TOTAL] = "MemoryTotal",
    [NVML_PCIE_SENT] = "PcieSent",
    [NVML_PCIE_RECEIVED] = "PcieReceived",
    [NVML_PROCESSES] = "Processes",
    [NVML_PROGRAM_MEMORY] = "ProgramMemory",
    [NVML_PROGRAM_UTILIZATION] = "ProgramUtilization",
};

const char *nvml_counter_name(enum nvml_counter counter)
{
	return names[counter];
}

enum nvml_counter nvml_counter_find(const char *name)
{
	for (int i = 0; i < NVML_COUNTER_COUNT; i++)
		if (strcmp(names[i], name) == 0)
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
	a->out[counter] = (struct nvml_reading){code, code ? 0 : value};
}

static void ask_utilization(struct asking *a)
{
	struct nvml_utilization u = {0};
	const struct nvml_calls *c = a->device->calls;
	int code = NVML_ERROR_NOT_SUPPORTED;
	if (!a->wanted[NVML_GPU_UTILIZATION] && !a->wanted[NVML_MEMORY_UTILIZATION])
		return;
	if (c->utilization)
		code = c->utilization(a->device->handle, &u);
	put(a, NVML_GPU_UTILIZATION, code, u.gpu);
	put(a, NVML_MEMORY_UTILIZATION, code, u.memory);
}

static void ask_memory(struct asking *a)
{
	struct nvml_memory m = {0};
	const struct nvml_calls *c = a->device->calls;
	int code = NVML_ERROR_NOT_SUPPORTED;
	if (!a->wanted[NVML_MEMORY_USED] && !a->wanted[NVML_MEMORY_TOTAL])
		return;
	if (c->memory)
		code = c->memory(a->device->handle, &m);
	put(a, NVML_MEMORY_USED, code, m.used);
	put(a, NVML_MEMORY_TOTAL, code, m.total);
}

typedef int (*clock_call)(nvml_handle device, unsigned which, unsigned *mhz);

static void ask_clock(struct asking *a, enum nvml_counter counter, clock_call call, unsigned which)
{
	unsigned mhz = 0;
	int code = NVML_ERROR_NOT_SUPPORTED;
	if (!a->wanted[counter])
		return;
	if (call)
		code = call(a->device->handle, which, &mhz);
	put(a, counter, code, (uint64_t)mhz * 1000000);
}

typedef int (*number_call)(nvml_handle device, unsigned *out);

static void ask_number(struct asking *a, enum nvml_counter counter, number_call call)
{
	unsigned value = 0;
	int code = NVML_ERROR_NOT_SUPPORTED;
	if (!a->wanted[counter])
		return;
	if (call)
		code = call(a->device->handle, &value);
	put(a, counter, code, value);
}

typedef int (*codec_call)(nvml_handle device, unsigned *percent, unsigned *period_us);

static void ask_codec(struct asking *a, enum nvml_counter counter, codec_call call)
{
	unsigned value = 0, period = 0;
	int code = NVML_ERROR_NOT_SUPPORTED;
	if (!a->wanted[counter])
		return;
	if (call)
		code = call(a->device->handle, &value, &period);
	put(a, counter, code, value);
}

static void ask_energy(struct asking *a)
{
	unsigned long long mj = 0;
	const struct nvml_calls *c = a->device->calls;
	int code = NVML_ERROR_NOT_SUPPORTED;
	if (!a->wanted[NVML_ENERGY])
		return;
	if (c->energy)
		code = c->energy(a->device->handle, &mj);
	put(a, NVML_ENERGY, code, mj * 1000);
}

static void ask_temperature(struct asking *a)
{
	unsigned degrees = 0;
	const struct nvml_calls *c = a->device->calls;
	int code = NVML_ERROR_NOT_SUPPORTED;
	if (!a->wanted[NVML_TEMPERATURE])
		return;
	if (c->temperature)
		code = c->temperature(a->device->handle, NVML_TEMPERATURE_GPU, &degrees);
	put(a, NVML_TEMPERATURE, code, degrees);
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
	const struct nvml_calls *c = a->device->calls;
	int code = NVML_ERROR_NOT_SUPPORTED;
	bool wanted = false;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		wanted |= a->wanted[reasons[i].counter];
	if (!wanted)
		return;
	if (c->throttle)
		code = c->throttle(a->device->handle, &mask);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		put(a, reasons[i].counter, code, mask & reasons[i].bits ? 100 : 0);
}

/* Each of these calls takes some 20 ms, over which the library itself averages. */
static void ask_pcie(struct asking *a, enum nvml_counter counter, unsigned which)
{
	unsigned kb = 0;
	const struct nvml_calls *c = a->device->calls;
	int code = NVML_ERROR_NOT_SUPPORTED;
	if (!a->wanted[counter])
		return;
	if (c->pcie)
		code = c->pcie(a->device->handle, which, &kb);
	put(a, counter, code, (uint64_t)kb * 1000);
}

typedef int (*list_call)(nvml_handle device, unsigned *count, struct nvml_process *out);

/* Adds the processes of one list behind those of another; one that is in both counts once. */
static int add_processes(struct nvml_device *d, list_call call, unsigned *count)
{
	unsigned more = NVML_PROCESSES_MAX - *count, kept = *count;
	struct nvml_process *list = d->processes + *count;
	int code = call ? call(d->handle, &more, list) : NVML_ERROR_NOT_SUPPORTED;
	for (unsigned i = 0; !code && i < more && i < NVML_PROCESSES_MAX - *count; i++) {
		bool known = false;
		for (unsigned j = 0; j < *count && !known; j++)
			known = d->processes[j].pid == list[i].pid;
		if (!known)
			d->processes[kept++] = list[i];
	}
	*count = kept;
	return code;
}

static void ask_processes(struct asking *a)
{
	struct nvml_device *d = a->device;
	unsigned count = 0;
	if (!a->wanted[NVML_PROCESSES] && !a->wanted[NVML_PROGRAM_MEMORY])
		return;
	int graphics = add_processes(d, d->calls->graphics_processes, &count);
	int compute = add_processes(d, d->calls->compute_processes, &count);
	int code = graphics && compute ? graphics : 0;
	put(a, NVML_PROCESSES, code, count);
	if (!d->pid)
		return;
	put(a, NVML_PROGRAM_MEMORY, code, 0); /* it has none while it is in no list */
	for (unsigned i = 0; !code && i < count; i++) {
		const struct nvml_process *p = &d->processes[i];
		if (p->pid == (unsigned)d->pid)
			put(a, NVML_PROGRAM_MEMORY,
			    p->used_memory == NOT_KNOWN ? NVML_ERROR_NO_PERMISSION : 0,
			    p->used_memory);
	}
}

/* The mean of what came since the last reading; the library samples on its own. */
static void ask_program(struct asking *a)
{
	struct nvml_process_sample samples[NVML_PROCESSES_MAX];
	struct nvml_device *d = a->device;
	unsigned count = NVML_PROCESSES_MAX, mine = 0;
	uint64_t sum = 0;
	if (!a->wanted[NVML_PROGRAM_UTILIZATION] || !d->pid)
		return;
	int code = d->calls->process_samples
		       ? d->calls->process_samples(d->handle, samples, &count, d->seen_us)
		       : NVML_ERROR_NOT_SUPPORTED;
	if (code == NVML_ERROR_NOT_FOUND) /* nobody did anything since */
		code = (int)(count = 0);
	for (unsigned i = 0; !code && i < count && i < NVML_PROCESSES_MAX; i++) {
		if (samples[i].time_us > d->seen_us)
			d->seen_us = samples[i].time_us;
		if (samples[i].pid != (unsigned)d->pid)
			continue;
		sum += samples[i].sm;
		mine++;
	}
	put(a, NVML_PROGRAM_UTILIZATION, code, mine ? (sum + mine / 2) / mine : 0);
}

void nvml_device_read(struct nvml_device *device, const bool wanted[NVML_COUNTER_COUNT],
		      struct nvml_reading out[NVML_COUNTER_COUNT])
{
	const struct nvml_calls *c = device->calls;
	struct asking a = {device, wanted, out};
	for (int i = 0; i < NVML_COUNTER_COUNT; i++)
		out[i] = (struct nvml_reading){.code = NVML_ERROR_NOT_SUPPORTED};
	ask_utilization(&a);
	ask_codec(&a, NVML_ENCODER_UTILIZATION, c->encoder);
	ask_codec(&a, NVML_DECODER_UTILIZATION, c->decoder);
	ask_clock(&a, NVML_GRAPHICS_CLOCK, c->clock, NVML_CLOCK_GRAPHICS);
	ask_clock(&a, NVML_SM_CLOCK, c->clock, NVML_CLOCK_SM);
	ask_clock(&a, NVML_MEMORY_CLOCK, c->clock, NVML_CLOCK_MEM);
	ask_clock(&a, NVML_VIDEO_CLOCK, c->clock, NVML_CLOCK_VIDEO);
	ask_clock(&a, NVML_HIGHEST_CLOCK, c->highest_clock, NVML_CLOCK_GRAPHICS);
	ask_number(&a, NVML_POWER, c->power);
	ask_number(&a, NVML_POWER_LIMIT, c->power_limit);
	ask_number(&a, NVML_FAN, c->fan);
	ask_energy(&a);
	ask_temperature(&a);
	ask_throttle(&a);
	ask_memory(&a);
	ask_pcie(&a, NVML_PCIE_SENT, NVML_PCIE_TX);
	ask_pcie(&a, NVML_PCIE_RECEIVED, NVML_PCIE_RX);
	ask_processes(&a);
	ask_program(&a);
}
