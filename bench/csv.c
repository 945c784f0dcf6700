/* Reads CSV of counters from memory: whole numbers, with gaps, and with fractions; MB/s each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "import/table/csv.h"

#define COLUMNS 100
#define ROWS	50000

enum content { WHOLE, GAPS, FRACTIONS };

struct job {
	char *text;
	size_t size;
};

static void make(struct job *job, enum content content)
{
	unsigned state = 1;
	size_t cap = (size_t)COLUMNS * (ROWS + 1) * 16;
	job->text = malloc(cap);
	if (!job->text)
		abort();
	job->size = 0;
	for (int i = 0; i < COLUMNS; i++)
		job->size += (size_t)snprintf(job->text + job->size, cap - job->size, "c%d%c", i,
					      i + 1 < COLUMNS ? ',' : '\n');
	for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++) {
		char end = i % COLUMNS == COLUMNS - 1 ? '\n' : ',';
		state = state * 1103515245u + 12345u;
		unsigned number = state >> 4;
		if (content == GAPS && number % 8 == 0)
			job->text[job->size++] = end;
		else if (content == FRACTIONS)
			job->size +=
			    (size_t)snprintf(job->text + job->size, cap - job->size, "%u.%u%c",
					     number % 100000, number % 1000, end);
		else
			job->size += (size_t)snprintf(job->text + job->size, cap - job->size,
						      "%u%c", number, end);
	}
}

static void read_all(void *user)
{
	struct job *job = user;
	struct sx_table *table;
	const struct csv_text text = {job->text, job->size, "bench"};
	if (csv_parse(&text, NULL, &table, NULL) != SX_OK || sx_table_row_count(table) != ROWS)
		abort();
	sx_table_destroy(table);
}

int main(void)
{
	static const char *const names[] = {"whole numbers", "with gaps", "fractions"};
	for (int content = WHOLE; content <= FRACTIONS; content++) {
		struct job job;
		make(&job, (enum content)content);
		double seconds = bench_best(5, read_all, &job);
		printf("%-14s %6.1f MB  %6.0f MB/s\n", names[content], (double)job.size / 1e6,
		       (double)job.size / 1e6 / seconds);
		free(job.text);
	}
	return 0;
}
