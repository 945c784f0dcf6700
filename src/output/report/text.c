/* A report as text: the summary first, then the numbers with their course over time. */
#include "output/report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text_buf.h"
#include "analysis/cost.h"

const char *report_text_title(const struct report_device *d)
{
	return d->facts.name && *d->facts.name ? d->facts.name : sx_catalog_info(d->catalog)->title;
}

#define TOGETHER 1.005 /* frames that overlap more are of several programs or contexts */

/* The time that frames took, over which their rate is; 0 where no rate is shown. */
static uint64_t frames_ns(const struct report_frames *f)
{
	bool shown = f->count > 1 && f->fps > 0 && isfinite(f->fps);
	return shown ? (uint64_t)((double)f->count * 1e9 / f->fps + 0.5) : 0;
}

/* Slices are no frames, and a frame of which no length is known is in no rate. */
static bool rate_is_of_some(const struct report_device *d)
{
	return d->slices || d->frames.count < d->samples;
}

/*
 * "(59.8/s; slowest 1 %: 31.2/s; 3 stutters)", "(120/s together, each 60.0/s; ...)"; among other
 * samples "(284/s in 17.6 ms of frames; ...)".
 */
static void frames_text(const struct view *view, const struct report_device *d, char *buf,
			size_t size)
{
	const struct report_frames *f = &d->frames;
	char rate[HUMAN_MAX];
	human_cell(&view->human, rate, f->fps, "count");
	text_append(buf, size, " (%s/s", rate);
	if (rate_is_of_some(d)) {
		human_duration(rate, frames_ns(f));
		text_append(buf, size, " in %s of frames", rate);
	}
	if (f->fps > f->each * TOGETHER) {
		human_cell(&view->human, rate, f->each, "count");
		text_append(buf, size, " together, each %s/s", rate);
	}
	if (!isnan(f->low_1)) {
		human_cell(&view->human, rate, f->low_1, "count");
		text_append(buf, size, "; slowest 1 %%: %s/s", rate);
	}
	if (!isnan(f->low_01)) {
		human_cell(&view->human, rate, f->low_01, "count");
		text_append(buf, size, ", 0.1 %%: %s/s", rate);
	}
	if (f->stutters)
		text_append(buf, size, "; %s", COUNTED(f->stutters, "stutter"));
	text_append(buf, size, ")");
}

#define SAMPLES_MAX 80

/* So many samples, of which some are slices of time, whatever the others are. */
struct samples_shown {
	enum sx_sample_kind kind;
	uint64_t count, slices;
};

/*
 * "1 frame", "20 frames", "20 frames and 3 samples without": work that no swap ended is no frame.
 * Of passes and groups what lies between them is a sample too, and of kernels a copy is.
 */
static const char *samples_said(const struct samples_shown *s, char buf[SAMPLES_MAX])
{
	bool frames = s->kind == SX_SAMPLE_FRAME;
	bool none = s->kind == SX_SAMPLE_TIME || (frames && s->slices == s->count);
	const char *name = none ? "sample" : sx_sample_kind_name(s->kind);
	uint64_t count = frames && !none ? s->count - s->slices : s->count;
	if (s->kind == SX_SAMPLE_PASS || s->kind == SX_SAMPLE_GROUP)
		snprintf(buf, SAMPLES_MAX, "%s by %s", COUNTED(count, "sample"), name);
	else if (frames && !none && s->slices)
		snprintf(buf, SAMPLES_MAX, "%s and %s without", COUNTED(count, "frame"),
			 COUNTED(s->slices, "sample"));
	else
		snprintf(buf, SAMPLES_MAX, "%s",
			 COUNTED(count, s->kind == SX_SAMPLE_KERNEL ? "command" : name));
	return buf;
}

/* ", exit status 3", ", ended by signal 11 (Segmentation fault)", ", ended by --duration". */
static void ending_text(const struct report *r, char *buf, size_t size)
{
	const char *limit = r->ended_by ? r->ended_by : "";
	if (r->term_signal)
		text_append(buf, size, ", ended by %s%s%ssignal %d (%s)", *limit ? "--" : "", limit,
			    *limit ? " with " : "", r->term_signal, strsignal(r->term_signal));
	else if (r->ended_by)
		text_append(buf, size, ", ended by --%s with exit status %d", limit, r->exit_code);
	else
		text_append(buf, size, ", exit status %d", r->exit_code);
}

