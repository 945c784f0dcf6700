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
	bool closes; /* the element that was opened last closes itself */
	bool any;    /* a root has been seen */
	const char *open[XML_DEPTH_MAX];
	/* Of the event at hand. */
	const char *name;
	struct xml_attribute attributes[XML_ATTRIBUTES_MAX];
	uint32_t attribute_count;
};

/* Begins a reading; false when the text is too large, with the error set. */
bool xml_begin(struct xml *xml, const char *text, size_t size, const char *origin,
	       struct arena *arena, struct sx_error *err);
/* The next opening or closing of an element. Text between elements is passed over. */
enum xml_event xml_next(struct xml *xml);
/* An attribute's value, or NULL. */
const char *xml_get(const struct xml *xml, const char *name);
/* The line that the reading has reached, from 1. */
uint32_t xml_line(const struct xml *xml);

#endif
