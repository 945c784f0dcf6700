/* Tables of tools that have a header of counters' names: CodeXL, RenderDoc, GPUPerfAPI, and Mali's.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/internal.h"
#include "import/counters/counters.h"

/*
 * CodeXL, APP Profiler and Radeon Compute Profiler: lines that begin with #, then a table of
 * kernels with AMD's counters, OpenCL's with their times, HSA's without. Seen: the columns of
 * CodeXL 1.x and 2.x, and the writer of Radeon Compute Profiler 5.6 (CSVFileParser.cpp).
 */
static const struct {
	const char *chip, *catalog;
} chips[] = {
    {"Tahiti", "amd-gcn1"},	{"Pitcairn", "amd-gcn1"},      {"Capeverde", "amd-gcn1"},
    {"Oland", "amd-gcn1"},	{"Hainan", "amd-gcn1"},	       {"Bonaire", "amd-gcn2"},
    {"Hawaii", "amd-gcn2"},	{"Spectre", "amd-gcn2"},       {"Kalindi", "amd-gcn2"},
    {"Mullins", "amd-gcn2"},	{"Tonga", "amd-gcn3"},	       {"Iceland", "amd-gcn3"},
    {"Fiji", "amd-gcn3"},	{"Carrizo", "amd-gcn3"},       {"Ellesmere", "amd-gcn3"},
    {"Baffin", "amd-gcn3"},	{"Stoney", "amd-gcn3"},	       {"Cypress", "amd-hd5000"},
    {"Juniper", "amd-hd5000"},	{"Redwood", "amd-hd5000"},     {"Cedar", "amd-hd5000"},
    {"Barts", "amd-hd6000"},	{"Turks", "amd-hd6000"},       {"Caicos", "amd-hd6000"},
    {"Cayman", "amd-hd6000"},	{"BeaverCreek", "amd-hd6000"}, {"WinterPark", "amd-hd6000"},
    {"Loveland", "amd-hd6000"}, {"Devastator", "amd-hd6000"},
};

/* "gfx803": the generation is the first digit. */
static const char *catalog_of_gfx(struct import_cell name)
{
	if (name.size != 6 || memcmp(name.text, "gfx", 3) != 0)
		return NULL;
	return name.text[3] == '6'   ? "amd-gcn1"
	       : name.text[3] == '7' ? "amd-gcn2"
	       : name.text[3] == '8' ? "amd-gcn3"
				     : NULL;
}

/* The catalog for a chip by the name that AMD's tools give it ("Tahiti1", "gfx803"), or NULL. */
static const char *amd_catalog_of_chip(struct import_cell name)
{
	const char *found = catalog_of_gfx(name);
	/* OpenCL's tools number the devices of a session. */
	while (!found && name.size && isdigit((unsigned char)name.text[name.size - 1]))
		name.size--;
	for (size_t i = 0; !found && i < sizeof(chips) / sizeof(chips[0]); i++)
		if (import_is(name, chips[i].chip))
			found = chips[i].catalog;
	return found;
}

static bool codexl_is_header(struct import_cell line)
{
	struct import_cell cells[4];
	size_t count = import_split(line, import_separator(line), cells, 4);
	return count >= 3 && import_is(cells[0], "Method") &&
	       (import_is(cells[1], "ExecutionOrder") || import_is(cells[1], "ThreadID") ||
		import_is(cells[1], "CallIndex"));
}

static bool codexl_recognise(const struct import_head *head)
{
	struct import_job job = {.text = head->text, .size = head->size};
	struct import_lines lines = import_lines(&job);
	struct import_cell line;
	while (lines.number < 64 && import_line(&lines, &line)) {
		if (codexl_is_header(line))
			return true;
		if (line.size && line.text[0] != '#')
			return false;
	}
	return false;
}

static enum counters_role codexl_role(struct import_job *job, struct import_cell *cell,
				      double *to_ns)
{
	static const char *const skip[] = {"ExecutionOrder", "ThreadID",      "CallIndex",
					   "GlobalWorkSize", "WorkGroupSize", "GroupWorkSize"};
	for (size_t i = 0; i < sizeof(skip) / sizeof(skip[0]); i++)
		if (import_is(*cell, skip[i])) {
			import_tell(job, "ExecutionOrder, ThreadID, CallIndex and the work sizes "
					 "were left out");
			return COUNTERS_SKIP;
		}
	if (import_is(*cell, "Method"))
		return COUNTERS_GROUP;
	if (import_is(*cell, "Time") || import_is(*cell, "Time(ms)") ||
	    import_is(*cell, "Time (ms)")) {
		*to_ns = 1e6;
		import_tell(job, "the file tells how long kernels took, not when: they stand one "
				 "behind the other");
		return COUNTERS_LENGTH;
	}
	return COUNTERS_VALUE;
}

