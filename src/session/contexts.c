/* One hardware context of a device that all share: rows of the others are left out. */
#include "session/session.h"

#include <stdlib.h>

#include "base/error.h"

/* Sources cannot be asked for it: the kernel wants a handle of the process that is measured. */
enum sx_status contexts_check(const struct sx_session *s, struct sx_error *err)
{
	for (uint32_t i = 0; s->options.only_context && i < s->device_count; i++) {
		const struct source_ops *ops = s->devices[i].ops;
		if (ops->raw == RAW_I915_OA || ops->raw == RAW_ROWS)
			continue;
		error_set(err, SX_ERR_UNSUPPORTED, "source %s does not tell contexts apart",
			  ops->name);
		error_because(err, "only Intel's OA unit says which context ran");
		error_try(err, "-d i915:card0 to choose it, or without --context");
		return SX_ERR_UNSUPPORTED;
	}
	return SX_OK;
}

static enum sx_status append(struct session_device *d, struct sx_vector *vectors, size_t first,
			     size_t count, struct sx_error *err)
{
	struct sx_rows rows;
	if (!count)
		return SX_OK;
	sx_table_rows(d->mixed, first, count, vectors, &rows);
	return sx_table_append(d->raw, &rows, err);
}

enum sx_status contexts_sift(const struct sx_session *s, struct session_device *d,
			     struct sx_error *err)
{
	size_t count = sx_table_row_count(d->mixed), first = 0, before = sx_table_row_count(d->raw);
	struct sx_vector *vectors = calloc(sx_table_column_count(d->mixed) + 1, sizeof(*vectors));
	enum sx_status status = vectors ? SX_OK : error_nomem(err, "rows of one context");
	for (size_t i = 0; !status && i < count; i++) {
		if (sx_table_label(d->mixed, SX_LABEL_CONTEXT, i) == s->options.context)
			continue;
		status = append(d, vectors, first, i - first, err);
		first = i + 1;
	}
	if (!status)
		status = append(d, vectors, first, count - first, err);
	d->others += count - (sx_table_row_count(d->raw) - before);
	sx_table_clear(d->mixed);
	free(vectors);
	return status;
}
