/* Whether units are known and agree. */
#include "catalog/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void units_init(struct units *units)
{
	*units = (struct units){units_list, units_list_count};
}

const struct unit *units_find(const struct units *units, const char *name)
{
	for (uint32_t i = 0; i < units->count; i++)
		if (strcmp(units->items[i].name, name) == 0)
			return &units->items[i];
	return NULL;
}

static const struct unit *find_over(const struct units *units, const char *name, size_t len)
{
	for (uint32_t i = 0; i < units->count; i++) {
		const char *item = units->items[i].name;
		if (strncmp(item, name, len) == 0 && item[len] == '\0')
			return &units->items[i];
	}
	return NULL;
}

static const struct unit *find_under(const struct units *units, const char *name)
{
	for (uint32_t i = 0; i < units->count; i++)
		if (*name && strcmp(units->items[i].below, name) == 0)
			return &units->items[i];
	return NULL;
}

bool units_split(const struct units *units, const char *name, const struct unit **over,
		 const struct unit **under)
{
	if (units_find(units, name))
		return false;
	/* The numerator may have a slash of its own ("bytes/s/cycle"): try each. */
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		*over = find_over(units, name, (size_t)(slash - name));
		*under = find_under(units, slash + 1);
		if (*over && *under)
			return true;
	}
	return false;
}

bool units_known(const struct units *units, const char *name)
{
	const struct unit *over, *under;
	return units_find(units, name) || units_split(units, name, &over, &under);
}

/* The dimension of a unit, quotients resolved, so that "Hz" and "cycles/s" are the same. */
struct measure {
	char dimension[2 * UNITS_TEXT_MAX];
	double factor;
};

static bool measure_of(const struct units *units, const char *name, struct measure *out)
{
	const struct unit *over = units_find(units, name), *under = NULL;
	if (!over && !units_split(units, name, &over, &under))
		return false;
	snprintf(out->dimension, sizeof(out->dimension), "%s%s%s", over->dimension,
		 under ? "/" : "", under ? under->dimension : "");
	out->factor = under ? over->factor / under->factor : over->factor;
	return true;
}

bool units_agree(const struct units *units, const char *a, const char *b)
{
	struct measure of_a, of_b;
	return measure_of(units, a, &of_a) && measure_of(units, b, &of_b) &&
	       of_a.factor == of_b.factor && strcmp(of_a.dimension, of_b.dimension) == 0;
}

/* The unit of a dimension with factor 1; the unit's own symbol where the list has none. */
static const char *base_name(const struct units *units, const struct unit *unit)
{
	for (uint32_t i = 0; i < units->count; i++)
		if (units->items[i].factor == 1 &&
		    strcmp(units->items[i].dimension, unit->dimension) == 0)
			return units->items[i].name;
	return unit->symbol;
}

static bool stays(const struct unit *unit)
{
	return unit->factor == 1 || unit->scale == UNIT_PLAIN;
}

const char *units_base(const struct units *units, const char *name, char buf[2 * UNITS_TEXT_MAX],
		       double *factor)
{
	const struct unit *over = units_find(units, name), *under = NULL;
	*factor = 1;
	if (over) {
		if (stays(over))
			return name;
		*factor = over->factor;
		return base_name(units, over);
	}
	if (!units_split(units, name, &over, &under) || stays(over) || under->factor != 1)
		return name;
	*factor = over->factor;
	snprintf(buf, 2 * UNITS_TEXT_MAX, "%s/%s", base_name(units, over), under->below);
	return buf;
}

struct units_step units_step(double factor)
{
	double inverse = round(1 / factor), ten = 1;
	/* 1 / 1e-9 is not quite 1e9. */
	if (!(factor > 0 && factor < 1 && fabs(inverse * factor - 1) < 1e-12))
		return (struct units_step){factor, 1, 0};
	struct units_step step = {1, inverse, 0};
	for (unsigned power = 1; power <= 12; power++)
		if ((ten *= 10) == inverse)
			step.power = power;
	return step;
}

double units_unapply(struct units_step step, double value)
{
	double guess = value * step.over / step.times;
	double near[] = {round(guess), guess, nextafter(guess, -INFINITY),
			 nextafter(guess, INFINITY)};
	for (int i = 0; i < 4; i++)
		if (units_apply(step, near[i]) == value)
			return near[i];
	return guess;
}

static bool is_of_things(const struct units *units, const char *name)
{
	const struct unit *unit = units_find(units, name);
	return unit && unit->scale == UNIT_SI && !strchr(unit->dimension, '/');
}

bool units_fit(const struct units *units, const char *from, const char *to)
{
	return units_factor(units, from, to) != 0 || strcmp(from, "count") == 0 ||
	       strcmp(from, "unknown") == 0 || strcmp(to, "unknown") == 0 ||
	       (is_of_things(units, from) && is_of_things(units, to));
}

double units_factor(const struct units *units, const char *from, const char *to)
{
	struct measure a, b;
	if (!measure_of(units, from, &a) || !measure_of(units, to, &b) || b.factor == 0 ||
	    strcmp(a.dimension, b.dimension) != 0)
		return 0;
	double factor = a.factor / b.factor;
	return fabs(factor - round(factor)) < factor * 1e-12 ? round(factor) : factor;
}
