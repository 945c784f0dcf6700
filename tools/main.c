/* The sextant command: finds the verb, parses its options, runs it, and checks what was written. */
#include "input/input.h"
#include "tools/cli/request.h"
#include <sextant/metric.h>
#include <sextant/source.h>
#include "tools/cli/cli.h"

#include "base/error.h"
#include "base/privilege.h"
#include "base/text_buf.h"
#include "tools/cli/selection.h"
#include "tools/verbs/run.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* One const definition in each VERB.c. */
#define VERB(name) extern const struct command cmd_##name;
#include "tools/verbs.def"
#undef VERB
#define VERB(name) &cmd_##name,
static const struct command *const commands[] = {
#include "tools/verbs.def"
};
#undef VERB

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcasecmp(commands[i]->verb.name, name) == 0)
			return commands[i];
	return NULL;
}

static int overview(FILE *out)
{
	struct text_target target = {.out = out, .width = text_terminal_width(out)};
	text_wrap(&target, 0,
		  "sextant " SX_VERSION
		  ": reads, derives and explains the performance counters of GPUs and SoCs");
	fputs("\nusage: sextant VERB [options] [-- command args...]\n\n", out);
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		char left[16];
		snprintf(left, sizeof(left), "  %s", commands[i]->verb.name);
		text_entry(&target, 13, left, commands[i]->verb.summary);
	}
	fputs("\n  sextant VERB --help   options of one verb\n"
	      "  sextant --print-config  your own defaults, and where they are read from\n"
	      "  sextant demo          profiles a real OpenGL program, here and now\n",
	      out);
	return EXIT_OK;
}

static int help(const struct cli *cli)
{
	const struct verb *verb = cli->verb;
	FILE *out = cli->view.out.out;
	char left[32];
	snprintf(left, sizeof(left), "usage: sextant %s", verb->name);
	text_entry(&cli->view.out, (int)text_width(left) + 1, left, verb->synopsis);
	fputc('\n', out);
	text_wrap(&cli->view.out, 0, verb->about);
	fputs("\noptions:\n", out);
	options_describe(verb, &cli->view.out);
	if (verb->examples)
		fprintf(out, "\nexamples:\n%s", verb->examples);
	return EXIT_OK;
}

/* Words of other tools for a verb, and the arguments to suggest with it. */
static const struct {
	const char *word, *command, *rest;
} words_meant[] = {
    {"run", "stat --", "COMMAND"},
    {"measure", "stat --", "COMMAND"},
    {"profile", "stat --", "COMMAND"},
    {"monitor", "top", ""},
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

/* A command line to try, with the typed arguments quoted for a shell. */
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

/*
 * Says why the first of `words` (a NULL behind the last) is no verb, and the command that was meant
 * where that is known: by a word for what a verb does, a file that is there, or unless a verb
 * is `near`, a program to measure. False where nothing is known; `err` is then as it was.
 */
static bool no_verb_meant(char *const *words, bool near, const char *verb, struct sx_error *err)
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
		char command[2 * ERROR_WORD_MAX], quoted[ERROR_WORD_MAX];
		snprintf(command, sizeof(command), "%s %s", verb ? verb : "report",
			 error_word(quoted, *words));
		try_line(command, words + 1 + (verb != NULL), "", err);
	} else {
		error_because(err, "it is a program: write a verb and -- before it");
		try_line("stat --", words, "", err);
	}
	return true;
}

static int no_such_verb(const struct cli *cli, char *const *words)
{
	const char *names[COMMAND_COUNT + 1] = {0};
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		names[i] = commands[i]->verb.name;
	struct sx_error err;
	const char *near = options_nearest(*words, names);
	const char *verb = words[1] && find(words[1]) ? words[1] : NULL;
	if (no_verb_meant(words, near != NULL, verb, &err))
		return cli_fail(cli, &err);
	error_set(&err, SX_ERR_USAGE, "\"%s\" is not a verb of sextant", *words);
	error_because(&err, "the first word says what to do, and no verb is called so");
	if (near)
		error_try(&err, "sextant %s; sextant --help lists all verbs", near);
	else
		error_try(&err, "sextant --help, which lists all verbs");
	return cli_fail(cli, &err);
}

