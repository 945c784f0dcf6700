/* Tables: contiguous columns that share one row capacity; values and labels come with first use. */
#include "table/table.h"
#include "base/error.h"
#include "table/fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a dictionary when its rows go: decoders remember a few. */
#define STRINGS_KEPT 1024
#define TEXT_KEPT    ((size_t)256 << 10)

static char *copy_text(const char *text)
{
	return text ? strdup(text) : NULL;
}

static enum sx_status init_column(struct sx_table *table, uint32_t index,
				  const struct sx_column *from, struct sx_error *err)
{
	bool added = false;
	const char *name = from->name ? from->name : "";
	if (strings_intern(&table->names, name, strlen(name), &added) == UINT32_MAX)
		return error_nomem(err, "a table's columns");
	if (!added) {
		error_set(err, SX_ERR_USAGE, "two columns are named \"%s\"", name);
		error_try(err, "name each column once");
		return SX_ERR_USAGE;
	}
	struct table_column *column = &table->columns[index];
	column->info = *from;
	column->info.name = copy_text(name);
	column->info.unit = copy_text(from->unit ? from->unit : "");
	column->info.why = copy_text(from->why);
	if (!column->info.name || !column->info.unit || (from->why && !column->info.why))
		return error_nomem(err, "a table's columns");
	return SX_OK;
}

enum sx_status sx_table_create(const struct sx_column *columns, uint32_t count,
			       enum sx_sample_kind kind, struct sx_table **out,
			       struct sx_error *err)
{
	struct sx_table *table = calloc(1, sizeof(*table));
	if (!table)
		return error_nomem(err, "a table");
	table->kind = kind;
	table->columns = calloc(count ? count : 1, sizeof(*table->columns));
	enum sx_status status = table->columns ? SX_OK : error_nomem(err, "a table's columns");
	for (uint32_t i = 0; status == SX_OK && i < count; i++) {
		table->column_count = i + 1;
		status = init_column(table, i, &columns[i], err);
	}
	if (status != SX_OK) {
		sx_table_destroy(table);
		return status;
	}
	*out = table;
	return SX_OK;
}

static enum sx_status make_like(const struct sx_table *like, bool of_totals, struct sx_table **out,
				struct sx_error *err)
{
	uint32_t count = sx_table_column_count(like);
	struct sx_column *columns = calloc(count + 1, sizeof(*columns));
	if (!columns)
		return error_nomem(err, "a table");
	for (uint32_t i = 0; i < count; i++) {
		columns[i] = *sx_table_column(like, i);
		if (of_totals && columns[i].over_time == SX_REDUCE_MEAN)
			columns[i].type = SX_F64;
	}
	enum sx_status status = sx_table_create(columns, count, sx_table_kind(like), out, err);
	free(columns);
	if (!status && table_copy_reasons(*out, like)) {
		sx_table_destroy(*out);
		status = error_nomem(err, "a table");
	}
	return status;
}

enum sx_status table_like(const struct sx_table *like, struct sx_table **out, struct sx_error *err)
{
	return make_like(like, false, out, err);
}

enum sx_status table_like_totals(const struct sx_table *like, struct sx_table **out,
				 struct sx_error *err)
{
	return make_like(like, true, out, err);
}

static void finish_column(const struct sx_table *table, struct table_column *column)
{
	free((char *)column->info.name);
	free((char *)column->info.unit);
	free((char *)column->info.why);
	free(column->reasons[0]);
	free(column->reasons[1]);
	backing_free(table->backing, column->data.any);
	backing_free(table->backing, column->quality);
}

enum sx_status table_leave_out(struct sx_table *table, const uint32_t *instead,
			       struct sx_error *err)
{
	struct strings names = {0};
	uint32_t kept = 0;
	for (uint32_t i = 0; i < table->column_count; i++) {
		const char *name = table->columns[i].info.name;
		if (instead[i] == SX_NONE &&
		    strings_intern(&names, name, strlen(name), NULL) == UINT32_MAX) {
			strings_finish(&names);
			return error_nomem(err, "a table's columns");
		}
	}
	for (uint32_t i = 0; i < table->column_count; i++) {
		if (instead[i] == SX_NONE)
			table->columns[kept++] = table->columns[i];
		else
			finish_column(table, &table->columns[i]);
	}
	table->column_count = kept;
	strings_finish(&table->names);
	table->names = names;
	return SX_OK;
}

