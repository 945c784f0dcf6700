/* Status codes and the error triplet (what failed, why, what to try) that every fallible call
 * fills. */
#ifndef SEXTANT_STATUS_H
#define SEXTANT_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SX_API		     __attribute__((visibility("default")))
#define SX_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define SX_API
#define SX_PRINTF(fmt, args)
#endif

/* The outcome of a call. SX_OK is 0; everything else is a failure, except SX_INCOMPLETE and
 * SX_AGAIN. */
enum sx_status {
	SX_OK = 0,
	SX_INCOMPLETE,	    /* a result was delivered, but part of it is missing; it says what */
	SX_AGAIN,	    /* nothing yet; call again later */
	SX_END,		    /* the source is exhausted */
	SX_ERR_USAGE,	    /* the caller's arguments contradict the contract */
	SX_ERR_NOT_FOUND,   /* no such device, catalog, set, metric or counter */
	SX_ERR_AMBIGUOUS,   /* a bare name that several groups share */
	SX_ERR_PERMISSION,  /* the system refuses access */
	SX_ERR_BAD_INPUT,   /* a file, catalog, expression or peer is malformed */
	SX_ERR_LIMIT,	    /* input exceeds a documented limit */
	SX_ERR_UNSUPPORTED, /* the device or driver cannot do this */
	SX_ERR_BUSY,	    /* somebody else holds the device */
	SX_ERR_TIMEOUT,	    /* no answer within the bound */
	SX_ERR_DEVICE_LOST, /* the device or its driver went away */
	SX_ERR_IO,	    /* a system call failed for another reason */
	SX_ERR_NO_MEMORY,   /* allocation failed */
};

#define SX_ERROR_TEXT_MAX 512

/*
 * An error triplet. `message` names what failed and where ("gpu.yaml:12: unknown unit \"cylces\""),
 * `because` the cause, `remedy` what to try. Each is NUL-terminated UTF-8 without a newline; the
 * last two may be empty. Owned by the caller; a call that succeeds leaves it untouched.
 */
struct sx_error {
	enum sx_status status;
	int sys_errno; /* errno of the failed system call, or 0 */
	char message[SX_ERROR_TEXT_MAX];
	char because[SX_ERROR_TEXT_MAX];
	char remedy[SX_ERROR_TEXT_MAX];
};

/*
 * Returns the short English name of a status, for example "not found".
 * Never NULL; static storage. Thread-safe.
 */
SX_API const char *sx_status_name(enum sx_status status);

/*
 * Returns the library's version as "MAJOR.MINOR.PATCH".
 * Static storage. Thread-safe.
 */
SX_API const char *sx_version(void);

#ifdef __cplusplus
}
#endif

#endif
