/* Captures that are made of what is there already: whole, or not at all. */
#ifndef TOOLS_CLI_DRAFT_H
#define TOOLS_CLI_DRAFT_H

#include <stddef.h>

#include <sextant/status.h>

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

#endif
