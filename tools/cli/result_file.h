/* The file of --output: a draft that takes the place of what was there once the result is whole. */
#ifndef TOOLS_CLI_RESULT_FILE_H
#define TOOLS_CLI_RESULT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include <sextant/status.h>

#define RESULT_DRAFT_MAX 32

/* Before result_file_open(): RESULT_FILE_NONE. */
struct result_file {
	FILE *file; /* NULL: not opened */
	bool empty; /* the target itself, a file that was empty and is so again when dropped */
	int target; /* what a file without a name replaces in the end; -1: there is a draft, or none
		       is needed */
	int folder; /* the folder of the draft and of what it replaces; -1: none */
	char *name; /* of what the draft replaces, links followed */
	char draft[RESULT_DRAFT_MAX]; /* the draft's name; empty: none */
};

#define RESULT_FILE_NONE                                                                           \
	(struct result_file)                                                                       \
	{                                                                                          \
		.target = -1, .folder = -1                                                         \
	}

/*
 * Opens the result of `path`. A regular file keeps its content until result_file_keep(). Empty
 * files (mktemp's, which the caller may have open), devices, pipes and open descriptors
 * (/dev/stdout, /proc/self/fd/1) are written directly. A file that gets the name after this call is
 * not written. Errors: SX_ERR_PERMISSION for any failure.
 */
enum sx_status result_file_open(struct result_file *result, const char *path, struct sx_error *err);
/* Ends the result and puts it into its place; false with errno when that failed. */
bool result_file_keep(struct result_file *result);
/* Says that a result cannot be written because of an errno: SX_ERR_PERMISSION, whatever it is. */
enum sx_status result_file_refused(int number, const char *path, struct sx_error *err);
/* Whether two names are of one file; false where one of them is of none. */
bool result_file_is_same(const char *a, const char *b);
/* Forgets the result: a regular file stays as it was. Nothing to do after result_file_keep(). */
void result_file_drop(struct result_file *result);

#endif
