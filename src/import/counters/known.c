/* Tables with a header of counters' names: AMD's tools and RenderDoc. */
#include <ctype.h>
#include <string.h>

#include "import/counters/counters.h"

/*
 * CodeXL, APP Profiler and Radeon Compute Profiler: lines that begin with #, then a table of
 * kernels with AMD's counters, OpenCL's with their times, HSA's without. Seen: the columns of
 * CodeXL 1.x and 2.x, and the writer of Radeon Compute Profiler 5.6 (CSVFileParser.cpp).
 */
static const struct {
	const char *chips, *catalog;
} chips[] = {
    {"Tahiti|Pitcairn|Capeverde|Oland|Hainan", "amd-gcn1"},
    {"Bonaire|Hawaii|Spectre|Kalindi|Mullins", "amd-gcn2"},
    {"Tonga|Iceland|Fiji|Carrizo|Ellesmere|Baffin|Stoney", "amd-gcn3"},
    {"Cypress|Juniper|Redwood|Cedar", "amd-hd5000"},
    {"Barts|Turks|Caicos|Cayman|BeaverCreek|WinterPark|Loveland|Devastator", "amd-hd6000"},
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
		if (import_word_of(name, chips[i].chips))
			found = chips[i].catalog;
	return found;
}

static bool codexl_is_header(struct import_cell line)
{
	struct import_cell cells[4];
	size_t count = import_split(line, import_separator(line), cells, 4);
	return count >= 3 && import_is(cells[0], "Method") &&
	       import_word_of(cells[1], "ExecutionOrder|ThreadID|CallIndex");
}

static bool codexl_recognise(const struct import_head *head)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell line;
	while (lines.number < 64 && import_line(&lines, &line)) {
		if (codexl_is_header(line))
			return true;
		if (line.size && line.text[0] != '#')
			return false;
	}
	return false;
}

static const struct counters_word codexl_words[] = {
    {"ExecutionOrder|ThreadID|CallIndex|GlobalWorkSize|WorkGroupSize|GroupWorkSize", COUNTERS_SKIP,
     0, "ExecutionOrder, ThreadID, CallIndex and the work sizes were left out"},
    {"Method", COUNTERS_GROUP, 0, NULL},
    {"Time|Time(ms)|Time (ms)", COUNTERS_LENGTH, 1e6,
     "the file has the durations of kernels, not their times: they follow each other"},
};

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

static const char *codexl_catalog(struct import_job *job, struct import_lines lines,
				  struct import_cell header)
{
	struct import_cell first = {header.text, 0};
	import_line(&lines, &first);
	const char *catalog = catalog_of_method(first);
	if (!job->request->catalog && !catalog)
		import_remark(job,
			      "no kernel's name contains the chip: the catalog was chosen by the "
			      "names of the counters");
	return catalog;
}

static const struct counters_format codexl_tables = {
    .family = "amd-",
    .otherwise = "amd-gcn3",
    .kind = SX_SAMPLE_GROUP,
    .driver = "Catalyst",
    .wide_first = true,
    .is_header = codexl_is_header,
    .because = "a table of kernels begins with Method",
    .nothing = "there is no header line",
    .catalog = codexl_catalog,
    COUNTERS_WORDS(codexl_words),
};

const struct import_format import_codexl = {
    .kind = "codexl",
    .about = "a session of CodeXL or APP Profiler",
    .recognise = codexl_recognise,
    .read = counters_read,
    .counters = &codexl_tables,
};

/*
 * RenderDoc's counters saved as CSV: EID and a column a counter. Seen: 1.4 to 1.36
 * (PerformanceCounterViewer.cpp); cells hold bare numbers, headers may carry a unit.
 */
static bool renderdoc_recognise(const struct import_head *head)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell line, cells[2];
	return import_line(&lines, &line) && import_split(line, ',', cells, 2) == 2 &&
	       import_is(cells[0], "EID");
}

/* RenderDoc's own names for what every API counts. */
static const struct counters_word renderdoc_words[] = {
    {"EID", COUNTERS_GROUP, 0, NULL},
    {"Input Vertices Read", COUNTERS_VALUE, 0, "IAVertices"},
    {"Input Primitives", COUNTERS_VALUE, 0, "IAPrimitives"},
    {"VS Invocations", COUNTERS_VALUE, 0, "VSInvocations"},
    {"GS Invocations", COUNTERS_VALUE, 0, "GSInvocations"},
    {"GS Primitives", COUNTERS_VALUE, 0, "GSPrimitives"},
    {"Rasterizer Invocations", COUNTERS_VALUE, 0, "CInvocations"},
    {"Rasterized Primitives", COUNTERS_VALUE, 0, "CPrimitives"},
    {"PS Invocations", COUNTERS_VALUE, 0, "PSInvocations"},
    {"TCS Invocations|HS Invocations", COUNTERS_VALUE, 0, "HSInvocations"},
    {"TES Invocations|DS Invocations", COUNTERS_VALUE, 0, "DSInvocations"},
    {"CS Invocations", COUNTERS_VALUE, 0, "CSInvocations"},
    {"Samples Passed", COUNTERS_VALUE, 0, "Occlusion"},
};

