/* Command-line options: one table for all verbs, and what was asked for. */
#ifndef TOOLS_CLI_OPTIONS_OPTIONS_H
#define TOOLS_CLI_OPTIONS_OPTIONS_H

#include <stdio.h>

#include <sextant/metric.h>

#include "output/view.h"

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* A growing list of strings that point into argv or into memory of their own. */
struct string_list {
	const char **items;
	size_t count, cap;
};

/* A 32-bit number that may be any, 0 too. */
struct option_id {
	bool given;
	uint32_t value;
};

struct option_share {
	bool given;
	uint32_t permille;
};

/* What the user asked for; a member is zero when its option was not given. */
struct options {
	struct string_list devices, metrics, args;
	const char *catalog; /* --for */
	const char *set, *input, *output;
	const char *offset; /* DUR with a sign, or NULL */
	uint64_t interval_ns, duration_ns, count, from_ns, to_ns;
	enum format format;
	bool format_given;
	enum color color;
	int verbose;
	bool quiet, help;
	struct sx_constant_value *constants;
	size_t constant_count, constant_cap;
	/* Options of single verbs. */
	const char *api, *as, *by, *sort, *keep, *sync, *counter, *event, *coarse, *fine;
	const char *reg, *value, *resolution, *process;
	struct string_list gates, maps;
	const char *gates_file, *gate_missing, *baseline, *update_baseline, *merge;
	bool gate_warn;
	bool only_own; /* of --metric only what a comparison adds by itself was left */
	uint64_t top, repeat;
	double fps;
	struct option_share overhead;
	enum sx_sample_kind per; /* SX_SAMPLE_TIME: not given */
	bool counters, join, selftest, realtime, summary, profiling, once;
	struct option_id context, pid;
	uint64_t delay_ns;
	uint64_t given;		  /* a bit for each line of the table of options */
	uint64_t defaulted;	  /* the same for those that the configuration gave */
	struct string_list owned; /* texts that are freed with the options */
	char **child;		  /* after `--`, NULL-terminated; NULL without */
};

/* How a verb wants its arguments. */
struct verb {
	const char *name;
	const char *synopsis; /* after the name, one line */
	const char *summary;  /* one line for the list of verbs */
	const char *about;    /* a paragraph for its help */
	unsigned formats; /* formats that the verb writes: a mask of 1 << enum format; 0: --format
			     is not taken */
	const char *options;  /* long names of the verb's options, separated by blanks */
	const char *by;	      /* what --by takes, where the table of options says another thing */
	const char *suffixes; /* of --output that say nothing of the format, beside those that do */
	int max_args;	      /* positional arguments; -1: any number */
	unsigned
	    files_from; /* arguments from this one on (1: the first) are what --input is; 0: none */
	bool child;	/* takes `-- command` */
	bool own_output;      /* opens --output itself */
	const char *captures; /* first arguments by which --output is a capture, with own_output */
	bool writes_catalogs; /* its text is a file to keep, whatever the locale */
	bool reads;	      /* files of any length: how far it is is shown */
	bool streams;	      /* the verb writes while it reads */
	bool pages;	      /* the verb's text may be longer than a screen */
	const char *examples; /* lines, or NULL */
};

/*
 * Parses argv (without the program and verb) for a verb. Errors: SX_ERR_USAGE with a suggestion.
 * Released by options_finish() in every case.
 */
enum sx_status options_parse(struct options *options, const struct verb *verb, int argc,
			     char **argv, struct sx_error *err);
void options_finish(struct options *options);
/* What the configuration says of an option. */
struct option_default {
	const char *name, *value;
	bool general; /* of every verb: a format that this one does not write is not meant for it */
	uint64_t given; /* options that win over it: a bit each; and whether a format does */
	bool format_given;
};
/*
 * Sets an option to a copy of the value, as the command line would, if the verb has the option and
 * the command line does not override it; *set: whether it was set. Errors: SX_ERR_USAGE with a
 * suggestion, also for a name that no verb has.
 */
enum sx_status options_default(struct options *options, const struct verb *verb,
			       const struct option_default *given, bool *set, struct sx_error *err);
/*
 * Whether the verb of this name (NULL: any verb) takes the option, and what is wrong with the
 * value. `verbs` is NULL-terminated. Errors: SX_ERR_USAGE with a suggestion.
 */
enum sx_status options_check_default(const struct verb *const *verbs, const char *of,
				     const struct option_default *given, struct sx_error *err);
/* Whether an option of this name may be given more than once. */
bool options_add_up(const char *name);
/* Whether the value of this option is the configuration's, and not of the command line. */
bool options_is_default(const struct options *options, const char *name);
/* Adds a text to a list, or with `split` a copy of it, taken apart at commas. */
enum sx_status options_add(struct options *options, struct string_list *list, const char *text,
			   bool split, struct sx_error *err);

/* Writes the options that a verb takes, one a line. */
void options_describe(const struct verb *verb, const struct text_target *out);

/* Whether `words`, separated by blanks, has this word; NULL has none. */
bool options_word(const char *words, const char *word);

/* "500us", "10ms", "2s", "1min": nanoseconds. Errors: SX_ERR_USAGE, also for a bare number. */
enum sx_status options_duration(const char *text, uint64_t *ns, struct sx_error *err);

/* The metrics that options select of any catalog; `like` may be NULL. Valid as long as `options`.
 */
struct sx_metrics_options options_selection(const struct options *options,
					    const struct sx_table *like);
/*
 * The candidate nearest to `word` by edit distance, or NULL when none is near. `candidates` is
 * NULL-terminated.
 */
const char *options_nearest(const char *word, const char *const *candidates);

#endif
