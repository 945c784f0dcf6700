/* Keys of the live view: what each changes, and what the verb has to do. No terminal is needed. */
#ifndef TOOLS_VERBS_TOP_KEYS_H
#define TOOLS_VERBS_TOP_KEYS_H

#include "output/live/view.h"

/* A key is a Unicode character, a control character, or one of these. */
enum top_key {
	TOP_KEY_NONE = 0,
	TOP_KEY_TAB = '\t',
	TOP_KEY_ENTER = '\n',
	TOP_KEY_ESCAPE = 27,
	TOP_KEY_BACKSPACE = 127,
	TOP_KEY_UP = 0x110000, /* behind all characters */
	TOP_KEY_DOWN,
	TOP_KEY_LEFT,
	TOP_KEY_RIGHT,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_BACKTAB,
	TOP_KEY_F0, /* F1 is the next */
	TOP_KEY_F10 = TOP_KEY_F0 + 10,
	TOP_KEY_RESIZE, /* the terminal has another size */
};

/* What a key asks of the verb, beside another drawing. */
enum top_action {
	TOP_NOTHING, /* the key has no meaning here */
	TOP_DRAW,
	TOP_QUIT,
	TOP_EXPLAIN, /* put the explanation of view->column into view->page */
	TOP_TOGGLE,  /* show or hide view->setup_column */
	TOP_RECORD,  /* write what is kept as a capture */
	TOP_SIGNAL,  /* send view->signal to view->signal_pid */
};

/* Changes the view as the key says. */
enum top_action top_press(struct live_view *view, int key);

#endif
