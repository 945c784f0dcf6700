/* What records of all injected libraries have in common: their sender, and how they are refused. */
#ifndef DECODE_GUEST_RECORDS_H
#define DECODE_GUEST_RECORDS_H

#include "decode/decode.h"
#include "wire/channel.h"

/* The column of a counter of the catalog, if there is one. */
struct sx_column records_column(const struct decoder_setup *setup, const char *name);

/* Makes arrays by number (of contexts, processes) hold this one; new elements are zero. */
bool records_reach(void *array, size_t *count, size_t *cap, uint32_t number, size_t size);

/* Takes the record's head off, with so many values at most; else gives what is wrong with it. */
const char *records_head(const struct raw_sample *raw, uint32_t value_most,
			 struct wire_sample *head);
/* Fills in err: the record was left out, and what to do. SX_INCOMPLETE. */
enum sx_status records_refuse(const struct raw_sample *raw, const char *because,
			      const char *library, struct sx_error *err);

/* Whether a number of a driver's counter is one, and so small that a million of them have a sum. */
bool records_is_number(double value);

/* Errors of these: SX_ERR_NO_MEMORY. */
enum sx_status records_set_text(struct sx_table *table, enum sx_label label, size_t row,
				const char *text, size_t size);
/* Labels of a row: context, process, and the label path, which is the text behind the head. */
enum sx_status records_set_labels(const struct wire_sample *head, const char *path,
				  struct sx_table *table, size_t row);

#endif
