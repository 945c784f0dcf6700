/* Mali dumps back to back: see mali_dump.h. */
#include "import/raw/mali_dump.h"

#include <math.h>
#include <string.h>

#include <sextant/mali.h>

#include "base/error.h"

static enum sx_status need(struct sx_error *err, const char *name, const char *example)
{
	error_set(err, SX_ERR_USAGE, "Mali dumps need the constant %s", name);
	error_because(err, "it says how many blocks a dump has");
	error_try(err, "--const %s=%s", name, example);
	return SX_ERR_USAGE;
}

static bool whole(double value, double max)
{
	return value >= 1 && value <= max && value == floor(value);
}

/* Slices and cores as the constants give them; what follows from them becomes a constant as well.
 */
static enum sx_status take_layout(struct raw_input *in, struct sx_mali_options *options,
				  struct sx_error *err)
{
	double slices, mask, cores;
	if (!raw_constant(in, "l2_slices", &slices))
		return need(err, "l2_slices", "1");
	if (raw_constant(in, "shader_core_mask", &mask)) {
		if (!whole(mask, 0x1p53))
			return need(err, "shader_core_mask", "0x7");
		options->core_mask = (uint64_t)mask;
	} else if (raw_constant(in, "shader_cores", &cores) && whole(cores, 53)) {
		options->core_mask = (UINT64_C(1) << (uint64_t)cores) - 1;
	} else {
		return need(err, "shader_core_mask", "0x7");
	}
	if (!whole(slices, SX_MALI_SLICES_MAX))
		return need(err, "l2_slices", "1");
	options->l2_slices = (uint32_t)slices;
	raw_add_constant(in, "shader_core_mask", (double)options->core_mask);
	raw_add_constant(in, "shader_cores", __builtin_popcountll(options->core_mask));
	return SX_OK;
}

enum sx_status raw_mali_dump(struct raw_input *in, struct sx_error *err)
{
	struct sx_mali_options options = {.variant = in->variant, .instances = in->instances};
	struct sx_mali_decoder *decoder = NULL;
	const char *width = strchr(in->kind, ':') + 1;
	options.value_bytes = !strcmp(width, "u32") ? 4 : !strcmp(width, "u64") ? 8 : 0;
	if (!options.value_bytes) {
		error_set(err, SX_ERR_USAGE, "Mali dumps have no values of kind \"%s\"", width);
		error_because(err, "counters are of 32 or of 64 bits");
		error_try(err, "--as mali-dump:u32, or mali-dump:u64");
		return SX_ERR_USAGE;
	}
	if (!in->catalog) {
		error_set(err, SX_ERR_USAGE, "a Mali dump does not say which GPU it is of");
		error_because(err, "its bytes are counters alone");
		error_try(err, "--for mali-g310, or --for mali-g625");
		return SX_ERR_USAGE;
	}
	enum sx_status status = take_layout(in, &options, err);
	if (!status)
		status = sx_mali_decoder_create(in->catalog, &options, &decoder, err);
	if (!status)
		status = sx_mali_table_create(decoder, &in->table, err);
	if (!status)
		status = sx_mali_decode(decoder, in->data, in->size, in->table, err);
	sx_mali_decoder_destroy(decoder);
	return status;
}
