/* `sextant oa`: what its files share. */
#ifndef TOOLS_VERBS_OA_WORDS_H
#define TOOLS_VERBS_OA_WORDS_H

#include "tools/cli/cli.h"

/* Fills a usage error; SX_ERR_USAGE. */
enum sx_status oa_usage(struct sx_error *err, const char *what, const char *why,
			const char *remedy);
/* 32 bits of --value; text may be NULL. Errors: SX_ERR_USAGE. */
enum sx_status oa_register_value(const char *text, uint32_t *out, struct sx_error *err);
/* A key with a number as "0x0010". */
void oa_json_hex(struct json *json, const char *key, uint32_t value, int digits);

/* What oa_flex_check() found, as the keys "supported" and "warnings". */
void oa_json_check(struct json *json, bool supported, const char *const *warnings, uint32_t count);

/* `oa trigger decode`: registers of --set, or --register and --value, as fields. */
enum sx_status oa_trigger_decode(const struct cli *cli, struct sx_error *err);
/* `oa trigger encode`: fields to register values; each argument may hold several registers. */
enum sx_status oa_trigger_encode(const struct cli *cli, struct sx_error *err);

#endif
