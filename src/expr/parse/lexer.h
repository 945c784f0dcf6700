/* Tokens of the infix notation. */
#ifndef EXPR_PARSE_LEXER_H
#define EXPR_PARSE_LEXER_H

#include "expr/parse/tree.h"

enum token_kind {
	TOKEN_END,
	TOKEN_NUMBER,
	TOKEN_NAME,   /* with the bracket part and any `$` inside position and length */
	TOKEN_BINARY, /* an operator between two operands, `op` */
	TOKEN_NOT,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_COMMA,
	TOKEN_ERROR,
};

struct token {
	enum token_kind kind;
	enum sx_op op;
	size_t position, length;
};

/* Reads the token at or after `position`; TOKEN_ERROR after it has been reported. */
struct token lexer_next(struct parser *parser, size_t position);
/* True when the token is exactly this word, without `$`. */
bool lexer_is_word(const struct parser *parser, const struct token *token, const char *word);
/* True for a byte that a name may hold outside of its brackets. */
bool lexer_is_name_byte(char c);

#endif
