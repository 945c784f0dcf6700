/* The devices that come of a trace. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/catalog.h>

#include "import/trace/perfetto_state.h"

/* "Mali-G610" is catalog mali-g610, where there is one or one that covers it. */
static const char *catalog_by_name(struct perfetto *t, const char *name)
{
	char slug[64];
	size_t used = 0;
	struct sx_catalog *catalog = NULL;
	for (; name && *name && used + 1 < sizeof(slug); name++)
		slug[used++] =
		    isalnum((unsigned char)*name) ? (char)tolower((unsigned char)*name) : '-';
	slug[used] = '\0';
	if (!used || sx_catalog_open(t->job->request->context, slug, &catalog, NULL))
		return NULL;
	const char *found = sx_catalog_info(catalog)->name;
	const char *copy = import_text(t->job, found, strlen(found));
	sx_catalog_unref(catalog);
	return copy;
}

/* The catalog that knows most of a GPU's counters, or `monitor` where none knows half of them. */
static const char *catalog_of(struct perfetto *t, const struct perfetto_gpu *gpu)
{
	const char *known =
	    gpu->id < IMPORT_DEVICES_MAX ? catalog_by_name(t, t->gpu_names[gpu->id]) : NULL;
	if (!known && gpu->id < IMPORT_DEVICES_MAX)
		known = catalog_by_name(t, t->facts[gpu->id].model);
	if (t->job->request->catalog || known)
		return t->job->request->catalog ? t->job->request->catalog : known;
	const char **names = calloc((size_t)gpu->names.count + 1, sizeof(*names));
	if (!names)
		return "monitor";
	for (uint32_t i = 0; i < gpu->names.count; i++)
		names[i] = strings_get(&gpu->names, i);
	const char *best = import_guess_catalog(t->job, "", names, gpu->names.count, "monitor");
	free(names);
	return best;
}

static void apply_facts(const struct perfetto_facts *facts, struct import_rows *rows)
{
	if (facts->numbered)
		import_rows_number(rows, facts->number);
	enum sx_sample_kind kind = facts->kind ? sx_sample_kind_find(facts->kind) : SX_SAMPLE_KINDS;
	for (uint32_t i = 0; i < facts->constant_count; i++)
		import_rows_constant(rows, facts->constants[i].name, facts->constants[i].value);
	for (uint32_t i = 0; i < facts->skipped.count; i++)
		import_column_in_turns(rows, strings_get(&facts->skipped, i));
	for (int l = 0; l < SX_LABEL_COUNT; l++)
		if (facts->labels[l])
			import_rows_label_name(rows, (enum sx_label)l, facts->labels[l]);
	import_rows_set(rows, facts->set);
	import_rows_driver(rows, facts->driver);
	if (facts->simulated)
		import_rows_simulated(rows);
	if (kind != SX_SAMPLE_KINDS)
		import_rows_kind(rows, kind);
}

static enum sx_status finish_gpu(struct perfetto *t, struct perfetto_gpu *gpu, const char *clock,
				 enum sx_status status, struct sx_error *err)
{
	char name[64];
	bool staged = gpu->ranges.count > 0;
	struct import_rows *busy =
	    staged ? import_ranges_finish(&gpu->ranges, t->job, gpu->stages) : NULL;
	struct import_rows *all[] = {gpu->rows, gpu->stages, gpu->events, busy};
	const char *known = gpu->id < IMPORT_DEVICES_MAX ? t->gpu_names[gpu->id] : NULL;
	if (gpu->id < IMPORT_DEVICES_MAX && t->facts[gpu->id].name)
		known = t->facts[gpu->id].name;
	snprintf(name, sizeof(name), "GPU %u", gpu->id);
	if (gpu->ranges.no_memory)
		status = error_nomem(err, "importing");
	enum sx_status worst = status;
	if (gpu->rows)
		import_rows_catalog(gpu->rows, catalog_of(t, gpu));
	if (gpu->rows && t->anchors)
		import_rows_any_order(gpu->rows);
	else if (gpu->rows)
		import_rows_whole_shares(gpu->rows);
	if (gpu->rows && gpu->id < IMPORT_DEVICES_MAX)
		apply_facts(&t->facts[gpu->id], gpu->rows);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!all[i])
			continue;
		import_rows_name(all[i], known ? known : name);
		import_rows_clock(all[i], clock);
		/* Descriptors without samples are no reason to give up the others. */
		bool empty = !import_row_count(all[i]);
		enum sx_status ended =
		    import_rows_finish(all[i], empty && t->job->result ? SX_END : status, err);
		if (!empty)
			worst = import_worse(worst, ended);
	}
	free(gpu->held);
	free(gpu->ranges.list);
	strings_finish(&gpu->names);
	return worst;
}

enum sx_status perfetto_finish(struct perfetto *t, const char *clock, enum sx_status status,
			       struct sx_error *err)
{
	bool any = false;
	for (uint32_t i = 0; i < t->gpu_count; i++) {
		struct perfetto_gpu *gpu = &t->gpus[i];
		any |= import_row_count(gpu->rows) || import_row_count(gpu->stages) ||
		       import_row_count(gpu->events);
		status = finish_gpu(t, gpu, clock, status, err);
	}
	if (t->lost)
		import_tell(t->job,
			    "%zu values were left out: no descriptor names their counter, "
			    "or they are out of order",
			    t->lost);
	if (t->early)
		import_tell(t->job, "the first sample of each GPU only marks where time begins");
	if (t->marks)
		import_tell(t->job, "what was lost or is known less well stands on the track "
				    "Quality of the trace, and does not come over");
	if (t->clock >= 64)
		import_tell(t->job, "times are of clock %u of the trace, which was not converted",
			    t->clock);
	for (size_t i = 0; i < IMPORT_DEVICES_MAX; i++) {
		strings_finish(&t->facts[i].skipped);
		strings_finish(&t->facts[i].levels);
	}
	strings_finish(&t->keys);
	strings_finish(&t->stage_keys);
	free(t->counters);
	free(t->stage_names);
	if (!any && !sx_failed(status))
		return import_bad(t->job, 0, err,
				  "it has no GPU counters, frequencies, memory or render stages",
				  "nothing in this trace is of a GPU");
	return status;
}
