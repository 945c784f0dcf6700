/* One header for the rows of several devices: see export.h. */
#include "tools/verbs/export/export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* A name may have two units; with one header all its numbers are in the base unit. */
static double factor_between(const struct exporting *e, const struct sx_column *own,
			     const struct sx_column *joined)
{
	char buf[2 * UNITS_TEXT_MAX];
	double from = 1, to = 1;
	const struct units *units = &e->cli->view.human.units;
	if (!own->unit || !joined->unit || strcmp(own->unit, joined->unit) == 0)
		return 1;
	units_base(units, own->unit, buf, &from);
	units_base(units, joined->unit, buf, &to);
	return from / to;
}

/* Rows of one device below the header of all. */
enum sx_status export_join_rows(const struct exporting *e, const struct sx_table *t,
				struct sx_error *err)
{
	struct sx_table *to = e->joined;
	size_t rows = sx_table_row_count(t);
	sx_table_clear(to);
	enum sx_status status = export_copy_rows(to, t, err);
	for (uint32_t c = 0; !status && c < sx_table_column_count(t); c++) {
		struct sx_vector v = sx_table_vector(t, c);
		uint32_t at = sx_table_find(to, sx_table_column(t, c)->name);
		bool exact = sx_table_column(to, at)->type == SX_U64;
		double factor = factor_between(e, sx_table_column(t, c), sx_table_column(to, at));
		for (size_t r = 0; v.data && r < rows; r++) {
			uint8_t quality = v.quality ? v.quality[r] : 0;
			if (exact)
				sx_table_set_u64(to, at, r, ((const uint64_t *)v.data)[r], quality);
			else
				sx_table_set_f64(to, at, r, sx_table_get(t, c, r) * factor,
						 quality);
		}
	}
	return status;
}

/* A column of this device in the header of all; a name of two types is written as f64. */
static void add_column(struct sx_column *list, uint32_t *count, const struct sx_column *own)
{
	for (uint32_t i = 0; i < *count; i++)
		if (strcmp(list[i].name, own->name) == 0) {
			bool same =
			    list[i].type == own->type && strcmp(list[i].unit, own->unit) == 0;
			list[i].type = same ? own->type : SX_F64;
			return;
		}
	list[(*count)++] = *own;
}

/* The table that has the columns of raw rows. */
static const struct sx_table *raw_columns(const struct exported *d)
{
	return d->overruled.table ? d->overruled.table : d->device->raw;
}

static uint32_t column_count(const struct exported *d)
{
	uint32_t count = sx_table_column_count(raw_columns(d));
	if (d->device->metrics)
		sx_metrics_columns(d->device->metrics, &count);
	return count;
}

/* A label's name in the header: the files' own name if all files agree. */
static void agree_on_labels(struct exporting *e)
{
	for (int l = 0; l < SX_LABEL_COUNT; l++) {
		const char *name = NULL;
		bool any = false;
		for (uint32_t i = 0; i < e->count; i++) {
			const struct rows_shape *shape = &e->devices[i].shape;
			const char *own = shape->label_names[l];
			if (!(shape->labels >> l & 1))
				continue;
			bool same = !any || (own && name && strcmp(own, name) == 0);
			name = same ? own : NULL;
			any = true;
		}
		for (uint32_t i = 0; i < e->count; i++)
			e->devices[i].shape.label_names[l] = name;
	}
}

/* The columns of all devices, each name once. */
enum sx_status export_join_headers(struct exporting *e, struct sx_error *err)
{
	uint32_t most = 0, count = 0, labels = 0, n;
	for (uint32_t i = 0; i < e->count; i++) {
		most += column_count(&e->devices[i]);
		labels |= e->devices[i].shape.labels;
	}
	struct sx_column *list = calloc(most + 1, sizeof(*list));
	if (!list)
		return error_nomem(err, "exporting");
	agree_on_labels(e);
	for (uint32_t i = 0; i < e->count; i++) {
		const struct exported *d = &e->devices[i];
		const struct sx_metric_column *own =
		    d->device->metrics ? sx_metrics_columns(d->device->metrics, &n) : NULL;
		for (uint32_t c = 0; c < column_count(d); c++)
			add_column(list, &count,
				   own ? &(struct sx_column){.name = own[c].name,
							     .unit = own[c].unit,
							     .type = own[c].type}
				       : sx_table_column(raw_columns(d), c));
		e->devices[i].shape.labels = labels;
	}
	enum sx_status status = sx_table_create(list, count, SX_SAMPLE_ROW, &e->joined, err);
	free(list);
	e->whys = calloc((size_t)count + 1, sizeof(*e->whys));
	e->answered = calloc((size_t)count + 1, sizeof(*e->answered));
	if (!status && (!e->whys || !e->answered))
		status = error_nomem(err, "exporting");
	for (uint32_t i = 0; i < e->count; i++)
		e->devices[i].shape.whys = e->whys;
	return status;
}

