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
	struct read_proto_field field;
	uint64_t gpu = 0, pid = 0, size = 0;
	while (read_proto_next(&message, &field)) {
		if (field.number == 1)
			gpu = field.value;
		else if (field.number == 2)
			pid = field.value;
		else if (field.number == 3)
			size = field.value;
	}
	if (pid)
		import_remark(t->job, "memory of single processes was left out");
	else
		perfetto_events_take_event(t, packet, gpu, NAN, (double)size);
}

void perfetto_frequency(struct perfetto *t, const struct perfetto_packet *packet,
			struct read_proto message)
{
	struct read_proto_field field;
	uint64_t gpu = 0, khz = 0;
	while (read_proto_next(&message, &field)) {
		if (field.number == 1)
			gpu = field.value;
		else if (field.number == 2)
			khz = field.value;
	}
	perfetto_events_take_event(t, packet, gpu, (double)khz * 1e3, NAN);
}

/* Stages that older traces list by index, in the event itself. */
static void read_old_stages(struct perfetto *t, const struct perfetto_packet *packet,
			    struct read_proto message)
{
	struct read_proto_field field, part;
	uint64_t index = 0;
	while (read_proto_next(&message, &field)) {
		if (field.number != 3)
			continue;
		struct read_proto inner = read_proto_message(&field);
		while (read_proto_next(&inner, &part))
			if (part.number == 1 && part.wire == 2)
				perfetto_add_stage(t, packet->sequence, UINT64_MAX - index,
						   perfetto_text(t, &part));
		index++;
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
	struct read_proto again = message;
	struct read_proto_field field;
	uint64_t length = 0, stage = 0, gpu_id = 0;
	const char *name = NULL;
	bool timed = false;
	while (read_proto_next(&message, &field)) {
		if (field.number == 2 && field.wire == 0) {
			length = field.value;
			timed = true;
		} else if (field.number == 14 && field.wire == 0) {
			stage = field.value;
		} else if (field.number == 4 && field.wire == 0) {
			stage = UINT64_MAX - field.value;
		} else if (field.number == 11 && field.wire == 0) {
			gpu_id = field.value;
		} else if (field.number == 17 && field.wire == 2) {
			name = perfetto_text(t, &field);
		} else if (field.number == 7 && field.wire == 2) {
			read_old_stages(t, packet, read_proto_message(&field));
		}
	}
	struct perfetto_gpu *gpu = perfetto_gpu(t, (uint32_t)gpu_id);
	if (!timed || !gpu || packet->time_ns == SX_TIME_UNKNOWN ||
	    length > UINT64_MAX - packet->time_ns)
		return;
	const struct import_span span = {packet->time_ns, packet->time_ns + length};
	if (t->anchors) {
		perfetto_own_stage(t, (uint32_t)gpu_id, &span, again);
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