static enum counters_role renderdoc_role(struct import_job *job, struct import_cell *cell,
					 double *to_ns)
{
	struct import_cell unit, name = import_split_unit(*cell, &unit);
	if (!import_is(name, "GPU Duration"))
		return COUNTERS_UNKNOWN;
	double own = import_time_unit(unit);
	*to_ns = own > 0 ? own : 1e9; /* seconds, unless the header says otherwise */
	import_remark(job, "the file has the durations of events, not their times: they "
			   "follow each other");
	return COUNTERS_LENGTH;
}

static const struct counters_format renderdoc_tables = {
    .family = "",
    .otherwise = "vulkan",
    .kind = SX_SAMPLE_GROUP,
    COUNTERS_WORDS(renderdoc_words),
    .role = renderdoc_role,
};

const struct import_format import_renderdoc = {
    .kind = "renderdoc",
    .about = "counters of RenderDoc",
    .recognise = renderdoc_recognise,
    .read = counters_read,
    .counters = &renderdoc_tables,
};

/*
 * Tables of AMD's public counters as GPUPerfAPI's own programs and GPUProfiler write them: a header
 * of counter names, a line a sample or draw.
 */
/* Names that only AMD's counters have. */
#define GPA_NAMES                                                                                  \
	"GPUTime|GPUBusy|VSBusy|PSBusy|CSBusy|HSBusy|DSBusy|GSBusy|TessellatorBusy|VALUBusy|"      \
	"SALUBusy|Wavefronts|VALUInsts|PrimitivesIn|VSVerticesIn|PSPixelsOut|TexUnitBusy|"         \
	"DepthStencilTestBusy|CBMemRead|L2CacheHit|CacheHit|MemUnitBusy|FetchSize|"                \
	"LDSBankConflict|HiZTilesAccepted|VSVALUInstCount|PSVALUInstCount"

static size_t gpa_known(struct import_cell line)
{
	struct import_cell cells[256];
	size_t count = import_split(line, import_separator(line), cells, 256), found = 0;
	for (size_t i = 0; i < count; i++)
		found += import_word_of(cells[i], GPA_NAMES) != NULL;
	return found;
}

static bool gpa_recognise(const struct import_head *head)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell line;
	/* RenderDoc has AMD's counters too, by event. */
	while (lines.number < 4 && import_line(&lines, &line) && !import_begins(line, "EID,"))
		if (gpa_known(line) >= 3)
			return true;
	return false;
}

static const struct counters_word gpa_words[] = {
    {"Frame|Frame #|FrameNumber", COUNTERS_FRAME, 0, NULL},
    {"Draw|DrawCall|Method|API", COUNTERS_GROUP, 0, NULL},
    {"Sample|Sample #|Sample Id|SampleId|Pass|Index|Profile", COUNTERS_SKIP, 0, NULL},
};

static bool gpa_is_header(struct import_cell line)
{
	return gpa_known(line) >= 3;
}

static const struct counters_format gpa_tables = {
    .family = "amd-",
    .otherwise = "amd-gcn3",
    .kind = SX_SAMPLE_ROW,
    .loose = true,
    .is_header = gpa_is_header,
    .because = "a line names AMD's counters",
    .nothing = "there is no header",
    COUNTERS_WORDS(gpa_words),
};

const struct import_format import_gpa_csv = {
    .kind = "gpa-csv",
    .about = "a table of GPUPerfAPI's counters",
    .table = true,
    .by_device = true,
    .recognise = gpa_recognise,
    .read = counters_read,
    .counters = &gpa_tables,
};

/*
 * rocprof (v1 and v2): a line a dispatch, a column a counter. Seen: the headers of ROCm 3 to 6, v1
 * (Index,KernelName,…) and v2 (Dispatch_ID,GPU_ID,…,Kernel_Name,Start_Timestamp,…).
 */
static bool rocprof_recognise(const struct import_head *head)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell line;
	return import_line(&lines, &line) && (import_begins(line, "Index,KernelName,") ||
					      import_begins(line, "\"Index\",\"KernelName\",") ||
					      import_begins(line, "Dispatch_ID,GPU_ID,"));
}

