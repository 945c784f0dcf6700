/*
 * The little of XML that vendors' files need: elements, attributes and text, read one event at a
 * time. Document types are refused, and with them every entity but the five of XML itself, so that
 * no file grows when it is read.
 */
#ifndef CATALOG_IMPORT_XML_H
#define CATALOG_IMPORT_XML_H

#include "base/mem.h"

#include <stdint.h>
#include <sextant/status.h>

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
	bool many;   /* several documents stand behind each other; set by the reader */
	bool closes; /* the element that was opened last closes itself */
	bool any;    /* a root has been seen */
	const char *open[XML_DEPTH_MAX];
	const char *counted; /* up to which lines were counted, and how many */
	uint32_t lines;
	bool opened;	    /* the last event was an opening */
	bool is_leaf;	    /* the element that was closed last had no child */
	const char *inside; /* where its text begins */
	/* Of the event at hand. */
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

#endif
