/* Expression trees: construction within limits, errors with columns, and the public accessors. */
#include "expr/parse/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/utf8.h"

#define EXCERPT_MAX 24

/* Column of a byte offset, counted in characters from 1. */
static uint32_t parse_column(const char *text, size_t position)
{
	return 1 + (uint32_t)utf8_count(text, position);
}

/* The text at `position`, for a message: printable ASCII only, cut when long. */
static void excerpt(const struct parser *parser, size_t position, size_t length, char *out,
		    size_t size)
{
	if (position >= parser->length) {
		snprintf(out, size, "the end");
		return;
	}
	if (length == 0)
		length = strcspn(parser->text + position, " ,()");
	size_t shown = length < EXCERPT_MAX ? length : EXCERPT_MAX;
	char text[EXCERPT_MAX + 1] = {0};
	for (size_t i = 0; i < shown; i++) {
		char c = parser->text[position + i];
		text[i] = c >= ' ' && c <= '~' ? c : '?';
	}
	snprintf(out, size, "\"%s\"%s", text, shown < length ? "..." : "");
}

void *parse_expected(struct parser *parser, size_t position, size_t length, const char *fmt, ...)
{
	if (parser->status != SX_OK)
		return NULL;
	char expected[128], found[EXCERPT_MAX + 8];
	va_list args;
	va_start(args, fmt);
	vsnprintf(expected, sizeof(expected), fmt, args);
	va_end(args);
	excerpt(parser, position, length, found, sizeof(found));
	parser->status =
	    error_set(parser->err, SX_ERR_BAD_INPUT, "column %u: expected %s, found %s",
		      parse_column(parser->text, position), expected, found);
	error_because(parser->err, "the expression is malformed");
	error_try(parser->err, "see \"Expressions\" in docs/catalog-format.md");
	return NULL;
}

void *parse_limit(struct parser *parser, size_t position, const char *fmt, ...)
{
	if (parser->status != SX_OK)
		return NULL;
	char what[160];
	va_list args;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	parser->status = error_set(parser->err, SX_ERR_LIMIT, "column %u: %s",
				   parse_column(parser->text, position), what);
	error_because(parser->err, "expressions are limited, so that a bad file costs nothing");
	error_try(parser->err,
		  "split it into several metrics, or write a long sum as sum(a, b, ...)");
	return NULL;
}

static void *no_memory(struct parser *parser)
{
	if (parser->status == SX_OK)
		parser->status = error_nomem(parser->err, "parsing an expression");
	return NULL;
}

static struct tree_node *new_node(struct parser *parser, enum sx_node_kind kind, size_t position)
{
	if (parser->status != SX_OK)
		return NULL;
	if (parser->expr->nodes >= SX_EXPR_NODES_MAX)
		return parse_limit(parser, position, "more than %d operands and operators",
				   SX_EXPR_NODES_MAX);
	struct tree_node *tree = arena_alloc(&parser->expr->arena, sizeof(*tree));
	if (!tree)
		return no_memory(parser);
	parser->expr->nodes++;
	tree->node.kind = kind;
	tree->node.position = (uint32_t)position;
	tree->depth = 1;
	return tree;
}

struct tree_node *tree_number(struct parser *parser, size_t position, size_t length)
{
	const char *text = parser->text + position;
	uint64_t integer;
	double number;
	bool is_integer = number_u64(text, length, &integer);
	if (is_integer)
		number = (double)integer;
	else if (!number_f64(text, length, &number))
		return parse_expected(parser, position, length, "a number");
	struct tree_node *tree = new_node(parser, SX_NODE_NUMBER, position);
	if (!tree)
		return NULL;
	tree->node.number = number;
	tree->node.is_integer = is_integer;
	tree->node.integer = is_integer ? integer : 0;
	return tree;
}

struct tree_node *tree_name(struct parser *parser, size_t position, const char *name, size_t length)
{
	if (length > SX_EXPR_NAME_MAX)
		return parse_limit(parser, position, "a name of %zu bytes, the limit is %d", length,
				   SX_EXPR_NAME_MAX);
	struct tree_node *tree = new_node(parser, SX_NODE_NAME, position);
	if (!tree)
		return NULL;
	tree->node.name = arena_strndup(&parser->expr->arena, name, length);
	return tree->node.name ? tree : no_memory(parser);
}