static const struct counters_word rocprof_words[] = {
    {"Index|Dispatch_ID|queue-id|queue-index|Queue_ID|Queue_Index|pid|tid|sig|obj|fbar|DispatchNs|"
     "CompleteNs|DurationNs|Correlation_ID",
     COUNTERS_SKIP, 0, NULL},
    {"gpu-id|GPU_ID", COUNTERS_GPU, 0, NULL},
    {"KernelName|Kernel_Name", COUNTERS_GROUP, 0, NULL},
    {"BeginNs|Start_Timestamp", COUNTERS_BEGIN, 1, NULL},
    {"EndNs|End_Timestamp", COUNTERS_END, 1, NULL},
    {"grd|wgr|Wave_Size|Grid_Size|Workgroup_Size", COUNTERS_PROPERTY, 0, "items"},
    {"lds|scr|LDS_Per_Workgroup|Scratch_Per_Workitem", COUNTERS_PROPERTY, 0, "bytes"},
    {"vgpr|Arch_VGPR|accum_vgpr|sgpr", COUNTERS_PROPERTY, 0, "count"},
};

/* On which chips the names of ROCm's derived counters are known to mean the same. */
#define ROCM_CATALOG                                                                               \
	.otherwise = "amd-gcn3", .note_before = "the metrics and rules are those of ",             \
	.note_after = ". VALUBusy, VALUUtilization, LDSBankConflict, MemUnitStalled, "             \
		      "WriteUnitStalled, FetchSize and CacheHit are known to mean the same on "    \
		      "GFX8 and GFX9 (Vega, CDNA); later GPUs are not verified"

static const struct counters_format rocprof_tables = {
    ROCM_CATALOG,
    .kind = SX_SAMPLE_GROUP,
    .driver = "ROCm",
    .gpu = "GPU ",
    .gpu_otherwise = "0",
    .line = "rocprof writes a line a dispatch",
    COUNTERS_WORDS(rocprof_words),
};

const struct import_format import_rocprof = {
    .kind = "rocprof",
    .about = "counters of rocprof",
    .recognise = rocprof_recognise,
    .read = counters_read,
    .counters = &rocprof_tables,
};

/*
 * rocprofv3's *_counter_collection.csv: a line for each counter of each dispatch. Seen: ROCm 6.0 to
 * 7.0, with and without timestamps, Kernel_Id and Accum_VGPR_Count.
 */
static bool rocprofv3_recognise(const struct import_head *head)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell line, cells[32];
	unsigned found = 0;
	size_t count = import_line(&lines, &line) ? import_split(line, ',', cells, 32) : 0;
	for (size_t i = 0; i < count; i++)
		found |= (unsigned)import_is(cells[i], "Counter_Name") |
			 (unsigned)import_is(cells[i], "Counter_Value") << 1 |
			 (unsigned)import_is(cells[i], "Dispatch_Id") << 2;
	return found == 7;
}

static const struct counters_word rocprofv3_words[] = {
    {"Counter_Name", COUNTERS_NAME, 0, NULL},
    {"Counter_Value", COUNTERS_READING, 0, NULL},
    {"Dispatch_Id|Process_Id", COUNTERS_KEY, 0, NULL},
    {"Agent_Id", COUNTERS_GPU, 0, NULL},
    {"Kernel_Name", COUNTERS_GROUP, 0, NULL},
    {"Start_Timestamp", COUNTERS_BEGIN, 1, NULL},
    {"End_Timestamp", COUNTERS_END, 1, NULL},
    {"Grid_Size|Workgroup_Size", COUNTERS_PROPERTY, 0, "items"},
    {"LDS_Block_Size|Scratch_Size", COUNTERS_PROPERTY, 0, "bytes"},
    {"VGPR_Count|Accum_VGPR_Count|SGPR_Count", COUNTERS_PROPERTY, 0, "count"},
};

static const struct counters_format rocprofv3_tables = {
    ROCM_CATALOG,
    .kind = SX_SAMPLE_GROUP,
    .driver = "ROCm",
    .gpu = "Agent ",
    .gpu_otherwise = "",
    .because = "rocprofv3 writes Counter_Name and Counter_Value",
    .nothing = "the header lacks the column of counters",
    .line = "rocprofv3 writes a line a counter and dispatch",
    .by_name = "Counter_Name|Counter_Value|Dispatch_Id",
    COUNTERS_WORDS(rocprofv3_words),
};

const struct import_format import_rocprofv3 = {
    .kind = "rocprofv3",
    .about = "counters of rocprofv3",
    .recognise = rocprofv3_recognise,
    .read = counters_read,
    .counters = &rocprofv3_tables,
};
