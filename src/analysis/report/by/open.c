/* Groups that wait for rows: see state.h. */
#include "analysis/report/by/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define PARTS_APART 256 /* groups with all strata; further ones have two */

static void open_destroy(struct open_group *group)
{
	if (!group)
		return;
	total_destroy(group->total);
	total_destroy(group->ratios);
	free(group);
}

/* Any group that there is: all are of the same columns. */
static const struct open_group *open_any(const struct open_groups *o)
{
	for (size_t i = o->count; i-- > 0;)
		if (o->list[i])
			return o->list[i];
	return NULL;
}

static bool create_totals(const struct open_groups *o, const struct open_rows *rows,
			  struct open_group *group)
{
	const struct open_group *as = open_any(o);
	enum sx_status status = as ? total_create_same(as->total, &group->total, NULL)
				   : total_create(rows->of, &group->total, NULL);
	if (!status && rows->ratios)
		status = as && as->ratios ? total_create_same(as->ratios, &group->ratios, NULL)
					  : total_create(rows->ratios, &group->ratios, NULL);
	if (!status && group->ratios)
		total_share(group->ratios, total_parts(group->total));
	return !status;
}

static struct open_group *open_create(struct open_groups *o, const struct open_rows *rows)
{
	struct open_group *group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	*group = (struct open_group){.key = rows->key, .owner = rows->owner};
	if (!create_totals(o, rows, group)) {
		open_destroy(group);
		return NULL;
	}
	if (o->way == OPEN_BY_TIME)
		total_use(group->total, o->run);
	if (o->way == OPEN_BY_TIME && group->ratios)
		total_use(group->ratios, o->run_ratios);
	if (o->count >= PARTS_APART)
		total_set_parts(group->total, 2);
	return group;
}

/* Makes room for a group before `at`. */
static bool open_insert(struct open_groups *o, size_t at, struct open_group *group)
{
	if (!mem_grow(&o->list, &o->cap, o->count + 1, sizeof(*o->list)))
		return false;
	memmove(o->list + at + 1, o->list + at, (o->count - at) * sizeof(*o->list));
	o->list[at] = group;
	o->count++;
	return true;
}

/* A group made new before `at`; NULL when memory is out. */
static struct open_group *open_add(struct open_groups *o, size_t at, const struct open_rows *rows)
{
	struct open_group *group = open_create(o, rows);
	if (group && open_insert(o, at, group))
		return group;
	open_destroy(group);
	return NULL;
}

/* The slot of a key in the table, or an empty one for it. */
static uint32_t *slot_of(struct open_groups *o, uint64_t key)
{
	uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	while (o->slots[at % OPEN_SLOTS] && o->list[o->slots[at % OPEN_SLOTS] - 1]->key != key)
		at++;
	return &o->slots[at % OPEN_SLOTS];
}

static struct open_group *find_anywhere(struct open_groups *o, struct open_rows *rows)
{
	if (!o->slots && !(o->slots = calloc(OPEN_SLOTS, sizeof(*o->slots))))
		return NULL;
	uint32_t *slot = slot_of(o, rows->key);
	if (!*slot && o->count >= OPEN_KEYS_MAX) {
		rows->key = REPORT_KEY_OTHERS;
		slot = slot_of(o, rows->key);
	}
	if (*slot)
		return o->list[*slot - 1];
	struct open_group *group = open_add(o, o->count, rows);
	if (group)
		*slot = (uint32_t)o->count;
	return group;
}

/* The first group with a key that is not below. */
static size_t first_from(const struct open_groups *o, uint64_t key)
{
	size_t low = 0, high = o->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (o->list[middle]->key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* When there are too many intervals, the earliest is completed. */
static struct open_group *find_by_time(struct open_groups *o, struct open_rows *rows)
{
	bool full = o->count >= OPEN_STRETCHES;
	if (rows->key < o->closed || (full && rows->key < o->list[0]->key))
		rows->key = REPORT_KEY_OTHERS;
	size_t at = first_from(o, rows->key);
	if (at < o->count && o->list[at]->key == rows->key)
		return o->list[at];
	if (!full || rows->key == REPORT_KEY_OTHERS)
		return open_add(o, at, rows);
	struct open_group *over = o->list[0];
	o->closed = over->key + 1;
	memmove(o->list, o->list + 1, (at - 1) * sizeof(*o->list));
	o->list[at - 1] = over;
	return over;
}

static struct open_group *find_of_owner(struct open_groups *o, struct open_rows *rows)
{
	size_t at = rows->owner < OPEN_KEYS_MAX ? rows->owner : OPEN_KEYS_MAX;
	while (o->count <= at)
		if (!open_insert(o, o->count, NULL))
			return NULL;
	if (!o->list[at])
		o->list[at] = open_create(o, rows);
	return o->list[at];
}

enum sx_status open_groups_find(struct open_groups *o, struct open_rows *rows,
				struct open_group **out, struct sx_error *err)
{
	*out = o->way == OPEN_ANYWHERE	? find_anywhere(o, rows)
	       : o->way == OPEN_BY_TIME ? find_by_time(o, rows)
					: find_of_owner(o, rows);
	return *out ? SX_OK : error_nomem(err, "a report");
}

void open_groups_finish(struct open_groups *o)
{
	for (size_t i = 0; i < o->count; i++)
		open_destroy(o->list[i]);
	free(o->list);
	free(o->slots);
	*o = (struct open_groups){.way = o->way};
}
