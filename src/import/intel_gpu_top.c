/*
 * intel_gpu_top -J (objects in an array that may have no end, or no beginning) and -c (CSV). Seen:
 * IGT 1.25 to 2.0 (tools/intel_gpu_top.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/cells.h"
#include "import/read_json.h"

struct reader {
	struct import_job *job;
	struct import_rows *rows;
	size_t row;
	bool open;
	double busy;	/* of the engines that render or compute; NaN: none seen */
	double seconds; /* length of the row at hand, 0: not told */
	uint64_t now_ns;
};

static const struct {
	const char *engine, *busy, *short_name;
} engines[] = {
    {"Render/3D", "RenderBusy", "RCS"}, {"Blitter", "CopyBusy", "BCS"},
    {"Video", "VideoBusy", "VCS"},	{"VideoEnhance", "VideoEnhanceBusy", "VECS"},
    {"Compute", "ComputeBusy", "CCS"},
};
#define ENGINES (sizeof(engines) / sizeof(engines[0]))

static bool json_recognise(struct import_cell head)
{
	return memmem(head.text, head.size, "\"period\"", 8) &&
	       (memmem(head.text, head.size, "\"engines\"", 9) ||
		memmem(head.text, head.size, "\"rc6\"", 5)) &&
	       memmem(head.text, head.size, "\"requested\"", 11);
}

static bool gpu_top_recognise(const struct import_head *head)
{
	struct import_cell text = {head->text, head->size};
	return import_begins(text, "Freq MHz req,Freq MHz act,") || json_recognise(text);
}

static void set(struct reader *r, const char *name, const char *unit, double factor, double value)
{
	struct import_field field = {
	    .name = name, .unit = unit, .over_time = SX_REDUCE_MEAN, .factor = factor};
	import_set(r->rows, import_column(r->rows, &field), r->row, value);
}

/* "Render/3D/0" or, when engines of a class are shown as one, "Render/3D". */
static void set_engine(struct reader *r, struct import_cell engine, struct import_cell what,
		       double value)
{
	struct import_cell stem = engine;
	char name[96];
	while (stem.size && stem.text[stem.size - 1] >= '0' && stem.text[stem.size - 1] <= '9')
		stem.size--;
	bool numbered = stem.size < engine.size && stem.size && stem.text[stem.size - 1] == '/';
	stem.size = numbered ? stem.size - 1 : engine.size;
	bool first = !numbered || engine.text[engine.size - 1] == '0';
	bool busy = import_is(what, "busy");
	for (size_t i = 0; i < ENGINES; i++) {
		if (!import_is(stem, engines[i].engine) || !busy)
			continue;
		if (i == 0 || i == 4)
			r->busy = isnan(r->busy) || value > r->busy ? value : r->busy;
		if (first) {
			set(r, engines[i].busy, "percent", 1, value);
			return;
		}
	}
	snprintf(name, sizeof(name), "%.*s %.*s", (int)(engine.size < 60 ? engine.size : 60),
		 engine.text, (int)(what.size < 20 ? what.size : 20), what.text);
	set(r, name, "percent", 1, value);
}

static void take_number(struct reader *r, const struct read_json_place *at, double value)
{
	if (read_json_at(at, 2, "period", "duration", NULL))
		r->seconds = value / 1e3;
	else if (read_json_at(at, 2, "frequency", "requested", NULL))
		set(r, "GpuFrequencyRequested", "Hz", 1e6, value);
	else if (read_json_at(at, 2, "frequency", "actual", NULL))
		set(r, "GpuFrequency", "Hz", 1e6, value);
	else if (read_json_at(at, 2, "interrupts", "count", NULL))
		set(r, "InterruptRate", "interrupts/s", 1, value);
	else if (read_json_at(at, 2, "rc6", "value", NULL))
		set(r, "SleepShare", "percent", 1, value);
	else if (read_json_at(at, 2, "power", "GPU", NULL))
		set(r, "GpuPower", "mW", 1e3, value);
	else if (read_json_at(at, 2, "power", "Package", NULL))
		set(r, "PackagePower", "mW", 1e3, value);
	else if (read_json_at(at, 2, "imc-bandwidth", "reads", NULL))
		set(r, "MemoryReadBandwidth", "MB/s", 1.048576, value);
	else if (read_json_at(at, 2, "imc-bandwidth", "writes", NULL))
		set(r, "MemoryWriteBandwidth", "MB/s", 1.048576, value);
	else if (at->depth == 3 && import_is(at->keys[0], "engines"))
		set_engine(r, at->keys[1], at->keys[2], value);
}

static void end_sample(struct reader *r)
{
	if (!isnan(r->busy))
		set(r, "GpuBusy", "percent", 1, r->busy);
	r->open = false;
}

