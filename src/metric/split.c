/*
 * Instances apart: rows with columns of one core, slice or cluster each become rows of their own.
 */
#include <sextant/metric.h>

#include <stdlib.h>

#include "base/error.h"
#include "catalog/column.h"

#define NAME_MAX_BYTES 256

/* One column of the result. */
struct split_column {
	uint32_t plain;	  /* column of the input without an instance, or SX_NONE */
	uint32_t *of;	  /* column of the input for each instance, or SX_NONE; NULL: it has none */
	uint32_t counter; /* index in the catalog, or SX_NONE */
	double constant;  /* the value everywhere, when it is a constant */
	bool is_constant;
	char name[NAME_MAX_BYTES];
	struct sx_column info; /* without a name */
};

struct split {
	const struct sx_table *in;
	const struct sx_catalog *catalog;
	struct split_column *columns;
	uint32_t count, instances;
	struct sx_error *err;
};

static void split_finish(struct split *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		free(s->columns[i].of);
	free(s->columns);
}

static uint32_t count_instances(const struct split *s)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < sx_table_column_count(s->in); i++) {
		struct column_id id = column_identify(s->catalog, sx_table_column(s->in, i)->name);
		if (id.instance != SX_NONE && id.instance < 4096 && id.instance >= most)
			most = id.instance + 1;
	}
	return most;
}

static struct split_column *find_counter(struct split *s, uint32_t counter)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (counter != SX_NONE && s->columns[i].counter == counter)
			return &s->columns[i];
	return NULL;
}

/*
 * The column of the result that a counter goes to. A counter that keeps its instances apart keeps
 * [0].
 */
static struct split_column *new_column(struct split *s, uint32_t counter, const char *name)
{
	struct split_column *column = &s->columns[s->count++];
	*column = (struct split_column){.plain = SX_NONE, .counter = counter};
	uint32_t count;
	const struct sx_counter_info *info =
	    counter == SX_NONE ? NULL : &sx_catalog_counters(s->catalog, &count)[counter];
	bool apart = info && info->reduce == SX_REDUCE_EACH;
	column_spell(column->name, sizeof(column->name), info ? info->name : name,
		     apart ? 0 : SX_NONE);
	return column;
}

static bool take_column(struct split *s, uint32_t index)
{
	const struct sx_column *info = sx_table_column(s->in, index);
	struct column_id id = column_identify(s->catalog, info->name);
	struct split_column *column = find_counter(s, id.counter);
	if (!column) {
		column = new_column(s, id.counter, info->name);
		column->info = *info;
	}
	if (id.instance == SX_NONE) {
		column->plain = index;
		return true;
	}
	column->info.type = info->type;
	if (!column->of) {
		column->of = malloc(s->instances * sizeof(*column->of));
		for (uint32_t i = 0; column->of && i < s->instances; i++)
			column->of[i] = SX_NONE;
	}
	if (column->of && id.instance < s->instances)
		column->of[id.instance] = index;
	return column->of != NULL;
}

/* Each row is of one instance, so that the constants that count them are 1. */
static void add_constants(struct split *s)
{
	uint32_t blocks, constants;
	const struct sx_block_info *block = sx_catalog_blocks(s->catalog, &blocks);
	const struct sx_constant_info *info = sx_catalog_constants(s->catalog, &constants);
	for (uint32_t i = 0; i < blocks; i++) {
		if (!block[i].instances_constant)
			continue;
		uint32_t at = sx_catalog_find_constant(s->catalog, block[i].instances_constant);
		if (at == SX_NONE || sx_table_find(s->in, info[at].name) != SX_NONE)
			continue;
		struct split_column *column = new_column(s, SX_NONE, info[at].name);
		column->is_constant = true;
		column->constant = 1;
		column->info = (struct sx_column){
		    .unit = info[at].unit, .type = SX_F64, .over_time = SX_REDUCE_LAST};
	}
}

