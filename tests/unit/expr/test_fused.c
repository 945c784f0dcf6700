/*
 * Operations of the block evaluator that are joined into one pass: which programs get them, and
 * that values and qualities stay those of the naive evaluator, whatever the columns hold.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "expr/compile.h"
#include "unit/allocations.h"
#include "unit/expr/naive.h"
#include "unit/expr/world.h"

enum { WHOLE = 4, COLUMNS = 6, OUTPUTS = 3, ROWS = 1037, GUARD = 0xa5 };
enum { FUSED = FAST_OP_COUNT - FAST_LOAD_MUL_STORE };

#define EDGE (UINT64_C(1) << FAST_INPUT_BITS)

/* Formulas over a to d (u64) and e, f (f64); postfix but where they say `if`. */
struct formula {
	const char *text;
	enum sx_type type;
};

struct sample {
	struct formula formulas[OUTPUTS];
	/* How many of each joined operation it has, in the order of enum fast_op. */
	uint32_t zero[FUSED];	  /* where a division by zero is 0 */
	uint32_t standard[FUSED]; /* where it is no data */
	bool exact;		  /* needs exact evaluation even if all numbers are in range */
};

#define STORES(mul, sum) .zero = {mul, sum}, .standard = {mul, sum}
#define DIVIDES(mul, quotient)                                                                     \
	.zero = {0, 0, 0, mul, 0, quotient}, .standard = {0, 0, mul, 0, quotient}

