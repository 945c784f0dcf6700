/* See laid_out.h. */
#include "import/laid_out.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "import/read/layout.h"

#define NAMES_LOOKED_AT 64

/* How many names of the header some catalog knows, where the table is laid out so. */
static size_t known_names(struct import_job *job, const struct layout *layout, const char *text,
			  size_t size)
{
	struct layout_told told;
	struct import_cell header, cells[NAMES_LOOKED_AT];
	const char *names[NAMES_LOOKED_AT];
	size_t known = 0, count = 0;
	struct import_bytes copy = {.data = malloc(size + 1), .size = size};
	if (!copy.data)
		return 0;
	memcpy(copy.data, text, size);
	copy.data[size] = '\0';
	if (!layout_write(layout, &copy, &told, NULL)) {
		struct import_job of = {.text = copy.data, .size = copy.size};
		struct import_lines lines = import_lines(&of);
		while (import_line(&lines, &header) && lines.number < layout->header)
			;
		count = import_split(header, layout->separator, cells, NAMES_LOOKED_AT);
	}
	for (size_t i = 0; i < count; i++) {
		names[i] = import_bare_name(job, cells[i]);
		for (size_t j = 0; j < i && names[i]; j++)
			if (strcmp(names[j], names[i]) == 0)
				names[i] = ""; /* read once */
		if (!names[i])
			count = i;
	}
	known = import_count_known(job, names, count);
	import_bytes_free(&copy);
	return known;
}

/* Of two lines of words, the lower one has the names, with or without the upper one's, or that. */
static void choose_names(struct import_job *job, const char *text, size_t size,
			 struct layout *layout)
{
	struct layout with = *layout, upper = *layout;
	size = size < IMPORT_HEAD_BYTES ? size : IMPORT_HEAD_BYTES;
	with.grouped = true;
	upper.header = layout->group;
	upper.group = layout->header;
	size_t best = known_names(job, layout, text, size);
	size_t of_both = known_names(job, &with, text, size);
	if (of_both > best) {
		*layout = with;
		best = of_both;
	}
	if (known_names(job, &upper, text, size) > best)
		*layout = upper;
}

enum sx_status import_lay_out(struct import_job *job, bool known, struct import_bytes *bytes)
{
	struct layout layout;
	struct layout_told told;
	size_t head = bytes->size < IMPORT_HEAD_BYTES ? bytes->size : IMPORT_HEAD_BYTES;
	if (memchr(bytes->data, '\0', head) || !layout_find(bytes->data, bytes->size, &layout) ||
	    (known && !layout.first))
		return SX_OK;
	if (layout.group && job->result)
		choose_names(job, bytes->data, bytes->size, &layout);
	enum sx_status status = layout_write(&layout, bytes, &told, NULL);
	if (!status && told.lines && job->result)
		import_tell(job, "%s none of the table's and left out, line %zu the first: %s",
			    COUNTED(told.lines, "line is"), told.first, told.text);
	return status;
}
