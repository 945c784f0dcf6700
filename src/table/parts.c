/* Rows of a program mostly follow each other: only where the labels change are names compared. */
#include "table/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "table/table.h"

/* What a table says of a row; a program is told by its name, for tables count texts on their own.
 */
struct part_labels {
	uint64_t process, context;
	enum slices_class of;
};

void parts_begin(struct parts *parts, const struct sx_table *like)
{
	parts->slices = slices_of(like);
	parts->by_name = sx_table_kind(like) == SX_SAMPLE_KERNEL;
}

/* The label that tells whose rows are. */
static unsigned whose(const struct parts *parts)
{
	return parts->by_name ? SX_LABEL_GROUP : SX_LABEL_PROCESS;
}

static struct part_labels labels_of(const struct parts *parts, const struct sx_table *table,
				    size_t row)
{
	const uint64_t *process = table->labels[whose(parts)];
	const uint64_t *context = parts->by_name ? NULL : table->labels[SX_LABEL_CONTEXT];
	return (struct part_labels){process ? process[row] : SX_LABEL_ABSENT,
				    context ? context[row] : SX_LABEL_ABSENT,
				    slices_class_of(&parts->slices, table, row)};
}

static bool is_same(const struct part_key *key, const struct part_key *other)
{
	if (key->context != other->context || key->of != other->of ||
	    !key->process != !other->process)
		return false;
	return !key->process || strcmp(key->process, other->process) == 0;
}

static bool add_key(struct parts *parts, const struct part_key *key)
{
	if (!mem_grow(&parts->keys, &parts->cap, (size_t)parts->count + 1, sizeof(*parts->keys)))
		return false;
	char *copy = key->process ? strdup(key->process) : NULL;
	if (key->process && !copy)
		return false;
	parts->keys[parts->count++] = (struct part_key){copy, key->context, key->of};
	return true;
}

static uint32_t find_key(const struct parts *parts, const struct part_key *key)
{
	uint32_t i = 0;
	while (i < parts->count && !is_same(&parts->keys[i], key))
		i++;
	return i;
}

/* First frames are apart where there is also room for those that come after them. */
static uint32_t add_first(struct parts *parts, struct part_key *key, uint32_t most)
{
	uint32_t number = parts->count;
	if (number + 2 <= PARTS_FIRST(most) && add_key(parts, key)) {
		const struct part_key usual = {key->process, key->context, CLASS_USUAL};
		if (find_key(parts, &usual) == parts->count)
			add_key(parts, &usual);
		return number;
	}
	key->of = CLASS_USUAL;
	return find_key(parts, key);
}

static uint8_t number_of(struct parts *parts, const struct sx_table *table,
			 struct part_labels labels)
{
	const char *process =
	    labels.process == SX_LABEL_ABSENT ? NULL : sx_table_string(table, labels.process);
	struct part_key key = {process, labels.context, labels.of};
	uint32_t most = parts->most ? parts->most : PARTS_MAX;
	uint32_t number = find_key(parts, &key);
	if (number == parts->count && key.of == CLASS_FIRST)
		number = add_first(parts, &key, most);
	if (number < parts->count)
		return (uint8_t)number;
	if (parts->count < most && add_key(parts, &key))
		return (uint8_t)(parts->count - 1);
	parts->shared = true;
	return (uint8_t)(parts->count ? parts->count - 1 : 0);
}

static bool differ(struct part_labels a, struct part_labels b)
{
	return a.process != b.process || a.context != b.context || a.of != b.of;
}

/* The first row behind `first` whose labels are others, or `end`. */
static size_t same_until(const struct parts *parts, const struct sx_table *table, size_t first,
			 size_t end)
{
	struct part_labels labels = labels_of(parts, table, first);
	size_t row = first + 1;
	if (!table->labels[whose(parts)] && (parts->by_name || !table->labels[SX_LABEL_CONTEXT]) &&
	    parts->slices.frames == SX_NONE)
		return end;
	while (row < end && !differ(labels_of(parts, table, row), labels))
		row++;
	return row;
}

void parts_tell(struct parts *parts, const struct sx_table *table, struct parts_rows *rows)
{
	size_t first = rows->first;
	rows->count = rows->count < PARTS_BLOCK ? rows->count : PARTS_BLOCK;
	size_t same = same_until(parts, table, first, first + rows->count) - first;
	struct part_labels labels = labels_of(parts, table, first);
	rows->of[0] = number_of(parts, table, labels);
	rows->one = same == rows->count;
	if (rows->one)
		return;
	memset(rows->of, rows->of[0], same);
	for (size_t i = same; i < rows->count; i++) {
		struct part_labels next = labels_of(parts, table, first + i);
		rows->of[i] =
		    differ(next, labels) ? number_of(parts, table, next) : rows->of[i - 1];
		labels = next;
	}
}

uint32_t parts_find(const struct parts *parts, const struct parts *other, uint32_t number)
{
	const struct part_key *key = number < other->count ? &other->keys[number] : NULL;
	for (uint32_t i = 0; key && i < parts->count; i++)
		if (is_same(&parts->keys[i], key))
			return i;
	return PARTS_MAX;
}

uint32_t parts_sibling(const struct parts *parts, uint32_t number, unsigned at)
{
	static const enum slices_class others[][2] = {
	    [CLASS_USUAL] = {CLASS_FIRST, CLASS_SLICE},
	    [CLASS_FIRST] = {CLASS_USUAL, CLASS_SLICE},
	    [CLASS_SLICE] = {CLASS_USUAL, CLASS_FIRST},
	};
	if (number >= parts->count)
		return PARTS_MAX;
	struct part_key key = parts->keys[number];
	key.of = others[key.of][at];
	for (uint32_t i = 0; i < parts->count; i++)
		if (is_same(&parts->keys[i], &key))
			return i;
	return PARTS_MAX;
}

bool parts_are_slices(const struct parts *parts, uint32_t number)
{
	return number < parts->count ? parts->keys[number].of == CLASS_SLICE : parts->slices.all;
}

void parts_finish(struct parts *parts)
{
	for (uint32_t i = 0; i < parts->count; i++)
		free((void *)parts->keys[i].process);
	free(parts->keys);
	*parts =
	    (struct parts){.slices = parts->slices, .by_name = parts->by_name, .most = parts->most};
}
