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
#define MALI_SYMBOLS                                                                               \
	"GPU_ACTIVE|JS0_ACTIVE|JS1_ACTIVE|TILER_ACTIVE|FRAG_ACTIVE|COMPUTE_ACTIVE|"                \
	"EXEC_CORE_ACTIVE|MCU_ACTIVE|GPU_IRQ_ACTIVE|ITER_FRAG_ACTIVE|L2_ANY_LOOKUP|L2_EXT_READ|"   \
	"L2_EXT_WRITE|L2_EXT_READ_BEATS|L2_EXT_WRITE_BEATS|EXEC_INSTR_COUNT|EXEC_INSTR_FMA"

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
	return import_word_of(cell, MALI_SYMBOLS) || hwcpipe_1_symbol(cell);
}

/* "Mali GPU Cycles:GPU active", "Mali Core Cycles: Execution engine active": titles in a group. */
static bool is_titled(struct import_cell cell)
{
	return import_begins(cell, "Mali ") && memchr(cell.text, ':', cell.size);
}

static size_t mali_count(struct import_cell line, bool (*is)(struct import_cell))
{
	struct import_cell cells[512];
	size_t found = 0, all = import_split(line, import_separator(line), cells, 512);
	for (size_t i = 0; i < all; i++)
		found += is(cells[i]);
	return found;
}

/* Of the first line that has any. */
static size_t mali_first(const struct import_head *head, bool (*is)(struct import_cell))
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell line;
	size_t found = 0;
	while (!found && lines.number < 16 && import_line(&lines, &line))
		found = mali_count(line, is);
	return found;
}

static bool hwcpipe_recognise(const struct import_head *head)
{
	return mali_first(head, is_hwcpipe) >= 2;
}

static bool streamline_recognise(const struct import_head *head)
{
	return mali_first(head, is_streamline) >= 1 || mali_first(head, is_titled) >= 2;
}

static const struct counters_word mali_words[] = {
    {"timestamp_ns|begin_ns", COUNTERS_BEGIN, 1, NULL},
    {"end_ns|timestamp|time_ns", COUNTERS_TIME, 1, NULL},
    {"duration_ns", COUNTERS_LENGTH, 1, NULL},
    {"time|time (s)|time(s)|timestamp (s)", COUNTERS_TIME, 1e9, NULL},
    {"time (ms)|time(ms)", COUNTERS_TIME, 1e6, NULL},
    {"time (us)", COUNTERS_TIME, 1e3, NULL},
    {"frame", COUNTERS_FRAME, 0, NULL},
    {"index|sample", COUNTERS_SKIP, 0, NULL},
};

static enum counters_role hwcpipe_role(struct import_job *job, struct import_cell *cell,
				       double *to_ns)
{
	if (cell->text[0] == '$')
		*cell = (struct import_cell){cell->text + 1, cell->size - 1};
	const char *symbol = hwcpipe_1_symbol(*cell);
	if (symbol)
		*cell = (struct import_cell){symbol, strlen(symbol)};
	return COUNTERS_UNKNOWN;
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
	return COUNTERS_UNKNOWN;
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

static const char *mali_catalog(struct import_job *job, struct import_lines lines,
				struct import_cell header)
{
	struct import_cell cells[512];
	const char *product = NULL;
	size_t count = import_split(header, import_separator(header), cells, 512);
	for (size_t i = 0; i < count && !product; i++)
		product = product_of(job, cells[i]);
	return product;
}

static bool hwcpipe_is_header(struct import_cell line)
{
	return mali_count(line, is_hwcpipe);
}

static bool streamline_is_header(struct import_cell line)
{
	return mali_count(line, is_streamline) || mali_count(line, is_titled);
}

#define MALI_TABLES                                                                                \
	.family = "mali-", .otherwise = "mali-g625", .kind = SX_SAMPLE_TIME, .driver = "kbase",    \
	.loose = true, .note_before = "its names fit ",                                            \
	.note_after = " as well as any other catalog, so the rules are of that one; --for NAME "   \
		      "chooses another",                                                           \
	.because = "a line names counters of a Mali", .nothing = "there is no header",             \
	.catalog = mali_catalog, COUNTERS_WORDS(mali_words)

static const struct counters_format hwcpipe_tables = {MALI_TABLES, .is_header = hwcpipe_is_header,
						      .role = hwcpipe_role};
static const struct counters_format streamline_tables = {
    MALI_TABLES, .is_header = streamline_is_header, .role = streamline_role};

const struct import_format import_hwcpipe = {
    .kind = "hwcpipe-csv",
    .about = "counters of HWCPipe or libGPUCounters",
    .table = true,
    .by_device = true,
    .recognise = hwcpipe_recognise,
    .read = counters_read,
    .counters = &hwcpipe_tables,
};

const struct import_format import_streamline = {
    .kind = "streamline-csv",
    .about = "counters exported by Streamline",
    .recognise = streamline_recognise,
    .read = counters_read,
    .counters = &streamline_tables,
};
