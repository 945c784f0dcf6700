/* GPUs of a trace: counters with their descriptors and samples, frequency, memory, render stages.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/trace/trace.h"

#define NAME_BYTES 200

/* The first GPU of the device that our own trace says this one is of; or NULL. */
static struct perfetto_gpu *device_of(struct perfetto *t, uint32_t id)
{
	const struct perfetto_facts *facts = perfetto_facts(t, id);
	for (uint32_t i = 0; facts->numbered && t->anchors && i < t->gpu_count; i++) {
		const struct perfetto_facts *other = perfetto_facts(t, t->gpus[i].id);
		if (other->numbered && other->number == facts->number)
			return t->gpus[i].device;
	}
	return NULL;
}

struct perfetto_gpu *perfetto_gpu(struct perfetto *t, uint32_t id)
{
	for (uint32_t i = 0; i < t->gpu_count; i++)
		if (t->gpus[i].id == id)
			return &t->gpus[i];
	/* Each of another tool's can be four devices. */
	if (t->gpu_count >= (t->anchors ? IMPORT_DEVICES_MAX : IMPORT_DEVICES_MAX / 4))
		return NULL;
	struct perfetto_gpu *device = device_of(t, id);
	struct perfetto_gpu *gpu = &t->gpus[t->gpu_count++];
	*gpu = (struct perfetto_gpu){.id = id,
				     .device = device ? device : gpu,
				     .last_ns = SX_TIME_UNKNOWN,
				     .event_ns = SX_TIME_UNKNOWN,
				     .frequency_hz = NAN,
				     .memory_bytes = NAN};
	return gpu;
}

/* Rows of a GPU, made when they are first needed; NULL when memory is out. */
static struct import_rows *perfetto_rows(struct perfetto *t, struct import_rows **rows,
					 const char *catalog, enum sx_sample_kind kind)
{
	if (!*rows)
		*rows = import_rows_create(
		    t->job, &(struct import_rows_options){.catalog = catalog, .kind = kind});
	t->no_memory |= !*rows;
	return *rows;
}

struct import_rows *perfetto_counter_rows(struct perfetto *t, struct perfetto_gpu *gpu)
{
	return perfetto_rows(t, &gpu->device->rows, NULL, SX_SAMPLE_TIME);
}

const char *perfetto_text(struct perfetto *t, const struct read_proto_field *field)
{
	size_t size = field->wire == 2 ? field->size : 0;
	const char *text =
	    import_text(t->job, (const char *)field->data, size < NAME_BYTES ? size : NAME_BYTES);
	t->no_memory |= !text;
	return text;
}

/* Units of MeasureUnit, by number. */
static const struct {
	const char *unit;
	double factor;
} units[] = {
    {"count", 1},	 {"bits", 1},	  {"bits", 1e3},     {"bits", 1e6},	{"bits", 1e9},
    {"bits", 1e12},	 {"bits", 1e15},  {"bytes", 1},	     {"bytes", 1e3},	{"bytes", 1e6},
    {"bytes", 1e9},	 {"bytes", 1e12}, {"bytes", 1e15},   {"Hz", 1},		{"Hz", 1e3},
    {"Hz", 1e6},	 {"Hz", 1e9},	  {"Hz", 1e12},	     {"Hz", 1e15},	{"ns", 1},
    {"us", 1},		 {"ms", 1},	  {"s", 1},	     {"s", 60},		{"s", 3600},
    {"vertices", 1},	 {"pixels", 1},	  {"primitives", 1}, {"mW", 1},		{"mW", 1e3},
    {"mW", 1e6},	 {"count", 1},	  {"count", 1},	     {"count", 1},	{"degC", 1},
    {"count", 1},	 {"count", 1},	  {"percent", 1},    {"primitives", 1}, {"fragments", 1},
    {"instructions", 1},
};
#define UNITS (sizeof(units) / sizeof(units[0]))

