/* A pager between a long text and the terminal that it is for. */
#include "tools/cli/pager.h"

#include <stdlib.h>
#include <string.h>
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

FILE *pager_start(void)
{
	const char *command = getenv("SEXTANT_PAGER"), *term = getenv("TERM");
	command = command ? command : getenv("PAGER");
	if (!command)
		command = is_in_path("less") ? "less" : "";
	if (!isatty(STDOUT_FILENO) || !*command || strcmp(command, "cat") == 0 || !term ||
	    strcmp(term, "dumb") == 0)
		return NULL;
	/* Leave when the text fits, pass colours on, leave the text on the screen. */
	setenv("LESS", "FRX", 0);
	fflush(NULL);
	return popen(command, "we");
}

void pager_end(FILE *pager)
{
	if (pager)
		pclose(pager);
}