static void samples_text(const struct view *view, const struct report *r,
			 const struct report_device *d)
{
	char said[SAMPLES_MAX];
	uint64_t duration = r->file || !r->duration_ns ? d->duration_ns : r->duration_ns;
	char line[512], part[HUMAN_MAX], whole[HUMAN_MAX];
	const struct samples_shown shown = {d->kind, d->samples, d->slices};
	snprintf(line, sizeof(line), "%s", samples_said(&shown, said));
	if (duration) {
		uint64_t took = rate_is_of_some(d) ? 0 : frames_ns(&d->frames);
		human_duration(part, took ? took : duration);
		text_append(line, sizeof(line), " in %s", part);
		human_duration(whole, duration);
		if (took && strcmp(part, whole) != 0)
			text_append(line, sizeof(line), " of %s", whole);
	}
	if (d->frames.count > 1)
		frames_text(view, d, line, sizeof(line));
	if (d->run.lost || d->run.lost_more)
		text_append(line, sizeof(line), ", %s%" PRIu64 " lost",
			    d->run.lost_more ? "more than " : "", d->run.lost);
	if (r->ran)
		ending_text(r, line, sizeof(line));
	else if (r->running_pid)
		text_append(line, sizeof(line), ", the program still runs (process %" PRIu32 ")",
			    r->running_pid);
	text_wrap(&view->out, 0, line);
}

static void silence_text(const struct view *view, const struct report_device *d)
{
	char line[1100];
	snprintf(line, sizeof(line), "%s%s%s", d->run.silence->message,
		 d->run.silence->because[0] ? ": " : "", d->run.silence->because);
	text_wrap(&view->out, 2, line);
}

/* A device that went: when, and that all that follows is missing. */
static void failure_text(const struct view *view, const struct report_device *d)
{
	char line[1200], after[HUMAN_MAX];
	human_duration(after, d->run.failed_after_ns);
	snprintf(line, sizeof(line), "incomplete: after %s, %s%s%s", after, d->run.failure->message,
		 d->run.failure->because[0] ? ": " : "", d->run.failure->because);
	text_wrap(&view->out, 2, line);
}

#define COST_SHOWN 0.0005 /* of the CPU time */
#define COST_FEW   30	  /* samples: what is one in ten of all is in them by chance */

#define UNSURE_SHOWN 0.005 /* of a total */

/* Of the scaled totals the one with the largest relative error. */
static void unsure_text(const struct report_device *d, char *buf, size_t size)
{
	const struct report_row *worst = NULL;
	double most = UNSURE_SHOWN;
	for (uint32_t i = 0; i < d->row_count; i++) {
		const struct sx_stats *s = &d->rows[i].stats;
		double share = s->total_error / fabs(s->total);
		if (d->rows[i].duplicate || !isfinite(share) || share < most)
			continue;
		most = share;
		worst = &d->rows[i];
	}
	if (worst)
		text_append(buf, size, ", the largest error is %.*f %% (%.*s)", most < 0.1 ? 1 : 0,
			    most * 100, (int)text_fit(worst->name, 80), worst->name);
}

