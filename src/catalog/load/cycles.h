/* Whether metrics go round in circles. */
#ifndef CATALOG_LOAD_CYCLES_H
#define CATALOG_LOAD_CYCLES_H

#include "catalog/load/fields.h"

/* Refuses a catalog whose metrics need each other, naming the circle. */
bool refs_check_cycles(struct loader *l);

#endif
