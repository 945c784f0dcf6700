/* Many values as text: one pass over columns and one buffer, for millions of rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/rows/rows.h"
#include "base/number.h"
#include "base/error.h"

/* A counter of that name is none. */
static bool is_overruled(const struct sx_catalog *catalog, const struct overruling *by,
			 const char *name)
{
	uint32_t constant = sx_catalog_find_constant(catalog, name);
	bool typed = false;
	for (size_t i = 0; constant != SX_NONE && i < by->count; i++)
		typed |= sx_catalog_find_constant(catalog, by->constants[i].name) == constant;
	return typed && sx_catalog_find_counter(catalog, name, SX_NONE, NULL) == SX_NONE;
}

enum sx_status overruled_begin(struct overruled *out, const struct sx_catalog *catalog,
			       const struct overruling *by, const struct sx_table *like,
			       struct sx_error *err)
{
	uint32_t count = sx_table_column_count(like), kept = 0;
	struct sx_column *columns = calloc((size_t)count + 1, sizeof(*columns));
	out->kept = calloc((size_t)count + 1, sizeof(*out->kept));
	out->vectors = calloc((size_t)count + 1, sizeof(*out->vectors));
	out->some = calloc((size_t)count + 1, sizeof(*out->some));
	enum sx_status status = SX_OK;
	if (!columns || !out->kept || !out->vectors || !out->some)
		status = error_nomem(err, "leaving columns out");
	for (uint32_t i = 0; !status && i < count; i++) {
		if (is_overruled(catalog, by, sx_table_column(like, i)->name))
			continue;
		columns[kept] = *sx_table_column(like, i);
		out->kept[kept++] = i;
	}
	if (!status && kept < count)
		status = sx_table_create(columns, kept, sx_table_kind(like), &out->table, err);
	free(columns);
	return status;
}

enum sx_status overruled_rows(struct overruled *o, const struct sx_table *raw,
			      const struct sx_table **out, struct sx_error *err)
{
	struct sx_rows rows;
	*out = o->table ? o->table : raw;
	if (!o->table)
		return SX_OK;
	sx_table_rows(raw, 0, sx_table_row_count(raw), o->vectors, &rows);
	rows.columns = o->some;
	rows.column_count = sx_table_column_count(o->table);
	for (uint32_t i = 0; i < rows.column_count; i++)
		o->some[i] = o->vectors[o->kept[i]];
	sx_table_clear(o->table);
	return sx_table_append(o->table, &rows, err);
}

void overruled_finish(struct overruled *o)
{
	sx_table_destroy(o->table);
	free(o->kept);
	free(o->vectors);
	free(o->some);
	*o = (struct overruled){.table = NULL};
}

#define BUFFER_BYTES ((size_t)64 << 10)
#define VALUE_BYTES  (NUMBER_F64_MAX + 8) /* with what comes before it */

struct column {
	union {
		const uint64_t *u64;
		const double *f64;
		const void *any; /* NULL: no data in any row */
	} data;
	const uint8_t *quality; /* NULL: all valid */
	bool whole;
	bool scaled; /* `step` makes base units of the values */
	struct units_step step;
	size_t key_size;
	char *key; /* "name": with its escapes, or NULL; owned */
};

struct values {
	FILE *out;
	struct column *columns;
	uint32_t count;
	char *p, *end; /* the next byte, and where room for a value ends */
	char buffer[BUFFER_BYTES + VALUE_BYTES];
};

/* The key of a member as the JSON writer spells it. */
static bool make_key(struct column *column, const char *name)
{
	FILE *memory = open_memstream(&column->key, &column->key_size);
	if (!memory)
		return false;
	struct json json = {.out = memory, .compact = true, .depth = 1};
	json_key(&json, name);
	return fclose(memory) == 0 &&
	       column->key; /* where memory is out, fclose() may say nothing and leave no key */
}

static struct units_step step_of(const struct units *units, const char *unit)
{
	char buf[2 * UNITS_TEXT_MAX];
	double factor = 1;
	units_base(units, unit ? unit : "", buf, &factor);
	return units_step(factor);
}

