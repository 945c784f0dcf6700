/*
 * CodeXL, APP Profiler and Radeon Compute Profiler: lines that begin with #, then a table of
 * kernels with AMD's counters, OpenCL's with their times, HSA's without. Seen: the columns of
 * CodeXL 1.x and 2.x, and the writer of Radeon Compute Profiler 5.6 (CSVFileParser.cpp).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "import/counters/counters.h"
#include "import/counters/rocm.h"

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
