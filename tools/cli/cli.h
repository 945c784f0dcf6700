/* What every verb gets: the context, the parsed options, and where to write. */
#ifndef TOOLS_CLI_CLI_H
#define TOOLS_CLI_CLI_H

#include <stdio.h>

#include "base/error.h"
#include "output/view.h"
#include "tools/cli/options/options.h"
#include "tools/cli/result_file.h"

struct input_device;
struct imported;
struct ticker;

/*
 * The user's own defaults (config.c): $XDG_CONFIG_HOME/sextant/config, or ~/.config/sextant/config.
 * A line is "option = value" for every verb that takes the option, "verb.option = value" for one
 * verb, or "preset name = list", a selection that -m takes by this name, other presets among it; #
 * begins a comment, in a line of its own or behind a blank.
 */
struct config_line {
	const char *verb; /* NULL: every one */
	const char *name, *value;
	bool preset;
	bool used; /* it decides something of this run */
	bool open; /* a preset that is being expanded */
	unsigned line;
};

/* Zero-initialise. */
struct config {
	char *path, *text; /* path: NULL where no folder is known */
	struct config_line *lines;
	size_t count, cap;
};

enum exit_code {
	EXIT_OK = 0,
	EXIT_INCOMPLETE = 1,
	EXIT_USAGE = 2,
	EXIT_NOT_FOUND = 3,
	EXIT_PERMISSION = 4,
	EXIT_BAD_INPUT = 5,
	EXIT_REGRESSION = 6,
};

#define CLI_SHOWN_MAX 64

/* What becomes of --output; verbs see it through a constant struct cli. */
struct cli_result {
	struct result_file file;
	bool refused;	       /* an error was reported: the old file is kept */
	bool unpaged;	       /* the pager did not run: the text is lost */
	int write_errno;       /* of a write that failed before the end */
	struct ticker *ticker; /* while something is read for long, or NULL */
	/* Hashes of the last remarks: each is shown once. */
	uint64_t shown[CLI_SHOWN_MAX];
	unsigned shown_count;
};

struct cli {
	struct sx_context *context;
	const struct verb *verb;
	struct options options;
	struct config config;
	FILE *pager;		/* between the result and the terminal, or NULL */
	FILE *beyond;		/* the stream behind the conversion to ASCII, or NULL */
	struct view view;	/* the result: standard output, or --output */
	struct text_target err; /* everything else */
	struct cli_result *result;
	struct sx_device_list *devices; /* of this machine; NULL until they are first needed */
	struct input_device *capture;	/* the input, once it is open */
	struct imported *imported;	/* inputs that were files of other tools */
};

/* A verb and its function; the function returns an exit status. */
struct command {
	struct verb verb;
	int (*run)(struct cli *cli);
};

/*
 * Writes a triplet to standard error and returns the exit code of its status. A regular file of
 * --output then stays as it was, unless the status is SX_INCOMPLETE.
 */
int cli_fail(const struct cli *cli, const struct sx_error *err);
/* Opens --output as the result stream, when it was given; for verbs that open it themselves. */
enum sx_status cli_open_output(struct cli *cli, struct sx_error *err);
/* Opens the result stream of a verb: --output, or a pager where there is a terminal. */
enum sx_status cli_begin_output(struct cli *cli, struct sx_error *err);
/* In a locale without UTF-8, text is converted to ASCII from here on. */
void cli_begin_ascii(struct cli *cli);
/*
 * Closes the result stream; returns `code`, or another status: a result that could not be written
 * whole must not look like success.
 */
int cli_end_output(struct cli *cli, int code);
/* Reads the terminals' width: at the start, and again before a late result is written. */
void cli_ask_width(struct cli *cli);
/* A remark on standard error, once, unless --quiet. */
void cli_note(const struct cli *cli, const char *fmt, ...) SX_PRINTF(2, 3);
/* The same, even with --quiet: for files and processes that remain on the machine. */
void cli_note_always(const struct cli *cli, const char *fmt, ...) SX_PRINTF(2, 3);
/* A diagnostic sink that writes "note: ..." lines. */
struct note_sink cli_note_sink(const struct cli *cli);
/* A warning on standard error, wrapped, unless --quiet. */
void cli_warn(const struct cli *cli, const char *fmt, ...) SX_PRINTF(2, 3);
/* The input file: --input, or the first argument; SX_ERR_USAGE when there is neither. */
enum sx_status cli_input(const struct cli *cli, const char **path, struct sx_error *err);
/*
 * Opens the catalog of --for, or that of the input, a capture. Sets cli->capture then, and puts its
 * constants before those of --const. *out holds a reference. Errors: SX_ERR_USAGE without either.
 */
enum sx_status cli_catalog(struct cli *cli, struct sx_catalog **out, struct sx_error *err);
/*
 * Refuses a format that the verb writes, but not with these options; `allowed` is a mask of 1 <<
 * enum format. Errors: SX_ERR_USAGE.
 */
enum sx_status cli_formats(const struct cli *cli, unsigned allowed, struct sx_error *err);

/* A line on standard error while something takes long: replaced by the next, gone at the end. */
struct status_line {
	FILE *out;
	bool shown;
};
/* Cuts text to the terminal's width. */
void status_line_show(struct status_line *line, const char *text);
void status_line_erase(struct status_line *line);
/*
 * Progress of a verb that reads for long (ticker.c): a line on standard error after the first
 * second, only on a terminal, erased before anything else is written there.
 */
/* Starts the clock; without a terminal, with --quiet, or without memory nothing is ever shown. */
void ticker_start(const struct cli *cli);
/* What is read now, and how much of it is done; `all` 0: not known. `what` is copied. */
void ticker_at(const struct cli *cli, const char *what, uint64_t done, uint64_t all);
/* Erases the line for good, before a result is written. Valid without a start. */
void ticker_stop(const struct cli *cli);
/* Erases the line while something else is written to standard error. */
void ticker_hold(const struct cli *cli);
void ticker_release(const struct cli *cli);

/*
 * Reads the file, if there is one; a line that means nothing to any of the verbs (NULL-terminated)
 * is an error, also where the verb at hand would not heed it. Errors: SX_ERR_USAGE with its line,
 * SX_ERR_PERMISSION.
 */
enum sx_status config_read(struct config *config, const struct verb *const *verbs,
			   struct sx_error *err);
/*
 * Sets options of the verb that the command line does not set, and expands presets. A file or
 * program as argument counts as --input, and --device and --for exclude each other. A line for one
 * verb precedes a line for all. Errors: SX_ERR_USAGE with the line.
 */
enum sx_status config_apply(struct config *config, struct options *options, const struct verb *verb,
			    struct sx_error *err);
/* The next preset, from *at on, that was put in place of its name; NULL: there is none. */
const struct config_line *config_preset(const struct config *config, size_t *at);
/*
 * Adds the line of the configuration to an error's reason, if a line was used and the error names
 * its value.
 */
void config_blame(const struct config *config, struct sx_error *err);
/* Writes where the configuration is read from and what it says, as a file may have it. */
void config_print(const struct config *config, FILE *out);
void config_finish(struct config *config);

#define IMPORTED_TEXT_MAX 1024
/* Text with the names of the files that the user gave, instead of their captures' (imported.c). */
const char *imported_text(const struct cli *cli, const char *text, char buf[IMPORTED_TEXT_MAX]);
/* The same of a remedy, where names are words of a shell. */
const char *imported_remedy(const struct cli *cli, const char *text, char buf[IMPORTED_TEXT_MAX]);

#endif
