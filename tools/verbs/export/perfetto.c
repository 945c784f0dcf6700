/*
 * A capture as a Perfetto trace, in two passes: the first works out the report, which columns have
 * data and which rows overlap; the second writes the rows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/perfetto/perfetto.h"
#include "base/number.h"
#include "output/write/zip.h"
#include "input/input.h"
#include "input/text.h"
#include "tools/cli/request.h"
#include "tools/verbs/export/export.h"

#define TEXTS_MAX 64
#define MERGE_HEAD                                                                                 \
	"{\"perfetto_manifest\":{\"version\":1,\"trace_time\":{\"clock\":\"BOOTTIME\"},\"files\":" \
	"["

/* What the first pass finds of a device. */
struct found {
	struct lanes lanes;
	uint32_t columns;
	bool *any, *skipped;
};

struct tracing {
	struct cli *cli;
	struct input_report read;
	struct found **found;
	uint32_t found_count;
	struct trace_device *devices;
	struct trace_text texts[TEXTS_MAX];
	char keys[TEXTS_MAX][64];
	uint32_t text_count;
	struct trace *out;
};

static enum sx_status trace_device(void *user, uint32_t index, const struct input_device *d,
				   struct sx_error *err)
{
	struct tracing *t = user;
	struct found **list = realloc(t->found, ((size_t)index + 1) * sizeof(*list));
	if (!list)
		return error_nomem(err, "exporting");
	t->found = list;
	struct found *found = list[index] = calloc(1, sizeof(*found));
	t->found_count = index + 1;
	if (!found)
		return error_nomem(err, "exporting");
	found->columns = sx_table_column_count(d->raw);
	found->any = calloc((size_t)found->columns + 1, sizeof(*found->any));
	found->skipped = calloc((size_t)found->columns + 1, sizeof(*found->skipped));
	return found->any && found->skipped ? SX_OK : error_nomem(err, "exporting");
}

static bool has_data(const struct sx_table *raw, uint32_t column)
{
	struct sx_vector v = sx_table_vector(raw, column);
	for (size_t r = 0; v.data && r < sx_table_row_count(raw); r++)
		if (!v.quality || !(v.quality[r] & SX_QUALITY_NO_DATA_MASK))
			return true;
	return false;
}

/* Whether a row was skipped by sampling, so that others represent it. */
static bool has_skipped(const struct sx_table *raw, uint32_t column)
{
	struct sx_vector v = sx_table_vector(raw, column);
	for (size_t r = 0; v.data && v.quality && r < sx_table_row_count(raw); r++)
		if (sx_quality_is_skipped(v.quality[r]))
			return true;
	return false;
}

static enum sx_status trace_scan(void *user, uint32_t index, const struct sx_table *raw,
				 struct sx_error *err)
{
	struct found *found = ((struct tracing *)user)->found[index];
	lanes_scan(&found->lanes, raw);
	for (uint32_t c = 0; c < found->columns; c++) {
		found->any[c] = found->any[c] || has_data(raw, c);
		found->skipped[c] = found->skipped[c] || has_skipped(raw, c);
	}
	return SX_OK;
}

static struct trace_clocks clocks_of(const struct sx_capture_record *record)
{
	struct trace_clocks out = {0};
	for (uint32_t i = 0; i < record->clock_count; i++) {
		const struct sx_capture_clock *clock = &record->clocks[i];
		if (strcmp(clock->name, "monotonic") == 0)
			out.monotonic_ns = clock->value_ns;
		else if (strcmp(clock->name, "boottime") == 0)
			out.boottime_ns = clock->value_ns;
		else if (strcmp(clock->name, "realtime") == 0)
			out.realtime_ns = clock->value_ns;
	}
	return out;
}

/* The first reading of the clocks, which has to come before everything that needs it. */
static enum sx_status first_clocks(const struct input_request *request, struct trace_clocks *out,
				   struct sx_error *err)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	const struct sx_capture_filter heads = {.heads_only = true};
	enum sx_status status = input_open(request, &reader, err);
	if (status)
		return status;
	sx_capture_set_filter(reader, &heads);
	while (!out->monotonic_ns && (status = sx_capture_next(reader, &record, err)) == SX_OK)
		if (record.type == SX_CAPTURE_CLOCK && record.device == SX_CAPTURE_NO_DEVICE)
			*out = clocks_of(&record);
	sx_capture_close(reader);
	return status == SX_END || status == SX_AGAIN ? SX_OK : status;
}

/* What the capture says of itself. */
static void add_properties(struct tracing *t, const struct sx_capture_info *info)
{
	for (uint32_t i = 0; i < info->property_count && t->text_count < TEXTS_MAX; i++) {
		char *key = t->keys[t->text_count];
		snprintf(key, sizeof(t->keys[0]), "sextant.capture.%.40s",
			 info->properties[i].name);
		t->texts[t->text_count++] = (struct trace_text){key, info->properties[i].value};
	}
}

