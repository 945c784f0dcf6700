/* Listings of a catalog, between the verb and how they are written. */
#ifndef OUTPUT_CATALOG_LIST_H
#define OUTPUT_CATALOG_LIST_H

#include "output/catalog/describe.h"

struct listing {
	const struct view *to;
	struct catalog_view view;
	const char *pattern; /* or NULL: everything */
	uint32_t set, variant;
	size_t shown;
};

/* Whether the pattern is found in one of three texts, each of which may be NULL. */
bool list_wanted(const struct listing *l, const char *a, const char *b, const char *c);
bool list_metric_wanted(const struct listing *l, uint32_t metric);
bool list_counter_wanted(const struct listing *l, uint32_t counter);
bool list_group_wanted(const struct listing *l, uint32_t group, bool sets_only);
uint32_t list_metrics_in(const struct catalog_view *view, uint32_t group);
uint32_t list_registers_of(const struct sx_group_info *group, enum sx_program_kind kind);

/* A line each, or with -v a paragraph each. False when memory is out. */
bool list_text(struct listing *l, const char *what);
/* Whether anything of a kind is wanted. */
bool list_any(const struct listing *l, const char *what);
/* The elements of an array, for a document of several catalogs. */
void list_json_items(struct listing *l, const char *what, struct json *json);
/* One document; one line each. */
void list_json(struct listing *l, const char *what);
void list_csv(struct listing *l, const char *what);

#endif
