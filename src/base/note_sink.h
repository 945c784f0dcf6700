/* Where notes for the user go, a line at a time. */
#ifndef BASE_NOTE_SINK_H
#define BASE_NOTE_SINK_H

#include <sextant/status.h>

struct note_sink {
	void (*note)(void *user, const char *line); /* NULL: notes are dropped */
	void *user;
};

#define NOTE_SINK_LINE_MAX 1024 /* longer lines are cut */

void note_sink_write(const struct note_sink *to, const char *fmt, ...) SX_PRINTF(2, 3);

#endif
