/*
 * Rows as sextant export, eval and decode write them as JSON (a document of tables) and NDJSON (an
 * object a row): they become the table that CSV of the same rows is, which own_csv.c then reads.
 * JSON says the unit of each column, NDJSON has base units.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/catalog.h>

#include "base/number.h"
#include "base/strings.h"
#include "catalog/column.h"
#include "catalog/units.h"
#include "import/read/json.h"

struct own_json_value {
	struct import_cell key, cell; /* key: of NDJSON */
	bool text;
};

struct own_json_mark {
	uint64_t first, last; /* rows */
	struct import_cell quality;
};

/* Rows of one device. */
struct own_json_table {
	uint64_t device;
	bool simulated;
	struct import_cell catalog; /* empty: it is not told */
	struct strings names;	    /* of columns and constants, each once */
	struct import_cell *units;  /* by name; empty: none is told */
	uint32_t *positions;	    /* JSON: names, in the order of a row's values */
	uint32_t *columns;	    /* of the table that is made, by name */
	size_t unit_cap, position_cap, position_count;
	struct own_json_value *constants; /* the same in each row */
	size_t constant_cap, constant_count;
	struct own_json_mark *marks;
	size_t mark_cap, mark_count, rows;
};

struct own_json {
	struct import_job *job;
	struct own_json_table tables[IMPORT_DEVICES_MAX];
	size_t table_count, at; /* tables, and the one that is walked over */
	size_t seen;		/* devices of the document so far */
	bool lines, failed, by_device, many;
	bool filling; /* the second walk, over rows */
	struct units units;
	struct strings columns;	       /* header of the table that is made */
	struct own_json_value *values; /* of the row at hand */
	size_t value_cap, value_count;
	struct import_cell *row; /* its cells, by column */
	bool *texts;
	struct own_json_mark mark;
	char *out;
	size_t size, cap;
};

/* What stands beside values: names that no unit belongs behind. */
static const char *const own_json_plain[] = {"begin_ns", "end_ns",  "device",  "simulated",
					     "quality",	 "frame",   "context", "instance",
					     "group",	 "process", "reason"};
#define PLAIN (sizeof(own_json_plain) / sizeof(own_json_plain[0]))

static bool own_json_is_plain(const char *name)
{
	for (size_t i = 0; i < PLAIN; i++)
		if (strcmp(name, own_json_plain[i]) == 0)
			return true;
	return false;
}

/* What the first object of a text shows. */
struct own_json_look {
	size_t objects, numbers, own;
	bool nested, foreign;
};

static void own_json_see_first(void *user, enum read_json_event event,
			       const struct read_json_place *place, struct import_cell value)
{
	struct own_json_look *look = user;
	double number;
	look->nested |= place->depth > 1 || event == READ_JSON_LAST ||
			(event == READ_JSON_BEGIN && place->depth);
	look->objects += event == READ_JSON_END && !place->depth;
	if (look->objects || place->depth != 1)
		return;
	struct import_cell key = place->keys[0];
	look->numbers += event == READ_JSON_BARE && import_number(value, &number);
	look->own += import_is(key, "begin_ns") || import_is(key, "end_ns");
	look->foreign |= import_is(key, "schema") || import_is(key, "event") ||
			 import_is(key, "counter-value") || import_is(key, "metric-value");
}

static bool own_json_has(const struct import_head *head, const char *word)
{
	return memmem(head->text, head->size, word, strlen(word));
}

static bool own_json_recognise(const struct import_head *head)
{
	size_t at = 0, line;
	while (at < head->size && memchr(" \t\r\n", head->text[at], 4))
		at++;
	if (at == head->size || head->text[at] != '{')
		return false;
	if (own_json_has(head, "\"sextant.export/1\"") ||
	    own_json_has(head, "\"sextant.eval/1\"") || own_json_has(head, "\"sextant.decode/1\""))
		return true;
	const char *end = memchr(head->text + at, '\n', head->size - at);
	struct own_json_look look = {0};
	read_json_walk(head->text + at, end ? (size_t)(end - head->text) - at : head->size - at,
		       own_json_see_first, &look, &line);
	return look.objects && !look.nested && !look.foreign && (look.numbers || look.own);
}

static struct own_json_table *own_json_add_table(struct own_json *r, uint64_t device)
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
static struct own_json_table *own_json_of_device(struct own_json *r, uint64_t device)
{
	for (size_t i = 0; i < r->table_count; i++)
		if (r->tables[i].device == device)
			return &r->tables[i];
	return own_json_add_table(r, device);
}

