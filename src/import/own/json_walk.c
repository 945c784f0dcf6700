/* Parses a document of rows, or a line of NDJSON: see json.h. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "import/own/json.h"
#include "table/label.h"

struct own_json_table *own_json_add_table(struct own_json *r, struct import_cell device)
{
	if (r->table_count == IMPORT_DEVICES_MAX) {
		r->many = true;
		return NULL;
	}
	struct own_json_table *table = &r->tables[r->table_count++];
	table->device = device;
	return table;
}

/* The table of a device, which is new at its first row. */
static struct own_json_table *own_json_of_device(struct own_json *r, struct import_cell device)
{
	for (size_t i = 0; i < r->table_count; i++)
		if (r->tables[i].device.size == device.size &&
		    memcmp(r->tables[i].device.text, device.text, device.size) == 0)
			return &r->tables[i];
	return own_json_add_table(r, device);
}

uint32_t own_json_name(struct own_json *r, struct own_json_table *t, struct import_cell key)
{
	bool added, escapes = memchr(key.text, '\\', key.size);
	char *plain = escapes ? malloc(key.size) : NULL; /* each row has all keys: none is kept */
	uint32_t at = UINT32_MAX;
	if (plain)
		at = strings_intern(&t->names, plain, read_json_plain(key, plain), &added);
	else if (!escapes)
		at = strings_intern(&t->names, key.text, key.size, &added);
	free(plain);
	if (at == UINT32_MAX ||
	    !mem_grow(&t->units, &t->unit_cap, (size_t)at + 1, sizeof(*t->units))) {
		r->failed = true;
		return UINT32_MAX;
	}
	if (added)
		t->units[at] = (struct import_cell){"", 0};
	return at;
}

static void own_json_add_value(struct own_json *r, struct import_cell key, struct import_cell cell,
			       bool text)
{
	if (!mem_grow(&r->values, &r->value_cap, r->value_count + 1, sizeof(*r->values)))
		r->failed = true;
	else
		r->values[r->value_count++] = (struct own_json_value){key, cell, text};
}

/* An object of NDJSON has ended. */
static void own_json_end_line(struct own_json *r)
{
	struct import_cell device = {"", 0};
	for (size_t i = 0; i < r->value_count; i++)
		if (import_is(r->values[i].key, "device") && !import_is(r->values[i].cell, "null"))
			device = r->values[i].cell;
	r->by_device |= device.size > 0;
	struct own_json_table *t = own_json_of_device(r, device);
	if (t && r->filling)
		own_json_write_row(r, t);
	for (size_t i = 0; t && !r->filling && i < r->value_count; i++)
		own_json_name(r, t, r->values[i].key);
	for (size_t i = 0; t && !r->filling && i < r->given_count; i++) {
		uint32_t name = own_json_name(r, t, r->given[i].key);
		if (name != UINT32_MAX)
			t->units[name] = r->given[i].cell;
	}
	if (t && r->line.catalog.size)
		t->catalog = r->line.catalog;
	if (t && r->line.name.size)
		t->name = r->line.name;
	if (t && r->line.id.size)
		t->id = r->line.id;
	r->line = (struct own_json_line){{"", 0}, {"", 0}, {"", 0}};
	r->value_count = r->given_count = 0;
}

/* What the first row of a device says of all: no values. */
static bool own_json_line_head(struct own_json *r, const struct read_json_place *place,
			       struct import_cell value)
{
	if (place->depth == 1 && import_is(place->keys[0], "for"))
		r->line.catalog = value;
	else if (place->depth == 2 && import_is(place->keys[0], "of"))
		r->line.name = import_is(place->keys[1], "name") ? value : r->line.name;
	else if (place->depth == 2 && import_is(place->keys[0], "units") &&
		 mem_grow(&r->given, &r->given_cap, r->given_count + 1, sizeof(*r->given)))
		r->given[r->given_count++] = (struct own_json_value){place->keys[1], value, true};
	else if (place->depth == 2 && import_is(place->keys[0], "units"))
		r->failed = true;
	else
		return place->depth == 1 && import_is(place->keys[0], "schema");
	return true;
}

/* A list in place of a value is no number: none within it is the value. */
static void own_json_end_list(struct own_json *r, struct import_cell key)
{
	while (r->value_count && r->values[r->value_count - 1].key.text == key.text)
		r->value_count--;
	own_json_add_value(r, key, (struct import_cell){"[...]", 5}, true);
}

void own_json_see_line(void *user, enum read_json_event event, const struct read_json_place *place,
		       struct import_cell value)
{
	struct own_json *r = user;
	if (event == READ_JSON_TEXT && own_json_line_head(r, place, value))
		return;
	if (event == READ_JSON_BARE && place->depth == 2 && import_is(place->keys[0], "of") &&
	    import_is(place->keys[1], "id"))
		r->line.id = value;
	else if ((event == READ_JSON_BARE || event == READ_JSON_TEXT) && place->depth == 1)
		own_json_add_value(r, place->keys[0], value, event == READ_JSON_TEXT);
	else if (event == READ_JSON_LAST && place->depth == 1)
		own_json_end_list(r, place->keys[0]);
	else if (event == READ_JSON_END && !place->depth)
		own_json_end_line(r);
}

/* A value and its keys below its table; whether it is a text. */
struct own_json_member {
	const struct import_cell *keys;
	size_t depth;
	struct import_cell value;
	bool text;
};

