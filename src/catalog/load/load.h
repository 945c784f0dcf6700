/* The parts of a catalog, one function each; load_catalog() calls them in order of dependence. */
#ifndef CATALOG_LOAD_LOAD_H
#define CATALOG_LOAD_LOAD_H

#include "catalog/load/dump.h"
#include "catalog/load/fields.h"
#include "catalog/load/inherit.h"

/* How a catalog is loaded. */
struct load_job {
	/* Reads the catalog's own file into the two arenas. Errors as sx_catalog_open(). */
	enum sx_status (*read)(void *user, struct arena *nodes, struct arena *texts,
			       struct load_file *out, struct sx_error *err);
	void *user;
	const struct load_fetch *fetch; /* for the files that it builds upon; NULL: none */
	const char *product;		/* the product that it is opened as, or NULL */
	bool head_only;			/* name, title, products and matches alone */
	struct dump_text *resolved;	/* receives the whole as one file; NULL: not wanted */
};

/* Loads a catalog; *out holds a reference for the caller. Errors as sx_catalog_open(). */
enum sx_status load_run(const struct load_job *job, struct sx_catalog **out, struct sx_error *err);
/* Reads a file's text as load_job.read shall do it. */
enum sx_status load_text(const struct yaml_input *input, struct arena *nodes, struct arena *texts,
			 struct load_file *out, struct sx_error *err);

bool load_products(struct loader *l, const struct yaml_node *list);
/* Checks what products say of constants, and gives these the values of the one at hand. */
bool load_product_constants(struct loader *l, const struct yaml_node *list);
bool load_matches(struct loader *l, const struct yaml_node *list);
bool load_variants(struct loader *l, const struct yaml_node *list);
bool load_pass_limits(struct loader *l, const struct yaml_node *map);
bool load_constants(struct loader *l, const struct yaml_node *list);
bool load_blocks(struct loader *l, const struct yaml_node *list);
bool load_sections(struct loader *l, const struct yaml_node *list);
bool load_named_programs(struct loader *l, const struct yaml_node *list);
bool load_groups(struct loader *l, const struct yaml_node *list);
bool load_counters(struct loader *l, const struct yaml_node *list);
bool load_metrics(struct loader *l, const struct yaml_node *list);
bool load_advice(struct loader *l, const struct yaml_node *list);

#endif
