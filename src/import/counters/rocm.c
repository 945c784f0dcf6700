/* Counters of AMD's profilers: which catalog, which column, which meaning. */
#include "import/counters/rocm.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <sextant/catalog.h>

#include "catalog/column.h"
#include "catalog/internal.h"
#include "catalog/units.h"

static const struct {
	const char *chip, *catalog;
} chips[] = {
    {"Tahiti", "amd-gcn1"},	{"Pitcairn", "amd-gcn1"},      {"Capeverde", "amd-gcn1"},
    {"Oland", "amd-gcn1"},	{"Hainan", "amd-gcn1"},	       {"Bonaire", "amd-gcn2"},
    {"Hawaii", "amd-gcn2"},	{"Spectre", "amd-gcn2"},       {"Kalindi", "amd-gcn2"},
    {"Mullins", "amd-gcn2"},	{"Tonga", "amd-gcn3"},	       {"Iceland", "amd-gcn3"},
    {"Fiji", "amd-gcn3"},	{"Carrizo", "amd-gcn3"},       {"Ellesmere", "amd-gcn3"},
    {"Baffin", "amd-gcn3"},	{"Stoney", "amd-gcn3"},	       {"Cypress", "amd-hd5000"},
    {"Juniper", "amd-hd5000"},	{"Redwood", "amd-hd5000"},     {"Cedar", "amd-hd5000"},
    {"Barts", "amd-hd6000"},	{"Turks", "amd-hd6000"},       {"Caicos", "amd-hd6000"},
    {"Cayman", "amd-hd6000"},	{"BeaverCreek", "amd-hd6000"}, {"WinterPark", "amd-hd6000"},
    {"Loveland", "amd-hd6000"}, {"Devastator", "amd-hd6000"},
};

/* "gfx803": the generation is the first digit. */
static const char *catalog_of_gfx(struct import_cell name)
{
	if (name.size != 6 || memcmp(name.text, "gfx", 3) != 0)
		return NULL;
	return name.text[3] == '6'   ? "amd-gcn1"
	       : name.text[3] == '7' ? "amd-gcn2"
	       : name.text[3] == '8' ? "amd-gcn3"
				     : NULL;
}

const char *amd_catalog_of_chip(struct import_cell name)
{
	const char *found = catalog_of_gfx(name);
	/* OpenCL's tools number the devices of a session. */
	while (!found && name.size && isdigit((unsigned char)name.text[name.size - 1]))
		name.size--;
	for (size_t i = 0; !found && i < sizeof(chips) / sizeof(chips[0]); i++)
		if (import_is(name, chips[i].chip))
			found = chips[i].catalog;
	return found;
}

/* Raw counters are written in capitals; what is derived from them is not. */
static bool is_raw(struct import_cell name)
{
	for (size_t i = 0; i < name.size; i++)
		if (islower((unsigned char)name.text[i]))
			return false;
	return true;
}

static bool rocm_describe(struct import_job *job, const char *catalog, struct import_field *field)
{
	struct sx_catalog *known = NULL;
	uint32_t count;
	if (sx_catalog_open(job->request->context, catalog, &known, NULL))
		return false;
	uint32_t metric = sx_catalog_find_metric(known, field->name, SX_NONE, NULL);
	uint32_t counter = column_identify(known, field->name).counter;
	if (metric == SX_NONE && counter == SX_NONE) { /* a title, or another case */
		struct column_meaning meaning = column_meaning(known, field->name, SX_NONE);
		metric = meaning.metric;
		counter = meaning.counter.counter;
	}
	if (metric != SX_NONE) {
		const struct sx_metric_info *info = &sx_catalog_metrics(known, &count)[metric];
		field->unit = import_text(job, info->unit, strlen(info->unit));
		field->over_time = sole_over_time(known, metric);
	} else if (counter != SX_NONE) {
		const struct sx_counter_info *info = &sx_catalog_counters(known, &count)[counter];
		field->unit = import_text(job, info->unit, strlen(info->unit));
		field->over_time = info->over_time;
	}
	sx_catalog_unref(known);
	return metric != SX_NONE || counter != SX_NONE;
}

/* "FetchSize (bytes)" is the catalog's FetchSize, whatever unit of the same kind that has. */
static bool convert(const struct import_field *head, struct import_field *field)
{
	struct units units;
	units_init(&units);
	double factor = units_factor(&units, head->unit, field->unit);
	field->factor = head->factor * (factor > 0 ? factor : 1);
	return factor > 0 || units_fit(&units, head->unit, field->unit);
}

