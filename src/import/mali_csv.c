/*
 * Tables of Mali's counters: HWCPipe and libGPUCounters name them as Arm's database does
 * (MaliGPUActiveCy, GPU_ACTIVE), Streamline by title or as ARM_Mali-PRODUCT_SYMBOL.
 */
#include <string.h>

#include "import/counters.h"

static bool is_streamline(struct import_cell cell)
{
	return import_begins(cell, "ARM_Mali-") || import_begins(cell, "ARM_Mali_");
}

static bool is_hwcpipe(struct import_cell cell)
{
	return import_begins(cell, "MaliGPU") || import_begins(cell, "$MaliGPU") ||
	       import_is(cell, "GPU_ACTIVE") || import_begins(cell, "MaliCore") ||
	       import_begins(cell, "MaliExt");
}

/* "Mali GPU Cycles:GPU active", "Mali Core Cycles: Execution engine active": titles in a group. */
static bool is_titled(struct import_cell cell)
{
	return import_begins(cell, "Mali ") && memchr(cell.text, ':', cell.size);
}

static size_t count(const struct import_head *head, bool (*is)(struct import_cell),
		    struct import_cell *header)
{
	struct import_job job = {.text = head->text, .size = head->size};
	struct import_lines lines = import_lines(&job);
	struct import_cell line, cells[512];
	while (lines.number < 16 && import_line(&lines, &line)) {
		size_t found = 0, all = import_split(line, import_separator(line), cells, 512);
		for (size_t i = 0; i < all; i++)
			found += is(cells[i]);
		if (header)
			*header = line;
		if (found)
			return found;
	}
	return 0;
}

static bool hwcpipe_recognise(const struct import_head *head)
{
	return count(head, is_hwcpipe, NULL) >= 2;
}

static bool streamline_recognise(const struct import_head *head)
{
	return count(head, is_streamline, NULL) >= 1 || count(head, is_titled, NULL) >= 2;
}

static enum counters_role time_role(struct import_cell cell, double *to_ns)
{
	static const struct {
		const char *name;
		enum counters_role role;
		double to_ns;
	} times[] = {
	    {"timestamp_ns", COUNTERS_BEGIN, 1}, {"begin_ns", COUNTERS_BEGIN, 1},
	    {"end_ns", COUNTERS_TIME, 1},	 {"duration_ns", COUNTERS_LENGTH, 1},
	    {"timestamp", COUNTERS_TIME, 1},	 {"time_ns", COUNTERS_TIME, 1},
	    {"time", COUNTERS_TIME, 1e9},	 {"time (s)", COUNTERS_TIME, 1e9},
	    {"time(s)", COUNTERS_TIME, 1e9},	 {"timestamp (s)", COUNTERS_TIME, 1e9},
	    {"time (ms)", COUNTERS_TIME, 1e6},	 {"time(ms)", COUNTERS_TIME, 1e6},
	    {"time (us)", COUNTERS_TIME, 1e3},	 {"frame", COUNTERS_FRAME, 1},
	    {"index", COUNTERS_SKIP, 1},	 {"sample", COUNTERS_SKIP, 1},
	};
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		if (!import_is(cell, times[i].name))
			continue;
		*to_ns = times[i].to_ns;
		return times[i].role;
	}
	return COUNTERS_VALUE;
}

static enum counters_role hwcpipe_role(struct import_job *job, struct import_cell *cell,
				       double *to_ns)
{
	if (cell->text[0] == '$')
		*cell = (struct import_cell){cell->text + 1, cell->size - 1};
	return job ? time_role(*cell, to_ns) : COUNTERS_SKIP;
}

static enum counters_role streamline_role(struct import_job *job, struct import_cell *cell,
					  double *to_ns)
{
	if (is_streamline(*cell)) {
		/* ARM_Mali-G610_GPU_ACTIVE: behind the product, as the database has it. */
		const char *symbol = memchr(cell->text + 9, '_', cell->size - 9);
		if (symbol && symbol + 1 < cell->text + cell->size)
			*cell = (struct import_cell){
			    symbol + 1, (size_t)(cell->text + cell->size - symbol - 1)};
		return COUNTERS_VALUE;
	}
	const char *colon = memchr(cell->text, ':', cell->size);
	if (import_begins(*cell, "Mali ") && colon) {
		const char *end = cell->text + cell->size, *title = colon + 1;
		while (title < end && *title == ' ')
			title++;
		if (title < end)
			*cell = (struct import_cell){title, (size_t)(end - title)};
		return COUNTERS_VALUE;
	}
	return job ? time_role(*cell, to_ns) : COUNTERS_SKIP;
}

static enum sx_status read_mali(struct import_job *job, bool (*is)(struct import_cell),
				bool (*or_is)(struct import_cell),
				const struct counters_format *format, struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	struct import_cell line, cells[512];
	while (import_line(&lines, &line)) {
		size_t all = import_split(line, import_separator(line), cells, 512);
		for (size_t i = 0; i < all; i++)
			if (is(cells[i]) || (or_is && or_is(cells[i])))
				return counters_read(job, format, lines, line, err);
	}
	return import_bad(job, 0, err, "a line names counters of a Mali", "there is no header");
}

static enum sx_status hwcpipe_read(struct import_job *job, struct sx_error *err)
{
	static const struct counters_format format = {.family = "mali-",
						      .otherwise = "mali-g625",
						      .kind = SX_SAMPLE_TIME,
						      .driver = "kbase",
						      .loose_end = true,
						      .role = hwcpipe_role};
	return read_mali(job, is_hwcpipe, NULL, &format, err);
}

static enum sx_status streamline_read(struct import_job *job, struct sx_error *err)
{
	static const struct counters_format format = {.family = "mali-",
						      .otherwise = "mali-g625",
						      .kind = SX_SAMPLE_TIME,
						      .driver = "kbase",
						      .loose_end = true,
						      .role = streamline_role};
	return read_mali(job, is_streamline, is_titled, &format, err);
}

const struct import_format import_hwcpipe = {
    .kind = "hwcpipe-csv",
    .about = "counters of HWCPipe or libGPUCounters",
    .table = true,
    .recognise = hwcpipe_recognise,
    .read = hwcpipe_read,
};

const struct import_format import_streamline = {
    .kind = "streamline-csv",
    .about = "counters exported by Streamline",
    .recognise = streamline_recognise,
    .read = streamline_read,
};
