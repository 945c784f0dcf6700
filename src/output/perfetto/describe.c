/* What a trace has before its values: descriptors of counters of each GPU, and tracks. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "analysis/stats.h"
#include "catalog/column.h"
#include "output/perfetto/perfetto.h"

enum {
	UNIT_NONE = 0,
	UNIT_BIT = 1,
	UNIT_BYTE = 7,
	UNIT_MEGABYTE = 9,
	UNIT_GIGABYTE = 10,
	UNIT_HERTZ = 13,
	UNIT_MEGAHERTZ = 15,
	UNIT_NANOSECOND = 19,
	UNIT_MICROSECOND = 20,
	UNIT_MILLISECOND = 21,
	UNIT_SECOND = 22,
	UNIT_VERTEX = 25,
	UNIT_PIXEL = 26,
	UNIT_MILLIWATT = 28,
	UNIT_WATT = 29,
	UNIT_JOULE = 31,
	UNIT_VOLT = 32,
	UNIT_CELSIUS = 34,
	UNIT_PERCENT = 37,
	UNIT_PRIMITIVE = 38,
	UNIT_FRAGMENT = 39,
	UNIT_INSTRUCTION = 40,
};

static const struct {
	const char *unit;
	int32_t number;
	int32_t group; /* VERTICES 2, FRAGMENTS 3, PRIMITIVES 4, MEMORY 5, RAY_TRACING 7 */
} known[] = {
    {"bits", UNIT_BIT, 5},
    {"bytes", UNIT_BYTE, 5},
    {"MB", UNIT_MEGABYTE, 5},
    {"GB", UNIT_GIGABYTE, 5},
    {"Hz", UNIT_HERTZ, 1},
    {"MHz", UNIT_MEGAHERTZ, 1},
    {"ns", UNIT_NANOSECOND, 0},
    {"us", UNIT_MICROSECOND, 0},
    {"ms", UNIT_MILLISECOND, 0},
    {"s", UNIT_SECOND, 0},
    {"vertices", UNIT_VERTEX, 2},
    {"pixels", UNIT_PIXEL, 3},
    {"mW", UNIT_MILLIWATT, 1},
    {"W", UNIT_WATT, 1},
    {"J", UNIT_JOULE, 1},
    {"V", UNIT_VOLT, 1},
    {"degC", UNIT_CELSIUS, 1},
    {"percent", UNIT_PERCENT, 0},
    {"primitives", UNIT_PRIMITIVE, 4},
    {"fragments", UNIT_FRAGMENT, 3},
    {"instructions", UNIT_INSTRUCTION, 0},
    {"count", UNIT_NONE, 0},
    {"beats", UNIT_NONE, 5},
    {"rays", UNIT_NONE, 7},
};

static int find(const char *text, size_t size)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(known[i].unit, text, size) == 0 && !known[i].unit[size])
			return (int)i;
	return -1;
}

/* The numbers of a unit, in which values stay as they are; without either where it has none. */
static struct trace_unit trace_unit(const char *unit)
{
	struct trace_unit out = {0};
	const char *slash = strchr(unit, '/');
	int over = find(unit, slash ? (size_t)(slash - unit) : strlen(unit));
	if (over < 0 || (slash && strcmp(slash, "/s") != 0))
		return out;
	out.has_over = true;
	out.over = known[over].number;
	out.has_under = slash != NULL;
	out.under = slash ? UNIT_SECOND : 0;
	return out;
}

/* The one of Perfetto's fixed groups of counters that the unit speaks for; 0: none. */
static int32_t trace_unit_group(const char *unit)
{
	const char *slash = strchr(unit, '/');
	int over = find(unit, slash ? (size_t)(slash - unit) : strlen(unit));
	return over < 0 ? 0 : known[over].group;
}

#define GROUP_FIRST	    100 /* smaller numbers are Perfetto's own groups */
#define DIRECTION_BACKWARDS 1
#define ORDER_EXPLICIT	    3
#define MERGE_NEVER	    2

static const struct report_row *row_named(const struct report_device *r, const char *name,
					  uint32_t metric, uint32_t counter)
{
	for (uint32_t i = 0; i < r->row_count; i++)
		if (r->rows[i].metric == metric && r->rows[i].counter == counter &&
		    (!name || strcmp(r->rows[i].name, name) == 0))
			return &r->rows[i];
	return NULL;
}

