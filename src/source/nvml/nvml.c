/* The source of NVIDIA's GPUs: readings of its management library, one sample an interval. */
#include "source/nvml/nvml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/expr.h>

#include "base/error.h"
#include "base/no_data.h"
#include "base/mem.h"
#include "base/text_buf.h"

#define PREFIX "nvml:"

struct nvml_source {
	struct interval_source in; /* first */
	struct nvml_library library;
	struct nvml_device device;
	/* What start() set up. */
	enum nvml_counter counters[NVML_COUNTER_COUNT]; /* of each column */
	struct sx_column columns[NVML_COUNTER_COUNT];
	uint32_t count;
	struct arena texts;
	bool wanted[NVML_COUNTER_COUNT];
	uint64_t energy_uj;
	bool has_energy;
	char note[512];
};

static struct nvml_source *nvml_from(struct source *source)
{
	return (struct nvml_source *)source;
}

static void driver_name(const struct nvml_library *library, char *out, size_t size)
{
	char version[NVML_NAME_MAX] = "";
	if (library->calls.driver_version(version, sizeof(version)))
		version[0] = '\0';
	snprintf(out, size, "NVIDIA %.80s", version);
}

static void found_one(const struct nvml_library *library, unsigned index, source_found_fn found,
		      void *user)
{
	nvml_handle handle = NULL;
	char id[32], name[NVML_NAME_MAX] = "", driver[NVML_NAME_MAX + 16], because[160];
	struct sx_device device = {
	    .id = id, .source = "nvml", .catalog = "nvml", .driver = driver, .name = name};
	snprintf(id, sizeof(id), PREFIX "%u", index);
	driver_name(library, driver, sizeof(driver));
	int code = library->calls.device_by_index(index, &handle);
	if (!code)
		code = library->calls.device_name(handle, name, sizeof(name));
	device.state = code ? SX_DEVICE_UNUSABLE : SX_DEVICE_READY;
	if (code) {
		device.obstacle =
		    code == NVML_ERROR_NO_PERMISSION ? SX_ERR_PERMISSION : SX_ERR_UNSUPPORTED;
		snprintf(because, sizeof(because), "the library says: %s",
			 nvml_words(library, code));
		device.because = because;
		device.remedy = code == NVML_ERROR_NO_PERMISSION
				    ? "ls -l /dev/nvidia*: the user needs to read and write them"
				    : "nvidia-smi, which uses the same library";
	}
	found(user, &device);
}

/* On machines without NVIDIA's kernel driver the library is not even opened. */
static void note_absent(source_found_fn found, void *user)
{
	struct sx_device absent = {
	    .id = "nvml",
	    .source = "nvml",
	    .catalog = "nvml",
	    .state = SX_DEVICE_ABSENT,
	    .because = "NVIDIA's kernel driver does not run here",
	    .remedy = "a machine with an NVIDIA GPU and NVIDIA's own driver; in a container, pass "
		      "both on (--gpus all)"};
	found(user, &absent);
}

static void nvml_probe(const struct source_host *host, source_found_fn found, void *user)
{
	struct nvml_library library = {0};
	struct sx_error err = {0};
	unsigned count = 0;
	struct sx_device device = {.id = "nvml", .source = "nvml", .catalog = "nvml"};
	if (!nvml_driver_is_here(host->sys)) {
		note_absent(found, user);
		return;
	}
	enum sx_status status = nvml_library_open(&library, host->sys, &err);
	int code = status ? 0 : library.calls.device_count(&count);
	if (status || code || !count) {
		bool absent = status == SX_ERR_NOT_FOUND || (!status && !code);
		device.state = absent ? SX_DEVICE_ABSENT : SX_DEVICE_UNUSABLE;
		device.obstacle = status ? status : SX_ERR_UNSUPPORTED;
		device.because = status ? err.because
				 : code ? nvml_words(&library, code)
					: "the library finds no device";
		device.remedy = status ? err.remedy : "nvidia-smi, which uses the same library";
		found(user, &device);
	}
	for (unsigned i = 0; !status && !code && i < count && i < NVML_DEVICES_MAX; i++)
		found_one(&library, i, found, user);
	nvml_library_close(&library);
}

static const struct interval_ops nvml_interval;

static void nvml_finish(struct source *source)
{
	struct nvml_source *s = nvml_from(source);
	nvml_library_close(&s->library);
	arena_finish(&s->texts);
}

static enum sx_status no_device(const char *id, struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "there is no NVIDIA device \"%s\"", id);
	error_because(err, "its name is " PREFIX " and a number");
	error_try(err, "sextant devices");
	return SX_ERR_NOT_FOUND;
}

