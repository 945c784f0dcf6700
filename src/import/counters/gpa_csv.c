/*
 * Tables of AMD's public counters as GPUPerfAPI's own programs and GPUProfiler write them: a header
 * of counter names, a line a sample or draw.
 */
#include "import/counters/counters.h"

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
