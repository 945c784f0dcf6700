/* A pager between a long text and the terminal that it is for. */
#include "tools/cli/pager.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_in_path(const char *program)
{
	char file[4096];
	const char *path = getenv("PATH");
	for (const char *at = path; at;) {
		int length = (int)strcspn(at, ":");
		snprintf(file, sizeof(file), "%.*s/%s", length, at, program);
		if (length && access(file, X_OK) == 0)
			return true;
		at = at[length] ? at + length + 1 : NULL;
	}
	return false;
}

/*
 * Whether the program that a command begins with is there, or is a word of the shell. What only a
 * shell takes apart (quotes, variables) is taken to be.
 */
static bool is_there(const char *command)
{
	static const char ask[] = "command -v ", quietly[] = " >/dev/null 2>&1";
	char program[256], line[sizeof(program) + sizeof(ask) + sizeof(quietly)];
	command += strspn(command, " \t");
	size_t length = strcspn(command, " \t;|&<>");
	if (length >= sizeof(program))
		return true;
	memcpy(program, command, length);
	program[length] = '\0';
	for (const char *c = program; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("/._-+", *c))
			return true;
	if (is_in_path(program))
		return true;
	snprintf(line, sizeof(line), "%s%s%s", ask, program, quietly);
	return system(line) == 0;
}

/*
 * Runs a command once there is something to show: an error alone would be covered by the empty
 * screen of a pager that waits for a key.
 */
static FILE *run_with_text(const char *command)
{
	char *line = NULL;
	if (asprintf(&line,
		     "IFS= read -r first || [ -n \"$first\" ] || exit 0\n"
		     "{ printf '%%s\\n' \"$first\"; cat; } | { %s\n}",
		     command) < 0)
		return NULL;
	FILE *pager = popen(line, "we");
	free(line);
	return pager;
}

FILE *pager_start(const char **missing)
{
	const char *command = getenv("SEXTANT_PAGER"), *term = getenv("TERM");
	command = command ? command : getenv("PAGER");
	*missing = NULL;
	if (!command)
		command = is_in_path("less") ? "less" : "";
	if (!isatty(STDOUT_FILENO) || !*command || strcmp(command, "cat") == 0 || !term ||
	    strcmp(term, "dumb") == 0)
		return NULL;
	if (!is_there(command)) {
		*missing = command;
		return NULL;
	}
	/* Leave when the text fits, pass colours on, leave the text on the screen. */
	setenv("LESS", "FRX", 0);
	fflush(NULL);
	return run_with_text(command);
}

bool pager_end(FILE *pager)
{
	int status = pager ? pclose(pager) : 0;
	/* What a shell says of a command that it did not find, or could not run. */
	return !(WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126));
}
