/* Heads of records to columns, labels and reasons. */
#include "decode/guest/records.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

#define NUMBER_MOST 1e300
#define NUMBERS_MAX 65536 /* contexts or processes: more were never handed out */

struct sx_column records_column(const struct decoder_setup *setup, const char *name)
{
	uint32_t count, at = SX_NONE;
	if (setup->catalog)
		at = sx_catalog_find_counter(setup->catalog, name, SX_NONE, NULL);
	const struct sx_counter_info *info =
	    at == SX_NONE ? NULL : &sx_catalog_counters(setup->catalog, &count)[at];
	return (struct sx_column){.name = name,
				  .unit = info ? info->unit : "count",
				  .type = SX_U64,
				  .over_time = info ? info->over_time : SX_REDUCE_SUM};
}

bool records_reach(void *array, size_t *count, size_t *cap, uint32_t number, size_t size)
{
	if (number < *count)
		return true;
	if (number >= NUMBERS_MAX || !mem_grow(array, cap, (size_t)number + 1, size))
		return false;
	memset(*(uint8_t **)array + *count * size, 0, (number + (size_t)1 - *count) * size);
	*count = (size_t)number + 1;
	return true;
}

bool records_is_number(double value)
{
	return value < NUMBER_MOST && value > -NUMBER_MOST;
}

const char *records_head(const struct raw_sample *raw, uint32_t value_most,
			 struct wire_sample *head)
{
	if (raw->size < sizeof(*head))
		return "it is shorter than a record";
	memcpy(head, raw->data, sizeof(*head));
	head->name[sizeof(head->name) - 1] = '\0';
	if (head->driver_count > value_most ||
	    head->label_length + head->driver_count * sizeof(struct wire_value) !=
		raw->size - sizeof(*head))
		return "its size is not that of a record, its label and its values";
	if (head->record.end_ns < head->record.begin_ns)
		return "it ends before it begins";
	return NULL;
}

enum sx_status records_refuse(const struct raw_sample *raw, const char *because,
			      const char *library, struct sx_error *err)
{
	error_set(err, SX_INCOMPLETE, "a record of %zu bytes was left out", raw->size);
	error_because(err, "%s", because);
	error_try(err, "use the command and %s of one release", library);
	return SX_INCOMPLETE;
}

enum sx_status records_set_text(struct sx_table *table, enum sx_label label, size_t row,
				const char *text, size_t size)
{
	uint32_t at = sx_table_intern(table, text, size);
	return at == SX_NONE ? SX_ERR_NO_MEMORY : sx_table_set_label(table, label, row, at);
}

enum sx_status records_set_labels(const struct wire_sample *head, const char *path,
				  struct sx_table *table, size_t row)
{
	char process[48];
	int size = snprintf(process, sizeof(process), "%s (%ld)", head->name, (long)head->pid);
	enum sx_status status = sx_table_set_label(table, SX_LABEL_CONTEXT, row, head->context);
	if (!status)
		status = records_set_text(table, SX_LABEL_PROCESS, row, process, (size_t)size);
	if (!status && head->label_length)
		status = records_set_text(table, SX_LABEL_GROUP, row, path, head->label_length);
	return status;
}
