/*
 * Logs of MangoHud: an optional version, a table of one line about the system, and a line a frame,
 * or one an interval (log_interval), which is then about its last frame. Several logs may follow
 * each other. Seen: 0.6 to 0.8 (src/logging.cpp, try_log).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "import/internal.h"

static const struct import_word mangohud_words[] = {
    {"fps", "FrameRate", "frames/s", 1},
    {"frametime", "LastFrameTime", "ns", 1e6},
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
#define WORDS (sizeof(mangohud_words) / sizeof(mangohud_words[0]))

/* A word without the unit that some versions write behind it. */
static struct import_cell mangohud_bare(struct import_cell cell)
{
	const char *open = memchr(cell.text, '(', cell.size);
	if (open)
		cell.size = (size_t)(open - cell.text);
	return cell;
}

/* The column of a word; SIZE_MAX: there is none. */
static size_t mangohud_find(const struct cells *cells, const char *word)
{
	for (size_t i = 0; i < cells->columns; i++)
		if (import_is(mangohud_bare(cells->head[i]), word))
			return i;
	return SIZE_MAX;
}

static bool mangohud_is_header(struct import_cell line)
{
	struct import_cell cells[2];
	/* Looked for in all lines: those of numbers are not cut into cells. */
	if (line.size && line.text[0] >= '0' && line.text[0] <= '9')
		return false;
	return import_split(line, ',', cells, 2) == 2 &&
	       import_is(mangohud_bare(cells[0]), "fps") &&
	       import_is(mangohud_bare(cells[1]), "frametime");
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
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell line;
	while (lines.number < 8 && import_line(&lines, &line))
		if (mangohud_is_header(line) || (lines.number == 1 && is_summary(line)))
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
		import_remark(job, "the line about the system has commas within its values: the "
				   "device's name was left out");
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (import_is(key[i], "gpu") && value[i].size)
			import_rows_describe(
			    rows, &(struct import_rows_options){
				      .name = import_text(job, value[i].text, value[i].size)});
}

/* Frames of a section that are looked at for their unit; fewer than FEW may all be odd ones. */
#define UNIT_ROWS 4096
#define UNIT_FEW  8

/* Rows for microseconds, and against them. */
struct unit_votes {
	size_t micro, milli;
};

static void unit_vote(struct unit_votes *votes, bool micro)
{
	votes->micro += micro;
	votes->milli += !micro;
}

/*
 * How many ns the unit of a section's frame times has: milliseconds, and microseconds before 0.6.9.
 * Frames a second times the length of one is 1e3 or 1e6 in most rows; in one alone it is not, for a
 * frame may be far longer or shorter than those that fps is a mean of. `cells` is a copy.
 */
static double section_unit(struct cells cells, size_t elapsed)
{
	const double middle = 31623; /* between 1e3 and 1e6 */
	struct unit_votes rate = {0}, span = {0};
	uint64_t before = SX_TIME_UNKNOWN;
	bool whole = true; /* as microseconds always are */
	for (size_t i = 0; i < UNIT_ROWS && cells_next(&cells); i++) {
		double fps, time;
		uint64_t end = cells_time(&cells, elapsed, 1);
		bool follows = before != SX_TIME_UNKNOWN && end != SX_TIME_UNKNOWN && end > before;
		double took = follows ? (double)(end - before) : 0;
		before = end;
		if (!import_number(cells.row[1], &time) || !(time > 0))
			continue;
		whole &= !memchr(cells.row[1].text, '.', cells.row[1].size);
		if (import_number(cells.row[0], &fps) && fps > 0)
			unit_vote(&rate, fps * time > middle);
		if (took > 0)
			unit_vote(&span, took / time < middle);
	}
	if (rate.micro + rate.milli >= UNIT_FEW)
		return rate.micro > rate.milli ? 1e3 : 1e6;
	/* A column that came with 0.7. */
	if (mangohud_find(&cells, "swap_used") != SIZE_MAX)
		return 1e6;
	size_t micro = rate.micro + span.micro, milli = rate.milli + span.milli;
	return micro > milli || (micro == milli && whole) ? 1e3 : 1e6;
}

/* One table of frames: what precedes it, and its lines. */
struct section {
	struct import_cell keys, values; /* the line about the system; empty: there is none */
	struct import_cell header;
	struct import_lines rows;
};

