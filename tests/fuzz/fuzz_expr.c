/*
 * Any text as an expression: an error with its column, or a tree that compiles and gives the same
 * values whether rows are evaluated one by one or together. The first byte chooses the notation,
 * the dialect and the type of the result; names mean inputs, constants, nothing, or the expression.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/expr.h>
#include "expr/compile.h"
#include "fuzz.h"

enum { INPUTS = 16, ROWS = 40, INSTANCES = 5 };

static void check(bool good)
{
	if (!good)
		abort();
}

static uint32_t hash(const char *text)
{
	uint32_t value = 2166136261u;
	while (*text)
		value = (value ^ (unsigned char)*text++) * 16777619u;
	return value ^ value >> 15;
}

static enum sx_status resolve(void *user, const struct expr_name *asked, struct expr_ref *out,
			      struct sx_error *err)
{
	const char *name = asked->text;
	(void)err;
	uint32_t value = hash(name) + (asked->instance == SX_NONE ? 0 : asked->instance);
	*out = (struct expr_ref){.kind = EXPR_REF_INPUT,
				 .input = value % INPUTS,
				 .type = value % INPUTS < INPUTS / 2 ? SX_U64 : SX_F64};
	if (strcmp(name, "no") == 0)
		return SX_ERR_NOT_FOUND;
	if (strcmp(name, "gone") == 0)
		out->kind = EXPR_REF_NO_DATA;
	if (name[0] == 'k')
		*out = (struct expr_ref){.kind = EXPR_REF_CONSTANT,
					 .value = (double)(value % 100) / 4};
	/* Itself in another asked->scope, until the last, which is a circle. */
	if (strcmp(name, "self") == 0)
		*out =
		    (struct expr_ref){.kind = EXPR_REF_EXPR,
				      .expr = user,
				      .scope = asked->scope < 6 ? asked->scope + 1 : asked->scope};
	return SX_OK;
}

static uint32_t instances(void *user, const char *name, uint32_t scope)
{
	(void)user;
	(void)scope;
	return hash(name) % INSTANCES;
}

struct data {
	uint64_t bits[INPUTS][ROWS];
	uint8_t quality[INPUTS][ROWS];
	struct sx_vector vectors[INPUTS];
};

static void fill(struct data *data, const uint8_t *bytes, size_t size)
{
	uint64_t state = size;
	for (size_t i = 0; i < INPUTS; i++) {
		for (size_t r = 0; r < ROWS; r++) {
			state = (state ^ bytes[(i * ROWS + r) % size]) * 0x9e3779b97f4a7c15u;
			state ^= state >> 31;
			double real = (double)(int64_t)state * 0x1p-50;
			data->bits[i][r] = state >> (state % 61);
			data->quality[i][r] = (uint8_t)(state % 7 == 0 ? 1 << (state >> 8) % 8 : 0);
			if (i >= INPUTS / 2)
				memcpy(&data->bits[i][r], &real, sizeof(real));
		}
		data->vectors[i] = (struct sx_vector){
		    .type = i < INPUTS / 2 ? SX_U64 : SX_F64,
		    .data = i % 8 == 7 ? NULL : data->bits[i],
		    .quality = i % 2 ? data->quality[i] : NULL,
		};
	}
}

static void same(uint64_t a, uint64_t b, enum sx_type type)
{
	double x, y;
	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	check(type == SX_U64 ? a == b : x == y || (x != x && y != y));
}

static void evaluate(const struct expr_program *program, enum sx_type type, const struct data *data)
{
	uint64_t values[ROWS], one;
	uint8_t quality[ROWS], one_quality;
	struct sx_error err;
	struct expr_result result = {values, quality};
	check(expr_eval(program, data->vectors, ROWS, &result, &err) == SX_OK);
	for (size_t r = 0; r < ROWS; r++) {
		struct sx_vector row[INPUTS];
		for (size_t i = 0; i < INPUTS; i++) {
			row[i] = data->vectors[i];
			if (row[i].data)
				row[i].data = data->bits[i] + r;
			if (row[i].quality)
				row[i].quality += r;
		}
		result = (struct expr_result){&one, &one_quality};
		check(expr_eval(program, row, 1, &result, &err) == SX_OK);
		same(values[r], one, type);
		check(quality[r] == one_quality);
	}
}

static enum sx_status count(void *user, const struct sx_node *node)
{
	uint32_t *nodes = user;
	check(node->kind != SX_NODE_OP || node->child_count > 0);
	check(node->kind != SX_NODE_NAME || strlen(node->name) <= SX_EXPR_NAME_MAX);
	check(++*nodes <= SX_EXPR_NODES_MAX);
	return SX_OK;
}

static void compile(const struct sx_expr *expr, uint8_t choice, const uint8_t *bytes, size_t size)
{
	struct expr_resolver resolver = {
	    .user = (void *)(uintptr_t)expr, .resolve = resolve, .instances = instances};
	struct expr_output output = {.expr = expr, .type = choice & 8 ? SX_U64 : SX_F64};
	struct expr_program *program = NULL;
	struct sx_error err = {0};
	uint32_t failed, inputs;
	enum sx_status status = expr_compile(
	    &(struct expr_request){&output, 1, (enum sx_dialect)(choice >> 1 & 3) % 3, &resolver},
	    &program, &failed, &err);
	check((status == SX_OK) == (program != NULL) && (status == SX_OK || err.message[0]));
	if (!program)
		return;
	expr_program_inputs(program, 0, &inputs);
	check(inputs <= INPUTS);
	static struct data data;
	fill(&data, bytes, size);
	evaluate(program, output.type, &data);
	expr_program_destroy(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sx_expr *expr = NULL;
	struct sx_error err = {0};
	if (size < 2)
		return 0;
	char *text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	enum sx_status status =
	    sx_expr_parse(text, data[0] & 1 ? SX_POSTFIX : SX_INFIX, &expr, &err);
	if (status == SX_OK) {
		uint32_t nodes = 0;
		check(expr_visit(expr, count, &nodes) == SX_OK && nodes > 0);
		compile(expr, data[0], data, size);
	} else {
		check(!expr && strncmp(err.message, "column ", 7) == 0 && err.remedy[0]);
	}
	sx_expr_destroy(expr);
	free(text);
	return 0;
}
