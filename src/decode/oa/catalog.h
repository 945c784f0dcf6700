/* Which catalog describes the GPU of a recording or of a card. */
#ifndef DECODE_OA_CATALOG_H
#define DECODE_OA_CATALOG_H

#include <stdint.h>

#include <sextant/catalog.h>

#define OA_CATALOG_NAME_MAX 160

enum oa_catalog {
	OA_CATALOG_NONE,
	OA_CATALOG_NEAR, /* of another product of the same generation */
	OA_CATALOG_OWN,
};

/*
 * Finds the catalog of a PCI device id among the heads of all, driven by i915 or xe; else the one
 * of the nearest id of its generation. `name` is what to open. Thread-safe.
 */
enum oa_catalog oa_catalog_find(struct sx_context *context, uint32_t device_id,
				char name[OA_CATALOG_NAME_MAX]);

#endif
