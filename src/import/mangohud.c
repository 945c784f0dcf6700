/*
 * Logs of MangoHud: an optional version, a table of one line about the system, and a line a frame
 * or an interval. Seen: 0.6 to 0.8 (src/logging.cpp, writeFile).
 */
#include <stdlib.h>
#include <string.h>

#include "import/cells.h"
#include "import/times.h"

static const struct import_word words[] = {
    {"fps", "FrameRate", "frames/s", 1},
    {"frametime", "FrameTime", "ns", 1e6},
    {"cpu_load", "CpuBusy", "percent", 1},
    {"cpu_power", "CpuPower", "mW", 1e3},
    {"gpu_load", "GpuBusy", "percent", 1},
    {"cpu_temp", "CpuTemperature", "degC", 1},
    {"gpu_temp", "GpuTemperature", "degC", 1},
    {"gpu_core_clock", "GpuFrequency", "Hz", 1e6},
    {"gpu_mem_clock", "MemoryFrequency", "Hz", 1e6},
    {"gpu_vram_used", "MemoryUsed", "bytes", 0x1p30},
    {"gpu_power", "GpuPower", "mW", 1e3},
    {"ram_used", "SystemMemoryUsed", "bytes", 0x1p30},
    {"swap_used", "SwapUsed", "bytes", 0x1p30},
    {"process_rss", "ProcessMemory", "bytes", 0x1p30},
    {"cpu_mhz", "CpuFrequency", "Hz", 1e6},
};
#define WORDS (sizeof(words) / sizeof(words[0]))

/* A word without the unit that some versions write behind it. */
static struct import_cell bare(struct import_cell cell)
{
	const char *open = memchr(cell.text, '(', cell.size);
	if (open)
		cell.size = (size_t)(open - cell.text);
	return cell;
}

static bool is_header(struct import_cell line)
{
	struct import_cell cells[2];
	return import_split(line, ',', cells, 2) == 2 && import_is(bare(cells[0]), "fps") &&
	       import_is(bare(cells[1]), "frametime");
}

/* MangoHud writes one line of averages beside each log, as NAME_summary.csv. */
static bool is_summary(struct import_cell line)
{
	struct import_cell cells[2];
	return import_split(line, ',', cells, 2) == 2 && import_is(cells[0], "0.1% Min FPS") &&
	       import_is(cells[1], "1% Min FPS");
}

static bool mangohud_recognise(const struct import_head *head)
{
	struct import_job job = {.text = head->text, .size = head->size};
	struct import_lines lines = import_lines(&job);
	struct import_cell line;
	while (lines.number < 8 && import_line(&lines, &line))
		if (is_header(line) || (lines.number == 1 && is_summary(line)))
			return true;
	return false;
}

/* What the line about the system says of the device. */
static void name_device(struct import_rows *rows, struct import_job *job, struct import_cell keys,
			struct import_cell values)
{
	struct import_cell key[16], value[16];
	size_t count = import_split(keys, ',', key, 16);
	if (import_split(values, ',', value, 16) != count) {
		import_tell(job, "the line about the system has commas within its values: the "
				 "device's name was left out");
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (import_is(key[i], "gpu") && value[i].size)
			import_rows_name(rows, import_text(job, value[i].text, value[i].size));
}

/*
 * Milliseconds, or in old versions whole microseconds: frames a second times the length of one
 * tells.
 */
static double frame_factor(const struct cells *cells)
{
	double fps, time;
	if (import_number(cells->row[0], &fps) && import_number(cells->row[1], &time) &&
	    fps * time > 1e5)
		return 1e3;
	return 1e6;
}

static void take_row(struct import_rows *rows, const struct cells *cells, size_t elapsed,
		     const uint32_t *columns, uint64_t *before)
{
	uint64_t end = cells_ns(cells, elapsed), begin = *before;
	double value;
	/* Also behind a time that cannot be, or where another log begins. */
	bool follows = begin != SX_TIME_UNKNOWN && begin < end &&
		       import_span_can_be((struct import_span){begin, end});
	if (!follows)
		begin = SX_TIME_UNKNOWN;
	if (!follows && end != SX_TIME_UNKNOWN && import_number(cells->row[1], &value)) {
		double length = value * frame_factor(cells);
		begin = length > 0 && length < (double)end ? end - (uint64_t)length : 0;
	}
	size_t row = import_row(rows, begin, end);
	*before = end;
	for (size_t i = 0; i < cells->columns; i++) {
		if (i == elapsed || columns[i] == SX_NONE || !import_number(cells->row[i], &value))
			continue;
		import_set(rows, columns[i], row,
			   i == 1 ? value * frame_factor(cells) / 1e6 : value);
	}
}

static enum sx_status read_rows(struct import_rows *rows, struct cells *cells, struct sx_error *err)
{
	uint32_t *columns = calloc(cells->columns + 1, sizeof(*columns));
	uint64_t before = SX_TIME_UNKNOWN;
	size_t elapsed = SIZE_MAX;
	if (!columns)
		return error_nomem(err, "importing");
	for (size_t i = 0; i < cells->columns; i++) {
		struct import_cell word = bare(cells->head[i]);
		struct import_field field = import_monitor(cells->job, words, WORDS, word);
		columns[i] = SX_NONE;
		if (import_is(word, "elapsed"))
			elapsed = i;
		else
			columns[i] = import_column(rows, &field);
	}
	while (cells_next(cells))
		take_row(rows, cells, elapsed, columns, &before);
	free(columns);
	return cells_end(cells, err);
}

static enum sx_status summary(const struct import_job *job, struct sx_error *err)
{
	error_set(err, SX_ERR_BAD_INPUT, "%s is the summary of a log of MangoHud",
		  job->request->path);
	error_because(err, "it holds one line of averages and no frames");
	error_try(err, "the log beside it, whose name is without _summary");
	return SX_ERR_BAD_INPUT;
}

static enum sx_status mangohud_read(struct import_job *job, struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	struct import_cell line, before = {0}, earlier = {0};
	bool found = false;
	while (!found && import_line(&lines, &line)) {
		found = is_header(line);
		if (lines.number == 1 && is_summary(line))
			return summary(job, err);
		if (!found && line.size && line.text[0] != '-') {
			earlier = before;
			before = line;
		}
	}
	if (!found)
		return import_bad(job, 0, err, "a log of MangoHud has a line fps,frametime,…",
				  "there is no header line");
	struct import_rows *rows = import_rows_create(
	    job, &(struct import_rows_options){.catalog = "monitor", .kind = SX_SAMPLE_FRAME});
	if (earlier.size && import_begins(earlier, "os,"))
		name_device(rows, job, earlier, before);
	struct cells cells;
	enum sx_status status = cells_begin(&cells, job, lines, line, err);
	if (!status)
		status = read_rows(rows, &cells, err);
	return import_rows_finish(rows, status, err);
}

const struct import_format import_mangohud = {
    .kind = "mangohud",
    .about = "a log of MangoHud",
    .recognise = mangohud_recognise,
    .read = mangohud_read,
};
