/*
 * Allocations of the library, counted, and failing at will. The executable is linked with
 * -Wl,--wrap for malloc, calloc and realloc.
 */
#ifndef TESTS_ALLOCATIONS_H
#define TESTS_ALLOCATIONS_H

/* So many allocations until one fails; below 0: none does. */
extern long allocations_until_failure;
/* Calls of malloc() and calloc() so far. */
extern unsigned long allocations;

#endif
