/* Which devices take part, their catalogs, selections, decoders and tables. */
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text_buf.h"
#include "capture/reader.h"
#include "catalog/internal.h"

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
	    arena_alloc(&s->arena, (desc->facts.constant_count + s->options.constant_count + 1) *
				       sizeof(*d->constants));
	if (!d->constants)
		return error_nomem(err, "reading constants");
	for (uint32_t i = 0; i < desc->facts.constant_count; i++)
		if (sx_catalog_find_constant(info->catalog, desc->facts.constants[i].name) !=
		    SX_NONE)
			d->constants[count++] = (struct sx_constant_value){
			    copy(s, desc->facts.constants[i].name), desc->facts.constants[i].value};
	for (uint32_t i = 0; i < s->options.constant_count; i++)
		if (sx_catalog_find_constant(info->catalog, s->options.constants[i].name) !=
		    SX_NONE)
			d->constants[count++] = s->options.constants[i];
	info->facts.constants = d->constants;
	info->facts.constant_count = count;
	return SX_OK;
}

static enum sx_status no_catalog(struct sx_context *context, const struct sx_device *device,
				 struct sx_error *err)
{
	if (!sx_catalog_heads(context, NULL))
		return error_nomem(err, "reading the catalogs' heads");
	error_set(err, SX_ERR_NOT_FOUND, "no catalog describes %s", device->id);
	error_because(err, "%s", device->because ? device->because : "its source knows none");
	error_try(err, "--for NAME, a catalog that is near; sextant devices lists them");
	return SX_ERR_NOT_FOUND;
}

/* A catalog that is named must be the device's own, by whatever name it goes. */
static enum sx_status same_catalog(const struct sx_session *s, const struct sx_device *found,
				   const struct sx_catalog *own, struct sx_error *err)
{
	struct sx_catalog *wanted;
	enum sx_status status = sx_catalog_open(s->context, s->options.catalog, &wanted, err);
	if (status)
		return status;
	const char *name = sx_catalog_info(own)->name;
	bool same = strcmp(sx_catalog_info(wanted)->name, name) == 0;
	sx_catalog_unref(wanted);
	if (same)
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "%s is not described by catalog %s", found->id,
		  s->options.catalog);
	error_because(err, "its catalog is %s", name);
	error_try(err, "without --for");
	return SX_ERR_USAGE;
}

static enum sx_status open_device(struct sx_session *s, const struct sx_device *found,
				  struct sx_error *err)
{
	const struct source_ops *ops = source_find(found->source);
	struct session_device d = {.ops = ops};
	struct sx_session_device info = {.facts.source = ops->name};
	enum sx_status status = ops->open(&s->host, found->id, &d.source, err);
	if (status)
		return status;
	const struct source_desc *desc = source_describe(d.source);
	const char *catalog = desc->catalog ? desc->catalog : s->options.catalog;
	if (desc->own)
		info.catalog = sx_catalog_ref(desc->own);
	else if (desc->catalog) /* the catalog of a capture, too */
		status = catalog_open_name(s->context, catalog, &info.catalog, err);
	else if (catalog)
		status = sx_catalog_open(s->context, catalog, &info.catalog, err);
	else
		status = no_catalog(s->context, found, err);
	if (!status && desc->catalog && s->options.catalog && !s->options.input)
		status = same_catalog(s, found, info.catalog, err);
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
	info.facts.number = s->device_count;
	s->devices[s->device_count] = d;
	s->infos[s->device_count++] = info;
	return SX_OK;
}

/* The default devices: those that are opened where the user names none. */
static bool open_fits(const struct sx_session *s, const struct sx_device *device)
{
	if (source_find(device->source)->only_named)
		return false;
	if (device->state == SX_DEVICE_INJECT)
		return s->options.child;
	return device->state == SX_DEVICE_READY && (!s->options.child || s->options.beside);
}

static enum sx_status cannot_use(const struct sx_device *device, struct sx_error *err)
{
	enum sx_status status = device->obstacle;
	if (device->state == SX_DEVICE_ABSENT)
		status = SX_ERR_NOT_FOUND;
	else if (!status)
		status = SX_ERR_UNSUPPORTED;
	error_set(err, status, "%s cannot be measured", device->id);
	error_because(err, "%s", device->because ? device->because : "its source says so");
	error_try(err, "%s", device->remedy ? device->remedy : "sextant doctor");
	return status;
}