static struct trace_counter *add_counter(struct trace_state *d, const struct sx_column *column,
					 uint32_t at, uint32_t counter)
{
	const struct report_row *row =
	    counter == SX_NONE ? NULL : row_named(d->in->report, NULL, SX_NONE, counter);
	struct trace_counter *added = &d->counters[d->counter_count++];
	*added = (struct trace_counter){.column = at,
					.name = column->name,
					.unit = column->unit,
					.counter = counter,
					.row = row,
					.level = column->over_time == SX_REDUCE_MEAN,
					.group = -1};
	return added;
}

/* Which columns become what: those that have data somewhere. */
bool trace_columns(struct trace *p, struct trace_state *d)
{
	const struct report_device *r = d->in->report;
	uint32_t raws = sx_table_column_count(d->in->raw), count = 0;
	const struct sx_metric_column *columns =
	    d->in->metrics ? sx_metrics_columns(d->in->metrics, &count) : NULL;
	d->counters = arena_alloc(&p->arena, (raws + count + 1) * sizeof(*d->counters));
	d->metrics = arena_alloc(&p->arena, (count + 1) * sizeof(*d->metrics));
	if (!d->counters || !d->metrics)
		return false;
	for (uint32_t c = 0; d->in->raw_any && c < raws; c++) {
		const struct sx_column *column = sx_table_column(d->in->raw, c);
		if (d->in->raw_any[c])
			add_counter(d, column, c, column_identify(r->catalog, column->name).counter)
			    ->skipped = d->in->raw_skipped[c];
	}
	for (uint32_t c = 0; c < count; c++) {
		const struct report_row *row =
		    row_named(r, columns[c].name, columns[c].metric, columns[c].counter);
		const struct sx_column column = {.name = columns[c].name, .unit = columns[c].unit};
		if (!row || !row->stats.count)
			continue;
		if (columns[c].metric != SX_NONE)
			d->metrics[d->metric_count++] = (struct trace_metric){c, row};
		else if (!d->in->raw_any)
			add_counter(d, &column, c, columns[c].counter)->skipped =
			    row->stats.skipped > 0;
	}
	return true;
}

/* A counter is under the heading of the first metric that reads it. */
static void group_counters(struct trace_state *d)
{
	uint32_t inputs, used;
	const struct sx_metric_input *input =
	    d->in->metrics ? sx_metrics_inputs(d->in->metrics, &inputs) : NULL;
	for (uint32_t m = 0; input && m < d->metric_count; m++) {
		const uint32_t *reads =
		    sx_metrics_column_inputs(d->in->metrics, d->metrics[m].column, &used);
		for (uint32_t i = 0; i < used; i++)
			for (uint32_t c = 0; c < d->counter_count; c++)
				if (d->counters[c].group < 0 && d->counters[c].counter != SX_NONE &&
				    d->counters[c].counter == input[reads[i]].counter)
					d->counters[c].group = (int32_t)d->metrics[m].row->heading;
	}
}

static char *plain(const char *text)
{
	return (char *)(uintptr_t)text; /* generated code never writes to it */
}

/* Texts of a message that is packed once, in the arena. */
static char *keep_text(struct trace *p, const char *text)
{
	char *made = packet_text(&p->stream, text);
	char *copy = arena_strndup(&p->arena, made, strlen(made));
	p->stream.text_used = 0;
	p->stream.failed |= !copy;
	return copy ? copy : made;
}

struct spec {
	Pf__CounterSpec message;
	int32_t over, under, group;
};

/* The most that one value can be: of amounts that is what fits into an interval. */
static double peak_of(const struct trace_state *d, const struct trace_counter *c)
{
	if (strcmp(c->unit, "percent") == 0)
		return 100;
	double peak = c->row ? c->row->peak : (double)NAN;
	if (!stats_adds_up(c->unit))
		return peak;
	return d->in->interval_ns ? peak * (double)d->in->interval_ns / 1e9 : (double)NAN;
}

static void describe_counter(struct trace *p, const struct trace_state *d,
			     const struct trace_counter *c, uint32_t id, struct spec *spec)
{
	uint32_t count;
	Pf__CounterSpec *m = &spec->message;
	struct trace_unit unit = trace_unit(c->unit);
	const struct sx_counter_info *info =
	    c->counter == SX_NONE
		? NULL
		: &sx_catalog_counters(d->in->report->catalog, &count)[c->counter];
	const char *about = info && info->description ? info->description : "";
	char text[1024];
	pf__counter_spec__init(m);
	m->has_counter_id = m->has_value_direction = true;
	m->counter_id = id;
	m->name = keep_text(p, c->name);
	snprintf(text, sizeof(text), "%.800s%sUnit: %.60s.", about, *about ? " " : "", c->unit);
	m->description = keep_text(p, text);
	m->value_direction = DIRECTION_BACKWARDS;
	if (unit.has_over) {
		spec->over = unit.over;
		m->n_numerator_units = 1;
		m->numerator_units = &spec->over;
	}
	if (unit.has_under) {
		spec->under = unit.under;
		m->n_denominator_units = 1;
		m->denominator_units = &spec->under;
	}
	spec->group = trace_unit_group(c->unit);
	if (spec->group) {
		m->n_groups = 1;
		m->groups = &spec->group;
	}
	double peak = peak_of(d, c);
	m->has_double_peak_value = isfinite(peak);
	m->double_peak_value = peak;
	m->has_select_by_default = m->select_by_default = info && info->neutral;
}

