/* What one device says at one moment. A call that the library or the device lacks says so. */
#include "source/nvml/nvml.h"

#include <string.h>

#define MHZ	   UINT64_C(1000000)
#define ENERGY_MAX 1000000000000000ULL /* mJ: a kilowatt over 30 years */

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
    [NVML_PROGRAM_MEMORY_UTILIZATION] = "ProgramMemoryUtilization",
    [NVML_PROGRAM_ENCODER_UTILIZATION] = "ProgramEncoderUtilization",
    [NVML_PROGRAM_DECODER_UTILIZATION] = "ProgramDecoderUtilization",
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

/* The highest value that can be one: what lies above it is a mistake of library or driver. */
static uint64_t highest(enum nvml_counter counter)
{
	switch (counter) {
	case NVML_GPU_UTILIZATION:
	case NVML_MEMORY_UTILIZATION:
	case NVML_ENCODER_UTILIZATION:
	case NVML_DECODER_UTILIZATION:
		return 100;
	case NVML_GRAPHICS_CLOCK:
	case NVML_SM_CLOCK:
	case NVML_MEMORY_CLOCK:
	case NVML_VIDEO_CLOCK:
	case NVML_HIGHEST_CLOCK:
		return UINT64_C(100000000000);
	case NVML_POWER:
	case NVML_POWER_LIMIT:
		return 100000000; /* 100 kW */
	case NVML_TEMPERATURE:
	case NVML_FAN: /* percent of what was planned: it may be more than 100 */
		return 1000;
	case NVML_MEMORY_USED:
	case NVML_MEMORY_TOTAL:
		return UINT64_C(1) << 52;
	default:
		return UINT64_MAX;
	}
}

static void put(struct asking *a, enum nvml_counter counter, int code, uint64_t value)
{
	if (!code && value > highest(counter))
		code = NVML_ERROR_UNKNOWN;
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

/* One of several values of a kind, in a unit of `factor` of the catalog's. */
struct one_of {
	enum nvml_counter counter;
	int (*call)(nvml_handle device, unsigned which, unsigned *value);
	unsigned which;
	uint64_t factor;
};

static void ask_one_of(struct asking *a, struct one_of one)
{
	unsigned value = 0;
	int code = NVML_ERROR_NOT_SUPPORTED;
	if (!a->wanted[one.counter])
		return;
	if (one.call)
		code = one.call(a->device->handle, one.which, &value);
	put(a, one.counter, code, value * one.factor);
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
	const struct nvml_calls *c = device->calls;
	struct asking a = {device, wanted, out};
	const struct one_of several[] = {
	    {NVML_GRAPHICS_CLOCK, c->clock, NVML_CLOCK_GRAPHICS, MHZ},
	    {NVML_SM_CLOCK, c->clock, NVML_CLOCK_SM, MHZ},
	    {NVML_MEMORY_CLOCK, c->clock, NVML_CLOCK_MEM, MHZ},
	    {NVML_VIDEO_CLOCK, c->clock, NVML_CLOCK_VIDEO, MHZ},
	    {NVML_HIGHEST_CLOCK, c->highest_clock, NVML_CLOCK_GRAPHICS, MHZ},
	    {NVML_TEMPERATURE, c->temperature, NVML_TEMPERATURE_GPU, 1},
	    /* Each of these takes some 20 ms, over which the library itself averages. */
	    {NVML_PCIE_SENT, c->pcie, NVML_PCIE_TX, 1000},
	    {NVML_PCIE_RECEIVED, c->pcie, NVML_PCIE_RX, 1000},
	};
	for (int i = 0; i < NVML_COUNTER_COUNT; i++)
		out[i] = (struct nvml_reading){.code = NVML_ERROR_NOT_SUPPORTED};
	ask_utilization(&a);
	ask_codec(&a, NVML_ENCODER_UTILIZATION, c->encoder);
	ask_codec(&a, NVML_DECODER_UTILIZATION, c->decoder);
	ask_number(&a, NVML_POWER, c->power);
	ask_number(&a, NVML_POWER_LIMIT, c->power_limit);
	ask_number(&a, NVML_FAN, c->fan);
	ask_energy(&a);
	ask_throttle(&a);
	ask_memory(&a);
	for (size_t i = 0; i < sizeof(several) / sizeof(several[0]); i++)
		ask_one_of(&a, several[i]);
	ask_programs(&a);
}
