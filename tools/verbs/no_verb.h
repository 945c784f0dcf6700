/* First words that are no verbs. */
#ifndef TOOLS_VERBS_NO_VERB_H
#define TOOLS_VERBS_NO_VERB_H

#include <stdbool.h>

#include <sextant/status.h>

/*
 * Says why the first of `words` (a NULL behind the last) is no verb, and the command that was meant
 * where that is known: by a word for what a verb does, a file that is there, or unless a verb
 * is `near`, a program to measure. False where nothing is known; `err` is then as it was.
 */
bool no_verb_meant(char *const *words, bool near, struct sx_error *err);

#endif
