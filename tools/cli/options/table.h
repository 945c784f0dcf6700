/* The table of options, and what of it a verb takes. */
#ifndef TOOLS_CLI_OPTIONS_TABLE_H
#define TOOLS_CLI_OPTIONS_TABLE_H

#include "tools/cli/options/options.h"

enum option_kind {
	FLAG,
	TALLY,
	STRING,
	TEXTS,
	LIST,
	DURATION,
	COUNT,
	NUMBER,
	SHARE,
	ID,
	CONSTANT,
	FORMAT,
	COLOR,
	PER
};

struct option_spec {
	const char *name;
	char letter;
	enum option_kind kind;
	size_t offset;
	const char *arg, *help;
	int value; /* FORMAT: what a short form sets; DURATION: 1 where none at all will do */
};

extern const struct option_spec table_specs[];
extern const size_t table_count;

bool table_takes(const struct verb *verb, const struct option_spec *spec);
/* The option of this name, or the only one that begins so; *others are as many as begin so. */
const struct option_spec *table_find_long(const struct verb *verb, const char *name, size_t len,
					  size_t *others);
const struct option_spec *table_find_short(const struct verb *verb, char letter);
/* What to say of a name that several options begin with, or none has: SX_ERR_USAGE. */
enum sx_status table_several(const struct verb *verb, const char *name, struct sx_error *err);
enum sx_status table_unknown(const struct verb *verb, const char *name, struct sx_error *err);

#endif
