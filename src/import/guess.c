/* Guesses which catalog a file's columns belong to, and our names of telemetry. */
#include <string.h>

#include <sextant/catalog.h>

#include "catalog/column.h"
#include "catalog/internal.h"
#include "import/internal.h"

#define LOOSE_NAMES_MAX 48 /* each is compared with every name of every catalog */
#define LOOSE_LETTERS	2  /* "c0" is anything, "C0" may be a counter */
#define LETTERS_LEAST	6
#define KNOWN_ONE_IN	64 /* names at least, of which only a few are a chance */

static bool is_exact(const struct sx_catalog *catalog, const char *name)
{
	return sx_catalog_find_counter(catalog, name, SX_NONE, NULL) != SX_NONE ||
	       sx_catalog_find_metric(catalog, name, SX_NONE, NULL) != SX_NONE;
}

/* How many names a catalog knows: exactly, and for some of the others in any spelling. */
static size_t count_known(const struct sx_catalog *catalog, const char *const *names, size_t count)
{
	size_t known = 0, loose = 0;
	for (size_t i = 0; i < count; i++) {
		bool exact = is_exact(catalog, names[i]);
		known += exact;
		if (exact || loose++ >= LOOSE_NAMES_MAX)
			continue;
		struct column_meaning meaning = column_meaning(catalog, names[i], SX_NONE);
		known += strlen(names[i]) > LOOSE_LETTERS && column_is_known(&meaning);
	}
	return known;
}

/* A catalog that may know as many names as the best so far is worth opening. */
static bool can_be_best(const struct catalog_names *may, const char *catalog, size_t most)
{
	size_t known = catalog_names_most(may, catalog);
	return known && known >= most;
}

