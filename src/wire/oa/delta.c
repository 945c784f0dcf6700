/*
 * Differences of reports, a tile of counters and reports at once: rows of reports are transposed in
 * registers and written as columns. This file is compiled once for every CPU and once more for
 * wider registers, with the table's name in OA_LOOPS.
 */
#include "wire/oa/delta.h"

#include <stdbool.h>
#include <string.h>

#ifndef OA_LOOPS
#define OA_LOOPS oa_loops_base
#endif

#ifdef __AVX2__
#include <immintrin.h>
#endif

/* Counters and reports of a tile. */
#ifdef __AVX2__
#define TILE 4
#else
#define TILE 2
#endif

#define MASK40 ((UINT64_C(1) << 40) - 1)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are taken as they are");

typedef uint32_t words __attribute__((vector_size(4 * TILE)));
typedef uint64_t lanes __attribute__((vector_size(8 * TILE)));

/*
 * Words and bytes of a report as lanes. These intrinsics take one instruction each; for
 * __builtin_convertvector() compilers emit several.
 */
#ifdef __AVX2__
static inline lanes widen(words from)
{
	return (lanes)_mm256_cvtepu32_epi64((__m128i)from);
}

static inline lanes load_bytes(const uint8_t *from)
{
	return (lanes)_mm256_cvtepu8_epi64(_mm_loadu_si32(from));
}
#else
static inline lanes widen(words from)
{
	return __builtin_convertvector(from, lanes);
}

static inline lanes load_bytes(const uint8_t *from)
{
	return (lanes){from[0], from[1]};
}
#endif

/* `low` and `high` are offsets of the first counter of a tile. */
static inline lanes difference(const uint8_t *a, const uint8_t *b, size_t low, size_t high)
{
	words from, to;
	memcpy(&from, a + low, sizeof(from));
	memcpy(&to, b + low, sizeof(to));
	if (!high)
		return widen(to - from);
	lanes upper = load_bytes(b + high) - load_bytes(a + high);
	return (widen(to) - widen(from) + (upper << 32)) & MASK40;
}

/* The same of a single counter. */
static inline uint64_t difference_one(const uint8_t *a, const uint8_t *b, size_t low, size_t high)
{
	uint32_t from, to;
	memcpy(&from, a + low, sizeof(from));
	memcpy(&to, b + low, sizeof(to));
	if (!high)
		return to - from;
	uint64_t upper = (uint8_t)(b[high] - a[high]);
	return ((uint64_t)to - from + (upper << 32)) & MASK40;
}

/* Counters of 64 bits: long and few reports, so that plain loops do. */
static inline uint64_t difference_wide(const uint8_t *a, const uint8_t *b, size_t at)
{
	uint64_t from, to;
	memcpy(&from, a + at, sizeof(from));
	memcpy(&to, b + at, sizeof(to));
	return to - from;
}

static void columns_wide(const struct oa_run *run, const struct oa_pairs *pairs,
			 uint64_t *const *to)
{
	for (size_t c = 0; c < run->count; c++)
		for (size_t row = 0; row < pairs->count; row++)
			to[run->slot + c][row] = difference_wide(
			    pairs->first[row], pairs->second[row], run->offset + 8 * c);
}

static void sum_wide(const struct oa_run *run, const struct oa_pairs *pairs, uint64_t *sums)
{
	for (size_t row = 0; row < pairs->count; row++)
		for (size_t c = 0; c < run->count; c++)
			sums[run->slot + c] += difference_wide(
			    pairs->first[row], pairs->second[row], run->offset + 8 * c);
}

#define MIX __builtin_shufflevector