static enum sx_status split_gather(struct split *s)
{
	uint32_t blocks;
	sx_catalog_blocks(s->catalog, &blocks);
	uint32_t most = sx_table_column_count(s->in) + blocks;
	s->instances = count_instances(s);
	if (!s->instances) {
		error_set(s->err, SX_ERR_NOT_FOUND, "no column is of one instance");
		error_because(s->err, "its source does not keep cores, slices or clusters apart");
		error_try(s->err, "record it again, with counters that do");
		return SX_ERR_NOT_FOUND;
	}
	s->columns = calloc(most + 1, sizeof(*s->columns));
	bool ok = s->columns != NULL;
	for (uint32_t i = 0; ok && i < sx_table_column_count(s->in); i++)
		ok = take_column(s, i);
	if (ok)
		add_constants(s);
	return ok ? SX_OK : error_nomem(s->err, "a table by instance");
}

static enum sx_status make_table(const struct split *s, struct sx_table **out)
{
	struct sx_column *columns = calloc(s->count + 1, sizeof(*columns));
	if (!columns)
		return error_nomem(s->err, "a table by instance");
	for (uint32_t i = 0; i < s->count; i++) {
		columns[i] = s->columns[i].info;
		columns[i].name = s->columns[i].name;
	}
	enum sx_status status =
	    sx_table_create(columns, s->count, sx_table_kind(s->in), out, s->err);
	free(columns);
	return status;
}

struct table_cell {
	uint32_t column;
	size_t row;
};

static void copy_value(const struct split *s, struct table_cell in, struct sx_table *out,
		       struct table_cell to)
{
	uint32_t from = in.column;
	size_t row = in.row;
	struct sx_vector v = sx_table_vector(s->in, from);
	if (!v.data)
		return;
	uint8_t quality = v.quality ? v.quality[row] : 0;
	if (s->columns[to.column].info.type == SX_U64 && v.type == SX_U64)
		sx_table_set_u64(out, to.column, to.row, ((const uint64_t *)v.data)[row], quality);
	else if (s->columns[to.column].info.type == SX_F64)
		sx_table_set_f64(out, to.column, to.row, sx_table_get(s->in, from, row), quality);
}

static void fill_row(const struct split *s, size_t row, uint32_t instance, struct sx_table *out,
		     size_t at)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const struct split_column *column = &s->columns[i];
		uint32_t from = column->of ? column->of[instance] : column->plain;
		if (column->is_constant)
			sx_table_set_f64(out, i, at, column->constant, 0);
		else if (from != SX_NONE)
			copy_value(s, (struct table_cell){from, row}, out,
				   (struct table_cell){i, at});
	}
	sx_table_set_time(out, at, sx_table_begin_ns(s->in)[row], sx_table_end_ns(s->in)[row]);
}

static enum sx_status split_fill(const struct split *s, struct sx_table *out)
{
	size_t rows = sx_table_row_count(s->in), first;
	enum sx_status status = sx_table_add_rows(out, rows * s->instances, &first, s->err);
	for (size_t row = 0; status == SX_OK && row < rows; row++)
		for (uint32_t i = 0; status == SX_OK && i < s->instances; i++) {
			size_t at = row * s->instances + i;
			fill_row(s, row, i, out, at);
			if (sx_table_set_label(out, SX_LABEL_INSTANCE, at, i))
				status = error_nomem(s->err, "splitting instances");
		}
	/* Fails when a value got no memory. */
	return status ? status : sx_table_add_rows(out, 0, NULL, s->err);
}

enum sx_status sx_table_by_instance(const struct sx_table *in, const struct sx_catalog *catalog,
				    struct sx_table **out, struct sx_error *err)
{
	struct split s = {.in = in, .catalog = catalog, .err = err};
	*out = NULL;
	enum sx_status status = split_gather(&s);
	if (status == SX_OK)
		status = make_table(&s, out);
	if (status == SX_OK)
		status = split_fill(&s, *out);
	split_finish(&s);
	if (status != SX_OK) {
		sx_table_destroy(*out);
		*out = NULL;
	}
	return status;
}
