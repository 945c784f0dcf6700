/* The list of decoders. */
#include "decode/decode.h"

#define DECODER(name) extern const struct decoder_ops decode_##name;
#include "decode/decoders.def"
#undef DECODER

#define DECODER(name) &decode_##name,
static const struct decoder_ops *const decoders[] = {
#include "decode/decoders.def"
};
#undef DECODER
#define DECODERS (sizeof(decoders) / sizeof(decoders[0]))

enum sx_status decoder_table(const struct decoder *decoder, struct sx_table **out,
			     struct sx_error *err)
{
	return sx_table_create(decoder->columns, decoder->column_count, decoder->kind, out, err);
}

const struct decoder_ops *decode_find(enum raw_kind kind)
{
	for (size_t i = 0; i < DECODERS; i++)
		if (decoders[i]->kind == kind)
			return decoders[i];
	return NULL;
}

const struct decoder_ops *decode_definer(const char *pattern)
{
	for (size_t i = 0; i < DECODERS; i++)
		if (decoders[i]->defines && decoders[i]->defines(pattern))
			return decoders[i];
	return NULL;
}

const struct decoder_file *decode_recognise(const uint8_t *head, size_t size)
{
	for (size_t i = 0; i < DECODERS; i++)
		if (decoders[i]->file && decoders[i]->file->recognise(head, size))
			return decoders[i]->file;
	return NULL;
}
