/* What a catalog says, for users and machines. */
#ifndef OUTPUT_CATALOG_CATALOG_H
#define OUTPUT_CATALOG_CATALOG_H

#include <sextant/analysis.h>
#include <sextant/expr.h>

#include "catalog/units.h"
#include "output/view.h"

/* All arrays of a catalog, so that indices can be followed. */
struct catalog_view {
	struct sx_catalog *catalog;
	bool names_catalog;	   /* each thing says which catalog it is of */
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
	bool *no_memory; /* is set when memory cut a description; NULL: not wanted */
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
/* Whether a catalog, which need not be open, may have a metric, counter or rule of a name. */
bool describe_may_find(struct sx_context *context, const char *catalog, const char *name);
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

struct formula_value {
	const struct sx_node *node;
	double value;
};

/* What a formula is read in. Totals (a table of one row, or NULL) give every part a value. */
struct formula_input {
	const struct catalog_view *view;
	uint32_t variant;
	const struct sx_constant_value *constants;
	uint32_t constant_count;
	const struct sx_table *totals;
};

struct formula {
	const struct view *to;
	const struct formula_input *input;
	const struct catalog_view *view;
	struct sx_expr *expr;
	uint32_t group; /* the group in which names are looked for first, or SX_NONE */
	bool has_values;
	struct formula_value
	    *values; /* sorted by node; numbers and ranges of instances have none */
	size_t count, cap;
};

/*
 * Parses the form of a metric in the input's variant and, with totals, evaluates every part of it.
 * A metric without a formula there has expr NULL. The input and the view must outlive the formula;
 * formula_close() also after an error.
 */
enum sx_status formula_open(struct formula *formula, const struct view *to,
			    const struct formula_input *input, uint32_t metric,
			    struct sx_error *err);
/* The same for a formula that no catalog has. */
enum sx_status formula_open_text(struct formula *formula, const struct view *to,
				 const struct formula_input *input,
				 const struct sx_definition *definition, struct sx_error *err);
void formula_close(struct formula *formula);

/* The tree, chains of one operator under one node; `unit` is that of the whole. */
void formula_tree_text(const struct formula *formula, const char *unit);
/* Each input once: unit, place and, with -i, value. */
void formula_inputs_text(const struct formula *formula);
/* The keys `infix`, `tree` and `operands` of an object. */
void formula_json(struct json *json, const struct formula *formula);
/* The same without the tree. */
void formula_short_json(struct json *json, const struct formula *formula);

/* Where a counter lives: "tiler, slot 14, sum over instances". */
void formula_place(const struct catalog_view *view, const struct sx_counter_info *counter,
		   char *buf, size_t size);

/* Texts, empty where there is nothing to say. */
struct also {
	char other[640]; /* groups with another formula or unit, by name */
	char same[64];	 /* how many have the same */
};

/* Of a metric of a group; formulas are compared in `variant`. */
void also_describe(const struct catalog_view *view, uint32_t index, uint32_t variant,
		   struct also *out);
/* The same as the member "also" of an object. */
void also_json(struct json *json, const struct catalog_view *view, uint32_t index,
	       uint32_t variant);

struct suggest;

/* Index of a rule of the catalog by its name, whatever its case; or SX_NONE. */
uint32_t rule_find(const struct catalog_view *view, const char *name);
/* Offers the names of the catalog's rules as what may have been meant. */
void rule_offer(const struct catalog_view *view, struct suggest *near);
/* Writes a rule as text or JSON. Errors: SX_ERR_NO_MEMORY. */
enum sx_status rule_write(const struct view *out, const struct catalog_view *view, uint32_t rule,
			  struct sx_error *err);
/* What was written of the same name before: as JSON a document that is open, as text NULL. */
struct rule_behind {
	struct json *json;
};
/*
 * The same for the rules of the verdict, which are no catalog's: all of that name. *known is false,
 * and nothing is written, when there is none. `behind` may be NULL: nothing was written before.
 */
enum sx_status rule_write_verdict(const struct view *out, const char *name,
				  const struct rule_behind *behind, bool *known,
				  struct sx_error *err);
/* The name of the verdict's rule that is nearest to `name`, or an empty text; returns text. */
const char *rule_near_verdict(const char *name, char *text, size_t size);

struct listing {
	const struct view *to;
	struct catalog_view view;
	const char *pattern; /* or NULL: everything */
	uint32_t set, variant;
	size_t shown;
};

/* Whether the pattern is found in one of three texts, each of which may be NULL. */
bool list_wanted(const struct listing *l, const char *a, const char *b, const char *c);
bool list_metric_wanted(const struct listing *l, uint32_t metric);
bool list_counter_wanted(const struct listing *l, uint32_t counter);
bool list_group_wanted(const struct listing *l, uint32_t group, bool sets_only);
uint32_t list_metrics_in(const struct catalog_view *view, uint32_t group);
uint32_t list_registers_of(const struct sx_group_info *group, enum sx_program_kind kind);

/* A line each, or with -v a paragraph each. False when memory is out. */
bool list_text(struct listing *l, const char *what);
/* Whether anything of a kind is wanted. */
bool list_any(const struct listing *l, const char *what);
/* The elements of an array, for a document of several catalogs. */
void list_json_items(struct listing *l, const char *what, struct json *json);
/* One document; one line each. */
void list_json(struct listing *l, const char *what);
void list_csv(struct listing *l, const char *what);

#endif
