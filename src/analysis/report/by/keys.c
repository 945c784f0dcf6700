/* The keys that rows are grouped by: their names and labels. */
#include "analysis/report/by/keys.h"

#include <string.h>

#include "base/error.h"
#include "table/label.h"

enum sx_label by_label(enum report_key key)
{
	static const enum sx_label labels[] = {
	    [REPORT_BY_FRAME] = SX_LABEL_FRAME,	    [REPORT_BY_GROUP] = SX_LABEL_GROUP,
	    [REPORT_BY_TIME] = SX_LABEL_COUNT,	    [REPORT_BY_INSTANCE] = SX_LABEL_INSTANCE,
	    [REPORT_BY_PROCESS] = SX_LABEL_PROCESS, [REPORT_BY_CONTEXT] = SX_LABEL_CONTEXT,
	    [REPORT_BY_GROUP2] = SX_LABEL_GROUP2,   [REPORT_BY_GROUP3] = SX_LABEL_GROUP3,
	    [REPORT_BY_GROUP4] = SX_LABEL_GROUP4};
	return labels[key];
}

const char *report_key_name(enum report_key key)
{
	return key == REPORT_BY_TIME ? "time" : label_name(by_label(key));
}

enum sx_status report_key_parse(const char *text, enum report_key *out, struct sx_error *err)
{
	for (int i = 0; i < REPORT_KEYS; i++)
		if (strcmp(text, report_key_name((enum report_key)i)) == 0) {
			*out = (enum report_key)i;
			return SX_OK;
		}
	error_set(err, SX_ERR_USAGE, "--by cannot be \"%s\"", text);
	error_because(err, "rows can be put together by frame, group, time, instance, process or "
			   "context, and those of a table by its columns of text");
	error_try(err, "--by frame");
	return SX_ERR_USAGE;
}

bool report_key_is_text(enum report_key key)
{
	return key != REPORT_BY_TIME && SX_LABELS_OF_TEXT >> by_label(key) & 1;
}
