/* What of a capture's device is asked for: its metrics, and a report of them. */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "tools/cli/input/capture_view.h"

enum sx_status capture_view_need_set(const struct cli *cli, const struct capture_view *view,
				     struct sx_error *err)
{
	if (view->facts.set || cli->options.metrics.count || cli->options.counters ||
	    !sx_catalog_has_sets(view->catalog))
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "%s does not tell which metric set was programmed",
		  view->path);
	error_because(err, "each set counts other things, under the same names too");
	error_try(err, "--set NAME; sextant list sets --for %s",
		  sx_catalog_info(view->catalog)->name);
	return SX_ERR_USAGE;
}

/* A recording also holds counters that its catalog does not know: found on the device itself. */
static enum sx_status try_pattern(const struct cli *cli, const struct capture_view *view,
				  const char *pattern, bool neutral, struct sx_error *err)
{
	struct sx_metrics *metrics = NULL;
	struct sx_table *columns = NULL;
	enum sx_status status = capture_view_table(view, &columns, err);
	struct sx_metrics_options options = capture_view_selection(cli, view, columns);
	options.patterns = &pattern;
	options.pattern_count = 1;
	options.keep_neutral = neutral;
	if (!status)
		status = sx_metrics_create(view->catalog, &options, &metrics, err);
	sx_metrics_destroy(metrics);
	sx_table_destroy(columns);
	return status;
}

const char *capture_view_name(const struct cli *cli, const struct capture_view *view,
			      const char *pattern)
{
	const char *whose[] = {view->info->facts.source, view->info->catalog};
	if (try_pattern(cli, view, pattern, false, NULL) == SX_OK)
		return pattern;
	for (size_t i = 0; i < 2; i++) {
		const char *rest = suggest_behind(pattern, whose[i], view->facts.number);
		if (rest && try_pattern(cli, view, rest, false, NULL) == SX_OK)
			return rest;
	}
	return NULL;
}

static bool is_elsewhere(const struct cli *cli, const struct capture_view *view,
			 const char *pattern)
{
	bool found = false;
	for (uint32_t i = 0; !found && i < sx_capture_info(view->reader)->device_count; i++) {
		struct capture_view *other = NULL;
		if (i == view->device || capture_view_device(cli, view->path, i, &other, NULL))
			continue;
		found = capture_view_name(cli, other, pattern) != NULL;
		capture_view_close(other);
	}
	return found;
}

bool capture_view_only_also(const struct cli *cli, const struct capture_view *view)
{
	return cli->options.metrics.count && !view->pattern_count;
}

/*
 * Fills `patterns`: where a capture has several devices, a metric of one need not be one of the
 * others. SX_ERR_NOT_FOUND when one is for no device; where none of them is for this one, *err says
 * what the first is not.
 */
static enum sx_status capture_view_choose(const struct cli *cli, struct capture_view *view,
					  struct sx_error *err)
{
	const struct string_list *all = &cli->options.metrics;
	enum sx_status status = SX_OK;
	struct sx_error why = {0};
	view->patterns = calloc(all->count + 1, sizeof(*view->patterns));
	view->pattern_count = 0;
	if (!view->patterns)
		return error_nomem(err, "reading a capture");
	for (size_t i = 0; !status && i < all->count; i++) {
		const char *pattern = all->items[i];
		const char *own = capture_view_name(cli, view, pattern);
		status = own ? SX_OK : try_pattern(cli, view, pattern, false, &why);
		if (status && is_elsewhere(cli, view, pattern)) {
			status = SX_OK;
			continue;
		}
		/* A name of the vocabulary that no device has is no data, with a reason. */
		if (status)
			status = try_pattern(cli, view, pattern, true, NULL);
		if (!status)
			view->patterns[view->pattern_count++] = own ? own : pattern;
	}
	if (err && (status || capture_view_only_also(cli, view)))
		*err = why;
	return status;
}

bool capture_view_passes_over(const struct cli *cli, enum sx_status status, uint32_t devices)
{
	return cli->options.metrics.count && devices > 1 && status == SX_ERR_NOT_FOUND;
}

/* Whether the device has anything that is wanted besides. */
static bool has_any(const struct cli *cli, const struct capture_view *view,
		    const struct capture_device *of)
{
	for (size_t i = 0; i < of->also_count; i++)
		if (capture_view_name(cli, view, of->also[i]))
			return true;
	return false;
}

enum sx_status capture_view_prepare(const struct cli *cli, const struct capture_device *of,
				    struct capture_view **view, struct sx_table **raw,
				    struct sx_error *err)
{
	*raw = NULL;
	enum sx_status status = capture_view_device(cli, of->path, of->place, view, err);
	if (!status)
		status = capture_view_need_set(cli, *view, err);
	if (!status)
		status = capture_view_choose(cli, *view, err);
	if (!status && capture_view_only_also(cli, *view) && !has_any(cli, *view, of))
		status = SX_ERR_NOT_FOUND; /* of another device, as capture_view_choose() found */
	if (!status)
		status = capture_view_table(*view, raw, err);
	return status;
}

struct sx_metrics_options capture_view_selection(const struct cli *cli,
						 const struct capture_view *view,
						 const struct sx_table *raw)
{
	struct sx_metrics_options selection = options_selection(&cli->options, raw);
	selection.patterns = view->patterns;
	selection.pattern_count = view->pattern_count;
	selection.set = view->facts.set;
	selection.constants = view->facts.constants;
	selection.constant_count = view->facts.constant_count;
	return selection;
}

const char *capture_view_property(const struct sx_capture_info *info, const char *name)
{
	for (uint32_t i = 0; i < info->property_count; i++)
		if (strcmp(info->properties[i].name, name) == 0)
			return info->properties[i].value;
	return "";
}

struct report_source capture_view_source(const struct cli *cli, const struct capture_view *view,
					 const struct sx_metrics *metrics,
					 const struct sx_table *raw)
{
	return (struct report_source){.catalog = view->catalog,
				      .facts = view->facts,
				      .numbered = true,
				      .metrics = metrics,
				      .like = raw,
				      .chosen = cli->options.metrics.count > 0};
}

enum sx_status capture_view_related(const struct capture_view *a, const struct capture_view *b,
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
