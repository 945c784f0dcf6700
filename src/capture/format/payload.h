/* Payloads of all records but ROWS, to and from memory. */
#ifndef CAPTURE_FORMAT_PAYLOAD_H
#define CAPTURE_FORMAT_PAYLOAD_H

#include <sextant/capture.h>
#include "capture/format/bytes.h"
#include "capture/format/format.h"

void payload_put_head(struct bytes *out, uint64_t created_ns,
		      const struct sx_capture_property *properties, uint32_t count);
void payload_put_device(struct bytes *out, const struct sx_capture_device *device);
void payload_put_mark(struct bytes *out, const struct sx_capture_mark *mark);
void payload_put_clocks(struct bytes *out, const struct sx_capture_clock *clocks, uint32_t count);
void payload_put_index(struct bytes *out, const struct entry *entries, size_t count);

/*
 * All readers: SX_ERR_BAD_INPUT when the payload does not add up, SX_ERR_NO_MEMORY. Strings and
 * arrays go to the arena.
 */
enum sx_status payload_get_head(const uint8_t *data, size_t size, struct arena *arena,
				struct sx_capture_info *out);
enum sx_status payload_get_device(const uint8_t *data, size_t size, struct arena *arena,
				  struct sx_capture_device *out);
enum sx_status payload_get_mark(const uint8_t *data, size_t size, struct arena *arena,
				struct sx_capture_mark *out);
enum sx_status payload_get_clocks(const uint8_t *data, size_t size, struct arena *arena,
				  struct sx_capture_clock *out, uint32_t *count);
/* *entries is allocated with malloc. */
enum sx_status payload_get_index(const uint8_t *data, size_t size, struct entry **entries,
				 size_t *count);

#endif
