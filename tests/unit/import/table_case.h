/* Texts of tables beside what they become, read as files of no known kind are. */
#ifndef UNIT_IMPORT_TABLE_CASE_H
#define UNIT_IMPORT_TABLE_CASE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "import/import.h"

/*
 * What a table becomes: columns, by "; ", each "NAME: UNIT VALUE...", a value a row, in the
 * catalog's unit; `-`: no data. In place of a unit: `*` any, `none` there is no such column, `time`
 * of begin_ns and end_ns, `label` texts, in which _ is a blank.
 */
struct table_case {
	const char *text, *catalog, *columns;
	const char *noted; /* in some note, or after "!" in none; or NULL */
};

void check_table(const struct table_case *c);
#define CHECK(cases)                                                                               \
	for (size_t i = 0; i < sizeof(cases) / sizeof((cases)[0]); i++)                            \
	check_table(&(cases)[i])

/* For what a case cannot say: the rows of the text's only device, until table_close(). */
const struct sx_table *table_of(const char *text, const char *catalog);
void table_close(void);
/* Of the text that was read last, as table_case has them. */
void check_notes(const char *noted);
/* The text is bad input, with these words in the message or the reason, and with a remedy. */
void refuse_table(const char *text, const char *catalog, const char *words);

int tables_open(void **state);
int tables_close(void **state);

#endif
