/* Which program each row is of, and which of them was busy for longest. */
#ifndef ANALYSIS_BUSIEST_H
#define ANALYSIS_BUSIEST_H

#include <sextant/catalog.h>
#include <sextant/table.h>

#include "base/mem.h"

#define BUSIEST_PROGRAMS 16 /* that are told apart; the others count as one more */

/* Zero-initialise. */
struct busiest {
	char *labels[BUSIEST_PROGRAMS]; /* as rows have them */
	double busy_ns[BUSIEST_PROGRAMS + 1];
	size_t count;
	uint8_t *of_row; /* of the rows at hand: index of their program */
	size_t cap;
	uint32_t cpu_time; /* the column of it, SX_NONE without; by then length counts */
	bool begun;
};

/* Looks at the rows of a table. False when memory is out. */
bool busiest_look(struct busiest *busiest, const struct sx_catalog *catalog,
		  const struct sx_table *raw);
/* Index of the busiest program. */
size_t busiest_program(const struct busiest *busiest);
/* Its label, where there are several programs; else NULL. */
const char *busiest_label(const struct busiest *busiest);
void busiest_finish(struct busiest *busiest);

#endif
