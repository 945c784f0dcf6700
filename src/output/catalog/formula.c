/* Formulas: what their names refer to, and the value of every node. */
#include "output/catalog/catalog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text_buf.h"
#include "catalog/internal.h"
#include "expr/compile.h"

/* Several instances are operands of the function around them and have no value of their own. */
static bool has_value(const struct sx_node *node)
{
	return node->kind == SX_NODE_OP ||
	       (node->kind == SX_NODE_NAME &&
		(node->instances == SX_INSTANCES_NONE ||
		 (node->instances == SX_INSTANCES_RANGE && node->first == node->last)));
}

static bool formula_collect(struct formula *f, const struct sx_node *node)
{
	if (has_value(node)) {
		if (!mem_grow(&f->values, &f->cap, f->count + 1, sizeof(*f->values)))
			return false;
		f->values[f->count++] = (struct formula_value){node, NAN};
	}
	for (uint32_t i = 0; i < node->child_count; i++)
		if (!formula_collect(f, node->children[i]))
			return false;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct formula_value *x = a, *y = b;
	return (x->node > y->node) - (x->node < y->node);
}

/* One column a node, all in one program. */
static enum sx_status evaluate(struct formula *f, struct sx_error *err)
{
	struct sx_metrics_formula *parts = calloc(f->count + 1, sizeof(*parts));
	char(*names)[24] = calloc(f->count + 1, sizeof(*names));
	struct sx_metrics *metrics = NULL;
	struct sx_table *out = NULL;
	enum sx_status status = parts && names ? SX_OK : error_nomem(err, "explaining");
	for (size_t i = 0; !status && i < f->count; i++) {
		snprintf(names[i], sizeof(names[i]), "%zu", i);
		parts[i] = (struct sx_metrics_formula){.name = names[i],
						       .unit = "count",
						       .expr = f->expr,
						       .node = f->values[i].node,
						       .group = f->group};
	}
	const struct sx_catalog_info *info = f->view->info;
	struct sx_metrics_options options = {
	    .variant = info->variant_count ? info->variants[f->input->variant].name : NULL,
	    .constants = f->input->constants,
	    .constant_count = f->input->constant_count,
	    .formulas = parts,
	    .formula_count = (uint32_t)f->count,
	    .like = f->input->totals};
	if (!status)
		status = sx_metrics_create(f->view->catalog, &options, &metrics, err);
	if (!status)
		status = sx_metrics_eval(metrics, f->input->totals, &out, err);
	for (uint32_t i = 0; !status && i < f->count; i++)
		f->values[i].value = sx_table_get(out, i, 0);
	sx_table_destroy(out);
	sx_metrics_destroy(metrics);
	free(parts);
	free(names);
	return status;
}

static enum sx_status parse(struct formula *f, const char *text, enum sx_notation notation,
			    struct sx_error *err)
{
	const struct sx_table *totals = f->input->totals;
	enum sx_status status = sx_expr_parse(text, notation, &f->expr, err);
	if (status || !totals || !sx_table_row_count(totals))
		return status;
	f->has_values = true;
	if (!formula_collect(f, sx_expr_root(f->expr)))
		return error_nomem(err, "explaining");
	qsort(f->values, f->count, sizeof(*f->values), compare);
	return evaluate(f, err);
}

enum sx_status formula_open(struct formula *f, const struct view *to,
			    const struct formula_input *input, uint32_t metric,
			    struct sx_error *err)
{
	const struct sx_metric_info *info = &input->view->metrics[metric];
	const char *text = info->exprs ? info->exprs[input->variant] : NULL;
	*f = (struct formula){.to = to, .input = input, .view = input->view, .group = info->group};
	return text ? parse(f, text, input->view->info->notation, err) : SX_OK;
}

enum sx_status formula_open_text(struct formula *f, const struct view *to,
				 const struct formula_input *input,
				 const struct sx_definition *definition, struct sx_error *err)
{
	*f = (struct formula){.to = to, .input = input, .view = input->view, .group = SX_NONE};
	return parse(f, definition->formula, definition->notation, err);
}

