/* Starts sources as the selection needs them, with their decoders and tables. */
#include "session/session.h"

#include "base/error.h"

static enum sx_status make_decoder(struct sx_session *s, uint32_t index, struct sx_error *err)
{
	struct session_device *d = &s->devices[index];
	const struct sx_session_device *info = &s->infos[index];
	const struct source_desc *desc = source_describe(d->source);
	const struct decoder_ops *ops = decode_find(d->ops->raw);
	if (!ops)
		return error_set(err, SX_ERR_UNSUPPORTED, "source %s has no decoder", d->ops->name);
	struct decoder_setup setup = {.catalog = info->catalog,
				      .set = d->request.set,
				      .counters = d->request.counters,
				      .counter_count = d->request.counter_count,
				      .values = desc->counters,
				      .whys = desc->whys,
				      .value_count = desc->counter_count,
				      .columns = desc->columns,
				      .column_count = desc->column_count,
				      .kind = desc->kind,
				      .constants = info->facts.constants,
				      .constant_count = info->facts.constant_count,
				      .variant = s->options.variant,
				      .instances = s->options.keep_instances};
	if (d->decoder)
		d->decoder->ops->destroy(d->decoder);
	d->decoder = NULL;
	return ops->create(&setup, &d->decoder, err);
}

static enum sx_status make_tables(struct sx_session *s, uint32_t index, struct sx_error *err)
{
	struct session_device *d = &s->devices[index];
	enum sx_status status = decoder_table(d->decoder, &d->raw, err);
	if (!status && (filter_needed(s) || d->request.programs))
		status = decoder_table(d->decoder, &d->mixed, err);
	if (!status && d->request.programs)
		status = decoder_table(d->decoder, &d->programs, err);
	s->infos[index].raw = d->raw;
	s->infos[index].programs = d->programs;
	return status;
}

/* Definitions are for the first of the sets that take turns: the others' counters stay theirs. */
static bool gets_definitions(const struct sx_session *s, uint32_t index)
{
	const struct session_turns *turns = s->devices[index].turns;
	return !turns || turns->first == index;
}

static enum sx_status prepare_request(struct sx_session *s, uint32_t index, struct sx_error *err)
{
	struct session_device *d = &s->devices[index];
	uint32_t count = 0;
	const struct sx_metric_input *inputs =
	    d->metrics ? sx_metrics_inputs(d->metrics, &count) : NULL;
	const char **names = arena_alloc(&s->run_arena, (count + 1) * sizeof(*names));
	const char **definitions =
	    arena_alloc(&s->run_arena, (s->options.metric_count + 1) * sizeof(*definitions));
	if (!names || !definitions)
		return error_nomem(err, "starting devices");
	struct source_request *request = &d->request;
	*request =
	    (struct source_request){.counters = names,
				    .definitions = definitions,
				    .catalog = s->infos[index].catalog,
				    .set = d->set,
				    .pid = s->child.pid ? s->child.pid : (pid_t)s->options.pid,
				    .child = s->child.pid > 0,
				    .realtime = s->options.realtime,
				    .overhead_permille = s->options.overhead_permille,
				    .profiling = s->options.profiling,
				    .interval_ns = s->options.interval_ns};
	request->programs =
	    s->options.programs && source_describe(d->source)->kinds >> SX_SAMPLE_PROCESS & 1;
	if (source_describe(d->source)->kinds >> s->options.per & 1)
		request->per = s->options.per;
	else if (s->options.per != SX_SAMPLE_TIME && s->options.per != SX_SAMPLE_PROCESS)
		request->lacks = sx_sample_kind_name(s->options.per);
	for (uint32_t i = 0; i < count; i++)
		if (inputs[i].counter != SX_NONE)
			names[request->counter_count++] = inputs[i].name;
	if (d->metrics && source_describe(d->source)->takes_passes) {
		enum sx_status planned = passes_plan(s, index, err);
		if (planned)
			return planned;
	}
	for (uint32_t i = 0; gets_definitions(s, index) && i < s->options.metric_count; i++)
		if (sx_definition_is(s->options.metrics[i]))
			definitions[request->definition_count++] = s->options.metrics[i];
	return SX_OK;
}

static enum sx_status start_one(struct sx_session *s, uint32_t index, struct sx_error *err)
{
	struct session_device *d = &s->devices[index];
	enum sx_status status = prepare_request(s, index, err);
	if (!status && turns_active(s, index)) {
		status = d->ops->start(d->source, &d->request, err);
		d->started = !status;
	}
	if (!status)
		status = make_decoder(s, index, err);
	return status ? status : make_tables(s, index, err);
}

enum sx_status session_start_again(struct sx_session *s, uint32_t index, struct sx_error *err)
{
	struct session_device *d = &s->devices[index];
	enum sx_status status = d->ops->start(d->source, &d->request, err);
	d->started = !status;
	/* A new decoder: what was counted before is not continued. */
	return status ? status : make_decoder(s, index, err);
}

void session_forget_run(struct sx_session *s)
{
	for (uint32_t i = 0; i < s->device_count; i++) {
		struct session_device *d = &s->devices[i];
		struct sx_session_device *info = &s->infos[i];
		if (d->decoder)
			d->decoder->ops->destroy(d->decoder);
		sx_table_destroy(d->raw);
		sx_table_destroy(d->mixed);
		sx_table_destroy(d->programs);
		d->decoder = NULL;
		d->raw = d->mixed = d->programs = NULL;
		d->started = d->ended = false;
		d->rows = d->others = d->record_last_ns = 0;
		d->first_ns = SX_TIME_UNKNOWN;
		d->note = d->failure = d->silence = (struct sx_error){0};
		info->raw = info->programs = NULL;
		d->note_count = 0;
		info->run = (struct sx_run_facts){0};
		info->samples = 0;
		info->begin_ns = info->end_ns = SX_TIME_UNKNOWN;
	}
	s->child.status = (struct sx_child_status){0};
	arena_finish(&s->run_arena);
}

enum sx_status session_start_devices(struct sx_session *s, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	turns_begin(s);
	for (uint32_t i = 0; !status && i < s->device_count; i++)
		status = start_one(s, i, err);
	return status;
}
