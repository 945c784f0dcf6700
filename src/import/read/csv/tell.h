/* What is odd about a table, in words. */
#ifndef IMPORT_READ_CSV_TELL_H
#define IMPORT_READ_CSV_TELL_H

#include "base/teller.h"
#include "import/read/csv/csv.h"

/* Tells a sentence for each thing that people should know. */
void csv_tell(const struct csv_tally *tally, const struct teller *to);

#endif