/* All logs of a file. */
struct log {
	struct import_job *job;
	struct import_rows *rows;
	size_t sections, second; /* line of the second log's header */
	size_t timed, near;	 /* lines with a time, and those a frame behind the one before */
	size_t mended;		 /* lines without a time, which follows from the frame's length */
	double unit_ns;		 /* of the frame times of the current section */
	bool frames;		 /* a line is a frame */
};

/* The line about the system, or the version before it. */
static bool begins_log(struct import_cell line)
{
	return import_begins(line, "os,") || import_is(line, "v1");
}

#define HEAD_LINES 8

/* Behind the lines of a table: at the file's end, or where another log begins. */
static struct import_lines end_of_rows(struct import_lines ahead)
{
	struct import_lines head = {0}, start = ahead;
	for (struct import_cell line; import_line(&ahead, &line); start = ahead) {
		if (mangohud_is_header(line))
			return head.p ? head : start;
		if (head.p && ahead.number - head.number > HEAD_LINES + 1)
			head.p = NULL;
		if (!head.p && begins_log(line))
			head = start;
	}
	return ahead;
}

/* The next table of frames; `lines` goes on behind it. */
static bool next_section(struct import_lines *lines, struct section *out)
{
	struct import_cell line, before = {0}, earlier = {0};
	while (import_line(lines, &line)) {
		if (!mangohud_is_header(line)) {
			if (!line.size || line.text[0] == '-')
				continue;
			earlier = before;
			before = line;
			continue;
		}
		*out = (struct section){.header = line, .rows = *lines};
		if (earlier.size && import_begins(earlier, "os,")) {
			out->keys = earlier;
			out->values = before;
		}
		*lines = end_of_rows(*lines);
		out->rows.end = lines->p;
		return true;
	}
	return false;
}

/* Whether lines follow each other by the length of a frame, as when each frame has one. */
static void look_at_row(struct log *log, struct cells *cells, size_t elapsed, uint64_t *before)
{
	uint64_t end = cells_time(cells, elapsed, 1);
	double value;
	if (*before != SX_TIME_UNKNOWN && end != SX_TIME_UNKNOWN && end > *before &&
	    import_number(cells->row[1], &value)) {
		double frame = value * log->unit_ns;
		log->timed++;
		log->near += fabs((double)(end - *before) - frame) <= frame / 8;
	}
	*before = end;
}

/* Where a time is missing or none that can be, a frame ends where its length says. */
static uint64_t mend_end(struct log *log, struct cells *cells, uint64_t end, uint64_t before)
{
	double value;
	bool lost = end == SX_TIME_UNKNOWN || !import_time_can_be(end);
	if (!lost || !log->frames || before == SX_TIME_UNKNOWN || !import_time_can_be(before) ||
	    !import_number(cells->row[1], &value) || !(value > 0 && value < 1e9))
		return end;
	log->mended++;
	return before + (uint64_t)(value * log->unit_ns);
}

static void mangohud_take_row(struct log *log, struct cells *cells, size_t elapsed,
			      const uint32_t *columns, uint64_t *before)
{
	uint64_t end = mend_end(log, cells, cells_time(cells, elapsed, 1), *before),
		 begin = *before;
	double value;
	/* Also behind a time that cannot be. */
	bool follows = begin != SX_TIME_UNKNOWN && begin < end &&
		       import_span_can_be((struct import_span){begin, end});
	if (!follows)
		begin = SX_TIME_UNKNOWN;
	if (!follows && end != SX_TIME_UNKNOWN && import_number(cells->row[1], &value)) {
		double length = value * log->unit_ns;
		begin = length > 0 && length < (double)end ? end - (uint64_t)length : 0;
	}
	size_t row = import_row(log->rows, begin, end);
	*before = end;
	for (size_t i = 0; i < cells->columns; i++) {
		if (columns[i] == SX_NONE || !cells_number(cells, i, &value))
			continue;
		/* Of what MangoHud logs only temperatures can be below 0. */
		if (value < 0 && !memmem(cells->head[i].text, cells->head[i].size, "temp", 4)) {
			cells_odd(cells, i);
			continue;
		}
		double factor = i == 1 ? log->unit_ns / 1e6 : 1;
		import_set(log->rows, columns[i], row, value * factor);
		/* A line that has a frame's time is that frame. */
		if (i == 1 && log->frames)
			import_set_u64(log->rows, columns[cells->columns], row, 1);
	}
}

