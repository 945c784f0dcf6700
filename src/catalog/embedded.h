/* The catalogs and data files inside the library; scripts/embed.py generates the tables. */
#ifndef CATALOG_EMBEDDED_H
#define CATALOG_EMBEDDED_H

struct embedded_file {
	const char *name;	 /* NULL ends a table */
	const char *begin, *end; /* a NUL stands at `end` */
};

/* Sorted by name: catalogs and vendors' shared files without ".yaml", data with their suffix. */
extern const struct embedded_file embedded_catalogs[];
extern const struct embedded_file embedded_shared[];
extern const struct embedded_file embedded_data[];

#endif
