/* Why columns have no values: in all rows (sx_column.why), or in some of them. */
#include <stdlib.h>
#include <string.h>

#include "base/text_buf.h"
#include "table/fill.h"
#include "table/table.h"

#define REASONS_MAX 320 /* bytes of one column's, more are cut */

static char **reasons_of(const struct sx_table *table, uint32_t column, uint8_t quality)
{
	size_t which = quality & SX_QUALITY_NOT_COLLECTED ? 0 : 1;
	return column < table->column_count && quality & TABLE_REASON_MASK
		   ? &table->columns[column].reasons[which]
		   : NULL;
}

enum sx_status table_add_reason(struct sx_table *table, uint32_t column, uint8_t quality,
				const char *why)
{
	char **reasons = reasons_of(table, column, quality), text[REASONS_MAX] = "";
	if (!reasons || (*reasons && strstr(*reasons, why)))
		return SX_OK;
	text_append(text, sizeof(text), "%s", *reasons ? *reasons : "");
	text_append_item(text, sizeof(text), "; ", "%s", why);
	char *copy = strdup(text);
	if (!copy)
		return SX_ERR_NO_MEMORY;
	free(*reasons);
	*reasons = copy;
	table->has_reasons = true;
	return SX_OK;
}

const char *table_reason(const struct sx_table *table, uint32_t column, uint8_t quality)
{
	char **reasons = reasons_of(table, column, quality);
	return reasons ? *reasons : NULL;
}

enum sx_status table_copy_reasons(struct sx_table *to, const struct sx_table *from)
{
	static const uint8_t qualities[] = {SX_QUALITY_NOT_COLLECTED, SX_QUALITY_GAP};
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; from->has_reasons && !status && i < from->column_count; i++)
		for (size_t k = 0; !status && k < sizeof(qualities); k++) {
			const char *why = table_reason(from, i, qualities[k]);
			const char *known = table_reason(to, i, qualities[k]);
			if (!why || (known && strcmp(known, why) == 0))
				continue;
			char **reasons = reasons_of(to, i, qualities[k]);
			free(reasons ? *reasons : NULL);
			if (reasons)
				*reasons = NULL;
			status = table_add_reason(to, i, qualities[k], why);
		}
	return status;
}

enum sx_status table_copy_whys(struct sx_table *to, const struct sx_table *from)
{
	for (uint32_t i = 0; i < from->column_count; i++) {
		const char *why = from->columns[i].info.why;
		if (!text_same(why, to->columns[i].info.why) && table_set_why(to, i, why))
			return SX_ERR_NO_MEMORY;
	}
	return table_copy_reasons(to, from);
}