static enum sx_status list_devices(struct tracing *t, const struct report *report,
				   struct sx_error *err)
{
	const struct options *o = &t->cli->options;
	bool chosen = o->metrics.count > 0;
	t->devices = calloc((size_t)t->read.count + 1, sizeof(*t->devices));
	if (!t->devices)
		return error_nomem(err, "exporting");
	for (uint32_t i = 0; i < t->read.count; i++) {
		const struct input_device *d = t->read.devices[i];
		t->devices[i] =
		    (struct trace_device){.report = &report->devices[i],
					  .metrics = o->counters && !chosen ? NULL : d->metrics,
					  .raw = d->raw,
					  .raw_any = chosen ? NULL : t->found[i]->any,
					  .raw_skipped = t->found[i]->skipped,
					  .lanes = &t->found[i]->lanes,
					  .clock = d->info->facts.clock,
					  .interval_ns = d->info->interval_ns,
					  .number = d->facts.number};
		for (int l = 0; l < SX_LABEL_COUNT; l++)
			t->devices[i].labels[l] = input_label(d->info, (enum sx_label)l);
	}
	return SX_OK;
}

static enum sx_status write_rows(struct tracing *t, uint32_t index, const struct sx_rows *rows,
				 struct sx_error *err)
{
	struct sx_table *raw = t->read.devices[index]->raw, *values = NULL;
	sx_table_clear(raw);
	enum sx_status status = sx_table_append(raw, rows, err);
	if (!status && t->devices[index].metrics)
		status = sx_metrics_eval(t->devices[index].metrics, raw, &values, err);
	if (!status)
		status = trace_rows(t->out, index, raw, values, err);
	sx_table_destroy(values);
	return status;
}

static uint32_t index_of(const struct tracing *t, uint32_t device)
{
	for (uint32_t i = 0; i < t->read.count; i++)
		if (t->read.devices[i]->place == device)
			return i;
	return SX_NONE;
}

static void write_mark(struct tracing *t, const struct sx_capture_record *record, uint32_t index)
{
	bool lost = record->type == SX_CAPTURE_LOSS;
	const struct sx_capture_mark *mark = &record->mark;
	if (index == SX_NONE && record->device != SX_CAPTURE_NO_DEVICE)
		return; /* of a device that was not asked for */
	trace_mark(t->out, &(struct trace_event){
			       .type = lost				? TRACE_LOSS
				       : record->type == SX_CAPTURE_GAP ? TRACE_GAP
									: TRACE_NOTE,
			       .device = index,
			       .begin_ns = mark->begin_ns,
			       .end_ns = mark->end_ns,
			       .lost = lost && mark->lost != SX_CAPTURE_COUNT_UNKNOWN ? mark->lost
										      : UINT64_MAX,
			       .text = mark->text});
}

static enum sx_status write_record(struct tracing *t, const struct sx_capture_record *record,
				   bool *clocked, struct sx_error *err)
{
	uint32_t index = index_of(t, record->device);
	if (record->type == SX_CAPTURE_ROWS)
		return index == SX_NONE ? SX_OK : write_rows(t, index, &record->rows, err);
	if (record->type != SX_CAPTURE_CLOCK) {
		write_mark(t, record, index);
		return SX_OK;
	}
	if (record->device != SX_CAPTURE_NO_DEVICE)
		return SX_OK; /* a device's own clock, of which traces know nothing */
	struct trace_clocks clocks = clocks_of(record);
	if (clocks.monotonic_ns && *clocked)
		trace_clocks(t->out, &clocks);
	*clocked = *clocked || clocks.monotonic_ns;
	return SX_OK;
}

static enum sx_status write_records(struct tracing *t, struct sx_error *err)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	bool clocked = false;
	enum sx_status status = input_open(&t->read.devices[0]->of, &reader, err);
	while (!status && !ferror(t->cli->view.out.out)) {
		status = sx_capture_next(reader, &record, err);
		if (!status)
			status = write_record(t, &record, &clocked, err);
	}
	sx_capture_close(reader);
	return status == SX_END || status == SX_AGAIN ? SX_OK : status;
}

static enum sx_status write_trace(struct tracing *t, FILE *out, const struct report *report,
				  struct sx_error *err)
{
	const struct sx_capture_info *info = sx_capture_info(t->read.devices[0]->reader);
	uint64_t untimed = 0;
	struct trace_head head = {.report = report,
				  .devices = t->devices,
				  .device_count = t->read.count,
				  .texts = t->texts,
				  .created_ns = report->created_ns};
	add_properties(t, info);
	head.text_count = t->text_count;
	enum sx_status status = first_clocks(&t->read.devices[0]->of, &head.clocks, err);
	if (!status)
		status = trace_begin(out, &head, &t->out, err);
	if (!status)
		status = write_records(t, err);
	if (!status)
		status = trace_end(t->out, &untimed, err);
	if (!status && untimed)
		cli_note(t->cli,
			 "note: %s without a place in a trace: the time is not known, or too many "
			 "overlap",
			 COUNTED(untimed, "sample"));
	return status;
}

