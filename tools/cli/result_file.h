/*
 * The file of --output: a draft that takes the place of what was there once the result is whole.
 * Captures and temporary files of verbs, too.
 */
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

/* Captures that are made of what is there already: whole, or not at all. */
/*
 * Calls `write` with a temporary name, and renames the capture to `out` on SX_OK or SX_INCOMPLETE;
 * otherwise the old file is kept. Errors name `out`: those of `write`, SX_ERR_BUSY while another
 * process records to it, SX_ERR_PERMISSION if it cannot be written or the disk is full.
 */
enum sx_status draft_capture(const char *out,
			     enum sx_status (*write)(void *user, const char *draft,
						     struct sx_error *err),
			     void *user, struct sx_error *err);
/*
 * A text with `shown` instead of the first `path`, in `buf`; the text itself where that is not in
 * it, or there is no room.
 */
const char *draft_shown(const char *text, const char *path, const char *shown, char *buf,
			size_t size);

#define TEMP_NAME_MAX 512

/* "FOLDER/NAME-XXXXXX" for mkostemp() and mkdtemp(): in TMPDIR if that is usable, else /tmp. */
void temp_name(char buf[TEMP_NAME_MAX], const char *name);
/* Nothing could be made under such a name; `number` is errno. Returns its status. */
enum sx_status temp_refused(int number, struct sx_error *err);

#endif
