/*
 * Rows as sextant export and eval write them as CSV: labels and times by name, then counters or
 * metrics. Files of several devices have a column with the device's number, and are read here
 * device by device.
 */
#include "import/counters/counters.h"
#include "import/internal.h"

#define OWN_TIMES (1u << IMPORT_ROLE_BEGIN | 1u << IMPORT_ROLE_END)
#define OWN_OTHER (1u << IMPORT_ROLE_QUALITY | 1u << IMPORT_ROLE_MODEL | 1u << IMPORT_ROLE_DEVICE)

/* Which columns that are no values the header has, as 1 << role; *lines is then behind it. */
static unsigned own_roles(struct import_lines *lines)
{
	struct import_cell line, cells[IMPORT_ROLES + 1];
	unsigned found = 0;
	if (!import_header_line(lines, &line))
		return 0;
	/* Ours come before everything else. */
	size_t count = import_split(line, ',', cells, IMPORT_ROLES + 1);
	for (size_t i = 0; i < count; i++)
		found |= 1u << import_role(cells[i], false, NULL);
	return found;
}

static bool own_recognise(const struct import_head *head)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	unsigned found = own_roles(&lines);
	return (found & OWN_TIMES) == OWN_TIMES && found & OWN_OTHER;
}

/* Size without a last line that has no end, which our writer gives each; *line is its number. */
static size_t own_whole_lines(const struct import_job *job, size_t *line)
{
	struct import_lines lines = import_lines(job);
	struct import_cell record;
	size_t whole = 0;
	*line = 0;
	if (job->size && job->text[job->size - 1] == '\n')
		return job->size;
	while (import_record(&lines, ',', &record)) {
		*line = lines.number;
		if (!lines.unfinished)
			whole = (size_t)(lines.p - job->text);
	}
	return whole;
}

static enum sx_status own_read(struct import_job *job, struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	size_t line, whole = own_whole_lines(job, &line);
	if ((own_roles(&lines) & OWN_TIMES) != OWN_TIMES)
		return import_bad(job, 1, err, "sextant export writes begin_ns and end_ns",
				  "the header lacks the columns of times");
	bool cut = whole < job->size && whole >= (size_t)(lines.p - job->text);
	if (cut)
		job->size = whole;
	enum sx_status status = any_table_import(job, err);
	return !status && cut ? import_cut(job, line, err) : status;
}

const struct import_format import_own_csv = {
    .kind = "sextant-csv",
    .about = "rows that sextant export wrote",
    .table = true,
    .by_device = true,
    .only_by_device = true,
    .ours = true,
    .spelled = true,
    .recognise = own_recognise,
    .read = own_read,
};
