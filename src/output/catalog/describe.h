/* What list and explain both say of a catalog's things, as JSON and as words. */
#ifndef OUTPUT_CATALOG_DESCRIBE_H
#define OUTPUT_CATALOG_DESCRIBE_H

#include <sextant/analysis.h>
#include <sextant/expr.h>

#include "catalog/units.h"
#include "output/view.h"

/* Everything of a catalog at hand, so that indices can be followed. */
struct catalog_view {
	struct sx_catalog *catalog;
	bool tell;		   /* each thing says which catalog it is of */
	const struct units *units; /* JSON says what machine forms are in as well; or NULL */
	const struct sx_catalog_info *info;
	const struct sx_constant_info *constants;
	const struct sx_block_info *blocks;
	const struct sx_section_info *sections;
	const struct sx_group_info *groups;
	const struct sx_counter_info *counters;
	const struct sx_metric_info *metrics;
	const struct sx_advice_info *advice;
	uint32_t constant_count, block_count, section_count, group_count, counter_count,
	    metric_count, advice_count;
	bool *no_memory; /* is set when a description lacks something; NULL: nobody asks */
};

struct catalog_view describe_view(struct sx_catalog *catalog);
/* The name that is unambiguous in the catalog: bare, or qualified when groups share it. */
const char *describe_metric_name(const struct catalog_view *view, uint32_t metric);
/*
 * What a name means: letter by letter a metric (of this group, or SX_NONE) or counter, else a
 * neutral name, else a title or another way to write it. Both, one or none of them are set; false:
 * none.
 */
bool describe_find(const struct catalog_view *view, const char *name, uint32_t group,
		   uint32_t *metric, uint32_t *counter);
/*
 * Index of the set or group, and of the form of expressions, that the user named; NULL leaves *out
 * as it is. Errors: SX_ERR_NOT_FOUND.
 */
enum sx_status describe_group(const struct catalog_view *view, const char *name, uint32_t *out,
			      struct sx_error *err);
enum sx_status describe_variant(const struct catalog_view *view, const char *name, uint32_t *out,
				struct sx_error *err);
/* Names of a formula in order of appearance, without repeats; NULL-terminated, to be freed. */
const char **describe_inputs(const struct catalog_view *view, const char *expr,
			     struct sx_expr **parsed);
/* The title of a section by its id; NULL: there is none. */
const char *describe_section_title(const struct sx_catalog *catalog, const char *id);
const char *describe_severity(enum sx_severity severity);

/* One object of `list metrics --json` (variant: index of the form to show). */
void describe_metric_json(struct json *json, const struct catalog_view *view, uint32_t metric,
			  uint32_t variant);
/* One object of `list counters --json`. */
void describe_counter_json(struct json *json, const struct catalog_view *view, uint32_t counter);
void describe_strings_json(struct json *json, const char *key, const struct sx_strings *strings);

#endif