/* The chip that ends a kernel's name: "nbody__k1_Tahiti1", "void f<int, 4>(int*)_gfx803". */
static const char *catalog_of_method(struct import_cell line)
{
	const char *end = line.text + line.size, *catalog = NULL;
	for (const char *p = line.text; (p = memchr(p, '_', (size_t)(end - p))); p++) {
		size_t size = 0;
		while (p + 1 + size < end && isalnum((unsigned char)p[1 + size]))
			size++;
		const char *found = amd_catalog_of_chip((struct import_cell){p + 1, size});
		catalog = found ? found : catalog;
	}
	return catalog;
}

static enum sx_status codexl_read(struct import_job *job, struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	struct import_cell line, first = {"", 0};
	bool found = false;
	while (!found && import_line(&lines, &line))
		found = codexl_is_header(line);
	if (!found)
		return import_bad(job, 0, err, "a table of kernels begins with Method",
				  "there is no header line");
	struct import_lines ahead = lines;
	import_line(&ahead, &first);
	const char *catalog = catalog_of_method(first);
	struct import_request request = *job->request;
	if (!request.catalog)
		request.catalog = catalog;
	if (!request.catalog)
		import_tell(job, "no kernel's name tells the chip: the catalog was chosen by the "
				 "names of the counters");
	const struct import_request *asked = job->request;
	job->request = &request;
	static const struct counters_format format = {
	    .family = "amd-",
	    .otherwise = "amd-gcn3",
	    .kind = SX_SAMPLE_GROUP,
	    .driver = "Catalyst",
	    .wide_first = true,
	    .role = codexl_role,
	};
	enum sx_status status = counters_read(job, &format, lines, line, err);
	job->request = asked;
	return status;
}

const struct import_format import_codexl = {
    .kind = "codexl",
    .about = "a session of CodeXL or APP Profiler",
    .recognise = codexl_recognise,
    .read = codexl_read,
};

/*
 * RenderDoc's counters saved as CSV: EID and a column a counter. Seen: 1.4 to 1.36
 * (PerformanceCounterViewer.cpp); cells hold bare numbers, headers may carry a unit.
 */
static bool renderdoc_recognise(const struct import_head *head)
{
	struct import_job job = {.text = head->text, .size = head->size};
	struct import_lines lines = import_lines(&job);
	struct import_cell line, cells[2];
	return import_line(&lines, &line) && import_split(line, ',', cells, 2) == 2 &&
	       import_is(cells[0], "EID");
}

/* RenderDoc's own names for what every API counts. */
static const struct {
	const char *theirs, *ours;
} renderdoc_words[] = {
    {"Input Vertices Read", "IAVertices"},    {"Input Primitives", "IAPrimitives"},
    {"VS Invocations", "VSInvocations"},      {"GS Invocations", "GSInvocations"},
    {"GS Primitives", "GSPrimitives"},	      {"Rasterizer Invocations", "CInvocations"},
    {"Rasterized Primitives", "CPrimitives"}, {"PS Invocations", "PSInvocations"},
    {"TCS Invocations", "HSInvocations"},     {"TES Invocations", "DSInvocations"},
    {"HS Invocations", "HSInvocations"},      {"DS Invocations", "DSInvocations"},
    {"CS Invocations", "CSInvocations"},      {"Samples Passed", "Occlusion"},
};

/* The name without the unit behind it. */
static struct import_cell renderdoc_bare(struct import_cell cell)
{
	for (size_t i = 1; i < cell.size; i++)
		if (cell.text[i] == '(' && cell.text[i - 1] == ' ')
			return (struct import_cell){cell.text, i - 1};
	return cell;
}

static enum counters_role renderdoc_role(struct import_job *job, struct import_cell *cell,
					 double *to_ns)
{
	struct import_cell name = renderdoc_bare(*cell);
	if (import_is(*cell, "EID"))
		return COUNTERS_GROUP;
	if (import_is(name, "GPU Duration")) {
		struct import_field field = import_header(job, *cell, SX_REDUCE_SUM);
		/* Seconds, unless the header says otherwise. */
		*to_ns = import_is(name, "GPU Duration") && name.size == cell->size ? 1e9
			 : field.unit && field.unit[0] == 'm'			    ? 1e6
			 : field.unit && field.unit[0] == 'u'			    ? 1e3
			 : field.unit && field.unit[0] == 'n'			    ? 1
										    : 1e9;
		import_tell(job, "events are known by their length, not when they were: they stand "
				 "one behind the other");
		return COUNTERS_LENGTH;
	}
	for (size_t i = 0; i < sizeof(renderdoc_words) / sizeof(renderdoc_words[0]); i++)
		if (import_is(name, renderdoc_words[i].theirs))
			*cell = (struct import_cell){renderdoc_words[i].ours,
						     strlen(renderdoc_words[i].ours)};
	return COUNTERS_VALUE;
}

static enum sx_status renderdoc_read(struct import_job *job, struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	struct import_cell header = {"", 0};
	import_line(&lines, &header);
	static const struct counters_format format = {
	    .family = "", .otherwise = "vulkan", .kind = SX_SAMPLE_GROUP, .role = renderdoc_role};
	return counters_read(job, &format, lines, header, err);
}

