/* A fake libnvidia-ml.so.1; nvml.h says what is made up. */
#include "nvml.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN	    __attribute__((visibility("default")))
#define SUCCESS	    0
#define UNINIT	    1
#define ARGUMENT    2
#define UNSUPPORTED 3
#define NOT_FOUND   6
#define TOO_SMALL   7
#define LOST	    15
#define DEVICES_MAX 4

SHOWN struct fake_nvml fake_nvml_state = FAKE_NVML_DEFAULT;
static char handles[DEVICES_MAX];

static int misuse(int code)
{
	fake_nvml_state.misused = true;
	return code;
}

/* What every call of a device checks. */
static int check(void *device)
{
	struct fake_nvml *f = &fake_nvml_state;
	char *handle = device;
	f->calls++;
	if (!f->inits)
		return misuse(UNINIT);
	if (handle < handles || handle >= handles + f->devices)
		return misuse(ARGUMENT);
	return f->lost ? LOST : SUCCESS;
}

static int give(void *device, unsigned *out, unsigned value)
{
	int code = check(device);
	if (!out)
		return misuse(ARGUMENT);
	if (!code)
		*out = value;
	return code;
}

static int copy(char *out, unsigned size, const char *text)
{
	if (!out)
		return misuse(ARGUMENT);
	if (strlen(text) >= size)
		return TOO_SMALL;
	strcpy(out, text);
	return SUCCESS;
}

SHOWN int nvmlInit_v2(void)
{
	if (!fake_nvml_state.init_code)
		fake_nvml_state.inits++;
	return fake_nvml_state.init_code;
}

SHOWN int nvmlShutdown(void)
{
	if (!fake_nvml_state.inits)
		return misuse(UNINIT);
	if (fake_nvml_state.misused)
		abort(); /* where no test looks at the state */
	fake_nvml_state.inits--;
	return SUCCESS;
}

SHOWN const char *nvmlErrorString(int code)
{
	switch (code) {
	case UNSUPPORTED:
		return "Not Supported";
	case 4:
		return "Insufficient Permissions";
	case LOST:
		return "GPU is lost";
	case 18:
		return "Driver/library version mismatch";
	default:
		return "Unknown Error";
	}
}

SHOWN int nvmlSystemGetDriverVersion(char *out, unsigned size)
{
	return fake_nvml_state.inits ? copy(out, size, "999.10.01") : misuse(UNINIT);
}

SHOWN int nvmlDeviceGetCount_v2(unsigned *out)
{
	if (!fake_nvml_state.inits || !out)
		return misuse(UNINIT);
	*out = fake_nvml_state.devices;
	return SUCCESS;
}

SHOWN int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out)
{
	if (!fake_nvml_state.inits || !out)
		return misuse(UNINIT);
	if (index >= fake_nvml_state.devices)
		return ARGUMENT;
	*out = &handles[index];
	return SUCCESS;
}

SHOWN int nvmlDeviceGetName(void *device, char *out, unsigned size)
{
	int code = check(device);
	return code ? code : copy(out, size, "Fake GeForce 9000");
}

SHOWN int nvmlDeviceGetUtilizationRates(void *device, unsigned out[2])
{
	int code = give(device, out, fake_nvml_state.gpu_busy);
	if (!code)
		out[1] = 12;
	return code;
}

SHOWN int nvmlDeviceGetMemoryInfo(void *device, unsigned long long out[3])
{
	int code = check(device);
	if (code)
		return code;
	out[0] = 8ULL << 30;
	out[1] = 6ULL << 30;
	out[2] = 2ULL << 30;
	return SUCCESS;
}

SHOWN int nvmlDeviceGetClockInfo(void *device, unsigned which, unsigned *out)
{
	return which > 3 ? misuse(ARGUMENT) : give(device, out, fake_nvml_state.clock_mhz + which);
}

SHOWN int nvmlDeviceGetMaxClockInfo(void *device, unsigned which, unsigned *out)
{
	return which > 3 ? misuse(ARGUMENT) : give(device, out, 2000);
}

