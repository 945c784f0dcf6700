/*
 * A capture of any size, of values that nothing can compress: 913 columns, one sample each
 * millisecond. Usage: make-large PATH MIB
 */
#include <sextant/capture.h>

#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 913
#define ROWS	100

static uint64_t values[COLUMNS][ROWS], begin_ns[ROWS], end_ns[ROWS];

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static struct sx_capture_writer *create(const char *path)
{
	static char names[COLUMNS][16];
	static struct sx_column columns[COLUMNS];
	struct sx_capture_device device = {
	    .catalog = "cpu", .facts.source = "cpu", .columns = columns, .column_count = COLUMNS};
	struct sx_capture_writer *writer;
	uint32_t index;
	for (int c = 0; c < COLUMNS; c++) {
		snprintf(names[c], sizeof(names[c]), "C%d", c);
		columns[c] = (struct sx_column){names[c], "count", SX_U64, SX_REDUCE_SUM, NULL};
	}
	if (sx_capture_create(path, NULL, &writer, NULL) ||
	    sx_capture_add_device(writer, &device, &index, NULL))
		exit(1);
	return writer;
}

static void fill(uint64_t first)
{
	for (uint64_t i = 0; i < ROWS; i++) {
		begin_ns[i] = (first + i) * 1000000;
		end_ns[i] = begin_ns[i] + 1000000;
	}
	for (int c = 0; c < COLUMNS; c++)
		for (int i = 0; i < ROWS; i++)
			values[c][i] = next_random();
}

int main(int argc, char **argv)
{
	struct sx_vector columns[COLUMNS];
	struct sx_rows rows = {.count = ROWS,
			       .begin_ns = begin_ns,
			       .end_ns = end_ns,
			       .columns = columns,
			       .column_count = COLUMNS};
	uint64_t bytes = argc == 3 ? strtoull(argv[2], NULL, 10) << 20 : 0;
	struct sx_capture_writer *writer = bytes ? create(argv[1]) : NULL;
	if (!writer)
		return 2;
	for (int c = 0; c < COLUMNS; c++)
		columns[c] = (struct sx_vector){SX_U64, values[c], NULL};
	for (uint64_t row = 0; row * COLUMNS * 8 < bytes; row += ROWS) {
		fill(row);
		if (sx_capture_write(writer, 0, &rows, NULL) ||
		    (row / ROWS % 50 == 49 && sx_capture_flush(writer, NULL)))
			return 1;
	}
	return sx_capture_finish(writer, NULL, NULL) != SX_OK;
}
