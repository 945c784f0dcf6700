/* Sessions: create, run, stop. */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

#define READ_MS		20
#define DRAIN_NS	UINT64_C(500000000) /* for what a child left behind when it ended */
#define SINK_EVERY_NS	UINT64_C(100000000)
#define RECORD_EVERY_NS UINT64_C(20000000)

enum sx_status sx_session_create(struct sx_context *context,
				 const struct sx_session_options *options, struct sx_session **out,
				 struct sx_error *err)
{
	struct sx_session *s = calloc(1, sizeof(*s));
	if (!s)
		return error_nomem(err, "creating a session");
	s->context = context;
	s->sys = sys_real();
	child_init(s);
	s->host = (struct source_host){s->sys, context, false};
	if (options)
		s->options = *options;
	enum sx_status status = session_open_devices(s, err);
	if (status) {
		sx_session_destroy(s);
		return status;
	}
	*out = s;
	return SX_OK;
}

static void remember(struct session_device *d, const struct sx_error *why)
{
	if (!d->note.message[0])
		d->note = *why;
}

static void stop_devices(struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++) {
		struct session_device *d = &s->devices[i];
		struct sx_error why = {0};
		if (d->started && d->ops->stop(d->source, &why))
			remember(d, &why);
		d->started = false;
	}
}

void sx_session_destroy(struct sx_session *s)
{
	if (!s)
		return;
	stop_devices(s);
	for (uint32_t i = 0; i < s->device_count; i++) {
		struct session_device *d = &s->devices[i];
		if (d->decoder)
			d->decoder->ops->destroy(d->decoder);
		d->ops->close(d->source);
		sx_metrics_destroy(d->metrics);
		sx_table_destroy(d->raw);
		sx_table_destroy(d->mixed);
		sx_catalog_unref(s->infos[i].catalog);
	}
	free(s->devices);
	free(s->infos);
	arena_finish(&s->arena);
	free(s);
}

void sx_session_stop(struct sx_session *s, int signal_number)
{
	s->stop_signal = signal_number;
	s->stop = 1;
}

static void offer(struct sx_session *s, uint32_t index, bool now)
{
	struct session_device *d = &s->devices[index];
	if ((!s->sink && !s->writer) || sx_table_row_count(d->raw) == 0)
		return;
	uint64_t time = sys_now_ns(s->sys);
	if (!now && time - d->sink_last_ns < (s->writer ? RECORD_EVERY_NS : SINK_EVERY_NS))
		return;
	d->sink_last_ns = time;
	if (s->writer)
		record_rows(s, index);
	if (s->writer || s->sink(s->sink_user, index, d->raw))
		sx_table_clear(d->raw);
}

/* Takes what one source has. False when nothing came within the timeout. */
static bool take(struct sx_session *s, uint32_t index, int timeout_ms)
{
	struct session_device *d = &s->devices[index];
	struct raw_sample raw;
	struct sx_error why = {0};
	enum sx_status status = d->ops->read(d->source, timeout_ms, &raw, &why);
	if (status == SX_AGAIN)
		return false;
	if (status) {
		if (status != SX_END)
			remember(d, &why);
		d->ended = true;
		return false;
	}
	if (s->writer)
		record_sample(s, index, &raw);
	if (raw.kind == RAW_NOTE) {
		error_set(&why, SX_INCOMPLETE, "%.*s", (int)raw.size, (const char *)raw.data);
		remember(d, &why);
		return true;
	}
	s->infos[index].lost += raw.lost;
	size_t before = sx_table_row_count(d->raw);
	status = d->decoder->ops->feed(d->decoder, &raw, d->mixed ? d->mixed : d->raw, &why);
	if (d->mixed && (!status || status == SX_INCOMPLETE)) {
		enum sx_status sifted = contexts_sift(s, d, &why);
		status = sifted ? sifted : status;
	}
	d->rows += sx_table_row_count(d->raw) - before;
	if (status)
		remember(d, &why);
	if (status && status != SX_INCOMPLETE)
		d->ended = true;
	offer(s, index, false);
	return true;
}

/* Rows that came before a lull wait no longer than others. */
static void offer_all(struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++)
		offer(s, i, false);
	if (s->writer)
		record_clocks(s, false);
}

/* One turn over all sources; the first that is alive waits, the others are only asked. */
static bool take_all(struct sx_session *s, int timeout_ms)
{
	bool any = false;
	for (uint32_t i = 0; i < s->device_count; i++)
		while (!s->devices[i].ended && take(s, i, any ? 0 : timeout_ms)) {
			any = true;
			timeout_ms = 0;
			if (s->stop)
				break;
		}
	return any;
}

static bool all_ended(const struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++)
		if (!s->devices[i].ended)
			return false;
	return true;
}

static bool limit_reached(const struct sx_session *s, const struct sx_session_limits *limits)
{
	if (limits->samples && s->devices[0].rows >= limits->samples)
		return true;
	return limits->duration_ns && sys_now_ns(s->sys) - s->begin_ns >= limits->duration_ns;
}

