/* Sums of OA intervals: what they cover, and the hash that finds a context's. */
#include "decode/oa/sums.h"
#include "base/error.h"
#include "base/mem.h"

#include <stdlib.h>

void oa_sum_add(struct oa_sum *sum, const struct oa_burst *burst, size_t from, size_t end)
{
	struct oa_interval *all = &sum->about;
	if (!sum->used) {
		sum->used = true;
		all->begin = burst->begin[from];
		all->owner = burst->owner[from];
	}
	/* Where time went back, the sum still encloses all of its intervals. */
	for (size_t i = from; i < end; i++) {
		all->begin = burst->begin[i] < all->begin ? burst->begin[i] : all->begin;
		all->end = burst->end[i] > all->end ? burst->end[i] : all->end;
		sum->values[SX_OA_TIME] += burst->end[i] - burst->begin[i];
		sum->values[SX_OA_CLOCK] += burst->clock[i];
	}
	all->reason = burst->reason[end - 1];
}

void oa_sum_mark(struct oa_sum *sum, const struct oa_interval *flaw)
{
	struct oa_interval *all = &sum->about;
	all->quality = (uint8_t)(all->quality | flaw->quality);
	all->quality32 = (uint8_t)(all->quality32 | flaw->quality32);
	all->quality_eu = (uint8_t)(all->quality_eu | flaw->quality_eu);
	all->quality_clock = (uint8_t)(all->quality_clock | flaw->quality_clock);
}

static size_t hash(const struct oa_sums *sums, uint64_t owner)
{
	return (size_t)(owner * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (sums->index_size - 1);
}

/* Where the owner is in the index, or would be. */
static size_t place(const struct oa_sums *sums, uint64_t owner)
{
	size_t at = hash(sums, owner);
	while (sums->index[at] && sums->sums[sums->index[at] - 1].about.owner != owner)
		at = (at + 1) & (sums->index_size - 1);
	return at;
}

static bool grow_index(struct oa_sums *sums)
{
	size_t size = sums->index_size ? sums->index_size * 2 : 64;
	uint32_t *grown = calloc(size, sizeof(*grown));
	if (!grown)
		return false;
	free(sums->index);
	sums->index = grown;
	sums->index_size = size;
	for (size_t i = 0; i < sums->count; i++)
		grown[place(sums, sums->sums[i].about.owner)] = (uint32_t)i + 1;
	return true;
}

static enum sx_status too_many(struct sx_error *err)
{
	error_set(err, SX_ERR_LIMIT, "recording has more than %d contexts", OA_CONTEXTS_MAX);
	error_try(err, "sum up everything, or one context");
	return SX_ERR_LIMIT;
}

enum sx_status oa_sums_find(struct oa_sums *sums, uint64_t owner, struct oa_sum **out,
			    struct sx_error *err)
{
	size_t at = sums->index_size ? place(sums, owner) : 0;
	if (!sums->index_size || !sums->index[at]) {
		if (sums->count == OA_CONTEXTS_MAX)
			return too_many(err);
		if (!mem_grow(&sums->sums, &sums->cap, sums->count + 1, sizeof(*sums->sums)))
			return error_nomem(err, "sums of contexts");
		sums->sums[sums->count] = (struct oa_sum){.about.owner = owner};
		if (2 * (sums->count + 1) > sums->index_size && !grow_index(sums))
			return error_nomem(err, "sums of contexts");
		at = place(sums, owner);
		sums->index[at] = (uint32_t)++sums->count;
	}
	*out = &sums->sums[sums->index[at] - 1];
	return SX_OK;
}

void oa_sums_finish(struct oa_sums *sums)
{
	free(sums->sums);
	free(sums->index);
	*sums = (struct oa_sums){0};
}
