/* Units: the list of catalogs/units.tsv, and quotients of two of its units. */
#ifndef CATALOG_UNITS_H
#define CATALOG_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#define UNITS_TEXT_MAX 48

/* Which prefixes a person's reading of value * factor may get. */
enum unit_scale {
	UNIT_PLAIN, /* none, and the value is shown as it is */
	UNIT_SI,    /* k M G */
	UNIT_IEC,   /* Ki Mi Gi */
	UNIT_FINE,  /* n u m k M G */
};

/* A unit of the list. `symbol` may be empty; `below`, its name under a fraction bar, as well. */
struct unit {
	const char *name, *dimension, *reads, *symbol, *below;
	double factor; /* to the dimension's base unit, which the symbol names */
	enum unit_scale scale;
};

/* scripts/embed.py makes it of catalogs/units.tsv. */
extern const struct unit units_list[];
extern const uint32_t units_list_count;

struct units {
	const struct unit *items;
	uint32_t count;
};

/* The list of the library. */
void units_init(struct units *units);
/* A unit of the list by its name, or NULL. */
const struct unit *units_find(const struct units *units, const char *name);
/*
 * Takes a quotient of two units apart ("cycles/pixel", "bytes/s/cycle"): false when the name is not
 * one, or is listed as a whole.
 */
bool units_split(const struct units *units, const char *name, const struct unit **over,
		 const struct unit **under);
/*
 * The base unit of what a unit measures, as machine-readable results give it ("s" for "ms", "bytes"
 * for "KiB"), and *factor to it. Units that are plain shares or already base, and unknown ones,
 * stay as they are with a factor of 1. The name is in `buf` where it is a quotient, else `name` or
 * a string of the list.
 */
const char *units_base(const struct units *units, const char *name, char buf[2 * UNITS_TEXT_MAX],
		       double *factor);
/*
 * How a value is multiplied by a factor: of times and over one is 1 where the factor or its inverse
 * is a whole number, so that what comes out is the nearest double of the product.
 */
struct units_step {
	double times, over;
	unsigned power; /* over is 10^power, and times 1; 0: it is not */
};

struct units_step units_step(double factor);

static inline double units_apply(struct units_step step, double value)
{
	return value * step.times / step.over;
}

/*
 * The way back, to the value that units_apply() makes `value` of: where several round to it, a
 * whole one before others, so that a value that was written and read is written alike again.
 */
double units_unapply(struct units_step step, double value);
/*
 * The factor from numbers in unit `from` to the same in unit `to`; 0 when they do not measure the
 * same thing, or one is not known.
 */
double units_factor(const struct units *units, const char *from, const char *to);
/*
 * Whether numbers in unit `from` can be read as numbers in `to`: by a factor, or unchanged where
 * both count things one by one (cycles, threads) or one says nothing ("count", "unknown").
 */
bool units_fit(const struct units *units, const char *from, const char *to);
/* Whether the name is a unit of the list or a quotient of two. */
bool units_known(const struct units *units, const char *name);
/* Whether both are known, measure the same thing and have the same factor. */
bool units_agree(const struct units *units, const char *a, const char *b);

#endif
