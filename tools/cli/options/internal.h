/* Between the files of the parser: the table of options, and what options take, from text. */
#ifndef TOOLS_CLI_OPTIONS_INTERNAL_H
#define TOOLS_CLI_OPTIONS_INTERNAL_H

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

/* Sets the option's value; `text` must stay valid; NULL for a switch. Errors: SX_ERR_USAGE. */
enum sx_status value_set(struct options *options, const struct verb *verb,
			 const struct option_spec *spec, char *text, struct sx_error *err);
/* Says what the option takes instead: SX_ERR_USAGE. */
enum sx_status value_bad(struct sx_error *err, const struct option_spec *spec, const char *text,
			 const char *expected);

/* A copy that lives as long as the options; NULL without memory (parse.c). */
char *value_keep(struct options *options, const char *text);

/* False without memory. */
bool list_add(struct string_list *list, const char *item);
/* Splits at commas outside parentheses: A12=eu(fpu0-active, coarse=ps),EuActive. */
bool list_split(struct string_list *list, char *text);

/* "text, json and csv": the formats of a mask (format.c). */
const char *format_list(unsigned formats, char *buf, size_t size);
enum sx_status format_set(struct options *options, const struct option_spec *spec,
			  const struct verb *verb, const char *text, struct sx_error *err);
/*
 * The format that the suffix of a result file names. Errors: SX_ERR_USAGE if the verb does not
 * write it, or it is unknown.
 */
enum sx_status format_by_suffix(struct options *options, const struct verb *verb,
				struct sx_error *err);
/*
 * A capture that is to go to standard output ("-") goes to /dev/stdout, since its writer knows
 * names of files alone. Errors: SX_ERR_USAGE where something else is there.
 */
enum sx_status format_stdout_capture(struct options *options, const struct verb *verb,
				     struct sx_error *err);

/* Whether each option does something beside the others; errors: SX_ERR_USAGE (together.c). */
enum sx_status together_check(const struct options *o, const struct verb *verb,
			      struct sx_error *err);

#endif
