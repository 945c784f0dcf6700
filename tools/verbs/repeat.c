/* Recording a program again and again, each time in a process of its own. */
#include "tools/verbs/repeat.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "base/mem.h"
#include "tools/verbs/run.h"

#define ENDED_BY_SIGNAL 128 /* and more: no reason was given */

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

/* Records in a process of its own, as what is asked of the verb and no more; does not return. */
static void record_in_child(const struct cli *cli, uint64_t samples, const struct repeat_run *run)
{
	struct cli own = *cli;
	own.verb = &cmd_record.verb;
	own.options.quiet = true;
	own.options.output = run->path;
	own.options.count = samples;
	own.options.child = run->argv && *run->argv ? (char **)(uintptr_t)run->argv : NULL;
	run_catch_signals(NULL); /* handlers are this process's */
	int code = cmd_record.run(&own);
	fflush(NULL);
	_exit(code);
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
	struct sigaction before[ENDINGS];
	catch_endings(before);
	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
		record_in_child(cli, repeat->samples, run);
	enum sx_status status = child < 0 ? error_errno(err, errno, "cannot start a recording")
					  : wait_for(child, code, err);
	restore_endings(before);
	repeat->cut = asked_to_end != 0;
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
		bool reported = code && code < ENDED_BY_SIGNAL;
		repeat->refused = reported ? code : 0;
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

int repeat_fail(const struct repeat *repeat, const struct cli *cli, const struct sx_error *err)
{
	return repeat->refused ? repeat->refused : cli_fail(cli, err);
}

void repeat_note_cut(const struct repeat *repeat, const struct cli *cli)
{
	cli_note(cli, "warning: a signal ended it after %s", COUNTED(repeat->count - 1, "run"));
}