/* clang-format off */
static const struct sample samples[] = {
	/* A scaled counter to u64. */
	{{{"a 16 UMUL", SX_U64}}, STORES(1, 0)},
	{{{"128 a UMUL", SX_U64}}, STORES(1, 0)},
	{{{"a 129 UMUL", SX_U64}}, STORES(0, 0), .exact = true},
	{{{"a 1000000000 UMUL 12500000 UDIV", SX_U64}}, STORES(1, 0)},
	{{{"a 16 UMUL", SX_U64}, {"b 3 UMUL", SX_U64}, {"c d UADD 5 UMUL", SX_U64}}, STORES(2, 1)},
	{{{"a 16 UMUL", SX_U64}, {"a 16 UMUL", SX_U64}}, STORES(0, 0)},
	{{{"a 16 UMUL", SX_U64}, {"a 16 UMUL", SX_F64}}, STORES(0, 0)},
	{{{"a 16 UMUL", SX_U64}, {"a", SX_F64}}, STORES(0, 0)},
	{{{"a 16 UMUL", SX_U64}, {"a", SX_U64}}, STORES(1, 0)},
	{{{"a 16 UMUL", SX_U64}, {"a 5 UMUL", SX_U64}}, STORES(0, 0)},
	/* A scaled sum of two. */
	{{{"a b UADD 64 UMUL", SX_U64}}, STORES(0, 1)},
	{{{"d a UADD 7 UMUL", SX_U64}}, STORES(0, 1)},
	{{{"a b UADD 65 UMUL", SX_U64}}, STORES(0, 0), .exact = true},
	{{{"a a UADD 8 UMUL", SX_U64}}, STORES(0, 0)},
	{{{"a b 10 UDIV UADD 8 UMUL", SX_U64}}, STORES(0, 0)},
	{{{"a b UADD 8 UMUL", SX_U64}, {"b 3 UMUL", SX_U64}}, STORES(0, 0)},
	{{{"a b UADD 8 UMUL", SX_U64}, {"a 3 UMUL", SX_U64}}, STORES(0, 0)},
	{{{"a b UADD 8 UMUL", SX_U64}, {"a b UADD 3 UMUL", SX_U64}}, STORES(0, 0)},
	{{{"a b UADD 8 UMUL", SX_U64}, {"a b UADD", SX_F64}}, STORES(0, 0)},
	{{{"a b UADD 8 UMUL", SX_U64}, {"a", SX_F64}}, STORES(0, 0)},
	{{{"a b UADD 8 UMUL", SX_U64}, {"b", SX_F64}}, STORES(0, 0)},
	/* A share of the clock. */
	{{{"a 100 UMUL b FDIV", SX_F64}}, DIVIDES(1, 0)},
	{{{"a 100 UMUL e FDIV", SX_F64}}, DIVIDES(1, 0)},
	{{{"a 128 UMUL b c FADD FDIV", SX_F64}}, DIVIDES(1, 0)},
	{{{"a 129 UMUL b FDIV", SX_F64}}, DIVIDES(0, 0), .exact = true},
	{{{"a 3 UMUL b FDIV", SX_U64}}, DIVIDES(1, 0)},
	{{{"a 100 UMUL b FDIV 100 FMIN 0 FMAX", SX_F64}}, DIVIDES(1, 0)},
	{{{"a 100 UMUL b FDIV", SX_F64}, {"b", SX_F64}}, DIVIDES(1, 0)},
	{{{"a 100 UMUL b FDIV", SX_F64}, {"c 3 UMUL b FDIV", SX_F64}}, DIVIDES(2, 0)},
	{{{"a 100 UMUL b FDIV", SX_F64}, {"a 100 UMUL b FDIV", SX_F64}}, DIVIDES(1, 0)},
	{{{"a 100 UMUL a FDIV", SX_F64}}, DIVIDES(0, 0)},
	{{{"a 100 UMUL b FDIV", SX_F64}, {"a 100 UMUL", SX_F64}}, DIVIDES(0, 0)},
	{{{"a 100 UMUL b FDIV", SX_F64}, {"a 100 UMUL", SX_U64}}, DIVIDES(0, 0)},
	{{{"a 100 UMUL b FDIV", SX_F64}, {"a 100 UMUL c FDIV", SX_F64}}, DIVIDES(0, 0)},
	{{{"a 100 UMUL b FDIV", SX_F64}, {"a 3 UMUL b FDIV", SX_F64}}, DIVIDES(0, 0)},
	{{{"a 100 UMUL b FDIV", SX_F64}, {"a", SX_F64}}, DIVIDES(0, 0)},
	{{{"if(d, SHARE, f)", SX_F64}, {"c", SX_U64}}, DIVIDES(1, 0), .exact = true},
	/* The same of whole units. */
	{{{"a 1000 UDIV 100 UMUL b FDIV", SX_F64}}, DIVIDES(0, 1)},
	{{{"a 7 UDIV 128 UMUL e FDIV", SX_F64}}, DIVIDES(0, 1)},
	{{{"a 1 UDIV 100 UMUL b FDIV", SX_U64}}, DIVIDES(0, 1)},
	{{{"a 0 UDIV 100 UMUL b FDIV", SX_F64}}, DIVIDES(0, 0)},
	{{{"a 7 UDIV 3 UMUL b FDIV", SX_F64}, {"a 7 UDIV", SX_F64}}, DIVIDES(0, 0)},
	{{{"a 7 UDIV 3 UMUL b FDIV", SX_F64}, {"a 7 UDIV 2 UMUL b FDIV", SX_F64}}, DIVIDES(0, 0)},
	{{{"a 7 UDIV 3 UMUL b FDIV", SX_F64}, {"a 7 UDIV 3 UMUL", SX_F64}}, DIVIDES(0, 0)},
	{{{"a 7 UDIV 3 UMUL b FDIV", SX_F64}, {"a", SX_F64}}, DIVIDES(0, 0)},
	{{{"a 7 UDIV 3 UMUL b FDIV", SX_F64}, {"c 3 UMUL b FDIV", SX_F64}, {"d 9 UMUL", SX_U64}},
	 .zero = {1, 0, 0, 1, 0, 1}, .standard = {1, 0, 1, 0, 1}},
};
/* clang-format on */

enum numbers { IN_RANGE, ONE_IN_MANY, EDGES, NUMBERS };

/* What a run meets in its columns. */
struct trouble {
	enum numbers numbers;
	bool quality;
	uint32_t absent; /* bit n: column n */
};

