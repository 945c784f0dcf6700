/*
 * Fuses operations that are frequent in metrics, such as a scaled counter or a share of the clock,
 * into one pass: a pass over columns that do not fit the L1 cache costs more than what it computes.
 */
#include "expr/fast/fast.h"

#include <stdlib.h>

struct fuser {
	struct fast_code *code;
	const uint32_t *place;
	uint32_t *def;	/* of each node without a place: the operation that computes it */
	uint32_t *uses; /* of each node: operands that read it */
};

static void count(struct fuser *fuser)
{
	for (uint32_t i = 0; i < fuser->code->insn_count; i++) {
		const struct fast_insn *insn = &fuser->code->insns[i];
		const uint32_t args[3] = {insn->a, insn->b, insn->c};
		if (!fast_stores(insn->op))
			fuser->def[insn->out] = i;
		for (int a = 0; a < 3; a++)
			if (args[a] != SX_NONE && !(insn->columns >> a & 1))
				fuser->uses[args[a]]++;
	}
}

/* The operation behind an operand, if it is `op` and has no other reader; else NULL. */
static struct fast_insn *fuse_absorbed(const struct fuser *fuser, uint32_t node, enum fast_op op)
{
	if (fuser->place[node] != SX_NONE || fuser->uses[node] != 1)
		return NULL;
	struct fast_insn *insn = &fuser->code->insns[fuser->def[node]];
	return insn->op == op ? insn : NULL;
}

static void drop(struct fast_insn *insn)
{
	insn->op = FAST_OP_COUNT;
}

/* x * k, or (x + y) * k, to a u64 result. */
static void fuse_store(const struct fuser *fuser, struct fast_insn *store)
{
	struct fast_insn *mul = fuse_absorbed(fuser, store->a, FAST_MUL_VK);
	if (!mul)
		return;
	struct fast_insn *sum = fuse_absorbed(fuser, mul->a, FAST_ADD);
	struct fast_insn *x = fuse_absorbed(fuser, sum ? sum->a : mul->a, FAST_LOAD_WHOLE);
	struct fast_insn *y = sum ? fuse_absorbed(fuser, sum->b, FAST_LOAD_WHOLE) : NULL;
	if (!x || (sum && !y))
		return;
	store->op = sum ? FAST_LOAD_ADD_MUL_STORE : FAST_LOAD_MUL_STORE;
	store->columns = sum ? 3 : 1;
	store->a = x->a;
	store->b = sum ? y->a : SX_NONE;
	store->k[0] = mul->k[0];
	drop(mul);
	drop(x);
	if (sum) {
		drop(sum);
		drop(y);
	}
}

/* (x * k) / b, or (floor(x / k1) * k) / b. */
static void fuse_divide(const struct fuser *fuser, struct fast_insn *divide)
{
	bool by_zero = divide->op == FAST_DIV_0;
	struct fast_insn *mul = fuse_absorbed(fuser, divide->a, FAST_MUL_VK);
	if (!mul)
		return;
	struct fast_insn *quotient = fuse_absorbed(fuser, mul->a, FAST_QUOTIENT_VK);
	if (!quotient)
		quotient = fuse_absorbed(fuser, mul->a, FAST_QUOTIENT_0_VK);
	struct fast_insn *x =
	    fuse_absorbed(fuser, quotient ? quotient->a : mul->a, FAST_LOAD_WHOLE);
	if (!x || (quotient && quotient->k[0] == 0))
		return;
	if (quotient)
		divide->op = by_zero ? FAST_LOAD_QUOTIENT_MUL_DIV_0 : FAST_LOAD_QUOTIENT_MUL_DIV;
	else
		divide->op = by_zero ? FAST_LOAD_MUL_DIV_0 : FAST_LOAD_MUL_DIV;
	divide->columns = 1;
	divide->a = x->a;
	divide->k[0] = mul->k[0];
	divide->k[1] = quotient ? quotient->k[0] : 1;
	drop(mul);
	drop(x);
	if (quotient)
		drop(quotient);
}

static void remove_dropped(struct fast_code *code)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < code->insn_count; i++)
		if (code->insns[i].op != FAST_OP_COUNT)
			code->insns[kept++] = code->insns[i];
	code->insn_count = kept;
}

bool fast_fuse(struct fast_code *code, uint32_t node_count, const uint32_t *place)
{
	struct fuser fuser = {.code = code, .place = place};
	fuser.def = calloc((size_t)node_count + 1, sizeof(*fuser.def));
	fuser.uses = calloc((size_t)node_count + 1, sizeof(*fuser.uses));
	bool good = fuser.def && fuser.uses;
	if (good) {
		count(&fuser);
		for (uint32_t i = 0; i < code->insn_count; i++) {
			struct fast_insn *insn = &code->insns[i];
			if (insn->op == FAST_STORE_WHOLE)
				fuse_store(&fuser, insn);
			else if (insn->op == FAST_DIV || insn->op == FAST_DIV_0)
				fuse_divide(&fuser, insn);
		}
		remove_dropped(code);
	}
	free(fuser.def);
	free(fuser.uses);
	return good;
}
