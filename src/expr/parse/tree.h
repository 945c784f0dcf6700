/* Building of expression trees: what both parsers share. */
#ifndef EXPR_PARSE_TREE_H
#define EXPR_PARSE_TREE_H

#include <sextant/expr.h>

#include "base/mem.h"

struct sx_expr {
	struct arena arena;
	const struct sx_node *root;
	uint32_t nodes;
};

/* A node while it is built; sx_node comes first, so that pointers convert both ways. */
struct tree_node {
	struct sx_node node;
	uint32_t depth; /* 1 for a leaf */
};

/* One parse. The first error wins and stays in `status`. */
struct parser {
	struct sx_expr *expr;
	const char *text;
	size_t length;
	struct sx_error *err;
	enum sx_status status;
};

/* A growing list of operands; the items are freed with the parse, in any case. */
struct operands {
	struct tree_node **items;
	size_t count, cap;
};

/* Parse the whole text; NULL when parser->status says why not. */
struct tree_node *infix_parse(struct parser *parser);
struct tree_node *postfix_parse(struct parser *parser);

/* New leaves and operators; NULL after an error. An operator copies the list of its children. */
struct tree_node *tree_number(struct parser *parser, size_t position, size_t length);
struct tree_node *tree_name(struct parser *parser, size_t position, const char *name,
			    size_t length);
struct tree_node *tree_op(struct parser *parser, enum sx_op op, size_t position,
			  struct tree_node *const *children, size_t count);

/* Appends to a list; false after an error. */
bool operands_push(struct parser *parser, struct operands *list, struct tree_node *node);

/*
 * Reports that something else was expected in place of the `length` bytes at `position` (0: up to
 * the end of the word). Returns NULL for the convenience of callers.
 */
void *parse_expected(struct parser *parser, size_t position, size_t length, const char *fmt, ...)
    SX_PRINTF(4, 5);
/* Reports a limit that is exceeded at `position`. Returns NULL. */
void *parse_limit(struct parser *parser, size_t position, const char *fmt, ...) SX_PRINTF(3, 4);

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

/* The infix spelling of an operator ("+", "max", "if"); static storage. */
const char *expr_op_name(enum sx_op op);

/*
 * Calls `visit` for every node, a node before its children and those from left to right, until it
 * returns something else than SX_OK, which is then returned. Thread-safe.
 */
enum sx_status expr_visit(const struct sx_expr *expr,
			  enum sx_status (*visit)(void *user, const struct sx_node *node),
			  void *user);

#endif
