/* What stat, demo and record share of a run: its program, options, signals and exit status. */
#ifndef TOOLS_VERBS_RUN_H
#define TOOLS_VERBS_RUN_H

#include <sextant/session.h>

#include "tools/cli/cli.h"

/* For verbs that record each run. */
extern const struct command cmd_record;

/*
 * What has to be known before a session: the devices behind -d, and that the process of --pid is
 * there. Errors: SX_ERR_NOT_FOUND.
 */
enum sx_status run_prepare(struct cli *cli, struct sx_error *err);
/* Refuses a capture and a command at once. Errors: SX_ERR_USAGE. */
enum sx_status run_check_input(const struct cli *cli, struct sx_error *err);
/* What the command line asks of a session. */
struct sx_session_options run_options(const struct cli *cli, char *const *argv);
/* Whether each --const is one of some device's catalog. Errors: SX_ERR_NOT_FOUND. */
enum sx_status run_check_constants(const struct cli *cli, const struct sx_session *session,
				   struct sx_error *err);
/* SIGINT, SIGTERM and SIGHUP end this session from now on; NULL: they kill again. */
void run_catch_signals(struct sx_session *session);
/*
 * SIGINT, SIGTERM and SIGHUP are noted from now on and do nothing else, for what must end by itself
 * so that a driver is left as it was found; off: they kill again.
 */
void run_note_signals(bool on);
/* The number of the last one that was noted, or 0. */
int run_noted_signal(void);
/*
 * Sets SCHED_BATCH, so that the command does not preempt the program's threads when it wakes up.
 * Called after the program has started, which keeps its policy. Changes nothing if samples are so
 * frequent that the command must be in time, if no program was started, or if the user chose a
 * policy.
 */
void run_give_way(const struct options *o);

/*
 * What went wrong on the way of a finished run, with its time; with `notes` also the notes of its
 * devices, which the text of a report has itself.
 */
void run_note(struct cli *cli, const struct sx_session *session, bool notes);
/*
 * Creates a capture with what is known of this run: host, kernel, program, interval. `more`: the
 * options beside these. Errors: those of sx_capture_create().
 */
enum sx_status run_create_writer(const struct cli *cli, const char *path,
				 const struct sx_capture_options *more,
				 struct sx_capture_writer **out, struct sx_error *err);
/* As a shell says it: 128 + n for a signal. */
int run_exit_code(const struct sx_child_status *child);
/* "duration" or "count" where that limit ended the program, or NULL. */
const char *run_ended_by(const struct sx_child_status *child);
/*
 * Writes why a session did not run. Returns 127 and 126 for a program that cannot be run, as shells
 * and env(1) do.
 */
int run_cannot(const struct cli *cli, const struct sx_error *err, char *const *argv);

/*
 * Measures `argv` (NULL: the devices alone) as the options say and writes the profile (profile.c).
 * Returns the exit status: the child's own, unless Sextant failed.
 */
int profile_run(struct cli *cli, char *const *argv);

/* A command as text, its words with spaces between them; cut where it does not fit. */
void run_words(char *const *argv, char *buf, size_t size);
/* Why execvp() would not find a program: ENOENT or EACCES; 0 when it is there. */
int run_missing(const char *program);

#endif
