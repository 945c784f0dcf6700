/* A small capture that has one of everything, for the tests of captures. */
#include "unit/capture/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct sx_capture_device *sample_device(void)
{
	static const struct sx_column columns[SAMPLE_COLUMNS] = {
	    {"Clocks", "cycles", SX_U64, SX_REDUCE_SUM, NULL},
	    {"Time", "s", SX_F64, SX_REDUCE_MEAN, NULL},
	    {"Absent", "count", SX_U64, SX_REDUCE_SUM, "not on this chip"},
	    {"Patchy", "bytes", SX_U64, SX_REDUCE_MAX, NULL},
	};
	static const uint8_t bits[SAMPLE_COLUMNS] = {32, 64, 64, 40};
	static const struct sx_constant_value constants[] = {{"Cores", 4}, {"Bus", 0.5}};
	static const struct sx_capture_device device = {
	    .catalog = "example",
	    .catalog_hash = 0x0123456789abcdef,
	    .facts.source = "test",
	    .facts.name = "Sample GPU",
	    .facts.driver = "none 1.0",
	    .kind = SX_SAMPLE_FRAME,
	    .facts.simulated = true,
	    .encloses_work = true,
	    .clock_error_ns = 7,
	    .interval_ns = 1000,
	    .facts.constants = constants,
	    .facts.constant_count = 2,
	    .columns = columns,
	    .bits = bits,
	    .column_count = SAMPLE_COLUMNS,
	};
	return &device;
}

uint64_t sample_begin_ns(uint64_t row)
{
	return 1000000 + row * 1000 + row / 10 * 50;
}

bool sample_value(uint64_t row, uint32_t column, uint64_t *u64, double *f64)
{
	*u64 = 0;
	*f64 = (double)NAN;
	switch (column) {
	case SAMPLE_COUNT:
		*u64 = row % 7 == 0 ? UINT64_MAX - row : row * 12345 % 1000003;
		return true;
	case SAMPLE_TIME:
		*f64 = sin((double)row) * 1e-3;
		return true;
	case SAMPLE_PATCHY:
		*u64 = row * row;
		return row % 3 != 1;
	default:
		return false;
	}
}

static bool write_row(struct sx_capture_writer *writer, uint32_t device, uint64_t row)
{
	uint64_t u64[SAMPLE_COLUMNS];
	double f64[SAMPLE_COLUMNS];
	uint8_t quality[SAMPLE_COLUMNS];
	struct sx_vector columns[SAMPLE_COLUMNS];
	uint64_t begin = sample_begin_ns(row), end = begin + 1000, group = row % 2;
	const char *strings[] = {"sky", "ground \xe2\x82\xac"};
	for (uint32_t i = 0; i < SAMPLE_COLUMNS; i++) {
		quality[i] = sample_value(row, i, &u64[i], &f64[i]) ? 0 : SX_QUALITY_GAP;
		bool f = i == SAMPLE_TIME;
		columns[i] = (struct sx_vector){f ? SX_F64 : SX_U64,
						f ? (const void *)&f64[i] : &u64[i], &quality[i]};
	}
	columns[SAMPLE_ABSENT] = (struct sx_vector){SX_U64, NULL, NULL};
	struct sx_rows rows = {.count = 1,
			       .begin_ns = &begin,
			       .end_ns = &end,
			       .columns = columns,
			       .column_count = SAMPLE_COLUMNS,
			       .strings = strings,
			       .string_count = 2};
	rows.labels[SX_LABEL_FRAME] = &row;
	rows.labels[SX_LABEL_GROUP] = row % 5 ? &group : NULL;
	return sx_capture_write(writer, device, &rows, NULL) == SX_OK;
}

bool sample_write(struct sx_capture_writer *writer, uint32_t device, uint64_t first, uint64_t rows)
{
	bool fine = true;
	for (uint64_t row = first; row < first + rows; row++)
		fine &= write_row(writer, device, row);
	return fine;
}

