/* Sources started as the selection needs them, their decoders and tables. */
#include "session/session.h"

#include <string.h>

#include "base/error.h"

static enum sx_status make_decoder(struct sx_session *s, struct session_device *d,
				   struct sx_session_device *info,
				   const struct source_request *request, struct sx_error *err)
{
	const struct source_desc *desc = d->ops->describe(d->source);
	const struct decoder_ops *ops = decode_find(d->ops->raw);
	if (!ops)
		return error_set(err, SX_ERR_UNSUPPORTED, "source %s has no decoder", d->ops->name);
	struct decoder_constant *constants =
	    arena_alloc(&s->run_arena, (info->constant_count + 1) * sizeof(*constants));
	if (!constants)
		return error_nomem(err, "creating a decoder");
	/* The last of a name wins in a selection; a decoder takes the first. */
	for (uint32_t i = 0; i < info->constant_count; i++)
		constants[i] =
		    (struct decoder_constant){info->constants[info->constant_count - 1 - i].name,
					      info->constants[info->constant_count - 1 - i].value};
	struct decoder_setup setup = {.catalog = info->catalog,
				      .set = request->set,
				      .counters = request->counters,
				      .counter_count = request->counter_count,
				      .values = desc->counters,
				      .value_count = desc->counter_count,
				      .columns = desc->columns,
				      .column_count = desc->column_count,
				      .kind = desc->kind,
				      .constants = constants,
				      .constant_count = info->constant_count,
				      .variant = s->options.variant,
				      .instances = s->options.keep_instances};
	enum sx_status status = ops->create(&setup, &d->decoder, err);
	if (status)
		return status;
	uint32_t count;
	enum sx_sample_kind kind;
	const struct sx_column *columns = ops->columns(d->decoder, &count, &kind);
	status = sx_table_create(columns, count, kind, &d->raw, err);
	if (!status && filter_needed(s))
		status = sx_table_create(columns, count, kind, &d->mixed, err);
	info->raw = d->raw;
	return status;
}

static enum sx_status start_one(struct sx_session *s, struct session_device *d,
				struct sx_session_device *info, struct sx_error *err)
{
	uint32_t count = 0;
	const struct sx_metric_input *inputs =
	    d->metrics ? sx_metrics_inputs(d->metrics, &count) : NULL;
	const char **names = arena_alloc(&s->run_arena, (count + 1) * sizeof(*names));
	const char **definitions =
	    arena_alloc(&s->run_arena, (s->options.metric_count + 1) * sizeof(*definitions));
	if (!names || !definitions)
		return error_nomem(err, "starting devices");
	struct source_request request = {.counters = names,
					 .definitions = definitions,
					 .catalog = info->catalog,
					 .set = d->set,
					 .pid = s->child.pid ? s->child.pid : (pid_t)s->options.pid,
					 .realtime = s->options.realtime,
					 .overhead_permille = s->options.overhead_permille,
					 .interval_ns = s->options.interval_ns};
	if (d->ops->describe(d->source)->kinds >> s->options.per & 1)
		request.per = s->options.per;
	for (uint32_t i = 0; i < count; i++)
		if (inputs[i].counter != SX_NONE)
			names[request.counter_count++] = inputs[i].name;
	for (uint32_t i = 0; i < s->options.metric_count; i++)
		if (strchr(s->options.metrics[i], '='))
			definitions[request.definition_count++] = s->options.metrics[i];
	enum sx_status status = d->ops->start(d->source, &request, err);
	if (status)
		return status;
	d->started = true;
	return make_decoder(s, d, info, &request, err);
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
		d->decoder = NULL;
		d->raw = d->mixed = NULL;
		d->started = d->ended = false;
		d->rows = d->others = d->record_last_ns = 0;
		d->first_ns = SX_TIME_UNKNOWN;
		d->note = d->failure = d->silence = (struct sx_error){0};
		info->raw = NULL;
		info->lost = info->samples = 0;
		info->lost_more = false;
		info->note = NULL;
		info->failure = info->silence = NULL;
		info->begin_ns = info->end_ns = SX_TIME_UNKNOWN;
	}
	s->child.status = (struct sx_child_status){0};
	arena_finish(&s->run_arena);
}

enum sx_status session_start_devices(struct sx_session *s, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && i < s->device_count; i++)
		status = start_one(s, &s->devices[i], &s->infos[i], err);
	return status;
}
