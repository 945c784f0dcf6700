/* Selects what of a capture's device is asked for: its metrics, and a report of them. */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "input/input.h"

enum sx_status input_need_set(const struct input_device *d, struct sx_error *err)
{
	if (d->facts.set || d->of.metric_count || d->of.counters ||
	    !sx_catalog_has_sets(d->catalog))
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "%s does not say which metric set was programmed", d->of.path);
	error_because(err, "each set counts other things, under the same names too");
	error_try(err, "--set NAME; sextant list sets --for %s", sx_catalog_info(d->catalog)->name);
	return SX_ERR_USAGE;
}

/* A recording also holds counters that its catalog does not know: found on the device itself. */
static enum sx_status try_pattern(const struct input_device *d, const char *pattern, bool neutral,
				  struct sx_error *err)
{
	struct sx_metrics *metrics = NULL;
	struct sx_metrics_options options = input_selection(d);
	options.patterns = &pattern;
	options.pattern_count = 1;
	options.keep_neutral = neutral;
	enum sx_status status = sx_metrics_create(d->catalog, &options, &metrics, err);
	sx_metrics_destroy(metrics);
	return status;
}

const char *input_device_name(const struct input_device *d, const char *pattern)
{
	const char *whose[] = {d->info->facts.source, d->info->catalog};
	if (try_pattern(d, pattern, false, NULL) == SX_OK)
		return pattern;
	for (size_t i = 0; i < 2; i++) {
		const char *rest = suggest_behind(pattern, whose[i], d->facts.number);
		if (rest && try_pattern(d, rest, false, NULL) == SX_OK)
			return rest;
	}
	return NULL;
}

static bool is_elsewhere(const struct input_device *d, const char *pattern)
{
	bool found = false;
	for (uint32_t i = 0; !found && i < sx_capture_info(d->reader)->device_count; i++) {
		struct input_device *other = NULL;
		if (i == d->place || input_device_open(&d->of, i, &other, NULL))
			continue;
		found = input_device_name(other, pattern) != NULL;
		input_device_close(other);
	}
	return found;
}

bool input_only_also(const struct input_device *d)
{
	return d->of.metric_count && !d->pattern_count;
}

/*
 * Fills `patterns`: where a capture has several devices, a metric of one need not be one of the
 * others. SX_ERR_NOT_FOUND when one is for no device; where none of them is for this one, *err says
 * what the first is not.
 */
static enum sx_status choose_patterns(struct input_device *d, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	struct sx_error why = {0};
	d->patterns = calloc(d->of.metric_count + 1, sizeof(*d->patterns));
	d->pattern_count = 0;
	if (!d->patterns)
		return error_nomem(err, "reading a capture");
	for (size_t i = 0; !status && i < d->of.metric_count; i++) {
		const char *pattern = d->of.metrics[i];
		const char *own = input_device_name(d, pattern);
		status = own ? SX_OK : try_pattern(d, pattern, false, &why);
		if (status && is_elsewhere(d, pattern)) {
			status = SX_OK;
			continue;
		}
		/* A name of the vocabulary that no device has is no data, with a reason. */
		if (status)
			status = try_pattern(d, pattern, true, NULL);
		if (!status)
			d->patterns[d->pattern_count++] = own ? own : pattern;
	}
	if (err && (status || input_only_also(d)))
		*err = why;
	return status;
}

bool input_passes_over(const struct input_request *request, enum sx_status status, uint32_t devices)
{
	return request->metric_count && devices > 1 && status == SX_ERR_NOT_FOUND;
}

/* Whether the device has anything that is wanted besides. */
static bool has_any_also(const struct input_device *d)
{
	for (size_t i = 0; i < d->of.also_count; i++)
		if (input_device_name(d, d->of.also[i]))
			return true;
	return false;
}

enum sx_status input_device_prepare(const struct input_request *request, uint32_t place,
				    struct input_device **out, struct sx_error *err)
{
	enum sx_status status = input_device_open(request, place, out, err);
	if (!status)
		status = input_need_set(*out, err);
	if (!status)
		status = choose_patterns(*out, err);
	if (!status && input_only_also(*out) && !has_any_also(*out))
		status = SX_ERR_NOT_FOUND; /* of another device, as choose_patterns() found */
	return status;
}

struct sx_metrics_options input_selection(const struct input_device *d)
{
	return (struct sx_metrics_options){.patterns = d->patterns,
					   .pattern_count = d->pattern_count,
					   .keep_neutral = true,
					   .set = d->facts.set,
					   .variant = d->of.variant,
					   .constants = d->facts.constants,
					   .constant_count = d->facts.constant_count,
					   .counters = d->of.counters,
					   .like = d->raw};
}

const char *input_property(const struct sx_capture_info *info, const char *name)
{
	for (uint32_t i = 0; i < info->property_count; i++)
		if (strcmp(info->properties[i].name, name) == 0)
			return info->properties[i].value;
	return "";
}

bool input_is_imported(const struct input_device *d)
{
	return !d->reader || *input_property(sx_capture_info(d->reader), "imported-from");
}

struct report_source input_report_source(const struct input_device *d)
{
	return (struct report_source){.catalog = d->catalog,
				      .facts = d->facts,
				      .imported = input_is_imported(d),
				      .metrics = d->metrics,
				      .like = d->raw,
				      .chosen = d->of.metric_count > 0};
}

enum sx_status input_related(const struct input_device *a, const struct input_device *b,
			     struct sx_error *err)
{
	if (report_clocks_are_related(a->info->facts.clock, b->info->facts.clock))
		return SX_OK;
	error_set(err, SX_ERR_UNSUPPORTED, "%s and %s cannot be joined",
		  a->info->facts.name ? a->info->facts.name : a->info->catalog,
		  b->info->facts.name ? b->info->facts.name : b->info->catalog);
	error_because(err, "they are of files whose times begin anywhere: nothing says which "
			   "were at the same time");
	error_try(err, "without --join; or -d, one of them");
	return SX_ERR_UNSUPPORTED;
}
