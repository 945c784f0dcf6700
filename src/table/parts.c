/*
 * Finds the strata of rows. Rows of a program mostly follow each other, so names are compared only
 * where labels change.
 */
#include "table/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text_buf.h"
#include "table/table.h"

/* Labels of a row. A program is compared by its name, since each table interns texts for itself. */
struct part_labels {
	uint64_t process, context;
	enum slices_class of;
};

void parts_begin(struct parts *parts, const struct sx_table *like)
{
	parts->slices = slices_of(like);
	parts->by_name = sx_table_kind(like) == SX_SAMPLE_KERNEL;
}

/* The label that names the program of a row, or the command. */
static unsigned program_label(const struct parts *parts)
{
	return parts->by_name ? SX_LABEL_GROUP : SX_LABEL_PROCESS;
}

/* Labels of the i-th of these rows; their classes are known. */
static struct part_labels labels_of(const struct parts *parts, const struct sx_table *table,
				    const struct parts_rows *rows, size_t i)
{
	const uint64_t *process = table->labels[program_label(parts)];
	const uint64_t *context = parts->by_name ? NULL : table->labels[SX_LABEL_CONTEXT];
	return (struct part_labels){process ? process[rows->first + i] : SX_LABEL_ABSENT,
				    context ? context[rows->first + i] : SX_LABEL_ABSENT,
				    (enum slices_class)rows->classes[i]};
}

static bool is_same(const struct part_key *key, const struct part_key *other)
{
	return key->context == other->context && key->of == other->of &&
	       text_same(key->process, other->process);
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

/* How many of these labels from the first on are alike, at most `count`; all where there are none.
 */
static size_t alike(const uint64_t *labels, size_t first, size_t count)
{
	size_t i = 1;
	while (labels && i < count && labels[first + i] == labels[first])
		i++;
	return labels ? i : count;
}

/* How many rows from the first on have the same labels. */
static size_t count_same(const struct parts *parts, const struct sx_table *table,
			 const struct parts_rows *rows)
{
	size_t same = alike(table->labels[program_label(parts)], rows->first, rows->count), i = 1;
	if (!parts->by_name)
		same = alike(table->labels[SX_LABEL_CONTEXT], rows->first, same);
	while (i < same && rows->classes[i] == rows->classes[0])
		i++;
	return i < same ? i : same;
}

void parts_measure(const struct parts *parts, struct parts_rows *rows)
{
	if (!rows->measured)
		slices_extents(&parts->slices, rows->table,
			       (struct row_span){rows->first, rows->count}, rows->each);
	rows->measured = true;
}

/* Where there are no calls, rows together are measured quicker than each. */
static void measure_all(const struct parts *parts, struct parts_rows *rows)
{
	rows->measured = false;
	if (!slices_know_calls(&parts->slices)) {
		rows->all = slices_extent_of_rows(&parts->slices, rows->table,
						  (struct row_span){rows->first, rows->count});
		return;
	}
	parts_measure(parts, rows);
	rows->all = (struct extent){.rows = 0};
	for (size_t i = 0; i < rows->count; i++)
		extent_add(&rows->all, &rows->each[i]);
}

static void find_strata(struct parts *parts, const struct sx_table *table, struct parts_rows *rows)
{
	slices_note_classes(&parts->slices, table, (struct row_span){rows->first, rows->count},
			    rows->classes);
	size_t same = count_same(parts, table, rows);
	struct part_labels labels = labels_of(parts, table, rows, 0);
	rows->of[0] = number_of(parts, table, labels);
	rows->one = same == rows->count;
	if (rows->one)
		return;
	memset(rows->of, rows->of[0], same);
	for (size_t i = same; i < rows->count; i++) {
		struct part_labels next = labels_of(parts, table, rows, i);
		rows->of[i] =
		    differ(next, labels) ? number_of(parts, table, next) : rows->of[i - 1];
		labels = next;
	}
}

void parts_note(struct parts *parts, const struct sx_table *table, struct row_span span,
		struct parts_rows *rows)
{
	rows->table = table;
	rows->first = span.first;
	rows->count = span.count < PARTS_BLOCK ? span.count : PARTS_BLOCK;
	find_strata(parts, table, rows);
	measure_all(parts, rows);
}

uint32_t parts_find(const struct parts *parts, const struct parts *other, uint32_t number)
{
	uint32_t at = number < other->count ? find_key(parts, &other->keys[number]) : parts->count;
	return at < parts->count ? at : PARTS_MAX;
}

uint32_t parts_proxy(const struct parts *parts, uint32_t number, uint64_t measured, bool *slices)
{
	static const enum slices_class others[][2] = {
	    [CLASS_USUAL] = {CLASS_FIRST, CLASS_SLICE},
	    [CLASS_FIRST] = {CLASS_USUAL, CLASS_SLICE},
	    [CLASS_SLICE] = {CLASS_USUAL, CLASS_FIRST},
	};
	*slices = parts_are_slices(parts, number);
	for (unsigned i = 0; number < parts->count && i < 2; i++) {
		struct part_key key = parts->keys[number];
		key.of = others[key.of][i];
		uint32_t at = find_key(parts, &key);
		if (at == parts->count || !(measured >> at & 1))
			continue;
		*slices |= key.of == CLASS_SLICE;
		return at;
	}
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