struct table {
	uint64_t u64[WHOLE][ROWS];
	double f64[COLUMNS - WHOLE][ROWS];
	uint8_t quality[COLUMNS][ROWS];
	struct sx_vector vectors[COLUMNS];
	size_t row;
	struct naive_world naive;
	const struct sx_expr *share;
};

static uint64_t random_below(uint64_t *state, uint64_t count)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*state >> 33) % count;
}

/* Below 2^44, of any length, often 0 or the largest. */
static uint64_t small_number(uint64_t *state)
{
	uint64_t kind = random_below(state, 8);
	if (kind < 2)
		return kind ? EDGE - 1 : 0;
	uint64_t bits =
	    random_below(state, UINT64_C(1) << 22) << 22 | random_below(state, UINT64_C(1) << 22);
	return bits >> random_below(state, FAST_INPUT_BITS);
}

static uint64_t edge_number(uint64_t *state)
{
	static const uint64_t edges[] = {0,
					 1,
					 EDGE - 1,
					 EDGE,
					 EDGE + 1,
					 (UINT64_C(1) << 51) + 1,
					 (UINT64_C(1) << 52) + 1,
					 (UINT64_C(1) << 53) + 1,
					 UINT64_C(1) << 63,
					 UINT64_MAX};
	return edges[random_below(state, sizeof(edges) / sizeof(edges[0]))];
}

static uint64_t number_of(uint64_t *state, enum numbers numbers, size_t row)
{
	bool edge = numbers == EDGES || (numbers == ONE_IN_MANY && row % 97 == 40);
	return edge ? edge_number(state) : small_number(state);
}

static double real_number(uint64_t *state)
{
	static const double edges[] = {0, -0.0, -3, 0.1, NAN, INFINITY, 0x1p-1070};
	uint64_t kind = random_below(state, 16);
	return kind < 7 ? edges[kind] : (double)random_below(state, UINT64_C(1) << 31) / 7;
}

static void fill(struct table *table, const struct trouble *trouble)
{
	uint64_t state = 1;
	for (uint32_t c = 0; c < COLUMNS; c++) {
		bool whole = c < WHOLE;
		for (size_t r = 0; r < ROWS; r++) {
			if (whole)
				table->u64[c][r] = number_of(&state, trouble->numbers, r);
			else
				table->f64[c - WHOLE][r] = real_number(&state);
			uint64_t bit = random_below(&state, 64);
			table->quality[c][r] = (uint8_t)(bit < 8 ? 1 << bit : 0);
		}
		const void *data =
		    whole ? (const void *)table->u64[c] : (const void *)table->f64[c - WHOLE];
		table->vectors[c] = (struct sx_vector){
		    .type = whole ? SX_U64 : SX_F64,
		    .data = trouble->absent >> c & 1 ? NULL : data,
		    .quality = trouble->quality ? table->quality[c] : NULL,
		};
	}
}

static struct naive name_value(void *user, const struct sx_node *node)
{
	const struct table *table = user;
	if (strcmp(node->name, "SHARE") == 0)
		return naive_eval(&table->naive, sx_expr_root(table->share));
	uint32_t column = (uint32_t)(node->name[0] - 'a');
	const struct sx_vector *vector = &table->vectors[column];
	struct naive value = {.quality = SX_QUALITY_NOT_COLLECTED};
	if (vector->data)
		value.quality = vector->quality ? vector->quality[table->row] : 0;
	if (value.quality & SX_QUALITY_NO_DATA_MASK) {
		value.no_data = true;
		value.f = NAN;
	} else if (column < WHOLE) {
		value.whole = true;
		value.exact = (naive_i128)table->u64[column][table->row];
	} else {
		value.f = table->f64[column - WHOLE][table->row];
		value.no_data = isnan(value.f);
	}
	return value;
}

/* One sample in one dialect. */
struct subject {
	const struct sample *sample;
	uint32_t count;
	struct sx_expr *exprs[OUTPUTS];
	struct expr_program *program;
	uint64_t data[OUTPUTS][ROWS + 1];
	uint8_t quality[OUTPUTS][ROWS + 1];
	uint64_t expected[OUTPUTS][ROWS];
	uint8_t expected_quality[OUTPUTS][ROWS];
};

