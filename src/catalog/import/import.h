/* From vendors' own files to our YAML: one reader a kind of file, and what they share. */
#ifndef CATALOG_IMPORT_IMPORT_H
#define CATALOG_IMPORT_IMPORT_H

#include "base/mem.h"
#include "catalog/import/xml.h"

#include <sextant/lint.h>

/* Text that grows; `failed` when memory ran out. */
struct vendor_text {
	char *data;
	size_t size, cap;
	bool failed;
};

struct vendor {
	const struct sx_import_request *request;
	struct xml xml;
	struct arena arena;
	struct sx_error *err;
	enum sx_status status;
	struct vendor_text out;
	uint32_t untranslated;
};

/* Appends; on failure text->failed is set. */
void vendor_text_put(struct vendor_text *text, const char *fmt, ...) SX_PRINTF(2, 3);
/* The same of in->out. */
void vendor_put(struct vendor *in, const char *fmt, ...) SX_PRINTF(2, 3);
/* A text in quotes as YAML has it, cut to `max` bytes at a word. */
void vendor_put_quoted(struct vendor *in, const char *text, size_t max);
/* Tells what could not be translated. */
void vendor_note(struct vendor *in, const char *fmt, ...) SX_PRINTF(2, 3);
/* Whether a text can be the name of something in a catalog. */
bool vendor_is_name(const char *text);
/* The file's own name of a unit as one of ours, or NULL. */
const char *vendor_unit(const char *text);
bool vendor_no_memory(struct vendor *in);

/* One reader a kind: fills in->out, or fails with in->status. */
bool vendor_igt_xml(struct vendor *in);
bool vendor_gator_xml(struct vendor *in);
bool vendor_mali_spec(struct vendor *in);

/* postfix.c: IGT's postfix as ours, in the arena; NULL with *why when it cannot be said. */
const char *vendor_postfix(struct vendor *in, const char *text, const char **why);

#endif
