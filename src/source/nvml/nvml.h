/*
 * NVIDIA's GPUs by its management library, in parts: the library and its calls, one device's
 * readings, its programs, and the source. Prototypes and numbers are those of the public nvml.h.
 */
#ifndef SOURCE_NVML_NVML_H
#define SOURCE_NVML_NVML_H

#include "source/interval.h"
#include "source/source.h"

#define NVML_NAME_MAX	  96
#define NVML_DEVICES_MAX  64
#define NVML_PROGRAMS_MAX 512

/* nvmlReturn_t */
enum nvml_status {
	NVML_SUCCESS = 0,
	NVML_ERROR_UNINITIALIZED = 1,
	NVML_ERROR_INVALID_ARGUMENT = 2,
	NVML_ERROR_NOT_SUPPORTED = 3,
	NVML_ERROR_NO_PERMISSION = 4,
	NVML_ERROR_NOT_FOUND = 6,
	NVML_ERROR_INSUFFICIENT_SIZE = 7,
	NVML_ERROR_DRIVER_NOT_LOADED = 9,
	NVML_ERROR_GPU_IS_LOST = 15,
	NVML_ERROR_LIB_RM_VERSION_MISMATCH = 18,
	NVML_ERROR_UNKNOWN = 999,
};

enum nvml_clock { NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_CLOCK_VIDEO };
enum nvml_pcie { NVML_PCIE_TX, NVML_PCIE_RX };
#define NVML_TEMPERATURE_GPU 0

/* Bits of the reasons for which the clock is held down. */
enum nvml_throttle {
	NVML_THROTTLE_IDLE = 0x1,
	NVML_THROTTLE_SETTING = 0x2,
	NVML_THROTTLE_SW_POWER = 0x4,
	NVML_THROTTLE_HW = 0x8,
	NVML_THROTTLE_SYNC = 0x10,
	NVML_THROTTLE_SW_THERMAL = 0x20,
	NVML_THROTTLE_HW_THERMAL = 0x40,
	NVML_THROTTLE_POWER_BRAKE = 0x80,
	NVML_THROTTLE_DISPLAY = 0x100,
};

typedef void *nvml_handle;

struct nvml_utilization {
	unsigned gpu, memory;
};
struct nvml_memory {
	unsigned long long total, free, used;
};
struct nvml_process {
	unsigned pid;
	unsigned long long used_memory; /* all ones: not known */
	unsigned gpu_instance, compute_instance;
};
struct nvml_process_sample {
	unsigned pid;
	unsigned long long time_us;
	unsigned sm, memory, encoder, decoder; /* percent */
};

/* The calls that are used; those of devices may be NULL. */
struct nvml_calls {
#define TEXT(member, symbol)			   const char *(*member)(int code);
#define REQUIRED(member, symbol, parameters)	   int(*member) parameters;
#define OPTIONAL(member, symbol, parameters)	   int(*member) parameters;
#define RENAMED(member, symbol, older, parameters) int(*member) parameters;
#include "source/nvml/calls.def"
#undef TEXT
#undef REQUIRED
#undef OPTIONAL
#undef RENAMED
};

/* The library while it is open. Zero-initialise; nvml_library_close() in every case. */
struct nvml_library {
	const struct sx_sys *sys;
	void *handle;
	bool is_ready; /* initialised: to be shut down */
	struct nvml_calls calls;
};

/* Whether NVIDIA's kernel driver runs here at all; without it the library is not even opened. */
bool nvml_driver_is_here(const struct sx_sys *sys);
/*
 * Opens and initialises the library. Errors: SX_ERR_NOT_FOUND (it is not here), SX_ERR_PERMISSION,
 * SX_ERR_UNSUPPORTED (too old, or it does not fit the kernel's driver).
 */
enum sx_status nvml_library_open(struct nvml_library *library, const struct sx_sys *sys,
				 struct sx_error *err);
void nvml_library_close(struct nvml_library *library);
/* What a code means, in the library's words. */
const char *nvml_words(const struct nvml_library *library, int code);

enum nvml_counter {
#define COUNTER(id, name, highest) NVML_##id,
#include "source/nvml/counters.def"
#undef COUNTER
	NVML_COUNTER_COUNT
};
/* The counter of this name, or NVML_COUNTER_COUNT. */
enum nvml_counter nvml_counter_find(const char *name);
const char *nvml_counter_name(enum nvml_counter counter);

/* What one moment says of a counter. */
struct nvml_reading {
	int code; /* an enum nvml_status: 0 when there is a value */
	uint64_t value;
};

/* What the library samples of a program by itself, in the order of its counters. */
enum nvml_use { NVML_USE_SM, NVML_USE_MEMORY, NVML_USE_ENCODER, NVML_USE_DECODER, NVML_USES };

/* A program that has work or memory on the device, as of the last reading. */
struct nvml_program {
	pid_t pid;
	uint64_t begun; /* in the kernel's ticks; 0: not known */
	char name[32];
	bool is_known; /* the rest of the program was looked at */
	bool in_scope; /* of what is measured */
	bool is_listed, has_memory;
	uint64_t memory;
	uint64_t uses[NVML_USES]; /* sums of percent */
	uint32_t samples;
};

/* The programs of one device (programs.c). Zero-initialise; sys and root are the caller's. */
struct nvml_programs {
	const struct sx_sys *sys;
	pid_t root; /* the program that is measured, with its descendants; 0: all */
	struct nvml_program items[NVML_PROGRAMS_MAX];
	uint32_t count;
	unsigned long long seen_us; /* newest sample of the library */
	int list_code, use_code;    /* what the library said of lists and of samples */
	struct nvml_process listed[NVML_PROGRAMS_MAX];
	struct nvml_process_sample samples[NVML_PROGRAMS_MAX];
};

/* Of one program. */
struct nvml_reading nvml_program_memory(const struct nvml_programs *programs,
					const struct nvml_program *program);
struct nvml_reading nvml_program_use(const struct nvml_programs *programs,
				     const struct nvml_program *program, enum nvml_use use);

/* Whether a counter is of programs; else of the whole device. */
static inline bool nvml_is_of_program(enum nvml_counter counter)
{
	return counter >= NVML_PROGRAM_MEMORY;
}

/* One device while it is read. */
struct nvml_device {
	const struct nvml_calls *calls;
	nvml_handle handle;
	struct nvml_programs programs;
};
/* Reads the counters that are wanted; a code of GPU_IS_LOST means that none will come any more. */
void nvml_device_read(struct nvml_device *device, const bool wanted[NVML_COUNTER_COUNT],
		      struct nvml_reading out[NVML_COUNTER_COUNT]);

#endif
