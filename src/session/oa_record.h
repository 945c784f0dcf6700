/* Recording OA reports through any table of system calls, so that a fake kernel can stand in. */
#ifndef SESSION_OA_RECORD_H
#define SESSION_OA_RECORD_H

#include <sextant/session.h>

#include "base/sys.h"

/* As sx_oa_record(). */
enum sx_status oa_record(const struct sx_sys *sys, const struct sx_oa_recording *recording,
			 bool (*write)(void *user, const uint8_t *data, size_t size), void *user,
			 struct sx_error *err);

#endif