static void cost_text(const struct view *view, const struct report_device *d)
{
	const struct cost *c = &d->cost;
	char share[HUMAN_MAX], times[HUMAN_MAX], line[512];
	if (c->measured == c->all)
		return;
	human_value(&view->human, share, c->share * 100, "percent");
	human_value(&view->human, times, c->slowdown, "ratio");
	snprintf(line, sizeof(line),
		 "%" PRIu64 " of %" PRIu64 " samples were counted, totals are scaled%s%s",
		 c->measured, c->all,
		 c->measured < COST_FEW ? " (so few may miss what is rare)" : "",
		 d->scaled_together ? ", those of late contexts together" : "");
	unsure_text(d, line, sizeof(line));
	if (d->guessed)
		text_append(line, sizeof(line),
			    " (%" PRIu64 " of contexts without any as the others)", d->guessed);
	if (c->hidden)
		text_append(line, sizeof(line), "%s",
			    view->brief ? "" : "; what that costs is below the noise");
	else if (c->elsewhere)
		text_append(line, sizeof(line),
			    "; what that costs, maybe much, is not known: CPU time falls on other "
			    "samples than those that cause it");
	else if (isnan(c->share) && c->slowdown > 1) /* of samples that are not all of its time */
		text_append(line, sizeof(line), "; they take %s times the CPU time", times);
	else if (c->share >= COST_SHOWN) /* below it, or unknown: no note */
		text_append(line, sizeof(line),
			    "; they take %s times the CPU time, measuring cost %s of it", times,
			    share);
	text_wrap(&view->out, 0, line);
}

#define PROCESSES_SHOWN 8
#define PROCESSES_BRIEF 3
#define CONTEXTS_SHOWN	4 /* of each */

/* Frames, the time that they took, and that from the first sample to the last. */
struct rate_shown {
	enum sx_sample_kind kind;
	uint64_t samples, frames, frames_ns, duration_ns;
};

/* " in 1.20 s (60.1/s)", " in 17.6 ms of 2.65 s (284/s)": the rate of frames is over their time. */
static void rate_text(const struct view *view, const struct rate_shown *r, char *buf, size_t size)
{
	char time[HUMAN_MAX], whole[HUMAN_MAX], rate[HUMAN_MAX];
	bool frames = r->kind == SX_SAMPLE_FRAME;
	uint64_t count = frames ? r->frames : r->samples;
	uint64_t over_ns = frames && r->frames_ns ? r->frames_ns : r->duration_ns;
	if (!r->duration_ns)
		return;
	human_duration(whole, r->duration_ns);
	if (count)
		human_duration(time, over_ns);
	text_append(buf, size, " in %s", count ? time : whole);
	if (!count)
		return;
	if (strcmp(time, whole) != 0)
		text_append(buf, size, " of %s", whole);
	human_cell(&view->human, rate, (double)count * 1e9 / (double)over_ns, "count");
	text_append(buf, size, " (%s/s)", rate);
}

static void contexts_text(const struct view *view, const struct report_process *p,
			  enum sx_sample_kind kind)
{
	char line[256], said[SAMPLES_MAX];
	if (p->contexts < 2 || view->brief)
		return;
	for (uint32_t i = 0; i < p->each_count && i < CONTEXTS_SHOWN; i++) {
		const struct report_context *c = &p->each[i];
		const struct samples_shown shown = {kind, c->samples, c->slices};
		const struct rate_shown of = {kind, c->samples, c->frames, c->frames_ns,
					      c->duration_ns};
		snprintf(line, sizeof(line), "context %" PRIu64 ": %s", c->number,
			 samples_said(&shown, said));
		rate_text(view, &of, line, sizeof(line));
		text_wrap(&view->out, 4, line);
	}
	if (p->contexts > CONTEXTS_SHOWN) {
		uint32_t more = p->contexts - CONTEXTS_SHOWN;
		snprintf(line, sizeof(line), "%s (report --by context)",
			 COUNTED(more, "more context"));
		text_wrap(&view->out, 4, line);
	}
}

/* One line each where there are several processes, or contexts: their rates differ. */
static void processes_text(const struct view *view, const struct report_device *d)
{
	char line[256], said[SAMPLES_MAX];
	uint32_t most = view->brief ? PROCESSES_BRIEF : PROCESSES_SHOWN;
	if (d->process_count < 2 && !(d->process_count == 1 && d->processes[0].contexts > 1))
		return;
	for (uint32_t i = 0; i < d->process_count && i < most; i++) {
		const struct report_process *p = &d->processes[i];
		const struct samples_shown shown = {d->kind, p->samples, p->slices};
		snprintf(line, sizeof(line), "%.*s (%" PRIu32 "): %s", (int)text_fit(p->name, 80),
			 p->name, p->pid, samples_said(&shown, said));
		const struct rate_shown of = {d->kind, p->samples, p->frames, p->frames_ns,
					      p->duration_ns};
		if (d->process_count > 1) /* else the head says it */
			rate_text(view, &of, line, sizeof(line));
		if (p->contexts > 1)
			text_append(line, sizeof(line), ", %" PRIu32 " contexts", p->contexts);
		text_wrap(&view->out, 2, line);
		contexts_text(view, p, d->kind);
	}
	if (d->process_count > most) {
		snprintf(line, sizeof(line), "%s (report --by process)",
			 COUNTED(d->process_count - most, "more process"));
		text_wrap(&view->out, 2, line);
	}
}

