/* Which devices take part, their catalogs, selections, decoders and tables. */
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const char *copy(struct sx_session *s, const char *text)
{
	return text ? arena_strndup(&s->arena, text, strlen(text)) : NULL;
}

/* Device constants first, then the user's, which win by coming later. */
static enum sx_status gather_constants(struct sx_session *s, struct session_device *d,
				       struct sx_session_device *info,
				       const struct source_desc *desc, struct sx_error *err)
{
	uint32_t count = 0;
	d->constants =
	    arena_alloc(&s->arena, (desc->constant_count + s->options.constant_count + 1) *
				       sizeof(*d->constants));
	if (!d->constants)
		return error_nomem(err, "reading constants");
	for (uint32_t i = 0; i < desc->constant_count; i++)
		if (sx_catalog_find_constant(info->catalog, desc->constants[i].name) != SX_NONE)
			d->constants[count++] = (struct sx_constant_value){
			    copy(s, desc->constants[i].name), desc->constants[i].value};
	for (uint32_t i = 0; i < s->options.constant_count; i++)
		if (sx_catalog_find_constant(info->catalog, s->options.constants[i].name) !=
		    SX_NONE)
			d->constants[count++] = s->options.constants[i];
	info->constants = d->constants;
	info->constant_count = count;
	return SX_OK;
}

static enum sx_status no_catalog(const struct sx_device *device, struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "no catalog describes %s", device->id);
	error_because(err, "%s", device->because ? device->because : "its source knows none");
	error_try(err, "--for NAME, a catalog that is near; sextant devices lists them");
	return SX_ERR_NOT_FOUND;
}

static enum sx_status open_device(struct sx_session *s, const struct sx_device *found,
				  struct sx_error *err)
{
	const struct source_ops *ops = source_find(found->source);
	struct session_device d = {.ops = ops};
	struct sx_session_device info = {.source = ops->name};
	enum sx_status status = ops->open(&s->host, found->id, &d.source, err);
	if (status)
		return status;
	const struct source_desc *desc = ops->describe(d.source);
	const char *catalog = desc->catalog ? desc->catalog : s->options.catalog;
	if (desc->catalog) /* that of a capture, too */
		status = sx_catalog_open_name(s->context, catalog, &info.catalog, err);
	else if (catalog)
		status = sx_catalog_open(s->context, catalog, &info.catalog, err);
	else
		status = no_catalog(found, err);
	if (!status)
		status = gather_constants(s, &d, &info, desc, err);
	if (!status && (!mem_grow(&s->devices, &s->device_cap, s->device_count + 1, sizeof(d)) ||
			!mem_grow(&s->infos, &s->info_cap, s->device_count + 1, sizeof(info))))
		status = error_nomem(err, "opening devices");
	if (status) {
		sx_catalog_unref(info.catalog);
		ops->close(d.source);
		return status;
	}
	s->devices[s->device_count] = d;
	s->infos[s->device_count++] = info;
	return SX_OK;
}

/* What is opened when nobody named a device. */
static bool fits(const struct sx_session *s, const struct sx_device *device)
{
	if (device->state == SX_DEVICE_INJECT)
		return s->options.child;
	return device->state == SX_DEVICE_READY && !s->options.child;
}

static enum sx_status cannot_use(const struct sx_device *device, struct sx_error *err)
{
	bool absent = device->state == SX_DEVICE_ABSENT;
	enum sx_status status = absent ? SX_ERR_NOT_FOUND : SX_ERR_PERMISSION;
	error_set(err, status, "%s cannot be measured", device->id);
	error_because(err, "%s", device->because ? device->because : "its source says so");
	error_try(err, "%s", device->remedy ? device->remedy : "sextant doctor");
	return status;
}