/* Our own descriptions end in the unit, of which Perfetto has no number for most. */
static const char *unit_in(struct perfetto *t, const struct read_proto_field *field)
{
	static const char head[] = "Unit: ";
	const char *text = (const char *)field->data;
	size_t size = field->wire == 2 ? field->size : 0, at = size;
	if (!t->anchors || size < sizeof(head) || text[size - 1] != '.')
		return NULL;
	while (at > 0 && (size - at < sizeof(head) || memcmp(text + at, head, sizeof(head) - 1)))
		at--;
	if (memcmp(text + at, head, sizeof(head) - 1) != 0)
		return NULL;
	at += sizeof(head) - 1;
	return import_text(t->job, text + at, size - at - 1);
}

static bool adds_up(const char *unit)
{
	return !strchr(unit, '/') && !import_word_of((struct import_cell){unit, strlen(unit)},
						     "percent|ratio|boolean|Hz|MHz|mW|degC");
}

/* Fields of GpuCounterSpec. */
enum {
	SPEC_ID = 1,
	SPEC_NAME,
	SPEC_TEXT,
	SPEC_OVER = 7,
	SPEC_UNDER,
	SPEC_DIRECTION = 11,
	SPEC_END
};

/* A counter as its descriptor has it; without a name it is none. */
static struct import_field perfetto_gpu_describe(struct perfetto *t,
						 const struct read_proto_field spec[SPEC_END])
{
	char text[64];
	uint64_t over = spec[SPEC_OVER].value, under = spec[SPEC_UNDER].value; /* MeasureUnit */
	const char *unit = unit_in(t, &spec[SPEC_TEXT]);
	struct import_field field = {.name = perfetto_text(t, &spec[SPEC_NAME]),
				     .unit = "count",
				     .over_time = SX_REDUCE_SUM,
				     .factor = 1};
	if (unit) {
		field.unit = unit;
		field.over_time = adds_up(unit) ? SX_REDUCE_SUM : SX_REDUCE_MEAN;
		return field;
	}
	if (over < UNITS) {
		field.unit = units[over].unit;
		field.factor = units[over].factor;
	}
	bool per_second = under == 22;
	/* Without a unit nothing says that it is an amount: a level, which never adds up. */
	if (over == 0 || over >= UNITS || under)
		field.over_time = SX_REDUCE_MEAN;
	if (per_second && strcmp(field.unit, "count") != 0 && strcmp(field.unit, "percent") != 0) {
		snprintf(text, sizeof(text), "%s/s", field.unit);
		field.unit = import_text(t->job, text, strlen(text));
	}
	if (per_second || !adds_up(field.unit))
		field.over_time = SX_REDUCE_MEAN;
	return field;
}

#define ANY_GPU UINT32_MAX

/* The key of a counter; GPUs number theirs alike. */
struct counter_key {
	uint32_t sequence, gpu;
	uint64_t iid, id;
};

static uint32_t perfetto_gpu_find_counter(struct perfetto *t, const struct counter_key *key,
					  bool *added)
{
	char text[80];
	/* Inline descriptors hold for the whole trace, interned ones for their sequence. */
	int size = snprintf(text, sizeof(text), "%u %llu %llu %u", key->iid ? key->sequence : 0,
			    (unsigned long long)key->iid, (unsigned long long)key->id, key->gpu);
	if (!added)
		return strings_find(&t->keys, text, (size_t)size);
	return strings_intern(&t->keys, text, (size_t)size, added);
}

static void keep_counter(struct perfetto *t, const struct counter_key *key,
			 const struct perfetto_counter *counter)
{
	bool added;
	uint32_t at = perfetto_gpu_find_counter(t, key, &added);
	if (at == UINT32_MAX ||
	    !mem_grow(&t->counters, &t->counter_cap, (size_t)at + 1, sizeof(*t->counters)))
		t->no_memory = true;
	else if (added)
		t->counters[at] = *counter;
}

static void add_counter(struct perfetto *t, struct perfetto_gpu *gpu, struct counter_key key,
			struct perfetto_counter counter)
{
	struct import_rows *rows = perfetto_counter_rows(t, gpu);
	key.gpu = counter.gpu = gpu->id;
	if (perfetto_gpu_find_counter(t, &key, NULL) != UINT32_MAX)
		return;
	strings_intern(&gpu->device->names, counter.field.name, strlen(counter.field.name), NULL);
	counter.column = import_column(rows, &counter.field);
	keep_counter(t, &key, &counter);
	/* The first that describes it also does so for GPUs of which nothing else does. */
	key.gpu = ANY_GPU;
	keep_counter(t, &key, &counter);
}

