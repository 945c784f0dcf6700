/* The catalogs and data files inside the library; scripts/embed.py generates what is declared here.
 */
#ifndef CATALOG_EMBEDDED_H
#define CATALOG_EMBEDDED_H

#include <stdint.h>

struct embedded_file {
	const char *name;	 /* NULL ends a table */
	const char *begin, *end; /* a NUL is at `end` */
};

/* Sorted by name, which is that of the file. */
extern const struct embedded_file embedded_data[];
/* All catalogs and shared files; catalog/search/pack.h says how. */
extern const uint8_t embedded_pack_begin[], embedded_pack_end[];

#endif