static void joined_text(const struct view *view, const struct report *r,
			const struct report_device *d)
{
	char line[400];
	snprintf(line, sizeof(line),
		 "what it did during the samples of %s: amounts are split in proportion, rates "
		 "are means",
		 d->joined_to == SX_NONE ? "a device that is not shown"
					 : report_text_title(&r->devices[d->joined_to]));
	text_wrap(&view->out, 2, line);
}

/* A brief view has its first line. */
static void note_text(const struct view *view, const char *note)
{
	char line[512];
	size_t room = (size_t)view->out.width - 2, rest = strlen(" ... (-v)");
	bool cut = view->brief && text_width(note) > room && room > rest;
	if (cut)
		snprintf(line, sizeof(line), "%.*s ... (-v)", (int)text_fit(note, room - rest),
			 note);
	text_wrap(&view->out, 2, cut ? line : note);
}

void report_text_head(const struct view *view, const struct report *r,
		      const struct report_device *d)
{
	FILE *out = view->out.out;
	const char *title = report_text_title(d), *driver = d->facts.driver ? d->facts.driver : "";
	size_t width = text_width(title) + 2 + text_width(driver);
	bool together =
	    view->brief && *driver && !d->facts.simulated && width <= (size_t)view->out.width;
	text_styled(&view->out, TEXT_BOLD, title);
	if (d->facts.simulated)
		text_styled(&view->out, TEXT_YELLOW, "  SIMULATED, not a real device");
	fputs(together ? ", " : "\n", out);
	if (*driver)
		text_wrap(&view->out, 0, driver);
	samples_text(view, r, d);
	if (d->joined)
		joined_text(view, r, d);
	processes_text(view, d);
	cost_text(view, d);
	if (d->run.silence)
		silence_text(view, d);
	else if (d->run.notes.count) /* standard error has them all, when they come up */
		note_text(view, d->run.notes.items[0]);
	if (d->run.failure && !d->run.silence)
		failure_text(view, d);
}

static void not_measured(const struct view *view, const struct report_device *d)
{
	char line[1400];
	snprintf(line, sizeof(line), "not measured: %s: %s%s%s", report_text_title(d),
		 d->run.silence->message, d->run.silence->because[0] ? ": " : "",
		 d->run.silence->because);
	fputc('\n', view->out.out);
	text_wrap(&view->out, 0, line);
	line[0] = '\0';
	for (uint32_t i = 0; i < d->row_count; i++)
		text_append_item(line, sizeof(line), ", ", "%s", d->rows[i].name);
	text_append(line, sizeof(line), ": no data");
	if (d->row_count)
		text_wrap(&view->out, 2, line);
}

/* How many rows of a device a brief view has, so that all devices fit a screen. */
static uint32_t rows_of(const struct view *view, const struct report *r,
			const struct report_device *d)
{
	static const struct {
		uint8_t alone, first, other, first_of_many, other_of_many;
	} rows[] = {{12, 8, 4, 4, 2}, {10, 6, 3, 3, 1}, {5, 3, 2, 2, 1}};
	uint32_t before = 0, all = 0, level = view->brief < 3 ? view->brief - 1 : 2;
	for (uint32_t i = 0; i < r->device_count; i++) {
		before += r->devices[i].samples && &r->devices[i] < d;
		all += r->devices[i].samples > 0;
	}
	if (all > 2)
		return before ? rows[level].other_of_many : rows[level].first_of_many;
	return before ? rows[level].other : all == 2 ? rows[level].first : rows[level].alone;
}

