/* Expressions back to text: infix, with as few parentheses as keep the meaning. */
#include <sextant/expr.h>

#include <stdio.h>
#include <string.h>

#include "expr/parse/tree.h"

/* What binds how tightly; a child that binds less than its place demands is parenthesised. */
enum binding {
	BIND_OR = 1,
	BIND_AND,
	BIND_NOT,
	BIND_COMPARE,
	BIND_SUM,
	BIND_PRODUCT,
	BIND_PREFIX,
	BIND_ALL
};

struct writer {
	char *buf;
	size_t size, length;
};

static void put(struct writer *w, const char *text)
{
	for (; *text; text++, w->length++)
		if (w->length + 1 < w->size)
			w->buf[w->length] = *text;
}

static enum binding binding_of(enum sx_op op)
{
	switch (op) {
	case SX_OP_OR:
	case SX_OP_UOR:
		return BIND_OR;
	case SX_OP_AND:
	case SX_OP_UAND:
		return BIND_AND;
	case SX_OP_NOT:
		return BIND_NOT;
	case SX_OP_NEG:
		return BIND_PREFIX;
	default:
		break;
	}
	switch (expr_op_name(op)[0]) {
	case '+':
	case '-':
		return BIND_SUM;
	case '*':
	case '/':
		return BIND_PRODUCT;
	case '<':
	case '>':
	case '=':
	case '!':
		return BIND_COMPARE;
	default:
		return BIND_ALL; /* a function */
	}
}

static void put_number(struct writer *w, const struct sx_node *node)
{
	char text[40];
	if (node->is_integer)
		snprintf(text, sizeof(text), "%llu", (unsigned long long)node->integer);
	else
		snprintf(text, sizeof(text), "%.15g", node->number);
	put(w, text);
}

/* The instance part comes before the first dot of a name. */
static void put_name(struct writer *w, const struct sx_node *node)
{
	char part[64] = "";
	size_t head = strcspn(node->name, ".");
	if (node->name[0] >= '0' && node->name[0] <= '9')
		put(w, "$"); /* else it would be a number */
	if (node->instances == SX_INSTANCES_ALL)
		snprintf(part, sizeof(part), "[*]");
	else if (node->instances == SX_INSTANCES_RANGE && node->first == node->last)
		snprintf(part, sizeof(part), "[%u]", node->first);
	else if (node->instances == SX_INSTANCES_RANGE)
		snprintf(part, sizeof(part), "[%u..%u]", node->first, node->last);
	for (size_t i = 0; i < head; i++)
		put(w, (char[]){node->name[i], '\0'});
	put(w, part);
	put(w, node->name + head);
}

static void put_node(struct writer *w, const struct sx_node *node, enum binding floor);

static void put_call(struct writer *w, const struct sx_node *node)
{
	put(w, expr_op_name(node->op));
	put(w, "(");
	for (uint32_t i = 0; i < node->child_count; i++) {
		put(w, i ? ", " : "");
		put_node(w, node->children[i], BIND_OR);
	}
	put(w, ")");
}

/* Operators group from the left: only the right operand must bind more tightly. */
static void put_operator(struct writer *w, const struct sx_node *node, enum binding binds)
{
	bool prefix = node->child_count == 1;
	if (prefix) {
		put(w, expr_op_name(node->op));
		put(w, node->op == SX_OP_NOT ? " " : "");
		put_node(w, node->children[0], BIND_ALL);
		return;
	}
	put_node(w, node->children[0], binds == BIND_COMPARE ? BIND_SUM : binds);
	for (uint32_t i = 1; i < node->child_count; i++) {
		put(w, " ");
		put(w, expr_op_name(node->op));
		put(w, " ");
		put_node(w, node->children[i], (enum binding)(binds + 1));
	}
}

static void put_node(struct writer *w, const struct sx_node *node, enum binding floor)
{
	if (node->kind == SX_NODE_NUMBER) {
		put_number(w, node);
	} else if (node->kind == SX_NODE_NAME) {
		put_name(w, node);
	} else {
		enum binding binds = binding_of(node->op);
		put(w, binds < floor ? "(" : "");
		if (binds == BIND_ALL)
			put_call(w, node);
		else
			put_operator(w, node, binds);
		put(w, binds < floor ? ")" : "");
	}
}

size_t sx_node_text(const struct sx_node *node, char *buf, size_t size)
{
	struct writer w = {.buf = buf, .size = size};
	put_node(&w, node, BIND_OR);
	if (size)
		buf[w.length < size ? w.length : size - 1] = '\0';
	return w.length;
}
