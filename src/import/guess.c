/* Which catalog a file's columns belong to, and what telemetry is called in ours. */
#include <string.h>

#include <sextant/catalog.h>

#include "catalog/column.h"
#include "import/formats.h"

static size_t count_known(const struct sx_catalog *catalog, const char *const *names, size_t count)
{
	size_t known = 0;
	for (size_t i = 0; i < count; i++) {
		struct column_meaning meaning = column_meaning(catalog, names[i], SX_NONE);
		known += column_is_known(&meaning);
	}
	return known;
}

const char *import_guess_catalog(struct import_job *job, const char *prefix,
				 const char *const *names, size_t count, const char *otherwise)
{
	size_t catalogs, most = 0, length = strlen(prefix);
	const char *best = otherwise;
	if (job->request->catalog)
		return job->request->catalog;
	const char *const *all = sx_catalog_names(job->request->context, &catalogs);
	for (size_t i = 0; i < catalogs; i++) {
		struct sx_catalog *catalog = NULL;
		if (strncmp(all[i], prefix, length) != 0 ||
		    sx_catalog_open(job->request->context, all[i], &catalog, NULL))
			continue;
		size_t known = count_known(catalog, names, count);
		if (known > most ||
		    (known == most && otherwise && known && strcmp(all[i], otherwise) == 0)) {
			most = known;
			best = all[i];
		}
		sx_catalog_unref(catalog);
	}
	return best;
}

struct import_field import_monitor(struct import_job *job, const struct import_word *words,
				   size_t count, struct import_cell cell)
{
	for (size_t i = 0; i < count; i++)
		if (import_is(cell, words[i].word))
			return (struct import_field){.name = words[i].column,
						     .unit = words[i].unit,
						     .over_time = SX_REDUCE_MEAN,
						     .factor = words[i].factor};
	return import_header(job, cell, SX_REDUCE_MEAN);
}
