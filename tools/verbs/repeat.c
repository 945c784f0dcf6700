/* Recording a program again and again, by the command itself. */
#include "tools/verbs/repeat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "base/mem.h"

enum sx_status repeat_begin(struct repeat *repeat, struct sx_error *err)
{
	*repeat = (struct repeat){0};
	temp_name(repeat->folder, "sextant-runs");
	if (mkdtemp(repeat->folder))
		return SX_OK;
	repeat->folder[0] = '\0';
	return temp_refused(errno, err);
}

void repeat_end(struct repeat *repeat)
{
	DIR *dir = repeat->folder[0] ? opendir(repeat->folder) : NULL;
	struct dirent *entry;
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	if (repeat->folder[0])
		rmdir(repeat->folder);
	repeat->folder[0] = '\0';
}

/* A growing argument list. */
struct words {
	const char **items;
	size_t count, capacity;
	bool failed;
};

static void add(struct words *w, const char *word)
{
	w->failed =
	    w->failed || !mem_grow(&w->items, &w->capacity, w->count + 2, sizeof(*w->items));
	if (w->failed)
		return;
	w->items[w->count++] = word;
	w->items[w->count] = NULL;
}

static void add_option(struct words *w, const char *option, const char *value)
{
	if (!value)
		return;
	add(w, option);
	add(w, value);
}

static void add_list(struct words *w, const char *option, const struct string_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		add_option(w, option, list->items[i]);
}

#define NUMBERS	 6 /* options that are numbers */
#define TEXT_MAX 48

/* What words are made of that the command line does not have. */
struct scratch {
	char numbers[NUMBERS][TEXT_MAX];
	struct arena arena;
};

/* Constants go as text, in memory of the arena. */
static void add_constants(struct words *w, struct arena *arena, const struct options *o)
{
	for (size_t i = 0; i < o->constant_count; i++) {
		char text[512];
		int n = snprintf(text, sizeof(text), "%s=%.17g", o->constants[i].name,
				 o->constants[i].value);
		char *copy = n > 0 && (size_t)n < sizeof(text)
				 ? arena_strndup(arena, text, (size_t)n)
				 : NULL;
		w->failed |= !copy;
		add_option(w, "--const", copy);
	}
}

/* The command line of one recording; numbers are written into `text`. */
static void make_command(struct words *w, const struct cli *cli, uint64_t samples,
			 const struct repeat_run *run, struct scratch *scratch)
{
	char *const *argv = run->argv;
	char(*text)[TEXT_MAX] = scratch->numbers;
	const struct options *o = &cli->options;
	unsigned permille = o->overhead.permille;
	add(w, "sextant");
	add(w, "record");
	add(w, "-q");
	add_option(w, "-o", run->path);
	add_list(w, "-d", &o->devices);
	add_list(w, "-m", &o->metrics);
	add_list(w, "--map", &o->maps);
	add_option(w, "-s", o->set);
	add_option(w, "--for", o->catalog);
	add_constants(w, &scratch->arena, o);
	add_option(w, "--process", o->process);
	add_option(w, "--api", o->api);
	snprintf(text[0], TEXT_MAX, "%" PRIu64 "ns", o->interval_ns);
	snprintf(text[1], TEXT_MAX, "%" PRIu64 "ns", o->duration_ns);
	add_option(w, "-I", o->interval_ns ? text[0] : NULL);
	add_option(w, "-t", o->duration_ns ? text[1] : NULL);
	snprintf(text[2], TEXT_MAX, "%" PRIu64, samples);
	snprintf(text[3], TEXT_MAX, "%u.%u", permille / 10, permille % 10);
	add_option(w, "-n", samples ? text[2] : NULL);
	add_option(w, "--overhead", o->overhead.given ? text[3] : NULL);
	add_option(w, "--per", o->per != SX_SAMPLE_TIME ? sx_sample_kind_name(o->per) : NULL);
	snprintf(text[4], TEXT_MAX, "%" PRIu32, o->pid.value);
	snprintf(text[5], TEXT_MAX, "%" PRIu32, o->context.value);
	add_option(w, "--pid", o->pid.given ? text[4] : NULL);
	add_option(w, "--context", o->context.given ? text[5] : NULL);
	if (o->profiling)
		add(w, "--profiling");
	if (argv && *argv)
		add(w, "--");
	for (; argv && *argv; argv++)
		add(w, *argv);
}

