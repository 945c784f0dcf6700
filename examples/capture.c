/* A capture in 130 lines: a run recorded into a file, read again without the device, told in
 * statistics and findings. Usage: capture FILE */
#include <sextant/sextant.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const struct sx_error *err)
{
	fprintf(stderr, "error: %s\nbecause: %s\ntry: %s\n", err->message, err->because,
		err->remedy);
	return 1;
}

static enum sx_status record(struct sx_context *context, const char *path, struct sx_error *err)
{
	static const char *const device[] = {"mali-g310"}; /* simulated */
	const struct sx_session_options options = {.devices = device, .device_count = 1};
	const struct sx_session_limits limits = {.samples = 20};
	struct sx_session *session = NULL;
	struct sx_capture_writer *writer = NULL;
	enum sx_status status = sx_session_create(context, &options, &session, err);
	if (!status)
		status = sx_capture_create(path, NULL, &writer, err);
	if (!status) {
		sx_session_record(session, writer);
		status = sx_session_run(session, NULL, &limits, err);
	}
	sx_session_destroy(session);
	/* What was written stays readable, whatever happened; ending it writes the index. */
	enum sx_status ended = sx_capture_finish(writer, NULL, sx_failed(status) ? NULL : err);
	return sx_failed(status) ? status : ended;
}

/* What becomes of the rows of one device. */
struct telling {
	struct sx_catalog *catalog;
	struct sx_metrics *metrics;
	struct sx_table *rows;
	struct sx_summary *summary;
	struct sx_advice *advice;
};

static enum sx_status begin(struct sx_context *context, const struct sx_capture_device *device,
			    struct telling *t, struct sx_error *err)
{
	/* The user's own constants would stand behind the device's, and win. */
	const struct sx_metrics_options options = {.constants = device->facts.constants,
						   .constant_count = device->facts.constant_count};
	enum sx_status status = sx_recorded_catalog(context, device, &t->catalog, err);
	if (!status)
		status = sx_metrics_create(t->catalog, &options, &t->metrics, err);
	if (!status)
		status = sx_table_create(device->columns, device->column_count, device->kind,
					 &t->rows, err);
	if (!status)
		status = sx_summary_create(t->metrics, t->rows, &t->summary, err);
	return status ? status : sx_advice_create(t->catalog, &options, t->rows, &t->advice, err);
}

static enum sx_status add(struct telling *t, const struct sx_rows *rows, struct sx_error *err)
{
	sx_table_clear(t->rows);
	enum sx_status status = sx_table_append(t->rows, rows, err);
	if (!status)
		status = sx_summary_add(t->summary, t->rows, err);
	return status ? status : sx_advice_add(t->advice, t->rows, err);
}

static enum sx_status note(struct telling *t, struct sx_error *err)
{
	const struct sx_stats *stats;
	uint32_t count;
	size_t findings;
	enum sx_status status = sx_summary_stats(t->summary, &stats, &count, err);
	if (!status)
		status = sx_advice_finish(t->advice, err);
	if (status)
		return status;
	const struct sx_metric_column *columns = sx_metrics_columns(t->metrics, &count);
	for (uint32_t i = 0; i < count; i++)
		if (stats[i].count) /* a metric without data is not one of 0 */
			printf("%-40s %12g %12g %s\n", columns[i].name, stats[i].mean, stats[i].p95,
			       columns[i].unit);
	const struct sx_finding *list = sx_advice_findings(t->advice, &findings);
	for (size_t i = 0; i < findings && list[i].fired; i++)
		printf("%s in %zu of %zu samples\n", list[i].rule->rule, list[i].samples,
		       list[i].rows);
	return SX_OK;
}

static enum sx_status report(struct sx_context *context, const char *path, struct sx_error *err)
{
	struct telling t = {0};
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	enum sx_status status = sx_capture_open(path, &reader, err);
	if (status)
		return status;
	status = begin(context, sx_capture_device(reader, 0), &t, err);
	if (!status) /* not from the start: from the second half on */
		status = sx_capture_seek(reader,
					 sx_capture_info(reader)->begin_ns / 2 +
					     sx_capture_info(reader)->end_ns / 2,
					 err);
	while (!status && !(status = sx_capture_next(reader, &record, err)))
		if (record.type == SX_CAPTURE_ROWS && record.device == 0)
			status = add(&t, &record.rows, err);
	/* SX_END: all was read. SX_AGAIN: so far; its writer is still at work, or was killed. */
	if (!sx_failed(status))
		status = note(&t, err);
	sx_advice_destroy(t.advice);
	sx_summary_destroy(t.summary);
	sx_table_destroy(t.rows);
	sx_metrics_destroy(t.metrics);
	sx_catalog_unref(t.catalog);
	sx_capture_close(reader);
	return status;
}

int main(int argc, char **argv)
{
	struct sx_error err = {0};
	struct sx_context *context = NULL;
	if (argc != 2)
		return fprintf(stderr, "usage: %s FILE\n", argv[0]), 2;
	enum sx_status status = sx_context_create(NULL, &context, &err);
	if (!status)
		status = record(context, argv[1], &err);
	if (!sx_failed(status))
		status = report(context, argv[1], &err);
	sx_context_destroy(context);
	return sx_failed(status) ? fail(&err) : 0;
}
