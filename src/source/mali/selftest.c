/* Sampling for the self-test. */
#include "source/mali/selftest.h"
#include "base/error.h"

#include <stdio.h>

#define SAMPLES	    20
#define INTERVAL_NS UINT64_C(50000000)
#define WAIT_MS	    200
#define WAITS_MAX   50

static enum sx_status sample_and_check(const struct mali_selftest *on,
				       struct mali_relations *relations, struct mali_outcome *out,
				       struct sx_error *err)
{
	struct source *source = on->source;
	struct source_request request = {.interval_ns = INTERVAL_NS};
	enum sx_status status = source->ops->start(source, &request, err);
	for (int waits = 0; status == SX_OK && out->samples < SAMPLES && waits < WAITS_MAX;
	     waits++) {
		struct raw_sample sample;
		status = source->ops->read(source, WAIT_MS, &sample, err);
		if (status == SX_OK && sample.kind == RAW_MALI)
			mali_relations_check(relations, on->raw, on->slack, out);
		status = status == SX_AGAIN ? SX_OK : status;
	}
	enum sx_status stopped = source->ops->stop(source, status == SX_OK ? err : NULL);
	return status == SX_OK ? stopped : status;
}

static void summarise(const struct mali_outcome *got, const char *catalog,
		      void (*say)(void *user, const char *line), void *user)
{
	char line[160];
	snprintf(line, sizeof(line),
		 "%s: %u samples, %u relations checked, %u of them with counts, %u failed", catalog,
		 got->samples, got->checked, got->counted, got->failed);
	say(user, line);
}

static enum sx_status conclude(const struct mali_outcome *got, const char *catalog,
			       uint32_t findings, struct sx_error *err)
{
	if (got->failed) {
		error_set(err, SX_INCOMPLETE,
			  "the self-test of %s found counters that contradict each other", catalog);
		error_because(err, "%u relations do not hold, %u times in %u samples", findings,
			      got->failed, got->samples);
		error_try(err, "report this with the output of sextant doctor --selftest -v");
		return SX_INCOMPLETE;
	}
	if (got->counted)
		return SX_OK;
	error_set(err, SX_INCOMPLETE, "the self-test of %s had nothing to check", catalog);
	error_because(err,
		      got->samples ? "the GPU counted nothing in %u samples: it was idle"
				   : "there were %u samples",
		      got->samples);
	error_try(err, "again while a program draws, for example glmark2-es2");
	return SX_INCOMPLETE;
}

enum sx_status mali_selftest(const struct mali_selftest *on,
			     void (*say)(void *user, const char *line), void *user,
			     struct sx_error *err)
{
	struct sx_catalog *opened = NULL;
	struct mali_relations *relations = NULL;
	struct mali_outcome got = {0};
	enum sx_status status = sx_catalog_open(on->source->catalogs, on->catalog, &opened, err);
	if (status == SX_OK && !(relations = mali_relations_create(opened)))
		status = error_nomem(err, "the self-test");
	if (status == SX_OK)
		status = sample_and_check(on, relations, &got, err);
	if (status == SX_OK) {
		uint32_t findings = mali_relations_report(relations, say, user);
		summarise(&got, on->catalog, say, user);
		status = conclude(&got, on->catalog, findings, err);
	}
	mali_relations_destroy(relations);
	sx_catalog_unref(opened);
	return status;
}
