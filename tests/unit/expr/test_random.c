/*
 * Random formulas over random columns: the compiled program against the naive evaluator, for both
 * notations, all dialects, any number of rows, and every kind of trouble in the inputs. Values are
 * compared as equal, bit for bit but for the sign of zero.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "expr/compile.h"
#include "unit/expr/naive.h"
#include "unit/expr/world.h"

enum { COLUMNS = 8, OUTPUTS = 6, ROWS = 600, TEXT = 2048 };

struct random {
	uint64_t state;
};

static uint64_t next(struct random *random)
{
	random->state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = random->state;
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint32_t below(struct random *random, uint32_t count)
{
	return (uint32_t)(next(random) % count);
}

/* What can be wrong with the inputs of one round. */
struct trouble {
	bool huge, zero, quality, absent, nan;
};

struct table {
	uint64_t u64[COLUMNS][ROWS];
	double f64[COLUMNS][ROWS];
	uint8_t quality[COLUMNS][ROWS];
	struct sx_vector vectors[COLUMNS];
	size_t row;
};

static bool is_f64(uint32_t column)
{
	return column >= COLUMNS - 2;
}

static uint64_t random_count(struct random *random, const struct trouble *trouble)
{
	static const uint64_t edges[] = {UINT64_MAX,	    (UINT64_C(1) << 53) + 1,
					 UINT64_C(1) << 63, (UINT64_C(1) << 44) - 1,
					 UINT64_C(1) << 44, 1};
	if (trouble->zero && below(random, 4) == 0)
		return 0;
	if (trouble->huge && below(random, 8) == 0)
		return edges[below(random, 6)];
	return next(random) >> (trouble->huge ? below(random, 64) : 32 + below(random, 32));
}

static double random_real(struct random *random, const struct trouble *trouble)
{
	if (trouble->nan && below(random, 8) == 0)
		return NAN;
	if (trouble->zero && below(random, 8) == 0)
		return 0;
	return (double)(int64_t)next(random) * 0x1p-40;
}

static uint8_t random_quality(struct random *random)
{
	return (uint8_t)(below(random, 8) == 0 ? 1 << below(random, 8) : 0);
}

static void fill(struct table *table, struct random *random, const struct trouble *trouble)
{
	for (uint32_t c = 0; c < COLUMNS; c++) {
		for (size_t r = 0; r < ROWS; r++) {
			table->u64[c][r] = random_count(random, trouble);
			table->f64[c][r] = random_real(random, trouble);
			table->quality[c][r] = trouble->quality ? random_quality(random) : 0;
		}
		bool absent = trouble->absent && below(random, 4) == 0;
		table->vectors[c].type = is_f64(c) ? SX_F64 : SX_U64;
		table->vectors[c].data = absent	     ? NULL
					 : is_f64(c) ? (const void *)table->f64[c]
						     : table->u64[c];
		table->vectors[c].quality = below(random, 3) ? table->quality[c] : NULL;
	}
}

/* Text of a formula. */
struct writer {
	char text[TEXT];
	size_t length;
	struct random *random;
};

static void put(struct writer *writer, const char *part)
{
	size_t length = strlen(part);
	assert_true(writer->length + length < TEXT);
	memcpy(writer->text + writer->length, part, length + 1);
	writer->length += length;
}

static void put_leaf(struct writer *writer)
{
	static const char *const names[] = {"a", "b", "c", "d",	   "e",	     "f",
					    "g", "h", "K", "HALF", "missing"};
	static const char *const numbers[] = {"0", "1", "2", "100", "0.5", "1000000000"};
	if (below(writer->random, 4) == 0)
		put(writer, numbers[below(writer->random, 6)]);
	else
		put(writer, names[below(writer->random, below(writer->random, 8) ? 10 : 11)]);
}

