/*
 * Traces of Perfetto: GPU counters with their descriptors, frequency, memory and render stages.
 * Everything else is skipped. Seen: protos of 2019 to August 2026.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/catalog.h>

#include "base/strings.h"
#include "import/trace/trace.h"

#define UNPACKED_MAX ((size_t)256 << 20) /* of one packet of compressed packets */

/* Fields of TracePacket. */
enum {
	PACKET_FTRACE = 1,
	PACKET_CLOCKS = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_CONFIG = 33,
	PACKET_COMPRESSED = 50,
	PACKET_COUNTERS = 52,
	PACKET_STAGE = 53,
	PACKET_CLOCK_ID = 58,
	PACKET_MEMORY = 71,
	PACKET_ATTRIBUTES = 126,
	PACKET_GPU_INFO = 128,
	PACKET_FREQUENCY = 129,
};

static bool known_field(uint32_t number)
{
	return number == PACKET_CLOCKS || number == PACKET_TIMESTAMP || number == PACKET_SEQUENCE ||
	       number == PACKET_CONFIG || number == PACKET_INTERNED || number == PACKET_COUNTERS ||
	       number == PACKET_STAGE || number == PACKET_COMPRESSED || number == PACKET_GPU_INFO ||
	       number == PACKET_FTRACE || number == 60 || number == 36 || number == 89 ||
	       number == 35 || number == 11;
}

/* A trace has no magic: its first packet is looked into. */
static bool perfetto_recognise(const struct import_head *head)
{
	const uint8_t *p = (const uint8_t *)head->text;
	size_t size = head->size < IMPORT_HEAD_BYTES ? head->size : IMPORT_HEAD_BYTES;
	struct read_proto trace = {p, p + size, false};
	struct read_proto_field packet, field;
	bool binary = false;
	for (size_t i = 0; i < size && i < 64; i++)
		binary |= p[i] < 9;
	if (size < 4 || p[0] != 0x0a || !binary || head->folder)
		return false;
	if (!read_proto_next(&trace, &packet)) {
		/* Longer than the head: the beginning of its fields has to do. */
		size_t at = 1;
		while (at < 10 && p[at] & 0x80)
			at++;
		packet = (struct read_proto_field){
		    .number = 1, .wire = 2, .data = p + at + 1, .size = size - at - 1};
		trace.bad = false;
	}
	struct read_proto inner = read_proto_message(&packet);
	bool any = false, odd = packet.number != 1 || packet.wire != 2;
	while (!odd && read_proto_next(&inner, &field)) {
		any |= known_field(field.number);
		odd = field.number > 2000;
	}
	return any && !odd && (!inner.bad || packet.size >= size - 12);
}

static void read_packets(struct perfetto *t, const uint8_t *data, size_t size, int depth);

/* Deflated packets behind each other. */
static void read_compressed(struct perfetto *t, const struct read_proto_field *field, int depth)
{
	struct import_bytes bytes = {0};
	bool cut = false;
	t->no_memory |=
	    !import_inflate((const char *)field->data, field->size, UNPACKED_MAX, &bytes, &cut);
	t->damaged += cut;
	if (bytes.data)
		read_packets(t, (const uint8_t *)bytes.data, bytes.size, depth + 1);
	import_bytes_free(&bytes);
}

/* Clock snapshots name the trace's clock. */
static void read_clocks(struct perfetto *t, struct read_proto message)
{
	struct read_proto_field field;
	while (read_proto_next(&message, &field))
		if (field.number == 2 && field.wire == 0)
			t->primary_clock = (uint32_t)field.value;
}

static void read_gpu_info(struct perfetto *t, struct read_proto message)
{
	struct read_proto_field gpu, field;
	for (uint32_t id = 0; read_proto_next(&message, &gpu); id += gpu.number == 1) {
		struct read_proto inner = read_proto_message(&gpu);
		while (gpu.number == 1 && read_proto_next(&inner, &field))
			perfetto_fact(t, id, &field);
	}
}