/* Lists of ids that share something: a block or a group. */
struct list {
	uint32_t *ids;
	size_t count;
};

static struct list ids_of(struct trace *p, const struct trace_state *d, uint32_t first,
			  uint32_t block, int32_t group)
{
	uint32_t count;
	const struct sx_counter_info *all = sx_catalog_counters(d->in->report->catalog, &count);
	struct list list = {arena_alloc(&p->arena, (d->counter_count + 1) * sizeof(*list.ids)), 0};
	p->stream.failed |= !list.ids;
	for (uint32_t c = 0; list.ids && c < d->counter_count; c++) {
		const struct trace_counter *counter = &d->counters[c];
		bool in = group >= 0
			      ? counter->group == group
			      : counter->counter != SX_NONE && all[counter->counter].block == block;
		if (in)
			list.ids[list.count++] = first + c;
	}
	return list;
}

static void add_blocks(struct trace *p, const struct trace_state *d, uint32_t first,
		       Pf__GpuCounterDescriptor *out)
{
	uint32_t count;
	const struct sx_block_info *blocks = sx_catalog_blocks(d->in->report->catalog, &count);
	out->blocks = arena_alloc(&p->arena, (count + 1) * sizeof(*out->blocks));
	Pf__CounterBlock *items = arena_alloc(&p->arena, (count + 1) * sizeof(*items));
	for (uint32_t b = 0; out->blocks && items && b < count; b++) {
		struct list list = ids_of(p, d, first, b, -1);
		if (!list.count)
			continue;
		Pf__CounterBlock *block = &items[b];
		pf__counter_block__init(block);
		block->has_block_id = true;
		block->block_id = b;
		block->has_block_capacity = blocks[b].limit > 0;
		block->block_capacity = blocks[b].limit;
		block->name = plain(blocks[b].title ? blocks[b].title : blocks[b].name);
		block->description = plain(blocks[b].description);
		block->n_counter_ids = list.count;
		block->counter_ids = list.ids;
		out->blocks[out->n_blocks++] = block;
	}
	p->stream.failed |= !items;
}

static void add_groups(struct trace *p, const struct trace_state *d, uint32_t first,
		       Pf__GpuCounterDescriptor *out)
{
	const struct report_device *r = d->in->report;
	size_t count = r->heading_count;
	out->counter_groups = arena_alloc(&p->arena, (count + 1) * sizeof(*out->counter_groups));
	Pf__CounterGroup *items = arena_alloc(&p->arena, (count + 1) * sizeof(*items));
	for (uint32_t h = 0; out->counter_groups && items && h < count; h++) {
		struct list list = ids_of(p, d, first, SX_NONE, (int32_t)h);
		if (!list.count)
			continue;
		Pf__CounterGroup *group = &items[h];
		pf__counter_group__init(group);
		group->has_group_id = true;
		group->group_id = GROUP_FIRST + h;
		group->name = plain(r->headings[h].title);
		group->n_counter_ids = list.count;
		group->counter_ids = list.ids;
		out->counter_groups[out->n_counter_groups++] = group;
	}
	p->stream.failed |= !items;
}

static void send_descriptor(struct trace *p, struct trace_state *d, const struct trace_lane *lane)
{
	Pf__Packet packet = PF__PACKET__INIT;
	Pf__GpuCounterEvent event = PF__GPU_COUNTER_EVENT__INIT;
	Pf__GpuCounterDescriptor descriptor = PF__GPU_COUNTER_DESCRIPTOR__INIT;
	struct spec *specs = arena_alloc(&p->arena, (d->counter_count + 1) * sizeof(*specs));
	descriptor.specs =
	    arena_alloc(&p->arena, (d->counter_count + 1) * sizeof(*descriptor.specs));
	if (!specs || !descriptor.specs) {
		p->stream.failed = true;
		return;
	}
	for (uint32_t c = 0; c < d->counter_count; c++) {
		describe_counter(p, d, &d->counters[c], lane->first_id + c, &specs[c]);
		descriptor.specs[descriptor.n_specs++] = &specs[c].message;
	}
	add_blocks(p, d, lane->first_id, &descriptor);
	add_groups(p, d, lane->first_id, &descriptor);
	event.counter_descriptor = &descriptor;
	event.has_gpu_id = true;
	event.gpu_id = (int32_t)lane->gpu;
	packet.gpu_counter_event = &event;
	if (!p->stream.failed)
		packet_write(&p->stream, SEQUENCE_MAIN, NULL, &packet);
}

