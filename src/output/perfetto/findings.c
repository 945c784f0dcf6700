/* Verdict and advice as slices over the samples that are their evidence. */
#include "output/perfetto/perfetto.h"

static void note_finding(struct trace *p, const struct sx_finding *f, struct packet_notes *notes)
{
	static const char *const severities[] = {"high", "medium", "low", "info"};
	note_text(&p->stream, notes, "rule", f->rule->rule);
	note_text(&p->stream, notes, "severity", severities[f->rule->severity]);
	note_text(&p->stream, notes, "metric", f->rule->metric);
	note_f64(notes, "value", f->value);
	note_text(&p->stream, notes, "unit", f->unit);
	note_f64(notes, "measured", f->measured);
	note_f64(notes, "limit", f->limit);
	note_u64(notes, "samples", f->samples);
	note_u64(notes, "of samples", f->rows);
	note_text(&p->stream, notes, "advice", f->rule->advice);
}

static void write_windows(struct trace *p, const struct trace_state *d, const struct sx_finding *f,
			  uint64_t track)
{
	for (size_t i = 0; i < f->window_count; i++) {
		const struct sx_window *w = &f->windows[i];
		struct packet_notes notes = {.count = 0};
		struct packet_time time = {w->begin_ns, d->clock};
		if (w->begin_ns == SX_TIME_UNKNOWN || w->end_ns == SX_TIME_UNKNOWN)
			continue;
		note_finding(p, f, &notes);
		packet_slice(&p->stream, &time, w->end_ns,
			     &(struct packet_event){
				 .track = track, .name = f->rule->title, .notes = &notes});
	}
}

/* A track a rule, for windows of two rules overlap. */
void trace_findings(struct trace *p, struct trace_state *d)
{
	const struct report_device *r = d->in->report;
	uint64_t parent = 0;
	for (size_t i = 0; i < r->finding_count; i++) {
		const struct sx_finding *f = &r->findings[i];
		if (!f->fired)
			continue;
		if (!parent)
			parent = trace_track(
			    p,
			    &(struct trace_track){.parent = d->track, .name = "Advice", .rank = 1});
		uint64_t track =
		    trace_track(p, &(struct trace_track){.parent = parent,
							 .name = f->rule->title,
							 .description = f->rule->advice,
							 .rank = (int32_t)i});
		write_windows(p, d, f, track);
	}
}

static void note_part(struct trace *p, const struct verdict *v, const struct verdict_part *part,
		      struct packet_notes *notes)
{
	note_text(&p->stream, notes, "verdict", part->name);
	note_text(&p->stream, notes, "program", v->program);
	note_text(&p->stream, notes, "which", part->which);
	note_f64(notes, "share of the run", part->share);
	note_f64(notes, "confidence", part->confidence);
	note_text(&p->stream, notes, "because", part->because);
	note_text(&p->stream, notes, "advice", part->advice);
	for (uint32_t i = 0; i < part->evidence_count; i++)
		note_f64(notes, part->evidence[i].name, part->evidence[i].value);
}

/* The verdict's axis of time is that of the first device. */
void trace_verdict(struct trace *p, const struct verdict *v)
{
	if (!v || v->stretches[0].begin_ns == SX_TIME_UNKNOWN)
		return;
	uint64_t track =
	    trace_track(p, &(struct trace_track){.parent = p->root, .name = "Verdict", .rank = 0});
	for (uint32_t i = 0; i < v->stretch_count; i++) {
		const struct verdict_stretch *s = &v->stretches[i];
		struct packet_notes notes = {.count = 0};
		struct packet_time time = {s->begin_ns, p->devices[0].clock};
		note_part(p, v, &v->parts[s->part], &notes);
		packet_slice(&p->stream, &time, s->end_ns,
			     &(struct packet_event){
				 .track = track, .name = v->parts[s->part].title, .notes = &notes});
	}
}
