/* The infix notation: precedence climbing with a bounded recursion. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "expr/parse/tree.h"

/* How tightly operators bind; comparisons do not chain. */
enum precedence {
	PREC_NONE,
	PREC_OR,
	PREC_AND,
	PREC_NOT,
	PREC_COMPARE,
	PREC_ADD,
	PREC_MUL,
	PREC_UNARY,
};

/* One level of a tree takes two of these: an operator's right side, and parentheses in it. */
#define LEVELS_MAX (2 * SX_EXPR_DEPTH_MAX)

struct infix {
	struct parser *parser;
	struct token token; /* the next one */
	uint32_t level;	    /* of recursion */
};

static const struct function {
	const char *name;
	enum sx_op op;
	uint32_t min_args, max_args;
	bool ranges; /* accepts several instances of a name */
} functions[] = {
    {"min", SX_OP_MIN, 1, UINT32_MAX, true}, {"max", SX_OP_MAX, 1, UINT32_MAX, true},
    {"sum", SX_OP_SUM, 1, UINT32_MAX, true}, {"avg", SX_OP_AVG, 1, UINT32_MAX, true},
    {"abs", SX_OP_ABS, 1, 1, false},	     {"if", SX_OP_IF, 3, 3, false},
};

static struct tree_node *parse_binary(struct infix *infix, enum precedence floor);

static void advance(struct infix *infix)
{
	infix->token = lexer_next(infix->parser, infix->token.position + infix->token.length);
}

static void *expected(struct infix *infix, const char *what)
{
	return parse_expected(infix->parser, infix->token.position, infix->token.length, "%s",
			      what);
}

static const struct function *find_function(const struct infix *infix, const struct token *token)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (lexer_is_word(infix->parser, token, functions[i].name))
			return &functions[i];
	}
	return NULL;
}

/* What is between brackets: `3`, `0..3` or `*`. */
static bool parse_instances(struct infix *infix, struct sx_node *node, size_t open, size_t close)
{
	const char *text = infix->parser->text;
	size_t start = open + 1, length = close - start;
	if (length == 1 && text[start] == '*') {
		node->instances = SX_INSTANCES_ALL;
		return true;
	}
	node->instances = SX_INSTANCES_RANGE;
	size_t first = 0;
	while (first < length && text[start + first] != '.')
		first++;
	bool good = number_u32(text + start, first, &node->first);
	node->last = node->first;
	if (good && first < length)
		good = length > first + 2 && text[start + first + 1] == '.' &&
		       number_u32(text + start + first + 2, length - first - 2, &node->last);
	if (!good || node->last < node->first) {
		parse_expected(infix->parser, start, length, "an instance, FIRST..LAST or *");
		return false;
	}
	if (node->last - node->first >= SX_EXPR_INSTANCES_MAX) {
		parse_limit(infix->parser, start, "more than %d instances", SX_EXPR_INSTANCES_MAX);
		return false;
	}
	return true;
}

/* A name token; the bracket part is taken out of the name. */
static struct tree_node *parse_name(struct infix *infix)
{
	struct parser *parser = infix->parser;
	const struct token *token = &infix->token;
	const char *text = parser->text + token->position;
	size_t dollar = text[0] == '$';
	const char *open = memchr(text, '[', token->length);
	if (!open)
		return tree_name(parser, token->position, text + dollar, token->length - dollar);
	const char *close = memchr(open, ']', token->length - (size_t)(open - text));
	size_t head = (size_t)(open - text) - dollar;
	size_t tail = token->length - (size_t)(close + 1 - text);
	if (head + tail > SX_EXPR_NAME_MAX)
		return parse_limit(parser, token->position, "a name of %zu bytes, the limit is %d",
				   head + tail, SX_EXPR_NAME_MAX);
	char name[SX_EXPR_NAME_MAX];
	memcpy(name, text + dollar, head);
	memcpy(name + head, close + 1, tail);
	struct tree_node *tree = tree_name(parser, token->position, name, head + tail);
	if (tree && !parse_instances(infix, &tree->node, (size_t)(open - parser->text),
				     (size_t)(close - parser->text)))
		return NULL;
	return tree;
}

static bool is_single(const struct sx_node *node)
{
	return node->instances == SX_INSTANCES_NONE ||
	       (node->instances == SX_INSTANCES_RANGE && node->first == node->last);
}

/* An operator does not take several instances: only the functions reduce them. */
static bool reduced(struct infix *infix, const struct tree_node *tree)
{
	if (!tree)
		return false;
	if (tree->node.kind != SX_NODE_NAME || is_single(&tree->node))
		return true;
	parse_expected(infix->parser, tree->node.position, 0,
		       "min, max, sum or avg around several instances");
	return false;
}