/* The column of each cell, and behind them that of frames, where a line is one. */
static void mangohud_find_columns(struct log *log, const struct cells *cells, size_t elapsed,
				  uint32_t *columns)
{
	struct import_field one = {.name = "Frames", .unit = "frames"};
	for (size_t i = 0; i < cells->columns; i++) {
		struct import_field field =
		    import_monitor(log->job, mangohud_words, WORDS, mangohud_bare(cells->head[i]));
		if (i == 1 && log->frames)
			field.name = "FrameTimes";
		columns[i] = i == elapsed ? SX_NONE : import_column(log->rows, &field);
	}
	columns[cells->columns] = log->frames ? import_column(log->rows, &one) : SX_NONE;
}

static enum sx_status read_section(struct log *log, const struct section *section,
				   struct sx_error *err)
{
	struct cells cells;
	uint64_t before = SX_TIME_UNKNOWN;
	enum sx_status status = cells_begin(&cells, log->job, section->rows, section->header, err);
	if (status)
		return status;
	size_t elapsed = mangohud_find(&cells, "elapsed");
	log->unit_ns = section_unit(cells, elapsed);
	uint32_t *columns = calloc(cells.columns + 1, sizeof(*columns));
	if (!columns)
		return error_nomem(err, "importing");
	if (log->rows)
		mangohud_find_columns(log, &cells, elapsed, columns);
	while (cells_next(&cells))
		if (log->rows)
			mangohud_take_row(log, &cells, elapsed, columns, &before);
		else
			look_at_row(log, &cells, elapsed, &before);
	free(columns);
	return log->rows ? cells_end(&cells, err) : SX_OK;
}

/* Goes over all logs of the file; without rows only to see what they are. */
static enum sx_status each_section(struct log *log, struct sx_error *err)
{
	struct import_lines lines = import_lines(log->job);
	struct section section, first = {0};
	enum sx_status status = SX_OK;
	for (log->sections = 0; !sx_failed(status) && next_section(&lines, &section);
	     log->sections++) {
		if (log->sections == 1)
			log->second = section.rows.number;
		if (!log->sections)
			first = section;
		if (section.keys.size && log->rows && !log->sections)
			name_device(log->rows, log->job, section.keys, section.values);
		if (!import_same(first.values, section.values))
			import_remark(log->job, "the logs are of different systems: the device is "
						"called as in the first");
		status = import_worse(status, read_section(log, &section, err));
	}
	return status;
}

static enum sx_status summary(const struct import_job *job, struct sx_error *err)
{
	error_set(err, SX_ERR_BAD_INPUT, "%s is the summary of a log of MangoHud",
		  job->request->path);
	error_because(err, "it holds one line of averages and no frames");
	error_try(err, "the log beside it, whose name is without _summary");
	return SX_ERR_BAD_INPUT;
}

static void mangohud_note(const struct log *log)
{
	if (log->sections > 1)
		import_remark(log->job, "%zu logs follow each other, the second from line %zu",
			      log->sections, log->second);
	if (log->mended)
		import_remark(log->job, "%s no valid time: the length of the frame replaces it",
			      COUNTED(log->mended, "line has"));
	if (!log->frames)
		import_remark(log->job, "the log has a line an interval, not one a frame: each "
					"describes the last frame");
}

static enum sx_status mangohud_read(struct import_job *job, struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	struct import_cell line;
	struct log log = {.job = job};
	if (import_line(&lines, &line) && is_summary(line))
		return summary(job, err);
	enum sx_status status = each_section(&log, err);
	if (status)
		return status;
	if (!log.sections)
		return import_bad(job, 0, err, "a log of MangoHud has a line fps,frametime,…",
				  "there is no header line");
	log.frames = 2 * log.near >= log.timed;
	log.rows = import_rows_create(
	    job, &(struct import_rows_options){
		     .catalog = "monitor", .kind = log.frames ? SX_SAMPLE_FRAME : SX_SAMPLE_TIME});
	if (!log.rows)
		return error_nomem(err, "importing");
	if (!log.frames)
		import_rows_constant(log.rows, "interval_log", 1);
	status = each_section(&log, err);
	mangohud_note(&log);
	import_forget_text(job);
	return import_rows_finish(log.rows, status, err);
}

const struct import_format import_mangohud = {
    .kind = "mangohud",
    .about = "a log of MangoHud",
    .recognise = mangohud_recognise,
    .read = mangohud_read,
};