static void end_time(struct reader *r)
{
	uint64_t end = r->now_ns;
	if (r->seconds > 0 && r->seconds < 1e6)
		end += (uint64_t)(r->seconds * 1e9);
	if (end > r->now_ns)
		import_row_time(r->rows, r->row, r->now_ns, end);
	else
		import_tell(r->job, "some periods have no length that can be: their samples have "
				    "no times");
	r->now_ns = end;
}

static void see(void *user, enum read_json_event event, const struct read_json_place *at,
		struct import_cell value)
{
	struct reader *r = user;
	double number;
	if (event == READ_JSON_BEGIN && at->depth == 0) {
		r->row = import_row(r->rows, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN);
		r->open = true;
		r->busy = NAN;
		r->seconds = 0;
	} else if (event == READ_JSON_END && at->depth == 0) {
		end_sample(r);
		end_time(r);
	} else if (event == READ_JSON_BARE && r->open && import_number(value, &number)) {
		take_number(r, at, number);
	} else if (at->depth > 1 && import_is(at->keys[0], "clients")) {
		import_tell(r->job, "what single programs used (clients) was left out");
	}
}

static enum sx_status read_samples(struct reader *r, struct sx_error *err)
{
	size_t line;
	enum read_json_result result = read_json_walk(r->job->text, r->job->size, see, r, &line);
	if (result == READ_JSON_BAD)
		return import_bad(r->job, line, err, "intel_gpu_top -J writes JSON",
				  "this is no JSON");
	if (r->open) {
		end_sample(r);
		return import_cut(r->job, line, err);
	}
	return SX_OK;
}

/* Columns of -c: what they are, by their words. */
static const struct import_word words[] = {
    {"Freq MHz req", "GpuFrequencyRequested", "Hz", 1e6},
    {"Freq MHz act", "GpuFrequency", "Hz", 1e6},
    {"IRQ /s", "InterruptRate", "interrupts/s", 1},
    {"RC6 %", "SleepShare", "percent", 1},
    {"Power W gpu", "GpuPower", "mW", 1e3},
    {"Power W pkg", "PackagePower", "mW", 1e3},
    {"IMC MiB/s rd", "MemoryReadBandwidth", "MB/s", 1.048576},
    {"IMC MiB/s wr", "MemoryWriteBandwidth", "MB/s", 1.048576},
    {"RCS %", "RenderBusy", "percent", 1},
    {"BCS %", "CopyBusy", "percent", 1},
    {"VCS %", "VideoBusy", "percent", 1},
    {"VECS %", "VideoEnhanceBusy", "percent", 1},
    {"CCS %", "ComputeBusy", "percent", 1},
};

static enum sx_status read_lines(struct reader *r, struct sx_error *err)
{
	struct cells cells;
	struct import_lines lines = import_lines(r->job);
	struct import_cell header = {"", 0};
	import_line(&lines, &header);
	enum sx_status status = cells_begin(&cells, r->job, lines, header, err);
	while (!status && cells_next(&cells)) {
		double value;
		r->row = import_row(r->rows, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN);
		r->busy = NAN;
		for (size_t i = 0; i < cells.columns; i++) {
			struct import_field field = import_monitor(
			    r->job, words, sizeof(words) / sizeof(words[0]), cells.head[i]);
			if (!import_number(cells.row[i], &value))
				continue;
			if (strcmp(field.unit, "count") == 0)
				field.unit = "percent"; /* "RCS se", "RCS wa" */
			import_set(r->rows, import_column(r->rows, &field), r->row, value);
			if ((import_is(cells.head[i], "RCS %") ||
			     import_is(cells.head[i], "CCS %")) &&
			    !(r->busy >= value))
				r->busy = value;
		}
		end_sample(r);
	}
	import_tell(r->job, "intel_gpu_top -c writes no times: what depends on the length of a "
			    "sample is no data");
	return status ? status : cells_end(&cells, err);
}

static enum sx_status gpu_top_read(struct import_job *job, struct sx_error *err)
{
	struct reader r = {.job = job};
	r.rows = import_rows_create(job, &(struct import_rows_options){.catalog = "monitor",
								       .name = "Intel GPU",
								       .driver = "i915",
								       .kind = SX_SAMPLE_TIME});
	if (!r.rows)
		return error_nomem(err, "importing");
	bool csv = import_begins((struct import_cell){job->text, job->size}, "Freq MHz");
	enum sx_status status = csv ? read_lines(&r, err) : read_samples(&r, err);
	return import_rows_finish(r.rows, status, err);
}

const struct import_format import_intel_gpu_top = {
    .kind = "intel-gpu-top",
    .about = "samples of intel_gpu_top",
    .recognise = gpu_top_recognise,
    .read = gpu_top_read,
};