/* Arguments up to the closing parenthesis; the token is the first one behind the opening one. */
static struct tree_node *parse_arguments(struct infix *infix, const struct function *function,
					 size_t position, struct operands *args)
{
	for (;;) {
		struct tree_node *arg = parse_binary(infix, PREC_NONE);
		if (!operands_push(infix->parser, args, arg))
			return NULL;
		if (!function->ranges && arg->node.kind == SX_NODE_NAME && !is_single(&arg->node))
			return parse_expected(infix->parser, arg->node.position, 0,
					      "one instance in %s()", function->name);
		if (infix->token.kind != TOKEN_COMMA)
			break;
		if (args->count >= function->max_args)
			return expected(infix, "\")\"");
		advance(infix);
	}
	if (args->count < function->min_args)
		return expected(infix, "\",\" and a further argument");
	if (infix->token.kind != TOKEN_CLOSE)
		return expected(infix, "\",\" or \")\"");
	advance(infix);
	return tree_op(infix->parser, function->op, position, args->items, args->count);
}

static struct tree_node *parse_call(struct infix *infix, const struct function *function,
				    size_t position)
{
	struct operands args = {0};
	struct tree_node *tree = parse_arguments(infix, function, position, &args);
	free(args.items);
	return tree;
}

/* A name, or a call when it is a function's and a parenthesis follows. */
static struct tree_node *parse_name_or_call(struct infix *infix)
{
	struct token token = infix->token;
	const struct function *function = find_function(infix, &token);
	struct token next = lexer_next(infix->parser, token.position + token.length);
	if (next.kind == TOKEN_OPEN && !function)
		return parse_expected(infix->parser, token.position, token.length,
				      "a function (min, max, sum, avg, abs, if) before \"(\"");
	if (next.kind == TOKEN_OPEN) {
		infix->token = next;
		advance(infix);
		return parse_call(infix, function, token.position);
	}
	struct tree_node *tree = parse_name(infix);
	infix->token = next;
	return tree;
}

static struct tree_node *parse_parentheses(struct infix *infix)
{
	advance(infix);
	struct tree_node *tree = parse_binary(infix, PREC_NONE);
	if (!reduced(infix, tree))
		return NULL;
	if (infix->token.kind != TOKEN_CLOSE)
		return expected(infix, "an operator or \")\"");
	advance(infix);
	return tree;
}

static struct tree_node *parse_prefix(struct infix *infix, enum sx_op op, enum precedence binds)
{
	size_t position = infix->token.position;
	advance(infix);
	struct tree_node *operand = parse_binary(infix, binds);
	if (!reduced(infix, operand))
		return NULL;
	return tree_op(infix->parser, op, position, &operand, 1);
}

static struct tree_node *parse_operand(struct infix *infix, enum precedence floor)
{
	struct token token = infix->token;
	switch (token.kind) {
	case TOKEN_NUMBER:
		advance(infix);
		return tree_number(infix->parser, token.position, token.length);
	case TOKEN_NAME:
		return parse_name_or_call(infix);
	case TOKEN_OPEN:
		return parse_parentheses(infix);
	case TOKEN_NOT:
		if (floor > PREC_NOT)
			return expected(infix, "a value (put \"not\" into parentheses)");
		return parse_prefix(infix, SX_OP_NOT, PREC_NOT);
	case TOKEN_BINARY:
		if (token.op == SX_OP_SUB)
			return parse_prefix(infix, SX_OP_NEG, PREC_UNARY);
		break;
	default:
		break;
	}
	return expected(infix, "a value");
}

static enum precedence precedence_of(const struct token *token)
{
	if (token->kind != TOKEN_BINARY)
		return PREC_NONE;
	switch (token->op) {
	case SX_OP_OR:
		return PREC_OR;
	case SX_OP_AND:
		return PREC_AND;
	case SX_OP_ADD:
	case SX_OP_SUB:
		return PREC_ADD;
	case SX_OP_MUL:
	case SX_OP_DIV:
		return PREC_MUL;
	default:
		return PREC_COMPARE;
	}
}

static struct tree_node *climb(struct infix *infix, enum precedence floor)
{
	struct tree_node *left = parse_operand(infix, floor);
	bool compared = false;
	while (left) {
		enum precedence binds = precedence_of(&infix->token);
		if (binds <= floor)
			return left;
		if (binds == PREC_COMPARE && compared)
			return expected(infix, "one comparison (use \"and\" between two)");
		compared = binds == PREC_COMPARE;
		struct token token = infix->token;
		advance(infix);
		struct tree_node *right = parse_binary(infix, binds);
		if (!reduced(infix, left) || !reduced(infix, right))
			return NULL;
		struct tree_node *pair[2] = {left, right};
		left = tree_op(infix->parser, token.op, token.position, pair, 2);
	}
	return NULL;
}

/* Parses operands joined by operators that bind more tightly than `floor`. */
static struct tree_node *parse_binary(struct infix *infix, enum precedence floor)
{
	if (infix->level >= LEVELS_MAX)
		return parse_limit(infix->parser, infix->token.position,
				   "nested deeper than %d levels", LEVELS_MAX);
	infix->level++;
	struct tree_node *tree = climb(infix, floor);
	infix->level--;
	return tree;
}

struct tree_node *infix_parse(struct parser *parser)
{
	struct infix infix = {.parser = parser, .token = lexer_next(parser, 0)};
	struct tree_node *tree = parse_binary(&infix, PREC_NONE);
	if (!reduced(&infix, tree))
		return NULL;
	if (infix.token.kind != TOKEN_END)
		return expected(&infix, "an operator or the end");
	return tree;
}