enum sx_status export_join_whys(struct exporting *e, const struct sx_table *t, struct sx_error *err)
{
	for (uint32_t c = 0; c < sx_table_column_count(t); c++) {
		const struct sx_column *own = sx_table_column(t, c);
		uint32_t at = sx_table_find(e->joined, own->name);
		if (e->answered[at] || (own->why && e->whys[at]))
			continue;
		e->answered[at] = !own->why;
		free(e->whys[at]);
		e->whys[at] = own->why ? strdup(own->why) : NULL;
		if (own->why && !e->whys[at])
			return error_nomem(err, "exporting");
	}
	return SX_OK;
}

void export_join_finish(struct exporting *e)
{
	for (char **name = e->names; name && *name; name++)
		free(*name);
	free(e->names);
	for (uint32_t c = 0; e->joined && e->whys && c < sx_table_column_count(e->joined); c++)
		free(e->whys[c]);
	free(e->whys);
	free(e->answered);
	sx_table_destroy(e->joined);
}

static uint32_t find_constant(const struct sx_constant_value *list, uint32_t count,
			      const char *name)
{
	uint32_t i = 0;
	while (i < count && strcmp(list[i].name, name) != 0)
		i++;
	return i;
}

/* Adds a device's constants; a later value replaces an earlier one. A counter keeps its name. */
static uint32_t place_constants(const struct exported *d, struct sx_constant_value *list,
				uint32_t count)
{
	for (uint32_t i = 0; i < d->device->facts.constant_count; i++) {
		const struct sx_constant_value *c = &d->device->constants[i];
		uint32_t at = find_constant(list, count, c->name);
		if (!d->device->metrics && sx_table_find(raw_columns(d), c->name) != SX_NONE)
			continue;
		list[at] = *c;
		count += at == count;
	}
	return count;
}

/* The same columns for all devices, for there is one header. */
enum sx_status export_gather_constants(struct exporting *e, struct sx_error *err)
{
	uint32_t most = 1, count = 0;
	for (uint32_t i = 0; i < e->count; i++)
		most += e->devices[i].device->facts.constant_count;
	struct sx_constant_value *all = calloc(most, sizeof(*all));
	for (uint32_t i = 0; all && i < e->count; i++)
		count = place_constants(&e->devices[i], all, count);
	for (uint32_t i = 0; i < count; i++)
		all[i].value = (double)NAN;
	for (uint32_t i = 0; all && i < e->count; i++) {
		struct exported *d = &e->devices[i];
		d->constants = calloc(most, sizeof(*d->constants));
		if (!d->constants)
			break;
		memcpy(d->constants, all, count * sizeof(*all));
		place_constants(d, d->constants, count);
		d->shape.constants = d->constants;
		d->shape.constant_count = count;
	}
	bool done = all && e->devices[e->count - 1].constants;
	free(all);
	return done ? SX_OK : error_nomem(err, "exporting");
}

/* Counts of constants: the first device's, those with a prefix, and differing ones. */
struct joined_constants {
	uint32_t own, named, differ;
	const char *first;
};

/* Behind the prefix of its device; false: no memory. */
static bool add_prefixed(struct exporting *e, uint32_t *named, const char *prefix,
			 const struct sx_constant_value *constant)
{
	struct exported *to = &e->devices[0];
	char *name = NULL;
	if (asprintf(&name, "%s%s", prefix, constant->name) < 0)
		return false;
	e->names[(*named)++] = name;
	to->constants[to->shape.constant_count++] =
	    (struct sx_constant_value){name, constant->value};
	return true;
}

/* Adds another device's constants that the first does not have, or has with another value. */
static bool add_different(struct exporting *e, uint32_t device, const char *prefix,
			  struct joined_constants *j)
{
	const struct input_device *own = e->devices[device].device;
	const struct exported *to = &e->devices[0];
	for (uint32_t i = 0; i < own->facts.constant_count; i++) {
		const struct sx_constant_value *c = &own->constants[i];
		uint32_t at = find_constant(to->constants, j->own, c->name);
		if (at < j->own && to->constants[at].value == c->value)
			continue;
		if (!add_prefixed(e, &j->named, prefix, c))
			return false;
		if (at < j->own && !j->differ++)
			j->first = e->names[j->named - 1];
	}
	return true;
}

enum sx_status export_join_constants(struct exporting *e, const struct join_device *devices,
				     struct sx_error *err)
{
	struct exported *to = &e->devices[0];
	struct joined_constants joined = {0};
	uint32_t most = 1;
	for (uint32_t i = 0; i < e->count; i++)
		most += e->devices[i].device->facts.constant_count;
	to->constants = calloc(most, sizeof(*to->constants));
	e->names = calloc(most, sizeof(*e->names));
	bool good = to->constants && e->names;
	if (good && !to->bare)
		joined.own = place_constants(to, to->constants, 0);
	to->shape.constants = to->constants;
	to->shape.constant_count = joined.own;
	for (uint32_t i = 1; good && i < e->count; i++)
		good = add_different(e, i, devices[i].prefix, &joined);
	if (joined.differ)
		cli_note(e->cli,
			 "%s not the same for all devices: the first one's keep their names, those "
			 "of others get a prefix, as %s",
			 COUNTED(joined.differ, "constant is"), joined.first);
	return good ? SX_OK : error_nomem(err, "exporting");
}