/* Notes a vendor's restrictions on counters that the user defines. */
static void note_definitions(const struct cli *cli)
{
	const struct string_list *metrics = &cli->options.metrics;
	for (size_t i = 0; i < metrics->count; i++) {
		struct sx_definition definition;
		if (!sx_definition_is(metrics->items[i]) ||
		    sx_definition_read(NULL, metrics->items[i], &definition, NULL))
			continue;
		for (uint32_t n = 0; n < definition.warning_count; n++)
			cli_warn(cli, "%s: %s", definition.counter, definition.warnings[n]);
	}
}

static void note_of_view(void *user, const char *line)
{
	cli_note(user, "%s", line);
}

static void begin_view(struct cli *cli)
{
	human_init(&cli->view.human);
	cli->view.format = cli->options.format;
	cli->view.verbose = cli->options.verbose;
	cli->view.brief =
	    !cli->options.verbose && !cli->options.counters && cli->options.metrics.count == 0;
	cli->view.notes = (struct note_sink){note_of_view, cli};
}

/* The result must not replace its own input. */
static enum sx_status check_result(const struct options *o, struct sx_error *err)
{
	const char *const named[] = {o->input, o->baseline, o->merge};
	const char *same = NULL;
	for (size_t i = 0; o->output && i < sizeof(named) / sizeof(named[0]); i++)
		if (named[i] && result_file_is_same(named[i], o->output))
			same = o->output;
	for (size_t i = 0; o->output && i < o->args.count; i++)
		if (result_file_is_same(o->args.items[i], o->output))
			same = o->output;
	if (!same)
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "%s is input and output at once", same);
	error_because(err, "writing it would destroy what is to be read");
	error_try(err, "another file with -o");
	return SX_ERR_USAGE;
}

static enum sx_status read_config(struct cli *cli, struct sx_error *err)
{
	const struct verb *verbs[COMMAND_COUNT + 1] = {0};
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		verbs[i] = &commands[i]->verb;
	return config_read(&cli->config, verbs, err);
}

/* Several verbs and importers go on without a catalog that they cannot open. Where that is for want
 * of memory the result lacks something, which must not pass for success. */
static int check_catalogs(struct cli *cli, int code)
{
	struct sx_error err = {0};
	if ((code != EXIT_OK && code != EXIT_INCOMPLETE) || !cli->context ||
	    !sx_context_status(cli->context))
		return code;
	error_nomem(&err, "opening a catalog");
	return cli_fail(cli, &err);
}

static int main_run(struct cli *cli, const struct command *command, int argc, char **argv)
{
	struct sx_error err = {0};
	cli->verb = &command->verb;
	enum sx_status status = options_parse(&cli->options, &command->verb, argc, argv, &err);
	bool help_only = cli->options.help; /* which a mistake in a file must not take away */
	if (!status && !help_only)
		status = read_config(cli, &err);
	if (!status && !help_only)
		status = config_apply(&cli->config, &cli->options, cli->verb, &err);
	begin_view(cli);
	if (!status)
		status = check_result(&cli->options, &err);
	if (!status)
		status = cli_begin_output(cli, &err);
	if (status)
		return cli_fail(cli, &err);
	if (cli->options.help)
		return cli_end_output(cli, help(cli));
	note_definitions(cli);
	if (cli->verb->reads && !(cli->verb->streams && cli->view.out.terminal))
		ticker_start(cli);
	status = sx_context_create(NULL, &cli->context, &err);
	if (!status && !cli->options.quiet)
		status = selection_note_presets(cli, &err);
	if (!status)
		status = imported_inputs(cli, &err);
	int code = status ? cli_fail(cli, &err) : command->run(cli);
	ticker_stop(cli);
	code = check_catalogs(cli, code);
	if (code == EXIT_OK && cli->capture && cli->capture->lacks)
		code = EXIT_INCOMPLETE;
	sx_devices_destroy(cli->devices);
	input_device_close(cli->capture);
	imported_finish(cli);
	sx_context_destroy(cli->context);
	return cli_end_output(cli, code);
}

