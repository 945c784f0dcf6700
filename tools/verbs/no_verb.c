/* What a first word that is no verb was meant for: see no_verb.h. */
#include "tools/verbs/no_verb.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text_buf.h"
#include "tools/verbs/run.h"

/* Words for what a verb does, and what stands behind it where nothing was typed. */
static const struct {
	const char *word, *command, *rest;
} words_meant[] = {
    {"run", "stat --", "COMMAND"},
    {"measure", "stat --", "COMMAND"},
    {"profile", "stat --", "COMMAND"},
    {"monitor", "stat", ""},
    {"top", "stat", ""},
    {"info", "capture info", "FILE"},
    {"check", "capture check", "FILE"},
    {"cut", "capture cut", "FILE"},
    {"merge", "capture merge", "FILES"},
    {"join", "capture merge", "FILES"},
    {"anonymise", "capture anonymise", "FILE"},
    {"verdict", "report", "FILE"},
    {"show", "report", "FILE"},
    {"view", "report", "FILE"},
    {"open", "report", "FILE"},
    {"summary", "report", "FILE"},
    {"analyse", "report", "FILE"},
    {"analyze", "report", "FILE"},
    {"convert", "import", "FILE"},
    {"metrics", "list metrics", ""},
    {"counters", "list counters", ""},
    {"sets", "list sets", ""},
    {"groups", "list groups", ""},
    {"gpus", "devices", ""},
    {"catalogs", "devices", ""},
    {"lint", "catalog lint", ""},
};
#define WORDS_MEANT (sizeof(words_meant) / sizeof(words_meant[0]))

/* A command line, with what was typed behind it as a shell wants it. */
static void try_line(const char *command, char *const *rest, const char *instead,
		     struct sx_error *err)
{
	char line[SX_ERROR_TEXT_MAX], quoted[ERROR_WORD_MAX];
	snprintf(line, sizeof(line), "sextant %s", command);
	if (!*rest && *instead)
		text_append(line, sizeof(line), " %s", instead);
	for (; *rest; rest++)
		text_append(line, sizeof(line), " %s", error_word(quoted, *rest));
	error_try(err, "%s", line);
}

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, R_OK) == 0 &&
	       access(path, X_OK) < 0;
}

static bool is_program(const char *word)
{
	struct stat st;
	return !(stat(word, &st) == 0 && S_ISDIR(st.st_mode)) && run_missing(word) == 0;
}

bool no_verb_meant(char *const *words, bool near, struct sx_error *err)
{
	size_t at = 0;
	while (at < WORDS_MEANT && strcasecmp(words_meant[at].word, *words) != 0)
		at++;
	bool file = at == WORDS_MEANT && is_file(*words);
	if (at == WORDS_MEANT && !file && (near || !is_program(*words)))
		return false;
	error_set(err, SX_ERR_USAGE, "\"%s\" is not a verb of sextant", *words);
	if (at < WORDS_MEANT) {
		error_because(err, "what that word asks for has another name here");
		try_line(words_meant[at].command, words + 1, words_meant[at].rest, err);
	} else if (file) {
		error_because(err, "it is a file, and the first word says what to do with it");
		try_line("report", words, "", err);
	} else {
		error_because(err, "it is a program, which stands behind a verb and --");
		try_line("stat --", words, "", err);
	}
	return true;
}
