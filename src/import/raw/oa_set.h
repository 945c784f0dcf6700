/* The metric set that a recording of OA reports was made with; for this folder only. */
#ifndef IMPORT_RAW_OA_SET_H
#define IMPORT_RAW_OA_SET_H

#include <sextant/oa.h>

#include "import/raw/input.h"

/* Index of a set, or SX_NONE. By uuid, which names the registers that were programmed; names are
 * the same on every GPU. */
uint32_t raw_oa_set_by_uuid(const struct raw_input *in, const char *uuid);
/* The set that the recording says: its uuid decides, else its name. */
void raw_oa_choose_set(struct raw_input *in, const struct sx_oa_device *device, uint32_t by_uuid);
/* A published uuid says what each counter counted, whatever the user's definition claims. */
void raw_oa_check_definitions(const struct raw_input *in, uint32_t by_uuid);
enum sx_status raw_oa_unknown_set(const struct raw_input *in, struct sx_error *err);
/* Reports alone do not say which set was programmed, and formulas depend on it. */
enum sx_status raw_oa_no_set(struct sx_error *err);

#endif
