/* Where the result goes: standard output, through a pager or into ASCII, or the file of --output.
 */
#include "tools/cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
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
 * Whether a command's program exists, or is a builtin of the shell. True for commands with quotes
 * or variables, which only a shell can parse.
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

/*
 * Starts $SEXTANT_PAGER, $PAGER or less, which exits by itself if everything fits the screen. NULL:
 * standard output is no terminal, or the pager is "" or "cat". *missing: a command from the
 * environment that does not exist; none is started then.
 */
static FILE *pager_start(const char **missing)
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
	/* less: exit if the text fits, show colours, keep the text on the screen. */
	setenv("LESS", "FRX", 0);
	fflush(NULL);
	return run_with_text(command);
}

/* Waits until the pager was left. False: the shell could not run it, and the text is lost. */
static bool pager_end(FILE *pager)
{
	int status = pager ? pclose(pager) : 0;
	/* What a shell says of a command that it did not find, or could not run. */
	return !(WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126));
}

enum sx_status cli_open_output(struct cli *cli, struct sx_error *err)
{
	const char *path = cli->options.output;
	if (!path || strcmp(path, "-") == 0)
		return SX_OK;
	enum sx_status status = result_file_open(&cli->result->file, path, err);
	if (!status)
		cli->view.out.out = cli->result->file.file;
	return status;
}

void cli_ask_width(struct cli *cli)
{
	FILE *file = cli->result->file.file; /* the pipe before the terminal has no width */
	cli->view.out.width = text_terminal_width(file ? file : stdout);
	cli->err.width = text_terminal_width(cli->err.out);
}

static bool use_color(const struct options *options, FILE *out)
{
	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	const char *no = getenv("NO_COLOR");
	const char *term = getenv("TERM");
	return !(no && *no) && isatty(fileno(out)) && !(term && strcmp(term, "dumb") == 0);
}

static enum sx_status refuse_page(struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "a page is no text for a terminal");
	error_because(err, "it is for a browser, and long");
	error_try(err, "-o report.html");
	return SX_ERR_USAGE;
}

static void start_pager(struct cli *cli)
{
	const char *missing;
	cli->pager = pager_start(&missing);
	if (cli->pager)
		cli->view.out.out = cli->pager;
	else if (missing)
		cli_note(cli, "note: the pager %s is not there", missing);
}

void cli_begin_ascii(struct cli *cli)
{
	FILE *ascii = cli->view.out.ascii ? ascii_open(cli->view.out.out) : NULL;
	if (!ascii)
		return;
	if (cli->view.out.terminal)
		setvbuf(ascii, NULL, _IOLBF, 0);
	cli->beyond = cli->view.out.out;
	cli->view.out.out = ascii;
}

/* Ends the conversion; errors are read from the stream behind it. */
static void ascii_end(struct cli *cli)
{
	if (!cli->beyond)
		return;
	bool ok = fclose(cli->view.out.out) == 0;
	if (!ok && !cli->result->write_errno)
		cli->result->write_errno = errno;
	cli->view.out.out = cli->beyond;
	cli->beyond = NULL;
}

enum sx_status cli_begin_output(struct cli *cli, struct sx_error *err)
{
	enum sx_status status = cli->verb->own_output ? SX_OK : cli_open_output(cli, err);
	cli_ask_width(cli);
	cli->view.out.terminal = isatty(fileno(cli->view.out.out));
	cli->view.out.color = use_color(&cli->options, cli->view.out.out);
	cli->err.color = use_color(&cli->options, stderr);
	if (!status && cli->view.format == FORMAT_HTML && cli->view.out.terminal)
		status = refuse_page(err);
	bool pages = cli->verb->pages && cli->view.format == FORMAT_TEXT && !cli->options.help;
	if (!status && pages && cli->view.out.out == stdout)
		start_pager(cli);
	bool text = cli->view.format == FORMAT_TEXT && !cli->verb->writes_catalogs;
	if (text || cli->options.help)
		cli_begin_ascii(cli);
	return status;
}

/* A draft replaces the old file unless an error was reported; also an incomplete result. */
static bool end_output(struct cli *cli, int code)
{
	struct cli_result *result = cli->result;
	ascii_end(cli);
	bool ok = fflush(cli->view.out.out) == 0 && !ferror(cli->view.out.out);
	int saved = result->write_errno ? result->write_errno : errno; /* before that of ftell() */
	bool part = code == EXIT_INCOMPLETE && ftell(cli->view.out.out) > 0;
	if (result->refused && !part) {
		ok = true; /* a failure was reported, and nothing is kept */
	} else if (ok && result->file.file) {
		ok = result_file_keep(&result->file);
		saved = errno;
	}
	result_file_drop(&result->file);
	result->unpaged = !pager_end(cli->pager);
	cli->pager = NULL;
	cli->view.out.out = stdout;
	errno = saved;
	return ok;
}

/* Whether the reader of our output has ended. An earlier failed write leaves no errno. */
static bool is_reader_gone(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
	return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

static int no_pager(const struct cli *cli)
{
	struct sx_error err;
	error_set(&err, SX_ERR_IO, "the pager did not run, and the text is lost");
	error_because(&err, "the shell cannot run what SEXTANT_PAGER or PAGER says");
	error_try(&err, "SEXTANT_PAGER=cat, or the name of a pager that is here");
	return cli_fail(cli, &err);
}

int cli_end_output(struct cli *cli, int code)
{
	bool paged = cli->pager != NULL;
	errno = 0;
	/* Leaving a pager early is no error, and the result is not incomplete. */
	bool ended = end_output(cli, code);
	if (cli->result->unpaged)
		return no_pager(cli);
	if (ended || paged)
		return code;
	int why = errno ? errno : EIO;
	if (errno == EPIPE || (!errno && is_reader_gone()))
		return EXIT_INCOMPLETE;
	struct sx_error err;
	result_file_refused(why, "the result", &err);
	return cli_fail(cli, &err);
}