/* No device is called so: what is near, by whatever it could be called. */
static enum sx_status no_device(const struct sx_session *s, const struct sx_device *all,
				size_t count, const char *selector, struct sx_error *err)
{
	struct suggest near;
	suggest_begin(&near, selector, 1);
	for (size_t i = 0; i < count; i++) {
		/* A device that cannot be measured would be no remedy. */
		bool here = all[i].state == SX_DEVICE_READY ||
			    all[i].state == SX_DEVICE_SIMULATED ||
			    (all[i].state == SX_DEVICE_INJECT && s->options.child);
		if (!here)
			continue;
		suggest_offer(&near, all[i].id);
		suggest_offer(&near, all[i].source);
		if (all[i].catalog)
			suggest_offer(&near, all[i].catalog);
		if (all[i].name)
			suggest_offer(&near, all[i].name);
	}
	const char *found = near.count ? near.items[0] : NULL;
	for (size_t i = 0; found && i < count; i++)
		if (found == all[i].name)
			found = all[i].id;
	error_set(err, SX_ERR_NOT_FOUND, "no device %s", selector);
	error_because(err, "no source of this machine knows it");
	error_try(err, found ? "-d %s" : "sextant devices", found ? found : "");
	return SX_ERR_NOT_FOUND;
}

static enum sx_status open_named(struct sx_session *s, const struct sx_device *all, size_t count,
				 const char *selector, struct sx_error *err)
{
	const struct sx_device *blocked = NULL;
	for (size_t i = 0; i < count; i++) {
		if (!sx_device_means(&all[i], selector))
			continue;
		/* A model replaces missing hardware, not hardware that cannot be used. */
		if (all[i].state == SX_DEVICE_SIMULATED && blocked &&
		    blocked->state == SX_DEVICE_UNUSABLE)
			break;
		if (all[i].state == SX_DEVICE_INJECT && !s->options.child) {
			error_set(err, SX_ERR_USAGE, "%s measures only programs", all[i].id);
			error_because(err, "its counters are read inside the program");
			error_try(err, "sextant stat -d %s -- COMMAND", all[i].id);
			return SX_ERR_USAGE;
		}
		/*
		 * A device that only lacks a catalog can be measured with one that the user names.
		 */
		bool adopted =
		    all[i].state == SX_DEVICE_UNUSABLE && !all[i].catalog && s->options.catalog;
		if (adopted ||
		    (all[i].state != SX_DEVICE_UNUSABLE && all[i].state != SX_DEVICE_ABSENT))
			return open_device(s, &all[i], err);
		blocked = &all[i];
	}
	if (blocked)
		return cannot_use(blocked, err);
	return no_device(s, all, count, selector, err);
}

static enum sx_status open_fitting(struct sx_session *s, const struct sx_device *all, size_t count,
				   struct sx_error *err)
{
	struct sx_error first = {0};
	/* Devices that measure the program come first: limits count their samples. */
	for (int inject = 1; inject >= 0; inject--)
		for (size_t i = 0; i < count; i++) {
			struct sx_error why = {0};
			if ((all[i].state == SX_DEVICE_INJECT) != inject || !open_fits(s, &all[i]))
				continue;
			if (open_device(s, &all[i], &why) && !first.status)
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
		    suggest_is_same(source, s->options.devices[i]))
			return true;
	return s->options.device_count == 0;
}

