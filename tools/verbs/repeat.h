/* Runs of programs in turn, each recorded: compare, and stat -r. */
#ifndef TOOLS_VERBS_REPEAT_H
#define TOOLS_VERBS_REPEAT_H

#include "tools/cli/cli.h"

/* A folder of its own for recordings, which goes with what is in it. */
struct repeat {
	char folder[TEMP_NAME_MAX];
	uint64_t samples; /* samples that each run takes at most; 0: all */
	uint64_t count;	  /* recordings so far */
	int failed;	  /* the first status of a program that was not 0 */
	int refused;	  /* the status of a recording that left no file, and said why */
	bool cut;	  /* a signal asked to end: no more runs */
};

/* The recordings of one program: their files, with commas between them. Empty at first. */
struct repeat_files {
	char *list; /* NULL while there is none; the caller frees it */
	size_t size, capacity;
};

/* One run of a program. */
struct repeat_run {
	char *const *argv;
	const char *name; /* how a note calls it if the program does not end with 0 */
	const char *path; /* where its recording goes; repeat_record() sets it */
};

/* Errors: SX_ERR_PERMISSION when there is no place for it. */
enum sx_status repeat_begin(struct repeat *repeat, struct sx_error *err);
/*
 * Runs a program as `sextant record` does, with the options of the command line, and adds the file
 * to `files`. Errors: SX_ERR_TIMEOUT when a signal asked to end (then `cut` is set too), what
 * record itself said.
 */
enum sx_status repeat_record(struct repeat *repeat, const struct cli *cli, struct repeat_run run,
			     struct repeat_files *files, struct sx_error *err);
/* Notes that a signal ended the runs; the interrupted run is not used. */
void repeat_note_cut(const struct repeat *repeat, const struct cli *cli);
/* The exit status after an error: that of one run, where it has given the reason already. */
int repeat_fail(const struct repeat *repeat, const struct cli *cli, const struct sx_error *err);
void repeat_end(struct repeat *repeat);

#endif
