/* The label of each key. */
#ifndef ANALYSIS_REPORT_BY_KEYS_H
#define ANALYSIS_REPORT_BY_KEYS_H

#include "analysis/report/by.h"

/* The label that separates rows; SX_LABEL_COUNT: time has none. */
enum sx_label by_label(enum report_key key);

#endif