struct values *values_create(FILE *out, const struct units *units, const struct sx_table *like,
			     bool named)
{
	struct values *v = malloc(sizeof(*v));
	if (!v)
		return NULL;
	v->out = out;
	v->count = sx_table_column_count(like);
	v->p = v->buffer;
	v->end = v->buffer + BUFFER_BYTES;
	v->columns = calloc((size_t)v->count + 1, sizeof(*v->columns));
	for (uint32_t i = 0; v->columns && i < v->count; i++) {
		v->columns[i].step = step_of(units, sx_table_column(like, i)->unit);
		v->columns[i].scaled =
		    v->columns[i].step.times != 1 || v->columns[i].step.over != 1;
	}
	for (uint32_t i = 0; v->columns && named && i < v->count; i++)
		if (!make_key(&v->columns[i], sx_table_column(like, i)->name)) {
			values_destroy(v);
			return NULL;
		}
	if (v->columns)
		return v;
	free(v);
	return NULL;
}

void values_flush(struct values *v)
{
	if (v->p > v->buffer)
		fwrite(v->buffer, 1, (size_t)(v->p - v->buffer), v->out);
	v->p = v->buffer;
}

void values_destroy(struct values *v)
{
	if (!v)
		return;
	values_flush(v);
	for (uint32_t i = 0; i < v->count; i++)
		free(v->columns[i].key);
	free(v->columns);
	free(v);
}

void values_of(struct values *v, const struct sx_table *table)
{
	for (uint32_t i = 0; i < v->count; i++) {
		struct sx_vector from = sx_table_vector(table, i);
		v->columns[i].data.any = from.data;
		v->columns[i].quality = from.quality;
		v->columns[i].whole = from.type == SX_U64;
	}
}

static void put(struct values *v, const char *text, size_t size)
{
	if (v->end - v->p < (ptrdiff_t)size)
		values_flush(v);
	if (size > BUFFER_BYTES) {
		fwrite(text, 1, size, v->out);
		return;
	}
	memcpy(v->p, text, size);
	v->p += size;
}

void values_text(struct values *v, const char *text)
{
	put(v, text, strlen(text));
}

/* Writes a value behind what is there; false when there is none. Room for it was made. */
static inline bool put_value(struct values *v, const struct column *c, size_t row)
{
	if (!c->data.any || (c->quality && (c->quality[row] & SX_QUALITY_NO_DATA_MASK)))
		return false;
	if (c->whole && !c->scaled) {
		v->p += number_put_u64(v->p, c->data.u64[row]);
		return true;
	}
	/* Beyond what a double holds, counts keep all their digits. */
	if (c->whole && c->step.power && c->data.u64[row] >> 53) {
		v->p += number_put_decimal(v->p, c->data.u64[row], c->step.power);
		return true;
	}
	double value = c->whole ? (double)c->data.u64[row] : c->data.f64[row];
	if (c->scaled)
		value = units_apply(c->step, value);
	if (!isfinite(value))
		return false;
	v->p += number_put_f64(v->p, value);
	return true;
}

void values_csv(struct values *v, size_t row, bool first)
{
	for (uint32_t i = 0; i < v->count; i++) {
		if (v->p > v->end)
			values_flush(v);
		if (!first || i)
			*v->p++ = ',';
		put_value(v, &v->columns[i], row);
	}
}

void values_json(struct values *v, size_t row, bool first)
{
	for (uint32_t i = 0; i < v->count; i++) {
		const struct column *c = &v->columns[i];
		if (v->p > v->end)
			values_flush(v);
		if (!first || i) {
			*v->p++ = ',';
			if (!c->key)
				*v->p++ = ' ';
		}
		if (c->key)
			put(v, c->key, c->key_size);
		if (v->p > v->end)
			values_flush(v);
		if (!put_value(v, c, row)) {
			memcpy(v->p, "null", 4);
			v->p += 4;
		}
	}
}
