/* What of each device is wanted: patterns to selections. */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static enum sx_status select_one(struct sx_session *s, struct session_device *d,
				 struct sx_session_device *info, const char *const *patterns,
				 uint32_t count, struct sx_error *err)
{
	struct sx_metrics_options options = {.patterns = patterns,
					     .pattern_count = count,
					     .set = s->options.set,
					     .variant = s->options.variant,
					     .constants = info->constants,
					     .constant_count = info->constant_count};
	sx_metrics_destroy(d->metrics);
	d->metrics = NULL;
	enum sx_status status = sx_metrics_create(info->catalog, &options, &d->metrics, err);
	info->metrics = d->metrics;
	return status;
}

/* Each pattern must mean something on at least one device; others pass it over. */
static enum sx_status select_patterns(struct sx_session *s, struct sx_error *err)
{
	uint32_t count = s->options.metric_count;
	const char **mine = calloc(count + 1, sizeof(*mine));
	bool *used = calloc(count + 1, sizeof(*used));
	enum sx_status status = mine && used ? SX_OK : error_nomem(err, "selecting metrics");
	struct sx_error why = {0};
	for (uint32_t i = 0; !status && i < s->device_count; i++) {
		uint32_t n = 0;
		for (uint32_t p = 0; p < count; p++) {
			if (select_one(s, &s->devices[i], &s->infos[i], &s->options.metrics[p], 1,
				       why.status ? NULL : &why) != SX_OK)
				continue;
			used[p] = true;
			mine[n++] = s->options.metrics[p];
		}
		if (n)
			status = select_one(s, &s->devices[i], &s->infos[i], mine, n, err);
	}
	for (uint32_t p = 0; !status && p < count; p++) {
		if (used[p])
			continue;
		if (err)
			*err = why;
		status = why.status;
	}
	free(mine);
	free(used);
	return status;
}

enum sx_status session_select(struct sx_session *s, struct sx_error *err)
{
	/* "*" takes in the raw counters as well; a catalog may have only one of the two. */
	static const char *const everything[] = {"*"};
	enum sx_status status = SX_OK;
	if (s->options.metric_count)
		return select_patterns(s, err);
	for (uint32_t i = 0; !status && i < s->device_count; i++)
		status = select_one(s, &s->devices[i], &s->infos[i], everything, 1, err);
	return status;
}
