/* The postfix notation: words separated by blanks, evaluated over a stack. */
#include <stdlib.h>
#include <string.h>

#include "expr/parse/tree.h"

/* More operands than this wait for no sane formula. */
#define STACK_MAX 256

struct postfix {
	struct parser *parser;
	struct tree_node *stack[STACK_MAX];
	size_t count;
};

static const struct {
	const char *word;
	enum sx_op op;
} operators[] = {
    {"UADD", SX_OP_UADD}, {"USUB", SX_OP_USUB}, {"UMUL", SX_OP_UMUL}, {"UDIV", SX_OP_UDIV},
    {"UMIN", SX_OP_UMIN}, {"UMAX", SX_OP_UMAX}, {"AND", SX_OP_UAND},  {"OR", SX_OP_UOR},
    {"ULT", SX_OP_ULT},	  {"ULTE", SX_OP_ULE},	{"UGT", SX_OP_UGT},   {"UGTE", SX_OP_UGE},
    {"UEQ", SX_OP_UEQ},	  {"FADD", SX_OP_FADD}, {"FSUB", SX_OP_FSUB}, {"FMUL", SX_OP_FMUL},
    {"FDIV", SX_OP_FDIV}, {"FMIN", SX_OP_FMIN}, {"FMAX", SX_OP_FMAX},
};

static bool word_is(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

static enum sx_op find_operator(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		if (word_is(text, length, operators[i].word))
			return operators[i].op;
	}
	return SX_OP_COUNT;
}

static bool push(struct postfix *postfix, struct tree_node *tree)
{
	if (!tree)
		return false;
	if (postfix->count == STACK_MAX) {
		parse_limit(postfix->parser, tree->node.position, "more than %d operands waiting",
			    STACK_MAX);
		return false;
	}
	postfix->stack[postfix->count++] = tree;
	return true;
}

/* `A 7 READ`: counter number 7 of file A. The two clocks are single and have no number. */
static struct tree_node *read_counter(struct postfix *postfix, size_t position)
{
	struct parser *parser = postfix->parser;
	if (postfix->count < 2)
		return parse_expected(parser, position, 4, "a counter file and a number before");
	const struct sx_node *index = &postfix->stack[postfix->count - 1]->node;
	const struct sx_node *file = &postfix->stack[postfix->count - 2]->node;
	if (file->kind != SX_NODE_NAME || parser->text[file->position] == '$')
		return parse_expected(parser, file->position, 0, "a counter file before READ");
	if (index->kind != SX_NODE_NUMBER || !index->is_integer || index->integer > UINT16_MAX)
		return parse_expected(parser, index->position, 0, "a counter's number before READ");
	postfix->count -= 2;
	bool single = strcmp(file->name, "GPU_TIME") == 0 || strcmp(file->name, "GPU_CLOCK") == 0;
	if (single && index->integer != 0)
		return parse_expected(parser, index->position, 0, "0, as %s is single", file->name);
	char digits[8];
	size_t count = 0;
	for (uint64_t rest = index->integer; !single && (rest || count == 0); rest /= 10)
		digits[count++] = (char)('0' + rest % 10);
	char name[SX_EXPR_NAME_MAX + sizeof(digits)];
	size_t length = strlen(file->name);
	memcpy(name, file->name, length);
	while (count)
		name[length++] = digits[--count];
	return tree_name(parser, file->position, name, length);
}

static struct tree_node *apply(struct postfix *postfix, enum sx_op op, size_t position,
			       size_t length)
{
	if (postfix->count < 2)
		return parse_expected(postfix->parser, position, length,
				      "two operands before an operator");
	postfix->count -= 2;
	return tree_op(postfix->parser, op, position, postfix->stack + postfix->count, 2);
}

static struct tree_node *parse_name_word(struct parser *parser, size_t position, size_t length)
{
	const char *text = parser->text + position;
	size_t dollar = text[0] == '$';
	bool good = length > dollar && !(text[dollar] >= '0' && text[dollar] <= '9');
	for (size_t i = dollar; i < length; i++)
		good = good && lexer_is_name_byte(text[i]);
	if (!good)
		return parse_expected(parser, position, length, "a name, a number or an operator");
	return tree_name(parser, position, text + dollar, length - dollar);
}

static struct tree_node *parse_word(struct postfix *postfix, size_t position, size_t length)
{
	const char *text = postfix->parser->text + position;
	if (word_is(text, length, "READ"))
		return read_counter(postfix, position);
	enum sx_op op = find_operator(text, length);
	if (op != SX_OP_COUNT)
		return apply(postfix, op, position, length);
	if ((text[0] >= '0' && text[0] <= '9') || text[0] == '.' || text[0] == '-')
		return tree_number(postfix->parser, position, length);
	return parse_name_word(postfix->parser, position, length);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct tree_node *result(struct postfix *postfix)
{
	struct parser *parser = postfix->parser;
	if (postfix->count == 1)
		return postfix->stack[0];
	if (postfix->count == 0)
		return parse_expected(parser, parser->length, 0, "a value");
	return parse_expected(parser, parser->length, 0, "an operator, as %zu values are left",
			      postfix->count);
}

struct tree_node *postfix_parse(struct parser *parser)
{
	struct postfix postfix = {.parser = parser};
	size_t at = 0;
	for (;;) {
		while (at < parser->length && is_blank(parser->text[at]))
			at++;
		size_t start = at;
		while (at < parser->length && !is_blank(parser->text[at]))
			at++;
		if (start == at)
			return result(&postfix);
		if (!push(&postfix, parse_word(&postfix, start, at - start)))
			return NULL;
	}
}
