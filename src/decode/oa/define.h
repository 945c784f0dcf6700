/* What decode_i915_oa knows of counters that a user defines. */
#ifndef DECODE_OA_DEFINE_H
#define DECODE_OA_DEFINE_H

#include "decode/decode.h"

/* As decoder_ops.defines and .define. */
bool oa_defines(const char *pattern);
enum sx_status oa_define(const struct decoder_defining *known, const char *pattern,
			 struct sx_definition *out, struct sx_error *err);

/* decoder_ops.fits. */
enum sx_status oa_definition_fits(const struct sx_catalog *catalog, uint32_t group,
				  const char *pattern, struct sx_error *err);

#endif