void sx_table_destroy(struct sx_table *table)
{
	if (!table)
		return;
	for (uint32_t i = 0; i < table->column_count; i++)
		finish_column(table, &table->columns[i]);
	for (int i = 0; i < SX_LABEL_COUNT; i++)
		backing_free(table->backing, table->labels[i]);
	free(table->columns);
	backing_free(table->backing, table->begin_ns);
	backing_free(table->backing, table->end_ns);
	strings_finish(&table->names);
	strings_finish(&table->strings);
	sx_table_destroy(table->frames);
	free(table);
}

uint32_t sx_table_column_count(const struct sx_table *table)
{
	return table->column_count;
}

size_t sx_table_row_count(const struct sx_table *table)
{
	return table->rows;
}

enum sx_sample_kind sx_table_kind(const struct sx_table *table)
{
	return table->kind;
}

const struct sx_column *sx_table_column(const struct sx_table *table, uint32_t column)
{
	return column < table->column_count ? &table->columns[column].info : NULL;
}

uint32_t sx_table_find(const struct sx_table *table, const char *name)
{
	return strings_find(&table->names, name, strlen(name)); /* UINT32_MAX is SX_NONE */
}

enum sx_status table_set_why(struct sx_table *table, uint32_t column, const char *why)
{
	if (column >= table->column_count)
		return SX_ERR_USAGE;
	char *copy = copy_text(why);
	if (why && !copy)
		return SX_ERR_NO_MEMORY;
	free((char *)table->columns[column].info.why);
	table->columns[column].info.why = copy;
	return SX_OK;
}

void table_set_of_rows(struct sx_table *table, uint32_t column, bool is)
{
	if (column < table->column_count)
		table->columns[column].of_rows = is;
}

bool table_is_combined(const struct sx_table *table)
{
	return table->combined;
}

bool table_is_of_rows(const struct sx_table *table, uint32_t column)
{
	return column < table->column_count && table->columns[column].of_rows;
}

/* Reallocates one array to `cap` elements; NULL stays NULL (not yet used). */
static bool regrow(struct sx_table *table, void *array, size_t cap, size_t size)
{
	void *old;
	size_t had = table->cap;
	memcpy(&old, array, sizeof(old));
	return !old || backing_grow(table->backing, array, &had, cap, size);
}

/* An array with an element for each row that there is room for. */
static void *table_array(struct sx_table *table, size_t size)
{
	void *array = NULL;
	size_t had = 0, need = table->cap ? table->cap : 1;
	if (!table->backing)
		return calloc(need, size);
	return backing_grow(table->backing, &array, &had, need, size) ? array : NULL;
}

void table_backing(struct sx_table *table, struct backing *file)
{
	if (!table->cap)
		table->backing = file;
}

void table_pass(const struct sx_table *table, size_t rows)
{
	size_t bytes = sizeof(*table->begin_ns) + sizeof(*table->end_ns);
	for (int i = 0; i < SX_LABEL_COUNT; i++)
		bytes += table->labels[i] ? sizeof(uint64_t) : 0;
	for (uint32_t i = 0; i < table->column_count; i++)
		bytes += sizeof(uint64_t) + 1; /* and its quality */
	backing_pass(table->backing, rows * bytes);
}

static bool reserve(struct sx_table *table, size_t need)
{
	if (need <= table->cap)
		return true;
	size_t cap = table->cap ? table->cap : 16;
	while (cap < need && cap <= SIZE_MAX / 16)
		cap *= 2;
	if (cap < need)
		return false;
	if (!table->begin_ns && !(table->begin_ns = malloc(sizeof(uint64_t))))
		return false;
	if (!table->end_ns && !(table->end_ns = malloc(sizeof(uint64_t))))
		return false;
	bool ok = regrow(table, &table->begin_ns, cap, sizeof(uint64_t)) &&
		  regrow(table, &table->end_ns, cap, sizeof(uint64_t));
	for (uint32_t i = 0; ok && i < table->column_count; i++)
		ok = regrow(table, &table->columns[i].data.any, cap, sizeof(uint64_t)) &&
		     regrow(table, &table->columns[i].quality, cap, 1);
	for (int i = 0; ok && i < SX_LABEL_COUNT; i++)
		ok = regrow(table, &table->labels[i], cap, sizeof(uint64_t));
	if (ok)
		table->cap = cap;
	return ok;
}

