/* A result while it is made; for import.c and rows/. */
#ifndef IMPORT_INTERNAL_H
#define IMPORT_INTERNAL_H

#include "import/formats.h"

struct import {
	const struct import_format *format;
	struct arena arena;
	struct spill spill; /* the text and the tables */
	struct import_device devices[IMPORT_DEVICES_MAX];
	uint32_t device_count;
	const char *notes[IMPORT_NOTES_MAX];
	uint32_t note_count;
};

#endif
