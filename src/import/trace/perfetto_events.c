/* What a trace says of GPUs beside counters: frequency, memory, render stages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/trace/trace.h"

void perfetto_add_stage(struct perfetto *t, uint32_t sequence, uint64_t iid, const char *name)
{
	char key[48];
	bool added;
	int size = snprintf(key, sizeof(key), "%u %llu", sequence, (unsigned long long)iid);
	uint32_t at = strings_intern(&t->stage_keys, key, (size_t)size, &added);
	if (at == UINT32_MAX ||
	    !mem_grow(&t->stage_names, &t->stage_cap, (size_t)at + 1, sizeof(*t->stage_names))) {
		t->no_memory = true;
		return;
	}
	t->stage_names[at] = name;
}

/* Frequency and memory are in a trace when they change: the last value held until now. */
static void end_event(struct perfetto *t, struct perfetto_gpu *gpu, uint64_t now)
{
	static const struct import_field frequency = {.name = "GpuFrequency",
						      .unit = "Hz",
						      .over_time = SX_REDUCE_MEAN},
					 memory = {.name = "MemoryUsed",
						   .unit = "bytes",
						   .over_time = SX_REDUCE_MEAN};
	if (gpu->event_ns != SX_TIME_UNKNOWN && now > gpu->event_ns) {
		struct import_rows *rows =
		    perfetto_rows(t, &gpu->events, "monitor", SX_SAMPLE_TIME);
		size_t row = import_row(rows, gpu->event_ns, now);
		if (!isnan(gpu->frequency_hz))
			import_set(rows, import_column(rows, &frequency), row, gpu->frequency_hz);
		if (!isnan(gpu->memory_bytes))
			import_set(rows, import_column(rows, &memory), row, gpu->memory_bytes);
	}
	gpu->event_ns = now;
}

static void perfetto_events_take_event(struct perfetto *t, const struct perfetto_packet *packet,
				       uint64_t id, double frequency_hz, double memory_bytes)
{
	struct perfetto_gpu *gpu = perfetto_gpu(t, (uint32_t)id);
	if (!gpu || packet->time_ns == SX_TIME_UNKNOWN)
		return;
	end_event(t, gpu, packet->time_ns);
	if (!isnan(frequency_hz))
		gpu->frequency_hz = frequency_hz;
	if (!isnan(memory_bytes))
		gpu->memory_bytes = memory_bytes;
}

void perfetto_memory(struct perfetto *t, const struct perfetto_packet *packet,
		     struct read_proto message)
{
	struct read_proto_field fields[4]; /* GPU, process, bytes */
	read_proto_fields(message, fields, "-***");
	if (fields[2].value)
		import_remark(t->job, "memory of single processes was left out");
	else
		perfetto_events_take_event(t, packet, fields[1].value, NAN,
					   (double)fields[3].value);
}

void perfetto_frequency(struct perfetto *t, const struct perfetto_packet *packet,
			struct read_proto message)
{
	struct read_proto_field fields[3]; /* GPU, kHz */
	read_proto_fields(message, fields, "-**");
	perfetto_events_take_event(t, packet, fields[1].value, (double)fields[2].value * 1e3, NAN);
}

/* Stages that older traces list by index, in the event itself. */
static void read_old_stages(struct perfetto *t, const struct perfetto_packet *packet,
			    struct read_proto message)
{
	struct read_proto_field field, stage[2];
	for (uint64_t index = 0; read_proto_next(&message, &field); index += field.number == 3) {
		read_proto_fields(read_proto_message(&field), stage, "-b");
		if (field.number == 3 && stage[1].number)
			perfetto_add_stage(t, packet->sequence, UINT64_MAX - index,
					   perfetto_text(t, &stage[1]));
	}
}

static const char *stage_name(const struct perfetto *t, uint32_t sequence, uint64_t iid)
{
	char key[48];
	int size = snprintf(key, sizeof(key), "%u %llu", sequence, (unsigned long long)iid);
	uint32_t at = strings_find(&t->stage_keys, key, (size_t)size);
	return at == UINT32_MAX ? NULL : t->stage_names[at];
}

void perfetto_stage(struct perfetto *t, const struct perfetto_packet *packet,
		    struct read_proto message)
{
	struct read_proto_field f[18];
	read_proto_fields(message, f, "--v-v--b---v--v--b");
	uint64_t length = f[2].value, gpu_id = f[11].value;
	uint64_t stage = f[14].number ? f[14].value : f[4].number ? UINT64_MAX - f[4].value : 0;
	const char *name = f[17].number ? perfetto_text(t, &f[17]) : NULL;
	read_old_stages(t, packet, read_proto_message(&f[7]));
	struct perfetto_gpu *gpu = perfetto_gpu(t, (uint32_t)gpu_id);
	if (!f[2].number || !gpu || packet->time_ns == SX_TIME_UNKNOWN ||
	    length > UINT64_MAX - packet->time_ns)
		return;
	const struct import_span span = {packet->time_ns, packet->time_ns + length};
	if (t->anchors) {
		perfetto_own_stage(t, (uint32_t)gpu_id, &span, message);
		return;
	}
	if (!name)
		name = stage_name(t, packet->sequence, stage);
	t->clock = packet->clock ? packet->clock : t->clock;
	struct import_rows *rows = perfetto_rows(t, &gpu->stages, "monitor", SX_SAMPLE_GROUP);
	size_t row = import_ranges_add(&gpu->ranges, rows, span.begin_ns, span.end_ns);
	if (name)
		import_label(rows, row, SX_LABEL_GROUP, name, strlen(name));
}