static void subject_begin(struct subject *subject, const struct sample *sample,
			  enum sx_dialect dialect, const struct sx_expr *share)
{
	static const char *const names[COLUMNS] = {"a", "b", "c", "d", "e", "f"};
	struct world world = {.instances = 0};
	for (uint32_t i = 0; i < COLUMNS; i++)
		world_input(&world, names[i], i, i < WHOLE ? SX_U64 : SX_F64);
	world_expr(&world, "SHARE", share);
	subject->sample = sample;
	struct expr_output outputs[OUTPUTS] = {0};
	for (subject->count = 0; subject->count < OUTPUTS; subject->count++) {
		const struct formula *formula = &sample->formulas[subject->count];
		if (!formula->text)
			break;
		bool infix = strncmp(formula->text, "if(", 3) == 0;
		subject->exprs[subject->count] =
		    world_parse(formula->text, infix ? SX_INFIX : SX_POSTFIX);
		outputs[subject->count] = (struct expr_output){
		    .expr = subject->exprs[subject->count], .type = formula->type};
	}
	struct expr_resolver resolver = world_resolver(&world);
	struct sx_error err;
	if (expr_compile(&(struct expr_request){outputs, subject->count, dialect, &resolver},
			 &subject->program, NULL, &err))
		fail_msg("%s", err.message);
}

static void subject_finish(struct subject *subject)
{
	for (uint32_t i = 0; i < subject->count; i++)
		sx_expr_destroy(subject->exprs[i]);
	expr_program_destroy(subject->program);
}

static void check_operations(const struct subject *subject, enum sx_dialect dialect)
{
	const struct fast_code *code = &subject->program->fast;
	const uint32_t *expected =
	    dialect == SX_DIALECT_STANDARD ? subject->sample->standard : subject->sample->zero;
	uint32_t found[FUSED] = {0};
	assert_true(code->usable);
	for (uint32_t i = 0; i < code->insn_count; i++)
		if (code->insns[i].op >= FAST_LOAD_MUL_STORE)
			found[code->insns[i].op - FAST_LOAD_MUL_STORE]++;
	for (uint32_t op = 0; op < FUSED; op++)
		if (found[op] != expected[op])
			fail_msg("%s, dialect %d: %u operations of kind %u, expected %u",
				 subject->sample->formulas[0].text, (int)dialect, found[op], op,
				 expected[op]);
}

/* What the naive evaluator makes of every row. */
static void expect(struct subject *subject, struct table *table)
{
	for (uint32_t o = 0; o < subject->count; o++) {
		const struct sx_node *root = sx_expr_root(subject->exprs[o]);
		for (size_t r = 0; r < ROWS; r++) {
			table->row = r;
			struct naive value = naive_eval(&table->naive, root);
			uint8_t *quality = &subject->expected_quality[o][r];
			if (subject->sample->formulas[o].type == SX_U64) {
				subject->expected[o][r] = naive_u64(&value, quality);
				continue;
			}
			double f64 = naive_f64(&value, quality);
			memcpy(&subject->expected[o][r], &f64, sizeof(f64));
		}
	}
}

/* Bit for bit; any NaN is no data. */
static bool same(enum sx_type type, uint64_t got, uint64_t expected)
{
	double x, y;
	memcpy(&x, &got, sizeof(x));
	memcpy(&y, &expected, sizeof(y));
	return got == expected || (type == SX_F64 && isnan(x) && isnan(y));
}