/* A member of a table, apart from its rows. */
static void own_json_learn(struct own_json *r, struct own_json_table *t,
			   const struct own_json_member *m)
{
	const struct import_cell *keys = m->keys, value = m->value;
	size_t depth = m->depth;
	bool text = m->text;
	if (depth == 1 && import_is(keys[0], "for") && text)
		t->catalog = value;
	else if (depth == 1 && import_is(keys[0], "name") && text)
		t->name = value;
	else if (depth == 1 && import_is(keys[0], "simulated"))
		t->simulated = import_is(value, "true");
	else if (depth == 1 && import_is(keys[0], KIND_WORD) && text)
		t->kind = value;
	else if (depth == 1 && (import_is(keys[0], "device") || import_is(keys[0], "id")) &&
		 !import_is(value, "null")) {
		t->device = value;
		t->device_text = text;
		r->by_device = true;
	} else if (depth == 1 && import_is(keys[0], "metrics") && text) {
		uint32_t name = own_json_name(r, t, value);
		r->failed |= !mem_grow(&t->positions, &t->position_cap, t->position_count + 1,
				       sizeof(*t->positions));
		if (!r->failed)
			t->positions[t->position_count++] = name;
	} else if (depth == 2 && import_is(keys[0], "constants") && !text) {
		own_json_name(r, t, keys[1]);
		if (!mem_grow(&t->constants, &t->constant_cap, t->constant_count + 1,
			      sizeof(*t->constants)))
			r->failed = true;
		else
			t->constants[t->constant_count++] =
			    (struct own_json_value){keys[1], value, false};
	}
}

/* What was lost, and why columns have no value. */
static void own_json_learn_losses(struct own_json *r, struct own_json_table *t,
				  const struct own_json_member *m)
{
	uint64_t count;
	bool lost = m->depth && import_is(m->keys[0], "lost");
	bool more = m->depth && import_is(m->keys[0], "lost_more");
	bool plain = m->depth == 1 && !m->text;
	if (lost && plain && number_u64(m->value.text, m->value.size, &count))
		t->lost = m->value;
	else if (more && plain && (import_is(m->value, "true") || import_is(m->value, "false")))
		t->lost_more = m->value;
	else if ((lost || more) && !t->not_lost.size)
		t->not_lost = m->value;
	if (m->depth != 2 || !m->text || !import_is(m->keys[0], "why"))
		return;
	if (mem_grow(&t->whys, &t->why_cap, t->why_count + 1, sizeof(*t->whys)))
		t->whys[t->why_count++] = (struct own_json_value){m->keys[1], m->value, true};
	else
		r->failed = true;
}

/* Units are in the order of columns; ranges of rows with what is to be said of them. */
static void own_json_learn_more(struct own_json *r, struct own_json_table *t,
				const struct own_json_member *m)
{
	const struct import_cell *keys = m->keys, value = m->value;
	size_t depth = m->depth;
	bool text = m->text;
	uint64_t row;
	if (depth == 1 && import_is(keys[0], "units")) {
		if (text && r->value_count < t->position_count &&
		    t->positions[r->value_count] < t->names.count)
			t->units[t->positions[r->value_count]] = value;
		r->value_count++;
	} else if (depth == 2 && import_is(keys[0], "quality") && text &&
		   import_is(keys[1], "quality")) {
		r->mark.quality = value;
	} else if (depth == 2 && import_is(keys[0], "quality") && import_is(keys[1], "rows") &&
		   number_u64(value.text, value.size, &row)) {
		r->mark.first = r->mark.first == UINT64_MAX ? row : r->mark.first;
		r->mark.last = row;
	}
}

static void own_json_end_mark(struct own_json *r, struct own_json_table *t)
{
	if (r->mark.first == UINT64_MAX)
		return;
	if (!mem_grow(&t->marks, &t->mark_cap, t->mark_count + 1, sizeof(*t->marks)))
		r->failed = true;
	else
		t->marks[t->mark_count++] = r->mark;
	r->mark = (struct own_json_mark){.first = UINT64_MAX};
}

/* The table that a place is of, with the keys below it; NULL: of none. */
static struct own_json_table *own_json_table_at(struct own_json *r,
						const struct read_json_place *place,
						const struct import_cell **keys, size_t *depth)
{
	size_t base = place->depth && import_is(place->keys[0], "devices");
	*keys = place->keys + base;
	*depth = place->depth - base;
	if (base && !r->at)
		return NULL;
	return &r->tables[base ? r->at : 0];
}

/* The document itself is the first table; each of its devices is one more. */
void own_json_see(void *user, enum read_json_event event, const struct read_json_place *place,
		  struct import_cell value)
{
	struct own_json *r = user;
	const struct import_cell *keys;
	size_t depth;
	if (event == READ_JSON_BEGIN && place->depth == 1 && import_is(place->keys[0], "devices")) {
		if (!r->filling)
			own_json_add_table(r, (struct import_cell){"", 0});
		r->seen++;
		r->at = r->seen < r->table_count ? r->seen : 0;
		return;
	}
	struct own_json_table *t = own_json_table_at(r, place, &keys, &depth);
	bool value_event = event == READ_JSON_TEXT || event == READ_JSON_BARE;
	if (!t || !depth)
		return;
	struct own_json_member member = {keys, depth, value, event == READ_JSON_TEXT};
	bool rows = import_is(keys[0], "rows") && depth == 1;
	if (value_event && rows && r->filling) {
		own_json_add_value(r, keys[0], value, event == READ_JSON_TEXT);
	} else if (value_event && !rows && !r->filling) {
		own_json_learn(r, t, &member);
		own_json_learn_more(r, t, &member);
		own_json_learn_losses(r, t, &member);
	} else if (event == READ_JSON_END && import_is(keys[0], "quality") && !r->filling) {
		own_json_end_mark(r, t);
	} else if (event == READ_JSON_LAST) {
		if (rows && r->filling && r->value_count)
			own_json_write_row(r, t);
		r->value_count = 0;
	}
}
