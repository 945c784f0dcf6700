/* A file of metric sets while it is read and written; for this folder only. */
#ifndef CATALOG_IMPORT_IGT_XML_IGT_H
#define CATALOG_IMPORT_IGT_XML_IGT_H

#include "catalog/import/import.h"

#include <stdint.h>

struct igt_program {
	const char *kind, *when;
	uint32_t set;
	struct vendor_text writes;
	long priority;
};

struct igt_set {
	const char *symbol, *title, *uuid, *format;
};

struct igt_metric {
	const char *symbol, *title, *category, *unit, *type, *expr, *max, *when, *text;
	uint32_t *sets;
	size_t set_count, set_cap;
};

struct igt {
	struct vendor *in;
	const char *chipset;
	struct igt_set *sets;
	struct igt_metric *metrics;
	struct igt_program *programs;
	const char **lost; /* symbols of metrics that were not translated */
	size_t set_count, set_cap, metric_count, metric_cap, program_count, program_cap;
	size_t lost_count, lost_cap;
	bool in_program;
};

/* Files of counters that equations read, in the order of a report. */
#define IGT_FILES 5
struct igt_file {
	const char *file, *title;
	uint32_t bits;
};
extern const struct igt_file igt_files[IGT_FILES];

struct igt_names {
	uint32_t slots[IGT_FILES]; /* one behind the highest number that is read */
	bool time, clock;
	const char **order;
	size_t count, cap;
};

/* Reads all elements; false with g->in->status set, as wherever one of these fails. */
bool igt_read(struct igt *g);
/* An attribute of the current element; NULL where it is empty. */
const char *igt_get(const struct igt *g, const char *name);
/*
 * IGT's postfix as ours; NULL, with a note, when it cannot be expressed. Words of Mesa's older
 * files have two blanks where a READ was lost between them; one is enough.
 */
const char *igt_formula(struct igt *g, const char *symbol, const char *what, const char *text);
/* A register_config, and each register of it. */
bool igt_begin_program(struct igt *g);
bool igt_add_write(struct igt *g);

/* Remembers that a metric was not translated. */
bool igt_lose(struct igt *g, const char *symbol);

/* Notes what all expressions read; n->order is to be freed, also on failure. */
bool igt_scan_names(struct igt *g, struct igt_names *n);
bool igt_write(struct igt *g);

#endif
