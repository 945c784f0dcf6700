/* The file of --output: a draft that takes the place of what was there once the result is whole. */
#ifndef TOOLS_CLI_RESULT_FILE_H
#define TOOLS_CLI_RESULT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include <sextant/status.h>

struct result_file {
	FILE *file;   /* NULL: not opened */
	bool empty;   /* the target itself, a file that was empty and is so again when dropped */
	char *target; /* what the result replaces, links followed; NULL when written directly */
	char *draft;  /* beside it; NULL while a file without a name holds the result */
};

/*
 * Opens the result of `path`. A regular file keeps its content until result_file_keep(); empty ones
 * (whoever made one may hold it open), devices,
 * pipes and what stands in /dev and /proc are written directly. Errors: SX_ERR_PERMISSION, whatever
 * refused it.
 */
enum sx_status result_file_open(struct result_file *result, const char *path, struct sx_error *err);
/* Ends the result and puts it into its place; false with errno when that failed. */
bool result_file_keep(struct result_file *result);
/* Forgets the result: a regular file stays as it was. Nothing to do after result_file_keep(). */
void result_file_drop(struct result_file *result);

#endif
