/* Helpers that verbs share. */
#include "tools/cli/cli.h"
#include "base/text_buf.h"
#include "input/text.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

/* The exit code of a status. */
static int cli_exit_code(enum sx_status status)
{
	switch (status) {
	case SX_OK:
		return EXIT_OK;
	case SX_INCOMPLETE:
	case SX_AGAIN:
	case SX_END:
	case SX_ERR_TIMEOUT:
	case SX_ERR_NO_MEMORY:
	case SX_ERR_IO:
		return EXIT_INCOMPLETE;
	case SX_ERR_USAGE:
	case SX_ERR_AMBIGUOUS:
		return EXIT_USAGE;
	case SX_ERR_NOT_FOUND:
	case SX_ERR_UNSUPPORTED:
	case SX_ERR_DEVICE_LOST:
		return EXIT_NOT_FOUND;
	case SX_ERR_PERMISSION:
	case SX_ERR_BUSY:
		return EXIT_PERMISSION;
	case SX_ERR_BAD_INPUT:
	case SX_ERR_LIMIT:
		return EXIT_BAD_INPUT;
	}
	return EXIT_INCOMPLETE;
}

/* Whether writing the result failed; that is reported once, at the end. */
static bool write_failed(const struct cli *cli)
{
	if (!cli->result || (fflush(cli->view.out.out) == 0 && !ferror(cli->view.out.out)))
		return false;
	if (!cli->result->write_errno)
		cli->result->write_errno = errno;
	return true;
}

/* The reason of an error that has none, by its status. */
static const char *reason(const struct sx_error *err)
{
	if (err->because[0])
		return err->because;
	if (err->status == SX_ERR_USAGE)
		return "the command line does not say what is needed";
	if (err->status == SX_ERR_NOT_FOUND)
		return "nothing here goes by that name";
	return sx_status_name(err->status);
}

/* The remedy of a status, for an error without one. */
static const char *remedy(const struct cli *cli, const struct sx_error *err, char *buf, size_t size)
{
	const char *verb = cli->verb ? cli->verb->name : "";
	switch (err->status) {
	case SX_ERR_USAGE:
	case SX_ERR_AMBIGUOUS:
	case SX_ERR_LIMIT:
		snprintf(buf, size, "sextant %s%s--help", verb, *verb ? " " : "");
		return buf;
	case SX_ERR_BAD_INPUT:
		return "another file; sextant import --help names the kinds that are read";
	case SX_ERR_IO:
		return "the same again where there is room; df says how much is left";
	case SX_ERR_NO_MEMORY:
		return "the same with fewer metrics (-m), or where more memory is free";
	default:
		return "sextant doctor";
	}
}

/* Whether a file that other verbs cannot read may be one for decode. */
static bool is_for_decode(const struct cli *cli, const struct sx_error *err, struct sx_error *out)
{
	const struct options *o = &cli->options;
	if (err->status != SX_ERR_BAD_INPUT || !cli->verb || !strcmp(cli->verb->name, "decode"))
		return false;
	bool found = input_is_for_decode(o->input, cli->verb->name, out);
	for (size_t i = 0; !found && i < o->args.count; i++)
		found = input_is_for_decode(o->args.items[i], cli->verb->name, out);
	return found;
}

int cli_fail(const struct cli *cli, const struct sx_error *err)
{
	struct sx_error decode;
	char other[128];
	FILE *out = cli->err.out;
	if (is_for_decode(cli, err, &decode))
		err = &decode;
	struct sx_error blamed = *err;
	if (!blamed.because[0])
		snprintf(blamed.because, sizeof(blamed.because), "%s", reason(err));
	config_blame(&cli->config, &blamed);
	err = &blamed;
	bool partial = err->status == SX_INCOMPLETE;
	if (partial && write_failed(cli))
		return EXIT_INCOMPLETE;
	if (cli->result && !partial)
		cli->result->refused = true;
	char buf[IMPORTED_TEXT_MAX];
	ticker_hold(cli);
	text_styled(&cli->err, TEXT_RED, "error:");
	fputc(' ', out);
	text_write(out, imported_text(cli, err->message, buf));
	fputs("\nbecause: ", out);
	text_write(out, imported_text(cli, err->because, buf));
	fputs("\ntry: ", out);
	text_write(out, imported_remedy(cli,
					err->remedy[0] ? err->remedy
						       : remedy(cli, err, other, sizeof(other)),
					buf));
	fputc('\n', out);
	ticker_release(cli);
	return cli_exit_code(err->status);
}

/* Whether a remark was shown before; marks it as shown. */
static bool is_shown(const struct cli *cli, const char *line)
{
	struct cli_result *result = cli->result;
	uint64_t hash = 0xcbf29ce484222325;
	for (const char *p = line; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 0x100000001b3;
	for (unsigned i = 0; result && i < result->shown_count && i < CLI_SHOWN_MAX; i++)
		if (result->shown[i] == hash)
			return true;
	if (result)
		result->shown[result->shown_count++ % CLI_SHOWN_MAX] = hash;
	return false;
}

static void write_note(const struct cli *cli, const char *fmt, va_list args)
{
	char line[IMPORTED_TEXT_MAX], buf[IMPORTED_TEXT_MAX];
	vsnprintf(line, sizeof(line), fmt, args);
	const char *text = imported_text(cli, line, buf);
	if (is_shown(cli, text))
		return;
	ticker_hold(cli);
	/* In a file each note is one line, so that grep finds all of it. */
	if (cli->err.terminal)
		text_hang(&cli->err, (int)strspn(text, " "), text);
	else {
		text_write(cli->err.out, text);
		fputc('\n', cli->err.out);
	}
	ticker_release(cli);
}

void cli_note(const struct cli *cli, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	if (!cli->options.quiet)
		write_note(cli, fmt, args);
	va_end(args);
}

void cli_note_always(const struct cli *cli, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	write_note(cli, fmt, args);
	va_end(args);
}

static void cli_shown(void *user, const char *line)
{
	const struct cli *cli = user;
	cli_note(cli, "note: %s", line);
}

struct note_sink cli_note_sink(const struct cli *cli)
{
	return (struct note_sink){cli_shown, (void *)cli};
}

void cli_warn(const struct cli *cli, const char *fmt, ...)
{
	char line[1024] = "warning: ";
	if (cli->options.quiet)
		return;
	va_list args;
	va_start(args, fmt);
	text_vappend(line, sizeof(line), fmt, args);
	va_end(args);
	ticker_hold(cli);
	text_wrap(&cli->err, 0, line);
	ticker_release(cli);
}

enum sx_status cli_input(const struct cli *cli, const char **path, struct sx_error *err)
{
	*path = cli->options.input;
	if (!*path && cli->options.args.count)
		*path = cli->options.args.items[0];
	if (*path)
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "no input file");
	error_because(err, "sextant %s reads a file", cli->verb->name);
	error_try(err, "sextant %s -i FILE", cli->verb->name);
	return SX_ERR_USAGE;
}

enum sx_status cli_formats(const struct cli *cli, unsigned allowed, struct sx_error *err)
{
	if (allowed & 1u << cli->view.format)
		return SX_OK;
	char list[96] = "";
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		if (allowed & 1u << i)
			text_append_item(list, sizeof(list), ", ", "%s",
					 format_name((enum format)i));
	error_set(err, SX_ERR_USAGE, "sextant %s does not write %s", cli->verb->name,
		  format_name(cli->view.format));
	error_because(err, "its formats are %s", list);
	error_try(err, "--format with one of these");
	return SX_ERR_USAGE;
}
