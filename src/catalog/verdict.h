/*
 * The rules of the verdict, as embedded (catalogs/verdict.yaml): facts over neutral names, and what
 * they say of a window of time. docs/verdict.md explains the format.
 */
#ifndef CATALOG_VERDICT_H
#define CATALOG_VERDICT_H

#include <sextant/expr.h>

#include "base/mem.h"

/* In which direction a value may differ from the true one; bits. */
enum verdict_bound {
	VERDICT_LOWER = 1, /* the true value may be higher */
	VERDICT_UPPER = 2, /* the true value may be lower; of a condition: it may not hold */
};

/* One way to a fact. */
struct verdict_way {
	const char *expr;
	double trust;	/* 0 to 1: how far a verdict may rest on it */
	uint32_t bound; /* enum verdict_bound */
	const char *of; /* what is special about it, or NULL */
	struct sx_expr *tree;
};

#define VERDICT_FACTS_MAX 256

/* What rules compare. */
struct verdict_fact {
	uint32_t line; /* in the file */
	const char *name, *title, *unit;
	const char *remedy;   /* how to get it, or NULL */
	const char *in_files; /* the same where all rows are of files, or NULL */
	/* What is said instead, and advised, where it alone lacks and no source knows of it; or
	 * NULL. */
	const char *nowhere, *elsewhere;
	const char *undecided; /* why its parts, all measured, do not decide it; or NULL */
	struct verdict_way *ways;
	uint32_t way_count;
};

/* One rule; several may have one name. Lists hold names of facts. */
struct verdict_rule {
	uint32_t line;
	const char *name, *title, *when, *keep, *advice;
	struct sx_strings needs, which, evidence;
	struct sx_expr *when_tree, *keep_tree;
};

struct verdict_rules {
	struct arena arena;
	uint64_t window_ns;	    /* at least */
	uint32_t frames;	    /* of a window, at least */
	uint32_t most;		    /* windows */
	uint32_t steady;	    /* windows that a verdict lasts, at least */
	struct verdict_fact *facts; /* in this order; a fact may use those before it */
	uint32_t fact_count;
	struct verdict_rule *rules; /* the first that holds is the verdict */
	uint32_t rule_count;
};

/* Reads the embedded rules. Errors: SX_ERR_BAD_INPUT with file and line, SX_ERR_NO_MEMORY. */
enum sx_status verdict_rules_read(struct verdict_rules *out, struct sx_error *err);
/* The same of a text; `origin` names it in messages. */
enum sx_status verdict_rules_parse(const char *text, size_t size, const char *origin,
				   struct verdict_rules *out, struct sx_error *err);
/* The index of a fact, or SX_NONE. */
uint32_t verdict_fact_find(const struct verdict_rules *rules, const char *name);
void verdict_rules_finish(struct verdict_rules *rules);

#endif
