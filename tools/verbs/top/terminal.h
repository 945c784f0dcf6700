/* The terminal of `top`: its size, colours and keys, and a screen on it. Of one thread. */
#ifndef TOOLS_VERBS_TOP_TERMINAL_H
#define TOOLS_VERBS_TOP_TERMINAL_H

#include "base/error.h"
#include "output/live/screen.h"

struct terminal;

/*
 * Takes the terminal that is read from and written to by these descriptors, which outlive it, until
 * terminal_close(). `color`: as far as it has colours. *out is owned by the caller. Errors:
 * SX_ERR_UNSUPPORTED (it cannot move a cursor, or this build has no ncurses).
 */
enum sx_status terminal_open(int from, int to, bool color, struct terminal **out,
			     struct sx_error *err);
/* Restores the terminal as it was; NULL is fine. */
void terminal_close(struct terminal *terminal);
/*
 * Descriptors to wait for: readable when terminal_key() has something. Returns how many, 2 at most.
 */
int terminal_descriptors(const struct terminal *terminal, int out[2]);
/*
 * The next key (enum top_key), without waiting; TOP_KEY_NONE: there is none. Ctrl-Z stops the
 * process in here, and its return is a TOP_KEY_RESIZE. False: the terminal is gone.
 */
bool terminal_key(struct terminal *terminal, int *key);
/* Columns and lines of it now. */
void terminal_size(const struct terminal *terminal, int *width, int *height);
/* Shows a screen. False: it takes nothing now, because it was stopped or is slow. */
bool terminal_draw(struct terminal *terminal, const struct screen *screen);
/* The same for what another program has written there. */
void terminal_refresh(struct terminal *terminal);

#endif
