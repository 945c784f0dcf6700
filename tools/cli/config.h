/*
 * The user's own defaults: $XDG_CONFIG_HOME/sextant/config, or ~/.config/sextant/config. A line is
 * "option = value" for every verb that takes the option, "verb.option = value" for one verb, or
 * "preset name = list", a selection that -m takes by this name, other presets among it; # begins a
 * comment, in a line of its own or behind a blank.
 */
#ifndef TOOLS_CLI_CONFIG_H
#define TOOLS_CLI_CONFIG_H

#include "base/error.h"
#include "tools/cli/options/options.h"

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

#endif