SHOWN int nvmlDeviceGetPowerUsage(void *device, unsigned *out)
{
	return give(device, out, fake_nvml_state.power_mw);
}

SHOWN int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *out)
{
	return give(device, out, 200000);
}

SHOWN int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *out)
{
	int code = check(device);
	if (code || fake_nvml_state.no_energy)
		return code ? code : UNSUPPORTED;
	*out = fake_nvml_state.energy_mj;
	return SUCCESS;
}

SHOWN int nvmlDeviceGetTemperature(void *device, unsigned sensor, unsigned *out)
{
	return sensor ? misuse(ARGUMENT) : give(device, out, 66);
}

SHOWN int nvmlDeviceGetFanSpeed(void *device, unsigned *out)
{
	int code = give(device, out, 40);
	return code || !fake_nvml_state.no_fan ? code : UNSUPPORTED;
}

SHOWN int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *out)
{
	int code = check(device);
	if (!code)
		*out = fake_nvml_state.throttle;
	return code;
}

SHOWN int nvmlDeviceGetPcieThroughput(void *device, unsigned which, unsigned *out)
{
	return which > 1 ? misuse(ARGUMENT) : give(device, out, 1000 * (which + 1));
}

SHOWN int nvmlDeviceGetEncoderUtilization(void *device, unsigned *out, unsigned *period)
{
	return period ? give(device, out, 5) : misuse(ARGUMENT);
}

SHOWN int nvmlDeviceGetDecoderUtilization(void *device, unsigned *out, unsigned *period)
{
	return period ? give(device, out, 6) : misuse(ARGUMENT);
}

struct process {
	unsigned pid;
	unsigned long long used;
	unsigned gpu_instance, compute_instance;
};

static int give_processes(void *device, unsigned *count, struct process *out, bool compute)
{
	struct fake_nvml *f = &fake_nvml_state;
	int code = check(device);
	unsigned have = 0;
	if (code || f->no_processes)
		return code ? code : UNSUPPORTED;
	if (!count || (*count && !out))
		return misuse(ARGUMENT);
	unsigned room = *count;
	for (unsigned i = 0; i < f->program_count; i++) {
		const struct fake_nvml_program *p = &f->programs[i];
		if (!(compute ? p->compute : p->graphics))
			continue;
		if (have++ < room)
			out[have - 1] = (struct process){p->pid, p->memory, ~0u, ~0u};
	}
	*count = have;
	return room < have ? TOO_SMALL : SUCCESS;
}

SHOWN int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned *count,
						   struct process *out)
{
	return give_processes(device, count, out, false);
}

SHOWN int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count,
						  struct process *out)
{
	return give_processes(device, count, out, true);
}

/* Libraries before the third form of the call. */
SHOWN int nvmlDeviceGetComputeRunningProcesses_v2(void *device, unsigned *count,
						  struct process *out)
{
	return give_processes(device, count, out, true);
}

struct sample {
	unsigned pid;
	unsigned long long time_us;
	unsigned sm, memory, encoder, decoder;
};

/* At most two samples of each program since the last call; NOT_FOUND if there are none. */
SHOWN int nvmlDeviceGetProcessUtilization(void *device, struct sample *out, unsigned *count,
					  unsigned long long since_us)
{
	struct fake_nvml *f = &fake_nvml_state;
	int code = check(device);
	unsigned have = 0;
	if (code || f->no_processes)
		return code ? code : UNSUPPORTED;
	if (!count || (*count && !out))
		return misuse(ARGUMENT);
	unsigned room = *count;
	for (unsigned i = 0; i < f->program_count; i++)
		for (unsigned k = 0; k < 2; k++) {
			const struct fake_nvml_program *p = &f->programs[i];
			if (!p->sm[k] || have++ >= room)
				continue;
			out[have - 1] = (struct sample){p->pid,	       since_us + have, p->sm[k],
							p->sm[k] / 10, p->encoder,	0};
		}
	*count = have;
	return room < have ? TOO_SMALL : have ? SUCCESS : NOT_FOUND;
}
