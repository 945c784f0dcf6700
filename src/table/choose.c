/* Rows of one process or context, by their labels. */
#include "table/fill.h"

#include <sextant/table.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The label is "name (pid)"; either is asked for, or both. */
static bool is_process(const char *label, const char *asked)
{
	size_t size = strlen(asked);
	const char *pid = strrchr(label, '(');
	if (!pid)
		return false;
	size_t name = pid > label ? (size_t)(pid - label) - 1 : 0;
	bool is_pid = strncmp(pid + 1, asked, size) == 0 && pid[1 + size] == ')';
	return strcmp(label, asked) == 0 || is_pid ||
	       (name == size && memcmp(label, asked, size) == 0);
}

bool row_is_chosen(const struct sx_row_choice *choice, const struct sx_table *table, size_t row)
{
	uint64_t context = choice->only_context ? sx_table_label(table, SX_LABEL_CONTEXT, row) : 0;
	if (choice->only_context && context != choice->context &&
	    !(choice->unlabelled && context == SX_LABEL_ABSENT))
		return false;
	if (!choice->process)
		return true;
	uint64_t label = sx_table_label(table, SX_LABEL_PROCESS, row);
	const char *text = label == SX_LABEL_ABSENT ? NULL : sx_table_string(table, label);
	return text ? is_process(text, choice->process) : choice->unlabelled;
}

static enum sx_status choose_append(const struct sx_table *from, struct sx_table *to,
				    struct sx_vector *vectors, const size_t span[2],
				    struct sx_error *err)
{
	struct sx_rows rows;
	if (span[0] == span[1])
		return SX_OK;
	sx_table_rows(from, span[0], span[1] - span[0], vectors, &rows);
	return sx_table_append(to, &rows, err);
}

enum sx_status sx_table_choose(const struct sx_row_choice *choice, const struct sx_table *from,
			       struct sx_table *to, uint64_t *others, struct sx_error *err)
{
	size_t count = sx_table_row_count(from), span[2] = {0, 0};
	struct sx_vector *vectors = calloc(sx_table_column_count(from) + 1, sizeof(*vectors));
	enum sx_status status = vectors ? SX_OK : error_nomem(err, "choosing rows");
	for (size_t i = 0; !status && i < count; i++) {
		if (row_is_chosen(choice, from, i))
			continue;
		span[1] = i;
		status = choose_append(from, to, vectors, span, err);
		span[0] = i + 1;
		++*others;
	}
	span[1] = count;
	if (!status)
		status = choose_append(from, to, vectors, span, err);
	free(vectors);
	return status;
}
