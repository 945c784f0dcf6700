/* The library's context: catalog search path, log callback and cache. There is no global state. */
#ifndef SEXTANT_CONTEXT_H
#define SEXTANT_CONTEXT_H

#include <sextant/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sx_context;

enum sx_log_level { SX_LOG_ERROR, SX_LOG_WARNING, SX_LOG_INFO, SX_LOG_DEBUG };

/* Receives one line without a newline. May be called from any thread that uses the context. */
typedef void (*sx_log_fn)(void *user, enum sx_log_level level, const char *line);

/* All members may be zero. Strings are copied. */
struct sx_context_options {
	const char *catalog_path; /* like $SEXTANT_CATALOG_PATH; NULL: read the environment */
	sx_log_fn log;
	void *log_user;
};

/*
 * Creates a context. `options` may be NULL. On success *out is owned by the caller, to be released
 * by sx_context_destroy(). Errors: SX_ERR_NO_MEMORY. A context may be used from several threads.
 */
SX_API enum sx_status sx_context_create(const struct sx_context_options *options,
					struct sx_context **out, struct sx_error *err);

/*
 * Releases a context; NULL is fine. Catalogs that were opened through it stay valid until their
 * last reference is dropped.
 */
SX_API void sx_context_destroy(struct sx_context *context);

/*
 * SX_ERR_NO_MEMORY if memory was out for any catalog that this context was asked for: later results
 * may then lack what that catalog says, although each call succeeded. Thread-safe.
 */
SX_API enum sx_status sx_context_status(struct sx_context *context);

#ifdef __cplusplus
}
#endif

#endif
