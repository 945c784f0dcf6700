/* Rows as values and slices. */
#include <math.h>

#include "output/perfetto/perfetto.h"

/* One row on its way. */
struct row {
	/*
	 * Of a row that was skipped altogether: the counter that marks its place by an event
	 * without a value. SX_NONE: of any other row.
	 */
	uint32_t mark;
	struct trace *p;
	struct trace_state *d;
	struct trace_lane *lane;
	const struct sx_table *raw, *values; /* the latter may be NULL */
	size_t at;
	struct lane_span span;
};

/* A value as in the table; false when there is no data. */
struct row_value {
	bool whole; /* u64, else f64 */
	uint64_t u64;
	double f64;
};

static bool read_value(const struct sx_table *table, uint32_t column, size_t row,
		       struct row_value *out)
{
	struct sx_vector v = sx_table_vector(table, column);
	if (!v.data || (v.quality && (v.quality[row] & SX_QUALITY_NO_DATA_MASK)))
		return false;
	out->whole = v.type == SX_U64;
	if (out->whole)
		out->u64 = ((const uint64_t *)v.data)[row];
	else
		out->f64 = ((const double *)v.data)[row];
	return out->whole || isfinite(out->f64);
}

static Pf__GpuCounter *next_value(struct trace *p, size_t *count, uint32_t id)
{
	Pf__GpuCounter *value = &p->values[*count];
	pf__gpu_counter__init(value);
	value->has_counter_id = true;
	value->counter_id = id;
	p->value_list[(*count)++] = value;
	return value;
}

static void send_values(const struct row *r, uint64_t ns, uint32_t sequence, size_t count)
{
	Pf__Packet packet = PF__PACKET__INIT;
	Pf__GpuCounterEvent event = PF__GPU_COUNTER_EVENT__INIT;
	struct packet_time time = {ns, r->d->clock};
	if (!count)
		return;
	event.n_counters = count;
	event.counters = r->p->value_list;
	event.has_gpu_id = true;
	event.gpu_id = (int32_t)r->lane->gpu;
	packet.gpu_counter_event = &event;
	packet_write(&r->p->stream, sequence, &time, &packet);
}

/*
 * A value is at the end of its row, and reaches back to the point before: where that is not the
 * row's begin, an anchor of 0 makes one there.
 */
static void write_anchors(const struct row *r)
{
	const struct trace_state *d = r->d;
	const struct sx_table *from = d->in->raw_any ? r->raw : r->values;
	size_t count = 0;
	struct row_value got = {.whole = false};
	for (uint32_t c = 0; c < d->counter_count; c++)
		if ((r->lane->counter_end[c] != r->span.begin_ns ||
		     r->span.begin_ns == r->span.end_ns) &&
		    (c == r->mark || read_value(from, d->counters[c].column, r->at, &got))) {
			Pf__GpuCounter *value = next_value(r->p, &count, r->lane->first_id + c);
			value->has_int_value = true;
		}
	send_values(r, r->span.begin_ns, SEQUENCE_ANCHORS, count);
}

static void write_counters(const struct row *r)
{
	const struct trace_state *d = r->d;
	const struct sx_table *from = d->in->raw_any ? r->raw : r->values;
	size_t count = 0;
	struct row_value got = {.whole = false};
	for (uint32_t c = 0; c < d->counter_count; c++) {
		if (c == r->mark) {
			next_value(r->p, &count, r->lane->first_id + c);
			r->lane->counter_end[c] = r->span.end_ns;
			continue;
		}
		if (!read_value(from, d->counters[c].column, r->at, &got))
			continue;
		Pf__GpuCounter *value = next_value(r->p, &count, r->lane->first_id + c);
		value->has_int_value = got.whole && got.u64 <= INT64_MAX;
		value->int_value = value->has_int_value ? (int64_t)got.u64 : 0;
		value->has_double_value = !value->has_int_value;
		value->double_value = got.whole ? (double)got.u64 : got.f64;
		r->lane->counter_end[c] = r->span.end_ns;
	}
	send_values(r, r->span.end_ns, SEQUENCE_MAIN, count);
}

/* Where values end and do not go on, a 0 keeps the last one from reaching into the gap. */
static void close_metric(struct trace *p, const struct trace_state *d,
			 const struct trace_lane *lane, uint32_t m)
{
	struct packet_time time = {lane->metric_end[m], d->clock};
	packet_whole(&p->stream, &time, lane->metric_tracks[m], 0);
}

static void write_metrics(const struct row *r)
{
	const struct trace_state *d = r->d;
	struct packet_time time = {r->span.begin_ns, d->clock};
	struct row_value got = {.whole = false};
	for (uint32_t m = 0; m < d->metric_count; m++) {
		uint64_t *end = &r->lane->metric_end[m];
		if (!read_value(r->values, d->metrics[m].column, r->at, &got))
			continue;
		if (*end != SX_TIME_UNKNOWN && *end != time.ns)
			close_metric(r->p, d, r->lane, m);
		if (got.whole)
			packet_whole(&r->p->stream, &time, r->lane->metric_tracks[m], got.u64);
		else
			packet_real(&r->p->stream, &time, r->lane->metric_tracks[m], got.f64);
		*end = r->span.end_ns;
	}
}

/* See row.mark. */
static uint32_t mark_of(const struct row *r)
{
	const struct sx_table *from = r->d->in->raw_any ? r->raw : r->values;
	uint32_t mark = SX_NONE;
	struct row_value got = {.whole = false};
	for (uint32_t c = 0; c < r->d->counter_count; c++) {
		uint32_t column = r->d->counters[c].column;
		struct sx_vector v = sx_table_vector(from, column);
		if (read_value(from, column, r->at, &got))
			return SX_NONE;
		if (mark == SX_NONE && v.quality && sx_quality_is_skipped(v.quality[r->at]))
			mark = c;
	}
	return mark;
}

static void write_row(struct row *r)
{
	r->span = lanes_place(&r->d->now, r->d->in->lanes, r->raw, r->at);
	if (r->span.lane == LANE_NONE)
		return;
	r->lane = &r->d->lanes[r->span.lane];
	r->mark = mark_of(r);
	trace_work(&(struct trace_work){r->p, r->d, r->lane, r->raw, r->at, r->span});
	write_anchors(r);
	write_counters(r);
	if (r->values)
		write_metrics(r);
	trace_doubts(r->p, r->d, r->values ? r->values : r->raw, r->at, &r->span);
}

enum sx_status trace_rows(struct trace *p, uint32_t device, const struct sx_table *raw,
			  const struct sx_table *values, struct sx_error *err)
{
	struct row r = {.p = p, .d = &p->devices[device], .raw = raw, .values = values};
	for (r.at = 0; r.at < sx_table_row_count(raw) && !ferror(p->stream.out); r.at++)
		write_row(&r);
	return p->stream.failed ? error_nomem(err, "writing a trace") : SX_OK;
}

enum sx_status trace_end(struct trace *p, uint64_t *untimed, struct sx_error *err)
{
	*untimed = 0;
	for (uint32_t i = 0; i < p->head.device_count; i++) {
		struct trace_state *d = &p->devices[i];
		trace_end_doubt(p, d);
		*untimed += d->now.untimed + d->now.beyond;
		for (uint32_t l = 0; l < d->lane_count; l++)
			for (uint32_t m = 0; m < d->metric_count; m++)
				if (d->lanes[l].metric_end[m] != SX_TIME_UNKNOWN)
					close_metric(p, d, &d->lanes[l], m);
	}
	return p->stream.failed ? error_nomem(err, "writing a trace") : SX_OK;
}
