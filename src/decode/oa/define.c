/* Counters that a user defines by a flexible EU event: `A12=eu(fpu0-active, coarse=ps)`. */
#include "decode/oa/decoder.h"

#include <sextant/oa.h>

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "wire/oa/flex.h"

#define EVENT_OCCUPANCY 8 /* counts 8 loaded threads as one */

bool oa_defines(const char *pattern)
{
	return strstr(pattern, "=eu(") || strstr(pattern, "= eu(");
}

/* One of two rows, one of four EUs of a row: the share of all EUs that can count, as 1/n. */
static unsigned part(const struct oa_flex *flex)
{
	unsigned rows = flex->coarse >= 7 ? 2 : 1;
	return flex->fine >= 7 ? rows * 4 : rows;
}

static void set_formula(const struct oa_flex_counter *c, struct sx_definition *out)
{
	bool threads = c->flex.event == EVENT_OCCUPANCY;
	snprintf(out->formula, sizeof(out->formula),
		 "A %u READ %u UMUL $EuCoresTotalCount UDIV%s 100 UMUL GPU_CLOCK 0 READ FDIV",
		 c->counter, part(&c->flex) * (threads ? 8 : 1),
		 threads ? " $EuThreadsCount UDIV" : "");
}

static bool has(const struct sx_catalog *catalog, const char *counter)
{
	return sx_catalog_find_counter(catalog, counter, SX_NONE, NULL) != SX_NONE;
}

static enum sx_status no_such_device(const struct sx_catalog *catalog, struct sx_error *err)
{
	error_set(err, SX_ERR_UNSUPPORTED, "catalog %s has no flexible EU counters",
		  sx_catalog_info(catalog)->name);
	error_because(err,
		      has(catalog, "GPU_TIME")
			  ? "Intel's OA units from Broadwell to before Xe2 can be programmed so"
			  : "only Intel's OA unit can be programmed so");
	error_try(err, "--for intel-bdw");
	return SX_ERR_UNSUPPORTED;
}

/* What was defined before: one register counts one event. */
static enum sx_status merge(const struct decoder_defining *known, const struct oa_flex_counter *d,
			    struct sx_error *err)
{
	struct oa_flex_counter all[OA_FLEX_COUNTERS];
	uint32_t count = 0;
	for (uint32_t i = 0; i < known->earlier_count; i++) {
		struct oa_flex_counter earlier;
		if (oa_flex_parse(known->earlier[i], &earlier, NULL) == SX_OK)
			oa_flex_merge(all, &count, &earlier, NULL);
	}
	return oa_flex_merge(all, &count, d, err);
}

enum sx_status oa_define(const struct decoder_defining *known, const char *pattern,
			 struct sx_definition *out, struct sx_error *err)
{
	struct oa_flex_counter d;
	const char *warnings[OA_FLEX_WARNINGS_MAX];
	bool supported;
	*out = (struct sx_definition){.unit = "percent", .notation = SX_POSTFIX};
	enum sx_status status = oa_flex_parse(pattern, &d, err);
	if (status)
		return status;
	snprintf(out->counter, sizeof(out->counter), "A%u", d.counter);
	if (known->catalog &&
	    (!has(known->catalog, out->counter) || !has(known->catalog, "GPU_CLOCK") ||
	     sx_catalog_find_constant(known->catalog, "EuCoresTotalCount") == SX_NONE))
		return no_such_device(known->catalog, err);
	status = merge(known, &d, err);
	if (status)
		return status;
	out->title = oa_flex_describe(OA_FLEX_EVENT, d.flex.event);
	oa_flex_check(&d.flex, warnings, &out->warning_count, &supported, NULL);
	for (uint32_t i = 0; i < out->warning_count && i < SX_DEFINITION_WARNINGS; i++)
		out->warnings[i] = warnings[i];
	set_formula(&d, out);
	return SX_OK;
}

enum sx_status oa_definition_fits(const struct sx_catalog *catalog, uint32_t group,
				  const char *pattern, struct sx_error *err)
{
	struct oa_flex_counter counter;
	enum sx_status status = oa_flex_parse(pattern, &counter, err);
	return status ? status : oa_flex_fits(catalog, group, &counter, err);
}
