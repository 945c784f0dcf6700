/* Columns that tell what the device is. */
#include "import/constants.h"

#include <string.h>

#include "catalog/column.h"

static bool is_told(const struct sx_catalog *catalog, const struct import_device *device,
		    uint32_t constant)
{
	for (uint32_t i = 0; i < device->facts.constant_count; i++)
		if (sx_catalog_find_constant(catalog, device->constants[i].name) == constant)
			return true;
	return false;
}

/* One that is the same in each row is the device's. */
static void take_constant(struct import_job *job, struct import_device *device, uint32_t column)
{
	const char *name = sx_table_column(device->table, column)->name;
	size_t rows = sx_table_row_count(device->table);
	double first = rows ? sx_table_get(device->table, column, 0) : 0;
	for (size_t i = 0; i < rows; i++) {
		spill_row(job->spill, i, sizeof(first) + 1);
		if (!(sx_table_get(device->table, column, i) == first))
			return;
	}
	char *copy = import_text(job, name, strlen(name));
	if (rows && copy && device->facts.constant_count < IMPORT_CONSTANTS_MAX)
		device->constants[device->facts.constant_count++] =
		    (struct sx_constant_value){copy, first};
}

void import_constants(struct import_job *job, struct import_device *device)
{
	struct sx_catalog *catalog = NULL;
	if (!device->catalog ||
	    sx_catalog_open(job->request->context, device->catalog, &catalog, NULL))
		return;
	for (uint32_t i = 0; i < sx_table_column_count(device->table); i++) {
		const char *name = sx_table_column(device->table, i)->name;
		uint32_t constant = column_meaning(catalog, name, SX_NONE).constant;
		if (constant != SX_NONE && !is_told(catalog, device, constant))
			take_constant(job, device, i);
	}
	sx_catalog_unref(catalog);
}