uint64_t trace_track(struct trace *p, const struct trace_track *track)
{
	Pf__Packet packet = PF__PACKET__INIT;
	Pf__TrackDescriptor t = PF__TRACK_DESCRIPTOR__INIT;
	Pf__CounterTrack counter = PF__COUNTER_TRACK__INIT;
	t.has_uuid = t.has_child_ordering = t.has_sibling_merge_behavior = true;
	t.uuid = p->next_track++;
	t.child_ordering = ORDER_EXPLICIT;
	t.sibling_merge_behavior = MERGE_NEVER; /* two of one name are two */
	t.has_parent_uuid = track->parent != 0;
	t.parent_uuid = track->parent;
	t.has_sibling_order_rank = true;
	t.sibling_order_rank = track->rank;
	t.name = packet_text(&p->stream, track->name);
	if (track->description)
		t.description = packet_text(&p->stream, track->description);
	if (track->row) {
		counter.unit_name = plain(track->row->unit);
		counter.y_axis_share_key = plain(track->row->unit);
		t.counter = &counter;
	}
	packet.track_descriptor = &t;
	packet_write(&p->stream, SEQUENCE_MAIN, NULL, &packet);
	return t.uuid;
}

static void describe_metric(struct trace *p, const struct trace_state *d,
			    const struct trace_metric *metric, uint64_t *uuid, uint64_t parent)
{
	uint32_t count;
	char text[1024];
	const struct report_row *row = metric->row;
	const struct sx_metric_info *info =
	    &sx_catalog_metrics(d->in->report->catalog, &count)[row->metric];
	snprintf(text, sizeof(text), "%.200s. %.780s", row->title,
		 info->description ? info->description : "");
	const struct trace_track track = {.parent = parent,
					  .name = row->name,
					  .description = text,
					  .rank = (int32_t)(row - d->in->report->rows),
					  .row = row};
	*uuid = trace_track(p, &track);
}

/* Tracks of the metrics below tracks of their headings. */
static bool describe_metrics(struct trace *p, struct trace_state *d, struct trace_lane *lane)
{
	const struct report_device *r = d->in->report;
	uint64_t *sections = arena_alloc(&p->arena, (r->heading_count + 1) * sizeof(*sections));
	lane->metric_tracks = arena_alloc(&p->arena, (d->metric_count + 1) * sizeof(uint64_t));
	if (!sections || !lane->metric_tracks)
		return false;
	for (uint32_t m = 0; m < d->metric_count; m++) {
		uint32_t heading = d->metrics[m].row->heading;
		if (!sections[heading])
			sections[heading] =
			    trace_track(p, &(struct trace_track){.parent = lane->parent,
								 .name = r->headings[heading].title,
								 .rank = (int32_t)heading + 10});
		describe_metric(p, d, &d->metrics[m], &lane->metric_tracks[m], sections[heading]);
	}
	return true;
}

static uint64_t *unknown_times(struct trace *p, uint32_t count)
{
	uint64_t *times = arena_alloc(&p->arena, ((size_t)count + 1) * sizeof(*times));
	for (uint32_t i = 0; times && i < count; i++)
		times[i] = SX_TIME_UNKNOWN;
	return times;
}

bool trace_describe(struct trace *p, struct trace_state *d)
{
	group_counters(d);
	d->track = trace_track(p, &(struct trace_track){.parent = p->root,
							.name = d->name,
							.description = d->in->report->facts.driver,
							.rank = (int32_t)d->in->number});
	for (uint32_t i = 0; i < d->lane_count; i++) {
		struct trace_lane *lane = &d->lanes[i];
		lane->counter_end = unknown_times(p, d->counter_count);
		lane->metric_end = unknown_times(p, d->metric_count);
		if (!lane->counter_end || !lane->metric_end)
			return false;
		lane->parent = d->track;
		if (d->lane_count > 1)
			lane->parent = trace_track(
			    p, &(struct trace_track){.parent = d->track,
						     .name = d->in->lanes->items[i].text,
						     .rank = (int32_t)i + 10});
		if (d->counter_count)
			send_descriptor(p, d, lane);
		if (!describe_metrics(p, d, lane))
			return false;
	}
	return !p->stream.failed;
}