/* "frame_time_ms", where frame_time is known, as "frame_time (ms)". */
static bool suffix_in_brackets(struct import_job *job, const char *catalog, struct import_cell name,
			       struct import_cell *out)
{
	char text[160];
	struct import_cell end, bare = import_split_suffix(name, &end);
	if (!bare.size || name.size + 4 > sizeof(text))
		return false;
	struct import_field field = {.name = import_text(job, bare.text, bare.size)};
	if (!field.name || !rocm_describe(job, catalog, &field))
		return false;
	int size = snprintf(text, sizeof(text), "%s (%.*s)", field.name, (int)end.size, end.text);
	out->text = import_text(job, text, (size_t)size);
	out->size = (size_t)size;
	return out->text;
}

/* The unit of what the file says none of, or NULL: the catalog's. */
static const char *take_bare(struct import_job *job, const char *catalog,
			     const struct import_field *field)
{
	struct sx_catalog *known = NULL;
	if (sx_catalog_open(job->request->context, catalog, &known, NULL))
		return NULL;
	const char *unit = bare_units_of(known, field->name, field->unit);
	if (unit)
		bare_units_add(&job->bare, field->name, unit);
	unit = unit ? import_text(job, unit, strlen(unit)) : NULL;
	sx_catalog_unref(known);
	return unit;
}

uint32_t amd_column(struct import_job *job, struct import_rows *rows, const char *catalog,
		    struct import_cell name)
{
	enum sx_reduce over_time = is_raw(name) ? SX_REDUCE_SUM : SX_REDUCE_MEAN;
	struct import_field head = import_header(job, name, over_time),
			    field = {.unit = "count", .over_time = over_time, .factor = 1};
	bool told = head.name && strlen(head.name) < name.size; /* its unit, by the header */
	field.name = head.name;
	/* ROCm's name for what AMD's guide calls CacheHit: hits of the L2, in percent. */
	if (head.name && strcasecmp(head.name, "L2CacheHit") == 0)
		field.name = "CacheHit";
	bool known = field.name && rocm_describe(job, catalog, &field);
	struct import_cell brackets = {"", 0};
	if (!told && !known && suffix_in_brackets(job, catalog, name, &brackets))
		return amd_column(job, rows, catalog, brackets);
	if (told && !known)
		return import_column(rows, &head); /* it stands for itself */
	const char *bare =
	    !told && known && job->format->spelled ? take_bare(job, catalog, &field) : NULL;
	if (bare)
		head.unit = bare;
	if ((!told && !bare) || !field.unit || convert(&head, &field))
		return import_column(rows, &field);
	import_tell(job, "column %.80s is in %.40s, which cannot be made into %.40s: no data",
		    head.name, head.unit, field.unit);
	return SX_NONE;
}

/* On which chips the names of ROCm's derived counters are known to mean the same. */
static void tell_meaning(struct import_job *job, const char *catalog)
{
	import_tell(job,
		    "the file does not say which GPU it is of: rules of %s are held against it. "
		    "VALUBusy, VALUUtilization, LDSBankConflict, MemUnitStalled, WriteUnitStalled, "
		    "FetchSize and CacheHit are known to mean the same on GFX8 and GFX9 (Vega, "
		    "CDNA); later GPUs are not verified",
		    catalog);
}

enum sx_status amd_table_begin(struct amd_table *table, struct import_job *job,
			       struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	struct import_cell header = {"", 0};
	table->job = job;
	table->catalog = job->request->catalog ? job->request->catalog : "amd-gcn3";
	import_line(&lines, &header);
	return cells_begin(&table->cells, job, lines, header, err);
}

enum sx_status amd_table_device(struct amd_table *table, struct import_cell id, const char *what,
				struct amd_gpu *out, struct sx_error *err)
{
	char name[64];
	uint32_t index = strings_intern(&table->ids, id.text, id.size, &out->added);
	out->index = index;
	if (index == UINT32_MAX)
		return error_nomem(err, "importing");
	if (index >= IMPORT_DEVICES_MAX) {
		error_set(err, SX_ERR_LIMIT, "%s has more than %d GPUs", table->job->request->path,
			  IMPORT_DEVICES_MAX);
		error_because(err, "each of them becomes a device of its own");
		error_try(err, "the file in parts, by its column of GPUs");
		return SX_ERR_LIMIT;
	}
	if (!out->added)
		return SX_OK;
	snprintf(name, sizeof(name), "%s%.*s", what, (int)(id.size < 40 ? id.size : 40), id.text);
	table->rows[index] = import_rows_create(
	    table->job, &(struct import_rows_options){.catalog = table->catalog,
						      .name = id.size ? name : NULL,
						      .driver = "ROCm",
						      .kind = SX_SAMPLE_GROUP});
	return table->rows[index] ? SX_OK : error_nomem(err, "importing");
}

enum sx_status amd_table_end(struct amd_table *table, enum sx_status status, const char *because,
			     struct sx_error *err)
{
	if (!status)
		status = cells_end(&table->cells, err);
	status =
	    import_finish(table->job, status, because, "there is no line behind the header", err);
	strings_finish(&table->ids);
	if (!table->job->request->catalog)
		tell_meaning(table->job, table->catalog);
	return status;
}
