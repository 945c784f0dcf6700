/* `sextant oa`: what its files share. */
#ifndef TOOLS_VERBS_OA_OA_H
#define TOOLS_VERBS_OA_OA_H

#include "output/catalog/catalog.h"
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

/* What a counter is that the user defines: `explain 'A12=eu(fpu0-active, coarse=ps)'`. */

/* What a recording has for a definition. */
struct measured_value {
	const struct sx_table *totals; /* or NULL */
	double value;
};

/*
 * Explains a definition in the format of the options, with the numbers of `totals` (one row, or
 * NULL) put in; `value` is then the definition's. Errors: SX_ERR_USAGE, SX_ERR_NOT_FOUND,
 * SX_ERR_UNSUPPORTED (no such event, or not on this catalog's device), SX_ERR_NO_MEMORY.
 */
enum sx_status explain_flex(const struct cli *cli, const struct catalog_view *view,
			    const char *definition, const struct measured_value *measured,
			    struct sx_error *err);

#endif
