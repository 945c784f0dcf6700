/*
 * RenderDoc's counters saved as CSV: EID and a column a counter. Seen: 1.4 to 1.36
 * (PerformanceCounterViewer.cpp); cells hold bare numbers, headers may carry a unit.
 */
#include <string.h>

#include "import/counters/counters.h"

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