static enum sx_status open_named(struct sx_session *s, const struct sx_device *all, size_t count,
				 const char *selector, struct sx_error *err)
{
	const struct sx_device *blocked = NULL;
	for (size_t i = 0; i < count; i++) {
		if (!sx_device_means(&all[i], selector))
			continue;
		/* A model stands in for hardware that is not here, not for what cannot be used. */
		if (all[i].state == SX_DEVICE_SIMULATED && blocked &&
		    blocked->state == SX_DEVICE_UNUSABLE)
			break;
		if (all[i].state == SX_DEVICE_INJECT && !s->options.child) {
			error_set(err, SX_ERR_USAGE, "%s measures only programs", all[i].id);
			error_because(err, "its counters are read inside the program");
			error_try(err, "sextant stat -d %s -- COMMAND", selector);
			return SX_ERR_USAGE;
		}
		/* What lacks nothing but a catalog can be measured with one that the user names. */
		bool adopted =
		    all[i].state == SX_DEVICE_UNUSABLE && !all[i].catalog && s->options.catalog;
		if (adopted ||
		    (all[i].state != SX_DEVICE_UNUSABLE && all[i].state != SX_DEVICE_ABSENT))
			return open_device(s, &all[i], err);
		blocked = &all[i];
	}
	if (blocked)
		return cannot_use(blocked, err);
	error_set(err, SX_ERR_NOT_FOUND, "no device %s", selector);
	error_because(err, "no source of this machine knows it");
	error_try(err, "sextant devices");
	return SX_ERR_NOT_FOUND;
}

static enum sx_status open_fitting(struct sx_session *s, const struct sx_device *all, size_t count,
				   struct sx_error *err)
{
	struct sx_error first = {0};
	for (size_t i = 0; i < count; i++) {
		struct sx_error why = {0};
		if (fits(s, &all[i]) && open_device(s, &all[i], &why) && !first.status)
			first = why;
	}
	if (s->device_count)
		return SX_OK;
	if (first.status) {
		if (err)
			*err = first;
		return first.status;
	}
	error_set(err, SX_ERR_NOT_FOUND, "nothing here can be measured");
	error_because(err, "no source is ready on this machine");
	error_try(err, "sextant doctor says what each one lacks");
	return SX_ERR_NOT_FOUND;
}

/* By source, catalog, or number in the capture, which ends the id. */
static bool named(const struct sx_session *s, const struct sx_device *device, const char *source)
{
	for (uint32_t i = 0; i < s->options.device_count; i++)
		if (sx_device_means(device, s->options.devices[i]) ||
		    strcmp(s->options.devices[i], strrchr(device->id, '#') + 1) == 0 ||
		    strcmp(s->options.devices[i], source) == 0)
			return true;
	return s->options.device_count == 0;
}

/* The devices of a capture stand in for those of this machine. */
static enum sx_status open_capture(struct sx_session *s, struct sx_error *err)
{
	struct sx_capture_reader *reader = NULL;
	enum sx_status status = sx_capture_open(s->options.input, &reader, err);
	if (status)
		return status;
	for (uint32_t i = 0; !status && i < sx_capture_info(reader)->device_count; i++) {
		const struct sx_capture_device *found = sx_capture_device(reader, i);
		char id[4200];
		snprintf(id, sizeof(id), "%s#%u", s->options.input, (unsigned)i);
		if (!found)
			continue;
		struct sx_device device = {
		    .id = id, .source = "replay", .name = found->name, .catalog = found->catalog};
		if (named(s, &device, found->source))
			status = open_device(s, &device, err);
	}
	sx_capture_close(reader);
	if (status || s->device_count)
		return status;
	error_set(err, SX_ERR_NOT_FOUND, "%s holds no such device", s->options.input);
	error_because(err, "none of its devices has that source or catalog");
	error_try(err, "sextant capture info %s", s->options.input);
	return SX_ERR_NOT_FOUND;
}

static enum sx_status open_all(struct sx_session *s, struct sx_error *err)
{
	struct sx_device_list *list;
	size_t count;
	if (s->options.input)
		return open_capture(s, err);
	enum sx_status status = sx_devices_probe(s->context, false, &list, err);
	if (status)
		return status;
	const struct sx_device *all = sx_devices_get(list, &count);
	if (s->options.device_count == 0)
		status = open_fitting(s, all, count, err);
	for (uint32_t i = 0; !status && i < s->options.device_count; i++)
		status = open_named(s, all, count, s->options.devices[i], err);
	sx_devices_destroy(list);
	return status;
}