static void compare(const struct subject *subject, const struct table *table, size_t rows,
		    bool with_quality)
{
	for (uint32_t o = 0; o < subject->count; o++) {
		const struct formula *formula = &subject->sample->formulas[o];
		for (size_t r = 0; r < rows; r++) {
			uint8_t quality = with_quality ? subject->expected_quality[o][r] : GUARD;
			if (same(formula->type, subject->data[o][r], subject->expected[o][r]) &&
			    subject->quality[o][r] == quality)
				continue;
			fail_msg("%s, dialect %d, a %#jx, b %#jx, row %zu of %zu: %#jx quality "
				 "%#x, expected %#jx %#x",
				 formula->text, (int)table->naive.dialect,
				 (uintmax_t)table->u64[0][r], (uintmax_t)table->u64[1][r], r, rows,
				 (uintmax_t)subject->data[o][r], subject->quality[o][r],
				 (uintmax_t)subject->expected[o][r], quality);
		}
		assert_int_equal(subject->quality[o][rows], GUARD);
		assert_true(((const uint8_t *)subject->data[o])[rows * sizeof(uint64_t)] == GUARD);
	}
}

static void check_rows(struct subject *subject, const struct table *table,
		       const struct trouble *trouble, size_t rows, bool with_quality)
{
	struct expr_result results[OUTPUTS];
	struct sx_error err;
	memset(subject->data, GUARD, sizeof(subject->data));
	memset(subject->quality, GUARD, sizeof(subject->quality));
	for (uint32_t o = 0; o < subject->count; o++)
		results[o] = (struct expr_result){
		    .data = subject->data[o], .quality = with_quality ? subject->quality[o] : NULL};
	/* Only an exact evaluation allocates; an allocation shows that blocks were not enough. */
	unsigned long before = allocations;
	assert_int_equal(expr_eval(subject->program, table->vectors, rows, results, &err), SX_OK);
	if (trouble->numbers == IN_RANGE && !subject->sample->exact && allocations != before)
		fail_msg("%s: %zu rows were evaluated exactly, absent columns %#x",
			 subject->sample->formulas[0].text, rows, trouble->absent);
	compare(subject, table, rows, with_quality);
}

static void check_trouble(struct subject *subject, struct table *table,
			  const struct trouble *trouble)
{
	/* Single rows, parts of a block, just a block, and more than one. */
	static const size_t counts[] = {3, 5, 8, 15, 17, 61, 511, 512, 513, ROWS};
	fill(table, trouble);
	expect(subject, table);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (trouble->absent && i % 4 != 1)
			continue;
		check_rows(subject, table, trouble, counts[i], true);
		check_rows(subject, table, trouble, counts[i], false);
	}
}

static void check_dialect(enum sx_dialect dialect)
{
	static struct table table;
	static struct subject subject;
	struct sx_expr *share = world_parse("a 100 UMUL b FDIV", SX_POSTFIX);
	table.naive = (struct naive_world){.dialect = dialect, .name = name_value, .user = &table};
	table.share = share;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		subject_begin(&subject, &samples[i], dialect, share);
		check_operations(&subject, dialect);
		for (int numbers = 0; numbers < NUMBERS; numbers++)
			for (int quality = 0; quality < 2; quality++)
				check_trouble(&subject, &table,
					      &(struct trouble){.numbers = (enum numbers)numbers,
								.quality = quality});
		for (uint32_t absent = 1; absent < 1u << (WHOLE + 1); absent++)
			check_trouble(&subject, &table,
				      &(struct trouble){.quality = absent % 2, .absent = absent});
		subject_finish(&subject);
	}
	sx_expr_destroy(share);
}

static void test_standard(void **state)
{
	(void)state;
	check_dialect(SX_DIALECT_STANDARD);
}

static void test_intel(void **state)
{
	(void)state;
	check_dialect(SX_DIALECT_INTEL);
}

/* The samples would show nothing about an operation that none of them has. */
static void test_samples_are_complete(void **state)
{
	(void)state;
	uint32_t all[FUSED] = {0};
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		for (uint32_t op = 0; op < FUSED; op++)
			all[op] += samples[i].zero[op] + samples[i].standard[op];
	for (uint32_t op = 0; op < FUSED; op++)
		assert_true(all[op] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_standard),
	    cmocka_unit_test(test_intel),
	    cmocka_unit_test(test_samples_are_complete),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
