/* Writes rows of JSON as CSV: see json.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/catalog.h>

#include "catalog/column.h"
#include "import/own/json.h"
#include "table/label.h"

/* Names of labels and the like, which have no unit. */
static bool own_json_is_plain(const char *name)
{
	return import_role((struct import_cell){name, strlen(name)}, true, NULL) !=
	       IMPORT_ROLE_VALUE;
}

/* A cell in quotes. */
static void own_json_put_text(struct own_json *r, struct import_cell text)
{
	import_append(&r->made, "\"", 1);
	for (size_t i = 0; i < text.size; i++) {
		char c = text.text[i];
		import_append(&r->made, c == '"' ? "\"\"" : &c, c == '"' ? 2 : 1);
	}
	import_append(&r->made, "\"", 1);
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

static void own_json_set_plain(struct own_json *r, const char *name, struct import_cell cell,
			       bool text)
{
	uint32_t at = strings_find(&r->columns, name, strlen(name));
	if (at == UINT32_MAX)
		return;
	r->row[at] = cell;
	r->texts[at] = text;
}

/* What the table says of the row, rather than the row itself. */
static void own_json_set_heads(struct own_json *r, const struct own_json_table *t)
{
	bool model = t->simulated;
	if (!r->lines) {
		own_json_set_plain(r, "device", t->device, t->device_text);
		own_json_set_plain(r, "simulated",
				   (struct import_cell){model ? "true" : "false", model ? 4u : 5u},
				   false);
		own_json_set_plain(r, KIND_WORD, t->kind, true);
	}
	for (size_t i = 0; i < t->mark_count; i++)
		if (t->rows >= t->marks[i].first && t->rows <= t->marks[i].last)
			own_json_set_plain(r, "quality", t->marks[i].quality, false);
	for (size_t i = 0; i < t->constant_count; i++) {
		const struct own_json_value *c = &t->constants[i];
		own_json_set(r, t, strings_find(&t->names, c->key.text, c->key.size), c);
	}
}

void own_json_write_row(struct own_json *r, struct own_json_table *t)
{
	if (!r->row || !r->texts) /* memory was out for them */
		return;
	memset(r->row, 0, ((size_t)r->columns.count + 1) * sizeof(*r->row));
	own_json_set_heads(r, t);
	bool beyond = false;
	for (size_t i = 0; i < r->value_count; i++) {
		bool null = !r->values[i].text && import_is(r->values[i].cell, "null");
		uint32_t name = UINT32_MAX;
		if (r->lines)
			name = own_json_name(r, t, r->values[i].key);
		else if (i < t->position_count)
			name = t->positions[i];
		else
			beyond |= !null;
		if (name != UINT32_MAX && !null)
			own_json_set(r, t, name, &r->values[i]);
	}
	t->rows++;
	for (uint32_t i = 0; i < r->columns.count; i++) {
		if (i)
			import_append(&r->made, ",", 1);
		if (r->row[i].text && r->texts[i])
			own_json_put_string(r, r->row[i]);
		else if (r->row[i].text)
			import_append(&r->made, r->row[i].text, r->row[i].size);
	}
	/* More values than names are a line with more cells than the header. */
	import_append(&r->made, beyond ? ",1\n" : "\n", beyond ? 3 : 1);
}

/* The catalog with the units that our NDJSON is in the base of; of JSON the one that it names. */
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
	uint32_t metric = meaning.metric;
	/* By letter, one that several sets have goes before a counter that is only like it. */
	if (metric == SX_NONE && column_identify(catalog, name).counter == SX_NONE)
		metric = sx_catalog_find_metric(catalog, name, SX_NONE, NULL);
	if (metric == SX_NONE && meaning.counter.counter != SX_NONE)
		return sx_catalog_counters(catalog, &count)[meaning.counter.counter].unit;
	return metric != SX_NONE ? sx_catalog_metrics(catalog, &count)[metric].unit : NULL;
}

/* The factor between two units; some base ones (W, J) are only in the list of written units. */
static double own_json_factor(const struct own_json *r, const char *from, const char *to)
{
	const char *same;
	double own, factor = units_factor(&r->units, from, to);
	struct import_cell text = {from, strlen(from)};
	if (factor == 0 && import_unit(text, &same, &own))
		factor = own * units_factor(&r->units, same, to);
	return factor;
}

/* Whether rows are ours, also if a part of them was kept, or jq -s made an array of them. */
static bool own_json_is_ours(const struct own_json_table *t)
{
	return t->catalog.size || (strings_find(&t->names, "begin_ns", 8) != UINT32_MAX &&
				   strings_find(&t->names, "end_ns", 6) != UINT32_MAX);
}

/* The unit that other writers mean without naming it, as in CSV; with a note. */
static const char *own_json_bare_unit(struct own_json *r, const struct sx_catalog *catalog,
				      const char *name, const char *known)
{
	const char *unit = bare_units_of(catalog, name, known);
	if (unit)
		bare_units_add(&r->job->bare, name, unit);
	return unit;
}

