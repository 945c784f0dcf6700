/* Files of raw counters: given constants, the device of a file, and Mali dumps back to back. */
#include "import/raw/raw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sextant/mali.h>

#include "base/error.h"

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

const struct decoder_file *import_raw_file(const char *path)
{
	uint8_t head[DECODER_HEAD];
	FILE *file = path && strcmp(path, "-") != 0 ? fopen(path, "rbe") : NULL;
	if (!file)
		return NULL;
	size_t size = fread(head, 1, sizeof(head), file);
	fclose(file);
	return decode_recognise(head, size);
}

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
