/*
 * Tables of Mali's counters. Neither HWCPipe nor libGPUCounters writes a file: programs on them do,
 * under the names of Arm's database (MaliGPUActiveCy since 2.0), of the machine (GPU_ACTIVE) or of
 * HWCPipe 1 (GpuCycles). Streamline has titles or ARM_Mali-PRODUCT_SYMBOL.
 */
#include <string.h>

#include "catalog/internal.h"
#include "import/counters/counters.h"

static bool is_streamline(struct import_cell cell)
{
	return import_begins(cell, "ARM_Mali-") || import_begins(cell, "ARM_Mali_");
}

/* HWCPipe 1.0: what its names read (vendor/arm/mali/mali_profiler.cpp, on Bifrost). */
static const struct {
	const char *name, *symbol;
} hwcpipe_1[] = {
    {"GpuCycles", "GPU_ACTIVE"},
    {"VertexComputeCycles", "JS1_ACTIVE"},
    {"FragmentCycles", "JS0_ACTIVE"},
    {"TilerCycles", "TILER_ACTIVE"},
    {"VertexComputeJobs", "JS1_JOBS"},
    {"FragmentJobs", "JS0_JOBS"},
    {"DivergedInstructions", "EXEC_INSTR_DIVERGED"},
    {"ShaderCycles", "EXEC_CORE_ACTIVE"},
    {"CacheReadLookups", "L2_READ_LOOKUP"},
    {"CacheWriteLookups", "L2_WRITE_LOOKUP"},
    {"ExternalMemoryReadAccesses", "L2_EXT_READ"},
    {"ExternalMemoryWriteAccesses", "L2_EXT_WRITE"},
    {"ExternalMemoryReadStalls", "L2_EXT_AR_STALL"},
    {"ExternalMemoryWriteStalls", "L2_EXT_W_STALL"},
};

/* Machine names that most Malis have; few other tables do. */
static const char *const symbols[] = {
    "GPU_ACTIVE",     "JS0_ACTIVE",	   "JS1_ACTIVE",	 "TILER_ACTIVE",
    "FRAG_ACTIVE",    "COMPUTE_ACTIVE",	   "EXEC_CORE_ACTIVE",	 "MCU_ACTIVE",
    "GPU_IRQ_ACTIVE", "ITER_FRAG_ACTIVE",  "L2_ANY_LOOKUP",	 "L2_EXT_READ",
    "L2_EXT_WRITE",   "L2_EXT_READ_BEATS", "L2_EXT_WRITE_BEATS", "EXEC_INSTR_COUNT",
    "EXEC_INSTR_FMA",
};

static const char *hwcpipe_1_symbol(struct import_cell cell)
{
	for (size_t i = 0; i < sizeof(hwcpipe_1) / sizeof(hwcpipe_1[0]); i++)
		if (import_is(cell, hwcpipe_1[i].name))
			return hwcpipe_1[i].symbol;
	return NULL;
}

static bool is_hwcpipe(struct import_cell cell)
{
	if (cell.size && cell.text[0] == '$')
		cell = (struct import_cell){cell.text + 1, cell.size - 1};
	if (cell.size > 5 && memcmp(cell.text, "Mali", 4) == 0 && cell.text[4] >= 'A' &&
	    cell.text[4] <= 'Z')
		return true;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (import_is(cell, symbols[i]))
			return true;
	return hwcpipe_1_symbol(cell) != NULL;
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
	const char *symbol = hwcpipe_1_symbol(*cell);
	if (symbol)
		*cell = (struct import_cell){symbol, strlen(symbol)};
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

/* "mali-g76" of ARM_Mali-G76_GPU_ACTIVE, where that is a product that some catalog has. */
static const char *product_of(struct import_job *job, struct import_cell cell)
{
	char name[64];
	struct match_found found;
	const char *end = is_streamline(cell) ? memchr(cell.text + 9, '_', cell.size - 9) : NULL;
	size_t size = end ? (size_t)(end - cell.text) - 4 : 0;
	if (size <= 5 || size >= sizeof(name))
		return NULL;
	memcpy(name, cell.text + 4, size);
	name[4] = '-';
	name[size] = '\0';
	return match_name(job->request->context, name, &found)
		   ? import_text(job, found.name, strlen(found.name))
		   : NULL;
}

static const char *find_product(struct import_job *job, const struct import_cell *cells,
				size_t count)
{
	const char *product = NULL;
	for (size_t i = 0; i < count && !product; i++)
		product = product_of(job, cells[i]);
	return product;
}

static enum sx_status read_mali(struct import_job *job, bool (*is)(struct import_cell),
				bool (*or_is)(struct import_cell),
				const struct counters_format *format, struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	struct import_cell line, cells[512];
	struct counters_format own = *format;
	while (import_line(&lines, &line)) {
		size_t all = import_split(line, import_separator(line), cells, 512);
		own.catalog = find_product(job, cells, all);
		for (size_t i = 0; i < all; i++)
			if (is(cells[i]) || (or_is && or_is(cells[i])))
				return counters_read(job, &own, lines, line, err);
	}
	return import_bad(job, 0, err, "a line names counters of a Mali", "there is no header");
}

static enum sx_status hwcpipe_read(struct import_job *job, struct sx_error *err)
{
	static const struct counters_format format = {.family = "mali-",
						      .otherwise = "mali-g625",
						      .kind = SX_SAMPLE_TIME,
						      .driver = "kbase",
						      .loose = true,
						      .tell_guess = true,
						      .role = hwcpipe_role};
	return read_mali(job, is_hwcpipe, NULL, &format, err);
}

static enum sx_status streamline_read(struct import_job *job, struct sx_error *err)
{
	static const struct counters_format format = {.family = "mali-",
						      .otherwise = "mali-g625",
						      .kind = SX_SAMPLE_TIME,
						      .driver = "kbase",
						      .loose = true,
						      .tell_guess = true,
						      .role = streamline_role};
	return read_mali(job, is_streamline, is_titled, &format, err);
}

const struct import_format import_hwcpipe = {
    .kind = "hwcpipe-csv",
    .about = "counters of HWCPipe or libGPUCounters",
    .table = true,
    .by_device = true,
    .recognise = hwcpipe_recognise,
    .read = hwcpipe_read,
};

const struct import_format import_streamline = {
    .kind = "streamline-csv",
    .about = "counters exported by Streamline",
    .recognise = streamline_recognise,
    .read = streamline_read,
};