const struct import_format import_renderdoc = {
    .kind = "renderdoc",
    .about = "counters of RenderDoc",
    .recognise = renderdoc_recognise,
    .read = renderdoc_read,
};

/*
 * Tables of AMD's public counters as GPUPerfAPI's own programs and GPUProfiler write them: a header
 * of counter names, a line a sample or draw.
 */
/* Names that only AMD's counters have. */
static const char *const gpa_names[] = {
    "GPUTime",		"GPUBusy",	   "VSBusy",
    "PSBusy",		"CSBusy",	   "HSBusy",
    "DSBusy",		"GSBusy",	   "TessellatorBusy",
    "VALUBusy",		"SALUBusy",	   "Wavefronts",
    "VALUInsts",	"PrimitivesIn",	   "VSVerticesIn",
    "PSPixelsOut",	"TexUnitBusy",	   "DepthStencilTestBusy",
    "CBMemRead",	"L2CacheHit",	   "CacheHit",
    "MemUnitBusy",	"FetchSize",	   "LDSBankConflict",
    "HiZTilesAccepted", "VSVALUInstCount", "PSVALUInstCount",
};

static size_t gpa_known(struct import_cell line)
{
	struct import_cell cells[256];
	size_t count = import_split(line, import_separator(line), cells, 256), found = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sizeof(gpa_names) / sizeof(gpa_names[0]); k++)
			found += import_is(cells[i], gpa_names[k]);
	return found;
}

static bool gpa_recognise(const struct import_head *head)
{
	struct import_job job = {.text = head->text, .size = head->size};
	struct import_lines lines = import_lines(&job);
	struct import_cell line;
	/* RenderDoc has AMD's counters too, by event. */
	while (lines.number < 4 && import_line(&lines, &line) && !import_begins(line, "EID,"))
		if (gpa_known(line) >= 3)
			return true;
	return false;
}

static enum counters_role gpa_role(struct import_job *job, struct import_cell *cell, double *to_ns)
{
	static const struct {
		const char *name;
		enum counters_role role;
	} roles[] = {
	    {"Frame", COUNTERS_FRAME},	     {"Frame #", COUNTERS_FRAME},
	    {"FrameNumber", COUNTERS_FRAME}, {"Draw", COUNTERS_GROUP},
	    {"DrawCall", COUNTERS_GROUP},    {"Sample", COUNTERS_SKIP},
	    {"Sample #", COUNTERS_SKIP},     {"Sample Id", COUNTERS_SKIP},
	    {"SampleId", COUNTERS_SKIP},     {"Pass", COUNTERS_SKIP},
	    {"Index", COUNTERS_SKIP},	     {"Method", COUNTERS_GROUP},
	    {"Profile", COUNTERS_SKIP},	     {"API", COUNTERS_GROUP},
	};
	*to_ns = 1;
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (import_is(*cell, roles[i].name))
			return roles[i].role;
	return job ? COUNTERS_VALUE : COUNTERS_SKIP;
}

static enum sx_status gpa_read(struct import_job *job, struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	struct import_cell line = {"", 0};
	while (import_line(&lines, &line) && gpa_known(line) < 3)
		;
	if (gpa_known(line) < 3)
		return import_bad(job, 0, err, "a line names AMD's counters", "there is no header");
	static const struct counters_format format = {
	    .family = "amd-",
	    .otherwise = "amd-gcn3",
	    .kind = SX_SAMPLE_ROW,
	    .loose = true,
	    .role = gpa_role,
	};
	return counters_read(job, &format, lines, line, err);
}

const struct import_format import_gpa_csv = {
    .kind = "gpa-csv",
    .about = "a table of GPUPerfAPI's counters",
    .table = true,
    .by_device = true,
    .recognise = gpa_recognise,
    .read = gpa_read,
};

/*
 * Tables of Mali's counters. Neither HWCPipe nor libGPUCounters writes a file: programs on them do,
 * under the names of Arm's database (MaliGPUActiveCy since 2.0), of the machine (GPU_ACTIVE) or of
 * HWCPipe 1 (GpuCycles). Streamline has titles or ARM_Mali-PRODUCT_SYMBOL.
 */
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

/* `is`, and `or_is` or NULL: whether a cell is of the header, which other lines may precede. */
static enum sx_status
read_mali(struct import_job *job, bool (*is)(struct import_cell), bool (*or_is)(struct import_cell),
	  enum counters_role (*role)(struct import_job *, struct import_cell *, double *),
	  struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	struct import_cell line, cells[512];
	struct counters_format own = {.family = "mali-",
				      .otherwise = "mali-g625",
				      .kind = SX_SAMPLE_TIME,
				      .driver = "kbase",
				      .loose = true,
				      .tell_guess = true,
				      .role = role};
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
	return read_mali(job, is_hwcpipe, NULL, hwcpipe_role, err);
}

static enum sx_status streamline_read(struct import_job *job, struct sx_error *err)
{
	return read_mali(job, is_streamline, is_titled, streamline_role, err);
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