/* Rows [first, first + count) of a column become not collected. */
static void blank(const struct sx_table *table, struct table_column *column, size_t first,
		  size_t count)
{
	backing_fill(table->backing, column->quality + first, SX_QUALITY_NOT_COLLECTED, count);
	column->invalid += count;
	if (column->info.type == SX_U64) {
		backing_fill(table->backing, column->data.u64 + first, 0, count * sizeof(uint64_t));
		return;
	}
	for (size_t i = first; i < first + count;) {
		size_t until = i + BACKING_ROWS < first + count ? i + BACKING_ROWS : first + count;
		backing_pass(table->backing, (until - i) * sizeof(double));
		for (; i < until; i++)
			column->data.f64[i] = NAN;
	}
}

enum sx_status sx_table_add_rows(struct sx_table *table, size_t count, size_t *first,
				 struct sx_error *err)
{
	if (table->out_of_memory || count > SIZE_MAX - table->rows ||
	    !reserve(table, table->rows + count))
		return error_nomem(err, "a table's rows");
	size_t from = table->rows;
	if (count) { /* all bits set: unknown times and absent labels */
		backing_fill(table->backing, table->begin_ns + from, 0xff,
			     count * sizeof(uint64_t));
		backing_fill(table->backing, table->end_ns + from, 0xff, count * sizeof(uint64_t));
	}
	for (uint32_t i = 0; count && i < table->column_count; i++)
		if (table->columns[i].data.any)
			blank(table, &table->columns[i], from, count);
	for (int i = 0; count && i < SX_LABEL_COUNT; i++)
		if (table->labels[i])
			backing_fill(table->backing, table->labels[i] + from, 0xff,
				     count * sizeof(uint64_t));
	table->rows += count;
	if (first)
		*first = from;
	return SX_OK;
}

void sx_table_clear(struct sx_table *table)
{
	table->rows = 0;
	sx_table_destroy(table->frames);
	table->frames = NULL;
	if (table->strings.count > STRINGS_KEPT || table_text_bytes(table) > TEXT_KEPT)
		strings_clear(&table->strings);
	for (uint32_t i = 0; i < table->column_count; i++) {
		table->columns[i].invalid = 0;
		table->columns[i].exposed = false;
	}
}

void sx_table_set_time(struct sx_table *table, size_t row, uint64_t begin_ns, uint64_t end_ns)
{
	if (row >= table->rows)
		return;
	table->begin_ns[row] = begin_ns;
	table->end_ns[row] = end_ns;
}

const uint64_t *sx_table_begin_ns(const struct sx_table *table)
{
	return table->begin_ns;
}

const uint64_t *sx_table_end_ns(const struct sx_table *table)
{
	return table->end_ns;
}

/* Gives a column its memory. */
static bool touch(struct sx_table *table, struct table_column *column)
{
	if (column->data.any)
		return true;
	void *data = table_array(table, sizeof(uint64_t));
	uint8_t *quality = table_array(table, 1);
	if (!data || !quality) {
		backing_free(table->backing, data);
		backing_free(table->backing, quality);
		table->out_of_memory = true;
		return false;
	}
	column->data.any = data;
	column->quality = quality;
	blank(table, column, 0, table->rows);
	return true;
}

enum sx_status table_adopt(struct sx_table *table, uint32_t column, struct table_arrays *arrays)
{
	struct table_column *to = &table->columns[column];
	if (column >= table->column_count || to->data.any)
		return SX_ERR_USAGE;
	if (!backing_grow(table->backing, &arrays->data, &arrays->data_cap, table->cap,
			  sizeof(uint64_t)) ||
	    !backing_grow(table->backing, &arrays->quality, &arrays->quality_cap, table->cap, 1))
		return SX_ERR_NO_MEMORY;
	to->data.any = arrays->data;
	to->quality = arrays->quality;
	for (size_t i = 0; i < table->rows; i++)
		to->invalid += to->quality[i] != 0;
	*arrays = (struct table_arrays){0};
	return SX_OK;
}

static struct table_column *writable(struct sx_table *table, uint32_t index, size_t row,
				     enum sx_type type)
{
	if (index >= table->column_count || row >= table->rows)
		return NULL;
	struct table_column *column = &table->columns[index];
	if (column->info.type != type || !touch(table, column))
		return NULL;
	return column;
}

static void set_quality(struct table_column *column, size_t row, uint8_t quality)
{
	quality = sx_quality_reduced(quality);
	if (column->quality[row])
		column->invalid--;
	if (quality)
		column->invalid++;
	column->quality[row] = quality;
}

