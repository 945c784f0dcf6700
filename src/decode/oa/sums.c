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

static enum sx_status too_many(struct sx_error *err)
{
	error_set(err, SX_ERR_LIMIT, "recording has more than %d contexts", OA_CONTEXTS_MAX);
	error_try(err, "sum up everything, or one context");
	return SX_ERR_LIMIT;
}

enum sx_status oa_sums_find(struct oa_sums *sums, uint64_t owner, struct oa_sum **out,
			    struct sx_error *err)
{
	uint32_t hash = slots_hash(owner);
	size_t at = hash;
	for (uint32_t i; (i = slots_next(&sums->slots, hash, &at)) != SLOTS_NONE;)
		if (sums->sums[i].about.owner == owner) {
			*out = &sums->sums[i];
			return SX_OK;
		}
	if (sums->count == OA_CONTEXTS_MAX)
		return too_many(err);
	if (!slots_reserve(&sums->slots) ||
	    !mem_grow(&sums->sums, &sums->cap, sums->count + 1, sizeof(*sums->sums)))
		return error_nomem(err, "sums of contexts");
	*out = &sums->sums[sums->count];
	**out = (struct oa_sum){.about.owner = owner};
	slots_add(&sums->slots, hash, (uint32_t)sums->count++);
	return SX_OK;
}

void oa_sums_finish(struct oa_sums *sums)
{
	free(sums->sums);
	slots_finish(&sums->slots);
	*sums = (struct oa_sums){0};
}
