/*
 * The live view: what `top` shows of a live model, drawn on a screen of cells or written as lines
 * for a reader of screens. No terminal and no session is needed.
 */
#ifndef OUTPUT_LIVE_VIEW_H
#define OUTPUT_LIVE_VIEW_H

#include "analysis/live/live.h"
#include "output/live/screen.h"
#include "output/write/text.h"

enum live_pane { LIVE_PANE_DEVICES, LIVE_PANE_METRICS, LIVE_PANE_PROCESSES, LIVE_PANES };

enum live_dialog {
	LIVE_DIALOG_NONE,
	LIVE_DIALOG_HELP,
	LIVE_DIALOG_SETUP,  /* which metrics are shown */
	LIVE_DIALOG_SEARCH, /* a line is typed */
	LIVE_DIALOG_FILTER, /* likewise */
	LIVE_DIALOG_SORT,
	LIVE_DIALOG_SIGNAL,  /* which signal */
	LIVE_DIALOG_CONFIRM, /* whether it shall be sent */
	LIVE_DIALOG_PAGE,    /* a text: `page` */
};

enum live_sort {
	LIVE_SORT_BUSY,
	LIVE_SORT_MEMORY,
	LIVE_SORT_CPU,
	LIVE_SORT_PID,
	LIVE_SORT_USER,
	LIVE_SORT_DEVICE,
	LIVE_SORT_NAME,
	LIVE_SORTS
};
/* "busy", "memory": as people and the configuration name an order. */
const char *live_sort_name(enum live_sort sort);

/* The signals that the dialog offers, in its order. */
struct live_signal {
	int number;
	const char *name, *does;
};
const struct live_signal *live_signals(uint32_t *count);

/* A list of which a part is seen. */
struct live_list {
	uint32_t selected, first;
	uint32_t count, page; /* rows, and those seen, as drawn last */
};

#define LIVE_TYPED_MAX	 64
#define LIVE_MESSAGE_MAX 200
#define LIVE_ZOOMS	 8
#define LIVE_SLOWEST	 (-4)
#define LIVE_FASTEST	 8

/*
 * The metrics that are shown of a device: until the user chooses, the important ones as far as they
 * have had data.
 */
struct live_choice {
	bool chosen;
	bool *shown, *seen; /* by column of the selection, owned; seen: it has had data */
	uint32_t count;
};

/* What is shown of the model, and how. Keys change it; live_view_draw() keeps it within limits. */
struct live_view {
	struct human human;
	uint64_t interval_ns; /* between two samples, as asked for */
	bool chosen;	      /* metrics were selected by name: all of them are shown */
	bool still;	      /* one screen as text, which has no keys */
	enum live_pane pane;
	struct live_list lists[LIVE_PANES];
	struct live_choice *choices; /* by device, owned */
	uint32_t choice_count;
	bool tree, advice;
	bool reversed; /* the order */
	enum live_sort sort;
	char filters[LIVE_PANES][LIVE_TYPED_MAX]; /* only rows with this text are shown */
	char search[LIVE_TYPED_MAX];		  /* the text that was looked for */
	bool seek;				  /* select the next row with it */
	uint32_t zoom;				  /* a point of a curve is of live_view_step_ns() */

	bool paused;
	uint64_t end_ns;	       /* the moment that is shown; with `paused` */
	uint64_t oldest_ns, newest_ns; /* of the model, as drawn last */
	bool replay;		       /* a recording is shown, ... */
	uint64_t last_ns;	       /* ... which ends then, ... */
	int speed;		       /* ... at 2 to the power of this times its own speed */

	enum live_dialog dialog;
	struct live_list dialog_list;
	char typed[LIVE_TYPED_MAX]; /* in a dialog */
	/* A signal to be sent, and to which process: the one selected when it was asked for. */
	int signal;
	uint32_t signal_pid;
	char signal_process[LIVE_TYPED_MAX];
	const char *page, *page_title;
	const char *output; /* lines that programs wrote, of which the last are shown; or NULL */

	char message[LIVE_MESSAGE_MAX]; /* shown instead of the keys until the next one */
	bool had_processes;
	bool had_gauges[LIVE_GAUGES]; /* some device has had a value */

	/* What is selected, as drawn last. */
	uint32_t device;
	uint32_t column;	      /* of the device's selection, or UINT32_MAX */
	uint32_t pid, process_device; /* the row follows its process; pid 0: the row as numbered */
	char process[LIVE_TYPED_MAX]; /* its name */
	uint32_t setup_column;	      /* in the dialog, or UINT32_MAX */
};

/* Everything at its default. */
void live_view_init(struct live_view *view, uint64_t interval_ns);
void live_view_finish(struct live_view *view);
/* How much time a point of a curve is of. */
uint64_t live_view_step_ns(const struct live_view *view);
/* The moment that is shown of a device; the same for values, headline and processes. */
struct live_moment live_view_moment(const struct live_view *view, const struct live_device *device);
/*
 * Whether a column of a device is shown; and changes that. Errors of the latter: false when memory
 * is out.
 */
bool live_view_shows(const struct live_view *view, const struct live *live, uint32_t device,
		     uint32_t column);
bool live_view_toggle(struct live_view *view, const struct live *live, uint32_t device,
		      uint32_t column);
/* Draws all of it. Errors: SX_ERR_NO_MEMORY. */
enum sx_status live_view_draw(struct live_view *view, struct live *live, struct screen *screen,
			      struct sx_error *err);
/*
 * The same as lines, each of which says what it is of: for readers of screens and terminals that
 * cannot move a cursor. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status live_view_write(struct live_view *view, struct live *live, FILE *out,
			       struct sx_error *err);

#endif
