/* Writes a trace: clocks, devices, attributes, and where the view begins. */
#include "output/perfetto/perfetto.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "table/label.h"

#define TEXTS_MAX	  1024
#define CATEGORY_GRAPHICS 1
#define CATEGORY_COMPUTE  2

static uint32_t clock_number(const char *name)
{
	static const struct {
		const char *name;
		uint32_t number;
	} known[] = {{"monotonic", CLOCK_OF_MONOTONIC},
		     {"realtime", CLOCK_OF_REALTIME},
		     {"monotonic_raw", CLOCK_OF_RAW},
		     {"boottime", CLOCK_OF_BOOTTIME}};
	for (size_t i = 0; name && i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i].number;
	return name && *name ? 0 : CLOCK_OF_MONOTONIC;
}

/* The clock of the trace: that of the system's own traces where it was read. */
static uint32_t trace_clock(const struct trace *p)
{
	if (p->first.boottime_ns)
		return CLOCK_OF_BOOTTIME;
	if (p->first.monotonic_ns)
		return CLOCK_OF_MONOTONIC;
	return p->head.device_count ? p->devices[0].clock : 0;
}

void trace_clocks(struct trace *p, const struct trace_clocks *clocks)
{
	Pf__Packet packet = PF__PACKET__INIT;
	Pf__ClockSnapshot snapshot = PF__CLOCK_SNAPSHOT__INIT;
	Pf__Clock items[3], *list[3];
	const struct {
		uint32_t id;
		uint64_t ns;
	} all[] = {{CLOCK_OF_MONOTONIC, clocks->monotonic_ns},
		   {CLOCK_OF_BOOTTIME, clocks->boottime_ns},
		   {CLOCK_OF_REALTIME, clocks->realtime_ns}};
	for (size_t i = 0; i < 3; i++) {
		if (!all[i].ns)
			continue;
		Pf__Clock *clock = &items[snapshot.n_clocks];
		pf__clock__init(clock);
		clock->has_clock_id = clock->has_timestamp = true;
		clock->clock_id = all[i].id;
		clock->timestamp = all[i].ns;
		list[snapshot.n_clocks++] = clock;
	}
	if (!snapshot.n_clocks)
		return;
	snapshot.clocks = list;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = (int32_t)trace_clock(p);
	packet.clock_snapshot = &snapshot;
	packet_write(&p->stream, SEQUENCE_MAIN, NULL, &packet);
}

/* A list of texts that fit into one packet; what is too much is left out. */
struct texts {
	struct trace *p;
	Pf__Attribute items[TEXTS_MAX], *list[TEXTS_MAX];
	size_t count;
};

static Pf__Attribute *next_text(struct texts *texts, const char *key)
{
	if (texts->count == TEXTS_MAX)
		return NULL;
	Pf__Attribute *attribute = &texts->items[texts->count];
	pf__attribute__init(attribute);
	attribute->key = arena_strndup(&texts->p->arena, key, strlen(key));
	if (!attribute->key) {
		texts->p->stream.failed = true;
		return NULL;
	}
	texts->list[texts->count++] = attribute;
	return attribute;
}

static void add_text(struct texts *texts, const char *key, const char *value)
{
	Pf__Attribute *attribute = value && *value ? next_text(texts, key) : NULL;
	if (!attribute)
		return;
	char *made = packet_text(&texts->p->stream, value);
	attribute->string_value = arena_strndup(&texts->p->arena, made, strlen(made));
	texts->p->stream.text_used = 0;
	texts->p->stream.failed |= !attribute->string_value;
}

static void add_number(struct texts *texts, const char *key, uint64_t value)
{
	Pf__Attribute *attribute = next_text(texts, key);
	if (!attribute)
		return;
	attribute->has_long_value = true;
	attribute->long_value = value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static const char *device_key(char buf[64], const struct trace_state *d, const char *key)
{
	snprintf(buf, 64, "sextant.device.%u.%s", (unsigned)d->in->number, key);
	return buf;
}

static uint64_t rows_without_data(const struct report_device *r)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < r->row_count; i++)
		count += !r->rows[i].stats.count;
	return count;
}

