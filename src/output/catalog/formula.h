/* A metric's formula as a tree, with the value of every node over a file's totals. */
#ifndef OUTPUT_CATALOG_FORMULA_H
#define OUTPUT_CATALOG_FORMULA_H

#include "output/catalog/describe.h"

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

#endif
