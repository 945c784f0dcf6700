/* Raw rows without the columns of constants that the user gives: these stand in their place. */
#ifndef OUTPUT_ROWS_OVERRULED_H
#define OUTPUT_ROWS_OVERRULED_H

#include <sextant/catalog.h>
#include <sextant/table.h>

/* What the user gives. */
struct overruling {
	const struct sx_constant_value *constants;
	size_t count;
};

/* Zero-initialise. */
struct overruled {
	struct sx_table *table; /* NULL: no column is overruled */
	uint32_t *kept;		/* columns of the raw table */
	struct sx_vector *vectors, *some;
};

/*
 * `like` has the columns of the rows to come. What *out holds then is for overruled_finish(), also
 * when this fails. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status overruled_begin(struct overruled *out, const struct sx_catalog *catalog,
			       const struct overruling *by, const struct sx_table *like,
			       struct sx_error *err);
/* The rows of `raw` without these columns, in *out, which holds until the next call. */
enum sx_status overruled_rows(struct overruled *o, const struct sx_table *raw,
			      const struct sx_table **out, struct sx_error *err);
void overruled_finish(struct overruled *o);

#endif