static bool device_text(const struct view *view, const struct report *r,
			const struct report_device *d)
{
	report_text_head(view, r, d);
	if (!d->samples)
		return true;
	if (d->advice && view->brief)
		findings_brief(view, d->advice);
	else if (d->advice)
		findings_text(view, d->catalog, d->advice);
	budget_text(view, d);
	if (d->row_count)
		fputc('\n', view->out.out);
	return !d->row_count ||
	       table_write(view, d, view->brief ? rows_of(view, r, d) : UINT32_MAX);
}

/* How many devices a brief view has, where all of them do not fit. */
static uint32_t devices_of(const struct view *view)
{
	static const uint8_t devices[VIEW_BRIEF_MOST + 1] = {[4] = 4, [5] = 3, [6] = 2};
	return devices[view->brief] ? devices[view->brief] : UINT32_MAX;
}

/* The share of a peak that the busiest unit of a device reached. */
static double load_of(const struct report_device *d)
{
	double most = d->samples ? 0 : -1;
	for (uint32_t i = 0; i < d->row_count; i++)
		most = d->rows[i].load > most ? d->rows[i].load : most;
	return most;
}

/* Whether a device is among the busiest, of which a brief view has room for some. */
static bool is_among_busiest(const struct view *view, const struct report *r,
			     const struct report_device *d)
{
	uint32_t busier = 0, most = devices_of(view);
	double own = load_of(d);
	for (uint32_t i = 0; most != UINT32_MAX && i < r->device_count; i++) {
		double other = load_of(&r->devices[i]);
		busier += other > own || (other == own && &r->devices[i] < d);
	}
	return busier < most;
}

static bool write_whole(const struct view *view, const struct report *r)
{
	bool ok = true, any = false, said = false;
	uint32_t more = 0;
	for (uint32_t d = 0; d < r->device_count; d++)
		said |= r->devices[d].samples > 0;
	verdict_text(view, r->verdict);
	for (uint32_t d = 0; ok && d < r->device_count; d++) {
		/* Devices without samples come last. */
		if (said && r->devices[d].run.silence && !r->devices[d].samples)
			continue;
		if (!is_among_busiest(view, r, &r->devices[d])) {
			more++;
			continue;
		}
		if (any)
			fputc('\n', view->out.out);
		any = true;
		ok = device_text(view, r, &r->devices[d]);
	}
	if (more)
		fprintf(view->out.out, "\nand %s, less busy (-v)\n", COUNTED(more, "more device"));
	for (uint32_t d = 0; said && d < r->device_count; d++)
		if (r->devices[d].run.silence && !r->devices[d].samples)
			not_measured(view, &r->devices[d]);
	gates_text(view, r->gates, r->gate_count);
	return ok;
}

#define SCREEN_LINES 40

static bool fits_screen(const char *text, size_t size)
{
	size_t lines = 0;
	for (size_t i = 0; i < size; i++)
		lines += text[i] == '\n';
	return lines <= SCREEN_LINES;
}

/* As much as fits: each time less. */
static bool write_brief(const struct view *view, const struct report *r)
{
	struct view part = *view;
	bool ok = true, fits = false;
	for (part.brief = 1; ok && !fits && part.brief <= VIEW_BRIEF_MOST; part.brief++) {
		char *text = NULL;
		size_t size = 0;
		part.out.out = open_memstream(&text, &size);
		if (!part.out.out)
			return false;
		ok = write_whole(&part, r);
		ok = fclose(part.out.out) == 0 && ok;
		fits = ok && fits_screen(text, size);
		if (ok && (fits || part.brief == VIEW_BRIEF_MOST))
			fwrite(text, 1, size, view->out.out);
		free(text);
	}
	return ok;
}

static enum sx_status report_write_text(const struct view *view, const struct report *r,
					struct sx_error *err)
{
	bool ok = view->brief ? write_brief(view, r) : write_whole(view, r);
	return ok ? SX_OK : error_nomem(err, "writing the report");
}

const struct report_view view_text = {.write = report_write_text};
