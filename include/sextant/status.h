/* Status codes and the error triplet (what failed, why, what to try) that every fallible call
 * fills. */
#ifndef SEXTANT_STATUS_H
#define SEXTANT_STATUS_H

#include <stdbool.h>
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

/* The version of these headers. sx_version() returns that of the loaded library. */
#define SX_VERSION_MAJOR 0
#define SX_VERSION_MINOR 1
#define SX_VERSION_PATCH 0
/* Whether the headers are of this version or a later one, for #if. */
#define SX_VERSION_AT_LEAST(major, minor, patch)                                                   \
	(SX_VERSION_MAJOR > (major) ||                                                             \
	 (SX_VERSION_MAJOR == (major) &&                                                           \
	  (SX_VERSION_MINOR > (minor) ||                                                           \
	   (SX_VERSION_MINOR == (minor) && SX_VERSION_PATCH >= (patch)))))

/*
 * The outcome of a call. SX_OK is 0. SX_INCOMPLETE, SX_AGAIN and SX_END are no failures either:
 * where a call may return one of them, use sx_failed() instead of a comparison with 0.
 */
enum sx_status {
	SX_OK = 0,
	SX_INCOMPLETE,	    /* the result is valid but lacks a part; the error says which */
	SX_AGAIN,	    /* no result yet; call again later */
	SX_END,		    /* the end of what is read */
	SX_ERR_USAGE,	    /* the caller's arguments contradict the contract */
	SX_ERR_NOT_FOUND,   /* no such device, catalog, set, metric or counter */
	SX_ERR_AMBIGUOUS,   /* a bare name that several groups share */
	SX_ERR_PERMISSION,  /* the system refuses access */
	SX_ERR_BAD_INPUT,   /* a file, catalog, expression or peer is malformed */
	SX_ERR_LIMIT,	    /* input exceeds a documented limit */
	SX_ERR_UNSUPPORTED, /* the device or driver cannot do this */
	SX_ERR_BUSY,	    /* another program uses the device */
	SX_ERR_TIMEOUT,	    /* no answer within the bound */
	SX_ERR_DEVICE_LOST, /* the device or its driver went away */
	SX_ERR_IO,	    /* a system call failed for another reason */
	SX_ERR_NO_MEMORY,   /* allocation failed */
};

/*
 * Whether a call failed and delivered nothing. False for SX_OK, SX_AGAIN, SX_END, and SX_INCOMPLETE
 * (the result can be used, and the error triplet says what is missing). Thread-safe.
 */
static inline bool sx_failed(enum sx_status status)
{
	return status >= SX_ERR_USAGE;
}

#define SX_ERROR_TEXT_MAX 512

/*
 * An error triplet. `message` names what failed and where ("gpu.yaml:12: unknown unit \"cylces\""),
 * `because` the cause, `remedy` what to try. Each is NUL-terminated UTF-8 without a newline; the
 * last two may be empty. Owned by the caller; it is written by a call that returns a failure or
 * SX_INCOMPLETE, and left untouched by one that returns SX_OK.
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