static void ignore_signal(int number)
{
}

/* Uses a handler, not SIG_IGN, because programs that we start would inherit SIG_IGN. */
static void survive_failing_writes(void)
{
	static const int numbers[] = {SIGPIPE, SIGXFSZ};
	struct sigaction action = {.sa_handler = ignore_signal, .sa_flags = SA_RESTART}, before;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

static int print_config(struct cli *cli)
{
	struct sx_error err = {0};
	enum sx_status status = read_config(cli, &err);
	if (!status)
		config_print(&cli->config, cli->view.out.out);
	return status ? cli_fail(cli, &err) : EXIT_OK;
}

static int print_version(struct cli *cli)
{
	fprintf(cli->view.out.out, "sextant %s\n", sx_version());
	return EXIT_OK;
}

static int print_help(struct cli *cli, const char *of)
{
	const struct command *about = of ? find(of) : NULL;
	cli->verb = about ? &about->verb : NULL;
	return about ? help(cli) : overview(cli->view.out.out);
}

/* Whether a word names an option that needs no verb (help, version), or is a prefix of one. */
static bool is_word(const char *name, const char *word, const char *letter)
{
	size_t length = strlen(name);
	return !strcmp(name, letter) || !strcmp(name, word + 2) ||
	       (length > 2 && !strncmp(name, word, length));
}

/* Runs an option without a verb (help, version); false: it is none of these. */
static bool main_word(struct cli *cli, int argc, char **argv, int *code)
{
	const char *name = argv[1];
	bool about = is_word(name, "--help", "-h"), version = is_word(name, "--version", "-V");
	if (!about && !version &&
	    (strncmp(name, "--", 2) != 0 || !is_word(name, "--print-config", "--print-config")))
		return false;
	cli_begin_ascii(cli);
	*code = about	  ? print_help(cli, argc > 2 ? argv[2] : NULL)
		: version ? print_version(cli)
			  : print_config(cli);
	*code = cli_end_output(cli, *code);
	return true;
}

/* Standard error is read by people, line by line. */
static void ascii_errors(struct cli *cli)
{
	FILE *ascii = cli->err.ascii ? ascii_open(stderr) : NULL;
	if (!ascii)
		return;
	setvbuf(ascii, NULL, _IOLBF, 0);
	cli->err.out = ascii;
}

static int main_said(struct cli *cli, int argc, char **argv)
{
	int code;
	if (argc < 2 && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
		cli_note(cli, "note: this is sextant top: q ends it, F1 has its keys; sextant "
			      "--help lists what else there is");
		return main_run(cli, find("top"), 0, argv + argc);
	}
	if (argc < 2) {
		overview(cli->err.out);
		return EXIT_USAGE;
	}
	if (main_word(cli, argc, argv, &code))
		return code;
	const struct command *command = find(argv[1]);
	return command ? main_run(cli, command, argc - 2, argv + 2) : no_such_verb(cli, argv + 1);
}

int main(int argc, char **argv)
{
	struct cli_result result = {.file = RESULT_FILE_NONE};
	struct cli cli = {.result = &result,
			  .view = {.out = {.out = stdout, .width = 80}},
			  .err = {.out = stderr,
				  .width = text_terminal_width(stderr),
				  .terminal = isatty(STDERR_FILENO)}};
	survive_failing_writes();
	privilege_lower(); /* sessions raise privileges while they open and close devices */
	setlocale(LC_CTYPE, "");
	cli.view.out.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	cli.err.ascii = cli.view.out.ascii;
	ascii_errors(&cli);
	int code = main_said(&cli, argc, argv);
	options_finish(&cli.options);
	config_finish(&cli.config);
	if (cli.err.out != stderr)
		fclose(cli.err.out);
	return code;
}
