/* The terminal by ncurses: see terminal.h. */
#include "tools/verbs/top/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "tools/verbs/top/keys.h"

#include <curses.h> /* last: it defines common words as macros */

#define ESCAPE_MS 50 /* an Esc that no key follows within this time is the key itself */

static const int watched[] = {SIGWINCH, SIGTSTP, SIGCONT};
static const int kept[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define WATCHED (sizeof(watched) / sizeof(*watched))
#define KEPT	(sizeof(kept) / sizeof(*kept))

struct terminal {
	SCREEN *screen;
	FILE *from, *to;
	struct screen_palette palette;
	int pipe[2]; /* numbers of signals */
	struct sigaction before[WATCHED];
	struct termios mode; /* as it was */
	chtype attributes[SCREEN_STYLES];
};

/* Where the signal handler writes; -1 while no terminal is open. */
static volatile sig_atomic_t signal_pipe = -1;

static void terminal_on_signal(int number)
{
	int error = errno;
	char byte = (char)number;
	if (signal_pipe >= 0 && write((int)signal_pipe, &byte, 1) < 0) {
		/* The pipe is full of signals that are not handled so far. */
	}
	errno = error;
}

/* $COLORFGBG is "foreground;background", where rxvt, konsole and others set it. */
static bool terminal_is_light(void)
{
	const char *both = getenv("COLORFGBG"), *last = both ? strrchr(both, ';') : NULL;
	int background = last ? atoi(last + 1) : 0;
	return background == 7 || background == 15;
}

/* A colour that the terminal has, with the attribute that makes up for one that it lacks. */
static short terminal_colour(int colour, chtype *attribute)
{
	if (colour < COLORS)
		return (short)colour;
	if (colour == 8) {
		*attribute |= A_DIM;
		return -1;
	}
	*attribute |= A_BOLD;
	return (short)(colour % 8);
}

static void terminal_set_colours(struct terminal *t, bool color)
{
	bool able = color && has_colors() && start_color() == OK && use_default_colors() == OK;
	t->palette.colours = !able ? 0 : COLORS >= 256 ? 256 : COLORS >= 8 ? 16 : 0;
	t->palette.light = terminal_is_light();
	for (int i = 0; i < SCREEN_STYLES; i++) {
		struct screen_look look = palette_of(t->palette, (enum screen_style)i);
		chtype attribute = (look.bold ? A_BOLD : 0) | (look.dim ? A_DIM : 0) |
				   (look.reverse ? A_REVERSE : 0);
		if (t->palette.colours && (look.colour >= 0 || look.background >= 0)) {
			short front = terminal_colour(look.colour, &attribute);
			init_pair((short)(i + 1), front, (short)look.background);
			attribute |= COLOR_PAIR(i + 1);
		}
		t->attributes[i] = attribute;
	}
}

static void terminal_watch(struct terminal *t)
{
	struct sigaction action = {.sa_handler = terminal_on_signal};
	sigemptyset(&action.sa_mask);
	signal_pipe = t->pipe[1];
	for (size_t i = 0; i < WATCHED; i++)
		sigaction(watched[i], &action, &t->before[i]);
}

static void terminal_unwatch(struct terminal *t)
{
	for (size_t i = 0; i < WATCHED; i++)
		sigaction(watched[i], &t->before[i], NULL);
	signal_pipe = -1;
}

static enum sx_status terminal_refuse(struct sx_error *err, const char *because)
{
	error_set(err, SX_ERR_UNSUPPORTED, "cannot draw on this terminal");
	error_because(err, "%s", because);
	error_try(err, "sextant top --once, or another TERM");
	return SX_ERR_UNSUPPORTED;
}

/* Ctrl-S is a key like others, and stops nothing. */
static void terminal_let_flow(const struct terminal *t)
{
	struct termios mode;
	if (tcgetattr(fileno(t->to), &mode) < 0)
		return;
	mode.c_iflag &= ~(tcflag_t)(IXON | IXOFF);
	tcsetattr(fileno(t->to), TCSANOW, &mode);
	def_prog_mode();
}

/* Whether it takes what is written; one that is stopped or full would hold us in write(). */
static bool terminal_takes(const struct terminal *t)
{
	struct pollfd out = {.fd = fileno(t->to), .events = POLLOUT};
	return poll(&out, 1, 0) > 0;
}

/* Restores the modes alone, and writes nothing more: it would wait without end. */
static void terminal_leave_stuck(const struct terminal *t)
{
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
	tcsetattr(fileno(t->to), TCSANOW, &t->mode);
	if (nothing < 0)
		return;
	dup3(nothing, fileno(t->to), O_CLOEXEC);
	close(nothing);
}

static bool terminal_begin(struct terminal *t)
{
	struct sigaction before[KEPT];
	for (size_t i = 0; i < KEPT; i++)
		sigaction(kept[i], NULL, &before[i]);
	tcgetattr(fileno(t->to), &t->mode);
	t->screen = newterm(NULL, t->to, t->from);
	/* These signals end the session, which restores the terminal; ncurses would just exit. */
	for (size_t i = 0; i < KEPT; i++)
		sigaction(kept[i], &before[i], NULL);
	if (!t->screen)
		return false;
	const char *move_cursor = tigetstr("cup");
	if (!move_cursor || move_cursor == (char *)-1) {
		endwin();
		delscreen(t->screen);
		return false;
	}
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	terminal_let_flow(t);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	curs_set(0);
	return true;
}

/* A stream of its own on a descriptor, so that it can be closed; with errno NULL. */
static FILE *terminal_stream(int descriptor, const char *mode)
{
	int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
	FILE *stream = own < 0 ? NULL : fdopen(own, mode);
	if (own >= 0 && !stream)
		close(own);
	return stream;
}

static void terminal_release(struct terminal *t)
{
	for (int i = 0; i < 2; i++)
		if (t->pipe[i] >= 0)
			close(t->pipe[i]);
	if (t->from)
		fclose(t->from);
	if (t->to)
		fclose(t->to);
	free(t);
}

enum sx_status terminal_open(int from, int to, bool color, struct terminal **out,
			     struct sx_error *err)
{
	const char *name = getenv("TERM");
	*out = NULL;
	if (!name || !*name || strcmp(name, "dumb") == 0)
		return terminal_refuse(err, name && *name ? "TERM is dumb" : "TERM is not set");
	struct terminal *t = calloc(1, sizeof(*t));
	if (!t)
		return error_nomem(err, "opening the terminal");
	t->pipe[0] = t->pipe[1] = -1;
	t->from = terminal_stream(from, "r");
	t->to = terminal_stream(to, "w");
	if (!t->from || !t->to || pipe2(t->pipe, O_CLOEXEC | O_NONBLOCK) < 0) {
		error_errno(err, errno, "cannot use the terminal");
		terminal_release(t);
		return err->status;
	}
	if (!terminal_begin(t)) {
		terminal_release(t);
		return terminal_refuse(err,
				       "terminfo has no terminal of this TERM that moves a cursor");
	}
	terminal_watch(t);
	terminal_set_colours(t, color);
	*out = t;
	return SX_OK;
}

void terminal_close(struct terminal *terminal)
{
	if (!terminal)
		return;
	terminal_unwatch(terminal);
	if (!terminal_takes(terminal))
		terminal_leave_stuck(terminal);
	curs_set(1);
	endwin();
	delscreen(terminal->screen);
	terminal_release(terminal);
}

int terminal_descriptors(const struct terminal *terminal, int out[2])
{
	out[0] = fileno(terminal->from);
	out[1] = terminal->pipe[0];
	return 2;
}

void terminal_refresh(struct terminal *terminal)
{
	clearok(curscr, TRUE);
}

static void terminal_resize(struct terminal *terminal)
{
	struct winsize size;
	if (ioctl(fileno(terminal->to), TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	terminal_refresh(terminal);
}

/* Gives the terminal back and stops as the shell expects it; returns once it continues. */
static void terminal_stop(struct terminal *terminal)
{
	endwin();
	struct sigaction action = {.sa_handler = SIG_DFL}, ours;
	sigemptyset(&action.sa_mask);
	sigaction(SIGTSTP, &action, &ours);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
	doupdate();
	terminal_resize(terminal);
}

/* Whether a signal came that asks for another drawing. */
static bool terminal_signals(struct terminal *terminal)
{
	char numbers[64];
	bool stop = false, any = false;
	for (ssize_t n; (n = read(terminal->pipe[0], numbers, sizeof(numbers))) > 0;)
		for (ssize_t i = 0; i < n; i++) {
			stop |= numbers[i] == SIGTSTP;
			any = true;
		}
	if (stop)
		terminal_stop(terminal);
	else if (any)
		terminal_resize(terminal);
	return any;
}

static int terminal_named_key(wint_t code)
{
	static const struct {
		wint_t code;
		int key;
	} names[] = {{KEY_UP, TOP_KEY_UP},
		     {KEY_DOWN, TOP_KEY_DOWN},
		     {KEY_LEFT, TOP_KEY_LEFT},
		     {KEY_RIGHT, TOP_KEY_RIGHT},
		     {KEY_PPAGE, TOP_KEY_PAGE_UP},
		     {KEY_NPAGE, TOP_KEY_PAGE_DOWN},
		     {KEY_HOME, TOP_KEY_HOME},
		     {KEY_END, TOP_KEY_END},
		     {KEY_BTAB, TOP_KEY_BACKTAB},
		     {KEY_ENTER, TOP_KEY_ENTER},
		     {KEY_BACKSPACE, TOP_KEY_BACKSPACE},
		     {KEY_DC, TOP_KEY_BACKSPACE},
		     {KEY_RESIZE, TOP_KEY_RESIZE}};
	if (code >= KEY_F(1) && code <= KEY_F(10))
		return TOP_KEY_F0 + (int)(code - KEY_F(0));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].code == code)
			return names[i].key;
	return TOP_KEY_NONE;
}

bool terminal_key(struct terminal *terminal, int *key)
{
	wint_t code = 0;
	*key = TOP_KEY_NONE;
	if (terminal_signals(terminal)) {
		*key = TOP_KEY_RESIZE;
		return true;
	}
	/* A connection that broke is readable and has an end, which ncurses reports as no key. */
	struct pollfd in = {.fd = fileno(terminal->from), .events = POLLIN};
	bool ready = poll(&in, 1, 0) > 0;
	if (ready && in.revents & (POLLHUP | POLLERR | POLLNVAL))
		return false;
	int kind = get_wch(&code);
	if (kind == KEY_CODE_YES)
		*key = terminal_named_key(code);
	else if (kind == OK)
		*key = code == '\r' || code == '\n' ? (int)TOP_KEY_ENTER : (int)code;
	return true;
}

void terminal_size(const struct terminal *terminal, int *width, int *height)
{
	getmaxyx(stdscr, *height, *width);
}

/* Neighbouring cells of one style, up to a character of another width than 1. */
static int terminal_draw_run(const struct terminal *terminal, const struct screen *s, int x, int y)
{
	char text[1024];
	size_t size = 0;
	const struct screen_cell *first = screen_at(s, x, y);
	attrset((int)terminal->attributes[first->style]);
	while (x < s->width) {
		const struct screen_cell *cell = screen_at(s, x, y);
		size_t length = strlen(cell->text);
		if (cell->style != first->style || size + length >= sizeof(text))
			break;
		memcpy(text + size, cell->text, length);
		size += length;
		x++;
		if (cell->columns != 1)
			break;
	}
	addnstr(text, (int)size);
	return x;
}

bool terminal_draw(struct terminal *terminal, const struct screen *screen)
{
	if (!terminal_takes(terminal))
		return false;
	for (int y = 0; y < screen->height; y++)
		for (int x = 0; x < screen->width;) {
			move(y, x);
			x = terminal_draw_run(terminal, screen, x, y);
		}
	refresh();
	return true;
}
