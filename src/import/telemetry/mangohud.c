/*
 * Logs of MangoHud: an optional version, a table of one line about the system, and a line a frame,
 * or one an interval (log_interval), which is then about its last frame. Several logs may follow
 * each other. Seen: 0.6 to 0.8 (src/logging.cpp, try_log).
 */
#include <string.h>

#include "import/counters/counters.h"

static const struct counters_word mangohud_words[] = {
    {"elapsed", COUNTERS_TIME, 1, NULL},
    {"frametime", COUNTERS_FRAME_TIME, 1e6, NULL}, /* see mangohud_unit() */
    {"fps", COUNTERS_VALUE, 0, "FrameRate (frames/s)"},
    {"cpu_load", COUNTERS_VALUE, 0, "CpuBusy (%)"},
    {"cpu_power", COUNTERS_VALUE, 0, "CpuPower (W)"},
    {"gpu_load", COUNTERS_VALUE, 0, "GpuBusy (%)"},
    {"cpu_temp", COUNTERS_VALUE, 0, "CpuTemperature (degC)"},
    {"gpu_temp", COUNTERS_VALUE, 0, "GpuTemperature (degC)"},
    {"gpu_core_clock", COUNTERS_VALUE, 0, "GpuFrequency (MHz)"},
    {"gpu_mem_clock", COUNTERS_VALUE, 0, "MemoryFrequency (MHz)"},
    {"gpu_vram_used", COUNTERS_VALUE, 0, "MemoryUsed (GiB)"},
    {"gpu_power", COUNTERS_VALUE, 0, "GpuPower (W)"},
    {"ram_used", COUNTERS_VALUE, 0, "SystemMemoryUsed (GiB)"},
    {"swap_used", COUNTERS_VALUE, 0, "SwapUsed (GiB)"},
    {"process_rss", COUNTERS_VALUE, 0, "ProcessMemory (GiB)"},
    {"cpu_mhz", COUNTERS_VALUE, 0, "CpuFrequency (MHz)"},
};

/* A word without the unit that some versions write behind it. */
static struct import_cell mangohud_bare(struct import_cell cell)
{
	const char *open = memchr(cell.text, '(', cell.size);
	if (open)
		cell.size = (size_t)(open - cell.text);
	return cell;
}

static enum counters_role mangohud_role(struct import_job *job, struct import_cell *cell,
					double *to_ns)
{
	*cell = mangohud_bare(*cell);
	return COUNTERS_UNKNOWN;
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
static void name_device(struct import_rows *rows, struct import_job *job,
			const struct counters_table *table)
{
	struct import_cell key[16], value[16];
	size_t count = import_split(table->keys, ',', key, 16);
	if (import_split(table->values, ',', value, 16) != count) {
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

/* The device is that of the first log. */
static void mangohud_before(struct import_job *job, struct import_rows *rows,
			    const struct counters_table *table, const struct counters_table *first)
{
	if (table->keys.size && table->header.text == first->header.text)
		name_device(rows, job, table);
	if (!import_same(first->values, table->values))
		import_remark(job, "the logs are of different systems: the device is called as in "
				   "the first");
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
static double mangohud_unit(struct cells cells, size_t elapsed)
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
	for (size_t i = 0; i < cells.columns; i++)
		if (import_is(cells.head[i], "swap_used"))
			return 1e6;
	size_t micro = rate.micro + span.micro, milli = rate.milli + span.milli;
	return micro > milli || (micro == milli && whole) ? 1e3 : 1e6;
}

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
static bool mangohud_next(struct import_lines *lines, struct counters_table *out)
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
		*out = (struct counters_table){.header = line, .rows = *lines};
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

static bool mangohud_refuse(const struct import_job *job, struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	struct import_cell line;
	if (!import_line(&lines, &line) || !is_summary(line))
		return false;
	error_set(err, SX_ERR_BAD_INPUT, "%s is the summary of a log of MangoHud",
		  job->request->path);
	error_because(err, "it holds one line of averages and no frames");
	error_try(err, "the log beside it, whose name is without _summary");
	return true;
}

static const struct counters_format mangohud_tables = {
    .only = "monitor",
    .kind = SX_SAMPLE_TIME,
    .positive = true,
    .because = "a log of MangoHud has a line fps,frametime,…",
    .nothing = "there is no header line",
    .next_table = mangohud_next,
    .before_table = mangohud_before,
    .refuse_file = mangohud_refuse,
    .frame_unit = mangohud_unit,
    .role = mangohud_role,
    COUNTERS_WORDS(mangohud_words),
};

const struct import_format import_mangohud = {
    .kind = "mangohud",
    .about = "a log of MangoHud",
    .recognise = mangohud_recognise,
    .read = counters_read,
    .counters = &mangohud_tables,
};