/* A packet's head, and the one thing that it holds. */
static void read_packet(struct perfetto *t, struct read_proto message, int depth)
{
	struct read_proto again = message;
	struct read_proto_field field;
	struct perfetto_packet packet = {.time_ns = SX_TIME_UNKNOWN};
	while (read_proto_next(&message, &field)) {
		if (field.number == PACKET_TIMESTAMP && field.wire == 0)
			packet.time_ns = field.value;
		else if (field.number == PACKET_SEQUENCE && field.wire == 0)
			packet.sequence = (uint32_t)field.value;
		else if (field.number == PACKET_CLOCK_ID && field.wire == 0)
			packet.clock = (uint32_t)field.value;
	}
	t->damaged += message.bad;
	/* Interned data may come after the packets that use them. */
	for (message = again; read_proto_next(&message, &field);)
		if (field.number == PACKET_INTERNED)
			perfetto_interned(t, &packet, read_proto_message(&field));
	for (message = again; read_proto_next(&message, &field);) {
		struct read_proto inner = read_proto_message(&field);
		if (field.number == PACKET_CLOCKS)
			read_clocks(t, inner);
		else if (field.number == PACKET_GPU_INFO)
			read_gpu_info(t, inner);
		else if (field.number == PACKET_ATTRIBUTES)
			perfetto_attributes(t, inner);
		else if (field.number == PACKET_COUNTERS)
			perfetto_counters(t, &packet, inner);
		else if (field.number == PACKET_STAGE)
			perfetto_stage(t, &packet, inner);
		else if (field.number == PACKET_TRACK_EVENT)
			perfetto_slice(t, &packet, inner);
		else if (field.number == PACKET_MEMORY)
			perfetto_memory(t, &packet, inner);
		else if (field.number == PACKET_FREQUENCY)
			perfetto_frequency(t, &packet, inner);
		else if (field.number == PACKET_COMPRESSED && field.wire == 2 && depth == 0)
			read_compressed(t, &field, depth);
	}
}

static void read_packets(struct perfetto *t, const uint8_t *data, size_t size, int depth)
{
	struct read_proto trace = {data, data + size, false};
	struct read_proto_field field;
	while (read_proto_next(&trace, &field) && !t->no_memory)
		if (field.number == 1 && field.wire == 2)
			read_packet(t, read_proto_message(&field), depth);
	t->cut |= trace.bad;
}

/* "Mali-G610" is catalog mali-g610, where there is one or one that covers it. */
static const char *catalog_by_name(struct perfetto *t, const char *name)
{
	char slug[64];
	size_t used = 0;
	struct sx_catalog *catalog = NULL;
	for (; name && *name && used + 1 < sizeof(slug); name++)
		slug[used++] =
		    isalnum((unsigned char)*name) ? (char)tolower((unsigned char)*name) : '-';
	slug[used] = '\0';
	if (!used || sx_catalog_open(t->job->request->context, slug, &catalog, NULL))
		return NULL;
	const char *found = sx_catalog_info(catalog)->name;
	const char *copy = import_text(t->job, found, strlen(found));
	sx_catalog_unref(catalog);
	return copy;
}

/* The catalog that knows most of a GPU's counters, or `monitor` where none knows half of them. */
static const char *catalog_of(struct perfetto *t, const struct perfetto_gpu *gpu)
{
	const struct perfetto_facts *facts = perfetto_facts(t, gpu->id);
	const char *known = catalog_by_name(t, facts->gpu);
	if (!known)
		known = catalog_by_name(t, facts->model);
	if (t->job->request->catalog || known)
		return t->job->request->catalog ? t->job->request->catalog : known;
	const char **names = calloc((size_t)gpu->names.count + 1, sizeof(*names));
	if (!names)
		return "monitor";
	for (uint32_t i = 0; i < gpu->names.count; i++)
		names[i] = strings_get(&gpu->names, i);
	const char *best = import_guess_catalog(t->job, "", names, gpu->names.count, "monitor");
	free(names);
	return best;
}

static void apply_facts(const struct perfetto_facts *facts, struct import_rows *rows)
{
	enum sx_sample_kind kind = facts->kind ? sx_sample_kind_find(facts->kind) : SX_SAMPLE_KINDS;
	for (uint32_t i = 0; i < facts->constant_count; i++)
		import_rows_constant(rows, facts->constants[i].name, facts->constants[i].value);
	for (uint32_t i = 0; i < facts->skipped.count; i++)
		import_column_in_turns(rows, strings_get(&facts->skipped, i));
	for (int l = 0; l < SX_LABEL_COUNT; l++)
		if (facts->labels[l])
			import_rows_label_name(rows, (enum sx_label)l, facts->labels[l]);
	import_rows_describe(rows, &(struct import_rows_options){.set = facts->set,
								 .driver = facts->driver,
								 .numbered = facts->numbered,
								 .number = facts->number,
								 .simulated = facts->simulated});
	if (kind != SX_SAMPLE_KINDS)
		import_rows_kind(rows, kind);
}

