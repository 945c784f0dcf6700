/* The work that rows enclose, and their labels, as slices and as work on queues. */
#include "output/perfetto/perfetto.h"
#include "table/label.h"
#include "table/slices.h"

static const char *label_text(const struct trace_work *r, enum sx_label label)
{
	return sx_table_string(r->raw, sx_table_label(r->raw, label, r->at));
}

/*
 * Labels of a row, beside its name. The GPU's number is for our importer, which reads the trace
 * again.
 */
static void note_labels(const struct trace_work *r, struct packet_notes *notes)
{
	note_u64(notes, "sextant.gpu", r->lane->gpu);
	for (int i = 0; i < SX_LABEL_COUNT; i++) {
		enum sx_label label = (enum sx_label)i;
		uint64_t value = sx_table_label(r->raw, label, r->at);
		if (SX_LABELS_OF_TEXT >> i & 1)
			note_text(&r->p->stream, notes, label_name(label), label_text(r, label));
		else if (value != SX_LABEL_ABSENT)
			note_u64(notes, label_name(label), value);
	}
}

/* The same of an event that has texts alone. */
static size_t stage_labels(const struct trace_work *r, Pf__StageData *items, Pf__StageData **list)
{
	size_t count = 0;
	for (int i = 0; i < SX_LABEL_COUNT; i++) {
		enum sx_label label = (enum sx_label)i;
		uint64_t value = sx_table_label(r->raw, label, r->at);
		if (value == SX_LABEL_ABSENT)
			continue;
		Pf__StageData *item = list[count] = &items[count];
		pf__stage_data__init(item);
		item->name = (char *)(uintptr_t)label_name(label);
		item->value = SX_LABELS_OF_TEXT >> i & 1
				  ? packet_text(&r->p->stream, label_text(r, label))
				  : packet_format(&r->p->stream, "%llu", (unsigned long long)value);
		count++;
	}
	return count;
}

/* Work of the GPU by name, on the tracks that tools have for it. */
static void write_stage(const struct trace_work *r, const char *name)
{
	Pf__Packet packet = PF__PACKET__INIT;
	Pf__GpuRenderStageEvent event = PF__GPU_RENDER_STAGE_EVENT__INIT;
	Pf__StageData items[SX_LABEL_COUNT], *list[SX_LABEL_COUNT];
	struct packet_time time = {r->span.begin_ns, r->d->clock};
	uint64_t context = sx_table_label(r->raw, SX_LABEL_CONTEXT, r->at);
	event.has_event_id = event.has_duration = event.has_gpu_id = true;
	event.event_id = ++r->d->kernels;
	event.duration = r->span.end_ns - r->span.begin_ns;
	event.gpu_id = (int32_t)r->lane->gpu;
	event.has_hw_queue_iid = event.has_stage_iid = true;
	event.hw_queue_iid = event.stage_iid = (uint64_t)sx_table_kind(r->raw) + 1;
	event.has_context = context != SX_LABEL_ABSENT;
	event.context = context;
	event.name = packet_text(&r->p->stream, name);
	event.n_extra_data = stage_labels(r, items, list);
	event.extra_data = list;
	packet.gpu_render_stage_event = &event;
	packet_write(&r->p->stream, SEQUENCE_MAIN, &time, &packet);
}

static void write_slice(const struct trace_work *r, const char *track, const char *name)
{
	struct packet_notes notes = {.count = 0};
	struct packet_time time = {r->span.begin_ns, r->d->clock};
	if (!r->lane->slices)
		r->lane->slices = trace_track(
		    r->p,
		    &(struct trace_track){.parent = r->lane->parent, .name = track, .rank = 2});
	note_labels(r, &notes);
	packet_slice(
	    &r->p->stream, &time, r->span.end_ns,
	    &(struct packet_event){.track = r->lane->slices, .name = name, .notes = &notes});
}

static bool has_labels(const struct trace_work *r)
{
	bool any = false;
	for (int i = 0; i < SX_LABEL_COUNT; i++)
		any |= sx_table_label(r->raw, (enum sx_label)i, r->at) != SX_LABEL_ABSENT;
	return any;
}

/* What a row encloses, where that is more than time. */
void trace_work(const struct trace_work *r)
{
	char name[64];
	enum sx_sample_kind kind = sx_table_kind(r->raw);
	uint64_t frame = sx_table_label(r->raw, SX_LABEL_FRAME, r->at);
	uint64_t context = sx_table_label(r->raw, SX_LABEL_CONTEXT, r->at);
	const char *group = label_text(r, SX_LABEL_GROUP);
	const struct slices slices = slices_of(r->raw);
	switch (kind) {
	case SX_SAMPLE_FRAME:
		if (slices_kind_of(&slices, r->raw, r->at) == KIND_SLICE) {
			write_slice(r, "Work outside of frames", "no swap");
			break;
		}
		snprintf(name, sizeof(name), frame == SX_LABEL_ABSENT ? "frame" : "frame %llu",
			 (unsigned long long)frame);
		write_slice(r, "Frames", name);
		break;
	case SX_SAMPLE_GROUP:
		write_slice(r, "Groups", group ? group : "outside of groups");
		break;
	case SX_SAMPLE_CONTEXT:
		snprintf(name, sizeof(name),
			 context == SX_LABEL_ABSENT ? "no context" : "context %llu",
			 (unsigned long long)context);
		write_slice(r, "Contexts", name);
		break;
	case SX_SAMPLE_PASS:
	case SX_SAMPLE_DRAW:
	case SX_SAMPLE_KERNEL:
	case SX_SAMPLE_COMMANDS:
	case SX_SAMPLE_SUBMIT:
	case SX_SAMPLE_QUEUE:
		write_stage(r, group ? group : sx_sample_kind_name(kind));
		break;
	default:
		if (has_labels(r))
			write_slice(r, "Labels", group ? group : "sample");
		break;
	}
}