static bool column_matches(const struct sx_rows *rows, uint32_t column, size_t i, uint64_t row)
{
	const struct sx_vector *vector = &rows->columns[column];
	uint64_t u64;
	double f64;
	bool valid = sample_value(row, column, &u64, &f64);
	if (!vector->data)
		return column == SAMPLE_ABSENT;
	uint8_t quality = vector->quality ? vector->quality[i] : 0;
	if (valid != !(quality & SX_QUALITY_NO_DATA_MASK))
		return false;
	if (vector->type == SX_U64)
		return ((const uint64_t *)vector->data)[i] == (valid ? u64 : 0);
	double found = ((const double *)vector->data)[i];
	return valid ? found == f64 : isnan(found);
}

static bool labels_match(const struct sx_rows *rows, size_t i, uint64_t row)
{
	const uint64_t *frames = rows->labels[SX_LABEL_FRAME],
		       *groups = rows->labels[SX_LABEL_GROUP];
	if (!frames || frames[i] != row)
		return false;
	uint64_t group = groups ? groups[i] : SX_LABEL_ABSENT;
	if (row % 5 == 0)
		return group == SX_LABEL_ABSENT;
	return group < rows->string_count &&
	       strcmp(rows->strings[group], row % 2 ? "ground \xe2\x82\xac" : "sky") == 0;
}

bool sample_matches(const struct sx_rows *rows, uint64_t *first)
{
	uint64_t row = 0;
	while (sample_begin_ns(row) < rows->begin_ns[0] && row < 1000000)
		row++;
	*first = row;
	for (size_t i = 0; i < rows->count; i++, row++) {
		if (rows->begin_ns[i] != sample_begin_ns(row) ||
		    rows->end_ns[i] != sample_begin_ns(row) + 1000 || !labels_match(rows, i, row))
			return false;
		for (uint32_t c = 0; c < SAMPLE_COLUMNS; c++)
			if (!column_matches(rows, c, i, row))
				return false;
	}
	return rows->column_count == SAMPLE_COLUMNS;
}

bool sample_file(const char *path, const char *catalog)
{
	struct sx_capture_device device = *sample_device();
	static const struct sx_capture_property properties[] = {{"writer", "test"},
								{"host", "here"}};
	struct sx_capture_options options = {
	    .created_ns = 1, .properties = properties, .property_count = 2};
	struct sx_capture_clock clocks[] = {{"monotonic", 5, 1}, {"realtime", 99, 2}};
	struct sx_capture_mark loss = {10, 20, 3, false, "a buffer ran over"};
	struct sx_capture_mark gap = {30, 40, 0, false, "asleep"};
	struct sx_capture_mark note = {SX_TIME_UNKNOWN, SX_TIME_UNKNOWN, 0, false, "hello"};
	struct sx_capture_writer *writer = NULL;
	uint32_t a = 0, b = 0;
	device.catalog = catalog ? catalog : device.catalog;
	if (sx_capture_create(path, &options, &writer, NULL) != SX_OK)
		return false;
	bool fine =
	    sx_capture_add_device(writer, &device, &a, NULL) == SX_OK &&
	    sx_capture_add_device(writer, &device, &b, NULL) == SX_OK &&
	    sx_capture_clocks(writer, a, clocks, 2, NULL) == SX_OK &&
	    sample_write(writer, a, 0, 30) && sx_capture_flush(writer, NULL) == SX_OK &&
	    sample_write(writer, b, 0, 3) &&
	    sx_capture_mark(writer, a, SX_CAPTURE_LOSS, &loss, NULL) == SX_OK &&
	    sx_capture_mark(writer, a, SX_CAPTURE_GAP, &gap, NULL) == SX_OK &&
	    sx_capture_mark(writer, SX_CAPTURE_NO_DEVICE, SX_CAPTURE_NOTE, &note, NULL) == SX_OK &&
	    sx_capture_flush(writer, NULL) == SX_OK && sample_write(writer, a, 30, 20);
	return sx_capture_finish(writer, NULL, NULL) == SX_OK && fine;
}
