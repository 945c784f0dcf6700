/* The list of decoders. */
#include "decode/decode.h"

#define DECODER(name) extern const struct decoder_ops decode_##name;
#include "decode/decoders.def"
#undef DECODER

const struct decoder_ops *decode_find(enum raw_kind kind)
{
#define DECODER(name) &decode_##name,
	static const struct decoder_ops *const all[] = {
#include "decode/decoders.def"
	};
#undef DECODER
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i]->kind == kind)
			return all[i];
	return NULL;
}
