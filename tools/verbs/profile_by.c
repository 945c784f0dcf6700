/* The programs of a run as the rows of each, put together as `report --by process` does. */
#include "tools/verbs/profile.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "output/report/report.h"

#define TOP 20

bool profile_by_wanted(const struct cli *cli)
{
	return cli->options.per == SX_SAMPLE_PROCESS && cli->view.format == FORMAT_TEXT;
}

static bool make_room(struct profile_by *by, uint32_t index)
{
	if (index < by->count)
		return true;
	struct report_by **more =
	    realloc(by->devices, ((size_t)index + 1) * sizeof(struct report_by *));
	if (!more)
		return false;
	by->devices = more;
	while (by->count <= index)
		by->devices[by->count++] = NULL;
	return true;
}

/* The first metric with a value for programs, or NULL. */
static const char *first_shown(const struct sx_session_device *device)
{
	uint32_t count = 0;
	const char *found = NULL;
	struct sx_table *values = NULL;
	const struct sx_metric_column *columns = NULL;
	if (device->metrics &&
	    sx_metrics_eval(device->metrics, device->raw, &values, NULL) == SX_OK)
		columns = sx_metrics_columns(device->metrics, &count);
	for (uint32_t i = 0; i < count && !found; i++)
		for (size_t r = 0; r < sx_table_row_count(values) && !found; r++)
			if (!isnan(sx_table_get(values, i, r)))
				found = columns[i].name;
	sx_table_destroy(values);
	return found;
}

enum sx_status profile_by_add(struct profile_by *by, const struct cli *cli, uint32_t index,
			      const struct sx_session_device *device, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	if (!sx_table_row_count(device->raw) || !sx_table_has_label(device->raw, SX_LABEL_PROCESS))
		return SX_OK;
	if (!make_room(by, index))
		return error_nomem(err, "the programs of a run");
	struct report_by_options options = {
	    .catalog = device->catalog,
	    .metrics = {.patterns = cli->options.metrics.items,
			.pattern_count = (uint32_t)cli->options.metrics.count,
			.set = device->facts.set,
			.variant = cli->options.api,
			.constants = device->facts.constants,
			.constant_count = device->facts.constant_count},
	    .by = REPORT_BY_PROCESS,
	    .sort = by->devices[index] ? NULL : first_shown(device),
	    .top = TOP,
	    .begin_ns = sx_table_begin_ns(device->raw)[0],
	    .end_ns = SX_TIME_UNKNOWN,
	    .like = device->raw};
	if (!by->devices[index] && !options.sort)
		return SX_OK;
	if (!by->devices[index])
		status = report_by_begin(&options, &by->devices[index], err);
	/* What was chosen may be another device's. */
	if (status)
		return status == SX_ERR_NO_MEMORY ? status : SX_OK;
	status = report_by_add(by->devices[index], device->raw, err);
	return status == SX_ERR_NO_MEMORY ? status : SX_OK; /* beyond the limit of programs */
}

enum sx_status profile_by_write(struct profile_by *by, const struct cli *cli,
				const struct report *report, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && i < by->count && i < report->device_count; i++) {
		struct groups_out out = {.view = &cli->view,
					 .report = report,
					 .device = &report->devices[i],
					 .number = i,
					 .is_behind = true};
		if (!by->devices[i])
			continue;
		status = report_by_finish(by->devices[i], &out.g, err);
		if (status == SX_ERR_NOT_FOUND) {
			status = SX_OK;
			continue;
		}
		if (!status)
			status = groups_write(&out, 1, err);
	}
	return status;
}

void profile_by_finish(struct profile_by *by)
{
	for (uint32_t i = 0; i < by->count; i++)
		report_by_destroy(by->devices[i]);
	free(by->devices);
	*by = (struct profile_by){0};
}
