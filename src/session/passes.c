/* Passes of a device, for counters that cannot be counted at once: its source multiplexes them. */

#include <sextant/plan.h>

#include "base/error.h"
#include "session/session.h"

/* One item for each column: its formula needs all of its counters from one sample. */
static enum sx_status make_items(struct sx_session *s, uint32_t index, struct sx_plan_item **out,
				 uint32_t *count, struct sx_error *err)
{
	const struct sx_metrics *metrics = s->devices[index].metrics;
	uint32_t input_count;
	const struct sx_metric_input *inputs = sx_metrics_inputs(metrics, &input_count);
	sx_metrics_columns(metrics, count);
	*out = arena_alloc(&s->run_arena, (*count + 1) * sizeof(**out));
	for (uint32_t i = 0; *out && i < *count; i++) {
		uint32_t needed;
		const uint32_t *of = sx_metrics_column_inputs(metrics, i, &needed);
		uint32_t *list = arena_alloc(&s->run_arena, (needed + 1) * sizeof(*list));
		if (!list)
			return error_nomem(err, "planning passes");
		struct sx_plan_item *item = &(*out)[i];
		item->counters = list;
		for (uint32_t k = 0; k < needed; k++) {
			uint32_t counter = inputs[of[k]].counter, before = 0;
			while (before < item->count && list[before] != counter)
				before++;
			if (counter != SX_NONE && before == item->count)
				list[item->count++] = counter;
		}
	}
	return *out ? SX_OK : error_nomem(err, "planning passes");
}

static bool has(const struct sx_plan_pass *pass, uint32_t counter)
{
	for (uint32_t i = 0; i < pass->count; i++)
		if (pass->counters[i] == counter)
			return true;
	return false;
}

/* From counters of the catalog to those of the request, with all their instances. */
static enum sx_status take_passes(struct sx_session *s, uint32_t index, const struct sx_plan *plan,
				  struct sx_error *err)
{
	struct source_request *request = &s->devices[index].request;
	uint32_t count, input_count;
	const struct sx_plan_pass *passes = sx_plan_passes(plan, &count);
	const struct sx_metric_input *inputs =
	    sx_metrics_inputs(s->devices[index].metrics, &input_count);
	struct source_pass *out = arena_alloc(&s->run_arena, (count + 1) * sizeof(*out));
	for (uint32_t p = 0; out && p < count; p++) {
		uint32_t *list = arena_alloc(&s->run_arena, (input_count + 1) * sizeof(*list));
		uint32_t at = 0;
		if (!list)
			return error_nomem(err, "planning passes");
		for (uint32_t i = 0; i < input_count; i++) {
			if (inputs[i].counter == SX_NONE)
				continue;
			if (has(&passes[p], inputs[i].counter))
				list[out[p].count++] = at;
			at++;
		}
		out[p].counters = list;
	}
	request->passes = out;
	request->pass_count = count;
	return out ? SX_OK : error_nomem(err, "planning passes");
}

/* Notes how samples are shared between passes, and what cannot be counted. */
static void passes_note(struct sx_session *s, uint32_t index, const struct sx_plan *plan,
			uint32_t items)
{
	uint32_t passes, torn = 0, first = SX_NONE;
	sx_plan_passes(plan, &passes);
	for (uint32_t i = 0; i < items; i++) {
		uint32_t count;
		sx_plan_item_passes(plan, i, &count);
		torn += count > 1;
		first = count > 1 && first == SX_NONE ? i : first;
	}
	if (torn) {
		const struct sx_metric_column *columns =
		    sx_metrics_columns(s->devices[index].metrics, &items);
		error_set(&s->devices[index].note, SX_INCOMPLETE,
			  "no data of %u metrics (%s and so on): the counters of one do not fit a "
			  "single pass, and each frame runs once",
			  (unsigned)torn, columns[first].name);
	} else if (passes > 1) {
		error_set(&s->devices[index].note, SX_INCOMPLETE,
			  "the counters make %u passes, a frame each in turn; amounts are scaled "
			  "to all frames",
			  (unsigned)passes);
	}
}

enum sx_status passes_plan(struct sx_session *s, uint32_t index, struct sx_error *err)
{
	struct sx_plan_item *items = NULL;
	struct sx_plan *plan = NULL;
	uint32_t count = 0;
	enum sx_status status = make_items(s, index, &items, &count, err);
	const struct sx_plan_request request = {.items = items, .count = count};
	if (!status)
		status = sx_plan_create(s->infos[index].catalog, &request, &plan, err);
	if (!status)
		status = take_passes(s, index, plan, err);
	if (!status)
		passes_note(s, index, plan, count);
	sx_plan_destroy(plan);
	return status;
}