static enum sx_status finish_gpu(struct perfetto *t, struct perfetto_gpu *gpu, const char *clock,
				 enum sx_status status, struct sx_error *err)
{
	char name[64];
	bool staged = gpu->ranges.count > 0;
	struct import_rows *busy =
	    staged ? import_ranges_finish(&gpu->ranges, t->job, gpu->stages) : NULL;
	struct import_rows *all[] = {gpu->rows, gpu->stages, gpu->events, busy};
	const struct perfetto_facts *facts = perfetto_facts(t, gpu->id);
	const char *known = facts->name ? facts->name : facts->gpu;
	snprintf(name, sizeof(name), "GPU %u", gpu->id);
	if (gpu->ranges.no_memory)
		status = error_nomem(err, "importing");
	enum sx_status worst = status;
	if (gpu->rows)
		import_rows_describe(gpu->rows,
				     &(struct import_rows_options){.catalog = catalog_of(t, gpu),
								   .any_order = t->anchors != 0,
								   .whole_shares = !t->anchors});
	if (gpu->rows)
		apply_facts(facts, gpu->rows);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!all[i])
			continue;
		import_rows_describe(all[i], &(struct import_rows_options){
						 .name = known ? known : name, .clock = clock});
		/* Descriptors without samples are no reason to give up the others. */
		bool empty = !import_row_count(all[i]);
		enum sx_status ended =
		    import_rows_finish(all[i], empty && t->job->result ? SX_END : status, err);
		if (!empty)
			worst = import_worse(worst, ended);
	}
	free(gpu->held);
	free(gpu->ranges.list);
	strings_finish(&gpu->names);
	return worst;
}

static enum sx_status perfetto_finish(struct perfetto *t, const char *clock, enum sx_status status,
				      struct sx_error *err)
{
	bool any = false;
	for (uint32_t i = 0; i < t->gpu_count; i++) {
		struct perfetto_gpu *gpu = &t->gpus[i];
		any |= import_row_count(gpu->rows) || import_row_count(gpu->stages) ||
		       import_row_count(gpu->events);
		status = finish_gpu(t, gpu, clock, status, err);
	}
	if (t->lost)
		import_remark(t->job,
			      "%zu values were left out: no descriptor names their counter, "
			      "or they are out of order",
			      t->lost);
	if (t->early)
		import_remark(t->job, "the first sample of each GPU only marks where time begins");
	if (t->marks)
		import_remark(t->job, "losses and reservations are on the track Quality of the "
				      "trace, which is not imported");
	if (t->clock >= 64)
		import_remark(t->job, "times are of clock %u of the trace, which was not converted",
			      t->clock);
	for (size_t i = 0; i < IMPORT_DEVICES_MAX; i++) {
		strings_finish(&t->facts[i].skipped);
		strings_finish(&t->facts[i].levels);
	}
	strings_finish(&t->keys);
	strings_finish(&t->stage_keys);
	free(t->counters);
	free(t->stage_names);
	if (!any && !sx_failed(status))
		return import_bad(t->job, 0, err,
				  "it has no GPU counters, frequencies, memory or render stages",
				  "nothing in this trace is of a GPU");
	return status;
}

static const char *clock_name(const struct perfetto *t)
{
	static const char *const names[] = {
	    [1] = "realtime",  [2] = "realtime",      [3] = "monotonic",
	    [4] = "monotonic", [5] = "monotonic_raw", [6] = "boottime",
	};
	uint32_t id = t->clock ? t->clock : t->primary_clock ? t->primary_clock : 6;
	return id < sizeof(names) / sizeof(names[0]) ? names[id] : "trace";
}

static enum sx_status perfetto_read(struct import_job *job, struct sx_error *err)
{
	struct perfetto *t = calloc(1, sizeof(*t));
	enum sx_status status = SX_OK;
	if (!t)
		return error_nomem(err, "importing");
	t->job = job;
	read_packets(t, (const uint8_t *)job->text, job->size, 0);
	if (t->damaged)
		import_remark(job, "%zu packets are damaged and were left out", t->damaged);
	if (t->no_memory)
		status = error_nomem(err, "importing");
	else if (t->cut)
		status = import_cut(job, 0, err);
	status = perfetto_finish(t, clock_name(t), status, err);
	free(t);
	return status;
}

const struct import_format import_perfetto = {
    .kind = "perfetto",
    .about = "a trace of Perfetto",
    .recognise = perfetto_recognise,
    .read = perfetto_read,
};
