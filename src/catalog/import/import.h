/* From vendors' own files to our YAML: one reader a kind of file, and what they share. */
#ifndef CATALOG_IMPORT_IMPORT_H
#define CATALOG_IMPORT_IMPORT_H

#include <sextant/lint.h>
#include <sextant/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

#define XML_BYTES_MAX	   ((size_t)64 * 1024 * 1024)
#define XML_DEPTH_MAX	   32
#define XML_ATTRIBUTES_MAX 64

/* Before each of several files: their names, for messages. The first line follows at once. */
#define XML_FILE     "<?sextant-file "
#define XML_FILE_END "?>"

enum xml_event { XML_OPEN, XML_CLOSE, XML_END, XML_FAILED };

struct xml_attribute {
	const char *name, *value;
};

/* A reading. Names and values live in `arena`, which the caller gives and finishes. */
struct xml {
	const char *text, *at, *end, *origin;
	struct arena *arena;
	struct sx_error *err;
	enum sx_status status; /* of a failure */
	uint32_t depth;
	bool many;   /* several documents follow each other; set by the reader */
	bool closes; /* the element that was opened last closes itself */
	bool any;    /* a root has been seen */
	const char *open[XML_DEPTH_MAX];
	const char *counted; /* up to which lines were counted, and how many */
	uint32_t lines;
	bool opened;	    /* the last event was an opening */
	bool is_leaf;	    /* the element that was closed last had no child */
	const char *inside; /* where its text begins */
	/* Of the current event. */
	const char *name;
	struct xml_attribute attributes[XML_ATTRIBUTES_MAX];
	uint32_t attribute_count;
};

struct xml_input {
	const char *text;
	size_t size;
	const char *origin; /* for messages */
};

/* Begins a reading; false when the text is too large, with the error set. */
bool xml_begin(struct xml *xml, const struct xml_input *input, struct arena *arena,
	       struct sx_error *err);
/* The next opening or closing of an element. Text between elements is passed over. */
enum xml_event xml_next(struct xml *xml);
/* An attribute's value, or NULL. */
const char *xml_get(const struct xml *xml, const char *name);
/*
 * The text of the element that XML_CLOSE has just closed: entities decoded, each run of blanks one.
 * "" where it holds other elements or has no text; NULL on failure. In the arena.
 */
const char *xml_text(struct xml *xml);
/* The line that the reading has reached, from 1. */
uint32_t xml_line(struct xml *xml);

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
/* Reports what could not be translated. */
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

/* One behind the highest number of each file of counters; 0: reports have none of it. */
struct oa_slots {
	const char *format;
	unsigned a, b, c, pec;
};

/* The slots of a format, by its name in any case; NULL: there is no such format. */
const struct oa_slots *oa_slots_find(const char *format);
/* The slots of the largest format, for a set that names none. */
const struct oa_slots *oa_slots_any(void);
/* Whether a counter of `file` ("A", "PEC", …) can be read; files that are not listed are not in
 * reports. */
bool oa_slots_has(const struct oa_slots *slots, const char *file, unsigned long number);

#endif