static void add_device_texts(struct texts *texts, const struct trace_state *d)
{
	const struct report_device *r = d->in->report;
	char key[64], hash[32];
	snprintf(hash, sizeof(hash), "%016" PRIx64, sx_catalog_info(r->catalog)->hash);
	add_text(texts, device_key(key, d, "name"), d->name);
	add_text(texts, device_key(key, d, "catalog"), sx_catalog_info(r->catalog)->name);
	add_text(texts, device_key(key, d, "catalog_hash"), hash);
	add_text(texts, device_key(key, d, "source"), r->facts.source);
	add_text(texts, device_key(key, d, "driver"), r->facts.driver);
	add_text(texts, device_key(key, d, "set"), r->facts.set);
	add_text(texts, device_key(key, d, "kind"), sx_sample_kind_name(r->kind));
	add_text(texts, device_key(key, d, "clock"), d->in->clock);
	add_text(texts, device_key(key, d, "note"),
		 r->run.notes.count ? r->run.notes.items[0] : NULL);
	add_text(texts, device_key(key, d, "failure"),
		 r->run.failure ? r->run.failure->message : NULL);
	add_text(texts, device_key(key, d, "silence"),
		 r->run.silence ? r->run.silence->message : NULL);
	add_number(texts, device_key(key, d, "simulated"), r->facts.simulated);
	add_number(texts, device_key(key, d, "samples"), r->samples);
	add_number(texts, device_key(key, d, "samples_lost"), r->run.lost);
	if (r->run.lost_more)
		add_text(texts, device_key(key, d, "samples_lost_more"),
			 "their number is not known");
	add_number(texts, device_key(key, d, "without_data"), rows_without_data(r));
	if (d->in->lanes->untimed)
		add_number(texts, device_key(key, d, "samples_without_time"),
			   d->in->lanes->untimed);
	if (d->in->lanes->overlap && d->in->lanes->beyond)
		add_number(texts, device_key(key, d, "samples_without_place"),
			   d->in->lanes->beyond);
}

static void write_attributes(struct trace *p)
{
	Pf__Packet packet = PF__PACKET__INIT;
	Pf__TraceAttributes message = PF__TRACE_ATTRIBUTES__INIT;
	struct texts *texts = calloc(1, sizeof(*texts));
	if (!texts) {
		p->stream.failed = true;
		return;
	}
	texts->p = p;
	add_text(texts, "sextant.version", SX_VERSION);
	add_text(texts, "sextant.file", p->head.report->file);
	add_number(texts, "sextant.anchor_sequence", SEQUENCE_ANCHORS);
	if (p->head.created_ns)
		add_number(texts, "sextant.created_ns", p->head.created_ns);
	add_number(texts, "sextant.duration_ns", p->head.report->duration_ns);
	const struct verdict *verdict = p->head.report->verdict;
	add_text(texts, "sextant.verdict", verdict ? verdict->parts[0].title : NULL);
	add_text(texts, "sextant.verdict.program", verdict ? verdict->program : NULL);
	for (uint32_t i = 0; i < p->head.device_count; i++)
		add_device_texts(texts, &p->devices[i]);
	for (uint32_t i = 0; i < p->head.text_count; i++)
		add_text(texts, p->head.texts[i].key, p->head.texts[i].value);
	message.n_attribute = texts->count;
	message.attribute = texts->list;
	packet.trace_attributes = &message;
	if (!p->stream.failed)
		packet_write(&p->stream, SEQUENCE_MAIN, NULL, &packet);
	free(texts);
}