static void put_infix(struct writer *writer, uint32_t depth)
{
	static const char *const operators[] = {
	    " + ",  " - ", " * ",  " / ",  " + ",  " - ",   " < ",
	    " <= ", " > ", " >= ", " == ", " != ", " and ", " or "};
	static const char *const calls[] = {"min(", "max(", "sum(", "avg("};
	uint32_t kind = depth ? below(writer->random, 12) : 11;
	if (kind < 6) {
		put(writer, "(");
		put_infix(writer, depth - 1);
		put(writer, operators[below(writer->random, below(writer->random, 2) ? 6 : 14)]);
		put_infix(writer, depth - 1);
		put(writer, ")");
	} else if (kind < 8) {
		put(writer, calls[below(writer->random, 4)]);
		uint32_t count = 1 + below(writer->random, 4);
		for (uint32_t i = 0; i < count; i++) {
			put(writer, i ? ", " : "");
			put_infix(writer, depth - 1);
		}
		put(writer, ")");
	} else if (kind == 8) {
		put(writer, "if(");
		for (uint32_t i = 0; i < 3; i++) {
			put(writer, i ? ", " : "");
			put_infix(writer, depth - 1);
		}
		put(writer, ")");
	} else if (kind == 9) {
		put(writer, "max(min((");
		put_infix(writer, depth - 1);
		put(writer, " / ");
		put_infix(writer, depth - 1);
		put(writer, ") * 100, 100), 0)");
	} else if (kind == 10) {
		static const char *const prefix[] = {"-", "abs", "(not "};
		uint32_t which = below(writer->random, 3);
		put(writer, prefix[which]);
		put(writer, "(");
		put_infix(writer, depth - 1);
		put(writer, which == 2 ? "))" : ")");
	} else {
		put_leaf(writer);
	}
}

static void put_postfix(struct writer *writer, uint32_t depth)
{
	static const char *const operators[] = {" UMUL", " UDIV", " FDIV", " UADD", " USUB",
						" UMIN", " UMAX", " FADD", " FSUB", " FMUL",
						" FMIN", " FMAX", " ULT",  " ULTE", " UGT",
						" UGTE", " UEQ",  " AND",  " OR"};
	if (depth == 0 || below(writer->random, 8) == 0) {
		put_leaf(writer);
		return;
	}
	put_postfix(writer, depth - 1);
	put(writer, " ");
	put_postfix(writer, depth - 1);
	/* Bit operations have no fast form, so most formulas go without. */
	put(writer, operators[below(writer->random, below(writer->random, 8) ? 17 : 19)]);
}

static struct naive name_value(void *user, const struct sx_node *node)
{
	const struct table *table = user;
	struct naive value = {.whole = true};
	if (strcmp(node->name, "missing") == 0)
		return (struct naive){
		    .no_data = true, .f = NAN, .quality = SX_QUALITY_NOT_COLLECTED};
	if (strcmp(node->name, "HALF") == 0)
		return (struct naive){.f = 0.5, .constant = true};
	if (strcmp(node->name, "K") == 0) {
		value.exact = 64;
		value.constant = true;
		return value;
	}
	uint32_t column = (uint32_t)(node->name[0] - 'a');
	const struct sx_vector *vector = &table->vectors[column];
	uint8_t quality = SX_QUALITY_NOT_COLLECTED;
	if (vector->data)
		quality = vector->quality ? vector->quality[table->row] : 0;
	value.quality = quality;
	if (quality & SX_QUALITY_NO_DATA_MASK) {
		value = (struct naive){.no_data = true, .f = NAN, .quality = quality};
	} else if (is_f64(column)) {
		value.whole = false;
		value.f = table->f64[column][table->row];
		value.no_data = isnan(value.f);
	} else {
		value.exact = (naive_i128)table->u64[column][table->row];
	}
	return value;
}

/* An operand that never has data is folded, and the other operand is not evaluated. */
static bool same_quality(uint8_t got, uint8_t expected, bool folded)
{
	uint8_t no_data = SX_QUALITY_NO_DATA_MASK;
	if (folded && (got & no_data) && (expected & no_data))
		return !(got & ~expected & ~SX_QUALITY_UNDEFINED);
	return got == expected;
}

struct round {
	struct writer writers[OUTPUTS];
	struct sx_expr *exprs[OUTPUTS];
	struct expr_output outputs[OUTPUTS];
	uint64_t data[OUTPUTS][ROWS];
	uint8_t quality[OUTPUTS][ROWS];
	struct table table;
};

static void check_value(struct round *round, uint32_t output, size_t row, enum sx_dialect dialect,
			bool with_quality)
{
	round->table.row = row;
	struct naive_world world = {.dialect = dialect, .name = name_value, .user = &round->table};
	struct naive value = naive_eval(&world, sx_expr_root(round->exprs[output]));
	uint8_t quality;
	double got, expected;
	uint64_t raw = round->data[output][row];
	const char *text = round->writers[output].text;
	bool good, folded = strstr(text, "missing") || strstr(text, "DIV") || strstr(text, "SUB");
	if (round->outputs[output].type == SX_U64) {
		uint64_t whole = naive_u64(&value, &quality);
		good = whole == raw;
		expected = (double)whole;
		got = (double)raw;
	} else {
		expected = naive_f64(&value, &quality);
		memcpy(&got, &raw, sizeof(got));
		good = got == expected || (isnan(got) && isnan(expected));
	}
	if (with_quality)
		good = good && same_quality(round->quality[output][row], quality, folded);
	if (!good)
		fail_msg("dialect %d, row %zu, %s: %s\ngot %.17g quality %#x, expected %.17g %#x",
			 (int)dialect, row, round->outputs[output].type == SX_U64 ? "u64" : "f64",
			 round->writers[output].text, got, round->quality[output][row], expected,
			 quality);
}

