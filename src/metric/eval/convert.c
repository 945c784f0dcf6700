/* See convert.h. */
#include "metric/eval/convert.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

void *convert_type(struct sx_vector *vector, enum sx_type to, size_t rows)
{
	union {
		uint64_t u;
		double f;
	} *out = calloc(rows + 1, sizeof(*out) + 1);
	if (!out)
		return NULL;
	uint8_t *quality = (uint8_t *)(out + rows + 1);
	for (size_t i = 0; i < rows; i++) {
		quality[i] = vector->quality ? vector->quality[i] : 0;
		if (to == SX_F64)
			out[i].f = (double)((const uint64_t *)vector->data)[i];
		else if (!number_round(((const double *)vector->data)[i], &out[i].u))
			quality[i] |= SX_QUALITY_UNDEFINED;
	}
	*vector = (struct sx_vector){to, out, quality};
	return out;
}

double *convert_unit(struct sx_vector *vector, struct units_step step, size_t rows)
{
	double *out = calloc(rows + 1, sizeof(*out));
	for (size_t i = 0; out && i < rows; i++)
		out[i] = units_apply(step, vector->type == SX_U64
					       ? (double)((const uint64_t *)vector->data)[i]
					       : ((const double *)vector->data)[i]);
	if (out)
		*vector = (struct sx_vector){SX_F64, out, vector->quality};
	return out;
}

struct units_step convert_step(const struct sx_metrics *m, uint32_t metric, const char *unit)
{
	uint32_t count;
	struct units units;
	const char *own = sx_catalog_metrics(m->catalog, &count)[metric].unit;
	if (!unit || strcmp(unit, own) == 0)
		return units_step(1);
	units_init(&units);
	double factor = units_factor(&units, unit, own);
	return units_step(factor > 0 ? factor : 1);
}
