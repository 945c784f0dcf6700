/*
 * GALLIUM_HUD_DUMP_DIR: a folder with a file for each graph, a number a line. Seen: Mesa 13 to 25
 * (src/gallium/auxiliary/hud/hud_context.c). Blanks of a graph's name are underscores.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "import/internal.h"

#define FILES_MAX   1024
#define FRAME_GRAPH "frametime_(ms)" /* has a line a frame */

static const struct import_word hud_words[] = {
    {"fps", "FrameRate", "frames/s", 1},
    {FRAME_GRAPH, "FrameTimes", "ns", 1e6},
    {"cpu", "CpuBusy", "percent", 1},
    {"GPU-load", "GpuBusy", "percent", 1},
    {"VRAM-usage", "MemoryUsed", "bytes", 1},
    {"GTT-usage", "SharedMemoryUsed", "bytes", 1},
    {"requested-VRAM", "MemoryRequested", "bytes", 1},
    {"temperature", "GpuTemperature", "degC", 1},
    {"shader-clock", "GpuFrequency", "Hz", 1},
    {"memory-clock", "MemoryFrequency", "Hz", 1},
    {"GPU-shaders-busy", "ShaderBusy", "percent", 1},
    {"primitives-generated", "PrimitivesGenerated", "primitives", 1},
    {"samples-passed", "SamplesPassed", "samples", 1},
};

/* Whether a file is a graph: numbers, with an odd line at most here and there. *begun: any. */
static bool is_graph(const char *folder, const char *name, bool *begun)
{
	char path[4096];
	struct import_bytes bytes = {0};
	size_t numbers = 0, odd = 0;
	struct stat st;
	double value;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	/* The HUD writes files. A FIFO would be waited for. */
	if (stat(path, &st) || !S_ISREG(st.st_mode) || import_load(path, 4096, &bytes, NULL))
		return false;
	struct import_lines lines = import_lines_of(bytes.data, bytes.size);
	struct import_cell line;
	while (import_line(&lines, &line)) {
		bool fine = import_local_number(line, &value);
		numbers += fine;
		odd += !fine && !lines.unfinished;
	}
	*begun = bytes.size;
	import_bytes_free(&bytes);
	/* A graph that was just begun has no line. */
	return !*begun || odd < numbers;
}

static int hud_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the files of a folder, sorted; *count of them, to be freed. */
static char **list(const char *folder, size_t *count)
{
	DIR *dir = opendir(folder);
	char **names = calloc(FILES_MAX, sizeof(*names));
	*count = 0;
	for (struct dirent *entry; dir && names && (entry = readdir(dir));)
		if (entry->d_name[0] != '.' && *count < FILES_MAX &&
		    (names[*count] = strdup(entry->d_name)))
			++*count;
	if (dir)
		closedir(dir);
	if (names)
		qsort(names, *count, sizeof(*names), hud_compare);
	return names;
}

static void hud_release(char **names, size_t count)
{
	for (size_t i = 0; names && i < count; i++)
		free(names[i]);
	free(names);
}

static bool hud_recognise(const struct import_head *head)
{
	size_t count;
	if (!head->folder)
		return false;
	char **names = list(head->path, &count);
	size_t graphs = 0, others = 0, begun = 0;
	for (size_t i = 0; names && i < count; i++) {
		bool any = false, graph = is_graph(head->path, names[i], &any);
		graphs += graph;
		others += !graph;
		begun += graph && any;
	}
	hud_release(names, count);
	return begun && graphs > others;
}

/* How many lines the graphs have that have one a period. */
struct graph_lengths {
	size_t least, most;
	const char *shortest, *longest;
};

static void note_length(struct graph_lengths *lengths, const char *name, size_t lines)
{
	if (!lengths->shortest || lines < lengths->least) {
		lengths->least = lines;
		lengths->shortest = name;
	}
	if (!lengths->longest || lines > lengths->most) {
		lengths->most = lines;
		lengths->longest = name;
	}
}