/* Evaluates twice, so that what one run leaves behind would show in the other. */
static void evaluate(struct round *round, const struct expr_program *program, size_t rows,
		     bool with_quality)
{
	struct expr_result results[OUTPUTS];
	for (uint32_t o = 0; o < OUTPUTS; o++)
		results[o] = (struct expr_result){
		    .data = round->data[o], .quality = with_quality ? round->quality[o] : NULL};
	uint64_t first[OUTPUTS];
	struct sx_error err;
	for (int i = 0; i < 2; i++) {
		memset(round->data, i ? 0xff : 0x55, sizeof(round->data));
		memset(round->quality, 0xff, sizeof(round->quality));
		assert_int_equal(expr_eval(program, round->table.vectors, rows, results, &err),
				 SX_OK);
		for (uint32_t o = 0; o < OUTPUTS; o++) {
			assert_true(i == 0 || first[o] == round->data[o][rows - 1]);
			first[o] = round->data[o][rows - 1];
			if (rows < ROWS)
				assert_int_equal(round->quality[o][rows], 0xff);
		}
	}
}

static void run_round(struct random *random, enum sx_dialect dialect, enum sx_notation notation)
{
	static struct round round;
	struct world world = {.instances = 0};
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	for (uint32_t i = 0; i < COLUMNS; i++)
		world_input(&world, names[i], i, is_f64(i) ? SX_F64 : SX_U64);
	world_constant(&world, "K", 64);
	world_constant(&world, "HALF", 0.5);
	world_missing(&world, "missing");
	for (uint32_t o = 0; o < OUTPUTS; o++) {
		struct writer *writer = &round.writers[o];
		*writer = (struct writer){.random = random};
		if (notation == SX_POSTFIX)
			put_postfix(writer, below(random, 5));
		else
			put_infix(writer, below(random, 4));
		round.exprs[o] = world_parse(writer->text, notation);
		round.outputs[o] = (struct expr_output){.expr = round.exprs[o],
							.type = below(random, 3) ? SX_F64 : SX_U64};
	}
	struct expr_resolver resolver = world_resolver(&world);
	struct expr_program *program;
	struct sx_error err;
	if (expr_compile(&(struct expr_request){round.outputs, OUTPUTS, dialect, &resolver},
			 &program, NULL, &err))
		fail_msg("%s", err.message);
	for (int i = 0; i < 4; i++) {
		uint64_t bits = i ? next(random) : 0;
		struct trouble trouble = {bits & 1, bits & 2, bits & 4, bits & 8, bits & 16};
		fill(&round.table, random, &trouble);
		static const size_t counts[] = {1, 3, 17, ROWS};
		size_t rows = counts[below(random, 4)];
		bool with_quality = below(random, 3) != 0;
		evaluate(&round, program, rows, with_quality);
		for (uint32_t o = 0; o < OUTPUTS; o++) {
			for (size_t r = 0; r < rows; r++)
				check_value(&round, o, r, dialect, with_quality);
		}
	}
	expr_program_destroy(program);
	for (uint32_t o = 0; o < OUTPUTS; o++)
		sx_expr_destroy(round.exprs[o]);
}

static void run_rounds(enum sx_dialect dialect, enum sx_notation notation)
{
	const char *more = getenv("SEXTANT_TEST_ROUNDS");
	unsigned long rounds = more ? strtoul(more, NULL, 10) : 300;
	struct random random = {.state = (uint64_t)dialect * 2 + (uint64_t)notation};
	for (unsigned long i = 0; i < rounds; i++)
		run_round(&random, dialect, notation);
}

static void test_standard(void **state)
{
	(void)state;
	run_rounds(SX_DIALECT_STANDARD, SX_INFIX);
	run_rounds(SX_DIALECT_STANDARD, SX_POSTFIX);
}

static void test_intel(void **state)
{
	(void)state;
	run_rounds(SX_DIALECT_INTEL, SX_POSTFIX);
	run_rounds(SX_DIALECT_INTEL, SX_INFIX);
}

static void test_amd(void **state)
{
	(void)state;
	run_rounds(SX_DIALECT_AMD, SX_INFIX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_standard),
	    cmocka_unit_test(test_intel),
	    cmocka_unit_test(test_amd),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