/* The longest window of the first finding, or else the whole run; false without a time. */
static bool worst_window(const struct trace_state *d, uint64_t *begin, uint64_t *end)
{
	const struct report_device *r = d->in->report;
	uint64_t longest = 0;
	for (size_t i = 0; i < r->finding_count && r->findings[i].fired && !longest; i++)
		for (size_t w = 0; w < r->findings[i].window_count; w++) {
			const struct sx_window *window = &r->findings[i].windows[w];
			if (window->end_ns == SX_TIME_UNKNOWN ||
			    window->begin_ns == SX_TIME_UNKNOWN ||
			    window->end_ns <= window->begin_ns + longest)
				continue;
			longest = window->end_ns - window->begin_ns;
			*begin = window->begin_ns;
			*end = window->end_ns;
		}
	if (!longest) {
		*begin = r->begin_ns;
		*end = r->end_ns;
	}
	return *begin != SX_TIME_UNKNOWN && *end != SX_TIME_UNKNOWN;
}

/* From a device's clock to the trace's. */
static int64_t trace_time(const struct trace *p, const struct trace_state *d, uint64_t ns)
{
	uint64_t offset = 0;
	if (d->clock == CLOCK_OF_MONOTONIC && trace_clock(p) == CLOCK_OF_BOOTTIME)
		offset = p->first.boottime_ns - p->first.monotonic_ns;
	return (int64_t)(ns + offset);
}

static void write_view(struct trace *p)
{
	Pf__Packet packet = PF__PACKET__INIT;
	Pf__UiState state = PF__UI_STATE__INIT;
	uint64_t begin = 0, end = 0;
	uint32_t i = 0;
	while (i < p->head.device_count && !worst_window(&p->devices[i], &begin, &end))
		i++;
	if (i == p->head.device_count)
		return;
	uint64_t margin = (end - begin) / 10;
	state.has_timeline_start_ts = state.has_timeline_end_ts = true;
	state.timeline_start_ts =
	    trace_time(p, &p->devices[i], begin > margin ? begin - margin : 0);
	state.timeline_end_ts = trace_time(p, &p->devices[i], end + margin);
	packet.ui_state = &state;
	packet_write(&p->stream, SEQUENCE_MAIN, NULL, &packet);
}

static void add_fact(struct trace *p, Pf__Gpu *gpu, const char *key, const char *value)
{
	Pf__KeyValue *item = gpu->extra_info[gpu->n_extra_info++];
	const char *text = value ? packet_text(&p->stream, value) : "";
	pf__key_value__init(item);
	item->key = arena_strndup(&p->arena, key, strlen(key));
	item->value = arena_strndup(&p->arena, text, strlen(text));
	p->stream.text_used = 0;
	p->stream.failed |= !item->key || !item->value;
	gpu->n_extra_info -= !*text;
}

static bool make_facts(struct trace *p, size_t most, Pf__Gpu *gpu)
{
	gpu->extra_info = arena_alloc(&p->arena, most * sizeof(*gpu->extra_info));
	Pf__KeyValue *items = arena_alloc(&p->arena, most * sizeof(*items));
	for (size_t i = 0; gpu->extra_info && items && i < most; i++)
		gpu->extra_info[i] = &items[i];
	return gpu->extra_info && items;
}