/* The unit to write after a name, because the numbers are not in the catalog's; or NULL. */
static const char *own_json_unit(struct own_json *r, const struct own_json_table *t,
				 const struct sx_catalog *catalog, uint32_t name,
				 char buf[2 * UNITS_TEXT_MAX])
{
	double factor = 1;
	const char *known = own_json_known_unit(catalog, t->names.texts[name]), *unit = NULL;
	if (t->units[name].size)
		unit = import_text(r->job, t->units[name].text, t->units[name].size);
	else if (r->lines && known && !own_json_is_ours(t))
		unit = own_json_bare_unit(r, catalog, t->names.texts[name], known);
	else if (r->lines && known)
		unit = units_base(&r->units, known, buf, &factor);
	if (!unit || strcmp(unit, "count") == 0 || own_json_is_plain(t->names.texts[name]))
		return NULL;
	factor = known ? own_json_factor(r, unit, known) : 0;
	if (known && factor == 0 && units_known(&r->units, unit))
		return units_fit(&r->units, unit, known) ? NULL : unit; /* noted, and no data */
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
	snprintf(head, size + more + 1, unit ? "%s (%s)" : "%s", text, unit);
	t->columns[name] = strings_intern(&r->columns, head, size + more, NULL);
	r->failed |= t->columns[name] == UINT32_MAX;
	free(head);
}

static bool own_json_is_constant(const struct sx_catalog *catalog, const char *name)
{
	return catalog && column_meaning(catalog, name, SX_NONE).constant != SX_NONE;
}

/*
 * Adds columns of constants, or of all else: constants come after all others, wherever an object
 * has them. Those of several devices are columns of rows, which have their order.
 */
static void own_json_add_columns(struct own_json *r, struct own_json_table *t, bool constants)
{
	struct sx_catalog *catalog = own_json_catalog(r, t);
	bool apart = r->lines || t->constant_count;
	if (!t->columns)
		t->columns = calloc((size_t)t->names.count + 1, sizeof(*t->columns));
	r->failed |= !t->columns;
	for (uint32_t i = 0; !r->failed && i < t->names.count; i++)
		if ((apart && own_json_is_constant(catalog, t->names.texts[i])) == constants)
			own_json_add_column(r, t, catalog, i);
	sx_catalog_unref(catalog);
}

/* Of columns of one name the first is read. */
static void own_json_name_once(struct own_json *r, struct own_json_table *t)
{
	bool *seen = calloc((size_t)t->names.count + 1, sizeof(*seen));
	r->failed |= !seen;
	for (size_t i = 0; seen && i < t->position_count; i++) {
		uint32_t *at = &t->positions[i];
		if (*at == UINT32_MAX)
			continue;
		if (seen[*at])
			import_remark(r->job,
				      "a column has the name of one before, which is read instead: "
				      "%.80s",
				      t->names.texts[*at]);
		bool twice = seen[*at];
		seen[*at] = true;
		*at = twice ? UINT32_MAX : *at;
	}
	free(seen);
}

/* Tables that do not say of which device they are have the numbers of their places. */
static void own_json_number(struct own_json *r)
{
	char number[32];
	for (size_t i = 1; !r->lines && r->table_count > 2 && i < r->table_count; i++) {
		struct own_json_table *t = &r->tables[i];
		size_t size = (size_t)snprintf(number, sizeof(number), "%zu", i - 1);
		const char *text =
		    t->device.size ? t->device.text : import_text(r->job, number, size);
		r->failed |= !text;
		r->by_device = true;
		t->device = (struct import_cell){text, t->device.size ? t->device.size : size};
	}
}

/* Of several devices: a table each, or rows that name theirs. */
static bool own_json_names_devices(const struct own_json *r)
{
	bool shows = r->by_device;
	for (size_t i = 0; i < r->table_count; i++)
		shows |= strings_find(&r->tables[i].names, "device", 6) != UINT32_MAX;
	return shows;
}

/* The header line of the table. */
void own_json_begin(struct own_json *r)
{
	for (size_t i = 0; !r->lines && i < r->table_count; i++)
		own_json_name_once(r, &r->tables[i]);
	own_json_number(r);
	bool marks = false, kinds = false, several = own_json_names_devices(r);
	for (size_t i = 0; i < r->table_count; i++) {
		marks |= r->tables[i].mark_count > 0;
		kinds |= r->tables[i].kind.size > 0;
	}
	const struct {
		const char *name;
		bool is;
	} plain[] = {{"begin_ns", true},       {"end_ns", true},   {"device", several},
		     {"simulated", !r->lines}, {"quality", marks}, {KIND_WORD, kinds}};
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (plain[i].is)
			strings_intern(&r->columns, plain[i].name, strlen(plain[i].name), NULL);
	for (size_t i = 0; i < r->table_count; i++)
		own_json_add_columns(r, &r->tables[i], false);
	for (size_t i = 0; i < r->table_count; i++)
		own_json_add_columns(r, &r->tables[i], true);
	r->row = calloc((size_t)r->columns.count + 1, sizeof(*r->row));
	r->texts = calloc((size_t)r->columns.count + 1, sizeof(*r->texts));
	r->failed |= !r->row || !r->texts;
	for (uint32_t i = 0; !r->failed && i < r->columns.count; i++) {
		if (i)
			import_append(&r->made, ",", 1);
		const char *name = strings_get(&r->columns, i);
		own_json_put_text(r, (struct import_cell){name, strlen(name)});
	}
	import_append(&r->made, "\n", 1);
}
