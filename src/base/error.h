/* Filling error triplets. All functions accept err == NULL and return the status they are given. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <sextant/status.h>

/* Sets the message and clears cause and remedy. */
enum sx_status error_set(struct sx_error *err, enum sx_status status, const char *fmt, ...)
    SX_PRINTF(3, 4);
/* Adds the cause or the remedy to an error that error_set() has begun. */
void error_because(struct sx_error *err, const char *fmt, ...) SX_PRINTF(2, 3);
void error_try(struct sx_error *err, const char *fmt, ...) SX_PRINTF(2, 3);
#define ERROR_WORD_MAX SX_ERROR_TEXT_MAX
/*
 * A word of a remedy as a shell takes it: as it is, or in quotes where it holds anything else than
 * letters, digits and what shells leave alone. Returns buf.
 */
const char *error_word(char buf[ERROR_WORD_MAX], const char *word);
/* As error_set(), with the cause taken from an errno value and the status from its class. */
enum sx_status error_errno(struct sx_error *err, int sys_errno, const char *fmt, ...)
    SX_PRINTF(3, 4);
/*
 * As error_errno(), for a file that the user named: "WHAT PATH". Where there is no such file, the
 * remedy names a file of that folder with a similar name. SX_ERR_PERMISSION, SX_ERR_NO_MEMORY, or
 * SX_ERR_BAD_INPUT for any other cause: never SX_ERR_NOT_FOUND, which is for devices.
 */
enum sx_status error_input(struct sx_error *err, int sys_errno, const char *what, const char *path);
/* Another status than the errno had by itself; returns it. */
enum sx_status error_as(struct sx_error *err, enum sx_status status);
/* Out of memory while doing `what`. */
enum sx_status error_nomem(struct sx_error *err, const char *what);

#endif