void formula_close(struct formula *f)
{
	sx_expr_destroy(f->expr);
	free(f->values);
}

static double value_of(const struct formula *f, const struct sx_node *node)
{
	struct formula_value key = {.node = node};
	const struct formula_value *found =
	    f->count ? bsearch(&key, f->values, f->count, sizeof(key), compare) : NULL;
	return found ? found->value : NAN;
}

void formula_place(const struct catalog_view *view, const struct sx_counter_info *c, char *buf,
		   size_t size)
{
	const char *where = c->block != SX_NONE	  ? view->blocks[c->block].name
			    : c->group != SX_NONE ? view->groups[c->group].name
						  : "";
	snprintf(buf, size, "%s", where);
	if (c->slot != SX_NONE)
		text_append_item(buf, size, ", ", "slot %u", c->slot);
	const char *over = c->reduce == SX_REDUCE_SINGLE ? NULL
			   : c->reduce == SX_REDUCE_EACH ? "each instance apart"
			   : c->reduce == SX_REDUCE_MEAN ? "mean of instances"
			   : c->reduce == SX_REDUCE_MAX	 ? "highest of instances"
							 : "sum of instances";
	if (over)
		text_append_item(buf, size, ", ", "%s", over);
}

/* What a leaf is. */
struct leaf {
	enum ref_target target;
	uint32_t index;
	const char *kind, *unit;
};

static struct leaf leaf_of(const struct formula *f, const struct sx_node *node)
{
	struct leaf leaf = {.kind = "unknown"};
	leaf.target = refs_resolve(f->view->catalog, node->name, f->group, &leaf.index, NULL);
	switch (leaf.target) {
	case REF_METRIC:
		leaf.kind = "metric";
		leaf.unit = f->view->metrics[leaf.index].unit;
		break;
	case REF_COUNTER:
		leaf.kind = "counter";
		leaf.unit = f->view->counters[leaf.index].unit;
		break;
	case REF_CONSTANT:
		leaf.kind = "constant";
		leaf.unit = f->view->constants[leaf.index].unit;
		break;
	case REF_BUILTIN:
		leaf.kind = "length";
		leaf.unit = strcmp(node->name, "seconds") == 0 ? "s" : "ns";
		break;
	case REF_NONE:
		break;
	}
	return leaf;
}

/* Trees are two columns a level, so that deep ones still fit. */
#define TREE_DEPTH_MAX 64

struct tree {
	const struct formula *f;
	const char *unit;	   /* of the root */
	bool last[TREE_DEPTH_MAX]; /* the node at this depth is its parent's last child */
};

/* A line of the tree; a name that is too long loses its beginning, which names share. */
static void tree_line(const struct tree *t, const struct sx_node *node, int depth)
{
	char label[256], number[HUMAN_MAX + 4] = "", value[HUMAN_MAX];
	FILE *out = t->f->to->out.out;
	if (node->kind == SX_NODE_OP)
		snprintf(label, sizeof(label), "%s", expr_op_name(node->op));
	else
		sx_node_text(node, label, sizeof(label));
	if (t->f->has_values && has_value(node)) {
		const char *unit = depth == 0			? t->unit
				   : node->kind == SX_NODE_NAME ? leaf_of(t->f, node).unit
								: NULL;
		human_value(&t->f->to->human, value, value_of(t->f, node), unit);
		snprintf(number, sizeof(number), " = %s", value);
	}
	fputs("  ", out);
	for (int i = 1; i < depth; i++)
		fputs(t->last[i] ? "  " : "\u2502 ", out);
	if (depth)
		fputs(t->last[depth] ? "\u2514 " : "\u251c ", out);
	int room = t->f->to->out.width - 2 - 2 * depth - (int)text_width(number);
	int size = (int)strlen(label);
	if (size > room && room > 8)
		fprintf(out, "\u2026%s%s\n", label + size - room + 1, number);
	else
		fprintf(out, "%s%s\n", label, number);
}

