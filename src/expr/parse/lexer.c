/* Splits infix text into tokens. */
#include "expr/parse/tree.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool lexer_is_name_byte(char c)
{
	return is_letter(c) || is_digit(c) || c == '.';
}

static char byte_at(const struct parser *parser, size_t position)
{
	return position < parser->length ? parser->text[position] : '\0';
}

/* Digits, letters, dots, and a sign behind an exponent: whether it is a number is judged later. */
static size_t number_length(const struct parser *parser, size_t start)
{
	size_t at = start;
	bool hex = byte_at(parser, at) == '0' && (byte_at(parser, at + 1) | 0x20) == 'x';
	for (;;) {
		char c = byte_at(parser, at);
		if ((c == '+' || c == '-') && !hex && at > start &&
		    (parser->text[at - 1] | 0x20) == 'e')
			at++;
		else if (lexer_is_name_byte(c))
			at++;
		else
			return at - start;
	}
}

/* A name with at most one bracket part, which is checked by the parser. 0 when it does not close.
 */
static size_t name_length(const struct parser *parser, size_t start)
{
	size_t at = start;
	bool bracket = false;
	for (;;) {
		char c = byte_at(parser, at);
		if (lexer_is_name_byte(c)) {
			at++;
		} else if (c == '[' && !bracket) {
			bracket = true;
			while (byte_at(parser, at) && parser->text[at] != ']')
				at++;
			if (!byte_at(parser, at))
				return 0;
			at++;
		} else {
			return at - start;
		}
	}
}

bool lexer_is_word(const struct parser *parser, const struct token *token, const char *word)
{
	return token->length == strlen(word) &&
	       memcmp(parser->text + token->position, word, token->length) == 0;
}

static struct token lex_name(struct parser *parser, struct token token)
{
	size_t dollar = parser->text[token.position] == '$';
	char first = byte_at(parser, token.position + dollar);
	if (!is_letter(first) && !(dollar && is_digit(first))) {
		parse_expected(parser, token.position, 1, "a name after \"$\"");
		return token;
	}
	size_t length = name_length(parser, token.position + dollar);
	if (!length) {
		parse_expected(parser, parser->length, 0, "\"]\" to close the instances");
		return token;
	}
	token.length = dollar + length;
	token.kind = TOKEN_NAME;
	if (lexer_is_word(parser, &token, "not")) {
		token.kind = TOKEN_NOT;
	} else if (lexer_is_word(parser, &token, "and")) {
		token.kind = TOKEN_BINARY;
		token.op = SX_OP_AND;
	} else if (lexer_is_word(parser, &token, "or")) {
		token.kind = TOKEN_BINARY;
		token.op = SX_OP_OR;
	}
	return token;
}

static const struct {
	char text[3];
	enum token_kind kind;
	enum sx_op op;
} symbols[] = {
    {"<=", TOKEN_BINARY, SX_OP_LE},  {">=", TOKEN_BINARY, SX_OP_GE},
    {"==", TOKEN_BINARY, SX_OP_EQ},  {"!=", TOKEN_BINARY, SX_OP_NE},
    {"<", TOKEN_BINARY, SX_OP_LT},   {">", TOKEN_BINARY, SX_OP_GT},
    {"+", TOKEN_BINARY, SX_OP_ADD},  {"-", TOKEN_BINARY, SX_OP_SUB},
    {"*", TOKEN_BINARY, SX_OP_MUL},  {"/", TOKEN_BINARY, SX_OP_DIV},
    {"(", TOKEN_OPEN, SX_OP_COUNT},  {")", TOKEN_CLOSE, SX_OP_COUNT},
    {",", TOKEN_COMMA, SX_OP_COUNT},
};

static struct token lex_symbol(struct parser *parser, struct token token)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		size_t length = strlen(symbols[i].text);
		if (parser->length - token.position < length ||
		    memcmp(parser->text + token.position, symbols[i].text, length) != 0)
			continue;
		token.kind = symbols[i].kind;
		token.op = symbols[i].op;
		token.length = length;
		return token;
	}
	parse_expected(parser, token.position, 1, "a name, a number or an operator");
	return token;
}

struct token lexer_next(struct parser *parser, size_t position)
{
	while (byte_at(parser, position) == ' ' || byte_at(parser, position) == '\t')
		position++;
	struct token token = {.kind = TOKEN_ERROR, .op = SX_OP_COUNT, .position = position};
	char c = byte_at(parser, position);
	if (position >= parser->length) {
		token.kind = TOKEN_END;
	} else if (is_digit(c) || (c == '.' && is_digit(byte_at(parser, position + 1)))) {
		token.kind = TOKEN_NUMBER;
		token.length = number_length(parser, position);
	} else if (is_letter(c) || c == '$') {
		return lex_name(parser, token);
	} else {
		return lex_symbol(parser, token);
	}
	return token;
}