static enum sx_status select_one(struct sx_session *s, struct session_device *d,
				 struct sx_session_device *info, const char *const *patterns,
				 uint32_t count, struct sx_error *err)
{
	struct sx_metrics_options options = {.patterns = patterns,
					     .pattern_count = count,
					     .set = s->options.set,
					     .variant = s->options.variant,
					     .constants = info->constants,
					     .constant_count = info->constant_count};
	sx_metrics_destroy(d->metrics);
	d->metrics = NULL;
	enum sx_status status = sx_metrics_create(info->catalog, &options, &d->metrics, err);
	info->metrics = d->metrics;
	return status;
}

/* Each pattern must mean something on at least one device; others pass it over. */
static enum sx_status select_patterns(struct sx_session *s, struct sx_error *err)
{
	uint32_t count = s->options.metric_count;
	const char **mine = calloc(count + 1, sizeof(*mine));
	bool *used = calloc(count + 1, sizeof(*used));
	enum sx_status status = mine && used ? SX_OK : error_nomem(err, "selecting metrics");
	struct sx_error why = {0};
	for (uint32_t i = 0; !status && i < s->device_count; i++) {
		uint32_t n = 0;
		for (uint32_t p = 0; p < count; p++) {
			if (select_one(s, &s->devices[i], &s->infos[i], &s->options.metrics[p], 1,
				       why.status ? NULL : &why) != SX_OK)
				continue;
			used[p] = true;
			mine[n++] = s->options.metrics[p];
		}
		if (n)
			status = select_one(s, &s->devices[i], &s->infos[i], mine, n, err);
	}
	for (uint32_t p = 0; !status && p < count; p++) {
		if (used[p])
			continue;
		if (err)
			*err = why;
		status = why.status;
	}
	free(mine);
	free(used);
	return status;
}

enum sx_status session_open_devices(struct sx_session *s, struct sx_error *err)
{
	static const char *const everything[] = {"all", "*"};
	enum sx_status status = open_all(s, err);
	if (!status)
		status = contexts_check(s, err);
	if (status)
		return status;
	if (s->options.metric_count)
		return select_patterns(s, err);
	/* "*" takes in the raw counters as well; a catalog may have only one of the two. */
	for (uint32_t i = 0; !status && i < s->device_count; i++)
		status = select_one(s, &s->devices[i], &s->infos[i], &everything[1], 1, err);
	return status;
}

static enum sx_status make_decoder(struct sx_session *s, struct session_device *d,
				   const struct sx_session_device *info,
				   const struct source_request *request, struct sx_error *err)
{
	const struct source_desc *desc = d->ops->describe(d->source);
	const struct decoder_ops *ops = decode_find(d->ops->raw);
	if (!ops)
		return error_set(err, SX_ERR_UNSUPPORTED, "source %s has no decoder", d->ops->name);
	struct decoder_constant *constants =
	    arena_alloc(&s->arena, (info->constant_count + 1) * sizeof(*constants));
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
				      .column_kind = desc->kind,
				      .constants = constants,
				      .constant_count = info->constant_count,
				      .variant = s->options.variant,
				      .instances = s->writer != NULL};
	enum sx_status status = ops->create(&setup, &d->decoder, err);
	if (status)
		return status;
	uint32_t count;
	enum sx_sample_kind kind;
	const struct sx_column *columns = ops->columns(d->decoder, &count, &kind);
	status = sx_table_create(columns, count, kind, &d->raw, err);
	if (!status && s->options.only_context)
		status = sx_table_create(columns, count, kind, &d->mixed, err);
	return status;
}

static enum sx_status start_one(struct sx_session *s, struct session_device *d,
				struct sx_session_device *info, struct sx_error *err)
{
	uint32_t count = 0;
	const struct sx_metric_input *inputs =
	    d->metrics ? sx_metrics_inputs(d->metrics, &count) : NULL;
	const char **names = arena_alloc(&s->arena, (count + 1) * sizeof(*names));
	const char **definitions =
	    arena_alloc(&s->arena, (s->options.metric_count + 1) * sizeof(*definitions));
	if (!names || !definitions)
		return error_nomem(err, "starting devices");
	struct source_request request = {.counters = names,
					 .definitions = definitions,
					 .catalog = info->catalog,
					 .set = s->options.set,
					 .pid = s->child.pid,
					 .realtime = s->options.realtime,
					 .interval_ns = s->options.interval_ns};
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

enum sx_status session_start_devices(struct sx_session *s, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && i < s->device_count; i++)
		status = start_one(s, &s->devices[i], &s->infos[i], err);
	return status;
}
