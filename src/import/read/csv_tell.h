/* What is odd about a table, in words. */
#ifndef IMPORT_READ_CSV_TELL_H
#define IMPORT_READ_CSV_TELL_H

#include "import/read/csv.h"

/* Calls `tell` with a sentence for each thing that people should know. */
void csv_tell(const struct csv_tally *tally, void (*tell)(void *user, const char *text),
	      void *user);

#endif
