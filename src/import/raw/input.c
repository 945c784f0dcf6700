/* A file of raw counters: see input.h. */
#include "import/raw/input.h"

#include <string.h>

static bool same_constant(const struct raw_input *in, const char *a, const char *b)
{
	if (!strcmp(a, b))
		return true;
	if (!in->catalog)
		return false;
	uint32_t index = sx_catalog_find_constant(in->catalog, a);
	return index != SX_NONE && index == sx_catalog_find_constant(in->catalog, b);
}

bool raw_constant(const struct raw_input *in, const char *name, double *value)
{
	for (uint32_t i = 0; i < in->constant_count; i++) {
		if (!same_constant(in, in->constants[i].name, name))
			continue;
		*value = in->constants[i].value;
		return true;
	}
	return false;
}

void raw_add_constant(struct raw_input *in, const char *name, double value)
{
	double given;
	if (raw_constant(in, name, &given) || in->constant_count >= RAW_CONSTANTS_MAX)
		return;
	in->constants[in->constant_count++] = (struct sx_constant_value){name, value};
}