/* Graphs of one period end within a line of each other. */
static void note_lengths(struct import_job *job, const struct graph_lengths *lengths)
{
	if (lengths->most - lengths->least < 2)
		return;
	import_remark(job,
		      "%.80s has %zu lines and %.80s %zu: their periods differ, and lines of one "
		      "number are not of one time",
		      lengths->shortest, lengths->least, lengths->longest, lengths->most);
}

static enum sx_status read_graph(struct import_job *job, struct import_rows *rows, const char *name,
				 struct graph_lengths *lengths, struct sx_error *err)
{
	char path[4096];
	struct import_bytes bytes = {.backing = job->backing};
	size_t row = 0;
	const struct import_cell graph = {name, strlen(name)};
	struct import_odd odd = {0};
	snprintf(path, sizeof(path), "%s/%s", job->request->path, name);
	enum sx_status status = import_load(path, IMPORT_BYTES_MAX, &bytes, err);
	if (status)
		return status;
	struct import_field field =
	    import_monitor(job, hud_words, sizeof(hud_words) / sizeof(hud_words[0]), graph);
	struct import_field one = {.name = "Frames", .unit = "frames"};
	uint32_t column = import_column(rows, &field);
	uint32_t frames = strcmp(name, FRAME_GRAPH) == 0 ? import_column(rows, &one) : SX_NONE;
	struct import_job part = {.text = bytes.data, .size = bytes.size, .backing = job->backing};
	struct import_lines lines = import_lines(&part);
	for (struct import_cell line; import_line(&lines, &line); row++) {
		double value;
		if (lines.unfinished) /* the HUD ends every line */
			break;
		while (row >= import_row_count(rows) &&
		       import_row(rows, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN) != SIZE_MAX)
			;
		if (import_local_number(line, &value)) {
			import_set(rows, column, row, value);
			import_set_u64(rows, frames, row, 1);
		} else {
			import_odd_add(&odd, lines.number, graph, line);
		}
	}
	import_odd_note(job, &odd, "line");
	if (frames == SX_NONE)
		note_length(lengths, name, row);
	import_bytes_free(&bytes);
	if (!lines.unfinished)
		return SX_OK;
	part.request = &(struct import_request){.path = path};
	return import_cut(&part, lines.number, err);
}

static enum sx_status read_graphs(struct import_job *job, struct import_rows *rows, char **names,
				  size_t count, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	struct graph_lengths lengths = {0};
	bool frames = false, begun;
	for (size_t i = 0; !sx_failed(status) && i < count; i++) {
		if (!is_graph(job->request->path, names[i], &begun)) {
			import_remark(job, "%.80s is no graph of the HUD and was left out",
				      names[i]);
			continue;
		}
		frames |= strcmp(names[i], FRAME_GRAPH) == 0;
		status = import_worse(status, read_graph(job, rows, names[i], &lengths, err));
	}
	note_lengths(job, &lengths);
	if (frames)
		import_remark(job,
			      FRAME_GRAPH " has a line a frame, other graphs have one a period: "
					  "lines of one number are not of one time");
	else
		import_rows_constant(rows, "interval_log", 1);
	return status;
}

static enum sx_status hud_read(struct import_job *job, struct sx_error *err)
{
	size_t count;
	char **names = list(job->request->path, &count);
	enum sx_status status = names ? SX_OK : error_nomem(err, "importing");
	struct import_rows *rows = import_rows_create(
	    job, &(struct import_rows_options){.catalog = "monitor", .kind = SX_SAMPLE_TIME});
	if (!status && rows)
		status = read_graphs(job, rows, names, count, err);
	hud_release(names, count);
	import_remark(job,
		      "the HUD writes no times: a line of each file is a sample, by default half "
		      "a second apart");
	return import_rows_finish(rows, status, err);
}

const struct import_format import_gallium_hud = {
    .kind = "gallium-hud",
    .about = "a folder of Mesa's GALLIUM_HUD_DUMP_DIR",
    .recognise = hud_recognise,
    .read = hud_read,
};