/* Facts about a GPU beside its name, for readers and for sextant import. */
static void add_facts(struct trace *p, const struct trace_state *d, Pf__Gpu *gpu)
{
	const struct report_device *r = d->in->report;
	char key[256], number[32];
	if (!make_facts(p,
			(size_t)r->facts.constant_count + 2 * (size_t)d->counter_count + 7 +
			    SX_LABEL_COUNT,
			gpu)) {
		p->stream.failed = true;
		return;
	}
	snprintf(number, sizeof(number), "%u", (unsigned)d->in->number);
	add_fact(p, gpu, "sextant.number", number);
	add_fact(p, gpu, "sextant.name", r->facts.name);
	add_fact(p, gpu, "sextant.source", r->facts.source);
	add_fact(p, gpu, "sextant.driver", r->facts.driver);
	add_fact(p, gpu, "sextant.set", r->facts.set);
	add_fact(p, gpu, "sextant.kind", sx_sample_kind_name(r->kind));
	add_fact(p, gpu, "sextant.simulated", r->facts.simulated ? "true" : "false");
	for (int l = 0; l < SX_LABEL_COUNT; l++) {
		snprintf(key, sizeof(key), "sextant.label.%s", label_name((enum sx_label)l));
		add_fact(p, gpu, key, d->in->labels[l]);
	}
	for (uint32_t i = 0; i < r->facts.constant_count; i++) {
		snprintf(key, sizeof(key), "sextant.constant.%.90s", r->facts.constants[i].name);
		json_format_f64(number, r->facts.constants[i].value);
		add_fact(p, gpu, key, number);
	}
	for (uint32_t i = 0; i < d->counter_count; i++) {
		snprintf(key, sizeof(key), "sextant.skipped.%s", d->counters[i].name);
		if (d->counters[i].skipped)
			add_fact(p, gpu, key, "true");
		snprintf(key, sizeof(key), "sextant.level.%s", d->counters[i].name);
		if (d->counters[i].level)
			add_fact(p, gpu, key, "true");
	}
}

static void name_gpu(struct trace *p, const struct trace_state *d, uint32_t lane, Pf__Gpu *gpu)
{
	const struct sx_catalog_info *info = sx_catalog_info(d->in->report->catalog);
	const char *of = d->lane_count > 1 ? d->in->lanes->items[lane].text : "";
	char *made = packet_format(&p->stream, "%s%s%s", d->name, *of ? ": " : "", of);
	pf__gpu__init(gpu);
	gpu->name = arena_strndup(&p->arena, made, strlen(made));
	p->stream.text_used = 0;
	p->stream.failed |= !gpu->name;
	gpu->vendor = (char *)(uintptr_t)info->vendor;
	gpu->model = (char *)(uintptr_t)info->name;
	add_facts(p, d, gpu);
}

/* Every lane of every device; the place in the list is its number. */
static void write_gpus(struct trace *p, uint32_t count)
{
	Pf__Packet packet = PF__PACKET__INIT;
	Pf__GpuInfo message = PF__GPU_INFO__INIT;
	Pf__Gpu *gpus = arena_alloc(&p->arena, (count + 1) * sizeof(*gpus));
	message.gpus = arena_alloc(&p->arena, (count + 1) * sizeof(*message.gpus));
	for (uint32_t i = 0; gpus && message.gpus && i < p->head.device_count; i++)
		for (uint32_t l = 0; l < p->devices[i].lane_count; l++) {
			name_gpu(p, &p->devices[i], l, &gpus[message.n_gpus]);
			message.gpus[message.n_gpus] = &gpus[message.n_gpus];
			message.n_gpus++;
		}
	p->stream.failed |= !gpus || !message.gpus;
	packet.gpu_info = &message;
	if (!p->stream.failed)
		packet_write(&p->stream, SEQUENCE_MAIN, NULL, &packet);
}

/* Queues and stages are by the kind of work; rows name themselves. */
static void write_stages(struct trace *p)
{
	static const struct {
		enum sx_sample_kind kind;
		const char *name;
		int32_t category;
	} all[] = {{SX_SAMPLE_PASS, "Passes", CATEGORY_GRAPHICS},
		   {SX_SAMPLE_DRAW, "Draws", CATEGORY_GRAPHICS},
		   {SX_SAMPLE_KERNEL, "Kernels", CATEGORY_COMPUTE},
		   {SX_SAMPLE_COMMANDS, "Command buffers", CATEGORY_GRAPHICS},
		   {SX_SAMPLE_SUBMIT, "Submissions", CATEGORY_GRAPHICS},
		   {SX_SAMPLE_QUEUE, "Queues", CATEGORY_GRAPHICS}};
	Pf__Packet packet = PF__PACKET__INIT;
	Pf__InternedData data = PF__INTERNED_DATA__INIT;
	Pf__StageSpecification items[6], *list[6];
	for (size_t i = 0; i < 6; i++) {
		pf__stage_specification__init(&items[i]);
		items[i].has_iid = items[i].has_category = true;
		items[i].iid = (uint64_t)all[i].kind + 1;
		items[i].name = (char *)(uintptr_t)all[i].name;
		items[i].category = all[i].category;
		list[i] = &items[i];
	}
	data.n_gpu_specifications = 6;
	data.gpu_specifications = list;
	packet.interned_data = &data;
	packet_write(&p->stream, SEQUENCE_MAIN, NULL, &packet);
}

