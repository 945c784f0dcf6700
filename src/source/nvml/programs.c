/*
 * Programs on a device: whom the library lists, what each held and did, who they are and whether
 * they belong to what is measured. The library names them by number; the rest is in /proc.
 */
#include "source/nvml/nvml.h"

#include <limits.h>
#include <string.h>

#include "source/process.h"

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

static void meet(struct nvml_programs *p, struct nvml_program *program)
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
	if (code == NVML_ERROR_NOT_FOUND) /* nobody did anything since */
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

/* Who is new, or another of the same number, is looked at; who is on the device no more goes. */
static void settle(struct nvml_programs *p)
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
			meet(p, program);
		}
		p->items[kept++] = *program;
	}
	p->count = kept;
}

void nvml_programs_read(struct nvml_programs *p, const struct nvml_calls *calls, nvml_handle device,
			bool listed, bool sampled)
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
	settle(p);
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

void nvml_programs_sum(const struct nvml_programs *p, struct nvml_reading *memory,
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