static enum sx_status find_device(struct nvml_source *s, const char *id, struct sx_error *err)
{
	char *end;
	const struct nvml_calls *calls = &s->library.calls;
	unsigned long index = strtoul(id + strlen(PREFIX), &end, 10);
	if (*end || index >= NVML_DEVICES_MAX)
		return no_device(id, err);
	int code = calls->device_by_index((unsigned)index, &s->device.handle);
	if (!code)
		code = calls->device_name(s->device.handle, s->in.name, sizeof(s->in.name));
	if (!code)
		return SX_OK;
	error_set(err, code == NVML_ERROR_NO_PERMISSION ? SX_ERR_PERMISSION : SX_ERR_NOT_FOUND,
		  "%s cannot be opened", id);
	error_because(err, "NVIDIA's library says: %s", nvml_words(&s->library, code));
	error_try(err, "nvidia-smi, which uses the same library");
	return code == NVML_ERROR_NO_PERMISSION ? SX_ERR_PERMISSION : SX_ERR_NOT_FOUND;
}

static enum sx_status nvml_open(const struct source_host *host, const char *id, struct source **out,
				struct sx_error *err)
{
	size_t prefix = strlen(PREFIX);
	if (strncmp(id, PREFIX, prefix) != 0 || id[prefix] < '0' || id[prefix] > '9')
		return no_device(id, err);
	struct nvml_source *s =
	    interval_create(sizeof(*s), &source_nvml, &nvml_interval, host, err);
	if (!s)
		return SX_ERR_NO_MEMORY;
	enum sx_status status = nvml_library_open(&s->library, host->sys, err);
	if (!status)
		status = find_device(s, id, err);
	if (status) {
		interval_close(&s->in.base);
		return status;
	}
	s->device.calls = &s->library.calls;
	s->device.programs.sys = host->sys;
	driver_name(&s->library, s->in.driver, sizeof(s->in.driver));
	s->in.desc.kinds = 1u << SX_SAMPLE_PROCESS;
	s->in.desc.kind = SX_SAMPLE_TIME;
	*out = &s->in.base;
	return SX_OK;
}

/* A state is what it is; energy is what was used since the reading before. */
static uint8_t value_of(struct nvml_source *s, enum nvml_counter counter,
			const struct nvml_reading *reading, uint64_t *value)
{
	*value = reading->value;
	if (reading->code)
		return SX_QUALITY_NOT_COLLECTED;
	if (counter != NVML_ENERGY)
		return SX_QUALITY_VALID;
	bool known = s->has_energy && reading->value >= s->energy_uj;
	*value = known ? reading->value - s->energy_uj : 0;
	s->energy_uj = reading->value;
	s->has_energy = true;
	return known ? SX_QUALITY_VALID : SX_QUALITY_NOT_COLLECTED;
}

static void put_device(struct nvml_source *s, const struct nvml_reading now[NVML_COUNTER_COUNT],
		       unsigned flags)
{
	for (uint32_t i = 0; i < s->count; i++) {
		uint64_t value;
		uint8_t quality = value_of(s, s->counters[i], &now[s->counters[i]], &value);
		interval_put(&s->in, i, 0, value, (uint8_t)(quality | flags));
	}
}

static struct nvml_reading of_program(const struct nvml_programs *p,
				      const struct nvml_program *program, enum nvml_counter counter)
{
	if (counter == NVML_PROGRAM_MEMORY)
		return nvml_program_memory(p, program);
	return nvml_program_use(p, program, (enum nvml_use)(counter - NVML_PROGRAM_UTILIZATION));
}

/* A row for each program of the device behind others; returns how many there are then. */
static size_t put_programs(struct nvml_source *s, size_t rows, unsigned flags)
{
	const struct nvml_programs *p = &s->device.programs;
	for (uint32_t k = 0; k < p->count; k++) {
		const struct nvml_program *program = &p->items[k];
		if (!program->in_scope)
			continue;
		for (uint32_t i = 0; i < s->count; i++) {
			struct nvml_reading r = {.code = NVML_ERROR_NOT_SUPPORTED};
			if (nvml_is_of_program(s->counters[i]))
				r = of_program(p, program, s->counters[i]);
			interval_put(&s->in, i, rows, r.value,
				     r.code ? SX_QUALITY_NOT_COLLECTED
					    : (uint8_t)(SX_QUALITY_VALID | flags));
		}
		interval_put_name(&s->in, rows++, program->name, program->pid);
	}
	return rows;
}