static enum sx_status no_trace(const char *path, struct sx_error *err)
{
	error_set(err, SX_ERR_BAD_INPUT, "%s is no trace of Perfetto", path);
	error_because(err, "it begins with something else than a packet");
	error_try(err, "the file that perfetto or tracebox wrote");
	return SX_ERR_BAD_INPUT;
}

/* Copies the system's trace as it is, once its beginning was seen to be one. */
static enum sx_status copy_system(struct zip *zip, const char *path, int fd, struct sx_error *err)
{
	uint8_t block[65536];
	FILE *member = NULL;
	enum sx_status status = SX_OK;
	ssize_t n = 0;
	while (!status && (n = read(fd, block, sizeof(block))) > 0) {
		bool begins = block[0] == 0x0a || (n > 1 && block[0] == 0x1f && block[1] == 0x8b);
		if (!member && !begins)
			status = no_trace(path, err);
		else if (!member && !(member = zip_member(zip, "system.pftrace")))
			status = error_nomem(err, "exporting");
		if (member && fwrite(block, 1, (size_t)n, member) != (size_t)n)
			break;
	}
	if (!status && n < 0)
		status = error_errno(err, errno, "cannot read %s", path);
	if (!status && !member)
		status = no_trace(path, err);
	if (member)
		fclose(member);
	return status;
}

static enum sx_status write_manifest(struct zip *zip, struct sx_error *err)
{
	FILE *member = zip_member(zip, "perfetto_manifest.json");
	if (!member)
		return error_nomem(err, "exporting");
	fputs(MERGE_HEAD "{\"path\":\"system.pftrace\"},{\"path\":\"sextant.pftrace\"}]}}\n",
	      member);
	fclose(member);
	return SX_OK;
}

/* An archive of the system's trace, ours, and what says that they share their clocks. */
static enum sx_status write_archive(struct tracing *t, const char *system,
				    const struct report *report, struct sx_error *err)
{
	struct zip zip = {.out = t->cli->view.out.out};
	int fd = -1;
	enum sx_status status = input_fd_open(system, &fd, err);
	if (status)
		return status;
	status = write_manifest(&zip, err);
	if (!status)
		status = copy_system(&zip, system, fd, err);
	if (fd != STDIN_FILENO)
		close(fd);
	FILE *member = status ? NULL : zip_member(&zip, "sextant.pftrace");
	if (!status)
		status =
		    member ? write_trace(t, member, report, err) : error_nomem(err, "exporting");
	if (member)
		fclose(member);
	if (!status)
		zip_end(&zip);
	if (!status && zip.too_large) {
		status = error_set(err, SX_ERR_LIMIT, "the archive would be larger than 4 GiB");
		error_because(err, "that is the most that a plain ZIP holds");
		error_try(err, "a part of both: sextant capture cut");
	}
	return status;
}

static void tracing_finish(struct tracing *t)
{
	trace_destroy(t->out);
	for (uint32_t i = 0; i < t->found_count; i++) {
		if (t->found[i]) {
			free(t->found[i]->any);
			free(t->found[i]->skipped);
		}
		free(t->found[i]);
	}
	free(t->found);
	free(t->devices);
	input_report_close(&t->read);
}

static enum sx_status not_for_terminals(struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "a trace is not written to a terminal");
	error_because(err, "it is no text");
	error_try(err, "-o FILE.pftrace");
	return SX_ERR_USAGE;
}

int export_perfetto(struct cli *cli, const char *path)
{
	struct sx_error err = {0};
	struct tracing t = {.cli = cli};
	const struct input_request request = request_of(cli, path);
	const struct input_report_options options = {
	    .begin = trace_device, .rows = trace_scan, .user = &t, .everything = true};
	const struct report *report = NULL;
	const char *system = cli->options.merge;
	bool whole = true;
	enum sx_status status = cli->view.out.terminal ? not_for_terminals(&err) : SX_OK;
	if (!status)
		status = input_report_read(&request, &options, &t.read, &err);
	if (!status)
		status = report_finish(t.read.fill, &report, &err);
	if (!status)
		status = list_devices(&t, report, &err);
	if (!status)
		status = system ? write_archive(&t, system, report, &err)
				: write_trace(&t, cli->view.out.out, report, &err);
	if (!status)
		whole = input_report_note(&t.read) &&
			!(cli->options.metrics.count && report_lacks_named(report));
	tracing_finish(&t);
	if (status)
		return cli_fail(cli, &err);
	return whole ? EXIT_OK : EXIT_INCOMPLETE;
}
