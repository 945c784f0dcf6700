/* The specification of libGPUCounters while it is read and written; for this folder only. */
#ifndef CATALOG_IMPORT_MALI_SPEC_SPEC_H
#define CATALOG_IMPORT_MALI_SPEC_SPEC_H

#include "catalog/import/import.h"

#include <stdint.h>

#define SPEC_NAME_MAX 256

/* A counter as it is described; texts are the arena's, "" where the file has none. */
struct spec_info {
	const char *machine, *source, *aliases, *human, *group, *title, *units, *text, *equation;
	const char *gpus; /* "|Mali-G71|Mali-G72|" */
	bool slotted;	  /* some slot of the chosen layout holds it */
};

struct spec_slot {
	const char *key, *block, *source;
	uint32_t index, shift, size; /* size: of the block */
};

struct spec_product {
	const char *name, *key, *ids; /* "|0xa002|0xa007|" */
};

struct spec {
	struct vendor *in;
	struct spec_info *infos, info;
	struct spec_slot *slots;
	struct spec_product *products, product;
	size_t info_count, info_cap, slot_count, slot_cap, product_count, product_cap;
	const char *layout, *block; /* of the current element */
	uint32_t block_size;
	const char *key;     /* of the layout that was chosen */
	const char **groups; /* of the sections that were written */
	size_t group_count, group_cap;
};

bool spec_is(const char *a, const char *b);
/* Whether a list as "|a|b|" holds a word; NULL is an empty list. */
bool spec_holds(const char *list, const char *word);
/* "Mali-G725" and "Mali G1" as `--for` has them: mali-g725, mali-g1. Returns buf, as all three. */
const char *spec_plain_name(const char *text, char buf[SPEC_NAME_MAX]);
/* "GPU active cycles" as gpu_active_cycles. */
const char *spec_metric_name(const char *text, char buf[SPEC_NAME_MAX]);
/* Streamline's name: Mali, then each word of group and title with a capital. */
const char *spec_counter_name(const struct spec_info *info, char buf[SPEC_NAME_MAX]);

/* Reads all elements; false with s->in->status set. */
bool spec_read(struct spec *s);
/* The equation of a counter; NULL, with a note, when it cannot be expressed. To be freed. */
char *spec_equation(struct spec *s, const struct spec_info *info);
/* Writes the catalog of s->key; failures are in s->in->status. */
void spec_write(struct spec *s);

#endif