static uint32_t own_json_name(struct own_json *r, struct own_json_table *t, struct import_cell key)
{
	char *plain = import_text(r->job, key.text, key.size);
	bool added;
	uint32_t at = plain ? strings_intern(&t->names, plain, read_json_plain(key, plain), &added)
			    : UINT32_MAX;
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

static void own_json_put(struct own_json *r, const char *text, size_t size)
{
	if (!mem_grow(&r->out, &r->cap, r->size + size + 1, 1)) {
		r->failed = true;
		return;
	}
	memcpy(r->out + r->size, text, size);
	r->size += size;
}

/* A cell in quotes, on one line. */
static void own_json_put_text(struct own_json *r, struct import_cell text)
{
	own_json_put(r, "\"", 1);
	for (size_t i = 0; i < text.size; i++) {
		char c = text.text[i] == '\n' || text.text[i] == '\r' ? ' ' : text.text[i];
		own_json_put(r, c == '"' ? "\"\"" : &c, c == '"' ? 2 : 1);
	}
	own_json_put(r, "\"", 1);
}

static void own_json_put_string(struct own_json *r, struct import_cell value)
{
	char *plain = malloc(value.size + 1);
	if (plain)
		own_json_put_text(r, (struct import_cell){plain, read_json_plain(value, plain)});
	r->failed |= !plain;
	free(plain);
}

static void own_json_set(struct own_json *r, const struct own_json_table *t, uint32_t name,
			 const struct own_json_value *value)
{
	if (name < t->names.count) {
		r->row[t->columns[name]] = value->cell;
		r->texts[t->columns[name]] = value->text;
	}
}

static void own_json_set_plain(struct own_json *r, const char *name, struct import_cell cell)
{
	uint32_t at = strings_find(&r->columns, name, strlen(name));
	if (at == UINT32_MAX)
		return;
	r->row[at] = cell;
	r->texts[at] = false;
}

/* What the table says of the row, rather than the row itself. */
static void own_json_set_heads(struct own_json *r, const struct own_json_table *t, char number[32])
{
	bool model = t->simulated;
	if (!r->lines) {
		own_json_set_plain(r, "device",
				   (struct import_cell){number, number_put_u64(number, t->device)});
		own_json_set_plain(r, "simulated",
				   (struct import_cell){model ? "true" : "false", model ? 4u : 5u});
	}
	for (size_t i = 0; i < t->mark_count; i++)
		if (t->rows >= t->marks[i].first && t->rows <= t->marks[i].last)
			own_json_set_plain(r, "quality", t->marks[i].quality);
	for (size_t i = 0; i < t->constant_count; i++) {
		const struct own_json_value *c = &t->constants[i];
		own_json_set(r, t, strings_find(&t->names, c->key.text, c->key.size), c);
	}
}

static void own_json_write_row(struct own_json *r, struct own_json_table *t)
{
	char number[32];
	memset(r->row, 0, ((size_t)r->columns.count + 1) * sizeof(*r->row));
	own_json_set_heads(r, t, number);
	for (size_t i = 0; i < r->value_count; i++) {
		uint32_t name = UINT32_MAX;
		if (r->lines)
			name = own_json_name(r, t, r->values[i].key);
		else if (i < t->position_count)
			name = t->positions[i];
		if (name != UINT32_MAX && !import_is(r->values[i].cell, "null"))
			own_json_set(r, t, name, &r->values[i]);
	}
	t->rows++;
	for (uint32_t i = 0; i < r->columns.count; i++) {
		if (i)
			own_json_put(r, ",", 1);
		if (r->row[i].text && r->texts[i])
			own_json_put_string(r, r->row[i]);
		else if (r->row[i].text)
			own_json_put(r, r->row[i].text, r->row[i].size);
	}
	own_json_put(r, "\n", 1);
}

/* An object of NDJSON has ended. */
static void own_json_end_line(struct own_json *r)
{
	uint64_t device = 0;
	for (size_t i = 0; i < r->value_count; i++)
		if (import_is(r->values[i].key, "device") &&
		    number_u64(r->values[i].cell.text, r->values[i].cell.size, &device))
			r->by_device = true;
	struct own_json_table *t = own_json_of_device(r, device);
	if (t && r->filling)
		own_json_write_row(r, t);
	for (size_t i = 0; t && !r->filling && i < r->value_count; i++)
		own_json_name(r, t, r->values[i].key);
	r->value_count = 0;
}

static void own_json_see_line(void *user, enum read_json_event event,
			      const struct read_json_place *place, struct import_cell value)
{
	struct own_json *r = user;
	if ((event == READ_JSON_BARE || event == READ_JSON_TEXT) && place->depth == 1)
		own_json_add_value(r, place->keys[0], value, event == READ_JSON_TEXT);
	else if (event == READ_JSON_END && !place->depth)
		own_json_end_line(r);
}

/* A value and where it stands below its table; whether it is a text. */
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
	else if (depth == 1 && import_is(keys[0], "simulated"))
		t->simulated = import_is(value, "true");
	else if (depth == 1 && import_is(keys[0], "device") && !text)
		r->by_device |= number_u64(value.text, value.size, &t->device);
	else if (depth == 1 && import_is(keys[0], "metrics") && text) {
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

/* Units stand in the order of columns; ranges of rows with what is to be said of them. */
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
static void own_json_see(void *user, enum read_json_event event,
			 const struct read_json_place *place, struct import_cell value)
{
	struct own_json *r = user;
	const struct import_cell *keys;
	size_t depth;
	if (event == READ_JSON_BEGIN && place->depth == 1 && import_is(place->keys[0], "devices")) {
		if (!r->filling)
			own_json_add_table(r, r->table_count);
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
	} else if (event == READ_JSON_END && import_is(keys[0], "quality") && !r->filling) {
		own_json_end_mark(r, t);
	} else if (event == READ_JSON_LAST) {
		if (rows && r->filling && r->value_count)
			own_json_write_row(r, t);
		r->value_count = 0;
	}
}

/* The catalog whose units NDJSON is in the base of; of JSON the one that it names. */
static struct sx_catalog *own_json_catalog(struct own_json *r, const struct own_json_table *t)
{
	const struct import_request *request = r->job->request;
	const char *name = request->catalog;
	struct sx_catalog *catalog = NULL;
	if (!name && t->catalog.size)
		name = import_text(r->job, t->catalog.text, t->catalog.size);
	if (!name)
		name = import_find_catalog(r->job, t->names.texts, t->names.count);
	if (!name || sx_catalog_open(request->context, name, &catalog, NULL))
		return NULL;
	return catalog;
}

/* The unit that a catalog has a name in, or NULL. */
static const char *own_json_known_unit(const struct sx_catalog *catalog, const char *name)
{
	uint32_t count;
	if (!catalog)
		return NULL;
	struct column_meaning meaning = column_meaning(catalog, name, SX_NONE);
	if (meaning.counter.counter != SX_NONE)
		return sx_catalog_counters(catalog, &count)[meaning.counter.counter].unit;
	return meaning.metric != SX_NONE ? sx_catalog_metrics(catalog, &count)[meaning.metric].unit
					 : NULL;
}

/* The unit to stand behind a name, because the numbers are not in the catalog's; or NULL. */
static const char *own_json_unit(struct own_json *r, const struct own_json_table *t,
				 const struct sx_catalog *catalog, uint32_t name,
				 char buf[2 * UNITS_TEXT_MAX])
{
	double factor = 1;
	const char *known = own_json_known_unit(catalog, t->names.texts[name]), *unit = NULL;
	if (t->units[name].size)
		unit = import_text(r->job, t->units[name].text, t->units[name].size);
	else if (r->lines && known)
		unit = units_base(&r->units, known, buf, &factor);
	if (!unit || strcmp(unit, "count") == 0 || own_json_is_plain(t->names.texts[name]))
		return NULL;
	factor = known ? units_factor(&r->units, unit, known) : 0;
	return factor == 1 || (known && factor == 0) ? NULL : unit;
}

static void own_json_add_column(struct own_json *r, struct own_json_table *t,
				const struct sx_catalog *catalog, uint32_t name)
{
	char buf[2 * UNITS_TEXT_MAX];
	const char *text = t->names.texts[name], *unit = own_json_unit(r, t, catalog, name, buf);
	size_t size = strlen(text), more = unit ? strlen(unit) + 3 : 0;
	char *head = malloc(size + more + 1);
	if (!head) {
		r->failed = true;
		return;
	}
	memcpy(head, text, size + 1);
	if (unit)
		snprintf(head + size, more + 1, " (%s)", unit);
	t->columns[name] = strings_intern(&r->columns, head, size + more, NULL);
	r->failed |= t->columns[name] == UINT32_MAX;
	free(head);
}

static bool own_json_is_constant(const struct sx_catalog *catalog, const char *name)
{
	return catalog && column_meaning(catalog, name, SX_NONE).constant != SX_NONE;
}

/* Of constants or of all else: they stand behind all others, wherever an object has them. */
static void own_json_add_columns(struct own_json *r, struct own_json_table *t, bool constants)
{
	struct sx_catalog *catalog = own_json_catalog(r, t);
	if (!t->columns)
		t->columns = calloc((size_t)t->names.count + 1, sizeof(*t->columns));
	r->failed |= !t->columns;
	for (uint32_t i = 0; !r->failed && i < t->names.count; i++)
		if (own_json_is_constant(catalog, t->names.texts[i]) == constants)
			own_json_add_column(r, t, catalog, i);
	sx_catalog_unref(catalog);
}

/* The header line of the table. */
static void own_json_begin(struct own_json *r)
{
	bool marks = false, several = r->by_device;
	for (size_t i = 0; i < r->table_count; i++)
		marks |= r->tables[i].mark_count > 0;
	for (size_t i = 0; i < PLAIN; i++) /* times first; of the others those that there are */
		if (i < 2 || (i == 2 && several) || (i == 3 && !r->lines) || (i == 4 && marks))
			strings_intern(&r->columns, own_json_plain[i], strlen(own_json_plain[i]),
				       NULL);
	for (size_t i = 0; i < r->table_count; i++)
		own_json_add_columns(r, &r->tables[i], false);
	for (size_t i = 0; i < r->table_count; i++)
		own_json_add_columns(r, &r->tables[i], true);
	r->row = calloc((size_t)r->columns.count + 1, sizeof(*r->row));
	r->texts = calloc((size_t)r->columns.count + 1, sizeof(*r->texts));
	r->failed |= !r->row || !r->texts;
	for (uint32_t i = 0; !r->failed && i < r->columns.count; i++) {
		if (i)
			own_json_put(r, ",", 1);
		const char *name = strings_get(&r->columns, i);
		own_json_put_text(r, (struct import_cell){name, strlen(name)});
	}
	own_json_put(r, "\n", 1);
}

static enum sx_status own_json_walk(struct own_json *r, struct sx_error *err)
{
	size_t line = 0;
	r->at = r->seen = 0;
	r->value_count = 0;
	r->mark = (struct own_json_mark){.first = UINT64_MAX};
	enum read_json_result result = read_json_walk(
	    r->job->text, r->job->size, r->lines ? own_json_see_line : own_json_see, r, &line);
	if (r->failed)
		return error_nomem(err, "importing");
	if (result == READ_JSON_BAD)
		return import_bad(r->job, line, err, "what stands there is no JSON",
				  "it cannot be read on");
	return result == READ_JSON_CUT ? import_cut(r->job, line, err) : SX_OK;
}

static void own_json_finish(struct own_json *r)
{
	for (size_t i = 0; i < r->table_count; i++) {
		struct own_json_table *t = &r->tables[i];
		strings_finish(&t->names);
		free(t->units);
		free(t->positions);
		free(t->columns);
		free(t->constants);
		free(t->marks);
	}
	strings_finish(&r->columns);
	free(r->values);
	free(r->row);
	free(r->texts);
	free(r->out);
	free(r);
}

/* The table as CSV is read. */
static enum sx_status own_json_read_table(struct own_json *r, struct sx_error *err)
{
	struct import_job *job = r->job;
	const struct own_json_table *only = &r->tables[r->table_count > 1 ? 1 : 0];
	struct import_request request = *job->request;
	struct import_job made = *job;
	if (!request.catalog && r->table_count <= 2 && only->catalog.size)
		request.catalog = import_text(job, only->catalog.text, only->catalog.size);
	r->out[r->size] = '\0';
	made.request = &request;
	made.text = r->out;
	made.size = r->size;
	return import_own_csv.read(&made, err);
}

static enum sx_status own_json_read(struct import_job *job, struct sx_error *err)
{
	struct own_json *r = calloc(1, sizeof(*r));
	struct import_head head = {.text = job->text,
				   .size = job->size < IMPORT_HEAD_BYTES ? job->size
									 : IMPORT_HEAD_BYTES};
	if (!r)
		return error_nomem(err, "importing");
	r->job = job;
	units_init(&r->units);
	r->lines = !own_json_has(&head, "\"metrics\"") || !own_json_has(&head, "\"rows\"");
	if (!r->lines)
		own_json_add_table(r, 0);
	struct sx_error cut = {0};
	enum sx_status walked = own_json_walk(r, &cut);
	if (!sx_failed(walked)) {
		own_json_begin(r);
		r->filling = true;
		walked = own_json_walk(r, &cut);
	}
	if (r->many)
		import_tell(job, "rows of devices beyond the first %d were left out",
			    IMPORT_DEVICES_MAX);
	enum sx_status status = walked;
	if (sx_failed(walked))
		*err = cut;
	else
		status = own_json_read_table(r, err);
	if (!status && walked) {
		*err = cut;
		status = walked;
	}
	own_json_finish(r);
	return status;
}

const struct import_format import_own_json = {
    .kind = "sextant-json",
    .about = "rows that sextant wrote as JSON",
    .any_order = true,
    .recognise = own_json_recognise,
    .read = own_json_read,
};