static bool prepare(struct trace *p, struct trace_state *d, uint32_t *gpus, uint32_t *id)
{
	const struct report_device *r = d->in->report;
	const char *name =
	    r->facts.name && *r->facts.name ? r->facts.name : sx_catalog_info(r->catalog)->title;
	bool says = !r->facts.simulated || strstr(name, "simulated");
	char *made = packet_format(&p->stream, "%s%s", name, says ? "" : " (simulated)");
	d->name = arena_strndup(&p->arena, made, strlen(made));
	p->stream.text_used = 0;
	d->clock = clock_number(d->in->clock);
	d->lane_count = lanes_count(d->in->lanes);
	d->lanes = arena_alloc(&p->arena, d->lane_count * sizeof(*d->lanes));
	if (!d->name || !d->lanes || !trace_columns(p, d))
		return false;
	for (uint32_t l = 0; l < d->lane_count; l++) {
		d->lanes[l].gpu = (*gpus)++;
		d->lanes[l].first_id = *id;
		*id += d->counter_count;
	}
	return true;
}

static bool prepare_all(struct trace *p)
{
	uint32_t gpus = 0, id = 1, most = 0;
	for (uint32_t i = 0; i < p->head.device_count; i++) {
		struct trace_state *d = &p->devices[i];
		d->in = &p->head.devices[i];
		if (!prepare(p, d, &gpus, &id))
			return false;
		most = d->counter_count > most ? d->counter_count : most;
	}
	p->values = arena_alloc(&p->arena, ((size_t)most + 1) * sizeof(*p->values));
	p->value_list = arena_alloc(&p->arena, ((size_t)most + 1) * sizeof(*p->value_list));
	if (!p->values || !p->value_list)
		return false;
	trace_clocks(p, &p->first);
	write_gpus(p, gpus);
	write_stages(p);
	write_attributes(p);
	write_view(p);
	p->root = trace_track(p, &(struct trace_track){.name = "Sextant", .rank = 0});
	return !p->stream.failed;
}

enum sx_status trace_begin(FILE *out, const struct trace_head *head, struct trace **to,
			   struct sx_error *err)
{
	struct trace *p = calloc(1, sizeof(*p));
	*to = p;
	if (!p)
		return error_nomem(err, "writing a trace");
	p->stream.out = out;
	p->head = *head;
	p->first = head->clocks;
	/* Tracks of two traces that are merged must not share a number. */
	const char *file = head->report->file ? head->report->file : "";
	p->next_track = (XXH64(file, strlen(file), head->created_ns) >> 2) + 1;
	p->devices = arena_alloc(&p->arena, (head->device_count + 1) * sizeof(*p->devices));
	bool ok = p->devices && prepare_all(p);
	if (ok && head->device_count)
		trace_verdict(p, head->report->verdict);
	for (uint32_t i = 0; ok && i < head->device_count; i++) {
		ok = trace_describe(p, &p->devices[i]);
		if (ok) {
			trace_findings(p, &p->devices[i]);
			trace_absent(p, &p->devices[i]);
		}
	}
	return ok && !p->stream.failed ? SX_OK : error_nomem(err, "writing a trace");
}

void trace_destroy(struct trace *p)
{
	if (!p)
		return;
	packet_finish(&p->stream);
	arena_finish(&p->arena);
	free(p);
}
