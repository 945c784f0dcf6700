/* What names in a catalog's expressions stand for. */
#ifndef CATALOG_REFS_H
#define CATALOG_REFS_H

#include "catalog/internal.h"

enum ref_target { REF_NONE, REF_METRIC, REF_COUNTER, REF_CONSTANT, REF_BUILTIN };

/*
 * Resolves a name (with or without `$`, without an instance part) as formulas of metrics of `group`
 * (or SX_NONE) see it: metrics of the group, counters of the group, other counters, constants,
 * other metrics, built-in inputs. *index is where it stands; *matches (may be NULL) is above 1 when
 * several groups share the name and nothing tells which one is meant.
 */
enum ref_target refs_resolve(const struct sx_catalog *cat, const char *name, uint32_t group,
			     uint32_t *index, uint32_t *matches);

/* SX_ERR_NOT_FOUND for a variant that the catalog does not have. */
enum sx_status refs_no_variant(const struct sx_catalog *cat, const char *name,
			       struct sx_error *err);
/* SX_ERR_NOT_FOUND for a set or group that the catalog does not have, with what comes near. */
enum sx_status refs_no_group(const struct sx_catalog *cat, const char *name, struct sx_error *err);

#endif