/* Whether a + b + c is shown as one sum. */
static bool is_chain(enum sx_op op)
{
	char first = expr_op_name(op)[0];
	return first == '+' || first == '*' || first == '-' || op == SX_OP_AND || op == SX_OP_OR;
}

/* Whether a child continues the chain of its parent: the left one of the same operator does. */
static bool continues(const struct sx_node *node, uint32_t child)
{
	const struct sx_node *c = node->children[child];
	return child == 0 && node->child_count > 1 && is_chain(node->op) && c->kind == SX_NODE_OP &&
	       c->op == node->op && c->child_count > 1;
}

static void tree_node(struct tree *t, const struct sx_node *node, int depth, bool last);

/* The operands of a chain, from the left end of its spine. */
static void tree_children(struct tree *t, const struct sx_node *node, int depth, bool last)
{
	for (uint32_t i = 0; i < node->child_count; i++) {
		if (continues(node, i))
			tree_children(t, node->children[i], depth, false);
		else
			tree_node(t, node->children[i], depth, last && i + 1 == node->child_count);
	}
}

static void tree_node(struct tree *t, const struct sx_node *node, int depth, bool last)
{
	t->last[depth] = last;
	tree_line(t, node, depth);
	if (node->kind == SX_NODE_OP && depth + 1 < TREE_DEPTH_MAX)
		tree_children(t, node, depth + 1, true);
}

void formula_tree_text(const struct formula *f, const char *unit)
{
	struct tree tree = {.f = f, .unit = unit};
	tree_node(&tree, sx_expr_root(f->expr), 0, true);
}

/* Visits the first node of every name. */
struct inputs {
	const struct formula *f;
	const struct sx_node **seen;
	size_t count;
	void (*visit)(void *user, const struct formula *f, const struct sx_node *node);
	void *user;
};

static void each_input(struct inputs *in, const struct sx_node *node)
{
	bool known = node->kind != SX_NODE_NAME;
	for (size_t i = 0; !known && i < in->count; i++)
		known = strcmp(in->seen[i]->name, node->name) == 0;
	if (!known) {
		in->seen[in->count++] = node;
		in->visit(in->user, in->f, node);
	}
	for (uint32_t i = 0; i < node->child_count; i++)
		each_input(in, node->children[i]);
}

static void visit_inputs(const struct formula *f,
			 void (*visit)(void *user, const struct formula *f,
				       const struct sx_node *node),
			 void *user)
{
	struct inputs in = {.f = f,
			    .visit = visit,
			    .user = user,
			    .seen = calloc(SX_EXPR_NODES_MAX, sizeof(struct sx_node *))};
	if (in.seen)
		each_input(&in, sx_expr_root(f->expr));
	else if (f->view->no_memory)
		*f->view->no_memory = true;
	free(in.seen);
}

/* Describes an input as text; returns its name. */
static const char *describe_input(const struct formula *f, const struct sx_node *node, char *buf,
				  size_t size)
{
	char where[160] = "";
	struct leaf leaf = leaf_of(f, node);
	const char *name = node->name;
	if (leaf.target == REF_COUNTER) {
		formula_place(f->view, &f->view->counters[leaf.index], where, sizeof(where));
		name = f->view->counters[leaf.index].name;
	} else if (leaf.target == REF_CONSTANT) {
		bool known = f->view->constants[leaf.index].has_value;
		snprintf(where, sizeof(where), "constant%s",
			 known ? "" : ", of the device or --const");
	} else {
		snprintf(where, sizeof(where), "%s",
			 leaf.target == REF_METRIC    ? "metric"
			 : leaf.target == REF_BUILTIN ? "length of the sample"
						      : "unknown");
	}
	snprintf(buf, size, "%s%s%s", leaf.unit ? leaf.unit : "", leaf.unit && *where ? "; " : "",
		 where);
	return name;
}

#define INPUT_NAME_MAX 32 /* columns of names that details are aligned behind */

static void input_width(void *user, const struct formula *f, const struct sx_node *node)
{
	char detail[256];
	int *width = user, length = (int)strlen(describe_input(f, node, detail, sizeof(detail)));
	if (length > *width && length <= INPUT_NAME_MAX)
		*width = length;
}