/* Executes Sextant by /proc/self/exe: its name might be another program's. */
static void exec_self(char *const *argv)
{
	int fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	if (fd >= 0)
		fexecve(fd, argv, environ);
	_exit(127);
}

/* Ctrl-C reaches the recording by the terminal; this process waits for it and then ends. */
static volatile sig_atomic_t asked_to_end;

static void on_end(int number)
{
	asked_to_end = number;
}

static const int endings[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
#define ENDINGS (sizeof(endings) / sizeof(endings[0]))

/* Signals that are ignored stay so. */
static void catch_endings(struct sigaction before[ENDINGS])
{
	const struct sigaction action = {.sa_handler = on_end};
	for (size_t i = 0; i < ENDINGS; i++) {
		sigaction(endings[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(endings[i], &action, NULL);
	}
}

static void restore_endings(const struct sigaction before[ENDINGS])
{
	for (size_t i = 0; i < ENDINGS; i++)
		sigaction(endings[i], &before[i], NULL);
}

static enum sx_status wait_for(pid_t child, int *code, struct sx_error *err)
{
	int status;
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return error_errno(err, errno, "cannot wait for a recording");
		if (asked_to_end)
			kill(child, SIGTERM);
	}
	*code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (!asked_to_end)
		return SX_OK;
	error_set(err, SX_ERR_TIMEOUT, "a signal ended it");
	error_because(err, "not all runs were made");
	error_try(err, "fewer runs, or -t 10s for shorter ones");
	return SX_ERR_TIMEOUT;
}

static bool add_file(struct repeat_files *files, const char *path)
{
	size_t len = strlen(path);
	if (!mem_grow(&files->list, &files->capacity, files->size + len + 2, 1))
		return false;
	if (files->size)
		files->list[files->size++] = ',';
	memcpy(files->list + files->size, path, len + 1);
	files->size += len;
	return true;
}

static enum sx_status repeat_once(struct repeat *repeat, const struct cli *cli,
				  const struct repeat_run *run, int *code, struct sx_error *err)
{
	struct scratch scratch = {0};
	struct words words = {0};
	struct sigaction before[ENDINGS];
	make_command(&words, cli, repeat->samples, run, &scratch);
	if (words.failed) {
		arena_finish(&scratch.arena);
		free(words.items);
		return error_nomem(err, "a command line");
	}
	catch_endings(before);
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		restore_endings(before);
		exec_self((char *const *)(uintptr_t)words.items);
	}
	enum sx_status status = child < 0 ? error_errno(err, errno, "cannot start a recording")
					  : wait_for(child, code, err);
	restore_endings(before);
	repeat->cut = asked_to_end != 0;
	arena_finish(&scratch.arena);
	free(words.items);
	return status;
}

enum sx_status repeat_record(struct repeat *repeat, const struct cli *cli, struct repeat_run run,
			     struct repeat_files *files, struct sx_error *err)
{
	char *const *argv = run.argv;
	char path[560];
	int code = 0;
	snprintf(path, sizeof(path), "%s/run-%" PRIu64 ".sxc", repeat->folder, ++repeat->count);
	run.path = path;
	enum sx_status status = repeat_once(repeat, cli, &run, &code, err);
	repeat->failed = repeat->failed ? repeat->failed : code;
	if (status)
		return status;
	if (access(path, R_OK) != 0) {
		error_set(err, SX_ERR_NOT_FOUND, "run %" PRIu64 " recorded nothing", repeat->count);
		error_because(err, "its recording ended with %d, for the reason above", code);
		error_try(err, "sextant record -- %s",
			  argv && *argv ? error_word((char[ERROR_WORD_MAX]){0}, *argv) : "PROGRAM");
		return SX_ERR_NOT_FOUND;
	}
	if (code)
		cli_note(cli, "warning: %s ended with %d", run.name, code);
	return add_file(files, path) ? SX_OK : error_nomem(err, "a list of runs");
}

void repeat_note_cut(const struct repeat *repeat, const struct cli *cli)
{
	cli_note(cli, "warning: a signal ended it after %s", COUNTED(repeat->count - 1, "run"));
}