static void rest(int ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

static void pass_on_signal(struct sx_session *s)
{
	if (s->stop_signal)
		child_signal(s, (int)s->stop_signal);
	s->stop_signal = 0;
}

static void sample(struct sx_session *s, bool child, const struct sx_session_limits *limits)
{
	uint64_t asked = 0;
	while (!(child && child_ended(s)) && !limit_reached(s, limits)) {
		if (s->stop) {
			pass_on_signal(s);
			if (!child)
				break;
			/* A program that ignores the signal is left alone after a while. */
			asked = asked ? asked : sys_now_ns(s->sys);
			if (sys_now_ns(s->sys) - asked > 20 * DRAIN_NS)
				break;
		}
		offer_all(s);
		if (all_ended(s)) {
			if (!child)
				break;
			rest(READ_MS);
		} else {
			take_all(s, READ_MS);
		}
	}
}

static void drain(struct sx_session *s)
{
	uint64_t until = sys_now_ns(s->sys) + DRAIN_NS;
	while (!all_ended(s) && take_all(s, 0) && sys_now_ns(s->sys) < until)
		;
}

/* A limit ends the run of a child that would go on; it gets SIGTERM, as from timeout(1). */
static void end_child(struct sx_session *s)
{
	child_signal(s, SIGTERM);
	for (int i = 0; i < 100 && !child_ended(s); i++)
		take_all(s, READ_MS);
	child_signal(s, SIGKILL);
	while (!child_ended(s))
		rest(1);
}

/* A device without a sample says why; that is not a failure of the others. */
static void explain_silence(struct sx_session *s, uint32_t index)
{
	struct session_device *d = &s->devices[index];
	struct sx_error *why = &d->silence;
	if (d->rows)
		return;
	s->infos[index].silence = why;
	if (d->others) {
		error_set(why, SX_INCOMPLETE, "nothing ran in context %u", s->options.context);
		error_because(why, "all of %llu samples are of other contexts, or idle",
			      (unsigned long long)d->others);
		error_try(why, "without --context, to see what runs");
		return;
	}
	error_set(why, SX_INCOMPLETE, "%s delivered no samples", d->ops->name);
	error_because(why, "it ended before the first interval was over");
	error_try(why, "a longer run, or a shorter --interval");
	if (d->ops->explain)
		d->ops->explain(d->source, why);
}

static enum sx_status finish(struct sx_session *s, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	stop_devices(s);
	drain(s);
	for (uint32_t i = 0; i < s->device_count; i++) {
		struct session_device *d = &s->devices[i];
		const struct source_desc *desc = d->ops->describe(d->source);
		s->infos[i].raw = d->raw;
		s->infos[i].name = desc->name;
		s->infos[i].driver = desc->driver;
		s->infos[i].simulated = desc->simulated;
		s->infos[i].note = d->note.message[0] ? d->note.message : NULL;
		explain_silence(s, i);
		offer(s, i, true);
		if (d->note.message[0] && !status) {
			status = SX_INCOMPLETE;
			if (err)
				*err = d->note;
		}
	}
	if (s->writer)
		record_end(s);
	return status;
}

enum sx_status sx_session_run(struct sx_session *s, char *const *argv,
			      const struct sx_session_limits *limits, struct sx_error *err)
{
	static const struct sx_session_limits none;
	enum sx_status status = argv ? child_fork(s, argv, err) : SX_OK;
	if (!status)
		status = session_start_devices(s, err);
	s->begin_ns = s->end_ns = sys_now_ns(s->sys);
	if (!status && s->writer)
		record_begin(s);
	if (!status && argv)
		status = child_exec(s, argv, err);
	if (status) {
		child_abandon(s);
		stop_devices(s);
		return status;
	}
	sample(s, argv != NULL, limits ? limits : &none);
	s->end_ns = sys_now_ns(s->sys);
	if (argv)
		end_child(s);
	return finish(s, err);
}

const struct sx_session_device *sx_session_devices(const struct sx_session *s, uint32_t *count)
{
	*count = s->device_count;
	return s->infos;
}

/* From the first begin to the last end of all rows. */
static uint64_t rows_duration_ns(const struct sx_session *s)
{
	uint64_t first = UINT64_MAX, last = 0;
	for (uint32_t i = 0; i < s->device_count; i++) {
		const struct sx_table *raw = s->devices[i].raw;
		for (size_t r = 0; raw && r < sx_table_row_count(raw); r++) {
			uint64_t begin = sx_table_begin_ns(raw)[r], end = sx_table_end_ns(raw)[r];
			first = begin < first ? begin : first;
			last = end != SX_TIME_UNKNOWN && end > last ? end : last;
		}
	}
	return last > first ? last - first : 0;
}

uint64_t sx_session_duration_ns(const struct sx_session *s)
{
	if (s->options.input)
		return rows_duration_ns(s);
	return s->end_ns - s->begin_ns;
}

struct sx_child_status sx_session_child(const struct sx_session *s)
{
	return s->child.status;
}

void sx_session_set_sink(struct sx_session *s, sx_session_sink_fn sink, void *user)
{
	s->sink = sink;
	s->sink_user = user;
}

void sx_session_record(struct sx_session *s, struct sx_capture_writer *writer)
{
	s->writer = writer;
}