static void input_line(void *user, const struct formula *f, const struct sx_node *node)
{
	char detail[256];
	const int *width = user;
	const struct text_target *target = &f->to->out;
	const char *name = describe_input(f, node, detail, sizeof(detail));
	int column = (int)strlen(name) > *width ? (int)strlen(name) : *width;
	if (column + (int)strlen(detail) + 4 <= target->width)
		fprintf(target->out, "  %-*s  %s\n", column, name, detail);
	else
		fprintf(target->out, "  %s\n    %s\n", name, detail);
}

void formula_inputs_text(const struct formula *f)
{
	int width = 0;
	visit_inputs(f, input_width, &width);
	visit_inputs(f, input_line, &width);
}

static void node_json(struct json *json, const struct formula *f, const struct sx_node *node,
		      int depth);

static void operands_json(struct json *json, const struct formula *f, const struct sx_node *node,
			  int depth)
{
	for (uint32_t i = 0; i < node->child_count; i++) {
		if (continues(node, i))
			operands_json(json, f, node->children[i], depth);
		else
			node_json(json, f, node->children[i], depth);
	}
}

static void node_json(struct json *json, const struct formula *f, const struct sx_node *node,
		      int depth)
{
	char text[256];
	bool leaf = node->kind != SX_NODE_OP;
	if (leaf)
		json_object_begin_flat(json);
	else
		json_object_begin(json);
	if (node->kind == SX_NODE_NUMBER) {
		json_key(json, "number");
		if (node->is_integer)
			json_u64(json, node->integer);
		else
			json_f64(json, node->number);
	} else if (leaf) {
		sx_node_text(node, text, sizeof(text));
		json_kv_string(json, "name", text);
	} else {
		json_kv_string(json, "op", expr_op_name(node->op));
	}
	if (f->has_values && has_value(node))
		json_kv_f64(json, "value", value_of(f, node));
	if (!leaf && 2 * depth + 8 < JSON_DEPTH_MAX) {
		json_kv_array(json, "operands");
		operands_json(json, f, node, depth + 1);
		json_array_end(json);
	} else if (!leaf) {
		/* Deeper than a document of ours may be: the rest as text. */
		sx_node_text(node, text, sizeof(text));
		json_kv_string(json, "expression", text);
	}
	json_object_end(json);
}

static void input_json(void *user, const struct formula *f, const struct sx_node *node)
{
	struct json *json = user;
	struct leaf leaf = leaf_of(f, node);
	json_object_begin_flat(json);
	json_kv_string(json, "name", node->name);
	json_kv_string(json, "kind", leaf.kind);
	json_kv_string(json, "unit", leaf.unit);
	if (leaf.target == REF_COUNTER) {
		const struct sx_counter_info *c = &f->view->counters[leaf.index];
		json_kv_string(json, "block",
			       c->block == SX_NONE ? NULL : f->view->blocks[c->block].name);
		json_key(json, "slot");
		if (c->slot == SX_NONE)
			json_null(json);
		else
			json_u64(json, c->slot);
	}
	if (f->has_values && has_value(node))
		json_kv_f64(json, "value", value_of(f, node));
	json_object_end(json);
}

static void infix_json(struct json *json, const struct formula *f)
{
	char text[4096];
	if (sx_node_text(sx_expr_root(f->expr), text, sizeof(text)) < sizeof(text))
		json_kv_string(json, "infix", text);
}

static void operand_list_json(struct json *json, const struct formula *f)
{
	json_kv_array(json, "operands");
	visit_inputs(f, input_json, json);
	json_array_end(json);
}

void formula_json(struct json *json, const struct formula *f)
{
	if (!f->expr)
		return;
	infix_json(json, f);
	json_key(json, "tree");
	node_json(json, f, sx_expr_root(f->expr), 0);
	operand_list_json(json, f);
}

void formula_short_json(struct json *json, const struct formula *f)
{
	if (!f->expr)
		return;
	infix_json(json, f);
	operand_list_json(json, f);
}