static void nvml_take(struct source *source, struct raw_sample *out)
{
	struct nvml_source *s = nvml_from(source);
	struct nvml_reading now[NVML_COUNTER_COUNT];
	uint64_t value;
	nvml_device_read(&s->device, s->wanted, now);
	for (uint32_t i = 0; i < s->count; i++)
		s->in.gone |= now[s->counters[i]].code == NVML_ERROR_GPU_IS_LOST;
	if (!out) {
		if (s->wanted[NVML_ENERGY])
			value_of(s, NVML_ENERGY, &now[NVML_ENERGY], &value);
		return;
	}
	unsigned flags = out->flags & RAW_STRETCHED ? SX_QUALITY_STRETCHED : 0;
	size_t count = s->device.programs.count + 2;
	s->in.out_of_memory = interval_make_rows(&s->in, count, NULL) != SX_OK;
	if (s->in.out_of_memory)
		return;
	count = !s->in.by_process;
	if (count)
		put_device(s, now, flags);
	if (s->in.by_process || s->in.programs)
		count = put_programs(s, count, flags);
	interval_give_rows(&s->in, count, out);
}

static const char *nvml_note(struct source *source, uint32_t index)
{
	const char *note = nvml_from(source)->note;
	return index == 0 && *note ? note : NULL;
}

static void choose(struct nvml_source *s, const struct source_request *request)
{
	uint32_t count = request->counters ? request->counter_count : NVML_COUNTER_COUNT;
	memset(s->wanted, 0, sizeof(s->wanted));
	s->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		enum nvml_counter c = request->counters ? nvml_counter_find(request->counters[i])
							: (enum nvml_counter)i;
		if (c == NVML_COUNTER_COUNT || s->wanted[c])
			continue;
		s->wanted[c] = true;
		s->counters[s->count++] = c;
	}
}

static const char *why_not(struct nvml_source *s, enum nvml_counter counter, int code)
{
	char text[192] = "";
	if (s->in.by_process && !nvml_is_of_program(counter))
		return no_data_text(NO_DATA_WHOLE_DEVICE);
	if (nvml_is_of_program(counter) && !s->in.by_process && !s->device.programs.root)
		return no_data_text(NO_DATA_NO_WORK);
	no_data_append(text, sizeof(text),
		       code == NVML_ERROR_NO_PERMISSION	  ? NO_DATA_FORBIDDEN
		       : code == NVML_ERROR_NOT_SUPPORTED ? NO_DATA_NO_COUNTER
							  : NO_DATA_REFUSED,
		       nvml_words(&s->library, code));
	return arena_strndup(&s->texts, text, strlen(text));
}

/* Of programs each by itself: what the library says of all of them. */
static int code_of(const struct nvml_source *s, enum nvml_counter counter, int code)
{
	if (!s->in.by_process)
		return code;
	if (!nvml_is_of_program(counter))
		return NVML_ERROR_NOT_SUPPORTED;
	return counter == NVML_PROGRAM_MEMORY ? s->device.programs.list_code
					      : s->device.programs.use_code;
}

/* The columns; a note before the first sample names those that the device never gives. */
static void describe_columns(struct nvml_source *s, const struct sx_catalog *catalog)
{
	struct nvml_reading now[NVML_COUNTER_COUNT];
	nvml_device_read(&s->device, s->wanted, now);
	s->note[0] = '\0';
	for (uint32_t i = 0; i < s->count; i++) {
		enum nvml_counter counter = s->counters[i];
		int code = code_of(s, counter, now[counter].code);
		const char *name = nvml_counter_name(counter);
		s->columns[i] =
		    interval_column(catalog, name, SX_U64, code ? why_not(s, counter, code) : NULL);
		if (code && !s->in.by_process)
			text_append(s->note, sizeof(s->note), "%s%s",
				    *s->note ? ", " : "not collected: ", name);
	}
	s->in.desc.columns = s->columns;
	s->in.desc.column_count = s->count;
}

static enum sx_status nvml_begin(struct source *source, const struct source_request *request,
				 struct sx_error *err)
{
	struct nvml_source *s = nvml_from(source);
	s->device.programs.root = request->pid;
	s->device.programs.count = 0;
	s->device.programs.seen_us = 0;
	s->has_energy = false;
	choose(s, request);
	describe_columns(s, request->catalog);
	return SX_OK;
}

static enum sx_status nvml_lost(struct source *source, struct sx_error *err)
{
	struct nvml_source *s = nvml_from(source);
	error_set(err, SX_ERR_DEVICE_LOST, "%s is gone", s->in.name);
	error_because(err, "NVIDIA's library says: %s",
		      nvml_words(&s->library, NVML_ERROR_GPU_IS_LOST));
	error_try(err, "dmesg, for the driver's own account (Xid)");
	return SX_ERR_DEVICE_LOST;
}

static const struct interval_ops nvml_interval = {
    .what = "the NVML source",
    .no_finer = "the library answers no faster, or it is too long",
    .begin = nvml_begin,
    .take = nvml_take,
    .note = nvml_note,
    .lost = nvml_lost,
    .finish = nvml_finish,
};

const struct source_ops source_nvml = {
    .name = "nvml",
    .raw = RAW_ROWS,
    .probe = nvml_probe,
    .open = nvml_open,
    INTERVAL_SOURCE_OPS,
};