const char *import_guess_catalog(struct import_job *job, const char *prefix,
				 const char *const *names, size_t count, const char *otherwise)
{
	size_t catalogs, most = 0, length = strlen(prefix);
	const char *best = otherwise;
	if (job->request->catalog)
		return job->request->catalog;
	const char *const *all = sx_catalog_names(job->request->context, &catalogs);
	struct catalog_names may;
	catalog_names_begin(job->request->context, names, count, &may);
	for (size_t i = 0; i < catalogs; i++) {
		struct sx_catalog *catalog = NULL;
		if (strncmp(all[i], prefix, length) != 0 || !can_be_best(&may, all[i], most) ||
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

/* As they are written, letter by letter. */
static size_t count_exact(const struct sx_catalog *catalog, const char *const *names, size_t count)
{
	size_t known = 0;
	for (size_t i = 0; i < count; i++)
		known += is_exact(catalog, names[i]);
	return known;
}

/* Of catalogs that have as many names of a file, the least that it takes to mean one. */
enum guess_rank {
	GUESS_ANY,    /* whatever the hardware: an API, what monitors log */
	GUESS_DEVICE, /* of some hardware */
	GUESS_SET,    /* numbers mean nothing unless a metric set is named */
};

static bool is_hardware(const struct sx_catalog_info *info)
{
	return info->kind == SX_KIND_GPU && info->match_count;
}

static enum guess_rank guess_rank_of(const struct sx_catalog *catalog)
{
	const struct sx_catalog_info *info = sx_catalog_info(catalog);
	return sx_catalog_has_sets(catalog) ? GUESS_SET
	       : is_hardware(info)	    ? GUESS_DEVICE
					    : GUESS_ANY;
}

/*
 * The catalog that has most of the names, of several the first of the least rank, and how many.
 * Catalogs of no hardware come first: they are few, and after one that has all names no other can
 * be better.
 */
static const char *most_known(struct import_job *job, const char *const *names, size_t count,
			      bool exact, size_t *most)
{
	size_t catalogs, at = SIZE_MAX;
	enum guess_rank least = GUESS_SET;
	const struct sx_catalog_info *const *heads =
	    sx_catalog_heads(job->request->context, &catalogs);
	*most = 0;
	struct catalog_names may;
	catalog_names_begin(job->request->context, names, count, &may);
	for (size_t k = 0; heads && k < 2 * catalogs && (*most < count || least != GUESS_ANY);
	     k++) {
		struct sx_catalog *catalog = NULL;
		size_t i = k % catalogs;
		if (is_hardware(heads[i]) != (k >= catalogs) ||
		    !can_be_best(&may, heads[i]->name, *most) ||
		    sx_catalog_open(job->request->context, heads[i]->name, &catalog, NULL))
			continue;
		size_t known =
		    exact ? count_exact(catalog, names, count) : count_known(catalog, names, count);
		enum guess_rank rank = guess_rank_of(catalog);
		bool same = known && known == *most;
		if (known > *most || (same && (rank < least || (rank == least && i < at)))) {
			at = i;
			least = rank;
			*most = known;
		}
		sx_catalog_unref(catalog);
	}
	return at == SIZE_MAX ? NULL : heads[at]->name;
}

size_t import_count_known(struct import_job *job, const char *const *names, size_t count)
{
	size_t known, some = count < LOOSE_NAMES_MAX ? count : LOOSE_NAMES_MAX;
	most_known(job, names, some, false, &known);
	return known;
}

/* One known name is no coincidence if it is long enough, however many names are unknown. */
static bool has_letters(struct import_job *job, const char *best, const char *const *names,
			size_t count)
{
	struct sx_catalog *catalog = NULL;
	bool any = false;
	if (sx_catalog_open(job->request->context, best, &catalog, NULL))
		return false;
	for (size_t i = 0; i < count && !any; i++)
		any = strlen(names[i]) >= LETTERS_LEAST && is_exact(catalog, names[i]);
	sx_catalog_unref(catalog);
	return any;
}

/* The catalog that the file names, or that fits the names of its columns. */
static const char *find_by_names(struct import_job *job, const char *const *names, size_t count)
{
	const struct import_given *given = import_given_of(job);
	if (given && given->catalog)
		return given->catalog;
	size_t known, loose, some = count < LOOSE_NAMES_MAX ? count : LOOSE_NAMES_MAX;
	const char *best = most_known(job, names, count, true, &known);
	if (known == count)
		return best;
	const char *other = most_known(job, names, some, false, &loose);
	if (loose > known) {
		best = other;
		known = loose;
	}
	bool some_known = known >= 2 && KNOWN_ONE_IN * known >= count;
	return some_known || (known && (3 * known >= count || has_letters(job, best, names, count)))
		   ? best
		   : NULL;
}

const char *import_find_catalog(struct import_job *job, const char *const *names, size_t count)
{
	const char *asked = job->request->catalog;
	return asked ? asked : find_by_names(job, names, count);
}

const char *import_device_catalog(struct import_job *job, const char *const *names, size_t count)
{
	const char *asked = job->request->catalog, *found = NULL;
	struct sx_catalog *catalog = NULL;
	if (asked && sx_catalog_open(job->request->context, asked, &catalog, NULL))
		return asked; /* it does not exist: opening it reports that */
	size_t known = asked ? count_known(catalog, names, count) : 0;
	if (!asked || known * 2 < count)
		found = find_by_names(job, names, count);
	sx_catalog_unref(catalog);
	if (!asked || !found || sx_catalog_open(job->request->context, found, &catalog, NULL))
		return found ? found : asked;
	/* Another catalog is only better if it knows more of the columns. */
	bool better = count_known(catalog, names, count) > known;
	sx_catalog_unref(catalog);
	return better ? found : asked;
}

/* The catalog that a device is called after, where that has any of the names. */
static const char *named_catalog(struct import_job *job, const char *const *names, size_t count)
{
	struct sx_catalog *catalog = NULL;
	const char *name = job->part ? job->part->name : NULL;
	if (!name || strchr(name, '/') ||
	    sx_catalog_open(job->request->context, name, &catalog, NULL))
		return NULL;
	bool any = count_known(catalog, names, count) > 0;
	sx_catalog_unref(catalog);
	return any ? name : NULL;
}

const char *import_table_catalog(struct import_job *job, const char *const *names, size_t count)
{
	const char *asked = job->request->catalog;
	const char *named = asked ? NULL : named_catalog(job, names, count);
	if (named)
		return named;
	const char *found = job->part ? import_device_catalog(job, names, count)
				      : import_find_catalog(job, names, count);
	if (found && !asked)
		import_remark(
		    job,
		    "the file does not say what it is of: its names fit %s as well as any; "
		    "--for NAME says better",
		    found);
	return found;
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