/* The counter of a value; `gpu` is ANY_GPU where the event names none. */
static const struct perfetto_counter *perfetto_gpu_counter_of(struct perfetto *t,
							      struct counter_key key)
{
	bool named = key.gpu != ANY_GPU;
	key.gpu = named ? key.gpu : 0;
	uint32_t at = perfetto_gpu_find_counter(t, &key, NULL);
	struct counter_key any = key;
	any.gpu = ANY_GPU;
	if (at == UINT32_MAX)
		at = perfetto_gpu_find_counter(t, &any, NULL);
	if (at == UINT32_MAX || !named || t->counters[at].gpu == key.gpu)
		return at == UINT32_MAX ? NULL : &t->counters[at];
	struct perfetto_gpu *gpu = perfetto_gpu(t, key.gpu);
	if (gpu)
		add_counter(t, gpu, key, t->counters[at]);
	at = perfetto_gpu_find_counter(t, &key, NULL);
	return at == UINT32_MAX || t->no_memory ? NULL : &t->counters[at];
}

static void read_descriptor(struct perfetto *t, uint32_t gpu_id, uint32_t sequence, uint64_t iid,
			    struct read_proto message)
{
	struct read_proto_field field, spec[SPEC_END];
	struct perfetto_gpu *gpu = perfetto_gpu(t, gpu_id);
	while (gpu && read_proto_next(&message, &field)) {
		if (field.number != 1 || field.wire != 2)
			continue;
		read_proto_fields(read_proto_message(&field), spec, "-vbb---vv--v");
		if (!spec[SPEC_ID].number || !spec[SPEC_NAME].size)
			continue;
		struct perfetto_counter counter = {.field = perfetto_gpu_describe(t, spec),
						   .forwards = spec[SPEC_DIRECTION].value == 2};
		const char *name = counter.field.name;
		if (!name || !*name)
			continue;
		if (strings_find(&perfetto_facts(t, gpu_id)->levels, name, strlen(name)) !=
		    UINT32_MAX)
			counter.field.over_time = SX_REDUCE_MEAN;
		const struct counter_key key = {sequence, gpu_id, iid, spec[SPEC_ID].value};
		add_counter(t, gpu, key, counter);
	}
}

/* The name of a render stage, as a sequence calls it. */
static void perfetto_add_stage(struct perfetto *t, uint32_t sequence, uint64_t iid,
			       const char *name)
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

void perfetto_interned(struct perfetto *t, const struct perfetto_packet *packet,
		       struct read_proto message)
{
	struct read_proto_field field, part[4]; /* iid, name or descriptor, GPU */
	while (read_proto_next(&message, &field)) {
		read_proto_fields(read_proto_message(&field), part, "-vbv");
		if (field.number == 24 && part[2].number)
			perfetto_add_stage(t, packet->sequence, part[1].value,
					   perfetto_text(t, &part[2]));
		else if (field.number == 47 && part[2].data && part[1].value)
			read_descriptor(t, (uint32_t)part[3].value, packet->sequence, part[1].value,
					read_proto_message(&part[2]));
	}
}

/* A new row, or the one that its slice has made already. */
static size_t new_row(struct perfetto *t, struct perfetto_gpu *gpu, uint64_t begin, uint64_t end)
{
	struct perfetto_made *made = &gpu->made;
	bool fits = made->waits && made->begin_ns == begin && made->end_ns == end;
	made->waits &= !fits;
	return fits ? made->row : import_row(perfetto_counter_rows(t, gpu), begin, end);
}

/* The row that ends at a time: since the sample before, or the one that ends there already. */
static size_t row_at(struct perfetto *t, struct perfetto_gpu *gpu, uint64_t now)
{
	if (gpu->last_ns == now && gpu->row == SIZE_MAX && gpu->anchored)
		return gpu->row = new_row(t, gpu, now, now);
	if (gpu->last_ns == now)
		return gpu->row;
	bool first = gpu->last_ns == SX_TIME_UNKNOWN;
	if (!first && now < gpu->last_ns) {
		t->lost++; /* out of order */
		return SIZE_MAX;
	}
	struct import_rows *rows = perfetto_counter_rows(t, gpu);
	/* The first sample has no interval behind it, only one before: an anchor. */
	gpu->row = first ? SIZE_MAX : new_row(t, gpu, gpu->last_ns, now);
	for (size_t i = 0; !first && i < gpu->held_count; i++)
		import_set(rows, gpu->held[i].column, gpu->row, gpu->held[i].value);
	gpu->held_count = 0;
	gpu->last_ns = now;
	return gpu->row;
}

