/* The PMU source over its fake: opened, started, read, ended. */
#ifndef UNIT_SOURCE_PMU_BENCH_H
#define UNIT_SOURCE_PMU_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <sextant/context.h>
#include <sextant/expr.h>
#include "devices/pmu.h"
#include "source/pmu/pmu.h"
#include "unit/context.h"

#define NS_PER_S UINT64_C(1000000000)
#define VALUES	 64

struct values {
	uint32_t count;
	uint64_t value[VALUES];
	uint8_t quality[VALUES];
};

static inline struct source *open_with(struct fake_pmu *fake, const char *catalog,
				       const char *const *maps, uint32_t count)
{
	struct source *source = NULL;
	struct sx_error err = {0};
	struct source_host host = {.sys = &fake->sys,
				   .catalogs = context,
				   .catalog = catalog,
				   .maps = maps,
				   .map_count = count};
	if (source_pmu.open(&host, "pmu", &source, &err))
		fail_msg("%s: %s", err.message, err.because);
	return source;
}

static inline struct source *open_on(struct fake_pmu *fake, const char *catalog, const char *map)
{
	return open_with(fake, catalog, &map, map != NULL);
}

static inline void start(struct source *source, const char *const *names, uint32_t count, pid_t pid)
{
	struct sx_error err = {0};
	struct source_request request = {
	    .counters = names, .counter_count = count, .pid = pid, .interval_ns = NS_PER_S};
	if (source_pmu.start(source, &request, &err))
		fail_msg("%s: %s", err.message, err.because);
}

/* The next sample; notes go to `note` (NULL: none may come). */
static inline void next(struct source *source, struct values *out, char note[1024])
{
	struct raw_sample raw;
	struct sx_error err = {0};
	assert_int_equal(source_pmu.read(source, 10000, &raw, &err), SX_OK);
	if (raw.kind == RAW_NOTE) {
		assert_non_null(note);
		if (note)
			snprintf(note, 1024, "%.*s", (int)raw.size, (const char *)raw.data);
		assert_int_equal(source_pmu.read(source, 10000, &raw, &err), SX_OK);
	}
	out->count = source_describe(source)->counter_count;
	assert_int_equal(raw.size, out->count * 9);
	assert_int_equal(raw.end_ns - raw.begin_ns, NS_PER_S);
	for (uint32_t i = 0; i < out->count; i++) {
		out->value[i] = 0;
		for (uint32_t b = 8; b-- > 0;)
			out->value[i] = out->value[i] << 8 | raw.data[i * 8 + b];
		out->quality[i] = raw.data[out->count * 8 + i];
	}
}

static inline void finish(struct fake_pmu *fake, struct source *source)
{
	assert_int_equal(source_pmu.stop(source, NULL), SX_OK);
	source_pmu.close(source);
	assert_int_equal(fake->open_fds, 0);
	assert_false(fake->misused);
}

#endif
