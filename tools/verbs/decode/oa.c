/* Intel OA: `decode --as i915-record`, and `oa:FORMAT` for reports back to back. */
#include <sextant/oa.h>

#include <string.h>

#include "import/raw/raw.h"
#include "tools/verbs/decode/formats.h"
#include "base/number.h"

struct stream {
	struct decode_job *job;
	struct sx_oa_decoder *decoder;
	struct sx_metrics *metrics; /* made when the device is known */
	struct sx_evaluation *evaluation;
	struct rows_writer writer;
	struct sx_table *last; /* the newest rows written, for the end; the evaluation's */
};

/* Which rows: --summary, or --by context and residency. */
static enum sx_oa_rows rows_of(const struct options *o)
{
	if (o->summary)
		return SX_OA_TOTAL;
	if (o->by && strcmp(o->by, "context") == 0)
		return SX_OA_CONTEXTS;
	return o->by && strcmp(o->by, "residency") == 0 ? SX_OA_RESIDENCY : SX_OA_EACH;
}

static enum sx_status make_metrics(struct stream *s, const struct sx_table *rows,
				   struct sx_error *err)
{
	struct decode_job *job = s->job;
	bool known = false;
	enum sx_status status =
	    raw_oa_use_device(&job->in, sx_oa_decoder_device(s->decoder), &known, err);
	if (status)
		return status;
	job->shape.catalog = sx_catalog_info(job->in.catalog)->name;
	struct sx_metrics_options selection = decode_selection(job, rows);
	selection.keep_neutral = false;
	selection.variant = NULL; /* no OA unit counts for one API alone */
	if (!known && !job->cli->options.set)
		selection.set = NULL;
	status = sx_metrics_create(job->in.catalog, &selection, &s->metrics, err);
	if (status == SX_ERR_AMBIGUOUS && !known)
		raw_oa_ambiguous(&job->in, err);
	return status ? status : sx_evaluation_create(s->metrics, rows, &s->evaluation, err);
}

/* Whether people read the result, who want to know what it is of. */
static bool shows_about(const struct decode_job *job)
{
	return job->cli->view.format == FORMAT_TEXT && !job->cli->options.quiet;
}

static enum sx_status begin_rows(struct stream *s, const struct sx_table *rows,
				 struct sx_error *err)
{
	enum sx_status status = make_metrics(s, rows, err);
	if (!status && shows_about(s->job))
		oa_about_device(s->job->cli, sx_oa_decoder_device(s->decoder), s->job->in.set);
	return status;
}

/* Complete rows become metrics and are written. */
static enum sx_status decode_oa_write_rows(void *user, struct sx_error *err)
{
	struct stream *s = user;
	struct sx_table *rows = sx_oa_decoder_rows(s->decoder);
	enum sx_status status = SX_OK;
	if (!rows || !sx_table_row_count(rows))
		return SX_OK;
	if (!s->metrics)
		status = begin_rows(s, rows, err);
	if (!status)
		status = sx_evaluation_run(s->evaluation, rows, &s->last, err);
	if (!status)
		status = rows_add(&s->writer, s->last, err);
	sx_oa_decoder_drain(s->decoder);
	return status;
}

/* Reports there are, but none of the context that was asked for. */
static enum sx_status no_such_context(const struct stream *s, struct sx_error *err)
{
	const struct option_id *id = &s->job->cli->options.context;
	uint64_t reports = sx_oa_decoder_stats(s->decoder)->reports;
	error_set(err, SX_ERR_NOT_FOUND, "nothing ran in context %u (0x%x)", id->value, id->value);
	error_because(err, "no interval between %s begins with this id",
		      COUNTED(reports, "report"));
	error_try(err, "--by context, without --context, shows the ids that are there");
	return SX_ERR_NOT_FOUND;
}

static enum sx_status decode_oa_finish(struct stream *s, size_t left, struct sx_error *err)
{
	struct sx_error why = {0};
	enum sx_status status = sx_oa_decoder_finish(s->decoder, left, err);
	const struct sx_oa_stats *stats = sx_oa_decoder_stats(s->decoder);
	if (status == SX_ERR_BAD_INPUT && s->job->cli->options.context.given &&
	    stats->reports > 1 && !stats->intervals)
		return no_such_context(s, err);
	if (sx_failed(status))
		return status;
	enum sx_status written = decode_oa_write_rows(s, &why);
	if (written) {
		*err = why;
		return written;
	}
	if (s->last)
		rows_end(&s->writer, s->last);
	if (s->last && shows_about(s->job))
		oa_about_reports(s->job->cli, stats, left);
	return status;
}

static void more_json(struct json *json, void *user)
{
	const struct stream *s = user;
	oa_about_json(json, sx_oa_decoder_device(s->decoder), s->job->in.set,
		      sx_oa_decoder_stats(s->decoder));
}

static struct rows_shape shape_of(struct stream *s, enum sx_oa_rows rows)
{
	return (struct rows_shape){.schema = "decode",
				   .times = true,
				   .marks = true,
				   .contexts = true,
				   .reasons = rows == SX_OA_EACH || rows == SX_OA_RESIDENCY,
				   .whole = rows == SX_OA_TOTAL,
				   .length = rows == SX_OA_CONTEXTS ? "span" : NULL,
				   .more = more_json,
				   .more_user = s};
}

static enum sx_status decode_oa_run_stream(struct decode_job *job, struct sx_oa_options *options,
					   int fd, struct sx_error *err)
{
	struct stream s = {.job = job};
	const struct note_sink to = cli_note_sink(job->cli);
	size_t left = 0;
	options->rows = rows_of(&job->cli->options);
	options->only_context = job->cli->options.context.given;
	options->context = job->cli->options.context.value;
	options->note = to.note;
	options->note_user = to.user;
	enum sx_status status = raw_oa_prepare(&job->in, options, err);
	if (!status)
		status = sx_oa_decoder_create(options, &s.decoder, err);
	if (!status) {
		job->shape = shape_of(&s, options->rows);
		s.writer = rows_begin(&job->cli->view, &job->shape);
		const struct raw_oa_sink pump = {s.decoder, decode_oa_write_rows, &s};
		status = raw_oa_pump(&pump, fd, &left, err);
	}
	if (!status)
		status = decode_oa_finish(&s, left, err);
	rows_finish(&s.writer);
	sx_evaluation_destroy(s.evaluation);
	sx_metrics_destroy(s.metrics);
	sx_oa_decoder_destroy(s.decoder);
	return status;
}

static enum sx_status stream_recording(struct decode_job *job, int fd, struct sx_error *err)
{
	struct sx_oa_options options = {.input = SX_OA_RECORDING};
	return decode_oa_run_stream(job, &options, fd, err);
}

static enum sx_status stream_reports(struct decode_job *job, int fd, struct sx_error *err)
{
	struct sx_oa_options options = {0};
	enum sx_status status = raw_oa_kind(job->in.kind, &options, err);
	return status ? status : decode_oa_run_stream(job, &options, fd, err);
}

const struct decode_format decode_i915_record = {
    .kind = "i915-record",
    .about = "i915-record: a file of i915-perf-recorder",
    .by = "context residency",
    .stream = stream_recording,
};

const struct decode_format decode_oa_reports = {
    .kind = "oa:",
    .about = "oa:FORMAT: reports of Intel's OA unit back to back",
    .by = "context residency",
    .stream = stream_reports,
};