void sx_table_set_u64(struct sx_table *table, uint32_t column, size_t row, uint64_t value,
		      uint8_t quality)
{
	struct table_column *to = writable(table, column, row, SX_U64);
	if (!to)
		return;
	to->data.u64[row] = quality & SX_QUALITY_NO_DATA_MASK ? 0 : value;
	set_quality(to, row, quality);
}

void sx_table_set_f64(struct sx_table *table, uint32_t column, size_t row, double value,
		      uint8_t quality)
{
	struct table_column *to = writable(table, column, row, SX_F64);
	if (!to)
		return;
	if (isnan(value) && !(quality & SX_QUALITY_NO_DATA_MASK))
		quality |= SX_QUALITY_UNDEFINED;
	to->data.f64[row] = quality & SX_QUALITY_NO_DATA_MASK ? (double)NAN : value;
	set_quality(to, row, quality);
}

struct sx_vector sx_table_vector(const struct sx_table *table, uint32_t column)
{
	if (column >= table->column_count)
		return (struct sx_vector){0};
	const struct table_column *from = &table->columns[column];
	bool valid = !from->exposed && !from->invalid;
	return (struct sx_vector){from->info.type, from->data.any, valid ? NULL : from->quality};
}

void *table_data(struct sx_table *table, uint32_t column)
{
	if (column >= table->column_count || !touch(table, &table->columns[column]))
		return NULL;
	return table->columns[column].data.any;
}

uint8_t *table_quality(struct sx_table *table, uint32_t column)
{
	if (column >= table->column_count || !touch(table, &table->columns[column]))
		return NULL;
	table->columns[column].exposed = true;
	return table->columns[column].quality;
}

enum sx_status table_fill_quality(struct sx_table *table, uint32_t column, struct row_span rows,
				  uint8_t quality, struct sx_error *err)
{
	size_t first = rows.first, count = rows.count;
	if (column >= table->column_count || first > table->rows || count > table->rows - first)
		return error_set(err, SX_ERR_USAGE, "rows beyond a table");
	struct table_column *to = &table->columns[column];
	if (!touch(table, to))
		return error_nomem(err, "a table's rows");
	for (size_t i = first; i < first + count; i++)
		to->invalid -= to->quality[i] != 0;
	to->invalid += quality ? count : 0;
	memset(to->quality + first, quality, count);
	return SX_OK;
}

double sx_table_get(const struct sx_table *table, uint32_t column, size_t row)
{
	if (column >= table->column_count || row >= table->rows)
		return (double)NAN;
	const struct table_column *from = &table->columns[column];
	if (!from->data.any || from->quality[row] & SX_QUALITY_NO_DATA_MASK)
		return (double)NAN;
	return from->info.type == SX_U64 ? (double)from->data.u64[row] : from->data.f64[row];
}

enum sx_status sx_table_set_label(struct sx_table *table, enum sx_label label, size_t row,
				  uint64_t value)
{
	if ((unsigned)label >= SX_LABEL_COUNT || row >= table->rows)
		return SX_ERR_USAGE;
	if (!table->labels[label]) {
		table->labels[label] = table_array(table, sizeof(uint64_t));
		if (!table->labels[label])
			return SX_ERR_NO_MEMORY;
		backing_fill(table->backing, table->labels[label], 0xff,
			     table->rows * sizeof(uint64_t));
	}
	table->labels[label][row] = value;
	return SX_OK;
}

uint64_t sx_table_label(const struct sx_table *table, enum sx_label label, size_t row)
{
	if ((unsigned)label >= SX_LABEL_COUNT || row >= table->rows || !table->labels[label])
		return SX_LABEL_ABSENT;
	return table->labels[label][row];
}

bool sx_table_has_label(const struct sx_table *table, enum sx_label label)
{
	return (unsigned)label < SX_LABEL_COUNT && table->labels[label];
}

uint32_t sx_table_intern(struct sx_table *table, const char *text, size_t size)
{
	uint32_t index = strings_intern(&table->strings, text, size, NULL);
	table->out_of_memory |= index == SX_NONE;
	return index;
}

const char *sx_table_string(const struct sx_table *table, uint64_t index)
{
	return strings_get(&table->strings, index);
}

size_t table_text_bytes(const struct sx_table *table)
{
	return table->strings.arena.used;
}