/* Rows become columns. */
static inline void turn(lanes v[TILE])
{
#if TILE == 8
	lanes w[8];
	for (int i = 0; i < 8; i += 2) {
		w[i] = MIX(v[i], v[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
		w[i + 1] = MIX(v[i], v[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
	}
	for (int i = 0; i < 8; i += 4)
		for (int odd = 0; odd < 2; odd++) {
			lanes up = w[i + odd], down = w[i + odd + 2];
			v[i + odd] = MIX(up, down, 0, 1, 8, 9, 4, 5, 12, 13);
			v[i + odd + 2] = MIX(up, down, 2, 3, 10, 11, 6, 7, 14, 15);
		}
	for (int i = 0; i < 4; i++) {
		lanes up = v[i], down = v[i + 4];
		v[i] = MIX(up, down, 0, 1, 2, 3, 8, 9, 10, 11);
		v[i + 4] = MIX(up, down, 4, 5, 6, 7, 12, 13, 14, 15);
	}
#elif TILE == 4
	lanes ab02 = MIX(v[0], v[1], 0, 4, 2, 6), ab13 = MIX(v[0], v[1], 1, 5, 3, 7);
	lanes cd02 = MIX(v[2], v[3], 0, 4, 2, 6), cd13 = MIX(v[2], v[3], 1, 5, 3, 7);
	v[0] = MIX(ab02, cd02, 0, 1, 4, 5);
	v[1] = MIX(ab13, cd13, 0, 1, 4, 5);
	v[2] = MIX(ab02, cd02, 2, 3, 6, 7);
	v[3] = MIX(ab13, cd13, 2, 3, 6, 7);
#else
	lanes a = v[0], b = v[1];
	v[0] = MIX(a, b, 0, 2);
	v[1] = MIX(a, b, 1, 3);
#endif
}

/*
 * Fetches what comes next, a line of the cache while a tile is computed. The low words of counters
 * with 40 bits are half of a report, so that they reach every line of it.
 */
static inline bool fetches(size_t low, size_t high)
{
	return high && low % 32 == 16;
}

static inline void fetch(const uint8_t *report, size_t low, size_t ahead)
{
	__builtin_prefetch((const void *)((uintptr_t)report + ahead + 2 * low));
}

/* Whole tiles; the first of several equal columns counts. Returns the pairs done. */
static inline size_t tiles(const struct oa_pairs *pairs, size_t low, size_t high,
			   uint64_t *const out[TILE])
{
	const uint8_t *const *first = pairs->first, *const *second = pairs->second;
	size_t row = 0;
	for (; row + TILE <= pairs->count; row += TILE, first += TILE, second += TILE) {
		lanes v[TILE];
		for (size_t i = 0; fetches(low, high) && i < TILE; i++)
			fetch(second[i], low, pairs->ahead);
		for (size_t i = 0; i < TILE; i++)
			v[i] = difference(first[i], second[i], low, high);
		turn(v);
		for (size_t i = TILE; i-- > 0;)
			memcpy(out[i] + row, &v[i], sizeof(v[i]));
	}
	return row;
}

static void delta_columns(const struct oa_run *run, const struct oa_pairs *pairs,
			  uint64_t *const *to)
{
	if (run->wide) {
		columns_wide(run, pairs, to);
		return;
	}
	for (size_t c = 0; c < run->count; c += TILE) {
		size_t count = run->count - c < TILE ? run->count - c : TILE;
		size_t low = run->offset + 4 * c, high = run->high ? run->high + c : 0, row = 0;
		uint64_t *out[TILE];
		for (size_t i = 0; i < TILE; i++)
			out[i] = to[run->slot + c + (i < count ? i : 0)];
		if (low + sizeof(words) <= pairs->size)
			row = high ? tiles(pairs, low, high, out) : tiles(pairs, low, 0, out);
		for (; row < pairs->count; row++)
			for (size_t i = 0; i < count; i++)
				out[i][row] = difference_one(pairs->first[row], pairs->second[row],
							     low + 4 * i, high ? high + i : 0);
	}
}

#if TILE > 2
static inline void sum_tile(const struct oa_pairs *pairs, size_t low, size_t high, uint64_t *out)
{
	lanes all = {0};
	for (size_t row = 0; row < pairs->count; row++) {
		if (fetches(low, high))
			fetch(pairs->second[row], low, pairs->ahead);
		all += difference(pairs->first[row], pairs->second[row], low, high);
	}
	memcpy(out, &all, sizeof(all));
}

static void delta_sum(const struct oa_run *run, const struct oa_pairs *pairs, uint64_t *sums)
{
	if (run->wide) {
		sum_wide(run, pairs, sums);
		return;
	}
	for (size_t c = 0; c < run->count; c += TILE) {
		size_t count = run->count - c < TILE ? run->count - c : TILE;
		size_t low = run->offset + 4 * c, high = run->high ? run->high + c : 0;
		uint64_t all[TILE] = {0};
		if (low + sizeof(words) > pairs->size)
			for (size_t row = 0; row < pairs->count; row++)
				for (size_t i = 0; i < count; i++)
					all[i] +=
					    difference_one(pairs->first[row], pairs->second[row],
							   low + 4 * i, high ? high + i : 0);
		else if (high)
			sum_tile(pairs, low, high, all);
		else
			sum_tile(pairs, low, 0, all);
		for (size_t i = 0; i < count; i++)
			sums[run->slot + c + i] += all[i];
	}
}

#else

/* In short registers a report as a whole: loops over counters, which compilers vectorise. */
static inline void add_pair(const uint8_t *restrict a, const uint8_t *restrict b,
			    const struct oa_run *run, uint64_t *restrict sums)
{
	for (size_t i = 0; run->high && i < run->count; i++)
		sums[i] += difference_one(a, b, run->offset + 4 * i, run->high + i);
	for (size_t i = 0; !run->high && i < run->count; i++)
		sums[i] += difference_one(a, b, run->offset + 4 * i, 0);
}

static void delta_sum(const struct oa_run *run, const struct oa_pairs *pairs, uint64_t *sums)
{
	if (run->wide) {
		sum_wide(run, pairs, sums);
		return;
	}
	for (size_t row = 0; row < pairs->count; row++)
		add_pair(pairs->first[row], pairs->second[row], run, sums + run->slot);
}

#endif

extern const struct oa_loops OA_LOOPS;
const struct oa_loops OA_LOOPS = {delta_columns, delta_sum};