struct tree_node *tree_op(struct parser *parser, enum sx_op op, size_t position,
			  struct tree_node *const *children, size_t count)
{
	struct tree_node *tree = new_node(parser, SX_NODE_OP, position);
	if (!tree)
		return NULL;
	const struct sx_node **list =
	    arena_alloc(&parser->expr->arena, count * sizeof(const struct sx_node *));
	if (!list)
		return no_memory(parser);
	for (size_t i = 0; i < count; i++) {
		list[i] = &children[i]->node;
		if (children[i]->depth >= tree->depth)
			tree->depth = children[i]->depth + 1;
	}
	tree->node.op = op;
	tree->node.children = list;
	tree->node.child_count = (uint32_t)count;
	if (tree->depth > SX_EXPR_DEPTH_MAX)
		return parse_limit(parser, position, "nested deeper than %d levels",
				   SX_EXPR_DEPTH_MAX);
	return tree;
}

bool operands_push(struct parser *parser, struct operands *list, struct tree_node *node)
{
	if (!node)
		return false;
	if (!mem_grow(&list->items, &list->cap, list->count + 1, sizeof(struct tree_node *))) {
		no_memory(parser);
		return false;
	}
	list->items[list->count++] = node;
	return true;
}

static struct tree_node *parse(struct parser *parser, enum sx_notation notation)
{
	if (parser->length > SX_EXPR_LENGTH_MAX)
		return parse_limit(parser, SX_EXPR_LENGTH_MAX, "longer than %d bytes",
				   SX_EXPR_LENGTH_MAX);
	return notation == SX_POSTFIX ? postfix_parse(parser) : infix_parse(parser);
}

enum sx_status sx_expr_parse(const char *text, enum sx_notation notation, struct sx_expr **out,
			     struct sx_error *err)
{
	*out = NULL;
	size_t length = strnlen(text, SX_EXPR_LENGTH_MAX + 1);
	struct sx_expr *expr = calloc(1, sizeof(*expr));
	if (!expr)
		return error_nomem(err, "parsing an expression");
	/* Most expressions are short and many are kept, so chunks are small. */
	expr->arena.chunk_bytes = length < 2048 ? 512 + 4 * length : 0;
	struct parser parser = {.expr = expr, .text = text, .length = length, .err = err};
	struct tree_node *root = parse(&parser, notation);
	if (!root) {
		sx_expr_destroy(expr);
		return parser.status;
	}
	expr->root = &root->node;
	*out = expr;
	return SX_OK;
}

void sx_expr_destroy(struct sx_expr *expr)
{
	if (!expr)
		return;
	arena_finish(&expr->arena);
	free(expr);
}

const struct sx_node *sx_expr_root(const struct sx_expr *expr)
{
	return expr->root;
}

/* Recursion is bounded by SX_EXPR_DEPTH_MAX. */
static enum sx_status visit_node(const struct sx_node *node,
				 enum sx_status (*visit)(void *, const struct sx_node *),
				 void *user)
{
	enum sx_status status = visit(user, node);
	for (uint32_t i = 0; status == SX_OK && i < node->child_count; i++)
		status = visit_node(node->children[i], visit, user);
	return status;
}

enum sx_status expr_visit(const struct sx_expr *expr,
			  enum sx_status (*visit)(void *user, const struct sx_node *node),
			  void *user)
{
	return visit_node(expr->root, visit, user);
}

const char *expr_op_name(enum sx_op op)
{
	static const char *const names[SX_OP_COUNT] = {
	    [SX_OP_ADD] = "+",	  [SX_OP_SUB] = "-",	[SX_OP_MUL] = "*",    [SX_OP_DIV] = "/",
	    [SX_OP_NEG] = "-",	  [SX_OP_ABS] = "abs",	[SX_OP_MIN] = "min",  [SX_OP_MAX] = "max",
	    [SX_OP_SUM] = "sum",  [SX_OP_AVG] = "avg",	[SX_OP_LT] = "<",     [SX_OP_LE] = "<=",
	    [SX_OP_GT] = ">",	  [SX_OP_GE] = ">=",	[SX_OP_EQ] = "==",    [SX_OP_NE] = "!=",
	    [SX_OP_AND] = "and",  [SX_OP_OR] = "or",	[SX_OP_NOT] = "not",  [SX_OP_IF] = "if",
	    [SX_OP_UADD] = "+",	  [SX_OP_USUB] = "-",	[SX_OP_UMUL] = "*",   [SX_OP_UDIV] = "/",
	    [SX_OP_UMIN] = "min", [SX_OP_UMAX] = "max", [SX_OP_UAND] = "&",   [SX_OP_UOR] = "|",
	    [SX_OP_ULT] = "<",	  [SX_OP_ULE] = "<=",	[SX_OP_UGT] = ">",    [SX_OP_UGE] = ">=",
	    [SX_OP_UEQ] = "==",	  [SX_OP_FADD] = "+",	[SX_OP_FSUB] = "-",   [SX_OP_FMUL] = "*",
	    [SX_OP_FDIV] = "/",	  [SX_OP_FMIN] = "min", [SX_OP_FMAX] = "max",
	};
	return (unsigned)op < SX_OP_COUNT ? names[op] : "?";
}