/* The devices of a capture replace those of this machine. */
static enum sx_status open_capture(struct sx_session *s, struct sx_error *err)
{
	struct sx_capture_reader *reader = NULL;
	enum sx_status status = sx_capture_open(s->options.input, &reader, err);
	if (status)
		return status;
	s->replay_begin_ns = sx_capture_info(reader)->begin_ns;
	uint32_t *order = calloc((size_t)sx_capture_info(reader)->device_count + 1, sizeof(*order));
	uint32_t count = order ? sx_capture_order(reader, order) : 0;
	if (!order)
		status = error_nomem(err, "opening devices");
	for (uint32_t i = 0; !status && i < count; i++) {
		const struct sx_capture_device *found = sx_capture_device(reader, order[i]);
		char id[4200];
		snprintf(id, sizeof(id), "%s#%u", s->options.input, (unsigned)order[i]);
		struct sx_device device = {.id = id,
					   .source = "replay",
					   .name = found->facts.name,
					   .catalog = found->catalog};
		if (!named(s, &device, found->facts.source))
			continue;
		status = open_device(s, &device, err);
		if (status)
			continue;
		struct session_device *opened = &s->devices[s->device_count - 1];
		s->infos[s->device_count - 1].facts.number = order[i];
		opened->recorded_source = strdup(found->facts.source);
		if (!opened->recorded_source)
			status = error_nomem(err, "opening devices");
	}
	free(order);
	if (!status && !count)
		status = capture_no_device(s->options.input, reader, err);
	sx_capture_close(reader);
	if (status || s->device_count)
		return status;
	error_set(err, SX_ERR_NOT_FOUND, "%s holds no such device", s->options.input);
	error_because(err, "none of its devices has that source or catalog");
	error_try(err, "sextant capture info %s",
		  error_word((char[ERROR_WORD_MAX]){0}, s->options.input));
	return SX_ERR_NOT_FOUND;
}

static bool is_any(const struct sx_device_list *list, const char *selector)
{
	size_t count;
	const struct sx_device *all = sx_devices_get(list, &count);
	for (size_t i = 0; i < count; i++)
		if (sx_device_means(&all[i], selector))
			return true;
	return false;
}

/*
 * A device that is named by its source wakes no other source. If no device has the name, drivers
 * are asked for theirs (of a renderer), which takes a while.
 */
static enum sx_status open_selector(struct sx_session *s, const char *selector,
				    struct sx_error *err)
{
	struct sx_device_list *list = NULL, *asked = NULL;
	size_t count;
	struct source_host asking = s->host;
	asking.ask_drivers = true;
	enum sx_status status = devices_probe(&s->host, selector, &list, err);
	if (!status && !is_any(list, selector))
		status = devices_probe(&asking, selector, &asked, err);
	if (!status) {
		const struct sx_device_list *found =
		    asked && is_any(asked, selector) ? asked : list;
		const struct sx_device *all = sx_devices_get(found, &count);
		status = open_named(s, all, count, selector, err);
	}
	sx_devices_destroy(list);
	sx_devices_destroy(asked);
	return status;
}

static enum sx_status open_whatever(struct sx_session *s, struct sx_error *err)
{
	struct sx_device_list *list;
	size_t count;
	enum sx_status status = devices_probe(&s->host, NULL, &list, err);
	if (status)
		return status;
	const struct sx_device *all = sx_devices_get(list, &count);
	status = open_fitting(s, all, count, err);
	sx_devices_destroy(list);
	return status;
}

/* Something here must be able to give the samples that are asked for. */
static enum sx_status check_per(const struct sx_session *s, struct sx_error *err)
{
	enum sx_sample_kind per = s->options.per;
	uint32_t able = 0;
	char list[96] = "";
	if (per == SX_SAMPLE_TIME)
		return SX_OK;
	for (uint32_t i = 0; i < s->device_count; i++)
		able |= source_describe(s->devices[i].source)->kinds;
	if (able >> per & 1)
		return SX_OK;
	for (uint32_t k = 0; k < SX_SAMPLE_KINDS; k++)
		if (able >> k & 1)
			text_append_item(list, sizeof(list), ", ", "%s",
					 sx_sample_kind_name((enum sx_sample_kind)k));
	const char *last = strrchr(list, ' ');
	error_set(err, SX_ERR_USAGE, "no device here has a sample for each %s",
		  sx_sample_kind_name(per));
	if (s->options.input)
		error_because(err, "a recording keeps the samples that it was made with");
	else
		error_because(err, "%s%s", able ? "there are these: " : "they sample time", list);
	if (able)
		error_try(err, "--per %s", last ? last + 1 : list);
	else
		error_try(err, "the same without --per");
	return SX_ERR_USAGE;
}

enum sx_status session_open_devices(struct sx_session *s, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	if (s->options.input)
		status = open_capture(s, err);
	else if (s->options.device_count == 0)
		status = open_whatever(s, err);
	for (uint32_t i = 0; !status && !s->options.input && i < s->options.device_count; i++)
		status = open_selector(s, s->options.devices[i], err);
	if (!status)
		status = check_per(s, err);
	return status ? status : filter_check(s, err);
}
