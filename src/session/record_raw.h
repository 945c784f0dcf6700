/* Raw recordings through any table of system calls, so that a fake kernel can stand in. */
#ifndef SESSION_RECORD_RAW_H
#define SESSION_RECORD_RAW_H

#include <sextant/session.h>

#include "source/source.h"

/* As sx_raw_record(). */
enum sx_status record_raw(const struct source_host *host, const struct sx_raw_recording *recording,
			  bool (*write)(void *user, const uint8_t *data, size_t size), void *user,
			  struct sx_error *err);

#endif