static void hold(struct perfetto *t, struct perfetto_gpu *gpu, uint32_t column, double value)
{
	if (!mem_grow(&gpu->held, &gpu->held_cap, gpu->held_count + 1, sizeof(*gpu->held)))
		t->no_memory = true;
	else
		gpu->held[gpu->held_count++] = (struct perfetto_held){column, value};
}

/* In our own traces a packet of anchors says where the next row begins, and nothing else. */
static void take_anchor(struct perfetto *t, uint32_t id, uint64_t now)
{
	struct perfetto_gpu *gpu = perfetto_gpu(t, id);
	if (!gpu || (gpu->last_ns != SX_TIME_UNKNOWN && now < gpu->last_ns))
		return;
	gpu->last_ns = now;
	gpu->row = SIZE_MAX;
	gpu->anchored = true;
}

static void take_counter(struct perfetto *t, const struct perfetto_packet *packet,
			 struct counter_key key, struct read_proto message)
{
	struct read_proto_field fields[4]; /* id, whole number, fraction */
	read_proto_fields(message, fields, "-vvd");
	key.id = fields[1].value;
	uint64_t whole = fields[2].value;
	bool is_whole = fields[2].number && (int64_t)whole >= 0;
	double value = fields[3].number	  ? read_proto_double(&fields[3])
		       : fields[2].number ? (double)(int64_t)whole
					  : NAN;
	const struct perfetto_counter *counter = perfetto_gpu_counter_of(t, key);
	struct perfetto_gpu *gpu = counter ? perfetto_gpu(t, counter->gpu) : NULL;
	if (!gpu) {
		t->lost++;
		return;
	}
	size_t row = row_at(t, gpu, packet->time_ns);
	if (counter->forwards)
		hold(t, gpu, counter->column, value);
	else if (row == SIZE_MAX)
		t->early++;
	else if (is_whole)
		import_set_u64(gpu->device->rows, counter->column, row, whole);
	else
		import_set(gpu->device->rows, counter->column, row, value);
}

void perfetto_counters(struct perfetto *t, const struct perfetto_packet *packet,
		       struct read_proto message)
{
	struct read_proto again = message;
	struct read_proto_field field, fields[5];
	read_proto_fields(message, fields, "---vv");
	uint64_t gpu = fields[3].value, iid = fields[4].value;
	while (read_proto_next(&message, &field))
		if (field.number == 1 && field.wire == 2)
			read_descriptor(t, (uint32_t)gpu, packet->sequence, 0,
					read_proto_message(&field));
	if (packet->time_ns == SX_TIME_UNKNOWN)
		return;
	t->clock = packet->clock ? packet->clock : t->clock;
	if (t->anchors && packet->sequence == t->anchors) {
		take_anchor(t, (uint32_t)gpu, packet->time_ns);
		return;
	}
	struct counter_key key = {packet->sequence, fields[3].number ? (uint32_t)gpu : ANY_GPU, iid,
				  0};
	for (message = again; read_proto_next(&message, &field);)
		if (field.number == 2 && field.wire == 2)
			take_counter(t, packet, key, read_proto_message(&field));
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

static void perfetto_gpu_take_event(struct perfetto *t, const struct perfetto_packet *packet,
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
		perfetto_gpu_take_event(t, packet, fields[1].value, NAN, (double)fields[3].value);
}

void perfetto_frequency(struct perfetto *t, const struct perfetto_packet *packet,
			struct read_proto message)
{
	struct read_proto_field fields[3]; /* GPU, kHz */
	read_proto_fields(message, fields, "-**");
	perfetto_gpu_take_event(t, packet, fields[1].value, (double)fields[2].value * 1e3, NAN);
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
